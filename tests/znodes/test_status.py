"""What is kept of requests that assign partitions, byte by byte."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import INT32_MAX, INT64_MAX
from klamm.controller.znodes.status import (
    MOST_BYTES,
    MOST_REPLICAS,
    ReplicaStatus,
    StatusChunk,
    StatusCounter,
    StatusHeader,
    cut,
    decode_status_chunk,
    decode_status_counter,
    decode_status_header,
    encode_status_chunk,
    encode_status_counter,
    encode_status_header,
    request_id,
)

COUNTER = b'{"version":1,"last_request_id":42}'
HEADER = (
    b'{"version":1,"request_id":42,"created_ms":1700000000000,"completed_ms":-1,'
    b'"complete":false,"replicas":2,"chunks":1}'
)
CHUNK = (
    b'{"version":1,"replicas":['
    b'{"topic":"foo","partition":0,"broker":2,"numerator":900,"denominator":900,"error":0,'
    b'"complete":true,"updated_ms":1700000004000},'
    b'{"topic":"foo","partition":0,"broker":3,"numerator":450,"denominator":900,"error":60,'
    b'"complete":false,"updated_ms":1700000005000}]}'
)
PATH = "/x"


@pytest.mark.req("R179B-41")
def test_the_forms_are_those_of_the_requirements() -> None:
    assert decode_status_counter(COUNTER, PATH) == StatusCounter(42)
    assert encode_status_counter(StatusCounter(42)) == COUNTER
    header = StatusHeader(42, 1_700_000_000_000, 2, 1)
    assert decode_status_header(HEADER, PATH) == header
    assert encode_status_header(header) == HEADER
    chunk = StatusChunk(
        (
            ReplicaStatus("foo", 0, 2, 0, 1_700_000_004_000, 900, 900, complete=True),
            ReplicaStatus("foo", 0, 3, 60, 1_700_000_005_000, 450, 900),
        )
    )
    assert decode_status_chunk(CHUNK, PATH) == chunk
    assert encode_status_chunk(chunk) == CHUNK
    assert paths.status_header(42) == "/admin/reassign_partitions_status/42"
    assert paths.status_chunk(42, 0) == "/admin/reassign_partitions_status/42/0"


@pytest.mark.req("R179B-41")
def test_unknown_keys_are_written_back_at_every_level() -> None:
    counter = b'{"version":1,"last_request_id":42,"a":{"b":[1]}}'
    assert encode_status_counter(decode_status_counter(counter, PATH)) == counter
    header = HEADER[:-1] + b',"by":"hand"}'
    assert encode_status_header(decode_status_header(header, PATH)) == header
    chunk = CHUNK.replace(b"5000}", b'5000,"note":null}')[:-1] + b',"x":1}'
    assert encode_status_chunk(decode_status_chunk(chunk, PATH)) == chunk


_NUMBERS = st.integers(-1, INT64_MAX)
_ROWS = st.builds(
    ReplicaStatus,
    st.text(max_size=20),
    st.integers(0, INT32_MAX),
    st.integers(0, INT32_MAX),
    st.integers(-1, 100),
    _NUMBERS,
    _NUMBERS,
    _NUMBERS,
    st.booleans(),
    st.dictionaries(st.sampled_from(["x", "y"]), st.integers(0, 9) | st.text(), max_size=2),
)


@given(st.lists(_ROWS, max_size=5))
def test_every_chunk_comes_back(rows: list[ReplicaStatus]) -> None:
    chunk = StatusChunk(tuple(rows))
    assert decode_status_chunk(encode_status_chunk(chunk), PATH) == chunk


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"version":2,"last_request_id":1,"request_id":1,"replicas":[]}',
        b'{"version":1}',
        b'{"version":1,"last_request_id":-1,"replicas":[{}]}',
        b'{"version":1,"last_request_id":"7","replicas":{}}',
        b'{"version":1,"last_request_id":2147483648,"replicas":[1]}',
    ],
)
def test_anything_else_is_a_fault_that_names_the_znode(data: bytes | None) -> None:
    for decode in (decode_status_counter, decode_status_header, decode_status_chunk):
        with pytest.raises(ZnodeError, match=f"^{PATH}: "):
            decode(data, PATH)


def test_a_header_of_more_chunks_than_anybody_makes_is_a_fault() -> None:
    """Whoever reads it asks for all of them."""
    assert decode_status_header(HEADER.replace(b'"chunks":1', b'"chunks":10000'), PATH)
    for chunks in (b"10001", b"2147483647"):
        with pytest.raises(ZnodeError, match=f"^{PATH}: "):
            decode_status_header(HEADER.replace(b'"chunks":1', b'"chunks":' + chunks), PATH)


@pytest.mark.req("R179B-42")
@given(st.lists(st.integers(0, 260), max_size=60))
def test_chunks_are_bounded_whatever_their_numbers_become(lengths: list[int]) -> None:
    rows = [ReplicaStatus("t" * length, n, 3, 60, 5) for n, length in enumerate(lengths * 60)]
    chunks = cut(rows)
    assert [row for chunk in chunks for row in chunk] == rows
    for chunk in chunks:
        assert 0 < len(chunk) <= MOST_REPLICAS
        grown = (
            ReplicaStatus(
                row.topic, INT32_MAX, INT32_MAX, -(2**15), INT64_MAX, INT64_MAX, INT64_MAX
            )
            for row in chunk
        )
        assert len(encode_status_chunk(StatusChunk(tuple(grown)))) < MOST_BYTES + 64
    for one, other in pairwise(chunks):
        room = MOST_BYTES - sum(210 + len(row.topic) for row in one)
        assert len(one) == MOST_REPLICAS or room < 210 + len(other[0].topic)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("1", 1),
        ("2147483647", INT32_MAX),
        *((name, None) for name in ("2147483648", "0", "-1", "007", "", "x", "1 ", "\u0661")),
    ],
)
def test_the_name_of_a_header_is_its_number(name: str, number: int | None) -> None:
    assert request_id(name) == number


def test_a_row_of_2000_ordinary_replicas_is_far_from_the_limit() -> None:
    rows = tuple(ReplicaStatus("orders", n, 3, 60, 1_700_000_000_000) for n in range(2_000))
    data = encode_status_chunk(StatusChunk(rows))
    assert json.loads(data)["version"] == 1
    assert len(data) < 300_000
