import pytest
from core.clusters import EPOCH
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.election import (
    first_eligible,
    relieved,
    repaired,
    without_offline,
)
from klamm.controller.core.model import NO_LEADER, Leadership

IDS = st.integers(1, 6)
SOME = st.lists(IDS, unique=True, min_size=1).map(tuple)


@pytest.mark.parametrize(
    ("replicas", "leader", "isr", "online", "expected"),
    [
        # The leader is online: it stays, and offline members leave the ISR.
        ((1, 2, 3), 1, (1, 2, 3), {1, 2, 3}, (1, (1, 2, 3))),
        ((1, 2, 3), 1, (1, 2, 3), {1, 3}, (1, (1, 3))),
        ((1, 2, 3), 3, (3,), {1, 2, 3}, (3, (3,))),
        # It is not: the first of the replica list that is in sync and online.
        ((3, 1, 2), 1, (1, 2, 3), {2, 3}, (3, (2, 3))),
        ((3, 1, 2), 1, (1, 2), {2, 3}, (2, (2,))),
        # Nobody in sync is online: the ISR says who has the data.
        ((1, 2, 3), 1, (1, 2), {3}, (NO_LEADER, (1, 2))),
        ((1, 2, 3), NO_LEADER, (1,), set(), (NO_LEADER, (1,))),
        # Who is no replica has no part in it.
        ((2, 3), 1, (1, 3, 2), {1, 2, 3}, (2, (3, 2))),
        ((2, 3), 2, (1, 2), {1, 2, 3}, (2, (2,))),
        ((2, 3), 1, (1,), {1, 2, 3}, (NO_LEADER, (1,))),
        # One of them is back.
        ((1, 2, 3), NO_LEADER, (1, 2), {2, 3}, (2, (2,))),
    ],
)
def test_repairing(
    replicas: tuple[int, ...],
    leader: int,
    isr: tuple[int, ...],
    online: set[int],
    expected: tuple[int, tuple[int, ...]],
) -> None:
    assert repaired(replicas, Leadership(leader, 0, isr, EPOCH, 0), online, online) == expected


@given(SOME, st.data(), st.sets(IDS))
def test_what_a_repair_always_keeps(
    replicas: tuple[int, ...], data: st.DataObject, online: set[int]
) -> None:
    """Invariant I4, and nobody enters the ISR by an election."""
    isr = tuple(data.draw(st.lists(st.sampled_from(replicas), unique=True, min_size=1)))
    before = data.draw(st.sampled_from((*isr, NO_LEADER)))
    leader, after = repaired(replicas, Leadership(before, 0, isr, EPOCH, 0), online, online)
    assert after
    assert set(after) <= set(isr)
    assert leader == NO_LEADER or (leader in after and leader in online)
    assert (leader == NO_LEADER) == online.isdisjoint(isr)
    again = repaired(replicas, Leadership(leader, 1, after, EPOCH, 1), online, online)
    assert again == (leader, after)


def test_the_order_of_candidates_decides_and_not_that_of_the_isr() -> None:
    assert first_eligible((4, 3, 2), (2, 3), {2, 3, 4}) == 3
    assert first_eligible((4,), (2, 3), {2, 3, 4}) == NO_LEADER


def test_an_isr_never_becomes_empty() -> None:
    assert without_offline((1, 2), {2}) == (2,)
    assert without_offline((1, 2), set()) == (1, 2)


def test_who_is_shutting_down_leads_on_but_is_not_elected() -> None:
    led, dead = Leadership(1, 0, (1, 2), EPOCH, 0), Leadership(3, 0, (1, 2, 3), EPOCH, 0)
    assert repaired((1, 2, 3), led, {1, 2, 3}, {2, 3}) == (1, (1, 2))
    assert repaired((1, 2, 3), dead, {1, 2}, {2}) == (2, (1, 2))
    assert repaired((1, 2, 3), dead, {1}, set()) == (NO_LEADER, (1,))


@pytest.mark.parametrize(
    ("leader", "isr", "alive", "expected"),
    [
        # It leads: the first of RS in sync and alive takes over, without any that leaves.
        (1, (1, 2, 3), {2, 3}, (2, (2, 3))),
        (1, (3, 1), {2, 3}, (3, (3,))),
        (1, (1, 2, 3), {3}, (3, (3,))),
        # Nobody can: nothing changes.
        (1, (1,), {2, 3}, (1, (1,))),
        (1, (1, 2), {3}, (1, (1, 2))),
        # It follows, or nobody leads.
        (2, (1, 2, 3), {2, 3}, (2, (2, 3))),
        (2, (2, 3), {2, 3}, (2, (2, 3))),
        (NO_LEADER, (1,), {2, 3}, (NO_LEADER, (1,))),
    ],
)
def test_relieving(
    leader: int, isr: tuple[int, ...], alive: set[int], expected: tuple[int, tuple[int, ...]]
) -> None:
    assert relieved((1, 2, 3), Leadership(leader, 0, isr, EPOCH, 0), 1, alive) == expected
