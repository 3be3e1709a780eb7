"""Every plan keeps every rule, moves no more than must be, and is the same each time."""

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from planner.clusters import snapshot, snapshots

from klamm.tools.planner import groups, intents
from klamm.tools.planner.batches import Limit, portions
from klamm.tools.planner.goal import Cluster, Goal, PlanError
from klamm.tools.planner.plan import Plan, make
from klamm.tools.planner.racks import crowding
from klamm.tools.planner.runner import Local
from klamm.tools.planner.snapshot import Broker, Partition, Snapshot

KINDS = ("generate", "drain", "expand", "rf", "replicas", "bytes", "leaders")

few = settings(max_examples=40, deadline=None)


def made(goal: Goal, seed: int = 0) -> Plan:
    return make(goal, Local(), seed=seed, effort=0.1)


def goal_of(kind: str, cluster: Cluster, chosen: list[int], factor: int) -> Goal:
    """Return a goal of a kind; PlanError if this cluster cannot have it."""
    topics = sorted({each.topic for each in cluster.snapshot.partitions})[:1]
    match kind:
        case "generate":
            return intents.generate(cluster, topics, chosen)
        case "drain":
            return intents.drain(cluster, chosen)
        case "expand":
            return intents.expand(cluster, chosen)
        case "rf":
            return intents.replication_factor(cluster, topics, factor)
        case "leaders":
            return intents.leaders(cluster)
        case _:
            return intents.rebalance(cluster, by_bytes=kind == "bytes")


@st.composite
def goals(draw: st.DrawFn) -> Goal:
    found = draw(snapshots())
    ids = [broker.id for broker in found.brokers]
    chosen = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
    try:
        return goal_of(
            draw(st.sampled_from(KINDS)), Cluster.of(found), chosen, draw(st.integers(1, 3))
        )
    except PlanError:
        assume(False)
        raise


def plan_of(goal: Goal) -> Plan:
    """Make a plan, or pass on to another example where no broker has room or there are too few."""
    try:
        return made(goal)
    except PlanError as error:
        assert "This is a bug" not in str(error)
        assume(False)
        raise


def after(plan: Plan) -> Snapshot:
    """Return the cluster once the plan is done."""
    found = plan.goal.cluster.snapshot
    partitions = []
    for each in found.partitions:
        ids = plan.after[each.topic, each.partition]
        if each.moving:
            partitions.append(each)
        else:
            leader, size = ids[0], each.size_bytes
            partitions.append(
                Partition(each.topic, each.partition, ids, leader=leader, isr=ids, size_bytes=size)
            )
    return Snapshot(found.cluster_id, 0, found.brokers, tuple(partitions))


@given(goals())
@few
def test_every_rule_is_kept(goal: Goal) -> None:
    plan = plan_of(goal)
    cluster = goal.cluster
    racks = cluster.racks
    stored = Counter(cluster.bytes)
    for change in plan.changes:
        assert not change.partition.moving
        assert len(set(change.after)) == len(change.after)
        assert cluster.alive.issuperset(change.joining)
        assert goal.off.isdisjoint(change.after)
        if goal.takers:
            assert goal.takers.issuperset(change.joining)
        if len(change.after) == len(change.before) and not goal.off:
            worst = crowding(racks[id_] for id_ in change.before)
            assert crowding(racks[id_] for id_ in change.after) <= worst
        for id_ in change.joining:
            stored[id_] += change.partition.size_bytes
    got = {id_ for change in plan.changes for id_ in change.joining}
    for id_ in got & set(cluster.capacities):
        assert stored[id_] <= cluster.capacities[id_]
    assert plan.moved >= plan.lower_bound


@given(goals())
@few
def test_once_done_there_is_nothing_left_to_do(goal: Goal) -> None:
    plan = plan_of(goal)
    assume(not plan.amiss and not plan.goal.by_bytes)
    cluster = Cluster.of(after(plan))
    again = Goal(
        cluster,
        {at: cluster.snapshot.partitions[at] for at in goal.partitions},
        goal.factors,
        tuple(each for each in cluster.snapshot.partitions if each.topic in topics_of(goal)),
        goal.off,
        goal.givers,
        goal.takers,
        goal.least,
        goal.most,
        leaders_only=goal.leaders_only,
    )
    assert made(again).changes == ()


