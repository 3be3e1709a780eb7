"""A move's life, decision by decision: start, replace, cancel, end, and brokers meanwhile."""

from dataclasses import replace

import pytest
from core.clusters import EPOCH, Ledger, T, broker, brokers, cluster, one, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.apply import apply
from klamm.controller.core.events import (
    AlterReassignment,
    BrokersRead,
    CheckPartition,
    LeaderAcknowledged,
    ShutDownBroker,
    StateRead,
    TopicRead,
)
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    Awaiting,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.ops import SetData
from klamm.controller.core.plan import Lead, Message, Publish, Stop
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.rules import APACHE_3_9, KIP_455, Rules
from klamm.controller.core.settings import Settings
from klamm.controller.core.writes import encode_leadership
from klamm.controller.znodes import paths

ALL = (1, 2, 3, 4, 5, 6, 7)
CHECK = CheckPartition(T)
PROFILES = pytest.mark.parametrize("rules", [APACHE_3_9, KIP_455], ids=["apache", "kip"])


def ledger(part: Partition, online: tuple[int, ...] = ALL, rules: Rules = APACHE_3_9) -> Ledger:
    return Ledger(one(online, part), Settings(rules))


def isr(book: Ledger, *members: int) -> StateRead:
    """Let the leader set this ISR; return what is read of it."""
    before = book.t.leadership
    assert before is not None
    after = Leadership(before.leader, before.leader_epoch, members, EPOCH, before.version + 1)
    node = book.tree.nodes[paths.state(*T)]
    node.data, node.version = encode_leadership(after), after.version
    return StateRead(T, after)


def catch_up(book: Ledger, *members: int) -> list[Message]:
    """Let the leader set this ISR and everything that follows happen."""
    return book.settle(isr(book, *members))


def leadership(book: Ledger) -> tuple[int, int, tuple[int, ...]]:
    """Leader, leader epoch and ISR."""
    held = book.t.leadership
    assert held is not None
    return held.leader, held.leader_epoch, held.isr


# --- start -----------------------------------------------------------------------------------


@pytest.mark.req("R455-45")
def test_a_start_raises_the_epoch_and_tells_all_replicas() -> None:
    book = ledger(partition((1, 2, 3)))
    assert book.ask(AlterReassignment(T, (4, 3, 2))) == Done()
    assert book.t.assignment == Assignment((4, 3, 2, 1), (4,), (1,))
    assert leadership(book) == (1, 4, (1, 2, 3))
    assert book.messages == [Lead(T, (1, 2, 3, 4), is_new=(4,)), Publish(T)]
    assert book.writes("t") == 3
    messages = book.settle(AlterReassignment(T, None))
    assert leadership(book) == (1, 5, (1, 2, 3))
    assert messages == [Lead(T, (1, 2, 3)), Publish(T), Stop(T, 4, delete=False)]


def test_replicas_that_are_offline_are_told_nothing() -> None:
    book = ledger(partition((1, 2, 3)), online=(1, 2, 4))
    book.turn(AlterReassignment(T, (4, 3, 2)))
    assert book.messages == [Lead(T, (1, 2, 4), is_new=(4,)), Publish(T)]


@pytest.mark.req("R455-25")
@PROFILES
def test_the_running_target_again_changes_nothing(rules: Rules) -> None:
    """N8: Kafka begins a new leader epoch, which raises the offset that followers must reach."""
    book = ledger(partition((1, 2, 3)), rules=rules)
    book.turn(AlterReassignment(T, (4, 3, 2)))
    before = book.state, dict(book.tree.nodes)
    assert book.ask(AlterReassignment(T, (4, 3, 2))) == Done()
    assert (book.state, book.tree.nodes) == before
    assert book.messages == []


