"""AlterUserScramCredentialsRequest: API key 51, versions 0, flexible 0.

Generated from schemas/kafka/AlterUserScramCredentialsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_string,
    read_compact_length,
    read_compact_string,
    read_slice,
    read_unknown_tags,
    unknown_tags,
)

_pack_int8 = Struct(">b").pack
_pack_int8_int32 = Struct(">bi").pack
_unpack_int8 = Struct(">b").unpack_from
_unpack_int8_int32 = Struct(">bi").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class ScramCredentialDeletion:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+"""

    mechanism: int = 0
    """int8; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ScramCredentialDeletionDraft = draft_of(ScramCredentialDeletion)


@quick_new
@dataclass(frozen=True, slots=True)
class ScramCredentialUpsertion:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+"""

    mechanism: int = 0
    """int8; versions 0+"""

    iterations: int = 0
    """int32; versions 0+"""

    salt: bytes = b""
    """bytes; versions 0+"""

    salted_password: bytes = b""
    """bytes; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ScramCredentialUpsertionDraft = draft_of(ScramCredentialUpsertion)


@quick_new
@dataclass(frozen=True, slots=True)
class AlterUserScramCredentialsRequest(Message):
    """Request; API key 51, versions 0, flexible 0."""

    api_key: ClassVar[int] = 51
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    deletions: tuple[ScramCredentialDeletion, ...] = ()
    """[]ScramCredentialDeletion; versions 0+"""

    upsertions: tuple[ScramCredentialUpsertion, ...] = ()
    """[]ScramCredentialUpsertion; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_AlterUserScramCredentialsRequestDraft = draft_of(AlterUserScramCredentialsRequest)


def _encode_v0(message: AlterUserScramCredentialsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_length(message.deletions))
    for deletion in message.deletions:
        add(compact_string(deletion.name))
        add(_pack_int8(deletion.mechanism))
        add(unknown_tags(deletion.unknown_tagged_fields))
    add(compact_length(message.upsertions))
    for upsertion in message.upsertions:
        add(compact_string(upsertion.name))
        add(_pack_int8_int32(upsertion.mechanism, upsertion.iterations))
        add(compact_length(upsertion.salt))
        add(upsertion.salt)
        add(compact_length(upsertion.salted_password))
        add(upsertion.salted_password)
        add(unknown_tags(upsertion.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[AlterUserScramCredentialsRequest, int]:
    message = _AlterUserScramCredentialsRequestDraft()
    n, offset = read_compact_length(data, offset, 3)
    deletions = []
    for _ in range(n):
        deletion = _ScramCredentialDeletionDraft()
        deletion.name, offset = read_compact_string(data, offset)
        (deletion.mechanism,) = _unpack_int8(data, offset)
        offset += 1
        if data[offset]:
            deletion.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            deletion.unknown_tagged_fields = ()
        deletion.__class__ = ScramCredentialDeletion
        deletions.append(deletion)
    message.deletions = tuple(deletions)
    n, offset = read_compact_length(data, offset, 9)
    upsertions = []
    for _ in range(n):
        upsertion = _ScramCredentialUpsertionDraft()
        upsertion.name, offset = read_compact_string(data, offset)
        upsertion.mechanism, upsertion.iterations = _unpack_int8_int32(data, offset)
        offset += 5
        n, offset = read_compact_length(data, offset)
        upsertion.salt, offset = read_slice(data, offset, n)
        n, offset = read_compact_length(data, offset)
        upsertion.salted_password, offset = read_slice(data, offset, n)
        if data[offset]:
            upsertion.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            upsertion.unknown_tagged_fields = ()
        upsertion.__class__ = ScramCredentialUpsertion
        upsertions.append(upsertion)
    message.upsertions = tuple(upsertions)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = AlterUserScramCredentialsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ScramCredentialDeletion: (
        FieldFact("name", "string", range(1), range(0), False),
        FieldFact("mechanism", "int8", range(1), range(0), False),
    ),
    ScramCredentialUpsertion: (
        FieldFact("name", "string", range(1), range(0), False),
        FieldFact("mechanism", "int8", range(1), range(0), False),
        FieldFact("iterations", "int32", range(1), range(0), False),
        FieldFact("salt", "bytes", range(1), range(0), False),
        FieldFact("salted_password", "bytes", range(1), range(0), False),
    ),
    AlterUserScramCredentialsRequest: (
        FieldFact("deletions", "[]ScramCredentialDeletion", range(1), range(0), False),
        FieldFact("upsertions", "[]ScramCredentialUpsertion", range(1), range(0), False),
    ),
}

AlterUserScramCredentialsRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
