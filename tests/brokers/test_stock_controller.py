"""Simulated brokers under a stock Kafka 3.9.1 controller: they pass for Kafka's own to it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio
from kafka import KafkaAdminClient, TopicPartition
from kazoo.client import KazooClient
from peers.real_brokers.cluster import START_SECONDS, RealBroker
from processes import wait_until

from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition as Name
from klamm.controller.znodes import decode_broker
from klamm.tools.brokers.server import SimulatedBrokers

CONTROLLER = 9
IDS = (1, 2, 3)
SIZE = 1_000_000
DEADLINE = 60.0
PROTOCOLS = ("2.4-IV0", "3.9-IV0")
T = Name("t", 0)

pytestmark = pytest.mark.slow


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def kafka(
    protocol: str, tmp_path: Path, chroot: str, zookeeper_admin: KazooClient, zookeeper_chroot: str
) -> Iterator[str]:
    """Run one real broker, which becomes the controller; give its address."""
    path = f"{zookeeper_chroot}/brokers/ids/{CONTROLLER}"
    broker = RealBroker(CONTROLLER, tmp_path / "kafka", chroot, protocol)
    broker.start()
    try:
        wait_until(
            lambda: zookeeper_admin.exists(path) is not None or not broker.runs,
            "the real broker to register",
            START_SECONDS,
        )
        assert broker.runs, broker.last_words()
        wait_until(
            lambda: zookeeper_admin.exists(f"{zookeeper_chroot}/controller") is not None,
            "a controller",
        )
        endpoint = decode_broker(zookeeper_admin.get(path)[0], path).endpoints[0]
        yield f"{endpoint.host}:{endpoint.port}"
    finally:
        broker.stop()


async def eventually(condition: Callable[[], bool], what: str) -> None:
    with trio.move_on_after(DEADLINE):
        while not await trio.to_thread.run_sync(condition):
            await trio.sleep(0.05)
        return
    raise AssertionError(f"waited {DEADLINE:g} s in vain for {what}")


async def test_they_register_move_shut_down_and_return(
    protocol: str, kafka: str, chroot: str
) -> None:
    call = trio.to_thread.run_sync
    async with SimulatedBrokers(
        chroot, IDS, partition_bytes=SIZE, bandwidth=5.0 * SIZE, protocol=by_name(protocol)
    ) as brokers:
        models = brokers.cluster.brokers
        await eventually(
            lambda: all({*IDS, CONTROLLER} <= models[id_].metadata.brokers.keys() for id_ in IDS),
            "UpdateMetadata",
        )
        admin = await call(lambda: KafkaAdminClient(bootstrap_servers=kafka))
        try:
            await call(lambda: admin.create_topics({"t": {"assignments": {0: [1, 2]}}}))
            await eventually(lambda: T in models[1].replicas and T in models[2].replicas, "t")
            assert models[1].replicas[T].leads

            moved = {TopicPartition("t", 0): [3, 2]}
            await call(lambda: admin.alter_partition_reassignments(moved))
            await eventually(lambda: not admin.list_partition_reassignments(), "the move")
            await eventually(lambda: T not in models[1].replicas, "the deletion")
            assert brokers.logs(3)[T].end == SIZE
            await eventually(lambda: models[3].replicas[T].leads, "the new leader")

            assert await brokers.stop(3)
            await eventually(lambda: models[2].replicas[T].leads, "a leader after the shutdown")
            await brokers.start(3)
            await eventually(
                lambda: {*models[2].replicas[T].isr} == {2, 3}, "the return to the ISR"
            )
        finally:
            await call(admin.close)
