"""What the answers of brokers and klamm nodes to single requests say."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from uuid import UUID

from klamm.controller.brokers.in_flight import InFlight, Kind
from klamm.controller.brokers.messages import NO_TOPIC_ID
from klamm.controller.core.events import ReplicasDeleted, ReplicasFound, WithdrawalsHeard
from klamm.controller.core.model import Broker, ClusterState, TopicPartition
from klamm.controller.node.inputs import BrokerAnswer
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
)
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse


def codes(
    answer: BrokerAnswer, sent: InFlight, state: ClusterState
) -> tuple[int, dict[TopicPartition, int]]:
    """Return the top-level code and those of partitions that the answer names."""
    match answer.response:
        case LeaderAndIsrResponse() as response:
            codes = _named(response.partition_errors)
            # From version 5 on topics have ids instead of names.
            names = _names_by_id(sent, state) if response.topics else {}
            for topic in response.topics:
                for error in topic.partition_errors:
                    for topic_name in names.get(topic.topic_id, ()):
                        name = TopicPartition(topic_name, error.partition_index)
                        codes[name] = codes.get(name) or error.error_code
            return response.error_code, codes
        case StopReplicaResponse() as response:
            return response.error_code, _named(response.partition_errors)
        case UpdateMetadataResponse() as response:
            return response.error_code, {}
        case other:
            raise TypeError(f"broker {answer.broker} was answered for with {type(other).__name__}")


def _named(
    errors: Iterable[LeaderAndIsrPartitionError | StopReplicaPartitionError],
) -> dict[TopicPartition, int]:
    return {TopicPartition(e.topic_name, e.partition_index): e.error_code for e in errors}


def found(
    broker: Broker,
    sent: InFlight,
    code: int,
    partitions: dict[TopicPartition, int],
    state: ClusterState,
) -> Iterator[ReplicasFound]:
    """Tell which replicas a broker that was to lead or follow has on failed directories.

    Only what is news: 56 of one that was online, 0 of one that was offline.
    """
    if code != ErrorCode.NONE or sent.kind is not Kind.LEADER_AND_ISR:
        return
    failed = {n for n in sent.epochs if partitions.get(n) == ErrorCode.KAFKA_STORAGE_ERROR}
    fine = {n for n in sent.epochs if partitions.get(n, ErrorCode.NONE) == ErrorCode.NONE}
    offline = frozenset(name for name in failed if not state.is_offline(name, broker.id))
    online = frozenset(name for name in fine if state.is_offline(name, broker.id))
    if offline or online:
        yield ReplicasFound(broker.id, broker.epoch, offline, online)


def deleted(
    broker: int,
    sent: InFlight,
    code: int,
    partitions: dict[TopicPartition, int],
    state: ClusterState,
) -> Iterator[ReplicasDeleted]:
    """Tell which replicas a broker has deleted that somebody waits for, topic by topic.

    Of a partition that it does not host it has no log either, and answers so with 0.
    """
    if code != ErrorCode.NONE or sent.kind is not Kind.STOP_REPLICA:
        return
    gone: dict[str, set[int]] = defaultdict(set)
    for name, delete in sent.flags.items():
        done = partitions.get(name, ErrorCode.NONE) == ErrorCode.NONE
        if delete and done and (state.vanishing(name.topic) or state.owes(name, broker)):
            gone[name.topic].add(name.partition)
    for topic, numbers in gone.items():
        yield ReplicasDeleted(topic, broker, frozenset(numbers))


def withdrawn(
    peer: int, sent: InFlight, code: int, state: ClusterState
) -> Iterator[WithdrawalsHeard]:
    """Tell which partitions of topics being deleted a peer was told of, and has taken back."""
    if code != ErrorCode.NONE or sent.kind is not Kind.UPDATE_METADATA:
        return
    gone: dict[str, set[int]] = defaultdict(set)
    for name, is_gone in sent.flags.items():
        if is_gone and state.vanishing(name.topic):
            gone[name.topic].add(name.partition)
    if gone:
        yield WithdrawalsHeard(peer, {name: frozenset(numbers) for name, numbers in gone.items()})


def _names_by_id(sent: InFlight, state: ClusterState) -> dict[UUID, list[str]]:
    """The topics of a request by id; those without one share the id of all zeros.

    What is said of that one counts for all of them: better a delete too late than one too early.
    """
    names = defaultdict(list)
    for topic_name in dict.fromkeys(name.topic for name in sent.flags):
        if topic_name in state.topics:
            names[state.topics[topic_name].topic_id or NO_TOPIC_ID].append(topic_name)
    return names
