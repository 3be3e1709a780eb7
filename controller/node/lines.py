"""The journal's lines: what is to be known of them, and how an entry becomes one.

A journal is a file of JSON objects, one a line, in the order of `seq`, which counts from 1 over
files and restarts of a node; where entries were dropped a line says so itself (`lost`). A run of a
node begins with a `started` entry. Before that one entries may be missing without a word: those
that a process which was killed, or ended with a disk that took nothing, had not written; their
numbers are given again. `v` is the version of this form, and schemas/journal.json its JSON Schema,
made from the classes in `klamm.controller.node.forms`. Times and ids are plain numbers:
milliseconds since 1970, seconds of a clock that never goes back, epochs and dataVersions as
ZooKeeper counts them.

An event is told in the first entry that its Commit brings about; the others say by
`cause.sequence` which one that is.

Replay: begin at a `snapshot` entry, which forgets all that was known, and take from each entry
after it the `content` of its topic, the partition's `after`, the versions in `writes`; a
`topic-gone` or `topic-deleted` entry, once its writes delete the topic's znode, ends a topic. After
each Commit that is every topic as it is in ZooKeeper. What was known before a `started` entry is
of no use after it: the next office begins with a snapshot.

Of moves in steps, entries with a `step` tell the rest: the limits in force, and what was added and
dropped. With the partition `before` and `after` that is enough to judge every step.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from klamm.controller.core.events import Event, Fact
from klamm.controller.core.model import Partition
from klamm.controller.core.ops import Check, Create, Delete, Op, SetData
from klamm.controller.core.origins import FromClient, FromEntry, Origin
from klamm.controller.core.pace import Pace, StepNote
from klamm.controller.core.plan import (
    Announce,
    Forget,
    Lead,
    Message,
    Publish,
    Refill,
    Relead,
    Stop,
)
from klamm.controller.core.results import Refusal, Result
from klamm.controller.core.status_book import StatusNote
from klamm.controller.node.effects import Content, Journal
from klamm.controller.node.forms import (
    VERSION,
    BrokerForm,
    CauseForm,
    ContentForm,
    EventForm,
    LimitsForm,
    Line,
    MessageForm,
    PaceForm,
    PartitionForm,
    ReplicaStatusForm,
    ReplyForm,
    RunningForm,
    StatusForm,
    StepForm,
    WriteForm,
)
from klamm.controller.node.kinds import KINDS
from klamm.protocol.error_codes import ErrorCode


def line(entry: Journal, node: int, wall_ms: int, monotonic: float) -> Line:
    """Give an entry the form in which it is written."""
    cause, name = entry.cause, entry.name
    origin = cause.origin if cause else entry.origin
    client = origin if isinstance(origin, FromClient) else None
    return Line(
        v=VERSION,
        seq=entry.sequence,
        node=node,
        epoch=entry.epoch,
        wall_ms=wall_ms,
        monotonic_s=monotonic,
        severity=entry.severity.value,
        kind=entry.kind,
        text=entry.text,
        topic=name.topic if name else entry.topic or None,
        partition=name.partition if name else None,
        before=_partition(entry.before),
        after=_partition(entry.after),
        event=_event(cause.event) if cause else None,
        cause=_cause(origin),
        principal=client.principal if client else None,
        client_id=client.client_id if client else None,
        writes=tuple(_writes(entry.ops)),
        messages=tuple(map(_message, entry.messages)),
        reply=_reply(entry.result),
        content=_content(entry.content),
        brokers=None
        if entry.brokers is None
        else tuple(BrokerForm(b.id, b.epoch, b.rack) for b in entry.brokers.values()),
        counters=entry.counters.by_name() if entry.counters else None,
        status=_status(entry.status),
        step=_step(entry.step),
    )


def encode(each: Line) -> bytes:
    """Return a line of the file, without the line's end."""
    return _ENCODER.encode(each)


def decode(data: bytes) -> Line:
    """Read a line; raises msgspec.ValidationError if it is none of this version."""
    return _DECODER.decode(data)


