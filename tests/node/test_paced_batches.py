"""Moves in steps, many at once: slots, limits that change, and orders of old tools."""

import pytest
from node.paced import Paced, T
from node_world import ENDPOINT

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.pace import Limits
from klamm.controller.core.results import Done
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import ReadZnodes
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest

FIVE, NEW_FIVE = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)


def x1(limit: int = 2) -> Paced:
    """The example of the proposal, accepted, with its first step begun."""
    paced = Paced({"t": {0: FIVE}}, replicas=limit)
    paced.move(NEW_FIVE)
    return paced


# --- X12: the batch -----------------------------------------------------------------------------

A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)
B0, B1, C0 = TopicPartition("b", 0), TopicPartition("b", 1), TopicPartition("c", 0)


def x12() -> Paced:
    paced = Paced(
        {"a": {0: (1, 2), 1: (1, 2)}, "b": {0: (0, 1), 1: (0, 1)}, "c": {0: (0, 1)}},
        replicas=1,
        partitions=3,
        leaders=1,
    )
    targets = {A0: (3, 4), A1: (5, 6), B0: (0, 7), B1: (0, 8), C0: (0, 9)}
    paced.ask(*(AlterReassignment(name, target) for name, target in targets.items()))
    return paced


def join(paced: Paced, *names: TopicPartition) -> None:
    """Let only these partitions come in sync, once."""
    found = paced.brokers.caught_up(paced.world)
    for name in names:
        paced.world.leader_writes_isr(name, found[name])
    paced.world.settle()


@pytest.mark.req("R435-36", "R435-37", "R435-38", "R435-39", "R435-40")
def test_x12() -> None:
    paced = x12()
    assert paced.running() == {A0: ("leader", (3,)), B0: ("swap", (7,)), B1: ("swap", (8,))}
    join(paced, A0)
    assert paced.running() == {A1: ("leader", (5,)), B0: ("swap", (7,)), B1: ("swap", (8,))}
    join(paced, B1)
    # A step that only drops is over at once, and the next one of a-0 takes its slot.
    assert paced.running() == {A0: ("swap", (4,)), A1: ("leader", (5,)), B0: ("swap", (7,))}
    join(paced, A1)
    assert paced.running() == {A0: ("swap", (4,)), A1: ("swap", (6,)), B0: ("swap", (7,))}
    join(paced, A0)
    assert paced.running() == {A1: ("swap", (6,)), B0: ("swap", (7,)), C0: ("swap", (9,))}
    paced.catch_up()
    assert paced.running() == {}
    ends = {A0: [3, 4], A1: [5, 6], B0: [0, 7], B1: [0, 8], C0: [0, 9]}
    assert {name: paced.lists(name)[0] for name in ends} == ends


@pytest.mark.req("R435-39")
def test_slots_that_leader_steps_may_not_use_stay_empty_without_other_steps() -> None:
    paced = Paced({"t": dict.fromkeys(range(5), (1, 2))}, replicas=1, partitions=5, leaders=1)
    names = [TopicPartition("t", number) for number in range(5)]
    paced.ask(*(AlterReassignment(name, (3, 4)) for name in names))
    assert paced.running() == {names[0]: ("leader", (3,))}
    paced.catch_up()
    assert all(paced.lists(name)[0] == [3, 4] for name in names)


@pytest.mark.req("R435-25", "R435-26")
def test_a_broker_lost_while_a_step_adds_it_leaves_the_slot_and_keeps_its_log() -> None:
    names = [TopicPartition("t", 0), TopicPartition("t", 1)]
    paced = Paced({"t": dict.fromkeys(range(2), (1, 2))}, replicas=1, partitions=1)
    paced.brokers.held |= {3, 4}
    paced.ask(AlterReassignment(names[0], (1, 3)), AlterReassignment(names[1], (1, 4)))
    assert paced.running() == {names[0]: ("swap", (3,))}
    paced.brokers.stopped.clear()
    paced.lose(3)
    assert paced.running() == {names[1]: ("swap", (4,))}
    paced.restore(3)
    assert paced.running() == {names[1]: ("swap", (4,))}
    assert 3 in paced.brokers.logs(names[0])
    assert paced.brokers.stopped == []
    paced.brokers.held.clear()
    paced.catch_up()
    assert [paced.lists(name)[0] for name in names] == [[1, 3], [1, 4]]


@pytest.mark.req("R435-25", "R435-26", "R435-10")
def test_all_that_a_void_step_added_stop_while_others_have_the_slot() -> None:
    names = [TopicPartition("t", 0), TopicPartition("t", 1)]
    paced = Paced({"t": dict.fromkeys(range(2), (1, 2))}, replicas=2, partitions=1)
    paced.brokers.held |= {3, 4, 5}
    paced.move((1, 2, 3, 4), names[0])
    paced.move((5, 2), names[1])
    assert paced.running() == {names[0]: ("swap", (3, 4))}
    paced.lose(3)
    assert paced.running() == {names[1]: ("leader", (5,))}
    assert paced.brokers.running(names[0]) == {1, 2}
    assert paced.brokers.logs(names[0]) == {1, 2, 3, 4}
    assert paced.brokers.stopped == [(4, names[0], False)]
    paced.restore(3)
    paced.brokers.held.clear()
    paced.catch_up()
    assert [paced.lists(name)[0] for name in names] == [[1, 2, 3, 4], [5, 2]]


