"""Topics that come, grow and go while brokers do: every deletion ends, and leaves nothing."""

import json
from uuid import UUID

import pytest
import slow
from core.clusters import read_partition, read_topic
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from node.test_deletion import traces
from node_world import ENDPOINT, accept, in_office

from klamm.controller.core.events import (
    AlterReassignment,
    AlterTopic,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Send
from klamm.controller.znodes import paths
from klamm.controller.znodes.topic import decode_topic
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message
from klamm.protocol.primitives import ZERO_UUID

IDS = (1, 2, 3, 4)
BROKERS = st.sampled_from(IDS)
LISTS = st.lists(BROKERS, unique=True, min_size=1, max_size=3).map(tuple)
NAMES = st.sampled_from(["a", "b"])


class Disks:
    """What brokers hold, and what they tell clients, by the requests that they accepted."""

    def __init__(self) -> None:
        self.logs: set[tuple[int, TopicPartition]] = set()
        self.known: set[tuple[int, TopicPartition]] = set()
        # What nobody is left to take back: as with Kafka, a controller that ends before a silent
        # broker took a deleted topic's leader -2 leaves it there until that broker restarts.
        self.ghosts: set[tuple[int, TopicPartition]] = set()

    def take(self, send: Send, *, ids: bool) -> None:
        broker, message = send.broker.id, send.message
        match message:
            case LeaderAndIsrRequest():
                for topic in message.topic_states:
                    assert topic.topic_id != ZERO_UUID or not ids
                    for led in topic.partition_states:
                        name = TopicPartition(topic.topic_name, led.partition_index)
                        self.logs.add((broker, name))
            case StopReplicaRequest():
                for name in deleted(message):
                    self.logs.discard((broker, name))
            case UpdateMetadataRequest():
                for told in message.topic_states:
                    for public in told.partition_states:
                        name = TopicPartition(told.topic_name, public.partition_index)
                        self.ghosts.discard((broker, name))
                        if public.leader == -2:
                            self.known.discard((broker, name))
                        else:
                            self.known.add((broker, name))


def deleted(message: StopReplicaRequest) -> list[TopicPartition]:
    """The partitions whose logs a broker is told to delete, whatever the version."""
    if not message.topic_states:
        return [
            TopicPartition(topic.name, number)
            for topic in message.topics
            for number in topic.partition_indexes
            if message.delete_partitions
        ]
    return [
        TopicPartition(topic.topic_name, state.partition_index)
        for topic in message.topic_states
        for state in topic.partition_states
        if state.delete_partition
    ]


class AnyTopics(RuleBasedStateMachine):
    """Two names, four brokers; topics are made, grown, moved and deleted, by us and by others."""

    @initialize(protocol=st.sampled_from(["2.4-IV0", "2.6-IV0", "2.8-IV0", "3.9-IV0"]))
    def start(self, protocol: str) -> None:
        self.config = NodeConfig(900, (ENDPOINT,), protocol=by_name(protocol))
        self.world = in_office(IDS, self.config)
        self.world.answers = self.answer
        self.disks = Disks()
        self.broken: set[int] = set()
        self.failing: set[int] = set()
        self.asked: list[int] = []
        self.serial = 0

    def answer(self, send: Send) -> Message | None:
        broker, message = send.broker.id, send.message
        if broker in self.broken:
            self.broken.discard(broker)
            return None
        if broker in self.failing and isinstance(message, StopReplicaRequest) and deleted(message):
            self.failing.discard(broker)
            errors = tuple(
                StopReplicaPartitionError(*name, ErrorCode.KAFKA_STORAGE_ERROR)
                for name in deleted(message)
            )
            return StopReplicaResponse(partition_errors=errors)
        self.disks.take(send, ids=self.config.protocol.topic_ids)
        return accept(message)

    @property
    def online(self) -> list[int]:
        children = self.world.zookeeper.tree.nodes[paths.BROKER_IDS].children
        return sorted(int(name) for name in children)

    def rest_if(self, rest: bool) -> None:
        if rest:
            self.world.settle()

    # --- requests ----------------------------------------------------------------------------

    @rule(name=NAMES, lists=st.lists(LISTS, min_size=1, max_size=3), rest=st.booleans())
    def create(self, name: str, lists: list[tuple[int, ...]], rest: bool) -> None:
        self.serial += 1
        even = [replicas[:1] for replicas in lists]
        event = CreateTopic(
            name, -1, -1, dict(enumerate(even)), {}, 0, 0, topic_id=UUID(int=self.serial)
        )
        self.asked.append(self.world.request(event))
        self.rest_if(rest)

    @rule(name=NAMES, count=st.integers(0, 6), rest=st.booleans())
    def grow(self, name: str, count: int, rest: bool) -> None:
        self.asked.append(self.world.request(CreatePartitions(name, count)))
        self.rest_if(rest)

    @rule(
        names=st.sampled_from([("a",), ("b",), ("a", "b")]),
        count=st.integers(-1, 6),
        factor=st.sampled_from([-1, -1, 1, 2, 3]),
        lists=st.just({}) | st.dictionaries(st.integers(0, 3), LISTS, max_size=4),
        rest=st.booleans(),
    )
    def alter_topics(
        self,
        names: tuple[str, ...],
        count: int,
        factor: int,
        lists: dict[int, tuple[int, ...]],
        rest: bool,
    ) -> None:
        asked = tuple(lists.items())
        events = [AlterTopic(name, count, factor, asked, n) for n, name in enumerate(names)]
        self.asked.append(self.world.request(*events))
        self.rest_if(rest)

    @rule(name=NAMES, number=st.integers(0, 2), wanted=st.none() | LISTS, rest=st.booleans())
    def alter(self, name: str, number: int, wanted: tuple[int, ...] | None, rest: bool) -> None:
        event = AlterReassignment(TopicPartition(name, number), wanted)
        self.asked.append(self.world.request(event))
        self.rest_if(rest)

    @rule(names=st.lists(NAMES, min_size=1, max_size=2), rest=st.booleans())
    def delete(self, names: list[str], rest: bool) -> None:
        self.asked.append(self.world.request(*(DeleteTopic(name) for name in names)))
        self.rest_if(rest)

    # --- others ------------------------------------------------------------------------------

    @rule(name=NAMES, there=st.booleans())
    def others_want_it_deleted(self, name: str, there: bool) -> None:
        path = paths.delete_topic(name)
        if there and not self.world.exists(path):
            self.world.write(Create(path, None))
        elif not there and self.world.exists(path):
            self.world.write(Delete(path, ANY_VERSION))

    @rule(name=NAMES, replicas=LISTS)
    def others_add_a_partition(self, name: str, replicas: tuple[int, ...]) -> None:
        path = paths.topic(name)
        if self.world.exists(path):
            content = self.world.data(path)
            partitions = content["partitions"]
            assert isinstance(partitions, dict)
            grown = {**partitions, str(len(partitions)): list(replicas)}
            data = json.dumps({**content, "partitions": grown}).encode()
            self.world.write(SetData(path, data, ANY_VERSION))

    @rule(name=NAMES, replicas=LISTS)
    def others_create_one(self, name: str, replicas: tuple[int, ...]) -> None:
        if not self.world.exists(paths.topic(name)):
            data = json.dumps({"version": 1, "partitions": {"0": list(replicas)}}).encode()
            self.world.write(Create(paths.topic(name), data))

    @rule(broker=BROKERS, rest=st.booleans())
    def stop_broker(self, broker: int, rest: bool) -> None:
        if broker in self.online:
            self.world.unregister(broker)
            self.disks.known = {known for known in self.disks.known if known[0] != broker}
        self.rest_if(rest)

    @rule(broker=BROKERS)
    def start_broker(self, broker: int) -> None:
        if broker not in self.online:
            self.world.register(broker)

    @rule(broken=st.sets(BROKERS, max_size=2), failing=st.sets(BROKERS, max_size=2))
    def trouble(self, broken: set[int], failing: set[int]) -> None:
        self.broken, self.failing = broken, failing

    @rule(silent=st.sets(BROKERS, max_size=2))
    def silence(self, silent: set[int]) -> None:
        self.world.silent = silent

    @rule(what=st.sampled_from(["connection", "session", "office"]))
    def lose(self, what: str) -> None:
        world = self.world
        if not world.store.connected:
            return
        world.feed()
        state = world.node.turns.state if world.node.turns else None
        if what != "connection" and state is not None:
            public = {name for name, _ in state.partitions() if not state.vanishing(name.topic)}
            self.disks.ghosts |= {known for known in self.disks.known if known[1] not in public}
        if what == "connection":
            world.zookeeper.disconnect(world.store, late=True)
        elif what == "session":
            world.zookeeper.expire(world.store)
        elif world.exists(paths.CONTROLLER):
            world.write(Delete(paths.CONTROLLER, ANY_VERSION))

    @rule(steps=st.integers(1, 4))
    def steps(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step()

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def every_request_has_at_most_one_reply(self) -> None:
        assert all(len(replies) == 1 for replies in self.world.replies.values())

    @invariant()
    def memory_is_zookeeper(self) -> None:
        state, world = self.world.node.state, self.world
        turns = world.node.turns
        if state is None or turns is None or turns.busy or turns.stale or not world.idle:
            return
        tree = world.zookeeper.tree
        assert state.topics.keys() == tree.nodes[paths.TOPICS].children
        listed = {name for name, queued in state.deleting.items() if queued.listed}
        assert listed == tree.nodes[paths.DELETE_TOPICS].children
        for topic in state.topics.values():
            znode = read_topic(tree, topic.name)
            assert (znode.topic_id, set(znode.partitions)) == (
                topic.topic_id,
                set(topic.partitions),
            )
            for number, part in topic.partitions.items():
                held = read_partition(tree, TopicPartition(topic.name, number), znode)
                assert (part.assignment, part.leadership) == (held.assignment, held.leadership)

    # --- the end -----------------------------------------------------------------------------

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.heal()

    def heal(self) -> None:
        """All brokers are back and every move is cancelled: deletions end, and nothing is left."""
        world = self.world
        world.silent, self.broken, self.failing = set(), set(), set()
        for broker in IDS:
            self.start_broker(broker)
        for _ in range(4):
            world.settle()
            for timer in list(world.timers):
                world.run_timer(timer)
        world.settle()
        state = world.node.state
        assert state is not None
        cancels = [AlterReassignment(name, None) for name, _ in state.moving()]
        if cancels:
            world.ask(*cancels)
        # One that was never led where it was cannot go back: it goes on to its end.
        for moving, part in world.node.state.moving() if world.node.state else ():
            world.leader_writes_isr(moving, part.assignment.replicas)
        world.settle()
        for _ in range(4):
            for timer in list(world.timers):
                world.run_timer(timer)
            world.settle()
        state = world.node.state
        assert state is not None
        assert state.deleting == {}
        assert traces(world, "delete_topics") == [paths.DELETE_TOPICS]
        for name in {"a", "b"} - state.topics.keys():
            assert traces(world, name) == []
            assert not [log for log in self.disks.logs if log[1].topic == name]
        assert all(len(world.replies[request]) == 1 for request in self.asked)
        there = {name for name, part in state.partitions() if part.leadership is not None}
        assert {name for _, name in self.disks.known - self.disks.ghosts} == there
        self.ids_are_given()

    def ids_are_given(self) -> None:
        world = self.world
        for name in world.zookeeper.tree.nodes[paths.TOPICS].children:
            path = paths.topic(name)
            znode = decode_topic(world.zookeeper.tree.nodes[path].data, path)
            if self.config.protocol.topic_ids:
                assert znode.topic_id is not None


TestAnyTopics = AnyTopics.TestCase
TestAnyTopics.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@pytest.mark.slow
def test_any_topics_for_longer() -> None:
    slow.run_for_longer(AnyTopics)
