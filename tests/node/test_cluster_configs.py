"""What an office reads of configs: limits of moves, and what topics need in sync."""

import json
from collections.abc import Mapping

import pytest
from node_world import ENDPOINT, World, in_office

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    MIN_ISR,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
    STATUS_RETENTION,
    ClusterWide,
)
from klamm.controller.core.events import CreateTopic
from klamm.controller.core.model import DAY_MS, ClusterState
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, Op, SetData
from klamm.controller.core.pace import UNLIMITED, Limits, MinIsr
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import ArmWatch, ReadZnodes
from klamm.controller.znodes import paths

LIMITED = {PARTITION_MOVEMENTS: "2"}


def stored(path: str, configs: Mapping[str, str] | bytes, *, anew: bool = False) -> Op:
    if isinstance(configs, bytes):
        data = configs
    else:
        data = json.dumps({"version": 1, "config": dict(configs)}).encode()
    return SetData(path, data, ANY_VERSION) if anew else Create(path, data)


def of_topic(name: str) -> str:
    return f"{paths.TOPIC_CONFIGS}/{name}"


def state(world: World) -> ClusterState:
    world.settle()
    assert world.node.state is not None
    return world.node.state


def reads(world: World) -> list[str]:
    """The config znodes that the node has read, in order."""
    asked = [effect for effect in world.effects if isinstance(effect, ReadZnodes)]
    found = [read.path for effect in asked for read in effect.reads]
    return [path for path in found if path.startswith(paths.CONFIG)]


def written(world: World, kind: str) -> list[str]:
    return [entry.text for entry in world.journal if entry.kind == kind]


@pytest.mark.req("R435-8")
def test_without_limits_one_znode_is_read_and_nothing_is_told() -> None:
    world = World()
    world.settle()
    world.write(stored(of_topic("t"), {MIN_ISR: "2"}))
    assert state(world).limits == Limits()
    assert state(world).min_isr == MinIsr()
    assert reads(world) == [paths.CLUSTER_CONFIG]
    assert written(world, "configs-read") == []
    armed = {watch.path for e in world.effects if isinstance(e, ArmWatch) for watch in e.watches}
    assert paths.CLUSTER_CONFIG in armed
    assert paths.TOPIC_CONFIGS not in armed


@pytest.mark.req("R435-4")
def test_what_is_stored_is_in_force_when_an_office_begins_and_as_soon_as_it_changes() -> None:
    world = World()
    world.write(*(Create(path, None) for path in (paths.CONFIG, f"{paths.CONFIG}/brokers")))
    world.write(stored(paths.CLUSTER_CONFIG, {**LIMITED, STATUS_RETENTION: "7"}))
    assert state(world).limits == Limits(partitions=2)
    assert state(world).status_retention_ms == 7
    world.write(stored(paths.CLUSTER_CONFIG, {REPLICA_MOVEMENTS: "1"}, anew=True))
    assert state(world).limits == Limits(replicas=1)
    assert state(world).status_retention_ms == DAY_MS
    world.write(Delete(paths.CLUSTER_CONFIG, ANY_VERSION))
    assert state(world).limits == Limits()
    assert written(world, "configs-read") == [
        "limits: none, now limits: steps at once 2",
        "limits: steps at once 2, now limits: replicas in a step 1",
        "limits: replicas in a step 1, now limits: none",
    ]


@pytest.mark.req("R435-1", "R435-2", "R435-3")
def test_what_is_stored_counts_for_more_than_what_the_node_was_started_with() -> None:
    config = NodeConfig(900, (ENDPOINT,), cluster_wide=ClusterWide(Limits(5, 6, 7), 2, 9))
    world = in_office(config=config)
    assert state(world).limits == Limits(5, 6, 7)
    assert state(world).min_isr == MinIsr(2)
    assert state(world).status_retention_ms == 9
    world.write(stored(paths.CLUSTER_CONFIG, {LEADER_MOVEMENTS: "1", MIN_ISR: "3"}))
    assert state(world).limits == Limits(5, 6, 1)
    assert state(world).min_isr == MinIsr(3)
    world.write(stored(paths.CLUSTER_CONFIG, {LEADER_MOVEMENTS: str(UNLIMITED)}, anew=True))
    assert state(world).limits == Limits(5, 6, UNLIMITED)
    assert state(world).min_isr == MinIsr(2)


def test_with_limits_all_topics_are_read_once_and_then_those_that_change() -> None:
    world = in_office()
    world.write(stored(of_topic("t"), {MIN_ISR: "2"}), stored(of_topic("u"), {}))
    world.write(stored(paths.CLUSTER_CONFIG, LIMITED))
    assert state(world).min_isr == MinIsr(1, {"t": 2})
    before = reads(world)
    assert before[-3:] == [paths.TOPIC_CONFIGS, of_topic("t"), of_topic("u")]
    world.write(stored(of_topic("u"), {MIN_ISR: "3"}, anew=True))
    world.write(stored(of_topic("v"), {MIN_ISR: "4"}))
    assert state(world).min_isr == MinIsr(1, {"t": 2, "u": 3, "v": 4})
    world.write(Delete(of_topic("t"), ANY_VERSION))
    world.write(stored(of_topic("u"), {"retention.ms": "5"}, anew=True))
    assert state(world).min_isr == MinIsr(1, {"v": 4})
    assert set(reads(world)[len(before) :]) == {of_topic("t"), of_topic("u"), of_topic("v")}


