"""What is on its way between hosts: one link per controller node and broker, with one connection.

As in Kafka a link has one request in flight. TCP keeps the order within a connection, so nothing
is reordered there; but when a connection ends, a request that was on its way may still be read by
the other side later, when another connection has long brought others; see `overtaken` for those
of which only their order tells which is newer. Loss comes from the end of a connection alone, and
doubles from whoever repeats.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from klamm.controller.core.model import Broker
from klamm.controller.node.effects import Send
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message


@dataclass(slots=True)
class Link:
    """A node's link to a broker, or another node, as it is registered.

    `queue` waits for its turn. `answered` is the request that the other side has taken in, and
    `answer` its response, on its way back.
    """

    broker: Broker
    queue: deque[Send] = field(default_factory=deque)
    answered: Send | None = None
    answer: Message | None = None

    @property
    def next(self) -> Send | None:
        """The request that the other side may take in now."""
        return self.queue[0] if self.queue and self.answered is None else None

    def arrive(self, answer: Message) -> None:
        """The other side has taken the next request in."""
        self.answered = self.queue.popleft()
        self.answer = answer

    def end(self) -> Send | None:
        """End the connection; return the request that was in flight, if there was one."""
        if self.answered is not None:
            lost, self.answered, self.answer = self.answered, None, None
            return lost
        return self.queue.popleft() if self.queue else None


@dataclass(frozen=True, slots=True)
class Late:
    """A request whose connection has ended before it was taken in, and that may still be."""

    source: str
    send: Send


def overtaken(late: deque[Late], source: str, send: Send) -> deque[Late]:
    """Return what may still be taken in of late requests, once a later one of a node has been.

    LeaderAndIsr and StopReplica may come in any order: they carry leader epochs. UpdateMetadata
    carries epochs of the controller and the broker alone, so that nothing but its place in the
    broker's queue says which is newer. What a connection's end left unread is lost there, or it is
    in that queue before anything that the next connection brings. Source: Kafka 3.9, RequestChannel
    (one queue for all connections of a plane), MetadataCache.updateMetadata.
    """
    if not isinstance(send.message, UpdateMetadataRequest):
        return late
    return deque(
        each
        for each in late
        if each.source != source or not isinstance(each.send.message, UpdateMetadataRequest)
    )


@dataclass(slots=True)
class AskOnTheWay:
    """A broker's ask of the controller: a request, and once it was answered the response.

    `target` is the node that was asked, "" if the broker knows of none. `number` is the broker's.
    """

    broker: str
    target: str
    number: int
    version: int
    request: Message
    taken: bool = False
    response: Message | None = None
    lost: bool = False
