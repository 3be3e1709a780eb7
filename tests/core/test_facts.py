"""What is read or heard changes the state, tells brokers, asks for a look, and writes nothing."""

from dataclasses import replace

import pytest
from core.clusters import (
    CONTROLLER,
    EPOCH,
    Ledger,
    T,
    broker,
    brokers,
    cluster,
    one,
    partition,
    topic,
)
from hypothesis import given
from hypothesis import strategies as st

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
    RemoveZnode,
    RequestEvent,
    StateRead,
    TopicRead,
)
from klamm.controller.core.model import (
    NO_LEADER,
    Assignment,
    CommitCounter,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.plan import Announce, Forget, Lead, Publish, Refill
from klamm.controller.core.writes import encode_leadership
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
    assert book.messages == [Announce(), Refill(3, restarted=True), Publish(T)]
    assert following == (CheckPartition(T, restarted=frozenset({3})),)
    assert set(book.state.brokers) == {1, 2, 3}


@pytest.mark.parametrize(
    "part",
    [
        partition((4, 1, 2, 3), (4,), (3,), isr=(1, 2)),
        Partition(Assignment((3, 1))),
    ],
)
def test_what_a_new_broker_may_change_is_looked_at(part: Partition) -> None:
    book = Ledger(one((1, 2, 4), part))
    assert book.turn(BrokersRead(brokers(1, 2, 3, 4))) == (CHECK,)


def test_a_broker_that_is_gone_is_forgotten_and_its_partitions_are_looked_at() -> None:
    parts = {0: IDLE, 1: partition((4, 5))}
    book = Ledger(cluster((1, 2, 3, 4, 5), topic("t", parts)))
    following = book.turn(BrokersRead(brokers(1, 2, 4, 5)))
    assert book.messages == [Forget(3), Announce(), Publish(T)]
    assert following == (CheckPartition(T, restarted=frozenset({3})),)


def test_a_broker_with_a_new_epoch_is_both_gone_and_new() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    following = book.turn(BrokersRead({**brokers(1, 2), 3: broker(3, epoch=900)}))
    assert book.messages == [Forget(3), Announce(), Refill(3, restarted=True), Publish(T)]
    assert following == (CheckPartition(T, restarted=frozenset({3})),)


@pytest.mark.parametrize("part", [partition((1, 2)), partition((2, 1)), partition((1,))])
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_restart_that_shows_in_two_readings_is_one_all_the_same(
    part: Partition, turns: int
) -> None:
    """Both in one turn, in two, or with what follows from the first already done."""
    book = Ledger(one((1, 2), part))
    gone, back = BrokersRead(brokers(2)), BrokersRead({**brokers(2), 1: broker(1, epoch=900)})
    if turns == 1:
        following = book.turn(gone, back)
    else:
        following = book.turn(gone)
        following = (*following, back) if turns == 2 else (*book.turn(*following), back)
    book.settle(*following)
    held = book.t.leadership
    assert held is not None
    assert held.leader_epoch > 3
    assert (held.leader, held.isr) == ((1, (1,)) if part == partition((1,)) else (2, (2,)))


def test_who_took_a_broker_into_the_isr_before_it_restarted_loses_it_again() -> None:
    """Below IBP 2.7-IV2 leaders write the ISR; what they wrote may be read after the restart."""
    book = Ledger(one((1, 2), partition((1, 2), isr=(1,))))
    (check,) = book.turn(BrokersRead({**brokers(1), 2: broker(2, epoch=900)}))
    assert check == CheckPartition(T, restarted=frozenset({2}))
    held = book.t.leadership
    assert held is not None
    there = replace(held, isr=(1, 2), version=8)
    book.tree.nodes[paths.state(*T)].version = 8
    book.tree.nodes[paths.state(*T)].data = encode_leadership(there)
    book.settle(StateRead(T, there), check)
    assert book.t.leadership is not None
    assert book.t.leadership.isr == (1,)


def test_who_leads_a_topic_that_somebody_else_made_is_told_also_if_it_comes_with_it() -> None:
    book = Ledger(one((1,), partition((1,))))
    made = topic("u", {0: partition((3,))})
    (commit,) = book.plan(BrokersRead(brokers(1, 3)), TopicRead("u", made))
    name = TopicPartition("u", 0)
    assert commit.follow_ups == (CheckPartition(name, reassigned=True),)


def test_a_broker_that_restarts_while_an_office_begins_has_restarted() -> None:
    """All that is read before anything is decided: brokers, topics, and then brokers again."""
    book = Ledger(cluster(()))
    again = BrokersRead({**brokers(2), 1: broker(1, epoch=900)})
    found = topic("t", {0: partition((1, 2))})
    commit, *_ = book.plan(BrokersRead(brokers(1, 2)), TopicRead("t", found), again)
    assert commit.follow_ups == (CheckPartition(T, restarted=frozenset({1})),)
    refills = [message for message in commit.messages if isinstance(message, Refill)]
    assert refills == [Refill(1), Refill(2), Refill(1, restarted=True)]


def test_nodes_read_twice_in_a_turn_end_as_read_last() -> None:
    book = Ledger(one((1, 2), IDLE))
    first = {CONTROLLER: broker(CONTROLLER)}
    book.turn(NodesRead(first))
    book.turn(NodesRead({**first, 901: broker(901)}), NodesRead(first))
    assert set(book.state.nodes) == {CONTROLLER}


def test_an_id_that_a_broker_and_a_node_share_is_reported_once() -> None:
    book = Ledger(one((1, 2), IDLE))
    book.turn(NodesRead({2: broker(2), 901: broker(901)}))
    assert [entry.kind for entry in book.entries] == ["shared id"]
    book.turn(NodesRead({2: broker(2)}))
    assert book.entries == []
    book.turn(BrokersRead(brokers(1)), BrokersRead(brokers(1, 2)))
    assert [entry.kind for entry in book.entries] == ["brokers", "brokers", "shared id"]


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
    assert commit.follow_ups == ((CheckPartition(T, reassigned=True),) if told else ())


@given(
    st.lists(st.permutations([1, 2, 3]).map(tuple), min_size=1, max_size=4),
    st.sets(st.sampled_from([1, 2, 3])),
    st.sampled_from([NO_LEADER, 1, 2, 3]),
    st.sampled_from([(1,), (2, 3), (3, 1, 2)]),
)
def test_nothing_would_come_of_a_look_at_what_is_settled(
    lists: list[tuple[int, ...]], online: set[int], leader: int, isr: tuple[int, ...]
) -> None:
    """Read in one turn with the brokers, in either order, and looked at in the next."""
    read = topic("t", {n: partition(r, (), (), leader, isr) for n, r in enumerate(lists)})
    facts: list[Event] = [BrokersRead(brokers(*online)), TopicRead("t", read)]
    for order in (facts, facts[::-1]):
        book = Ledger(cluster((), read))
        book.state = replace(book.state, topics={})
        following = book.turn(*order)
        looked_at = {each.partition for each in following if isinstance(each, CheckPartition)}
        for number in read.partitions:
            name = TopicPartition("t", number)
            wrote = any(commit.ops for commit in book.plan(CheckPartition(name)))
            assert not wrote or name in looked_at


def test_a_topic_that_is_read_when_office_is_taken_is_published_to_nobody_twice() -> None:
    read = TopicRead("t", topic("t", {0: IDLE}))
    (commit,) = Ledger(cluster(())).plan(BrokersRead(brokers(1, 2, 3)), read)
    assert Refill(1) in commit.messages
    assert Publish(T) not in commit.messages
    (commit,) = Ledger(cluster((1, 2, 3))).plan(read)
    assert commit.messages == (Publish(T),)


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
    assert book.turn(NotificationsRead((gone,))) == (RemoveZnode(gone),)
    (commit,) = book.plan(RemoveZnode(gone))
    delete, count = commit.ops
    assert delete == Delete(gone, ANY_VERSION)
    assert count == Create(paths.KLAMM_COMMIT, b'{"version":1,"controller_epoch":5,"counter":1}')
    assert commit.causes == (2,)


def test_a_notification_that_is_read_twice_is_deleted_once() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    gone = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    event = RemoveZnode(gone)
    first, second = book.plan(NotificationsRead((gone,)), event, event)
    assert (first.ops, first.causes, first.follow_ups) == ((), (1, 3), ())
    assert (second.ops[0], second.causes) == (Delete(gone, ANY_VERSION), (2,))


def test_the_counter_goes_on_from_what_was_read() -> None:
    book = Ledger(one((1, 2, 3), IDLE))
    gone = f"{paths.ISR_CHANGE_PREFIX}0000000000"
    first, second = book.plan(CounterRead(CommitCounter(17, 4)), RemoveZnode(gone))
    assert first.ops == ()
    assert second.ops[1] == SetData(
        paths.KLAMM_COMMIT, f'{{"version":1,"controller_epoch":{EPOCH},"counter":18}}'.encode(), 4
    )
