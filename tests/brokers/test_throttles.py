"""Replication throttles: how brokers read them, and what they make of them."""

import math

import pytest
from brokers.world import SIZE, T, U, World, leader_and_isr, moving, order

from klamm.controller.configs.throttle_keys import FOLLOWER_RATE, LEADER_RATE
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.znodes import paths
from klamm.tools.brokers.throttles import Listed, Quotas, Throttles, quotas, topic_settings

LEADER = {"leader_replication_throttled_replicas": "0:1,0:2"}
FOLLOWER = {"follower_replication_throttled_replicas": "0:3"}


def end(world: World, broker: int, name: TopicPartition = T) -> int:
    return world.cluster.logs(broker)[name].end


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "listed"),
    [
        pytest.param("", set(), id="none"),
        pytest.param("*", {0, 1, 7}, id="all"),
        pytest.param("0:1,1:2,7:1", {0, 7}, id="its own"),
        pytest.param(" 0:1 , 7:1", {0, 7}, id="with blanks"),
        pytest.param("0:11,1:12", set(), id="other brokers that begin alike"),
        pytest.param("x:1,-1:1,1", set(), id="nonsense"),
        pytest.param(f"7:{'9' * 5_000},{'9' * 5_000}:1,0:1", {0}, id="numbers without end"),
    ],
)
def test_a_broker_takes_its_own_entries_of_a_list(value: str, listed: set[int]) -> None:
    settings = topic_settings({"leader.replication.throttled.replicas": value}, 1)
    assert {number for number in (0, 1, 7) if number in settings.leads} == listed
    assert settings.follows == Listed()


@pytest.mark.parametrize(
    ("own", "default", "found"),
    [
        ({}, {}, Quotas()),
        ({LEADER_RATE: "5"}, {}, Quotas(leader=5.0)),
        ({}, {FOLLOWER_RATE: "7"}, Quotas(follower=7.0)),
        ({LEADER_RATE: "5"}, {LEADER_RATE: "9", FOLLOWER_RATE: "0"}, Quotas(5.0, 0.0)),
        ({LEADER_RATE: "fast"}, {}, Quotas()),
    ],
)
def test_own_rates_go_before_default_ones(
    own: dict[str, str], default: dict[str, str], found: Quotas
) -> None:
    assert quotas(own, default) == found


def test_nothing_is_throttled_of_topics_that_are_not_known() -> None:
    throttles = Throttles()
    assert (throttles.leads(T), throttles.follows(T), throttles.min_in_sync("t")) == (
        False,
        False,
        1,
    )


def test_changes_are_learned_from_notices() -> None:
    world = moving()
    world.configure("topics/t", **LEADER)
    world.configure("brokers/1", leader_replication_throttled_rate="10")
    world.configure("brokers/<default>", follower_replication_throttled_rate="20")
    models = world.cluster.brokers
    assert models[1].throttles.leads(T)
    assert not models[1].throttles.leads(U)
    assert not models[3].throttles.leads(T)
    assert models[1].throttles.quotas == Quotas(10.0, 20.0)
    assert models[3].throttles.quotas == Quotas(math.inf, 20.0)


def test_a_broker_that_hosts_a_topic_later_reads_what_is_there() -> None:
    world = World(1, 2, 3)
    world.configure("topics/t", min_insync_replicas="2", **LEADER)
    world.create((1, 2))
    assert world.cluster.brokers[1].throttles.leads(T)
    assert world.cluster.brokers[1].throttles.min_in_sync("t") == 2


def test_what_was_set_before_a_broker_started_is_read_when_it_first_hosts_the_topic() -> None:
    world = World(1)
    world.configure("topics/t", min_insync_replicas="2", **LEADER)
    world.start(2)
    assert world.cluster.brokers[2].throttles.topics == {}
    world.create((1, 2))
    assert world.cluster.brokers[2].throttles.leads(T)
    assert world.cluster.brokers[2].throttles.min_in_sync("t") == 2


def test_a_throttle_is_known_before_the_move_that_it_is_for() -> None:
    """A small partition would have been copied whole by the time that its topic is read."""
    world = World(1, 2, 3)
    world.create((1, 2))
    world.configure("topics/t", follower_replication_throttled_replicas="0:3")
    world.configure("brokers/3", follower_replication_throttled_rate="1")
    throttles = world.cluster.brokers[3].throttles
    assert throttles.follows(T)
    world.zookeeper.cut(world.stores[3])
    world.reorder((1, 2, 3))
    world.advance(100.0)
    assert end(world, 3) == 100


def test_what_is_known_of_a_topic_goes_when_it_is_unset() -> None:
    world = World(1, 2)
    world.configure("topics/t", **LEADER)
    assert world.cluster.brokers[1].throttles.topics.keys() == {"t"}
    world.configure("topics/t")
    assert world.cluster.brokers[1].throttles.topics == {}


def test_min_in_sync_is_the_topics_the_brokers_or_the_clusters() -> None:
    world = moving()
    throttles = world.cluster.brokers[1].throttles
    found = [throttles.min_in_sync("t")]
    for entity, value in (("brokers/<default>", "4"), ("brokers/1", "3"), ("topics/t", "2")):
        world.configure(entity, min_insync_replicas=value)
        found.append(throttles.min_in_sync("t"))
    for entity in ("topics/t", "brokers/1", "brokers/<default>"):
        world.configure(entity)
        found.append(throttles.min_in_sync("t"))
    assert found == [1, 4, 3, 2, 3, 4, 1]


