"""The journal's lines: what each field means, and how an entry becomes one.

A journal is a file of JSON objects, one a line, in the order of `seq`, which counts from 1 without
a gap over files and restarts of a node; the one exception says so itself (`lost`). `v` is the
version of this form, and schemas/journal.json its JSON Schema, made from the classes below. Times
and ids are plain numbers: milliseconds since 1970, seconds of a clock that never goes back, epochs
and dataVersions as ZooKeeper counts them.

Replay: begin at a `snapshot` entry, which forgets all that was known, and take from each entry
after it the `content` of its topic, the partition's `after`, the versions in `writes`; a
`topic-gone` or `topic-deleted` entry, once its writes delete the topic's znode, ends a topic. After
each Commit that is every topic as it is in ZooKeeper.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any
from uuid import UUID

import msgspec

from klamm.controller.core.events import Event, Fact
from klamm.controller.core.model import NO_LEADER, Partition
from klamm.controller.core.ops import Check, Create, Delete, Op, SetData
from klamm.controller.core.origins import FromClient, FromEntry, Origin
from klamm.controller.core.plan import Announce, Forget, Lead, Message, Publish, Refill, Stop
from klamm.controller.core.results import Refusal, Result
from klamm.controller.node.effects import Content, Journal
from klamm.protocol.error_codes import ErrorCode

VERSION = 1

#: What an entry can be about, in the word of its field `kind`.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        # Moves
        "accept": "a request starts a move, or a new order without one",
        "supersede": "a request gives a move that is under way another target",
        "cancel": "a request cancels a move",
        "end": "a move ends: its target is in sync",
        "refuse": "a request is refused; the reply says why",
        "no-op": "a request is granted and changes nothing",
        "answered": "a request is granted that has waited for something",
        # Leadership
        "initialize": "a new partition has its first leader",
        "elect": "another replica leads, or nobody does",
        "resume": "the same leader leads in a new epoch",
        "isr-join": "a replica has come in sync",
        "isr-shrink": "a replica is out of sync",
        "state-read": "a partition's state was changed by somebody else, its ISR was not",
        "changed": "a partition is changed, and no decision says more",
        "stuck": "a partition cannot be changed any more",
        "told": "brokers are told of what was decided before",
        # Topics
        "topic-created": "a request creates a topic",
        "topic-grown": "a request gives a topic more partitions",
        "topic-id": "a topic that had no id gets one",
        "housed": "replicas that somebody put on a klamm node go to brokers",
        "deletion-queued": "a topic's deletion is asked for",
        "deletion-started": "clients see the topic no more, and its brokers delete their replicas",
        "deletion-withdrawn": "a topic is not to be deleted any more, or there is none",
        "topic-deleted": "nothing is left of a topic",
        "topic-read": "a topic is new to the controller, or somebody else changed it",
        "topic-gone": "a topic is gone",
        # The cluster and the office
        "brokers": "brokers came or went",
        "shutdown": "a broker asked to leave, and is relieved of what others can lead",
        "elected": "this node is controller",
        "snapshot": "what an office begins with; the topics follow",
        "snapshot-topic": "a topic, or a part of one, of the snapshot before",
        "resigned": "this node is controller no more",
        "fenced": "a write was refused, for another controller has been elected",
        "session-given-up": "the session with ZooKeeper is over",
        "housekeeping": "writes that no decision is named for",
        # Trouble
        "conflict": "a write met another one; what it is about is read and decided again",
        "given up": "a cause has failed too often",
        "refused": "a broker or ZooKeeper refused something",
        "unreadable": "a znode cannot be read; what it is about is left alone",
        "ignored": "a part of a znode does not count, and is not written again",
        "election refused": "ZooKeeper refused the election",
        "watch refused": "ZooKeeper refused a watch",
        "old notices stay": "notices of changed configs that are old could not be deleted",
        "node id taken": "another node is registered under this one's id",
        "lost": "entries were dropped, for the disk was slower than the controller",
        "counters": "the counters of this moment",
    }
)


class Form(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A JSON object; fields that have their default are left out."""