def test_a_topic_that_this_controller_creates_counts_as_well() -> None:
    world = in_office()
    world.write(stored(paths.CLUSTER_CONFIG, LIMITED))
    world.settle()
    world.ask(CreateTopic("t", -1, -1, {0: (1, 2, 3)}, {MIN_ISR: "2"}, 0, 0))
    assert state(world).min_isr.of("t") == 2


def test_once_the_limits_are_lifted_topics_are_read_no_more_until_there_are_some_again() -> None:
    world = in_office()
    world.write(stored(of_topic("t"), {MIN_ISR: "2"}))
    world.write(stored(paths.CLUSTER_CONFIG, LIMITED))
    world.settle()
    world.write(stored(paths.CLUSTER_CONFIG, {}, anew=True))
    assert state(world).limits.none
    before = len(reads(world))
    world.write(stored(of_topic("t"), {MIN_ISR: "3"}, anew=True))
    world.settle()
    assert reads(world)[before:] == []
    world.write(stored(paths.CLUSTER_CONFIG, LIMITED, anew=True))
    assert state(world).min_isr == MinIsr(1, {"t": 3})
    world.write(stored(of_topic("t"), {MIN_ISR: "4"}, anew=True))
    assert state(world).min_isr.of("t") == 4


def test_after_a_lost_connection_all_is_read_again() -> None:
    world = in_office()
    world.write(stored(paths.CLUSTER_CONFIG, LIMITED), stored(of_topic("t"), {MIN_ISR: "2"}))
    assert state(world).min_isr.of("t") == 2
    world.zookeeper.disconnect(world.store)
    world.write(
        stored(of_topic("t"), {MIN_ISR: "3"}, anew=True),
        stored(paths.CLUSTER_CONFIG, {LEADER_MOVEMENTS: "4"}, anew=True),
    )
    assert state(world).limits == Limits(leaders=4)
    assert state(world).min_isr.of("t") == 3
    world.write(stored(of_topic("t"), {MIN_ISR: "5"}, anew=True))
    assert state(world).min_isr.of("t") == 5


def test_values_that_are_none_are_as_good_as_not_set() -> None:
    config = NodeConfig(900, (ENDPOINT,), cluster_wide=ClusterWide(Limits(partitions=9)))
    world = in_office(config=config)
    wrong = {PARTITION_MOVEMENTS: "0", LEADER_MOVEMENTS: "x", REPLICA_MOVEMENTS: "2"}
    world.write(stored(of_topic("t"), {MIN_ISR: "-1"}))
    world.write(stored(paths.CLUSTER_CONFIG, wrong))
    assert state(world).limits == Limits(2, 9, UNLIMITED)
    assert state(world).min_isr == MinIsr()
    told = "\n".join(written(world, "ignored"))
    assert f"{paths.CLUSTER_CONFIG}: Invalid value 2" not in told
    assert f"Invalid value 0 for configuration {PARTITION_MOVEMENTS}" in told
    assert f"Invalid value x for configuration {LEADER_MOVEMENTS}" in told
    assert "9 is in force instead" in told
    assert f"{of_topic('t')}: Invalid value -1 for configuration {MIN_ISR}" in told


@pytest.mark.parametrize("path", [paths.CLUSTER_CONFIG, of_topic("t")])
def test_what_cannot_be_read_leaves_what_is_known(path: str) -> None:
    world = in_office()
    world.write(stored(of_topic("t"), {MIN_ISR: "2"}))
    world.write(stored(paths.CLUSTER_CONFIG, LIMITED))
    assert state(world).min_isr.of("t") == 2
    world.write(stored(path, b"{", anew=True))
    assert state(world).limits == Limits(partitions=2)
    assert path in "\n".join(written(world, "unreadable"))
    assert world.node.active


def test_an_office_begins_though_nothing_can_be_read() -> None:
    config = NodeConfig(900, (ENDPOINT,), cluster_wide=ClusterWide(Limits(partitions=9)))
    world = World(config)
    world.write(*(Create(path, None) for path in (paths.CONFIG, f"{paths.CONFIG}/brokers")))
    world.write(stored(paths.CLUSTER_CONFIG, b"nonsense"))
    assert state(world).limits == Limits(partitions=9)
    assert paths.CLUSTER_CONFIG in "\n".join(written(world, "unreadable"))
    world.write(stored(paths.CLUSTER_CONFIG, {PARTITION_MOVEMENTS: "3"}, anew=True))
    assert state(world).limits == Limits(partitions=3)
