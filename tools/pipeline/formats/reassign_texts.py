"""Texts of kafka-reassign-partitions: --list and --verify (ReassignPartitionsCommand, 2.4 to 4.1).

--list gives rows of `partitions`. Each sentence of --verify is an event of kind `verified`, whose
`detail` has `state`: done, running, elsewhere (nothing moves, and the replicas are others than the
file has), or lost (there is no such partition, or log).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import (
    Good,
    Line,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
    form,
    tidy,
)
from klamm.tools.pipeline.formats.replica_rows import partition_rows

_P = r"([\w.-]{1,249}-\d+)"
_IDS = r"([\d,]*)"
_LISTED = re.compile(
    rf"{_P}: replicas: {_IDS}\.(?: adding: {_IDS}\.)?(?: removing: {_IDS}\.)?", re.ASCII
)
_HEADINGS = (
    "Current partition reassignments:",
    "No partition reassignments found.",
    "Status of partition reassignment:",
    "Clearing broker-level throttles on",
    "Clearing topic-level throttles on",
    "Throttle was removed.",
    "The throttle was removed.",
)

Details: TypeAlias = dict[str, Any]
#: Makes `detail`, and `after` if the sentence tells it, of what a pattern has matched.
Maker: TypeAlias = Callable[[re.Match[str]], tuple[Details, Details | None]]


def _is(state: str, *names: str) -> Maker:
    """Return a maker of `detail` whose further groups have these names."""

    def made(found: re.Match[str]) -> tuple[Details, Details | None]:
        rest: Details = dict(zip(names, found.groups()[1:], strict=True))
        if "broker" in rest:
            rest["broker"] = terms.number(rest["broker"])
        return {"state": state, **rest}, None

    return made


def _elsewhere(found: re.Match[str]) -> tuple[Details, Details | None]:
    target = terms.brokers(found[3])
    return {"state": "elsewhere", "target": target}, form(terms.brokers(found[2]))


def _says(pattern: str, made: Maker) -> tuple[re.Pattern[str], Maker]:
    return re.compile(pattern, re.ASCII), made


_SENTENCES = (
    _says(
        rf"Reassignment of partition {_P} (?:is completed\.|completed successfully\.?)",
        _is("done"),
    ),
    _says(rf"Reassignment of partition {_P} is still in progress\.?", _is("running")),
    _says(rf"Reassignment of partition {_P} failed\.?", _is("elsewhere")),
    _says(
        rf"There is no active reassignment of partition {_P}, but replica set is {_IDS}"
        rf" rather than {_IDS}\.",
        _elsewhere,
    ),
    _says(rf"Reassignment of replica {_P}-(\d+) completed successfully\.?", _is("done", "broker")),
    _says(rf"Reassignment of replica {_P}-(\d+) is still in progress\.?", _is("running", "broker")),
    _says(
        rf"Partition {_P} on broker (\d+) is not being moved from log dir (\S+) to (\S+?)\.",
        _is("elsewhere", "broker", "log_dir", "target_log_dir"),
    ),
    _says(
        rf"Partition {_P} on broker (\d+) is being moved to log dir (\S+) instead of (\S+?)\.",
        _is("elsewhere", "broker", "log_dir", "target_log_dir"),
    ),
    _says(
        rf"Partition {_P} cannot be found in any live log directory on broker (\d+)\.",
        _is("lost", "broker"),
    ),
    _says(
        rf"Partition {_P} is not found in any live log dir on broker (\d+)\..*",
        _is("lost", "broker"),
    ),
)


def sniff(_name: str, head: str) -> bool:
    """Tell whether the text begins as one of them does, or has one of their sentences."""
    lines = [each.strip() for each in head.splitlines()[:50]]
    return any(
        each.startswith(_HEADINGS[:3])
        or any(pattern.fullmatch(each) for pattern, _ in _SENTENCES)
        or _LISTED.fullmatch(each)
        for each in lines
    )


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read the output; see `klamm.tools.pipeline.formats.base`."""
    for number, text in tidy(lines):
        said = text.strip()
        if not said or said.startswith(_HEADINGS):
            yield Passed(number)
            continue
        try:
            rows = list(_listed(source, number, said) or _verified(source, number, said))
        except Unreadable as error:
            yield bad(number, f"a sentence whose values cannot be read: {error}", text)
            continue
        yield from rows
        if not rows:
            yield bad(number, "no sentence of kafka-reassign-partitions --list or --verify", text)


def _listed(source: Source, number: int, text: str) -> list[Good]:
    found = _LISTED.fullmatch(text)
    if found is None:
        return []
    topic, partition = terms.partition(found[1])
    rows = partition_rows(
        source,
        number,
        topic=topic,
        partition=partition,
        replicas=terms.brokers(found[2]),
        adding=terms.brokers(found[3] or ""),
        removing=terms.brokers(found[4] or ""),
    )
    return list(rows)


def _verified(source: Source, number: int, text: str) -> list[Good]:
    for pattern, made in _SENTENCES:
        if (found := pattern.fullmatch(text)) is not None:
            topic, partition = terms.partition(found[1])
            detail, after = made(found)
            columns = {
                "part": 0,
                "origin": "client",
                "at_ms": source.ts_ms,
                "seq": number,
                "kind": "verified",
                "topic": topic,
                "partition": partition,
                "broker": detail.get("broker"),
                "after": after,
                "text": text,
                "detail": json.dumps(detail, sort_keys=True),
            }
            return [Good("events", source.row(number, source.ts_ms, **columns))]
    return []
