"""One node over a ZooKeeper in memory, with brokers that answer by a script: no I/O, no clock."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from journal_replay import Replay

from klamm.controller.core.model import Endpoint, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, Op, SetData
from klamm.controller.core.results import Result
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import (
    ArmWatch,
    CloseLink,
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    Reply,
    Resign,
    Send,
    SetTimer,
    Transacted,
    Update,
)
from klamm.controller.node.inputs import (
    BrokerAnswer,
    Input,
    Request,
    RequestEvent,
    Timer,
    Transactions,
    Turn,
)
from klamm.controller.node.notices import NOTICES_TIMER
from klamm.controller.node.rebalance import REBALANCE_TIMER
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.memory_tree import Applied
from klamm.controller.store.port import StoreEvent
from klamm.controller.store.transaction import Transaction
from klamm.controller.znodes import paths
from klamm.controller.znodes.brokers import BrokerZnode, encode_broker
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message

M = TypeVar("M", bound=Message)

ENDPOINT = Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", 9092)
STANDING_TIMERS = (NOTICES_TIMER, REBALANCE_TIMER)


def accept(message: Message) -> Message:
    """Answer a controller's request as a broker that agrees with all of it."""
    match message:
        case LeaderAndIsrRequest():
            errors = tuple(
                LeaderAndIsrPartitionError(topic.topic_name, partition.partition_index, 0)
                for topic in message.topic_states
                for partition in topic.partition_states
            )
            return LeaderAndIsrResponse(partition_errors=errors)
        case StopReplicaRequest():
            return StopReplicaResponse()
        case UpdateMetadataRequest():
            return UpdateMetadataResponse()
    raise AssertionError(f"a controller sends no {type(message).__name__}")