@pytest.mark.req("R455-26")
@PROFILES
def test_another_order_ends_at_once_and_leaves_the_leader_alone(rules: Rules) -> None:
    """H10: as in Kafka; to lead from the new order takes an election."""
    book = ledger(partition((1, 2, 3)), rules=rules)
    assert book.ask(AlterReassignment(T, (3, 2, 1))) == Done()
    assert book.t.assignment == Assignment((3, 2, 1))
    assert not list(book.state.moving())
    assert leadership(book)[0] == 1
    assert not [message for message in book.messages if isinstance(message, Stop)]
    assert book.ask(AlterReassignment(T, (3, 2, 1))) == Done()
    assert book.writes("t") == 3


@pytest.mark.req("R455-27")
@pytest.mark.parametrize(("before", "target"), [((1,), (1, 2, 3)), ((1, 2, 3), (2,))])
@PROFILES
def test_longer_and_shorter_targets_complete(
    rules: Rules, before: tuple[int, ...], target: tuple[int, ...]
) -> None:
    book = ledger(partition(before), rules=rules)
    book.settle(AlterReassignment(T, target))
    if book.t.assignment.moving:
        catch_up(book, *sorted({*before, *target}))
    assert book.t.assignment == Assignment(target)
    assert leadership(book)[0] in target
    assert set(leadership(book)[2]) == set(target)


@pytest.mark.req("R455-16")
def test_a_bad_partition_does_not_stop_the_good_ones() -> None:
    parts = {number: partition((1, 2, 3)) for number in range(3)}
    book = Ledger(cluster(ALL, topic("t", parts)))
    book.turn(
        AlterReassignment(TopicPartition("t", 0), (4, 2, 3)),
        AlterReassignment(TopicPartition("t", 1), (9, 2, 3)),
        AlterReassignment(TopicPartition("t", 7), (1, 2)),
        AlterReassignment(TopicPartition("t", 2), (5, 2, 3)),
    )
    faults = {
        cause: result.fault if isinstance(result, Refusal) else None
        for cause, (result,) in book.results.items()
    }
    assert faults == {
        1: None,
        2: Fault.INVALID_REPLICA_ASSIGNMENT,
        3: Fault.UNKNOWN_TOPIC_OR_PARTITION,
        4: None,
    }
    assert [name.partition for name, _ in book.state.moving()] == [0, 2]
    assert book.writes("t") == 3


@pytest.mark.req("R455-9")
def test_partitions_that_are_not_named_keep_their_state() -> None:
    parts = {number: partition((1, 2, 3)) for number in range(100)}
    book = Ledger(cluster(ALL, topic("t", parts)))
    book.settle(*(AlterReassignment(TopicPartition("t", n), (4, 2, 3)) for n in range(100)))
    before = book.state.topics["t"].partitions
    book.settle(
        AlterReassignment(TopicPartition("t", 17), (5, 2, 3)),
        AlterReassignment(TopicPartition("t", 18), None),
    )
    after = book.state.topics["t"].partitions
    assert {n for n in range(100) if before[n] != after[n]} == {17, 18}
    assert len(list(book.state.moving())) == 99


def test_a_partition_without_a_leader_can_be_moved_and_is_led_by_whoever_comes() -> None:
    book = Ledger(one((5,), Partition(Assignment((1, 2)))))
    book.settle(AlterReassignment(T, (2, 5)))
    # A log that never existed is nothing to wait for: 5 is all of the ISR there ever was.
    assert leadership(book) == (5, 0, (5,))
    assert book.t.assignment == Assignment((2, 5, 1), (5,), (1,))
    book.settle(BrokersRead(brokers(2, 5)))
    catch_up(book, 5, 2)
    assert book.t.assignment == Assignment((2, 5))


# --- end -------------------------------------------------------------------------------------


