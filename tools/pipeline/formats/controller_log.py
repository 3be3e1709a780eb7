"""Kafka's controller.log: what its ZooKeeper-mode controller decides, in its words (2.4 to 3.9).

Only the lines of an election say the controller's epoch, so that of a line is the one that the same
file has told last; `seq` is the line's number. `before` and `after` hold what the line tells: the
replicas, or the leader and the ISR; elections are in state-change.log.

What a sentence means is in `klamm.tools.pipeline.formats.controller_lines`.
"""

from __future__ import annotations

from collections.abc import Iterator

from klamm.tools.pipeline.formats.base import (
    Line,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
)
from klamm.tools.pipeline.formats.controller_lines import SENTENCES, State
from klamm.tools.pipeline.formats.log4j import Entry, entries
from klamm.tools.pipeline.formats.log_lines import Row, located, warning

_LOGGERS = "kafka.controller."
_ORIGIN = "controller-log"


def sniff(_name: str, head: str) -> bool:
    """Tell whether one of the first lines is a controller's."""
    return f" ({_LOGGERS}" in head and head.lstrip().startswith("[")


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a log; see `klamm.tools.pipeline.formats.base`."""
    state, latest = State(), None
    for entry in entries(source, lines):
        if not isinstance(entry, Entry):
            yield entry
            continue
        latest = entry.ts_ms if latest is None else max(latest, entry.ts_ms)
        try:
            rows = list(_rows(entry, state))
        except Unreadable as error:
            reason = f"a line of controller.log whose values cannot be read: {error}"
            yield bad(entry.line, reason, entry.message)
            continue
        resigns = any(row["kind"] == "resigned" for row in rows)
        if not rows:
            yield Passed(entry.line)
        yield from located(source, entry, rows, origin=_ORIGIN, epoch=state.epoch, at_ms=latest)
        if resigns:
            state.epoch = None


def _rows(entry: Entry, state: State) -> Iterator[Row]:
    if entry.logger is None or not entry.logger.startswith(_LOGGERS):
        return
    text = entry.text
    for sentence, rows in SENTENCES:
        if (values := sentence.values(text)) is not None:
            yield from rows(values, state)
            return
    yield from warning(entry)
