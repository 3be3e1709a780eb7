"""`kafka-topics --describe`, of 0.8 to 4.1: a heading per topic, a line per partition.

Old tools join key and value (`Topic:t`), new ones have a blank; some put a tab before, behind or
between. `Leader: none` is no leader, `Elr: N/A` no answer about eligible leaders (KIP-966).
"""

from __future__ import annotations

import json
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
    tidy,
)
from klamm.tools.pipeline.formats.replica_rows import partition_rows

_KEYS = (
    "Topic",
    "TopicId",
    "PartitionCount",
    "ReplicationFactor",
    "Configs",
    "Partition",
    "Leader",
    "Replicas",
    "Isr",
    "Adding Replicas",
    "Removing Replicas",
    "Offline",
    "Elr",
    "LastKnownElr",
    "MarkedForDeletion",
)
_FIELD = re.compile(rf"(?:^|\s)({'|'.join(sorted(_KEYS, key=len, reverse=True))}):")
_NAME = re.compile(r"[\w.-]{1,249}", re.ASCII)
#: Nobody, or nothing known.
_NONE = ("none", "N/A", "")


def sniff(_name: str, head: str) -> bool:
    """Tell whether there is a line of a partition or a topic."""
    lines = head.splitlines()[:200]
    return any(
        re.match(r"\s*Topic: ?[\w.-]+\s+(Partition|PartitionCount|TopicId):", each)
        for each in lines
    )


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read the output; see `klamm.tools.pipeline.formats.base`."""
    headings: dict[str, dict[str, str]] = {}
    for number, text in tidy(lines):
        if not text.lstrip().startswith("Topic:"):
            yield _other(number, text)
            continue
        try:
            fields = _fields(text)
            if "Partition" in fields:
                yield from _partition(source, number, fields, headings.get(fields["Topic"], {}))
            elif "PartitionCount" in fields or "MarkedForDeletion" in fields:
                headings[fields["Topic"]] = fields
                yield Passed(number)
            else:
                raise Unreadable("neither Partition nor PartitionCount is there")
        except Unreadable as error:
            yield bad(number, f"no line of kafka-topics --describe: {error}", text)


def _other(number: int, text: str) -> Produced:
    if not text.strip() or re.match(r"\[\d{4}-\d\d-\d\d|WARNING|Picked up ", text):
        return Passed(number)  # what Java or log4j say in between
    return bad(number, "no line of kafka-topics --describe: expected Topic: first", text)


def _fields(text: str) -> dict[str, str]:
    """Split a line by its keys; Configs goes on to the end, but for the flag behind it."""
    found = list(_FIELD.finditer(text))
    fields: dict[str, str] = {}
    for here, after in zip(found, [*found[1:], None], strict=True):
        if "Configs" in fields and here[1] != "MarkedForDeletion":
            continue
        end = len(text) if after is None else after.start()
        fields.setdefault(here[1], text[here.end() : end].strip())
    if _NAME.fullmatch(fields.get("Topic", "")) is None:
        raise Unreadable(f"{fields.get('Topic')!r} is no topic's name")
    return fields


def _partition(
    source: Source, number: int, fields: dict[str, str], heading: dict[str, str]
) -> Iterator[Produced]:
    missing = [key for key in ("Leader", "Replicas", "Isr") if key not in fields]
    if missing:
        raise Unreadable(f"{', '.join(missing)} is missing; the line is cut off?")
    leader = -1 if fields["Leader"] in _NONE else _int(fields["Leader"], "Leader")
    replicas, isr = (_list(fields, key) for key in ("Replicas", "Isr"))
    if not replicas:
        raise Unreadable("Replicas is empty")
    configs = _configs(heading.get("Configs", ""))
    minimum = configs.get("min.insync.replicas", "")
    yield from partition_rows(
        source,
        number,
        topic=fields["Topic"],
        partition=_int(fields["Partition"], "Partition"),
        replicas=replicas,
        adding=_list(fields, "Adding Replicas"),
        removing=_list(fields, "Removing Replicas"),
        isr=isr,
        leader=leader,
        topic_id=heading.get("TopicId") or None,
        min_isr=_int(minimum, "min.insync.replicas") if minimum else None,
        configs=json.dumps(configs, sort_keys=True) if "Configs" in heading else None,
        elr=_list(fields, "Elr") if fields.get("Elr", "N/A") != "N/A" else None,
        last_known_elr=(
            _list(fields, "LastKnownElr") if fields.get("LastKnownElr", "N/A") != "N/A" else None
        ),
    )


def _list(fields: dict[str, str], key: str) -> list[int]:
    text = fields.get(key, "")
    if text in _NONE:
        return []
    try:
        return [_int(each, key) for each in text.split(",")]
    except Unreadable:
        raise Unreadable(f"{key} is {text[:60]!r}: expected ids with commas between") from None


def _int(text: str, key: str) -> int:
    if re.fullmatch(r"-?\d{1,11}", text.strip(), re.ASCII) is None:
        raise Unreadable(f"{key} is {text[:60]!r}: expected a number")
    return terms.number(text.strip())


def _configs(text: str) -> dict[str, str]:
    """Read `a=1,b=2`; a value may have commas itself, such as throttled replicas."""
    found: dict[str, str] = {}
    key = ""
    for each in text.split(",") if text else ():
        name, equals, value = each.partition("=")
        if equals and re.fullmatch(r"[a-z][a-z.]*", name.strip()):
            key = name.strip()
            found[key] = value
        elif key:
            found[key] += f",{each}"
    return found
