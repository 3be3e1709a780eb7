"""A move in steps that changes hands between klamm and a real controller of Kafka 3.9.1.

Whoever takes over finds an ordinary reassignment in the topic's znode: Kafka goes on with all of it
at once, klamm in steps. So it is with a request that has an id: what is left of it Kafka finds in
/admin/reassign_partitions, as if an old tool had written that.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from cli.commands import Command, running
from cli.test_serve import overrides
from kafka import KafkaAdminClient
from kafka import TopicPartition as KafkaPartition
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from peers.real_brokers.cluster import START_SECONDS, RealBroker
from processes import wait_until
from wire import ask

from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.switches import Switch
from klamm.controller.znodes import decode_broker, paths
from klamm.controller.znodes.parsing import INT32_MAX
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
)
from klamm.tools.brokers.server import SimulatedBrokers

KLAMM, KAFKA = 900, 50
OLD, NEW = [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]
T = TopicPartition("t", 0)
SIZE = 400_000
DEADLINE = 60.0

pytestmark = pytest.mark.slow


@pytest.fixture(params=["2.4-IV0", "3.9-IV0"])
def protocol(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


class Tree:
    """What is in ZooKeeper of one cluster."""

    def __init__(self, client: KazooClient, root: str) -> None:
        self._client = client
        self._root = root

    def json(self, path: str) -> dict[str, Any]:
        """The znode's content; nothing if there is none."""
        try:
            found: dict[str, Any] = json.loads(self._client.get(self._root + path)[0])
        except NoNodeError:
            return {}
        return found

    @property
    def controller(self) -> int | None:
        """Who holds the office."""
        found: int | None = self.json(paths.CONTROLLER).get("brokerid")
        return found

    @property
    def hint(self) -> dict[str, Any]:
        """What klamm has written down of the partition's steps."""
        found: dict[str, dict[str, Any]] = self.json("/klamm/reassignment_steps/t").get(
            "partitions", {}
        )
        return found.get("0", {})

    @property
    def isr(self) -> set[int]:
        """Who is in sync."""
        return set(self.json(paths.state(*T))["isr"])

    def ended(self) -> bool:
        """Tell whether the move is over, as Kafka writes that."""
        topic = self.json(paths.topic("t"))
        return (topic["partitions"], topic["adding_replicas"]) == ({"0": NEW}, {})

    def address(self, broker: int) -> str:
        """Where a broker listens."""
        path = f"{paths.BROKER_IDS}/{broker}"
        data = self._client.get(self._root + path)[0]
        endpoint = decode_broker(data, path).endpoints[0]
        return f"{endpoint.host}:{endpoint.port}"

    def registered(self, broker: int) -> bool:
        """Tell whether the broker is there."""
        return self._client.exists(f"{self._root}{paths.BROKER_IDS}/{broker}") is not None


@pytest.fixture
def tree(zookeeper_admin: KazooClient, zookeeper_chroot: str) -> Tree:
    return Tree(zookeeper_admin, zookeeper_chroot)


@contextmanager
def kafka(folder: Path, chroot: str, protocol: str, tree: Tree) -> Iterator[RealBroker]:
    """Run one real broker; the first to come is the controller."""
    broker = RealBroker(KAFKA, folder / "kafka", chroot, protocol)
    broker.start()
    try:
        wait_until(
            lambda: tree.registered(KAFKA) or not broker.runs, "the real broker", START_SECONDS
        )
        assert broker.runs, broker.last_words()
        yield broker
    finally:
        broker.stop()


@contextmanager
def klamm(folder: Path, chroot: str, protocol: str, limit: int) -> Iterator[Command]:
    """Run a node that moves so many replicas of a partition at a time."""
    own = {
        "inter.broker.protocol.version": protocol,
        "zookeeper.session.timeout.ms": "2000",
        "reassignment.max.concurrent.replica.movements": str(limit),
        Switch.ASSIGN.value: "true",
    }
    words = [word for key, value in own.items() for word in ("--override", f"{key}={value}")]
    with running(folder, "serve", *overrides(KLAMM, chroot), *words) as command:
        yield command


async def eventually(condition: Callable[[], bool], what: str) -> None:
    with trio.move_on_after(DEADLINE):
        while not condition():
            await trio.sleep(0.05)
        return
    raise AssertionError(f"waited {DEADLINE:g} s in vain for {what}")


async def begin(address: str) -> None:
    """Create the topic, and ask for the move."""

    def ask() -> None:
        admin = KafkaAdminClient(bootstrap_servers=address)
        try:
            admin.create_topics({"t": {"assignments": {0: OLD}}})
            wait_until(lambda: "t" in admin.list_topics(), "the topic")
            admin.alter_partition_reassignments({KafkaPartition("t", 0): NEW})
        finally:
            admin.close()

    await trio.to_thread.run_sync(ask)


