"""The door to all messages: `encode`, `decode`, and `decode_prefix` for headers."""

from __future__ import annotations

import struct
from typing import TypeVar

from klamm.protocol.errors import DecodeError, EncodeError
from klamm.protocol.explain import explain
from klamm.protocol.message import Message
from klamm.protocol.primitives import Unfit

__all__ = ["Message", "decode", "decode_prefix", "encode"]

M = TypeVar("M", bound=Message)


def encode(message: Message, version: int) -> bytes:
    """Give the bytes of a message, without header or size.

    Raises `EncodeError` if the message has no such version or if a field cannot be carried in it.
    """
    versions = message.versions
    if version not in versions:
        raise EncodeError(
            type(message).__name__, version, "version", version, f"must be in {_span(versions)}"
        )
    try:
        return message.codec.encoders[version - versions.start](message)
    except (AttributeError, Unfit, TypeError, ValueError, struct.error) as error:
        refusal = explain(message, version)
        if refusal is None:
            raise
        raise refusal from error


def decode(cls: type[M], data: bytes | memoryview, version: int) -> M:
    """Read one message that takes all of `data`.

    Raises `DecodeError` for anything else, trailing bytes and unsupported versions included.
    """
    message, offset = decode_prefix(cls, data, 0, version)
    if offset != len(data):
        raise DecodeError(
            f"{cls.__name__} v{version}: {len(data) - offset} bytes follow its end at {offset}"
        )
    return message


def decode_prefix(
    cls: type[M], data: bytes | memoryview, offset: int, version: int
) -> tuple[M, int]:
    """Read the message at `offset`; give it and the offset behind it, where other data may follow.

    Raises `DecodeError` if there is no such message, or no such version of it.
    """
    if version not in cls.versions:
        raise DecodeError(f"{cls.__name__} v{version}: versions are {_span(cls.versions)}")
    raw = data if type(data) is bytes else bytes(data)
    try:
        return cls.codec.decoders[version - cls.versions.start](raw, offset)
    except (IndexError, struct.error) as error:
        raise DecodeError(
            f"{cls.__name__} v{version}: the data end at {len(raw)} bytes, the message does not"
        ) from error
    except UnicodeDecodeError as error:
        raise DecodeError(f"{cls.__name__} v{version}: a string is not UTF-8: {error}") from error
    except DecodeError as error:
        raise DecodeError(f"{cls.__name__} v{version}: {error}") from error


def _span(versions: range) -> str:
    return f"{versions.start} to {versions.stop - 1}"
