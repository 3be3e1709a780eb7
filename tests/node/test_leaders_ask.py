"""Requests of brokers, from end to end in a node: AlterPartition and ControlledShutdown."""

import pytest
from node.moving import T, commits, leads, lists, stops, with_topic
from node_world import ENDPOINT, World

from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    ElectPreferred,
    RequestEvent,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.core.results import (
    NOT_CONTROLLER,
    Done,
    Fault,
    IsrAltered,
    Refusal,
    ShutDownAllowed,
)
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import ReadZnodes
from klamm.controller.node.rebalance import FIRST_SECONDS, REBALANCE_TIMER
from klamm.controller.node.turns import SERVER_ERROR
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest


def config(ibp: str = "2.7-IV2") -> NodeConfig:
    return NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp))


def epoch(world: World, broker: int) -> int:
    return world.zookeeper.tree.nodes[paths.broker(broker)].czxid


def wish(world: World, *isr: int, name: TopicPartition = T) -> AlterPartition:
    """What the partition's leader would ask for, by what the state znode says now."""
    state = world.data(paths.state(*name))
    leader, leader_epoch = state["leader"], state["leader_epoch"]
    assert isinstance(leader, int)
    assert isinstance(leader_epoch, int)
    version = world.zookeeper.tree.nodes[paths.state(*name)].version
    return AlterPartition(name, leader, epoch(world, leader), leader_epoch, version, isr)


def bump(world: World, path: str) -> None:
    """Write a znode as it is, so that its version is another."""
    world.write(SetData(path, world.zookeeper.tree.nodes[path].data, ANY_VERSION))


def while_committing(world: World, *paths_: str, times: int = 1) -> None:
    """Come to rest; let somebody else be faster with these znodes this often."""
    for _ in range(200):
        if not world.step():
            return
        for call in list(world.store.outgoing):
            for op in getattr(call, "ops", ()):
                if op.path in paths_ and times > 0:
                    bump(world, op.path)
                    times -= 1
    raise AssertionError("no rest")


# --- AlterPartition --------------------------------------------------------------------------


@pytest.mark.parametrize("ibp", ["2.4-IV0", "2.7-IV2", "3.9"])
def test_an_isr_changes_by_the_same_rules_whatever_the_brokers_agreed_on(ibp: str) -> None:
    world = with_topic(config(ibp))
    (answer,) = world.ask(wish(world, 1, 2))
    assert isinstance(answer, IsrAltered)
    assert answer.leadership.version == 1
    assert world.data(paths.state(*T))["isr"] == [1, 2]
    assert not world.messages(LeaderAndIsrRequest)
    # Everybody is told, the klamm node's own clients included: once.
    told = world.messages(UpdateMetadataRequest)
    assert len(told) == 5
    assert {m.topic_states[0].partition_states[0].isr for m in told} == {(1, 2)}


@pytest.mark.parametrize("ibp", ["2.7-IV2", "3.9"])
def test_where_leaders_ask_no_state_is_read_before_it_is_written(ibp: str) -> None:
    world = with_topic(config(ibp))
    world.ask(wish(world, 1, 2))
    world.ask(AlterReassignment(T, (4, 2, 3)))
    world.ask(AlterReassignment(T, None))
    assert len(commits(world)) == 3
    assert not [effect for effect in world.effects if isinstance(effect, ReadZnodes)]


@pytest.mark.parametrize("ibp", ["2.7-IV2", "3.9"])
def test_a_move_ends_by_what_its_leader_asks_for(ibp: str) -> None:
    world = with_topic(config(ibp))
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    (answer,) = world.ask(wish(world, 1, 2, 3, 4))
    assert isinstance(answer, IsrAltered)
    assert answer.leadership.isr == (1, 2, 3, 4)
    # The answer is of the write before the end of the move.
    assert answer.leadership.leader_epoch == 1
    assert lists(world) == ({"0": [4, 3, 2]}, {}, {})
    assert world.data(paths.state(*T))["leader"] == 4
    assert len(commits(world)) == 3


def test_a_repeated_wish_is_answered_with_what_is_true_and_writes_nothing() -> None:
    world = with_topic(config())
    asked = wish(world, 1, 2)
    first = world.ask(asked)
    assert world.ask(asked) == first
    assert len(commits(world)) == 1


def test_a_state_that_somebody_else_wrote_is_read_and_the_wish_is_out_of_date() -> None:
    world = with_topic(config())
    request = world.request(wish(world, 1, 2))
    while_committing(world, paths.state(*T))
    ((refused,),) = world.replies[request]
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.INVALID_UPDATE_VERSION
    assert len(commits(world)) == 1


def raise_epoch(world: World) -> None:
    path = paths.CONTROLLER_EPOCH
    data = world.zookeeper.tree.nodes[path].data
    assert data is not None
    world.write(SetData(path, b"%d" % (int(data) + 1), ANY_VERSION))


