"""What is known of a cluster as a whole: offices, brokers, deletions, throttles, missing entries.

A partition's own events do not tell who was in office or which brokers lived. That is little beside
all events of months (a row for each failover, broker that comes or goes, deleted topic or altered
config), so that every executor can have all of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from klamm.controller.configs.throttle_keys import LISTS, RATES
from klamm.tools.pipeline.history.kinds import CONTROLLER_LOG, JOURNAL, METADATA_LOG
from klamm.tools.pipeline.tables import Row

#: The kinds of events without a partition that are looked at here.
KINDS = frozenset(
    {
        "elected",
        "in office",
        "resumed",
        "brokers",
        "snapshot",
        "topic-gone",
        "topic-deleted",
        "config-altered",
        "assignment-accepted",
        "lost",
        "rest",
    }
)
#: The columns of them that are looked at.
READS = (
    "cluster",
    "origin",
    "step",
    "controller_epoch",
    "at_ms",
    "node",
    "seq",
    "part",
    "kind",
    "topic",
    "principal",
    "client_id",
    "text",
    "detail",
)
#: Who tells what a controller decides; these histories have offices, epochs and forms.
TELLERS = (JOURNAL, CONTROLLER_LOG, "state-change-log", METADATA_LOG)

_NOW = re.compile(r"\bnow \[([0-9, ]*)\]")
_ALTERED = re.compile(r"(topics|brokers)/([^:]*): (.*)")


class Moment(NamedTuple):
    """A place in the order of a history (see `order`), as far as two places must be compared."""

    step: int
    controller_epoch: int
    at_ms: int

    @classmethod
    def of(cls, row: Row) -> Moment:
        """Return the moment of a row; what it does not say comes first."""
        step, epoch = row["step"], row["controller_epoch"]
        return cls(-1 if step is None else step, -1 if epoch is None else epoch, row["at_ms"] or 0)


@dataclass(frozen=True, slots=True)
class Office:
    """A controller's term: elected, then with all read (`in office`), then at rest (`resumed`).

    Times are None if the history does not tell them.
    """

    epoch: int
    node: int | None
    elected_ms: int
    serving_ms: int | None = None
    settled_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Entries of a node that the history does not have: how many, and between which times."""

    node: int
    entries: int
    after_ms: int
    before_ms: int

    def meets(self, start_ms: int, end_ms: int) -> bool:
        """Tell whether some of it lies between two times."""
        return self.after_ms <= end_ms and start_ms <= self.before_ms


@dataclass(frozen=True, slots=True)
class Extent:
    """One file's entries of a node: from and to which number and time, and how many they are."""

    node: int
    first: int
    last: int
    entries: int
    first_ms: int
    last_ms: int


@dataclass(frozen=True)
class Surroundings:
    """All that is known of one cluster; times are milliseconds since the epoch."""

    offices: tuple[Office, ...] = ()
    #: Who lived, from when on.
    alive: tuple[tuple[Moment, frozenset[int]], ...] = ()
    gone: Mapping[str, tuple[Moment, ...]] = field(default_factory=dict)
    #: By topic or broker (`topics/orders`, `brokers/3`): when its throttles were set or unset.
    throttles: Mapping[str, tuple[tuple[int, bool], ...]] = field(default_factory=dict)
    #: Entries that give a number to a request of KIP-179, by node and number of the entry: who
    #: asked, by principal and client id.
    numbered: Mapping[tuple[int, int], tuple[str | None, str | None]] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    ends_ms: int = 0
    last_epoch: int | None = None
    #: A simulated history has come to its end, and all was waited for.
    at_rest: bool = False

    def alive_at_end(self) -> frozenset[int] | None:
        """Who lives when the history ends; None: it does not say."""
        return self.alive[-1][1] if self.alive else None

    def throttled(self, entity: str, at_ms: int) -> bool | None:
        """Tell whether throttles were set at a time; None: nobody has touched them before."""
        changes = self.throttles.get(entity, ())
        at = bisect_right(changes, at_ms, key=itemgetter(0))
        return changes[at - 1][1] if at else None

    def set_throttles(self) -> Iterator[tuple[str, int]]:
        """Yield whose throttles are set when the history ends, and since when."""
        for entity, changes in sorted(self.throttles.items()):
            since, is_set = changes[-1]
            if is_set:
                yield entity, since

    def has_gap(self, start_ms: int, end_ms: int) -> bool:
        """Tell whether entries are missing between two times."""
        return any(gap.meets(start_ms, end_ms) for gap in self.gaps)


