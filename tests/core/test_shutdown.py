"""Controlled shutdown: what a leaving broker gives away, and what it is kept out of."""

from dataclasses import replace

import pytest
from core.clusters import EPOCH, Ledger, T, broker, brokers, cluster, one, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.events import (
    AlterReassignment,
    BrokersRead,
    CheckPartition,
    CreatePartitions,
    CreateTopic,
    ElectPreferred,
    ShutDownBroker,
)
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    Broker,
    ClusterState,
    Deletion,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.plan import Lead, Publish, Stop
from klamm.controller.core.results import Done, Fault, Refusal, ShutDownAllowed
from klamm.controller.znodes import paths

ALL = (1, 2, 3, 4)
LEAVE = ShutDownBroker(1, 101)
ALLOWED = ShutDownAllowed(())


def named(number: int) -> TopicPartition:
    return TopicPartition("t", number)


def ledger(*parts: Partition, online: tuple[int, ...] = ALL) -> Ledger:
    return Ledger(cluster(online, topic("t", dict(enumerate(parts)))))


def led(book: Ledger, number: int = 0) -> tuple[int, int, tuple[int, ...]]:
    found = book.state.partition(named(number))
    assert found is not None
    assert found.leadership is not None
    return found.leadership.leader, found.leadership.leader_epoch, found.leadership.isr


def test_what_it_leads_goes_to_the_first_in_sync_and_all_replicas_are_told() -> None:
    book = ledger(partition((1, 2, 3), isr=(1, 3)))
    assert book.ask(LEAVE) == ALLOWED
    assert led(book) == (3, 4, (3,))
    assert book.messages == [Lead(T, (1, 2, 3)), Publish(T)]
    assert book.state.shutting_down == {1}
    assert book.state.alive == {2, 3, 4}


def test_what_it_follows_it_stops_and_leaves_the_isr_of() -> None:
    book = ledger(partition((2, 1, 3)))
    assert book.ask(LEAVE) == ALLOWED
    assert led(book) == (2, 4, (2, 3))
    assert book.messages == [Lead(T, (2, 3)), Publish(T), Stop(T, 1, delete=False)]


def test_where_it_is_not_in_sync_nothing_is_written() -> None:
    book = ledger(partition((2, 1, 3), isr=(2, 3)))
    (first, last) = book.plan(LEAVE)
    assert not first.ops
    assert first.messages == (Stop(T, 1, delete=False),)
    assert last.results == ((1, ALLOWED),)


def test_what_nobody_else_can_lead_remains_until_somebody_can() -> None:
    book = ledger(partition((1, 2), isr=(1,)), partition((1, 2)), partition((1,)))
    assert book.ask(LEAVE) == ShutDownAllowed((named(0),))
    assert led(book, 0) == (1, 3, (1,))
    assert led(book, 1) == (2, 4, (2,))
    # A partition with one replica has no other place; it is not waited for.
    assert led(book, 2) == (1, 3, (1,))
    assert book.ask(LEAVE) == ShutDownAllowed((named(0),))
    assert led(book, 1) == (2, 4, (2,))


def test_all_that_leave_are_left_out_of_the_isr_of_a_new_leader() -> None:
    book = ledger(partition((1, 2, 3), isr=(1, 2, 3)), partition((3, 4), isr=(3, 4)))
    book.settle(ShutDownBroker(2, 102))
    assert led(book, 0) == (1, 4, (1, 3))
    assert book.ask(LEAVE) == ALLOWED
    assert led(book, 0) == (3, 5, (3,))
    # The last of them has nobody to give it to.
    assert book.ask(ShutDownBroker(3, 103)) == ShutDownAllowed((named(0),))
    assert led(book, 0) == (3, 5, (3,))
    assert led(book, 1) == (4, 4, (4,))


def test_a_topic_to_be_deleted_and_one_that_cannot_be_read_are_left_alone() -> None:
    book = ledger(partition((1, 2)))
    book.state = replace(book.state, deleting={"t": Deletion()})
    assert book.ask(LEAVE) == ALLOWED
    assert led(book) == (1, 3, (1, 2))
    book = ledger(partition((1, 2)))
    book.state = replace(book.state, unreadable={paths.state(*T): "no JSON"})
    assert book.ask(LEAVE) == ALLOWED
    assert led(book) == (1, 3, (1, 2))


