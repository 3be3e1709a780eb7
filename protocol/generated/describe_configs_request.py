"""DescribeConfigsRequest: API key 32, versions 0-4, flexible 4, deprecated 0.

Generated from schemas/kafka/DescribeConfigsRequest.json
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
    compact_nullable_length,
    compact_string,
    nullable_length,
    read_compact_length,
    read_compact_nullable_length,
    read_compact_string,
    read_length,
    read_nullable_length,
    read_string,
    read_unknown_tags,
    string,
    strings,
    unknown_tags,
)

_pack_bool = Struct(">?").pack
_pack_boolx2 = Struct(">2?").pack
_pack_int32 = Struct(">i").pack
_pack_int8 = Struct(">b").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_boolx2 = Struct(">2?").unpack_from
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeConfigsResource:
    """Struct; versions 0-4."""

    resource_type: int = 0
    """int8; versions 0+"""

    resource_name: str = ""
    """string; versions 0+"""

    configuration_keys: tuple[str, ...] | None = ()
    """[]string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeConfigsResourceDraft = draft_of(DescribeConfigsResource)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeConfigsRequest(Message):
    """Request; API key 32, versions 0-4, flexible 4, deprecated 0."""

    api_key: ClassVar[int] = 32
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 4
    codec: ClassVar[Codec]

    resources: tuple[DescribeConfigsResource, ...] = ()
    """[]DescribeConfigsResource; versions 0+"""

    include_synonyms: bool = False
    """bool; versions 1+"""

    include_documentation: bool = False
    """bool; versions 3+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeConfigsRequestDraft = draft_of(DescribeConfigsRequest)


def _encode_v0(message: DescribeConfigsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.include_synonyms is not False
        or message.include_documentation is not False
        or message.unknown_tagged_fields
    ):
        raise Unfit
    add(_pack_int32(len(message.resources)))
    for resource in message.resources:
        if resource.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(resource.resource_type))
        add(string(resource.resource_name))
        add(nullable_length(resource.configuration_keys))
        if resource.configuration_keys is not None:
            add(strings(resource.configuration_keys, string))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeConfigsRequest, int]:
    message = _DescribeConfigsRequestDraft()
    message.include_synonyms = False
    message.include_documentation = False
    n, offset = read_length(data, offset, 7)
    resources = []
    for _ in range(n):
        resource = _DescribeConfigsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_string(data, offset)
        n, offset = read_nullable_length(data, offset, 2)
        if n < 0:
            resource.configuration_keys = None
        else:
            configuration_keys = []
            for _ in range(n):
                configuration_key, offset = read_string(data, offset)
                configuration_keys.append(configuration_key)
            resource.configuration_keys = tuple(configuration_keys)
        resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeConfigsResource
        resources.append(resource)
    message.resources = tuple(resources)
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsRequest
    return message, offset


def _encode_v1_2(message: DescribeConfigsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.include_documentation is not False
        or message.unknown_tagged_fields
        or type(message.include_synonyms) is not bool
    ):
        raise Unfit
    add(_pack_int32(len(message.resources)))
    for resource in message.resources:
        if resource.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(resource.resource_type))
        add(string(resource.resource_name))
        add(nullable_length(resource.configuration_keys))
        if resource.configuration_keys is not None:
            add(strings(resource.configuration_keys, string))
    add(_pack_bool(message.include_synonyms))
    return b"".join(chunks)


def _decode_v1_2(data: bytes, offset: int) -> tuple[DescribeConfigsRequest, int]:
    message = _DescribeConfigsRequestDraft()
    message.include_documentation = False
    n, offset = read_length(data, offset, 7)
    resources = []
    for _ in range(n):
        resource = _DescribeConfigsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_string(data, offset)
        n, offset = read_nullable_length(data, offset, 2)
        if n < 0:
            resource.configuration_keys = None
        else:
            configuration_keys = []
            for _ in range(n):
                configuration_key, offset = read_string(data, offset)
                configuration_keys.append(configuration_key)
            resource.configuration_keys = tuple(configuration_keys)
        resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeConfigsResource
        resources.append(resource)
    message.resources = tuple(resources)
    (message.include_synonyms,) = _unpack_bool(data, offset)
    offset += 1
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsRequest
    return message, offset


def _encode_v3(message: DescribeConfigsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        message.unknown_tagged_fields
        or type(message.include_synonyms) is not bool
        or type(message.include_documentation) is not bool
    ):
        raise Unfit
    add(_pack_int32(len(message.resources)))
    for resource in message.resources:
        if resource.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(resource.resource_type))
        add(string(resource.resource_name))
        add(nullable_length(resource.configuration_keys))
        if resource.configuration_keys is not None:
            add(strings(resource.configuration_keys, string))
    add(_pack_boolx2(message.include_synonyms, message.include_documentation))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[DescribeConfigsRequest, int]:
    message = _DescribeConfigsRequestDraft()
    n, offset = read_length(data, offset, 7)
    resources = []
    for _ in range(n):
        resource = _DescribeConfigsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_string(data, offset)
        n, offset = read_nullable_length(data, offset, 2)
        if n < 0:
            resource.configuration_keys = None
        else:
            configuration_keys = []
            for _ in range(n):
                configuration_key, offset = read_string(data, offset)
                configuration_keys.append(configuration_key)
            resource.configuration_keys = tuple(configuration_keys)
        resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeConfigsResource
        resources.append(resource)
    message.resources = tuple(resources)
    message.include_synonyms, message.include_documentation = _unpack_boolx2(data, offset)
    offset += 2
    message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsRequest
    return message, offset


def _encode_v4(message: DescribeConfigsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if (
        type(message.include_synonyms) is not bool
        or type(message.include_documentation) is not bool
    ):
        raise Unfit
    add(compact_length(message.resources))
    for resource in message.resources:
        add(_pack_int8(resource.resource_type))
        add(compact_string(resource.resource_name))
        add(compact_nullable_length(resource.configuration_keys))
        if resource.configuration_keys is not None:
            add(strings(resource.configuration_keys, compact_string))
        add(unknown_tags(resource.unknown_tagged_fields))
    add(_pack_boolx2(message.include_synonyms, message.include_documentation))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4(data: bytes, offset: int) -> tuple[DescribeConfigsRequest, int]:
    message = _DescribeConfigsRequestDraft()
    n, offset = read_compact_length(data, offset, 4)
    resources = []
    for _ in range(n):
        resource = _DescribeConfigsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_nullable_length(data, offset)
        if n < 0:
            resource.configuration_keys = None
        else:
            configuration_keys = []
            for _ in range(n):
                configuration_key, offset = read_compact_string(data, offset)
                configuration_keys.append(configuration_key)
            resource.configuration_keys = tuple(configuration_keys)
        if data[offset]:
            resource.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            resource.unknown_tagged_fields = ()
        resource.__class__ = DescribeConfigsResource
        resources.append(resource)
    message.resources = tuple(resources)
    message.include_synonyms, message.include_documentation = _unpack_boolx2(data, offset)
    offset += 2
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeConfigsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    DescribeConfigsResource: (
        FieldFact("resource_type", "int8", range(5), range(0), False),
        FieldFact("resource_name", "string", range(5), range(0), False),
        FieldFact("configuration_keys", "[]string", range(5), range(5), False),
    ),
    DescribeConfigsRequest: (
        FieldFact("resources", "[]DescribeConfigsResource", range(5), range(0), False),
        FieldFact("include_synonyms", "bool", range(1, 5), range(0), False),
        FieldFact("include_documentation", "bool", range(3, 5), range(0), False),
    ),
}

DescribeConfigsRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1_2, _encode_v1_2, _encode_v3, _encode_v4),
    decoders=(_decode_v0, _decode_v1_2, _decode_v1_2, _decode_v3, _decode_v4),
    fields=_FIELDS,
)