@pytest.mark.req("R455-90", "R455-91")
@pytest.mark.parametrize(
    ("rules", "under_way"), [(APACHE_3_9, (4, 3, 2, 1)), (KIP_455, (1, 4, 3, 2))]
)
def test_the_sample_run(rules: Rules, under_way: tuple[int, ...]) -> None:
    book = ledger(partition((1, 2, 3)), rules=rules)
    book.settle(AlterReassignment(T, (4, 3, 2)))
    assert book.t.assignment == Assignment(under_way, (4,), (1,))
    messages = catch_up(book, 1, 2, 3, 4)
    assert book.t.assignment == Assignment((4, 3, 2))
    assert leadership(book) == (4, 5, (2, 3, 4))
    # Two writes of the topic znode in all: on the way, and there.
    assert book.writes("t") == 4
    assert messages == [
        Publish(T),
        Lead(T, (2, 3, 4)),
        Publish(T),
        Stop(T, 1, delete=False),
    ]


@pytest.mark.req("R455-89")
def test_a_kept_replica_out_of_sync_holds_up_the_end_only_in_kafka() -> None:
    kafka, kip = ledger(partition((1, 2, 3))), ledger(partition((1, 2, 3)), rules=KIP_455)
    for book in (kafka, kip):
        book.settle(AlterReassignment(T, (4, 3, 2)))
        catch_up(book, 1, 2, 4)
    assert kafka.t.assignment.moving
    assert not kip.t.assignment.moving
    catch_up(kafka, 1, 2, 3, 4)
    assert not kafka.t.assignment.moving


def test_a_leader_that_stays_keeps_the_lead() -> None:
    book = ledger(partition((1, 2, 3), leader=3))
    book.settle(AlterReassignment(T, (4, 3, 2)))
    catch_up(book, 1, 2, 3, 4)
    assert leadership(book) == (3, 5, (2, 3, 4))


def test_a_move_waits_for_an_offline_target_even_if_the_isr_names_it() -> None:
    """H8: Kafka ends the move by the ISR alone."""
    book = ledger(partition((1, 2, 3)))
    book.settle(AlterReassignment(T, (4, 3, 2)))
    part = book.t
    gone = BrokersRead(brokers(1, 2, 3))
    event = isr(book, 1, 2, 3, 4)
    book.settle(gone, event)
    assert book.t.assignment == part.assignment
    assert leadership(book)[2] == (1, 2, 3)


def test_the_end_waits_for_a_turn_of_its_own() -> None:
    """Completion is never decided in the turn that enabled it."""
    book = ledger(partition((1, 2, 3)))
    book.settle(AlterReassignment(T, (4, 3, 2)))
    event = isr(book, 1, 2, 3, 4)
    assert book.turn(event) == (CHECK,)
    assert book.t.assignment.moving
    assert book.turn(CHECK) == ()
    assert not book.t.assignment.moving


# --- replace and cancel ----------------------------------------------------------------------


@pytest.mark.req("R455-93")
def test_a_new_target_drops_what_only_the_old_one_had() -> None:
    book = ledger(partition((1, 2, 3)))
    book.settle(AlterReassignment(T, (4, 5, 6)))
    messages = book.settle(AlterReassignment(T, (1, 2, 5)))
    assert book.t.assignment == Assignment((1, 2, 5, 3), (5,), (3,))
    assert set(book.t.assignment.origin) == {1, 2, 3}
    assert messages == [
        Lead(T, (1, 2, 3, 5), is_new=(5,)),
        Publish(T),
        Stop(T, 4, delete=False),
        Stop(T, 6, delete=False),
    ]
    assert book.state.awaiting[T] == Awaiting(1, 5, (4, 6))
    assert book.settle(LeaderAcknowledged(T, 1, 5)) == [
        Stop(T, 4, delete=True),
        Stop(T, 6, delete=True),
    ]


def test_an_added_replica_in_sync_has_a_log_and_is_not_new() -> None:
    """A new log in place of one on an offline directory would be an empty member of the ISR."""
    book = ledger(partition((4, 3, 2, 1), (4,), (1,), leader=1, isr=(1, 2, 4)))
    book.turn(AlterReassignment(T, (4, 5, 2)))
    assert book.messages[0] == Lead(T, (1, 2, 3, 4, 5), is_new=(5,))


