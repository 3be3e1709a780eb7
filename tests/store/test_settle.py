"""The way out of conflicts: alone, under Hypothesis, and with 1,000 partitions."""

from collections import deque
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_worlds import Client, World

from klamm.controller.store.port import (
    Committed,
    Conflict,
    Create,
    OpError,
    ReadData,
    SetData,
    Znode,
)
from klamm.controller.store.settle import MOST_CONFLICTS, Batch, Next, after_conflict, after_refusal


def test_the_first_conflict_tries_all_again_and_the_second_halves() -> None:
    batch = Batch((1, 2, 3, 4, 5))
    (again,) = after_conflict(batch).batches
    assert again == Batch((1, 2, 3, 4, 5), 1)
    assert after_conflict(again) == Next((Batch((1, 2, 3), 2), Batch((4, 5), 2)))


def test_a_cause_alone_is_given_up_at_its_fifth_conflict() -> None:
    batch: Batch[str] = Batch(("a",))
    for conflicts in range(1, MOST_CONFLICTS):
        (batch,) = after_conflict(batch).batches
        assert batch == Batch(("a",), conflicts)
    assert after_conflict(batch) == Next(given_up=("a",))


@settings(deadline=None)
@given(st.sets(st.integers(0, 199)), st.integers(1, 200))
def test_only_causes_that_never_get_through_are_given_up(hopeless: set[int], count: int) -> None:
    """However many there are, everybody else is committed, in order, and it ends."""
    waiting = deque([Batch(tuple(range(count)))])
    committed: list[int] = []
    given_up: list[int] = []
    while waiting:
        batch = waiting.popleft()
        if hopeless.isdisjoint(batch.causes):
            committed += batch.causes
            continue
        after = after_conflict(batch)
        waiting.extendleft(reversed(after.batches))
        given_up += after.given_up
    assert committed == [cause for cause in range(count) if cause not in hopeless]
    assert given_up == [cause for cause in range(count) if cause in hopeless]


@dataclass
class Settled:
    rounds: int
    given_up: list[str]


def settle(client: Client, versions: dict[str, int]) -> Settled:
    """Write every path, as the node's loop does it: conflict, read, decide again, halve."""
    waiting = deque([Batch(tuple(versions))])
    settled = Settled(0, [])
    while waiting:
        batch = waiting.popleft()
        settled.rounds += 1
        outcome = client.commit(*(SetData(path, b"ours", versions[path]) for path in batch.causes))
        if isinstance(outcome, Committed):
            continue
        assert isinstance(outcome, Conflict)
        assert outcome.error is OpError.BAD_VERSION
        for znode in client.read(*map(ReadData, batch.causes)):
            assert isinstance(znode, Znode)
            versions[znode.path] = znode.version
        after = after_conflict(batch)
        waiting.extendleft(reversed(after.batches))
        settled.given_up += after.given_up
    return settled


@pytest.mark.parametrize(
    ("moving_on", "rounds"),
    [
        pytest.param(False, 2, id="stale"),  # three are allowed
        pytest.param(True, 4, id="stale twice"),  # two halves after the second conflict
    ],
)
def test_a_thousand_partitions_with_fifty_stale_versions_are_settled(
    world: World, moving_on: bool, rounds: int
) -> None:
    client = world.open()
    paths = [f"/state{partition:03d}" for partition in range(1000)]
    client.commit(*(Create(path, b"0") for path in paths))
    world.write(*(SetData(path, b"by a leader", 0) for path in paths[::20]))
    versions = dict.fromkeys(paths, 0)
    if moving_on:  # one leader writes once more, between our reading and our second attempt
        commit = client.commit
        attempts = iter(range(10))

        def overtaken(*ops: SetData) -> object:
            if next(attempts) == 1:
                world.write(SetData(paths[0], b"by a leader", 1))
            return commit(*ops)

        client.commit = overtaken  # type: ignore[method-assign,assignment]  # a rival's moment
    settled = settle(client, versions)
    assert settled.given_up == []
    assert settled.rounds == rounds
    results = client.read(*map(ReadData, paths))
    assert {znode.data for znode in results if isinstance(znode, Znode)} == {b"ours"}
    assert len(results) == 1000


@given(st.integers(2, 40), st.integers(0, 6), st.data())
def test_what_is_refused_is_alone_and_given_up_after_few_tries(
    count: int, conflicts: int, data: st.DataObject
) -> None:
    bad = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=3))
    due, tries = [Batch(tuple(range(count)), conflicts)], 0
    settled: list[int] = []
    given_up: list[int] = []
    while due:
        batch = due.pop(0)
        tries += 1
        if bad.isdisjoint(batch.causes):
            settled.extend(batch.causes)
            continue
        following = after_refusal(batch)
        assert all(each.conflicts == max(1, conflicts) for each in following.batches)
        given_up.extend(following.given_up)
        due.extend(following.batches)
    assert sorted(given_up) == sorted(bad)
    assert sorted(settled) == sorted({*range(count)} - bad)
    assert tries <= 1 + 2 * len(bad) * count.bit_length()
