"""What a controller keeps of followers' copying, and when that is a matter of a turn."""

from dataclasses import replace

import pytest
from handlers.worlds import cluster, partition, topic
from node.moving import T, U, with_topic

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.fact_events import FetchProgress, ReplicaProgress
from klamm.controller.core.model import ClusterState, Leadership, TopicPartition
from klamm.controller.core.results import Done
from klamm.controller.core.status_book import StatusBook
from klamm.controller.node.candidacy import leave
from klamm.controller.node.copies import MOST_WANTED, SWEEP_MS, WANTED_MS, Copied, Copies
from klamm.controller.node.inputs import CopiesWanted, ProgressHeard
from klamm.controller.node.turns import Turns

MOVING = partition((4, 2, 1), adding=(4,), removing=(1,))
RESTING = partition((1, 2))
STATE = cluster(topic("t", {0: MOVING, 1: RESTING}))


def at(
    end: int, follower: int = 4, leader_end: int = 100, name: TopicPartition = T
) -> tuple[ReplicaProgress]:
    return (ReplicaProgress(name, follower, end, 0, leader_end),)


def in_sync(state: ClusterState, *isr: int) -> ClusterState:
    """The same with another ISR of t-0."""
    moved = replace(MOVING, leadership=Leadership(1, 3, isr, 1, 8))
    return replace(state, topics={"t": topic("t", {0: moved, 1: RESTING})})


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.req("R179A-50")
def test_times_and_the_largest_lag_come_of_all_that_was_heard() -> None:
    copies = Copies()
    copies.take(at(10), 1_000, STATE)
    assert copies.of(T) == {4: Copied(10, 100, 1_000, -1, -1, 90)}
    copies.take(at(10, leader_end=150), 2_000, STATE)
    assert copies.of(T) == {4: Copied(10, 150, 2_000, -1, -1, 140)}, "it has not fetched"
    copies.take(at(120, leader_end=150), 3_000, STATE)
    assert copies.of(T) == {4: Copied(120, 150, 3_000, 3_000, -1, 140)}
    copies.take(at(150, leader_end=150), 4_000, in_sync(STATE, 1, 2, 4))
    copies.take(at(150, leader_end=150), 5_000, in_sync(STATE, 1, 2, 4))
    assert copies.of(T) == {4: Copied(150, 150, 5_000, 5_000, 5_000, 140)}
    copies.take(at(150, leader_end=170), 6_000, in_sync(STATE, 1, 2))
    assert copies.of(T) == {4: Copied(150, 170, 6_000, 5_000, 5_000, 140)}
    assert copies.of(T)[4].lag == 20


def test_what_is_older_says_nothing_new() -> None:
    copies = Copies()
    copies.take(at(50), 2_000, STATE)
    copies.take(at(40), 1_999, STATE)
    assert copies.of(T)[4].follower_end == 50


def test_of_no_interest_is_what_rests_and_nobody_asks_for() -> None:
    copies = Copies()
    copies.take(at(5, 2, name=U), 1_000, STATE)
    copies.take(at(5, 3), 1_000, STATE)  # no replica
    copies.take(at(5, name=TopicPartition("u", 0)), 1_000, STATE)
    assert copies.latest == {}
    copies.want((U,), 1_000)
    copies.take(at(5, 2, name=U), 1_000, STATE)
    assert copies.of(U)[2].lag == 95


def test_it_is_forgotten_when_the_move_has_ended_and_when_interest_has_worn_off() -> None:
    copies = Copies()
    copies.want((U,), 0)
    copies.take((*at(5), *at(5, 2, name=U)), 1_000, STATE)
    ended = replace(STATE, topics={"t": topic("t", {0: partition((4, 2)), 1: RESTING})})
    copies.take((), 1_000 + SWEEP_MS, ended)
    assert copies.latest.keys() == {U}
    copies.take((), WANTED_MS + SWEEP_MS, ended)
    assert copies.latest == {}
    assert copies.wanted == {}


def test_a_replica_that_is_none_any_more_is_forgotten() -> None:
    copies = Copies()
    copies.take((*at(5), *at(5, 2)), 0, STATE)
    other = partition((3, 2, 1), adding=(3,), removing=(1,))
    copies.take((), SWEEP_MS, replace(STATE, topics={"t": topic("t", {0: other})}))
    assert copies.of(T).keys() == {2}


def test_interest_is_bounded_and_the_oldest_gives_way() -> None:
    copies = Copies()
    copies.want((T, U), 0)
    copies.want((T,), 1)
    copies.want((TopicPartition("x", number) for number in range(MOST_WANTED - 1)), 2)
    assert len(copies.wanted) == MOST_WANTED
    assert T in copies.wanted
    assert U not in copies.wanted


def test_of_interest_is_what_somebody_asks_for_and_then_what_moves() -> None:
    copies = Copies()
    assert list(copies.interesting(STATE, 0)) == [T]
    copies.want((U,), 0)
    assert list(copies.interesting(STATE, 0)) == [U, T]
    copies.want((T,), 0)
    assert list(copies.interesting(STATE, 0)) == [U, T]
    assert list(copies.interesting(STATE, WANTED_MS)) == [T]


# --- in a node ------------------------------------------------------------------------------------


class Noted(StatusBook):
    """A book of requests that are about t-0."""

    def is_about(self, name: TopicPartition) -> bool:
        return name == T


def turns_of(world: object) -> Turns:
    node = world.node  # type: ignore[attr-defined]
    assert node.turns is not None
    return node.turns  # type: ignore[no-any-return]


def test_what_no_request_waits_for_makes_no_turn() -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    before = world.node.state
    assert world.give(ProgressHeard(at(10), 1_000)) == ()
    assert turns_of(world).queue == []
    assert world.node.state is before
    assert world.node.copies.of(T)[4].lag == 90
    world.give(CopiesWanted((U,)))
    assert U in world.node.copies.wanted


def test_what_the_status_of_a_request_hangs_on_is_decided_on() -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    turns = turns_of(world)
    turns.state = replace(turns.state, status=Noted())
    world.give(ProgressHeard((*at(10), *at(5, 2, name=U)), 1_000))
    [cause] = turns.queue
    assert cause.event == FetchProgress(at(10), 1_000)


def test_nothing_of_it_survives_the_office() -> None:
    world = with_topic()
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    world.give(ProgressHeard(at(10), 1_000))
    leave(world.node, "somebody else wants it")
    assert world.node.copies.latest == {}
