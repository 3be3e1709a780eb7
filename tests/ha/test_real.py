"""Nodes on a real ZooKeeper: under a stock controller, cut off, stopped, and taken over from."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.commands import running
from cli.test_serve import overrides
from ha.stock import StockController
from kafka import KafkaAdminClient, TopicPartition
from kazoo.client import KazooClient
from processes import wait_until
from store_proxy import Proxy
from wire import Wire

from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_configs_response import DescribeConfigsResponse
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.tools.bench._node import LocalNode
from klamm.tools.brokers.control_client import Control
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

LIST = ListPartitionReassignmentsRequest(topics=None)
ALTER = AlterPartitionReassignmentsRequest(
    topics=(ReassignableTopic("t", (ReassignablePartition(0, (1,)),)),)
)
#: Of sessions that a test has to lose.
SHORT = ["--override", "zookeeper.session.timeout.ms=2000"]
NOT_CONTROLLER = 41


def metadata(wire: Wire) -> MetadataResponse:
    answer = wire.ask(MetadataRequest(topics=None), 7)
    assert isinstance(answer, MetadataResponse)
    return answer


def leaders(wire: Wire) -> dict[str | None, int]:
    return {topic.name: topic.partitions[0].leader_id for topic in metadata(wire).topics}


def listing(wire: Wire) -> int:
    answer = wire.ask(LIST)
    assert isinstance(answer, ListPartitionReassignmentsResponse)
    return answer.error_code


def shows(wire: Wire, controller: int) -> Callable[[], bool]:
    return lambda: metadata(wire).controller_id == controller


def test_under_a_stock_controller_a_node_answers_truly_and_follows(
    tmp_path: Path, chroot: str, zookeeper_chroot: str
) -> None:
    with StockController(chroot) as stock:
        stock.register(1, 19091)
        stock.register(2, 19092)
        stock.create("t", [1, 2])
        stock.stand()
        with (
            running(tmp_path, "serve", *overrides(900, chroot)) as command,
            Wire(command.ready["nodes"][0]["port"]) as wire,
        ):
            wait_until(lambda: leaders(wire) == {"t": 1}, "the topic as ZooKeeper has it")
            found = metadata(wire)
            assert found.controller_id == 1
            assert {(b.node_id, b.port) for b in found.brokers} >= {(1, 19091), (2, 19092)}
            described = wire.ask(DescribeClusterRequest(), 0)
            assert isinstance(described, DescribeClusterResponse)
            assert described.controller_id == 1
            assert {each.broker_id for each in described.brokers} == {1, 2, 900}
            versions = wire.ask(ApiVersionsRequest("t", "1"), 3)
            assert isinstance(versions, ApiVersionsResponse)
            assert not {4, 5, 6} & {each.api_key for each in versions.api_keys}
            resource = DescribeConfigsResource(2, "t")
            configs = wire.ask(DescribeConfigsRequest(resources=(resource,)), 2)
            assert isinstance(configs, DescribeConfigsResponse)
            assert configs.results[0].error_code == 0
            assert listing(wire) == NOT_CONTROLLER
            for request, kind, version in (
                (LeaderAndIsrRequest(1, controller_epoch=1), LeaderAndIsrResponse, 2),
                (StopReplicaRequest(1, controller_epoch=1), StopReplicaResponse, 1),
            ):
                refused = wire.ask(request, version)
                assert isinstance(refused, kind)
                assert refused.error_code == 42

            stock.elect("t", 2, [2])
            stock.create("u", [2])
            wait_until(lambda: leaders(wire) == {"t": 2, "u": 2}, "what has changed")
            stock.leave()
            wait_until(shows(wire, 900), "its own election")
            wait_until(lambda: listing(wire) == 0, "its office")
            command.end(signal.SIGTERM)


def test_its_own_id_in_controller_is_no_office_until_it_is_elected(
    tmp_path: Path, chroot: str, zookeeper_admin: KazooClient, zookeeper_chroot: str
) -> None:
    """F39 with the session of a process that is gone, which ZooKeeper still keeps."""
    former = KazooClient(chroot)
    former.start()
    former.create(paths.CONTROLLER, encode_controller(ControllerZnode(900, 0)), ephemeral=True)
    former.create(paths.CONTROLLER_EPOCH, b"4")
    with (
        running(tmp_path, "serve", *overrides(900, chroot)) as command,
        Wire(command.ready["nodes"][0]["port"]) as wire,
    ):
        node = f"{zookeeper_chroot}{paths.klamm_node(900)}"
        wait_until(lambda: zookeeper_admin.exists(node) is not None, "its registration")
        assert listing(wire) == NOT_CONTROLLER
        former.stop()
        former.close()
        wait_until(lambda: listing(wire) == 0, "its own election")
        epoch, _ = zookeeper_admin.get(f"{zookeeper_chroot}{paths.CONTROLLER_EPOCH}")
        assert epoch == b"5"
        command.end(signal.SIGTERM)


def test_several_sessions_lost_in_a_row_and_every_request_answered_once(
    zookeeper: EmbeddedZookeeper, zookeeper_chroot: str
) -> None:
    """F36, H6: cut off until the session is over, again and again; then it controls as before."""
    host, _, port = zookeeper.connect_string.rpartition(":")
    proxy = Proxy((host, int(port)))
    config = ControllerConfig(900, proxy.address + zookeeper_chroot, session_timeout_ms=2000)
    try:
        with LocalNode(config) as local, Wire(local.running.endpoint.port) as wire:
            node = local.running.node
            for _ in range(2):
                wait_until(lambda: listing(wire) == 0, "its office")
                proxy.accepting = False
                proxy.cut()
                wait_until(lambda: node.doubtful, "that it notices")
                for request in (ALTER, LIST, ALTER, LIST):
                    wire.send(request)
                answers = [wire.receive() for _ in range(4)]
                kinds = (
                    AlterPartitionReassignmentsResponse,
                    ListPartitionReassignmentsResponse,
                )
                assert [type(answer) for answer in answers] == [*kinds, *kinds]
                for answer in answers:
                    assert isinstance(answer, kinds)
                    assert answer.error_code == NOT_CONTROLLER
                proxy.accepting = True
            wait_until(lambda: listing(wire) == 0, "its office")
    finally:
        proxy.close()


def test_a_connection_that_is_back_in_time_has_what_waited_answered_truly(
    zookeeper: EmbeddedZookeeper, zookeeper_chroot: str
) -> None:
    host, _, port = zookeeper.connect_string.rpartition(":")
    proxy = Proxy((host, int(port)))
    config = ControllerConfig(900, proxy.address + zookeeper_chroot, session_timeout_ms=30_000)
    try:
        with LocalNode(config) as local, Wire(local.running.endpoint.port) as wire:
            node = local.running.node
            assert listing(wire) == 0
            epoch = node.state.epoch if node.state else 0
            proxy.accepting = False
            proxy.cut()
            wait_until(lambda: node.doubtful, "that it notices")
            wire.send(LIST)
            wire.send(ALTER)
            proxy.accepting = True
            listed, altered = wire.receive(), wire.receive()
            assert isinstance(listed, ListPartitionReassignmentsResponse)
            assert isinstance(altered, AlterPartitionReassignmentsResponse)
            assert (listed.error_code, altered.error_code) == (0, 0)
            assert altered.responses[0].partitions[0].error_code == 39, "decided, and refused"
            assert node.state is not None and node.state.epoch == epoch, "in the same office"
    finally:
        proxy.close()


def test_a_stopped_controller_wakes_and_knows_that_it_is_none(tmp_path: Path, chroot: str) -> None:
    """E8: what was asked of it while it was stopped is not answered from what it knew."""
    first_folder, second_folder = tmp_path / "first", tmp_path / "second"
    first_folder.mkdir()
    second_folder.mkdir()
    with running(first_folder, "serve", *overrides(900, chroot), *SHORT) as first:
        port = first.ready["nodes"][0]["port"]
        with Wire(port) as asked, Wire(port) as looking:
            wait_until(lambda: listing(asked) == 0, "the office of 900")
            with (
                running(second_folder, "serve", *overrides(901, chroot), *SHORT) as second,
                Wire(second.ready["nodes"][0]["port"]) as other,
            ):
                wait_until(shows(other, 900), "901 to know of 900")
                os.kill(first.process.pid, signal.SIGSTOP)
                try:
                    asked.send(LIST)
                    asked.send(ALTER)
                    asked.send(LIST)
                    wait_until(lambda: listing(other) == 0, "the office of 901", 60)
                finally:
                    os.kill(first.process.pid, signal.SIGCONT)
                codes = []
                for _ in range(3):
                    answer = asked.receive()
                    assert isinstance(
                        answer,
                        ListPartitionReassignmentsResponse | AlterPartitionReassignmentsResponse,
                    )
                    codes.append(answer.error_code)
                assert codes == [NOT_CONTROLLER] * 3
                wait_until(shows(looking, 901), "900 to know of 901", 60)
                assert listing(other) == 0
                second.end(signal.SIGTERM)
        assert "stood still: after" in first.end(signal.SIGTERM)


@pytest.mark.slow
def test_a_killed_controller_s_move_is_seen_to_its_end_by_kafka_python(tmp_path: Path) -> None:
    topics = tmp_path / "topics.json"
    topics.write_text('{"partitions": [{"topic": "t", "partition": 0, "replicas": [0]}]}')
    options = ["--nodes", "3", "--brokers", "3", "--frozen", "2", "--topics-file", str(topics)]
    with running(tmp_path, "up", *options, *SHORT) as command:
        nodes = {node["id"]: node for node in command.ready["nodes"]}
        with Wire(next(iter(nodes.values()))["port"]) as wire:
            wait_until(lambda: metadata(wire).controller_id in nodes, "a controller")
            active = nodes.pop(metadata(wire).controller_id)
        name = TopicPartition("t", 0)
        bootstrap = ",".join(f"{node['host']}:{node['port']}" for node in nodes.values())
        with KafkaAdminClient(bootstrap_servers=command.ready["bootstrap"]) as admin:
            assert admin.alter_partition_reassignments({name: [2]}) == {name: None}
        os.kill(active["pid"], signal.SIGKILL)
        with Wire(next(iter(nodes.values()))["port"]) as wire:
            wait_until(lambda: metadata(wire).controller_id in nodes, "another controller", 60)
        with KafkaAdminClient(bootstrap_servers=bootstrap) as admin:
            moving = admin.list_partition_reassignments()
            assert moving[name]["adding_replicas"] == [2]
            with Control(command.ready["control"]) as control:
                control.order("thaw", broker=2)
            wait_until(lambda: not admin.list_partition_reassignments(), "the move to end", 60)
            [described] = admin.describe_topics(["t"])
            [partition] = described["partitions"]
            assert partition["replica_nodes"] == [2]
        command.end(signal.SIGTERM)
