"""What ZooKeeper refuses, or the controller cannot decide, stops nothing but itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import pytest
from node.moving import with_topic
from node_world import ENDPOINT, World, in_office

from klamm.controller.core import decide
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    BrokersRead,
    Cause,
    CheckPartition,
    CreatePartitions,
    CreateTopic,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create, Op
from klamm.controller.core.results import Fault, Refusal, TopicCreated
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Commit, Severity
from klamm.controller.node.turns import SERVER_ERROR
from klamm.controller.store.memory_tree import Applied, Failed, Tree
from klamm.controller.store.port import Refused, WatchDone
from klamm.controller.znodes import paths

PARTITIONS = 20


@dataclass
class Full(Tree):
    """A tree in which a quota lets no session write some znodes."""

    full: frozenset[str] = frozenset()

    def apply(self, ops: Sequence[Op], session: int) -> Applied | Failed:
        for index, op in enumerate(ops):
            if session and op.path in self.full:
                return Failed(index, Refused(f"{op.path}: QUOTAEXCEEDED"))
        return super().apply(ops, session)


def fill(world: World, *znodes: str) -> None:
    tree = world.zookeeper.tree
    world.zookeeper.tree = Full(tree.nodes, tree.zxid, frozenset(znodes))


def led_by(world: World, leader: int) -> set[int]:
    assert world.node.state is not None
    return {name.partition for name, p in world.node.state.partitions() if p.leader == leader}


def with_pairs(ibp: str = "2.4-IV0") -> World:
    """A world with a topic t whose partitions are all on 1, which leads, and 2."""
    world = in_office((1, 2, 3), NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp)))
    assignment = dict.fromkeys(range(PARTITIONS), (1, 2))
    world.ask(CreateTopic("t", -1, -1, assignment, {}, 0, 0, topic_id=uuid4()))
    assert led_by(world, 1) == set(range(PARTITIONS))
    return world


@pytest.mark.parametrize("ibp", ["2.4-IV0", "3.9"])
def test_a_write_that_is_refused_keeps_no_other_partition_without_a_leader(ibp: str) -> None:
    world = with_pairs(ibp)
    fill(world, paths.state("t", 7))
    world.unregister(1)
    world.settle()
    assert led_by(world, 2) == set(range(PARTITIONS)) - {7}
    (given_up,) = [note for note in world.journal if note.kind == "given up"]
    assert given_up.text.startswith(f"1 causes: {paths.state('t', 7)}")
    assert "QUOTAEXCEEDED" in given_up.text


def test_what_was_refused_is_tried_again_and_alone() -> None:
    world = with_pairs()
    fill(world, paths.state("t", 7))
    world.unregister(1)
    world.settle()
    commits = len([effect for effect in world.effects if isinstance(effect, Commit)])
    world.run_timer("retry")
    world.settle()
    tries = [effect for effect in world.effects if isinstance(effect, Commit)][commits:]
    assert [effect.ops[0].path for effect in tries] == [paths.state("t", 7)]
    fill(world)
    world.run_timer("retry")
    world.settle()
    assert led_by(world, 2) == set(range(PARTITIONS))
    assert "retry" not in world.due


# --- faults of our own ------------------------------------------------------------------------


def breaking(monkeypatch: pytest.MonkeyPatch, event: type, *faulty: object) -> None:
    """Let decisions on such events raise, if they are about one of these, or whatever they are."""
    place, decision = decide.DECISIONS[event]

    def broken(draft: Draft, cause: Cause, event: object) -> None:
        about = (getattr(event, "name", None), getattr(event, "partition", None))
        if not faulty or set(faulty) & {*about}:
            raise KeyError("a fault of ours")
        decision(draft, cause, event)

    monkeypatch.setitem(decide.DECISIONS, event, (place, broken))


def create(name: str) -> CreateTopic:
    return CreateTopic(name, 1, 1, {}, {}, 0, 0)


def test_a_request_that_cannot_be_decided_is_answered_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = with_topic()
    world.provoked = "a fault of ours"
    breaking(monkeypatch, CreateTopic, "b")
    names = ("a", "b", "c")
    requests = {name: world.request(create(name)) for name in names}
    world.settle()
    replies = {name: world.replies[request][0][0] for name, request in requests.items()}
    assert replies == {"a": TopicCreated(1, 1), "b": SERVER_ERROR, "c": TopicCreated(1, 1)}
    (note,) = [note for note in world.journal if note.kind == "fault"]
    assert note.severity is Severity.ERROR
    assert "CreateTopic(name='b'" in note.text
    assert "Traceback" in note.text
    assert "test_refused.py" in note.text
    assert "retry" in world.due  # set for whatever nobody waits for; there is nothing
    world.run_timer("retry")
    world.settle()
    assert [note.kind for note in world.journal].count("fault") == 1


def test_a_partition_that_cannot_be_decided_is_tried_again_and_the_others_are_led(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = with_pairs()
    world.provoked = "a fault of ours"
    with monkeypatch.context() as patch:
        breaking(patch, CheckPartition, TopicPartition("t", 7))
        world.unregister(1)
        world.settle()
        assert led_by(world, 2) == set(range(PARTITIONS)) - {7}
    world.run_timer("retry")
    world.settle()
    assert led_by(world, 2) == set(range(PARTITIONS))


def test_a_fact_that_cannot_be_folded_in_ends_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided without it would be wrong."""
    world = with_topic()
    breaking(monkeypatch, BrokersRead)
    world.request(create("a"))
    world.register(9)
    with pytest.raises(KeyError, match="a fault of ours"):
        world.settle()
    assert not world.exists(paths.topic("a"))


def test_a_topic_without_partitions_cannot_be_given_any() -> None:
    world = in_office((1, 2))
    world.write(Create(paths.topic("e"), b'{"version":2,"partitions":{}}'))
    world.settle()
    (refusal,) = world.ask(CreatePartitions("e", 1))
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.UNKNOWN_SERVER_ERROR
    assert "'e' has no partitions" in refusal.message


# --- watches ----------------------------------------------------------------------------------


def test_a_controller_whose_watches_are_refused_makes_way() -> None:
    world = with_topic()
    session = world.store.session
    world.post(WatchDone(session, -3, Refused("UNIMPLEMENTED")))
    world.settle()
    assert world.resigned == ["a watch was refused: UNIMPLEMENTED"]
    assert not world.exists(paths.CONTROLLER)
    world.run_timer("stand")
    world.settle()
    assert world.node.active
    assert world.store.session != session


def test_a_node_outside_office_notes_a_refused_watch_and_goes_on() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER, b'{"version":1,"brokerid":7,"timestamp":"1"}'))
    world.settle()
    world.post(WatchDone(world.store.session, -3, Refused("UNIMPLEMENTED")))
    world.settle()
    assert [note.kind for note in world.journal] == ["watch refused"]
    assert world.resigned == []
    assert world.node.controller_id == 7
