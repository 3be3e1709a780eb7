"""What a leader tells the controller of its followers' fetches."""

from collections.abc import Iterable

import pytest
from brokers.world import SIZE, T, U, World, leader_and_isr, moving, order
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.protocol.generated.report_fetch_progress_request import (
    FetchedPartition,
    FetchedTopic,
    FetchingFollower,
    ReportFetchProgressRequest,
)
from klamm.protocol.generated.report_fetch_progress_response import ReportFetchProgressResponse
from klamm.protocol.registry import request as schema_of
from klamm.tools.brokers.asks import AskReportFetchProgress
from klamm.tools.brokers.progress_reports import AGAIN_UNTAKEN

EVERY = 0.25
SLOW = SIZE / 4


def told(world: World) -> list[AskReportFetchProgress]:
    """Take what brokers have told since the last time, in order."""
    asks = [ask for _, ask in world.asks if isinstance(ask, AskReportFetchProgress)]
    world.asks.clear()
    return asks


def take(world: World, error_code: int = 0) -> list[AskReportFetchProgress]:
    """As `told`, and let a controller answer."""
    asks = told(world)
    for ask in asks:
        world.answer(ask.broker, ask.number, 0, ReportFetchProgressResponse(error_code=error_code))
    return asks


def telling(world: World, seconds: float) -> list[tuple[float, AskReportFetchProgress]]:
    """Let time pass, with a controller that takes everything; return what it was told, and when."""
    end, heard = world.now + seconds, []
    while world.now < end:
        world.advance(min(world.cluster.deadline, end) - world.now)
        heard += [(world.now, ask) for ask in take(world)]
    return heard


def ends(asks: Iterable[AskReportFetchProgress]) -> list[tuple[int, int]]:
    """How far followers have come, and their leaders."""
    return [(e.follower_end, e.leader_end) for ask in asks for e in ask.events]


@pytest.mark.req("R179B-44")
def test_an_event_has_topic_partition_follower_and_three_offsets() -> None:
    world = moving(bandwidth=SLOW, report_seconds=EVERY)
    world.advance(EVERY)
    [ask] = told(world)
    assert ask.events == (ReplicaProgress(T, 3, int(SLOW * EVERY), 0, SIZE),)
    epoch = world.cluster.brokers[1].epoch
    expected = ReportFetchProgressRequest(
        1,
        epoch,
        (FetchedTopic("t", (FetchedPartition(0, 0, SIZE, (FetchingFollower(3, 62),)),)),),
    )
    assert (ask.broker, ask.broker_epoch, ask.request(0)) == (1, epoch, expected)
    assert schema_of(17905) is ReportFetchProgressRequest
    assert ReportFetchProgressRequest.versions == range(1)


@pytest.mark.req("R179B-44")
def test_each_fetch_is_told_of_in_at_most_one_request_per_interval() -> None:
    world = moving(bandwidth=SLOW, report_seconds=EVERY)
    heard = telling(world, 10.0)
    at = [when for when, _ in heard]
    assert at[:16] == [EVERY * n for n in range(1, 17)], "four seconds of copying"
    reached = [end for end, _ in ends(ask for _, ask in heard)]
    assert reached[:16] == [int(SLOW * EVERY * n) for n in range(1, 17)]
    assert set(reached[15:]) == {SIZE}
    assert {ask.broker for _, ask in heard} == {1}


def test_whoever_has_come_in_and_is_added_no_more_is_of_no_interest() -> None:
    world = moving(report_seconds=EVERY)
    world.advance(2.0)
    take(world)
    world.advance(0.0)
    world.reorder((2, 3), leader=2, isr=(2, 3))
    telling(world, 1.0)
    assert telling(world, 60.0) == []


def test_partitions_and_followers_go_together() -> None:
    world = World(1, 2, 3, bandwidth=SLOW, report_seconds=EVERY)
    world.create((1, 2))
    world.create((1, 2), number=1)
    for number in (0, 1):
        grown = order(
            1, 1, (1, 2), (1, 2, 3), partition=number, partition_epoch=1, adding=(3,), is_new=True
        )
        for broker in (1, 2, 3):
            world.ask(broker, leader_and_isr(grown))
    world.advance(EVERY)
    [ask] = told(world)
    assert {(event.partition, event.follower) for event in ask.events} == {(T, 3), (U, 3)}
    [topic] = ask.request(0).topics
    assert [found.partition_index for found in topic.partitions] == [0, 1]


def test_without_an_interval_nothing_is_told() -> None:
    world = moving(bandwidth=SLOW)
    world.advance(10.0)
    assert told(world) == []


def test_a_frozen_follower_fetches_nothing_that_could_be_told() -> None:
    world = moving(bandwidth=SLOW, report_seconds=EVERY)
    telling(world, 1.0)
    world.carry_out(world.cluster.freeze(world.now, 3))
    telling(world, EVERY)
    assert telling(world, 60.0) == []
    world.carry_out(world.cluster.thaw(world.now, 3))
    assert telling(world, 2 * EVERY)