def survey(
    rows: Iterable[Row], extents: Iterable[Extent], ends_ms: int, last_epoch: int | None
) -> Surroundings:
    """Gather what rows of one cluster say, in any order, of the kinds in `KINDS`.

    `extents` are those of its journals' files, `ends_ms` and `last_epoch` of all its events.
    """
    ordered = sorted(rows, key=lambda row: (*Moment.of(row), row["node"] or 0, row["seq"] or 0))
    offices: dict[int, Office] = {}
    alive: list[tuple[Moment, frozenset[int]]] = []
    gone: dict[str, list[Moment]] = defaultdict(list)
    throttles: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    numbered: dict[tuple[int, int], tuple[str | None, str | None]] = {}
    dropped, at_rest = list[Gap](), False
    for row in ordered:
        match row["kind"]:
            case "elected" | "in office" | "resumed":
                _office(offices, row)
            case "brokers" | "snapshot":
                found = _brokers(row)
                if found is not None:
                    alive.append((Moment.of(row), found))
            case "topic-gone" | "topic-deleted" if row["topic"] and row["origin"] in TELLERS:
                gone[row["topic"]].append(Moment.of(row))
            case "config-altered":
                for entity, is_set in _throttles(row["text"] or ""):
                    throttles[entity].append((row["at_ms"], is_set))
            case "assignment-accepted":
                numbered[row["node"], row["seq"]] = row["principal"], row["client_id"]
            case "lost":
                count = int(_detail(row).get("lost") or 0)
                dropped.append(Gap(row["node"], count, row["at_ms"], row["at_ms"]))
            case "rest":
                at_rest = True
    return Surroundings(
        tuple(offices[epoch] for epoch in sorted(offices)),
        tuple(alive),
        {topic: tuple(times) for topic, times in gone.items()},
        {entity: tuple(sorted(changes)) for entity, changes in throttles.items()},
        numbered,
        tuple(sorted([*dropped, *_between(extents, dropped)], key=lambda gap: gap.after_ms)),
        ends_ms,
        last_epoch,
        at_rest,
    )


def _office(offices: dict[int, Office], row: Row) -> None:
    epoch, at_ms = row["controller_epoch"], row["at_ms"]
    if epoch is None:
        return
    known = offices.get(epoch, Office(epoch, row["node"], at_ms))
    match row["kind"]:
        case "in office":
            known = Office(epoch, known.node, known.elected_ms, at_ms, known.settled_ms)
        case "resumed":
            known = Office(epoch, known.node, known.elected_ms, known.serving_ms, at_ms)
    offices[epoch] = known


def _brokers(row: Row) -> frozenset[int] | None:
    """Who lives, by an entry that says it."""
    listed = _detail(row).get("brokers")
    if listed is not None:
        return frozenset(each["id"] if isinstance(each, dict) else int(each) for each in listed)
    found = _NOW.search(row["text"] or "")
    return None if found is None else frozenset(map(int, re.findall(r"\d+", found[1])))


def _throttles(text: str) -> Iterable[tuple[str, bool]]:
    """Tell which throttles an altered config sets or unsets; its keys are named, not their values.

    One key of an entity stands for all: tools set and unset them together.
    """
    found = _ALTERED.fullmatch(text)
    if found is None:
        return
    kind, name, what = found.groups()
    keys = LISTS if kind == "topics" else RATES
    for part in what.split("; "):
        verb, _, named = part.partition(" ")
        if verb in {"set", "unset"} and not set(keys).isdisjoint(named.split(", ")):
            yield f"{kind}/{name}", verb == "set"


def _between(extents: Iterable[Extent], dropped: Iterable[Gap]) -> Iterable[Gap]:
    """Find what is missing within and between the files of a node.

    A line that says how many entries were dropped is one of its file's, and accounts for them.
    """
    by_node: dict[int, list[Extent]] = defaultdict(list)
    for extent in extents:
        by_node[extent.node].append(extent)
    for node in sorted(by_node):
        files = sorted(by_node[node], key=lambda each: (each.first, each.last))
        for each in files:
            told = sum(
                gap.entries - 1
                for gap in dropped
                if gap.node == node and each.first_ms <= gap.after_ms <= each.last_ms
            )
            missing = each.last - each.first + 1 - each.entries - max(told, 0)
            if missing > 0:
                yield Gap(node, missing, each.first_ms, each.last_ms)
        for one, other in pairwise(files):
            skipped = other.first - one.last - 1
            ended = [g for g in dropped if g.node == node and g.after_ms == one.last_ms]
            skipped -= sum(gap.entries - 1 for gap in ended)
            if skipped > 0:
                yield Gap(node, skipped, one.last_ms, other.first_ms)


def _detail(row: Row) -> dict[str, Any]:
    text = row["detail"]
    return msgspec.json.decode(text, type=dict[str, Any]) if text else {}
