"""ISR changes by AlterPartition: what is sent, and what each answer makes the leader do."""

from uuid import UUID

import pytest
from brokers.world import (
    SIZE,
    T,
    World,
    leader,
    leader_and_isr,
    moving,
    order,
    stop_replica,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.protocol import codec
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_request import AlterPartitionRequest
from klamm.protocol.generated.alter_partition_response import (
    AlterPartitionResponse,
    PartitionData,
    TopicData,
)
from klamm.protocol.message import Message
from klamm.tools.brokers.asks import AskAlterPartition

ID = UUID(int=77)
OLDEST = by_name("2.7-IV2")
NEWEST = by_name("3.9-IV0")


def growing(protocol: str = "2.7-IV2", followers: int = 1) -> World:
    """Broker 1 leads T; the others have all of it at once and are not in the ISR."""
    ids = tuple(range(1, followers + 2))
    world = World(*ids, protocol=by_name(protocol), bandwidth=1e9)
    topic_id = ID if by_name(protocol).topic_ids else UUID(int=0)
    for broker in ids:
        new = order(1, 0, (1,), ids, is_new=True)
        world.ask(broker, leader_and_isr(new, topic_id=topic_id))
    world.advance(0.01)
    return world


def sent(world: World) -> AskAlterPartition:
    """Take the one request that waits to be carried."""
    ((broker, ask),) = world.asks
    assert broker == 1
    assert isinstance(ask, AskAlterPartition)
    world.asks.clear()
    return ask


def answered(
    *partitions: tuple[int, ErrorCode, int], topic_id: UUID | None = None, top: int = 0
) -> AlterPartitionResponse:
    """Answer partitions, each as (number, code, new partition epoch)."""
    found = tuple(
        PartitionData(number, code, partition_epoch=epoch) for number, code, epoch in partitions
    )
    topic = TopicData("t", partitions=found) if topic_id is None else TopicData("", topic_id, found)
    return AlterPartitionResponse(error_code=top, topics=(topic,))


# --- what is sent ---------------------------------------------------------------------------------


def test_a_leader_writes_nothing_itself_and_asks() -> None:
    world = growing()
    writes = len(world.effects)
    ask = sent(world)
    assert not world.notices()
    assert ask.versions == range(2)
    request = ask.request(1)
    assert (request.broker_id, request.broker_epoch) == (1, world.cluster.brokers[1].epoch)
    (topic,) = request.topics
    (partition,) = topic.partitions
    assert topic.topic_name == "t"
    assert (partition.partition_index, partition.new_isr) == (0, (1, 2))
    assert (partition.leader_epoch, partition.partition_epoch) == (0, 0)
    assert (partition.new_isr_with_epochs, partition.leader_recovery_state) == ((), 0)
    assert len(world.effects) == writes


def test_topics_are_named_by_id_and_members_with_epochs_where_the_version_has_it() -> None:
    world = growing("3.9-IV0")
    ask = sent(world)
    assert ask.versions == AlterPartitionRequest.versions
    third, second = ask.request(3).topics[0], ask.request(2).topics[0]
    assert (third.topic_name, third.topic_id, second.topic_id) == ("", ID, ID)
    members = third.partitions[0].new_isr_with_epochs
    epoch = world.cluster.brokers[1].epoch
    assert [(member.broker_id, member.broker_epoch) for member in members] == [(1, epoch), (2, -1)]
    assert (third.partitions[0].new_isr, second.partitions[0].new_isr) == ((), (1, 2))


def test_a_topic_without_an_id_keeps_all_to_versions_with_names() -> None:
    world = World(1, 2, protocol=NEWEST, bandwidth=1e9)
    for broker in (1, 2):
        world.ask(broker, leader_and_isr(order(1, 0, (1,), (1, 2), is_new=True)))
    world.advance(0.01)
    assert sent(world).versions == range(2)


@pytest.mark.parametrize("version", AlterPartitionRequest.versions)
def test_every_version_can_carry_it(version: int) -> None:
    world = growing("3.9-IV0")
    request = sent(world).request(version)
    data = codec.encode(request, version)
    assert codec.decode(AlterPartitionRequest, data, version) == request


def test_one_request_is_under_way_with_all_that_waited_in_the_next() -> None:
    world = growing()
    first = sent(world)
    for number in (1, 2):
        new = order(1, 0, (1,), (1, 2), partition=number, is_new=True)
        for broker in (1, 2):
            world.ask(broker, leader_and_isr(new))
    world.advance(1.0)
    assert not world.asks
    world.answer(1, first.number, 1, answered((0, ErrorCode.NONE, 1)))
    second = sent(world)
    assert [change.name.partition for change in second.changes] == [1, 2]
    done = answered((1, ErrorCode.NONE, 1), (2, ErrorCode.NONE, 1))
    world.answer(1, second.number, 1, done)
    replicas = leader(world).replicas
    assert [replicas[TopicPartition("t", n)].isr for n in (0, 1, 2)] == [(1, 2)] * 3
    assert not world.asks


# --- what answers do ------------------------------------------------------------------------------


def test_success_is_committed_with_the_new_partition_epoch() -> None:
    world = growing("3.9-IV0")
    ask = sent(world)
    world.answer(1, ask.number, 3, answered((0, ErrorCode.NONE, 5), topic_id=ID))
    replica = leader(world).replicas[T]
    assert (replica.isr, replica.partition_epoch, replica.pending) == ((1, 2), 5, None)


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    ],
)
def test_some_errors_leave_the_change_pending_until_the_next_order(code: ErrorCode) -> None:
    world = growing()
    world.answer(1, sent(world).number, 1, answered((0, code, 0)))
    world.advance(100.0)
    assert not world.asks
    assert leader(world).replicas[T].pending is not None
    for broker in (1, 2):
        world.ask(broker, leader_and_isr(order(1, 1, (1,), (1, 2), partition_epoch=7)))
    world.advance(0.01)
    assert sent(world).changes[0].partition_epoch == 7


