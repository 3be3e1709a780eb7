"""A delete that a broker could not carry out is neither lost nor told to a replica (R455-112)."""

from collections.abc import Callable

import pytest
from node.moving import T, clear, stops, with_topic
from node_world import World, accept

from klamm.controller.core.events import AlterReassignment, DeleteTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.core.results import Done
from klamm.controller.node.effects import Send, Severity
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import decode_broker_lists
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.message import Message

DELETE, STOP = (1, True), (1, False)


def moved(world: World) -> None:
    """Move T from 1, 2, 3 to 4, 3, 2: broker 1 is dropped and has to delete."""
    assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
    world.sent.clear()
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2]}


def answering(code: ErrorCode, *, top: bool = False) -> Callable[[Send], Message]:
    """Answer a StopReplica that deletes like this, and all else as one who agrees."""
    errors = (StopReplicaPartitionError("t", 0, code),)
    refusal = StopReplicaResponse(error_code=code) if top else StopReplicaResponse(0, errors)

    def answer(send: Send) -> Message:
        message = send.message
        deletes = isinstance(message, StopReplicaRequest) and message.delete_partitions
        return refusal if deletes else accept(message)

    return answer


def debts(world: World) -> dict[TopicPartition, set[int]]:
    """Who owes a delete, as ZooKeeper has it; what the controller knows must be the same."""
    owed = {}
    for topic in world.zookeeper.tree.nodes[paths.REPLICA_DELETIONS].children:
        path = paths.replica_deletions(topic)
        lists = decode_broker_lists(world.zookeeper.tree.nodes[path].data, path)
        owed.update({TopicPartition(topic, n): set(brokers) for n, brokers in lists.items()})
    state = world.node.state
    assert state is not None
    assert {name: set(brokers) for name, brokers in state.debts.items()} == owed
    return owed


def bounce(world: World, broker: int = 1) -> None:
    world.unregister(broker)
    world.settle()
    world.register(broker)
    world.settle()


def agree(world: World) -> None:
    world.answers = lambda send: accept(send.message)
    world.sent.clear()


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.FENCED_LEADER_EPOCH])
def test_what_a_broker_refuses_for_any_reason_it_is_told_again(code: ErrorCode) -> None:
    world = with_topic()
    world.answers = answering(code)
    moved(world)
    assert stops(world) == [STOP, DELETE]
    warnings = [note.text for note in world.journal if note.severity is Severity.WARNING]
    assert warnings == [f"broker 1 answered STOP_REPLICA of t-0 with {code.name}"]
    world.run_timer("resend")
    world.settle()
    assert stops(world) == [STOP, DELETE, DELETE]
    agree(world)
    world.run_timer("resend")
    world.settle()
    assert stops(world) == [DELETE]
    clear(world)
    assert world.due == {}
    assert debts(world) == {}


def test_a_log_on_a_broken_directory_is_deleted_when_its_broker_comes_back() -> None:
    """To repeat it before helps nobody: the directory is offline until the broker restarts."""
    world = with_topic()
    world.answers = answering(ErrorCode.KAFKA_STORAGE_ERROR)
    moved(world)
    assert world.due == {}
    agree(world)
    bounce(world)
    assert stops(world) == [DELETE]
    clear(world)
    agree(world)
    bounce(world)
    assert stops(world) == []


@pytest.mark.parametrize("when", ["before the end", "before it was told", "before it answered"])
def test_a_broker_that_was_gone_deletes_when_it_comes_back(when: str) -> None:
    world = with_topic()
    if when == "before the end":
        world.unregister(1)
        world.settle()
        # The lead and the ISR are those of the others now.
        assert world.ask(AlterReassignment(T, (4, 3, 2))) == (Done(),)
        world.leader_writes_isr(T, [2, 3, 4])
        world.settle()
        assert world.data(paths.topic("t"))["partitions"] == {"0": [4, 3, 2]}
    else:
        answered = when == "before it answered"
        world.on_send = lambda send: _silence(world, send, delete=answered)
        moved(world)
        world.unregister(1)
        world.settle()
        world.silent.clear()
        world.on_send = lambda send: None
    agree(world)
    world.register(1)
    world.settle()
    assert stops(world) == [DELETE]


