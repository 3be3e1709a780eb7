"""Plans: what a decision asks for, as an ordered tuple of Commits.

Each Commit is one fenced multi below the size limit, together with all that becomes true with
it. Whoever carries a Plan out does commit, apply, send for each Commit, never for the whole Plan;
after any outcome but committed the rest of the Plan is dropped and its causes decided again.
"""

from dataclasses import dataclass

from klamm.controller.core.changes import Change
from klamm.controller.core.events import FollowUp
from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.ops import Op
from klamm.controller.core.pace import StepNote
from klamm.controller.core.results import Result
from klamm.controller.core.status_book import StatusNote

# --- messages: who must learn what of which partition -----------------------------------------


@dataclass(frozen=True, slots=True)
class Lead:
    """LeaderAndIsr of the partition to these brokers; `is_new` are those that must make a log."""

    name: TopicPartition
    brokers: tuple[int, ...]
    is_new: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Publish:
    """UpdateMetadata of the partition to every broker; one that is gone is taken back there."""

    name: TopicPartition


@dataclass(frozen=True, slots=True)
class Stop:
    """StopReplica of the partition to one broker, which also deletes its log if `delete`."""

    name: TopicPartition
    broker: int
    delete: bool


@dataclass(frozen=True, slots=True)
class Announce:
    """UpdateMetadata with the live brokers only, to every broker."""


@dataclass(frozen=True, slots=True)
class Refill:
    """The broker is new, or came back with a new epoch: all it must know, from the state.

    A broker that comes while an office is under way may have `restarted` since the state was
    written: it is not told what it leads by that state, for whether it still may is decided next.
    """

    broker: int
    restarted: bool = False


@dataclass(frozen=True, slots=True)
class Relead:
    """LeaderAndIsr to the broker of all that it has replicas of, as it is: it says how they are."""

    broker: int


@dataclass(frozen=True, slots=True)
class Forget:
    """The broker is gone: whatever it had not been told yet is void."""

    broker: int


Message = Lead | Publish | Stop | Announce | Refill | Relead | Forget

# --- commits ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """What the journal says of one decision; `Draft.note` makes them.

    `kind` is one of `klamm.controller.node.kinds.KINDS`. `cause` is what was decided on (0: none
    of this turn), and `name` or `topic` what was decided about. `after` is the partition as this
    very decision left it, which a later one of the same turn may have changed again. `step` tells
    of a step of the partition's move, if it is about one, `status` of a request with a number.
    """

    kind: str
    text: str = ""
    cause: int = 0
    name: TopicPartition | None = None
    topic: str = ""
    after: Partition | None = None
    step: StepNote | None = None
    status: StatusNote | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """One step of a Plan; without operations it is applied at once, without a multi.

    `causes` are settled once it is applied, with a result where somebody waits for one. `parts`
    are causes of which it carries out a part: a later Commit settles them.
    `follow_ups` are events of the next turn.
    """

    ops: tuple[Op, ...] = ()
    changes: tuple[Change, ...] = ()
    messages: tuple[Message, ...] = ()
    results: tuple[tuple[int, Result], ...] = ()
    causes: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    parts: tuple[int, ...] = ()


Plan = tuple[Commit, ...]