def test_a_change_while_the_connection_was_lost_is_found_afterwards() -> None:
    world = moving()
    world.zookeeper.cut(world.stores[1])
    world.settle()
    world.configure("topics/t", **LEADER)
    world.configure("brokers/1", leader_replication_throttled_rate="10")
    assert not world.cluster.brokers[1].throttles.leads(T)
    world.zookeeper.heal(world.stores[1])
    world.settle()
    assert world.cluster.brokers[1].throttles.leads(T)
    assert world.cluster.brokers[1].throttles.quotas.leader == 10.0


def test_configs_that_cannot_be_read_change_nothing() -> None:
    world = moving()
    world.configure("topics/t", **LEADER)
    world.zookeeper.write((SetData("/config/topics/t", b"{", ANY_VERSION),))
    for notice in (b"{", b'{"version":2,"entity_path":"topics/t"}'):
        world.zookeeper.write((Create(paths.CONFIG_CHANGE_PREFIX, notice, sequential=True),))
        world.settle()
    assert world.cluster.brokers[1].throttles.leads(T)


def test_configs_that_are_gone_are_unset() -> None:
    world = moving()
    world.configure("brokers/1", leader_replication_throttled_rate="10")
    world.zookeeper.write((Delete("/config/brokers/1", ANY_VERSION),))
    notice = b'{"version":1,"entity_type":"topics","entity_name":"t"}'
    world.zookeeper.write((Create(paths.CONFIG_CHANGE_PREFIX, notice, sequential=True),))
    world.settle()
    assert world.cluster.brokers[1].throttles.quotas.leader == 10.0
    notice = b'{"version":2,"entity_path":"brokers/1"}'
    world.zookeeper.write((Create(paths.CONFIG_CHANGE_PREFIX, notice, sequential=True),))
    world.settle()
    assert world.cluster.brokers[1].throttles.quotas == Quotas()


# --- obeying --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lists", "broker", "role"),
    [
        pytest.param(LEADER, 1, "leader", id="by the leader"),
        pytest.param(FOLLOWER, 3, "follower", id="by the follower"),
    ],
)
def test_a_throttle_of_a_byte_holds_a_move_until_it_is_lifted(
    lists: dict[str, str], broker: int, role: str
) -> None:
    world = moving()
    world.configure("topics/t", **lists)
    world.configure(f"brokers/{broker}", **{f"{role}_replication_throttled_rate": "1"})
    world.advance(100.0)
    assert end(world, 3) == 100
    assert world.state()[0].isr == (1, 2)
    world.configure(f"brokers/{broker}")
    world.advance(1.0)
    assert end(world, 3) == SIZE
    assert world.state()[0].isr == (1, 2, 3)


def test_a_rate_of_zero_stops_everything() -> None:
    world = moving()
    world.configure("topics/t", follower_replication_throttled_replicas="*")
    world.configure("brokers/3", follower_replication_throttled_rate="0")
    world.advance(1000.0)
    assert end(world, 3) == 0


@pytest.mark.parametrize(
    "lists",
    [
        pytest.param({}, id="no list"),
        pytest.param({"leader_replication_throttled_replicas": "0:3"}, id="only as destination"),
        pytest.param({"follower_replication_throttled_replicas": "0:1"}, id="only as source"),
        pytest.param({"leader_replication_throttled_replicas": "1:1"}, id="another partition"),
    ],
)
def test_a_rate_concerns_only_what_is_listed(lists: dict[str, str]) -> None:
    world = moving()
    world.configure("topics/t", **lists)
    for broker in (1, 3):
        world.configure(
            f"brokers/{broker}",
            leader_replication_throttled_rate="1",
            follower_replication_throttled_rate="1",
        )
    world.advance(1.0)
    assert end(world, 3) == SIZE


def test_a_leader_does_not_throttle_members_of_the_isr() -> None:
    world = World(1, 2, 3, bandwidth=10.0 * SIZE)
    world.create((1, 2))
    world.configure("topics/t", leader_replication_throttled_replicas="*")
    world.configure("brokers/1", leader_replication_throttled_rate="100")
    world.reorder((1, 2, 3))
    world.cluster.produce(world.now, 60.0, T)
    world.advance(10.0)
    assert end(world, 2) == end(world, 1) == SIZE + 600
    # 60 of the 100 are taken by the member, whose bytes count all the same.
    assert end(world, 3) == 400
    world.carry_out(world.cluster.produce(world.now, 150.0, T))
    world.advance(10.0)
    assert end(world, 2) == end(world, 1) == SIZE + 2100
    assert end(world, 3) == 400


def test_a_follower_that_lags_throttles_itself_even_in_the_isr() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.configure("topics/t", follower_replication_throttled_replicas="0:2")
    world.configure("brokers/2", follower_replication_throttled_rate="10")
    world.kill(2)
    world.carry_out(world.cluster.produce(world.now, 50.0, T))
    world.advance(10.0)
    world.carry_out(world.cluster.produce(world.now, 0.0, T))
    world.start(2)
    world.tell(1, 2)
    world.ask(2, leader_and_isr(order(1, 0, (1, 2), (1, 2))))
    world.advance(10.0)
    assert world.state()[0].isr == (1, 2)
    assert (end(world, 1), end(world, 2)) == (SIZE + 500, SIZE + 100)


def test_partitions_share_a_throttle() -> None:
    world = World(1, 2)
    for number in (0, 1):
        world.create((1,), number=number)
    world.configure("topics/t", leader_replication_throttled_replicas="*")
    world.configure("brokers/1", leader_replication_throttled_rate="100")
    for broker in (1, 2):
        orders = [order(1, 1, (1,), (1, 2), partition=number) for number in (0, 1)]
        world.ask(broker, leader_and_isr(*orders))
    world.advance(5.0)
    assert end(world, 2) == end(world, 2, U) == 250
