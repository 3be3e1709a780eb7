"""DescribeClusterRequest: API key 60, versions 0-2, flexible 0-2.

Generated from schemas/klamm/DescribeClusterRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import Unfit, read_unknown_tags, unknown_tags

_pack_bool = Struct(">?").pack
_pack_bool_int8 = Struct(">?b").pack
_pack_bool_int8_bool = Struct(">?b?").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_bool_int8 = Struct(">?b").unpack_from
_unpack_bool_int8_bool = Struct(">?b?").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeClusterRequest(Message):
    """Request; API key 60, versions 0-2, flexible 0-2."""

    api_key: ClassVar[int] = 60
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(3)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    include_cluster_authorized_operations: bool = False
    """bool; versions 0+"""

    endpoint_type: int = 1
    """int8; versions 1+"""

    include_fenced_brokers: bool = False
    """bool; versions 2+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeClusterRequestDraft = draft_of(DescribeClusterRequest)


def _encode_v0(message: DescribeClusterRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.endpoint_type != 1
        or message.include_fenced_brokers is not False
        or type(message.include_cluster_authorized_operations) is not bool
    ):
        raise Unfit
    add(_pack_bool(message.include_cluster_authorized_operations))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeClusterRequest, int]:
    message = _DescribeClusterRequestDraft()
    message.endpoint_type = 1
    message.include_fenced_brokers = False
    (message.include_cluster_authorized_operations,) = _unpack_bool(data, offset)
    offset += 1
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeClusterRequest
    return message, offset


def _encode_v1(message: DescribeClusterRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.include_fenced_brokers is not False
        or type(message.include_cluster_authorized_operations) is not bool
    ):
        raise Unfit
    add(_pack_bool_int8(message.include_cluster_authorized_operations, message.endpoint_type))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DescribeClusterRequest, int]:
    message = _DescribeClusterRequestDraft()
    message.include_fenced_brokers = False
    (
        message.include_cluster_authorized_operations,
        message.endpoint_type,
    ) = _unpack_bool_int8(data, offset)
    offset += 2
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeClusterRequest
    return message, offset


def _encode_v2(message: DescribeClusterRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        type(message.include_cluster_authorized_operations) is not bool
        or type(message.include_fenced_brokers) is not bool
    ):
        raise Unfit
    add(
        _pack_bool_int8_bool(
            message.include_cluster_authorized_operations,
            message.endpoint_type,
            message.include_fenced_brokers,
        )
    )
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2(data: bytes, offset: int) -> tuple[DescribeClusterRequest, int]:
    message = _DescribeClusterRequestDraft()
    (
        message.include_cluster_authorized_operations,
        message.endpoint_type,
        message.include_fenced_brokers,
    ) = _unpack_bool_int8_bool(data, offset)
    offset += 3
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeClusterRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeClusterRequest: (
        FieldFact("include_cluster_authorized_operations", "bool", range(3), range(0), False),
        FieldFact("endpoint_type", "int8", range(1, 3), range(0), False),
        FieldFact("include_fenced_brokers", "bool", range(2, 3), range(0), False),
    ),
}

DescribeClusterRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2),
    decoders=(_decode_v0, _decode_v1, _decode_v2),
    fields=_FIELDS,
)
