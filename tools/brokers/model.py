"""A ZooKeeper-mode broker as the controller knows it, without I/O, clock or randomness.

`BrokerModel` is one broker process, from its start to its end: requests of a controller, answers
of ZooKeeper, fetches of followers and time go in; responses and requests to ZooKeeper come out.
Times are seconds of any clock that does not run backwards. The facts are Kafka 3.9's:
ReplicaManager (becomeLeaderOrFollower, stopReplicas, maybeUpdateMetadataCache), Partition, and
KafkaApis for the broker epochs.

Left out: the data plane (`replication` moves bytes between models), min.insync.replicas, copies
between log directories, throttles, controlled shutdown, and AlterPartition.
"""

from dataclasses import replace

from klamm.controller.brokers.metadata import MetadataCache, updated
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.store import port
from klamm.controller.znodes import LogDirEvent, encode_log_dir_event, paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.tools.brokers import control
from klamm.tools.brokers.calls import Call, Calls, Done
from klamm.tools.brokers.publisher import ZnodePublisher
from klamm.tools.brokers.registration import Registration
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.settings import BrokerSettings
from klamm.tools.brokers.storage import DirectoryOfflineError, Disks

#: As the broker epoch of a request: the controller does not say.
_UNCHECKED = -1


class BrokerModel:
    """One broker process on `disks`, which outlive it.

    `controller_epoch` is the highest seen. `replicas` are the partitions it hosts, `offline` those
    whose log was in a directory that broke. `touched` collects partitions whose part in
    replication may have changed; whoever moves the bytes empties it. After every call, `take`
    gives the requests to ZooKeeper that came of it.
    """

    def __init__(self, settings: BrokerSettings, disks: Disks, now: float) -> None:
        self.settings = settings
        self.disks = disks
        self.metadata = MetadataCache()
        self.controller_epoch = 0
        self.replicas: dict[TopicPartition, Replica] = {}
        self.offline: set[TopicPartition] = set()
        self.touched: set[TopicPartition] = set()
        self._joining: set[TopicPartition] = set()
        self._calls = Calls()
        self._registration = Registration(self._calls, settings)
        self._publisher = ZnodePublisher(self._calls, settings.times, now)
        self._lag_check_at = now + settings.times.replica_lag_max / 2

    @property
    def id(self) -> int:
        """The broker's id."""
        return self.settings.id

    @property
    def epoch(self) -> int:
        """The broker epoch: the czxid of its znode, -1 before the first registration."""
        return self._registration.epoch

    @property
    def registered(self) -> bool:
        """Tell whether the broker has entered the cluster."""
        return self._registration.done

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return min(self._lag_check_at, self._publisher.deadline)

    def take(self) -> tuple[Call, ...]:
        """Return the requests to ZooKeeper that are to be made now, in order."""
        return tuple(self._calls.take())

    # --- requests of a controller ------------------------------------------------------------

    def request(
        self, now: float, request: control.ControlRequest, version: int
    ) -> control.ControlResponse:
        """Answer LeaderAndIsr, UpdateMetadata or StopReplica of any version."""
        match request:
            case LeaderAndIsrRequest():
                return self._leader_and_isr(now, request, version)
            case UpdateMetadataRequest():
                return self._update_metadata(request)
            case StopReplicaRequest():
                return self._stop_replica(request)

    def _stale(self, request: control.ControlRequest) -> ErrorCode:
        """Compare the epochs; the highest controller epoch that was let in is remembered."""
        if _UNCHECKED != request.broker_epoch < self.epoch:
            return ErrorCode.STALE_BROKER_EPOCH
        if request.controller_epoch < self.controller_epoch:
            return ErrorCode.STALE_CONTROLLER_EPOCH
        self.controller_epoch = request.controller_epoch
        return ErrorCode.NONE

    def _update_metadata(self, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
        stale = self._stale(request)
        if not stale:
            self.metadata = updated(self.metadata, request)
            self._expand_waiting()
        return UpdateMetadataResponse(stale)

    def _leader_and_isr(
        self, now: float, request: LeaderAndIsrRequest, version: int
    ) -> LeaderAndIsrResponse:
        asked = control.orders(request)
        stale = self._stale(request)
        if stale:
            return control.orders_answered(version, asked, dict.fromkeys(asked, stale), stale)
        codes = {name: self._obey(now, name, order) for name, order in asked.items()}
        return control.orders_answered(version, asked, codes)

    def _obey(self, now: float, name: TopicPartition, order: control.Order) -> ErrorCode:
        """Decide on one partition of LeaderAndIsr, the checks in Kafka's order."""
        if name in self.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        log = self.disks.logs.get(name)
        log_id = log.topic_id if log else None
        if order.topic_id and log_id and order.topic_id != log_id:
            return ErrorCode.INCONSISTENT_TOPIC_ID
        hosted = self.replicas.get(name)
        epoch = hosted.leader_epoch if hosted else control.NO_EPOCH
        if order.state.leader_epoch > epoch:
            if self.id not in order.state.replicas:
                return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            return self._accept(now, name, order, hosted)
        if order.state.leader_epoch == epoch and log and order.topic_id and not log_id:
            log.topic_id = order.topic_id
            return ErrorCode.NONE
        return ErrorCode.STALE_CONTROLLER_EPOCH

    def _accept(
        self, now: float, name: TopicPartition, order: control.Order, hosted: Replica | None
    ) -> ErrorCode:
        state = order.state
        try:
            log = self.disks.log(name, state.is_new, self._born_with(state))
        except DirectoryOfflineError:
            self.offline.add(name)
            return ErrorCode.KAFKA_STORAGE_ERROR
        log.topic_id = log.topic_id or order.topic_id
        replica = hosted or Replica(name, self.id, log)
        self.replicas[name] = replica
        self.touched.add(name)
        if state.leader == self.id:
            replica.lead(now, state)
        elif state.leader in self.metadata.brokers:
            replica.follow(state)
        # Else the epoch stays as it was, so that the same order can be given again, and the
        # answer is no error all the same.
        return ErrorCode.NONE

    def _born_with(self, state: LeaderAndIsrPartitionState) -> int:
        """Return the size of a log that is made for this order.

        A new topic starts with its synthetic data on all replicas of its first ISR. A replica
        added later is told is_new as well but is in no ISR, and fetches everything.
        """
        return self.settings.partition_bytes if state.is_new and self.id in state.isr else 0

    def _stop_replica(self, request: StopReplicaRequest) -> StopReplicaResponse:
        asked = control.stops(request)
        stale = self._stale(request)
        if stale is ErrorCode.STALE_CONTROLLER_EPOCH:
            return control.stops_answered((), stale)
        if stale:
            return control.stops_answered(((name, stale) for name in asked), stale)
        return control.stops_answered(
            [(name, self._stop(name, stop)) for name, stop in asked.items()]
        )

    def _stop(self, name: TopicPartition, stop: control.Stop) -> ErrorCode:
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
            self._forget(name)
            self.disks.delete(name)
        return ErrorCode.NONE

    def _forget(self, name: TopicPartition) -> None:
        self.replicas.pop(name, None)
        self._joining.discard(name)

    # --- ZooKeeper ---------------------------------------------------------------------------

    def store(self, now: float, event: port.StoreEvent) -> None:
        """Take an event of a session that was opened for this process.

        Raises BrokerIdInUseError, StoreRefusedError, or ZnodeError for an unreadable cluster id.
        """
        match event:
            case port.SessionEvent(state=port.SessionState.CONNECTED):
                self._calls.connected()
                self._registration.connected(event.session)
            case port.SessionEvent():
                self._calls.disconnected()
            case port.CommitDone() | port.UpdateDone() | port.ReadDone():
                if self._calls.settled(event):
                    self._answered(now, event)

    def _answered(self, now: float, done: Done) -> None:
        self._registration.answered(done)
        cluster_id = self._registration.cluster_id or ""
        if cluster_id != self.metadata.cluster_id:
            self.metadata = replace(self.metadata, cluster_id=cluster_id)
        accepted = self._publisher.answered(now, done)
        replica = self.replicas.get(accepted.change.name) if accepted else None
        if accepted and replica and replica.accepted(accepted.change, accepted.partition_epoch):
            self._expand(replica)

    # --- followers ---------------------------------------------------------------------------

    def fetched(
        self, now: float, name: TopicPartition, follower: int, end: int, stays: bool
    ) -> None:
        """Take a follower's fetch from `end`, its log end offset, in the present leader epoch.

        `stays` stands for the fetches that follow at the leader's end, until `fetching_ended`.
        """
        replica = self.replicas[name]
        replica.fetched(now, follower, end, stays)
        lag_max = self.settings.times.replica_lag_max
        replica.raise_high_watermark(now, self.metadata.brokers, lag_max)
        if stays and follower not in replica.isr:
            self._joining.add(name)
        self._expand(replica, follower)

    def fetching_ended(self, now: float, name: TopicPartition, follower: int) -> None:
        """Learn that a follower which stayed fetches no more."""
        replica = self.replicas.get(name)
        if replica is not None:
            replica.fetching_ended(now, follower)

    def _expand(self, replica: Replica, fetcher: int | None = None) -> None:
        joiner = replica.joiner(self.metadata.brokers, fetcher)
        if joiner is not None:
            self._publisher.submit(replica.propose((*replica.isr, joiner)))

    def _expand_waiting(self) -> None:
        """Try again for followers that stay: the metadata may have come to know them."""
        for name in sorted(self._joining):
            replica = self.replicas[name]
            if replica.awaits_a_joiner:
                self._expand(replica)
            else:
                self._joining.discard(name)

    # --- time and disks ----------------------------------------------------------------------

    def advance(self, now: float) -> None:
        """Do what time brings: members that lag leave the ISR, changes are told."""
        times = self.settings.times
        if now >= self._lag_check_at:
            self._lag_check_at = now + times.replica_lag_max / 2
            for replica in self.replicas.values():
                laggards = replica.laggards(now, times.replica_lag_max)
                if laggards:
                    isr = tuple(member for member in replica.isr if member not in laggards)
                    self._publisher.submit(replica.propose(isr))
        self._publisher.advance(now)

    def fail_directory(self, directory: str) -> None:
        """Break a log directory; raises ValueError for an unknown one.

        Kafka's broker halts when it was the last one; this one goes on, with nothing but errors.
        """
        for name in self.disks.fail(directory):
            if name in self.replicas:
                self.offline.add(name)
                self.touched.add(name)
                self._forget(name)
        notice = encode_log_dir_event(LogDirEvent(self.id))
        self._calls.update(Create(paths.LOG_DIR_EVENT_PREFIX, notice, sequential=True))
