"""Orders to simulated brokers from outside: one JSON object per line, over TCP on 127.0.0.1.

    {"action": "freeze", "broker": 3}               {"ok": true}
    {"action": "lag", "broker": 3, "rate": 1000}    {"ok": true}
    {"action": "status"}                            {"ok": true, "brokers": [...]}
    {"action": "freeze", "broker": 9}               {"error": "there is no broker 9 here; ..."}

Every line gets one line, in order. `ACTIONS` has all actions. Whoever can connect may give
orders: it is for one machine, for tests and for trying things out.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from klamm.controller.core.model import TopicPartition
from klamm.controller.runtime.controller import open_listeners

if TYPE_CHECKING:
    # It imports this module itself.
    from klamm.tools.brokers.server import SimulatedBrokers

LOG = logging.getLogger("klamm.brokers")

HOST = "127.0.0.1"

#: Longer lines are refused, and the connection closed: nobody can tell where the next one begins.
MAX_LINE = 64 * 1024


class _Order(msgspec.Struct, tag_field="action", forbid_unknown_fields=True):
    """An order; `carry_out` returns what to say besides "ok", or raises ValueError."""


class Status(_Order, tag="status"):
    """Tell sizes, rates, roles, throttles and moves of every broker."""

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Look."""
        return {"brokers": brokers.status()}


class Freeze(_Order, tag="freeze"):
    """Stop fetching: the broker lives and answers, and never catches up."""

    broker: int

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Freeze the broker."""
        brokers.freeze(self.broker)
        return {}


class Thaw(_Order, tag="thaw"):
    """Fetch again as fast as possible, after freeze or lag."""

    broker: int

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Thaw the broker."""
        brokers.thaw(self.broker)
        return {}


class Lag(_Order, tag="lag"):
    """Fetch slowly: at most `rate` bytes/s, or in bursts with pauses of `seconds`."""

    broker: int
    rate: float | None = None
    seconds: float | None = None

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Slow the broker down."""
        match self.rate, self.seconds:
            case float() as rate, None:
                brokers.slow_down(self.broker, rate)
            case None, float() as seconds:
                brokers.pause(self.broker, seconds)
            case _:
                raise ValueError("lag takes either a rate in bytes/s or a pause in seconds")
        return {}


class Produce(_Order, tag="produce"):
    """Write `rate` bytes/s to one partition, or to each that has no rate of its own.

    The partition must be on a disk here, or the order would do nothing and not say so.
    """

    rate: float
    topic: str | None = None
    partition: int | None = None

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Set the rate."""
        match self.topic, self.partition:
            case None, None:
                brokers.produce(self.rate)
            case str() as topic, int() as partition:
                name = TopicPartition(topic, partition)
                _check_partition(brokers, name)
                brokers.produce(self.rate, name)
            case _:
                raise ValueError("produce takes both a topic and a partition, or neither")
        return {}


class FailDirectory(_Order, tag="fail-dir"):
    """Break a log directory: what is in it is gone for good."""

    broker: int
    directory: str

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Break it."""
        brokers.fail_directory(self.broker, self.directory)
        return {}


class Kill(_Order, tag="kill"):
    """End at once like kill -9; the registration stays until the session times out.

    How long that takes is said as `session_seconds`, unless the session is ended too.
    """

    broker: int
    end_session: bool = False

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Kill the broker."""
        await brokers.kill(self.broker, end_session=self.end_session)
        if self.end_session:
            return {}
        return {"session_seconds": brokers.brokers[self.broker].session_seconds}


class Stop(_Order, tag="stop"):
    """Shut down in good order: the controller moves leaders away first."""

    broker: int

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Stop the broker."""
        return {"controlled": await brokers.stop(self.broker)}


class Return(_Order, tag="return"):
    """Start again on the same disks and port, once the old registration is gone.

    With `new_disks` new, empty ones are in the place of those that broke.
    """

    broker: int
    new_disks: bool = False

    async def carry_out(self, brokers: SimulatedBrokers) -> Mapping[str, Any]:
        """Start the broker."""
        await brokers.start(self.broker, new_disks=self.new_disks)
        return {}


AnyOrder = Status | Freeze | Thaw | Lag | Produce | FailDirectory | Kill | Stop | Return

ACTIONS: Mapping[str, type[AnyOrder]] = {
    "status": Status,
    "freeze": Freeze,
    "thaw": Thaw,
    "lag": Lag,
    "produce": Produce,
    "fail-dir": FailDirectory,
    "kill": Kill,
    "stop": Stop,
    "return": Return,
}

_ORDERS = msgspec.json.Decoder(AnyOrder)


def _check_partition(brokers: SimulatedBrokers, name: TopicPartition) -> None:
    """Raise ValueError for a partition that is on no broker's disks."""
    found = {log for broker in brokers.brokers for log in brokers.cluster.logs(broker)}
    if name in found:
        return
    numbers = sorted(log.partition for log in found if log.topic == name.topic)
    if not numbers:
        raise ValueError(f"no broker here has a replica of a topic {name.topic!r}")
    raise ValueError(
        f"no broker here has a replica of {name}; of {name.topic} there are {len(numbers)}"
        f" partitions here, {numbers[0]} to {numbers[-1]}"
    )


async def obey(brokers: SimulatedBrokers, line: bytes) -> bytes:
    """Carry out one line, and return the line that answers it; both without line ends."""
    try:
        order = _ORDERS.decode(line)
        said = {"ok": True, **await order.carry_out(brokers)}
    except (msgspec.DecodeError, ValueError) as error:
        said = {"error": str(error)}
    return msgspec.json.encode(said)


async def serve_control(
    brokers: SimulatedBrokers,
    port: int,
    *,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Take orders until cancelled; `task_status` is told the port. Raises ListenError if taken."""
    listeners = await open_listeners(HOST, port)
    bound: int = listeners[0].socket.getsockname()[1]

    async def converse(stream: trio.SocketStream) -> None:
        await _converse(stream, lambda line: obey(brokers, line))

    async with trio.open_nursery() as nursery:
        await nursery.start(trio.serve_listeners, converse, listeners)
        task_status.started(bound)


async def _converse(stream: trio.SocketStream, answer: Callable[[bytes], Awaitable[bytes]]) -> None:
    """Answer line by line until the peer ends, or sends a line without an end."""
    unread = b""
    try:
        async with stream:
            while received := await stream.receive_some(MAX_LINE):
                *lines, unread = (unread + received).split(b"\n")
                for line in lines:
                    await stream.send_all(await answer(line) + b"\n")
                if len(unread) > MAX_LINE:
                    refusal = {"error": f"a line has more than {MAX_LINE} bytes"}
                    await stream.send_all(msgspec.json.encode(refusal) + b"\n")
                    return
    except trio.BrokenResourceError:
        LOG.debug("a control connection was lost")
