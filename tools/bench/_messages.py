"""The large messages of a cluster: 30 brokers, and 100 topics of 100 partitions each.

Replicas lie as Kafka's own assignment puts them (AdminUtils.scala): the first goes round the
brokers, the others follow at a distance that grows with every round. That gives 10,000 partitions
some 870 different replica lists of length 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar
from uuid import UUID

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

PARTITIONS = 100
"""Of each topic."""
_BROKERS = 30
_MOVING = 100
"""One partition in so many is being moved."""

P = TypeVar("P")
Place = Callable[[int], tuple[int, ...]]
"""From the number of a partition in the cluster to its replicas."""


def usual_replicas(number: int) -> tuple[int, ...]:
    """Place three replicas as Kafka does."""
    turn, first = divmod(number, _BROKERS)
    shifts = (1 + (turn + follower) % (_BROKERS - 1) for follower in range(2))
    return first, *((first + shift) % _BROKERS for shift in shifts)


def unlike_replicas(number: int) -> tuple[int, ...]:
    """Place three replicas so that no two of 10,000 partitions have the same."""
    return number % 997, (number * 7 + 1) % 9973, number


def alter_partition_reassignments(
    topics: int, place: Place = usual_replicas
) -> AlterPartitionReassignmentsRequest:
    """Move every partition."""
    return AlterPartitionReassignmentsRequest(
        topics=tuple(
            ReassignableTopic(name, _partitions(topic, _reassignable(place)))
            for topic, name in _names(topics)
        )
    )


def metadata(topics: int, place: Place = usual_replicas) -> MetadataResponse:
    """Describe the cluster, all of it healthy."""
    return MetadataResponse(
        brokers=tuple(
            MetadataResponseBroker(id_, f"broker-{id_}.example.org", 9092, f"rack-{id_ % 3}")
            for id_ in range(_BROKERS)
        ),
        cluster_id="q2BGdJmCTNOYPLOxW0R5Qg",
        controller_id=1,
        topics=tuple(
            MetadataResponseTopic(
                name=name,
                topic_id=UUID(int=topic + 1),
                partitions=_partitions(topic, _described(place)),
            )
            for topic, name in _names(topics)
        ),
    )


def leader_and_isr(topics: int, version: int, place: Place = usual_replicas) -> LeaderAndIsrRequest:
    """Tell a broker about every partition, as version 3 or a later one can."""
    return LeaderAndIsrRequest(
        controller_id=1,
        controller_epoch=7,
        broker_epoch=4711,
        topic_states=tuple(
            LeaderAndIsrTopicState(
                topic_name=name,
                topic_id=UUID(int=topic + 1 if version >= 5 else 0),
                partition_states=_partitions(topic, _led(place)),
            )
            for topic, name in _names(topics)
        ),
        live_leaders=tuple(
            LeaderAndIsrLiveLeader(id_, f"broker-{id_}.example.org", 9092)
            for id_ in range(_BROKERS)
        ),
    )


def _names(topics: int) -> Iterator[tuple[int, str]]:
    return ((topic, f"topic-{topic:03}") for topic in range(topics))


def _partitions(topic: int, make: Callable[[int, int], P]) -> tuple[P, ...]:
    return tuple(make(index, topic * PARTITIONS + index) for index in range(PARTITIONS))


def _reassignable(place: Place) -> Callable[[int, int], ReassignablePartition]:
    return lambda index, number: ReassignablePartition(index, place(number))


def _described(place: Place) -> Callable[[int, int], MetadataResponsePartition]:
    def make(index: int, number: int) -> MetadataResponsePartition:
        replicas = place(number)
        return MetadataResponsePartition(
            partition_index=index,
            leader_id=replicas[0],
            leader_epoch=5,
            replica_nodes=replicas,
            isr_nodes=replicas,
        )

    return make


def _led(place: Place) -> Callable[[int, int], LeaderAndIsrPartitionState]:
    def make(index: int, number: int) -> LeaderAndIsrPartitionState:
        replicas = place(number)
        moving = number % _MOVING == 0
        return LeaderAndIsrPartitionState(
            partition_index=index,
            controller_epoch=7,
            leader=replicas[0],
            leader_epoch=5,
            isr=replicas,
            partition_epoch=11,
            replicas=replicas,
            adding_replicas=replicas[:1] if moving else (),
            removing_replicas=replicas[-1:] if moving else (),
        )

    return make
