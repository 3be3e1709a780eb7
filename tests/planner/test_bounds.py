"""Bounds: reckoned by hand, and never above what a plan that reaches its goal moves."""

from hypothesis import given, settings
from hypothesis import strategies as st
from planner.clusters import snapshots

from klamm.tools.planner import intents
from klamm.tools.planner.bounds import Offer, fewest
from klamm.tools.planner.goal import Cluster, PlanError
from klamm.tools.planner.plan import make
from klamm.tools.planner.runner import Local
from klamm.tools.planner.snapshot import Broker, Partition, Snapshot


def sized(*sizes: int) -> Cluster:
    """Partitions of one replica each, all on broker 1; broker 2 is empty."""
    partitions = tuple(
        Partition("foo", number, (1,), leader=1, isr=(1,), size_bytes=size)
        for number, size in enumerate(sizes)
    )
    return Cluster.of(Snapshot("x", 0, (Broker(1), Broker(2)), partitions))


def test_a_replica_too_large_for_the_new_broker_does_not_count() -> None:
    # Half of 200 is to come, and may be 100 at most: not the one of 120, but all the others.
    goal = intents.expand(sized(120, 20, 20, 20, 20), [2], by_bytes=True, tolerance=0.1)
    assert goal.lower_bound == 4
    # One of 100 would do.
    assert intents.expand(sized(100, 80, 20), [2], by_bytes=True).lower_bound == 1


def test_what_several_brokers_get_is_not_the_same_replica_twice() -> None:
    parts = [
        Partition("foo", number, (1,), leader=1, isr=(1,), size_bytes=size)
        for number, size in enumerate((100, 40, 40, 40, 40, 40))
    ]
    cluster = Cluster.of(Snapshot("x", 0, (Broker(1), Broker(2), Broker(3)), tuple(parts)))
    # Each is to have 100: one gets the largest, the other three of 40 (of which two are 80).
    goal = intents.expand(cluster, [2, 3], by_bytes=True, tolerance=0.0)
    assert goal.lower_bound == 4


def test_who_has_little_to_give_gives_no_more() -> None:
    offers = [Offer(5, 1), Offer(5, 1), Offer(2, 2), Offer(2, 2), Offer(2, 2)]
    assert fewest(offers, 10) == 2
    assert fewest(offers, 10, {1: 5}) == 4
    assert fewest(offers, 0) == 0


@settings(deadline=None, max_examples=40)
@given(snapshots(dead=False), st.data())
def test_no_plan_that_reaches_its_goal_moves_less(snapshot: Snapshot, data: st.DataObject) -> None:
    new = data.draw(st.sampled_from([each.id for each in snapshot.brokers]))
    try:
        cluster = Cluster.of(snapshot)
        goal = (
            intents.expand(cluster, [new], by_bytes=True)
            if data.draw(st.booleans())
            else intents.rebalance(cluster, by_bytes=True)
        )
        plan = make(goal, Local(), effort=0.05)
    except PlanError:
        return
    assert plan.amiss or goal.lower_bound <= plan.moved
