"""klamm's own journal: schemas/journal.json, a JSON object per line.

An entry becomes one row; what it has of `klamm.controller.node.forms` beyond the columns is kept in
`detail`, as the journal has it. An entry with a topic's content gets a row for each partition of it
as well, so that a partition's history is complete in itself. `zk_path` and `zk_version` are those
of the only write of an entry; an entry with several has them in `detail`.

A line is decoded twice: for its columns, and for what goes into `detail`, which stays as it is
written. That costs less than copying those parts one by one; ten million lines are read so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from klamm.controller.node.forms import VERSION
from klamm.controller.znodes import encode_uuid
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

_NOTHING = msgspec.Raw()
#: What is kept as it is written.
_Part: TypeAlias = msgspec.Raw | UnsetType


class _Form(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """`klamm.controller.node.forms.PartitionForm`, with what the columns do not have left alone."""

    replicas: list[Int]
    adding: list[Int] = []
    removing: list[Int] = []
    leader: Int = -1
    leader_epoch: Int = -1
    isr: list[Int] = []
    controller_epoch: Int = -1
    version: Int = -1
    pace: _Part = UNSET


class _Content(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    version: Int
    partitions: dict[Int, _Form]
    topic_id: UUID | None = None
    extra: msgspec.Raw = _NOTHING
    first: bool = True


class _Cause(msgspec.Struct, gc=False):
    kind: str
    peer: str | None = None
    correlation_id: Int | None = None
    api_key: Int | None = None
    sequence: Long | None = None


class _Reply(msgspec.Struct, gc=False):
    code: Int


class _Write(msgspec.Struct, gc=False):
    path: str
    after: Int | None = None


class _Entry(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """`klamm.controller.node.forms.Line`: what is unset is not there, or in `_Detail` alone."""

    v: Int
    seq: Long
    node: Int
    epoch: Int
    wall_ms: Long
    monotonic_s: float
    severity: str
    kind: str
    text: str = ""
    topic: str | None = None
    partition: Int | None = None
    before: _Form | None = None
    after: _Form | None = None
    event: msgspec.Raw = _NOTHING
    cause: _Cause | UnsetType = UNSET
    principal: str | None = None
    client_id: str | None = None
    writes: list[_Write] = []
    messages: msgspec.Raw = _NOTHING
    reply: _Reply | UnsetType = UNSET
    content: _Content | UnsetType = UNSET
    brokers: msgspec.Raw = _NOTHING
    lost: Long | None = None
    counters: msgspec.Raw = _NOTHING
    status: msgspec.Raw = _NOTHING
    step: msgspec.Raw = _NOTHING


class _Detail(msgspec.Struct, omit_defaults=True, gc=False):
    """What `detail` has of an entry: see klamm.tools.pipeline.history.kinds.ENTRY_DETAIL."""

    event: _Part = UNSET
    cause: _Part = UNSET
    writes: _Part = UNSET
    messages: _Part = UNSET
    reply: _Part = UNSET
    content: _Part = UNSET
    brokers: _Part = UNSET
    counters: _Part = UNSET
    status: _Part = UNSET
    step: _Part = UNSET
    monotonic_s: float | UnsetType = UNSET
    lost: int | None = None
    pace_before: _Part = UNSET
    pace_after: _Part = UNSET


_ENTRY = msgspec.json.Decoder(_Entry)
_DETAIL = msgspec.json.Decoder(_Detail)
_ENCODER = msgspec.json.Encoder()


def sniff(_name: str, head: str) -> bool:
    """Tell whether the first line looks like an entry."""
    first = head.lstrip("\ufeff \t\r\n").partition("\n")[0]
    return first.startswith('{"v":') and all(f'"{key}":' in first for key in ("seq", "wall_ms"))


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read a journal; see `klamm.tools.pipeline.formats.base`."""
    latest: int | None = None
    for number, text in tidy(lines):
        if not text.strip():
            yield Passed(number)
            continue
        try:
            entry = _ENTRY.decode(text)
            rows = _rows(source, number, entry, _DETAIL.decode(text))
        except UNDECODABLE as error:
            yield _refused(number, text, error)
            continue
        latest = entry.wall_ms if latest is None else max(latest, entry.wall_ms)
        for row in rows:
            row["at_ms"] = latest
            yield Good("events", row)


def _rows(source: Source, line: int, entry: _Entry, detail: _Detail) -> list[dict[str, Any]]:
    if entry.v != VERSION:
        raise ValueError(f"v is {entry.v}: this reads version {VERSION} of the journal's form")
    row: dict[str, Any] = {
        "cluster": source.cluster,
        "date": date_of(entry.wall_ms),
        "source": source.name,
        "line": line,
        "part": 0,
        "origin": "journal",
        "controller_epoch": entry.epoch,
        "ts_ms": entry.wall_ms,
        "node": entry.node,
        "seq": entry.seq,
        "kind": entry.kind,
        "severity": entry.severity,
        "topic": entry.topic,
        "partition": entry.partition,
        "text": entry.text or None,
        "principal": entry.principal or None,
        "client_id": entry.client_id or None,
    }
    if entry.before is not None:
        row["before"], detail.pace_before = _columns(entry.before), entry.before.pace
    if entry.after is not None:
        row["after"], detail.pace_after = _columns(entry.after), entry.after.pace
    row["detail"] = _ENCODER.encode(detail).decode()
    _origin(row, entry)
    if entry.content is UNSET:
        return [row]
    if entry.content.topic_id is not None:
        row["topic_id"] = encode_uuid(entry.content.topic_id)
    parts = sorted(entry.content.partitions.items())
    return [row, *(_of_content(row, part, *each) for part, each in enumerate(parts, 1))]


def _of_content(row: dict[str, Any], part: int, partition: int, form: _Form) -> dict[str, Any]:
    """Return the row of a partition of a topic's content."""
    pace = _ENCODER.encode(_Detail(pace_after=form.pace)).decode()
    return {
        **row,
        "part": part,
        "partition": partition,
        "after": _columns(form),
        "detail": None if form.pace is UNSET else pace,
    }


def _origin(row: dict[str, Any], entry: _Entry) -> None:
    """Add what the entry came from, what was written, and what the client is answered."""
    if (cause := entry.cause) is not UNSET:
        row["cause"], row["cause_seq"] = cause.kind, cause.sequence
        row["rpc_api"] = cause.api_key
        if cause.peer is not None:
            row["request"] = f"{cause.peer}/{cause.correlation_id}"
    if entry.reply is not UNSET:
        row["rpc_error"] = entry.reply.code
    if len(entry.writes) == 1:
        (write,) = entry.writes
        row["zk_path"] = write.path
        row["zk_version"] = -1 if write.after is None else write.after


def _columns(form: _Form) -> dict[str, Any]:
    return {
        "replicas": form.replicas,
        "adding": form.adding,
        "removing": form.removing,
        "leader": form.leader,
        "leader_epoch": form.leader_epoch,
        "isr": form.isr,
        "controller_epoch": form.controller_epoch,
        "version": form.version,
    }


def _refused(line: int, text: str, error: Exception) -> Bad:
    if not text.rstrip().endswith("}"):
        return bad(line, f"the line is cut off: an entry ends with a brace ({error})", text)
    return bad(line, f"no entry of klamm's journal: {error}", text)
