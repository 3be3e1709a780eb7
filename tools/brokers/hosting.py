"""The partitions that one broker hosts, and the controller's orders about them.

Sources: Kafka 3.9, ReplicaManager.becomeLeaderOrFollower, stopReplicas.
"""

from collections.abc import Callable, Container

from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrPartitionState
from klamm.tools.brokers import control
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.storage import DirectoryOfflineError, Disks


class Hosting:
    """`replicas` are the partitions hosted, `offline` those whose log was in a broken directory.

    `touched` collects partitions whose part in replication may have changed; whoever moves the
    bytes empties it. `born_with` gives the bytes that a partition of a new topic holds.
    """

    def __init__(
        self, broker: int, disks: Disks, born_with: Callable[[TopicPartition], int]
    ) -> None:
        self._broker = broker
        self._bytes_of = born_with
        self.disks = disks
        self.replicas: dict[TopicPartition, Replica] = {}
        self.offline: set[TopicPartition] = set()
        self.touched: set[TopicPartition] = set()
        #: Where logs are to be made of partitions that the broker did not have when it was told.
        self.preferred: dict[TopicPartition, str] = {}

    def obey(
        self, now: float, name: TopicPartition, order: control.Order, alive: Container[int]
    ) -> ErrorCode:
        """Decide on one partition of LeaderAndIsr, the checks in Kafka's order.

        `alive` are the brokers that this one knows: it follows no other.
        """
        if name in self.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        log = self.disks.logs.get(name)
        log_id = log.topic_id if log else None
        if order.topic_id and log_id and order.topic_id != log_id:
            return ErrorCode.INCONSISTENT_TOPIC_ID
        hosted = self.replicas.get(name)
        epoch = hosted.leader_epoch if hosted else control.NO_EPOCH
        if order.state.leader_epoch > epoch:
            if self._broker not in order.state.replicas:
                return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            return self._accept(now, name, order, hosted, alive)
        if order.state.leader_epoch == epoch and log and order.topic_id and not log_id:
            log.topic_id = order.topic_id
            return ErrorCode.NONE
        return ErrorCode.STALE_CONTROLLER_EPOCH

    def _accept(
        self,
        now: float,
        name: TopicPartition,
        order: control.Order,
        hosted: Replica | None,
        alive: Container[int],
    ) -> ErrorCode:
        state = order.state
        try:
            born_with, preferred = self._born_with(name, state), self.preferred.pop(name, None)
            log = self.disks.log(name, state.is_new, born_with, preferred)
        except DirectoryOfflineError:
            self.offline.add(name)
            return ErrorCode.KAFKA_STORAGE_ERROR
        log.topic_id = log.topic_id or order.topic_id
        replica = hosted or Replica(name, self._broker, log)
        self.replicas[name] = replica
        self.touched.add(name)
        if state.leader == self._broker:
            replica.lead(now, state)
        elif state.leader in alive:
            replica.follow(state)
        # Else the epoch stays as it was, so that the same order can be given again, and the
        # answer is no error all the same.
        return ErrorCode.NONE

    def _born_with(self, name: TopicPartition, state: LeaderAndIsrPartitionState) -> int:
        """Return the size of a log that is made for this order.

        A new topic starts with its synthetic data on all replicas of its first ISR. A replica
        added later is told is_new as well but is in no ISR, and fetches everything.
        """
        first = state.is_new and self._broker in state.isr
        return self._bytes_of(name) if first else 0

    def stop(self, name: TopicPartition, stop: control.Stop) -> ErrorCode:
        """Decide on one partition of StopReplica."""
        if name in self.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        hosted = self.replicas.get(name)
        if hosted is not None:
            fenced = stop.leader_epoch not in (control.NO_EPOCH, control.EPOCH_DURING_DELETE)
            if fenced and stop.leader_epoch < hosted.leader_epoch:
                return ErrorCode.FENCED_LEADER_EPOCH
            hosted.fetching = False
            self.touched.add(name)
        if stop.delete:
            self.replicas.pop(name, None)
            self.disks.delete(name)
        return ErrorCode.NONE

    def fail_directory(self, directory: str) -> None:
        """Lose what is in a log directory; raises ValueError for an unknown one."""
        for name in self.disks.fail(directory):
            if self.replicas.pop(name, None) is not None:
                self.offline.add(name)
                self.touched.add(name)