@pytest.mark.parametrize("code", [ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED])
def test_some_errors_go_back_and_the_next_fetch_tries_again(code: ErrorCode) -> None:
    world = growing()
    world.answer(1, sent(world).number, 1, answered((0, code, 0)))
    replica = leader(world).replicas[T]
    assert (replica.pending, replica.isr) == (None, (1,))
    world.advance(0.4)
    assert not world.asks
    world.advance(0.1)
    assert sent(world).changes[0].isr == (1, 2)


@pytest.mark.parametrize(
    ("response", "seconds"),
    [
        pytest.param(None, 0.1, id="no answer"),
        pytest.param(answered(top=ErrorCode.NOT_CONTROLLER), 0.1, id="not controller"),
        pytest.param(
            answered((0, ErrorCode.NOT_CONTROLLER, 0)), 0.1, id="not controller, for a partition"
        ),
        pytest.param(answered(top=ErrorCode.STALE_BROKER_EPOCH), 0.05, id="stale broker epoch"),
        pytest.param(answered(top=ErrorCode.UNKNOWN_SERVER_ERROR), 0.05, id="fault"),
        pytest.param(answered((0, ErrorCode.UNKNOWN_SERVER_ERROR, 0)), 0.05, id="partition fault"),
        pytest.param(answered(), 0.05, id="left out"),
    ],
)
def test_everything_else_is_sent_again_after_a_moment(
    response: Message | None, seconds: float
) -> None:
    world = growing()
    first = sent(world)
    world.answer(1, first.number, 1, response)
    world.advance(seconds - 0.01)
    assert not world.asks
    world.advance(0.01)
    again = sent(world)
    assert (again.changes, again.number > first.number) == (first.changes, True)


def test_an_order_overtakes_a_change_that_is_under_way() -> None:
    world = growing(followers=2)
    first = sent(world)
    for broker in (1, 2, 3):
        world.ask(broker, leader_and_isr(order(1, 1, (1,), (1, 2, 3), partition_epoch=4)))
    world.advance(0.01)
    world.answer(1, first.number, 1, answered((0, ErrorCode.NONE, 9)))
    replica = leader(world).replicas[T]
    assert (replica.isr, replica.partition_epoch) == ((1,), 4)
    assert sent(world).changes[0].partition_epoch == 4


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.INELIGIBLE_REPLICA])
def test_an_answer_for_a_partition_that_is_gone_does_nothing(code: ErrorCode) -> None:
    world = growing()
    ask = sent(world)
    world.ask(1, stop_replica((0, -2, True)))
    world.answer(1, ask.number, 1, answered((0, code, 1)))
    world.advance(1.0)
    assert not world.asks
    assert T not in leader(world).replicas


