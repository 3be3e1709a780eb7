"""Moves in steps: the worked examples of KIP-435, through a node, its brokers and ZooKeeper."""

import pytest
from node.paced import Paced, T

from klamm.controller.core.model import TopicPartition
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest

FIVE, NEW_FIVE = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
Step = tuple[tuple[int, ...], tuple[int, ...]]


def x1(limit: int = 2) -> Paced:
    """The example of the proposal, accepted, with its first step begun."""
    paced = Paced({"t": {0: FIVE}}, replicas=limit)
    paced.move(NEW_FIVE)
    return paced


def told(paced: Paced) -> list[tuple[int, list[int], list[int], list[int], list[int]]]:
    """Who was told to lead or follow what, once for each leader epoch, and who was to make logs."""
    found: dict[int, tuple[int, list[int], list[int], list[int], set[int]]] = {}
    for send in paced.world.sent:
        if isinstance(send.message, LeaderAndIsrRequest):
            for topic in send.message.topic_states:
                for each in topic.partition_states:
                    if topic.topic_name != "t" or each.partition_index:
                        continue
                    epoch = found.setdefault(
                        each.leader_epoch,
                        (
                            each.leader,
                            list(each.replicas),
                            list(each.adding_replicas),
                            list(each.removing_replicas),
                            set(),
                        ),
                    )
                    assert send.broker.id in each.replicas
                    assert epoch[1] == list(each.replicas)
                    if each.is_new:
                        epoch[4].add(send.broker.id)
    return [(*each[:4], sorted(each[4])) for _, each in sorted(found.items())]


# --- X1 ---------------------------------------------------------------------------------------


@pytest.mark.req("R435-12", "R435-13", "R435-14", "R435-17", "R435-18", "R435-44", "R435-46")
def test_x1_step_by_step() -> None:
    paced = x1()
    hint = {"target": [*NEW_FIVE], "origin": [*FIVE], "since_ms": 1_700_000_000_000}
    assert paced.lists() == ([*NEW_FIVE, *FIVE], [*NEW_FIVE], [*FIVE])
    assert paced.hint() == hint | {"step": 0, "kind": "leader", "adding": [5]}
    assert paced.partition().leader == 0
    assert paced.brokers.running(T) == {*FIVE, 5}

    paced.catch_up_once()
    assert paced.partition().leader == 5
    assert paced.lists() == ([*NEW_FIVE, *FIVE], [*NEW_FIVE], [*FIVE])
    assert paced.hint() == hint | {"step": 1, "kind": "swap", "adding": [6]}
    assert paced.brokers.running(T) == {*FIVE, 5, 6}

    paced.catch_up_once()
    assert paced.lists() == ([5, 6, 7, 8, 9, 2, 3, 4], [7, 8, 9], [2, 3, 4])
    assert paced.hint() == hint | {"step": 2, "kind": "swap", "adding": [7, 8]}
    assert paced.brokers.logs(T) == {5, 6, 7, 8, 2, 3, 4}

    paced.catch_up_once()
    assert paced.lists() == ([5, 6, 7, 8, 9, 4], [9], [4])
    assert paced.hint() == hint | {"step": 3, "kind": "swap", "adding": [9]}

    paced.catch_up_once()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.partition().leader == 5
    assert paced.brokers.logs(T) == {*NEW_FIVE}
    assert paced.world.zookeeper.tree.nodes[paths.REASSIGNMENT_STEPS].children == set()
    assert not paced.catch_up_once()


@pytest.mark.req("R435-33", "R435-34")
def test_brokers_are_told_of_those_that_steps_have_come_to() -> None:
    paced = x1()
    while paced.catch_up_once():
        pass
    everybody, gone = [*FIVE], [2, 3, 4]
    assert told(paced) == [
        (0, [5, *FIVE], [5], everybody, [5]),
        (5, [5, *FIVE], [5], everybody, []),
        (5, [5, 6, *FIVE], [5, 6], everybody, [6]),
        (5, [5, 6, 2, 3, 4], [], gone, []),
        (5, [5, 6, 7, 8, 2, 3, 4], [7, 8], gone, [7, 8]),
        (5, [5, 6, 7, 8, 4], [], [4], []),
        (5, [5, 6, 7, 8, 9, 4], [9], [4], [9]),
        (5, [*NEW_FIVE], [], [], []),
    ]
    shown = [
        list(each.replicas)
        for message in paced.world.messages(UpdateMetadataRequest, 3)
        for topic in message.topic_states
        for each in topic.partition_states
    ]
    assert shown[0] == [*NEW_FIVE, *FIVE]
    assert shown[-1] == [*NEW_FIVE]
    assert all(len(each) in (10, 8, 6, 5) for each in shown)


