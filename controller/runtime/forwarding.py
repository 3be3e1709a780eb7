"""Requests passed on to the controller by a node that is not it.

Kafka leaves it to clients to find the controller; klamm.request.forwarding.enable has this done
for 45 and 46. The requests of KIP-179 that only a controller can carry out, 17900 and 17902, may
be sent to any broker by its text: they are passed on wherever they are served at all.

Rules
1. There is one connection per controller, opened by the first request, kept, and pipelined: it
   carries requests in the order in which they came, with correlation ids of its own and the
   client id of whoever asked.
2. Each request is answered once: by what the controller says, or by NOT_CONTROLLER if the
   connection is lost, if the own timeout of a 45 or 46 is over, if too many wait already, or if
   the node ends. NOT_CONTROLLER may mean that the request was carried out all the same, as it may
   without forwarding; a repeated one does no harm.
3. A connection whose oldest request has waited for `LONGEST_SECONDS` is lost, whoever still
   waits for that one: the answers behind it would never come. So nobody waits longer than that.
4. What was passed on bears a tagged field in its header, which Kafka ignores, and is not passed on
   again: two nodes that take each other for the controller do not play ball.
"""

import logging
import math
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import NoReturn

import trio

from klamm.controller.brokers.metadata import MetadataCache
from klamm.controller.core.model import Endpoint
from klamm.controller.handlers import (
    k45_alter_partition_reassignments,
    k46_list_partition_reassignments,
    k17900_assign_partitions,
    k17902_alter_topics,
)
from klamm.controller.runtime.conversation import (
    READ_BYTES,
    Connect,
    LinkLostError,
    connect_tcp,
)
from klamm.controller.security.acls import Operation
from klamm.protocol.connection import ClientConnection, ProtocolViolation, Request
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_topics_request import AlterTopicsRequest
from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.forwarding")

#: How long a request waits at most, whatever timeout it names; the default of Kafka's
#: request.timeout.ms.
LONGEST_SECONDS = 30.0

#: How many requests may wait for controllers at a time.
MOST_WAITING = 256

#: The tag that says that a request was passed on; far from those that Kafka gives out.
FORWARDED_TAG = 27_500

Forwardable = (
    AlterPartitionReassignmentsRequest
    | ListPartitionReassignmentsRequest
    | AlterTopicsRequest
    | AssignPartitionsRequest
)

#: What is passed on only by nodes that are told to, and what by all that serve it.
ON_REQUEST = frozenset({AlterPartitionReassignmentsRequest, ListPartitionReassignmentsRequest})
ALWAYS = frozenset({AlterTopicsRequest, AssignPartitionsRequest})

#: What a client must be allowed to do with the cluster before its request is passed on: the
#: controller takes it for one of this node.
NEEDED_FOR: Mapping[type[Message], Operation] = {
    AlterPartitionReassignmentsRequest: Operation.ALTER,
    ListPartitionReassignmentsRequest: Operation.DESCRIBE,
    AlterTopicsRequest: Operation.CLUSTER_ACTION,
    AssignPartitionsRequest: Operation.CLUSTER_ACTION,
}

NOT_CONTROLLER: Mapping[type[Message], Message] = {
    AlterPartitionReassignmentsRequest: k45_alter_partition_reassignments.NOT_CONTROLLER,
    ListPartitionReassignmentsRequest: k46_list_partition_reassignments.NOT_CONTROLLER,
    AlterTopicsRequest: k17902_alter_topics.NOT_CONTROLLER,
    AssignPartitionsRequest: k17900_assign_partitions.NOT_CONTROLLER,
}


def destination(
    request: Request, metadata: MetadataCache, node_id: int, listener: str
) -> Endpoint | None:
    """Return where a node out of office passes a request on to; None if it answers itself.

    That is the controller that its metadata names, unless it is the node's own former self.
    """
    if any(tag == FORWARDED_TAG for tag, _ in request.header.unknown_tagged_fields):
        return None
    if metadata.controller_id == node_id:
        return None
    return metadata.endpoint(metadata.controller_id, listener)


