"""Links to brokers: one task and one connection per broker, one request in flight, in order.

Kafka's controller does the same (ControllerChannelManager, RequestSendThread): the client id is
the controller's id as text, no ApiVersions goes first, a lost connection is opened again after
100 ms, and 30 s without an answer count as lost. Unlike Kafka's, a link never repeats a request by
itself: it reports that no answer came, and the node decides what is still worth saying.
"""

import logging
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import trio

from klamm.controller.brokers.messages import endpoint_between_brokers
from klamm.controller.core.model import Broker
from klamm.controller.node.effects import Send
from klamm.controller.node.inputs import BrokerAnswer
from klamm.controller.runtime.conversation import Connect, LinkLostError, connect_tcp, converse
from klamm.protocol.connection import ClientConnection
from klamm.protocol.errors import EncodeError
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.links")

Post = Callable[[BrokerAnswer], None]


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How a node talks to brokers.

    `listener` names the endpoint to use; a broker that has none of that name is reached by its
    first. `request_seconds` is Kafka's request.timeout.ms and covers the connecting too.
    `unsendable_seconds` is the pause after a request that no version of it can carry.
    """

    client_id: str
    listener: str = "PLAINTEXT"
    request_seconds: float = 30.0
    reconnect_seconds: float = 0.1
    unsendable_seconds: float = 5.0
    connect: Connect = connect_tcp


class Links:
    """The links of one node. `post` gets one `BrokerAnswer` per send, in order per broker."""

    def __init__(self, nursery: trio.Nursery, post: Post, settings: LinkSettings) -> None:
        self._nursery = nursery
        self._post = post
        self._settings = settings
        self._links: dict[int, _Link] = {}

    def send(self, send: Send) -> None:
        """Queue a request; the broker's link is opened, or opened anew if it has registered anew.

        Also if only its endpoint has changed: no request is in flight when the next one is sent.
        """
        link = self._links.get(send.broker.id)
        if link is None or link.broker != send.broker:
            self.close(send.broker.id)
            link = _Link(send.broker, self._post, self._settings)
            self._links[send.broker.id] = link
            self._nursery.start_soon(link.run)
        link.queue(send)

    def close(self, broker: int) -> None:
        """Close the link to a broker; what it was sent gets no answer any more."""
        link = self._links.pop(broker, None)
        if link is not None:
            link.cancel()

    def close_all(self) -> None:
        """Close every link."""
        for broker in tuple(self._links):
            self.close(broker)


class _Link:
    """A broker as it is registered: the queue, the connection, the task that serves both."""

    def __init__(self, broker: Broker, post: Post, settings: LinkSettings) -> None:
        self.broker = broker
        self._post = post
        self._settings = settings
        self._endpoint = endpoint_between_brokers(broker, settings.listener)
        self._queue: deque[Send] = deque()
        self._queued = trio.Event()
        self._scope = trio.CancelScope()
        self._stream: trio.abc.Stream | None = None
        self._protocol = ClientConnection(settings.client_id)
        self._connect_at = -math.inf  # not before this moment

    def queue(self, send: Send) -> None:
        """Add a request behind those that wait."""
        self._queue.append(send)
        self._queued.set()

    def cancel(self) -> None:
        """End the link; nothing is posted for it after this."""
        self._scope.cancel()

    async def run(self) -> None:
        """Send what is queued, one at a time, until cancelled."""
        with self._scope:
            try:
                while True:
                    while not self._queue:
                        self._queued = trio.Event()
                        await self._queued.wait()
                    send = self._queue.popleft()
                    response = await self._ask(send)
                    if not self._scope.cancel_called:
                        broker = self.broker
                        self._post(BrokerAnswer(broker.id, broker.epoch, send.send, response))
            finally:
                await self._disconnect()

    async def _ask(self, send: Send) -> Message | None:
        """Send and await the answer; None, the connection closed, if none came."""
        pause = self._settings.reconnect_seconds
        try:
            with trio.fail_after(self._settings.request_seconds):
                stream = await self._connected()
                return await converse(stream, self._protocol, send.message, send.version)
        except EncodeError as error:
            # Decoders of znodes keep such values out. If one comes through, all others go on.
            LOG.error("broker %d: a request cannot be sent: %s", self.broker.id, error)
            pause = self._settings.unsendable_seconds
        except (LinkLostError, OSError, trio.BrokenResourceError, trio.TooSlowError) as error:
            LOG.info("broker %d: no answer: %s", self.broker.id, error or type(error).__name__)
        await self._disconnect()
        self._connect_at = trio.current_time() + pause
        return None

    async def _connected(self) -> trio.abc.Stream:
        if self._endpoint is None:
            raise LinkLostError("its registration has no endpoint")
        if self._stream is None:
            await trio.sleep_until(self._connect_at)
            self._stream = await self._settings.connect(self._endpoint)
            self._protocol = ClientConnection(self._settings.client_id)
        return self._stream

    async def _disconnect(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await trio.aclose_forcefully(stream)
