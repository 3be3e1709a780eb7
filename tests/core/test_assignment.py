"""Kafka's placement: results its own tests know (AdminRackAwareTest, AdminZkClientTest); rules."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.assignment import alternate_racks, assign_replicas

SIX = {0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"}


def test_the_placement_without_racks_that_kafka_expects_of_itself() -> None:
    racks: dict[int, str | None] = dict.fromkeys(range(5))
    assert assign_replicas(racks, 10, 3, start=0, shift=0) == {
        0: (0, 1, 2),
        1: (1, 2, 3),
        2: (2, 3, 4),
        3: (3, 4, 0),
        4: (4, 0, 1),
        5: (0, 2, 3),
        6: (1, 3, 4),
        7: (2, 4, 0),
        8: (3, 0, 1),
        9: (4, 1, 2),
    }


def test_the_placement_over_racks_that_kafka_expects_of_itself() -> None:
    assert alternate_racks(SIX) == [0, 3, 1, 5, 4, 2]
    assert alternate_racks({id_: rack for id_, rack in SIX.items() if id_ != 5}) == [0, 3, 1, 4, 2]
    assert assign_replicas(SIX, 7, 3, start=0, shift=0) == {
        0: (0, 3, 1),
        1: (3, 1, 5),
        2: (1, 5, 4),
        3: (5, 4, 2),
        4: (4, 2, 0),
        5: (2, 0, 3),
        6: (0, 4, 2),
    }


def test_racks_alternate_also_if_they_are_of_unequal_size() -> None:
    assert alternate_racks({0: "a", 1: "a", 2: "a", 3: "b", 4: "b"}) == [0, 3, 1, 4, 2]


def test_added_partitions_go_on_where_the_first_ones_ended() -> None:
    racks: dict[int, str | None] = dict.fromkeys(range(5))
    whole = assign_replicas(racks, 10, 3, start=2, shift=1)
    first = assign_replicas(racks, 5, 3, start=2, shift=1)
    assert first == {number: whole[number] for number in range(5)}
    # The shift begins anew with each call, and rises for the first number of the second round.
    rest = assign_replicas(racks, 5, 3, start=2, shift=1, first_partition=5)
    assert rest == {number: whole[number] for number in range(5, 10)}


def test_one_broker_without_a_rack_makes_all_racks_void() -> None:
    some: dict[int, str | None] = {**SIX, 5: None}
    assert assign_replicas(some, 6, 3, 0, 0) == assign_replicas(dict.fromkeys(SIX), 6, 3, 0, 0)


def test_one_broker_takes_everything() -> None:
    assert assign_replicas({7: None}, 3, 1, start=0, shift=0) == {0: (7,), 1: (7,), 2: (7,)}


def test_more_replicas_than_brokers_are_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="replication factor 3 of 2 brokers"):
        assign_replicas({1: None, 2: None}, 1, 3, 0, 0)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[dict[int, str | None], int]:
    """Racks of brokers, all with or all without, and a possible replication factor."""
    ids = draw(st.lists(st.integers(0, 40), unique=True, min_size=1, max_size=12))
    names = st.sampled_from("abcde") if draw(st.booleans()) else st.none()
    racks = {id_: draw(names) for id_ in ids}
    return racks, draw(st.integers(1, len(ids)))


@given(clusters(), st.integers(1, 30), st.integers(0, 20), st.integers(0, 20))
def test_replicas_are_spread_over_brokers_and_racks(
    case: tuple[dict[int, str | None], int], partitions: int, start: int, shift: int
) -> None:
    racks, factor = case
    assignment = assign_replicas(racks, partitions, factor, start % len(racks), shift)
    assert list(assignment) == list(range(partitions))
    for replicas in assignment.values():
        assert len(set(replicas)) == factor
        assert len({racks[id_] for id_ in replicas}) == min(factor, len(set(racks.values())))
    leaders = Counter(dict.fromkeys(racks, 0))
    leaders.update(replicas[0] for replicas in assignment.values())
    assert max(leaders.values()) - min(leaders.values()) <= 1


@given(
    st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(0, 9), st.integers(0, 9)
)
def test_equal_racks_get_equal_shares_of_whole_rounds(
    rack_count: int, rack_size: int, rounds: int, start: int, shift: int
) -> None:
    """Kafka's own claim for its algorithm, with one replica per rack."""
    size = rack_count * rack_size
    racks: dict[int, str | None] = {id_: f"r{id_ % rack_count}" for id_ in range(size)}
    assignment = assign_replicas(racks, size * rounds, rack_count, start % size, shift)
    per_rack = Counter(racks[id_] for replicas in assignment.values() for id_ in replicas)
    assert set(per_rack.values()) == {size * rounds}