def test_a_follower_that_falls_behind_is_told_of_until_it_is_back() -> None:
    world = World(1, 2, bandwidth=SIZE, report_seconds=EVERY)
    world.create((1, 2))
    assert telling(world, 10.0) == [], "nobody is behind, and nobody is added"
    world.carry_out(world.cluster.produce(world.now, 3.0 * SIZE, T))
    behind = telling(world, 1.0)
    lags = [end - reached for reached, end in ends(ask for _, ask in behind)]
    assert len(lags) == 4
    assert lags == sorted(lags)
    assert lags[0] > 0
    world.carry_out(world.cluster.produce(world.now, 0.0, T))
    telling(world, 10.0)
    assert telling(world, 60.0) == []


@pytest.mark.req("R179B-37")
def test_the_part_that_is_copied_falls_when_producers_outrun_the_follower() -> None:
    world = moving(bandwidth=SLOW, report_seconds=EVERY)
    telling(world, 2.0)
    [(_, before)] = telling(world, EVERY)
    world.carry_out(world.cluster.produce(world.now, 10.0 * SLOW, T))
    [(_, after)] = telling(world, EVERY)
    (reached, end), (later, longer) = (
        (event.follower_end, event.leader_end)
        for ask in (before, after)
        for event in ask.events
        if event.follower == 3
    )
    assert later > reached
    assert later / longer < reached / end


@pytest.mark.parametrize("error_code", [41, 77, 31])
def test_a_controller_that_refuses_is_told_again_after_a_while(error_code: int) -> None:
    world = moving(bandwidth=SLOW / 10, report_seconds=EVERY)
    world.advance(EVERY)
    assert take(world, error_code)
    world.advance(AGAIN_UNTAKEN - EVERY / 2)
    assert told(world) == []
    world.advance(EVERY)
    assert ends(told(world)) == [(int(SLOW / 10 * (AGAIN_UNTAKEN + EVERY)), SIZE)]


def test_without_an_answer_nothing_more_is_told_until_there_is_none_to_come() -> None:
    world = moving(bandwidth=SLOW / 10, report_seconds=EVERY)
    world.advance(EVERY)
    [ask] = told(world)
    world.advance(10.0)
    assert told(world) == [], "one request at a time"
    world.answer(1, ask.number, -1, None)
    world.advance(EVERY)
    assert len(told(world)) == 1


def test_who_leads_no_more_has_nothing_to_tell() -> None:
    world = moving(bandwidth=SLOW, report_seconds=EVERY)
    world.reorder((2, 1, 3), leader=2, adding=(3,))
    assert {ask.broker for _, ask in telling(world, 1.0)} == {2}


# --- whatever happens -----------------------------------------------------------------------------

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["produce", "slow", "pause", "freeze", "thaw", "lead", "kill"]),
        st.sampled_from([1, 2, 3]),
        st.sampled_from([1.0, 90.0, 400.0]),
        st.sampled_from([0.1, 0.3, 2.0, 11.0]),
    ),
    max_size=10,
)


@given(ACTS)
@hypothesis(max_examples=40)
def test_what_is_told_is_so_and_not_told_too_often(
    acts: list[tuple[str, int, float, float]],
) -> None:
    """Who leads tells, of followers that are not ahead, and of what is on their disks by then."""
    world = moving(bandwidth=SLOW, report_seconds=EVERY)
    told_at = dict.fromkeys((1, 2, 3), -EVERY)
    for act, broker, amount, seconds in acts:
        match act:
            case "produce":
                world.carry_out(world.cluster.produce(world.now, amount))
            case "slow":
                world.carry_out(world.cluster.slow_down(world.now, broker, amount))
            case "pause":
                world.carry_out(world.cluster.pause(world.now, broker, amount))
            case "freeze":
                world.carry_out(world.cluster.freeze(world.now, broker))
            case "thaw":
                world.carry_out(world.cluster.thaw(world.now, broker))
            case "lead" if {1, 2} <= world.cluster.brokers.keys():
                here = [id_ for id_ in (1, 2, 3) if id_ in world.cluster.brokers]
                world.reorder((2, 1, 3), leader=1 + broker % 2, adding=(3,), to=here)
            case "kill" if broker == 3 and 3 in world.cluster.brokers:
                world.kill(3)
        for when, ask in telling(world, seconds):
            assert when - told_at[ask.broker] >= EVERY - 1e-9
            told_at[ask.broker] = when
            assert ask.events
            for event in ask.events:
                assert event.follower != ask.broker
                assert 0 == event.leader_start <= event.follower_end <= event.leader_end
                assert event.leader_end <= world.cluster.logs(ask.broker)[T].end
                assert event.follower_end <= world.cluster.logs(event.follower)[T].end
    assert world.cluster.deadline > world.now, "nothing is due that does nothing"
