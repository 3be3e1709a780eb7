"""Who may begin a step: slots by KIP-435's limits, and the sorted sets that make them quick."""

import time
from dataclasses import replace

import pytest
from core.step_model import World
from hypothesis import given, settings
from hypothesis import strategies as st

from klamm.controller.core.model import Assignment, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits, Pace, RunningStep
from klamm.controller.core.reassignment import merge_target_first
from klamm.controller.core.slots import CHUNK, Names, Slots, admissible
from klamm.controller.core.steps import Choice, Situation, next_step

A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)
B0, B1 = TopicPartition("b", 0), TopicPartition("b", 1)
C0 = TopicPartition("c", 0)
LEADING = Pace((), (), leads=True)
PENDING = Pace((), ())
WAITING = Pace((), (), waiting="target-offline")
RUNNING = Pace((), (), running=RunningStep("swap", (3,), (1, 2), 0))
RUNNING_LEADER = Pace((), (), running=RunningStep("leader", (3,), (1, 2), 0))
PACES = st.sampled_from([None, LEADING, PENDING, WAITING, RUNNING, RUNNING_LEADER])
NAMES = st.builds(TopicPartition, st.sampled_from("abc"), st.integers(0, 400))
ALIVE = frozenset(range(1, 7))
BOUNDS = st.sampled_from([1, 2, 3, 5, UNLIMITED])


def running(world: World) -> list[TopicPartition]:
    return [n for n, moved in world.partitions.items() if moved.pace and moved.pace.running]


@pytest.mark.req("R435-36", "R435-37", "R435-38", "R435-39", "R435-40")
def test_slots_of_five_moves() -> None:
    """X12: two moves of leaders, and three of one follower each."""
    world = World(range(9), Limits(replicas=1, partitions=3, leaders=1))
    for name in (A0, A1, B0, B1, C0):
        world.create(name, (1, 2))
    world.move_all({C0: (1, 3), B1: (1, 3), B0: (1, 3), A1: (5, 6), A0: (3, 4)})
    assert running(world) == [A0, B0, B1]
    # The leader step of a-0 ends, and b-0 is still in its first: there is no barrier.
    assert world.join(A0, 3)
    assert running(world) == [A1, B0, B1]
    assert world.join(B0, 3)
    assert running(world) == [A0, A1, B1]
    assert world.join(A1, 5)
    assert running(world) == [A0, A1, B1]
    assert [f"{step.name}: {step}" for step in world.ended] == [
        "a-0: leader +3",
        "b-0: swap +3 -2",
        "a-0: swap -1",
        "a-1: leader +5",
        "a-1: swap -1",
    ]
    assert world.join(B1, 3)
    assert running(world) == [A0, A1, C0]
    for name in world.partitions:
        world.catch_up(name)
    assert running(world) == []
    assert [m.assignment.replicas for m in world.partitions.values()] == [
        (3, 4),
        (5, 6),
        (1, 3),
        (1, 3),
        (1, 3),
    ]


@pytest.mark.req("R435-37", "R435-39")
def test_slots_that_leader_steps_may_not_use_stay_empty_if_nobody_else_can() -> None:
    world = World(range(9), Limits(replicas=1, partitions=5, leaders=1))
    names = [TopicPartition("t", number) for number in range(5)]
    for name in names:
        world.create(name, (1, 2))
    world.move_all(dict.fromkeys(names, (3, 4)))
    assert running(world) == names[:1]


@pytest.mark.req("R435-9", "R435-36")
def test_limits_that_change_leave_running_steps_alone() -> None:
    world = World(range(9), Limits(partitions=4))
    names = [TopicPartition("t", number) for number in range(6)]
    for name in names:
        world.create(name, (1, 2))
    world.move_all(dict.fromkeys(names, (1, 4)))
    assert running(world) == names[:4]
    world.limit(Limits(partitions=1))
    assert running(world) == names[:4]
    for name in names[:3]:
        assert world.join(name, 4)
        assert running(world) == names[names.index(name) + 1 : 4]
    assert world.join(names[3], 4)
    assert running(world) == names[4:5]
    world.limit(Limits(partitions=2))
    assert running(world) == names[4:]


