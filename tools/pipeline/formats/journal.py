"""klamm's own journal: schemas/journal.json, a JSON object per line.

An entry becomes one row; what it has of `klamm.controller.node.forms` beyond the columns is kept in
`detail`, as the journal has it. An entry with a topic's content gets a row for each partition of it
as well, so that a partition's history is complete in itself. `zk_path` and `zk_version` are those
of the only write of an entry; an entry with several has them in `detail`.

The parts that go into `detail` are never decoded: ten million lines are read for their columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec

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
    pace: msgspec.Raw = _NOTHING


class _Content(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    version: Int
    partitions: dict[Int, _Form]
    topic_id: UUID | None = None
    extra: msgspec.Raw = _NOTHING
    first: bool = True


class _Entry(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """`klamm.controller.node.forms.Line`, in the same way."""

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
    cause: msgspec.Raw = _NOTHING
    principal: str | None = None
    client_id: str | None = None
    writes: msgspec.Raw = _NOTHING
    messages: msgspec.Raw = _NOTHING
    reply: msgspec.Raw = _NOTHING
    content: msgspec.Raw = _NOTHING
    brokers: msgspec.Raw = _NOTHING
    lost: Long | None = None
    counters: msgspec.Raw = _NOTHING
    status: msgspec.Raw = _NOTHING
    step: msgspec.Raw = _NOTHING


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


_ENTRY = msgspec.json.Decoder(_Entry)
_CAUSE = msgspec.json.Decoder(_Cause)
_REPLY = msgspec.json.Decoder(_Reply)
_WRITES = msgspec.json.Decoder(list[_Write])
_CONTENT = msgspec.json.Decoder(_Content)
#: What `detail` has of an entry: see klamm.tools.pipeline.history.kinds.ENTRY_DETAIL.
_KEPT = (
    "event",
    "cause",
    "writes",
    "messages",
    "reply",
    "content",
    "brokers",
    "counters",
    "status",
    "step",
)


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
            rows = list(_rows(source, number, entry))
        except UNDECODABLE as error:
            yield _refused(number, text, error)
            continue
        latest = entry.wall_ms if latest is None else max(latest, entry.wall_ms)
        for row in rows:
            row["at_ms"] = latest
            yield Good("events", row)


def _rows(source: Source, line: int, entry: _Entry) -> Iterator[dict[str, Any]]:
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
    }
    detail = [
        b'"%s":%s' % (key.encode(), raw) for key in _KEPT if (raw := bytes(getattr(entry, key)))
    ]
    detail.append(b'"monotonic_s":%s' % msgspec.json.encode(entry.monotonic_s))
    if entry.lost is not None:
        detail.append(b'"lost":%d' % entry.lost)
    for column in ("before", "after"):
        if (form := getattr(entry, column)) is not None:
            row[column] = _columns(form)
            if pace := bytes(form.pace):
                detail.append(b'"pace_%s":%s' % (column.encode(), pace))
    row["detail"] = (b"{" + b",".join(detail) + b"}").decode()
    for column in ("text", "principal", "client_id"):
        row[column] = getattr(entry, column) or None
    _origin(row, entry)
    content = _CONTENT.decode(entry.content) if bytes(entry.content) else None
    if content is not None and content.topic_id is not None:
        row["topic_id"] = encode_uuid(content.topic_id)
    yield row
    if content is not None:
        for part, (partition, form) in enumerate(sorted(content.partitions.items()), 1):
            pace = bytes(form.pace)
            yield {
                **row,
                "part": part,
                "partition": partition,
                "after": _columns(form),
                "detail": b'{"pace_after":%s}'.replace(b"%s", pace).decode() if pace else None,
            }


def _origin(row: dict[str, Any], entry: _Entry) -> None:
    """Add what the entry came from, what was written, and what the client is answered."""
    if bytes(entry.cause):
        cause = _CAUSE.decode(entry.cause)
        row["cause"], row["cause_seq"] = cause.kind, cause.sequence
        row["rpc_api"] = cause.api_key
        if cause.peer is not None:
            row["request"] = f"{cause.peer}/{cause.correlation_id}"
    if bytes(entry.reply):
        row["rpc_error"] = _REPLY.decode(entry.reply).code
    if bytes(entry.writes):
        writes = _WRITES.decode(entry.writes)
        if len(writes) == 1:
            row["zk_path"] = writes[0].path
            row["zk_version"] = -1 if writes[0].after is None else writes[0].after


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
