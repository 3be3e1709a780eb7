"""Metrics: Prometheus's text exposition, its answers to query and query_range, and JmxTool's CSV.

Names of the CSV's columns become those that the usual rules of jmx_exporter give, e.g.
kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic=t:Count becomes
kafka_server_brokertopicmetrics_bytesinpersec_total with label topic.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from klamm.tools.pipeline.formats.base import (
    Bad,
    Good,
    Line,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
    tidy,
)
from klamm.tools.pipeline.formats.documents import Document, documents

_BROKER_LABELS = ("broker", "broker_id", "brokerid", "node_id", "kafka_broker", "id")
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_LAST_SECOND = 2**53
_LABEL = r'[a-zA-Z_]\w*="(?:[^"\\]|\\.)*"'
#: prometheus.io/docs/instrumenting/exposition_formats: a name, labels, a value, a time in ms.
_LABELS = rf"[ \t]*\{{[ \t]*({_LABEL}(?:[ \t]*,[ \t]*{_LABEL})*)?[ \t]*,?[ \t]*\}}[ \t]*"
_VALUE = r"[-+]?(?:[\d.][-+.\w]*|[Ii]nf|[Nn]a[Nn])"
_SAMPLE = re.compile(
    rf"([a-zA-Z_:][\w:]*)(?:{_LABELS}|[ \t]+)({_VALUE})(?:[ \t]+(-?\d{{1,16}}))?[ \t]*", re.ASCII
)
_PAIR = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"', re.ASCII)
_ESCAPED = {"n": "\n", '"': '"', "\\": "\\"}


def metric(
    source: Source, line: int, ts_ms: int | None, name: str, labels: Mapping[str, str], value: float
) -> Good:
    """Return a row of `metrics`; labels that name broker, topic or partition are columns, too."""
    broker = next((labels[key] for key in _BROKER_LABELS if key in labels), "")
    partition = labels.get("partition", "")
    columns: dict[str, Any] = {
        "name": name,
        "labels": json.dumps(dict(labels), sort_keys=True),
        "broker": int(broker) if _NUMBER.fullmatch(broker) else None,
        "topic": labels.get("topic") or None,
        "partition": int(partition) if _NUMBER.fullmatch(partition) else None,
        "value": value,
    }
    return Good("metrics", source.row(line, ts_ms, **columns))


def sniff_text(_name: str, head: str) -> bool:
    """Tell whether it is a text exposition."""
    lines = [each for each in head.splitlines()[:100] if each.strip()]
    if any(re.match(r"# (TYPE|HELP) \S+ ", each) for each in lines):
        return True
    return bool(lines) and all(
        _SAMPLE.fullmatch(each) or each.startswith("#") for each in lines[:-1] or lines
    )


def read_text(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a text exposition; a sample without a time is of the source's."""
    for number, text in tidy(lines):
        if not text.strip() or text.lstrip().startswith("#"):
            yield Passed(number)
            continue
        found = _SAMPLE.fullmatch(text.strip())
        try:
            if found is None:
                raise Unreadable("expected a name, labels in braces, a number and a time in ms")
            name, labels, value, at = found.groups()
            row = metric(
                source,
                number,
                source.ts_ms if at is None else _ms(int(at) / 1000),
                name,
                {key: _unescaped(text) for key, text in _PAIR.findall(labels or "")},
                float(value),
            )
        except ValueError as error:
            yield bad(number, f"no sample of Prometheus's text format: {error}", text)
            continue
        yield row


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[0]), text)


def _ms(seconds: float) -> int:
    if not abs(seconds) < _LAST_SECOND:
        raise Unreadable(f"{seconds} is no time")
    return round(seconds * 1000)


class _Series(msgspec.Struct):
    metric: dict[str, str]
    value: tuple[float, str] | None = None
    values: list[tuple[float, str]] = []


class _Data(msgspec.Struct):
    result: list[_Series]
    result_type: str = msgspec.field(name="resultType", default="matrix")


class _Answer(msgspec.Struct):
    data: _Data
    status: str = "success"


def sniff_query(_name: str, head: str) -> bool:
    """Tell whether it is an answer of Prometheus's HTTP API."""
    return head.lstrip().startswith("{") and '"resultType"' in head and '"status"' in head


def read_query(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read answers to query (a vector) or query_range (a matrix)."""
    for each in documents(lines):
        if isinstance(each, Bad):
            yield each
        elif isinstance(each, Document):
            yield from _answer(source, each)
        elif each.text.strip():
            yield bad(each.line, "no answer of Prometheus: expected JSON", each.text)
        else:
            yield Passed(each.line)


def _answer(source: Source, document: Document) -> Iterator[Produced]:
    try:
        answer = msgspec.convert(document.value, _Answer, strict=False)
        if answer.status != "success":
            raise Unreadable(f"status is {answer.status!r}")
        rows = [
            metric(source, document.line, _ms(at), _name(series), _labels(series), float(value))
            for series in answer.data.result
            for at, value in [*series.values, *([series.value] if series.value else [])]
        ]
    except ValueError as error:
        yield bad(document.line, f"no answer of Prometheus: {error}", document.text)
        return
    yield from rows or (Passed(document.line),)


def _name(series: _Series) -> str:
    # What an expression gives, such as rate(), has no name.
    return series.metric.get("__name__", "")


def _labels(series: _Series) -> dict[str, str]:
    return {key: value for key, value in series.metric.items() if key != "__name__"}


def sniff_jmx(_name: str, head: str) -> bool:
    """Tell whether it is CSV of JmxTool."""
    first = head.lstrip("\ufeff").partition("\n")[0]
    return first.startswith(('"time",', "time,")) and ":type=" in first


def read_jmx(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read CSV of JmxTool: a heading, then a time in ms and values per line."""
    columns: list[tuple[str, dict[str, str]]] | None = None
    for number, text in tidy(lines):
        try:
            cells = next(csv.reader([text]), [])
            if not cells:
                yield Passed(number)
            elif columns is None:
                columns = [_column(each) for each in cells[1:]]
                yield Passed(number)
            else:
                yield from _values(source, number, cells, columns)
        except (csv.Error, ValueError) as error:
            yield bad(number, f"no line of JmxTool's CSV: {error}", text)


def _values(
    source: Source, line: int, cells: list[str], columns: list[tuple[str, dict[str, str]]]
) -> list[Good]:
    if len(cells) != len(columns) + 1:
        raise Unreadable(f"{len(cells)} cells under {len(columns) + 1} headings; cut off?")
    ts_ms = _ms(float(cells[0]) / 1000)
    found = list[Good]()
    for (name, labels), cell in zip(columns, cells[1:], strict=True):
        try:
            value = float(cell)
        except ValueError:
            continue  # a text, such as a unit or a class
        if not math.isnan(value):
            found.append(metric(source, line, ts_ms, name, labels, value))
    if not found:
        raise Unreadable("no number is there")
    return found


_COLUMN = re.compile(r"([\w.-]+):(.+):(\w+)", re.ASCII)


def _column(text: str) -> tuple[str, dict[str, str]]:
    found = _COLUMN.fullmatch(text)
    if found is None:
        raise Unreadable(f"{text[:80]!r} is no heading: expected domain:key=value,..:Attribute")
    domain, properties, attribute = found.groups()
    pairs = dict(each.partition("=")[::2] for each in properties.split(","))
    words = [domain, pairs.pop("type", ""), pairs.pop("name", "")]
    suffix = {"Count": "total", "Value": ""}.get(attribute, attribute)
    name = "_".join(word for word in (*words, suffix) if word)
    return re.sub(r"\W", "_", name).lower(), pairs
