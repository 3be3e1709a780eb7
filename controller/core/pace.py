"""How far a move has come that is made in steps, and the limits that make it so (KIP-435).

Names: a *step* adds some of the target's replicas and, once they are in sync, drops some that
leave. Its limits are KIP-435's three configs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from klamm.controller.znodes.klamm import ReassignmentStep
from klamm.controller.znodes.parsing import INT32_MAX

UNLIMITED = INT32_MAX

#: What a step is there for: another leader, enough replicas in sync, or old for new ones.
StepKind = Literal["leader", "fill", "swap"]
#: Why no step of a move can be taken at present.
WaitReason = Literal["offline", "target-offline", "not-in-sync"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be under way at once, by reassignment.max.concurrent.*.movements.

    `replicas` bounds what one step adds and drops, `partitions` the steps that run, and `leaders`
    those of them that bring another leader.
    """

    replicas: int = UNLIMITED
    partitions: int = UNLIMITED
    leaders: int = UNLIMITED

    @property
    def none(self) -> bool:
        """Tell whether nothing is limited, so that moves are made as KIP-455 makes them."""
        return self.replicas == self.partitions == self.leaders == UNLIMITED


@dataclass(frozen=True, slots=True)
class MinIsr:
    """How many replicas in sync producers with acks=all need: by topic, and of all other topics."""

    default: int = 1
    topics: Mapping[str, int] = field(default_factory=dict)

    def of(self, topic: str) -> int:
        """Return min.insync.replicas of this topic."""
        return self.topics.get(topic, self.default)


@dataclass(frozen=True, slots=True)
class RunningStep:
    """A step that has begun: `adding` are to join the ISR, and then it ends.

    `before` are the origin and who had joined when it began, `since_ms` is when that was, in
    milliseconds since the epoch. `limit` is that of replicas under which it was chosen.
    """

    kind: StepKind
    adding: tuple[int, ...]
    before: tuple[int, ...]
    since_ms: int
    limit: int = UNLIMITED


@dataclass(frozen=True, slots=True)
class Pace:
    """A move that is made in steps.

    `hosted` are the replicas that brokers are told of, in order, `origin` those before the move,
    `steps` how many have ended, the last of them at `ended_ms`. Between two steps it waits for a
    reason, or, without one, for a slot; `leads` then says that its next step brings another leader,
    which takes a slot of that kind. `started` are replicas that may have got a log by being added;
    None: nobody knows which, for another controller began, and nobody has been stopped since.
    """

    hosted: tuple[int, ...]
    origin: tuple[int, ...]
    steps: int = 0
    running: RunningStep | None = None
    waiting: WaitReason | None = None
    leads: bool = False
    started: frozenset[int] | None = frozenset()
    ended_ms: int = 0

    @property
    def pending(self) -> bool:
        """Tell whether its next step could begin, were there a slot."""
        return self.running is None and self.waiting is None


@dataclass(frozen=True, slots=True)
class StepNote:
    """What the journal tells of a step, enough to judge it without the state.

    `number` is which step of its move it is, from 1 on. `settled` are adding replicas that a cancel
    would not take back any more. `limits` are those in force, `limit` the one of replicas by which
    the step was chosen, `min_isr` the topic's min.insync.replicas, `reason` why it waits or was
    given up.
    """

    number: int
    limits: Limits
    min_isr: int
    hosted: tuple[int, ...]
    kind: StepKind | None = None
    added: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    settled: tuple[int, ...] = ()
    limit: int = UNLIMITED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StepHints:
    """/klamm/reassignment_steps/TOPIC, by partition, as the znode of this dataVersion has them.

    Version None: there is no such znode. One that is `hidden` cannot be read, and is left alone.
    """

    version: int | None = None
    steps: Mapping[int, ReassignmentStep] = field(default_factory=dict)
    hidden: bool = False
