"""Moves in steps, decided on one partition: who is told, stopped, elected, and what is written."""

from dataclasses import replace

import pytest
from core.clusters import Ledger, T, brokers, cluster, one, partition, topic

from klamm.controller.core.events import (
    UNSET,
    AlterPartition,
    AlterReassignment,
    BeginStep,
    BrokersRead,
    CreatePartitions,
    DeleteTopic,
    ElectPreferred,
    ElectUnclean,
    HintsRead,
    LeaderAcknowledged,
    ShutDownBroker,
    StateRead,
)
from klamm.controller.core.hints import MOST_BYTES, hint_of, hints_of
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    ClusterState,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.model import Ledger as Debts
from klamm.controller.core.pace import Limits, Pace, RunningStep
from klamm.controller.core.plan import Lead, Publish, Stop
from klamm.controller.core.results import Done, Fault, IsrAltered, Refusal, ShutDownAllowed
from klamm.controller.core.settings import Settings
from klamm.controller.core.writes import encode_leadership
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import encode_reassignment_steps

ALL = range(10)
ONE = Limits(replicas=1)


def limited(part: Partition, limits: Limits = ONE, online: tuple[int, ...] = tuple(ALL)) -> Ledger:
    return Ledger(replace(one(online, part), limits=limits), Settings(now_ms=7))


def begun(
    replicas: tuple[int, ...] = (1, 2, 3), target: tuple[int, ...] = (4, 5, 6), limit: int = 1
) -> Ledger:
    """A move whose first step runs."""
    book = limited(partition(replicas), Limits(limit))
    book.settle(AlterReassignment(T, target))
    assert book.t.pace is not None
    assert book.t.pace.running is not None
    return book


def isr(book: Ledger, *members: int, name: TopicPartition = T) -> StateRead:
    """The leader has set this ISR, as leaders do below IBP 2.7-IV2."""
    part = book.state.partition(name)
    assert part is not None
    assert part.leadership is not None
    after = replace(part.leadership, isr=members, version=part.leadership.version + 1)
    node = book.tree.nodes[paths.state(*name)]
    node.data, node.version = encode_leadership(after), after.version
    return StateRead(name, after)


def pace(book: Ledger) -> Pace:
    found = book.t.pace
    assert found is not None
    return found


def leadership(book: Ledger) -> Leadership:
    found = book.t.leadership
    assert found is not None
    return found


# --- beginning ----------------------------------------------------------------------------------


@pytest.mark.req("R435-33", "R435-52")
def test_an_accepted_move_is_told_to_clients_alone() -> None:
    book = limited(partition((1, 2, 3)))
    before = book.t.leadership
    book.turn(AlterReassignment(T, (4, 5, 6)))
    assert book.messages == [Publish(T)]
    assert book.t.leadership == before
    assert pace(book).pending
    assert pace(book).leads
    assert book.state.hints == {}


@pytest.mark.req("R435-31")
def test_a_step_begins_in_a_leader_epoch_of_its_own() -> None:
    book = limited(partition((1, 2, 3)))
    (follow,) = [f for f in book.turn(AlterReassignment(T, (4, 5, 6))) if isinstance(f, BeginStep)]
    book.turn(follow)
    assert book.messages == [Lead(T, (1, 2, 3, 4), (4,)), Publish(T)]
    assert leadership(book).leader_epoch == 4
    assert pace(book).running == RunningStep("leader", (4,), (1, 2, 3), 7, 1)
    assert hint_of(book.t) == book.state.hints["t"].steps[0]


def test_a_step_begins_once_however_often_it_is_admitted() -> None:
    book = limited(partition((1, 2, 3)))
    book.turn(AlterReassignment(T, (4, 5, 6)))
    book.turn(BeginStep(T), BeginStep(T))
    epoch = leadership(book).leader_epoch
    assert book.turn(BeginStep(T), BeginStep(TopicPartition("t", 9))) == ()
    assert leadership(book).leader_epoch == epoch


@pytest.mark.req("R435-36", "R435-37")
def test_no_more_steps_begin_than_there_are_slots_whoever_asks() -> None:
    parts = {number: partition((1, 2)) for number in range(4)}
    names = [TopicPartition("t", number) for number in parts]
    for limits, running in ((Limits(1, 2), 2), (Limits(1, 9, 1), 1)):
        book = Ledger(replace(cluster(ALL, topic("t", parts)), limits=limits))
        book.turn(*(AlterReassignment(name, (3, 4)) for name in names))
        book.turn(*map(BeginStep, names))
        assert len(book.state.slots.running) == running