@pytest.mark.req("R435-19")
def test_nobody_is_dropped_before_those_who_come_are_in_sync() -> None:
    paced = x1()
    paced.catch_up_once()
    paced.brokers.held.add(6)
    paced.catch_up()
    assert paced.brokers.logs(T) >= {0, 1}
    assert paced.running() == {T: ("swap", (6,))}


@pytest.mark.req("R435-31")
def test_the_order_of_one_step() -> None:
    paced = x1()
    paced.catch_up_once()
    lines = paced.world.replay.lines
    (begin,) = [n for n, each in enumerate(lines) if each.kind == "step-begin"][-1:]
    hint, state = paths.reassignment_steps("t"), paths.state(*T)
    assert {hint, state} <= {write.path for write in lines[begin].writes}
    (lead,) = [each for each in lines[begin].messages if each.kind == "leader-and-isr"]
    assert lead.is_new == (6,)
    paced.catch_up_once()
    after = paced.world.replay.lines[begin + 1 :]
    (end,) = [each for each in after if each.kind == "step-end"]
    (join,) = [each for each in after if each.kind == "isr-join"]
    assert join.seq < end.seq
    written = {write.path for write in end.writes}
    assert written == {paths.topic("t"), state, hint, paths.replica_deletions("t")}
    assert [each.kind for each in end.messages] == [
        "leader-and-isr",
        "update-metadata",
        "stop-replica",
        "stop-replica",
    ]
    assert not any(each.delete for each in end.messages)
    (told_later,) = [
        each for each in after if each.kind == "told" and any(m.delete for m in each.messages)
    ]
    assert [m.brokers for m in told_later.messages] == [(0,), (1,)]
    assert told_later.seq > end.seq


# --- the other examples -----------------------------------------------------------------------


def steps_of(
    origin: tuple[int, ...],
    target: tuple[int, ...],
    limit: int,
    *,
    min_isr: int = 1,
    down: tuple[int, ...] = (),
) -> tuple[list[Step], Paced]:
    """Run one move to its rest; brokers that are down are so before it is ordered, and after it."""
    paced = Paced({"t": {0: origin}}, replicas=limit)
    if min_isr > 1:
        paced.min_isr("t", min_isr)
    paced.move(target)
    for broker in down:
        paced.lose(broker)
    paced.catch_up()
    return paced.steps(), paced


X2 = [
    (1, [((5,), ()), ((), (0,)), ((6,), (1,)), ((7,), (2,)), ((8,), (3,)), ((9,), (4,))]),
    (3, [((5,), ()), ((6, 7), (0, 1, 2)), ((8, 9), (3, 4))]),
    (5, [((5,), ()), ((6, 7, 8, 9), FIVE)]),
]


@pytest.mark.req("R435-12", "R435-30")
@pytest.mark.parametrize(("limit", "expected"), X2)
def test_x2(limit: int, expected: list[Step]) -> None:
    found, paced = steps_of(FIVE, NEW_FIVE, limit)
    assert found == expected
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.brokers.logs(T) == {*NEW_FIVE}


@pytest.mark.req("R435-35")
def test_x2_without_a_limit_of_replicas_is_one_step() -> None:
    paced = Paced({"t": {0: FIVE}}, partitions=1)
    paced.move(NEW_FIVE)
    assert paced.running() == {T: ("leader", NEW_FIVE)}
    paced.catch_up()
    assert paced.steps() == [(NEW_FIVE, FIVE)]
    assert paced.partition().leader == 5
    assert paced.brokers.logs(T) == {*NEW_FIVE}


