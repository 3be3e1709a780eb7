"""Brokers come, go, come back, and their links break."""

import pytest
from node.moving import T, clear, leads, stops, with_topic
from node_world import World, accept, in_office

from klamm.controller.core.events import AlterReassignment, CreateTopic
from klamm.controller.core.model import Endpoint
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.node.effects import CloseLink, Send, Severity
from klamm.controller.node.inputs import BrokerAnswer
from klamm.controller.znodes import paths
from klamm.controller.znodes.brokers import BrokerZnode, encode_broker
from klamm.protocol.error_codes import ErrorCode
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


def test_a_leader_that_goes_is_replaced_and_its_link_closed() -> None:
    world = with_topic()
    world.unregister(1)
    world.settle()
    state = world.data(paths.state(*T))
    assert (state["leader"], state["leader_epoch"], state["isr"]) == (2, 1, [2, 3])
    assert world.closed_links == [1]
    assert not [send for send in world.sent if send.broker.id == 1]
    announced, *_, notice = world.messages(UpdateMetadataRequest, 5)
    assert [live.id for live in announced.live_brokers] == [2, 3, 4, 5, 900]
    assert notice.topic_states[0].partition_states[0].offline_replicas == (1,)


def test_a_broker_that_comes_is_told_who_lives_and_what_it_has() -> None:
    world = with_topic()
    world.unregister(3)
    world.settle()
    world.sent.clear()
    world.register(3)
    world.settle()
    to_three = [send.message for send in world.sent if send.broker.id == 3]
    announced, lead, notice = to_three[:3]
    assert isinstance(announced, UpdateMetadataRequest)
    assert announced.topic_states == ()
    assert isinstance(lead, LeaderAndIsrRequest)
    assert isinstance(notice, UpdateMetadataRequest)
    assert notice.topic_states
    assert lead.broker_epoch == world.zookeeper.tree.nodes[paths.broker(3)].czxid


@pytest.mark.parametrize("broker", [1, 3])
def test_a_broker_that_restarts_before_anybody_saw_it_gone(broker: int) -> None:
    world = with_topic()
    world.zookeeper.disconnect(world.store)
    world.unregister(broker)
    world.register(broker)
    world.settle()
    state = world.data(paths.state(*T))
    assert (state["leader"], state["leader_epoch"]) == (2 if broker == 1 else 1, 1)
    assert state["isr"] == [id_ for id_ in (1, 2, 3) if id_ != broker]
    assert world.closed_links == [broker]
    epoch = world.zookeeper.tree.nodes[paths.broker(broker)].czxid
    assert {m.broker_epoch for m in world.messages(LeaderAndIsrRequest, broker)} == {epoch}
    # It is never told to lead on in the epoch in which it was lost.
    assert all(lead.leader != broker for lead in leads(world, broker))


def test_a_broker_that_came_and_went_within_one_reading_is_none() -> None:
    world = with_topic()
    world.request(AlterReassignment(T, (4, 3, 2)))
    world.register(6)
    world.zookeeper.run()
    world.feed()
    world.zookeeper.run()
    world.unregister(6)
    world.settle()
    assert world.node.state is not None
    assert 6 not in world.node.state.brokers
    assert world.node.active


def test_a_broken_link_gets_the_same_content_again() -> None:
    world = with_topic()
    broken: list[Send] = []

    def answer(send: Send) -> Message | None:
        if send.broker.id == 4 and len(broken) < 3:
            broken.append(send)
            return None
        return accept(send.message)

    world.answers = answer
    world.ask(AlterReassignment(T, (4, 3, 2)))
    first, *again = world.messages(LeaderAndIsrRequest, 4)
    assert len(again) == 3
    assert all(message == first for message in again)
    numbers = [send.send for send in world.sent]
    assert len(set(numbers)) == len(numbers)


