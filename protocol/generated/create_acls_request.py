"""CreateAclsRequest: API key 30, versions 0-3, flexible 2-3, deprecated 0.

Generated from schemas/kafka/CreateAclsRequest.json
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
    compact_string,
    read_compact_length,
    read_compact_string,
    read_length,
    read_string,
    read_unknown_tags,
    string,
    unknown_tags,
)

_pack_int32 = Struct(">i").pack
_pack_int8 = Struct(">b").pack
_pack_int8x2 = Struct(">2b").pack
_unpack_int8 = Struct(">b").unpack_from
_unpack_int8x2 = Struct(">2b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AclCreation:
    """Struct; versions 0-3."""

    resource_type: int = 0
    """int8; versions 0+"""

    resource_name: str = ""
    """string; versions 0+"""

    resource_pattern_type: int = 3
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


_AclCreationDraft = draft_of(AclCreation)


@quick_new
@dataclass(frozen=True, slots=True)
class CreateAclsRequest(Message):
    """Request; API key 30, versions 0-3, flexible 2-3, deprecated 0."""

    api_key: ClassVar[int] = 30
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(4)
    flexible_from: ClassVar[int | None] = 2
    codec: ClassVar[Codec]

    creations: tuple[AclCreation, ...] = ()
    """[]AclCreation; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CreateAclsRequestDraft = draft_of(CreateAclsRequest)


def _encode_v0(message: CreateAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.creations)))
    for creation in message.creations:
        if creation.resource_pattern_type != 3 or creation.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(creation.resource_type))
        add(string(creation.resource_name))
        add(string(creation.principal))
        add(string(creation.host))
        add(_pack_int8x2(creation.operation, creation.permission_type))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[CreateAclsRequest, int]:
    message = _CreateAclsRequestDraft()
    n, offset = read_length(data, offset, 9)
    creations = []
    for _ in range(n):
        creation = _AclCreationDraft()
        creation.resource_pattern_type = 3
        (creation.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        creation.resource_name, offset = read_string(data, offset)
        creation.principal, offset = read_string(data, offset)
        creation.host, offset = read_string(data, offset)
        creation.operation, creation.permission_type = _unpack_int8x2(data, offset)
        offset += 2
        creation.unknown_tagged_fields = ()
        creation.__class__ = AclCreation
        creations.append(creation)
    message.creations = tuple(creations)
    message.unknown_tagged_fields = ()
    message.__class__ = CreateAclsRequest
    return message, offset


def _encode_v1(message: CreateAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields:
        raise Unfit
    add(_pack_int32(len(message.creations)))
    for creation in message.creations:
        if creation.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(creation.resource_type))
        add(string(creation.resource_name))
        add(_pack_int8(creation.resource_pattern_type))
        add(string(creation.principal))
        add(string(creation.host))
        add(_pack_int8x2(creation.operation, creation.permission_type))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[CreateAclsRequest, int]:
    message = _CreateAclsRequestDraft()
    n, offset = read_length(data, offset, 10)
    creations = []
    for _ in range(n):
        creation = _AclCreationDraft()
        (creation.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        creation.resource_name, offset = read_string(data, offset)
        (creation.resource_pattern_type,) = _unpack_int8(data, offset)
        offset += 1
        creation.principal, offset = read_string(data, offset)
        creation.host, offset = read_string(data, offset)
        creation.operation, creation.permission_type = _unpack_int8x2(data, offset)
        offset += 2
        creation.unknown_tagged_fields = ()
        creation.__class__ = AclCreation
        creations.append(creation)
    message.creations = tuple(creations)
    message.unknown_tagged_fields = ()
    message.__class__ = CreateAclsRequest
    return message, offset


def _encode_v2_3(message: CreateAclsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.creations))
    for creation in message.creations:
        add(_pack_int8(creation.resource_type))
        add(compact_string(creation.resource_name))
        add(_pack_int8(creation.resource_pattern_type))
        add(compact_string(creation.principal))
        add(compact_string(creation.host))
        add(_pack_int8x2(creation.operation, creation.permission_type))
        add(unknown_tags(creation.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v2_3(data: bytes, offset: int) -> tuple[CreateAclsRequest, int]:
    message = _CreateAclsRequestDraft()
    n, offset = read_compact_length(data, offset, 8)
    creations = []
    for _ in range(n):
        creation = _AclCreationDraft()
        (creation.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        creation.resource_name, offset = read_compact_string(data, offset)
        (creation.resource_pattern_type,) = _unpack_int8(data, offset)
        offset += 1
        creation.principal, offset = read_compact_string(data, offset)
        creation.host, offset = read_compact_string(data, offset)
        creation.operation, creation.permission_type = _unpack_int8x2(data, offset)
        offset += 2
        if data[offset]:
            creation.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            creation.unknown_tagged_fields = ()
        creation.__class__ = AclCreation
        creations.append(creation)
    message.creations = tuple(creations)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = CreateAclsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AclCreation: (
        FieldFact("resource_type", "int8", range(4), range(0), False),
        FieldFact("resource_name", "string", range(4), range(0), False),
        FieldFact("resource_pattern_type", "int8", range(1, 4), range(0), False),
        FieldFact("principal", "string", range(4), range(0), False),
        FieldFact("host", "string", range(4), range(0), False),
        FieldFact("operation", "int8", range(4), range(0), False),
        FieldFact("permission_type", "int8", range(4), range(0), False),
    ),
    CreateAclsRequest: (FieldFact("creations", "[]AclCreation", range(4), range(0), False),),
}

CreateAclsRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1, _encode_v2_3, _encode_v2_3),
    decoders=(_decode_v0, _decode_v1, _decode_v2_3, _decode_v2_3),
    fields=_FIELDS,
)
