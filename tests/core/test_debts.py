"""What the deletes that are owed weigh, and how they are written along with the moves."""

from dataclasses import replace

import pytest
from core.clusters import Ledger, T, cluster, one, partition, topic
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from klamm.controller.core import packing, shares
from klamm.controller.core.changes import SetLedger
from klamm.controller.core.debts import may_be_told
from klamm.controller.core.events import (
    AlterReassignment,
    ClearDebts,
    DebtsRead,
    ReplicasDeleted,
)
from klamm.controller.core.ledgers import ledger_bound, ledger_write
from klamm.controller.core.model import Awaiting, TopicPartition
from klamm.controller.core.model import Ledger as Debts
from klamm.controller.core.ops import Create, Delete, SetData
from klamm.controller.core.plan import Lead, Stop
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.sizes import op_size
from klamm.controller.znodes import paths

PATH = paths.replica_deletions("t")
IDS = st.frozensets(st.integers(0, 2**31 - 1), min_size=1, max_size=4)
OWED = st.dictionaries(st.integers(0, 2**31 - 1), IDS, max_size=6)
NAMES = st.text("a.é_-", min_size=1, max_size=80)


@given(NAMES, OWED, OWED, st.none() | st.integers(0, 9))
def test_the_bound_of_a_write_is_never_too_small(
    name: str,
    owed: dict[int, frozenset[int]],
    dropped: dict[int, frozenset[int]],
    version: int | None,
) -> None:
    before = Debts(version, owed if version is not None else {})
    op, after = ledger_write(name, before, dropped, {})
    if op is not None:
        brokers = sum(map(len, dropped.values()))
        assert op_size(op) <= ledger_bound(name, before, brokers, len(dropped))
        assert after != before


@given(OWED, OWED, OWED, OWED)
def test_who_owes_is_who_owed_and_has_not_paid_and_who_was_dropped_but_no_replica(
    owed: dict[int, frozenset[int]],
    paid: dict[int, frozenset[int]],
    dropped: dict[int, frozenset[int]],
    replicas: dict[int, frozenset[int]],
) -> None:
    before = Debts(3, owed, {n: ids & owed.get(n, frozenset()) for n, ids in paid.items()})
    op, after = ledger_write("t", before, dropped, replicas)
    everybody = {(n, id_) for found in (owed, dropped) for n, ids in found.items() for id_ in ids}
    for number, id_ in everybody:
        owes = id_ in before.due(number) or id_ in dropped.get(number, ())
        assert (id_ in after.due(number)) == (owes and id_ not in replicas.get(number, ()))
    assert not after.paid
    assert all(after.owed.values())
    if after.owed == owed and owed:
        assert (op, after.version) == (None, 3)
    elif after.owed:
        assert isinstance(op, SetData)
        assert after.version == op.version + 1 == 4
    else:
        assert op == Delete(PATH, 3)
        assert after == Debts()


@pytest.mark.req("R455-110")
def test_what_a_topic_would_owe_when_its_moves_end_counts_when_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = {number: partition((1, 2, 3)) for number in range(10)}
    state = cluster(range(1, 7), topic("t", parts))
    owing = replace(state, ledgers={"t": Debts(0, {n: frozenset(range(40)) for n in range(9)})})
    limit = shares.STATE_BYTES + 2_000
    monkeypatch.setattr(shares, "COMMIT_BYTES", limit)
    wish = AlterReassignment(TopicPartition("t", 0), (4, 5, 6))
    assert Ledger(state).ask(wish) == Done()
    book = Ledger(owing)
    refusal = book.ask(wish)
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.INVALID_REQUEST
    assert str(limit) in refusal.message
    assert book.state.topics == state.topics


