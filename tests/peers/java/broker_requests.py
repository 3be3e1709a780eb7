"""The three requests of a controller to a broker, with values as a cluster has them.

Random fields find slips in single fields. What they do not have is the shape of the real thing:
many partitions of equal form in a row, and now and then one that is moving, which is where a
decoder that reads rows in bulk could go wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

from hypothesis import strategies as st

from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.stop_replica_request import (
    StopReplicaPartitionState,
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaTopicState,
    StopReplicaTopicV1,
)
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from klamm.protocol.message import Message

BROKERS = range(900, 907)
NO_LEADER = -1
BEING_DELETED = -2


class Partition(NamedTuple):
    """A partition as its topic znode and its state znode have it."""

    number: int
    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    version: int
    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]
    is_new: bool


class Topic(NamedTuple):
    """A topic with its partitions in order."""

    name: str
    topic_id: UUID
    partitions: tuple[Partition, ...]


def broker_requests(name: str, version: int) -> st.SearchStrategy[Message]:
    """Draw LeaderAndIsrRequest, UpdateMetadataRequest or StopReplicaRequest for that version."""
    return _REQUESTS[name](version, st.lists(_topics(), max_size=3).map(tuple))


@st.composite
def _topics(draw: st.DrawFn) -> Topic:
    name = draw(st.from_regex(r"[a-zA-Z0-9._-]{1,40}", fullmatch=True))
    usual = draw(st.integers(1, 4))
    partitions = []
    for index in range(draw(st.integers(1, 40))):
        moving = draw(st.integers(0, 9)) == 0
        replicas = draw(_replicas(usual + moving))
        isr = draw(st.just(replicas) | st.just(replicas[:1]) | st.just(replicas[::-1]))
        partitions.append(
            Partition(
                number=index,
                leader=draw(st.sampled_from([*isr, NO_LEADER, BEING_DELETED])),
                leader_epoch=draw(st.integers(0, 1000)),
                isr=isr,
                version=draw(st.integers(0, 2**31 - 1)),
                replicas=replicas,
                adding=replicas[:1] if moving else (),
                removing=replicas[-1:] if moving else (),
                is_new=draw(st.booleans()),
            )
        )
    return Topic(name, draw(st.uuids(version=4)), tuple(partitions))


def _replicas(count: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.permutations(BROKERS).map(lambda brokers: tuple(brokers[:count]))


def _head(draw: st.DrawFn, version: int, kraft_since: int, epoch_since: int) -> dict[str, Any]:
    head = {"controller_id": draw(st.sampled_from(BROKERS)), "controller_epoch": 7}
    if version >= kraft_since:
        head["is_kraft_controller"] = draw(st.booleans())
    if version >= epoch_since:
        head["broker_epoch"] = draw(st.integers(-1, 2**62))
    return head


@st.composite
def _leader_and_isr(
    draw: st.DrawFn, version: int, topics: st.SearchStrategy[tuple[Topic, ...]]
) -> LeaderAndIsrRequest:
    def state(topic: Topic, partition: Partition) -> LeaderAndIsrPartitionState:
        return LeaderAndIsrPartitionState(
            topic_name=topic.name if version < 2 else "",
            partition_index=partition.number,
            controller_epoch=7,
            leader=partition.leader,
            leader_epoch=partition.leader_epoch,
            isr=partition.isr,
            partition_epoch=partition.version,
            replicas=partition.replicas,
            adding_replicas=partition.adding if version >= 3 else (),
            removing_replicas=partition.removing if version >= 3 else (),
            is_new=partition.is_new and version >= 1,
            leader_recovery_state=int(partition.is_new and version >= 6),
        )

    head = _head(draw, version, kraft_since=7, epoch_since=2)
    if version >= 5:
        head["type"] = draw(st.integers(0, 2))
    drawn = draw(topics)
    if version < 2:
        head["ungrouped_partition_states"] = _flat(drawn, state)
    else:
        head["topic_states"] = tuple(
            LeaderAndIsrTopicState(
                topic_name=topic.name,
                topic_id=topic.topic_id if version >= 5 else UUID(int=0),
                partition_states=tuple(state(topic, partition) for partition in topic.partitions),
            )
            for topic in drawn
        )
    leaders = tuple(LeaderAndIsrLiveLeader(id_, f"broker-{id_}.local", 9092) for id_ in BROKERS)
    return LeaderAndIsrRequest(live_leaders=leaders, **head)


@st.composite
def _update_metadata(
    draw: st.DrawFn, version: int, topics: st.SearchStrategy[tuple[Topic, ...]]
) -> UpdateMetadataRequest:
    def state(topic: Topic, partition: Partition) -> UpdateMetadataPartitionState:
        return UpdateMetadataPartitionState(
            topic_name=topic.name if version < 5 else "",
            partition_index=partition.number,
            controller_epoch=7,
            leader=partition.leader,
            leader_epoch=partition.leader_epoch,
            isr=partition.isr,
            zk_version=partition.version,
            replicas=partition.replicas,
            offline_replicas=partition.removing if version >= 4 else (),
        )

    def broker(id_: int) -> UpdateMetadataBroker:
        host = f"broker-{id_}.local"
        if version == 0:
            return UpdateMetadataBroker(id=id_, v0_host=host, v0_port=9092)
        listener = "INTERNAL" if version >= 3 else ""
        return UpdateMetadataBroker(
            id=id_,
            endpoints=(UpdateMetadataEndpoint(9092, host, listener, security_protocol=1),),
            rack=draw(st.none() | st.sampled_from(["a", "b"])) if version >= 2 else "",
        )

    head = _head(draw, version, kraft_since=8, epoch_since=5)
    drawn = draw(topics)
    if version < 5:
        head["ungrouped_partition_states"] = _flat(drawn, state)
    else:
        head["topic_states"] = tuple(
            UpdateMetadataTopicState(
                topic_name=topic.name,
                topic_id=topic.topic_id if version >= 7 else UUID(int=0),
                partition_states=tuple(state(topic, partition) for partition in topic.partitions),
            )
            for topic in drawn
        )
    return UpdateMetadataRequest(live_brokers=tuple(broker(id_) for id_ in BROKERS), **head)


@st.composite
def _stop_replica(
    draw: st.DrawFn, version: int, topics: st.SearchStrategy[tuple[Topic, ...]]
) -> StopReplicaRequest:
    head = _head(draw, version, kraft_since=4, epoch_since=1)
    drawn = draw(topics)
    if version < 3:
        head["delete_partitions"] = draw(st.booleans())
    if version == 0:
        head["ungrouped_partitions"] = _flat(
            drawn, lambda topic, partition: StopReplicaPartitionV0(topic.name, partition.number)
        )
    elif version < 3:
        head["topics"] = tuple(
            StopReplicaTopicV1(
                topic.name, tuple(partition.number for partition in topic.partitions)
            )
            for topic in drawn
        )
    else:
        head["topic_states"] = tuple(
            StopReplicaTopicState(
                topic.name,
                tuple(
                    StopReplicaPartitionState(
                        partition.number, partition.leader_epoch, partition.is_new
                    )
                    for partition in topic.partitions
                ),
            )
            for topic in drawn
        )
    return StopReplicaRequest(**head)


def _flat(topics: tuple[Topic, ...], state: Callable[[Topic, Partition], Any]) -> tuple[Any, ...]:
    return tuple(state(topic, partition) for topic in topics for partition in topic.partitions)


_REQUESTS: dict[str, Callable[..., st.SearchStrategy[Any]]] = {
    "LeaderAndIsrRequest": _leader_and_isr,
    "StopReplicaRequest": _stop_replica,
    "UpdateMetadataRequest": _update_metadata,
}
