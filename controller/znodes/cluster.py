"""Facts about the whole cluster: its id, the last block of producer ids, finalized features."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import INT64_MAX, Int32, Natural, dump, parse
from klamm.controller.znodes.text import decode_int


class ProducerIdBlock(msgspec.Struct, frozen=True):
    """The producer ids `first` to `last`, both included, that a broker may hand out."""

    broker: int
    first: int
    last: int


class FeatureZnode(msgspec.Struct, frozen=True):
    """The finalized features, by name.

    A level is {"max_version_level": 1}, in version 1 with a min_version_level as well. Features
    are not `enabled` below inter.broker.protocol.version 2.7; version 2 comes with 3.3.
    """

    version: int
    enabled: bool
    features: Mapping[str, Mapping[str, int]] = msgspec.field(default_factory=dict)


class _ClusterIdJson(msgspec.Struct):
    id: str


class _BlockJson(msgspec.Struct):
    broker: Natural
    block_start: str
    block_end: str


class _FeatureJson(msgspec.Struct):
    version: Annotated[int, msgspec.Meta(ge=1, le=2)]
    status: Annotated[int, msgspec.Meta(ge=0, le=1)]
    features: dict[str, dict[str, Int32]]


_CLUSTER_ID = msgspec.json.Decoder(_ClusterIdJson)
_BLOCK = msgspec.json.Decoder(_BlockJson)
_FEATURE = msgspec.json.Decoder(_FeatureJson)


def decode_cluster_id(data: bytes | None, path: str = paths.CLUSTER_ID) -> str:
    """Read `/cluster/id`, usually 22 characters of url-safe base64; raises ZnodeError."""
    return parse(_CLUSTER_ID, data, path).id


def encode_cluster_id(cluster_id: str) -> bytes:
    """Write `/cluster/id`; its version is text, which is no slip of ours."""
    return dump({"version": "1", "id": cluster_id})


def decode_producer_id_block(
    data: bytes | None, path: str = paths.PRODUCER_ID_BLOCK
) -> ProducerIdBlock | None:
    """Read the last block that was handed out, None before the first; raises ZnodeError."""
    if data is None:
        return None
    fields = parse(_BLOCK, data, path)
    first = decode_int(fields.block_start, 0, INT64_MAX)
    last = decode_int(fields.block_end, 0, INT64_MAX)
    if first is None or last is None or last < first:
        raise ZnodeError(path, f"no block: {fields.block_start!r} to {fields.block_end!r}")
    return ProducerIdBlock(fields.broker, first, last)


def encode_producer_id_block(block: ProducerIdBlock) -> bytes:
    """Write `/latest_producer_id_block`, whose bounds are numbers in quotes."""
    return dump(
        {
            "version": 1,
            "broker": block.broker,
            "block_start": str(block.first),
            "block_end": str(block.last),
        }
    )


def decode_feature(data: bytes | None, path: str = paths.FEATURE) -> FeatureZnode:
    """Read `/feature`; raises ZnodeError."""
    fields = parse(_FEATURE, data, path)
    return FeatureZnode(fields.version, fields.status == 1, fields.features)


def encode_feature(znode: FeatureZnode) -> bytes:
    """Write `/feature`."""
    return dump(
        {"features": znode.features, "version": znode.version, "status": int(znode.enabled)}
    )
