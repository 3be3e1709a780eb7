"""The server over memory streams: order, joined answers, limits, faults, ends."""

import logging
from collections.abc import Callable

import pytest
import trio
from runtime.peers import TABLE, Peer, answer_at_once, numbered, serving
from trio.testing import wait_all_tasks_blocked

from klamm.controller.runtime.exchange import AnsweredTwiceError, Exchange
from klamm.controller.runtime.server import LINGER, Limits, serve
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)


class CountingStream(trio.abc.Stream):
    """Counts the writes that reach a stream."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.writes = 0

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self.writes += 1
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self.stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self.stream.aclose()


class Held:
    """Keeps the exchanges until the test answers them."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def __call__(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)

    def answer(self, place: int) -> None:
        self.exchanges[place].respond(numbered(self.exchanges[place]))


async def test_answers_at_once() -> None:
    async with serving() as peer:
        await peer.ask(7)
        assert await peer.answers(1) == [7]


async def test_answers_leave_in_request_order_whatever_order_they_are_given_in() -> None:
    held = Held()
    async with serving(held) as peer:
        await peer.ask(0, 1, 2)
        await wait_all_tasks_blocked()
        held.answer(2)
        held.answer(0)
        assert await peer.answers(1) == [0]
        held.answer(1)
        assert await peer.answers(2) == [1, 2]


async def test_what_one_read_brings_is_answered_in_one_write() -> None:
    streams: list[CountingStream] = []

    def counting(stream: trio.abc.Stream) -> trio.abc.Stream:
        streams.append(CountingStream(stream))
        return streams[0]

    async with serving(wrap=counting) as peer:
        await peer.ask(*range(200))
        assert await peer.answers(200) == list(range(200))
        assert streams[0].writes == 1


@pytest.mark.parametrize("piece", [1, 3, 50])
async def test_requests_in_pieces(piece: int) -> None:
    async with serving() as peer:
        data = peer.question(1) + peer.question(2)
        for start in range(0, len(data), piece):
            await peer.stream.send_all(data[start : start + piece])
        assert await peer.answers(2) == [1, 2]


async def test_reading_pauses_at_the_limit_of_open_requests() -> None:
    held = Held()
    async with serving(held, Limits(max_in_flight=2)) as peer:
        await peer.ask(0, 1, 2, 3, 4)
        await wait_all_tasks_blocked()
        assert len(held.exchanges) == 2
        held.answer(0)
        held.answer(1)
        await wait_all_tasks_blocked()
        assert len(held.exchanges) == 4
        held.answer(2)
        held.answer(3)
        await wait_all_tasks_blocked()
        held.answer(4)
        assert await peer.answers(5) == [0, 1, 2, 3, 4]


async def test_more_than_the_limit_answered_at_once() -> None:
    async with serving(limits=Limits(max_in_flight=2)) as peer:
        await peer.ask(*range(9))
        assert await peer.answers(9) == list(range(9))


async def test_reading_pauses_while_too_much_waits_to_be_written() -> None:
    """A client that sends and never reads is served up to the limit of unwritten bytes."""
    seen: list[Exchange] = []
    go_on = trio.Event()

    class Slow(CountingStream):
        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            await go_on.wait()
            await super().send_all(data)

    def dispatch(exchange: Exchange) -> None:
        seen.append(exchange)
        answer_at_once(exchange)

    async with serving(dispatch, Limits(max_unwritten_bytes=1), wrap=Slow) as peer:
        await peer.ask(0)
        await wait_all_tasks_blocked()
        await peer.ask(1)
        await wait_all_tasks_blocked()
        assert len(seen) == 1
        go_on.set()
        assert await peer.answers(2) == [0, 1]


async def test_api_versions_of_an_unknown_version_is_answered_and_the_connection_goes_on() -> None:
    async with serving() as peer:
        request = bytearray(peer.encoded(ApiVersionsRequest(), 4))
        request[6:8] = (99).to_bytes(2)
        await peer.stream.send_all(request)
        [answer] = await peer.messages(1)
        assert isinstance(answer, ApiVersionsResponse)
        assert answer.error_code == 35
        assert [(item.api_key, item.max_version) for item in answer.api_keys] == [(18, 4)]
        await peer.ask(1)
        assert await peer.answers(1) == [1]


BROKEN: dict[str, Callable[[Peer], bytes]] = {
    "an unknown key": lambda peer: b"\0\0\0\x0a\x03\xe7\0\0\0\0\0\0\xff\xff",
    "a version above ours": lambda peer: peer.question(0)[:6] + b"\0\x09" + peer.question(0)[8:],
    "a huge length": lambda peer: b"\x7f\xff\xff\xff",
    "a negative length": lambda peer: b"\xff\xff\xff\xff",
    "a body cut short": lambda peer: b"\0\0\0\x0c\0\x2e\0\0\0\0\0\0\xff\xff\0\0",
}