SIZES = [
    pytest.param((1, 2), (3, 4, 5, 6), 1, 1,
        [((3,), ()), ((4,), ()), ((5,), (1,)), ((6,), (2,))], id="X5"),
    pytest.param((1, 2, 3, 4, 5), (6, 7), 1, 1,
        [((6,), ()), ((), (1,)), ((), (2,)), ((), (3,)), ((), (4,)), ((7,), (5,))], id="X6"),
    pytest.param((1, 2, 3, 4, 5), (6, 7), 2, 2,
        [((6,), ()), ((), (1, 2)), ((), (3, 4)), ((7,), (5,))], id="X6, two"),
    pytest.param((1, 2, 3), (3, 4, 5), 1, 1, [((), ()), ((4,), (1,)), ((5,), (2,))], id="X7"),
    pytest.param((0,), (0, 1, 2, 3), 1, 3, [((1, 2), ()), ((3,), ())], id="X3"),
]  # fmt: skip


@pytest.mark.req("R435-12", "R435-13", "R435-15", "R435-20")
@pytest.mark.parametrize(("origin", "target", "limit", "min_isr", "expected"), SIZES)
def test_other_sizes_and_kept_replicas(
    origin: tuple[int, ...],
    target: tuple[int, ...],
    limit: int,
    min_isr: int,
    expected: list[Step],
) -> None:
    found, paced = steps_of(origin, target, limit, min_isr=min_isr)
    assert found == expected
    assert paced.lists() == ([*target], [], [])
    assert paced.partition().leader == target[0]
    assert paced.brokers.logs(T) == {*target}


@pytest.mark.req("R435-15", "R435-21")
def test_x4_too_few_in_sync_and_another_leader() -> None:
    paced = Paced({"t": {0: (0, 1, 2)}}, replicas=1)
    paced.min_isr("t", 3)
    paced.brokers.held |= {1, 2}
    paced.world.leader_writes_isr(T, [0])
    paced.world.settle()
    paced.move((3, 4, 5, 6))
    assert paced.running() == {T: ("leader", (3, 4))}
    paced.catch_up()
    assert paced.steps() == [((3, 4), ()), ((), (1,)), ((5,), (0,)), ((6,), (2,))]
    assert paced.lists() == ([3, 4, 5, 6], [], [])


@pytest.mark.req("R435-22", "R435-23", "R435-20")
def test_x8_a_target_is_down_and_returns() -> None:
    found, paced = steps_of((1, 2, 3), (4, 5, 6), 1, down=(5,))
    assert found == [((4,), ()), ((), (1,)), ((6,), (2,))]
    pace = paced.partition().pace
    assert pace is not None
    assert pace.waiting == "target-offline"
    assert paced.lists() == ([4, 5, 6, 3], [5], [3])
    paced.restore(5)
    paced.catch_up()
    assert paced.steps()[3:] == [((5,), (3,))]
    assert paced.lists() == ([4, 5, 6], [], [])


@pytest.mark.req("R435-22", "R435-23")
def test_x9_the_new_leader_is_down_and_returns() -> None:
    found, paced = steps_of((1, 2, 3), (4, 5, 6), 1, down=(4,))
    assert found == [((5,), (2,)), ((6,), (3,))]
    assert paced.partition().leader == 1
    paced.restore(4)
    paced.catch_up()
    assert paced.steps()[2:] == [((4,), ()), ((), (1,))]
    assert (paced.lists()[0], paced.partition().leader) == ([4, 5, 6], 4)


@pytest.mark.req("R435-27")
def test_a_dead_old_replica_does_not_block_steps() -> None:
    paced = Paced({"t": {0: FIVE}}, replicas=2)
    paced.lose(4)
    paced.move(NEW_FIVE)
    paced.catch_up()
    assert paced.steps() == [((5,), ()), ((6,), (0, 1)), ((7, 8), (2, 3)), ((9,), (4,))]
    assert paced.lists() == ([*NEW_FIVE], [], [])


@pytest.mark.req("R435-28")
def test_a_kept_member_that_is_out_of_sync_is_waited_for() -> None:
    paced = Paced({"t": {0: (0, 1)}}, replicas=1)
    paced.world.leader_writes_isr(T, [0])
    paced.brokers.held.add(1)
    paced.world.settle()
    paced.move((0, 1, 2))
    paced.catch_up()
    assert paced.partition().assignment.moving
    pace = paced.partition().pace
    assert pace is not None
    assert pace.waiting == "not-in-sync"
    paced.brokers.held.clear()
    paced.catch_up()
    assert paced.lists() == ([0, 1, 2], [], [])


