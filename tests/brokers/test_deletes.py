"""What becomes of the logs of dropped replicas, on simulated brokers."""

import pytest
from brokers.test_with_controller import OLD, SIZE, World, both, opened

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, SetData
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)

T = TopicPartition("t", 0)


async def cancel(world: World) -> None:
    cancelled = ReassignableTopic("t", (ReassignablePartition(0, None),))
    answer = await world.ask_node(AlterPartitionReassignmentsRequest(topics=(cancelled,)), 0)
    assert isinstance(answer, AlterPartitionReassignmentsResponse)
    assert answer.responses[0].partitions[0].error_code == 0


@pytest.mark.req("R455-48")
@both
async def test_a_cancel_leaves_no_log_of_an_adding_replica(protocol: str) -> None:
    async with opened(protocol) as world:
        await world.create((1, 2))
        world.brokers.slow_down(3, 1.0)
        await world.move(2, 3)
        await world.eventually(lambda: T in world.brokers.logs(3), "the added replica's log")
        epoch = world.leadership.leader_epoch
        await cancel(world)
        assert {*world.partition.assignment.replicas} == {1, 2}
        assert world.leadership.leader_epoch == epoch + 1
        await world.eventually(lambda: T not in world.brokers.logs(3), "the deletion")
        for id_ in (1, 2):
            replica = world.brokers.cluster.brokers[id_].replicas[T]
            assert replica.leader_epoch == epoch + 1
            assert world.brokers.logs(id_)[T].end == SIZE


async def dropped_while_dead(world: World) -> None:
    """Let broker 1 be dropped after its death, so that it still has a log to delete."""
    await world.create((2, 1))
    await world.brokers.kill(1, end_session=True)
    await world.eventually(lambda: world.leadership.isr == (2,), "the end of broker 1")
    await world.move(2, 3)
    await world.eventually(lambda: world.at_rest(2, 3), "the end of the move")


@both
async def test_a_broker_that_was_dead_when_it_was_dropped_deletes_on_its_return(
    protocol: str,
) -> None:
    async with opened(protocol) as world:
        await dropped_while_dead(world)
        await world.brokers.start(1)
        await world.eventually(lambda: T not in world.brokers.logs(1), "the deletion")


@both
async def test_a_broker_deletes_on_its_return_though_the_controller_is_another_one(
    protocol: str,
) -> None:
    """E13: kill the broker, finish the move, end the controller, return the broker."""
    async with opened(protocol) as world:
        await dropped_while_dead(world)
        debts = paths.replica_deletions("t")
        assert debts in world.zookeeper.tree.nodes
        await world.take_over()
        assert T in world.brokers.logs(1)
        await world.brokers.start(1)
        await world.eventually(lambda: T not in world.brokers.logs(1), "the deletion")
        await world.eventually(lambda: debts not in world.zookeeper.tree.nodes, "its record")
        assert {*world.brokers.logs(2)} == {*world.brokers.logs(3)} == {T}


@both
async def test_what_is_on_a_failed_directory_is_led_by_others_until_its_broker_restarts(
    protocol: str,
) -> None:
    async with opened(protocol, log_dirs=("/a", "/b")) as world:
        await world.create((1, 2), (1, 2))
        other = TopicPartition("t", 1)
        logs = world.brokers.logs(1)
        assert logs[T].directory != logs[other].directory
        world.brokers.fail_directory(1, logs[T].directory)
        await world.eventually(lambda: world.leadership.isr == (2,), "broker 1 out of sync")
        assert world.leadership.leader == 2
        state = world.running.node.state
        assert state is not None
        assert state.topics["t"].partitions[1].leader == 1
        events = world.zookeeper.tree.nodes[paths.LOG_DIR_EVENTS]
        await world.eventually(lambda: not events.children, "the end of the notice")
        await world.take_over()
        await world.eventually(
            lambda: (s := world.running.node.state) and s.is_offline(T, 1), "the same, found anew"
        )
        await world.brokers.kill(1, end_session=True)
        await world.brokers.start(1, new_disks=True)
        await world.eventually(lambda: {*world.leadership.isr} == {1, 2}, "broker 1 in sync")


@pytest.mark.req("R455-112")
async def test_a_broker_that_is_a_replica_again_on_its_return_keeps_its_data() -> None:
    """StopReplica of this protocol has no epoch: nothing but the controller can prevent it."""
    async with opened(OLD) as world:
        await dropped_while_dead(world)
        # Written by somebody else, for a target must be alive.
        znode = b'{"version":2,"partitions":{"0":[2,3,1]},"adding_replicas":{"0":[1]}}'
        written = world.zookeeper.write((SetData(paths.topic("t"), znode, ANY_VERSION),))
        assert isinstance(written, Applied)
        await world.eventually(lambda: 1 in world.partition.assignment.replicas, "the addition")
        world.brokers.slow_down(1, 1.0)
        await world.brokers.start(1)
        # At a byte a second it could not fetch again what it had deleted.
        await world.eventually(lambda: world.at_rest(2, 3, 1), "broker 1 in sync")
        assert world.brokers.logs(1)[T].end == SIZE
