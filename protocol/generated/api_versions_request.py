"""ApiVersionsRequest: API key 18, versions 0-4, flexible 3-4.

Generated from schemas/kafka/ApiVersionsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    Unfit,
    compact_string,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)


@quick_new
@dataclass(frozen=True, slots=True)
class ApiVersionsRequest(Message):
    """Request; API key 18, versions 0-4, flexible 3-4."""

    api_key: ClassVar[int] = 18
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(5)
    flexible_from: ClassVar[int | None] = 3
    codec: ClassVar[Codec]

    client_software_name: str = ""
    """string; versions 3+; ignorable"""

    client_software_version: str = ""
    """string; versions 3+; ignorable"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_ApiVersionsRequestDraft = draft_of(ApiVersionsRequest)


def _encode_v0_2(message: ApiVersionsRequest) -> bytes:
    if message.unknown_tagged_fields:
        raise Unfit
    return b""


def _decode_v0_2(data: bytes, offset: int) -> tuple[ApiVersionsRequest, int]:
    message = _ApiVersionsRequestDraft()
    message.client_software_name = ""
    message.client_software_version = ""
    message.unknown_tagged_fields = ()
    message.__class__ = ApiVersionsRequest
    return message, offset


def _encode_v3_4(message: ApiVersionsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_string(message.client_software_name))
    add(compact_string(message.client_software_version))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v3_4(data: bytes, offset: int) -> tuple[ApiVersionsRequest, int]:
    message = _ApiVersionsRequestDraft()
    message.client_software_name, offset = read_compact_string(data, offset)
    message.client_software_version, offset = read_compact_string(data, offset)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = ApiVersionsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    ApiVersionsRequest: (
        FieldFact("client_software_name", "string", range(3, 5), range(0), True),
        FieldFact("client_software_version", "string", range(3, 5), range(0), True),
    ),
}

ApiVersionsRequest.codec = Codec(
    encoders=(_encode_v0_2, _encode_v0_2, _encode_v0_2, _encode_v3_4, _encode_v3_4),
    decoders=(_decode_v0_2, _decode_v0_2, _decode_v0_2, _decode_v3_4, _decode_v3_4),
    fields=_FIELDS,
)
