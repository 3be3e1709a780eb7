"""Links to brokers over memory streams, by a clock that jumps."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from klamm.controller.core.model import Broker, Endpoint
from klamm.controller.node.effects import Send
from klamm.controller.node.inputs import BrokerAnswer
from klamm.controller.runtime.links import Links, LinkSettings
from klamm.protocol.connection import Request, ServerConnection
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse

TIMES = (30.0, 0.1)


class FakeBroker:
    """The other end of whatever connections a link opens."""

    def __init__(self) -> None:
        self.endpoints: list[Endpoint] = []
        self.connected_at: list[float] = []
        self.refusing = False
        self.streams: list[trio.abc.Stream] = []
        self.protocol = ServerConnection({6: range(6)})

    async def connect(self, endpoint: Endpoint) -> trio.abc.Stream:
        self.endpoints.append(endpoint)
        self.connected_at.append(trio.current_time())
        await trio.lowlevel.checkpoint()
        if self.refusing:
            raise ConnectionRefusedError("nobody listens")
        ours, theirs = memory_stream_pair()
        self.streams.append(theirs)
        self.protocol = ServerConnection({6: range(6)})
        return ours

    async def requests(self) -> list[Request]:
        """Return what has come in on the newest connection."""
        await wait_all_tasks_blocked()
        events = self.protocol.receive_data(await self.streams[-1].receive_some(65536))
        return [event for event in events if isinstance(event, Request)]

    async def answer(self, request: Request, code: int = 0) -> None:
        data = self.protocol.send_response(request, UpdateMetadataResponse(code))
        await self.streams[-1].send_all(data)


class World:
    """A node's links and the broker at their other end."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.broker = FakeBroker()
        self.answers: list[BrokerAnswer] = []
        settings = LinkSettings("900", "INSIDE", *TIMES, connect=self.broker.connect)
        self.links = Links(nursery, self.answers.append, settings)

    def send(
        self, number: int, *, epoch: int = 1, endpoints: tuple[Endpoint, ...] | None = None
    ) -> None:
        if endpoints is None:
            endpoints = (
                Endpoint("OUTSIDE", "SSL", "out", 1),
                Endpoint("INSIDE", "PLAINTEXT", "in", 2),
            )
        message = UpdateMetadataRequest(controller_id=900, controller_epoch=number)
        self.links.send(Send(number, Broker(3, epoch, endpoints), message, 5))


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        yield World(nursery)
        nursery.cancel_scope.cancel()


def number(request: Request) -> int:
    body = request.body
    assert isinstance(body, UpdateMetadataRequest)
    return body.controller_epoch


async def test_one_request_is_in_flight_and_the_others_follow_in_order() -> None:
    async with world() as w:
        for item in (1, 2, 3):
            w.send(item)
        for item in (1, 2, 3):
            [request] = await w.broker.requests()
            assert number(request) == item
            assert len(w.answers) == item - 1
            await w.broker.answer(request, code=item)
        await wait_all_tasks_blocked()
        assert w.answers == [
            BrokerAnswer(3, 1, item, UpdateMetadataResponse(item)) for item in (1, 2, 3)
        ]
        assert len(w.broker.endpoints) == 1


async def test_it_goes_straight_to_the_listener_with_the_node_id_as_client_id() -> None:
    async with world() as w:
        w.send(1)
        [request] = await w.broker.requests()
        assert w.broker.endpoints == [Endpoint("INSIDE", "PLAINTEXT", "in", 2)]
        header = request.header
        assert (header.request_api_key, header.request_api_version) == (6, 5)
        assert (header.client_id, header.correlation_id) == ("900", 0)


async def test_a_broker_without_the_listener_is_reached_by_its_first() -> None:
    async with world() as w:
        w.send(1, endpoints=(Endpoint("OTHER", "PLAINTEXT", "other", 9),))
        await w.broker.requests()
        assert w.broker.endpoints[0].host == "other"


async def test_a_broker_without_endpoints_gets_nothing_and_is_reported() -> None:
    async with world() as w:
        w.send(1, endpoints=())
        await wait_all_tasks_blocked()
        assert w.answers == [BrokerAnswer(3, 1, 1, None)]


async def test_a_broken_connection_is_reported_and_opened_again_after_a_pause(
    autojump_clock: MockClock,
) -> None:
    async with world() as w:
        w.send(1)
        w.send(2)
        await w.broker.requests()
        await w.broker.streams[0].aclose()
        await wait_all_tasks_blocked()
        assert w.answers == [BrokerAnswer(3, 1, 1, None)]
        await trio.sleep(0.2)
        [request] = await w.broker.requests()
        assert number(request) == 2
        assert request.header.correlation_id == 0
        first, second = w.broker.connected_at
        assert second - first == pytest.approx(0.1)


