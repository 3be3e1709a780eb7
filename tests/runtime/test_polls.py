"""Polls of Kafka's brokers: what is asked, and what comes of recorded answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest
import trio
from handlers.worlds import cluster, partition, topic
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from klamm.controller.brokers import polls
from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import ClusterState, Endpoint, TopicPartition
from klamm.controller.handlers.copies import UNKNOWN, ReplicaStatus
from klamm.controller.node import Now
from klamm.controller.node.copies import Copies
from klamm.controller.node.inputs import CopiesWanted, ProgressHeard
from klamm.controller.runtime.copies import HeardCopies
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.links import LinkSettings
from klamm.controller.runtime.polled_broker import ANSWER_SECONDS
from klamm.controller.runtime.polls import MOST_PER_ROUND, POLL_SECONDS, Polls
from klamm.controller.runtime.server import serve_stream
from klamm.protocol.codec import decode
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersion, ApiVersionsResponse
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from klamm.protocol.generated.list_offsets_request import ListOffsetsRequest
from klamm.protocol.generated.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from klamm.protocol.message import Message

X0, X1 = TopicPartition("x", 0), TopicPartition("x", 1)
KAFKA = {2: range(10), 18: range(5), 35: range(5)}
#: x-0 moves from 1 and 2 to 3 and 2; x-1 rests on 1 and 2.
MOVING = cluster(
    topic("x", {0: partition((3, 2, 1), adding=(3,), removing=(1,)), 1: partition((1, 2))})
)


# --- what answers say -----------------------------------------------------------------------------

#: Bodies as three brokers of Kafka 3.9.1 sent them while broker 2 copied x-0, throttled, from 0:
#: ListOffsets v9 of leader and follower, and DescribeLogDirs v4 of the follower; x-1 does not move.
STARTS = (
    "0000000002027803000000000000ffffffffffffffff000000000000000000000000000000"
    "00010000ffffffffffffffff000000000000000000000000000000"
)
ENDS = (
    "0000000002027803000000000000ffffffffffffffff00000000000001a40000000100"
    "000000010000ffffffffffffffff000000000000019000000000000000"
)
LOG_DIRS = (
    "0000000000000200000f2f7661722f6c69622f6b61666b610202780200000000000000"
    "00000aceac00000000000000000000000000003efe39d000000000138223b0000000"
)
FOLLOWER_ENDS = (
    "0000000002027803000000000000ffffffffffffffff00000000000000b00000000100"
    "000000010006ffffffffffffffffffffffffffffffffffffffff000000"
)
#: The same six seconds later, during which 20 records were written.
LATER_ENDS = ENDS.replace("01a400000001", "01b800000001")
LATER_FOLLOWER_ENDS = FOLLOWER_ENDS.replace("00b000000001", "013400000001")


def offsets(body: str) -> dict[TopicPartition, int]:
    return polls.offsets(decode(ListOffsetsResponse, bytes.fromhex(body), 9))


def reported(ends: str, follower_ends: str) -> tuple[ReplicaProgress, ...]:
    starts, latest = offsets(STARTS), offsets(ends)
    leaders = {name: polls.LeaderLog(starts[name], latest[name]) for name in (X0, X1)}
    log_dirs = decode(DescribeLogDirsResponse, bytes.fromhex(LOG_DIRS), 4)
    return polls.reports(2, leaders, offsets(follower_ends), polls.lags(log_dirs))


@pytest.mark.req("R179B-45")
def test_recorded_answers_say_how_far_a_real_follower_has_come() -> None:
    assert reported(ENDS, FOLLOWER_ENDS) == (ReplicaProgress(X0, 2, 176, 0, 420),)
    assert reported(LATER_ENDS, LATER_FOLLOWER_ENDS) == (ReplicaProgress(X0, 2, 308, 0, 440),)


def test_a_follower_that_copies_lacks_nothing_by_its_own_word() -> None:
    """So its end is asked for: the lag that key 35 tells is that to its own high watermark."""
    assert polls.lags(decode(DescribeLogDirsResponse, bytes.fromhex(LOG_DIRS), 4)) == {X0: 0}


@pytest.mark.req("R179B-45")
@pytest.mark.parametrize(
    ("end", "lag", "expected"),
    [
        (60, 0, 60),
        (60, 50, 50),
        (100, 0, 100),
        (120, 0, 100),  # it was asked after the leader
        (3, 0, 10),  # the leader has deleted what it has not copied
    ],
)
def test_the_numerator_is_what_is_there_without_what_lacks(
    end: int, lag: int, expected: int
) -> None:
    leaders = {X0: polls.LeaderLog(10, 100)}
    [report] = polls.reports(7, leaders, {X0: end}, {X0: lag})
    assert report == ReplicaProgress(X0, 7, expected, 10, 100)


def test_who_gives_no_answer_is_not_reported() -> None:
    leaders = {X0: polls.LeaderLog(0, 9), X1: polls.LeaderLog(0, 9)}
    assert polls.reports(7, leaders, {X0: 1}, {X1: 1}) == ()
    assert polls.reports(7, {}, {X0: 1}, {X0: 1}) == ()


def test_what_is_broken_or_moves_between_directories_is_no_replica() -> None:
    replicas = tuple(
        DescribeLogDirsPartition(number, 100, lag, future)
        for number, lag, future in ((0, 5, True), (1, -1, False), (2, 4, False))
    )
    topics = (DescribeLogDirsTopic("x", replicas),)
    results = (
        DescribeLogDirsResult(0, "/a", topics),
        DescribeLogDirsResult(ErrorCode.KAFKA_STORAGE_ERROR, "/b", topics),
    )
    assert polls.lags(DescribeLogDirsResponse(results=results)) == {TopicPartition("x", 2): 4}


# --- whom to ask, and when ------------------------------------------------------------------------


@dataclass
class FakeBroker:
    """A broker with logs, by name their first offset and end; `lags` are those that it has."""

    logs: dict[TopicPartition, tuple[int, int]] = field(default_factory=dict)
    serves: dict[int, range] = field(default_factory=lambda: dict(KAFKA))
    asked: list[tuple[int, int]] = field(default_factory=list)
    connections: int = 0
    silent: bool = False
    #: The keys that it refuses.
    forbids: frozenset[int] = frozenset()

    def dispatch(self, exchange: Exchange) -> None:
        header, body = exchange.request.header, exchange.request.body
        self.asked.append((header.request_api_key, header.request_api_version))
        if not self.silent:
            exchange.respond(self._answer(body))

    def _answer(self, body: Message) -> Message:
        match body:
            case ApiVersionsRequest():
                rows = ((key, served.start, served.stop - 1) for key, served in self.serves.items())
                return ApiVersionsResponse(api_keys=tuple(ApiVersion(*row) for row in rows))
            case DescribeLogDirsRequest() if 35 in self.forbids:
                return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
            case ListOffsetsRequest(replica_id=-2):
                topics = tuple(
                    ListOffsetsTopicResponse(
                        asked.name,
                        tuple(
                            self._offset(
                                TopicPartition(asked.name, each.partition_index), each.timestamp
                            )
                            for each in asked.partitions
                        ),
                    )
                    for asked in body.topics
                )
                return ListOffsetsResponse(topics=topics)
            case DescribeLogDirsRequest(topics=tuple(asked)):
                found = tuple(
                    DescribeLogDirsTopic(
                        each.topic,
                        tuple(
                            DescribeLogDirsPartition(number, 1, 0)
                            for number in each.partitions
                            if TopicPartition(each.topic, number) in self.logs
                        ),
                    )
                    for each in asked
                )
                return DescribeLogDirsResponse(results=(DescribeLogDirsResult(0, "/d", found),))
        raise AssertionError(f"nobody asks a broker {body}")

    def _offset(self, name: TopicPartition, which: int) -> ListOffsetsPartitionResponse:
        if 2 in self.forbids:
            return ListOffsetsPartitionResponse(
                name.partition, ErrorCode.TOPIC_AUTHORIZATION_FAILED
            )
        if name not in self.logs:
            return ListOffsetsPartitionResponse(name.partition, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        offset = self.logs[name][0 if which == polls.EARLIEST else 1]
        return ListOffsetsPartitionResponse(name.partition, 0, offset=offset)


@dataclass
class FakeNode:
    state: ClusterState | None
    copies: Copies = field(default_factory=Copies)


class World:
    """Four brokers, a node that takes what is found, and the polls between them."""

    def __init__(self, nursery: trio.Nursery, state: ClusterState | None) -> None:
        self._nursery = nursery
        self.node = FakeNode(state)
        self.brokers = {id_: FakeBroker() for id_ in (1, 2, 3, 4)}
        self.brokers[1].logs = {X0: (0, 100), X1: (5, 50)}
        self.brokers[2].logs = {X0: (0, 100), X1: (5, 45)}
        self.brokers[3].logs = {X0: (0, 20)}
        self.heard: list[ProgressHeard] = []
        settings = LinkSettings("900", connect=self._connect)
        self.polls = Polls(self.node, self._post, settings, self.now)
        self.copies = HeardCopies(self.node, self._post, self.now)
        nursery.start_soon(self.polls.run)

    def now(self) -> Now:
        return Now(trio.current_time(), 1_000_000 + int(trio.current_time() * 1000))

    @property
    def reports(self) -> list[ReplicaProgress]:
        return [report for heard in self.heard for report in heard.reports]

    def asked(self, *brokers: int) -> list[int]:
        """The keys that brokers were asked for, and forget them."""
        keys = [key for id_ in brokers for key, _ in self.brokers[id_].asked]
        for id_ in brokers:
            self.brokers[id_].asked.clear()
        return keys

    async def look(self, *names: TopicPartition) -> None:
        done = trio.Event()
        self.polls.look(names, done.set)
        await done.wait()

    def _post(self, event: ProgressHeard | CopiesWanted) -> None:
        assert self.node.state is not None
        if isinstance(event, CopiesWanted):
            self.node.copies.want(event.names, self.now().wall_ms)
        else:
            self.heard.append(event)
            self.node.copies.take(event.reports, event.at_ms, self.node.state)

    async def _connect(self, endpoint: Endpoint) -> trio.abc.Stream:
        broker = self.brokers[endpoint.port - 9000]
        ours, theirs = memory_stream_pair()
        broker.connections += 1
        self._nursery.start_soon(serve_stream, theirs, KAFKA, broker.dispatch)
        return ours


@asynccontextmanager
async def world(state: ClusterState | None = MOVING) -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        yield World(nursery, state)
        nursery.cancel_scope.cancel()


async def pass_time(clock: MockClock, seconds: float) -> None:
    await wait_all_tasks_blocked()
    clock.jump(seconds)
    await wait_all_tasks_blocked()


@pytest.mark.req("R179B-45")
async def test_who_is_being_added_is_looked_at_once_a_second(mock_clock: MockClock) -> None:
    async with world() as found:
        await pass_time(mock_clock, POLL_SECONDS)
        assert found.reports == [ReplicaProgress(X0, 3, 20, 0, 100)]
        found.brokers[1].logs[X0], found.brokers[3].logs[X0] = (0, 300), (0, 40)
        await pass_time(mock_clock, POLL_SECONDS)
        assert found.reports[1:] == [ReplicaProgress(X0, 3, 40, 0, 300)]
        assert [heard.at_ms for heard in found.heard] == [1_001_000, 1_002_000]
        assert found.asked(1) == [18, 2, 2, 2, 2]
        assert found.asked(3) == [18, 35, 2, 35, 2]
        assert found.asked(2, 4) == []
        assert [found.brokers[id_].connections for id_ in (1, 3)] == [1, 1]


async def test_the_highest_versions_that_both_know_are_taken(mock_clock: MockClock) -> None:
    async with world() as found:
        found.brokers[1].serves = {2: range(5), 18: range(5), 35: range(2)}
        await pass_time(mock_clock, POLL_SECONDS)
        assert found.brokers[1].asked == [(18, 3), (2, 4), (2, 4)]
        assert found.brokers[3].asked == [(18, 3), (35, 4), (2, 9)]


@pytest.mark.parametrize("state", [None, cluster(topic("x", {0: partition((1, 2))}))])
async def test_out_of_office_and_at_rest_nobody_is_asked(
    state: ClusterState | None, mock_clock: MockClock
) -> None:
    async with world(state) as found:
        await pass_time(mock_clock, 10 * POLL_SECONDS)
        assert [broker.connections for broker in found.brokers.values()] == [0] * 4


async def test_brokers_that_tell_by_themselves_are_left_alone(mock_clock: MockClock) -> None:
    """Simulated ones know no ListOffsets."""
    async with world() as found:
        for broker in found.brokers.values():
            del broker.serves[2]
        for _ in range(20):
            await pass_time(mock_clock, POLL_SECONDS)
        assert found.asked(1, 2, 3, 4) == [18]
        assert found.heard == []


@pytest.mark.req("R179A-46", "R179A-48")
async def test_who_asks_is_answered_after_the_next_poll(mock_clock: MockClock) -> None:
    async with world() as found:
        await found.look(X1)
        status = found.copies.status(X1, 2)
        assert status == ReplicaStatus(1_000_000, 1_000_000, UNKNOWN, 5, 5)
        await pass_time(mock_clock, POLL_SECONDS / 2)
        assert found.copies.status(X1, 2) == status, "the time is that of the data"
        found.asked(1, 2, 3)
        await found.look(X1)
        assert found.asked(1, 2, 3) == [], "it was looked at a moment ago"
        found.brokers[2].logs[X1] = (5, 49)
        await pass_time(mock_clock, POLL_SECONDS / 2)
        assert found.copies.status(X1, 2) == ReplicaStatus(1_001_000, 1_001_000, 1_001_000, 1, 5)


async def test_of_what_moves_the_other_replicas_are_looked_at_for_who_asks(
    mock_clock: MockClock,
) -> None:
    async with world() as found:
        found.brokers[2].logs[X0] = (0, 98)
        await pass_time(mock_clock, POLL_SECONDS)
        assert {report.follower for report in found.reports} == {3}
        await found.look(X0)
        known = found.copies.status(X0, 2)
        assert known is not None
        assert known.lag == 2


async def test_of_what_is_not_there_nothing_is_polled(mock_clock: MockClock) -> None:
    async with world(cluster(topic("x", {0: partition((1, 2))}))) as found:
        await found.look(TopicPartition("y", 0), TopicPartition("x", 9))
        assert found.node.copies.wanted == {}
        assert [broker.connections for broker in found.brokers.values()] == [0] * 4


async def test_interest_wears_off(mock_clock: MockClock) -> None:
    async with world(replace(MOVING, topics={"x": topic("x", {1: partition((1, 2))})})) as found:
        await found.look(X1)
        for _ in range(62):
            await pass_time(mock_clock, POLL_SECONDS)
        found.asked(1, 2)
        for _ in range(10):
            await pass_time(mock_clock, POLL_SECONDS)
        assert found.asked(1, 2) == []


async def test_who_waits_is_answered_when_the_office_ends(mock_clock: MockClock) -> None:
    async with world() as found:
        done: list[bool] = []
        found.polls.look((X0,), lambda: done.append(True))
        assert done == []
        found.node.state = None
        await wait_all_tasks_blocked()
        assert done == [True]


async def test_a_silent_broker_delays_others_for_a_moment_only(mock_clock: MockClock) -> None:
    state = replace(
        MOVING,
        topics={
            "x": topic(
                "x",
                {
                    0: partition((3, 2, 1), adding=(3,), removing=(1,)),
                    1: partition((4, 2, 1), adding=(4,), removing=(1,)),
                },
            )
        },
    )
    async with world(state) as found:
        found.brokers[3].silent = True
        found.brokers[4].logs[X1] = (5, 6)
        await pass_time(mock_clock, POLL_SECONDS)
        assert [report.follower for report in found.reports] == [4]
        await pass_time(mock_clock, ANSWER_SECONDS)
        for _ in range(3):
            await pass_time(mock_clock, POLL_SECONDS)
        assert [report.follower for report in found.reports] == [4] * 4
        assert found.brokers[3].connections == 1, "it is given a rest"
        found.brokers[3].silent = False
        for _ in range(4):
            await pass_time(mock_clock, POLL_SECONDS)
        assert 3 in {report.follower for report in found.reports}


@pytest.mark.parametrize(("broker", "key"), [(1, 2), (3, 2), (3, 35)])
async def test_who_is_not_allowed_to_ask_says_so_once(
    broker: int, key: int, mock_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with world() as found:
        found.brokers[broker].forbids = frozenset([key])
        for _ in range(3):
            await pass_time(mock_clock, POLL_SECONDS)
        assert found.asked(broker).count(key) >= 3
        [line] = caplog.messages
        assert line.startswith(f"broker {broker} refuses to tell")
        found.brokers[broker].forbids = frozenset()
        await pass_time(mock_clock, POLL_SECONDS)
        assert found.reports == [ReplicaProgress(X0, 3, 20, 0, 100)]


async def test_a_broker_that_has_registered_anew_is_reached_anew(mock_clock: MockClock) -> None:
    async with world() as found:
        await pass_time(mock_clock, POLL_SECONDS)
        assert found.node.state is not None
        brokers = dict(found.node.state.brokers)
        brokers[3] = replace(brokers[3], epoch=77)
        found.node.state = replace(found.node.state, brokers=brokers)
        await pass_time(mock_clock, POLL_SECONDS)
        assert [found.brokers[id_].connections for id_ in (1, 3)] == [1, 2]
        del brokers[3]
        found.node.state = replace(found.node.state, brokers=brokers)
        found.asked(3)
        await pass_time(mock_clock, POLL_SECONDS)
        assert found.asked(3) == [], "nobody asks a broker that is not there"


async def test_no_round_is_about_more_than_its_share(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_PER_ROUND == 5000
    monkeypatch.setattr("klamm.controller.runtime.polls.MOST_PER_ROUND", 2)
    monkeypatch.setattr("klamm.controller.runtime.polls.MOST_PER_REQUEST", 1)
    moving = partition((3, 1), adding=(3,), removing=(1,), leader=1)
    state = cluster(topic("x", dict.fromkeys(range(5), moving)))
    names = [TopicPartition("x", number) for number in range(5)]
    async with world(state) as found:
        found.brokers[1].logs = dict.fromkeys(names, (0, 9))
        found.brokers[3].logs = dict.fromkeys(names, (0, 1))
        rounds: list[set[int]] = []
        for _ in range(5):
            await pass_time(mock_clock, POLL_SECONDS)
            rounds.append({report.partition.partition for report in found.reports})
            found.heard.clear()
        assert [len(each) for each in rounds] == [2] * 5
        assert rounds[0] | rounds[1] | rounds[2] == {0, 1, 2, 3, 4}
        missing = min({0, 1, 2, 3, 4} - rounds[-1])
        assert found.reports == []
        await found.look(names[missing])
        assert missing in {report.partition.partition for report in found.reports}


# --- what a node tells of it ----------------------------------------------------------------------


def heard(state: ClusterState, now_ms: int = 5_000) -> tuple[FakeNode, HeardCopies]:
    node = FakeNode(state)

    def post(event: ProgressHeard) -> None:
        node.copies.take(event.reports, event.at_ms, state)

    return node, HeardCopies(node, post, lambda: Now(0.0, now_ms))


@pytest.mark.req("R179A-46", "R179A-48", "R179A-50")
def test_the_controller_tells_what_it_has_heard_and_what_the_isr_is() -> None:
    node, copies = heard(MOVING)
    node.copies.take((ReplicaProgress(X0, 3, 20, 0, 100),), 4_000, MOVING)
    assert copies.status(X0, 3) == ReplicaStatus(4_000, UNKNOWN, UNKNOWN, 80, 80)
    node.copies.take((ReplicaProgress(X0, 3, 90, 0, 100),), 4_500, MOVING)
    assert copies.status(X0, 3) == ReplicaStatus(4_500, UNKNOWN, 4_500, 10, 80)
    assert copies.status(X0, 1) == ReplicaStatus(5_000, 5_000, UNKNOWN, 0, 0), "it leads"
    assert copies.status(X0, 2) == ReplicaStatus(5_000, 5_000), "in sync, and nothing heard"
    assert copies.status(TopicPartition("y", 0), 2) is None


def test_what_brokers_tell_goes_to_the_node_as_of_now() -> None:
    node, copies = heard(MOVING)
    copies.take((ReplicaProgress(X0, 3, 20, 0, 100),))
    assert node.copies.of(X0)[3].at_ms == 5_000
