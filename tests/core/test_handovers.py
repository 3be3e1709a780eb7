"""Ends of moves that change the leader: only so many wait for one new leader at a time."""

import pytest
from core.clusters import EPOCH, Ledger, brokers, cluster, partition, topic
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from klamm.controller.core.apply import apply
from klamm.controller.core.events import (
    AlterReassignment,
    BrokersRead,
    CheckPartition,
    LeaderAcknowledged,
    ReplicasFound,
    StateRead,
    TopicRead,
)
from klamm.controller.core.model import ClusterState, Leadership, Partition, TopicPartition
from klamm.controller.core.settings import Settings
from klamm.controller.core.writes import encode_leadership
from klamm.controller.znodes import paths

#: Moves from [1,2] to [3,2], and to [4,2], whose additions are in sync: 1 gives up the lead.
TO_3 = partition((3, 2, 1), (3,), (1,), leader=1, isr=(1, 2, 3))
TO_4 = partition((4, 2, 1), (4,), (1,), leader=1, isr=(1, 2, 4))
ALL = (1, 2, 3, 4)


def named(number: int) -> TopicPartition:
    return TopicPartition("t", number)


def ledger(*parts: Partition, limit: int = 2) -> Ledger:
    state = cluster(ALL, topic("t", dict(enumerate(parts))))
    return Ledger(state, Settings(leader_moves_in_flight=limit))


def checks(count: int) -> list[CheckPartition]:
    return [CheckPartition(named(number)) for number in range(count)]


def moving(state: ClusterState) -> list[int]:
    return [name.partition for name, _ in state.moving()]


def held(state: ClusterState) -> list[tuple[TopicPartition, int]]:
    """What is held back, and for whom."""
    return [(name, leader) for leader, names in state.held_back.items() for name in names]


def answer(book: Ledger, number: int) -> LeaderAcknowledged:
    part = book.state.partition(named(number))
    assert part is not None
    assert part.leadership is not None
    return LeaderAcknowledged(named(number), part.leader, part.leadership.leader_epoch)


def test_as_many_as_may_go_and_the_rest_stay_moves() -> None:
    book = ledger(*[TO_3] * 5)
    book.settle(*checks(5))
    assert moving(book.state) == [2, 3, 4]
    assert held(book.state) == [(named(n), 3) for n in (2, 3, 4)]
    assert [wait.handover for wait in book.state.awaiting.values()] == [True, True]


def test_an_answer_admits_the_oldest() -> None:
    book = ledger(*[TO_3] * 5)
    book.settle(*checks(5))
    book.settle(answer(book, 1))
    assert moving(book.state) == [3, 4]
    book.settle(answer(book, 0), answer(book, 2))
    assert moving(book.state) == []
    assert dict(book.state.held_back) == {}


def test_who_comes_later_does_not_go_first() -> None:
    book = ledger(*[TO_3] * 4)
    book.settle(*checks(3))
    assert moving(book.state) == [2, 3]
    # Room, and a new one, in the same turn.
    book.settle(answer(book, 0), CheckPartition(named(3)))
    assert moving(book.state) == [3]


def test_each_new_leader_has_its_own_room() -> None:
    book = ledger(TO_3, TO_4, TO_3, TO_4, limit=1)
    book.settle(*checks(4))
    assert moving(book.state) == [2, 3]
    book.settle(answer(book, 1))
    assert moving(book.state) == [2]


def test_ends_that_change_no_leader_are_not_held_back() -> None:
    stays = partition((3, 2, 1), (3,), (1,), leader=2, isr=(1, 2, 3))
    book = ledger(*[TO_3] * 2, *[stays] * 3, limit=1)
    book.settle(*checks(5))
    assert moving(book.state) == [1]
    assert sum(wait.handover for wait in book.state.awaiting.values()) == 1


def test_when_the_new_leader_dies_others_take_over_and_nothing_waits_for_it() -> None:
    book = ledger(*[TO_3] * 3, limit=1)
    book.settle(*checks(3))
    book.settle(BrokersRead(brokers(1, 2, 4)))
    # The moves that had not ended are not complete any more; the one that had has another leader.
    assert moving(book.state) == [1, 2]
    assert dict(book.state.held_back) == {}
    assert not any(wait.handover for wait in book.state.awaiting.values())


def test_a_held_back_move_can_be_cancelled_and_replaced() -> None:
    book = ledger(*[TO_3] * 3, limit=1)
    book.settle(*checks(3))
    book.settle(AlterReassignment(named(1), None))
    assert held(book.state) == [(named(2), 3)]
    book.settle(AlterReassignment(named(2), (4, 2)))
    assert dict(book.state.held_back) == {}