@pytest.mark.req("R435-29")
def test_who_falls_out_after_joining_is_missing_again() -> None:
    paced = x1()
    paced.catch_up_once()
    paced.catch_up_once()
    paced.brokers.held |= {7, 8}
    paced.lose(6)
    assert 6 not in (paced.partition().leadership or pytest.fail()).isr
    paced.brokers.held.clear()
    paced.restore(6)
    paced.catch_up()
    assert paced.lists() == ([*NEW_FIVE], [], [])
    assert paced.brokers.logs(T) == {*NEW_FIVE}


# --- X10, X11: cancel and replace ---------------------------------------------------------------


@pytest.mark.req("R435-51", "R455-50")
def test_x10_a_cancel_after_the_first_step_restores_the_origin() -> None:
    paced = x1()
    paced.catch_up_once()
    paced.brokers.stopped.clear()
    paced.move(None)
    assert paced.lists() == ([*FIVE], [], [])
    assert paced.partition().leader == 0
    assert paced.brokers.logs(T) == {*FIVE}
    assert {broker for broker, _, _ in paced.brokers.stopped} == {5, 6}
    assert paced.hint() is None


@pytest.mark.req("R435-51")
def test_x10_a_cancel_after_a_swap_keeps_the_size_and_copies_nothing() -> None:
    paced = x1()
    paced.catch_up_once()
    paced.catch_up_once()
    paced.brokers.begun.clear()
    paced.move(None)
    assert paced.lists() == ([5, 6, 2, 3, 4], [], [])
    assert paced.brokers.logs(T) == {5, 6, 2, 3, 4}
    assert paced.brokers.begun == []


@pytest.mark.req("R435-52", "R435-42")
def test_a_cancel_before_the_first_step_restores_everything() -> None:
    paced = Paced({"t": {0: FIVE}, "a": {0: (0, 1)}}, replicas=1, partitions=1)
    paced.brokers.held.add(2)
    paced.move((2, 1), TopicPartition("a", 0))
    paced.world.sent.clear()
    paced.move(NEW_FIVE)
    assert paced.lists() == ([*NEW_FIVE, *FIVE], [*NEW_FIVE], [*FIVE])
    assert paced.hint() is None
    assert paced.world.messages(LeaderAndIsrRequest) == []
    paced.move(None)
    assert paced.lists() == ([*FIVE], [], [])
    assert paced.brokers.stopped == []
    assert not paced.brokers.logs(T) & {*NEW_FIVE}
    assert paced.world.node.state is not None
    assert not paced.world.node.state.debts


@pytest.mark.req("R435-53")
def test_x11_a_new_target_counts_from_the_present_origin() -> None:
    paced = x1()
    paced.catch_up_once()
    paced.catch_up_once()
    paced.brokers.held |= {7, 8}
    paced.move((2, 0, 1, 3, 5))
    assert paced.lists() == ([2, 0, 1, 3, 5, 6, 4], [0, 1], [6, 4])
    paced.catch_up()
    assert paced.steps()[2:] == [((), ()), ((0, 1), (6, 4))]
    assert (paced.lists()[0], paced.partition().leader) == ([2, 0, 1, 3, 5], 2)
    assert paced.brokers.logs(T) == {2, 0, 1, 3, 5}


@pytest.mark.req("R435-51", "R435-53")
def test_whoever_was_stopped_on_the_way_deletes_when_it_is_no_target_any_more() -> None:
    paced = Paced({"t": {0: (1, 2)}}, replicas=1)
    paced.brokers.held |= {3, 4}
    paced.move((3, 4))
    paced.move((4, 3))
    assert paced.running() == {T: ("leader", (4,))}
    assert (paced.brokers.running(T), paced.brokers.logs(T)) == ({1, 2, 4}, {1, 2, 3, 4})
    paced.move(None)
    assert paced.brokers.logs(T) == {1, 2}
