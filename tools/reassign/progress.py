"""--progress: how far a plan, or everything that moves, has come, in bytes and partitions.

Nothing is remembered but what this run has seen: a watch can be ended and started at any time.
Bytes are those that brokers tell of their log directories (key 35).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final

from klamm.controller.configs.throttle_keys import LISTS
from klamm.tools.admin import (
    Admin,
    ConfigResource,
    PartitionReassignment,
    ReassignmentDetails,
    ResourceType,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.admin.partitions import read_partitions
from klamm.tools.reassign.copies import SLOWEST, Copy, Progress, Snapshot
from klamm.tools.reassign.progress_reasons import Standstills, behind_stuck, reasons
from klamm.tools.reassign.progress_sight import Sight, Slow
from klamm.tools.reassign.resume import goal
from klamm.tools.reassign.sizes import Say, replica_bytes
from klamm.tools.reassign.state import PartitionState, States, Target, Verdict, read_states
from klamm.tools.reassign.waiting import DOUBT_SECONDS

Targets = Mapping[TopicPartition, Target]


@unique
class Phase(Enum):
    """How far a partition is."""

    NOT_STARTED = "not started"
    MOVING = "moving"
    CATCHING_UP = "catching up"
    DONE = "done"


PHASES: Final = {
    Verdict.INCONSISTENT: Phase.NOT_STARTED,
    Verdict.MOVING: Phase.MOVING,
    Verdict.CATCHING_UP: Phase.CATCHING_UP,
    Verdict.COMPLETE: Phase.DONE,
}


@dataclass(frozen=True, slots=True)
class Moment:
    """How far everything is: bytes and rate in `copies`, partitions by phase, the slowest."""

    seconds: float
    copies: Snapshot
    phases: Mapping[Phase, int]
    slowest: tuple[Slow, ...]
    unfinished: tuple[TopicPartition, ...]
    is_stuck: bool

    @property
    def partitions(self) -> int:
        """How many partitions are watched."""
        return sum(self.phases.values())


class Watch:
    """Makes moments of looks. Without a plan it watches every move that it finds.

    A move of no plan that has ended elsewhere was cancelled, and is forgotten.
    """

    def __init__(self, plan: Targets | None, now: float) -> None:
        self.targets: dict[TopicPartition, Target] = dict(plan or {})
        self._has_plan = plan is not None
        self._started = now
        self._adding: dict[TopicPartition, frozenset[int]] = {}
        self._progress = Progress([])
        self._elsewhere: dict[TopicPartition, float] = {}
        self._standstills = Standstills()

    @property
    def standing(self) -> frozenset[str]:
        """The topics with copies that stood still at the last look."""
        return self._standstills.topics

    def take_in(self, moving: Mapping[TopicPartition, PartitionReassignment]) -> None:
        """Watch moves that were found, if there is no plan that says what to watch."""
        if not self._has_plan:
            for name, move in moving.items():
                self.targets[name] = goal(move)

    def update(self, sight: Sight, now: float) -> Moment:
        """Take in a look; `now` is in seconds and never goes back."""
        partitions = sight.states.partitions
        if not self._has_plan:
            self._forget_cancelled(partitions.values(), now)
        states = {name: state for name, state in partitions.items() if name in self.targets}
        unfinished = [
            name for name, state in states.items() if state.verdict is not Verdict.COMPLETE
        ]
        copies = {name: self._copies(states[name], sight) for name in unfinished}
        seen = [copy for mine in copies.values() for copy in mine]
        self._progress.add(seen)
        snapshot = self._progress.update(now, seen, frozenset(unfinished))
        standing = self._standstills.update(seen, states, sight, now)
        slow = [
            Slow(
                name,
                min((one for one in mine if sight.is_due(one)), key=_share, default=None),
                reasons(states[name], sight, mine) + standing[name],
            )
            for name, mine in copies.items()
        ]
        slow = behind_stuck(slow, sight)
        # What waits for its turn would hide what moves: it comes last.
        slow.sort(
            key=lambda one: (
                PHASES[states[one.name].verdict] is Phase.NOT_STARTED,
                sight.is_deferred(one.name),
                _share(one.copy) if one.copy else 1.0,
                one.name,
            )
        )
        phases = dict.fromkeys(Phase, 0)
        for state in states.values():
            phase = PHASES[state.verdict]
            if phase is Phase.NOT_STARTED and not self._has_plan:
                phase = Phase.CATCHING_UP  # it has ended, and a broker lags behind or it was undone
            phases[phase] += 1
        return Moment(
            now - self._started,
            snapshot,
            phases,
            tuple(slow[:SLOWEST]),
            tuple(unfinished),
            bool(slow) and all(any(r.lasts for r in one.reasons) for one in slow),
        )

    def _forget_cancelled(self, states: Iterable[PartitionState], now: float) -> None:
        """Drop what has looked cancelled for a while: a broker may lag behind the controller."""
        elsewhere = {}
        for state in states:
            if state.verdict is Verdict.INCONSISTENT:
                since = elsewhere[state.name] = self._elsewhere.get(state.name, now)
                if now - since >= DOUBT_SECONDS:
                    del self.targets[state.name]
                    self._progress.drop({state.name})
        self._elsewhere = elsewhere

    def _copies(self, state: PartitionState, sight: Sight) -> list[Copy]:
        """Return the replicas that a move adds; nobody knows them once it has ended."""
        name, move = state.name, sight.states.moving.get(state.name)
        found = move.adding_replicas if move else set(state.target) - set(state.current)
        adding = self._adding[name] = self._adding.get(name, frozenset()) | frozenset(found)
        described = sight.described.get(name)
        isr = described.isr if described else ()
        sizes = {
            broker: sight.sizes.get(TopicPartitionReplica(*name, broker), 0)
            for broker in {*state.current, *state.target}
        }
        whole = max(
            (size for broker, size in sizes.items() if broker not in adding or broker in isr),
            default=0,
        )
        return [
            Copy(name, broker, whole if broker in isr else min(sizes[broker], whole), whole)
            for broker in sorted(adding & set(sizes))
        ]


def look(admin: Admin, watch: Watch, say: Say) -> Sight:
    """Ask the cluster; raises AdminError."""
    states = read_states(admin, watch.targets)
    watch.take_in(states.moving)
    partitions = {
        name: states.partitions.get(name)
        or PartitionState(name, target, states.moving[name].replicas, moving=True)
        for name, target in watch.targets.items()
    }
    states = States(partitions, states.moving)
    left = [name for name, state in partitions.items() if state.verdict is not Verdict.COMPLETE]
    if not left:
        return Sight(states)
    brokers = frozenset(admin.describe_cluster().result().brokers)
    holders = {broker for name in left for broker in partitions[name].current}
    sizes = replica_bytes(admin, holders & brokers, left, say)
    described = read_partitions(admin, {name.topic for name in left})
    unthrottled = _unthrottled(admin, watch.standing)
    return Sight(states, described, brokers, sizes, _details(admin), unthrottled)


def _details(admin: Admin) -> Mapping[TopicPartition, ReassignmentDetails]:
    try:
        return admin.describe_reassignments().result()
    except errors.UnsupportedVersionError:
        return {}


def _unthrottled(admin: Admin, topics: Collection[str]) -> frozenset[str]:
    """Return which of the topics have no throttled replicas; who may not ask knows of none."""
    resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in sorted(topics)]
    found = set()
    for resource, future in admin.describe_configs(resources).futures.items():
        try:
            entries = future.result()
        except errors.ApiError:
            continue
        if not any(entries[key].value for key in LISTS if key in entries):
            found.add(resource.name)
    return frozenset(found)


def _share(copy: Copy) -> float:
    return copy.done / copy.total if copy.total else 1.0