@pytest.mark.req("R435-24")
def test_a_partition_without_leader_gets_no_step() -> None:
    paced = Paced({"t": {0: (1,)}}, replicas=1)
    paced.lose(1)
    paced.world.sent.clear()
    paced.move((2,))
    pace = paced.partition().pace
    assert pace is not None
    assert (pace.waiting, pace.running) == ("offline", None)
    assert paced.world.messages(LeaderAndIsrRequest) == []
    paced.restore(1)
    paced.catch_up()
    assert paced.lists() == ([2], [], [])


@pytest.mark.req("R435-16")
def test_later_steps_never_add_more_than_the_limit() -> None:
    paced = Paced({"t": {0: FIVE}}, replicas=1)
    paced.min_isr("t", 4)
    paced.move(NEW_FIVE)
    paced.catch_up_once()
    for broker in (1, 2, 3):
        paced.lose(broker)
    while paced.catch_up_once():
        assert all(len(adding) <= 1 for _, adding in paced.running().values())
    assert max(len(added) for added, _ in paced.steps()) == 1
    assert paced.lists()[0] == [*NEW_FIVE]


@pytest.mark.req("R435-41")
def test_choosing_reads_nothing() -> None:
    lists = dict.fromkeys(range(300), (0, 1))
    config = NodeConfig(900, (ENDPOINT,), protocol=by_name("3.9"))
    paced = Paced({"t": lists}, config=config, replicas=1, partitions=50)
    names = [TopicPartition("t", number) for number in lists]
    paced.world.effects.clear()
    paced.ask(*(AlterReassignment(name, (0, 2)) for name in names))
    assert [*paced.running()] == names[:50]
    assert not [effect for effect in paced.world.effects if isinstance(effect, ReadZnodes)]


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.req("R435-9")
def test_a_lowered_limit_leaves_running_steps_alone() -> None:
    names = [TopicPartition("t", number) for number in range(6)]
    paced = Paced({"t": dict.fromkeys(range(6), (1, 2))}, replicas=1, partitions=4)
    paced.ask(*(AlterReassignment(name, (1, 3)) for name in names))
    assert [*paced.running()] == names[:4]
    paced.limit(replicas=1, partitions=1)
    assert [*paced.running()] == names[:4]
    join(paced, *names[:3])
    assert [*paced.running()] == names[3:4]
    paced.limit(replicas=1, partitions=3)
    assert [*paced.running()] == names[3:]
    paced.catch_up()
    assert all(paced.lists(name) == ([1, 3], [], []) for name in names)


@pytest.mark.req("R435-9", "R435-45", "R435-8")
def test_without_limits_all_replicas_are_told_and_no_hint_is_left() -> None:
    paced = x1()
    paced.catch_up_once()
    assert paced.world.exists(paths.reassignment_steps("t"))
    paced.limit()
    assert not paced.world.exists(paths.REASSIGNMENT_STEPS)
    assert paced.partition().pace is None
    assert paced.brokers.running(T) == {*FIVE, *NEW_FIVE}
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert not paced.world.exists(paths.REASSIGNMENT_STEPS)


@pytest.mark.req("R435-9")
def test_moves_that_run_without_limits_go_on_as_one_step() -> None:
    paced = Paced({"t": {0: FIVE, 1: FIVE}})
    paced.brokers.held |= {8}
    paced.move(NEW_FIVE)
    assert paced.partition().pace is None
    paced.brokers.stopped.clear()
    paced.limit(replicas=1, partitions=1)
    assert paced.running() == {T: ("leader", NEW_FIVE)}
    assert paced.hint() is not None
    assert paced.brokers.running(T) == {*FIVE, *NEW_FIVE}
    other = TopicPartition("t", 1)
    paced.move((0, 1, 2, 3, 9), other)
    assert [*paced.running()] == [T]
    paced.brokers.held.clear()
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.lists(other) == ([0, 1, 2, 3, 9], [], [])


# --- znode-started moves ------------------------------------------------------------------------


@pytest.mark.req("R435-32", "R435-43")
def test_moves_of_the_admin_znode_obey_limits_and_stay_named_until_they_have_ended() -> None:
    paced = Paced({"t": {0: FIVE, 1: FIVE, 2: FIVE}}, replicas=2, partitions=1)
    entries = {0: NEW_FIVE, 1: (0, 1, 2, 3, 9), 2: (0, 1, 2, 3, 8)}
    listed = [
        {"topic": "t", "partition": number, "replicas": [*to]} for number, to in entries.items()
    ]
    paced.put(paths.REASSIGN_PARTITIONS, {"version": 1, "partitions": listed})
    paced.world.settle()
    most = 0
    while paced.catch_up_once():
        most = max(most, len(paced.running()))
        if paced.partition().assignment.moving:
            named = paced.world.data(paths.REASSIGN_PARTITIONS)["partitions"]
            assert listed[0] in named  # type: ignore[operator]
    assert most == 1
    assert len(paced.steps()) == 6
    paced.world.run_timer(TIDY_TIMER)
    paced.world.settle()
    assert not paced.world.exists(paths.REASSIGN_PARTITIONS)


# --- defaults -----------------------------------------------------------------------------------


@pytest.mark.req("R435-8", "R435-45", "R435-60")
def test_defaults_limit_nothing() -> None:
    paced = Paced({"t": {0: FIVE}})
    assert paced.world.node.state is not None
    assert paced.world.node.state.limits == Limits()
    assert paced.world.ask(AlterReassignment(T, NEW_FIVE)) == (Done(),)
    assert paced.brokers.running(T) == {*FIVE, *NEW_FIVE}
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.steps() == []
    assert not paced.world.exists(paths.REASSIGNMENT_STEPS)
    assert all(
        each.step is None and (each.after is None or each.after.pace is None)
        for each in paced.world.replay.lines
    )
