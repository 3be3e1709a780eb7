"""What kafka-reassign-partitions of Java sends, request by request, as measured.

A script is a list of turns; the requests of a turn are sent side by side, in any order. Every
connection begins with ApiVersions 4, which the scripts leave out. The tests of this folder replay
the scripts; those of the real tool compare what it sends with them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.message import Message

CLIENT_ID = "reassign-partitions-tool"
SOFTWARE_NAME = "apache-kafka-java"

RATES = (
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
)
LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")

_TOPIC, _BROKER = 2, 4
_SET, _DELETE = 0, 1
_CONTROLLERS = 2


@dataclass(frozen=True)
class Sent:
    """A request, its version, and the node that it goes to: None for any."""

    node: int | None
    version: int
    body: Message


Turn = tuple[Sent, ...]


@dataclass(frozen=True)
class Move:
    """Of partition 0 of a topic, from the replicas that it has to others."""

    topic: str
    origin: Sequence[int]
    target: Sequence[int]

    @property
    def destinations(self) -> list[int]:
        return [broker for broker in self.target if broker not in self.origin]


@dataclass(frozen=True)
class Scripts:
    """The scripts of the tool against a cluster: its controller, and every node it lists."""

    controller: int
    nodes: Sequence[int]

    def opening(self) -> Turn:
        """Metadata, on a connection that is not used again."""
        request = MetadataRequest(topics=(), allow_auto_topic_creation=True)
        return (Sent(None, 12, request),)

    def list_all(self) -> list[Turn]:
        """--list, and how --execute and --verify begin."""
        return [(Sent(self.controller, 0, ListPartitionReassignmentsRequest(topics=None)),)]

    def execute(self, move: Move, throttle: int | None = None) -> list[Turn]:
        """--execute, with --throttle if there is one."""
        turns = [*self.list_all(), self._cluster(), self._cluster(), self._topic(move)]
        if throttle is not None:
            lists = (
                ",".join(f"0:{broker}" for broker in move.origin),
                ",".join(f"0:{broker}" for broker in move.destinations),
            )
            limited = sorted({*move.origin, *move.target})
            turns.append(self._topic_configs(move.topic, zip(LISTS, lists, strict=True)))
            turns.append(self._rates(limited, [(name, str(throttle)) for name in RATES[:2]]))
        return [*turns, self._alter(move, move.target)]

    def verify(self, move: Move, *, moving: bool, preserve: bool = False) -> list[Turn]:
        """--verify, with --preserve-throttles if wanted; while something moves it clears nothing.

        The partition of the plan is then what moves.
        """
        turns = self.list_all()
        if moving:
            return turns
        turns += [self._cluster(), self._topic(move)]
        return turns if preserve else turns + self._clear(move)

    def cancel(self, move: Move, *, preserve: bool = False) -> list[Turn]:
        """--cancel of a plan whose move is listed."""
        named = (ListPartitionReassignmentsTopics(move.topic, (0,)),)
        turns: list[Turn] = [
            (Sent(self.controller, 0, ListPartitionReassignmentsRequest(topics=named)),),
            self._alter(move, None),
        ]
        return turns if preserve else turns + self._clear(move)

    def list_by_controller(self) -> list[Turn]:
        """--list with --bootstrap-controller, from 4.0 on: the opening is DescribeCluster."""
        return [self._controllers(), *self.list_all()]

    def _clear(self, move: Move) -> list[Turn]:
        nodes = sorted({*self.nodes, *move.target})
        return [
            self._cluster(),
            self._rates(nodes, [(name, None) for name in RATES]),
            self._topic_configs(move.topic, [(name, None) for name in LISTS]),
        ]

    def _controllers(self) -> Turn:
        return (Sent(self.controller, 1, DescribeClusterRequest(endpoint_type=_CONTROLLERS)),)

    def _cluster(self) -> Turn:
        return (Sent(None, 1, DescribeClusterRequest()),)

    def _topic(self, move: Move) -> Turn:
        """DescribeTopicPartitions, or Metadata where the former is not served."""
        asked = (MetadataRequestTopic(name=move.topic),)
        return (Sent(None, 12, MetadataRequest(topics=asked, allow_auto_topic_creation=False)),)

    def _alter(self, move: Move, target: Sequence[int] | None) -> Turn:
        partition = ReassignablePartition(0, None if target is None else tuple(target))
        topics = (ReassignableTopic(move.topic, (partition,)),)
        return (Sent(self.controller, 0, AlterPartitionReassignmentsRequest(topics=topics)),)

    def _topic_configs(self, topic: str, configs: Iterable[tuple[str, str | None]]) -> Turn:
        return (Sent(None, 1, _altering(_TOPIC, topic, configs)),)

    def _rates(self, nodes: Iterable[int], configs: Sequence[tuple[str, str | None]]) -> Turn:
        return tuple(Sent(node, 1, _altering(_BROKER, str(node), configs)) for node in nodes)


def _altering(
    kind: int, name: str, configs: Iterable[tuple[str, str | None]]
) -> IncrementalAlterConfigsRequest:
    entries = tuple(
        AlterableConfig(key, _DELETE if value is None else _SET, value) for key, value in configs
    )
    return IncrementalAlterConfigsRequest((AlterConfigsResource(kind, name, entries),))


def without_timeout(body: Message) -> Message:
    """Return a request as it would be at another time: its timeout is what was left of 30 s."""
    match body:
        case AlterPartitionReassignmentsRequest() | ListPartitionReassignmentsRequest():
            return replace(body, timeout_ms=0)
        case _:
            return body
