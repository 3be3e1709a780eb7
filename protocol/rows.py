"""Arrays of small structs, the bulk of most messages, read many at a time.

A row is a struct of numbers and arrays of numbers. In real messages neighbours have the same
shape: three replicas, three in sync, nothing moving. So a decoder measures one row, prepares a
`struct.Struct` for its shape, and unpacks all that follow with it for as long as they fit. Arrays
come out as raw bytes with their length in front; `Arrays` turns them into tuples and raises
`Reshaped` where the length does not fit the guess.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

from klamm.protocol.errors import DecodeError
from klamm.protocol.primitives import null_refused, read_uvarint

_int32 = struct.Struct(">i")

CHUNK_BYTES = 16_384
"""How much is copied and unpacked at once, and so at most in vain where the shape changes."""


class Reshaped(Exception):
    """A row has another shape than the one before it."""


@lru_cache(maxsize=256)
def row_struct(form: str) -> struct.Struct:
    """Give the prepared struct of a shape; the last 256 shapes are kept."""
    return struct.Struct(form)


def read_rows(
    form: str, data: bytes, offset: int, left: int
) -> tuple[Iterator[tuple[Any, ...]], int]:
    """Unpack up to `left` rows of one shape; give them as they come, and the bytes that one takes.

    Raises `struct.error` if not even one fits into the data.
    """
    shape = row_struct(form)
    width = shape.size
    count = min(left, (len(data) - offset) // width, max(1, CHUNK_BYTES // width))
    if count < 1:
        raise struct.error(f"{width} bytes are wanted at offset {offset}")
    # A copy, no memoryview: CPython before 3.12.7 crashes when the garbage collector meets a view
    # that an iterator exports in a reference loop (gh-77894), and tracebacks make such loops.
    return shape.iter_unpack(data[offset : offset + count * width]), width


def _count(data: bytes, offset: int) -> tuple[int, int]:
    (count,) = _int32.unpack_from(data, offset)
    if count < -1:
        raise DecodeError(f"length {count} at offset {offset}")
    return count, offset + 4


def _compact_count(data: bytes, offset: int) -> tuple[int, int]:
    above, offset = read_uvarint(data, offset)
    return above - 1, offset


def array_size(data: bytes, offset: int, width: int) -> int:
    """Give the bytes that an array of numbers takes with its int32 length."""
    count, start = _count(data, offset)
    return start - offset + max(count, 0) * width


def compact_array_size(data: bytes, offset: int, width: int) -> int:
    """Give the bytes that a compact array of numbers takes with its length."""
    count, start = _compact_count(data, offset)
    return start - offset + max(count, 0) * width


#: What is found for a size that no short array has; nothing begins with its length.
_NONE_SHORT: tuple[bytes, Callable[[bytes, int], tuple[int, ...]]] = (b"", lambda *_: ())


class Arrays(dict[bytes, Any]):
    """From the bytes of an array, length included, to its tuple.

    Replica lists repeat all over a cluster and from message to message, so most are found here
    and share one tuple. What is kept is bounded in number and size, to about 30 MB at the very
    worst; it is dropped when full.
    """

    LIMIT = 65_536
    """How many arrays are kept."""
    LONGEST = 32
    """How many bytes a kept array has at most: seven replicas."""

    def __init__(self, code: str, *, compact: bool, nullable: bool) -> None:
        super().__init__()
        self._code = code
        self._width = struct.calcsize(f">{code}")
        self._compact = compact
        self._nullable = nullable
        # By size in bytes: the length that a short array of that size begins with, and its reader.
        self._short: dict[int, tuple[bytes, Callable[[bytes, int], tuple[int, ...]]]] = {}
        head = 1 if compact else _int32.size
        for count in range((self.LONGEST - head) // self._width + 1):
            begin = bytes((count + 1,)) if compact else _int32.pack(count)
            reader = struct.Struct(f">{count}{code}").unpack_from
            self._short[head + count * self._width] = begin, reader

    def __missing__(self, raw: bytes) -> tuple[int, ...] | None:
        begin, reader = self._short.get(len(raw), _NONE_SHORT)
        if begin and raw.startswith(begin):
            if len(self) >= self.LIMIT:
                self.clear()
            value = self[raw] = reader(raw, len(begin))
            return value
        return self._read(raw)

    def _read(self, raw: bytes) -> tuple[int, ...] | None:
        """Read a long array, a null one, or find that the length does not fit."""
        try:
            count, start = (_compact_count if self._compact else _count)(raw, 0)
        except IndexError:
            raise Reshaped from None
        if len(raw) != start + max(count, 0) * self._width:
            raise Reshaped
        if count < 0:
            if not self._nullable:
                raise null_refused(start)
            return None
        return struct.unpack_from(f">{count}{self._code}", raw, start)


@cache
def arrays(code: str, *, compact: bool, nullable: bool) -> Arrays:
    """Give the one `Arrays` of this form that all messages share."""
    return Arrays(code, compact=compact, nullable=nullable)
