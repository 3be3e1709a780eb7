"""Events as rules see them: tuples, made from columns and not from rows, for there are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

import msgspec
import pyarrow as pa

from klamm.tools.pipeline.history.order import ORDER

Ids = tuple[int, ...]


class Form(NamedTuple):
    """A partition as far as an event tells it: RS, AR, RR, leader, epochs, ISR, version."""

    replicas: Ids | None = None
    adding: Ids | None = None
    removing: Ids | None = None
    leader: int | None = None
    leader_epoch: int | None = None
    isr: Ids | None = None
    controller_epoch: int | None = None
    version: int | None = None

    @property
    def target(self) -> Ids:
        """Where a move goes: RS without RR."""
        removing = self.removing or ()
        return tuple(each for each in self.replicas or () if each not in removing)

    @property
    def origin(self) -> Ids:
        """Where a cancel goes back to: RS without AR."""
        adding = self.adding or ()
        return tuple(each for each in self.replicas or () if each not in adding)

    @property
    def moving(self) -> bool:
        """Tell whether it is on the way to another assignment."""
        return bool(self.adding or self.removing)

    @property
    def assignment(self) -> tuple[Ids, Ids, Ids]:
        """RS, AR and RR."""
        return self.replicas or (), self.adding or (), self.removing or ()

    def __str__(self) -> str:
        """Say what is known, in the words of Kafka."""
        said = []
        if self.replicas is not None:
            said.append(f"RS={[*self.replicas]}")
            said += [f"AR={[*self.adding]}"] if self.adding else []
            said += [f"RR={[*self.removing]}"] if self.removing else []
        if self.leader is not None:
            said.append(f"leader {self.leader}, epoch {self.leader_epoch}")
        if self.isr is not None:
            said.append(f"ISR {[*self.isr]}")
        return " ".join(said) or "nothing"


class Event(NamedTuple):
    """A row of `events`, as far as any rule looks at it."""

    cluster: str
    topic: str | None
    partition: int | None
    step: int | None
    controller_epoch: int | None
    at_ms: int | None
    node: int | None
    seq: int | None
    part: int | None
    source: str | None
    line: int | None
    origin: str
    kind: str
    broker: int | None
    zk_path: str | None
    zk_version: int | None
    zk_session: str | None
    rpc_api: int | None
    rpc_error: int | None
    request: str | None
    topic_id: str | None
    text: str | None
    detail: str | None
    before: Form | None
    after: Form | None

    @property
    def said(self) -> dict[str, Any]:
        """What only this kind of event has; raises msgspec.DecodeError if it is no JSON object."""
        return _DETAIL.decode(self.detail) if self.detail else {}

    @property
    def name(self) -> str:
        """The partition, the topic, or the cluster, in words."""
        if self.topic is None:
            return f"cluster {self.cluster}"
        return self.topic if self.partition is None else f"{self.topic}-{self.partition}"


_DETAIL: Final = msgspec.json.Decoder(dict[str, Any])
_FORMS: Final = ("before", "after")
#: The columns of `events` that are needed, in the order of `Event`.
READS: Final = Event._fields
#: A partition's events, and the cluster's, are apart by these.
KEYS: Final = ("cluster", "topic", "partition")
#: All events of one key follow each other, in the order of their history.
SORTED: Final = (*KEYS, *ORDER)


def events(batch: pa.RecordBatch | pa.Table) -> Iterator[Event]:
    """Yield the events of a batch that has the columns of `READS`."""
    if isinstance(batch, pa.Table):
        for each in batch.to_batches():
            yield from events(each)
        return
    columns: list[Sequence[Any]] = [
        _forms(batch.column(name)) if name in _FORMS else batch.column(name).to_pylist()
        for name in READS
    ]
    yield from map(Event._make, zip(*columns, strict=True))


def _forms(column: pa.StructArray) -> Sequence[Form | None]:
    """Return a column of forms; by its children, which is several times faster than by rows."""
    size = len(column)
    if column.null_count == size:
        return [None] * size
    there = column.is_valid().to_pylist()
    names = [field.name for field in column.type]
    flat = dict(zip(names, column.flatten(), strict=True))
    parts = [_values(flat[name]) if name in flat else repeat(None, size) for name in Form._fields]
    made = map(Form._make, zip(*parts, strict=True))
    return [form if known else None for form, known in zip(made, there, strict=True)]


def _values(column: pa.Array) -> Sequence[Any]:
    if not pa.types.is_list(column.type):
        found: Sequence[Any] = column.to_pylist()
        return found
    values, offsets = column.values.to_pylist(), column.offsets.to_pylist()
    there = column.is_valid().to_pylist()
    return [
        tuple(values[offsets[at] : offsets[at + 1]]) if known else None
        for at, known in enumerate(there)
    ]
