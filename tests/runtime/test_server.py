"""The server over memory streams: order, joined answers, limits, faults, ends."""

import errno
import logging
import os
import resource
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import trio
from runtime.peers import TABLE, Peer, answer_at_once, numbered, serving
from trio.testing import wait_all_tasks_blocked

from klamm.controller.runtime.complaints import LINES, Complaints
from klamm.controller.runtime.connection import LINGER, Dispatch
from klamm.controller.runtime.exchange import AnsweredTwiceError, Exchange
from klamm.controller.runtime.limits import DEFAULT_LIMITS, Limits
from klamm.controller.runtime.server import serve
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


# --- limits --------------------------------------------------------------------------------------


async def test_a_request_that_comes_in_drops_is_not_waited_for_for_ever(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither is idle: something always comes."""
    async with serving(limits=Limits(idle_seconds=600, request_seconds=8)) as peer:
        started = trio.current_time()
        with pytest.raises(trio.BrokenResourceError):
            await peer.stream.send_all((1_000).to_bytes(4))
            while True:
                await peer.stream.send_all(b"\0")
                await trio.sleep(1)
        assert 8 <= trio.current_time() - started <= 11
    assert "a request was not whole after 8 s" in caplog.text


async def test_a_peer_that_goes_on_asking_is_never_late_with_a_request(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Every piece ends one request and begins the next, so that one is always begun."""
    async with serving(limits=Limits(request_seconds=4)) as peer:
        data = b"".join(peer.question(number) for number in range(20))
        size = len(data) // 20
        await peer.stream.send_all(data[:5])
        for number in range(19):
            await peer.stream.send_all(data[number * size + 5 : (number + 1) * size + 5])
            await trio.sleep(1)
        await peer.stream.send_all(data[19 * size + 5 :])
        assert await peer.answers(20) == list(range(20))


async def test_a_whole_request_that_waits_for_its_turn_is_not_late(
    autojump_clock: trio.testing.MockClock,
) -> None:
    held = Held()
    async with serving(held, Limits(max_in_flight=1, request_seconds=2, idle_seconds=3)) as peer:
        await peer.ask(1, 2)
        await trio.sleep(30)
        held.answer(0)
        await wait_all_tasks_blocked()
        held.answer(1)
        assert await peer.answers(2) == [1, 2]


async def test_a_peer_that_never_reads_is_closed(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(limits=Limits(write_seconds=5), wrap=Stuck) as peer:
        started = trio.current_time()
        await peer.ask(1)
        assert await peer.is_closed()
        assert trio.current_time() - started == pytest.approx(5)
    assert "it takes no answers" in caplog.text


@asynccontextmanager
async def listening(
    dispatch: Dispatch = answer_at_once, limits: Limits = DEFAULT_LIMITS
) -> AsyncIterator[int]:
    """Serve on a port; the server ends with the block."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, listeners, TABLE, dispatch, limits)
            yield listeners[0].socket.getsockname()[1]
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def connect_to(port: int) -> AsyncIterator[Peer]:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        yield Peer(stream)


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (Limits(max_connections=2), "max.connections is 2"),
        (Limits(max_connections_per_ip=2), "max.connections.per.ip is 2"),
    ],
)
async def test_a_connection_too_many_is_closed_and_one_that_goes_makes_room(
    limits: Limits, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(limits=limits) as port:
        async with connect_to(port) as one, connect_to(port) as two:
            await two.ask(2)
            assert await two.answers(1) == [2]
            async with connect_to(port) as three:
                assert await three.is_closed()
            assert f"127.0.0.1: refused a connection: {name}" in caplog.text
            await one.ask(1)
            assert await one.answers(1) == [1]
        while True:  # the server sees the end of the others a moment later
            async with connect_to(port) as again:
                with suppress(trio.BrokenResourceError, AssertionError):
                    await again.ask(4)
                    assert await again.answers(1) == [4]
                    return


async def test_a_hostile_crowd_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as port:
        for _ in range(LINES + 30):
            async with connect_to(port) as peer:
                await peer.stream.send_all(b"GET / HTTP/1.1\r\n\r\n" * 50)
                with suppress(trio.BrokenResourceError):
                    assert await peer.is_closed()
        async with connect_to(port) as peer:
            await peer.ask(1)
            assert await peer.answers(1) == [1]
    lines = [record for record in caplog.records if record.name == "klamm.server"]
    assert len(lines) == LINES


def test_complaints_are_counted_and_cut(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        complain = Complaints(logging.getLogger("klamm.server"))
        for number in range(LINES + 5):
            complain(logging.WARNING, "%s is number %d", "x" * 1_000, number)
        await trio.sleep(11)
        complain(logging.WARNING, "again")

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert len(caplog.messages) == LINES + 2
    assert all(len(text) <= 503 for text in caplog.messages)
    assert caplog.messages[-2:] == ["5 lines about peers were left out", "again"]


class Failing:
    """A listener whose accept fails for a while, as when no descriptor is left."""

    def __init__(self, listener: trio.SocketListener, *errors: int) -> None:
        self._listener = listener
        self._errors = list(errors)
        self.socket = listener.socket

    async def accept(self) -> trio.SocketStream:
        if self._errors:
            number = self._errors.pop()
            raise OSError(number, os.strerror(number))
        return await self._listener.accept()


async def test_whatever_goes_wrong_with_accepting_it_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    errors = (errno.EMFILE, errno.EMFILE, errno.ECONNABORTED)
    failing: Any = Failing(listener, *errors)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, [failing], TABLE, answer_at_once)
            async with connect_to(listener.socket.getsockname()[1]) as peer:
                await peer.ask(1)
                assert await peer.answers(1) == [1]
            nursery.cancel_scope.cancel()
    assert [text for text in caplog.messages if "no connection can be accepted" in text] == [
        "no connection can be accepted, trying again: [Errno 103] Software caused connection abort"
    ]


async def test_real_descriptors_run_out_and_come_back() -> None:
    """Those who are connected are served all the while; who waits is, as soon as there is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with listening() as port, connect_to(port) as peer:
        await peer.ask(1)
        assert await peer.answers(1) == [1]
        waiting = trio.socket.socket()
        spare = os.dup(0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (spare + 1, hard))
        try:
            await waiting.connect(("127.0.0.1", port))
            await trio.sleep(0.1)
            await peer.ask(2)
            assert await peer.answers(1) == [2]
        finally:
            os.close(spare)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        late = Peer(trio.SocketStream(waiting))
        await late.ask(3)
        assert await late.answers(1) == [3]
        await late.stream.aclose()


@pytest.mark.req("R455-114", "R455-28")
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\0\0\0\x0c\x03\xe7\0\2\0\0\0\x07\0\2me", ["me", "999", "2"]),
        (b"\0\0\0\x0d\0\x2e\0\x09\0\0\0\x07\0\2me\0", ["me", "46", "9"]),
        # A compact array of length 0 - 1, behind the timeout.
        (
            b"\0\0\0\x13\0\x2d\0\0\0\0\0\x07\0\2me\0\0\0\0\x01\0\0",
            ["AlterPartitionReassignmentsRequest v0", "null"],
        ),
    ],
    ids=["unknown key", "unsupported version", "null topics in 45"],
)
async def test_what_cannot_be_served_closes_and_the_next_connection_is_served(
    data: bytes, told: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with listening() as port:
        async with connect_to(port) as peer:
            await peer.stream.send_all(data)
            assert await peer.is_closed()
        async with connect_to(port) as peer:
            await peer.ask(1)
            assert await peer.answers(1) == [1]
    (line,) = [text for text in caplog.messages if "closing" in text]
    assert all(word in line for word in told), line


async def test_what_the_socket_takes_only_in_part_is_written_to_the_end() -> None:
    """Much is answered at once to a peer that has little room and reads late, and then more."""
    text = "x" * 30_000

    def dispatch(exchange: Exchange) -> None:
        number = numbered(exchange).throttle_time_ms
        exchange.respond(
            ListPartitionReassignmentsResponse(throttle_time_ms=number, error_message=text)
        )

    socket = trio.socket.socket()
    socket.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, 4_096)
    async with listening(dispatch) as port:
        await socket.connect(("127.0.0.1", port))
        async with trio.SocketStream(socket) as stream:
            peer = Peer(stream)
            for start in range(0, 300, 20):
                await peer.ask(*range(start, start + 20))
                await wait_all_tasks_blocked()
            assert await peer.answers(300) == list(range(300))