def test_a_held_back_move_whose_isr_shrinks_makes_room_for_the_next() -> None:
    """What is not complete any more must not stop those behind it, for nobody wakes them later."""
    book = ledger(*[TO_3] * 3, limit=1)
    book.settle(*checks(3))
    book.settle(isr(book, 1, 1, 2), answer(book, 0))
    assert moving(book.state) == [1]
    assert dict(book.state.held_back) == {}


def test_a_topic_that_goes_is_not_held_back() -> None:
    book = ledger(*[TO_3] * 3, limit=1)
    book.settle(*checks(3))
    (commit,) = book.plan(TopicRead("t", None))
    assert dict(apply(book.state, commit.changes).held_back) == {}


def isr(book: Ledger, number: int, *members: int) -> StateRead:
    """Let the leader set this ISR; return what is read of it."""
    part = book.state.partition(named(number))
    assert part is not None
    before = part.leadership
    assert before is not None
    after = Leadership(before.leader, before.leader_epoch, members, EPOCH, before.version + 1)
    node = book.tree.nodes[paths.state(*named(number))]
    node.data, node.version = encode_leadership(after), after.version
    return StateRead(named(number), after)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["answer", "check", "isr", "cancel", "replace", "brokers"]),
        st.integers(0, 5),
        st.sets(st.sampled_from(ALL), min_size=2),
    ),
    max_size=12,
)


@given(st.lists(st.sampled_from([TO_3, TO_4]), min_size=3, max_size=6), st.integers(1, 2), STEPS)
@budget(max_examples=60, deadline=None)
def test_never_too_many_and_never_stuck(
    parts: list[Partition], limit: int, steps: list[tuple[str, int, set[int]]]
) -> None:
    book = ledger(*parts, limit=limit)
    book.settle(*checks(len(parts)))
    for what, pick, some in steps:
        number = pick % len(parts)
        part = book.state.partition(named(number))
        assert part is not None
        assert part.leadership is not None
        match what:
            case "answer":
                book.settle(answer(book, number))
            case "check":
                book.settle(CheckPartition(named(number)))
            case "isr" if part.leader in book.state.brokers:
                alive = some & book.state.brokers.keys() & set(part.assignment.replicas)
                book.settle(isr(book, number, *sorted(alive | {part.leader})))
            case "cancel":
                book.settle(AlterReassignment(named(number), None))
            case "replace":
                book.settle(AlterReassignment(named(number), tuple(sorted(some))))
            case "brokers":
                book.settle(BrokersRead(brokers(*some)))
        unanswered = [w.leader for w in book.state.awaiting.values() if w.handover]
        for leader in ALL:
            assert unanswered.count(leader) <= limit
        for name, leader in held(book.state):
            part = book.state.partition(name)
            assert part is not None
            assert part.assignment.moving
            assert unanswered.count(leader) == limit, "room, and nobody to take it"
    book.settle(BrokersRead(brokers(*ALL)))
    for _ in range(10 * len(parts)):
        book.settle(*(answer(book, number) for number in range(len(parts))))
        for number in range(len(parts)):
            part = book.state.partition(named(number))
            assert part is not None
            book.settle(isr(book, number, *part.assignment.replicas))
    assert moving(book.state) == []
    assert dict(book.state.held_back) == {}


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_every_end_is_one_turn_of_one_answer(limit: int) -> None:
    """Thirty moves to one leader end in thirty divided by the limit rounds of answers."""
    book = ledger(*[TO_3] * 30, limit=limit)
    book.settle(*checks(30))
    rounds = 0
    while book.state.awaiting:
        book.settle(*(answer(book, name.partition) for name in book.state.awaiting))
        rounds += 1
    assert moving(book.state) == []
    assert rounds == -(-30 // limit)


def test_a_leader_that_cannot_lead_holds_up_nobody_else() -> None:
    """Its disk is broken: another one leads, who takes over what is owed for the partition."""
    book = ledger(TO_3, TO_3, limit=1)
    book.settle(*checks(2))
    stuck, waiting = (book.state.partition(named(number)) for number in range(2))
    assert stuck is not None
    assert waiting is not None
    assert (stuck.leader, waiting.leader) == (3, 1)
    broken = frozenset({named(0)})
    for other in (ReplicasFound(3, 99, broken), ReplicasFound(4, 104, broken)):
        book.settle(other)
        assert book.state.awaiting[named(0)].handover
    book.settle(ReplicasFound(3, 103, broken))
    assert all(not part.assignment.moving for _, part in book.state.partitions())
    assert book.state.awaiting[named(1)].handover
    led = book.state.partition(named(0))
    assert led is not None
    assert led.leadership is not None
    assert (led.leader, 3 in led.leadership.isr) == (2, False)
    before = book.state
    book.settle(ReplicasFound(3, 103, broken))
    assert book.state == before
