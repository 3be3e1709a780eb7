"""Replaying journals: every topic's znodes, from the snapshot that an office begins with.

A takeover writes down all that it has read, and each entry after that what its Commit has changed;
so what the last office told is what ZooKeeper holds (see `klamm.controller.node.lines`). Rebuilt
are the topic znodes with their dataVersions, and the state znodes. ZooKeeper may be ahead of them
in what a controller is told of later: leaders of old brokers write state znodes themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from klamm.controller.core.model import NO_LEADER
from klamm.controller.node.forms import ContentForm, Line, PartitionForm, WriteForm
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.state import StateZnode, decode_state, encode_state
from klamm.controller.znodes.topic import (
    VERSION,
    VERSION_WITH_TOPIC_ID,
    TopicZnode,
    decode_topic,
    encode_topic,
)
from klamm.tools.pipeline.tables import INT, LONG, TEXT, Row, Table

#: Znodes as they were rebuilt, and by which entry each was written last.
ZNODES = Table(
    "znodes",
    1,
    ("path",),
    {
        "path": TEXT,
        "topic": TEXT,
        # ZooKeeper's dataVersion, and the text of the znode.
        "version": INT,
        "data": TEXT,
        "controller_epoch": INT,
        "seq": LONG,
        "source": TEXT,
        "line": LONG,
    },
)
READS = (
    "cluster",
    "date",
    "topic",
    "partition",
    "controller_epoch",
    "seq",
    "kind",
    "after",
    "detail",
    "source",
    "line",
)


class Told(NamedTuple):
    """What an entry tells of a topic."""

    kind: str
    topic: str
    partition: int | None = None
    after: PartitionForm | None = None
    content: ContentForm | None = None
    writes: tuple[WriteForm, ...] = ()


class _Detail(msgspec.Struct):
    content: ContentForm | None = None
    writes: tuple[WriteForm, ...] = ()


_DETAIL = msgspec.json.Decoder(_Detail)


def told_by_line(line: Line) -> Told | None:
    """Return what a journal's line tells of a topic; None: it is about none."""
    if line.topic is None:
        return None
    return Told(line.kind, line.topic, line.partition, line.after, line.content, line.writes)


def told_by_row(row: Row) -> Told:
    """Return what a row of `events` tells, the first that its entry has."""
    detail = _DETAIL.decode(row["detail"]) if row["detail"] else _Detail()
    after = (
        None if row["after"] is None else msgspec.convert(row["after"], PartitionForm, strict=False)
    )
    return Told(row["kind"], row["topic"], row["partition"], after, detail.content, detail.writes)


@dataclass
class ReplayedTopic:
    """A topic as the entries so far have it; `version` is its znode's dataVersion."""

    version: int
    partitions: dict[int, PartitionForm] = field(default_factory=dict)
    topic_id: UUID | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Replay:
    """What ZooKeeper holds of topics by the entries of one office, in the order of `seq`."""

    def __init__(self) -> None:
        self.topics: dict[str, ReplayedTopic] = {}

    def forget(self) -> None:
        """Begin anew, as at a `snapshot` entry."""
        self.topics.clear()

    def take(self, told: Told) -> None:
        """Take in an entry; KeyError if it changes a topic that none has told of."""
        name = told.topic
        if told.content is not None:
            if told.content.first:
                content = told.content
                self.topics[name] = ReplayedTopic(
                    content.version, topic_id=content.topic_id, extra=content.extra
                )
            self.topics[name].partitions.update(told.content.partitions)
        elif told.kind == "topic-gone":
            self.topics.pop(name, None)
        if told.partition is not None and told.after is not None:
            self.topics[name].partitions[told.partition] = told.after
        for write in told.writes:
            if write.path == paths.topic(name):
                if write.after is None:
                    self.topics.pop(name, None)
                else:
                    self.topics[name].version = write.after


def znodes(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows of `ZNODES` for one topic, from its events after the snapshot, in order.

    Raises ReplayError if they do not tell enough: entries are missing.
    """
    replay, written = Replay(), dict[int | None, Row]()
    for row in rows:
        try:
            replay.take(told_by_row(row))
        except KeyError as error:
            raise ReplayError(
                f"{row['source']}:{row['line']} changes topic {row['topic']}, which no entry after"
                " the snapshot tells of: entries are missing"
            ) from error
        written[row["partition"]] = written[None] = row
    topic = rows[0]["topic"]
    replayed = replay.topics.get(topic)
    if replayed is None:
        return []
    found = [_znode(paths.topic(topic), replayed.version, topic_data(replayed), written[None])]
    for number, form in sorted(replayed.partitions.items()):
        if (state := state_data(form)) is not None:
            by = written.get(number, rows[0])
            found.append(_znode(paths.state(topic, number), form.version, state, by))
    return found


class ReplayError(ValueError):
    """A journal does not tell enough to rebuild what ZooKeeper holds; the text says what lacks."""


def topic_data(topic: ReplayedTopic) -> bytes:
    """Return the topic's znode; the `version` in it, which nobody reads, as klamm writes it."""
    partitions = sorted(topic.partitions.items())
    znode = TopicZnode(
        VERSION if topic.topic_id is None else VERSION_WITH_TOPIC_ID,
        {number: form.replicas for number, form in partitions},
        {number: form.adding for number, form in partitions if form.adding},
        {number: form.removing for number, form in partitions if form.removing},
        topic.topic_id,
        topic.extra,
    )
    return encode_topic(znode)


def state_data(form: PartitionForm) -> bytes | None:
    """Return the partition's state znode; None: it has none."""
    if form.version < 0 and form.leader == NO_LEADER:
        return None
    return encode_state(StateZnode(form.leader, form.leader_epoch, form.isr, form.controller_epoch))


def _znode(path: str, version: int, data: bytes, row: Row) -> dict[str, Any]:
    return {
        "cluster": row["cluster"],
        "date": row["date"],
        "path": path,
        "topic": row["topic"],
        "version": version,
        "data": data.decode(),
        "controller_epoch": row["controller_epoch"],
        "seq": row["seq"],
        "source": row["source"],
        "line": row["line"],
    }


class Held(NamedTuple):
    """A znode as ZooKeeper has it."""

    data: bytes | None
    version: int


def differences(rebuilt: Iterable[Row], held: Mapping[str, Held]) -> Iterator[str]:
    """Tell, path by path, where rebuilt znodes are not what ZooKeeper holds.

    Compared is what is meant: the order of keys and the number `version` within a topic's znode,
    which nobody reads, do not count. `held` are all topics' and states' znodes that there are.
    """
    missing = dict(held)
    for row in rebuilt:
        path = row["path"]
        found = missing.pop(path, None)
        if found is None:
            yield f"{path} is rebuilt from the journal, and ZooKeeper has none"
        elif found.version != row["version"]:
            yield f"{path} has version {found.version}, and {row['version']} by the journal"
        elif _meaning(path, found.data) != _meaning(path, row["data"].encode()):
            text = "" if found.data is None else found.data.decode(errors="replace")
            yield f"{path} holds {text}, and {row['data']} by the journal"
    for path in sorted(missing):
        yield f"{path} is in ZooKeeper, and the journal does not tell of it"


def _meaning(path: str, data: bytes | None) -> object:
    try:
        if path.endswith("/state"):
            # A recovery state is the leaders' business: journals do not tell it.
            state = decode_state(data, path)
            return msgspec.structs.replace(state, leader_recovery_state=0, extra={})
        return msgspec.structs.replace(decode_topic(data, path), version=0)
    except ZnodeError as error:
        return str(error)
