"""Whatever happens to moves in steps: V1 to V8 hold, and a mistake in a step would be found."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from random import Random

import pytest
import slow
from core import step_checks, step_runs
from core.step_checks import Breach, Standing
from core.step_model import Functions, World
from core.step_runs import run_with_faults, run_without_faults
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from klamm.controller.core import slots, steps
from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits, RunningStep
from klamm.controller.core.reassignment import merge_leaving_first, merge_target_first
from klamm.controller.core.slots import PaceChange, Slots
from klamm.controller.core.steps import Choice, Finished, Situation

IDS = range(8)
LISTS = st.lists(st.sampled_from(IDS), unique=True, min_size=1, max_size=5)
LIMITS = st.sampled_from([1, 1, 2, 3, UNLIMITED])
RUNS = [run_with_faults, run_without_faults]


@pytest.mark.req("R435-21", "R435-30")
@pytest.mark.parametrize("run", RUNS)
def test_random_runs_keep_what_steps_promise(run: Callable[[int], World]) -> None:
    ended = [len(run(seed).ended) for seed in range(400)]
    assert sum(ended) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_many_random_runs_keep_what_steps_promise(run: Callable[[int], World]) -> None:
    """The long form does 100,000 of each kind."""
    for seed in range(slow.examples(10_000)):
        try:
            run(seed)
        except Breach as breach:
            raise Breach(f"seed {seed}") from breach


# --- any situation -----------------------------------------------------------------------------


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """A partition on its way from one list to another, with any of its replicas in sync."""
    merge = draw(st.sampled_from([merge_target_first, merge_leaving_first]))
    assignment = merge(Assignment(tuple(draw(LISTS))), draw(LISTS))
    isr = draw(st.permutations(assignment.replicas))[: draw(st.integers(1, 10))]
    alive = frozenset({isr[0], *draw(st.sets(st.sampled_from(IDS)))})
    in_sync = tuple(broker for broker in isr if broker in alive)
    return Situation(
        assignment, in_sync[0], in_sync, alive, draw(st.integers(1, 5)), draw(st.integers(0, 2))
    )


@pytest.mark.req("R435-12", "R435-21", "R435-30")
@settings(max_examples=400)
@given(situations(), LIMITS)
def test_a_step_from_any_situation(situation: Situation, limit: int) -> None:
    assignment = situation.assignment
    choice = steps.next_step(situation, limit)
    if not isinstance(choice, Choice):
        reached = not assignment.moving or not assignment.removing
        assert choice != "offline"
        assert choice is not steps.FINISHED or reached
        return
    step_checks.choice(situation, choice, limit)
    before = steps.current(assignment, situation.isr)
    running = RunningStep(choice.kind, choice.adding, before, 0, limit)
    planned = steps.planned(situation, running)
    assert not steps.is_void(situation, running)
    # All join, those too that are away, if the step is for them.
    isr = tuple(dict.fromkeys((*situation.isr, *choice.adding)))
    then = replace(situation, isr=isr, alive=situation.alive | set(choice.adding))
    if not steps.is_over(then, running):
        assert limit == UNLIMITED
        assert not set(assignment.target) <= set(isr)
        return
    drops = steps.dropped(then, running)
    leader = assignment.target[0] if running.kind == "leader" else situation.leader
    after = steps.after_drop(assignment, isr, drops)
    left = tuple(broker for broker in isr if broker not in drops)
    told = steps.hosted(assignment, situation.isr, choice.adding)
    step_checks.shape(after, assignment.target)
    step_checks.end(
        Standing(assignment, situation.leader, isr, told),
        Standing(after, leader, left, steps.current(after, left)),
        running,
        then.alive,
        situation.min_isr,
    )
    assert planned == steps.ordered(assignment, set(told).difference(drops))


# --- any history -------------------------------------------------------------------------------


class AnySteps(RuleBasedStateMachine):
    """What `run_with_faults` does, for Hypothesis to find the shortest history that fails."""

    @initialize(limits=st.builds(Limits, LIMITS, LIMITS, LIMITS), min_isr=st.integers(1, 3))
    def begin(self, limits: Limits, min_isr: int) -> None:
        self.world = World(IDS, limits, min_isr)

    @rule(name=st.sampled_from(step_runs.NAMES), replicas=LISTS, wanted=LISTS)
    def order(self, name: TopicPartition, replicas: list[int], wanted: list[int]) -> None:
        if name not in self.world.partitions:
            self.world.create(name, replicas)
        self.world.move(name, wanted)

    @rule(name=st.sampled_from(step_runs.NAMES))
    def cancel(self, name: TopicPartition) -> None:
        if name in self.world.partitions:
            self.world.cancel(name)

    @rule(name=st.sampled_from(step_runs.NAMES), data=st.data())
    def join(self, name: TopicPartition, data: st.DataObject) -> None:
        moved = self.world.partitions.get(name)
        if moved and moved.late:
            self.world.join(name, data.draw(st.sampled_from(moved.late)))

    @rule(name=st.sampled_from(step_runs.NAMES), data=st.data())
    def lag(self, name: TopicPartition, data: st.DataObject) -> None:
        if name in self.world.partitions:
            isr = self.world.partitions[name].isr
            self.world.lag(name, data.draw(st.sampled_from(isr)))

    @rule(broker=st.sampled_from(IDS))
    def kill(self, broker: int) -> None:
        self.world.kill(broker)

    @rule(broker=st.sampled_from(IDS))
    def revive(self, broker: int) -> None:
        self.world.revive(broker)

    @rule(limits=st.builds(Limits, LIMITS, LIMITS, LIMITS))
    def limit(self, limits: Limits) -> None:
        self.world.limit(limits)

    @rule(hints=st.booleans())
    def fail_over(self, hints: bool) -> None:
        self.world.fail_over(hints)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            for broker in IDS:
                self.world.revive(broker)
            step_runs.end(self.world, Random(0))


TestAnySteps = pytest.mark.req("R435-21", "R435-30", "R435-36", "R435-37")(AnySteps.TestCase)
TestAnySteps.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


@pytest.mark.slow
def test_any_steps_for_longer() -> None:
    slow.run_for_longer(AnySteps)


# --- mistakes ----------------------------------------------------------------------------------


def adds_one_too_many(situation: Situation, limit: int) -> Choice | str | Finished:
    return steps.next_step(situation, min(limit + 1, UNLIMITED))


def always_fills_up(situation: Situation, limit: int) -> Choice | str | Finished:
    return steps.next_step(replace(situation, steps=0), limit)


def passes_over_nobody(situation: Situation, limit: int) -> Choice | str | Finished:
    everybody = situation.alive | set(situation.assignment.adding)
    return steps.next_step(replace(situation, alive=everybody), limit)


def ignores_producers(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    return steps.dropped(replace(situation, min_isr=0), running)


def drops_the_leader(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    drops, leader = steps.dropped(situation, running), situation.leader
    return (leader, *drops[1:]) if drops and leader in situation.assignment.removing else drops


def drops_the_last_too_soon(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    leaving = steps.leaving(situation.assignment)
    drops = steps.dropped(situation, running)
    last = tuple(broker for broker in leaving if broker not in drops)
    return (*drops, *last) if drops and len(last) == 1 else drops


def drops_more_than_the_surplus(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    if running.kind != "swap":
        return ()
    going = (b for b in steps.leaving(situation.assignment) if b != situation.leader)
    return tuple(going)[: running.limit]


def drops_in_leader_steps(situation: Situation, running: RunningStep) -> tuple[int, ...]:
    return steps.drop_set(situation, running.limit)


def ends_at_once(situation: Situation, running: RunningStep) -> bool:
    return True


def never_gives_up(situation: Situation, running: RunningStep) -> bool:
    return False


def settles_nobody(
    assignment: Assignment, isr: Collection[int], drops: Collection[int]
) -> Assignment:
    after = steps.after_drop(assignment, isr, drops)
    return replace(after, adding=assignment.adding) if after.moving else after


def forgets_the_target_s_order(
    assignment: Assignment, isr: Collection[int], drops: Collection[int]
) -> Assignment:
    after = steps.after_drop(assignment, isr, drops)
    return replace(after, replicas=tuple(sorted(after.replicas)))


def forgets_who_leaves(
    assignment: Assignment, isr: Collection[int], drops: Collection[int]
) -> Assignment:
    after = steps.after_drop(assignment, isr, drops)
    return replace(after, removing=()) if after.moving else after


def counts_no_leaders(
    index: Slots, changes: Iterable[PaceChange], limits: Limits
) -> tuple[TopicPartition, ...]:
    return slots.admissible(index, changes, replace(limits, leaders=UNLIMITED))


def lets_one_too_many_begin(
    index: Slots, changes: Iterable[PaceChange], limits: Limits
) -> tuple[TopicPartition, ...]:
    return slots.admissible(index, changes, replace(limits, partitions=limits.partitions + 1))


@pytest.mark.parametrize(
    ("field", "mistake", "breach"),
    [
        ("next_step", adds_one_too_many, "V3"),
        ("next_step", always_fills_up, "V3"),
        ("next_step", passes_over_nobody, "R435-22"),
        ("dropped", ignores_producers, "V1"),
        ("dropped", drops_the_leader, "V8"),
        ("dropped", drops_the_last_too_soon, "V"),
        ("dropped", drops_more_than_the_surplus, "V"),
        ("dropped", drops_in_leader_steps, "(R435-14|V8)"),
        ("is_over", ends_at_once, "R435-19"),
        ("is_void", never_gives_up, "V2"),
        ("after_drop", settles_nobody, "V7"),
        ("after_drop", forgets_the_target_s_order, "V"),
        ("after_drop", forgets_who_leaves, "V6"),
        ("admissible", counts_no_leaders, "V4"),
        ("admissible", lets_one_too_many_begin, "V4"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_mistake_would_be_found(field: str, mistake: object, breach: str) -> None:
    functions = Functions(**{field: mistake})  # type: ignore[arg-type]
    with pytest.raises(Breach, match=f"^{breach}"):
        for seed in range(2000):
            run_with_faults(seed, functions)