@pytest.mark.req("R435-36", "R435-37", "R435-38", "R435-39")
@settings(max_examples=200)
@given(st.dictionaries(NAMES, PACES), st.lists(st.tuples(NAMES, PACES)), BOUNDS, BOUNDS)
def test_the_same_may_begin_as_if_all_were_looked_at(
    paces: dict[TopicPartition, Pace | None],
    later: list[tuple[TopicPartition, Pace | None]],
    partitions: int,
    leaders: int,
) -> None:
    index = Slots.of((name, pace) for name, pace in paces.items() if pace)
    changes = []
    for name, pace in later:
        changes.append((name, paces.get(name), pace))
        paces[name] = pace
    limits = Limits(partitions=partitions, leaders=leaders)
    expected = looked_at(paces, limits)
    assert admissible(index, changes, limits) == expected
    for change in changes:
        index = index.updated(*change)
    assert admissible(index, (), limits) == expected
    assert list(index.waiting) == sorted(n for n, pace in paces.items() if pace == WAITING)
    assert list(index.running) == sorted(n for n, pace in paces.items() if pace and pace.running)
    assert index.running_leaders == sum(pace == RUNNING_LEADER for pace in paces.values())


def looked_at(
    paces: dict[TopicPartition, Pace | None], limits: Limits
) -> tuple[TopicPartition, ...]:
    """KIP-435's own way: sort and divide all moves each time."""
    names = sorted(name for name, pace in paces.items() if pace and pace.pending)
    steps = [pace.running for pace in paces.values() if pace and pace.running]
    free = limits.partitions - len(steps)
    free_leaders = limits.leaders - sum(step.kind == "leader" for step in steps)
    first = [name for name in names if paces[name] == LEADING][: max(min(free, free_leaders), 0)]
    rest = [name for name in names if paces[name] == PENDING]
    return (*first, *rest[: max(free - len(first), 0)])


@pytest.mark.req("R435-41")
def test_all_are_chosen_anew_from_values_alone_and_in_time() -> None:
    """The most that can be asked for; what a single turn has to choose is far less."""
    present = merge_target_first(Assignment((1, 2, 3)), (4, 5, 6))
    moves = {
        TopicPartition(f"t{number % 200}", number): Situation(present, 1, (1, 2, 3), ALIVE)
        for number in range(20_000)
    }
    started = time.process_time()
    paces = []
    for name, situation in moves.items():
        choice = next_step(situation, 1)
        assert isinstance(choice, Choice)
        paces.append((name, Pace((), (), leads=choice.kind == "leader")))
    granted = admissible(Slots.of(paces), (), Limits(replicas=1, partitions=500, leaders=500))
    assert time.process_time() - started < 1
    assert list(granted) == sorted(moves)[:500]


@settings(max_examples=200)
@given(st.sets(NAMES), st.lists(st.tuples(st.booleans(), NAMES)))
def test_names_are_a_sorted_set(
    names: set[TopicPartition], changes: list[tuple[bool, TopicPartition]]
) -> None:
    made = first = Names.of(names)
    expected = set(names)
    for adds, name in changes:
        made = made.plus(name) if adds else made.minus(name)
        (expected.add if adds else expected.discard)(name)
    assert (list(made), len(made)) == (sorted(expected), len(expected))
    assert list(first) == sorted(names), "the one that it was made from stays as it was"


def test_a_change_copies_little_however_many_there_are() -> None:
    many = [TopicPartition("t", number) for number in range(100_000)]
    made = Names.of(many)
    grown = made
    for number in range(CHUNK + 1):
        grown = grown.plus(TopicPartition("t0", number))
    assert max(map(len, grown.chunks)) <= CHUNK
    shared = {id(chunk) for chunk in made.chunks} & {id(chunk) for chunk in grown.chunks}
    assert len(shared) >= len(made.chunks) - 1
    empty = grown
    for name in many[: 2 * CHUNK]:
        empty = empty.minus(name)
    assert all(empty.chunks), "no chunk is ever empty"
    assert len(empty) == len(many) + CHUNK + 1 - 2 * CHUNK


def test_who_is_in_the_set_or_not_changes_nothing_twice() -> None:
    made = Names.of([A0, B0])
    assert made.plus(A0) is made
    assert made.minus(A1) is made
    assert list(Names().plus(A0)) == [A0]
    assert Names().minus(A0) == Names()
    assert Names().plus(A0).minus(A0) == Names()


def test_only_what_changes_the_place_of_a_move_changes_the_index() -> None:
    index = Slots.of([(A0, PENDING)])
    assert index.updated(A0, PENDING, replace(PENDING, steps=1)) is index
    led = Slots().updated(A0, None, RUNNING).updated(A0, RUNNING, RUNNING_LEADER)
    assert (list(led.running), led.running_leaders) == ([A0], 1)
    assert led.updated(A0, RUNNING_LEADER, None) == Slots()
