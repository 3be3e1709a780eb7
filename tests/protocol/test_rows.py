"""Rows of changing shape, and the arrays that they share."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from klamm.protocol.codec import decode, encode
from klamm.protocol.errors import DecodeError
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from klamm.protocol.rows import Arrays, Reshaped, row_struct

BROKERS = st.lists(st.integers(0, 2**31 - 1), max_size=3) | st.lists(
    st.just(1), min_size=125, max_size=130
)
PARTITION = st.builds(
    ReassignablePartition,
    st.integers(0, 9),
    st.none() | BROKERS.map(tuple),
    st.just(()) | st.just(((1, b"x"),)),
)


def request(*partitions: ReassignablePartition) -> AlterPartitionReassignmentsRequest:
    return AlterPartitionReassignmentsRequest(topics=(ReassignableTopic("t", partitions),))


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.lists(PARTITION, max_size=12), st.data())
def test_neighbours_of_any_shape(
    partitions: list[ReassignablePartition], data: st.DataObject
) -> None:
    message = request(*partitions)
    encoded = encode(message, 0)
    assert decode(AlterPartitionReassignmentsRequest, encoded, 0) == message
    end = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(DecodeError):
        decode(AlterPartitionReassignmentsRequest, encoded[:end], 0)


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.lists(st.tuples(BROKERS.map(tuple), BROKERS.map(tuple)), max_size=8))
def test_neighbours_without_tags(pairs: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    states = tuple(
        UpdateMetadataPartitionState("t", index, isr=isr, replicas=replicas)
        for index, (isr, replicas) in enumerate(pairs)
    )
    message = UpdateMetadataRequest(ungrouped_partition_states=states)
    assert decode(UpdateMetadataRequest, encode(message, 4), 4) == message


def test_equal_arrays_are_one_tuple() -> None:
    message = request(*(ReassignablePartition(index, (7, 8, 9)) for index in range(3)))
    read = decode(AlterPartitionReassignmentsRequest, encode(message, 0), 0)
    first, *others = read.topics[0].partitions
    assert all(partition.replicas is first.replicas for partition in others)


def test_what_is_kept_is_bounded() -> None:
    arrays = Arrays("i", compact=False, nullable=False)
    long = row_struct(">i40i").pack(40, *range(40))
    assert arrays[long] == tuple(range(40))
    assert not arrays
    for number in range(Arrays.LIMIT + 1):
        assert arrays[row_struct(">ii").pack(1, number)] == (number,)
    assert len(arrays) == 1


@pytest.mark.parametrize("raw", [b"\0\0\0\2\0\0\0\1", b"\0\0\0\0\0\0\0\1"])
def test_another_length_than_guessed(raw: bytes) -> None:
    with pytest.raises(Reshaped):
        Arrays("i", compact=False, nullable=False)[raw]


def test_a_length_cut_by_the_guess() -> None:
    with pytest.raises(Reshaped):
        Arrays("i", compact=True, nullable=False)[b"\x80"]


@pytest.mark.parametrize(("compact", "raw"), [(True, b"\0"), (False, b"\xff\xff\xff\xff")])
def test_null(compact: bool, raw: bytes) -> None:
    assert Arrays("i", compact=compact, nullable=True)[raw] is None
    with pytest.raises(DecodeError, match="null"):
        Arrays("i", compact=compact, nullable=False)[raw]
