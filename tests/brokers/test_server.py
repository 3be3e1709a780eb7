"""Simulated brokers on TCP, with a ZooKeeper in memory and a clock that only the test moves."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from brokers.peers import Controller, SelfServing
from brokers.world import (
    SIZE,
    T,
    children,
    codes,
    leader_and_isr,
    order,
    stop_replica,
    update_metadata,
)
from trio.testing import MockClock, wait_all_tasks_blocked

from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_tree import Applied
from klamm.controller.store.port import ReadData, Znode
from klamm.controller.znodes import StateZnode, decode_state, encode_state, paths
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.create_topics_request import CreatableTopic, CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message
from klamm.tools.brokers.peer import NotRunningError
from klamm.tools.brokers.registration import BrokerIdInUseError
from klamm.tools.brokers.server import CannotStartError, SimulatedBrokers

STATE = paths.state(*T)


class Cluster:
    """Open brokers 1, 2, 3, their ZooKeeper, and a controller that talks to them."""

    def __init__(self, zookeeper: MemoryZookeeper, brokers: SimulatedBrokers) -> None:
        self.zookeeper = zookeeper
        self.brokers = brokers
        self.controller = Controller(brokers)

    async def control(
        self, broker: int, request: Message, version: int
    ) -> list[tuple[str, int, int]]:
        answer = await self.controller.ask(broker, request, version)
        assert isinstance(answer, LeaderAndIsrResponse | StopReplicaResponse)
        return codes(answer)

    async def tell(self, *partitions: UpdateMetadataPartitionState) -> None:
        for broker in (1, 2, 3):
            request = update_metadata((1, 2, 3, 900), *partitions)
            assert await self.controller.ask(broker, request, 5) == UpdateMetadataResponse(0)

    async def create(self) -> None:
        """Create T on 1 and 2 and add 3, so that 3 begins to copy."""
        for path in ("/brokers/topics/t", "/brokers/topics/t/partitions", paths.partition(*T)):
            self.zookeeper.write((Create(path, None),))
        written = self.zookeeper.write((Create(STATE, encode_state(StateZnode(1, 0, (1, 2), 1))),))
        assert isinstance(written, Applied)
        await self.tell()
        new = order(1, 0, (1, 2), (1, 2), is_new=True)
        for broker in (1, 2):
            assert await self.control(broker, leader_and_isr(new), 3) == [("t", 0, 0)]
        raised = encode_state(StateZnode(1, 1, (1, 2), 1))
        self.zookeeper.write((SetData(STATE, raised, ANY_VERSION),))
        added = order(1, 1, (1, 2), (1, 2, 3), partition_epoch=1, adding=(3,), is_new=True)
        for broker in (1, 2, 3):
            assert await self.control(broker, leader_and_isr(added), 3) == [("t", 0, 0)]

    def znode(self, path: str) -> Znode:
        found = self.zookeeper.tree.read(ReadData(path))
        assert isinstance(found, Znode), f"{path} is missing"
        return found

    def isr(self) -> tuple[int, ...]:
        return decode_state(self.znode(STATE).data, STATE).isr


@asynccontextmanager
async def opened(zookeeper: MemoryZookeeper | None = None) -> AsyncIterator[Cluster]:
    zookeeper = zookeeper or MemoryZookeeper()
    async with SimulatedBrokers(
        partial(SelfServing, zookeeper),
        (1, 2, 3),
        racks={1: "a", 2: "b"},
        partition_bytes=SIZE,
        bandwidth=SIZE,
        log_dirs=("/a", "/b"),
    ) as brokers:
        cluster = Cluster(zookeeper, brokers)
        async with cluster.controller:
            yield cluster


async def pass_time(clock: MockClock, seconds: float) -> None:
    """Move the clock and let everything happen that this brings."""
    clock.jump(seconds)
    await wait_all_tasks_blocked()


async def test_a_replica_catches_up_in_time_and_enters_the_isr(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.create()
        await pass_time(mock_clock, 0.5)
        assert cluster.brokers.logs(3)[T].end == SIZE / 2
        assert cluster.isr() == (1, 2)
        await pass_time(mock_clock, 0.5)
        assert cluster.brokers.logs(3)[T].end == SIZE
        assert cluster.isr() == (1, 2, 3)
        await pass_time(mock_clock, 4.0)
        assert "isr_change_0000000000" not in children(cluster.zookeeper, paths.ISR_CHANGES)
        for _ in range(3):
            await pass_time(mock_clock, 2.5)
        assert children(cluster.zookeeper, paths.ISR_CHANGES) == ("isr_change_0000000000",)


async def test_a_frozen_broker_answers_and_never_catches_up(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        cluster.brokers.freeze(3)
        await cluster.create()
        await pass_time(mock_clock, 1000.0)
        assert cluster.brokers.logs(3)[T].end == 0
        assert cluster.isr() == (1, 2)
        cluster.brokers.thaw(3)
        await wait_all_tasks_blocked()
        await pass_time(mock_clock, 1.0)
        assert cluster.isr() == (1, 2, 3)


async def test_a_deleted_replica_leaves_no_log(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.create()
        await pass_time(mock_clock, 1.0)
        assert T in cluster.brokers.logs(3)
        assert await cluster.control(3, stop_replica((0, 1, True)), 3) == [("t", 0, 0)]
        assert T not in cluster.brokers.logs(3)


async def test_a_killed_broker_is_gone_and_returns_with_its_disks(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.create()
        await pass_time(mock_clock, 0.5)
        before, port = cluster.znode("/brokers/ids/3"), cluster.brokers.brokers[3].port
        await cluster.brokers.kill(3, end_session=True)
        assert children(cluster.zookeeper, paths.BROKER_IDS) == ("1", "2")
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream("127.0.0.1", port)
        await pass_time(mock_clock, 5.0)
        assert cluster.brokers.logs(3)[T].end == SIZE / 2
        await cluster.brokers.start(3)
        assert cluster.brokers.brokers[3].port == port
        assert cluster.znode("/brokers/ids/3").czxid > before.czxid
        assert cluster.brokers.cluster.brokers[3].replicas == {}


async def test_a_killed_brokers_registration_lasts_as_long_as_its_session(
    mock_clock: MockClock,
) -> None:
    async with opened() as cluster, trio.open_nursery() as nursery:
        port = cluster.brokers.brokers[3].port
        await cluster.brokers.kill(3)
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream("127.0.0.1", port)
        nursery.start_soon(cluster.brokers.start, 3)
        await wait_all_tasks_blocked()
        await pass_time(mock_clock, 17.9)
        assert children(cluster.zookeeper, paths.BROKER_IDS) == ("1", "2", "3")
        assert 3 not in cluster.brokers.cluster.brokers
        before = cluster.znode("/brokers/ids/3").czxid
        await pass_time(mock_clock, 0.2)
        assert cluster.znode("/brokers/ids/3").czxid > before
        assert 3 in cluster.brokers.cluster.brokers


async def test_the_end_does_not_wait_for_sessions_of_the_dead(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.brokers.kill(3)
    assert children(cluster.zookeeper, paths.BROKER_IDS) == ()


async def test_a_second_kill_can_end_the_session(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.brokers.kill(3)
        await cluster.brokers.kill(3, end_session=True)
        assert children(cluster.zookeeper, paths.BROKER_IDS) == ("1", "2")
        with pytest.raises(NotRunningError, match="broker 3 does not run"):
            await cluster.brokers.stop(3)


@pytest.mark.parametrize("end_session", [False, True])
async def test_a_broker_that_waits_to_start_can_be_ended(
    mock_clock: MockClock, end_session: bool
) -> None:
    async with opened() as cluster, trio.open_nursery() as nursery:
        await cluster.brokers.kill(3)

        async def start_in_vain() -> None:
            with pytest.raises(NotRunningError, match="3 was ended before it had started"):
                await cluster.brokers.start(3)

        nursery.start_soon(start_in_vain)
        await wait_all_tasks_blocked()
        await cluster.brokers.kill(3, end_session=end_session)
        await wait_all_tasks_blocked()
        left = ("1", "2") if end_session else ("1", "2", "3")
        assert children(cluster.zookeeper, paths.BROKER_IDS) == left
        assert not cluster.brokers.brokers[3].running
        nursery.start_soon(cluster.brokers.start, 3)
        await wait_all_tasks_blocked()
        await pass_time(mock_clock, 18.0)
        assert cluster.brokers.brokers[3].running


async def test_a_broker_whose_id_was_taken_meanwhile_cannot_start(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.brokers.kill(3, end_session=True)
        cluster.zookeeper.write((Create("/brokers/ids/3", b"{}"),))
        with pytest.raises(CannotStartError, match="broker 3 cannot start: broker id 3 is taken"):
            await cluster.brokers.start(3)
        assert not cluster.brokers.brokers[3].running
        assert cluster.brokers.brokers[1].running


async def test_starting_a_broker_that_runs_is_refused(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        with pytest.raises(ValueError, match="broker 2 runs already"):
            await cluster.brokers.start(2)


async def test_an_expired_session_is_followed_by_another_one(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.create()
        owner = cluster.znode("/brokers/ids/1").ephemeral_owner
        store = next(store for store in cluster.zookeeper.stores if store.session == owner)
        cluster.zookeeper.expire(store)
        cluster.zookeeper.run()
        await wait_all_tasks_blocked()
        assert children(cluster.zookeeper, paths.BROKER_IDS) == ("2", "3")
        await pass_time(mock_clock, 1.0)
        znode = cluster.znode("/brokers/ids/1")
        assert znode.ephemeral_owner != owner
        assert cluster.brokers.cluster.brokers[1].epoch == znode.czxid
        assert cluster.isr() == (1, 2, 3), "what the broker hosts is not the session's matter"


async def test_a_broken_directory_takes_its_replicas_away(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        await cluster.create()
        cluster.brokers.fail_directory(3, "/a")
        assert T not in cluster.brokers.logs(3)
        again = order(1, 2, (1, 2), (1, 2, 3), partition_epoch=2)
        assert await cluster.control(3, leader_and_isr(again), 3) == [("t", 0, 56)]
        with pytest.raises(ValueError, match="no log directory '/c'"):
            cluster.brokers.fail_directory(3, "/c")


# --- clients -------------------------------------------------------------------------------------


async def test_clients_see_what_the_controller_has_told(mock_clock: MockClock) -> None:
    async with opened() as cluster:
        ask = cluster.controller.ask
        empty = await ask(1, MetadataRequest(topics=None), 12)
        assert isinstance(empty, MetadataResponse)
        assert (empty.brokers, empty.topics, empty.controller_id) == ((), (), -1)
        shown = UpdateMetadataPartitionState(
            partition_index=0, leader=2, leader_epoch=4, isr=(2, 1), replicas=(1, 2)
        )
        await cluster.tell(shown)
        metadata = await ask(1, MetadataRequest(topics=None), 12)
        assert isinstance(metadata, MetadataResponse)
        assert [broker.node_id for broker in metadata.brokers] == [1, 2, 3, 900]
        assert metadata.controller_id == 900
        assert metadata.cluster_id == cluster.brokers.cluster.brokers[1].metadata.cluster_id
        assert metadata.cluster_id and len(metadata.cluster_id) == 22
        partition = metadata.topics[0].partitions[0]
        assert (partition.leader_id, partition.isr_nodes) == (2, (2, 1))
        described = await ask(3, DescribeClusterRequest(), 1)
        assert isinstance(described, DescribeClusterResponse)
        assert [broker.broker_id for broker in described.brokers] == [1, 2, 3, 900]
        assert described.controller_id == 900


async def test_what_only_a_controller_does_is_answered_not_controller(
    mock_clock: MockClock,
) -> None:
    async with opened() as cluster:
        ask = cluster.controller.ask
        altered = await ask(1, AlterPartitionReassignmentsRequest(), 0)
        assert isinstance(altered, AlterPartitionReassignmentsResponse)
        assert altered.error_code == 41
        listed = await ask(1, ListPartitionReassignmentsRequest(), 0)
        assert isinstance(listed, ListPartitionReassignmentsResponse)
        assert listed.error_code == 41
        created = await ask(1, CreateTopicsRequest((CreatableTopic("x", 1, 1),)), 5)
        assert isinstance(created, CreateTopicsResponse)
        assert [topic.error_code for topic in created.topics] == [41]


async def test_the_table_of_versions_has_clients_and_controllers_keys(
    mock_clock: MockClock,
) -> None:
    async with opened() as cluster:
        answer = await cluster.controller.ask(2, ApiVersionsRequest("t", "1"), 4)
        assert isinstance(answer, ApiVersionsResponse)
        table = {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}
        assert {key: table[key] for key in (3, 4, 5, 6, 18, 19, 45, 46, 60)} == {
            3: (0, 12),
            4: (0, 7),
            5: (0, 4),
            6: (0, 8),
            18: (0, 4),
            19: (0, 7),
            45: (0, 0),
            46: (0, 0),
            60: (0, 1),
        }


@pytest.mark.parametrize("version", range(9))
async def test_update_metadata_is_read_in_every_version(
    version: int, mock_clock: MockClock
) -> None:
    async with opened() as cluster:
        request = UpdateMetadataRequest(controller_id=900, controller_epoch=1)
        answer = await cluster.controller.ask(1, request, version)
        assert answer == UpdateMetadataResponse(0)
        assert cluster.brokers.cluster.brokers[1].metadata.controller_id == 900


# --- beginning and end ---------------------------------------------------------------------------


async def test_leaving_takes_the_brokers_own_znodes_away_and_nothing_else(
    mock_clock: MockClock,
) -> None:
    zookeeper = MemoryZookeeper()
    async with opened(zookeeper) as cluster:
        await cluster.create()
        kept = set(zookeeper.tree.nodes) - {f"/brokers/ids/{id_}" for id_ in (1, 2, 3)}
        ports = [broker.port for broker in cluster.brokers.brokers.values()]
    assert set(zookeeper.tree.nodes) == kept
    for port in ports:
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream("127.0.0.1", port)


async def test_cancelling_ends_brokers_too(mock_clock: MockClock) -> None:
    zookeeper = MemoryZookeeper()
    with trio.CancelScope() as scope:
        async with opened(zookeeper):
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert children(zookeeper, paths.BROKER_IDS) == ()


async def test_an_error_inside_the_block_ends_the_brokers_and_comes_out(
    mock_clock: MockClock,
) -> None:
    zookeeper = MemoryZookeeper()
    with pytest.raises(ExceptionGroup) as raised:
        async with opened(zookeeper):
            raise LookupError("of the test")
    assert raised.group_contains(LookupError, match="of the test")
    assert children(zookeeper, paths.BROKER_IDS) == ()


async def test_ids_in_use_are_named(mock_clock: MockClock) -> None:
    zookeeper = MemoryZookeeper()
    async with opened(zookeeper):
        with pytest.raises(ExceptionGroup) as raised:
            async with opened(zookeeper):
                raise AssertionError("it must not open")
        assert raised.group_contains(BrokerIdInUseError, match="is taken: a broker of that id is")


async def test_a_port_in_use_is_an_error(mock_clock: MockClock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ExceptionGroup) as raised:
            async with SimulatedBrokers(
                partial(SelfServing, MemoryZookeeper()), (1, 2), ports={1: port}
            ):
                raise AssertionError("it must not open")
        assert raised.group_contains(OSError, match="in use")


def test_only_brokers_that_are_there_can_be_frozen() -> None:
    with pytest.raises(ValueError, match=r"frozen brokers \[4\] are not among \[1, 2\]"):
        SimulatedBrokers("127.0.0.1:1", (1, 2), frozen=(2, 4))


def test_ids_must_differ() -> None:
    with pytest.raises(ValueError, match=r"broker ids must differ: \[1, 2, 1\]"):
        SimulatedBrokers("127.0.0.1:1", (1, 2, 1))