def test_a_step_that_no_epoch_is_left_for_waits() -> None:
    book = limited(partition((1, 2, 3), leader_epoch=2**31 - 1))
    book.settle(AlterReassignment(T, (4, 5, 6)))
    assert (pace(book).running, pace(book).waiting) == (None, "not-in-sync")


def test_a_former_replica_that_owes_a_delete_may_have_a_log() -> None:
    state = replace(
        one(ALL, partition((1, 2))), limits=ONE, ledgers={"t": Debts(0, {0: frozenset({4})})}
    )
    book = Ledger(replace(state, limits=Limits(1, 1)))
    book.turn(AlterReassignment(T, (1, 4)))
    assert pace(book).started == frozenset({4})
    assert book.state.debts == {}
    book.turn(AlterReassignment(T, None))
    assert book.state.debts == {T: {4}}


def test_where_nobody_has_data_a_move_ends_without_a_step() -> None:
    never_led = replace(partition((9,)), leadership=None)
    book = limited(never_led)
    book.settle(AlterReassignment(T, (1, 2)))
    assert (book.t.assignment, book.t.leader, book.t.pace) == (Assignment((1, 2)), 1, None)
    assert leadership(book).isr == (1, 2)


@pytest.mark.parametrize("between", [(6,), None])
def test_who_is_dropped_and_added_again_within_a_turn_may_have_a_log(
    between: tuple[int, ...] | None,
) -> None:
    book = limited(partition((1, 2, 3)), Limits(2, 1))
    book.turn(AlterReassignment(T, (4, 5, 6)))
    book.turn(BeginStep(T))
    assert pace(book).hosted == (4, 1, 2, 3)
    book.turn(AlterReassignment(T, between), AlterReassignment(T, (4, 5, 6)))
    book.turn(AlterReassignment(T, (6,)))
    assert book.state.owes(T, 4)


# --- in the middle ------------------------------------------------------------------------------


@pytest.mark.req("R435-33")
def test_an_isr_holds_only_who_is_told() -> None:
    book = begun()
    held = leadership(book)
    wish = AlterPartition(T, 1, 101, held.leader_epoch, held.version, (1, 2, 3, 5))
    refused = book.ask(wish)
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.INVALID_REQUEST
    assert "[4, 1, 2, 3]" in refused.message
    assert isinstance(book.ask(replace(wish, isr=(1, 2, 3, 4))), IsrAltered)


def test_only_who_is_told_is_elected() -> None:
    book = begun()
    refused = book.ask(ElectPreferred(T))
    assert isinstance(refused, Refusal)
    book = begun()
    book.settle(BrokersRead(brokers(5, 6)))
    assert book.t.leader == NO_LEADER
    refused = book.ask(ElectUnclean(T))
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.ELIGIBLE_LEADERS_NOT_AVAILABLE


def test_a_broker_that_leaves_is_stopped_where_it_is_told_alone() -> None:
    book = begun()
    book.turn(ShutDownBroker(5, UNSET))
    assert not [m for m in book.messages if isinstance(m, Stop)]
    assert isinstance(book.results[book._causes][0], ShutDownAllowed)
    book.turn(ShutDownBroker(4, UNSET))
    assert Stop(T, 4, delete=False) in book.messages


@pytest.mark.req("R435-25", "R435-26")
def test_those_a_void_step_added_stop_and_keep_their_logs() -> None:
    book = begun(limit=3)
    book.settle(isr(book, 1, 2, 3, 4))
    running = pace(book).running
    assert running is not None
    assert running.adding == (5, 6)
    messages = book.settle(BrokersRead(brokers(*(b for b in ALL if b != 5))))
    # Who is left is chosen again at once, so it need not stop.
    assert pace(book).running is not None
    assert not [m for m in messages if isinstance(m, Stop) and m.delete]
    assert book.state.debts == {}


def test_the_isr_that_somebody_else_has_set_is_told_of() -> None:
    book = begun()
    book.settle(isr(book, 1, 2, 3, 6))
    assert 6 in book.t.hosted
    assert set(leadership(book).isr) == {1, 2, 3, 6}


# --- ending -------------------------------------------------------------------------------------


