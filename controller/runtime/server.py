"""The TCP side of every node and simulated broker: connections in, requests out, answers back.

`serve` is generic over a `Dispatch`, a plain function that is given each request as an `Exchange`
and answers it at once or later. What the bytes mean is `klamm.protocol.connection`'s matter; this
module owns the sockets, the tasks and the limits.

Rules
1. One task reads and one writes per connection. Whatever is answered before the writer runs goes
   out in one `send_all`, so a pipelining client costs one system call per read, not per answer.
2. Reading pauses while too many requests are open or too many bytes wait to be written: a client
   that sends without reading fills its own socket, not our memory.
3. A peer that breaks the protocol gets the answers it is still owed and is closed, with a log
   line that names it. A fault of our own in one exchange closes that connection and is logged
   with its traceback; the others go on.
4. Cancelling `serve` stops accepting, writes within `LINGER` seconds what is already answered, and
   closes.
"""

import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import trio

from klamm.controller.handlers.k18_api_versions import unsupported_version
from klamm.controller.runtime.exchange import Exchange as Exchange
from klamm.controller.runtime.exchange import label
from klamm.protocol.connection import (
    ProtocolViolation,
    Request,
    ServerConnection,
    ServerEvent,
    State,
    UnsupportedApiVersions,
)
from klamm.protocol.errors import EncodeError
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.server")

READ_BYTES = 64 * 1024
LINGER = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one connection may cost.

    `max_request_bytes` is far below Kafka's 100 MiB: a decoded request takes up to 80 times its
    bytes, and moves of 200,000 partitions are 4 MB. `idle_seconds` is Kafka's
    connections.max.idle.ms: without a request for that long the connection is closed.
    """

    max_request_bytes: int = 16 * 1024 * 1024
    max_in_flight: int = 64
    max_unwritten_bytes: int = 1024 * 1024
    idle_seconds: float = 600.0


Dispatch = Callable[[Exchange], None]


async def serve(
    listeners: Iterable[trio.SocketListener],
    supported: Mapping[int, range],
    dispatch: Dispatch,
    limits: Limits = Limits(),
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until cancelled. The listeners are open already, so their ports are known."""

    async def handle(stream: trio.abc.Stream) -> None:
        await serve_stream(stream, supported, dispatch, limits)

    async with trio.open_nursery() as nursery:
        await nursery.start(trio.serve_listeners, handle, list(listeners))
        task_status.started()


async def serve_stream(
    stream: trio.abc.Stream,
    supported: Mapping[int, range],
    dispatch: Dispatch,
    limits: Limits = Limits(),
) -> None:
    """Serve one connection until either side ends it; the stream is closed then."""
    await _Connection(stream, supported, dispatch, limits).run()


