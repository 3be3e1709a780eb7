"""The JSON objects of the journal; `klamm.controller.node.lines` makes them of its entries."""

from typing import Any
from uuid import UUID

import msgspec

from klamm.controller.core.model import NO_LEADER
from klamm.controller.core.pace import UNLIMITED

#: Of this form, in each line.
VERSION = 1


class Form(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A JSON object; fields that have their default are left out."""


class RunningForm(Form, frozen=True):
    """A step that runs: see `klamm.controller.core.pace.RunningStep`."""

    kind: str
    adding: tuple[int, ...]
    before: tuple[int, ...]
    since_ms: int
    limit: int = UNLIMITED


class PaceForm(Form, frozen=True):
    """How far a move in steps is: see `klamm.controller.core.pace.Pace`."""

    hosted: tuple[int, ...]
    origin: tuple[int, ...]
    steps: int = 0
    running: RunningForm | None = None
    waiting: str | None = None
    leads: bool = False
    started: tuple[int, ...] | None = None
    ended_ms: int = 0


class LimitsForm(Form, frozen=True):
    """The limits of moves in force; those left out are not limited."""

    replicas: int = UNLIMITED
    partitions: int = UNLIMITED
    leaders: int = UNLIMITED


class StepForm(Form, frozen=True):
    """A step that begins, ends, waits or is given up: `klamm.controller.core.pace.StepNote`."""

    number: int
    limits: LimitsForm
    min_isr: int
    hosted: tuple[int, ...]
    kind: str | None = None
    added: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    settled: tuple[int, ...] = ()
    limit: int = UNLIMITED
    reason: str | None = None


class PartitionForm(Form, frozen=True):
    """A partition: RS, AR and RR of the topic's znode, and its state znode, if there is one.

    `version` is the state znode's. Without one `leader` is -1 and the epochs are. `pace` is there
    while the partition is moved in steps.
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    leader: int = NO_LEADER
    leader_epoch: int = -1
    isr: tuple[int, ...] = ()
    controller_epoch: int = -1
    version: int = -1
    pace: PaceForm | None = None


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


class ReplicaStatusForm(Form, frozen=True):
    """How many records of how many a broker has copied; `error` is 60 until it is complete.

    The denominator is -1 where nothing is known, or nothing is to be copied.
    """

    topic: str
    partition: int
    broker: int
    numerator: int
    denominator: int
    error: int
    complete: bool = False


class StatusForm(Form, frozen=True):
    """What has been written of a request with a number: those of its replicas with news."""

    request_id: int
    replicas: tuple[ReplicaStatusForm, ...] = ()


class Line(Form, frozen=True):
    """One entry; what the words of `kind` mean is in `klamm.controller.node.kinds`."""

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
    status: StatusForm | None = None
    step: StepForm | None = None
