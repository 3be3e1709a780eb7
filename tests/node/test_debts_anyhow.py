"""Replicas dropped and wanted again while brokers and controllers die: deleted once, or kept."""

from collections.abc import Sequence

import pytest
import slow
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from node.moving import TOPIC_ID
from node.takeover import kill
from node.test_owed_deletes import debts
from node.test_topics_anyhow import Disks, deleted
from node_world import ENDPOINT, accept, in_office

from klamm.controller.core.events import AlterPartition, AlterReassignment, CreateTopic
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Send
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.message import Message

IDS = (1, 2, 3, 4)
PARTS = (TopicPartition("t", 0), TopicPartition("t", 1))
BROKERS = st.sampled_from(IDS)
NAMES = st.sampled_from(PARTS)
TARGETS = st.none() | st.lists(BROKERS, unique=True, min_size=1, max_size=3).map(tuple)
REFUSALS = st.sampled_from([ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR])


class AnyDebts(RuleBasedStateMachine):
    """Two partitions, four brokers that keep their logs when they die, and controllers that die."""

    @initialize(protocol=st.sampled_from(["2.4-IV0", "2.6-IV0", "3.9-IV0"]))
    def start(self, protocol: str) -> None:
        config = NodeConfig(900, (ENDPOINT,), protocol=by_name(protocol))
        self.world = in_office(IDS, config)
        self.disks = Disks()
        self.refusing: dict[int, ErrorCode] = {}
        self.world.on_send = self.sent
        self.world.answers = self.answer
        lists = {0: (1, 2, 3), 1: (2, 3, 4)}
        self.world.ask(CreateTopic("t", -1, -1, lists, {}, 0, 0, topic_id=TOPIC_ID))

    def sent(self, send: Send) -> None:
        """Whoever is told to delete is no replica by all that the controller knows (R455-112)."""
        turns = self.world.node.turns
        assert turns is not None
        if isinstance(send.message, StopReplicaRequest):
            for name in deleted(send.message):
                assert not turns.state.is_replica(name, send.broker.id)
                assert not turns.state.must_wait(name, send.broker.id)

    def answer(self, send: Send) -> Message:
        broker, message = send.broker.id, send.message
        code = self.refusing.get(broker)
        if code is not None and isinstance(message, StopReplicaRequest) and deleted(message):
            del self.refusing[broker]
            errors = tuple(StopReplicaPartitionError(*name, code) for name in deleted(message))
            return StopReplicaResponse(partition_errors=errors)
        self.disks.take(send, ids=False)
        return accept(message)

    # --- what happens ------------------------------------------------------------------------

    @rule(name=NAMES, replicas=TARGETS, rest=st.booleans())
    def move(self, name: TopicPartition, replicas: tuple[int, ...] | None, rest: bool) -> None:
        self.world.request(AlterReassignment(name, replicas))
        if rest:
            self.world.settle()

    @rule(name=NAMES)
    def catch_up(self, name: TopicPartition) -> None:
        """The leader takes into the ISR all that are online and have a log."""
        world, state = self.world, self.world.node.state
        part = state.partition(name) if state else None
        held = part.leadership if part else None
        if state is None or part is None or held is None or held.leader not in state.alive:
            return
        able = {broker for broker, log in self.disks.logs if log == name} & state.alive
        in_sync = (*(b for b in held.isr if b in state.alive), *sorted(able - {*held.isr}))
        isr = tuple(b for b in in_sync if b in part.assignment.replicas)
        if held.leader not in isr:
            return
        if world.config.protocol.alter_partition:
            epoch = state.brokers[held.leader].epoch
            wish = (held.leader, epoch, held.leader_epoch, held.version, isr)
            world.request(AlterPartition(name, *wish))
        elif held == self.written(name):
            world.leader_writes_isr(name, isr)

    def written(self, name: TopicPartition) -> object:
        """The leadership that the controller knows, if ZooKeeper holds just that."""
        state = self.world.node.state
        part = state.partition(name) if state else None
        held = part.leadership if part else None
        node = self.world.zookeeper.tree.nodes[paths.state(*name)]
        return held if held is not None and held.version == node.version else None

    @rule(broker=BROKERS)
    def stop_broker(self, broker: int) -> None:
        if broker in self.online:
            self.world.unregister(broker)

    @rule(broker=BROKERS)
    def start_broker(self, broker: int) -> None:
        if broker not in self.online:
            self.world.register(broker)

    @property
    def online(self) -> Sequence[int]:
        return sorted(map(int, self.world.zookeeper.tree.nodes[paths.BROKER_IDS].children))

    @rule(silent=st.sets(BROKERS, max_size=2))
    def silence(self, silent: set[int]) -> None:
        self.world.silent = silent

    @rule(broker=BROKERS, code=REFUSALS)
    def refuse(self, broker: int, code: ErrorCode) -> None:
        self.refusing[broker] = code

    @rule(applied=st.booleans())
    def kill_controller(self, applied: bool) -> None:
        if applied:
            self.world.zookeeper.run()
        kill(self.world)

    @precondition(lambda self: self.world.store.connected)
    @rule()
    def lose_session(self) -> None:
        self.world.zookeeper.expire(self.world.store)

    @precondition(lambda self: self.world.store.connected)
    @rule(late=st.booleans())
    def lose_connection(self, late: bool) -> None:
        self.world.feed()
        self.world.zookeeper.disconnect(self.world.store, late=late)

    @rule(steps=st.integers(1, 4))
    def steps(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step()

    @rule()
    def time_passes(self) -> None:
        self.run_timers()

    def run_timers(self) -> None:
        for timer in sorted(self.world.due):
            self.world.run_timer(timer)
            self.world.settle()

    # --- the end -----------------------------------------------------------------------------

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.heal()

    def heal(self) -> None:
        """All come back: every log is a replica's and every replica has one, and nobody owes."""
        world = self.world
        world.silent, self.refusing = set(), {}
        for broker in IDS:
            self.start_broker(broker)
        world.settle()
        self.run_timers()
        # A log that was on a broken directory is deleted when its broker comes back.
        for broker in IDS:
            world.unregister(broker)
            world.settle()
            world.register(broker)
            world.settle()
        self.run_timers()
        self.run_timers()
        state = world.node.state
        assert state is not None
        replicas = {(b, name) for name, p in state.partitions() for b in p.assignment.replicas}
        assert self.disks.logs == replicas
        assert debts(world) == {}
        assert state.awaiting == {}


TestAnyDebts = pytest.mark.req("R455-111", "R455-112")(AnyDebts.TestCase)
TestAnyDebts.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


@pytest.mark.slow
def test_any_debts_for_longer() -> None:
    slow.run_for_longer(AnyDebts)
