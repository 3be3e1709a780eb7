"""FindCoordinatorRequest: API key 10, versions 0-6, flexible 3-6, deprecated 0.

Generated from schemas/kafka/FindCoordinatorRequest.json
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
    read_string,
    read_unknown_tags,
    string,
    strings,
    unknown_tags,
)

_pack_int8 = Struct(">b").pack
_unpack_int8 = Struct(">b").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class FindCoordinatorRequest(Message):
    """Request; API key 10, versions 0-6, flexible 3-6, deprecated 0."""

    api_key: ClassVar[int] = 10
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(7)
    flexible_from: ClassVar[int | None] = 3
    codec: ClassVar[Codec]

    key: str = ""
    """string; versions 0-3"""

    key_type: int = 0
    """int8; versions 1+"""

    coordinator_keys: tuple[str, ...] = ()
    """[]string; versions 4+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_FindCoordinatorRequestDraft = draft_of(FindCoordinatorRequest)


def _encode_v0(message: FindCoordinatorRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.key_type != 0 or message.coordinator_keys != () or message.unknown_tagged_fields:
        raise Unfit
    add(string(message.key))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[FindCoordinatorRequest, int]:
    message = _FindCoordinatorRequestDraft()
    message.key_type = 0
    message.coordinator_keys = ()
    message.key, offset = read_string(data, offset)
    message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorRequest
    return message, offset


def _encode_v1_2(message: FindCoordinatorRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.coordinator_keys != () or message.unknown_tagged_fields:
        raise Unfit
    add(string(message.key))
    add(_pack_int8(message.key_type))
    return b"".join(chunks)


def _decode_v1_2(data: bytes, offset: int) -> tuple[FindCoordinatorRequest, int]:
    message = _FindCoordinatorRequestDraft()
    message.coordinator_keys = ()
    message.key, offset = read_string(data, offset)
    (message.key_type,) = _unpack_int8(data, offset)
    offset += 1
    message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorRequest
    return message, offset


def _encode_v3(message: FindCoordinatorRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.coordinator_keys != ():
        raise Unfit
    add(compact_string(message.key))
    add(_pack_int8(message.key_type))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3(data: bytes, offset: int) -> tuple[FindCoordinatorRequest, int]:
    message = _FindCoordinatorRequestDraft()
    message.coordinator_keys = ()
    message.key, offset = read_compact_string(data, offset)
    (message.key_type,) = _unpack_int8(data, offset)
    offset += 1
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorRequest
    return message, offset


def _encode_v4_6(message: FindCoordinatorRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    if message.key != "":
        raise Unfit
    add(_pack_int8(message.key_type))
    add(compact_length(message.coordinator_keys))
    add(strings(message.coordinator_keys, compact_string))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v4_6(data: bytes, offset: int) -> tuple[FindCoordinatorRequest, int]:
    message = _FindCoordinatorRequestDraft()
    message.key = ""
    (message.key_type,) = _unpack_int8(data, offset)
    offset += 1
    n, offset = read_compact_length(data, offset)
    coordinator_keys = []
    for _ in range(n):
        coordinator_key, offset = read_compact_string(data, offset)
        coordinator_keys.append(coordinator_key)
    message.coordinator_keys = tuple(coordinator_keys)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = FindCoordinatorRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    FindCoordinatorRequest: (
        FieldFact("key", "string", range(4), range(0), False),
        FieldFact("key_type", "int8", range(1, 7), range(0), False),
        FieldFact("coordinator_keys", "[]string", range(4, 7), range(0), False),
    ),
}

FindCoordinatorRequest.codec = Codec(
    encoders=(
        _encode_v0,
        _encode_v1_2,
        _encode_v1_2,
        _encode_v3,
        _encode_v4_6,
        _encode_v4_6,
        _encode_v4_6,
    ),
    decoders=(
        _decode_v0,
        _decode_v1_2,
        _decode_v1_2,
        _decode_v3,
        _decode_v4_6,
        _decode_v4_6,
        _decode_v4_6,
    ),
    fields=_FIELDS,
)
