"""`klamm-history`: rows of `events` as JSON objects, one per line, as the lab writes a world's.

A line has the columns of the table by name, without those that are null and without `cluster`,
`date`, `source`, `line` and `at_ms`, which its reader adds. `detail` is the text of an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pyarrow as pa

from klamm.tools.pipeline.formats.base import (
    UNDECODABLE,
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
from klamm.tools.pipeline.history.kinds import KINDS, ORIGINS
from klamm.tools.pipeline.tables import BROKERS, EVENTS, FORM, INT, LONG, TEXT

_ADDED = {"cluster", "date", "source", "line", "at_ms"}


def _struct(name: str, fields: dict[str, pa.DataType], needed: set[str]) -> type[msgspec.Struct]:
    """Return the Struct of columns; null where one is left out."""
    columns: list[Any] = []
    for column, kind in fields.items():
        annotation: Any = _TYPES[kind]
        if column in needed:
            columns.append((column, annotation))
        else:
            columns.append((column, annotation | None, None))
    return msgspec.defstruct(name, columns, forbid_unknown_fields=True, kw_only=True)


_TYPES: dict[pa.DataType, Any] = {INT: Int, LONG: Long, TEXT: str, BROKERS: list[Int]}
_TYPES[FORM] = _struct("Form", {field.name: field.type for field in FORM}, set())
_COLUMNS = {name: kind for name, kind in EVENTS.columns.items() if name not in _ADDED}
_FORMS = tuple(field.name for field in FORM)
_ROW = _struct("Event", _COLUMNS, {"origin", "ts_ms", "seq", "kind"})
_DECODER = msgspec.json.Decoder(_ROW)


def sniff(_name: str, head: str) -> bool:
    """Tell whether the first line looks like a row."""
    first = head.lstrip("\ufeff \t\r\n").partition("\n")[0]
    keys = all(f'"{key}":' in first for key in ("origin", "kind", "seq"))
    return keys and first.startswith("{") and '"wall_ms":' not in first


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a history; see `klamm.tools.pipeline.formats.base`."""
    latest: int | None = None
    for number, text in tidy(lines):
        if not text.strip():
            yield Passed(number)
            continue
        try:
            row = _row(text)
        except UNDECODABLE as error:
            yield bad(number, f"no row of a history: {error}", text)
            continue
        latest = row["ts_ms"] if latest is None else max(latest, row["ts_ms"])
        row |= {"cluster": source.cluster, "date": date_of(row["ts_ms"]), "source": source.name}
        row |= {"line": number, "at_ms": latest}
        yield Good("events", row)


def _row(text: str) -> dict[str, Any]:
    found = _DECODER.decode(text)
    row = {name: each for name in _COLUMNS if (each := getattr(found, name)) is not None}
    if row["kind"] not in KINDS:
        raise ValueError(f"kind is {row['kind']!r}, which no history has")
    if row["origin"] not in ORIGINS:
        raise ValueError(f"origin is {row['origin']!r}: one of {', '.join(sorted(ORIGINS))}")
    if not isinstance(json.loads(row.get("detail", "{}")), dict):
        raise ValueError("detail is not the text of a JSON object")
    row.setdefault("part", 0)
    for column in ("before", "after"):
        if column in row:
            row[column] = {name: getattr(row[column], name) for name in _FORMS}
    return row
