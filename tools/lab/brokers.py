"""Hosts of brokers: one broker's process after the other, on disks that outlive them.

The model is that of `klamm.tools.brokers`, the one behind the sockets of `klamm up`; all models of
a world share one `Cluster`, which moves the bytes between them as the world's time passes.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from klamm.controller.handlers.table import HANDLERS
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes, Update
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import SessionEvent, SessionState
from klamm.controller.znodes import Endpoint
from klamm.protocol.message import Message
from klamm.tools.brokers.asks import (
    Answered,
    Ask,
    AskAlterPartition,
    AskControlledShutdown,
    AskReportFetchProgress,
)
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.control import ControlRequest
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.registration import BrokerIdInUseError
from klamm.tools.brokers.settings import BrokerSettings
from klamm.tools.brokers.storage import Disks
from klamm.tools.lab.desk import CLUSTER_ID
from klamm.tools.lab.events import Carried, Way
from klamm.tools.lab.network import AskOnTheWay, Late
from klamm.tools.lab.sessions import HostSession

if TYPE_CHECKING:
    from klamm.tools.lab.world import World

_STARTED_MS = 1_700_000_000_000
_NO_VERSION = -1


class BrokerHost:
    """The machine of one broker.

    `asks` are its requests to the controller that are under way. `refused` says that the last
    process ended because its id was taken, and that its supervisor is to start another.
    """

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.id = number
        self.name = f"b{number}"
        scope = world.scope
        self.settings = BrokerSettings(
            number,
            Endpoint("PLAINTEXT", "PLAINTEXT", self.name, 9092),
            CLUSTER_ID,
            partition_bytes=scope.partition_bytes,
            topic_bytes=scope.topic_bytes,
            log_bytes=scope.log_bytes,
            report_seconds=scope.report_seconds,
            log_dirs=scope.log_dirs,
            protocol=scope.protocol,
            timestamp_ms=_STARTED_MS,
        )
        self.lives = 0
        self.former: list[MemoryStore] = []
        self.start()

    # --- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start a process on the disks that the one before has left."""
        self.session: HostSession | None = None
        self.inbox: deque[Any] = deque()
        self.asks: list[AskOnTheWay] = []
        self.late: deque[Late] = deque()
        self.stalled = False
        self.refused = False
        self.lives += 1
        self.world.carry_out(self.world.cluster.start(self.world.now, self.settings))

    def open_session(self) -> None:
        """Open a session, as a process does that has none."""
        self.session = HostSession(self.world.zookeeper, self)

    def kill(self, end_session: bool = False) -> None:
        """End the process; its registration goes when its session ends, at once or later."""
        if self.session is not None:
            store, self.session = self.session.store, None
            if end_session:
                store.close()
            else:
                self.world.abandon(store)
            if not store.lost:
                self.former.append(store)
        if self.stalled:
            self.world.unstall(self)
        self.inbox.clear()
        self.asks.clear()
        self.late.clear()
        self.world.carry_out(self.world.cluster.kill(self.world.now, self.id))

    @property
    def model(self) -> BrokerModel | None:
        """The process; None while there is none."""
        return self.world.cluster.brokers.get(self.id)

    @property
    def alive(self) -> bool:
        """Tell whether a process runs."""
        return self.id in self.world.cluster.brokers

    @property
    def disks(self) -> Disks:
        """What outlives the process; it may lag behind what followers have fetched meanwhile."""
        return self.world.cluster.disks(self.id)

    @property
    def store(self) -> MemoryStore | None:
        """The store of the present session."""
        return self.session.store if self.session is not None else None

    # --- ZooKeeper -------------------------------------------------------------------------------

    def take_events(self) -> None:
        """Give the process what ZooKeeper has told it."""
        while self.inbox:
            event = self.inbox.popleft()
            lost = isinstance(event, SessionEvent) and event.state is SessionState.LOST
            if lost:
                self.session = None
            cluster = self.world.cluster
            try:
                effects = cluster.store(self.world.now, self.id, event)
            except BrokerIdInUseError as error:
                self._end_refused(error)
            else:
                self.world.carry_out(effects)

    def _end_refused(self, error: BrokerIdInUseError) -> None:
        """End the process in good order, as Kafka's does whose id a former session still holds.

        What the process before asked for last may have been its registration, and may be carried
        out when nobody expects it any more. Source: Kafka 3.9, KafkaZkClient.CheckedEphemeral
        (NodeExistsException), KafkaServer.startup, which shuts down what it has begun.
        """
        self.world.happened.ended = f"{self.name} ends: {error}"
        self.kill(end_session=True)
        self.refused = True

    def make(self, call: Call) -> None:
        """Make a request of the process: to ZooKeeper, or to the controller."""
        if isinstance(call, AskAlterPartition | AskControlledShutdown | AskReportFetchProgress):
            self._ask(call)
            return
        if self.session is None:
            return  # it is made again in the next session
        store = self.session.store
        match call:
            case Commit(request, ops, fence):
                store.commit(request, ops, fence)
            case Update(request, op):
                store.update(request, op)
            case ReadZnodes(request, reads, sync):
                store.read(request, reads, sync)
            case ArmWatch(request, watches):
                store.watch(request, watches)

    # --- the controller's requests ---------------------------------------------------------------

    def answer(self, request: Message, version: int) -> Message:
        """Obey a controller's request."""
        assert isinstance(request, ControlRequest)
        now = self.world.now
        response, effects = self.world.cluster.request(now, self.id, request, version)
        self.world.carry_out(effects)
        return response

    def take_late(self) -> None:
        """Obey a request whose connection has ended; nobody waits for the answer."""
        late = self.late.popleft()
        send = late.send
        self.answer(send.message, send.version)
        self.world.taken(late.source, self.name, send, Way.LATE)

    # --- asks of the controller ------------------------------------------------------------------

    def _ask(self, ask: Ask) -> None:
        """Send an ask to the node that the broker's metadata names."""
        model = self.model
        assert model is not None, f"no process of {self.name} runs"
        target = self.world.name_of(model.metadata.controller_id)
        served = HANDLERS[type(ask.request(ask.versions[0])).api_key].versions
        version = max(version for version in ask.versions if version in served)
        request = ask.request(version)
        on_the_way = AskOnTheWay(self.name, target, ask.number, version, request)
        self.asks.append(on_the_way)
        self._carried(Way.SENT, on_the_way, request)

    def hear(self, ask: AskOnTheWay) -> None:
        """Take what came of an ask: its response, or None if the connection has ended."""
        self.asks.remove(ask)
        response = ask.response
        if response is None:
            self._carried(Way.LOST, ask, ask.request)
        else:
            self._carried(Way.ANSWERED, ask, response)
        version = ask.version if response is not None else _NO_VERSION
        answered = Answered(ask.number, version, response)
        cluster = self.world.cluster
        self.world.carry_out(cluster.answered(self.world.now, self.id, answered))

    def _carried(self, way: Way, ask: AskOnTheWay, message: Message) -> None:
        ends = (self.name, ask.target)
        source, target = reversed(ends) if way is Way.ANSWERED else ends
        self.world.happened.messages.append(
            Carried(way, source, target, ask.number, ask.version, message)
        )
