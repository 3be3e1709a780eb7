"""V1 to V8 in the lab: each is found where it is broken, and runs under limits keep them all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from klamm.controller.core import stepping, steps
from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import UNLIMITED, Limits, MinIsr, Pace, RunningStep
from klamm.controller.core.slots import Slots
from klamm.controller.core.steps import Situation
from klamm.tools.lab.events import Happened
from klamm.tools.lab.invariants import rule
from klamm.tools.lab.invariants import steps as invariants
from klamm.tools.lab.invariants.steps import STEPS, Ended
from klamm.tools.lab.limited import STEPS as SCOPE
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest

T = TopicPartition("t", 0)
LIMITS = Limits(replicas=2, partitions=1, leaders=1)
#: The text's example in its second step, with 6 in sync; and what that step leaves.
SWAP = RunningStep("swap", (6,), (5, 0, 1, 2, 3, 4), 0, 2)
DURING = Partition(
    Assignment((5, 6, 7, 8, 9, 0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (0, 1, 2, 3, 4)),
    Leadership(5, 2, (5, 0, 1, 2, 3, 4, 6), 1, 2),
    Pace((5, 6, 0, 1, 2, 3, 4), (0, 1, 2, 3, 4), 1, SWAP, started=frozenset({5, 6})),
)
ENDED = Partition(
    Assignment((5, 6, 7, 8, 9, 2, 3, 4), (7, 8, 9), (2, 3, 4)),
    Leadership(5, 3, (5, 2, 3, 4, 6), 1, 3),
    Pace((5, 6, 2, 3, 4), (0, 1, 2, 3, 4), 2),
)


def cluster(*partitions: Partition, limits: Limits = LIMITS, min_isr: int = 1) -> ClusterState:
    numbered = dict(enumerate(partitions))
    paces = ((TopicPartition("t", n), each.pace) for n, each in numbered.items() if each.pace)
    return ClusterState(
        901,
        1,
        0,
        {id_: Broker(id_, id_ + 100, ()) for id_ in range(10)},
        topics={"t": Topic("t", 0, numbered)},
        limits=limits,
        min_isr=MinIsr(min_isr),
        slots=Slots.of(paces),
    )


def found(before: ClusterState, after: ClusterState) -> dict[str, str]:
    """Return what is wrong if n1 believes first the one and then the other."""
    node = SimpleNamespace(node=SimpleNamespace(state=after))
    world = cast(Seen, SimpleNamespace(nodes={"n1": node}))
    seen = Observed(actor="n1", views={"n1": before})
    digest = Digest(Happened(1, 0.0, "n1", "n1 turn"))
    wrong: dict[str, str] = {}
    for name, invariant in STEPS.items():
        for each in invariant(world, seen, digest):
            assert each.evidence, "a sentence without what shows it"
            wrong.setdefault(name, each.text)
    return wrong


def changed(part: Partition, **fields: object) -> Partition:
    """Return a partition of which the assignment, leadership or pace has other fields."""
    assert part.leadership is not None
    assert part.pace is not None
    given: dict[str, Any] = fields
    of_lead = {name: given.pop(name) for name in ("leader", "isr") if name in given}
    lists = ("replicas", "adding", "removing")
    of_lists = {name: given.pop(name) for name in lists if name in given}
    return Partition(
        replace(part.assignment, **of_lists),
        replace(part.leadership, **of_lead),
        replace(part.pace, **given),
    )


def test_nothing_is_wrong_with_the_step_of_the_text() -> None:
    assert found(cluster(DURING), cluster(ENDED)) == {}
    assert found(cluster(DURING), cluster(DURING)) == {}


def test_v1_finds_a_step_that_leaves_too_few_in_sync() -> None:
    before = cluster(changed(DURING, isr=(5, 0, 1, 6)), min_isr=3)
    after = cluster(changed(ENDED, isr=(5, 6)), min_isr=3)
    # What falls out of sync while the step is written does not count against it.
    assert found(cluster(DURING, min_isr=3), after) == {}
    assert found(before, after) == {"V1": "the swap step of t-0 leaves 2 in sync"}
    # Where there were too few before, none was taken.
    few = changed(DURING, isr=(5, 6))
    assert found(cluster(few, min_isr=3), after) == {}


def test_v2_finds_steps_that_end_too_early_or_do_nothing() -> None:
    early = found(
        cluster(changed(DURING, isr=(5, 0, 1, 2, 3, 4))),
        cluster(changed(ENDED, isr=(5, 2, 3, 4))),
    )
    assert early == {"V2": "the swap step of t-0 ended while [6] were not in sync"}
    step = replace(SWAP, adding=())
    idle = changed(DURING, running=step)
    nothing = found(cluster(idle), cluster(changed(idle, running=None, steps=2)))
    assert nothing == {"V2": "the swap step of t-0 left as much to do as before: 8 of 8"}


def test_v3_finds_steps_that_add_or_drop_too_many() -> None:
    one = changed(DURING, running=replace(SWAP, limit=1))
    assert found(cluster(one), cluster(ENDED)) == {"V3": "the swap step of t-0 drops [0, 1]"}
    waits = changed(ENDED, isr=(5, 2, 3, 4, 6))
    begins = changed(
        ENDED,
        running=RunningStep("swap", (7, 8, 9), (5, 6, 2, 3, 4), 1, 2),
        hosted=(5, 6, 7, 8, 9, 2, 3, 4),
    )
    assert found(cluster(waits), cluster(begins)) == {"V3": "swap step 3 of t-0 adds [7, 8, 9]"}
    other = changed(begins, running=RunningStep("swap", (7,), (5, 6, 2, 3, 4), 1, 3))
    wrong = found(cluster(waits), cluster(other))
    assert wrong == {"V3": "a step of t-0 began under another limit than those in force"}
    told = changed(begins, running=RunningStep("swap", (7,), (5, 6, 2, 3, 4), 1, 2))
    assert found(cluster(waits), cluster(told)) == {"V3": "a step of t-0 is told to [8, 9], too"}
    fills = changed(begins, running=RunningStep("fill", (7,), (5, 6, 2, 3, 4), 1, 2))
    fills = changed(fills, hosted=(5, 6, 7, 2, 3, 4))
    wrong = found(cluster(waits, min_isr=6), cluster(fills, min_isr=6))
    assert wrong == {"V3": "fill step 3 of t-0 adds [7]"}


def test_v3_lets_a_first_step_add_as_many_as_producers_need() -> None:
    waits = changed(DURING, running=None, steps=0, isr=(0,), hosted=(0, 1, 2, 3, 4), leader=0)
    step = RunningStep("leader", (5, 6, 7), (0, 1, 2, 3, 4), 1, 2)
    begins = changed(waits, running=step, hosted=(5, 6, 7, 0, 1, 2, 3, 4))
    assert found(cluster(waits, min_isr=4), cluster(begins, min_isr=4)) == {}
    wrong = found(cluster(waits), cluster(begins))
    assert wrong == {"V3": "leader step 1 of t-0 adds [5, 6, 7]"}


def test_v4_finds_steps_above_the_limits() -> None:
    waits = changed(DURING, running=None, hosted=(5, 0, 1, 2, 3, 4))
    wrong = found(cluster(DURING, waits), cluster(DURING, DURING))
    assert wrong == {"V4": "2 steps run at once, 1 may"}
    many = replace(LIMITS, partitions=2)
    assert found(cluster(DURING, waits, limits=many), cluster(DURING, DURING, limits=many)) == {}
    # A limit that is lowered leaves alone what runs.
    lowered = cluster(DURING, DURING)
    assert found(cluster(DURING, DURING, limits=many), lowered) == {}


def test_v4_finds_leader_steps_above_their_limit() -> None:
    many = replace(LIMITS, partitions=5)
    leads = changed(DURING, running=replace(SWAP, kind="leader"))
    waits = changed(DURING, running=None, hosted=(5, 0, 1, 2, 3, 4))
    wrong = found(cluster(leads, waits, limits=many), cluster(leads, leads, limits=many))
    assert wrong == {"V4": "2 leader steps run at once, 1 may"}
    assert found(cluster(leads, waits, limits=many), cluster(leads, DURING, limits=many)) == {}


def test_v4_finds_an_index_that_is_not_that_of_the_moves() -> None:
    wrong = found(cluster(DURING), replace(cluster(DURING), slots=Slots()))
    assert wrong == {"V4": "n1 has noted that other moves run than do"}


LAST = changed(
    DURING,
    replicas=(5, 6, 1),
    adding=(6,),
    removing=(1,),
    isr=(5, 6, 1),
    hosted=(5, 6, 1),
)


def test_v5_finds_a_move_that_ends_under_another_leader() -> None:
    paced = changed(ENDED, replicas=(5, 6), adding=(), removing=(), isr=(5, 6))
    over, under_6 = replace(paced, pace=None), replace(changed(paced, leader=6), pace=None)
    assert found(cluster(LAST), cluster(over)) == {}
    wrong = found(cluster(changed(LAST, leader=6)), cluster(under_6))
    assert wrong == {"V5": "the swap step of t-0 ended its move with leader 6"}
    whole = changed(LAST, leader=6, running=replace(SWAP, limit=UNLIMITED))
    assert found(cluster(whole), cluster(under_6)) == {}


def test_v7_finds_a_step_that_leaves_too_few_replicas() -> None:
    few = changed(ENDED, hosted=(5, 2, 3, 4))
    wrong = found(cluster(DURING), cluster(few))
    assert wrong == {"V7": "the swap step of t-0 leaves 4 replicas that are told"}
    unsettled = changed(ENDED, adding=(6, 7, 8, 9))
    wrong = found(cluster(DURING), cluster(unsettled))
    assert wrong == {"V7": "the swap step of t-0 leaves 4 for a cancel to give back"}


def test_v8_finds_a_step_that_drops_its_leader_or_elects() -> None:
    led = changed(DURING, leader=1)
    wrong = found(cluster(led), cluster(ENDED))
    assert wrong["V8"] == "the swap step of t-0 drops its leader 1"
    wrong = found(cluster(DURING), cluster(changed(ENDED, leader=6)))
    assert wrong["V8"] == "the swap step of t-0 takes the lead from 5"


def test_each_has_its_planted_violation_and_says_what_it_demands() -> None:
    assert STEPS.keys() == {"V1", "V2", "V3", "V4", "V5", "V7", "V8"}, "I2 and I3 look at V6"
    planted = "\n".join(name for name in globals() if name.startswith("test_v"))
    for name in STEPS:
        assert f"test_{name.lower()}_finds" in planted, name
        assert len(rule(name).split()) > 4, name


def test_without_limits_there_is_nothing_to_look_at() -> None:
    none = Limits()
    assert found(cluster(DURING, limits=none), cluster(limits=none)) == {}


@pytest.mark.req("R435-10", "R435-61")
def test_runs_under_limits_keep_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = Counter[str]()
    judged = invariants._ended

    def counted(world: Seen, seen: Observed) -> Iterator[Ended]:
        for ended in judged(world, seen):
            looked_at[f"{ended.step.kind}, {'whole' if ended.whole else 'in part'}"] += 1
            yield ended

    monkeypatch.setattr(invariants, "_ended", counted)
    opening = Opening(SCOPE)
    for seed in range(10):
        finished = run(opening, seed)
        assert finished.violation is None, (seed, finished.violation)
    assert looked_at["swap, in part"] > 30
    assert looked_at["leader, in part"] > 30


def settles_nobody(
    assignment: Assignment, isr: Collection[int], drops: Collection[int]
) -> Assignment:
    after = steps.after_drop(assignment, isr, drops)
    return replace(after, adding=assignment.adding) if after.moving else after


def drops_in_leader_steps(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    return steps.drop_set(situation, running.limit)


@pytest.mark.parametrize(
    ("function", "mistake", "invariant"),
    [("after_drop", settles_nobody, "V7"), ("dropped", drops_in_leader_steps, "V8")],
)
def test_a_run_finds_a_mistake_in_steps(
    monkeypatch: pytest.MonkeyPatch, function: str, mistake: object, invariant: str
) -> None:
    monkeypatch.setattr(stepping, function, mistake)
    opening = Opening(SCOPE)
    found = (run(opening, seed).violation for seed in range(20))
    violation = next(each for each in found if each is not None)
    assert violation.invariant == invariant
