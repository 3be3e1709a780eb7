"""Deleting topics as decisions: what one turn makes of several causes."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from core.clusters import Ledger, T, broker, brokers, cluster, one, partition, topic

from klamm.controller.core import removal
from klamm.controller.core.events import (
    AlterPartition,
    BrokersRead,
    CheckDeletion,
    CheckPartition,
    DebtsRead,
    DeleteTopic,
    DeletionsRead,
    Event,
    LeaderAcknowledged,
    NodesRead,
    RemoveZnode,
    ReplicasDeleted,
    WithdrawalsHeard,
)
from klamm.controller.core.model import Assignment, Awaiting, Deletion, Partition
from klamm.controller.core.model import Ledger as Debts
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.core.plan import Forget, Lead, Publish, Refill, Stop
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths

WISH = paths.delete_topic("t")
ALL = frozenset({0})
EACH = {1: ALL, 2: ALL, 3: ALL}


def ledger(settings: Settings | None = None, online: Iterable[int] = (1, 2, 3)) -> Ledger:
    """t on 1, 2, 3 and its configs."""
    return with_configs(Ledger(one(online, partition((1, 2, 3))), settings))


def with_configs(book: Ledger) -> Ledger:
    assert isinstance(book.tree.apply((Create("/config/topics/t", b"{}"),), session=0), Applied)
    return book


def heard(*peers: int) -> tuple[WithdrawalsHeard, ...]:
    """Each of these says that it knows t to be gone."""
    return tuple(WithdrawalsHeard(peer, {"t": ALL}) for peer in peers)


def deleted(*brokers: int) -> tuple[ReplicasDeleted, ...]:
    """Each of these says that it holds no log of t."""
    return tuple(ReplicasDeleted("t", broker, ALL) for broker in brokers)


def test_the_whole_way_in_five_steps() -> None:
    book = ledger()
    assert book.turn(DeleteTopic("t")) == (CheckDeletion("t"),)
    assert book.results[1] == [Done()]
    assert book.messages == [Publish(T), *(Stop(T, broker, delete=True) for broker in (1, 2, 3))]
    assert book.state.deleting == {"t": Deletion(EACH, unheard=EACH)}
    assert book.turn(CheckDeletion("t")) == ()
    assert book.turn(*heard(1, 2, 3)) == ()
    assert book.turn(*deleted(1, 3)) == ()
    assert book.state.deleting == {"t": Deletion({2: ALL})}
    following = book.turn(*deleted(2))
    assert following == (CheckDeletion("t"),)
    assert book.messages == []
    assert book.turn(*following) == ()
    assert (book.state.topics, book.state.deleting) == ({}, {})
    assert not [path for path in book.tree.nodes if "t" in path.split("/")]


def test_what_goes_last_goes_in_one_commit() -> None:
    book = ledger()
    book.turn(DeleteTopic("t"))
    book.turn(*heard(1, 2, 3), *deleted(1, 2, 3))
    (commit,) = book.plan(CheckDeletion("t"))
    assert [op.path for op in commit.ops if isinstance(op, Delete)] == [
        paths.state("t", 0),
        paths.partition("t", 0),
        paths.partitions("t"),
        paths.topic("t"),
        "/config/topics/t",
        WISH,
    ]


@pytest.mark.parametrize(("limit", "value"), [("OPS_PER_COMMIT", 12), ("COMMIT_BYTES", 600)])
def test_a_large_topic_goes_in_several_commits_and_memory_with_it(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    bare = {number: Partition(Assignment((1, 2))) for number in (0, 1)}
    parts = {number: partition((1, 2)) for number in range(2, 12)}
    book = Ledger(cluster((1, 2), topic("t", {**bare, **parts})))
    create = Create("/config/topics/t", b"{}")
    assert isinstance(book.tree.apply((create,), session=0), Applied)
    book.turn(DeleteTopic("t"))
    everything = frozenset(range(12))
    book.turn(*(WithdrawalsHeard(broker, {"t": everything}) for broker in (1, 2)))
    book.turn(*(ReplicasDeleted("t", broker, everything) for broker in (1, 2)))
    monkeypatch.setattr(removal, limit, value)
    following: tuple[Event, ...] = (CheckDeletion("t"),)
    turns = 0
    while following:  # the ledger compares memory with ZooKeeper after each
        following = book.turn(*following)
        turns += 1
    assert turns > 3
    assert book.state.topics == {}
    assert not [path for path in book.tree.nodes if "t" in path.split("/")]


def test_a_move_that_ends_in_this_very_turn_has_not_ended_yet() -> None:
    """Its Commit may be lost, and the deletion would have overtaken it."""
    part = partition((4, 2, 3), adding=(4,), isr=(2, 3, 4), leader=2)
    state = replace(one((2, 3, 4), part), deleting={"t": Deletion(listed=False)})
    book = Ledger(state)
    following = book.turn(CheckPartition(T), CheckDeletion("t"))
    assert book.t.assignment.adding == ()
    assert not book.state.vanishing("t")
    assert CheckDeletion("t") in following
    book.turn(CheckDeletion("t"))
    assert book.state.vanishing("t")


def test_a_topic_being_deleted_is_changed_by_nothing_else() -> None:
    book = ledger()
    book.turn(DeleteTopic("t"))
    before = book.state
    events: tuple[Event, ...] = (
        CheckPartition(T, reassigned=True),
        CheckPartition(T, restarted=frozenset({1})),
        AlterPartition(T, 1, 101, leader_epoch=3, partition_epoch=7, isr=(1, 2)),
    )
    for event in events:
        assert book.turn(event) == ()
        assert (book.messages, book.state) == ([], before)


def test_brokers_that_come_and_go_take_no_election_to_a_topic_being_deleted() -> None:
    book = ledger()
    book.turn(DeleteTopic("t"))
    left = {id_: broker for id_, broker in book.state.brokers.items() if id_ != 1}
    all_three = dict(book.state.brokers)
    book.settle(BrokersRead(left))
    assert book.t.leader == 1
    messages = book.settle(BrokersRead(all_three))
    assert Stop(T, 1, delete=True) in messages
    assert not [message for message in messages if isinstance(message, Lead)]


def test_what_brokers_say_of_other_topics_or_twice_is_no_news() -> None:
    book = ledger()
    for fact in (ReplicasDeleted("t", 1, ALL), ReplicasDeleted("nobody", 1, ALL)):
        before = book.state
        assert book.turn(fact) == ()
        assert book.state == before
    book.turn(DeleteTopic("t"))
    for _ in range(2):
        assert book.turn(ReplicasDeleted("t", 1, ALL)) == ()
        assert book.state.deleting == {"t": Deletion({2: ALL, 3: ALL}, unheard=EACH)}
    for _ in range(2):
        assert book.turn(*heard(1, 9)) == ()
        left = {2: ALL, 3: ALL}
        assert book.state.deleting == {"t": Deletion(left, unheard=left)}


def test_deletes_that_wait_for_a_leader_need_not_any_more() -> None:
    state = replace(
        one((1, 2, 3, 4), partition((1, 2, 3))),
        awaiting={T: Awaiting(1, 3, deletes=(4, 5))},
        ledgers={"t": Debts(0, {0: frozenset({4, 5})})},
    )
    for wish in (DeleteTopic("t"), CheckDeletion("t")):
        queued = {"t": Deletion(listed=False)} if isinstance(wish, CheckDeletion) else {}
        book = Ledger(replace(state, deleting=queued))
        book.turn(wish)
        assert book.state.awaiting == {}
        deletion = book.state.deleting["t"]
        # Broker 5 is not there, but its log would meet a new topic of this name.
        assert deletion.logs == {1: ALL, 2: ALL, 3: ALL, 4: ALL, 5: ALL}
        book.turn(LeaderAcknowledged(T, 1, 3))
        assert book.messages == []


# --- who has to hear of the end --------------------------------------------------------------


def test_the_znodes_wait_for_those_who_have_no_replica_and_for_other_nodes() -> None:
    book = ledger(online=(1, 2, 3, 4))
    us = book.state.controller_id
    book.settle(NodesRead({us: broker(us), 901: broker(901)}))
    book.turn(DeleteTopic("t"))
    assert book.state.deleting["t"].unheard == {**EACH, 4: ALL, 901: ALL}
    assert book.turn(*deleted(1, 2, 3), *heard(1, 2, 3, 901)) == ()
    assert book.turn(CheckDeletion("t")) == ()
    assert "t" in book.state.topics
    assert book.turn(*heard(4)) == (CheckDeletion("t"),)
    book.settle(CheckDeletion("t"))
    assert book.state.topics == {}


def test_partitions_are_crossed_off_one_by_one_and_topics_all_at_once() -> None:
    parts = {0: partition((1,)), 1: partition((1,))}
    book = Ledger(cluster((1, 2), topic("t", parts), topic("u", {0: partition((1,))})))
    book.turn(DeleteTopic("t"), DeleteTopic("u"))
    book.turn(*(ReplicasDeleted(name, 1, frozenset({0, 1})) for name in ("t", "u")))
    book.turn(WithdrawalsHeard(1, {"t": frozenset({0, 1}), "u": ALL}))
    following = book.turn(WithdrawalsHeard(2, {"t": frozenset({1}), "u": ALL, "v": ALL}))
    assert following == (CheckDeletion("u"),)
    assert book.state.deleting["t"].unheard == {2: ALL}


@pytest.mark.parametrize("is_node", [False, True])
def test_who_is_gone_need_not_hear_and_who_comes_must(is_node: bool) -> None:
    book = ledger(online=(1, 2, 3, 4))
    if is_node:
        book.settle(NodesRead({901: broker(901)}))
    book.turn(DeleteTopic("t"))
    book.turn(*deleted(1, 2, 3), *heard(1, 2, 3))
    if is_node:
        book.turn(*heard(4))
    id_ = 901 if is_node else 4

    def registered(*these: int) -> BrokersRead | NodesRead:
        if is_node:
            return NodesRead({each: broker(each, epoch=5_000) for each in these})
        return BrokersRead({**brokers(1, 2, 3), **{b: broker(b, epoch=5_000) for b in these}})

    # It is registered anew, perhaps by the same process: what it has heard of is not known.
    assert book.turn(registered(id_)) == ()
    assert book.state.deleting["t"].unheard == {id_: ALL}
    assert Refill(id_) in book.messages or Refill(id_, restarted=True) in book.messages
    assert book.turn(registered()) == (CheckDeletion("t"),)
    assert book.turn(registered(id_)) == ()
    assert book.state.deleting["t"].unheard == {id_: ALL}
    assert book.turn(*heard(id_)) == (CheckDeletion("t"),)


def test_a_node_whose_id_a_broker_had_is_told_in_its_place() -> None:
    book = ledger(online=(1, 2, 3, 4))
    book.settle(NodesRead({4: broker(4, epoch=7_000)}))
    book.turn(DeleteTopic("t"))
    book.turn(*deleted(1, 2, 3), *heard(1, 2, 3, 4))
    book.turn(BrokersRead(brokers(1, 2, 3)))
    assert [m for m in book.messages if isinstance(m, Forget | Refill)] == [Forget(4), Refill(4)]
    assert book.state.deleting["t"].unheard == {4: ALL}


def test_a_deletion_that_begins_anew_is_heard_of_anew() -> None:
    book = ledger()
    book.turn(DeleteTopic("t"))
    book.turn(*heard(1, 2, 3))
    book.turn(DebtsRead("t", None, {0: frozenset({3})}))
    book.settle(CheckDeletion("t"))
    assert book.state.deleting["t"].unheard == EACH


def test_a_topic_without_partitions_is_nothing_to_hear_of() -> None:
    book = with_configs(Ledger(cluster((1,), topic("t", {}))))
    book.settle(DeleteTopic("t"))
    assert book.state.topics == {}


# --- wishes ----------------------------------------------------------------------------------


def test_wishes_are_compared_with_what_is_known() -> None:
    book = Ledger(cluster((1,), *(topic(name, {0: partition((1,))}) for name in "abc")))
    for name in "ab":
        create = Create(paths.delete_topic(name), None)
        assert isinstance(book.tree.apply((create,), session=0), Applied)
    following = book.turn(DeletionsRead(frozenset("ab")))
    assert following == (CheckDeletion("a"), CheckDeletion("b"))
    assert book.state.deleting == {"a": Deletion(), "b": Deletion()}
    assert book.turn(DeletionsRead(frozenset("ab"))) == ()
    book.turn(CheckDeletion("a"))
    book.turn(DeletionsRead(frozenset()))
    begun = Deletion({1: ALL}, unheard={1: ALL})
    assert book.state.deleting == {"a": replace(begun, listed=False)}
    book.turn(DeletionsRead(frozenset("a")))
    assert book.state.deleting == {"a": begun}


def test_whoever_waits_for_a_deletion_that_is_withdrawn_hears_so() -> None:
    state = replace(ledger().state, deleting={"t": Deletion(waiters=(77, 78))})
    book = Ledger(state)
    book.turn(DeletionsRead(frozenset()))
    for waiter in (77, 78):
        [refusal] = book.results[waiter]
        assert isinstance(refusal, Refusal)
        assert "withdrawn" in refusal.message


@pytest.mark.parametrize("listed", [True, False])
def test_whoever_waits_for_the_deletion_of_a_topic_that_goes_hears_that_it_is_unknown(
    listed: bool,
) -> None:
    book = Ledger(replace(cluster((1,)), deleting={"t": Deletion(listed=listed, waiters=(77,))}))
    assert isinstance(book.tree.apply((Create(WISH, None),), session=0), Applied)
    book.settle(CheckDeletion("t"))
    [refusal] = book.results[77]
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.UNKNOWN_TOPIC_OR_PARTITION
    assert book.state.deleting == {}
    assert (WISH in book.tree.nodes) == (not listed)


def test_where_nothing_may_be_deleted_wishes_are_removed() -> None:
    book = ledger(Settings(delete_topic_enable=False))
    assert isinstance(book.tree.apply((Create(WISH, None),), session=0), Applied)
    assert book.turn(DeletionsRead(frozenset("t"))) == (RemoveZnode(WISH),)
    (commit,) = book.plan(RemoveZnode(WISH))
    assert commit.ops[0] == Delete(WISH, ANY_VERSION)
    book.carry_out(commit)
    assert book.state.deleting == {}
    assert "t" in book.state.topics
