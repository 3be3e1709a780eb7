"""`kafka-dump-log --cluster-metadata-decoder`: the metadata log of a KRaft quorum (3.3 to 4.1).

Records of partitions become events of the kinds of klamm's journal, so that moves and checks serve
clusters of KRaft, too. The controller's epoch is the batch's partitionLeaderEpoch, `seq` the
offset. A PartitionChangeRecord has only what changes; the rest, and the epochs, follow as in
Kafka's PartitionRegistration.merge: the partition epoch grows with every record, the leader epoch
with every one that names a leader. Of a partition whose beginning is not in the dump only the
change is known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import (
    UNDECODABLE,
    Good,
    Int,
    Line,
    Long,
    Passed,
    Produced,
    Source,
    Unreadable,
    bad,
    form,
    tidy,
)

_BATCH = re.compile(r"baseOffset: \d+ lastOffset: \d+ .*\bpartitionLeaderEpoch: (\d+) .*", re.ASCII)
_RECORD = re.compile(r"\| offset: (\d{1,18}) CreateTime: (-?\d{1,18}) .*?payload: (\{.*)", re.ASCII)
_CONTROL = re.compile(
    r"\| offset: \d+ .*\b(?:LeaderChange|SnapshotHeader|SnapshotFooter|KRaftVersion|KRaftVoters"
    r"|endTxnMarker|controlType)\b.*",
    re.ASCII,
)
_SAID = ("Dumping ", "Log starting offset:", "Starting offset:", "Snapshot end offset:")

Row = dict[str, Any]
Form = dict[str, Any]


class _Payload(msgspec.Struct):
    type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")


class _Partition(msgspec.Struct, rename="camel"):
    """PartitionRecord, and PartitionChangeRecord: None is no change."""

    partition_id: Int
    topic_id: str
    replicas: list[Int] | None = None
    isr: list[Int] | None = None
    adding_replicas: list[Int] | None = None
    removing_replicas: list[Int] | None = None
    leader: Int | None = None
    leader_epoch: Int | None = None
    partition_epoch: Int | None = None
    leader_recovery_state: Int | None = None
    eligible_leader_replicas: list[Int] | None = None
    last_known_elr: list[Int] | None = None


class _Topic(msgspec.Struct, rename="camel"):
    topic_id: str
    name: str | None = None


class _Broker(msgspec.Struct, rename="camel"):
    broker_id: Int
    broker_epoch: Long = -1
    fenced: Int | bool | None = None
    in_controlled_shutdown: Int | bool | None = None
    rack: str | None = None


@dataclass(slots=True)
class State:
    """What records need of those before them."""

    epoch: int | None = None
    names: dict[str, str] = field(default_factory=dict)
    forms: dict[tuple[str, int], Form] = field(default_factory=dict)


def sniff(_name: str, head: str) -> bool:
    """Tell whether records of metadata are there."""
    return "| offset: " in head and 'payload: {"type":"' in head


def read(source: Source, lines: Iterator[Line]) -> Iterator[Produced]:
    """Read the dump; see `klamm.tools.pipeline.formats.base`."""
    state, latest = State(), None
    for number, text in tidy(lines):
        if (batch := _BATCH.fullmatch(text)) is not None:
            state.epoch = int(batch[1]) if len(batch[1]) < 10 else None
            yield Passed(number)
        elif (record := _RECORD.fullmatch(text)) is not None:
            ts_ms = int(record[2])
            latest = ts_ms if latest is None else max(latest, ts_ms)
            try:
                rows = list(_rows(record[3], state))
            except UNDECODABLE as error:
                yield bad(number, f"a record whose payload cannot be read: {error}", text)
                continue
            if not rows:
                yield Passed(number)
            yield from _located(source, number, rows, int(record[1]), ts_ms, latest, state.epoch)
        elif not text.strip() or text.startswith(_SAID) or _CONTROL.fullmatch(text):
            yield Passed(number)
        else:
            yield bad(number, "no line of kafka-dump-log --cluster-metadata-decoder", text)


def _located(
    source: Source,
    line: int,
    rows: list[Row],
    offset: int,
    ts_ms: int,
    latest: int,
    epoch: int | None,
) -> Iterator[Good]:
    for part, row in enumerate(rows):
        common: Row = {
            "part": part,
            "origin": "metadata-log",
            "controller_epoch": epoch,
            "at_ms": latest,
            "seq": offset,
        }
        if "detail" in row:
            row["detail"] = json.dumps(row["detail"], sort_keys=True)
        yield Good("events", source.row(line, ts_ms, **common, **row))


def _rows(payload: str, state: State) -> Iterator[Row]:
    record = msgspec.json.decode(payload, type=_Payload)
    if (rows := _RECORDS.get(record.type)) is not None:
        yield from rows(record.data, state)


def _topic(data: msgspec.Raw, state: State) -> Iterator[Row]:
    topic = msgspec.json.decode(data, type=_Topic)
    if topic.name is None:
        raise Unreadable("a TopicRecord has no name")
    state.names[topic.topic_id] = topic.name
    yield {"kind": "topic-created", "topic": topic.name, "topic_id": topic.topic_id}


def _removed(data: msgspec.Raw, state: State) -> Iterator[Row]:
    topic = msgspec.json.decode(data, type=_Topic)
    name = state.names.pop(topic.topic_id, None)
    yield {"kind": "topic-deleted", "topic": name, "topic_id": topic.topic_id}
    state.forms = {key: each for key, each in state.forms.items() if key[0] != topic.topic_id}


def _partition(data: msgspec.Raw, state: State) -> Iterator[Row]:
    record = msgspec.json.decode(data, type=_Partition)
    if record.replicas is None:
        raise Unreadable("a PartitionRecord has no replicas")
    after = form(
        record.replicas,
        adding=record.adding_replicas or (),
        removing=record.removing_replicas or (),
        state={
            "leader": record.leader,
            "leader_epoch": record.leader_epoch,
            "isr": record.isr,
            "controller_epoch": state.epoch,
            "version": record.partition_epoch,
        },
    )
    state.forms[record.topic_id, record.partition_id] = after
    row = {"kind": "initialize", "after": after, **_about(record, state)}
    yield {**row, **_eligible(record)}


def _changed(data: msgspec.Raw, state: State) -> Iterator[Row]:
    record = msgspec.json.decode(data, type=_Partition)
    key = record.topic_id, record.partition_id
    before = state.forms.get(key)
    after = _merged(before, record, state.epoch)
    row: Row = {"kind": _kind(before, after, record), "after": after, **_about(record, state)}
    if before is not None:
        row["before"] = before
        state.forms[key] = after
        if len(changed := set(before["isr"] or ()) ^ set(after["isr"] or ())) == 1:
            [row["broker"]] = changed
    yield {**row, **_eligible(record)}


def _eligible(record: _Partition) -> Row:
    """Return what the record says of replicas that may lead out of sync (KIP-966)."""
    elr = {"elr": record.eligible_leader_replicas, "last_known_elr": record.last_known_elr}
    detail = {name: each for name, each in elr.items() if each is not None}
    return {"detail": detail} if detail else {}


def _about(record: _Partition, state: State) -> Row:
    return {
        "topic": state.names.get(record.topic_id),
        "topic_id": record.topic_id,
        "partition": record.partition_id,
    }


def _merged(before: Form | None, record: _Partition, epoch: int | None) -> Form:
    told = {
        "replicas": record.replicas,
        "adding": record.adding_replicas,
        "removing": record.removing_replicas,
        "leader": record.leader,
        "isr": record.isr,
    }
    after: Form = dict(before or dict.fromkeys(form(())))
    after |= {name: each for name, each in told.items() if each is not None}
    after["controller_epoch"] = epoch
    if before is not None and before["version"] is not None:
        after["version"] = terms.number(str(before["version"] + 1))
    if before is not None and before["leader_epoch"] is not None and record.leader is not None:
        after["leader_epoch"] = terms.number(str(before["leader_epoch"] + 1))
    return after


def _kind(before: Form | None, after: Form, record: _Partition) -> str:
    """Return the kind that says most of a change; `before` and `after` have the rest."""
    if before is None:
        return "assignment-updated" if record.replicas is not None else "leadership"
    if record.replicas is not None or record.adding_replicas is not None:
        return _move_kind(before, after)
    if record.leader is not None:
        unclean = record.leader_recovery_state == 1
        same = record.leader == before["leader"]
        return "elect-unclean" if unclean else "resume" if same else "elect"
    was, now = set(before["isr"] or ()), set(after["isr"] or ())
    return "isr-join" if now - was else "isr-shrink" if was - now else "changed"


def _move_kind(before: Form, after: Form) -> str:
    moved = bool(before["adding"] or before["removing"])
    if after["adding"] or after["removing"]:
        return "supersede" if moved else "accept"
    if not moved:
        return "accept"
    target = [each for each in before["replicas"] if each not in before["removing"]]
    return "end" if after["replicas"] == target else "cancel"


def _registered(data: msgspec.Raw, _state: State) -> Iterator[Row]:
    broker = msgspec.json.decode(data, type=_Broker)
    detail = {"added": [broker.broker_id], "epoch": broker.broker_epoch, "rack": broker.rack}
    yield {"kind": "brokers", "broker": broker.broker_id, "detail": detail}


def _fenced(data: msgspec.Raw, _state: State) -> Iterator[Row]:
    broker = msgspec.json.decode(data, type=_Broker)
    # 1 fences, -1 lets it in again (BrokerRegistrationFencingChange).
    if broker.fenced in (1, True):
        yield {
            "kind": "brokers",
            "broker": broker.broker_id,
            "detail": {"gone": [broker.broker_id]},
        }
    elif broker.fenced == -1:
        yield {
            "kind": "brokers",
            "broker": broker.broker_id,
            "detail": {"live": [broker.broker_id]},
        }
    if broker.in_controlled_shutdown in (1, True):
        yield {"kind": "shutdown", "broker": broker.broker_id}


def _gone(data: msgspec.Raw, _state: State) -> Iterator[Row]:
    broker = msgspec.json.decode(data, type=_Broker)
    yield {"kind": "brokers", "broker": broker.broker_id, "detail": {"gone": [broker.broker_id]}}


_RECORDS: Mapping[str, Callable[[msgspec.Raw, State], Iterator[Row]]] = {
    "TOPIC_RECORD": _topic,
    "REMOVE_TOPIC_RECORD": _removed,
    "PARTITION_RECORD": _partition,
    "PARTITION_CHANGE_RECORD": _changed,
    "REGISTER_BROKER_RECORD": _registered,
    "BROKER_REGISTRATION_CHANGE_RECORD": _fenced,
    "FENCE_BROKER_RECORD": _gone,
    "UNREGISTER_BROKER_RECORD": _gone,
}
