"""What clients ask of controller nodes, and what they were answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from klamm.protocol.generated import alter_partition_reassignments_request as alter
from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.message import Message

_TIMEOUT_MS = 60_000
#: Kafka's ConfigResource.Type, and AlterConfigOp.OpType.
_BROKER_CONFIGS = 4
_SET = 0


@dataclass(frozen=True, slots=True)
class AskFor:
    """A request that may be made, and what it is called in traces."""

    name: str
    version: int
    body: Message

    @property
    def key(self) -> int:
        """The API key."""
        return self.body.api_key


@dataclass(slots=True, eq=False)
class Asked:
    """A request that was made of a node, at a step, and every answer that came.

    `lost`: the connection ended before the answer, so that there will be none.
    """

    number: int
    node: str
    what: AskFor
    step: int
    responses: list[Message] = field(default_factory=list)
    lost: bool = False

    @property
    def open(self) -> bool:
        """Tell whether the client still waits."""
        return not (self.responses or self.lost)


@dataclass(slots=True)
class Clients:
    """All clients together: what they have asked, in order."""

    requests: list[Asked] = field(default_factory=list)

    def ask(self, node: str, what: AskFor, step: int) -> Asked:
        """Make a request of a node."""
        asked = Asked(len(self.requests) + 1, node, what, step)
        self.requests.append(asked)
        return asked


def move(topic: str, partition: int, *replicas: int) -> AskFor:
    """Move a partition to these replicas."""
    to = ",".join(map(str, replicas))
    return _alter(f"move {topic}-{partition} to {to}", topic, {partition: replicas})


def cancel(topic: str, partition: int) -> AskFor:
    """Cancel the move of a partition."""
    return _alter(f"cancel {topic}-{partition}", topic, {partition: None})


def moves(name: str, topic: str, targets: Mapping[int, tuple[int, ...] | None]) -> AskFor:
    """Move, or cancel, several partitions of a topic in one request."""
    return _alter(name, topic, targets)


def _alter(name: str, topic: str, targets: Mapping[int, tuple[int, ...] | None]) -> AskFor:
    partitions = tuple(
        alter.ReassignablePartition(number, replicas) for number, replicas in targets.items()
    )
    body = alter.AlterPartitionReassignmentsRequest(
        timeout_ms=_TIMEOUT_MS, topics=(alter.ReassignableTopic(topic, partitions),)
    )
    return AskFor(name, 0, body)


def limit_moves(replicas: int, partitions: int, leaders: int) -> AskFor:
    """Limit what moves may have under way at once, by KIP-435's three configs."""
    limits = {"replica": replicas, "partition": partitions, "leader": leaders}
    configs = {f"reassignment.max.concurrent.{k}.movements": limit for k, limit in limits.items()}
    return _configure(f"limit moves to {replicas},{partitions},{leaders}", configs)


def need_in_sync(count: int) -> AskFor:
    """Let producers with acks=all need so many replicas in sync."""
    return _configure(f"need {count} in sync", {"min.insync.replicas": count})


def _configure(name: str, values: Mapping[str, int]) -> AskFor:
    """Set configs of all brokers."""
    configs = tuple(AlterableConfig(key, _SET, str(value)) for key, value in values.items())
    resource = AlterConfigsResource(_BROKER_CONFIGS, "", configs)
    return AskFor(name, 1, IncrementalAlterConfigsRequest((resource,)))


def list_moves() -> AskFor:
    """List all moves."""
    return AskFor("list moves", 0, ListPartitionReassignmentsRequest(_TIMEOUT_MS))


def list_moves_of(*partitions: tuple[str, int]) -> AskFor:
    """List the moves of these partitions."""
    topics = tuple(ListPartitionReassignmentsTopics(topic, (n,)) for topic, n in partitions)
    names = ", ".join(f"{topic}-{n}" for topic, n in partitions)
    return AskFor(f"list {names}", 0, ListPartitionReassignmentsRequest(_TIMEOUT_MS, topics))


def create(topic: str, assignment: Mapping[int, tuple[int, ...]]) -> AskFor:
    """Create a topic on these replicas."""
    assignments = tuple(
        CreatableReplicaAssignment(number, replicas) for number, replicas in assignment.items()
    )
    wanted = CreatableTopic(topic, -1, -1, assignments)
    return AskFor(f"create {topic}", 4, CreateTopicsRequest((wanted,), _TIMEOUT_MS))


def delete(topic: str) -> AskFor:
    """Delete a topic."""
    body = DeleteTopicsRequest(topic_names=(topic,), timeout_ms=_TIMEOUT_MS)
    return AskFor(f"delete {topic}", 3, body)


def grow(topic: str, count: int) -> AskFor:
    """Let a topic have so many partitions."""
    body = CreatePartitionsRequest((CreatePartitionsTopic(topic, count, None),), _TIMEOUT_MS)
    return AskFor(f"grow {topic} to {count}", 1, body)