@pytest.mark.parametrize("fault", BROKEN)
async def test_a_peer_that_breaks_the_protocol_gets_what_it_is_owed_and_is_closed(
    fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    held = Held()
    async with serving(held) as peer:
        await peer.stream.send_all(peer.question(5) + BROKEN[fault](peer))
        await wait_all_tasks_blocked()
        held.answer(0)
        assert await peer.answers(1) == [5]
        assert await peer.is_closed()
    assert "closing: " in caplog.text


async def test_a_peer_that_stops_sending_still_gets_its_answers() -> None:
    held = Held()
    async with serving(held) as peer:
        await peer.ask(1, 2)
        assert isinstance(peer.stream, trio.StapledStream)
        await peer.stream.send_eof()
        await wait_all_tasks_blocked()
        held.answer(0)
        held.answer(1)
        assert await peer.answers(2) == [1, 2]
        assert await peer.is_closed()


async def test_a_peer_that_goes_away_leaves_its_requests_unanswered_and_harms_nobody() -> None:
    held = Held()
    async with serving(held) as peer:
        await peer.ask(1)
        await wait_all_tasks_blocked()
        await peer.stream.aclose()
        await wait_all_tasks_blocked()
        held.answer(0)


async def test_a_fault_while_serving_closes_this_connection_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def faulty(exchange: Exchange) -> None:
        raise LookupError("no such thing")

    async with serving(faulty) as peer:
        await peer.ask(1)
        assert await peer.is_closed()
    assert "LookupError: no such thing" in caplog.text
    assert "correlation id 0, client 't'" in caplog.text


async def test_an_answer_that_its_version_cannot_carry_closes_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving(
        lambda exchange: exchange.respond(
            ListPartitionReassignmentsResponse(throttle_time_ms=2**40)
        )
    ) as peer:
        await peer.ask(1)
        assert await peer.is_closed()
    assert "throttle_time_ms" in caplog.text


async def test_answering_twice_is_an_error() -> None:
    held = Held()
    async with serving(held) as peer:
        await peer.ask(1)
        await wait_all_tasks_blocked()
        held.answer(0)
        with pytest.raises(AnsweredTwiceError, match="correlation id 0"):
            held.answer(0)
        assert await peer.answers(1) == [1]


async def test_disconnecting_still_sends_the_answers_before(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def dispatch(exchange: Exchange) -> None:
        if numbered(exchange).throttle_time_ms == 2:
            exchange.disconnect("two is one too many")
        else:
            answer_at_once(exchange)

    async with serving(dispatch) as peer:
        await peer.ask(1, 2, 3)
        assert await peer.answers(1) == [1]
        assert await peer.is_closed()
    assert "two is one too many" in caplog.text


async def test_an_idle_connection_is_closed_but_not_one_that_waits_for_its_answer(
    autojump_clock: trio.testing.MockClock,
) -> None:
    held = Held()
    async with serving(held, Limits(idle_seconds=2)) as peer:
        await peer.ask(1)
        await trio.sleep(3)
        held.answer(0)
        assert await peer.answers(1) == [1]
        started = trio.current_time()
        assert await peer.is_closed()
        assert trio.current_time() - started <= 2


async def test_cancelling_serve_writes_what_is_answered_and_closes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    held = Held()
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, listeners, TABLE, held)
            peer = Peer(await trio.open_tcp_stream("127.0.0.1", port))
            await peer.ask(1, 2)
            while len(held.exchanges) < 2:
                await trio.sleep(0)
            held.answer(0)
            nursery.cancel_scope.cancel()
        assert await peer.answers(1) == [1]
        assert await peer.is_closed()
        with pytest.raises(OSError, match=r"127\.0\.0\.1"):
            await trio.open_tcp_stream("127.0.0.1", port)
        await peer.stream.aclose()


class Stuck(CountingStream):
    """A peer that has stopped reading: whatever is written waits."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self.writes += 1
        await trio.sleep_forever()


async def test_a_peer_that_takes_no_bytes_cannot_hold_the_end_up(
    autojump_clock: trio.testing.MockClock,
) -> None:
    stuck: list[Stuck] = []

    def wrap(stream: trio.abc.Stream) -> trio.abc.Stream:
        stuck.append(Stuck(stream))
        return stuck[0]

    def dispatch(exchange: Exchange) -> None:
        if numbered(exchange).throttle_time_ms == 2:
            exchange.disconnect("enough")
        else:
            answer_at_once(exchange)

    async with serving(dispatch, wrap=wrap) as peer:
        await peer.ask(1)
        await wait_all_tasks_blocked()
        started = trio.current_time()
        await peer.ask(2)
        assert await peer.is_closed()
        assert trio.current_time() - started == pytest.approx(LINGER)
        assert stuck[0].writes == 1, "a write that was cut short is not followed by another"


async def test_a_peer_that_is_gone_before_its_last_answers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "klamm.server")
    held = Held()
    async with serving(held) as peer:
        await peer.ask(1, 2)
        await wait_all_tasks_blocked()
        await peer.stream.aclose()
        held.answer(1)
        held.answer(0)
    assert "connection lost" in caplog.text


async def test_other_connections_are_served_beside_a_broken_one() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, listeners, TABLE, answer_at_once)
            good = Peer(await trio.open_tcp_stream("127.0.0.1", port))
            bad = Peer(await trio.open_tcp_stream("127.0.0.1", port))
            await bad.stream.send_all(b"GET / HTTP/1.1\r\n\r\n")
            assert await bad.is_closed()
            await good.ask(3)
            assert await good.answers(1) == [3]
            await good.stream.aclose()
            await bad.stream.aclose()
            nursery.cancel_scope.cancel()