class PartitionForm(Form, frozen=True):
    """A partition: RS, AR and RR of the topic's znode, and its state znode, if there is one.

    `version` is the state znode's. Without one `leader` is -1 and the epochs are.
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    leader: int = NO_LEADER
    leader_epoch: int = -1
    isr: tuple[int, ...] = ()
    controller_epoch: int = -1
    version: int = -1


class ContentForm(Form, frozen=True):
    """Partitions of a topic by number; `first` is false for those that follow in a next line.

    `version` is the topic znode's dataVersion, `extra` keys of it that klamm does not know.
    """

    version: int
    partitions: dict[int, PartitionForm]
    topic_id: UUID | None = None
    extra: dict[str, Any] = {}
    first: bool = True


class WriteForm(Form, frozen=True):
    """A write of a Commit: the znode's dataVersion before (none: created, or any) and after."""

    path: str
    before: int | None = None
    after: int | None = None


class MessageForm(Form, frozen=True):
    """What brokers must learn; without `brokers` all of them."""

    kind: str
    brokers: tuple[int, ...] | None = None
    is_new: tuple[int, ...] = ()
    delete: bool = False


class EventForm(Form, frozen=True):
    """What was decided on: the kind of event, and its fields if it is a request."""

    kind: str
    fields: dict[str, Any] = {}


class CauseForm(Form, frozen=True):
    """Where the event came from: see `klamm.controller.core.origins`."""

    kind: str
    peer: str | None = None
    correlation_id: int | None = None
    api_key: int | None = None
    path: str | None = None
    why: str | None = None
    broker: int | None = None
    send: int | None = None
    name: str | None = None
    sequence: int | None = None


class ReplyForm(Form, frozen=True):
    """What the client is answered about this: Kafka's error code, its name, and the text."""

    code: int
    error: str
    text: str = ""


class BrokerForm(Form, frozen=True):
    """A registered broker."""

    id: int
    epoch: int
    rack: str | None = None


class Line(Form, frozen=True):
    """One entry; what the words of `kind` mean is in KINDS."""

    v: int
    seq: int
    node: int
    epoch: int
    wall_ms: int
    monotonic_s: float
    severity: str
    kind: str
    text: str = ""
    topic: str | None = None
    partition: int | None = None
    before: PartitionForm | None = None
    after: PartitionForm | None = None
    event: EventForm | None = None
    cause: CauseForm | None = None
    principal: str | None = None
    client_id: str | None = None
    writes: tuple[WriteForm, ...] = ()
    messages: tuple[MessageForm, ...] = ()
    reply: ReplyForm | None = None
    content: ContentForm | None = None
    brokers: tuple[BrokerForm, ...] | None = None
    #: The numbers of this many entries, from `seq` on, were given and their entries dropped.
    lost: int | None = None
    #: By the names of Kafka's metrics; a count, or counts by broker.
    counters: dict[str, int | dict[int, int]] | None = None


def line(entry: Journal, node: int, wall_ms: int, monotonic: float) -> Line:
    """Give an entry the form in which it is written."""
    cause, name = entry.cause, entry.name
    origin = cause.origin if cause else None
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
    if held is None:
        return PartitionForm(assignment.replicas, assignment.adding, assignment.removing)
    return PartitionForm(
        assignment.replicas,
        assignment.adding,
        assignment.removing,
        held.leader,
        held.leader_epoch,
        held.isr,
        held.controller_epoch,
        held.version,
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
        case Forget(broker):
            return MessageForm("forget", (broker,))


def _reply(result: Result | None) -> ReplyForm | None:
    if result is None:
        return None
    code, text = ErrorCode.NONE, ""
    if isinstance(result, Refusal):
        code, text = ErrorCode[result.fault.name], result.message
    return ReplyForm(code, code.name, text)