def schema() -> dict[str, Any]:
    """The JSON Schema of a line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of klamm's journal",
        "kinds": dict(KINDS),
        **msgspec.json.schema(Line),
    }


def _plain(value: object) -> object:
    """What msgspec does not know: any other mapping, and values that only their text can tell."""
    return dict(value) if isinstance(value, Mapping) else str(value)


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)
_DECODER = msgspec.json.Decoder(Line)


def _partition(partition: Partition | None) -> PartitionForm | None:
    if partition is None:
        return None
    assignment, held = partition.assignment, partition.leadership
    pace = _pace(partition.pace)
    if held is None:
        return PartitionForm(assignment.replicas, assignment.adding, assignment.removing, pace=pace)
    return PartitionForm(
        assignment.replicas,
        assignment.adding,
        assignment.removing,
        held.leader,
        held.leader_epoch,
        held.isr,
        held.controller_epoch,
        held.version,
        pace,
    )


def _pace(pace: Pace | None) -> PaceForm | None:
    if pace is None:
        return None
    running = pace.running
    return PaceForm(
        pace.hosted,
        pace.origin,
        pace.steps,
        RunningForm(running.kind, running.adding, running.before, running.since_ms, running.limit)
        if running
        else None,
        pace.waiting,
        pace.leads,
        None if pace.started is None else tuple(sorted(pace.started)),
        pace.ended_ms,
    )


def _step(step: StepNote | None) -> StepForm | None:
    if step is None:
        return None
    limits = LimitsForm(step.limits.replicas, step.limits.partitions, step.limits.leaders)
    return StepForm(
        step.number,
        limits,
        step.min_isr,
        step.hosted,
        step.kind,
        step.added,
        step.dropped,
        step.settled,
        step.limit,
        step.reason,
    )


def _content(content: Content | None) -> ContentForm | None:
    if content is None:
        return None
    partitions = {number: _partition(each) for number, each in content.partitions.items()}
    return ContentForm(
        content.topic.version,
        {number: each for number, each in partitions.items() if each is not None},
        content.topic.topic_id,
        dict(content.topic.extra),
        content.first,
    )


def _event(event: Event) -> EventForm:
    kind = type(event).__name__
    if isinstance(event, Fact):
        return EventForm(kind)  # what was read is in `before`, `after` and `content`
    names = [each.name for each in dataclasses.fields(event)]
    return EventForm(kind, {name: getattr(event, name) for name in names})


def _cause(origin: Origin | None) -> CauseForm | None:
    kind = type(origin).__name__.removeprefix("From").lower()
    match origin:
        case None:
            return None
        case FromClient():
            return CauseForm(kind, origin.peer, origin.correlation_id, origin.api_key)
        case FromEntry(sequence):
            return CauseForm(kind, sequence=sequence)
    return CauseForm(kind, **{f.name: getattr(origin, f.name) for f in dataclasses.fields(origin)})


def _writes(ops: tuple[Op, ...]) -> Iterator[WriteForm]:
    for op in ops:
        match op:
            case Create(path):
                yield WriteForm(path, None, 0)
            case SetData(path, _, version):
                yield WriteForm(path, version, version + 1)
            case Delete(path, version):
                yield WriteForm(path, version if version >= 0 else None, None)
            case Check():
                pass


def _message(message: Message) -> MessageForm:
    match message:
        case Lead(_, brokers, is_new):
            return MessageForm("leader-and-isr", brokers, is_new)
        case Publish():
            return MessageForm("update-metadata")
        case Stop(_, broker, delete):
            return MessageForm("stop-replica", (broker,), delete=delete)
        case Announce():
            return MessageForm("live-brokers")
        case Refill(broker):
            return MessageForm("everything", (broker,))
        case Relead(broker):
            return MessageForm("all-replicas", (broker,))
        case Forget(broker):
            return MessageForm("forget", (broker,))


def _status(note: StatusNote | None) -> StatusForm | None:
    if note is None:
        return None
    rows = (
        ReplicaStatusForm(
            row.topic,
            row.partition,
            row.broker,
            row.numerator,
            row.denominator,
            row.error,
            row.complete,
        )
        for row in note.replicas
    )
    return StatusForm(note.request_id, tuple(rows))


def _reply(result: Result | None) -> ReplyForm | None:
    if result is None:
        return None
    code, text = ErrorCode.NONE, ""
    if isinstance(result, Refusal):
        code, text = ErrorCode[result.fault.name], result.message
    return ReplyForm(code, code.name, text)
