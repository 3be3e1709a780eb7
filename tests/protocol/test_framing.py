"""FrameReader: the same frames however the bytes are cut; refusals before memory is taken."""

from __future__ import annotations

import itertools
import struct
import time
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.protocol.errors import DecodeError
from klamm.protocol.framing import (
    MAX_FRAME_BYTES,
    FrameReader,
    FrameTooLargeError,
    NegativeLengthError,
)


def framed(*bodies: bytes) -> bytes:
    return b"".join(struct.pack(">i", len(body)) + body for body in bodies)


def frames_of(reader: FrameReader) -> Iterator[bytes]:
    while (frame := reader.next_frame()) is not None:
        yield frame


BODIES = (b"one", b"", b"three" * 300, b"\0")


def test_frames_that_come_whole() -> None:
    reader = FrameReader()
    reader.feed(framed(*BODIES))
    assert tuple(frames_of(reader)) == BODIES
    assert reader.pending_bytes == 0


def test_frames_that_come_byte_by_byte() -> None:
    reader = FrameReader()
    taken: list[bytes] = []
    for byte in framed(*BODIES):
        reader.feed(bytes((byte,)))
        taken += frames_of(reader)
    assert tuple(taken) == BODIES


@given(bodies=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(0, 400)))
def test_cuts_make_no_difference(bodies: list[bytes], cuts: list[int]) -> None:
    stream = framed(*bodies)
    places = [0, *sorted(cuts), len(stream)]
    reader = FrameReader()
    taken: list[bytes] = []
    for start, end in itertools.pairwise(places):
        reader.feed(stream[start:end])
        taken += frames_of(reader)
    assert taken == bodies
    assert reader.pending_bytes == 0


@given(bodies=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(0, 400)))
def test_frames_left_in_the_reader_come_later(bodies: list[bytes], cuts: list[int]) -> None:
    stream = framed(*bodies)
    places = [0, *sorted(cuts), len(stream)]
    reader = FrameReader()
    taken: list[bytes] = []
    for start, end in itertools.pairwise(places):
        reader.feed(stream[start:end])
        if (frame := reader.next_frame()) is not None:
            taken.append(frame)
    taken += frames_of(reader)
    assert taken == bodies


@pytest.mark.parametrize("length", range(len(framed(b"body"))))
def test_truncated_at_every_offset_there_is_no_frame(length: int) -> None:
    reader = FrameReader()
    reader.feed(framed(b"body")[:length])
    assert reader.next_frame() is None
    assert reader.pending_bytes == length


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_taken_and_may_be_reused(kind: type[bytearray]) -> None:
    reader = FrameReader()
    data = kind(framed(b"first", b"second")[:15])
    reader.feed(data)
    if isinstance(data, bytearray):
        data[:] = bytes(len(data))
    assert reader.next_frame() == b"first"
    reader.feed(kind(framed(b"first", b"second")[15:]))
    frame = reader.next_frame()
    assert frame == b"second"
    assert type(frame) is bytes


@pytest.mark.parametrize("length", [-1, -2, -(2**31)])
def test_negative_lengths_are_refused(length: int) -> None:
    reader = FrameReader()
    reader.feed(framed(b"good") + struct.pack(">i", length))
    assert reader.next_frame() == b"good"
    for _ in range(2):
        with pytest.raises(NegativeLengthError, match=str(length)) as caught:
            reader.next_frame()
        assert caught.value.length == length
        assert isinstance(caught.value, DecodeError)


def test_the_limit_is_the_largest_frame() -> None:
    reader = FrameReader(max_frame_bytes=5)
    reader.feed(framed(b"12345", b"123456"))
    assert reader.next_frame() == b"12345"
    with pytest.raises(FrameTooLargeError, match=r"length 6 .* limit of 5") as caught:
        reader.next_frame()
    assert (caught.value.length, caught.value.limit) == (6, 5)


@pytest.mark.parametrize("length", [MAX_FRAME_BYTES + 1, 2**31 - 1, 0x47455420])
def test_huge_lengths_are_refused_with_the_length_alone(length: int) -> None:
    # The last one is "GET ": somebody's browser.
    reader = FrameReader()
    reader.feed(struct.pack(">i", length))
    with pytest.raises(FrameTooLargeError):
        reader.next_frame()


def traced_peak_bytes(stream: bytes, piece_bytes: int) -> int:
    reader = FrameReader()
    tracemalloc.start()
    try:
        for start in range(0, len(stream), piece_bytes):
            reader.feed(stream[start : start + piece_bytes])
            reader.next_frame()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_promised_length_takes_no_memory() -> None:
    assert traced_peak_bytes(struct.pack(">i", MAX_FRAME_BYTES) + b"x", 1) < 65_536


@pytest.mark.parametrize("piece_bytes", [2, 100, 4096])
def test_memory_is_a_small_multiple_of_what_arrived(piece_bytes: int) -> None:
    stream = framed(bytes(200_000))
    assert traced_peak_bytes(stream, piece_bytes) < 3 * len(stream)


def test_an_idle_reader_keeps_nothing() -> None:
    reader = FrameReader()
    tracemalloc.start()
    try:
        for piece in (framed(bytes(1_000_000))[:500], bytes(1_000_000 + 4 - 500)):
            reader.feed(piece)
        frame = reader.next_frame()
        assert frame is not None
        del frame, piece
        assert tracemalloc.get_traced_memory()[0] < 65_536
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("bodies", "piece_bytes"),
    [((bytes(8_000_000),), 64), ((b"small",) * 200_000, 65_536), ((b"small",) * 200_000, 2**24)],
    ids=["one frame in many reads", "many frames in some reads", "many frames in one read"],
)
def test_time_is_linear(bodies: tuple[bytes, ...], piece_bytes: int) -> None:
    # About 0.1 s each; copying the rest at every step would take minutes.
    stream = framed(*bodies)
    reader, count = FrameReader(), 0
    started = time.process_time()
    for start in range(0, len(stream), piece_bytes):
        reader.feed(stream[start : start + piece_bytes])
        count += sum(1 for _ in frames_of(reader))
    assert count == len(bodies)
    assert time.process_time() - started < 5


def test_clear_forgets_everything() -> None:
    reader = FrameReader()
    reader.feed(framed(b"one", b"two") + b"\xff\xff\xff\xff")
    assert reader.next_frame() == b"one"
    reader.clear()
    assert reader.pending_bytes == 0
    assert reader.next_frame() is None
    reader.feed(framed(b"three"))
    assert reader.next_frame() == b"three"


@pytest.mark.parametrize("piece_bytes", [1, 4, 1000])
def test_what_was_not_handed_out_can_be_taken(piece_bytes: int) -> None:
    reader, stream = FrameReader(), framed(b"one", b"two") + b"\0\0"
    for start in range(0, len(stream), piece_bytes):
        reader.feed(stream[start : start + piece_bytes])
    assert reader.next_frame() == b"one"
    assert reader.take_rest() == framed(b"two") + b"\0\0"
    assert reader.take_rest() == b""
    assert reader.next_frame() is None
