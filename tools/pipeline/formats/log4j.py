"""Lines of Kafka's own logs: log4j's pattern `[%d] %p %m (%c)%n`, as Kafka's config has it.

An entry is a line that begins with a time, and what follows it until the next one: the rest of a
message of several lines, and a stack trace. Times are local and say no zone, so the reader is told
it (`Source.tz`); of an hour that comes twice a year the first is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from klamm.tools.pipeline.formats.base import Bad, Line, Passed, Source, bad, tidy

_BEGIN = re.compile(
    r"\[(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)[,.](\d{3})\] +"
    r"(TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +(.*)",
    re.ASCII,
)
_LOGGER = re.compile(r"(.*?) ?\(([\w.$]+)\)", re.ASCII | re.DOTALL)
_WHO = re.compile(r"\[([^\]\n]{1,80})\]:? *", re.ASCII)
_NODE = re.compile(
    r"(?:\bid=|controllerId=|Manager |on controller |brokerId=)(\d{1,9})(?: epoch=(\d{1,9}))?",
    re.ASCII,
)
#: The words of a trace that begin each line of it but the first.
_TRACE = ("\tat ", "    at ", "\t...", "Caused by: ", "\tSuppressed: ", "Suppressed: ")
#: A message of many lines is cut: nobody needs a trace to its end.
_KEPT_LINES = 20


@dataclass(slots=True)
class Entry:
    """An entry: `node` and `epoch` are those of its prefix, `message` what is behind that.

    `more` are the lines that follow. A `logger` of None says that the entry is cut off.
    """

    line: int
    ts_ms: int
    level: str
    who: str
    node: int | None
    epoch: int | None
    message: str
    logger: str | None
    more: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it, without the stack trace beyond its first line."""
        said = [each for each in self.more if not each.startswith(_TRACE)]
        return "\n".join([self.message, *said])


class Clock:
    """Turns local times of a zone into milliseconds since the epoch."""

    def __init__(self, tz: tzinfo) -> None:
        self._tz = tz
        self._last = ("", 0)

    def ms(self, seconds: str, millis: str) -> int:
        """Return the time; raises ValueError if there is no such day or hour."""
        if self._last[0] != seconds:
            local = datetime.fromisoformat(seconds).replace(tzinfo=self._tz)
            self._last = (seconds, int(local.timestamp()))
        return self._last[1] * 1000 + int(millis)


def entries(source: Source, lines: Iterator[Line]) -> Iterator[Entry | Bad | Passed]:
    """Give entries, and account for the lines that are none: empty, or before the first entry."""
    clock = Clock(source.tz)
    entry: Entry | None = None
    for number, text in tidy(lines):
        found = _BEGIN.fullmatch(text)
        if found is not None:
            if entry is not None:
                yield from _whole(entry)
                entry = None
            try:
                entry = _begin(number, found, clock)
            except (ValueError, OverflowError, OSError) as error:
                yield bad(number, f"no time that there is: {error}", text)
        elif entry is not None and text.strip():
            if len(entry.more) < _KEPT_LINES:
                entry.more.append(text)
            yield Passed(number)
        elif not text.strip():
            yield Passed(number)
        else:
            yield _stray(number, text)
    if entry is not None:
        yield from _whole(entry)


def _begin(number: int, found: re.Match[str], clock: Clock) -> Entry:
    seconds, millis, level, rest = found.groups()
    logger = None
    if ended := _LOGGER.fullmatch(rest):
        rest, logger = ended.groups()
    who, node, epoch = "", None, None
    if prefix := _WHO.match(rest):
        who, rest = prefix[1], rest[prefix.end() :]
        if named := _NODE.search(who):
            node = int(named[1])
            epoch = None if named[2] is None else int(named[2])
    return Entry(number, clock.ms(seconds, millis), level, who, node, epoch, rest, logger)


def _whole(entry: Entry) -> Iterator[Entry | Bad]:
    """Give the entry, its logger found at the end of a message of several lines."""
    if entry.logger is None:
        for index, text in enumerate(entry.more):
            if ended := _LOGGER.fullmatch(text):
                entry.more[index], entry.logger = ended.groups()
                break
    if entry.logger is None:
        reason = "the entry is cut off: expected the logger's name in brackets at its end"
        yield bad(entry.line, reason, entry.message)
    else:
        yield entry


def _stray(number: int, text: str) -> Bad | Passed:
    """Judge a line before any entry: the end of a trace whose beginning is in another file."""
    if text.startswith(_TRACE):
        return Passed(number)
    return bad(number, "no line of log4j: expected [2026-01-31 12:00:00,000] LEVEL message", text)
