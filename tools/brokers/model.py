"""A ZooKeeper-mode broker as the controller knows it, without I/O, clock or randomness.

`BrokerModel` is one broker process, from its start to its end: requests of a controller, answers
of ZooKeeper and of the controller, fetches of followers and time go in; responses and requests
come out. Times are seconds of any clock that does not run backwards. The facts are Kafka 3.9's:
ReplicaManager (maybeUpdateMetadataCache), Partition, and KafkaApis for the broker epochs.

Left out: the data plane (`replication` moves bytes between models).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from klamm.controller.brokers.metadata import MetadataCache, updated
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.store import port
from klamm.controller.znodes import LogDirEvent, encode_log_dir_event, paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.tools.brokers import control
from klamm.tools.brokers.alter_partition import AlterPartitionPublisher
from klamm.tools.brokers.asks import Answered, controlled_shutdown_version
from klamm.tools.brokers.calls import Call, Calls, Done
from klamm.tools.brokers.departure import Departure
from klamm.tools.brokers.dynamic_configs import DynamicConfigs
from klamm.tools.brokers.hosting import Hosting
from klamm.tools.brokers.log_dir_moves import LogDirMoves
from klamm.tools.brokers.membership import Membership
from klamm.tools.brokers.progress_reports import ProgressReports
from klamm.tools.brokers.publisher import Publisher, ZnodePublisher
from klamm.tools.brokers.registration import Registration
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.settings import BrokerSettings
from klamm.tools.brokers.storage import Disks
from klamm.tools.brokers.throttles import Throttles

#: As the broker epoch of a request: the controller does not say.
_UNCHECKED = -1


class BrokerModel:
    """One broker process on `disks`, which outlive it.

    `controller_epoch` is the highest seen. After every call, `take` gives the requests that came
    of it: to ZooKeeper, and to the controller.
    """

    def __init__(self, settings: BrokerSettings, disks: Disks, now: float) -> None:
        self.settings = settings
        self.disks = disks
        self.metadata = MetadataCache()
        self.controller_epoch = 0
        self.hosting = Hosting(settings.id, disks, settings.born_with)
        self._calls = Calls()
        self.log_dir_moves = LogDirMoves(self.hosting, settings.disk_bytes, self._copy_rate, now)
        self._registration = Registration(self._calls, settings)
        self._configs = DynamicConfigs(self._calls, settings.id)
        publisher: Publisher
        if settings.protocol.alter_partition:
            publisher = AlterPartitionPublisher(
                self._calls, self._registration, settings.id, settings.protocol
            )
        else:
            publisher = ZnodePublisher(self._calls, settings.times, now)
        self._publisher = publisher
        self._membership = Membership(self.hosting.replicas, publisher, settings.times, now)
        self._reports = ProgressReports(
            self._calls,
            self._registration,
            settings.id,
            self.hosting.replicas,
            settings.report_seconds,
        )
        self.departure = Departure(
            self._calls,
            self._registration,
            settings.id,
            controlled_shutdown_version(settings.protocol),
        )

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
    def replicas(self) -> dict[TopicPartition, Replica]:
        """The partitions it hosts."""
        return self.hosting.replicas

    @property
    def touched(self) -> set[TopicPartition]:
        """Partitions whose part in replication may have changed."""
        return self.hosting.touched

    @property
    def throttles(self) -> Throttles:
        """The throttles that it has read of."""
        return self._configs.throttles

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return min(
            self._membership.deadline,
            self._publisher.deadline,
            self.departure.deadline,
            self.log_dir_moves.deadline,
            self._reports.deadline,
        )

    def _copy_rate(self) -> float:
        return min(self.settings.copy_rate, self.throttles.quotas.log_dirs)

    def take(self) -> tuple[Call, ...]:
        """Return the requests that are to be made now, in order."""
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
                return self._update_metadata(now, request)
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

    def _update_metadata(
        self, now: float, request: UpdateMetadataRequest
    ) -> UpdateMetadataResponse:
        stale = self._stale(request)
        if not stale:
            self.metadata = updated(self.metadata, request)
            self._membership.retry(now, self.metadata.brokers)
        return UpdateMetadataResponse(stale)

    def _leader_and_isr(
        self, now: float, request: LeaderAndIsrRequest, version: int
    ) -> LeaderAndIsrResponse:
        asked = control.orders(request)
        stale = self._stale(request)
        if stale:
            return control.orders_answered(version, asked, dict.fromkeys(asked, stale), stale)
        alive = self.metadata.brokers
        codes = {name: self.hosting.obey(now, name, order, alive) for name, order in asked.items()}
        for topic in {name.topic for name in asked if name in self.replicas}:
            self._configs.hosts(topic)
        return control.orders_answered(version, asked, codes)

    def _stop_replica(self, request: StopReplicaRequest) -> StopReplicaResponse:
        asked = control.stops(request)
        stale = self._stale(request)
        if stale is ErrorCode.STALE_CONTROLLER_EPOCH:
            return control.stops_answered((), stale)
        if stale:
            return control.stops_answered(((name, stale) for name in asked), stale)
        codes = [(name, self.hosting.stop(name, stop)) for name, stop in asked.items()]
        hosted = {name.topic for name in self.replicas}
        for topic in {name.topic for name in asked} - hosted:
            self._configs.forgets(topic)
        return control.stops_answered(codes)

    # --- ZooKeeper and the controller's answers ----------------------------------------------

    def store(self, now: float, event: port.StoreEvent) -> None:
        """Take an event of a session that was opened for this process.

        Raises BrokerIdInUseError, StoreRefusedError, or ZnodeError for an unreadable cluster id.
        """
        match event:
            case port.SessionEvent(state=port.SessionState.CONNECTED):
                self._calls.connected()
                self._registration.connected(event.session)
                self._configs.connected()
            case port.SessionEvent():
                self._calls.disconnected()
            case port.Watched():
                self._configs.watched(event)
            case port.CommitDone() | port.UpdateDone() | port.ReadDone() | port.WatchDone():
                if self._calls.settled(event):
                    self._stored(now, event)

    def _stored(self, now: float, done: Done) -> None:
        self._registration.answered(done)
        cluster_id = self._registration.cluster_id or ""
        if cluster_id != self.metadata.cluster_id:
            self.metadata = replace(self.metadata, cluster_id=cluster_id)
        changed = self._configs.stored(done)
        if changed is not None:
            all_topics = changed.kind == "brokers"
            self.touched.update(
                name for name in self.replicas if all_topics or name.topic == changed.name
            )
        verdicts = self._publisher.stored(now, done)
        self.touched.update(self._membership.settle(now, verdicts, self.metadata.brokers))

    def answered(self, now: float, answered: Answered) -> None:
        """Take what came of an ask."""
        self.departure.answered(now, answered)
        self._reports.answered(now, answered)
        verdicts = self._publisher.answered(now, answered)
        self.touched.update(self._membership.settle(now, verdicts, self.metadata.brokers))

    def depart(self) -> None:
        """Begin a controlled shutdown; `departure.granted` tells when the broker may end."""
        self.departure.begin()

    # --- followers ---------------------------------------------------------------------------

    def fetched(
        self, now: float, name: TopicPartition, follower: int, end: int, stays: bool
    ) -> None:
        """Take a follower's fetch from `end`, its log end offset, in the present leader epoch.

        `stays` stands for the fetches that follow at the leader's end, until `fetching_ended`.
        """
        replica = self.replicas[name]
        replica.fetched(now, follower, end, stays)
        self._raise_high_watermark(now, replica)
        self._membership.fetched(replica, follower, self.metadata.brokers)
        self._reports.fetched(now, replica, follower)

    def progressed(self, now: float, name: TopicPartition, ends: Mapping[int, int]) -> None:
        """Learn how far lagging followers have come, and what has been written meanwhile."""
        replica = self.replicas[name]
        replica.progressed(now, ends)
        self._raise_high_watermark(now, replica)

    def fetching_ended(
        self, now: float, name: TopicPartition, follower: int, lags: bool = False
    ) -> None:
        """Learn that a follower fetches no more, or that one which stayed lags from now on."""
        replica = self.replicas.get(name)
        if replica is not None:
            replica.fetching_ended(now, follower, lags)
            self._reports.fetched(now, replica, follower)

    def _raise_high_watermark(self, now: float, replica: Replica) -> None:
        lag_max = self.settings.times.replica_lag_max
        least = self.throttles.min_in_sync(replica.name.topic)
        replica.raise_high_watermark(now, self.metadata.brokers, lag_max, least)

    # --- time and disks ----------------------------------------------------------------------

    def led_to_check(self, now: float) -> Iterable[TopicPartition]:
        """Return the partitions whose logs `advance` is going to compare, if it is time to."""
        return (*self._membership.led_to_check(now), *self._reports.to_look_at(now))

    def advance(self, now: float) -> None:
        """Do what time brings: members that lag leave the ISR, changes are told."""
        self.log_dir_moves.advance(now)
        self._membership.advance(now, self.metadata.brokers)
        self._publisher.advance(now)
        self._reports.advance(now)
        self.departure.advance(now)

    def fail_directory(self, directory: str) -> None:
        """Break a log directory; raises ValueError for an unknown one.

        Kafka's broker halts when it was the last one; this one goes on, with nothing but errors.
        """
        self.hosting.fail_directory(directory)
        notice = encode_log_dir_event(LogDirEvent(self.id))
        self._calls.update(Create(paths.LOG_DIR_EVENT_PREFIX, notice, sequential=True))
