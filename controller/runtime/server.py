"""The TCP side of every node and simulated broker: connections in, requests out, answers back.

`serve` is generic over a `Dispatch`, a plain function that is given each request as an `Exchange`
and answers it at once or later. What the bytes mean is `klamm.protocol.connection`'s matter, one
connection `klamm.controller.runtime.connection`'s; this module accepts and admits them.

Rules
1. Nothing ends the accept loop but cancelling it. When there is no file descriptor left, or
   whatever else goes wrong, it says so once, waits, and goes on.
2. A connection above a limit is closed at once, with a line in the log. Kafka lets it wait
   instead (max.connections); a client that hears nothing does not try another node.
3. Cancelling `serve` stops accepting, writes within `LINGER` seconds what is already answered, and
   closes.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping

import trio

from klamm.controller.runtime.authentication import Admitted, Entrance, Guard
from klamm.controller.runtime.complaints import Complaints
from klamm.controller.runtime.connection import LOG, Connection, Dispatch
from klamm.controller.runtime.exchange import Exchange as Exchange
from klamm.controller.runtime.limits import DEFAULT_LIMITS, Limits
from klamm.controller.runtime.listeners import PLAINTEXT
from klamm.controller.runtime.peer_names import peer_name
from klamm.controller.security.authenticator import RefusedError
from klamm.controller.security.principals import ANONYMOUS, Client

#: How long the accept loop waits after an error, from the first to the longest.
PAUSES = (0.05, 1.0)

#: Lets everybody in, as nobody in particular.
OPEN = Entrance(Guard(PLAINTEXT), {})


class Admission:
    """Who is connected, and who may be."""

    def __init__(self, limits: Limits) -> None:
        self.complain = Complaints(LOG)
        self._limits = limits
        self._by_address: Counter[str] = Counter()
        self._connections = 0

    def enters(self, address: str) -> bool:
        """Count a connection, or refuse it."""
        limits, of_address = self._limits, self._by_address[address]
        if self._connections >= limits.max_connections:
            refusal = f"max.connections is {limits.max_connections}"
        elif of_address >= limits.max_connections_per_ip:
            refusal = f"max.connections.per.ip is {limits.max_connections_per_ip}"
        else:
            self._connections += 1
            self._by_address[address] += 1
            return True
        if not of_address:
            del self._by_address[address]
        self.complain(logging.WARNING, "%s: refused a connection: %s", address, refusal)
        return False

    def left(self, address: str) -> None:
        """Forget a connection."""
        self._connections -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


async def serve(
    listeners: Iterable[trio.SocketListener],
    supported: Mapping[int, range],
    dispatch: Dispatch,
    limits: Limits = DEFAULT_LIMITS,
    entrance: Entrance = OPEN,
    admission: Admission | None = None,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until cancelled. The listeners are open already, so their ports are known.

    Peers come in by `entrance`. Servers that share an `admission` share its limits.
    """
    admission = admission or Admission(limits)

    async def handle(stream: trio.SocketStream, address: str) -> None:
        try:
            admitted = await _admit(stream, address, entrance, admission.complain)
            if admitted is not None:
                await Connection(
                    admitted.stream,
                    supported,
                    dispatch,
                    limits,
                    admission.complain,
                    admitted.client,
                    admitted.rest,
                ).run()
        finally:
            admission.left(address)

    async def accept(listener: trio.SocketListener) -> None:
        # Closed as soon as this is cancelled: while others linger, nobody is to find us here.
        with listener.socket:
            while True:
                stream = await _accept(listener)
                address = _address(stream)
                if admission.enters(address):
                    nursery.start_soon(handle, stream, address)
                else:
                    await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(accept, listener)
        task_status.started()


async def serve_stream(
    stream: trio.abc.Stream,
    supported: Mapping[int, range],
    dispatch: Dispatch,
    limits: Limits = DEFAULT_LIMITS,
    complain: Complaints | None = None,
) -> None:
    """Serve one connection, whoever it is, until it ends, and close it."""
    client = Client(ANONYMOUS, "", PLAINTEXT)
    await Connection(stream, supported, dispatch, limits, complain or Complaints(LOG), client).run()


async def _admit(
    stream: trio.SocketStream, address: str, entrance: Entrance, complain: Complaints
) -> Admitted | None:
    """Find out who comes; None, the connection closed, for those that are not let in."""
    admitted = None
    try:
        admitted = await entrance.admit(stream, address)
    except RefusedError as refused:
        complain(logging.WARNING, "%s: not let in: %s", peer_name(stream), refused)
    except Exception:
        LOG.exception("%s: fault while letting it in", peer_name(stream))
    finally:
        if admitted is None:  # nor is it when the server ends meanwhile
            await trio.aclose_forcefully(stream)
    return admitted


async def _accept(listener: trio.SocketListener) -> trio.SocketStream:
    """Wait for a connection, whatever goes wrong meanwhile."""
    pause, longest = PAUSES
    said = False
    while True:
        try:
            return await listener.accept()
        except OSError as error:
            if not said:
                said = True
                LOG.error("no connection can be accepted, trying again: %s", error)
        await trio.sleep(pause)
        pause = min(pause * 2, longest)


def _address(stream: trio.SocketStream) -> str:
    """The peer's IP address; all of those that are gone already share one."""
    try:
        address: str = stream.socket.getpeername()[0]
    except OSError:
        return "a peer that is gone"
    return address
