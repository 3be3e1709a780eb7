"""What both sides of a connection share."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from klamm.protocol import headers, registry
from klamm.protocol.errors import EncodeError
from klamm.protocol.message import Message

MAX_INT32 = 2**31 - 1


class Wire(NamedTuple):
    """What stands on the wire for one version of an API: header versions and messages."""

    request_header: int
    request: type[Message]
    response_header: int
    response: type[Message]


@cache  # bounded: only versions that this side serves or asks come here
def wire_of(key: int, version: int) -> Wire:
    """Look up a version of an API; `UnknownApiKeyError` if there is no such key."""
    return Wire(
        headers.request_header_version(key, version),
        registry.request(key),
        headers.response_header_version(key, version),
        registry.response(key),
    )


def check_frame(message: type[Message], version: int, length: int) -> None:
    """Raise EncodeError if no frame can hold so many bytes."""
    if length > MAX_INT32:
        raise EncodeError(
            message.__name__, version, "frame length", length, f"frames have at most {MAX_INT32}"
        )
