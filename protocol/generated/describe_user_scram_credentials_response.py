"""DescribeUserScramCredentialsResponse: API key 50, versions 0, flexible 0.

Generated from schemas/kafka/DescribeUserScramCredentialsResponse.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_length,
    compact_nullable_string,
    compact_string,
    read_compact_length,
    read_compact_nullable_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)
from klamm.protocol.rows import read_rows

_pack_int16 = Struct(">h").pack
_pack_int32_int16 = Struct(">ih").pack
_pack_int8_int32 = Struct(">bi").pack
_unpack_int16 = Struct(">h").unpack_from
_unpack_int32_int16 = Struct(">ih").unpack_from


@quick_new
@dataclass(frozen=True, slots=True)
class CredentialInfo:
    """Struct; versions 0."""

    mechanism: int = 0
    """int8; versions 0+"""

    iterations: int = 0
    """int32; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_CredentialInfoDraft = draft_of(CredentialInfo)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeUserScramCredentialsResult:
    """Struct; versions 0."""

    user: str = ""
    """string; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    credential_infos: tuple[CredentialInfo, ...] = ()
    """[]CredentialInfo; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeUserScramCredentialsResultDraft = draft_of(DescribeUserScramCredentialsResult)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeUserScramCredentialsResponse(Message):
    """Response; API key 50, versions 0, flexible 0."""

    api_key: ClassVar[int] = 50
    kind: ClassVar[Literal["request", "response", "header"]] = "response"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    throttle_time_ms: int = 0
    """int32; versions 0+"""

    error_code: int = 0
    """int16; versions 0+"""

    error_message: str | None = ""
    """string; versions 0+; nullable 0+"""

    results: tuple[DescribeUserScramCredentialsResult, ...] = ()
    """[]DescribeUserScramCredentialsResult; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeUserScramCredentialsResponseDraft = draft_of(DescribeUserScramCredentialsResponse)


def _encode_v0(message: DescribeUserScramCredentialsResponse) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(_pack_int32_int16(message.throttle_time_ms, message.error_code))
    add(compact_nullable_string(message.error_message))
    add(compact_length(message.results))
    for result in message.results:
        add(compact_string(result.user))
        add(_pack_int16(result.error_code))
        add(compact_nullable_string(result.error_message))
        add(compact_length(result.credential_infos))
        for credential_info in result.credential_infos:
            add(_pack_int8_int32(credential_info.mechanism, credential_info.iterations))
            add(unknown_tags(credential_info.unknown_tagged_fields))
        add(unknown_tags(result.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeUserScramCredentialsResponse, int]:
    message = _DescribeUserScramCredentialsResponseDraft()
    message.throttle_time_ms, message.error_code = _unpack_int32_int16(data, offset)
    offset += 6
    message.error_message, offset = read_compact_nullable_string(data, offset)
    n, offset = read_compact_length(data, offset, 6)
    results = []
    for _ in range(n):
        result = _DescribeUserScramCredentialsResultDraft()
        result.user, offset = read_compact_string(data, offset)
        (result.error_code,) = _unpack_int16(data, offset)
        offset += 2
        result.error_message, offset = read_compact_nullable_string(data, offset)
        n, offset = read_compact_length(data, offset, 6)
        credential_infos: list[CredentialInfo] = []
        while len(credential_infos) < n:
            rows, width = read_rows(">biB", data, offset, n - len(credential_infos))
            before = len(credential_infos)
            for row in rows:
                credential_info = _CredentialInfoDraft()
                credential_info.mechanism, credential_info.iterations, tagged = row
                credential_info.unknown_tagged_fields = ()
                if tagged:
                    break
                credential_info.__class__ = CredentialInfo
                credential_infos.append(credential_info)
            offset += (len(credential_infos) - before) * width
            if tagged:
                credential_info.unknown_tagged_fields, offset = read_unknown_tags(
                    data,
                    offset + width - 1,
                )
                credential_info.__class__ = CredentialInfo
                credential_infos.append(credential_info)
        result.credential_infos = tuple(credential_infos)
        if data[offset]:
            result.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
        else:
            offset += 1
            result.unknown_tagged_fields = ()
        result.__class__ = DescribeUserScramCredentialsResult
        results.append(result)
    message.results = tuple(results)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeUserScramCredentialsResponse
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    CredentialInfo: (
        FieldFact("mechanism", "int8", range(1), range(0), False),
        FieldFact("iterations", "int32", range(1), range(0), False),
    ),
    DescribeUserScramCredentialsResult: (
        FieldFact("user", "string", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
        FieldFact("credential_infos", "[]CredentialInfo", range(1), range(0), False),
    ),
    DescribeUserScramCredentialsResponse: (
        FieldFact("throttle_time_ms", "int32", range(1), range(0), False),
        FieldFact("error_code", "int16", range(1), range(0), False),
        FieldFact("error_message", "string", range(1), range(1), False),
        FieldFact("results", "[]DescribeUserScramCredentialsResult", range(1), range(0), False),
    ),
}

DescribeUserScramCredentialsResponse.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
