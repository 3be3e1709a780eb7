"""A client's connection: asks, and writes down what was sent, answered, or never answered."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Self

import trio

from klamm.protocol.connection import ClientConnection, ProtocolViolation, Response
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_partitions_response import CreatePartitionsResponse
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.message import Message
from klamm.tools.chaos.history import (
    Alter,
    Answered,
    Ask,
    Closed,
    Create,
    Delete,
    Grow,
    ListMoves,
    Sent,
    Strayed,
    partition,
    topic_of,
)
from klamm.tools.chaos.nodes import NodeProcess
from klamm.tools.chaos.recorder import Recorder
from klamm.tools.embedded.zookeeper import HOST

#: How long a client waits for an answer, in seconds.
PATIENCE_SECONDS = 8.0
_READ_BYTES = 1 << 16
_TIMEOUT_MS = 5000


class NoAnswerError(Exception):
    """A connection ended before all was answered; the history has it already."""


class Asking:
    """A connection to a node. Any number of requests may be in flight."""

    def __init__(
        self, client: str, node: int, stream: trio.SocketStream, recorder: Recorder
    ) -> None:
        self._client = client
        self._node = node
        self._stream = stream
        self._recorder = recorder
        self._protocol = ClientConnection(f"chaos-{client}")
        self._number = recorder.next_connection()
        self._open = True

    @classmethod
    @asynccontextmanager
    async def open(cls, client: str, node: NodeProcess, recorder: Recorder) -> AsyncIterator[Self]:
        """Connect, and close at the end of the block; raises OSError, after a while in vain too."""
        with trio.move_on_after(PATIENCE_SECONDS) as patience:
            stream = await trio.open_tcp_stream(HOST, node.port)
        if patience.cancelled_caught:
            raise OSError(f"node {node.id} does not accept connections")
        async with stream:
            connection = cls(client, node.id, stream, recorder)
            try:
                yield connection
            finally:
                connection._close("the client has ended it")

    async def ask(self, asks: Sequence[Ask]) -> list[Answered]:
        """Send requests at once and return all answers, in order; raises NoAnswerError."""
        found: list[Answered] = []
        with trio.move_on_after(PATIENCE_SECONDS):
            try:
                for each in asks:
                    await self._send(each)
                while len(found) < len(asks):
                    found += await self._receive()
            except trio.BrokenResourceError as error:
                raise self._close(f"broken: {error.__cause__ or error}") from error
            return found
        raise self._close(f"no answer within {PATIENCE_SECONDS:g} s")

    async def _send(self, ask: Ask) -> None:
        message, version = request(ask)
        number, data = self._protocol.send_request(message, version)
        now = self._recorder.now
        self._recorder.write(Sent(now, self._client, self._number, number, self._node, ask))
        await self._stream.send_all(data)

    async def _receive(self) -> list[Answered]:
        data = await self._stream.receive_some(_READ_BYTES)
        found = []
        events = self._protocol.receive_data(data) if data else self._protocol.receive_eof()
        for event in events:
            if isinstance(event, ProtocolViolation):
                self._recorder.write(Strayed(self._recorder.now, self._number, str(event.error)))
                raise self._close("it broke the protocol")
            answer = self._answered(event)
            self._recorder.write(answer)
            found.append(answer)
        if not data:
            raise self._close("closed by the node")
        return found

    def _answered(self, response: Response) -> Answered:
        error, found = codes(response.body)
        now = self._recorder.now
        return Answered(now, self._number, response.correlation_id, error, found)

    def _close(self, why: str) -> NoAnswerError:
        """Write down that nothing more will be heard, once; return what to raise if that is bad."""
        if self._open:
            self._open = False
            self._recorder.write(Closed(self._recorder.now, self._number, why))
        return NoAnswerError(why)


def request(ask: Ask) -> tuple[Message, int]:
    """Return the message of an ask and the version to send it in."""
    match ask:
        case Alter(moves):
            topics: dict[str, list[ReassignablePartition]] = {}
            for name, target in moves.items():
                number = int(name.rpartition(":")[2])
                wanted = topics.setdefault(topic_of(name), [])
                wanted.append(ReassignablePartition(number, target))
            grouped = tuple(ReassignableTopic(n, tuple(each)) for n, each in topics.items())
            return AlterPartitionReassignmentsRequest(_TIMEOUT_MS, topics=grouped), 0
        case ListMoves():
            return ListPartitionReassignmentsRequest(_TIMEOUT_MS), 0
        case Create(topic, partitions):
            wanted_replicas = tuple(
                CreatableReplicaAssignment(n, replicas) for n, replicas in enumerate(partitions)
            )
            new = CreatableTopic(topic, -1, -1, wanted_replicas)
            return CreateTopicsRequest((new,), _TIMEOUT_MS), 5
        case Grow(topic, count, replicas):
            added = (CreatePartitionsAssignment(replicas),)
            more = CreatePartitionsTopic(topic, count, added)
            return CreatePartitionsRequest((more,), _TIMEOUT_MS), 2
        case Delete(topic):
            return DeleteTopicsRequest(topic_names=(topic,), timeout_ms=_TIMEOUT_MS), 4


def codes(body: Message) -> tuple[int, dict[str, int]]:
    """Return the error of a response as a whole, and of each partition or topic in it."""
    match body:
        case AlterPartitionReassignmentsResponse():
            return body.error_code, {
                partition(topic.name, each.partition_index): each.error_code
                for topic in body.responses
                for each in topic.partitions
            }
        case ListPartitionReassignmentsResponse():
            return body.error_code, {}
        case CreateTopicsResponse():
            return 0, {topic.name: topic.error_code for topic in body.topics}
        case CreatePartitionsResponse():
            return 0, {topic.name: topic.error_code for topic in body.results}
        case DeleteTopicsResponse():
            return 0, {topic.name or "": topic.error_code for topic in body.responses}
    raise TypeError(f"no client here asks for a {type(body).__name__}")
