"""A broker's connection to the controller: versions, lost connections, a controller that moves."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from klamm.controller.core.model import Endpoint
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.server import serve
from klamm.protocol.generated.alter_partition_request import AlterPartitionRequest
from klamm.protocol.generated.alter_partition_response import AlterPartitionResponse
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersion, ApiVersionsResponse
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.controlled_shutdown_response import ControlledShutdownResponse
from klamm.tools.brokers.asks import (
    Answered,
    Ask,
    AskAlterPartition,
    AskControlledShutdown,
    AskReportFetchProgress,
)
from klamm.tools.brokers.controller_link import REQUEST_SECONDS, ControllerLink

Seen = list[tuple[int, int]]
SERVED = {
    kind.api_key: kind.versions
    for kind in (AlterPartitionRequest, ApiVersionsRequest, ControlledShutdownRequest)
}


class Peer:
    """A controller that does as it is told, and remembers keys and versions."""

    def __init__(self, alter_partition: range = AlterPartitionRequest.versions) -> None:
        self.seen: Seen = []
        self.connections: set[object] = set()
        self.alter_partition = alter_partition
        self.silent = False
        self.closing = False

    def dispatch(self, exchange: Exchange) -> None:
        header = exchange.request.header
        self.seen.append((header.request_api_key, header.request_api_version))
        self.connections.add(exchange.origin.peer)
        assert header.client_id == "7"
        match exchange.request.body:
            case _ if self.silent:
                pass
            case _ if self.closing:
                exchange.disconnect("told to")
            case ApiVersionsRequest():
                served = self.alter_partition
                row = ApiVersion(AlterPartitionRequest.api_key, served.start, served.stop - 1)
                exchange.respond(ApiVersionsResponse(api_keys=(row,)))
            case AlterPartitionRequest():
                exchange.respond(AlterPartitionResponse())
            case _:
                exchange.respond(ControlledShutdownResponse())


class World:
    """A link, the controllers that there are, and where the metadata says that one is."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._number = 0
        self._send, self._receive = trio.open_memory_channel[Answered](10)
        self.endpoint: Endpoint | None = None
        self.link = ControllerLink("7", lambda: self.endpoint, self._send.send_nowait)
        nursery.start_soon(self.link.run)

    async def listen(self, peer: Peer) -> Endpoint:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        await self._nursery.start(serve, listeners, SERVED, peer.dispatch)
        port = listeners[0].socket.getsockname()[1]
        return Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", port)

    async def ask(self, make: Callable[[int], Ask]) -> Answered:
        self._number += 1
        self.link.ask(make(self._number))
        with trio.fail_after(2 * REQUEST_SECONDS):
            answered = await self._receive.receive()
        assert answered.number == self._number
        return answered

    async def alter(self, by_topic_id: bool = True) -> Answered:
        return await self.ask(lambda number: AskAlterPartition(number, 7, 1, (), by_topic_id))


@asynccontextmanager
async def opened() -> AsyncIterator[World]:
    async with trio.open_nursery() as nursery:
        yield World(nursery)
        nursery.cancel_scope.cancel()


async def test_versions_are_agreed_on_once_per_connection() -> None:
    async with opened() as world:
        peer = Peer()
        world.endpoint = await world.listen(peer)
        assert await world.alter() == Answered(1, 3, AlterPartitionResponse())
        assert (await world.alter()).version == 3
        assert (await world.alter(by_topic_id=False)).version == 1
        assert peer.seen == [(18, 3), (56, 3), (56, 3), (56, 1)]
        assert len(peer.connections) == 1


async def test_the_highest_version_of_both_is_taken() -> None:
    async with opened() as world:
        world.endpoint = await world.listen(Peer(range(2)))
        assert (await world.alter()).version == 1


async def test_without_a_common_version_there_is_no_answer() -> None:
    async with opened() as world:
        world.endpoint = await world.listen(Peer(range(4, 6)))
        assert (await world.alter()).response is None


async def test_what_a_controller_does_not_know_is_not_sent_and_leaves_no_word_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "klamm")
    async with opened() as world:
        peer = Peer()
        world.endpoint = await world.listen(peer)
        for _ in range(2):
            make = partial(AskReportFetchProgress, broker=7, broker_epoch=1, events=())
            assert (await world.ask(make)).response is None
        assert peer.seen == [(18, 3), (18, 3)]
        assert len(peer.connections) == 2, "it may be another one by now"
    assert caplog.messages == []


async def test_a_single_version_is_not_talked_about() -> None:
    async with opened() as world:
        peer = Peer()
        world.endpoint = await world.listen(peer)
        for version in (2, 3):
            make = partial(AskControlledShutdown, broker=7, broker_epoch=1, version=version)
            assert (await world.ask(make)).response == ControlledShutdownResponse()
        assert peer.seen == [(7, 2), (7, 3)]


async def test_nobody_known_as_controller_is_no_answer() -> None:
    async with opened() as world:
        assert await world.alter() == Answered(1, -1, None)


async def test_nobody_there_is_no_answer() -> None:
    async with opened() as world:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listeners[0].socket.getsockname()[1]
        for listener in listeners:
            await listener.aclose()
        world.endpoint = Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", port)
        assert (await world.alter()).response is None


async def test_a_lost_connection_is_opened_anew_by_the_next_request() -> None:
    async with opened() as world:
        peer = Peer()
        world.endpoint = await world.listen(peer)
        await world.alter()
        peer.closing = True
        assert (await world.alter()).response is None
        peer.closing = False
        assert (await world.alter()).response == AlterPartitionResponse()
        assert peer.seen == [(18, 3), (56, 3), (56, 3), (18, 3), (56, 3)]
        assert len(peer.connections) == 2


async def test_the_next_request_goes_to_the_new_controller() -> None:
    async with opened() as world:
        first, second = Peer(), Peer(range(3))
        world.endpoint = await world.listen(first)
        await world.alter()
        world.endpoint = await world.listen(second)
        assert (await world.alter()).version == 2
        assert (first.seen, second.seen) == ([(18, 3), (56, 3)], [(18, 3), (56, 2)])


async def test_silence_is_no_answer_in_the_end(mock_clock: MockClock) -> None:
    async with opened() as world, trio.open_nursery() as nursery:
        peer = Peer()
        peer.silent = True
        world.endpoint = await world.listen(peer)
        found: list[Answered] = []

        async def ask() -> None:
            found.append(await world.alter())

        nursery.start_soon(ask)
        with trio.fail_after(5):
            while not peer.seen:
                await trio.sleep(0)
        await wait_all_tasks_blocked()
        mock_clock.jump(REQUEST_SECONDS - 1)
        await wait_all_tasks_blocked()
        assert not found
        mock_clock.jump(1)
        await wait_all_tasks_blocked(0.01)
        assert found == [Answered(1, -1, None)]
