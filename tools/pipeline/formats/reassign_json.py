"""JSON of kafka-reassign-partitions: plans, topics to move, and what the tool writes around them.

A plan is {"version":1,"partitions":[{"topic":..,"partition":..,"replicas":[..],"log_dirs":[..]}]}.
Standard output of --generate and --execute has one or two of them with a sentence before each,
which says what it is: the column `role`. topicmappr's maps are plans, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from klamm.tools.pipeline.formats.base import (
    Bad,
    Good,
    Int,
    Line,
    Passed,
    Produced,
    Source,
    bad,
)
from klamm.tools.pipeline.formats.documents import Document, documents


class _Entry(msgspec.Struct):
    topic: str
    partition: Int
    replicas: list[Int]
    log_dirs: list[str] | None = None


class _Plan(msgspec.Struct):
    partitions: list[_Entry]
    version: Int = 1


class _Topic(msgspec.Struct):
    topic: str


class _Topics(msgspec.Struct):
    topics: list[_Topic]
    version: Int = 1


#: What the sentence before a plan begins with, and what the plan is then.
_ROLES = (
    ("Current partition replica assignment", "current"),
    ("Proposed partition reassignment", "proposed"),
)
#: What the tool says beside its plans; other prose is bad, lest something else is taken for it.
_SAID = (
    "Save this to use as the --reassignment-json-file",
    "Warning: You must run",
    "The inter-broker throttle limit was set to",
    "The replica-alter-dir throttle limit was set to",
    "Successfully started",
    "Successfully cancelled",
    "None of the specified partition moves are active",
    "Error ",
)


def sniff(_name: str, head: str) -> bool:
    """Tell whether there is a plan, or a list of topics."""
    text = "".join(head.split())
    if not text.startswith("{") and not any(start in head for start, _ in _ROLES):
        return False
    if '"partitions":[' in text and '"replicas":[' in text and '"topic":' in text:
        others = ('"brokers":[', '"type":"', '"path":', '{"/')
        return not any(each in text for each in others)
    return text.startswith(('{"topics":[{"topic":', '{"version":1,"topics":[{"topic":'))


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read the text; see `klamm.tools.pipeline.formats.base`."""
    role = "plan"
    for each in documents(lines):
        if isinstance(each, Bad):
            yield each
        elif isinstance(each, Document):
            yield from _plan(source, each, role)
            role = "plan"
        else:
            said = each.text.strip()
            role = next((name for start, name in _ROLES if said.startswith(start)), role)
            if not said or said.startswith((*_SAID, *(start for start, _ in _ROLES))):
                yield Passed(each.line)
            else:
                yield bad(each.line, "neither JSON nor what the tool says around it", each.text)


def _plan(source: Source, document: Document, role: str) -> Iterator[Produced]:
    try:
        if isinstance(document.value, dict) and "topics" in document.value:
            topics = msgspec.convert(document.value, _Topics).topics
            yield from topic_rows(source, document.line, [each.topic for each in topics])
            return
        entries = msgspec.convert(document.value, _Plan).partitions
    except msgspec.ValidationError as error:
        yield bad(document.line, f"no plan of kafka-reassign-partitions: {error}", document.text)
        return
    moves = [(each.topic, each.partition, each.replicas, each.log_dirs) for each in entries]
    yield from plan_rows(source, document.line, role, moves)


def plan_rows(
    source: Source,
    line: int,
    role: str,
    moves: Sequence[tuple[str, int, Sequence[int], Sequence[str] | None]],
) -> Iterator[Good]:
    """Give a row per partition; all have the plan's hash, which only what it orders decides."""
    digest = plan_hash([(topic, partition, replicas) for topic, partition, replicas, _ in moves])
    for topic, partition, replicas, log_dirs in moves:
        columns: dict[str, Any] = {
            "plan_hash": digest,
            "role": role,
            "topic": topic,
            "partition": partition,
            "replicas": list(replicas),
            "log_dirs": None if log_dirs is None else list(log_dirs),
        }
        row = source.row(line, source.ts_ms, **columns)
        del row["ts_ms"]
        yield Good("plans", row)


def topic_rows(source: Source, line: int, topics: Sequence[str]) -> Iterator[Good]:
    """Give a row per topic that is to be moved: `partition` and `replicas` are null."""
    digest = plan_hash([(topic, -1, ()) for topic in topics])
    for topic in topics:
        columns = {"plan_hash": digest, "role": "topics", "topic": topic}
        row = source.row(line, source.ts_ms, **columns)
        del row["ts_ms"]
        yield Good("plans", row)


def plan_hash(moves: Sequence[tuple[str, int, Sequence[int]]]) -> str:
    """Return a digest of what a plan orders, whatever the order of its entries."""
    ordered = sorted((topic, partition, list(replicas)) for topic, partition, replicas in moves)
    return hashlib.sha256(msgspec.json.encode(ordered)).hexdigest()[:16]
