"""Orders to simulated brokers from outside: one JSON object per line, over TCP on 127.0.0.1.

    {"action": "freeze", "broker": 3}               {"ok": true}
    {"action": "lag", "broker": 3, "rate": 1000}    {"ok": true}
    {"action": "status"}                            {"ok": true, "brokers": [...]}
    {"action": "freeze", "broker": 9}               {"error": "there is no broker 9 here; ..."}

Every line gets one line, in order. `ACTIONS` has all actions. Whoever can connect may give
orders: it is for one machine, for tests and for trying things out.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec
import trio

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.status import BrokerStatus

LOG = logging.getLogger("klamm.brokers")

HOST = "127.0.0.1"

#: Longer lines are refused, and the connection closed: nobody can tell where the next one begins.
MAX_LINE = 64 * 1024


class Brokers(Protocol):
    """What obeys: `klamm.tools.brokers.server.SimulatedBrokers`."""

    def status(self) -> tuple[BrokerStatus, ...]:
        """Look at all brokers."""

    def freeze(self, broker: int) -> None:
        """Stop a broker's fetching."""

    def thaw(self, broker: int) -> None:
        """Let a broker fetch again."""

    def slow_down(self, broker: int, rate: float) -> None:
        """Limit a broker's fetching."""

    def pause(self, broker: int, seconds: float) -> None:
        """Let a broker fetch in bursts."""

    def produce(self, rate: float, name: TopicPartition | None = None) -> None:
        """Change what producers write."""

    def fail_directory(self, broker: int, directory: str) -> None:
        """Break a log directory."""

    async def kill(self, broker: int, *, end_session: bool = False) -> None:
        """End a broker without a word."""

    async def stop(self, broker: int) -> bool:
        """End a broker in good order."""

    async def start(self, broker: int) -> None:
        """Start an ended broker."""


class _Order(msgspec.Struct, tag_field="action", forbid_unknown_fields=True):
    """An order; `carry_out` returns what to say besides "ok", or raises ValueError."""


class Status(_Order, tag="status"):
    """Tell sizes, rates, roles, throttles and moves of every broker."""

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Look."""
        return {"brokers": brokers.status()}


class Freeze(_Order, tag="freeze"):
    """Stop fetching: the broker lives and answers, and never catches up."""

    broker: int

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Freeze the broker."""
        brokers.freeze(self.broker)
        return {}


class Thaw(_Order, tag="thaw"):
    """Fetch again as fast as possible, after freeze or lag."""

    broker: int

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Thaw the broker."""
        brokers.thaw(self.broker)
        return {}


class Lag(_Order, tag="lag"):
    """Fetch slowly: at most `rate` bytes/s, or in bursts with pauses of `seconds`."""

    broker: int
    rate: float | None = None
    seconds: float | None = None

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
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
    """Write `rate` bytes/s to one partition, or to each that has no rate of its own."""

    rate: float
    topic: str | None = None
    partition: int | None = None

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Set the rate."""
        match self.topic, self.partition:
            case None, None:
                brokers.produce(self.rate)
            case str() as topic, int() as partition:
                brokers.produce(self.rate, TopicPartition(topic, partition))
            case _:
                raise ValueError("produce takes both a topic and a partition, or neither")
        return {}


class FailDirectory(_Order, tag="fail-dir"):
    """Break a log directory: what is in it is gone for good."""

    broker: int
    directory: str

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Break it."""
        brokers.fail_directory(self.broker, self.directory)
        return {}


class Kill(_Order, tag="kill"):
    """End at once like kill -9; the registration stays until the session times out."""

    broker: int
    end_session: bool = False

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Kill the broker."""
        await brokers.kill(self.broker, end_session=self.end_session)
        return {}


class Stop(_Order, tag="stop"):
    """Shut down in good order: the controller moves leaders away first."""

    broker: int

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Stop the broker."""
        return {"controlled": await brokers.stop(self.broker)}


class Return(_Order, tag="return"):
    """Start again on the same disks and port, once the old registration is gone."""

    broker: int

    async def carry_out(self, brokers: Brokers) -> Mapping[str, Any]:
        """Start the broker."""
        await brokers.start(self.broker)
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


async def obey(brokers: Brokers, line: bytes) -> bytes:
    """Carry out one line, and return the line that answers it; both without line ends."""
    try:
        order = _ORDERS.decode(line)
        said = {"ok": True, **await order.carry_out(brokers)}
    except (msgspec.DecodeError, ValueError) as error:
        said = {"error": str(error)}
    return msgspec.json.encode(said)


async def serve_control(
    brokers: Brokers, port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Take orders until cancelled; `task_status` is told the port. Raises OSError if taken."""
    listeners = await trio.open_tcp_listeners(port, host=HOST)
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
