"""DescribeUserScramCredentialsRequest: API key 50, versions 0, flexible 0.

Generated from schemas/kafka/DescribeUserScramCredentialsRequest.json
by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new
from klamm.protocol.primitives import (
    compact_nullable_length,
    compact_string,
    read_compact_nullable_length,
    read_compact_string,
    read_unknown_tags,
    unknown_tags,
)


@quick_new
@dataclass(frozen=True, slots=True)
class UserName:
    """Struct; versions 0."""

    name: str = ""
    """string; versions 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_UserNameDraft = draft_of(UserName)


@quick_new
@dataclass(frozen=True, slots=True)
class DescribeUserScramCredentialsRequest(Message):
    """Request; API key 50, versions 0, flexible 0."""

    api_key: ClassVar[int] = 50
    kind: ClassVar[Literal["request", "response", "header"]] = "request"
    versions: ClassVar[range] = range(1)
    flexible_from: ClassVar[int | None] = 0
    codec: ClassVar[Codec]

    users: tuple[UserName, ...] | None = ()
    """[]UserName; versions 0+; nullable 0+"""

    unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()
    """tagged fields that this schema does not know: (tag, bytes)"""


_DescribeUserScramCredentialsRequestDraft = draft_of(DescribeUserScramCredentialsRequest)


def _encode_v0(message: DescribeUserScramCredentialsRequest) -> bytes:
    chunks: list[bytes] = []
    add = chunks.append
    add(compact_nullable_length(message.users))
    if message.users is not None:
        for user in message.users:
            add(compact_string(user.name))
            add(unknown_tags(user.unknown_tagged_fields))
    add(unknown_tags(message.unknown_tagged_fields))
    return b"".join(chunks)


def _decode_v0(data: bytes, offset: int) -> tuple[DescribeUserScramCredentialsRequest, int]:
    message = _DescribeUserScramCredentialsRequestDraft()
    n, offset = read_compact_nullable_length(data, offset, 2)
    if n < 0:
        message.users = None
    else:
        users = []
        for _ in range(n):
            user = _UserNameDraft()
            user.name, offset = read_compact_string(data, offset)
            if data[offset]:
                user.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
            else:
                offset += 1
                user.unknown_tagged_fields = ()
            user.__class__ = UserName
            users.append(user)
        message.users = tuple(users)
    if data[offset]:
        message.unknown_tagged_fields, offset = read_unknown_tags(data, offset)
    else:
        offset += 1
        message.unknown_tagged_fields = ()
    message.__class__ = DescribeUserScramCredentialsRequest
    return message, offset


_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {
    UserName: (FieldFact("name", "string", range(1), range(0), False),),
    DescribeUserScramCredentialsRequest: (
        FieldFact("users", "[]UserName", range(1), range(1), False),
    ),
}

DescribeUserScramCredentialsRequest.codec = Codec(
    encoders=(_encode_v0,),
    decoders=(_decode_v0,),
    fields=_FIELDS,
)
