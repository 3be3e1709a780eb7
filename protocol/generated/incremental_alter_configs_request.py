"""IncrementalAlterConfigsRequest: API key 44, versions 0-1, flexible 1.

Generated from schemas/kafka/IncrementalAlterConfigsRequest.json
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

_pack_bool = Struct(">?").pack
_pack_int32 = Struct(">i").pack
_pack_int8 = Struct(">b").pack
_unpack_bool = Struct(">?").unpack_from
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class AlterableConfig:
    """Struct; versions 0-1."""

    name: str = ""
    """string; versions 0+; unique in its array"""

    config_operation: int = 0
    """int8; versions 0+; unique in its array"""

    value: str | None = ""
    """string; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterableConfigDraft = draft_of(AlterableConfig)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterConfigsResource:
    """Struct; versions 0-1."""

    resource_type: int = 0
    """int8; versions 0+; unique in its array"""

    resource_name: str = ""
    """string; versions 0+; unique in its array"""

    configs: tuple[AlterableConfig, ...] = ()
    """[]AlterableConfig; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterConfigsResourceDraft = draft_of(AlterConfigsResource)


@quick_new
@dataclass(frozen=True, slots=True)
class IncrementalAlterConfigsRequest(Message):
    """Request; API key 44, versions 0-1, flexible 1."""

    api_key: ClassVar[int] = 44
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(2)
    flexible_from: ClassVar[int | None] = 1
    codec: ClassVar[Codec]

    resources: tuple[AlterConfigsResource, ...] = ()
    """[]AlterConfigsResource; versions 0+"""

    validate_only: bool = False
    """bool; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_IncrementalAlterConfigsRequestDraft = draft_of(IncrementalAlterConfigsRequest)


def _encode_v0(message: IncrementalAlterConfigsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.unknown_tagged_fields or type(message.validate_only) is not bool:
        raise Unfit
    add(_pack_int32(len(message.resources)))
    for resource in message.resources:
        if resource.unknown_tagged_fields:
            raise Unfit
        add(_pack_int8(resource.resource_type))
        add(string(resource.resource_name))
        add(_pack_int32(len(resource.configs)))
        for config in resource.configs:
            if config.unknown_tagged_fields:
                raise Unfit
            add(string(config.name))
            add(_pack_int8(config.config_operation))
            add(nullable_string(config.value))
    add(_pack_bool(message.validate_only))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[IncrementalAlterConfigsRequest, int]:
    message = _IncrementalAlterConfigsRequestDraft()
    n, offset = read_length(data, offset, 7)
    resources = []
    for _ in range(n):
        resource = _AlterConfigsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_string(data, offset)
        n, offset = read_length(data, offset, 5)
        configs = []
        for _ in range(n):
            config = _AlterableConfigDraft()
            config.name, offset = read_string(data, offset)
            (config.config_operation,) = _unpack_int8(data, offset)
            offset += 1
            config.value, offset = read_nullable_string(data, offset)
            config.unknown_tagged_fields = ()
            config.__class__ = AlterableConfig
            configs.append(config)
        resource.configs = tuple(configs)
        resource.unknown_tagged_fields = ()
        resource.__class__ = AlterConfigsResource
        resources.append(resource)
    message.resources = tuple(resources)
    (message.validate_only,) = _unpack_bool(data, offset)
    offset += 1
    message.unknown_tagged_fields = ()
    message.__class__ = IncrementalAlterConfigsRequest
    return message, offset


def _encode_v1(message: IncrementalAlterConfigsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if type(message.validate_only) is not bool:
        raise Unfit
    add(compact_length(message.resources))
    for resource in message.resources:
        add(_pack_int8(resource.resource_type))
        add(compact_string(resource.resource_name))
        add(compact_length(resource.configs))
        for config in resource.configs:
            add(compact_string(config.name))
            add(_pack_int8(config.config_operation))
            add(compact_nullable_string(config.value))
            add(unknown_tags(config.unknown_tagged_fields))
        add(unknown_tags(resource.unknown_tagged_fields))
    add(_pack_bool(message.validate_only))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v1(data: bytes, offset: int) -> tuple[IncrementalAlterConfigsRequest, int]:
    message = _IncrementalAlterConfigsRequestDraft()
    n, offset = read_compact_length(data, offset, 4)
    resources = []
    for _ in range(n):
        resource = _AlterConfigsResourceDraft()
        (resource.resource_type,) = _unpack_int8(data, offset)
        offset += 1
        resource.resource_name, offset = read_compact_string(data, offset)
        n, offset = read_compact_length(data, offset, 4)
        configs = []
        for _ in range(n):
            config = _AlterableConfigDraft()
            config.name, offset = read_compact_string(data, offset)
            (config.config_operation,) = _unpack_int8(data, offset)
            offset += 1
            config.value, offset = read_compact_nullable_string(data, offset)
            if data[offset]:
                config.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                config.unknown_tagged_fields = ()
            config.__class__ = AlterableConfig
            configs.append(config)
        resource.configs = tuple(configs)
        if data[offset]:
            resource.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            resource.unknown_tagged_fields = ()
        resource.__class__ = AlterConfigsResource
        resources.append(resource)
    message.resources = tuple(resources)
    (message.validate_only,) = _unpack_bool(data, offset)
    offset += 1
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = IncrementalAlterConfigsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    AlterableConfig: (
        FieldFact("name", "string", range(2), range(0), False),
        FieldFact("config_operation", "int8", range(2), range(0), False),
        FieldFact("value", "string", range(2), range(2), False),
    ),
    AlterConfigsResource: (
        FieldFact("resource_type", "int8", range(2), range(0), False),
        FieldFact("resource_name", "string", range(2), range(0), False),
        FieldFact("configs", "[]AlterableConfig", range(2), range(0), False),
    ),
    IncrementalAlterConfigsRequest: (
        FieldFact("resources", "[]AlterConfigsResource", range(2), range(0), False),
        FieldFact("validate_only", "bool", range(2), range(0), False),
    ),
}

IncrementalAlterConfigsRequest.codec = Codec(
    encoders=(_encode_v0, _encode_v1),
    decoders=(_decode_v0, _decode_v1),
    fields=_FIELDS,
)
