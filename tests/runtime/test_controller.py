"""A whole node on a ZooKeeper in memory: configuration, listener, journal, service."""

import json
import socket
from pathlib import Path

import pytest
import trio
from runtime.peers import Peer
from runtime.test_sessions import World

from klamm.controller.node import Phase
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import ListenError, Running, run_node
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse


async def test_a_node_serves_and_keeps_a_journal(tmp_path: Path, nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    config = ControllerConfig(7, "unused", journal=tmp_path / "journal")
    with trio.fail_after(10):
        async with trio.open_nursery() as running:
            node: Running = await running.start(run_node, config, world.open)
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
            await run_node(ControllerConfig(7, "unused", port=port), World().open)


@pytest.mark.parametrize(
    ("node_id", "port", "text"), [(-1, 0, "node_id -1"), (1, 65536, "65536"), (1, -1, "-1")]
)
def test_settings_that_cannot_be(node_id: int, port: int, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ControllerConfig(node_id, "unused", port=port)
