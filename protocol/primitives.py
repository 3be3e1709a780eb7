"""Lengths, strings, arrays and tags on the wire: what the generated functions call.

Readers take the whole data and an offset and give the value and the offset behind it. They check
every length against the bytes that remain before they take them. Their faults are `DecodeError`
without the name of the message, `IndexError` and `struct.error` at the end of the data, and
`UnicodeDecodeError`; `klamm.protocol.codec` turns all of them into one `DecodeError`.

The forms are those of https://kafka.apache.org/protocol.html#protocol_types; "compact" ones
(KIP-482) count in an unsigned varint that is one higher than the length, so that 0 means null.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from uuid import UUID

from klamm.protocol.errors import DecodeError

_int16 = struct.Struct(">h")
_int32 = struct.Struct(">i")

ONE_BYTE = tuple(bytes((value,)) for value in range(128))
"""The unsigned varints of one byte."""

ZERO_UUID = UUID(int=0)
"""Kafka's null UUID: the default of every uuid field."""

MAX_LENGTH = 2**31 - 1
"""The longest string, array or tagged field that Java, and so Kafka, can hold."""

MAX_STRING = 2**15 - 1
"""The longest string in bytes; Kafka holds the compact ones to it, too."""


class Unfit(Exception):
    """A field cannot be encoded; `klamm.protocol.explain` finds out which, and why."""


# -- unsigned varints ------------------------------------------------------------------------------


def uvarint(value: int) -> bytes:
    """Encode an unsigned varint: seven bits a byte, lowest first, top bit set if more follow.

    >>> uvarint(300).hex()
    'ac02'
    """
    if value < 128:
        return ONE_BYTE[value]
    if value > MAX_LENGTH + 1:
        raise Unfit
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_uvarint(data: bytes, offset: int) -> tuple[int, int]:
    """Read an unsigned varint of at most five bytes and 32 bits."""
    value = data[offset]
    offset += 1
    if value < 128:
        return value, offset
    value &= 127
    for shift in (7, 14, 21, 28):
        byte = data[offset]
        offset += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if value >> 32:
                break
            return value, offset
    raise DecodeError(f"the varint before offset {offset} has more than 32 bits")


# -- lengths ---------------------------------------------------------------------------------------


def null_refused(offset: int) -> DecodeError:
    """Give the error for a null where this version allows none."""
    return DecodeError(f"null before offset {offset}, where this version needs a value")


def checked(length: int, data: bytes, offset: int, least: int = 1) -> int:
    """Give back a length if so many items of at least `least` bytes can follow; refuse others."""
    if length < 0:
        raise DecodeError(f"length {length} before offset {offset}")
    if length * least > len(data) - offset:
        raise DecodeError(
            f"length {length} before offset {offset}, but only {len(data) - offset} bytes follow"
        )
    return length


def read_length(data: bytes, offset: int, least: int = 1) -> tuple[int, int]:
    """Read the int32 length of an array or bytes that cannot be null."""
    (length,) = _int32.unpack_from(data, offset)
    offset += 4
    if length == -1:
        raise null_refused(offset)
    return checked(length, data, offset, least), offset


def read_nullable_length(data: bytes, offset: int, least: int = 1) -> tuple[int, int]:
    """Read the int32 length of an array or bytes; -1 stands for null."""
    (length,) = _int32.unpack_from(data, offset)
    offset += 4
    return length if length == -1 else checked(length, data, offset, least), offset


def read_compact_length(data: bytes, offset: int, least: int = 1) -> tuple[int, int]:
    """Read the length of a compact array, string or bytes that cannot be null."""
    above, offset = read_uvarint(data, offset)
    if not above:
        raise null_refused(offset)
    return checked(above - 1, data, offset, least), offset


def read_compact_nullable_length(data: bytes, offset: int, least: int = 1) -> tuple[int, int]:
    """Read the length of a compact array, string or bytes; -1 stands for null."""
    above, offset = read_uvarint(data, offset)
    return checked(above - 1, data, offset, least) if above else -1, offset


def length(items: Sequence[object] | bytes) -> bytes:
    """Encode the int32 length of an array."""
    return _int32.pack(len(items))


def nullable_length(items: Sequence[object] | bytes | None) -> bytes:
    """Encode the int32 length of an array, or -1 for null."""
    return b"\xff\xff\xff\xff" if items is None else _int32.pack(len(items))


def compact_length(items: Sequence[object] | bytes) -> bytes:
    """Encode the length of a compact array."""
    return uvarint(len(items) + 1)


def compact_nullable_length(items: Sequence[object] | bytes | None) -> bytes:
    """Encode the length of a compact array, or 0 for null."""
    return b"\0" if items is None else uvarint(len(items) + 1)


def read_presence(data: bytes, offset: int) -> tuple[bool, int]:
    """Read the int8 before a struct that can be null; negative is null."""
    return data[offset] < 128, offset + 1


# -- strings ---------------------------------------------------------------------------------------


