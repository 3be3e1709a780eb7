"""Who waits comes first: replies and the next write before the journal and the brokers."""

from collections.abc import Iterable

import pytest
from node.moving import T, commits, create, with_topic
from node_world import World, in_office

from klamm.controller.core import filling
from klamm.controller.core.decide import decide
from klamm.controller.core.events import AlterReassignment, Cause, CreateTopic
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.plan import Plan
from klamm.controller.core.results import Done
from klamm.controller.core.settings import Settings
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Commit, Effect, Journal, ReadZnodes, Reply, Send
from klamm.controller.node.inputs import Turn
from klamm.controller.znodes import paths

MODERN = NodeConfig(900, in_office().node.config.endpoints, protocol=by_name("3.9"))


def kinds(effects: tuple[Effect, ...]) -> set[type]:
    return {type(effect) for effect in effects}


def answered(world: World) -> tuple[Effect, ...]:
    """Let ZooKeeper answer what it was asked, and hand it over without a turn."""
    world.zookeeper.run()
    happened, world.posted[:] = [*world.posted], []
    return tuple(effect for event in happened for effect in world.give(event))


def accepted(world: World) -> int:
    return sum(entry.kind == "accept" for entry in world.journal)


def in_two_writes(monkeypatch: pytest.MonkeyPatch, partitions: int) -> World:
    """The first of two Commits, of four moves each at most, is on its way."""
    world = with_topic(MODERN, partitions)
    monkeypatch.setattr(filling, "OPS_PER_COMMIT", 6)
    world.request(
        *(AlterReassignment(TopicPartition("t", n), (4, 3, 2)) for n in range(partitions))
    )
    world.feed()
    assert [len(commit.ops) for commit in commits(world)] == [5]
    return world


def test_a_reply_waits_neither_for_the_journal_nor_for_brokers() -> None:
    world = with_topic(MODERN)
    world.request(AlterReassignment(T, (4, 3, 2)))
    world.feed()
    assert kinds(answered(world)) == {Reply}
    assert {Journal, Send} <= kinds(world.give(Turn()))
    world.settle()


def test_a_smaller_write_is_not_kept_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    world = in_two_writes(monkeypatch, 6)
    assert kinds(answered(world)) == {Commit}
    assert kinds(world.give(Turn())) == set()
    assert accepted(world) == 0
    assert kinds(answered(world)) == {Reply}
    world.give(Turn())
    assert accepted(world) == 6
    world.settle()


def test_brokers_hear_of_a_write_while_an_equal_one_is_under_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = in_two_writes(monkeypatch, 8)
    assert kinds(answered(world)) == {Commit}
    assert {Journal, Send} <= kinds(world.give(Turn()))
    assert accepted(world) == 4
    world.settle()


def test_what_was_written_is_told_before_the_next_write_is_found_to_have_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = in_two_writes(monkeypatch, 6)
    answered(world)
    world.leader_writes_isr(TopicPartition("t", 5), [1, 2])
    world.settle()
    story = [entry.kind for entry in world.journal if entry.kind in ("accept", "conflict")]
    assert story == ["accept"] * 4 + ["conflict"] + ["accept"] * 2
    assert world.replies[max(world.replies)] == [(Done(),) * 6]


def test_states_that_a_request_names_are_read_before_the_first_decision() -> None:
    world = with_topic(NodeConfig(900, MODERN.endpoints, protocol=by_name("2.4-IV0")))
    decided: list[Cause] = []

    def counted(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
        taken = list(causes)
        decided.extend(cause for cause in taken if isinstance(cause.event, AlterReassignment))
        return decide(state, taken, settings)

    assert world.node.turns is not None
    world.node.turns.decide_over = counted
    world.request(AlterReassignment(T, (4, 3, 2)))
    world.feed()
    [reads] = [each.reads for each in world.effects if isinstance(each, ReadZnodes)]
    assert [read.path for read in reads] == [paths.state(*T)]
    assert not decided
    world.leader_writes_isr(T, [1, 2])
    world.settle()
    assert len(decided) == 1
    assert world.data(paths.state(*T))["isr"] == [1, 2]


def test_an_event_is_told_once_however_many_partitions_it_is_about() -> None:
    world = in_office(config=MODERN)
    first = len(world.replay.lines)
    lists = dict.fromkeys(range(3), (1, 2, 3))
    world.ask(CreateTopic("many", -1, -1, lists, {}, 0, 0, topic_id=create().topic_id))
    lines = [line for line in world.replay.lines[first:] if line.topic == "many"]
    [telling] = [line for line in lines if line.event and line.event.kind == "CreateTopic"]
    led = [line for line in lines if line.kind == "initialize"]
    assert len(led) == 3
    assert {line.cause.sequence for line in led if line.cause} == {telling.seq}
