"""Deleting topics, as ZooKeeper, brokers and clients see it."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

import pytest
from core.clusters import cluster, partition, topic
from node.moving import T, commits, create, leads, with_topic
from node_world import ENDPOINT, World, accept

from klamm.controller.brokers.metadata import MetadataCache, refreshed
from klamm.controller.core import removal
from klamm.controller.core.events import (
    AlterReassignment,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
    ReplicasDeleted,
)
from klamm.controller.core.ibp import InterBrokerProtocol, by_name
from klamm.controller.core.model import ClusterState, Deletion, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.plan import Lead, Refill, Stop
from klamm.controller.core.results import Done, Fault, Refusal, Result, TopicCreated
from klamm.controller.node import NodeConfig
from klamm.controller.node.broker_links import BrokerLinks
from klamm.controller.node.effects import Send
from klamm.controller.node.inputs import BrokerAnswer
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

CONFIG = "/config/topics/t"
SUBTREE_OF_ONE = (
    paths.state("t", 0),
    paths.partition("t", 0),
    paths.partitions("t"),
    CONFIG,
)


def fault(result: Result) -> Fault | None:
    return result.fault if isinstance(result, Refusal) else None


def shown(world: World) -> set[str]:
    """The topics that Metadata of the controller shows."""
    assert world.node.state is not None
    return set(refreshed(MetadataCache("c"), None, world.node.state).topics)


def traces(world: World, name: str = "t") -> list[str]:
    """Every znode that is about the topic."""
    return [path for path in world.zookeeper.tree.nodes if name in path.split("/")]


def assert_gone(world: World, name: str = "t") -> None:
    """Nothing of the topic is left in ZooKeeper, in the state, or to be told."""
    assert traces(world, name) == []
    state = world.node.state
    assert state is not None
    assert name not in state.topics
    assert name not in state.deleting
    assert not [path for path in state.unreadable if name in path.split("/")]
    assert not [tp for tp in state.awaiting if tp.topic == name]
    for outbox in world.node.links.outboxes.values():
        told = (*outbox.leads, *outbox.notices, *outbox.stops)
        assert outbox.broker.id in world.silent or not [tp for tp in told if tp.topic == name]


def deletes(world: World, broker: int | None = None) -> list[tuple[int, str, int]]:
    """(broker, topic, partition) of every StopReplica with delete that was sent."""
    return [
        (send.broker.id, topic.name, number)
        for send in world.sent
        if isinstance(send.message, StopReplicaRequest)
        and send.message.delete_partitions
        and broker in (None, send.broker.id)
        for topic in send.message.topics
        for number in topic.partition_indexes
    ]


def taken_back(world: World) -> set[int]:
    """The brokers that were told that t has no partition 0 any more."""
    return {
        send.broker.id
        for send in world.sent
        if isinstance(send.message, UpdateMetadataRequest)
        and any(
            partition.leader == -2
            for topic in send.message.topic_states
            if topic.topic_name == "t"
            for partition in topic.partition_states
        )
    }


def start_move(world: World) -> None:
    assert world.ask(AlterReassignment(T, (4, 2, 3))) == (Done(),)


def queue(world: World) -> int:
    """Ask for the deletion of t, which moves: there is no answer yet."""
    request = world.request(DeleteTopic("t"))
    world.settle()
    assert request not in world.replies
    return request


def end_move(world: World) -> None:
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()


def test_a_topic_is_taken_back_everywhere_then_deleted_by_its_brokers_then_its_znodes_go() -> None:
    world = with_topic(partitions=3)
    world.silent = {2}
    request = world.request(DeleteTopic("t"))
    world.settle()
    # Answered, and gone for clients, while broker 2 has not even taken the request.
    assert world.replies[request] == [(Done(),)]
    assert shown(world) == set()
    assert taken_back(world) == {1, 2, 3, 4, 5}
    assert world.exists(paths.delete_topic("t"))
    assert world.exists(paths.state("t", 0))
    world.silent = set()
    world.settle()
    assert sorted(deletes(world)) == [(b, "t", n) for b in (1, 2, 3) for n in (0, 1, 2)]
    assert_gone(world)


def test_brokers_of_version_3_on_are_told_an_epoch_below_all_others() -> None:
    config = NodeConfig(900, (ENDPOINT,), protocol=world_protocol("2.6"))
    world = with_topic(config)
    world.ask(DeleteTopic("t"))
    (request, *_) = world.messages(StopReplicaRequest, 1)
    (topic,) = request.topic_states
    (partition,) = topic.partition_states
    assert (partition.leader_epoch, partition.delete_partition) == (-2, True)
    assert_gone(world)


def world_protocol(name: str) -> InterBrokerProtocol:
    return by_name(name)


def test_a_broker_that_is_away_makes_the_deletion_wait_until_it_is_back() -> None:
    world = with_topic()
    world.unregister(3)
    world.settle()
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert shown(world) == set()
    assert world.exists(paths.topic("t"))
    assert fault(world.ask(create())[0]) is Fault.TOPIC_ALREADY_EXISTS
    assert fault(world.ask(DeleteTopic("t"))[0]) is Fault.UNKNOWN_TOPIC_OR_PARTITION
    world.sent.clear()
    world.register(3)
    world.settle()
    assert leads(world, 3) == []
    assert deletes(world) == [(3, "t", 0)]
    assert_gone(world)


@pytest.mark.parametrize("when", ["before it was told", "before it answered"])
def test_a_broker_that_dies_and_returns_is_told_again(when: str) -> None:
    world = with_topic()
    world.silent = {3}
    world.ask(DeleteTopic("t"))
    if when == "before it answered":
        world.silent = set()
        world.answers = lambda send: None if is_delete_to(send, 3) else accept(send.message)
        for _ in range(6):
            world.step()
    world.unregister(3)
    world.settle()
    assert world.exists(paths.topic("t"))
    world.answers = lambda send: accept(send.message)
    world.silent = set()
    world.register(3)
    world.settle()
    assert_gone(world)


def is_delete_to(send: Send, broker: int) -> bool:
    message = send.message
    return (
        send.broker.id == broker
        and isinstance(message, StopReplicaRequest)
        and message.delete_partitions
    )


def test_a_delete_that_a_broker_refuses_is_asked_for_again() -> None:
    world = with_topic(partitions=2)
    refusals = [3]

    def answer(send: Send) -> Message | None:
        if is_delete_to(send, 3) and refusals:
            refusals.pop()
            error = StopReplicaPartitionError("t", 1, ErrorCode.KAFKA_STORAGE_ERROR)
            return StopReplicaResponse(partition_errors=(error,))
        return accept(send.message)

    world.answers = answer
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert world.exists(paths.topic("t"))
    world.sent.clear()
    world.run_timer("resend")
    world.settle()
    assert deletes(world) == [(3, "t", 1)]
    assert_gone(world)


# --- moves -----------------------------------------------------------------------------------


@pytest.mark.req("R455-95")
def test_a_topic_that_moves_is_deleted_when_its_move_has_ended() -> None:
    """N5: also if it is the first topic that is ever deleted."""
    world = with_topic()
    start_move(world)
    (result,) = world.ask(CreatePartitions("t", 2))
    text = "A partition reassignment is in progress for the topic 't'."
    assert result == Refusal(Fault.REASSIGNMENT_IN_PROGRESS, text)
    requests = [queue(world), queue(world)]
    assert world.exists(paths.delete_topic("t"))
    assert shown(world) == {"t"}
    assert taken_back(world) == set()
    end_move(world)
    assert {broker for broker, _, _ in deletes(world)} == {1, 2, 3, 4}
    assert_gone(world)
    assert [world.replies[request] for request in requests] == [[(Done(),)]] * 2


@pytest.mark.req("R455-24")
def test_a_queued_topic_takes_no_new_target_but_a_cancel() -> None:
    world = with_topic()
    start_move(world)
    queue(world)
    (result,) = world.ask(AlterReassignment(T, (5, 2, 3)))
    assert result == Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
    assert world.exists(paths.topic("t"))
    assert world.ask(AlterReassignment(T, None)) == (Done(),)
    assert_gone(world)


def test_a_topic_whose_move_waits_for_a_dead_target_can_be_cancelled_and_deleted() -> None:
    world = with_topic()
    start_move(world)
    world.unregister(4)
    world.settle()
    queue(world)
    assert world.ask(AlterReassignment(T, None)) == (Done(),)
    # It may have a log already, which must not meet a topic of the same name.
    assert world.data(paths.replica_deletions("t"))["partitions"] == {"0": [4]}
    assert world.exists(paths.topic("t"))
    world.register(4)
    world.settle()
    assert_gone(world)


def test_a_topic_is_deleted_without_a_broker_that_was_remitted_its_delete() -> None:
    """One that never comes back: an operator removes what says that it owes."""
    world = with_topic()
    start_move(world)
    world.unregister(4)
    world.settle()
    queue(world)
    world.ask(AlterReassignment(T, None))
    assert world.exists(paths.topic("t"))
    world.write(Delete(paths.replica_deletions("t"), ANY_VERSION))
    world.settle()
    assert_gone(world)


def test_a_former_replica_that_dies_while_it_owes_a_delete_is_waited_for() -> None:
    world = with_topic()
    start_move(world)
    world.silent = {1, 4}
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    world.ask(DeleteTopic("t"))
    world.silent = {1}
    world.settle()
    assert world.exists(paths.topic("t"))
    world.unregister(1)
    world.settle()
    assert world.exists(paths.topic("t"))
    world.silent = set()
    world.register(1)
    world.settle()
    assert_gone(world)


def test_a_broker_that_returns_does_not_let_a_deletion_overtake_a_move() -> None:
    """N14."""
    world = with_topic()
    start_move(world)
    queue(world)
    for broker in (2, 4, 5):
        world.unregister(broker)
        world.settle()
        world.register(broker)
        world.settle()
        assert world.exists(paths.state("t", 0))
        assert shown(world) == {"t"}
    end_move(world)
    assert_gone(world)


def test_a_deleted_topic_leaves_no_move_behind_for_one_of_its_name() -> None:
    """N15."""
    world = with_topic()
    start_move(world)
    queue(world)
    end_move(world)
    world.sent.clear()
    assert world.ask(create((5, 2))) == (TopicCreated(1, 2),)
    world.settle()
    assert world.data(paths.topic("t"))["partitions"] == {"0": [5, 2]}
    assert world.node.state is not None
    assert list(world.node.state.moving()) == []
    assert deletes(world) == []


def test_a_former_replica_that_still_owes_a_delete_is_waited_for_too() -> None:
    world = with_topic()
    start_move(world)
    world.silent = {4}  # the new leader, for whose word broker 1 would have to wait
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert (1, "t", 0) not in deletes(world)
    world.ask(DeleteTopic("t"))
    assert (1, "t", 0) in deletes(world)
    assert world.exists(paths.topic("t"))
    world.silent = set()
    world.settle()
    assert_gone(world)


# --- requests --------------------------------------------------------------------------------


def test_what_cannot_be_deleted() -> None:
    world = with_topic()
    (unknown,) = world.ask(DeleteTopic("nobody"))
    assert unknown == Refusal(
        Fault.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition."
    )
    config = NodeConfig(900, (ENDPOINT,), delete_topic_enable=False)
    disabled = with_topic(config)
    assert (
        disabled.ask(DeleteTopic("t"), DeleteTopic("nobody"))
        == (Refusal(Fault.TOPIC_DELETION_DISABLED, "Topic deletion is disabled."),) * 2
    )
    assert disabled.exists(paths.topic("t"))
    assert not disabled.exists(paths.delete_topic("t"))


def test_two_requests_of_one_turn_are_both_answered_and_delete_once() -> None:
    world = with_topic()
    first, second = world.request(DeleteTopic("t")), world.request(DeleteTopic("t"))
    world.settle()
    assert world.replies[first] == world.replies[second] == [(Done(),)]
    assert len([c for c in commits(world) for op in c.ops if isinstance(op, Create)]) >= 1
    assert_gone(world)


def test_requests_that_wait_for_what_the_same_turn_changes_are_answered_at_the_start() -> None:
    world = with_topic()
    start_move(world)
    cancel = world.request(AlterReassignment(T, None))
    first, second = world.request(DeleteTopic("t")), world.request(DeleteTopic("t"))
    world.settle()
    assert world.replies[cancel] == world.replies[first] == world.replies[second] == [(Done(),)]
    assert_gone(world)


def test_a_topic_of_the_same_turn_is_unknown_yet() -> None:
    world = with_topic()
    created, deleted, grown = (
        world.request(event)
        for event in (create(name="u"), DeleteTopic("u"), CreatePartitions("u", 3))
    )
    world.settle()
    assert world.replies[created] == [(TopicCreated(1, 3),)]
    for request in (deleted, grown):
        ((result,),) = world.replies[request]
        assert fault(result) is Fault.UNKNOWN_TOPIC_OR_PARTITION
    assert shown(world) == {"t", "u"}


def test_a_queued_topic_can_neither_grow_nor_be_created() -> None:
    world = with_topic()
    start_move(world)
    queue(world)
    assert world.ask(create(), CreatePartitions("t", 9)) == (
        Refusal(Fault.TOPIC_ALREADY_EXISTS, "Topic 't' is marked for deletion."),
        Refusal(Fault.INVALID_TOPIC_EXCEPTION, "The topic is queued for deletion."),
    )


# --- others write too ------------------------------------------------------------------------


def test_what_somebody_else_wants_deleted_is_deleted() -> None:
    world = with_topic()
    world.write(Create(paths.delete_topic("t"), None))
    world.settle()
    assert_gone(world)


def test_a_wish_for_an_unknown_topic_is_removed() -> None:
    world = with_topic()
    world.write(Create(paths.delete_topic("nobody"), None))
    world.settle()
    assert traces(world, "nobody") == []
    assert shown(world) == {"t"}


def test_a_wish_that_is_withdrawn_before_it_is_begun_is_forgotten() -> None:
    world = with_topic()
    start_move(world)
    queue(world)
    world.write(Delete(paths.delete_topic("t"), ANY_VERSION))
    world.settle()
    end_move(world)
    assert shown(world) == {"t"}
    assert world.node.state is not None
    assert world.node.state.deleting == {}


def test_a_wish_that_is_withdrawn_with_all_others_is_forgotten_too() -> None:
    world = with_topic()
    start_move(world)
    request = queue(world)
    gone = (paths.delete_topic("t"), paths.DELETE_TOPICS)
    world.write(*(Delete(path, ANY_VERSION) for path in gone))
    world.settle()
    [(result,)] = world.replies[request]
    assert isinstance(result, Refusal)
    assert "withdrawn" in result.message
    assert world.node.state is not None
    assert world.node.state.deleting == {}


def test_a_deletion_that_has_begun_ends_without_its_wish() -> None:
    world = with_topic()
    world.silent = {2}
    world.ask(DeleteTopic("t"))
    world.write(Delete(paths.delete_topic("t"), ANY_VERSION))
    world.settle()
    world.silent = set()
    world.settle()
    assert_gone(world)


def test_a_topic_that_somebody_else_removes_with_its_wish_is_forgotten() -> None:
    world = with_topic()
    world.silent = {2}
    world.ask(DeleteTopic("t"))
    world.journal.clear()
    gone = (*SUBTREE_OF_ONE, paths.topic("t"), paths.delete_topic("t"))
    world.write(*(Delete(path, ANY_VERSION) for path in gone))
    world.silent = set()
    world.settle()
    assert_gone(world)
    assert not [note for note in world.journal if note.kind in ("conflict", "given up")]


def test_a_topic_that_somebody_else_removes_is_taken_back_from_brokers() -> None:
    world = with_topic()
    gone = (*SUBTREE_OF_ONE[:-1], paths.topic("t"))
    world.write(*(Delete(path, ANY_VERSION) for path in gone))
    world.settle()
    assert taken_back(world) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("path", [CONFIG, paths.delete_topic("t"), paths.state("t", 0)])
def test_what_somebody_else_removed_already_is_no_trouble(path: str) -> None:
    world = with_topic()
    world.silent = {2}
    world.ask(DeleteTopic("t"))
    world.write(Delete(path, ANY_VERSION))
    world.silent = set()
    world.settle()
    assert_gone(world)


def test_partitions_that_somebody_adds_to_a_topic_being_deleted_are_deleted_too() -> None:
    world = with_topic()
    world.silent = {2}
    world.ask(DeleteTopic("t"))
    grown = b'{"version":2,"partitions":{"0":[1,2,3],"1":[4,5]}}'
    world.write(SetData(paths.topic("t"), grown, ANY_VERSION))
    world.settle()
    world.silent = set()
    world.settle()
    assert {(4, "t", 1), (5, "t", 1)} <= set(deletes(world))
    assert_gone(world)


@pytest.mark.parametrize("known", [True, False])
def test_an_unreadable_state_is_no_hindrance(known: bool) -> None:
    world = with_topic()
    world.write(SetData(paths.state("t", 0), b"no json", ANY_VERSION))
    if not known:
        world.zookeeper.expire(world.store)
    world.settle()
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert_gone(world)


def test_an_unreadable_topic_is_left_alone_until_it_is_mended() -> None:
    """N2."""
    world = with_topic()
    content = world.zookeeper.tree.nodes[paths.topic("t")].data
    world.write(SetData(paths.topic("t"), b'{"partitions":{"0":["1"]}}', ANY_VERSION))
    world.settle()
    (refused,) = world.ask(DeleteTopic("t"))
    assert fault(refused) is Fault.UNKNOWN_SERVER_ERROR
    world.write(Create(paths.delete_topic("t"), None))
    world.settle()
    assert world.exists(paths.topic("t"))
    world.write(SetData(paths.topic("t"), content, ANY_VERSION))
    world.settle()
    assert_gone(world)


# --- a new office ----------------------------------------------------------------------------


def half_deleted(world: World, removed: Iterable[str]) -> None:
    """What a controller leaves behind that dies in the middle of a deletion."""
    world.write(Create(paths.delete_topic("t"), None))
    world.write(*(Delete(path, ANY_VERSION) for path in removed))


SUBTREE = (
    paths.state("t", 0),
    paths.partition("t", 0),
    paths.state("t", 1),
    paths.partition("t", 1),
    paths.partitions("t"),
    CONFIG,
)


@pytest.mark.parametrize("count", range(len(SUBTREE) + 1))
def test_a_deletion_that_a_crash_cut_short_is_ended_by_the_next_controller(count: int) -> None:
    """F51."""
    world = with_topic(partitions=2)
    world.zookeeper.expire(world.store)
    half_deleted(world, SUBTREE[:count])
    world.settle()
    assert world.node.active
    assert_gone(world)
    assert leads(world, 1) == [] or count == 0


def test_a_move_is_no_hindrance_to_a_new_controller_after_a_deletion_was_cut_short() -> None:
    """F51: state gone, topic znode with replicas that are added and removed."""
    world = with_topic()
    start_move(world)
    world.zookeeper.expire(world.store)
    half_deleted(world, (paths.state("t", 0),))
    world.settle()
    assert world.node.active
    if world.exists(paths.topic("t")):  # led again, so that its move can end
        isr = world.data(paths.state("t", 0))["isr"]
        assert isinstance(isr, list)
        world.leader_writes_isr(T, sorted({*isr, 1, 2, 3, 4}))
        world.settle()
    assert_gone(world)


def test_a_topic_with_many_partitions_is_removed_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "OPS_PER_COMMIT", 12)
    world = with_topic(partitions=10)
    world.ask(DeleteTopic("t"))
    removing = [c for c in commits(world) if any(isinstance(op, Delete) for op in c.ops)]
    assert len(removing) > 3
    assert all(len(commit.ops) <= 12 for commit in removing)
    paths_removed = [op.path for c in removing for op in c.ops if isinstance(op, Delete)]
    assert paths_removed[-3:] == [paths.topic("t"), CONFIG, paths.delete_topic("t")]
    assert_gone(world)


def test_a_topic_can_be_created_again_and_again() -> None:
    world = with_topic()
    for replicas in ((1, 2), (3, 4), (2, 1)):
        world.ask(DeleteTopic("t"))
        assert_gone(world)
        event = CreateTopic("t", -1, -1, {0: replicas}, {}, 0, 0, topic_id=UUID(int=9))
        assert world.ask(event) == (TopicCreated(1, 2),)
        assert world.data(paths.state(*TopicPartition("t", 0)))["isr"] == list(replicas)


# --- links -----------------------------------------------------------------------------------


def links_to_broker_1() -> tuple[BrokerLinks, ClusterState]:
    """Broker 1 has been told all there is of t, whose deletion starts now."""
    before = cluster((1, 2), topic("t", {0: partition((1, 2))}))
    links = BrokerLinks(by_name("2.6"))
    assert not list(links.put(Refill(1), before))
    while list(links.send_due(before)):
        links.outboxes[1].in_flight = None
    return links, replace(before, deleting={"t": Deletion({1: frozenset({0})})})


def test_a_lead_that_comes_late_does_not_take_a_delete_back() -> None:
    links, now = links_to_broker_1()
    for message in (Stop(T, 1, delete=True), Lead(T, (1,))):
        assert not list(links.put(message, now))
    (sent,) = links.send_due(now)
    assert isinstance(sent.message, StopReplicaRequest)


@pytest.mark.parametrize("delete", [True, False])
def test_only_what_was_told_to_delete_has_deleted(delete: bool) -> None:
    links, now = links_to_broker_1()
    assert not list(links.put(Stop(T, 1, delete), replace(now, shutting_down=frozenset({1}))))
    (sent,) = links.send_due(now)
    answer = BrokerAnswer(1, sent.broker.epoch, sent.send, StopReplicaResponse())
    gone = links.answered(answer, now).deleted
    assert gone == ((ReplicasDeleted("t", 1, frozenset({0})),) if delete else ())