@dataclass
class World:
    """Everything a node needs to live, driven to rest by `settle`.

    `answers` decides what a broker says; None as an answer breaks its link. `silent` brokers do
    not answer at all until they are taken out of the set.
    """

    config: NodeConfig = field(default_factory=lambda: NodeConfig(900, (ENDPOINT,)))
    answers: Callable[[Send], Message | None] = lambda send: accept(send.message)
    silent: set[int] = field(default_factory=set)
    on_send: Callable[[Send], None] = lambda send: None
    #: Part of the text of a fault of the controller's own that a test provokes; no other is let by.
    provoked: str | None = None

    def __post_init__(self) -> None:
        self.zookeeper = MemoryZookeeper()
        self.node = Node(self.config)
        self.sent: list[Send] = []
        self.waiting: list[Send] = []
        self.replies: dict[int, list[tuple[Result, ...]]] = {}
        self.transacted: dict[int, list[tuple[Any, ...]]] = {}
        self.journal: list[Journal] = []
        self.replay = Replay()
        self.timers: dict[str, float] = {}
        self.closed_links: list[int] = []
        self.resigned: list[str] = []
        self.effects: list[Effect] = []
        self._requests = 0
        self._inbox: list[Input] = []
        self.open()

    # --- ZooKeeper and others -----------------------------------------------------------------

    def open(self) -> None:
        """Open a session for the node, as the driver does; a former one has no say any more."""

        def post(event: StoreEvent) -> None:
            if store is self.store:
                self._inbox.append(event)

        self.store: MemoryStore
        self.store = store = self.zookeeper.open(post)

    def register(self, broker: int, rack: str | None = None) -> None:
        """Register a broker; somebody else's write, so it stays until `unregister`."""
        znode = BrokerZnode(broker, (ENDPOINT,), rack, version=4)
        self.write(Create(paths.broker(broker), encode_broker(znode)))

    def unregister(self, broker: int) -> None:
        """Let a broker's session end."""
        self.write(Delete(paths.broker(broker), ANY_VERSION))

    def write(self, *ops: Op) -> None:
        """Write as somebody else."""
        written = self.zookeeper.write(ops)
        assert isinstance(written, Applied), written

    def data(self, path: str) -> dict[str, object]:
        """Read a znode's JSON."""
        content = self.zookeeper.tree.nodes[path].data
        assert content is not None
        decoded: dict[str, object] = json.loads(content)
        return decoded

    def exists(self, path: str) -> bool:
        return path in self.zookeeper.tree.nodes

    def leader_writes_isr(self, name: TopicPartition, isr: Sequence[int]) -> None:
        """Set the ISR as the leader broker does below IBP 2.7-IV2."""
        state = self.data(paths.state(*name))
        self.write(
            SetData(paths.state(*name), json.dumps({**state, "isr": isr}).encode(), ANY_VERSION)
        )

    # --- what brokers were told ---------------------------------------------------------------

    def messages(self, kind: type[M], broker: int | None = None) -> list[M]:
        """The requests of this kind that were sent, to one broker or to all, in order."""
        return [
            send.message
            for send in self.sent
            if isinstance(send.message, kind) and broker in (None, send.broker.id)
        ]

    # --- driving ------------------------------------------------------------------------------

    def request(self, *events: RequestEvent) -> int:
        """Queue a client's request and return its id."""
        self._requests += 1
        self._inbox.append(Request(self._requests, events))
        return self._requests

    def ask(self, *events: RequestEvent) -> tuple[Result, ...]:
        """Send a request, let everything come to rest, and return its one reply."""
        request = self.request(*events)
        self.settle()
        (results,) = self.replies[request]
        return results

    def transact(self, *transactions: Transaction[Any]) -> int:
        """Queue a client's transactions and return the number of their request."""
        self._requests += 1
        self._inbox.append(Transactions(self._requests, transactions))
        return self._requests

    def give(self, event: Input) -> tuple[Effect, ...]:
        """Hand one input to the node and carry out what it asks for."""
        effects = self.node.handle(Now(0.0, 1_700_000_000_000), event)
        self.effects.extend(effects)
        for effect in effects:
            self._carry_out(effect)
        return effects

    def step(self) -> bool:
        """Let ZooKeeper and brokers do all they can, then hand it over; False at rest."""
        self.zookeeper.run()
        self._answer()
        if not self._inbox:
            return False
        self.feed()
        return True

    def feed(self) -> None:
        """Hand over what is there; what the node asks of ZooKeeper stays on its way."""
        while self._inbox:
            self.give(self._inbox.pop(0))
        self.give(Turn())

    def settle(self) -> None:
        """Run until nothing happens any more."""
        for _ in range(1_000):
            if not self.step():
                self._look_at_the_journal()
                return
        raise AssertionError(f"no rest after 1,000 turns; last effects: {self.effects[-8:]}")

    @property
    def due(self) -> dict[str, float]:
        """The timers that were set for a reason, not for as long as the node runs."""
        return {name: left for name, left in self.timers.items() if name not in STANDING_TIMERS}

    def _look_at_the_journal(self) -> None:
        """At rest the journal tells of every topic what the node knows, in each of its tests."""
        turns = self.node.turns
        if self.node.state is not None and turns is not None and not turns.busy:
            self.replay.assert_is(self.node.state)

    @property
    def idle(self) -> bool:
        """Tell whether nothing is on its way between the node and ZooKeeper."""
        store = self.store
        return store.connected and not (self._inbox or store.outgoing or store.incoming)

    def run_timer(self, name: str) -> None:
        """Let a timer that was set run out."""
        del self.timers[name]
        self.post(Timer(name))

    def post(self, event: Input) -> None:
        """Put something into the inbox."""
        self._inbox.append(event)

    @property
    def posted(self) -> list[Input]:
        """What the node has not been given yet."""
        return self._inbox

    def _answer(self) -> None:
        due = [send for send in self.waiting if send.broker.id not in self.silent]
        self.waiting = [send for send in self.waiting if send.broker.id in self.silent]
        for send in due:
            answer = self.answers(send)
            self._inbox.append(BrokerAnswer(send.broker.id, send.broker.epoch, send.send, answer))

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Commit(request, ops, fence):
                self.store.commit(request, ops, fence)
            case Update(request, op):
                self.store.update(request, op)
            case ReadZnodes(request, reads, sync):
                self.store.read(request, reads, sync)
            case ArmWatch(request, watches):
                self.store.watch(request, watches)
            case Send():
                self.on_send(effect)
                self.sent.append(effect)
                self.waiting.append(effect)
            case CloseLink(broker):
                self.closed_links.append(broker)
                self.waiting = [send for send in self.waiting if send.broker.id != broker]
            case Reply(request, results):
                self.replies.setdefault(request, []).append(results)
            case Transacted(request, results):
                self.transacted.setdefault(request, []).append(results)
            case Journal():
                self.journal.append(effect)
                if effect.kind == "fault":
                    assert self.provoked is not None and self.provoked in effect.text, effect.text
                self.replay.entry(effect)
            case SetTimer(name, seconds):
                self.timers[name] = seconds
            case Resign(reason):
                self.resigned.append(reason)
                former = self.store
                self.open()
                former.close()


def in_office(
    brokers: Sequence[int] | Mapping[int, str] = (1, 2, 3, 4, 5), config: NodeConfig | None = None
) -> World:
    """Return a world at rest whose node is controller of these brokers."""
    world = World(config) if config else World()
    world.settle()
    for broker in brokers:
        world.register(broker, brokers[broker] if isinstance(brokers, Mapping) else None)
    world.settle()
    assert world.node.active
    return world
