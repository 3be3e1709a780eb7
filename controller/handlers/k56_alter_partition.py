"""AlterPartition (key 56, KIP-497).

Behaviour
    * A leader asks for another ISR of each partition; each is answered with its error, or with
      the state as it is durable, also if nothing had to change. One write per Commit and
      partition, one response.
    * Top level: CLUSTER_AUTHORIZATION_FAILED without CLUSTER_ACTION on the cluster; NOT_CONTROLLER
      if this node is not, or no longer, the active controller; STALE_BROKER_EPOCH if the sender is
      not registered with this epoch. Then no topics.
    * NOT_CONTROLLER of one partition is another thing: its leader knows a later epoch than we.
    * Members that are not alive: INELIGIBLE_REPLICA, below version 2 OPERATION_NOT_ATTEMPTED.
    * A partition named twice is judged twice, in order; each entry is answered.
    Source: Kafka 3.9, KafkaApis.handleAlterPartitionRequest, KafkaController.processAlterPartition.

Versions 0-3
    1     leader recovery state (KIP-704); before, the leader has always recovered
    2     topic ids instead of names; an id that no topic has: UNKNOWN_TOPIC_ID
    3     the broker epochs of ISR members, which are not looked at: brokers of a cluster with
          ZooKeeper do not know them

Left out: nothing. Kafka sends versions 2 and up only to brokers of IBP 2.8-IV0 and later; here the
broker chooses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from klamm.controller.core.events import AlterPartition
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.results import NOT_CONTROLLER, Fault, IsrAltered, Refusal, Result
from klamm.controller.handlers.api import Answer, Context, Outcome, Submit, error_code
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated import alter_partition_request as asked
from klamm.protocol.generated import alter_partition_response as answered

API_KEY = 56
VERSIONS = range(4)

#: From here on requests and responses name topics by id, and there is a code for dead members.
TOPIC_IDS = 2
ISR_WITH_EPOCHS = 3


def handle(context: Context, request: asked.AlterPartitionRequest, version: int) -> Outcome:
    """Make one event per partition, in order of the request."""
    if not context.allows_cluster(Operation.CLUSTER_ACTION):
        return Answer(_refused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED))
    if context.state is None:
        return Answer(_refused(ErrorCode.NOT_CONTROLLER))
    layout = _Layout(request.topics, version)
    events = tuple(
        AlterPartition(
            partition=TopicPartition(name, partition.partition_index),
            broker=request.broker_id,
            broker_epoch=request.broker_epoch,
            leader_epoch=partition.leader_epoch,
            partition_epoch=partition.partition_epoch,
            isr=_isr(partition, version),
            leader_recovery_state=partition.leader_recovery_state,
            topic_id=topic.topic_id if version >= TOPIC_IDS else None,
        )
        for topic, name in zip(request.topics, layout.names(context.state), strict=True)
        for partition in topic.partitions
    )
    if events:
        return Submit(events, layout.respond)
    registered = context.state.brokers.get(request.broker_id)
    if registered is None or registered.epoch != request.broker_epoch:
        return Answer(_refused(ErrorCode.STALE_BROKER_EPOCH))
    return Answer(layout.respond(()))


def _isr(partition: asked.PartitionData, version: int) -> tuple[int, ...]:
    if version < ISR_WITH_EPOCHS:
        return partition.new_isr
    return tuple(member.broker_id for member in partition.new_isr_with_epochs)


def _refused(code: ErrorCode) -> answered.AlterPartitionResponse:
    return answered.AlterPartitionResponse(error_code=code)


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a request named, in which order: the response is laid out alike."""

    topics: Sequence[asked.TopicData]
    version: int

    def names(self, state: ClusterState) -> list[str]:
        """Return the name of each topic of the request; "" for an id that no topic has."""
        if self.version < TOPIC_IDS:
            return [topic.topic_name for topic in self.topics]
        wanted = {topic.topic_id for topic in self.topics}
        known: dict[UUID, str] = {
            topic.topic_id: topic.name
            for topic in state.topics.values()
            if topic.topic_id in wanted and topic.topic_id is not None
        }
        return [known.get(topic.topic_id, "") for topic in self.topics]

    def respond(self, results: Sequence[Result]) -> answered.AlterPartitionResponse:
        """Make the response; what refuses one for its sender or receiver refuses the whole."""
        for result in results:
            if result == NOT_CONTROLLER:
                return _refused(ErrorCode.NOT_CONTROLLER)
            if isinstance(result, Refusal) and result.fault is Fault.STALE_BROKER_EPOCH:
                return _refused(ErrorCode.STALE_BROKER_EPOCH)
        rest = iter(results)
        return answered.AlterPartitionResponse(
            topics=tuple(
                answered.TopicData(
                    topic_name=topic.topic_name if self.version < TOPIC_IDS else "",
                    topic_id=topic.topic_id,
                    partitions=tuple(
                        self._partition(partition.partition_index, next(rest))
                        for partition in topic.partitions
                    ),
                )
                for topic in self.topics
            )
        )

    def _partition(self, number: int, result: Result) -> answered.PartitionData:
        match result:
            case IsrAltered(leadership):
                return answered.PartitionData(
                    partition_index=number,
                    leader_id=leadership.leader,
                    leader_epoch=leadership.leader_epoch,
                    isr=leadership.isr,
                    leader_recovery_state=(
                        leadership.leader_recovery_state if self.version > 0 else 0
                    ),
                    partition_epoch=leadership.version,
                )
            case Refusal(fault=Fault.INELIGIBLE_REPLICA) if self.version < TOPIC_IDS:
                return answered.PartitionData(number, ErrorCode.OPERATION_NOT_ATTEMPTED)
            case Refusal(fault=fault):
                return answered.PartitionData(number, error_code(fault))
            case other:
                raise TypeError(f"an altered partition comes to no {type(other).__name__}")