@budget(max_examples=50)
@given(st.integers(3, 40))
def test_commits_of_one_plan_write_the_debts_one_after_the_other(ops: int) -> None:
    """`Ledger` applies each of them to ZooKeeper and compares; here the versions must follow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "OPS_PER_COMMIT", ops)
        moving = partition((4, 2, 3, 1), (4,), (1,), leader=2, isr=(2, 3))
        book = Ledger(cluster((1, 2, 3, 4), topic("t", dict.fromkeys(range(12), moving))))
        names = [TopicPartition("t", number) for number in range(12)]
        book.turn(*(AlterReassignment(name, None) for name in names))
        assert book.state.debts == {name: {4} for name in names}
        book.turn(ReplicasDeleted("t", 4, frozenset(range(6))))
        # With a move of the same turn the znode is written once, and says both.
        moves = [AlterReassignment(name, (3, 2, 1)) for name in names[6:]]
        book.turn(ClearDebts("t"), *moves)
        assert book.state.debts == {name: {4} for name in names[6:]}
        book.turn(ReplicasDeleted("t", 4, frozenset(range(6, 12))))
        book.turn(ClearDebts("t"), ClearDebts("t"))
        assert book.state.ledgers == {}


def test_a_debt_that_was_paid_and_is_owed_anew_is_not_crossed_off() -> None:
    state = one((1, 2, 3, 4), partition((4, 1, 2), (4,), (), leader=1, isr=(1, 2)))
    # Somebody else has made 4 a replica again, so what it owed is void.
    owed = {0: frozenset({4})}
    book = Ledger(replace(state, ledgers={"t": Debts(5, owed, owed)}))
    book.turn(AlterReassignment(T, None))
    assert book.state.ledgers == {"t": Debts(5, owed)}
    book.turn(ClearDebts("t"))
    assert book.state.ledgers == {"t": Debts(5, owed)}


def test_debts_that_are_read_are_asked_for_once_the_leader_answers() -> None:
    book = Ledger(one((1, 2, 3), partition((1, 2))))
    data = b'{"version":1,"partitions":{"0":[3,2]}}'
    book.tree.apply((Create(PATH, data),), session=0)
    book.turn(DebtsRead("t", 0, {0: frozenset({2, 3})}))
    assert book.messages == [Lead(T, (1,))]
    # 2 is a replica: what it owes is void, and soon written so.
    assert book.state.ledgers["t"].due(0) == {3}
    assert book.state.must_wait(T, 3)
    assert not book.state.must_wait(T, 2)
    assert not any(isinstance(message, Stop) for message in book.messages)
    book.turn(ClearDebts("t"))
    assert book.state.debts == {T: {3}}


def test_debts_that_are_read_again_are_no_news() -> None:
    state = one((1, 2, 3), partition((1, 2)))
    state = replace(state, ledgers={"t": Debts(4, {0: frozenset({3})})})
    (commit,) = Ledger(state).plan(DebtsRead("t", 4, {0: frozenset({3})}))
    assert not commit.messages
    assert not [change for change in commit.changes if isinstance(change, SetLedger)]


@pytest.mark.req("R455-112")
def test_who_may_be_told_to_delete_at_once() -> None:
    state = one((1, 2, 3, 4), partition((1, 2)))
    gone = TopicPartition("gone", 0)
    owed = {"t": Debts(4, {0: frozenset({2, 3, 4})}), "gone": Debts(0, {0: frozenset({3})})}
    state = replace(state, ledgers=owed)
    # 2 is a replica, whatever the znode says.
    told = {broker: list(may_be_told(state, broker)) for broker in (1, 2, 3, 4)}
    assert told == {1: [], 2: [], 3: [T, gone], 4: [T]}
    waiting = replace(state, awaiting={T: Awaiting(1, 3, (3, 4))})
    assert [list(may_be_told(waiting, broker)) for broker in (3, 4)] == [[gone], []]
    paid = {**owed, "t": replace(owed["t"], paid={0: frozenset({3})})}
    assert list(may_be_told(replace(state, ledgers=paid), 3)) == [gone]
    hidden = replace(state, unreadable={paths.topic("gone"): "no JSON"})
    assert list(may_be_told(hidden, 3)) == [T]