def test_a_slow_broker_delays_nobody_and_hears_only_the_newest() -> None:
    world = with_topic()
    world.silent = {2}
    for target in ((4, 2, 3), (5, 2, 3), (1, 2, 4), (1, 2, 5), (1, 2, 3)):
        world.ask(AlterReassignment(T, target))
    assert len(leads(world, 3)) == 5
    assert len(leads(world, 2)) == 1
    world.silent = set()
    world.settle()
    state = world.data(paths.state(*T))
    assert [lead.leader_epoch for lead in leads(world, 2)] == [1, state["leader_epoch"]]


def test_an_answer_to_an_earlier_request_or_epoch_is_ignored() -> None:
    world = with_topic()
    world.silent = {4}
    world.ask(AlterReassignment(T, (4, 3, 2)))
    (waiting,) = world.waiting
    response = accept(waiting.message)
    epoch = waiting.broker.epoch
    for answer in (
        BrokerAnswer(4, epoch, waiting.send - 1, response),
        BrokerAnswer(4, epoch - 1, waiting.send, response),
        BrokerAnswer(9, epoch, waiting.send, response),
        BrokerAnswer(4, epoch, waiting.send - 1, None),
    ):
        assert world.give(answer) == ()
    assert [type(e) for e in world.give(BrokerAnswer(4, epoch, waiting.send, response))] == [Send]


@pytest.mark.parametrize(
    ("code", "freed"),
    [
        (ErrorCode.NONE, True),
        (ErrorCode.STALE_CONTROLLER_EPOCH, True),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False),
        (ErrorCode.INCONSISTENT_TOPIC_ID, False),
    ],
)
def test_which_answers_of_a_leader_free_a_delete(code: ErrorCode, freed: bool) -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))

    def answer(send: Send) -> Message:
        if send.broker.id == 4 and isinstance(send.message, LeaderAndIsrRequest):
            return LeaderAndIsrResponse(
                partition_errors=(LeaderAndIsrPartitionError("t", 0, code),)
            )
        return accept(send.message)

    world.answers = answer
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    deletes = [m for m in world.messages(StopReplicaRequest, 1) if m.delete_partitions]
    assert bool(deletes) == freed
    warnings = [n.text for n in world.journal if n.severity is Severity.WARNING]
    assert warnings == (
        [] if freed else [f"broker 4 answered LEADER_AND_ISR of t-0 with {code.name}"]
    )


REFUSED = ErrorCode.UNKNOWN_SERVER_ERROR


def refuse_once(world: World, broker: int, refusal: Message, kind: type[Message]) -> None:
    """Let a broker refuse its next request of this kind; after that it accepts."""
    left = [refusal]

    def answer(send: Send) -> Message:
        if left and send.broker.id == broker and isinstance(send.message, kind):
            return left.pop()
        return accept(send.message)

    world.answers = answer


@pytest.mark.parametrize(
    "refusal",
    [
        LeaderAndIsrResponse(error_code=REFUSED),
        LeaderAndIsrResponse(
            partition_errors=(LeaderAndIsrPartitionError("t", 0, ErrorCode.INCONSISTENT_TOPIC_ID),)
        ),
    ],
)
def test_what_a_leader_refused_it_is_told_again_and_its_move_ends(
    refusal: LeaderAndIsrResponse,
) -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.sent.clear()
    refuse_once(world, 4, refusal, LeaderAndIsrRequest)
    world.leader_writes_isr(T, [1, 2, 3, 4])
    world.settle()
    assert stops(world) == [(1, False)]
    assert world.due == {"resend": 5.0}
    world.run_timer("resend")
    world.settle()
    first, again = leads(world, 4)
    assert again == first
    assert stops(world) == [(1, False), (1, True)]
    clear(world)
    assert world.due == {}


def test_a_refused_lead_is_not_told_to_a_replica_that_is_none_any_more() -> None:
    world = with_topic()
    refuse_once(world, 4, LeaderAndIsrResponse(error_code=REFUSED), LeaderAndIsrRequest)
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.ask(AlterReassignment(T, None))
    world.sent.clear()
    world.run_timer("resend")
    world.settle()
    assert not world.sent


