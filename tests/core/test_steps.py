"""Moves in steps, one partition at a time: KIP-435's example, and each rule of a step."""

from collections.abc import Sequence

import pytest
from core.step_model import World

from klamm.controller.core.model import NO_LEADER, Assignment, TopicPartition
from klamm.controller.core.pace import UNLIMITED, Limits, Pace, RunningStep
from klamm.controller.core.reassignment import merge_leaving_first, merge_target_first
from klamm.controller.core.steps import (
    FINISHED,
    Choice,
    Situation,
    after_drop,
    current,
    drop_set,
    dropped,
    hosted,
    is_over,
    is_void,
    joined,
    measure,
    next_step,
    planned,
)

T = TopicPartition("t", 0)
BROKERS = range(12)
ALL = frozenset(BROKERS)
TEXT = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)


def world_of(
    replicas: Sequence[int],
    target: Sequence[int],
    limit: int,
    min_isr: int = 1,
    isr: Sequence[int] = (),
    down: Sequence[int] = (),
) -> World:
    """A world with one move, which has just been ordered."""
    world = World(BROKERS, Limits(replicas=limit), min_isr)
    world.create(T, replicas, isr)
    for broker in down:
        world.kill(broker)
    world.move(T, target)
    return world


def steps_of(world: World) -> str:
    return "; ".join(map(str, world.ended))


def pace_of(world: World) -> Pace:
    pace = world.partitions[T].pace
    assert pace is not None
    return pace


def running_of(world: World) -> RunningStep:
    running = pace_of(world).running
    assert running is not None
    return running