def test_a_partition_without_a_leader_has_nothing_to_give() -> None:
    book = ledger(partition((1, 9), leader=NO_LEADER, isr=(9,)), Partition(Assignment((1, 2))))
    assert book.ask(LEAVE) == ALLOWED
    assert led(book, 0) == (NO_LEADER, 3, (9,))


@pytest.mark.parametrize("others", [brokers(2, 3, 4), {**brokers(2, 3, 4), 1: broker(1, 900)}])
def test_who_died_in_the_same_turn_leads_no_more_when_the_next_one_leaves(
    others: dict[int, Broker],
) -> None:
    """Broker 2 leaves while it alone has all data; so it stays in the ISR, and is elected."""
    book = ledger(partition((1, 2)))
    book.turn(BrokersRead(others), ShutDownBroker(2, 102))
    assert led(book) == (2, 4, (2,))
    assert book.results[2] == [ShutDownAllowed((named(0),))]


def test_who_asks_again_is_not_elected_for_it() -> None:
    book = ledger(partition((1, 2)))
    book.settle(ShutDownBroker(2, 102))
    assert led(book) == (1, 4, (1,))
    book = Ledger(replace(book.state, topics={"t": topic("t", {0: partition((1, 2))})}))
    book.turn(BrokersRead(brokers(2, 3, 4)), ShutDownBroker(2, 102))
    assert led(book) == (NO_LEADER, 4, (2,))


def test_it_gives_away_what_it_was_given_in_the_same_turn() -> None:
    book = ledger(partition((3,)))
    event = CreateTopic("new", -1, -1, {0: (1, 2), 1: (2, 1)}, {}, 0, 0)
    book.settle(event, LEAVE)
    made = [TopicPartition("new", number) for number in range(2)]
    assert book.results[2] == [ALLOWED]
    parts = [book.state.partition(name) for name in made]
    assert [part and part.leadership and part.leadership.isr for part in parts] == [(2,)] * 2
    book = ledger(partition((3, 4)))
    book.settle(CreatePartitions("t", 2, ((1, 2),)), LEAVE)
    assert book.results[2] == [ALLOWED]
    assert led(book, 1) == (2, 0, (2,))


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        (ShutDownBroker(9, 109), Fault.BROKER_NOT_AVAILABLE),
        (ShutDownBroker(9, -1), Fault.BROKER_NOT_AVAILABLE),
        (ShutDownBroker(1, 100), Fault.STALE_BROKER_EPOCH),
    ],
)
def test_who_may_not_leave(event: ShutDownBroker, fault: Fault) -> None:
    book = ledger(partition((1, 2)))
    answer = book.ask(event)
    assert isinstance(answer, Refusal)
    assert answer.fault is fault
    assert str(event.broker) in answer.message
    assert book.state.shutting_down == frozenset()
    assert led(book) == (1, 3, (1, 2))


@pytest.mark.parametrize("epoch", [-1, 101, 102])
def test_an_epoch_that_is_unknown_or_newer_is_no_reason_to_refuse(epoch: int) -> None:
    assert ledger(partition((1, 2))).ask(ShutDownBroker(1, epoch)) == ALLOWED


def test_the_answer_comes_with_the_last_commit_and_names_itself_in_all() -> None:
    many = [partition((1, 2), leader_epoch=n) for n in range(5_001)]
    book = ledger(*many)
    *writes, last = book.plan(LEAVE)[1:]
    assert len(writes) == 2
    assert [commit.parts for commit in writes] == [(1,), (1,)]
    assert not any(commit.causes or commit.results for commit in writes)
    assert (last.ops, last.causes, last.results) == ((), (1,), ((1, ALLOWED),))


def test_after_half_of_it_the_rest_is_done_by_the_same_request() -> None:
    book = ledger(*(partition((1, 2)) for _ in range(3)))
    first, _, _ = book.plan(LEAVE)
    book.carry_out(first)  # leaving is known, and then a commit fails
    assert book.state.shutting_down == {1}
    assert book.ask(LEAVE) == ALLOWED
    assert [led(book, number) for number in range(3)] == [(2, 4, (2,))] * 3


@pytest.mark.parametrize("now", [brokers(2, 3, 4), {**brokers(*ALL), 1: broker(1, epoch=777)}])
def test_it_has_left_when_it_is_gone_or_back_with_another_epoch(now: dict[int, Broker]) -> None:
    book = ledger(partition((2, 1)))
    book.settle(LEAVE)
    book.settle(BrokersRead(now))
    assert book.state.shutting_down == frozenset()
    assert book.state.alive == now.keys()