def topics_of(goal: Goal) -> set[str]:
    return {each.topic for each in goal.counted}


@given(goals())
@few
def test_the_same_seed_gives_the_same_plan(goal: Goal) -> None:
    assert plan_of(goal) == plan_of(goal)


@given(goals(), st.integers(1, 3))
@few
def test_batches_hold_every_change_once_and_no_broker_too_much(goal: Goal, most: int) -> None:
    plan = plan_of(goal)
    cut = portions(plan.changes, Limit(replicas=most))
    assert sorted(each.partition.name for batch in cut for each in batch) == sorted(
        each.partition.name for each in plan.changes
    )
    for batch in cut:
        comes = Counter(id_ for each in batch for id_ in each.joining)
        assert max(comes.values(), default=0) <= most
        read = Counter[int]()
        for each in batch:
            read[each.source] += len(each.joining)
        alone = {each.source for each in batch if len(each.joining) > most}
        assert all(count <= most for id_, count in read.items() if id_ not in alone)


@given(snapshots(dead=False), st.data())
@few
def test_a_drain_touches_what_is_drained_and_moves_just_that(
    found: Snapshot, data: st.DataObject
) -> None:
    gone = data.draw(st.sampled_from([broker.id for broker in found.brokers]))
    goal = intents.drain(Cluster.of(found), [gone])
    plan = plan_of(goal)
    held = [each for each in found.partitions if gone in each.target and not each.moving]
    assert [each.partition for each in plan.changes] == held
    assert plan.moved == len(held) == plan.lower_bound
    for change in plan.changes:
        assert change.leaving == (gone,)
        stay = [id_ for id_ in change.before if id_ != gone]
        assert set(stay) <= set(change.after)


def best(goal: Goal) -> tuple[int, int]:
    """Try everything: the least that loads can be off, and the fewest moves for that."""
    racks = goal.cluster.racks
    choices = []
    for each in goal.partitions.values():
        limit = crowding(racks[id_] for id_ in each.target)
        allowed = [
            ids
            for ids in combinations(sorted(goal.cluster.alive), len(each.target))
            if crowding(racks[id_] for id_ in ids) <= limit
            and goal.takers.issuperset(set(ids) - set(each.target))
            and goal.givers.issuperset(set(each.target) - set(ids))
        ]
        choices.append([(ids, len(set(ids) - set(each.target))) for ids in allowed])
    found = []
    for chosen in product(*choices):
        loads = Counter(goal.loads)
        for (ids, _), each in zip(chosen, goal.partitions.values(), strict=True):
            loads.subtract(each.target)
            loads.update(ids)
        short = sum(max(0, low - loads[id_]) for id_, low in goal.least.items())
        over = sum(max(0, loads[id_] - high) for id_, high in goal.most.items())
        found.append((short + over, sum(moved for _, moved in chosen)))
    return min(found)


@given(
    snapshots(most_brokers=4, most_partitions=5, dead=False), st.sampled_from(["expand", "even"])
)
@few
def test_small_plans_are_the_best_there_are(found: Snapshot, kind: str) -> None:
    roomy = Snapshot(
        "test",
        0,
        tuple(Broker(each.id, each.rack) for each in found.brokers),
        tuple(each for each in found.partitions if not each.moving),
    )
    cluster = Cluster.of(roomy)
    goal = intents.expand(cluster, [0]) if kind == "expand" else intents.rebalance(cluster)
    plan = made(goal)
    assert (plan.amiss, plan.moved) == best(goal)


@pytest.mark.parametrize("racks", [3, 5])
def test_many_groups_add_up_to_the_fair_share(racks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "CHOICES", 600)
    brokers = [Broker(id_, f"r{id_ % racks}") for id_ in range(30)]
    replicas = {
        (f"t{number // 20:02}", number % 20): tuple((number * 7 + step) % 27 for step in (0, 1, 2))
        for number in range(900)
    }
    cluster = Cluster.of(snapshot(brokers, replicas, size_bytes=1))
    plan = made(intents.expand(cluster, [27, 28, 29]))
    assert len(plan.groups) > 4
    assert all(each.proven and each.moved == each.bound for each in plan.groups)
    assert plan.moved == plan.lower_bound == 3 * 90
    assert not plan.amiss
    got = Counter(id_ for change in plan.changes for id_ in change.joining)
    assert got == {27: 90, 28: 90, 29: 90}
