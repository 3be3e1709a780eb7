"""What a node or broker knows of the cluster, as clients see it: the read model of keys 3 and 60.

A broker, and a controller node on standby, learns it from UpdateMetadata requests (`updated`);
the active controller derives it from its own state (`refreshed`). Both give the same answers for
the same cluster, which clients rely on: they ask whichever node is least busy.

Everything here is an immutable value. A topic that a change does not touch is the same object
before and after, and the active controller converts one when somebody asks for it: a change costs
the same in a cluster of any size.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from uuid import UUID

from klamm.controller.core.model import (
    NO_LEADER,
    Broker,
    ClusterState,
    Endpoint,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataBroker,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from klamm.protocol.primitives import ZERO_UUID

NO_CONTROLLER = -1

#: The leader id by which UpdateMetadata takes a partition back (LeaderAndIsr.LeaderDuringDelete).
LEADER_DURING_DELETE = -2

#: SecurityProtocol by its id in UpdateMetadata; an endpoint of any other is left out.
SECURITY_PROTOCOLS = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}


@dataclass(frozen=True, slots=True)
class PartitionMetadata:
    """What clients may know of a partition; `leader` may be NO_LEADER or a broker that is gone."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    offline: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicMetadata:
    """A topic with at least one partition that has had a leader."""

    name: str
    topic_id: UUID | None
    partitions: Mapping[int, PartitionMetadata]


@dataclass(frozen=True, slots=True)
class MetadataCache:
    """A snapshot. `brokers` holds every live broker and klamm node, their epochs unknown (-1)."""

    cluster_id: str = ""
    controller_id: int = NO_CONTROLLER
    brokers: Mapping[int, Broker] = field(default_factory=dict)
    topics: Mapping[str, TopicMetadata] = field(default_factory=dict)

    def endpoint(self, broker: int, listener: str) -> Endpoint | None:
        """Return where the broker takes connections of this listener; None if it does not."""
        known = self.brokers.get(broker)
        return endpoint_of(known, listener) if known else None


def endpoint_of(broker: Broker, listener: str) -> Endpoint | None:
    """Return the broker's endpoint of this listener name, or None if it has none."""
    return next((found for found in broker.endpoints if found.listener == listener), None)


def updated(cache: MetadataCache, request: UpdateMetadataRequest) -> MetadataCache:
    """Fold an UpdateMetadata request of any version in, as Kafka's brokers do.

    Live brokers and controller id are replaced, partitions are merged, leader -2 removes one
    (Kafka 3.9, ZkMetadataCache.updateMetadata). The last request wins: leader epochs are not
    compared. The caller has already refused a request of an old controller or broker epoch.
    """
    topics = dict(cache.topics)
    for name, topic_id, states in _changes(request):
        topic = _merge(topics.get(name), name, topic_id, states)
        if topic is None:
            topics.pop(name, None)
        else:
            topics[name] = topic
    brokers = {broker.id: _broker(broker) for broker in request.live_brokers}
    return MetadataCache(cache.cluster_id, request.controller_id, brokers, topics)


def _changes(
    request: UpdateMetadataRequest,
) -> Iterable[tuple[str, UUID | None, tuple[UpdateMetadataPartitionState, ...]]]:
    """Yield the request's partitions by topic: grouped from version 5 on, one by one before."""
    for topic in request.topic_states:
        known_id = None if topic.topic_id == ZERO_UUID else topic.topic_id
        yield topic.topic_name, known_id, topic.partition_states
    for state in request.ungrouped_partition_states:
        yield state.topic_name, None, (state,)


def _merge(
    topic: TopicMetadata | None,
    name: str,
    topic_id: UUID | None,
    states: Iterable[UpdateMetadataPartitionState],
) -> TopicMetadata | None:
    """Return the topic with these partitions; None if none is left."""
    partitions = dict(topic.partitions) if topic else {}
    for state in states:
        if state.leader == LEADER_DURING_DELETE:
            partitions.pop(state.partition_index, None)
        else:
            partitions[state.partition_index] = PartitionMetadata(
                state.leader, state.leader_epoch, state.isr, state.replicas, state.offline_replicas
            )
    if not partitions:
        return None
    return TopicMetadata(name, topic_id or (topic.topic_id if topic else None), partitions)


