"""How far moves have come, for a table of moments and for any."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.model import TopicPartition
from klamm.tools.cli._stage import percent, summary, time_left
from klamm.tools.reassign.copies import SLOWEST, Copy, Pace, Progress

A, B, C = (TopicPartition("t", number) for number in range(3))


def copy(name: TopicPartition, done: int, total: int = 100, broker: int = 4) -> Copy:
    return Copy(name, broker, done, total)


def test_bytes_partitions_rate_and_time_left() -> None:
    progress = Progress([copy(A, 0), copy(B, 0, 300)])
    first = progress.update(10.0, [], {A, B})
    assert (first.done, first.total, first.share) == (0, 400, 0.0)
    assert (first.pace, first.seconds_left) == (Pace.UNKNOWN, None)
    second = progress.update(12.0, [copy(A, 50), copy(B, 50, 300)], {A, B})
    assert (second.rate, second.pace, second.seconds_left) == (50.0, Pace.MOVING, 6.0)
    assert (second.partitions_done, second.partitions) == (0, 2)
    third = progress.update(13.0, [copy(B, 100, 300)], {B})
    assert (third.done, third.partitions_done) == (200, 1)
    assert third.slowest == (copy(B, 100, 300),)
    last = progress.update(15.0, [], set())
    assert (last.done, last.total, last.partitions_done) == (400, 400, 2)
    assert (last.pace, last.seconds_left, last.slowest) == (Pace.DONE, None, ())


def test_the_rate_is_that_of_the_last_seconds() -> None:
    progress = Progress([copy(A, 0, 1000)], window=2.0)
    progress.update(0.0, [], {A})
    progress.update(1.0, [copy(A, 100, 1000)], {A})
    progress.update(2.0, [copy(A, 110, 1000)], {A})
    assert progress.update(3.0, [copy(A, 120, 1000)], {A}).rate == 10.0


def test_who_stands_still_has_stalled() -> None:
    progress = Progress([copy(A, 0)], window=1.0)
    for second in range(4):
        now = progress.update(float(second), [copy(A, 10)], {A})
    assert (now.rate, now.pace, now.seconds_left) == (0.0, Pace.STALLED, None)
    assert time_left(now) == "stalled"


def test_what_is_left_and_copies_nothing_is_not_done() -> None:
    progress = Progress([copy(A, 0)])
    progress.update(0.0, [], {A, B})
    now = progress.update(1.0, [], {B})
    assert (now.done, now.pace, now.seconds_left) == (100, Pace.UNKNOWN, None)
    assert progress.update(2.0, [], set()).pace is Pace.DONE


def test_who_copies_less_than_is_written_falls_behind() -> None:
    progress = Progress([copy(A, 0, 100)])
    progress.update(0.0, [copy(A, 10, 100)], {A})
    now = progress.update(1.0, [copy(A, 20, 120)], {A})
    assert (now.rate, now.pace, now.seconds_left) == (10.0, Pace.FALLING_BEHIND, None)
    assert time_left(now) == "falling behind"


def test_what_was_cancelled_counts_no_more_and_is_no_pace() -> None:
    progress = Progress([copy(A, 0), copy(B, 0)])
    progress.update(0.0, [copy(A, 90), copy(B, 0)], {A, B})
    progress.drop({A})
    now = progress.update(1.0, [copy(A, 95), copy(B, 10)], {B})
    assert (now.done, now.total, now.partitions, now.pace) == (10, 100, 1, Pace.UNKNOWN)


def test_the_slowest_lack_the_greatest_share() -> None:
    names = [TopicPartition("t", number) for number in range(8)]
    seen = [copy(name, 10 * number, 100) for number, name in enumerate(names)]
    now = Progress(seen).update(0.0, seen, set(names))
    assert [found.name for found in now.slowest] == names[:SLOWEST]


def test_a_move_that_adds_two_replicas_is_one_partition() -> None:
    seen = [copy(A, 100, broker=4), copy(A, 50, broker=5)]
    now = Progress(seen).update(0.0, seen, {A})
    assert (now.done, now.total, now.partitions, now.partitions_done) == (150, 200, 1, 0)


def test_empty_partitions_are_there_at_once() -> None:
    now = Progress([copy(A, 0, 0)]).update(0.0, [], {A})
    assert now.share == 1.0
    assert now.partitions_done == 0


def test_a_hundred_percent_is_the_end_and_nothing_else() -> None:
    progress = Progress([copy(A, 0, 1000)])
    percents = [
        percent(progress.update(float(done), [copy(A, done, 1000)], {A}))
        for done in (0, 9, 10, 989, 996, 1000)
    ]
    assert percents == [0, 0, 1, 98, 99, 99]
    last = progress.update(2000.0, [], set())
    assert percent(last) == 100
    assert summary(last) == "100%  1000 B of 1000 B  1/1 partitions"
    assert percent(Progress([]).update(0.0, [], set())) == 100


def test_an_unknown_pace_leaves_no_blanks() -> None:
    first = Progress([copy(A, 0)]).update(0.0, [], {A})
    assert summary(first) == "  0%  0 B of 100 B  0/1 partitions  0 B/s"


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.4, "3 s left"), (99.4, "99 s left"), (600, "10 min left")]
)
def test_time_left_is_told_for_people(seconds: float, text: str) -> None:
    total = 100_000
    progress = Progress([copy(A, 0, total)])
    progress.update(0.0, [], {A})
    done = round(total / (seconds + 1))
    now = progress.update(1.0, [copy(A, done, total)], {A})
    assert time_left(now) == text
    assert summary(now).endswith(f"/s  {text}")


MOMENTS = st.lists(
    st.tuples(
        st.floats(0.01, 5.0),
        st.lists(st.tuples(st.sampled_from([A, B, C]), st.integers(0, 100)), max_size=3),
        st.sets(st.sampled_from([A, B, C])),
    )
)


@given(MOMENTS)
def test_at_any_moment_the_account_is_right(
    moments: list[tuple[float, list[tuple[TopicPartition, int]], set[TopicPartition]]],
) -> None:
    progress = Progress([copy(A, 0), copy(B, 0), copy(C, 0)])
    now = 0.0
    for seconds, seen, in_flight in moments:
        now += seconds
        snapshot = progress.update(now, [copy(name, done) for name, done in seen], in_flight)
        assert snapshot.total == 300
        assert snapshot.partitions == 3
        assert snapshot.partitions_done == 3 - len(in_flight)
        assert 100 * snapshot.partitions_done <= snapshot.done <= 300
        assert {found.name for found in snapshot.slowest} == in_flight
        assert (snapshot.pace is Pace.DONE) == (not in_flight)
        assert (snapshot.seconds_left is not None) == (snapshot.pace is Pace.MOVING)
        if snapshot.seconds_left is not None:
            assert 0 <= snapshot.seconds_left < math.inf