def _silence(world: World, send: Send, *, delete: bool) -> None:
    """Let broker 1 answer no more from its Stop, or its delete, on."""
    message = send.message
    if isinstance(message, StopReplicaRequest) and message.delete_partitions == delete:
        world.silent.add(send.broker.id)


def test_a_broker_of_another_epoch_than_was_thought_deletes_in_that_one() -> None:
    world = with_topic()
    world.answers = answering(ErrorCode.STALE_BROKER_EPOCH, top=True)
    moved(world)
    assert world.due == {}
    agree(world)
    bounce(world)
    assert stops(world) == [DELETE]


def test_a_replica_that_is_wanted_again_while_its_broker_is_gone_keeps_its_log() -> None:
    """StopReplica of version 1 has no epoch by which the broker could see that it is late."""
    world = with_topic()
    world.on_send = lambda send: _silence(world, send, delete=False)
    moved(world)
    world.unregister(1)
    world.settle()
    # As an assignment of somebody else's, for a target must be alive.
    znode = b'{"version":2,"partitions":{"0":[1,4,3,2]},"adding_replicas":{"0":[1]}}'
    _write_topic(world, znode)
    world.silent.clear()
    agree(world)
    world.register(1)
    world.settle()
    assert stops(world) == []
    (told,) = [m for m in world.messages(LeaderAndIsrRequest, 1) if m.topic_states]
    assert told.topic_states[0].partition_states[0].replicas == (1, 4, 3, 2)


def _write_topic(world: World, data: bytes) -> None:
    world.write(SetData(paths.topic("t"), data, ANY_VERSION))
    world.settle()


def test_a_replica_that_is_dropped_once_more_waits_for_the_leader_once_more() -> None:
    world = with_topic()
    world.answers = answering(ErrorCode.KAFKA_STORAGE_ERROR)
    moved(world)
    agree(world)
    assert world.ask(AlterReassignment(T, (1, 4, 3, 2))) == (Done(),)
    # The leader must say that it knows before anybody deletes; it does not say so yet.
    world.silent = {4}
    assert world.ask(AlterReassignment(T, None)) == (Done(),)
    bounce(world)
    assert DELETE not in stops(world)
    world.silent = set()
    world.settle()
    assert stops(world).count(DELETE) == 1


def test_a_broker_that_owes_nothing_leaves_nothing_behind() -> None:
    world = with_topic()
    bounce(world, 5)
    world.unregister(4)
    world.settle()
    assert debts(world) == {}


@pytest.mark.parametrize("top", [True, False])
def test_a_topic_being_deleted_waits_for_no_broker_that_takes_us_for_stale(top: bool) -> None:
    world = with_topic()
    world.answers = answering(ErrorCode.STALE_CONTROLLER_EPOCH, top=top)
    world.request(DeleteTopic("t"))
    world.settle()
    assert world.node.active
    assert world.exists(paths.topic("t"))
    agree(world)
    world.run_timer("resend")
    world.settle()
    assert {broker for broker, delete in stops(world) if delete} == {1, 2, 3}
    assert not world.exists(paths.topic("t"))


def test_the_debts_of_an_office_outlive_it() -> None:
    world = with_topic()
    world.answers = answering(ErrorCode.KAFKA_STORAGE_ERROR)
    moved(world)
    world.zookeeper.expire(world.store)
    world.settle()
    agree(world)
    bounce(world)
    assert stops(world) == [DELETE]
    clear(world)
    assert debts(world) == {}


def test_a_topic_made_anew_is_not_hurt_by_the_debts_of_the_old_one() -> None:
    world = with_topic()
    world.answers = answering(ErrorCode.KAFKA_STORAGE_ERROR)
    moved(world)
    agree(world)
    assert debts(world) == {T: {1}}
    _write_topic(world, b'{"version":2,"partitions":{"0":[1,2]}}')
    bounce(world)
    assert stops(world) == []
    clear(world)
    assert debts(world) == {}