@pytest.mark.req("R455-46", "R455-49")
@PROFILES
def test_a_cancel_returns_to_the_origin_and_can_be_done_once(rules: Rules) -> None:
    book = ledger(partition((1, 2, 3)), rules=rules)
    book.settle(AlterReassignment(T, (3, 4, 5)))
    catch_up(book, 1, 2, 3, 4)
    assert book.ask(AlterReassignment(T, None)) == Done()
    assert set(book.t.assignment.replicas) == {1, 2, 3}
    assert not book.t.assignment.moving
    assert leadership(book)[2] == (1, 2, 3)
    again = book.ask(AlterReassignment(T, None))
    assert isinstance(again, Refusal)
    assert again.fault is Fault.NO_REASSIGNMENT_IN_PROGRESS


@pytest.mark.req("R455-47")
@pytest.mark.parametrize(("rules", "after"), [(APACHE_3_9, (3, 2, 1)), (KIP_455, (1, 3, 2))])
def test_the_order_before_a_move_is_not_promised(rules: Rules, after: tuple[int, ...]) -> None:
    book = ledger(partition((1, 2, 3)), rules=rules)
    book.settle(AlterReassignment(T, (3, 4, 2)), CHECK)
    book.settle(AlterReassignment(T, None))
    assert book.t.assignment == Assignment(after)


@pytest.mark.req("R455-50")
@pytest.mark.parametrize(
    ("rules", "target", "successor"),
    [
        (APACHE_3_9, None, 3),
        (KIP_455, None, 3),
        (APACHE_3_9, (1, 2, 5), 2),
        # By the KIP what leaves comes first in the list, and so leads for as long as it stays.
        (KIP_455, (1, 2, 5), 3),
    ],
)
def test_a_leader_that_is_dropped_is_replaced_in_the_same_write(
    rules: Rules, target: tuple[int, ...] | None, successor: int
) -> None:
    """F16: Kafka stops it first and leaves the partition without a leader meanwhile."""
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=4, isr=(2, 3, 4))
    book = ledger(moving, rules=rules)
    (commit,) = book.plan(AlterReassignment(T, target))
    (written,) = [op for op in commit.ops if isinstance(op, SetData) and op.path == paths.state(*T)]
    assert f'"leader":{successor},'.encode() in (written.data or b"")
    messages = book.settle(AlterReassignment(T, target))
    assert leadership(book)[0] == successor
    assert 4 not in leadership(book)[2]
    assert isinstance(messages[0], Lead)
    assert Stop(T, 4, delete=False) in messages


@pytest.mark.req("R455-51")
def test_a_cancel_that_would_lose_the_data_is_refused_by_kafka_and_done_by_the_kip() -> None:
    """F15: Kafka's controller with ZooKeeper cancels, and the partition is lost for good."""
    only_added = partition((4, 3, 2, 1), (4,), (1,), leader=4, isr=(4,))
    kafka, kip = ledger(only_added), ledger(only_added, rules=KIP_455)
    refused = kafka.ask(AlterReassignment(T, None))
    assert refused == Refusal(
        Fault.INVALID_REPLICA_ASSIGNMENT,
        "Unable to revert partition assignment for t:0 because it would require an unclean leader "
        "election.",
    )
    assert kafka.t == only_added
    assert kip.ask(AlterReassignment(T, None)) == Done()
    assert kip.t.assignment == Assignment((3, 2, 1))
    # The ISR says who has the data, so it does not become empty, and nobody deletes.
    assert leadership(kip) == (NO_LEADER, 4, (4,))
    assert not [m for m in kip.messages if isinstance(m, Stop) and m.delete]


def test_a_cancel_is_refused_if_those_that_remain_in_sync_are_all_offline() -> None:
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=4, isr=(4, 1))
    assert isinstance(ledger(moving, online=(2, 3, 4)).ask(AlterReassignment(T, None)), Refusal)
    assert ledger(moving, online=(1, 4)).ask(AlterReassignment(T, None)) == Done()


