"""The other end of a server's connection, over memory streams."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import trio
from trio.testing import memory_stream_pair

from klamm.controller.runtime.connection import Dispatch
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.limits import DEFAULT_LIMITS, Limits
from klamm.controller.runtime.server import serve_stream
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.message import Message

TABLE: Mapping[int, range] = {0: range(12), 18: range(5), 45: range(1), 46: range(1)}


def numbered(exchange: Exchange) -> ListPartitionReassignmentsResponse:
    """Return an answer that says which request it belongs to: its timeout."""
    body = exchange.request.body
    assert isinstance(body, ListPartitionReassignmentsRequest)
    return ListPartitionReassignmentsResponse(throttle_time_ms=body.timeout_ms)


def answer_at_once(exchange: Exchange) -> None:
    exchange.respond(numbered(exchange))


class Peer:
    """A client that asks by number and reads answers; `stream` is its raw end."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self._protocol = ClientConnection("t")
        self._answers: list[int] = []

    def question(self, number: int) -> bytes:
        return self.encoded(ListPartitionReassignmentsRequest(timeout_ms=number), 0)

    def encoded(self, message: Message, version: int, *, answered: bool = True) -> bytes:
        return self._protocol.send_request(message, version, answered=answered)[1]

    async def ask(self, *numbers: int) -> None:
        await self.stream.send_all(b"".join(self.question(number) for number in numbers))

    async def answers(self, count: int) -> list[int]:
        """Read until this many answers are there, and return them in the order they came."""
        return [
            item.throttle_time_ms
            for item in await self.messages(count)
            if isinstance(item, ListPartitionReassignmentsResponse)
        ]

    async def messages(self, count: int) -> list[Message]:
        found: list[Message] = []
        while len(found) < count:
            data = await self.stream.receive_some(65536)
            assert data, f"the server closed after {len(found)} of {count} answers"
            for event in self._protocol.receive_data(data):
                assert isinstance(event, Response)
                found.append(event.body)
        return found

    async def is_closed(self) -> bool:
        return await self.stream.receive_some(1) == b""


@asynccontextmanager
async def serving(
    dispatch: Dispatch = answer_at_once,
    limits: Limits = DEFAULT_LIMITS,
    wrap: Callable[[trio.abc.Stream], trio.abc.Stream] = lambda stream: stream,
) -> AsyncIterator[Peer]:
    """Serve one connection; the test fails if the server's task does not end with it."""
    ours, theirs = memory_stream_pair()
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve_stream, wrap(theirs), TABLE, dispatch, limits)
            yield Peer(ours)
            await ours.aclose()
