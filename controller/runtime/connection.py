"""One connection of a server: bytes in, requests out, answers back, and what it may cost.

Rules
1. What one read brings is answered, as far as it can be at once, in one write, at the end of that
   read and without a change of tasks. What is answered later, or does not fit into the socket's
   buffer, is written by a task of its own, again all there is in one call.
2. Reading pauses while too many requests are open or too many bytes wait to be written: a client
   that sends without reading fills its own socket, not our memory.
3. A peer that breaks the protocol gets the answers it is still owed and is closed, with a log
   line that names it. A fault of our own in one exchange closes that connection and is logged
   with its traceback; the others go on.
4. Whoever keeps us waiting is closed: a peer that sends nothing, one that begins a request and
   does not end it, however many pieces it sends, and one that does not take its answers.
"""

import logging
import math
import os
from collections.abc import Callable, Mapping

import trio

from klamm.controller.handlers.k18_api_versions import unsupported_version
from klamm.controller.runtime.complaints import Complaints
from klamm.controller.runtime.exchange import Exchange, label
from klamm.controller.runtime.limits import Limits
from klamm.controller.runtime.peer_names import explained, peer_name
from klamm.controller.security.principals import Client
from klamm.protocol.connection import (
    Encoded,
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

Dispatch = Callable[[Exchange], None]


class Connection:
    """A stream being served; what `Exchange` answers by.

    `client` is who is at its other end, `rest` what has been read of it before.
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        supported: Mapping[int, range],
        dispatch: Dispatch,
        limits: Limits,
        complain: Complaints,
        client: Client,
        rest: bytes = b"",
    ) -> None:
        self._stream = stream
        self._rest = rest
        self.client = client
        self._socket = stream.socket if isinstance(stream, trio.SocketStream) else None
        self._supported = supported
        self._dispatch = dispatch
        self._limits = limits
        self._complain = complain
        self._protocol = ServerConnection(
            supported,
            max_request_bytes=limits.max_request_bytes,
            max_in_flight=limits.max_in_flight,
        )
        self._unwritten: list[bytes] = []
        self._unwritten_bytes = 0
        self._acting = False
        self._flushing = False
        self._sending = trio.CancelScope(shield=True)
        self._write_deadline = math.inf
        self._last_active = trio.current_time()
        self._request_begun = math.inf
        self._reader = trio.lowlevel.ParkingLot()
        self._writer = trio.lowlevel.ParkingLot()
        self.peer = peer_name(stream)

    async def run(self) -> None:
        """Read and write until the protocol has ended, then close the stream."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, nursery.cancel_scope)
                nursery.start_soon(self._watch)
                await self._read()
        except* (trio.BrokenResourceError, trio.ClosedResourceError):
            LOG.debug("%s: connection lost", self.peer)
        finally:
            await self._end()

    # --- reading -----------------------------------------------------------------------------

    async def _read(self) -> None:
        while self._protocol.state is not State.CLOSED:
            if self._wants_read():
                events = await self._receive()
            else:
                await self._reader.park()
                events = self._protocol.resume()
            self._acting = True
            begun_anew = bool(events)
            while events:
                for event in events:
                    self._act(event)
                # Answers given at once have made room for requests that were held back.
                events = self._protocol.resume()
            self._acting = False
            if not self._protocol.mid_request:
                self._request_begun = math.inf
            elif begun_anew or self._request_begun == math.inf:
                self._request_begun = trio.current_time()
            self._write_now()
        self._writer.unpark_all()

    def _wants_read(self) -> bool:
        room = self._unwritten_bytes < self._limits.max_unwritten_bytes
        return self._protocol.want_read and room

    async def _receive(self) -> list[ServerEvent]:
        data = await self._receive_some()
        self._last_active = trio.current_time()
        if self._protocol.state is not State.OPEN:
            return []  # an answer given meanwhile has ended the connection
        return self._protocol.receive_data(data) if data else self._protocol.receive_eof()

    async def _receive_some(self) -> bytes | bytearray:
        """Read as the stream does, at half its cost.

        The others go first: by the time that they have been served, the next request is there more
        often than not, and to wait for it would cost more than to take it.
        """
        if self._rest:
            rest, self._rest = self._rest, b""
            return rest
        if self._socket is None:
            return await self._stream.receive_some(READ_BYTES)
        await trio.lowlevel.checkpoint()
        while True:
            try:
                return os.read(self._socket.fileno(), READ_BYTES)
            except BlockingIOError:
                await trio.lowlevel.wait_readable(self._socket)
            except OSError as error:
                raise trio.BrokenResourceError(str(error)) from error

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
                self._complain(logging.WARNING, "%s: closing: %s", self.peer, explained(error))

    # --- answers -----------------------------------------------------------------------------

    def respond(self, request: Request, response: Message | Encoded) -> None:
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
            self._complain(level, "%s: closing: %s", self.peer, reason)
            self._protocol.close()
            self._linger()
            self._wake()

    def _queue(self, data: bytes) -> None:
        if data:
            self._unwritten.append(data)
            self._unwritten_bytes += len(data)

    def _wake(self) -> None:
        """Write, and let both tasks look again; while the reader acts, it will do so itself."""
        if not self._acting:
            self._last_active = trio.current_time()
            self._write_now()
            self._reader.unpark_all()

    # --- writing -----------------------------------------------------------------------------

    def _write_now(self) -> None:
        """Write what the socket takes at once; the writer has the rest, and any error."""
        if self._unwritten and self._socket is not None and not self._flushing:
            data = self._take_unwritten()
            try:
                written = os.write(self._socket.fileno(), data)
            except OSError:
                written = 0  # no room; or the peer is gone, as the writer will find
            self._unwritten_bytes -= written
            if written < len(data):
                self._unwritten.insert(0, data[written:])
        if self._unwritten or self._protocol.state is State.CLOSED:
            self._writer.unpark_all()

    def _take_unwritten(self) -> bytes:
        data = self._unwritten[0] if len(self._unwritten) == 1 else b"".join(self._unwritten)
        self._unwritten.clear()
        return data

    async def _write(self, connection: trio.CancelScope) -> None:
        while True:
            if self._unwritten:
                await self._flush()
                self._reader.unpark_all()
            elif self._protocol.state is State.CLOSED:
                connection.cancel()
                return
            else:
                await self._writer.park()

    async def _flush(self) -> None:
        """Write what is due in one call, which is cut short only when its time is over."""
        data = self._take_unwritten()
        deadline = min(self._write_deadline, trio.current_time() + self._limits.write_seconds)
        self._flushing = True
        try:
            with trio.CancelScope(shield=True, deadline=deadline) as self._sending:
                await self._stream.send_all(data)
        finally:
            self._flushing = False
        if self._sending.cancelled_caught:
            self._complain(logging.WARNING, "%s: closing: it takes no answers", self.peer)
            raise trio.BrokenResourceError("the peer takes no bytes")
        self._unwritten_bytes -= len(data)

    def _linger(self) -> None:
        """Give the peer a moment to take what is due."""
        self._write_deadline = min(self._write_deadline, trio.current_time() + LINGER)
        self._sending.deadline = min(self._sending.deadline, self._write_deadline)

    # --- the end -----------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Close what keeps us waiting; and when the server ends, give the peer a last moment."""
        limits = self._limits
        period = min(limits.idle_seconds, limits.request_seconds) / 4
        try:
            while True:
                now = trio.current_time()
                idle = math.inf if self._protocol.in_flight else limits.idle_seconds
                idle_at = self._last_active + idle
                late_at = self._request_begun + limits.request_seconds
                if late_at <= now:
                    self.close(f"a request was not whole after {limits.request_seconds:g} s")
                elif idle_at <= now:
                    self.close(f"idle for {limits.idle_seconds:g} s", logging.INFO)
                # A request that begins meanwhile is looked at a period later at most.
                await trio.sleep_until(
                    min(now + period, *(at for at in (late_at, idle_at) if at > now))
                )
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