@pytest.mark.parametrize("what", ["alter", "leave", "move", "elect"])
def test_who_has_been_succeeded_says_so_and_resigns(what: str) -> None:
    """H6: Kafka gives no answer. N7: for AlterPartition it answers -1, and goes on."""
    world = with_topic(config())
    events: dict[str, RequestEvent] = {
        "alter": wish(world, 1, 2),
        "leave": ShutDownBroker(1, epoch(world, 1)),
        "move": AlterReassignment(T, (4, 2, 3)),
        "elect": ElectPreferred(T),
    }
    if what == "elect":
        world.ask(ShutDownBroker(1, epoch(world, 1)))
        world.unregister(1)
        world.register(1)
        world.settle()
        world.ask(wish(world, 1, 2, 3))
    before = world.data(paths.state(*T))
    raise_epoch(world)
    assert world.ask(events[what]) == (NOT_CONTROLLER,)
    assert world.data(paths.state(*T)) == before
    assert "fenced" in [note.kind for note in world.journal]
    assert "resigned" in [note.kind for note in world.journal]


# --- ControlledShutdown ----------------------------------------------------------------------


def test_a_broker_is_relieved_and_stops_what_it_follows() -> None:
    world = with_topic(partitions=2)
    world.ask(AlterReassignment(TopicPartition("t", 1), (2, 1, 3)), ElectPreferred(T))
    world.ask(ElectPreferred(TopicPartition("t", 1)))
    assert world.data(paths.state("t", 1))["leader"] == 2
    world.sent.clear()
    assert world.ask(ShutDownBroker(1, epoch(world, 1))) == (ShutDownAllowed(()),)
    assert [world.data(paths.state("t", n))["leader"] for n in (0, 1)] == [2, 2]
    assert [world.data(paths.state("t", n))["isr"] for n in (0, 1)] == [[2, 3], [2, 3]]
    # It follows the one from now on, and does not fetch the other any more, but keeps it.
    assert [(p.partition_index, p.leader) for p in leads(world, 1)] == [(0, 2)]
    assert stops(world) == [(1, False)]
    offline = {
        p.offline_replicas
        for m in world.messages(UpdateMetadataRequest)
        for t in m.topic_states
        for p in t.partition_states
    }
    assert offline == {(1,)}


def test_it_stays_out_of_everything_until_it_is_back() -> None:
    world = with_topic(config())
    world.ask(ShutDownBroker(1, epoch(world, 1)))
    (refused,) = world.ask(wish(world, 1, 2, 3))
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.INELIGIBLE_REPLICA
    world.unregister(1)
    world.settle()
    world.register(1)
    world.settle()
    assert isinstance(world.ask(wish(world, 1, 2, 3))[0], IsrAltered)


def test_the_answer_waits_for_every_write_and_a_conflict_costs_one_more() -> None:
    world = with_topic(partitions=300)
    request = world.request(ShutDownBroker(1, epoch(world, 1)))
    while_committing(world, paths.state("t", 299))
    assert world.replies[request] == [(ShutDownAllowed(()),)]
    state = world.node.state
    assert state is not None
    assert {part.leader for _, part in state.partitions()} == {2}


def test_one_partition_that_never_can_be_written_is_answered_for_once() -> None:
    world = with_topic(config(), partitions=2)
    request = world.request(ShutDownBroker(1, epoch(world, 1)))
    while_committing(world, paths.state(*T), times=100)
    assert world.replies[request] == [(SERVER_ERROR,)]
    assert world.node.active


# --- the automatic rebalance -----------------------------------------------------------------


def astray(settings: NodeConfig) -> World:
    """Broker 1 was gone for a while; now it is in sync again and leads nothing."""
    world = with_topic(settings)
    world.unregister(1)
    world.settle()
    world.register(1)
    world.settle()
    world.leader_writes_isr(T, [2, 3, 1])
    world.settle()
    assert world.data(paths.state(*T))["leader"] == 2
    return world


def test_leads_go_home_when_the_timer_runs_out() -> None:
    world = astray(NodeConfig(900, (ENDPOINT,), leader_imbalance_check_seconds=60))
    assert world.timers[REBALANCE_TIMER] == FIRST_SECONDS
    world.run_timer(REBALANCE_TIMER)
    world.settle()
    assert world.data(paths.state(*T))["leader"] == 1
    assert world.timers[REBALANCE_TIMER] == 60.0
    assert [note.kind for note in world.journal][-1] == "elect"


def test_it_can_be_switched_off_and_needs_more_than_the_limit() -> None:
    off = astray(NodeConfig(900, (ENDPOINT,), auto_leader_rebalance=False))
    assert REBALANCE_TIMER not in off.timers
    tolerant = astray(NodeConfig(900, (ENDPOINT,), leader_imbalance_percentage=100))
    tolerant.run_timer(REBALANCE_TIMER)
    tolerant.settle()
    assert tolerant.data(paths.state(*T))["leader"] == 2


def test_a_timer_of_an_office_that_is_over_does_nothing() -> None:
    world = astray(NodeConfig(900, (ENDPOINT,)))
    world.zookeeper.disconnect(world.store)
    world.feed()
    world.run_timer("session")
    world.run_timer(REBALANCE_TIMER)
    world.feed()
    assert not world.node.active
    assert REBALANCE_TIMER not in world.timers
    world.settle()
    assert world.timers[REBALANCE_TIMER] == FIRST_SECONDS