def test_another_broker_that_comes_or_goes_changes_nothing_for_it() -> None:
    book = ledger(partition((2, 1)))
    book.settle(LEAVE)
    book.settle(BrokersRead(brokers(1, 2, 5)))
    assert book.state.shutting_down == {1}


# --- kept out --------------------------------------------------------------------------------


def leaving(part: Partition) -> Ledger:
    """Broker 1 has asked to leave; then T is as given."""
    book = Ledger(one(ALL, partition((4,))))
    book.settle(LEAVE)
    return Ledger(_only(book.state, part))


def _only(state: ClusterState, part: Partition) -> ClusterState:
    return replace(state, topics={"t": topic("t", {0: part})})


def test_it_is_no_target_of_a_move_but_may_stay_a_replica() -> None:
    book = leaving(partition((2, 3)))
    refused = book.ask(AlterReassignment(T, (1, 2)))
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.INVALID_REPLICA_ASSIGNMENT
    assert "[1], live broker list: [2, 3, 4]" in refused.message
    book = leaving(partition((1, 2)))
    assert book.ask(AlterReassignment(T, (2, 1, 3))) == Done()
    # It is told of it: it still runs.
    assert book.messages[0] == Lead(T, (1, 2, 3), is_new=(3,))


def test_it_is_not_elected_when_a_leader_dies() -> None:
    book = leaving(partition((2, 1, 3)))
    book.settle(BrokersRead(brokers(1, 3, 4)))
    assert led(book) == (3, 4, (1, 3))
    book = leaving(partition((2, 1)))
    book.settle(BrokersRead(brokers(1, 3, 4)))
    assert led(book) == (NO_LEADER, 4, (1,))


def test_it_leads_on_while_it_is_there_and_loses_the_lead_when_it_is_gone() -> None:
    book = leaving(partition((1, 2)))
    assert book.settle(CheckPartition(T)) == []
    book.settle(BrokersRead(brokers(2, 3, 4)))
    assert led(book) == (2, 4, (2,))


def test_it_starts_no_partition() -> None:
    book = leaving(Partition(Assignment((1, 2))))
    book.settle(CheckPartition(T))
    assert led(book) == (2, 0, (2,))
    book.settle(CreateTopic("new", -1, -1, {0: (1, 3)}, {}, 0, 0))
    fresh = book.state.partition(TopicPartition("new", 0))
    assert fresh is not None
    assert fresh.leadership == Leadership(3, 0, (3,), EPOCH, 0)


def test_no_move_ends_at_it_and_none_is_cancelled_onto_it_alone() -> None:
    book = leaving(partition((1, 2, 3), (1,), (3,), leader=2, isr=(1, 2, 3)))
    book.settle(CheckPartition(T))
    assert book.t.assignment.moving
    book = leaving(partition((4, 1), (4,), (1,), leader=4, isr=(4, 1)))
    refused = book.ask(AlterReassignment(T, None))
    assert isinstance(refused, Refusal)
    assert "unclean" in refused.message


def test_it_is_not_preferred() -> None:
    book = leaving(partition((1, 2), leader=2))
    refused = book.ask(ElectPreferred(T))
    assert isinstance(refused, Refusal)
    assert refused.fault is Fault.PREFERRED_LEADER_NOT_AVAILABLE


PARTS = st.builds(
    lambda replicas, out: partition(
        replicas, isr=[id_ for id_ in replicas if id_ not in out] or replicas[:1]
    ),
    st.lists(st.sampled_from(ALL), unique=True, min_size=1).map(tuple),
    st.sets(st.sampled_from(ALL)),
)


@given(st.lists(PARTS, min_size=1, max_size=5), st.lists(st.sampled_from(ALL), min_size=1))
def test_whoever_leaves_in_whatever_order(parts: list[Partition], who: list[int]) -> None:
    book = ledger(*parts)
    for id_ in who:
        answer = book.ask(ShutDownBroker(id_, id_ + 100))
        assert isinstance(answer, ShutDownAllowed)
        for number in range(len(parts)):
            part = book.state.partition(named(number))
            assert part is not None
            assert part.leadership is not None
            leader, isr = part.leadership.leader, part.leadership.isr
            # Nobody lost the data or the lead for it, and everybody in sync is a replica.
            assert leader in isr
            assert set(isr) <= set(part.assignment.replicas)
            remains = leader == id_ and len(part.assignment.replicas) > 1
            assert (named(number) in answer.remaining) == remains
            if remains:
                assert not book.state.alive & set(isr)
    assert book.state.shutting_down == set(who)
