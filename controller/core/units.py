"""What a turn does to one thing: a partition, a new topic, a topic's znode, or znodes apart."""

from dataclasses import dataclass, field

from klamm.controller.core.changes import Change
from klamm.controller.core.events import FollowUp
from klamm.controller.core.model import Partition, Topic
from klamm.controller.core.ops import Op
from klamm.controller.core.plan import Entry, Message
from klamm.controller.core.results import Result


@dataclass(slots=True)
class Unit:
    """All that this turn does to one partition: from `before`, which is durable, to `after`.

    `dropped` are replicas that must stop, and delete once the leader knows that they are gone;
    `stopped` must stop and keep their logs. `handover`: the end of a move changes the leader.
    `check_later`: what was decided here asks for another look, once it is durable. `takes_over`:
    it counts for more than the partition's entry in /admin/reassign_partitions. `parts` are causes
    that are settled by more than this unit.
    """

    before: Partition
    after: Partition
    lead_to: set[int] = field(default_factory=set)
    is_new: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    stopped: set[int] = field(default_factory=set)
    handover: bool = False
    check_later: bool = False
    takes_over: bool = False
    results: list[tuple[int, Result]] = field(default_factory=list)
    causes: list[int] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Creation:
    """A topic to be created, with the znodes that come before its partitions'.

    `results` become true with it, by cause: its own, and those of requests that rest on it.
    """

    topic: Topic
    ops: tuple[Op, ...]
    results: list[tuple[int, Result]]
    entries: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Rewrite:
    """A topic that is to have an id or further partitions; its znode is written with them.

    `results` become true with it, by cause, as in `Creation`. `whole`: so does all that this turn
    moves of the topic.
    """

    topic: Topic
    results: list[tuple[int, Result]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Writes apart from any partition's unit, whole in one Commit, and what is true with them.

    `parts` are causes of which it carries out a part; a later one settles them.
    """

    causes: tuple[int, ...]
    ops: tuple[Op, ...]
    changes: tuple[Change, ...] = ()
    messages: tuple[Message, ...] = ()
    results: tuple[tuple[int, Result], ...] = ()
    entries: tuple[Entry, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    parts: tuple[int, ...] = ()
