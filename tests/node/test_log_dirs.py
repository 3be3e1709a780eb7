"""A log directory fails: its replicas are offline, the broker's others are not (KIP-112)."""

from dataclasses import dataclass, field

import pytest
from node.moving import T, create, leads, with_topic
from node.takeover import take_over
from node_world import ENDPOINT, World, accept

from klamm.controller.brokers.metadata import MetadataCache, refreshed, updated
from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CreateTopic,
    DeleteTopic,
    ElectPreferred,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.core.results import Done, Fault, Refusal, ShutDownAllowed
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Send
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import LogDirEvent, encode_log_dir_event
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

CONFIGS = [NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp)) for ibp in ("2.4-IV0", "3.9")]
EVENT = f"{paths.LOG_DIR_EVENT_PREFIX}0000000000"
U = TopicPartition("t", 1)


@dataclass
class Disks:
    """Brokers that cannot use some replicas, and say 56 of them."""

    world: World
    broken: set[tuple[int, TopicPartition]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.world.answers = self.answer

    def answer(self, send: Send) -> Message:
        message = send.message
        if not isinstance(message, LeaderAndIsrRequest):
            return accept(message)
        by_topic = {
            topic.topic_id: [
                (
                    topic.topic_name,
                    part.partition_index,
                    self.code(send.broker.id, topic.topic_name, part.partition_index),
                )
                for part in topic.partition_states
            ]
            for topic in message.topic_states
        }
        if not self.world.config.protocol.topic_ids:
            errors = [
                LeaderAndIsrPartitionError(*each) for found in by_topic.values() for each in found
            ]
            return LeaderAndIsrResponse(partition_errors=tuple(errors))
        topics = [
            LeaderAndIsrTopicError(
                id_,
                tuple(LeaderAndIsrPartitionError("", number, code) for _, number, code in found),
            )
            for id_, found in by_topic.items()
        ]
        return LeaderAndIsrResponse(topics=tuple(topics))

    def code(self, broker: int, topic: str, number: int) -> ErrorCode:
        broken = (broker, TopicPartition(topic, number)) in self.broken
        return ErrorCode.KAFKA_STORAGE_ERROR if broken else ErrorCode.NONE

    def fail(self, broker: int, *names: TopicPartition) -> None:
        """Let a directory with these replicas fail; the broker gives notice of it."""
        self.broken |= {(broker, name) for name in names}
        self.world.write(Create(EVENT, encode_log_dir_event(LogDirEvent(broker))))
        self.world.settle()

    def restart(self, broker: int) -> None:
        """Let the broker come back with all its directories."""
        self.broken = {each for each in self.broken if each[0] != broker}
        self.world.unregister(broker)
        self.world.settle()
        self.world.register(broker)
        self.world.settle()


def world_of(config: NodeConfig, partitions: int = 2) -> tuple[World, Disks]:
    world = with_topic(config, partitions)
    return world, Disks(world)


def state_of(world: World, name: TopicPartition = T) -> tuple[object, object]:
    state = world.data(paths.state(*name))
    return state["leader"], state["isr"]


def marks(world: World) -> dict[int, set[TopicPartition]]:
    assert world.node.state is not None
    return {broker: set(names) for broker, names in world.node.state.offline_replicas.items()}


@pytest.mark.parametrize("config", CONFIGS)
def test_a_replica_on_a_failed_directory_neither_leads_nor_is_in_sync(config: NodeConfig) -> None:
    world, disks = world_of(config)
    disks.fail(1, T)
    assert not world.exists(EVENT)
    assert state_of(world, T) == (2, [2, 3])
    assert state_of(world, U) == (1, [1, 2, 3])
    assert marks(world) == {1: {T}}
    # It was asked about all that it hosts, and nothing is asked again and again.
    assert {lead.partition_index for lead in leads(world, 1)} == {0, 1}
    assert world.due == {}


@pytest.mark.parametrize("config", CONFIGS)
def test_a_follower_on_a_failed_directory_leaves_the_isr(config: NodeConfig) -> None:
    world, disks = world_of(config)
    disks.fail(3, T, U)
    assert state_of(world, T) == state_of(world, U) == (1, [1, 2])


@pytest.mark.parametrize("config", CONFIGS)
def test_the_last_in_sync_leads_no_more_and_leads_again_after_its_restart(
    config: NodeConfig,
) -> None:
    world, disks = world_of(config)
    for broker in (2, 3):
        world.unregister(broker)
    world.settle()
    disks.fail(1, T)
    assert state_of(world, T) == (-1, [1])
    assert state_of(world, U) == (1, [1])
    disks.restart(1)
    assert state_of(world, T) == (1, [1])
    assert marks(world) == {}


@pytest.mark.parametrize("config", CONFIGS)
def test_an_answer_of_0_brings_a_replica_back(config: NodeConfig) -> None:
    """Without a restart, when its next leader epoch is told."""
    world, disks = world_of(config)
    for broker in (2, 3):
        world.unregister(broker)
    world.settle()
    disks.fail(1, T)
    disks.broken.clear()
    world.register(2)
    world.settle()
    world.write(Create(EVENT, encode_log_dir_event(LogDirEvent(1))))
    world.settle()
    assert marks(world) == {}
    assert state_of(world, T) == (1, [1])


@pytest.mark.parametrize("config", CONFIGS)
def test_a_move_does_not_end_with_a_target_on_a_failed_directory(config: NodeConfig) -> None:
    world, disks = world_of(config)
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)
    disks.fail(4, T)
    join(world, 1, 2, 3, 4)
    assert world.data(paths.topic("t"))["adding_replicas"] == {"0": [4]}
    assert state_of(world)[1] == [1, 2, 3]
    disks.restart(4)
    # A new leader epoch, and the log is made: F14.
    assert [lead.is_new for lead in leads(world, 4) if lead.partition_index == 0][-1]
    join(world, 1, 2, 3, 4)
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 2, 3], "1": [1, 2, 3]}


