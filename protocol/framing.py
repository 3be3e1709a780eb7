"""Frames: on a Kafka connection every request and response follows its length, an int32.

Errors, all of them the peer's fault and so below `klamm.protocol.errors.DecodeError`::

    FrameError
    +-- NegativeLengthError     a length below zero
    +-- FrameTooLargeError      a length above the limit of this side
    +-- IncompleteFrameError    the stream ended within a frame

Kafka refuses the same in org.apache.kafka.common.network.NetworkReceive.
"""

from __future__ import annotations

import struct

from klamm.protocol.errors import DecodeError

MAX_FRAME_BYTES = 100 * 1024 * 1024
"""What Kafka takes unless told otherwise: the default of `socket.request.max.bytes`."""

_LENGTH = struct.Struct(">i")
LENGTH_BYTES = _LENGTH.size


class FrameError(DecodeError):
    """The peer's bytes cannot be cut into frames; nothing behind this place can be understood."""


class NegativeLengthError(FrameError):
    """The peer announced a frame of less than no bytes."""

    def __init__(self, length: int) -> None:
        super().__init__(f"frame length {length} is negative: the peer does not speak to Kafka")
        self.length = length


class FrameTooLargeError(FrameError):
    """The peer announced a frame above the limit; no memory was set aside for it."""

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(
            f"frame length {length} is above the limit of {limit} bytes: raise the limit if the"
            " peer is a Kafka client, for others it is no length at all"
        )
        self.length = length
        self.limit = limit


class IncompleteFrameError(FrameError):
    """The peer closed the stream within a frame."""

    def __init__(self, received: int) -> None:
        super().__init__(f"the stream ended {received} bytes into a frame")
        self.received = received


class FrameReader:
    """Cut a stream of bytes into frames, whatever pieces it comes in.

    Bytes are copied a bounded number of times: a read of many small frames is sliced where it
    lies, and a frame that comes in many reads grows in one buffer, with what has really arrived,
    never with what its length promises.
    """

    __slots__ = ("_buffer", "_max_frame_bytes", "_offset")

    def __init__(self, max_frame_bytes: int = MAX_FRAME_BYTES) -> None:
        self._max_frame_bytes = max_frame_bytes
        # Bytes while everything in it came in one read, else a bytearray that grows at its end.
        self._buffer: bytes | bytearray = b""
        self._offset = 0

    @property
    def pending_bytes(self) -> int:
        """How many bytes were fed and not yet handed out in a frame, lengths included."""
        return len(self._buffer) - self._offset

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take the next bytes of the stream, none at all included."""
        if not self.pending_bytes:
            # A caller may reuse its own bytearray: only immutable bytes are kept without a copy.
            self._buffer = bytes(data)
            self._offset = 0
            return
        if isinstance(self._buffer, bytes):
            self._buffer = bytearray(memoryview(self._buffer)[self._offset :])
        else:
            del self._buffer[: self._offset]
        self._offset = 0
        self._buffer += data

    def next_frame(self) -> bytes | None:
        """Give the next whole frame without its length, or None until more bytes come.

        Raises NegativeLengthError or FrameTooLargeError as soon as the length is there, and again
        at every later call: the place where the next frame begins is lost for good.
        """
        buffer, start = self._buffer, self._offset + LENGTH_BYTES
        if len(buffer) < start:
            return None
        (length,) = _LENGTH.unpack_from(buffer, self._offset)
        if length < 0:
            raise NegativeLengthError(length)
        if length > self._max_frame_bytes:
            raise FrameTooLargeError(length, self._max_frame_bytes)
        end = start + length
        if len(buffer) < end:
            return None
        if end == len(buffer):
            # An idle connection keeps nothing of the largest frame that it has seen.
            self.clear()
        else:
            self._offset = end
        if isinstance(buffer, bytes):
            return buffer[start:end]
        with memoryview(buffer) as view:
            return bytes(view[start:end])

    def take_rest(self) -> bytes:
        """Give what was fed and not handed out, to somebody who reads it otherwise."""
        rest = bytes(self._buffer[self._offset :])
        self.clear()
        return rest

    def clear(self) -> None:
        """Forget what was fed, as the end of the connection does."""
        self._buffer = b""
        self._offset = 0
