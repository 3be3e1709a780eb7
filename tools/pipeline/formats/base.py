"""What every format is: how it is recognised, and how its lines become rows.

A reader is a pure function from lines to what they say, and never raises, whatever the lines. It
accounts for all of them: a line gives rows, or is bad, or says nothing that a table has. Lines come
without their line feed; a byte order mark and a carriage return are cut off (see `tidy`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, tzinfo
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from klamm.tools.pipeline.tables import Row

#: Numbers as the tables can hold them.
Int = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Long = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

#: So much of a bad line is kept.
KEPT_TEXT = 500
_BOM = "\ufeff"
#: What a 64 bit number of milliseconds may be and still be a date of four digits.
_LAST_MS = 253_402_300_799_999
_DAY_MS = 86_400_000
_FIRST_DAY = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class Source:
    """Where lines come from.

    `name` is the file's as it was named to the job. `ts_ms` is when a file that has no time of its
    own was made (tools' output, dumps); None leaves its rows without time and date. `tz` is the
    zone of Kafka's logs: log4j writes local time and no zone. `node` is the broker that wrote, for
    lines that do not say.
    """

    name: str
    cluster: str
    ts_ms: int | None = None
    tz: tzinfo = UTC
    node: int | None = None

    def row(self, line: int, ts_ms: int | None, **columns: object) -> dict[str, Any]:
        """Return a row of a clustered table with what all of them have."""
        return {
            "cluster": self.cluster,
            "date": date_of(ts_ms),
            "ts_ms": ts_ms,
            "source": self.name,
            "line": line,
            **columns,
        }


class Good(NamedTuple):
    """A row of a table, without the columns that are null."""

    table: str
    row: Row


class Bad(NamedTuple):
    """A line that cannot be read: what is wrong with it, and how it begins."""

    line: int
    reason: str
    text: str


class Passed(NamedTuple):
    """A line that says nothing that any table has."""

    line: int


Produced: TypeAlias = Good | Bad | Passed
Line: TypeAlias = tuple[int, str]
Reader: TypeAlias = Callable[[Source, Iterator[Line]], Iterator[Produced]]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    `sniff` gets a file's name and the beginning of its text. `by_line` says that the reader gives
    for any run of lines what it gives for them within the whole, so that a large file may be read
    in pieces; only `at_ms` is then yet to be made never falling, by the largest so far once more.
    `undated` says that rows get the time of the file: the same text of another day says something
    new, namely that all is as it was.
    """

    name: str
    what: str
    sniff: Callable[[str, str], bool]
    reader: Reader
    by_line: bool = False
    undated: bool = False


class Unreadable(ValueError):
    """What is read is not of its form; the text says what was expected, and what is there."""


#: What decoding a line may raise: of a form that it has not, or nested without end.
UNDECODABLE = (msgspec.MsgspecError, ValueError, RecursionError)


def bad(line: int, reason: object, text: str) -> Bad:
    """Return a bad line, cut to what is kept of it."""
    return Bad(line, str(reason), text if len(text) <= KEPT_TEXT else text[:KEPT_TEXT] + "...")


def tidy(lines: Iterable[Line]) -> Iterator[Line]:
    """Cut off what editors and Windows add."""
    for number, text in lines:
        if number == 1:
            text = text.removeprefix(_BOM)
        yield number, text.rstrip("\r\n")


def date_of(ts_ms: int | None) -> str | None:
    """Return the day in UTC, as 2026-01-31."""
    if ts_ms is None or not 0 <= ts_ms <= _LAST_MS:
        return None
    return _day(ts_ms // _DAY_MS)


@lru_cache(4096)
def _day(number: int) -> str:
    """Return a day by its number since 1970; rows of a file are of few of them."""
    return date.fromordinal(_FIRST_DAY + number).isoformat()


def form(
    replicas: Iterable[int],
    *,
    adding: Iterable[int] = (),
    removing: Iterable[int] = (),
    state: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a partition as column `before` or `after` has it; what `state` lacks is null."""
    keys = ("leader", "leader_epoch", "isr", "controller_epoch", "version")
    found = state or {}
    return {
        "replicas": list(replicas),
        "adding": list(adding),
        "removing": list(removing),
        **{key: found.get(key) for key in keys},
    }
