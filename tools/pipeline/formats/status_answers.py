"""Status answers of KIP-179 (ReplicaStatus), as the tool prints them.

Each run of `klamm reassign --dialect kip-179-alter --progress --json` prints one line, so that a
file to which runs are appended is a journal of answers. A replica of which nothing is known, for it
is not there or its leader did not answer, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from klamm.tools.pipeline.formats.base import (
    UNDECODABLE,
    Bad,
    Good,
    Int,
    Line,
    Long,
    Passed,
    Produced,
    Source,
    bad,
    date_of,
    tidy,
)
from klamm.tools.pipeline.history.status import ANSWERS


class _Replica(msgspec.Struct):
    topic: str
    partition: Int
    broker: Int
    lag: Long | None = None
    taken_ms: Long | None = None
    in_sync: bool | None = None


class _Answer(msgspec.Struct):
    action: str
    replicas: list[_Replica]


_ANSWER = msgspec.json.Decoder(_Answer)


def sniff(_name: str, head: str) -> bool:
    """Tell whether the first line is what --progress prints."""
    first = head.lstrip("\ufeff \t\r\n").partition("\n")[0].replace(" ", "")
    return first.startswith('{"action":"progress",') and '"replicas":' in first


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read answers; see `klamm.tools.pipeline.formats.base`."""
    for number, text in tidy(lines):
        if not text.strip():
            yield Passed(number)
            continue
        try:
            yield from _rows(source, number, _ANSWER.decode(text))
        except UNDECODABLE as error:
            yield bad(number, f"no answer of --progress --json: {error}", text)


def _rows(source: Source, line: int, answer: _Answer) -> Iterator[Good | Bad | Passed]:
    rows = [
        {
            "cluster": source.cluster,
            "date": date_of(taken_ms),
            "request": ANSWERS,
            "ts_ms": taken_ms,
            "topic": each.topic,
            "partition": each.partition,
            "broker": each.broker,
            "lag": each.lag,
            "in_sync": each.in_sync,
            "source": source.name,
            "line": line,
        }
        for each in answer.replicas
        if each.lag is not None
        and (taken_ms := source.ts_ms if each.taken_ms is None else each.taken_ms) is not None
    ]
    yield from (Good("progress", row) for row in rows)
    if not rows:
        yield Passed(line)