@pytest.mark.req("R435-13", "R435-14", "R435-31")
def test_a_leader_step_elects_and_waits_for_its_turn_with_that_broker() -> None:
    parts = {number: partition((1, 2)) for number in range(3)}
    state = replace(cluster(ALL, topic("t", parts)), limits=ONE)
    book = Ledger(state, Settings(leader_moves_in_flight=1))
    names = [TopicPartition("t", number) for number in parts]
    book.settle(*(AlterReassignment(name, (3, 4)) for name in names))
    for name in names:
        book.settle(isr(book, 1, 2, 3, name=name))

    def led() -> list[int]:
        found = [book.state.partition(name) for name in names]
        return [each.leader for each in found if each]

    for count in range(1, 4):
        assert led() == [3] * count + [1] * (3 - count)
        newest = book.state.partition(names[count - 1])
        assert newest is not None
        assert newest.leadership is not None
        epoch = newest.leadership.leader_epoch
        book.settle(LeaderAcknowledged(names[count - 1], 3, epoch))


@pytest.mark.req("R435-31", "R435-17")
def test_the_end_of_a_swap_is_one_commit_with_all_that_is_owed() -> None:
    book = begun(limit=2)
    book.settle(isr(book, 1, 2, 3, 4))
    assert book.t.leader == 4
    follow = book.turn(isr(book, 1, 2, 3, 4, 5))
    (commit,) = [c for c in book.plan(*follow) if c.ops]
    assert [op.path.rpartition("/")[2] for op in commit.ops] == ["state", "t", "t", "t"]
    book.carry_out(commit)
    assert book.t.assignment.replicas == (4, 5, 6, 3)
    assert (book.t.assignment.adding, book.t.assignment.removing) == ((6,), (3,))
    assert book.t.hosted == (4, 5, 3)
    assert leadership(book).isr == (3, 4, 5)
    assert book.state.debts == {T: {1, 2}}
    assert book.state.hints["t"].steps[0].step == 2


@pytest.mark.req("R435-42")
def test_a_topic_is_deleted_or_grown_only_after_its_steps() -> None:
    book = begun((1, 2), (1, 4))
    grown = book.ask(CreatePartitions("t", 3))
    assert isinstance(grown, Refusal)
    assert grown.fault is Fault.REASSIGNMENT_IN_PROGRESS
    book.settle(DeleteTopic("t"))
    assert not book.state.vanishing("t")
    book.settle(isr(book, 1, 2, 4))
    assert book.state.vanishing("t")
    assert book.state.hints == {}


# --- hints --------------------------------------------------------------------------------------


def test_hints_that_cannot_be_seen_are_left_alone() -> None:
    state = replace(one(ALL, partition((1, 2, 3))), limits=ONE, has_hints=True)
    book = Ledger(state)
    book.settle(HintsRead("t", None, {}, hidden=True))
    book.settle(AlterReassignment(T, (4, 5, 6)))
    assert pace(book).running is not None
    book.settle(isr(book, 1, 2, 3, 4))
    assert pace(book).steps > 0
    assert book.tree.nodes["/klamm/reassignment_steps"].children == set()


@pytest.mark.req("R435-46", "R455-110")
def test_hints_take_no_more_than_their_share_of_a_write_and_running_steps_come_first() -> None:
    part = partition((4, 1, 2, 3), (4,), (3,), isr=(1, 2, 3))
    many = tuple(range(1000, 1040))
    waits = Pace((1, 2, 3), many, steps=1)
    runs = replace(waits, running=RunningStep("swap", (4,), (1, 2, 3), 7, 1))
    parts = {n: replace(part, pace=runs if n % 10 == 9 else waits) for n in range(3_000)}
    kept = hints_of(parts)
    assert len(encode_reassignment_steps(kept)) <= MOST_BYTES
    assert list(kept) == sorted(kept)
    assert {n for n in parts if n % 10 == 9} <= kept.keys()
    assert len(kept) > 400


@pytest.mark.req("R435-8")
def test_without_limits_a_decision_makes_no_pace() -> None:
    state: ClusterState = one(ALL, partition((1, 2, 3)))
    book = Ledger(state)
    assert book.ask(AlterReassignment(T, (4, 5, 6))) == Done()
    assert book.t.pace is None
    assert Lead(T, (1, 2, 3, 4, 5, 6), (4, 5, 6)) in book.messages