@pytest.mark.req("R435-49")
async def test_kafka_finishes_what_klamm_has_begun(
    tmp_path: Path, chroot: str, protocol: str, tree: Tree
) -> None:
    with (
        klamm(tmp_path, chroot, protocol, limit=2) as node,
        kafka(tmp_path, chroot, protocol, tree),
    ):
        async with SimulatedBrokers(
            chroot, range(10), partition_bytes=SIZE, protocol=by_name(protocol)
        ) as brokers:
            brokers.freeze(8)  # the third step adds 7 and 8, and cannot end
            port = node.ready["nodes"][0]["port"]
            await begin(f"127.0.0.1:{port}")
            await eventually(lambda: tree.hint.get("adding") == [7, 8], "the third step")
            await eventually(lambda: tree.isr == {5, 6, 2, 3, 4, 7}, "its first replica")
            topic = tree.json(paths.topic("t"))
            assert topic["adding_replicas"] == {"0": [7, 8, 9]}
            assert topic["removing_replicas"] == {"0": [2, 3, 4]}
            assert T not in brokers.logs(9)

            node.process.kill()
            await eventually(lambda: tree.controller == KAFKA, "Kafka's controller")
            brokers.thaw(8)
            await eventually(tree.ended, "the end")
            await eventually(lambda: tree.isr == set(NEW), "all of the target in sync")
            held = {id_ for id_ in range(10) if T in brokers.logs(id_)}
            assert held >= set(NEW)
            assert all(brokers.logs(id_)[T].end == SIZE for id_ in NEW)
            await eventually(
                lambda: not any(T in brokers.logs(id_) for id_ in OLD), "the deletions"
            )


@pytest.mark.req("R435-50")
async def test_klamm_goes_on_in_steps_where_kafka_had_all_under_way(
    tmp_path: Path, chroot: str, protocol: str, tree: Tree
) -> None:
    with kafka(tmp_path, chroot, protocol, tree) as stock:
        await eventually(lambda: tree.controller == KAFKA, "Kafka's controller")
        with klamm(tmp_path, chroot, protocol, limit=1):
            async with SimulatedBrokers(
                chroot, range(10), partition_bytes=SIZE, protocol=by_name(protocol)
            ) as brokers:
                models = brokers.cluster.brokers
                for id_ in NEW:
                    brokers.freeze(id_)
                await eventually(
                    lambda: all(
                        set(range(10)) <= models[id_].metadata.brokers.keys() for id_ in OLD
                    ),
                    "UpdateMetadata",
                )
                await begin(tree.address(KAFKA))
                await eventually(
                    lambda: all(
                        T in models[id_].replicas and models[id_].replicas[T].fetching
                        for id_ in NEW
                    ),
                    "all of the target",
                )

                stock.kill()
                await eventually(lambda: tree.controller == KLAMM, "klamm's controller")
                await eventually(
                    lambda: [id_ for id_ in NEW if models[id_].replicas[T].fetching] == [5],
                    "one that goes on alone",
                )
                assert all(T in brokers.logs(id_) for id_ in NEW), "a stop is no deletion"
                for id_ in NEW:
                    brokers.thaw(id_)
                await eventually(tree.ended, "the end")
                await eventually(lambda: tree.isr == set(NEW), "all of the target in sync")
                await eventually(lambda: tree.hint == {}, "no trace of steps")
                await eventually(
                    lambda: not any(T in brokers.logs(id_) for id_ in OLD), "the deletions"
                )


async def codes(port: int) -> dict[tuple[int, int], int]:
    """What any node tells of the first request: the code of each replica, by partition."""
    answer = await trio.to_thread.run_sync(ask, port, PartitionAssignmentStatusRequest(1), 0)
    assert isinstance(answer, PartitionAssignmentStatusResponse)
    assert (answer.error_code, answer.request_id) == (0, 1)
    found = {(row.partition, row.broker): row.progress.error_code for row in answer.replicas}
    assert answer.complete == (60 not in found.values())
    return found


@pytest.mark.req("R179B-24", "R179B-46")
async def test_kafka_finishes_a_request_with_an_id_and_klamm_tells_so_afterwards(
    tmp_path: Path, chroot: str, protocol: str, tree: Tree
) -> None:
    request = AssignPartitionsRequest(
        9000, tuple(PartitionAssignment("t", number, (5, 6)) for number in range(3))
    )

    def created(port: int) -> None:
        admin = KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{port}")
        try:
            lists = {0: [0, 1], 1: [1, 0], 2: [5, 6]}
            admin.create_topics({"t": {"assignments": lists}})
            wait_until(lambda: "t" in admin.list_topics(), "the topic")
        finally:
            admin.close()

    async with SimulatedBrokers(
        chroot, range(7), partition_bytes=SIZE, protocol=by_name(protocol)
    ) as brokers:
        with klamm(tmp_path, chroot, protocol, INT32_MAX) as node:
            port = node.ready["nodes"][0]["port"]
            await trio.to_thread.run_sync(created, port)
            brokers.freeze(6)
            with kafka(tmp_path, chroot, protocol, tree) as stock:
                answer = await trio.to_thread.run_sync(ask, port, request, 0)
                assert isinstance(answer, AssignPartitionsResponse)
                assert (answer.error_code, answer.request_id) == (0, 1)
                await eventually(lambda: tree.isr == {0, 1, 5}, "a part of the move")
                node.process.kill()
                await eventually(lambda: tree.controller == KAFKA, "Kafka's controller")
                ordered = tree.json(paths.REASSIGN_PARTITIONS)["partitions"]
                assert {each["partition"] for each in ordered} >= {0, 1}
                brokers.thaw(6)
                await eventually(lambda: not tree.json(paths.REASSIGN_PARTITIONS), "the end")
                topic = tree.json(paths.topic("t"))
                assert topic["partitions"] == {number: [5, 6] for number in "012"}
                assert topic["adding_replicas"] == {}
                stock.kill()
        (tmp_path / "again").mkdir()
        with klamm(tmp_path / "again", chroot, protocol, INT32_MAX) as node:
            port = node.ready["nodes"][0]["port"]
            await eventually(lambda: tree.controller == KLAMM, "klamm's controller")
            with trio.fail_after(DEADLINE):
                while 60 in (await codes(port)).values():
                    await trio.sleep(0.05)
            done = {(number, broker): 0 for number in range(3) for broker in (5, 6)}
            assert await codes(port) == done
