"""What is read or heard changes the state, tells brokers, asks for a look, and writes nothing."""

from dataclasses import replace

import pytest
from core.clusters import EPOCH, Ledger, T, broker, brokers, cluster, one, partition, topic

from klamm.controller.core.decide import DECISIONS
from klamm.controller.core.events import (
    BrokersRead,
    CheckPartition,
    ConfigRead,
    CounterRead,
    Event,
    Fact,
    FollowUp,
    LeaderAcknowledged,
    NodesRead,
    NotificationsRead,
    RequestEvent,
    StateRead,
    TopicRead,
)
from klamm.controller.core.model import (
    Assignment,
    CommitCounter,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.plan import Announce, Forget, Lead, Publish, Refill
from klamm.controller.znodes import paths

IDLE = partition((1, 2, 3))
CHECK = CheckPartition(T)


def test_a_turn_takes_facts_first_then_follow_ups_then_requests() -> None:
    order = {kind: step for kind, (step, _) in DECISIONS.items()}
    assert set(order) == set(Event.__args__)
    assert {kind for kind, step in order.items() if step == 0} == set(Fact.__args__)
    assert {kind for kind, step in order.items() if step == 1} == set(FollowUp.__args__)
    assert {kind for kind, step in order.items() if step == 2} == set(RequestEvent.__args__)


@pytest.mark.parametrize(
    "event",
    [
        BrokersRead(brokers(1, 2, 3)),
        NodesRead({}),
        TopicRead("t", topic("t", {0: IDLE})),
        TopicRead("unknown", None),
        StateRead(T, IDLE.leadership),
        StateRead(TopicPartition("unknown", 0), IDLE.leadership),
        StateRead(TopicPartition("t", 9), None),
        ConfigRead(paths.CONFIG, None),
        LeaderAcknowledged(T, 1, 3),
    ],
)
def test_no_news_changes_nothing(event: Event) -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    before = book.state
    (commit,) = book.plan(event)
    assert commit.causes == (1,)
    assert replace(commit, causes=(), changes=()) == replace(
        commit, ops=(), messages=(), causes=(), changes=()
    )
    book.carry_out(commit)
    assert book.state == before


# --- brokers ---------------------------------------------------------------------------------


def test_a_new_broker_is_announced_and_told_everything() -> None:
    book = Ledger(one((1, 2), IDLE))
    following = book.turn(BrokersRead(brokers(1, 2, 3)))
    assert book.messages == [Announce(), Refill(3), Publish(T)]
    assert following == (CHECK,)
    assert set(book.state.brokers) == {1, 2, 3}


def test_a_broker_that_is_gone_is_forgotten_and_its_partitions_are_looked_at() -> None:
    parts = {0: IDLE, 1: partition((4, 5))}
    book = Ledger(cluster((1, 2, 3, 4, 5), topic("t", parts)))
    following = book.turn(BrokersRead(brokers(1, 2, 4, 5)))
    assert book.messages == [Forget(3), Announce(), Publish(T)]
    assert following == (CHECK,)


def test_a_broker_with_a_new_epoch_is_both_gone_and_new() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    following = book.turn(BrokersRead({**brokers(1, 2), 3: broker(3, epoch=900)}))
    assert book.messages == [Forget(3), Announce(), Refill(3, restarted=True), Publish(T)]
    assert following == (CheckPartition(T, restarted=frozenset({3})),)


def test_other_endpoints_alone_are_only_announced() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    moved = replace(broker(3), rack="r9")
    assert book.turn(BrokersRead({**brokers(1, 2), 3: moved})) == ()
    assert book.messages == [Announce()]
    assert book.state.brokers[3] == moved


def test_brokers_read_twice_in_a_turn_end_as_read_last() -> None:
    book = Ledger(one((1, 2), IDLE))
    book.turn(BrokersRead(brokers(1, 2, 3)), BrokersRead(brokers(1, 2)))
    assert set(book.state.brokers) == {1, 2}
    assert book.messages[-3:] == [Forget(3), Announce(), Publish(T)]


def test_nodes_are_announced() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    book.turn(NodesRead({900: broker(900)}))
    assert book.messages == [Announce()]
    assert set(book.state.nodes) == {900}


# --- topics and states -----------------------------------------------------------------------


def test_a_topic_that_somebody_created_gets_directories_states_and_leaders() -> None:
    book = Ledger(cluster((2, 3)))
    found = Topic("t", 0, {0: Partition(Assignment((1, 2))), 1: Partition(Assignment((3, 2)))})
    applied = book.tree.apply((Create(paths.topic("t"), None),), session=0)
    book.tree.nodes[paths.topic("t")].data = b'{"version":2,"partitions":{"0":[1,2],"1":[3,2]}}'
    assert applied
    following = book.turn(TopicRead("t", found))
    assert following == (CHECK, CheckPartition(TopicPartition("t", 1)))
    (commit,) = book.plan(*following)
    assert [op.path for op in commit.ops] == [
        paths.partitions("t"),
        paths.partition("t", 0),
        paths.state("t", 0),
        paths.partition("t", 1),
        paths.state("t", 1),
    ]
    assert all(isinstance(op, Create) for op in commit.ops)
    book.carry_out(commit)
    assert [p.leader for p in book.state.topics["t"].partitions.values()] == [2, 3]
    assert Lead(T, (2,), is_new=(2,)) in book.messages


@pytest.mark.parametrize(
    ("online", "told"), [((1, 2, 3), True), ((3, 4), True), ((4, 5), False), ((), False)]
)
def test_leaders_that_somebody_else_chose_are_told_in_a_new_epoch(
    online: tuple[int, ...], told: bool
) -> None:
    """Its replicas have heard nothing of it, unless they come now and are refilled."""
    book = Ledger(cluster(online))
    (commit,) = book.plan(BrokersRead(brokers(1, 2, 3)), TopicRead("t", topic("t", {0: IDLE})))
    assert commit.follow_ups == (CheckPartition(T, reassigned=told),)


def test_a_topic_that_comes_back_with_states_is_led_anew() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    back = topic("t", {0: replace(IDLE, assignment=Assignment((3, 2)))})
    (commit,) = book.plan(TopicRead("t", None), TopicRead("t", back))
    assert commit.follow_ups == (CheckPartition(T, reassigned=True),)


def test_a_topic_that_is_gone_is_dropped() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    assert book.turn(TopicRead("t", None)) == ()
    assert book.state.topics == {}
    assert [entry.kind for entry in book.entries] == ["topic-gone"]


def test_an_assignment_that_somebody_else_wrote_is_told_in_a_new_epoch() -> None:
    """Leaders ignore a changed replica list of an epoch that they have."""
    book = Ledger(one((1, 2, 3, 4), IDLE))
    written = replace(IDLE, assignment=Assignment((4, 1, 2, 3), (4,), (1,)))
    node = book.tree.nodes[paths.topic("t")]
    node.version += 1
    node.data = (
        b'{"version":2,"partitions":{"0":[4,1,2,3]},'
        b'"adding_replicas":{"0":[4]},"removing_replicas":{"0":[1]}}'
    )
    following = book.turn(TopicRead("t", topic("t", {0: written}, version=3)))
    assert following == (CheckPartition(T, reassigned=True),)
    messages = book.settle(*following)
    assert messages == [Lead(T, (1, 2, 3, 4), is_new=(4,)), Publish(T)]
    assert book.t.leadership is not None
    assert book.t.leadership.leader_epoch == 4
    assert [name for name, _ in book.state.moving()] == [T]


def test_an_isr_that_a_leader_wrote_is_published_and_looked_at() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    assert IDLE.leadership is not None
    shrunk = replace(IDLE.leadership, isr=(1, 2), version=8)
    (commit,) = book.plan(StateRead(T, shrunk))
    assert commit.ops == ()
    assert commit.messages == (Publish(T),)
    assert commit.follow_ups == (CHECK,)
    assert [(entry.kind, entry.name) for entry in commit.entries] == [("isr-shrink", T)]


def test_reasons_for_a_look_add_up() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    bounced = {1: broker(1, 900), 2: broker(2), 3: broker(3)}
    again = {1: broker(1, 900), 2: broker(2, 901), 3: broker(3)}
    (commit,) = book.plan(BrokersRead(bounced), BrokersRead(again))
    assert commit.follow_ups == (CheckPartition(T, frozenset({1, 2})),)


# --- notifications and the counter -----------------------------------------------------------


def test_notifications_are_deleted_and_the_counter_bears_witness() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    gone = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    (commit,) = book.plan(NotificationsRead((gone,)))
    delete, count = commit.ops
    assert delete == Delete(gone, ANY_VERSION)
    assert count == Create(paths.KLAMM_COMMIT, b'{"version":1,"controller_epoch":5,"counter":1}')
    assert commit.causes == (1,)


def test_the_counter_goes_on_from_what_was_read() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    gone = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    first, second = book.plan(CounterRead(CommitCounter(17, 4)), NotificationsRead((gone,)))
    assert first.ops == ()
    assert second.ops[1] == SetData(
        paths.KLAMM_COMMIT, f'{{"version":1,"controller_epoch":{EPOCH},"counter":18}}'.encode(), 4
    )
