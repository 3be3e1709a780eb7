"""DeleteAclsRequest: API key 31, versions 0-3, flexible 2-3, deprecated 0.

Generated from schemas/kafka/DeleteAclsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    compact_length,
    compact_nullable_string,
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_length,
    read_nullable_string,
    read_unknown_tags,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_int8 = Struct(">b").pack
_pack_int8x2 = Struct(">2b").pack
_unpack_int8 = Struct(">b").unpack_from
_unpack_int8x2 = Struct(">2b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteAclsFilter:
    """Struct; versions 0-3."""

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


_DeleteAclsFilterDraft = draft_of(DeleteAclsFilter)


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteAclsRequest(Message):
    """Request; API key 31, versions 0-3, flexible 2-3, deprecated 0."""

    api_key: ClassVar[int] = 31
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    filters: tuple[DeleteAclsFilter, ...] = ()
    """[]DeleteAclsFilter; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteAclsRequestDraft = draft_of(DeleteAclsRequest)


def _encode_v0(message: DeleteAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.filters)))
    for filter in message.filters:
        if filter.pattern_type_filter != 3 or filter.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(filter.resource_type_filter))
        add(nullable_string(filter.resource_name_filter))
        add(nullable_string(filter.principal_filter))
        add(nullable_string(filter.host_filter))
        add(_pack_int8x2(filter.operation, filter.permission_type))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DeleteAclsRequest, int]:
    message = _DeleteAclsRequestDraft()
    n, offset = read_length(data, offset, 9)
    filters = []
    for _ in range(n):
        filter = _DeleteAclsFilterDraft()
        filter.pattern_type_filter = 3
        (filter.resource_type_filter,) = _unpack_int8(data, offset)
        offset += 1
        filter.resource_name_filter, offset = read_nullable_string(data, offset)
        filter.principal_filter, offset = read_nullable_string(data, offset)
        filter.host_filter, offset = read_nullable_string(data, offset)
        filter.operation, filter.permission_type = _unpack_int8x2(data, offset)
        offset += 2
        filter.unknown_tagged_fields = ()
        filter.__class__ = DeleteAclsFilter
        filters.append(filter)
    message.filters = tuple(filters)
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteAclsRequest
    return message, offset


def _encode_v1(message: DeleteAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.filters)))
    for filter in message.filters:
        if filter.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(filter.resource_type_filter))
        add(nullable_string(filter.resource_name_filter))
        add(_pack_int8(filter.pattern_type_filter))
        add(nullable_string(filter.principal_filter))
        add(nullable_string(filter.host_filter))
        add(_pack_int8x2(filter.operation, filter.permission_type))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DeleteAclsRequest, int]:
    message = _DeleteAclsRequestDraft()
    n, offset = read_length(data, offset, 10)
    filters = []
    for _ in range(n):
        filter = _DeleteAclsFilterDraft()
        (filter.resource_type_filter,) = _unpack_int8(data, offset)
        offset += 1
        filter.resource_name_filter, offset = read_nullable_string(data, offset)
        (filter.pattern_type_filter,) = _unpack_int8(data, offset)
        offset += 1
        filter.principal_filter, offset = read_nullable_string(data, offset)
        filter.host_filter, offset = read_nullable_string(data, offset)
        filter.operation, filter.permission_type = _unpack_int8x2(data, offset)
        offset += 2
        filter.unknown_tagged_fields = ()
        filter.__class__ = DeleteAclsFilter
        filters.append(filter)
    message.filters = tuple(filters)
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteAclsRequest
    return message, offset


def _encode_v2_3(message: DeleteAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.filters))
    for filter in message.filters:
        add(_pack_int8(filter.resource_type_filter))
        add(compact_nullable_string(filter.resource_name_filter))
        add(_pack_int8(filter.pattern_type_filter))
        add(compact_nullable_string(filter.principal_filter))
        add(compact_nullable_string(filter.host_filter))
        add(_pack_int8x2(filter.operation, filter.permission_type))
        add(unknown_tags(filter.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[DeleteAclsRequest, int]:
    message = _DeleteAclsRequestDraft()
    n, offset = read_compact_length(data, offset, 8)
    filters = []
    for _ in range(n):
        filter = _DeleteAclsFilterDraft()
        (filter.resource_type_filter,) = _unpack_int8(data, offset)
        offset += 1
        filter.resource_name_filter, offset = read_compact_nullable_string(data, offset)
        (filter.pattern_type_filter,) = _unpack_int8(data, offset)
        offset += 1
        filter.principal_filter, offset = read_compact_nullable_string(data, offset)
        filter.host_filter, offset = read_compact_nullable_string(data, offset)
        filter.operation, filter.permission_type = _unpack_int8x2(data, offset)
        offset += 2
        if data[offset]:
            filter.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            filter.unknown_tagged_fields = ()
        filter.__class__ = DeleteAclsFilter
        filters.append(filter)
    message.filters = tuple(filters)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteAclsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DeleteAclsFilter: (
        FieldFact("resource_type_filter", "int8", range(4), range(0), False),
        FieldFact("resource_name_filter", "string", range(4), range(4), False),
        FieldFact("pattern_type_filter", "int8", range(1, 4), range(0), False),
        FieldFact("principal_filter", "string", range(4), range(4), False),
        FieldFact("host_filter", "string", range(4), range(4), False),
        FieldFact("operation", "int8", range(4), range(0), False),
        FieldFact("permission_type", "int8", range(4), range(0), False),
    ),
    DeleteAclsRequest: (FieldFact("filters", "[]DeleteAclsFilter", range(4), range(0), False),),
}

DeleteAclsRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0, _decode_v1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
