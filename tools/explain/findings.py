"""What may keep a move from its end: causes, how bad they are, and findings of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, unique

from klamm.tools.admin.names import TopicPartition


@unique
class Severity(IntEnum):
    """What becomes of a partition if nobody does anything; the worst is the greatest."""

    PROGRESS = 0
    """It goes on."""
    WAITS = 1
    """It waits for something that comes by itself, as far as one can see."""
    STUCK = 2
    """It waits for something that does not come by itself."""


@unique
class Cause(Enum):
    """Why a move has not ended, by the word that scripts see; the worst first."""

    NO_LIVE_REPLICA = "no-live-replica"
    NEEDS_UNCLEAN_LEADER = "needs-unclean-leader"
    TARGET_OFFLINE = "target-offline"
    LOG_DIR_FAILED = "log-dir-failed"
    THROTTLED_TO_NOTHING = "throttled-to-nothing"
    ISR_CHANGE_STUCK = "isr-change-stuck"
    NOT_COPYING = "not-copying"
    FALLING_BEHIND = "falling-behind"
    LOG_DIR_MOVE_THROTTLED = "log-dir-move-throttled"
    SLOTS_STUCK = "slots-stuck"
    NO_LEADER = "no-leader"
    KEPT_OUT_OF_SYNC = "kept-out-of-sync"
    TOPIC_DELETED = "topic-deleted"
    OFFLINE = "offline"
    NOT_IN_SYNC = "not-in-sync"
    WAITS_FOR_TURN = "waits-for-turn"
    DEFERRED = "deferred"
    CONTROLLER_WAITS = "controller-waits"
    OUT_OF_SYNC = "out-of-sync"
    OWES_DELETES = "owes-deletes"
    STRAY = "stray"
    COPYING = "copying"
    JOINING = "joining"
    LOG_DIR_MOVE = "log-dir-move"
    COMPLETING = "completing"
    STEP = "step"

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        if self in _STUCK:
            return Severity.STUCK
        return Severity.WAITS if self in _WAITS else Severity.PROGRESS


_STUCK = frozenset(
    {
        Cause.NO_LIVE_REPLICA,
        Cause.NEEDS_UNCLEAN_LEADER,
        Cause.TARGET_OFFLINE,
        Cause.LOG_DIR_FAILED,
        Cause.THROTTLED_TO_NOTHING,
        Cause.ISR_CHANGE_STUCK,
        Cause.NOT_COPYING,
        Cause.FALLING_BEHIND,
        Cause.LOG_DIR_MOVE_THROTTLED,
        Cause.SLOTS_STUCK,
    }
)
_WAITS = frozenset(
    {
        Cause.NO_LEADER,
        Cause.KEPT_OUT_OF_SYNC,
        Cause.TOPIC_DELETED,
        Cause.OFFLINE,
        Cause.NOT_IN_SYNC,
        Cause.WAITS_FOR_TURN,
        Cause.DEFERRED,
        Cause.CONTROLLER_WAITS,
        Cause.OUT_OF_SYNC,
        Cause.OWES_DELETES,
        Cause.STRAY,
    }
)
_ORDER = {cause: number for number, cause in enumerate(Cause)}


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause at a partition: what one sees, the values it rests on, and what to do.

    `brokers` are those that it is about. `advice` is a sentence, `commands` what to type, either
    of which will do; both are empty where there is nothing to be done.
    """

    cause: Cause
    partition: TopicPartition
    text: str
    brokers: tuple[int, ...] = ()
    evidence: Mapping[str, object] = field(default_factory=dict)
    advice: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was found at a partition, the worst first; empty if nothing moves there."""

    partition: TopicPartition
    moving: bool
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """That of the worst finding."""
        return max((each.cause.severity for each in self.findings), default=Severity.PROGRESS)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found at each partition, the worst first, and what could not be looked at."""

    partitions: tuple[Diagnosis, ...]
    unseen: tuple[str, ...] = ()

    @property
    def stuck(self) -> bool:
        """Tell whether any move waits for something that does not come by itself."""
        return any(each.severity is Severity.STUCK for each in self.partitions)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort the findings of a partition."""
    return tuple(sorted(findings, key=lambda each: (_ORDER[each.cause], each.brokers)))


def worst_partitions_first(partitions: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Sort partitions by the worst finding of each, those without any last."""

    def key(each: Diagnosis) -> tuple[int, TopicPartition]:
        return (
            min((_ORDER[one.cause] for one in each.findings), default=len(Cause)),
            each.partition,
        )

    return tuple(sorted(partitions, key=key))