@pytest.mark.req("R435-12", "R435-13", "R435-14", "R435-17", "R435-18", "R435-28")
def test_the_text_s_example_step_by_step() -> None:
    """X1."""
    world = world_of(*TEXT, limit=2)
    accepted = world.partitions[T].standing
    world.catch_up(T)
    rows = [
        (
            str(step),
            step.after.hosted,
            step.after.assignment.adding,
            step.after.assignment.removing,
            step.after.leader,
        )
        for step in world.ended
    ]
    assert accepted.assignment == Assignment((*TEXT[1], *TEXT[0]), TEXT[1], TEXT[0])
    assert rows == [
        ("leader +5", (5, 0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (0, 1, 2, 3, 4), 5),
        ("swap +6 -0,1", (5, 6, 2, 3, 4), (7, 8, 9), (2, 3, 4), 5),
        ("swap +7,8 -2,3", (5, 6, 7, 8, 4), (9,), (4,), 5),
        ("swap +9 -4", (5, 6, 7, 8, 9), (), (), 5),
    ]
    assert world.partitions[T].assignment == Assignment((5, 6, 7, 8, 9))


@pytest.mark.req("R435-12", "R435-20")
@pytest.mark.parametrize(
    ("replicas", "target", "limit", "min_isr", "isr", "expected"),
    [
        # X2: the text's example under other limits.
        (*TEXT, 1, 1, (), "leader +5; swap -0; swap +6 -1; swap +7 -2; swap +8 -3; swap +9 -4"),
        (*TEXT, 3, 1, (), "leader +5; swap +6,7 -0,1,2; swap +8,9 -3,4"),
        (*TEXT, 5, 1, (), "leader +5; swap +6,7,8,9 -0,1,2,3,4"),
        (*TEXT, UNLIMITED, 1, (), "leader +5,6,7,8,9 -0,1,2,3,4"),
        # X5: a larger target. Nothing goes before its size is exceeded.
        ((1, 2), (3, 4, 5, 6), 1, 1, (), "leader +3; swap +4; swap +5 -1; swap +6 -2"),
        # X6: a smaller one.
        (
            (1, 2, 3, 4, 5),
            (6, 7),
            1,
            1,
            (),
            "leader +6; swap -1; swap -2; swap -3; swap -4; swap +7 -5",
        ),
        ((1, 2, 3, 4, 5), (6, 7), 2, 2, (), "leader +6; swap -1,2; swap -3,4; swap +7 -5"),
        # More replicas alone, and fewer alone.
        ((1,), (1, 2, 3), 1, 1, (), "swap +2; swap +3"),
        ((1,), (1, 2, 3), UNLIMITED, 1, (), "swap +2,3"),
        ((1, 2, 3), (1,), 1, 1, (), "swap -2; swap -3"),
        ((1, 2, 3), (3,), 2, 1, (), "leader; swap -1,2"),
        # As KIP-455 makes moves, a leader that stays a replica leads on.
        ((1, 2, 3), (3, 1, 4), UNLIMITED, 1, (), "swap +4 -2"),
    ],
)
def test_all_steps_of_a_move(
    replicas: tuple[int, ...],
    target: tuple[int, ...],
    limit: int,
    min_isr: int,
    isr: tuple[int, ...],
    expected: str,
) -> None:
    world = world_of(replicas, target, limit, min_isr, isr)
    world.catch_up(T)
    assert steps_of(world) == expected
    assert world.partitions[T].assignment == Assignment(target)


@pytest.mark.req("R435-15", "R435-12")
def test_the_first_step_adds_as_many_as_producers_wait_for() -> None:
    """X3: two at once, though the limit is one."""
    world = world_of((0,), (0, 1, 2, 3), limit=1, min_isr=3)
    assert running_of(world).adding == (1, 2)
    world.catch_up(T)
    assert steps_of(world) == "fill +1,2; swap +3"


@pytest.mark.req("R435-15", "R435-21", "R435-12")
def test_the_first_step_brings_the_leader_and_as_many_as_producers_wait_for() -> None:
    """X4: then one out of sync goes first, for one in sync would be missed."""
    world = world_of((0, 1, 2), (3, 4, 5, 6), limit=1, min_isr=3, isr=(0,))
    # The two that were out of sync stay so.
    for broker in (3, 4, 5, 6):
        assert world.join(T, broker)
    assert steps_of(world) == "leader +3,4; swap -1; swap +5 -0; swap +6 -2"
    assert [step.after.leader for step in world.ended] == [3, 3, 3, 3]


@pytest.mark.req("R435-13", "R435-14", "R435-12")
def test_a_new_leader_that_is_a_replica_already_is_elected_at_once() -> None:
    """X7: the first step copies nothing."""
    world = world_of((1, 2, 3), (3, 4, 5), limit=1)
    assert steps_of(world) == "leader"
    assert world.partitions[T].standing.leader == 3
    assert world.partitions[T].assignment.origin == (3, 1, 2)
    world.catch_up(T)
    assert steps_of(world) == "leader; swap +4 -1; swap +5 -2"


@pytest.mark.req("R435-12", "R435-20", "R435-22", "R435-23")
def test_a_target_that_is_down_is_passed_over_until_it_returns() -> None:
    """X8."""
    world = world_of((1, 2, 3), (4, 5, 6), limit=1, down=[5])
    world.catch_up(T)
    assert steps_of(world) == "leader +4; swap -1; swap +6 -2"
    assert pace_of(world).waiting == "target-offline"
    assert world.partitions[T].assignment == Assignment((4, 5, 6, 3), (5,), (3,))
    world.revive(5)
    assert running_of(world).adding == (5,)
    world.catch_up(T)
    assert steps_of(world).endswith("; swap +5 -3")


@pytest.mark.req("R435-12", "R435-22", "R435-23")
def test_without_the_new_leader_the_others_go_on() -> None:
    """X9: the old leader is kept until then."""
    world = world_of((1, 2, 3), (4, 5, 6), limit=1, down=[4])
    world.catch_up(T)
    assert steps_of(world) == "swap +5 -2; swap +6 -3"
    assert pace_of(world).waiting == "target-offline"
    assert world.partitions[T].standing.leader == 1
    world.revive(4)
    world.catch_up(T)
    assert steps_of(world).endswith("; leader +4; swap -1")


@pytest.mark.req("R435-12")
def test_a_cancel_after_the_first_step_gives_back_the_origin() -> None:
    """X10, first case."""
    world = world_of(*TEXT, limit=2)
    assert world.join(T, 5)
    world.cancel(T)
    assert world.partitions[T].assignment == Assignment(TEXT[0])
    assert world.partitions[T].leader == 0


@pytest.mark.req("R435-12")
def test_a_later_cancel_gives_back_a_set_of_the_same_size() -> None:
    """X10, second case: who was dropped stays so, and nothing is copied."""
    world = world_of(*TEXT, limit=2)
    assert world.join(T, 5)
    assert world.join(T, 6)
    world.cancel(T)
    assert world.partitions[T].assignment == Assignment((5, 6, 2, 3, 4))
    assert world.partitions[T].late == []


@pytest.mark.req("R435-12")
def test_another_target_counts_from_the_present_origin() -> None:
    """X11: 7, 8 and 9 have not been started, and are forgotten."""
    world = world_of(*TEXT, limit=2)
    assert world.join(T, 5)
    assert world.join(T, 6)
    world.move(T, (2, 0, 1, 3, 5))
    wanted = Assignment((2, 0, 1, 3, 5, 6, 4), (0, 1), (6, 4))
    assert world.partitions[T].assignment == wanted
    assert steps_of(world).endswith("; leader")
    assert world.partitions[T].leader == 2
    world.catch_up(T)
    assert steps_of(world).endswith("; leader; swap +0,1 -6,4")


def situation(
    replicas: Sequence[int],
    adding: Sequence[int],
    removing: Sequence[int],
    leader: int,
    isr: Sequence[int],
    *,
    down: Sequence[int] = (),
    min_isr: int = 1,
    steps: int = 1,
) -> Situation:
    assignment = Assignment(tuple(replicas), tuple(adding), tuple(removing))
    return Situation(assignment, leader, tuple(isr), ALL.difference(down), min_isr, steps)


@pytest.mark.req("R435-16")
def test_later_steps_add_no_more_than_the_limit_whatever_producers_wait_for() -> None:
    first = situation((4, 5, 6, 1, 2, 3), (4, 5, 6), (1, 2, 3), 1, (1,), min_isr=3, steps=0)
    assert next_step(first, 1) == Choice("leader", (4, 5))
    # The leader has joined, and then both old followers fell out of sync.
    later = situation((4, 5, 6, 1, 2, 3), (4, 5, 6), (1, 2, 3), 4, (4, 1), min_isr=3, steps=1)
    choice = next_step(later, 1)
    assert isinstance(choice, Choice)
    assert len(choice.adding) <= 1
    assert drop_set(later, 1) == (2,), "an old replica out of sync may go, those in sync may not"


@pytest.mark.req("R435-16")
def test_a_later_leader_step_brings_the_leader_alone() -> None:
    late = situation((4, 5, 6, 1, 2, 3), (4, 5, 6), (1, 2, 3), 1, (1,), min_isr=3, steps=2)
    assert next_step(late, 1) == Choice("leader", (4,))


@pytest.mark.req("R435-19")
def test_nobody_is_dropped_while_what_the_step_adds_is_held_back() -> None:
    world = world_of(*TEXT, limit=2)
    assert world.join(T, 5)
    assert running_of(world).adding == (6,)
    world.lag(T, 3)
    assert world.join(T, 3)
    assert world.partitions[T].hosted == (5, 6, 0, 1, 2, 3, 4)
    assert world.partitions[T].assignment.removing == (0, 1, 2, 3, 4)


@pytest.mark.req("R435-24")
@pytest.mark.parametrize("leader", [NO_LEADER, 1])
@pytest.mark.parametrize("limit", [1, UNLIMITED])
def test_without_a_leader_or_anybody_in_sync_there_is_no_step(leader: int, limit: int) -> None:
    down = () if leader == NO_LEADER else (1,)
    offline = situation((2, 1), (2,), (1,), leader, (1,), down=down)
    assert next_step(offline, limit) == "offline"
    running = RunningStep("leader", (2,), (1,), 0, limit)
    assert is_void(offline, running)
    assert not is_over(offline, running)


@pytest.mark.req("R435-25")
@pytest.mark.parametrize("limit", [1, 2, UNLIMITED])
def test_a_step_whose_target_dies_leaves_its_slot_to_another_move(limit: int) -> None:
    other = TopicPartition("t", 1)
    world = World(BROKERS, Limits(replicas=limit, partitions=1))
    world.create(T, (1, 2))
    world.create(other, (1, 2))
    world.move(T, (1, 3))
    world.move(other, (1, 4))
    assert running_of(world).adding == (3,)
    assert world.partitions[other].late == []
    world.kill(3)
    assert pace_of(world).waiting == "target-offline"
    assert world.partitions[other].late == [4]
    world.revive(3)
    assert pace_of(world).pending
    world.catch_up(other)
    assert running_of(world).adding == (3,)


@pytest.mark.req("R435-25")
def test_a_step_is_chosen_again_without_the_target_that_died() -> None:
    world = world_of(*TEXT, limit=2)
    world.join(T, 5)
    world.join(T, 6)
    assert running_of(world).adding == (7, 8)
    world.kill(7)
    assert running_of(world).adding == (8, 9)
    assert 7 in world.partitions[T].assignment.replicas, "stopped, but not to delete its log"
    assert 7 not in world.partitions[T].hosted


@pytest.mark.req("R435-27")
def test_an_old_replica_that_is_down_blocks_nothing() -> None:
    world = world_of(*TEXT, limit=2, down=[4])
    world.catch_up(T)
    assert steps_of(world) == "leader +5; swap +6 -0,1; swap +7,8 -2,3; swap +9 -4"


@pytest.mark.req("R435-28")
@pytest.mark.parametrize("limit", [1, UNLIMITED])
def test_a_move_does_not_end_before_its_kept_replicas_are_in_sync(limit: int) -> None:
    world = world_of((1, 2, 3), (1, 2, 4), limit, isr=(1, 3))
    assert world.join(T, 4)
    # Without a limit the step is as long as the move, and so runs until 2 is back.
    assert world.partitions[T].assignment.removing == (3,)
    assert (pace_of(world).waiting or pace_of(world).running) is not None
    assert next_step(world.situation(world.partitions[T]), limit) == "not-in-sync"
    assert world.join(T, 2)
    assert world.partitions[T].assignment == Assignment((1, 2, 4))


@pytest.mark.req("R435-29")
def test_who_falls_out_of_sync_after_joining_is_missing_again() -> None:
    # 5 has joined, and nobody was dropped since then, so it has not settled.
    once = situation((5, 6, 7, 1, 2, 3), (5, 6, 7), (1, 2, 3), 1, (1, 2, 3, 5), down=[7])
    lost = situation((5, 6, 7, 1, 2, 3), (5, 6, 7), (1, 2, 3), 1, (1, 2, 3), down=[7])
    assert joined(once.assignment, once.isr) == (5,)
    assert current(once.assignment, once.isr) == (5, 1, 2, 3)
    assert joined(lost.assignment, lost.isr) == ()
    assert measure(lost) == measure(once) + 1
    assert next_step(lost, 1) == Choice("leader", (5,))
    assert drop_set(lost, 1) == ()


@pytest.mark.req("R435-30")
def test_each_step_of_the_example_leaves_less_to_do() -> None:
    world = world_of(*TEXT, limit=2)
    left = [measure(world.situation(world.partitions[T]))]
    for broker in (5, 6, 7, 8, 9):
        ended = len(world.ended)
        world.join(T, broker)
        if len(world.ended) > ended:
            left.append(measure(world.situation(world.partitions[T])))
    assert left == [11, 9, 6, 2, 0]


def test_nothing_is_left_to_do_once_all_have_come_and_gone() -> None:
    whole = situation((1, 2), (2,), (), 1, (1, 2))
    assert next_step(whole, 1) is FINISHED
    assert next_step(whole, UNLIMITED) is FINISHED


def test_another_leader_comes_before_the_end_unless_kip_455_would_not_elect() -> None:
    other = situation((2, 1, 3), (3,), (), 1, (1, 2, 3))
    assert next_step(other, 1) == Choice("leader")
    assert next_step(other, UNLIMITED) is FINISHED


def test_the_last_to_go_stays_until_the_move_can_end() -> None:
    """Else a move that no replica list shows would be under way."""
    led = situation((4, 5, 1, 2), (4, 5), (1, 2), 4, (4, 5, 1, 2))
    assert drop_set(led, 2) == (1, 2)
    elsewhere = situation((4, 5, 1, 2), (4, 5), (1, 2), 5, (4, 5, 1, 2))
    assert drop_set(elsewhere, 2) == (1,)
    kept_out = situation((4, 3, 1, 2), (4,), (1, 2), 4, (4, 1, 2))
    assert drop_set(kept_out, 2) == (1,)
    assert drop_set(kept_out, UNLIMITED) == ()


def test_the_leader_and_who_is_needed_in_sync_are_never_dropped() -> None:
    led = situation((4, 5, 1, 2, 3), (4, 5), (1, 2, 3), 2, (4, 5, 1, 2, 3))
    assert drop_set(led, 3) == (1, 3)
    needed = situation((4, 5, 1, 2, 3), (4, 5), (1, 2, 3), 4, (4, 1, 3), min_isr=2)
    assert drop_set(needed, 3) == (1, 2)
    assert drop_set(needed, 1) == (1,)


@pytest.mark.parametrize("merge", [merge_target_first, merge_leaving_first])
def test_the_order_of_the_stored_list_does_not_matter(merge: object) -> None:
    assert callable(merge)
    assignment = merge(Assignment((1, 2, 3)), (4, 3, 5))
    assert current(assignment, (1, 2, 3)) == (3, 1, 2)
    assert hosted(assignment, (1, 2, 3), (4,)) == (4, 3, 1, 2)
    begun = Situation(assignment, 1, (1, 2, 3, 4), ALL, steps=1)
    assert next_step(begun, 1) == Choice("leader")
    assert drop_set(begun, 1) == (2,)
    after = after_drop(assignment, begun.isr, (2,))
    assert after.target == (4, 3, 5)
    assert set(after.origin) == {4, 3, 1}
    assert (after.adding, after.removing) == ((5,), (1,))


def test_as_many_settle_as_are_dropped() -> None:
    assignment = Assignment((5, 6, 7, 1, 2, 3), (5, 6, 7), (1, 2, 3), before=(1, 2, 3))
    after = after_drop(assignment, (1, 2, 3, 6, 5), (1,))
    assert after == Assignment((5, 6, 7, 2, 3), (6, 7), (2, 3))
    assert after.before == (1, 2, 3)
    assert after_drop(assignment, (1, 2, 3), (1,)).adding == (5, 6, 7)
    assert after_drop(assignment, (1, 2, 3, 6, 5), ()) == assignment
    assert after_drop(assignment, (1, 5, 6, 7), (1, 2, 3)) == Assignment((5, 6, 7))


def test_what_a_step_leads_to() -> None:
    """The text's second step; a leader step drops nobody; without a limit it is the target."""
    assignment = Assignment((*TEXT[1], *TEXT[0]), TEXT[1], TEXT[0])
    isr = (0, 1, 2, 3, 4)
    first = Situation(assignment, 0, isr, ALL)
    leader = RunningStep("leader", (5,), current(assignment, isr), 0, 2)
    assert planned(first, leader) == (5, 0, 1, 2, 3, 4)
    assert dropped(first, leader) == ()
    second = Situation(assignment, 5, (*isr, 5), ALL, steps=1)
    swap = RunningStep("swap", (6,), current(assignment, second.isr), 0, 2)
    assert swap.before == (5, 0, 1, 2, 3, 4)
    assert planned(second, swap) == (5, 6, 2, 3, 4)
    whole = RunningStep("leader", TEXT[1], TEXT[0], 0)
    assert planned(first, whole) == TEXT[1]


def test_a_step_that_has_lost_its_point_is_void() -> None:
    """It would end with nothing done, or never."""
    elect = RunningStep("leader", (), (3, 1, 2), 0, 1)
    drop = RunningStep("swap", (), (4, 1, 2, 3), 0, 1)
    in_sync = situation((3, 4, 1, 2), (4,), (1, 2), 1, (1, 2, 3))
    assert is_over(in_sync, elect)
    for other in (
        situation((3, 4, 1, 2), (4,), (1, 2), 1, (1, 2)),
        situation((3, 4, 1, 2), (4,), (1, 2), 3, (1, 2, 3)),
    ):
        assert is_void(other, elect)
        assert not is_over(other, elect)
    spare = situation((4, 5, 3, 1, 2), (4, 5), (1, 2), 4, (4, 3, 1, 2), min_isr=3)
    assert is_over(spare, drop)
    needed = situation((4, 5, 3, 1, 2), (4, 5), (1, 2), 4, (4, 1, 2), min_isr=3)
    assert is_void(needed, drop)
    assert not is_over(needed, drop)


def test_a_whole_move_brings_in_again_who_fell_out_of_sync_meanwhile() -> None:
    # 4 had joined before the limit was lifted; the step began without it.
    whole = RunningStep("leader", (5,), (4, 1, 2), 0)
    begun = situation((4, 5, 1, 2), (4, 5), (1, 2), 1, (1, 2, 4))
    lost = situation((4, 5, 1, 2), (4, 5), (1, 2), 1, (1, 2))
    assert not is_void(begun, whole)
    assert is_void(lost, whole)
    assert next_step(lost, UNLIMITED) == Choice("leader", (4, 5))
