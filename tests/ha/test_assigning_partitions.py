"""Requests with a number over the wire: three nodes, a real ZooKeeper, brokers that copy slowly."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.commands import Command, running
from kafka import KafkaAdminClient, TopicPartition
from kazoo.client import KazooClient
from processes import wait_until
from wire import Wire

from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
)
from klamm.tools.brokers.control_client import Control
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY

ROOT = "/admin/reassign_partitions_status"
TOPICS = {"partitions": [{"topic": "t", "partition": n, "replicas": [0, 1]} for n in range(3)]}
SWITCHED_ON = ["--override", "klamm.kip179.assign.enable=true"]
#: Of sessions that a test has to lose.
SHORT = ["--override", "zookeeper.session.timeout.ms=2000"]
Rows = dict[tuple[int, int], tuple[int, int, int, bool]]


def up(folder: Path, *options: str) -> Iterator[Command]:
    """Three nodes and five brokers, of which 4 copies nothing before it is thawed."""
    topics = folder / "topics.json"
    topics.write_text(json.dumps(TOPICS))
    fixed = ["--nodes", "3", "--brokers", "5", "--frozen", "4", "--topics-file", str(topics)]
    with running(folder, "up", *fixed, *options, *SWITCHED_ON, *SHORT) as command:
        yield command
        command.end(signal.SIGTERM)


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Command]:
    yield from up(tmp_path, "--partition-bytes", "20000")


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Command]:
    """A copy takes some seconds, while producers add to what is to be copied."""
    yield from up(
        tmp_path,
        *("--partition-bytes", "400000", "--bandwidth", "100000", "--produce-rate", "5000"),
    )


def assign(
    port: int, *lists: tuple[int, tuple[int, ...]]
) -> tuple[int, int, list[tuple[int, int, int]]]:
    """The top level's code, the request's number, and partition, broker and code of each row."""
    assignments = tuple(PartitionAssignment("t", number, brokers) for number, brokers in lists)
    with Wire(port) as wire:
        answer = wire.ask(AssignPartitionsRequest(10_000, assignments))
    assert isinstance(answer, AssignPartitionsResponse)
    rows = [(row.partition, row.broker, row.error_code) for row in answer.results]
    return answer.error_code, answer.request_id, rows


def asked(port: int, request: int = -1) -> PartitionAssignmentStatusResponse:
    with Wire(port) as wire:
        answer = wire.ask(PartitionAssignmentStatusRequest(request))
    assert isinstance(answer, PartitionAssignmentStatusResponse)
    return answer


def rows(port: int, request: int = -1) -> Rows:
    """Code, numerator, denominator and whether it is complete, by partition and broker."""
    return {
        (row.partition, row.broker): (
            row.progress.error_code,
            row.progress.numerator,
            row.progress.denominator,
            row.progress.complete,
        )
        for row in asked(port, request).replicas
    }


def controller(port: int) -> int:
    with Wire(port) as wire:
        answer = wire.ask(MetadataRequest(topics=None), 7)
    assert isinstance(answer, MetadataResponse)
    return answer.controller_id


def accepted(port: int, *lists: tuple[int, tuple[int, ...]]) -> int:
    """Ask until nothing moves any more; the number that the request has got."""
    answers: list[tuple[int, int, object]] = []

    def done() -> bool:
        answers.append(assign(port, *lists))
        return answers[-1][0] == 0

    wait_until(done, "the request to be accepted", 60)
    return answers[-1][1]


def wait_for_all(ports: list[int]) -> None:
    for port in ports:
        wait_until(lambda port=port: controller(port) in (900, 901, 902), "a controller")  # type: ignore[misc]


def thaw(command: Command) -> None:
    with Control(command.ready["control"]) as control:
        control.order("thaw", broker=4)


@pytest.mark.req("R179B-17", "R179B-19", "R179B-20", "R179B-32", "R179B-34", "R179B-40")
def test_any_of_three_nodes_takes_a_request_and_tells_what_has_come_of_it(quick: Command) -> None:
    ports = [node["port"] for node in quick.ready["nodes"]]
    wait_for_all(ports)
    for port in ports:
        with Wire(port) as wire:
            versions = wire.ask(ApiVersionsRequest("t", "1"), 3)
        assert isinstance(versions, ApiVersionsResponse)
        keys = {each.api_key: (each.min_version, each.max_version) for each in versions.api_keys}
        assert keys[17900] == keys[17901] == (0, 0)
        assert asked(port).error_message == "Unknown reassignment request id -1."
    client = KazooClient(quick.ready["zookeeper"])
    client.start()

    def read(path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(client.get(path)[0])
        return found

    with KafkaAdminClient(bootstrap_servers=quick.ready["bootstrap"]) as admin:
        code, number, answer = assign(ports[0], (0, (1, 4)), (1, (3, 99)), (9, (1,)), (2, ()))
        assert (code, number) == (0, 1)
        assert answer == [
            (0, 1, 0), (0, 4, 0), (1, 3, 55), (1, 99, 25), (9, 1, 37), (2, -1, 39),
        ]  # fmt: skip
        assert read(ROOT) == {"version": 1, "last_request_id": 1}
        orders = b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,4]}]}'
        assert client.get("/admin/reassign_partitions")[0] == orders
        for port in ports:
            assert rows(port) == {(0, 1): (0, 0, -1, True), (0, 4): (60, 0, -1, False)}
            assert asked(port, 1).request_id == 1
            busy = (60, -1, [(1, 3, 60), (1, 2, 60)])
            assert assign(port, (1, (3, 2))) == busy
        assert set(admin.list_partition_reassignments()) == {TopicPartition("t", 0)}
        thaw(quick)
        wait_until(lambda: asked(ports[2], 1).complete, "request 1 to be complete")
        assert {row[0] for row in rows(ports[1], 1).values()} == {0}
        assert read(f"{ROOT}/1")["complete"] is True
        # A request of KIP-455 moves something: refused all the same, and that goes on.
        assert accepted(ports[1], (1, (3, 2))) == 2
        wait_until(lambda: asked(ports[0]).complete, "request 2 to be complete")
        wait_until(lambda: not client.exists("/admin/reassign_partitions"), "the orders to go")
        assert assign(ports[2], (2, (7,))) == (0, -1, [(2, 7, 25)])
        assert read(ROOT)["last_request_id"] == 2
        assert accepted(ports[2], (2, (1, 0))) == 3
        assert asked(ports[0]).request_id == 3
    client.stop()
    client.close()


@pytest.mark.slow
@pytest.mark.req("R179B-26", "R179B-36", "R179B-37", "R179B-38", "R179B-40", "R179B-46")
def test_progress_is_seen_while_controllers_come_and_go(slow: Command) -> None:
    nodes = {node["id"]: node for node in slow.ready["nodes"]}
    wait_for_all([node["port"] for node in nodes.values()])
    killed = nodes.pop(controller(next(iter(nodes.values()))["port"]))
    port = next(iter(nodes.values()))["port"]
    assert accepted(port, (0, (1, 3)), (1, (0, 4))) == 1

    def copied(row: tuple[int, int]) -> Callable[[], bool]:
        def is_copied() -> bool:
            error, numerator, denominator, complete = rows(port, 1)[row]
            assert denominator != 0
            return error == 60 and 0 < numerator < denominator and not complete

        return is_copied

    wait_until(copied((0, 3)), "progress of broker 3", 60)
    os.kill(killed["pid"], signal.SIGKILL)
    before = rows(port, 1)
    assert before[0, 3][1] > 0, "a node answers while nobody is in office"
    wait_until(lambda: rows(port, 1)[0, 3][3], "broker 3 to come in sync", 60)
    assert rows(port, 1)[0, 3][0] == 0
    assert asked(port, 1).complete is False, "broker 4 copies nothing"
    thaw(slow)
    wait_until(copied((1, 4)), "progress of broker 4", 60)
    wait_until(lambda: asked(port, 1).complete, "the request to be complete", 60)
    assert accepted(port, (0, (3, 1))) == 2


@pytest.mark.slow
@pytest.mark.req("R179B-37")
def test_the_share_falls_while_producers_are_faster(slow: Command) -> None:
    port = slow.ready["nodes"][0]["port"]
    wait_for_all([port])
    assert accepted(port, (2, (0, 3))) == 1
    shares: list[float] = []

    def falls() -> bool:
        _, numerator, denominator, _ = rows(port, 1)[2, 3]
        shares.append(numerator / denominator if denominator > 0 else -1.0)
        return len(shares) > 1 and shares[-1] < shares[-2]

    wait_until(lambda: rows(port, 1)[2, 3][1] > 0, "progress", 60)
    with Control(slow.ready["control"]) as control:
        control.order("produce", topic="t", partition=2, rate=2_000_000)
    wait_until(falls, "a smaller share than before", 60)
    assert asked(port, 1).error_code == 0


@pytest.mark.req("R179B-17")
def test_without_the_switch_the_keys_close_the_connection() -> None:
    with LocalCluster(ClusterOptions((1, 2), zookeeper=MEMORY)) as local:
        port = local.cluster.endpoint.port
        with Wire(port) as wire:
            versions = wire.ask(ApiVersionsRequest("t", "1"), 3)
        assert isinstance(versions, ApiVersionsResponse)
        assert not {17900, 17901} & {each.api_key for each in versions.api_keys}
        for request in (AssignPartitionsRequest(), PartitionAssignmentStatusRequest()):
            with Wire(port) as wire:
                wire.send(request)
                assert wire.is_closed()
        with Wire(port) as wire:
            assert isinstance(wire.ask(ApiVersionsRequest("t", "1"), 3), ApiVersionsResponse)