@pytest.mark.parametrize("target", [None, (5, 3, 2)])
def test_a_dead_partition_keeps_everybody_who_may_come_back_with_the_data(
    target: tuple[int, ...] | None,
) -> None:
    """Of those in sync it is not known who will be back, so none of them is dropped."""
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=NO_LEADER, isr=(4, 1))
    book = ledger(moving, online=(2, 3, 5))
    refused = book.ask(AlterReassignment(T, target))
    assert isinstance(refused, Refusal) and "unclean" in refused.message
    assert book.t == moving


def test_a_dead_partition_is_given_back_where_that_drops_nobody_in_sync() -> None:
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=NO_LEADER, isr=(3, 1))
    book = ledger(moving, online=(2, 4))
    assert book.ask(AlterReassignment(T, None)) == Done()
    assert leadership(book) == (NO_LEADER, 4, (3, 1))


def test_a_refused_cancel_in_the_turn_of_an_isr_change_does_not_lose_the_check() -> None:
    """What an event enables is looked at, whatever else the same turn refuses."""
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=4, isr=(4, 3))
    book = ledger(moving)
    event = isr(book, 4)
    assert book.turn(event, AlterReassignment(T, None)) == (CHECK,)
    assert isinstance(book.results[2][0], Refusal)


# --- two causes in one turn ------------------------------------------------------------------


def test_two_causes_on_one_partition_give_one_write_two_results_two_entries() -> None:
    book = ledger(partition((1, 2, 3)))
    (commit,) = book.plan(AlterReassignment(T, (4, 3, 2)), AlterReassignment(T, (5, 3, 2)))
    book.carry_out(commit)
    assert len(commit.ops) == 2
    assert book.results == {1: [Done()], 2: [Done()]}
    noted = [(entry.kind, entry.cause, entry.after) for entry in commit.entries]
    between = replace(book.t, assignment=Assignment((4, 3, 2, 1), (4,), (1,)))
    assert noted == [("accept", 1, between), ("supersede", 2, book.t)]
    assert book.t.assignment == Assignment((5, 3, 2, 1), (5,), (1,))
    assert leadership(book)[1] == 4
    (lead,) = [m for m in commit.messages if isinstance(m, Lead)]
    assert lead == Lead(T, (1, 2, 3, 5), (5,))


def test_what_rests_on_a_write_of_the_same_turn_is_answered_with_it() -> None:
    book = ledger(partition((1, 2, 3)))
    plan = book.plan(
        AlterReassignment(T, (4, 3, 2)),
        AlterReassignment(T, None),
        AlterReassignment(T, None),
        AlterReassignment(T, ()),
    )
    (commit,) = plan
    assert commit.ops
    assert commit.causes == (1, 2, 3, 4)
    kinds = [type(result) for _, result in commit.results]
    assert kinds == [Done, Done, Refusal, Refusal]


# --- brokers ---------------------------------------------------------------------------------


def test_an_added_replica_may_lead_when_the_leader_dies() -> None:
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=1, isr=(1, 2, 4))
    book = ledger(moving)
    book.settle(BrokersRead(brokers(2, 4, 5)))
    assert leadership(book) == (4, 4, (2, 4))


def test_without_anybody_in_sync_there_is_no_leader_until_one_returns() -> None:
    book = ledger(partition((1, 2, 3), isr=(1, 2)))
    book.settle(BrokersRead(brokers(3)))
    assert leadership(book) == (NO_LEADER, 4, (1, 2))
    book.settle(BrokersRead(brokers(2, 3)))
    assert leadership(book) == (2, 5, (2,))


def test_a_leader_that_restarts_unseen_does_not_go_on_leading_in_the_same_epoch() -> None:
    """What it had not flushed is gone; Kafka takes a bounce as an end and a start."""
    book = ledger(partition((1, 2, 3)))
    bounced = brokers(*ALL) | {1: broker(1, epoch=777)}
    book.settle(BrokersRead(bounced))
    assert leadership(book) == (2, 4, (2, 3))


