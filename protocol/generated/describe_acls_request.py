"""DescribeAclsRequest: API key 29, versions 0-3, flexible 2-3, deprecated 0.

Generated from schemas/kafka/DescribeAclsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    compact_nullable_string,
    nullable_string,
    read_compact_nullable_string,
    read_nullable_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int8 = Struct(">b").pack
_pack_int8x2 = Struct(">2b").pack
_unpack_int8 = Struct(">b").unpack_from
_unpack_int8x2 = Struct(">2b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeAclsRequest(Message):
    """Request; API key 29, versions 0-3, flexible 2-3, deprecated 0."""

    api_key: ClassVar[int] = 29
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    resource_type_filter: int = 0
    """int8; versions 0+"""

    resource_name_filter: str | None = ""
    """string; versions 0+; nullable 0+"""

    pattern_type_filter: int = 3
    """int8; versions 1+"""

    principal_filter: str | None = ""
    """string; versions 0+; nullable 0+"""

    host_filter: str | None = ""
    """string; versions 0+; nullable 0+"""

    operation: int = 0
    """int8; versions 0+"""

    permission_type: int = 0
    """int8; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeAclsRequestDraft = draft_of(DescribeAclsRequest)


def _encode_v0(message: DescribeAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.pattern_type_filter != 3 or message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int8(message.resource_type_filter))
    add(nullable_string(message.resource_name_filter))
    add(nullable_string(message.principal_filter))
    add(nullable_string(message.host_filter))
    add(_pack_int8x2(message.operation, message.permission_type))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeAclsRequest, int]:
    message = _DescribeAclsRequestDraft()
    message.pattern_type_filter = 3
    (message.resource_type_filter,) = _unpack_int8(data, offset)
    offset += 1
    message.resource_name_filter, offset = read_nullable_string(data, offset)
    message.principal_filter, offset = read_nullable_string(data, offset)
    message.host_filter, offset = read_nullable_string(data, offset)
    message.operation, message.permission_type = _unpack_int8x2(data, offset)
    offset += 2
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeAclsRequest
    return message, offset


def _encode_v1(message: DescribeAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int8(message.resource_type_filter))
    add(nullable_string(message.resource_name_filter))
    add(_pack_int8(message.pattern_type_filter))
    add(nullable_string(message.principal_filter))
    add(nullable_string(message.host_filter))
    add(_pack_int8x2(message.operation, message.permission_type))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DescribeAclsRequest, int]:
    message = _DescribeAclsRequestDraft()
    (message.resource_type_filter,) = _unpack_int8(data, offset)
    offset += 1
    message.resource_name_filter, offset = read_nullable_string(data, offset)
    (message.pattern_type_filter,) = _unpack_int8(data, offset)
    offset += 1
    message.principal_filter, offset = read_nullable_string(data, offset)
    message.host_filter, offset = read_nullable_string(data, offset)
    message.operation, message.permission_type = _unpack_int8x2(data, offset)
    offset += 2
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeAclsRequest
    return message, offset


def _encode_v2_3(message: DescribeAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int8(message.resource_type_filter))
    add(compact_nullable_string(message.resource_name_filter))
    add(_pack_int8(message.pattern_type_filter))
    add(compact_nullable_string(message.principal_filter))
    add(compact_nullable_string(message.host_filter))
    add(_pack_int8x2(message.operation, message.permission_type))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[DescribeAclsRequest, int]:
    message = _DescribeAclsRequestDraft()
    (message.resource_type_filter,) = _unpack_int8(data, offset)
    offset += 1
    message.resource_name_filter, offset = read_compact_nullable_string(data, offset)
    (message.pattern_type_filter,) = _unpack_int8(data, offset)
    offset += 1
    message.principal_filter, offset = read_compact_nullable_string(data, offset)
    message.host_filter, offset = read_compact_nullable_string(data, offset)
    message.operation, message.permission_type = _unpack_int8x2(data, offset)
    offset += 2
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeAclsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeAclsRequest: (
        FieldFact("resource_type_filter", "int8", range(4), range(0), False),
        FieldFact("resource_name_filter", "string", range(4), range(4), False),
        FieldFact("pattern_type_filter", "int8", range(1, 4), range(0), False),
        FieldFact("principal_filter", "string", range(4), range(4), False),
        FieldFact("host_filter", "string", range(4), range(4), False),
        FieldFact("operation", "int8", range(4), range(0), False),
        FieldFact("permission_type", "int8", range(4), range(0), False),
    ),
}

DescribeAclsRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0, _decode_v1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