async def test_a_broker_that_refuses_connections_is_tried_at_the_same_pace(
    autojump_clock: MockClock,
) -> None:
    async with world() as w:
        w.broker.refusing = True
        for item in (1, 2, 3):
            w.send(item)
        await trio.sleep(1)
        assert [answer.response for answer in w.answers] == [None] * 3
        gaps = [
            b - a for a, b in zip(w.broker.connected_at, w.broker.connected_at[1:], strict=False)
        ]
        assert gaps == [pytest.approx(0.1)] * 2


async def test_no_answer_in_time_counts_as_a_broken_connection(autojump_clock: MockClock) -> None:
    async with world() as w:
        started = trio.current_time()
        w.send(1)
        await w.broker.requests()
        await trio.sleep(29.9)
        assert w.answers == []
        await trio.sleep(0.2)
        assert w.answers == [BrokerAnswer(3, 1, 1, None)]
        assert await w.broker.streams[0].receive_some(1) == b""
        assert trio.current_time() - started == pytest.approx(30.1)


@pytest.mark.parametrize("garbage", [b"\0\0\0\x06\0\0\0\x09\0\0", b"\xff\xff\xff\xff"])
async def test_an_answer_that_is_none_breaks_the_connection(garbage: bytes) -> None:
    async with world() as w:
        w.send(1)
        await w.broker.requests()
        await w.broker.streams[0].send_all(garbage)
        await wait_all_tasks_blocked()
        assert w.answers == [BrokerAnswer(3, 1, 1, None)]
        assert await w.broker.streams[0].receive_some(1) == b""


async def test_a_request_that_cannot_be_encoded_is_reported_and_the_next_ones_are_sent(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with world() as w:
        started = trio.current_time()
        w.send(2**31)
        w.send(2)
        await wait_all_tasks_blocked()
        assert w.answers == [BrokerAnswer(3, 1, 2**31, None)]
        [record] = [each for each in caplog.records if each.levelname == "ERROR"]
        assert "broker 3: a request cannot be sent" in record.getMessage()
        assert "controller_epoch = 2147483648" in record.getMessage()
        await trio.sleep(5.1)
        [request] = await w.broker.requests()
        assert number(request) == 2
        # Said over and over by a node that puts it back, it must not keep a processor busy.
        assert w.broker.connected_at[-1] - started == pytest.approx(5)


async def test_a_version_that_does_not_exist_is_reported_likewise(
    autojump_clock: MockClock,
) -> None:
    async with world() as w:
        broker = Broker(3, 1, (Endpoint("INSIDE", "PLAINTEXT", "in", 2),))
        w.links.send(Send(1, broker, StopReplicaRequest(), 99))
        await wait_all_tasks_blocked()
        assert w.answers == [BrokerAnswer(3, 1, 1, None)]


async def test_a_closed_link_answers_nothing_more() -> None:
    async with world() as w:
        w.send(1)
        w.send(2)
        await w.broker.requests()
        w.links.close(3)
        w.links.close(3)
        await wait_all_tasks_blocked()
        assert await w.broker.streams[0].receive_some(1) == b""
        assert w.answers == []


async def test_a_new_epoch_starts_anew_and_the_former_one_is_silent() -> None:
    async with world() as w:
        w.send(1, epoch=1)
        await w.broker.requests()
        w.send(2, epoch=2)
        [request] = await w.broker.requests()
        assert number(request) == 2
        await w.broker.answer(request)
        await wait_all_tasks_blocked()
        assert w.answers == [BrokerAnswer(3, 2, 2, UpdateMetadataResponse())]
        assert await w.broker.streams[0].receive_some(1) == b""
        assert len(w.broker.streams) == 2


async def test_an_endpoint_that_changes_is_gone_to() -> None:
    async with world() as w:
        old, new = (Endpoint("INSIDE", "PLAINTEXT", "in", port) for port in (2, 3))
        for item, endpoint in enumerate((old, new, new), start=1):
            w.send(item, endpoints=(endpoint,))
            (request,) = await w.broker.requests()
            await w.broker.answer(request)
            await wait_all_tasks_blocked()
        assert [answer.send for answer in w.answers] == [1, 2, 3]
        assert w.broker.endpoints == [old, new]


async def test_brokers_do_not_wait_for_each_other() -> None:
    async with world() as w:
        w.send(1)
        await w.broker.requests()
        other = Broker(4, 1, (Endpoint("INSIDE", "PLAINTEXT", "four", 4),))
        w.links.send(Send(9, other, UpdateMetadataRequest(), 5))
        [request] = await w.broker.requests()
        await w.broker.answer(request)
        await wait_all_tasks_blocked()
        assert [answer.broker for answer in w.answers] == [4]
        w.links.close_all()
        await wait_all_tasks_blocked()
        for stream in w.broker.streams:
            assert await stream.receive_some(1) == b""