def test_a_lone_leader_that_restarts_leads_again_in_a_newer_epoch() -> None:
    book = ledger(partition((1,)))
    book.settle(BrokersRead(brokers(*ALL) | {1: broker(1, epoch=777)}))
    assert leadership(book) == (1, 5, (1,))


def test_a_lone_leader_that_restarts_twice_before_anybody_looked_leads_again() -> None:
    book = ledger(partition((1,), leader=NO_LEADER, isr=(1,)))
    book.settle(BrokersRead(brokers(*ALL) | {1: broker(1, epoch=777)}))
    assert leadership(book) == (1, 4, (1,))


def test_a_follower_that_restarts_leaves_the_isr() -> None:
    book = ledger(partition((1, 2, 3)))
    book.settle(BrokersRead(brokers(*ALL) | {3: broker(3, epoch=777)}))
    assert leadership(book) == (1, 4, (1, 2))


@pytest.mark.req("R455-50")
@PROFILES
@given(
    isr=st.sets(st.sampled_from((1, 2, 3, 4)), min_size=1),
    online=st.sets(st.sampled_from(ALL), min_size=1),
    target=st.none() | st.lists(st.sampled_from(ALL), unique=True, min_size=1).map(tuple),
    leaving=st.sets(st.sampled_from(ALL)),
)
def test_there_is_a_leader_wherever_one_could_be(
    rules: Rules,
    isr: set[int],
    online: set[int],
    target: tuple[int, ...] | None,
    leaving: set[int],
) -> None:
    """F16: whatever is cancelled or replaced, a live member of the new list in sync leads."""
    leader = min(isr & online, default=NO_LEADER)
    moving = partition((4, 3, 2, 1), (4,), (1,), leader=leader, isr=sorted(isr))
    book = ledger(moving, tuple(online), rules)
    for broker_id in sorted(leaving & online):
        book.settle(ShutDownBroker(broker_id, broker_id + 100))
    before = book.t.leadership
    assert before is not None
    book.turn(AlterReassignment(T, target))
    led, assignment = leadership(book), book.t.assignment
    alive = book.state.alive & set(before.isr) & set(assignment.replicas)
    assert led[0] != NO_LEADER or not alive or before.leader == NO_LEADER
    assert led[0] == NO_LEADER or led[0] in book.state.brokers.keys() & set(assignment.replicas)


@pytest.mark.parametrize(
    ("online", "left"),
    [((1, 2), Assignment((1, 2))), ((1,), Assignment((1, 2, 8, 9), (1, 2), (8, 9)))],
)
def test_a_move_that_begins_without_a_leader_ends_like_any_other(
    online: tuple[int, ...], left: Assignment
) -> None:
    moving = Partition(Assignment((1, 2, 8, 9), (1, 2), (8, 9)))
    book = Ledger(one(online, moving))
    book.settle(CheckPartition(T))
    assert book.t.leader == 1
    assert book.t.assignment == left


def test_a_check_in_line_writes_nothing() -> None:
    book = ledger(partition((1, 2, 3)))
    before = book.state
    assert book.settle(CHECK) == []
    assert book.state is before or book.state == before


def test_a_check_of_what_is_gone_is_nothing() -> None:
    book = ledger(partition((1, 2, 3)))
    assert book.settle(CheckPartition(TopicPartition("gone", 0))) == []


# --- deletes wait ----------------------------------------------------------------------------


def moved() -> Ledger:
    """T has moved from [1,2,3] to [4,3,2]; 1 still has to delete."""
    book = ledger(partition((1, 2, 3)))
    book.settle(AlterReassignment(T, (4, 3, 2)))
    catch_up(book, 1, 2, 3, 4)
    assert book.state.awaiting == {T: Awaiting(4, 5, (1,), handover=True)}
    return book


