"""DescribeAclsResponse: API key 29, versions 0-3, flexible 2-3.

Generated from schemas/kafka/DescribeAclsResponse.json
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

_pack_int32 = Struct(">i").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int8 = Struct(">b").pack
_pack_int8_int32 = Struct(">bi").pack
_pack_int8x2 = Struct(">2b").pack
_unpack_int32_int16 = Struct(">ih").unpack_from
_unpack_int8 = Struct(">b").unpack_from
_unpack_int8x2 = Struct(">2b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AclDescription:
    """Struct; versions 0-3."""

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


_AclDescriptionDraft = draft_of(AclDescription)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeAclsResource:
    """Struct; versions 0-3."""

    resource_type: int = 0
    """int8; versions 0+"""

    resource_name: str = ""
    """string; versions 0+"""

    pattern_type: int = 3
    """int8; versions 1+"""

    acls: tuple[AclDescription, ...] = ()
    """[]AclDescription; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeAclsResourceDraft = draft_of(DescribeAclsResource)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeAclsResponse(Message):
    """Response; API key 29, versions 0-3, flexible 2-3."""

    api_key: ClassVar[int] = 29
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    resources: tuple[DescribeAclsResource, ...] = ()
    """[]DescribeAclsResource; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeAclsResponseDraft = draft_of(DescribeAclsResponse)


def _encode_v0(message: DescribeAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(nullable_string(message.error_message))
    add(_pack_int32(len(message.resources)))
    for resource in message.resources:
        if resource.pattern_type != 3 or resource.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(resource.resource_type))
        add(string(resource.resource_name))
        add(_pack_int32(len(resource.acls)))
        for acl in resource.acls:
            if acl.unknown_tagged_fields:
                raise Unfit
            add(string(acl.principal))
            add(string(acl.host))
            add(_pack_int8x2(acl.operation, acl.permission_type))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeAclsResponse, int]:
    message = _DescribeAclsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_nullable_string(data, offset)
    n, offset = read_length(data, offset, 7)
    resources = []
    for _ in range(n):
        resource = _DescribeAclsResourceDraft()
        resource.pattern_type = 3
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 6)
        acls = []
        for _ in range(n):
            acl = _AclDescriptionDraft()
            acl.principal, offset = read_string(data, offset)
            acl.host, offset = read_string(data, offset)
            acl.operation, acl.permission_type = _unpack_int8x2(data, offset)
            offset += 2
            acl.unknown_tagged_fields = ()
            acl.__class__ = AclDescription
            acls.append(acl)
        resource.acls = tuple(acls)
        resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeAclsResource
        resources.append(resource)
    message.resources = tuple(resources)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeAclsResponse
    return message, offset


def _encode_v1(message: DescribeAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(nullable_string(message.error_message))
    add(_pack_int32(len(message.resources)))
    for resource in message.resources:
        if resource.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(resource.resource_type))
        add(string(resource.resource_name))
        add(_pack_int8_int32(resource.pattern_type, len(resource.acls)))
        for acl in resource.acls:
            if acl.unknown_tagged_fields:
                raise Unfit
            add(string(acl.principal))
            add(string(acl.host))
            add(_pack_int8x2(acl.operation, acl.permission_type))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[DescribeAclsResponse, int]:
    message = _DescribeAclsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_nullable_string(data, offset)
    n, offset = read_length(data, offset, 8)
    resources = []
    for _ in range(n):
        resource = _DescribeAclsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_string(data, offset)
        (resource.pattern_type,) = _unpack_int8(data, offset)
        offset += 1
        n, offset = read_length(data, offset, 6)
        acls = []
        for _ in range(n):
            acl = _AclDescriptionDraft()
            acl.principal, offset = read_string(data, offset)
            acl.host, offset = read_string(data, offset)
            acl.operation, acl.permission_type = _unpack_int8x2(data, offset)
            offset += 2
            acl.unknown_tagged_fields = ()
            acl.__class__ = AclDescription
            acls.append(acl)
        resource.acls = tuple(acls)
        resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeAclsResource
        resources.append(resource)
    message.resources = tuple(resources)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeAclsResponse
    return message, offset


def _encode_v2_3(message: DescribeAclsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.resources))
    for resource in message.resources:
        add(_pack_int8(resource.resource_type))
        add(compact_string(resource.resource_name))
        add(_pack_int8(resource.pattern_type))
        add(compact_length(resource.acls))
        for acl in resource.acls:
            add(compact_string(acl.principal))
            add(compact_string(acl.host))
            add(_pack_int8x2(acl.operation, acl.permission_type))
            add(unknown_tags(acl.unknown_tagged_fields))
        add(unknown_tags(resource.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[DescribeAclsResponse, int]:
    message = _DescribeAclsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 5)
    resources = []
    for _ in range(n):
        resource = _DescribeAclsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_compact_string(data, offset)
        (resource.pattern_type,) = _unpack_int8(data, offset)
        offset += 1
        n, offset = read_compact_length(data, offset, 5)
        acls = []
        for _ in range(n):
            acl = _AclDescriptionDraft()
            acl.principal, offset = read_compact_string(data, offset)
            acl.host, offset = read_compact_string(data, offset)
            acl.operation, acl.permission_type = _unpack_int8x2(data, offset)
            offset += 2
            if data[offset]:
                acl.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                acl.unknown_tagged_fields = ()
            acl.__class__ = AclDescription
            acls.append(acl)
        resource.acls = tuple(acls)
        if data[offset]:
            resource.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeAclsResource
        resources.append(resource)
    message.resources = tuple(resources)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeAclsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AclDescription: (
        FieldFact("principal", "string", range(4), range(0), False),
        FieldFact("host", "string", range(4), range(0), False),
        FieldFact("operation", "int8", range(4), range(0), False),
        FieldFact("permission_type", "int8", range(4), range(0), False),
    ),
    DescribeAclsResource: (
        FieldFact("resource_type", "int8", range(4), range(0), False),
        FieldFact("resource_name", "string", range(4), range(0), False),
        FieldFact("pattern_type", "int8", range(1, 4), range(0), False),
        FieldFact("acls", "[]AclDescription", range(4), range(0), False),
    ),
    DescribeAclsResponse: (
        FieldFact("throttle_time_ms", "int32", range(4), range(0), False),
        FieldFact("error_code", "int16", range(4), range(0), False),
        FieldFact("error_message", "string", range(4), range(4), False),
        FieldFact("resources", "[]DescribeAclsResource", range(4), range(0), False),
    ),
}

DescribeAclsResponse.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0, _decode_v1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
