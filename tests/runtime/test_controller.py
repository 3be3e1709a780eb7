"""A whole node on a ZooKeeper in memory: configuration, listener, journal, service."""

import json
import socket
from pathlib import Path

import pytest
import trio
from runtime.peers import Peer
from runtime.test_sessions import World
from trio.testing import MockClock

from klamm.controller.core.ops import Create
from klamm.controller.node import NodeConfig, Phase
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import ListenError, Running, run_controller
from klamm.controller.runtime.entry import NodeIdTakenError, UnreachableError, enter_cluster
from klamm.controller.runtime.keys import config_from
from klamm.controller.runtime.listeners import Listener
from klamm.controller.runtime.memory import MemoryService
from klamm.controller.znodes import paths
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse


async def test_a_node_serves_and_keeps_a_journal(tmp_path: Path, nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    config = ControllerConfig(7, "unused", journal=tmp_path / "journal")
    with trio.fail_after(10):
        async with trio.open_nursery() as running:
            node: Running = await running.start(run_controller, config, world.open)
            peer = Peer(await trio.open_tcp_stream("127.0.0.1", node.endpoint.port))
            while node.node.phase is not Phase.ACTIVE:
                await trio.sleep(0.01)
            await peer.stream.send_all(peer.encoded(DescribeClusterRequest(endpoint_type=2), 1))
            [described] = await peer.messages(1)
            assert isinstance(described, DescribeClusterResponse)
            assert [item.port for item in described.brokers] == [node.endpoint.port]
            assert len(described.cluster_id) == 22
            await peer.stream.aclose()
            running.cancel_scope.cancel()
    notes = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    assert "elected" in [note["kind"] for note in notes]
    assert {note["node"] for note in notes} == {7}
    assert "/controller" not in world.zookeeper.tree.nodes


async def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=f"cannot listen on port {port} of 127.0.0.1: "):
            config = ControllerConfig(7, "unused", listeners=(Listener(port=port),))
            await run_controller(config, World().open)


@pytest.mark.parametrize(
    ("node_id", "port", "text"), [(-1, 0, "node_id -1"), (1, 65536, "65536"), (1, -1, "-1")]
)
def test_settings_that_cannot_be(node_id: int, port: int, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ControllerConfig(node_id, "unused", listeners=(Listener(port=port),))


async def test_what_is_configured_reaches_the_node(nursery: trio.Nursery) -> None:
    service = MemoryService()
    await nursery.start(service.run)
    asked = {
        "node.id": "7",
        "zookeeper.connect": "unused",
        "listeners": "INSIDE://127.0.0.1:0",
        "listener.security.protocol.map": "INSIDE:PLAINTEXT",
        "advertised.listeners": "INSIDE://klamm.example:19092",
        "broker.rack": "r1",
        "klamm.profile": "kip-455",
        "inter.broker.protocol.version": "3.9",
        "num.partitions": "4",
        "default.replication.factor": "3",
        "delete.topic.enable": "false",
        "klamm.leader.moves.in.flight": "5",
        "klamm.zookeeper.jute.maxbuffer": "2000000",
        "auto.leader.rebalance.enable": "false",
        "leader.imbalance.per.broker.percentage": "20",
        "leader.imbalance.check.interval.seconds": "30",
        "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
        "reassignment.max.concurrent.partition.movements": "3",
        "klamm.kip179.assign.enable": "true",
        "klamm.kip179.status.write.interval.ms": "50",
    }
    with trio.fail_after(10):
        async with trio.open_nursery() as running:
            found: Running = await running.start(run_controller, config_from(asked), service.open)
            running.cancel_scope.cancel()
    config = found.node.config
    [endpoint] = config.endpoints
    assert str(endpoint) == "INSIDE://klamm.example:19092"
    assert endpoint == found.endpoint
    defaults = NodeConfig(7, (endpoint,))
    differing = {
        name
        for name in NodeConfig.__dataclass_fields__
        if getattr(config, name) != getattr(defaults, name)
    }
    assert differing == NodeConfig.__dataclass_fields__.keys() - {"node_id", "endpoints"}
    assert config.first_sequence == 2, "the journal has said that this run began"


async def test_ids_that_are_taken_are_refused(nursery: trio.Nursery) -> None:
    service = MemoryService()
    await nursery.start(service.run)
    for path in ("/brokers", "/brokers/ids", "/brokers/ids/3"):
        service.zookeeper.write([Create(path, None)])
    with pytest.raises(NodeIdTakenError, match="broker of that id is registered in /brokers/ids/3"):
        await run_controller(ControllerConfig(3, "unused"), service.open)
    with trio.fail_after(10):
        async with trio.open_nursery() as running:
            await running.start(run_controller, ControllerConfig(7, "unused"), service.open)
            while paths.klamm_node(7) not in service.zookeeper.tree.nodes:
                await trio.sleep(0.001)
            with pytest.raises(NodeIdTakenError, match="a klamm node is registered in /klamm"):
                await run_controller(ControllerConfig(7, "unused"), service.open)
            running.cancel_scope.cancel()


async def test_a_zookeeper_that_is_away_is_said_and_waited_for(
    caplog: pytest.LogCaptureFixture, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    service = MemoryService()
    started = trio.current_time()
    with pytest.raises(UnreachableError, match="on zk:1 did not answer within 9 s"):
        await run_controller(ControllerConfig(7, "zk:1", connection_timeout_ms=9000), service.open)
    assert trio.current_time() - started >= 9
    [warning] = caplog.messages
    assert warning == "ZooKeeper on zk:1 does not answer; still trying"


async def test_a_zookeeper_that_comes_late_is_in_time(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    service = MemoryService()
    config = ControllerConfig(7, "zk:1", connection_timeout_ms=9000)
    found: list[str] = []

    async def enter() -> None:
        found.append(await enter_cluster(config, service.open))

    nursery.start_soon(enter)
    await trio.sleep(7)
    await nursery.start(service.run)
    await trio.sleep(1)
    [cluster_id] = found
    assert len(cluster_id) == 22
