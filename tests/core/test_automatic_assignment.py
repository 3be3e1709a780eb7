"""What AlterTopics calculates: the worked values of its rules, and what holds of all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.automatic_assignment import (
    extended,
    in_order,
    placed,
    shortened,
    start_at,
)

SIX = {0: "r1", 1: "r3", 2: "r3", 3: "r2", 4: "r2", 5: "r1"}
NO_RACKS = dict.fromkeys(range(5))


@pytest.mark.req("R179A-36")
def test_brokers_alternate_by_rack() -> None:
    assert in_order(SIX) == [0, 3, 1, 5, 4, 2]
    assert in_order(dict(reversed(SIX.items()))) == [0, 3, 1, 5, 4, 2]
    assert in_order({2: None, 0: None, 1: None}) == [0, 1, 2]


@pytest.mark.req("R179A-37")
def test_new_partitions_go_where_kafka_puts_them() -> None:
    """The values are those of AdminUtils for six brokers on three racks."""
    assert placed(SIX, range(2, 4), 3, first=3) == {2: (2, 4, 0), 3: (0, 2, 3)}
    assert placed(SIX, range(7), 3, first=0) == {
        0: (0, 3, 1),
        1: (3, 1, 5),
        2: (1, 5, 4),
        3: (5, 4, 2),
        4: (4, 2, 0),
        5: (2, 0, 3),
        6: (0, 4, 2),
    }


@pytest.mark.req("R179A-37")
def test_the_start_is_the_first_id_not_below_partition_0s_first_replica() -> None:
    assert [start_at([7, 2, 5], first) for first in (0, 2, 3, 5, 6, 7, 8)] == [0, 0, 1, 1, 2, 2, 0]
    assert placed({1: None, 4: None, 6: None}, range(1, 2), 1, first=2) == {1: (6,)}
    assert placed({1: None, 4: None, 6: None}, range(1, 2), 1, first=9) == {1: (4,)}


@pytest.mark.req("R179A-38")
@pytest.mark.parametrize(
    ("replicas", "number", "factor", "expected"),
    [
        ((0, 3), 0, 3, (0, 3, 1)),
        ((3, 1), 1, 3, (3, 1, 5)),
        ((1, 0), 2, 4, (1, 0, 3, 2)),
        ((5,), 13, 1, (5,)),
        # Broker 8 is gone, so nothing is known of its rack; the walk begins where new ones would.
        ((8,), 0, 2, (8, 3)),
    ],
)
def test_a_larger_factor_appends(
    replicas: tuple[int, ...], number: int, factor: int, expected: tuple[int, ...]
) -> None:
    assert extended(SIX, number, replicas, factor) == expected


@pytest.mark.req("R179A-38")
def test_a_larger_factor_without_racks() -> None:
    assert extended(NO_RACKS, 0, (0, 1), 3) == (0, 1, 2)
    assert extended(NO_RACKS, 1, (0, 1), 3) == (0, 1, 2)
    assert extended(NO_RACKS, 4, (0, 1), 3) == (0, 1, 2)
    assert extended(NO_RACKS, 2, (0, 1), 4) == (0, 1, 3, 4)
    with pytest.raises(ValueError, match="replication factor 6 of 5 brokers"):
        extended(NO_RACKS, 0, (0, 1), 6)


@pytest.mark.req("R179A-39")
def test_a_smaller_factor_keeps_racks() -> None:
    assert shortened(SIX, (0, 5, 3, 1), 2) == (0, 3)
    assert shortened(SIX, (0, 3, 1), 2) == (0, 3)
    assert shortened(SIX, (0, 5), 1) == (0,)
    assert shortened(NO_RACKS, (4, 3, 2, 1), 2) == (4, 3)
    # Nothing is known of the rack of 8; 2 shares that of 1.
    assert shortened(SIX, (1, 8, 2), 2) == (1, 8)


@st.composite
def clusters(draw: st.DrawFn) -> dict[int, str | None]:
    """Brokers of any ids, all with a rack or all without."""
    ids = draw(st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True))
    sets: list[list[str | None]] = [["a"], ["a", "b"], ["a", "b", "c", "d"], [None]]
    names = draw(st.sampled_from(sets))
    return {id_: draw(st.sampled_from(names)) for id_ in ids}


def racks_of(racks: dict[int, str | None], replicas: tuple[int, ...]) -> set[str | None]:
    return {racks[broker] for broker in replicas if broker in racks}


@pytest.mark.req("R179A-41")
@given(clusters(), st.data())
def test_new_partitions_use_brokers_once_and_all_racks(
    racks: dict[int, str | None], data: st.DataObject
) -> None:
    factor = data.draw(st.integers(1, len(racks)))
    numbers = range(data.draw(st.integers(0, 30)), 35)
    first = data.draw(st.integers(0, 50))
    made = placed(racks, numbers, factor, first)
    assert made == placed(dict(sorted(racks.items())), numbers, factor, first)
    assert list(made) == list(numbers)
    for replicas in made.values():
        assert len(replicas) == len(set(replicas)) == factor
        assert racks.keys() >= set(replicas)
        assert len(racks_of(racks, replicas)) == min(factor, len(set(racks.values())))
    brokers = in_order(racks)
    start = start_at(brokers, first)
    assert all(made[p][0] == brokers[(p + start) % len(brokers)] for p in numbers)


@pytest.mark.req("R179A-41")
@given(clusters(), st.data())
def test_other_factors_keep_what_there_is(
    racks: dict[int, str | None], data: st.DataObject
) -> None:
    ids = st.one_of(st.sampled_from(sorted(racks)), st.integers(100, 105))
    replicas = tuple(data.draw(st.lists(ids, min_size=1, max_size=8, unique=True)))
    number = data.draw(st.integers(0, 100))
    unused = len(racks.keys() - set(replicas))
    more = data.draw(st.integers(0, unused))
    longer = extended(racks, number, replicas, len(replicas) + more)
    assert longer[: len(replicas)] == replicas
    assert len(set(longer)) == len(longer) == len(replicas) + more
    known = len(racks_of(racks, replicas))
    assert len(racks_of(racks, longer)) == min(known + more, len(set(racks.values())))
    fewer = data.draw(st.integers(1, len(replicas)))
    shorter = shortened(racks, replicas, fewer)
    assert len(shorter) == fewer
    assert shorter[0] == replicas[0]
    assert [broker for broker in replicas if broker in shorter] == list(shorter)
    assert (longer, shorter) == (
        extended(racks, number, replicas, len(longer)),
        shortened(racks, replicas, fewer),
    )
