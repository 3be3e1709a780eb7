"""--progress of moves in steps: whose turn has come, who waits for whom, and what is stuck."""

import io

import pytest
from explain.test_on_a_cluster import Cluster
from reassign.scripted import ScriptedClock, names
from reassign.test_progress import P0, P1, TARGET, moving, sight, told
from thin_line.world import eventually

from klamm.controller.configs.cluster_wide import LEADER_MOVEMENTS, PARTITION_MOVEMENTS
from klamm.controller.configs.throttle_keys import FOLLOWER_LIST
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    OpType,
    ReassignmentDetails,
    ResourceType,
    StepDetails,
    TopicPartition,
)
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.output import Output
from klamm.tools.reassign.progress import Moment, Watch
from klamm.tools.reassign.show import JsonLines
from klamm.tools.reassign.waiting import DOUBT_SECONDS, Patience
from klamm.tools.reassign.watching import STUCK, watch

RUNS = told(None, StepDetails((1, 2), (2, 3, 1), 1, 2, "swap", (3,), 5))
LATER = told(None, StepDetails((1, 2), (2, 1), 1, 3, "swap", (), 5))
SLOT = f"a slot: 1 steps run, and {PARTITION_MOVEMENTS} is 1"
WAITS = told(SLOT, StepDetails((1, 2), (2, 1), 1, 2, waits="deferred"))
SIZES = {(name, 2): 1000 for name in (P0, P1)}


def said(moment: Moment) -> dict[TopicPartition, list[str]]:
    return {one.name: [reason.text for reason in one.reasons] for one in moment.slowest}


def stands(
    details: dict[TopicPartition, ReassignmentDetails],
    *topics: str,
    brokers: tuple[int, ...] = (1, 2, 3),
) -> Moment:
    """Nothing is copied for a while, and these topics are not throttled."""
    watched = Watch(dict.fromkeys(details, TARGET), 0.0)
    seen = sight(
        *map(moving, details), sizes=SIZES, details=details, unthrottled=topics, brokers=brokers
    )
    watched.update(seen, 0.0)
    return watched.update(seen, DOUBT_SECONDS + 1)


def test_whose_turn_has_not_come_is_not_blamed() -> None:
    moment = stands({P0: LATER})
    assert said(moment) == {P0: ["broker 3 comes in a later step"]}
    assert moment.slowest[0].copy is None, "nothing is copied"
    assert said(stands({P0: RUNS})) == {P0: ["broker 3 has copied nothing for 6 s"]}


def test_one_that_is_away_and_comes_later_keeps_nothing_yet() -> None:
    later = stands({P0: LATER}, brokers=(1, 2))
    assert (said(later), later.is_stuck) == ({P0: ["broker 3 is not there"]}, False)
    step = StepDetails((1, 2), (2, 1), 1, 3, waits="target-offline")
    assert stands({P0: told("brokers", step)}, brokers=(1, 2)).is_stuck


def test_a_turn_that_comes_is_not_counted_from_before() -> None:
    watched = Watch({P0: TARGET}, 0.0)
    for now, details, text in (
        (0.0, WAITS, [f"waits for {SLOT}"]),
        (9.0, WAITS, [f"waits for {SLOT}"]),
        (10.0, RUNS, []),
        (13.0, RUNS, []),
        (15.0, RUNS, ["broker 3 has copied nothing for 6 s"]),
    ):
        seen = sight(moving(P0), sizes=SIZES, details={P0: details})
        assert said(watched.update(seen, now)) == {P0: text}


def test_a_deferred_move_waits_for_a_slot_and_no_more() -> None:
    moment = stands({P0: WAITS, P1: RUNS})
    assert [*said(moment)] == [P1, P0], "what is copied comes before what has not begun"
    assert said(moment)[P0] == [f"waits for {SLOT}"]
    assert not moment.is_stuck, "nobody knows whether a throttle holds them up"


def test_steps_behind_stuck_ones_are_stuck() -> None:
    moment = stands({P0: WAITS, P1: RUNS}, "p")
    assert said(moment)[P0] == [f"waits for {SLOT}", "the slot is held by p-1, which is stuck"]
    assert moment.is_stuck


def test_a_slot_of_leaders_is_held_by_a_step_that_brings_one() -> None:
    slot = f"a slot: 1 steps that bring another leader run, and {LEADER_MOVEMENTS} is 1"
    waits = told(slot, StepDetails((1, 2), (2, 1), 1, 2, waits="deferred"))
    assert not stands({P0: waits, P1: RUNS}, "p").is_stuck
    leads = told(None, StepDetails((1, 2), (2, 3, 1), 1, 2, "leader", (3,), 5))
    assert stands({P0: waits, P1: leads}, "p").is_stuck


def test_what_is_copied_comes_first() -> None:
    plan = names(12)
    details = dict.fromkeys(plan, WAITS) | dict.fromkeys(plan[9:], RUNS)
    watched = Watch(dict.fromkeys(plan, TARGET), 0.0)
    sizes = {(name, broker): 100 for name in plan for broker in (2,)}
    seen = sight(*map(moving, plan), sizes=sizes, details=details)
    slowest = watched.update(seen, 0.0).slowest
    assert [one.name for one in slowest[:3]] == plan[9:]
    assert [one.copy is None for one in slowest] == [False] * 3 + [True] * 2


@pytest.mark.parametrize("throttled", [False, True])
def test_a_watch_of_steps_that_are_all_stuck(throttled: bool) -> None:
    """Time passes for the watch alone: broker 3 is frozen, and never copies anything."""
    limit = {PARTITION_MOVEMENTS: "1", "klamm.describe.reassignments.enable": "true"}
    options = ClusterOptions(range(4), zookeeper=MEMORY, partition_bytes=1000, properties=limit)
    with LocalCluster(options) as local, Admin.connect(local.bootstrap) as admin:
        cluster = Cluster(local, admin)
        first, second = cluster.topic("a", 0, 1), cluster.topic("b", 0, 1)
        local.call(cluster.brokers.freeze, 3)
        if throttled:
            lists = AlterConfigOp(FOLLOWER_LIST, OpType.SET, "*")
            topic = ConfigResource(ResourceType.TOPIC, "a")
            admin.incremental_alter_configs({topic: [lists]}).result()
        cluster.move(first, 0, 3)
        eventually(
            lambda: first in admin.list_partition_reassignments().result(), "the move to begin"
        )
        cluster.move(second, 0, 2)
        out, err = io.StringIO(), io.StringIO()
        patience = Patience(ScriptedClock(), 1000, 10_000)
        status = watch(admin, None, JsonLines(out), Output(out, err), patience)
        held = "the slot is held by a-0, which is stuck"
        assert status is (Exit.NOT_FINISHED if throttled else Exit.STUCK)
        assert (STUCK in err.getvalue(), held in out.getvalue()) == (not throttled,) * 2
        found = cluster.explain("b:0", "--watch", "0.3")
        assert found.status == Exit.STUCK
        assert f"slots-stuck: step 1 of 1 waits for {SLOT}; {held}" in found.out
        assert f"--add-config {PARTITION_MOVEMENTS}=2" in found.out
        assert "a-0:" not in found.out