def test_a_dropped_replica_deletes_after_the_leader_has_answered() -> None:
    book = moved()
    for deaf in (LeaderAcknowledged(T, 3, 5), LeaderAcknowledged(T, 4, 4)):
        assert book.settle(deaf) == []
    assert book.settle(LeaderAcknowledged(T, 4, 5)) == [Stop(T, 1, delete=True)]
    assert book.state.awaiting == {}
    assert book.settle(LeaderAcknowledged(T, 4, 5)) == []


def test_a_leader_that_dies_hands_the_wait_to_its_successor() -> None:
    book = moved()
    book.settle(BrokersRead(brokers(1, 2, 3)))
    assert book.state.awaiting == {T: Awaiting(3, 6, (1,))}
    assert book.settle(LeaderAcknowledged(T, 4, 5)) == []
    assert book.settle(LeaderAcknowledged(T, 3, 6)) == [Stop(T, 1, delete=True)]


def test_a_replica_that_is_wanted_again_does_not_delete() -> None:
    book = moved()
    book.settle(AlterReassignment(T, (1, 3, 2)))
    assert book.state.awaiting == {}
    assert book.settle(LeaderAcknowledged(T, 4, 6)) == []


def test_a_delete_that_an_answer_frees_is_not_owed_again_by_a_start_of_the_same_turn() -> None:
    book = moved()
    book.settle(LeaderAcknowledged(T, 4, 5), AlterReassignment(T, (5, 3, 2)))
    assert T not in book.state.awaiting


def test_the_wait_ends_with_the_topic() -> None:
    book = moved()
    (commit,) = book.plan(TopicRead("t", None))
    after = apply(book.state, commit.changes)
    assert (after.topics, after.awaiting) == ({}, {})


# --- anything --------------------------------------------------------------------------------

BROKERS = st.sampled_from(ALL)
TARGETS = st.lists(BROKERS, unique=True, min_size=1, max_size=4).map(tuple)


@given(st.sampled_from([APACHE_3_9, KIP_455]), st.data())
def test_whatever_is_asked_and_whoever_dies(rules: Rules, data: st.DataObject) -> None:
    """Invariants I2, I4, I7 and I9 after every turn; and who leads is alive and a replica."""
    book = ledger(partition(data.draw(TARGETS)), rules=rules)
    for _ in range(data.draw(st.integers(1, 6))):
        before = book.t.leadership
        what = data.draw(st.sampled_from(["alter", "cancel", "isr", "brokers"]))
        event: AlterReassignment | StateRead | BrokersRead
        if what == "alter":
            event = AlterReassignment(T, data.draw(TARGETS))
        elif what == "cancel":
            event = AlterReassignment(T, None)
        elif what == "brokers":
            event = BrokersRead(brokers(*data.draw(st.sets(BROKERS, min_size=1))))
        else:
            assert before is not None
            if before.leader == NO_LEADER:
                continue
            candidates = [id_ for id_ in book.t.assignment.replicas if id_ in book.state.brokers]
            others = data.draw(st.sets(st.sampled_from(candidates)))
            event = isr(book, *sorted({before.leader, *others}))
        book.settle(event)
        after, assignment = book.t.leadership, book.t.assignment
        assert before is not None
        assert after is not None
        assert set(assignment.replicas) == set(assignment.origin) | set(assignment.target)
        assert not set(assignment.adding) & set(assignment.removing)
        assert after.leader_epoch >= before.leader_epoch
        assert (before.leader, before.leader_epoch) == (after.leader, after.leader_epoch) or (
            after.leader_epoch > before.leader_epoch
        )
        assert after.isr
        if after.leader != NO_LEADER:
            assert after.leader in after.isr
            assert after.leader in assignment.replicas
            assert after.leader in book.state.brokers
        elif rules is APACHE_3_9:
            assert book.state.brokers.keys().isdisjoint(after.isr)
        for wait in book.state.awaiting.values():
            assert set(wait.deletes).isdisjoint(assignment.replicas)
            assert (wait.leader, wait.leader_epoch) == (after.leader, after.leader_epoch)
