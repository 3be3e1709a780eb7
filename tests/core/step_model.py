"""Moves in steps, played by the pure functions alone: brokers, ISRs and slots are plain values.

V1 to V8 are checked whenever a step begins or ends.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core import step_checks
from core.step_checks import Breach, Standing

from klamm.controller.core import slots, steps
from klamm.controller.core.election import first_eligible, repaired
from klamm.controller.core.model import NO_LEADER, Assignment, Leadership, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits, Pace, RunningStep
from klamm.controller.core.reassignment import cancelled, merge_target_first
from klamm.controller.core.slots import PaceChange, Slots
from klamm.controller.core.steps import Choice, Finished, Situation


@dataclass(frozen=True)
class Functions:
    """What is being played; a deliberate mistake replaces one of them."""

    next_step: Callable[[Situation, int], Choice | str | Finished] = steps.next_step
    is_over: Callable[[Situation, RunningStep], bool] = steps.is_over
    is_void: Callable[[Situation, RunningStep], bool] = steps.is_void
    dropped: Callable[[Situation, RunningStep], tuple[int, ...]] = steps.dropped
    after_drop: Callable[[Assignment, Collection[int], Collection[int]], Assignment] = (
        steps.after_drop
    )
    admissible: Callable[[Slots, Iterable[PaceChange], Limits], tuple[TopicPartition, ...]] = (
        slots.admissible
    )


FUNCTIONS = Functions()


@dataclass(frozen=True)
class Ended:
    """A step that has ended: what it did, and how its move stands then."""

    name: TopicPartition
    kind: str
    added: tuple[int, ...]
    dropped: tuple[int, ...]
    after: Standing

    def __str__(self) -> str:
        words = [self.kind]
        if self.added:
            words.append("+" + ",".join(map(str, self.added)))
        if self.dropped:
            words.append("-" + ",".join(map(str, self.dropped)))
        return " ".join(words)


@dataclass
class Moved:
    """One partition; `goal` is where its move ends, `steps` counts those of this move."""

    assignment: Assignment
    leader: int
    isr: tuple[int, ...]
    goal: tuple[int, ...]
    pace: Pace | None = None
    steps: int = 0

    @property
    def hosted(self) -> tuple[int, ...]:
        adding = self.pace.running.adding if self.pace and self.pace.running else ()
        return steps.hosted(self.assignment, self.isr, adding)

    @property
    def late(self) -> list[int]:
        """Who is copying, and not in sync yet."""
        return [] if self.leader == NO_LEADER else [b for b in self.hosted if b not in self.isr]

    @property
    def standing(self) -> Standing:
        return Standing(self.assignment, self.leader, self.isr, self.hosted)


class World:
    """Some partitions on some brokers, under limits that can change."""

    def __init__(
        self,
        brokers: Iterable[int],
        limits: Limits,
        min_isr: int = 1,
        functions: Functions = FUNCTIONS,
    ) -> None:
        self.brokers = tuple(brokers)
        self.alive = set(self.brokers)
        self.limits = limits
        self.min_isr = min_isr
        self.functions = functions
        self.partitions: dict[TopicPartition, Moved] = {}
        self.slots = Slots()
        self.ended: list[Ended] = []

    # --- what happens ----------------------------------------------------------------------

    def create(
        self, name: TopicPartition, replicas: Sequence[int], isr: Sequence[int] = ()
    ) -> None:
        in_sync = tuple(isr or replicas)
        present = tuple(replicas)
        self.partitions[name] = Moved(Assignment(present), in_sync[0], in_sync, present)

    def move(self, name: TopicPartition, target: Sequence[int]) -> None:
        """Order a move, or another target for one that is under way."""
        self.move_all({name: target})

    def move_all(self, targets: Mapping[TopicPartition, Sequence[int]]) -> None:
        """Order moves in one request."""
        for name, target in targets.items():
            moved = self.partitions[name]
            self._begin(moved, name, merge_target_first(moved.assignment, target))
        self.settle()

    def cancel(self, name: TopicPartition) -> None:
        moved = self.partitions[name]
        self._begin(moved, name, cancelled(moved.assignment))
        self.settle()

    def _begin(self, moved: Moved, name: TopicPartition, wanted: Assignment) -> None:
        """Give it this assignment, as a cancel or a new target does: nobody is copied to wait for.

        It is refused where nobody alive would be left in sync, as the product refuses it.
        """
        isr = tuple(b for b in moved.isr if b in wanted.replicas)
        if self.alive.isdisjoint(isr):
            return
        moved.assignment, moved.isr, moved.goal = wanted, isr, wanted.target
        if moved.leader not in wanted.replicas:
            moved.leader = first_eligible(wanted.replicas, isr, self.alive)
        self._set(name, Pace((), wanted.origin) if wanted.moving else None)
        moved.steps = 0

    def kill(self, broker: int) -> None:
        self.alive.discard(broker)
        self.settle()

    def revive(self, broker: int) -> None:
        self.alive.add(broker)
        self.settle()

    def join(self, name: TopicPartition, broker: int) -> bool:
        """Let a replica catch up; False if it is down, or does not copy."""
        moved = self.partitions[name]
        if broker not in moved.late or broker not in self.alive:
            return False
        moved.isr = (*moved.isr, broker)
        self.settle()
        return True

    def lag(self, name: TopicPartition, broker: int) -> None:
        """Let a follower fall out of sync."""
        moved = self.partitions[name]
        if broker in moved.isr and broker != moved.leader and len(moved.isr) > 1:
            moved.isr = tuple(b for b in moved.isr if b != broker)
            self.settle()

    def catch_up(self, name: TopicPartition) -> None:
        """Let all catch up, step after step, as long as anybody copies who can."""
        while any(self.join(name, broker) for broker in self.partitions[name].late):
            pass

    def limit(self, limits: Limits) -> None:
        self.limits = limits
        self.settle()

    def fail_over(self, hints: bool) -> None:
        """Let another controller take over, which finds what is durable, and maybe the hints.

        No hint says under which limit of replicas a step was chosen.
        """
        for moved in self.partitions.values():
            if moved.pace is None:
                continue
            running = moved.pace.running if hints else None
            if running is not None:
                running = replace(running, limit=self.limits.replicas)
            moved.pace = Pace((), moved.pace.origin, moved.pace.steps if hints else 0, running)
        paces = ((n, m.pace) for n, m in self.partitions.items() if m.pace)
        self.slots = Slots.of(paces)
        self.settle()

    # --- what the controller makes of it ---------------------------------------------------

    def settle(self) -> None:
        """Do all that can be done before anything else happens."""
        for _ in range(1000):
            for name, moved in self.partitions.items():
                self._check(name, moved)
            granted = self.functions.admissible(self.slots, (), self.limits)
            paces = {name: m.pace for name, m in self.partitions.items() if m.pace}
            step_checks.grants(paces, granted, self.limits)
            if not granted:
                return
            for name in granted:
                self._start(name)
        raise Breach(f"V2: {self.partitions} never come to rest")

    def situation(self, moved: Moved) -> Situation:
        steps_ended = moved.pace.steps if moved.pace else 0
        return Situation(
            moved.assignment, moved.leader, moved.isr, self.alive, self.min_isr, steps_ended
        )

    def _check(self, name: TopicPartition, moved: Moved) -> None:
        """Repair leader and ISR; go on with the step, end it, or choose the next one."""
        leadership = Leadership(moved.leader, 0, moved.isr, 0, 0)
        replicas = moved.assignment.replicas
        moved.leader, moved.isr = repaired(replicas, leadership, self.alive, self.alive)
        step_checks.shape(moved.assignment, moved.goal)
        running = moved.pace.running if moved.pace else None
        if running is not None:
            situation = self.situation(moved)
            if self.functions.is_over(situation, running):
                self._end(name, moved, running)
            elif not self.functions.is_void(situation, running):
                return
        if moved.pace is not None:
            self._choose(name, moved, moved.pace)

    def _choose(self, name: TopicPartition, moved: Moved, pace: Pace) -> None:
        pace = replace(pace, running=None, waiting=None, leads=False)
        match self.functions.next_step(self.situation(moved), self.limits.replicas):
            case Choice(kind, _):
                self._set(name, replace(pace, leads=kind == "leader"))
            case Finished():
                self._finish(name, moved, self.limits.replicas)
            case "offline" | "target-offline" | "not-in-sync" as reason:
                self._set(name, replace(pace, waiting=reason))

    def _start(self, name: TopicPartition) -> None:
        moved = self.partitions[name]
        pace = moved.pace
        assert pace is not None
        situation = self.situation(moved)
        choice = self.functions.next_step(situation, self.limits.replicas)
        assert isinstance(choice, Choice)
        step_checks.choice(situation, choice, self.limits.replicas)
        running = RunningStep(choice.kind, choice.adding, moved.hosted, 0, self.limits.replicas)
        self._set(name, replace(pace, running=running))

    def _end(self, name: TopicPartition, moved: Moved, running: RunningStep) -> None:
        before, pace = moved.standing, moved.pace
        assert pace is not None
        whole = running.limit == UNLIMITED
        if running.kind == "leader" and not whole:
            moved.leader = moved.assignment.target[0]
        drops = self.functions.dropped(self.situation(moved), running)
        moved.assignment = self.functions.after_drop(moved.assignment, moved.isr, drops)
        moved.isr = tuple(b for b in moved.isr if b not in drops)
        replicas = moved.assignment.replicas
        if whole and moved.leader not in replicas:
            moved.leader = first_eligible(replicas, moved.isr, self.alive)
        step_checks.shape(moved.assignment, moved.goal)
        self._set(name, replace(pace, running=None, steps=pace.steps + 1))
        moved.steps += 1
        after = moved.standing
        step_checks.end(before, after, running, self.alive, self.min_isr)
        added, left = running.adding, moved.assignment
        self.ended.append(Ended(name, running.kind, added, tuple(drops), after))
        if not left.moving:
            self._finish(name, moved, running.limit)

    def _finish(self, name: TopicPartition, moved: Moved, limit: int) -> None:
        step_checks.final(moved.standing, moved.goal, self.alive, limit)
        moved.assignment = Assignment(moved.assignment.target)
        self._set(name, None)

    def _set(self, name: TopicPartition, pace: Pace | None) -> None:
        moved = self.partitions[name]
        self.slots = self.slots.updated(name, moved.pace, pace)
        moved.pace = pace
