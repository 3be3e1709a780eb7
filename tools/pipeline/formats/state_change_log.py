"""Kafka's state-change.log: elections and messages, as controller and brokers tell (2.4 to 3.9).

The controller's lines name its epoch. Of a broker's line the epoch is the one that the file has
told last: requests name it. Stock log4j.properties have state.change.logger at INFO, which counts
what is sent to a broker; at TRACE each partition is named, and these rows come on top.

What a sentence means is in `klamm.tools.pipeline.formats.state_change_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import (
    Line,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
)
from klamm.tools.pipeline.formats.log4j import Entry, entries
from klamm.tools.pipeline.formats.log_lines import Row, located, warning, writer
from klamm.tools.pipeline.formats.state_change_lines import SENTENCES

_LOGGER = "state.change.logger"
_ORIGIN = "state-change-log"
_FROM = re.compile(r"controller \d+ epoch (\d+)", re.ASCII)


def sniff(_name: str, head: str) -> bool:
    """Tell whether one of the first lines is of this logger."""
    return f" ({_LOGGER})" in head and head.lstrip().startswith("[")


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a log; see `klamm.tools.pipeline.formats.base`."""
    epoch: int | None = None
    latest: int | None = None
    for entry in entries(source, lines):
        if not isinstance(entry, Entry):
            yield entry
            continue
        latest = entry.ts_ms if latest is None else max(latest, entry.ts_ms)
        try:
            epoch = _epoch(entry, epoch)
            rows = list(_rows(entry, writer(source, entry)))
        except Unreadable as error:
            reason = f"a line of state-change.log whose values cannot be read: {error}"
            yield bad(entry.line, reason, entry.message)
            continue
        if not rows:
            yield Passed(entry.line)
        yield from located(source, entry, rows, origin=_ORIGIN, epoch=epoch, at_ms=latest)


def _epoch(entry: Entry, latest: int | None) -> int | None:
    """Return the controller's epoch at this entry."""
    if entry.epoch is not None:
        return entry.epoch
    found = _FROM.search(entry.message)
    return latest if found is None else terms.number(found[1])


def _rows(entry: Entry, node: int | None) -> Iterator[Row]:
    if entry.logger != _LOGGER:
        return
    text = entry.text
    for sentence, rows in SENTENCES:
        if (values := sentence.values(text)) is not None:
            yield from rows(values, node)
            return
    yield from warning(entry)