def join(world: World, *isr: int) -> None:
    if not world.config.protocol.alter_partition:
        world.leader_writes_isr(T, isr)
        world.settle()
        return
    assert world.node.state is not None
    part = world.node.state.partition(T)
    assert part is not None
    held = part.leadership
    assert held is not None
    epoch = world.node.state.brokers[held.leader].epoch
    wish = AlterPartition(T, held.leader, epoch, held.leader_epoch, held.version, isr)
    world.ask(wish)


def test_a_leader_may_not_take_in_who_is_on_a_failed_directory() -> None:
    world, disks = world_of(CONFIGS[1])
    disks.fail(3, T)
    state = world.node.state
    assert state is not None
    part = state.partition(T)
    assert part is not None
    held = part.leadership
    assert held is not None
    epoch = state.brokers[1].epoch
    wish = AlterPartition(T, 1, epoch, held.leader_epoch, held.version, (1, 2, 3))
    (refusal,) = world.ask(wish)
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.INELIGIBLE_REPLICA


@pytest.mark.parametrize("config", CONFIGS)
def test_nobody_is_given_the_lead_of_what_is_on_a_failed_directory(config: NodeConfig) -> None:
    """By preference, by a controlled shutdown, or by a move."""
    world, disks = world_of(config)
    disks.fail(1, T)
    (refusal,) = world.ask(ElectPreferred(T))
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.PREFERRED_LEADER_NOT_AVAILABLE
    assert world.ask(ShutDownBroker(2, -1)) == (ShutDownAllowed(()),)
    assert state_of(world) == (3, [3])
    assert world.ask(AlterReassignment(T, (1, 3))) == (Done(),)
    assert state_of(world) == (3, [3])


@pytest.mark.parametrize("config", CONFIGS)
def test_the_next_controller_finds_failed_directories_again(config: NodeConfig) -> None:
    world, disks = world_of(config)
    disks.fail(1, T)
    disks.fail(2, T)
    assert state_of(world) == (3, [3])
    take_over(world)
    assert marks(world) == {1: {T}, 2: {T}}
    assert state_of(world) == (3, [3])


@pytest.mark.parametrize("config", CONFIGS)
def test_a_notice_that_nobody_has_read_is_read_by_the_next_controller(config: NodeConfig) -> None:
    world, disks = world_of(config)
    disks.broken = {(1, T)}
    world.write(Create(EVENT, encode_log_dir_event(LogDirEvent(1))))
    take_over(world)
    assert not world.exists(EVENT)
    assert state_of(world) == (2, [2, 3])


@pytest.mark.parametrize("data", [b"{", b'{"version":1,"broker":77,"event":1}', None])
def test_a_notice_that_says_nothing_is_removed(data: bytes | None) -> None:
    world, _ = world_of(CONFIGS[0])
    world.write(Create(EVENT, data))
    world.settle()
    assert not world.exists(EVENT)
    assert not leads(world, 1)


@pytest.mark.parametrize("config", CONFIGS)
def test_brokers_and_clients_are_told_which_replicas_are_offline(config: NodeConfig) -> None:
    world, disks = world_of(config)
    before = world.node.state
    assert before is not None
    cache = refreshed(MetadataCache("c"), None, before)
    assert cache.topics["t"].partitions[0].offline == ()
    disks.fail(1, T)
    assert world.node.state is not None
    own = refreshed(cache, before, world.node.state).topics["t"].partitions
    assert (own[0].offline, own[1].offline) == ((1,), ())
    told = [m for m in world.messages(UpdateMetadataRequest, 2) if m.topic_states]
    assert updated(MetadataCache(), told[-1]).topics["t"].partitions[0].offline == (1,)


@pytest.mark.parametrize("config", CONFIGS)
def test_a_topic_made_anew_has_no_failed_directories_of_the_old_one(config: NodeConfig) -> None:
    world, disks = world_of(config)
    disks.fail(1, T, U)
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert marks(world) == {}
    disks.broken.clear()
    world.ask(create((1, 2)))
    assert state_of(world) == (1, [1, 2])


def test_marks_of_a_broker_that_is_gone_are_gone() -> None:
    world, disks = world_of(CONFIGS[0])
    disks.fail(1, T)
    world.unregister(1)
    world.settle()
    assert marks(world) == {}


def test_who_is_asked_keeps_what_is_new_to_it() -> None:
    """Rule 1 of the outbox: a log that is to be made is made, whatever is asked besides."""
    world, _ = world_of(CONFIGS[0])
    world.silent = {4}
    world.ask(AlterReassignment(U, (4, 2, 3)))
    event = CreateTopic("new", -1, -1, {0: (4,)}, {}, 0, 0)
    world.request(event)
    world.settle()
    world.write(Create(EVENT, encode_log_dir_event(LogDirEvent(4))))
    world.settle()
    world.silent = set()
    world.settle()
    new = {
        topic.topic_name
        for message in world.messages(LeaderAndIsrRequest, 4)
        for topic in message.topic_states
        for part in topic.partition_states
        if part.is_new
    }
    assert new == {"t", "new"}