class Forwarder:
    """Passes requests on while `run` runs; before and after, it answers NOT_CONTROLLER.

    `kinds` are the requests that it passes on; all others are the node's own to answer.
    """

    def __init__(
        self,
        connect: Connect = connect_tcp,
        most_waiting: int = MOST_WAITING,
        kinds: Collection[type[Message]] = ON_REQUEST | ALWAYS,
    ) -> None:
        self.kinds = frozenset(kinds)
        self._connect = connect
        self._most_waiting = most_waiting
        self._links: dict[Endpoint, _Link] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled; what waits then is answered."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def forward(
        self,
        endpoint: Endpoint,
        client_id: str | None,
        body: Forwardable,
        on_answer: Callable[[Message], None],
        version: int = 0,
    ) -> None:
        """Pass a request of this version on.

        `on_answer` is called once, on this thread, at once or later.
        """
        if self._nursery is None:
            on_answer(NOT_CONTROLLER[type(body)])
            return
        if sum(link.waiting for link in self._links.values()) >= self._most_waiting:
            LOG.info("%d requests wait for controllers, one more is refused", self._most_waiting)
            on_answer(NOT_CONTROLLER[type(body)])
            return
        link = self._links.get(endpoint)
        if link is None or link.ended:
            self._links = {at: each for at, each in self._links.items() if not each.ended}
            link = self._links[endpoint] = _Link(endpoint, self._connect)
            self._nursery.start_soon(link.run)
        # Sent here and not by its task: tasks start in any order, requests keep theirs.
        wait = link.send(client_id, body, _version(body, version))
        self._nursery.start_soon(
            _answer, wait, _patience(body), NOT_CONTROLLER[type(body)], on_answer
        )


def _patience(body: Forwardable) -> float:
    """Return for how many seconds an answer is waited for.

    A number that a client was not told is lost to it, so the timeouts of requests that count are
    the controller's to honour, or to ignore.
    """
    return math.inf if type(body) in ALWAYS else max(0.0, body.timeout_ms / 1000)


def _version(body: Forwardable, asked: int) -> int:
    """Return the version to ask the controller in: the lowest that carries the request.

    A list's own version says what the answer has to tell.
    """
    if isinstance(body, AlterPartitionReassignmentsRequest):
        return 0 if body.allow_replication_factor_change else 1
    return asked


class _Wait:
    """A request that waits: `over` when it has its response, or when there will be none."""

    def __init__(self) -> None:
        self.since = trio.current_time()
        self.response: Message | None = None
        self.over = trio.Event()


async def _answer(
    wait: _Wait, seconds: float, otherwise: Message, on_answer: Callable[[Message], None]
) -> None:
    try:
        with trio.move_on_after(seconds):
            await wait.over.wait()
    finally:
        on_answer(otherwise if wait.response is None else wait.response)


class _Link:
    """A connection to a controller, from the first request to its loss."""

    def __init__(self, endpoint: Endpoint, connect: Connect) -> None:
        self._endpoint = endpoint
        self.ended = False
        self._connect = connect
        self._protocol = ClientConnection(None)
        self._waits: deque[_Wait] = deque()
        self._unsent: list[bytes] = []
        self._queued = trio.Event()
        self._scope = trio.CancelScope()

    @property
    def waiting(self) -> int:
        """How many requests the controller has not answered, given up by their clients or not."""
        return len(self._waits)

    def send(self, client_id: str | None, body: Forwardable, version: int) -> _Wait:
        """Queue a request behind those that wait; not after the link has ended."""
        header = RequestHeader(client_id=client_id, unknown_tagged_fields=((FORWARDED_TAG, b""),))
        _, data = self._protocol.send_request(body, version, header=header)
        wait = _Wait()
        self._waits.append(wait)
        self._unsent.append(data)
        self._queued.set()
        self._set_deadline()
        return wait

    async def run(self) -> None:
        """Connect, write and read until the connection is lost; then nobody waits any more."""
        try:
            with self._scope:
                stream = await self._connect(self._endpoint)
                try:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(self._write, stream)
                        await self._read(stream)
                finally:
                    await trio.aclose_forcefully(stream)
            LOG.info("controller at %s: no answer in time", self._endpoint)
        except* (LinkLostError, OSError, trio.BrokenResourceError) as lost:
            reasons = ", ".join(str(each) or type(each).__name__ for each in lost.exceptions)
            LOG.info("controller at %s: %s", self._endpoint, reasons)
        finally:
            self._end()

    async def _write(self, stream: trio.abc.Stream) -> None:
        while True:
            await self._queued.wait()
            self._queued = trio.Event()
            data, self._unsent = b"".join(self._unsent), []
            await stream.send_all(data)

    async def _read(self, stream: trio.abc.Stream) -> NoReturn:
        try:
            while True:
                data = await stream.receive_some(READ_BYTES)
                if not data:
                    raise LinkLostError("it closed the connection")
                for event in self._protocol.receive_data(data):
                    if isinstance(event, ProtocolViolation):
                        raise LinkLostError(str(event.error))
                    wait = self._waits.popleft()
                    wait.response = event.body
                    wait.over.set()
                self._set_deadline()
        finally:
            self._end()

    def _set_deadline(self) -> None:
        oldest = self._waits[0].since if self._waits else math.inf
        self._scope.deadline = oldest + LONGEST_SECONDS

    def _end(self) -> None:
        """Take no more; let those that wait know at once."""
        self.ended = True
        while self._waits:
            self._waits.popleft().over.set()
