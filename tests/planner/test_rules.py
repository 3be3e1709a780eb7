"""Rules that a plan goes by, one by one: leaders, what is dropped, what is refused, portions."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planner.clusters import snapshot

from klamm.tools.planner import intents
from klamm.tools.planner.batches import Limit, portions
from klamm.tools.planner.goal import Cluster, Goal, PlanError
from klamm.tools.planner.plan import Change, Plan, make
from klamm.tools.planner.runner import Local
from klamm.tools.planner.snapshot import Broker, Partition, Snapshot

ALIKE = [Broker(id_) for id_ in range(4)]
lists = st.lists(
    st.permutations(range(4)).flatmap(
        lambda ids: st.integers(1, 3).map(lambda count: tuple(ids[:count]))
    ),
    min_size=1,
    max_size=6,
)


def made(goal: Goal) -> Plan:
    return make(goal, Local(), effort=0.1)


def cluster(*partitions: Partition, brokers: list[Broker] = ALIKE) -> Cluster:
    return Cluster.of(Snapshot("test", 0, tuple(brokers), partitions))


@given(lists)
@settings(max_examples=40, deadline=None)
def test_leaders_are_as_level_as_can_be_by_the_fewest_changes(found: list[tuple[int, ...]]) -> None:
    plan = made(
        intents.leaders(
            Cluster.of(snapshot(ALIKE, {("t", at): ids for at, ids in enumerate(found)}))
        )
    )
    assert plan.moved == 0
    for change in plan.changes:
        head, *rest = change.after
        assert rest == [id_ for id_ in change.before if id_ != head]

    def cost(heads: tuple[int, ...]) -> tuple[int, int]:
        squares = sum(count * count for count in Counter(heads).values())
        return squares, sum(head != ids[0] for head, ids in zip(heads, found, strict=True))

    chosen = tuple(plan.after["t", at][0] for at in range(len(found)))
    assert cost(chosen) == min(cost(heads) for heads in product(*found))


def test_a_replica_out_of_sync_does_not_become_the_leader() -> None:
    stale = Partition("t", 0, (0, 1), leader=0, isr=(0,))
    other = Partition("t", 1, (0, 2), leader=0, isr=(0, 2))
    third = Partition("t", 2, (0, 1), leader=0, isr=(0,))
    plan = made(intents.leaders(cluster(stale, other, third)))
    assert [(each.partition.name, each.after) for each in plan.changes] == [("t-1", (2, 0))]


def test_a_lower_factor_drops_what_is_dead_or_behind_and_keeps_the_leader() -> None:
    brokers = [*ALIKE[:3], Broker(3, alive=False)]
    dead = Partition("t", 0, (3, 0, 1), leader=0, isr=(0, 1))
    behind = Partition("t", 1, (0, 1, 2), leader=0, isr=(0, 2))
    fine = Partition("t", 2, (2, 1, 0), leader=2, isr=(0, 1, 2))
    plan = made(intents.replication_factor(cluster(dead, behind, fine, brokers=brokers), ["t"], 2))
    after = {each.partition.name: each.after for each in plan.changes}
    assert {name: set(ids) for name, ids in after.items()} | {"t-2": set()} == {
        "t-0": {0, 1},
        "t-1": {0, 2},
        "t-2": set(),
    }
    assert 2 in after["t-2"]
    assert plan.moved == 0


def test_a_lower_factor_keeps_racks_apart() -> None:
    brokers = [Broker(0, "a"), Broker(1, "a"), Broker(2, "b")]
    found = snapshot(brokers, {("t", 0): (0, 1, 2)})
    plan = made(intents.replication_factor(Cluster.of(found), ["t"], 2))
    (change,) = plan.changes
    assert 2 in change.after


def test_a_factor_below_min_isr_is_refused() -> None:
    each = Partition("t", 0, (0, 1, 2), leader=0, isr=(0, 1, 2), min_isr=2)
    with pytest.raises(PlanError, match="replicas of t is 2"):
        intents.replication_factor(cluster(each), ["t"], 1)


def test_what_has_no_live_replica_is_left_out() -> None:
    brokers = [*ALIKE[:3], Broker(3, alive=False)]
    lost = Partition("t", 0, (3,), isr=(3,))
    goal = intents.drain(cluster(lost, brokers=brokers), [3])
    assert dict(goal.left_out) == {"t-0": "no replica to copy from is alive; bring one back"}
    assert made(goal).changes == ()


def test_the_new_replica_takes_the_place_of_the_old_one() -> None:
    plan = made(intents.drain(cluster(Partition("t", 0, (0, 1, 2), leader=0, isr=(0, 1, 2))), [1]))
    assert [each.after for each in plan.changes] == [(0, 3, 2)]


def test_a_drain_of_a_whole_rack_spreads_as_well_as_what_is_left_can() -> None:
    brokers = [Broker(id_, "abc"[id_ // 2]) for id_ in range(6)]
    replicas = {("t", at): (at % 2, 2 + at % 2, 4 + at % 2) for at in range(4)}
    plan = made(intents.drain(Cluster.of(snapshot(brokers, replicas)), [4, 5]))
    assert plan.moved == 4
    for ids in plan.after.values():
        assert sorted(Counter("abc"[id_ // 2] for id_ in ids).values()) == [1, 2]


def test_bytes_are_levelled_within_the_tolerance() -> None:
    parts = [
        Partition("t", at, (0,), leader=0, isr=(0,), size_bytes=size)
        for at, size in enumerate([50, 40, 30, 30, 20, 10, 10, 10])
    ]
    goal = intents.rebalance(cluster(*parts, brokers=ALIKE[:2]), by_bytes=True, tolerance=0.1)
    plan = made(goal)
    stored = Counter({0: 0, 1: 0})
    for each in parts:
        stored[plan.after["t", each.partition][0]] += each.size_bytes
    assert all(90 <= size <= 110 for size in stored.values())
    assert plan.moved == plan.lower_bound == 2


@pytest.mark.parametrize(("limit", "count"), [(25, 2), (10, 4), (5, 4), (None, 1)])
def test_batches_by_bytes(limit: int | None, count: int) -> None:
    changes = [
        Change(Partition("t", at, (0,), leader=0, isr=(0,), size_bytes=10), (1,)) for at in range(4)
    ]
    cut = portions(changes, Limit(bytes=limit))
    assert len(cut) == count
    assert [each for batch in cut for each in batch] == changes
