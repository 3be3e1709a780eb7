"""Simulated brokers under the real controller, over TCP, with a ZooKeeper in memory."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
import trio
from brokers.peers import Controller as Client

from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import Leadership, Partition, TopicPartition
from klamm.controller.handlers.table import advertised
from klamm.controller.node.counters import count
from klamm.controller.node.lines import decode as decode_line
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import Running, run_controller
from klamm.controller.runtime.memory import MemoryService
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.port import Children, ReadChildren, ReadData, Znode
from klamm.controller.znodes import decode_broker, paths
from klamm.protocol import registry
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import DescribeConfigsResponse
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from klamm.protocol.generated.produce_response import ProduceResponse
from klamm.protocol.message import Message
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.brokers.service import SERVED
from klamm.tools.brokers.settings import KAFKA_TIMES, Times

SIZE = 200_000
BANDWIDTH = 1e6
IDS = (1, 2, 3)
DEADLINE = 20.0
POLL = 0.01

T = TypeVar("T")
OLD, NEW = "2.4-IV0", "3.9-IV0"
both = pytest.mark.parametrize("protocol", [OLD, NEW])


class World:
    """A node, its brokers 1, 2 and 3, and a client that asks any of them."""

    def __init__(
        self, office: "Office", brokers: SimulatedBrokers, zookeeper: MemoryZookeeper
    ) -> None:
        self.office = office
        self.brokers = brokers
        self.zookeeper = zookeeper
        self.client = Client(brokers)

    @property
    def running(self) -> Running:
        """The node that is controller, or about to be."""
        return self.office.running

    async def take_over(self) -> None:
        """End the controller, and let another node take its place."""
        await self.office.begin(self.office.running.node.config.node_id + 1)
        await self.eventually(lambda: self.running.node.active, "the next controller")

    async def eventually(self, ask: Callable[[], T | None], what: str) -> T:
        with trio.move_on_after(DEADLINE):
            while not (found := ask()):
                await trio.sleep(POLL)
            return found
        raise AssertionError(f"waited {DEADLINE:g} s in vain for {what}")

    async def ask_node(self, request: Message, version: int) -> Message:
        endpoint = self.running.endpoint
        stream = await trio.open_tcp_stream(endpoint.host, endpoint.port)
        async with stream:
            protocol = ClientConnection("test")
            await stream.send_all(protocol.send_request(request, version)[1])
            while True:
                for event in protocol.receive_data(await stream.receive_some(65536)):
                    assert isinstance(event, Response)
                    return event.body

    async def create(self, *assignments: tuple[int, ...]) -> None:
        """Create t, known to every broker."""
        partitions = tuple(
            CreatableReplicaAssignment(number, replicas)
            for number, replicas in enumerate(assignments)
        )
        request = CreateTopicsRequest((CreatableTopic("t", -1, -1, partitions),), timeout_ms=9000)
        answer = await self.ask_node(request, 5)
        assert isinstance(answer, CreateTopicsResponse)
        assert [topic.error_code for topic in answer.topics] == [0]
        names = {TopicPartition("t", number) for number in range(len(assignments))}
        models = self.brokers.cluster.brokers
        await self.eventually(
            lambda: all(
                name in models[id_].replicas
                for name in names
                for id_ in assignments[name.partition]
            ),
            "replicas",
        )

    async def move(self, *target: int) -> None:
        moved = ReassignableTopic("t", (ReassignablePartition(0, target),))
        answer = await self.ask_node(AlterPartitionReassignmentsRequest(topics=(moved,)), 0)
        assert isinstance(answer, AlterPartitionReassignmentsResponse)
        assert answer.error_code == answer.responses[0].partitions[0].error_code == 0

    @property
    def partition(self) -> Partition:
        state = self.running.node.state
        assert state is not None
        return state.topics["t"].partitions[0]

    @property
    def leadership(self) -> Leadership:
        leadership = self.partition.leadership
        assert leadership is not None
        return leadership

    def at_rest(self, *replicas: int) -> bool:
        """Tell whether the move is over and everybody is in sync."""
        assignment = self.partition.assignment
        return (
            assignment.replicas == replicas
            and not assignment.adding
            and not assignment.removing
            and {*self.leadership.isr} == {*replicas}
        )

    def has_no_log(self, broker: int) -> bool:
        """Tell whether the broker has deleted its replica."""
        return TopicPartition("t", 0) not in self.brokers.logs(broker)

    def moving(self) -> bool:
        return bool(self.partition.assignment.adding)

    async def configure(self, to: int, kind: int, name: str, **config: str) -> None:
        """Set configs, with _ for dots, by IncrementalAlterConfigs to a broker; "" unsets."""
        configs = tuple(
            AlterableConfig(key.replace("_", "."), 0 if value else 1, value or None)
            for key, value in config.items()
        )
        request = IncrementalAlterConfigsRequest((AlterConfigsResource(kind, name, configs),))
        answer = await self.client.ask(to, request, 1)
        assert isinstance(answer, IncrementalAlterConfigsResponse)
        assert [(each.error_code, each.error_message) for each in answer.responses] == [(0, None)]

    def registered(self) -> tuple[str, ...]:
        found = self.zookeeper.tree.read(ReadChildren(paths.BROKER_IDS))
        assert isinstance(found, Children)
        return found.names


class Office:
    """The node that runs, one after the other, each in a session of its own."""

    running: Running

    def __init__(
        self, nursery: trio.Nursery, service: MemoryService, config: ControllerConfig
    ) -> None:
        self._nursery = nursery
        self._service = service
        self._config = config
        self._scope = trio.CancelScope()

    async def begin(self, node_id: int) -> None:
        """Start this node, after the end of the one before."""
        self._scope.cancel()
        self._scope = scope = trio.CancelScope()
        config = replace(self._config, node_id=node_id)

        async def run(*, task_status: trio.TaskStatus[Running]) -> None:
            with scope:
                await run_controller(config, self._service.open, task_status=task_status)

        self.running = await self._nursery.start(run)


@asynccontextmanager
async def opened(
    protocol: str = OLD,
    *,
    produce_rate: float = 0.0,
    frozen: tuple[int, ...] = (),
    times: Times = KAFKA_TIMES,
    journal: Path | None = None,
    log_dirs: tuple[str, ...] = ("/data",),
    shared: Mapping[str, str] | None = None,
) -> AsyncIterator[World]:
    """Open all that; `shared` are properties of the node and of the brokers."""
    service = MemoryService()
    ibp = by_name(protocol)
    async with trio.open_nursery() as nursery:
        await nursery.start(service.run)
        async with trio.open_nursery() as inner:
            config = ControllerConfig(
                900, "memory", protocol=ibp, journal=journal, properties=shared or {}
            )
            office = Office(inner, service, config)
            await office.begin(config.node_id)
            async with SimulatedBrokers(
                service.open,
                IDS,
                partition_bytes=SIZE,
                bandwidth=BANDWIDTH,
                protocol=ibp,
                produce_rate=produce_rate,
                frozen=frozen,
                times=times,
                log_dirs=log_dirs,
                shared=shared,
            ) as brokers:
                world = World(office, brokers, service.zookeeper)
                models = brokers.cluster.brokers
                await world.eventually(
                    lambda: all({*IDS, 900} <= models[id_].metadata.brokers.keys() for id_ in IDS),
                    "metadata",
                )
                async with world.client:
                    yield world
            inner.cancel_scope.cancel()
        nursery.cancel_scope.cancel()


@both
async def test_a_move_copies_all_bytes_and_ends(protocol: str) -> None:
    async with opened(protocol, produce_rate=1000.0) as world:
        await world.create((1, 2), (2, 3))
        await world.move(3, 2)
        await world.eventually(lambda: world.at_rest(3, 2), "the end of the move")
        name = TopicPartition("t", 0)
        await world.eventually(lambda: name not in world.brokers.logs(1), "the deletion")
        logs = [world.brokers.logs(id_)[name] for id_ in (2, 3)]
        assert all(log.end >= SIZE for log in logs)
        ids = {log.topic_id for log in logs}
        assert (None in ids) is (protocol == OLD)
        status = {one.id: one for one in world.brokers.status()}
        assert status[3].fetched_adding >= SIZE
        assert status[2].fetched_adding == 0


@pytest.mark.req("R455-105")
async def test_the_bytes_that_moves_took_are_those_of_the_additions_in_the_journal(
    tmp_path: Path,
) -> None:
    journal = tmp_path / "journal"
    async with opened(NEW, journal=journal) as world:
        await world.create((1, 2), (2, 3))
        for origin, target in (((1, 2), (3, 2)), ((3, 2), (1, 3))):
            await world.move(*target)
            assert count(world.running.node.state).reassigning == 1
            await world.eventually(partial(world.at_rest, *target), "the end")
            # A replica that comes back before it was told to delete has nothing to copy.
            for id_ in {*origin} - {*target}:
                await world.eventually(partial(world.has_no_log, id_), "the deletion")
        status = {one.id: one.counters for one in world.brokers.status()}
        assert count(world.running.node.state).by_name()["ReassigningPartitions"] == 0
    brought = {id_: each["ReassignmentBytesInPerSec"] for id_, each in status.items()}
    taken = {id_: each["ReassignmentBytesOutPerSec"] for id_, each in status.items()}
    additions = Counter(
        broker
        for line in map(decode_line, journal.read_bytes().splitlines())
        if line.kind == "end" and line.before is not None
        for broker in line.before.adding
    )
    assert additions == {1: 1, 3: 1}
    assert brought == {id_: SIZE * additions[id_] for id_ in IDS}
    assert taken == {1: SIZE, 2: 0, 3: SIZE}


async def test_brokers_register_and_publish_as_their_protocol_says() -> None:
    for protocol, version, notices in ((OLD, 4, True), (NEW, 5, False)):
        async with opened(protocol) as world:
            found = world.zookeeper.tree.read(ReadData(paths.broker(1)))
            assert isinstance(found, Znode)
            assert decode_broker(found.data, found.path).version == version
            publisher = world.brokers.cluster.brokers[1].settings.protocol.alter_partition
            assert publisher is not notices


@both
async def test_a_throttle_holds_a_move_until_it_is_lifted(protocol: str) -> None:
    async with opened(protocol) as world:
        await world.create((1, 2))
        lists = {"leader_replication_throttled_replicas": "0:1"}
        await world.configure(2, 2, "t", **lists)
        await world.configure(1, 4, "1", leader_replication_throttled_rate="1")
        throttles = world.brokers.cluster.brokers[1].throttles
        await world.eventually(
            lambda: throttles.quotas.leader == 1.0 and throttles.leads(TopicPartition("t", 0)),
            "the throttle",
        )
        await world.move(2, 3)
        await world.eventually(
            lambda: world.brokers.status()[2].roles.out_of_sync == 1, "the added replica"
        )
        await trio.sleep(2 * SIZE / BANDWIDTH)
        assert world.moving()
        assert world.brokers.logs(3)[TopicPartition("t", 0)].end < 100
        await world.configure(1, 4, "1", leader_replication_throttled_rate="")
        await world.eventually(lambda: world.at_rest(2, 3), "the end of the move")


async def test_a_broker_describes_its_own_configs() -> None:
    async with opened() as world:
        await world.configure(1, 4, "1", leader_replication_throttled_rate="7")
        request = DescribeConfigsRequest((DescribeConfigsResource(4, "1", None),))
        answer = await world.client.ask(1, request, 1)
        assert isinstance(answer, DescribeConfigsResponse)
        (result,) = answer.results
        values = {config.name: config.value for config in result.configs}
        assert values["leader.replication.throttled.rate"] == "7"
        assert (values["broker.id"], values["log.dirs"]) == ("1", "/data")


@both
async def test_a_stopped_broker_hands_its_leads_over_first(protocol: str) -> None:
    async with opened(protocol) as world:
        await world.create((1, 2, 3))
        assert await world.brokers.stop(1)
        assert world.leadership.leader == 2
        assert world.registered() == ("2", "3")
        await world.brokers.start(1)
        await world.eventually(lambda: world.at_rest(1, 2, 3), "the broker's return to the ISR")


@both
async def test_a_killed_broker_is_missed_when_its_session_ends(protocol: str) -> None:
    async with opened(protocol) as world:
        await world.create((1, 2))
        await world.brokers.kill(1)
        assert world.registered() == ("1", "2", "3")
        await world.brokers.kill(1, end_session=True)
        assert world.registered() == ("2", "3")
        await world.eventually(lambda: world.leadership.leader == 2, "a new leader")
        await world.brokers.start(1)
        await world.eventually(lambda: world.at_rest(1, 2), "the broker's return to the ISR")


async def test_a_frozen_target_keeps_a_move_open() -> None:
    async with opened(NEW, frozen=(3,)) as world:
        await world.create((1, 2))
        await world.move(2, 3)
        await trio.sleep(0.5)
        assert world.moving()
        world.brokers.thaw(3)
        await world.eventually(lambda: world.at_rest(2, 3), "the end of the move")


async def test_a_slow_member_leaves_the_isr_and_comes_back() -> None:
    times = Times(replica_lag_max=0.4)
    async with opened(NEW, produce_rate=100_000.0, times=times) as world:
        await world.create((1, 2))
        world.brokers.slow_down(2, 10.0)
        await world.eventually(lambda: world.leadership.isr == (1,), "a smaller ISR")
        world.brokers.thaw(2)
        await world.eventually(lambda: world.leadership.isr == (1, 2), "a full ISR")


# --- clients --------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", sorted(advertised().keys() - {ProduceRequest.api_key}))
async def test_every_advertised_request_is_answered_by_a_broker(key: int) -> None:
    """The empty request of each key: no fault, no closed connection, no silence.

    The empty Produce has acks=0 and waits for no answer; the next test has a fuller one.
    """
    async with opened(NEW) as world:
        kind = registry.request(key)
        answer = await world.client.ask(1, kind(), SERVED[key][-1])
        assert (type(answer).api_key, answer.kind) == (key, "response")


async def test_a_broker_refuses_data() -> None:
    async with opened() as world:
        await world.create((1, 2))
        data = TopicProduceData("t", (PartitionProduceData(0, b""),))
        answer = await world.client.ask(1, ProduceRequest(acks=-1, topic_data=(data,)), 8)
        assert isinstance(answer, ProduceResponse)
        code = answer.responses[0].partition_responses[0].error_code
        assert code == ErrorCode.NOT_LEADER_OR_FOLLOWER


async def test_brokers_and_node_show_clients_the_same() -> None:
    async with opened(NEW) as world:
        await world.create((1, 2), (2, 3))

        async def seen() -> tuple[Mapping[str, object], ...]:
            request = MetadataRequest(topics=None)
            answers = [await world.client.ask(id_, request, 8) for id_ in IDS]
            answers.append(await world.ask_node(request, 8))
            found = []
            for answer in answers:
                assert isinstance(answer, MetadataResponse)
                found.append(
                    {
                        "controller": answer.controller_id,
                        "cluster": answer.cluster_id,
                        "brokers": sorted(broker.node_id for broker in answer.brokers),
                        "topics": answer.topics,
                    }
                )
            return tuple(found)

        with trio.fail_after(DEADLINE):
            while len({repr(one) for one in await seen()}) > 1:
                await trio.sleep(POLL)
