"""What was accepted for one partition explains what was seen, or does not."""

import math
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.chaos.history import Replicas
from klamm.tools.chaos.registers import Op, after, ended, unexplained

FIRST = Replicas((1, 2, 3))
MOVING = Replicas((4, 2, 3, 1), (4,), (1,))


def alter(begin: float, end: float, *target: int, optional: bool = False) -> Op:
    return Op(begin, end, f"the alter to {target}", target, optional=optional)


def cancel(begin: float, end: float, *, optional: bool = False) -> Op:
    return Op(begin, end, "the cancel", optional=optional)


def seen(begin: float, end: float, held: Replicas) -> Op:
    return Op(begin, end, f"the reading of {held.replicas}", seen=held)


def test_an_alter_puts_its_target_first_and_a_cancel_takes_back_what_it_added() -> None:
    assert after(alter(0, 1, 4, 2, 3), FIRST) == MOVING
    assert ended(MOVING) == Replicas((4, 2, 3))
    assert after(alter(0, 1, 5, 3), MOVING) == Replicas((5, 3, 2, 1), (5,), (2, 1))
    assert after(cancel(0, 1), MOVING) == Replicas((2, 3, 1))
    assert after(cancel(0, 1), FIRST) is None
    assert after(seen(0, 1, MOVING), MOVING) == MOVING
    assert after(seen(0, 1, FIRST), MOVING) is None


def test_a_move_may_end_at_any_time_once_it_was_accepted() -> None:
    asked = alter(1, 2, 4, 2, 3)
    for held in (MOVING, Replicas((4, 2, 3))):
        assert unexplained(FIRST, [asked, seen(3, 3, held)]) is None


def test_an_accepted_alter_that_left_no_trace_is_found() -> None:
    asked = [alter(1, 2, 4, 2, 3), alter(3, 4, 5, 2, 3)]
    assert unexplained(FIRST, [*asked, seen(9, 9, Replicas((5, 2, 3)))]) is None
    lost = unexplained(FIRST, [*asked, seen(9, 9, Replicas((4, 2, 3)))])
    assert lost is not None
    assert "the reading of (4, 2, 3) fits none of" in lost
    assert unexplained(FIRST, [alter(1, 2, 4, 2, 3), seen(9, 9, FIRST)]) is not None


def test_requests_that_overlap_may_have_come_in_either_order() -> None:
    asked = [alter(1, 4, 4, 2, 3), alter(2, 3, 5, 2, 3)]
    for last in ((4, 2, 3), (5, 2, 3)):
        assert unexplained(FIRST, [*asked, seen(9, 9, Replicas(last))]) is None


def test_what_the_next_request_was_sent_after_comes_before_it() -> None:
    asked = [alter(1, 2, 4, 2, 3), alter(2.5, 3, 5, 2, 3)]
    assert unexplained(FIRST, [*asked, seen(9, 9, Replicas((4, 2, 3)))]) is not None


def test_a_cancel_is_accepted_only_while_a_move_is_under_way() -> None:
    assert unexplained(FIRST, [cancel(1, 2)]) is not None
    assert unexplained(FIRST, [alter(1, 2, 4, 2, 3), cancel(3, 4)]) is None
    after_the_end = [alter(1, 2, 4, 2, 3), seen(3, 4, Replicas((4, 2, 3))), cancel(5, 6)]
    assert unexplained(FIRST, after_the_end) is not None


def test_a_request_without_an_answer_happened_or_not_but_only_in_its_time() -> None:
    unknown = alter(1, 5, 4, 2, 3, optional=True)
    for held in (FIRST, MOVING):
        assert unexplained(FIRST, [unknown, seen(3, 3, held)]) is None
    early = [unknown, seen(0.5, 0.5, MOVING)]
    assert unexplained(FIRST, early) is not None
    late = [unknown, seen(6, 6, FIRST), seen(7, 7, MOVING)]
    assert unexplained(FIRST, late) is not None
    twice = [
        unknown,
        alter(2, 3, 5, 2, 3),
        seen(4, 4, MOVING),
        alter(4.1, 4.2, 6),
        cancel(4.3, 4.4),
    ]
    assert unexplained(FIRST, [*twice, seen(4.6, 4.6, MOVING)]) is not None


def test_several_without_an_answer_may_all_have_happened() -> None:
    unknown = [
        alter(n, math.inf, *target, optional=True) for n, target in enumerate([(4,), (5,), (6,)])
    ]
    seen_one_by_one = [seen(10 + n, 10 + n, Replicas((4 + n,))) for n in range(3)]
    assert unexplained(FIRST, [*unknown, *seen_one_by_one]) is None


def _targets() -> st.SearchStrategy[tuple[int, ...] | None]:
    choices: list[tuple[int, ...] | None] = [None, *permutations((1, 2, 3, 4), 2)]
    return st.sampled_from(choices)


@given(
    st.lists(
        st.tuples(_targets(), st.booleans(), st.floats(0, 0.9), st.floats(0, 0.9), st.booleans())
    )
)
def test_whatever_a_register_really_did_is_explained(
    script: list[tuple[tuple[int, ...] | None, bool, float, float, bool]],
) -> None:
    """Each step takes effect at a whole second, and was asked for around that."""
    held, ops = Replicas((1, 2)), []
    for number, (target, ends, before, behind, optional) in enumerate(script, 1):
        op = Op(number - before, number + behind, f"step {number}", target, optional=optional)
        if ends and held.moving:
            held = ended(held)
        now = after(op, held)
        if now is None:
            continue
        held = now
        ops += [op, seen(number, number + behind / 2, held)]
    assert unexplained(Replicas((1, 2)), ops) is None


@given(st.lists(_targets().filter(bool), min_size=1, max_size=5), st.data())
def test_a_last_reading_that_nobody_asked_for_is_found(
    targets: list[tuple[int, ...]], data: st.DataObject
) -> None:
    ops = [alter(2 * n, 2 * n + 1, *target) for n, target in enumerate(targets)]
    wrong = data.draw(st.permutations((7, 8)))
    assert unexplained(Replicas((1, 2)), [*ops, seen(99, 99, Replicas(tuple(wrong)))]) is not None
