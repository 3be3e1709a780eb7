"""`/brokers/topics/T`: the replicas of each partition, and what moves (kafka.zk.TopicZNode).

    {"partitions":{"0":[4,3,2,1]},"topic_id":"XznsFBQYTf-jLeBtIN61JQ",
     "adding_replicas":{"0":[4]},"removing_replicas":{"0":[1]},"version":3}

Version 1 has no maps of moves. Version 2 (KIP-455) has them; Kafka 2.8 and later write 3, with
`topic_id` from inter.broker.protocol.version 2.8 on. Nobody reads the number, and a reader of
version 1 still finds the whole replica list of every partition. KIP-455 spells the maps
`addingReplicas` and `removingReplicas`, Kafka has only ever written `adding_replicas` and
`removing_replicas`; both are read.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import (
    NO_EXTRA,
    Int32,
    ReplicaLists,
    Shape,
    check_distinct,
    check_string,
    dump,
    no_extra,
)
from klamm.controller.znodes.text import decode_uuid, encode_uuid

VERSION: Final = 2
VERSION_WITH_TOPIC_ID: Final = 3

Lists = Mapping[int, tuple[int, ...]]


class TopicZnode(msgspec.Struct, frozen=True):
    """A topic's assignment, by partition number.

    `partitions` holds the full replica lists, added and removed replicas included. `adding` and
    `removing` hold only partitions that move. `extra` holds keys that we do not know; they are
    written again. `ignored` holds what was read and will not be written again, under its key: a
    camelCase map that contradicts the snake_case one, and moves of partitions that do not exist.
    """

    version: int
    partitions: Lists
    adding: Lists = msgspec.field(default_factory=dict)
    removing: Lists = msgspec.field(default_factory=dict)
    topic_id: UUID | None = None
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)
    ignored: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class _Json(msgspec.Struct):
    partitions: ReplicaLists
    version: Int32 = 1
    topic_id: str | None = None
    adding_replicas: ReplicaLists | None = None
    removing_replicas: ReplicaLists | None = None
    addingReplicas: Any = None
    removingReplicas: Any = None


_SHAPE = Shape(_Json)


def decode_topic(data: bytes | None, path: str) -> TopicZnode:
    """Read a topic znode of any version and either spelling; snake_case wins over camelCase.

    Raises ZnodeError, so that the caller can set this one topic aside, for anything that stock
    controllers choke on too: ids that are no integers or repeated, a partition without replicas,
    an unreadable topic id, no `partitions` at all. A name that no request could carry is refused
    likewise.
    """
    check_string(path.rpartition("/")[2], "the topic's name", path)
    fields, extra = _SHAPE.read(data, path)
    check_distinct(fields.partitions, "partitions", path)
    for partition, replicas in fields.partitions.items():
        if not replicas:
            raise ZnodeError(path, f"partition {partition} has no replicas")
    ignored: dict[str, Any] = {}
    adding = _moves(fields, "adding", ignored, path)
    removing = _moves(fields, "removing", ignored, path)
    try:
        topic_id = None if fields.topic_id is None else decode_uuid(fields.topic_id)
    except ValueError as error:
        raise ZnodeError(path, f"topic_id: {error}") from error
    return TopicZnode(
        fields.version, fields.partitions, adding, removing, topic_id, extra, ignored or NO_EXTRA
    )


def encode_topic(znode: TopicZnode, *, camel_case: bool = False) -> bytes:
    """Write a topic znode, with KIP-455's spelling of the two maps if `camel_case`."""
    suffix = "Replicas" if camel_case else "_replicas"
    fields: dict[str, Any] = {"partitions": dict(znode.partitions)}
    if znode.topic_id is not None:
        fields["topic_id"] = encode_uuid(znode.topic_id)
    for name, lists in (("adding", znode.adding), ("removing", znode.removing)):
        fields[name + suffix] = {partition: ids for partition, ids in lists.items() if ids}
    fields["version"] = znode.version
    return dump({**znode.extra, **fields})


def _moves(fields: _Json, name: str, ignored: dict[str, Any], path: str) -> Lists:
    """Return the partitions that have something in this map, and note what does not count."""
    snake_key, camel_key = f"{name}_replicas", f"{name}Replicas"
    snake: ReplicaLists | None = getattr(fields, snake_key)
    camel: object = getattr(fields, camel_key)
    if snake is None and camel is None:
        return {}
    if snake is None:
        key, lists = camel_key, _camel_lists(camel, camel_key, path)
    else:
        key, lists = snake_key, snake
        if camel is not None and not _says(camel, snake):
            ignored[camel_key] = camel
    check_distinct(lists, key, path)
    strangers = {number: ids for number, ids in lists.items() if number not in fields.partitions}
    if strangers:
        ignored[key] = strangers
    return {number: ids for number, ids in lists.items() if ids and number in fields.partitions}


def _camel_lists(camel: object, key: str, path: str) -> ReplicaLists:
    try:
        return msgspec.convert(camel, ReplicaLists, str_keys=True)
    except msgspec.ValidationError as error:
        raise ZnodeError(path, f"{key}: {error}") from error


def _says(camel: object, snake: ReplicaLists) -> bool:
    try:
        return msgspec.convert(camel, ReplicaLists, str_keys=True) == snake
    except msgspec.ValidationError:
        return False