def test_an_answer_to_an_older_request_is_nobodys() -> None:
    world = growing()
    first = sent(world)
    world.answer(1, first.number, 1, None)
    world.advance(0.1)
    second = sent(world)
    world.answer(1, first.number, 1, answered((0, ErrorCode.NONE, 9)))
    assert leader(world).replicas[T].pending is second.changes[0]


def test_a_new_session_asks_with_the_new_broker_epoch() -> None:
    world = growing()
    first = sent(world)
    world.zookeeper.expire(world.stores[1])
    world.settle()
    world.open_session(1)
    world.settle()
    world.answer(1, first.number, 1, answered(top=ErrorCode.STALE_BROKER_EPOCH))
    world.advance(0.1)
    assert sent(world).broker_epoch == world.cluster.brokers[1].epoch > first.broker_epoch


def test_a_member_that_lags_leaves_by_a_request_too() -> None:
    world = World(1, 2, protocol=OLDEST)
    world.create((1, 2))
    world.carry_out(world.cluster.freeze(world.now, 2))
    world.carry_out(world.cluster.produce(world.now, 1.0))
    world.advance(46.0)
    assert sent(world).changes[0].isr == (1,)


# --- both ways ------------------------------------------------------------------------------------


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["slow", "pause", "freeze", "thaw", "produce", "order"]),
        st.sampled_from([2, 3]),
        st.sampled_from([0.7, 10.0, 40.0]),
    ),
    max_size=8,
)


@given(ACTS)
@settings(max_examples=25)
@example([("slow", 2, 40.0), ("freeze", 3, 40.0), ("thaw", 2, 10.0), ("thaw", 3, 10.0)])
def test_both_ways_of_publishing_come_to_the_same_isrs(acts: list[tuple[str, int, float]]) -> None:
    """With a controller that grants everything, whatever befalls the followers."""

    def run(protocol: str) -> list[object]:
        world = moving(protocol=by_name(protocol), bandwidth=4.0 * SIZE)
        world.grants = True
        world.carry_out(world.cluster.produce(world.now, 20.0))
        seen: list[object] = []
        for act, broker, seconds in acts:
            match act:
                case "slow":
                    world.carry_out(world.cluster.slow_down(world.now, broker, 10.0))
                case "pause":
                    world.carry_out(world.cluster.pause(world.now, broker, seconds))
                case "freeze":
                    world.carry_out(world.cluster.freeze(world.now, broker))
                case "thaw":
                    world.carry_out(world.cluster.thaw(world.now, broker))
                case "produce":
                    world.carry_out(world.cluster.produce(world.now, seconds))
                case "order":
                    world.reorder((1, 2, 3), leader=1)
            world.advance(seconds)
            logs = [world.cluster.logs(id_)[T].end for id_ in (1, 2, 3)]
            seen.append((world.state(), logs))
        return seen

    assert run("2.4-IV0") == run("2.7-IV2")


def test_a_slow_and_a_frozen_follower_leave_and_return_by_requests() -> None:
    world = moving(protocol=OLDEST, bandwidth=4.0 * SIZE)
    world.grants = True
    world.carry_out(world.cluster.produce(world.now, 20.0))
    world.advance(50.0)
    assert world.state()[0].isr == (1, 2, 3)
    world.carry_out(world.cluster.slow_down(world.now, 2, 10.0))
    world.carry_out(world.cluster.freeze(world.now, 3))
    world.advance(50.0)
    assert world.state()[0].isr == (1,)
    for broker in (2, 3):
        world.carry_out(world.cluster.thaw(world.now, broker))
    world.settle()
    world.advance(5.0)
    assert world.state()[0].isr == (1, 2, 3)
    assert world.notices() == []
