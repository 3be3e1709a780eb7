"""What both of Kafka's logs need: sentences as data, and the columns that every row of a log has.

A sentence is Kafka's own text with slots: `{name:kind}` is a value of a kind below under a name, a
slot without a kind is any text. The first sentence that a message has counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import Good, Source, form
from klamm.tools.pipeline.formats.log4j import Entry

Row: TypeAlias = dict[str, Any]
#: The values of a sentence by name; `said` is all of its text.
Values: TypeAlias = Mapping[str, str]

#: Makes rows of values, and of what else its log hands over.
Maker: TypeAlias = Callable[..., Iterator[Row]]

_KINDS = {
    "partition": r"[\w.-]{1,249}-\d+",
    "number": r"-?\d+",
    "ids": r"[\d, ]*",
    # A list within Set(..), List(..), ArrayBuffer(..) or nothing.
    "set": r"(?:\w+\()?[\d, ]*\)?",
    "word": r"[\w-]+",
    "topics": r"[\w., -]*",
    "assignment": r"ReplicaAssignment\([^)]*\)*",
    "state": r"\(Leader:.*?\)",
    "rest": r".*",
    "": r".*?",
}
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
_ABOUT = re.compile(r"\bpartition ([\w.-]{1,249}-\d+)", re.ASCII)
_REPLICA = re.compile(r"\breplica (\d+)\b", re.ASCII)


class Sentence(NamedTuple):
    """A sentence: its longest words, which are looked for first, and the whole."""

    words: str
    pattern: re.Pattern[str]

    def values(self, text: str) -> Values | None:
        """Return the values if the text has the sentence."""
        if self.words not in text or (found := self.pattern.search(text)) is None:
            return None
        return {"said": found[0], **found.groupdict()}


def means(template: str, rows: Maker) -> tuple[Sentence, Maker]:
    """Return the sentence of a template, and what makes rows of it; text may go on behind it."""
    pattern, words, end = "", "", 0
    for slot in _SLOT.finditer(template):
        words = max(words, template[end : slot.start()], key=len)
        kind = _KINDS[slot[2] or ""]
        pattern += f"{re.escape(template[end : slot.start()])}(?P<{slot[1]}>{kind})"
        end = slot.end()
    words = max(words, template[end:], key=len)
    pattern += re.escape(template[end:])
    return Sentence(words, re.compile(pattern, re.ASCII | re.DOTALL)), rows


def located(
    source: Source,
    entry: Entry,
    rows: Iterable[Row],
    *,
    origin: str,
    epoch: int | None,
    at_ms: int,
) -> Iterator[Good]:
    """Give the rows of an entry what all rows of a log have."""
    for part, row in enumerate(rows):
        common: Row = {
            "part": part,
            "origin": origin,
            "controller_epoch": epoch,
            "at_ms": at_ms,
            "node": writer(source, entry),
            "seq": entry.line,
            "severity": entry.level.lower(),
        }
        detail = row.pop("detail", None)
        if detail:
            row["detail"] = json.dumps(detail, sort_keys=True)
        yield Good("events", source.row(entry.line, entry.ts_ms, **common | row))


def writer(source: Source, entry: Entry) -> int | None:
    """Return the id of the broker whose line it is."""
    return source.node if entry.node is None else entry.node


def about(name: str, kind: str, **columns: object) -> Row:
    """Return a row about a partition."""
    topic, partition = terms.partition(name)
    return {"kind": kind, "topic": topic, "partition": partition, **columns}


def state_only(state: Mapping[str, Any], **lists: Sequence[int] | None) -> Row:
    """Return a form of which only the state znode is known, and those of the lists that are."""
    unknown: Row = {"replicas": None, "adding": None, "removing": None}
    return {**form((), state=state), **unknown, **lists}


def warning(entry: Entry) -> Iterator[Row]:
    """Give a row if the line complains; what it is about is named if it says so."""
    if entry.level not in ("WARN", "ERROR", "FATAL"):
        return
    row: Row = {"kind": "warned", "text": entry.text}
    if named := _ABOUT.search(entry.message):
        row["topic"], row["partition"] = terms.partition(named[1])
    if replica := _REPLICA.search(entry.message):
        row["broker"] = terms.number(replica[1])
    yield row
