"""What a broker asks of the controller, and how versions shape it.

Whoever carries an `Ask` looks the controller up in the broker's metadata, chooses the highest
version that both sides know, and gives an `Answered` back, whatever becomes of it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.protocol.generated.alter_partition_request import (
    AlterPartitionRequest,
    BrokerState,
    PartitionData,
    TopicData,
)
from klamm.protocol.generated.alter_partition_response import AlterPartitionResponse
from klamm.protocol.generated.alter_partition_response import PartitionData as PartitionAnswer
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.report_fetch_progress_request import (
    FetchedPartition,
    FetchedTopic,
    FetchingFollower,
    ReportFetchProgressRequest,
)
from klamm.protocol.message import Message
from klamm.protocol.primitives import ZERO_UUID
from klamm.tools.brokers.replica import IsrChange

#: AlterPartition names topics by id from this version on, and ISR members with their epochs.
_BY_TOPIC_ID = 2
_WITH_EPOCHS = 3

#: As a member's broker epoch: not known. Leaders in ZooKeeper mode know none but their own.
_UNKNOWN_EPOCH = -1


@dataclass(frozen=True, slots=True)
class AskAlterPartition:
    """New ISRs of partitions that the broker leads."""

    number: int
    broker: int
    broker_epoch: int
    changes: tuple[IsrChange, ...]
    by_topic_id: bool

    @property
    def versions(self) -> range:
        """Versions that can carry it, oldest first (AlterPartitionRequest.Builder)."""
        ids = self.by_topic_id and all(change.topic_id for change in self.changes)
        return AlterPartitionRequest.versions if ids else range(_BY_TOPIC_ID)

    def request(self, version: int) -> AlterPartitionRequest:
        """Return it in one of `versions`."""
        topics: defaultdict[str, list[IsrChange]] = defaultdict(list)
        for change in self.changes:
            topics[change.name.topic].append(change)
        by_id = version >= _BY_TOPIC_ID
        return AlterPartitionRequest(
            broker_id=self.broker,
            broker_epoch=self.broker_epoch,
            topics=tuple(
                TopicData(
                    topic_name="" if by_id else topic,
                    topic_id=(changes[0].topic_id or ZERO_UUID) if by_id else ZERO_UUID,
                    partitions=tuple(self._partition(change, version) for change in changes),
                )
                for topic, changes in topics.items()
            ),
        )

    def _partition(self, change: IsrChange, version: int) -> PartitionData:
        members = tuple(
            BrokerState(id_, self.broker_epoch if id_ == self.broker else _UNKNOWN_EPOCH)
            for id_ in change.isr
        )
        with_epochs = version >= _WITH_EPOCHS
        return PartitionData(
            partition_index=change.name.partition,
            leader_epoch=change.leader_epoch,
            new_isr=() if with_epochs else change.isr,
            new_isr_with_epochs=members if with_epochs else (),
            partition_epoch=change.partition_epoch,
        )

    def answers(
        self, response: AlterPartitionResponse, version: int
    ) -> Mapping[TopicPartition, PartitionAnswer]:
        """Return what a response says of each partition, by name."""
        names = {change.topic_id: change.name.topic for change in self.changes}
        by_id = version >= _BY_TOPIC_ID
        return {
            TopicPartition(name, partition.partition_index): partition
            for topic in response.topics
            for name in (names.get(topic.topic_id, "") if by_id else topic.topic_name,)
            for partition in topic.partitions
        }


@dataclass(frozen=True, slots=True)
class AskControlledShutdown:
    """Leave to go: the controller moves away what the broker leads."""

    number: int
    broker: int
    broker_epoch: int
    version: int

    @property
    def versions(self) -> range:
        """The one version that the broker's protocol has."""
        return range(self.version, self.version + 1)

    def request(self, version: int) -> ControlledShutdownRequest:
        """Return it in its version."""
        return ControlledShutdownRequest(self.broker, self.broker_epoch if version >= 2 else -1)


@dataclass(frozen=True, slots=True)
class AskReportFetchProgress:
    """What followers have fetched: no question, but answered like one. `events` are by name."""

    number: int
    broker: int
    broker_epoch: int
    events: tuple[ReplicaProgress, ...]

    @property
    def versions(self) -> range:
        """All that there are; a controller may know none."""
        return ReportFetchProgressRequest.versions

    def request(self, version: int) -> ReportFetchProgressRequest:
        """Return it in one of `versions`."""
        topics: dict[str, dict[int, list[ReplicaProgress]]] = {}
        for event in self.events:
            partitions = topics.setdefault(event.partition.topic, {})
            partitions.setdefault(event.partition.partition, []).append(event)
        return ReportFetchProgressRequest(
            self.broker,
            self.broker_epoch,
            tuple(
                FetchedTopic(
                    topic, tuple(_fetched(number, events) for number, events in partitions.items())
                )
                for topic, partitions in topics.items()
            ),
        )


def _fetched(number: int, events: Sequence[ReplicaProgress]) -> FetchedPartition:
    return FetchedPartition(
        number,
        events[0].leader_start,
        events[0].leader_end,
        tuple(FetchingFollower(event.follower, event.follower_end) for event in events),
    )


Ask = AskAlterPartition | AskControlledShutdown | AskReportFetchProgress


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of an ask: a response in a version, or None if there was none."""

    number: int
    version: int
    response: Message | None


def controlled_shutdown_version(protocol: InterBrokerProtocol) -> int:
    """Return the version of ControlledShutdown (Kafka 3.9, KafkaServer.controlledShutdown).

    From 2.4-IV1 on it is 3, as LeaderAndIsr is 4 from there on.
    """
    return 3 if protocol.leader_and_isr >= 4 else 2
