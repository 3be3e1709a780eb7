"""Which lists follow from which target: KIP-455's sample runs, and what Kafka makes of them."""

from collections.abc import Callable, Sequence

import pytest
from core.clusters import EPOCH
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.model import Assignment, Leadership
from klamm.controller.core.reassignment import (
    additions_in_sync,
    cancelled,
    finished,
    merge_leaving_first,
    merge_target_first,
    target_in_sync,
)

ALL = frozenset(range(1, 13))
LISTS = st.lists(st.sampled_from(sorted(ALL)), unique=True, min_size=1, max_size=6).map(tuple)
Merge = Callable[[Assignment, Sequence[int]], Assignment]
MERGES = st.sampled_from([merge_target_first, merge_leaving_first])


def led(*isr: int) -> Leadership:
    return Leadership(isr[0], 0, isr, EPOCH, 0)


@pytest.mark.req("R455-88")
@pytest.mark.parametrize(
    ("present", "target", "apache", "kip"),
    [
        ((1, 2, 3), (4, 3, 2), ((4, 3, 2, 1), (4,), (1,)), ((1, 4, 3, 2), (4,), (1,))),
        (
            (1, 2, 3),
            (3, 4, 5),
            ((3, 4, 5, 1, 2), (4, 5), (1, 2)),
            ((1, 2, 3, 4, 5), (4, 5), (1, 2)),
        ),
        ((1, 2), (1, 2, 3), ((1, 2, 3), (3,), ()), ((1, 2, 3), (3,), ())),
        ((1, 2, 3), (1, 2), ((1, 2, 3), (), (3,)), ((3, 1, 2), (), (3,))),
        ((1, 2, 3), (3, 1, 2), ((3, 1, 2), (), ()), ((3, 1, 2), (), ())),
        ((1, 2, 3), (1, 2, 3), ((1, 2, 3), (), ()), ((1, 2, 3), (), ())),
        ((1,), (2,), ((2, 1), (2,), (1,)), ((1, 2), (2,), (1,))),
    ],
)
def test_a_start_gives_the_lists_of_the_profile(
    present: tuple[int, ...],
    target: tuple[int, ...],
    apache: tuple[tuple[int, ...], ...],
    kip: tuple[tuple[int, ...], ...],
) -> None:
    assert merge_target_first(Assignment(present), target) == Assignment(*apache)
    assert merge_leaving_first(Assignment(present), target) == Assignment(*kip)


def test_a_new_target_replaces_the_old_one_from_the_origin_on() -> None:
    running = merge_target_first(Assignment((1, 2, 3)), (4, 5, 6))
    assert merge_target_first(running, (4, 7, 1)) == Assignment((4, 7, 1, 2, 3), (4, 7), (2, 3))


@pytest.mark.parametrize("merge", [merge_target_first, merge_leaving_first])
def test_replacing_keeps_origin_whatever_ran_before(merge: Merge) -> None:
    running = merge(Assignment((1, 2, 3)), (4, 5, 6))
    replaced = merge(running, (1, 2, 5))
    assert set(replaced.origin) == {1, 2, 3}
    assert (replaced.adding, replaced.removing) == ((5,), (3,))


@pytest.mark.parametrize(
    ("merge", "target", "after"),
    [
        (merge_target_first, (3, 4, 2), (3, 2, 1)),
        (merge_leaving_first, (3, 4, 2), (1, 3, 2)),
        (merge_target_first, (3, 4, 5), (3, 1, 2)),
        (merge_leaving_first, (3, 4, 5), (1, 2, 3)),
        (merge_target_first, (3, 9, 2), (3, 2, 1)),
    ],
)
def test_a_cancel_returns_to_the_set_but_not_to_the_order(
    merge: Merge, target: tuple[int, ...], after: tuple[int, ...]
) -> None:
    assert cancelled(merge(Assignment((1, 2, 3)), target)) == Assignment(after)


@given(MERGES, LISTS, st.lists(LISTS, min_size=1, max_size=4))
def test_a_moving_list_is_origin_and_target_together(
    merge: Merge, start: tuple[int, ...], targets: list[tuple[int, ...]]
) -> None:
    """Invariants I2 and I3, after any chain of replaced targets."""
    now = Assignment(start)
    for target in targets:
        now = merge(now, target)
        assert set(now.origin) == set(start)
        assert set(now.replicas) == set(start) | set(target)
        assert len(set(now.replicas)) == len(now.replicas)
        assert set(now.adding) == set(target) - set(start)
        assert set(now.removing) == set(start) - set(target)
        assert now.adding == tuple(b for b in now.replicas if b in now.adding)
        assert now.removing == tuple(b for b in now.replicas if b in now.removing)
        assert now.target == target
        assert finished(now) == Assignment(target)
        assert now.moving == (set(target) != set(start))
        assert merge(now, target) == now
    assert set(cancelled(now).replicas) == set(start)
    assert not cancelled(now).moving


@pytest.mark.parametrize(
    ("isr", "online", "apache", "kip"),
    [
        ((1, 2, 3), {1, 2, 3, 4}, False, False),
        ((1, 2, 3, 4), {1, 2, 3, 4}, True, True),
        ((4, 3, 2), {1, 2, 3, 4}, True, True),
        # A kept replica is out: only Kafka waits for it.
        ((1, 2, 4), {1, 2, 3, 4}, False, True),
        # An added replica is in sync but gone.
        ((1, 2, 3, 4), {1, 2, 3}, False, False),
        # A kept one is gone, and still in the ISR.
        ((1, 2, 3, 4), {1, 2, 4}, False, True),
    ],
)
def test_when_a_move_may_end(
    isr: tuple[int, ...], online: set[int], apache: bool, kip: bool
) -> None:
    """What R455-89 says of [1,2,3] on the way to [4,3,2]."""
    moving = merge_target_first(Assignment((1, 2, 3)), (4, 3, 2))
    assert target_in_sync(moving, led(*isr), online) == apache
    assert additions_in_sync(moving, led(*isr), online) == kip


def test_a_pure_removal_ends_only_with_a_target_that_can_lead() -> None:
    shrinking = merge_leaving_first(Assignment((1, 2, 3)), (1, 2))
    assert not additions_in_sync(shrinking, led(3), {1, 2, 3})
    assert additions_in_sync(shrinking, led(3, 2), {1, 2, 3})
