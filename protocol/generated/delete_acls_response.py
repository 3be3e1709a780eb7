"""DeleteAclsResponse: API key 31, versions 0-3, flexible 2-3.

Generated from schemas/kafka/DeleteAclsResponse.json
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
    compact_string,
    nullable_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_length,
    read_nullable_string,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int16 = Struct(">h").pack
_pack_int32 = Struct(">i").pack
_pack_int32x2 = Struct(">2i").pack
_pack_int8 = Struct(">b").pack
_pack_int8x2 = Struct(">2b").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32 = Struct(">i").unpack_from
_unpack_int8 = Struct(">b").unpack_from
_unpack_int8x2 = Struct(">2b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteAclsMatchingAcl:
    """Struct; versions 0-3."""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    resource_type: int = 0
    """int8; versions 0+"""

    resource_name: str = ""
    """string; versions 0+"""

    pattern_type: int = 3
    """int8; versions 1+"""

    principal: str = ""
    """string; versions 0+"""

    host: str = ""
    """string; versions 0+"""

    operation: int = 0
    """int8; versions 0+"""

    permission_type: int = 0
    """int8; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteAclsMatchingAclDraft = draft_of(DeleteAclsMatchingAcl)


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteAclsFilterResult:
    """Struct; versions 0-3."""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    matching_acls: tuple[DeleteAclsMatchingAcl, ...] = ()
    """[]DeleteAclsMatchingAcl; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteAclsFilterResultDraft = draft_of(DeleteAclsFilterResult)


@quick_new
@dataclass(frozen=True, slots=True)
class DeleteAclsResponse(Message):
    """Response; API key 31, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 31
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    filter_results: tuple[DeleteAclsFilterResult, ...] = ()
    """[]DeleteAclsFilterResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DeleteAclsResponseDraft = draft_of(DeleteAclsResponse)


def _encode_v0(message: DeleteAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.filter_results)))
    for filter_result in message.filter_results:
        if filter_result.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16(filter_result.error_code))
        add(nullable_string(filter_result.error_message))
        add(_pack_int32(len(filter_result.matching_acls)))
        for matching_acl in filter_result.matching_acls:
            if matching_acl.pattern_type != 3 or matching_acl.unknown_tagged_fields:
                raise Unfit
            add(_pack_int16(matching_acl.error_code))
            add(nullable_string(matching_acl.error_message))
            add(_pack_int8(matching_acl.resource_type))
            add(string(matching_acl.resource_name))
            add(string(matching_acl.principal))
            add(string(matching_acl.host))
            add(_pack_int8x2(matching_acl.operation, matching_acl.permission_type))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DeleteAclsResponse, int]:
    message = _DeleteAclsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 8)
    filter_results = []
    for _ in range(n):
        filter_result = _DeleteAclsFilterResultDraft()
        (filter_result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        filter_result.error_message, offset = read_nullable_string(data, offset)
        n, offset = read_length(data, offset, 13)
        matching_acls = []
        for _ in range(n):
            matching_acl = _DeleteAclsMatchingAclDraft()
            matching_acl.pattern_type = 3
            (matching_acl.error_code,) = _unpack_int16(data, offset)
            offset += 2
            matching_acl.error_message, offset = read_nullable_string(data, offset)
            (matching_acl.resource_type,) = _unpack_int8(data, offset)
            offset += 1
            matching_acl.resource_name, offset = read_string(data, offset)
            matching_acl.principal, offset = read_string(data, offset)
            matching_acl.host, offset = read_string(data, offset)
            matching_acl.operation, matching_acl.permission_type = _unpack_int8x2(data, offset)
            offset += 2
            matching_acl.unknown_tagged_fields = ()
            matching_acl.__class__ = DeleteAclsMatchingAcl
            matching_acls.append(matching_acl)
        filter_result.matching_acls = tuple(matching_acls)
        filter_result.unknown_tagged_fields = ()
        filter_result.__class__ = DeleteAclsFilterResult
        filter_results.append(filter_result)
    message.filter_results = tuple(filter_results)
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteAclsResponse
    return message, offset


def _encode_v1(message: DeleteAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32x2(message.throttle_time_ms, len(message.filter_results)))
    for filter_result in message.filter_results:
        if filter_result.unknown_tagged_fields:
            raise Unfit
        add(_pack_int16(filter_result.error_code))
        add(nullable_string(filter_result.error_message))
        add(_pack_int32(len(filter_result.matching_acls)))
        for matching_acl in filter_result.matching_acls:
            if matching_acl.unknown_tagged_fields:
                raise Unfit
            add(_pack_int16(matching_acl.error_code))
            add(nullable_string(matching_acl.error_message))
            add(_pack_int8(matching_acl.resource_type))
            add(string(matching_acl.resource_name))
            add(_pack_int8(matching_acl.pattern_type))
            add(string(matching_acl.principal))
            add(string(matching_acl.host))
            add(_pack_int8x2(matching_acl.operation, matching_acl.permission_type))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DeleteAclsResponse, int]:
    message = _DeleteAclsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_length(data, offset, 8)
    filter_results = []
    for _ in range(n):
        filter_result = _DeleteAclsFilterResultDraft()
        (filter_result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        filter_result.error_message, offset = read_nullable_string(data, offset)
        n, offset = read_length(data, offset, 14)
        matching_acls = []
        for _ in range(n):
            matching_acl = _DeleteAclsMatchingAclDraft()
            (matching_acl.error_code,) = _unpack_int16(data, offset)
            offset += 2
            matching_acl.error_message, offset = read_nullable_string(data, offset)
            (matching_acl.resource_type,) = _unpack_int8(data, offset)
            offset += 1
            matching_acl.resource_name, offset = read_string(data, offset)
            (matching_acl.pattern_type,) = _unpack_int8(data, offset)
            offset += 1
            matching_acl.principal, offset = read_string(data, offset)
            matching_acl.host, offset = read_string(data, offset)
            matching_acl.operation, matching_acl.permission_type = _unpack_int8x2(data, offset)
            offset += 2
            matching_acl.unknown_tagged_fields = ()
            matching_acl.__class__ = DeleteAclsMatchingAcl
            matching_acls.append(matching_acl)
        filter_result.matching_acls = tuple(matching_acls)
        filter_result.unknown_tagged_fields = ()
        filter_result.__class__ = DeleteAclsFilterResult
        filter_results.append(filter_result)
    message.filter_results = tuple(filter_results)
    message.unknown_tagged_fields = ()
    message.__class__ = DeleteAclsResponse
    return message, offset


def _encode_v2_3(message: DeleteAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32(message.throttle_time_ms))
    add(compact_length(message.filter_results))
    for filter_result in message.filter_results:
        add(_pack_int16(filter_result.error_code))
        add(compact_nullable_string(filter_result.error_message))
        add(compact_length(filter_result.matching_acls))
        for matching_acl in filter_result.matching_acls:
            add(_pack_int16(matching_acl.error_code))
            add(compact_nullable_string(matching_acl.error_message))
            add(_pack_int8(matching_acl.resource_type))
            add(compact_string(matching_acl.resource_name))
            add(_pack_int8(matching_acl.pattern_type))
            add(compact_string(matching_acl.principal))
            add(compact_string(matching_acl.host))
            add(_pack_int8x2(matching_acl.operation, matching_acl.permission_type))
            add(unknown_tags(matching_acl.unknown_tagged_fields))
        add(unknown_tags(filter_result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[DeleteAclsResponse, int]:
    message = _DeleteAclsResponseDraft()
    (message.throttle_time_ms,) = _unpack_int32(data, offset)
    offset += 4
    n, offset = read_compact_length(data, offset, 5)
    filter_results = []
    for _ in range(n):
        filter_result = _DeleteAclsFilterResultDraft()
        (filter_result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        filter_result.error_message, offset = read_compact_nullable_string(data, offset)
        n, offset = read_compact_length(data, offset, 11)
        matching_acls = []
        for _ in range(n):
            matching_acl = _DeleteAclsMatchingAclDraft()
            (matching_acl.error_code,) = _unpack_int16(data, offset)
            offset += 2
            matching_acl.error_message, offset = read_compact_nullable_string(data, offset)
            (matching_acl.resource_type,) = _unpack_int8(data, offset)
            offset += 1
            matching_acl.resource_name, offset = read_compact_string(data, offset)
            (matching_acl.pattern_type,) = _unpack_int8(data, offset)
            offset += 1
            matching_acl.principal, offset = read_compact_string(data, offset)
            matching_acl.host, offset = read_compact_string(data, offset)
            matching_acl.operation, matching_acl.permission_type = _unpack_int8x2(data, offset)
            offset += 2
            if data[offset]:
                matching_acl.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                matching_acl.unknown_tagged_fields = ()
            matching_acl.__class__ = DeleteAclsMatchingAcl
            matching_acls.append(matching_acl)
        filter_result.matching_acls = tuple(matching_acls)
        if data[offset]:
            filter_result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            filter_result.unknown_tagged_fields = ()
        filter_result.__class__ = DeleteAclsFilterResult
        filter_results.append(filter_result)
    message.filter_results = tuple(filter_results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DeleteAclsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DeleteAclsMatchingAcl: (
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("error_message", "string", range(4), range(4), False),
        FieldFact("resource_type", "int8", range(4), range(0), False),
        FieldFact("resource_name", "string", range(4), range(0), False),
        FieldFact("pattern_type", "int8", range(1, 4), range(0), False),
        FieldFact("principal", "string", range(4), range(0), False),
        FieldFact("host", "string", range(4), range(0), False),
        FieldFact("operation", "int8", range(4), range(0), False),
        FieldFact("permission_type", "int8", range(4), range(0), False),
    ),
    DeleteAclsFilterResult: (
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("error_message", "string", range(4), range(4), False),
        FieldFact("matching_acls", "[]DeleteAclsMatchingAcl", range(4), range(0), False),
    ),
    DeleteAclsResponse: (
        FieldFact("throttle_time_ms", "int32", range(4), range(0), False),
        FieldFact("filter_results", "[]DeleteAclsFilterResult", range(4), range(0), False),
    ),
}

DeleteAclsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0, _decode_v1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
