"""From state to the three requests that a controller sends to brokers.

Source: Kafka 3.9, ControllerChannelManager.scala (AbstractControllerBrokerRequestBatch).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from uuid import UUID

from klamm.controller.brokers.metadata import endpoint_of
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import (
    Broker,
    ClusterState,
    Endpoint,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.stop_replica_request import (
    StopReplicaPartitionState,
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

NO_TOPIC_ID = UUID(int=0)
#: Kafka's numbers of security protocols on the wire (SecurityProtocol.java).
SECURITY_PROTOCOLS = {"PLAINTEXT": 0, "SSL": 1, "SASL_PLAINTEXT": 2, "SASL_SSL": 3}
#: The leader of a partition that is taken back, and the epoch in which its replicas are deleted
#: whatever they know (LeaderAndIsr.LeaderDuringDelete and EpochDuringDelete).
DURING_DELETE = -2
#: What brokers that send no leader epoch in StopReplica are answered as (v0-2).
NO_EPOCH = -1
#: The first version of LeaderAndIsr that carries the leader's recovery state (KIP-704).
LEADER_RECOVERY_VERSION = 6


def endpoint_between_brokers(broker: Broker, listener: str) -> Endpoint | None:
    """Return the endpoint of this listener (inter.broker.listener.name), else the broker's first.

    None if it has registered without any.
    """
    return endpoint_of(broker, listener) or next(iter(broker.endpoints), None)


def leader_and_isr(
    state: ClusterState,
    broker: Broker,
    is_new: Mapping[TopicPartition, bool],
    protocol: InterBrokerProtocol,
    listener: str = "PLAINTEXT",
) -> LeaderAndIsrRequest:
    """Tell a broker the leadership of these partitions, which must all have one.

    Versions before 6 cannot say that a leader is recovering: their brokers know of no recovery.
    Followers fetch from the leaders at their endpoints of `listener`, the one between brokers.
    """
    tells_recovery = protocol.leader_and_isr >= LEADER_RECOVERY_VERSION
    by_topic: dict[str, list[LeaderAndIsrPartitionState]] = defaultdict(list)
    leaders = set()
    for name, new in is_new.items():
        partition, leadership = _led(state, name)
        leaders.add(leadership.leader)
        by_topic[name.topic].append(
            LeaderAndIsrPartitionState(
                partition_index=name.partition,
                controller_epoch=leadership.controller_epoch,
                leader=leadership.leader,
                leader_epoch=leadership.leader_epoch,
                isr=leadership.isr,
                partition_epoch=leadership.version,
                replicas=partition.hosted,
                adding_replicas=_adding(partition),
                removing_replicas=partition.assignment.removing,
                is_new=new,
                leader_recovery_state=leadership.leader_recovery_state if tells_recovery else 0,
            )
        )
    live = [
        LeaderAndIsrLiveLeader(leader, endpoint.host, endpoint.port)
        for leader in sorted(leaders)
        if leader in state.brokers
        and (endpoint := endpoint_between_brokers(state.brokers[leader], listener))
    ]
    return LeaderAndIsrRequest(
        controller_id=state.controller_id,
        controller_epoch=state.epoch,
        broker_epoch=broker.epoch,
        topic_states=tuple(
            LeaderAndIsrTopicState(
                topic_name=topic,
                topic_id=state.topics[topic].topic_id or NO_TOPIC_ID,
                partition_states=tuple(partitions),
            )
            for topic, partitions in by_topic.items()
        ),
        live_leaders=tuple(live),
    )


def update_metadata(
    state: ClusterState,
    broker: Broker,
    names: Iterable[TopicPartition],
    withdrawn: Collection[TopicPartition] = (),
) -> UpdateMetadataRequest:
    """Tell a broker who is alive, and what clients ask about these partitions.

    Brokers replace their list of live brokers by the one given here, so it always has everybody:
    also the klamm nodes, or nobody would find the controller; of two with one id the broker, for
    brokers refuse a list with both. Partitions of a topic whose deletion
    has started, and those that there are no more, are taken back, as are `withdrawn` ones, of a
    topic that may have been made anew since.
    """
    alive = state.alive
    by_topic: dict[str, list[UpdateMetadataPartitionState]] = defaultdict(list)
    for name in names:
        gone = name in withdrawn or state.vanishing(name.topic)
        if gone or state.partition(name) is None:
            by_topic[name.topic].append(_taken_back(state, name))
            continue
        partition, leadership = _led(state, name)
        replicas = partition.assignment.replicas
        by_topic[name.topic].append(
            UpdateMetadataPartitionState(
                partition_index=name.partition,
                controller_epoch=leadership.controller_epoch,
                leader=leadership.leader,
                leader_epoch=leadership.leader_epoch,
                isr=leadership.isr,
                zk_version=leadership.version,
                replicas=replicas,
                offline_replicas=tuple(
                    id_ for id_ in replicas if id_ not in alive or state.is_offline(name, id_)
                ),
            )
        )
    return UpdateMetadataRequest(
        controller_id=state.controller_id,
        controller_epoch=state.epoch,
        broker_epoch=broker.epoch,
        topic_states=tuple(
            UpdateMetadataTopicState(
                topic_name=topic,
                topic_id=_topic_id(state, topic),
                partition_states=tuple(partitions),
            )
            for topic, partitions in by_topic.items()
        ),
        live_brokers=tuple(
            _live_broker(live)
            for live in (
                *state.brokers.values(),
                *(node for id_, node in state.nodes.items() if id_ not in state.brokers),
            )
        ),
    )


def stop_replica(
    state: ClusterState,
    broker: Broker,
    names: Iterable[TopicPartition],
    *,
    delete: bool,
    protocol: InterBrokerProtocol,
) -> StopReplicaRequest:
    """Tell a broker to stop these replicas, and to delete their logs if asked.

    Versions before 3 carry one delete flag for all and no leader epoch.
    """
    by_topic: dict[str, list[int]] = defaultdict(list)
    for name in names:
        by_topic[name.topic].append(name.partition)
    request = StopReplicaRequest(
        controller_id=state.controller_id,
        controller_epoch=state.epoch,
        broker_epoch=broker.epoch,
        delete_partitions=delete,
        topics=tuple(StopReplicaTopicV1(topic, tuple(p)) for topic, p in by_topic.items()),
    )
    if protocol.stop_replica < 3:
        return request
    return StopReplicaRequest(
        controller_id=state.controller_id,
        controller_epoch=state.epoch,
        broker_epoch=broker.epoch,
        topic_states=tuple(
            StopReplicaTopicState(
                topic_name=topic,
                partition_states=tuple(
                    StopReplicaPartitionState(
                        partition_index=number,
                        leader_epoch=_leader_epoch(state, TopicPartition(topic, number)),
                        delete_partition=delete,
                    )
                    for number in numbers
                ),
            )
            for topic, numbers in by_topic.items()
        ),
    )


def _adding(partition: Partition) -> tuple[int, ...]:
    """The adding replicas that steps have come to (R435-33)."""
    adding = partition.assignment.adding
    return tuple(b for b in adding if b in partition.hosted) if partition.pace else adding


def _led(state: ClusterState, name: TopicPartition) -> tuple[Partition, Leadership]:
    partition = state.partition(name)
    if partition is None or partition.leadership is None:
        raise KeyError(f"{name} has no leadership to send")
    return partition, partition.leadership


def _topic_id(state: ClusterState, name: str) -> UUID:
    topic = state.topics.get(name)
    return topic.topic_id or NO_TOPIC_ID if topic else NO_TOPIC_ID


def _taken_back(state: ClusterState, name: TopicPartition) -> UpdateMetadataPartitionState:
    """Tell brokers to forget a partition (Kafka 3.9, addUpdateMetadataRequestForBrokers)."""
    partition = state.partition(name)
    return UpdateMetadataPartitionState(
        partition_index=name.partition,
        controller_epoch=state.epoch,
        leader=DURING_DELETE,
        leader_epoch=0,
        zk_version=0,
        replicas=partition.assignment.replicas if partition else (),
    )


def _leader_epoch(state: ClusterState, name: TopicPartition) -> int:
    if state.vanishing(name.topic):
        return DURING_DELETE
    partition = state.partition(name)
    if partition is None or partition.leadership is None:
        return NO_EPOCH
    return partition.leadership.leader_epoch


#: The same objects go to every broker, again and again.
@lru_cache(maxsize=1024)
def _live_broker(broker: Broker) -> UpdateMetadataBroker:
    return UpdateMetadataBroker(
        id=broker.id,
        endpoints=tuple(
            UpdateMetadataEndpoint(
                port=endpoint.port,
                host=endpoint.host,
                listener=endpoint.listener,
                security_protocol=SECURITY_PROTOCOLS[endpoint.security_protocol],
            )
            for endpoint in broker.endpoints
        ),
        rack=broker.rack,
    )