class _Connection:
    """One connection's tasks around its protocol state."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        supported: Mapping[int, range],
        dispatch: Dispatch,
        limits: Limits,
    ) -> None:
        self._stream = stream
        self._supported = supported
        self._dispatch = dispatch
        self._limits = limits
        self._protocol = ServerConnection(
            supported,
            max_request_bytes=limits.max_request_bytes,
            max_in_flight=limits.max_in_flight,
        )
        self._unwritten: list[bytes] = []
        self._unwritten_bytes = 0
        self._sending = trio.CancelScope(shield=True)
        self._write_deadline = math.inf
        self._answered = trio.Event()  # wakes both tasks; replaced each time
        self.peer = _peer_name(stream)

    async def run(self) -> None:
        """Read and write until the protocol has ended, then close the stream."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, nursery.cancel_scope)
                nursery.start_soon(self._await_cancellation)
                await self._read()
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            LOG.debug("%s: connection lost", self.peer)
        finally:
            await self._end()

    async def _read(self) -> None:
        while self._protocol.state is not State.CLOSED:
            if self._wants_read():
                events = await self._receive()
            else:
                await self._answered.wait()
                events = self._protocol.resume()
            while events:
                for event in events:
                    self._act(event)
                # Answers given at once have made room for requests that were held back.
                events = self._protocol.resume()
        self._wake()

    def _wants_read(self) -> bool:
        room = self._unwritten_bytes < self._limits.max_unwritten_bytes
        return self._protocol.want_read and room

    async def _receive(self) -> list[ServerEvent]:
        """Take what the socket has; nothing at all if the connection was idle for too long."""
        with trio.move_on_after(self._limits.idle_seconds) as idle:
            data = await self._stream.receive_some(READ_BYTES)
        if self._protocol.state is not State.OPEN:
            return []  # an answer given meanwhile has ended the connection
        if not idle.cancelled_caught:
            return self._protocol.receive_data(data) if data else self._protocol.receive_eof()
        if not self._protocol.in_flight:
            self.close(f"idle for {self._limits.idle_seconds:g} s", logging.INFO)
        return []

    def _act(self, event: ServerEvent) -> None:
        match event:
            case Request():
                if self._protocol.state is State.CLOSED:
                    return  # a request before this one made us disconnect
                exchange = Exchange(self, event)
                try:
                    self._dispatch(exchange)
                except Exception:
                    LOG.exception("%s: fault while serving %s", self.peer, label(event))
                    self.close("a fault of this server", logging.ERROR)
            case UnsupportedApiVersions():
                if self._protocol.state is not State.CLOSED:
                    answer = unsupported_version(self._supported)
                    self._queue(self._protocol.send_response(event, answer))
            case ProtocolViolation(error=error):
                LOG.warning("%s: closing: %s", self.peer, error)
        self._wake()

    def respond(self, request: Request, response: Message) -> None:
        """Put an answer in its place; closes if the response cannot be carried by its version."""
        if self._protocol.state is State.CLOSED:
            return
        try:
            self._queue(self._protocol.send_response(request, response))
        except EncodeError:
            LOG.exception("%s: no answer to %s", self.peer, label(request))
            self.close("a fault of this server", logging.ERROR)
        self._wake()

    def close(self, reason: str, level: int = logging.WARNING) -> None:
        """End the connection after what is already due has been written."""
        if self._protocol.state is not State.CLOSED:
            LOG.log(level, "%s: closing: %s", self.peer, reason)
            self._protocol.close()
            self._linger()
            self._wake()

    def _queue(self, data: bytes) -> None:
        if data:
            self._unwritten.append(data)
            self._unwritten_bytes += len(data)

    def _wake(self) -> None:
        self._answered.set()
        self._answered = trio.Event()

    async def _write(self, connection: trio.CancelScope) -> None:
        while True:
            if self._unwritten:
                await self._flush()
                self._wake()
            elif self._protocol.state is State.CLOSED:
                connection.cancel()
                return
            else:
                await self._answered.wait()

    async def _flush(self) -> None:
        """Write what is due in one call, which is cut short only when lingering is over."""
        data = self._unwritten[0] if len(self._unwritten) == 1 else b"".join(self._unwritten)
        self._unwritten.clear()
        with trio.CancelScope(shield=True, deadline=self._write_deadline) as self._sending:
            await self._stream.send_all(data)
        if self._sending.cancelled_caught:
            raise trio.BrokenResourceError("the peer takes no bytes")
        self._unwritten_bytes -= len(data)

    def _linger(self) -> None:
        """Give the peer a moment to take what is due."""
        self._write_deadline = min(self._write_deadline, trio.current_time() + LINGER)
        self._sending.deadline = self._write_deadline

    async def _await_cancellation(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._linger()

    async def _end(self) -> None:
        """Write what is still owed, if the stream is whole, and close."""
        try:
            if self._unwritten:
                await self._flush()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            LOG.debug("%s: gone before its last answers", self.peer)
        finally:
            if self._protocol.state is not State.CLOSED:
                self._protocol.close()
            await trio.aclose_forcefully(self._stream)


def _peer_name(stream: trio.abc.Stream) -> str:
    if isinstance(stream, trio.SocketStream):
        try:
            host, port = stream.socket.getpeername()[:2]
        except OSError:
            return "a peer that is gone"
        return f"{host}:{port}"
    return type(stream).__name__