@lru_cache(maxsize=1024)
def _broker(broker: UpdateMetadataBroker) -> Broker:
    """Read one live broker; version 0 knows one plain endpoint, versions below 3 no listeners."""
    endpoints = tuple(
        Endpoint(item.listener or protocol, protocol, item.host, item.port)
        for item in broker.endpoints
        if (protocol := SECURITY_PROTOCOLS.get(item.security_protocol, ""))
    )
    if broker.v0_host:
        endpoints = (Endpoint("PLAINTEXT", "PLAINTEXT", broker.v0_host, broker.v0_port),)
    return Broker(broker.id, -1, endpoints, broker.rack)


#: By name a topic of the state, and what clients may know of it.
_Converted = dict[str, tuple[Topic, TopicMetadata]]


def refreshed(
    cache: MetadataCache, before: ClusterState | None, after: ClusterState
) -> MetadataCache:
    """Bring the active controller's snapshot from one of its states to the next.

    `cache` is what this function returned for `before`, or any snapshot if `before` is None. A
    topic is converted anew only if it, or who is alive with its logs, is another than before.
    """
    if before is after:
        return cache
    converted: _Converted = {}
    brokers = cache.brokers
    if before is not None and _online(before) == _online(after):
        if isinstance(cache.topics, _TopicsOfState):
            converted = cache.topics.converted
        for gone in converted.keys() - after.topics.keys():
            del converted[gone]
    if before is None or before.brokers is not after.brokers or before.nodes is not after.nodes:
        live = {**after.nodes, **after.brokers}
        brokers = {id_: replace(broker, epoch=-1) for id_, broker in live.items()}
    topics = _TopicsOfState(after, converted)
    return MetadataCache(cache.cluster_id, after.controller_id, brokers, topics)


class _TopicsOfState(Mapping[str, TopicMetadata]):
    """The topics of a state that clients may know, each converted when it is first asked for.

    `converted` is shared by the snapshots of states in which the same are alive: what it has for a
    topic counts only where that very topic is in the state.
    """

    def __init__(self, state: ClusterState, converted: _Converted) -> None:
        self._state = state
        self._alive = state.alive
        self.converted = converted

    def __getitem__(self, name: str) -> TopicMetadata:
        topic = self._state.topics[name]
        known = self.converted.get(name)
        if known is None or known[0] is not topic or self._state.vanishing(name):
            if name not in self:
                raise KeyError(name)
            known = self.converted[name] = (topic, _topic(topic, self._alive, self._state))
        return known[1]

    def __contains__(self, name: object) -> bool:
        topic = self._state.topics.get(name) if isinstance(name, str) else None
        if topic is None or self._state.vanishing(topic.name):
            return False
        return any(partition.leadership is not None for partition in topic.partitions.values())

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._state.topics if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _online(state: ClusterState) -> tuple[object, object]:
    return state.alive, state.offline_replicas


def _topic(topic: Topic, alive: AbstractSet[int], state: ClusterState) -> TopicMetadata:
    """Convert a topic; partitions that never had a leader are unknown to clients, as in Kafka."""
    partitions = {
        number: found
        for number, partition in topic.partitions.items()
        if (found := _partition(TopicPartition(topic.name, number), partition, alive, state))
        is not None
    }
    return TopicMetadata(topic.name, topic.topic_id, partitions)


def _partition(
    name: TopicPartition, partition: Partition, alive: AbstractSet[int], state: ClusterState
) -> PartitionMetadata | None:
    leadership = partition.leadership
    if leadership is None:
        return None
    replicas = partition.assignment.replicas
    return PartitionMetadata(
        leadership.leader if leadership.leader >= 0 else NO_LEADER,
        leadership.leader_epoch,
        leadership.isr,
        replicas,
        tuple(b for b in replicas if b not in alive or state.is_offline(name, b)),
    )