@pytest.mark.parametrize("back", [False, True])
def test_a_refused_stop_is_told_again_unless_the_broker_is_a_replica_again(back: bool) -> None:
    world = with_topic()
    world.ask(AlterReassignment(T, (4, 3, 2)))
    refuse_once(world, 4, StopReplicaResponse(error_code=REFUSED), StopReplicaRequest)
    world.ask(AlterReassignment(T, None))
    if back:
        world.ask(AlterReassignment(T, (4, 3, 2)))
    world.sent.clear()
    world.run_timer("resend")
    world.settle()
    assert stops(world) == ([] if back else [(4, False)])


def test_refused_metadata_is_told_again() -> None:
    world = with_topic()
    for refused in ("live brokers", "a partition"):
        refusal = UpdateMetadataResponse(error_code=REFUSED)
        refuse_once(world, 5, refusal, UpdateMetadataRequest)
        world.sent.clear()
        if refused == "live brokers":
            world.register(6)
            world.settle()
        else:
            world.ask(AlterReassignment(T, (4, 3, 2)))
        (first,) = world.messages(UpdateMetadataRequest, 5)
        world.run_timer("resend")
        world.settle()
        assert world.messages(UpdateMetadataRequest, 5) == [first, first]


def test_a_refusal_of_a_broker_that_was_restarted_since_is_forgotten() -> None:
    world = with_topic()
    refuse_once(world, 4, LeaderAndIsrResponse(error_code=REFUSED), LeaderAndIsrRequest)
    world.ask(AlterReassignment(T, (4, 3, 2)))
    world.unregister(4)
    world.register(4)
    world.settle()
    world.sent.clear()
    world.run_timer("resend")
    world.settle()
    assert not world.sent


def test_a_code_that_nobody_knows_is_reported_by_its_number() -> None:
    world = with_topic()
    world.answers = lambda send: (
        LeaderAndIsrResponse(error_code=9_999)
        if isinstance(send.message, LeaderAndIsrRequest)
        else accept(send.message)
    )
    world.ask(AlterReassignment(T, (1, 2)))
    warnings = {n.text for n in world.journal if n.severity is Severity.WARNING}
    assert "broker 1 answered LEADER_AND_ISR with error code 9999" in warnings


def test_a_new_listener_reaches_everybody() -> None:
    world = in_office([1, 2])
    world.sent.clear()
    znode = BrokerZnode(3, (), None, version=4)
    world.write(Create(paths.broker(3), encode_broker(znode)))
    world.settle()
    assert not world.sent
    assert "without an endpoint" in world.journal[-1].text


def test_links_are_closed_with_the_office() -> None:
    world = in_office([1, 2])
    world.ask(CreateTopic("t", -1, -1, {0: (1, 2)}, {}, 0, 0))
    world.zookeeper.expire(world.store)
    world.settle()
    closed = [effect for effect in world.effects if isinstance(effect, CloseLink)]
    assert closed == [CloseLink(1), CloseLink(2)]
    assert world.node.active


def test_a_broker_that_moves_to_another_port_without_a_new_session_is_reached_there() -> None:
    """Kafka's brokers do so when their listeners are altered."""
    world = with_topic()
    world.sent.clear()
    there = Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", 9999)
    znode = BrokerZnode(2, (there,), None, version=4)
    world.write(SetData(paths.broker(2), encode_broker(znode), ANY_VERSION))
    world.settle()
    told = {send.broker.id: send for send in world.sent}
    assert told.keys() == {1, 2, 3, 4, 5}
    assert told[2].broker.endpoints == (there,)
    live = world.messages(UpdateMetadataRequest, 1)[-1].live_brokers
    assert [each.endpoints[0].port for each in live if each.id == 2] == [9999]
    assert world.closed_links == []
