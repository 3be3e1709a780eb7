"""What a survey makes of the znodes of requests, whatever they hold."""

import pytest

from klamm.controller.core.status_book import KeptRequest, StatusBook
from klamm.controller.node.status_readings import FIRST_READS, StatusReadings
from klamm.controller.store.port import (
    Children,
    Missing,
    ReadData,
    ReadResult,
    Unreadable,
    Znode,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.status import (
    ReplicaStatus,
    StatusChunk,
    StatusCounter,
    StatusHeader,
    encode_status_chunk,
    encode_status_counter,
    encode_status_header,
)

ROOT = paths.REASSIGN_STATUS
OPEN = encode_status_header(StatusHeader(2, 5, 2, 2))
DONE = encode_status_header(StatusHeader(1, 5, 9, 3, 7, complete=True))
ROWS = StatusChunk((ReplicaStatus("t", 0, 3, 60, 5),))


def znode(path: str, data: bytes | None, version: int = 4) -> Znode:
    return Znode(path, data, version, 1, 1)


def found(*results: ReadResult) -> tuple[StatusBook, list[str]]:
    """What is known after these results, and the znodes that are faulty."""
    readings, faults = StatusReadings(), []
    for result in results:
        try:
            list(readings.take(result))
        except ZnodeError as fault:
            faults.append(fault.path)
    (fact,) = readings.facts()
    return fact.book, faults


def test_nothing_is_told_of_what_was_not_read() -> None:
    assert list(StatusReadings().facts()) == []
    assert [type(read).__name__ for read in FIRST_READS] == ["ReadData", "ReadChildren"]


def test_where_nothing_is_kept_there_is_no_counter() -> None:
    assert found(Missing(ROOT), Missing(ROOT)) == (StatusBook(), [])


def test_headers_are_read_and_the_chunks_of_those_that_are_open() -> None:
    readings = StatusReadings()
    readings.take(znode(ROOT, encode_status_counter(StatusCounter(2))))
    names = ("1", "2", "02", "x", "0")
    assert list(readings.take(Children(ROOT, names, 1, 1))) == [
        ReadData(paths.status_header(1)),
        ReadData(paths.status_header(2)),
    ]
    assert list(readings.take(znode(paths.status_header(1), DONE))) == []
    assert list(readings.take(znode(paths.status_header(2), OPEN))) == [
        ReadData(paths.status_chunk(2, 0)),
        ReadData(paths.status_chunk(2, 1)),
    ]
    readings.take(znode(paths.status_chunk(2, 0), encode_status_chunk(ROWS), 6))
    readings.take(Missing(paths.status_chunk(2, 1)))
    (fact,) = readings.facts()
    assert fact.book.counter == StatusCounter(2)
    assert fact.book.kept == {1: KeptRequest(7, 3)}
    request = fact.book.open[2]
    assert (request.version, [chunk.version for chunk in request.chunks]) == (4, [6, None])
    assert request.chunks[0].rows == ROWS.replicas
    assert request.lacks_chunks and not request.is_over


@pytest.mark.req("R179B-26")
def test_the_counter_is_not_below_what_is_kept_whether_that_can_be_read_or_not() -> None:
    book, _ = found(
        znode(ROOT, encode_status_counter(StatusCounter(2))), Children(ROOT, ("1", "7", "x"), 1, 1)
    )
    assert book.counter == StatusCounter(7)


@pytest.mark.req("R179B-41")
@pytest.mark.parametrize(
    "result", [znode(ROOT, None), znode(ROOT, b"7"), Unreadable(ROOT, "NOAUTH")], ids=str
)
def test_a_counter_that_cannot_be_read_is_told(result: ReadResult) -> None:
    book, faults = found(result)
    assert faults == [ROOT]
    assert ROOT in book.fault


@pytest.mark.req("R179B-41")
def test_headers_that_cannot_be_read_or_are_anothers_count_for_nothing() -> None:
    book, faults = found(
        Missing(ROOT),
        znode(paths.status_header(3), OPEN),
        znode(paths.status_header(4), b"{"),
        Unreadable(paths.status_header(5), "NOAUTH"),
        Missing(paths.status_header(6)),
    )
    assert (book.open, book.kept) == ({}, {})
    assert faults == [paths.status_header(n) for n in (3, 4, 5)]


@pytest.mark.req("R179B-41")
@pytest.mark.parametrize(
    "result",
    [znode(paths.status_chunk(2, 0), b"{", 6), Unreadable(paths.status_chunk(2, 0), "NOAUTH")],
    ids=str,
)
def test_a_chunk_that_cannot_be_read_is_there_and_not_complete(result: ReadResult) -> None:
    book, faults = found(
        Missing(ROOT),
        znode(paths.status_header(2), OPEN),
        result,
        znode(paths.status_chunk(2, 1), encode_status_chunk(StatusChunk(()))),
    )
    assert faults == [paths.status_chunk(2, 0)]
    request = book.open[2]
    assert request.chunks[0].fault
    assert not request.lacks_chunks and not request.is_over