def read_string(data: bytes, offset: int) -> tuple[str, int]:
    """Read an int16 length and so many bytes of UTF-8."""
    value, offset = read_nullable_string(data, offset)
    if value is None:
        raise null_refused(offset)
    return value, offset


def read_nullable_string(data: bytes, offset: int) -> tuple[str | None, int]:
    """Read an int16 length and so many bytes of UTF-8; length -1 is null."""
    (length,) = _int16.unpack_from(data, offset)
    offset += 2
    if length == -1:
        return None, offset
    end = offset + checked(length, data, offset)
    return data[offset:end].decode(), end


def read_compact_string(data: bytes, offset: int) -> tuple[str, int]:
    """Read a compact length and so many bytes of UTF-8."""
    above = data[offset]
    if 0 < above < 128:  # nearly all of them: one byte of length
        offset += 1
        end = offset + checked(above - 1, data, offset)
        return data[offset:end].decode(), end
    value, offset = read_compact_nullable_string(data, offset)
    if value is None:
        raise null_refused(offset)
    return value, offset


def read_compact_nullable_string(data: bytes, offset: int) -> tuple[str | None, int]:
    """Read a compact length and so many bytes of UTF-8, or null."""
    length, offset = read_compact_nullable_length(data, offset)
    if length < 0:
        return None, offset
    if length > MAX_STRING:
        raise DecodeError(f"a string of {length} bytes before offset {offset}")
    end = offset + length
    return data[offset:end].decode(), end


def string(value: str) -> bytes:
    """Encode a string that cannot be null; it has at most 32767 bytes."""
    raw = value.encode()
    return _int16.pack(len(raw)) + raw


def nullable_string(value: str | None) -> bytes:
    """Encode a string or null."""
    return b"\xff\xff" if value is None else string(value)


def compact_string(value: str) -> bytes:
    """Encode a compact string that cannot be null."""
    raw = value.encode()
    if len(raw) > MAX_STRING:
        raise Unfit
    return uvarint(len(raw) + 1) + raw


def compact_nullable_string(value: str | None) -> bytes:
    """Encode a compact string or null."""
    return b"\0" if value is None else compact_string(value)


def strings(values: Sequence[str], form: Callable[[str], bytes]) -> bytes:
    """Encode the strings of an array in one form, without their number."""
    if isinstance(values, str):
        raise Unfit
    return b"".join([form(value) for value in values])


# -- bytes, numbers, uuids -------------------------------------------------------------------------


def read_slice(data: bytes, offset: int, count: int) -> tuple[bytes, int]:
    """Take `count` bytes, a length that was checked when it was read."""
    end = offset + count
    return data[offset:end], end


def read_numbers(data: bytes, offset: int, count: int, code: str) -> tuple[tuple[int, ...], int]:
    """Read `count` integers of one width at once; `code` is their letter in a struct format."""
    form = f">{count}{code}"
    return struct.unpack_from(form, data, offset), offset + struct.calcsize(form)


def numbers(values: Sequence[int], code: str) -> bytes:
    """Encode integers of one width at once, without their length."""
    return struct.pack(f">{len(values)}{code}", *values)


# -- tagged fields (KIP-482) -----------------------------------------------------------------------


def read_tags(data: bytes, offset: int) -> tuple[list[tuple[int, int, int]], int]:
    """Find the tagged fields of a struct: (tag, start, end) of each, and the offset behind all.

    Tags must ascend: Kafka writes them so, and a message then has only one encoding.
    """
    count, offset = read_uvarint(data, offset)
    found = []
    last = -1
    for _ in range(count):
        tag, offset = read_uvarint(data, offset)
        if tag <= last:
            raise DecodeError(f"tag {tag} follows tag {last} before offset {offset}")
        size, offset = read_uvarint(data, offset)
        end = offset + checked(size, data, offset)
        found.append((tag, offset, end))
        last, offset = tag, end
    return found, offset


def read_unknown_tags(data: bytes, offset: int) -> tuple[tuple[tuple[int, bytes], ...], int]:
    """Read the tagged fields of a struct that knows none in this version."""
    found, offset = read_tags(data, offset)
    return tuple([(tag, data[start:end]) for tag, start, end in found]), offset


def expect_end(tag: int, offset: int, end: int) -> None:
    """Refuse a tagged field that is longer or shorter than it says."""
    if offset != end:
        raise DecodeError(f"tag {tag} ends at offset {offset}, but its length says {end}")


def tags(known: Sequence[tuple[int, bytes]], unknown: Sequence[tuple[int, bytes]]) -> bytes:
    """Encode the tagged fields of a struct in ascending order."""
    merged = sorted([*known, *unknown])
    out = [uvarint(len(merged))]
    last = -1
    for tag, payload in merged:
        if tag <= last:
            raise Unfit
        last = tag
        out += (uvarint(tag), uvarint(len(payload)), payload)
    return b"".join(out)


def unknown_tags(unknown: Sequence[tuple[int, bytes]]) -> bytes:
    """Encode the tagged fields of a struct that knows none in this version."""
    return tags((), unknown) if unknown else b"\0"
