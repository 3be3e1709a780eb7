"""Simulated brokers on a real ZooKeeper, driven over TCP by a hand-made controller."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import msgspec
import pytest
import trio
from brokers.peers import Controller
from brokers.world import T, codes, leader_and_isr, order, stop_replica, update_metadata
from kazoo.client import KazooClient
from kazoo.protocol.states import WatchedEvent

from klamm.controller.znodes import (
    StateZnode,
    decode_cluster_id,
    decode_partitions,
    decode_state,
    encode_state,
    paths,
)
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.brokers.settings import Times

STATE = paths.state(*T)
SIZE = 100_000
QUICK = Times(notice_check=0.05, notice_linger=0.1, notice_longest=1.0)
WAIT_S = 20.0

Value = TypeVar("Value")
Watcher = Callable[[WatchedEvent], None]


class Zookeeper:
    """This test's part of a real ZooKeeper, seen by somebody who is no broker."""

    def __init__(self, client: KazooClient, chroot: str) -> None:
        self._client = client
        self._chroot = chroot

    def create(self, path: str, data: bytes | None) -> None:
        self._client.create(self._chroot + path, data)

    def write(self, path: str, data: bytes) -> None:
        self._client.set(self._chroot + path, data)

    def tree(self, path: str = "") -> set[str]:
        names = self._client.get_children(self._chroot + path or "/")
        below = (self.tree(f"{path}/{name}") for name in names)
        return {f"{path}/{name}" for name in names}.union(*below)

    async def data(self, path: str, wanted: Callable[[bytes], bool] = bool) -> bytes:
        """Wait until the znode's data are as wanted; return them."""
        return await self._wait(lambda w: self._client.get(self._chroot + path, w)[0], wanted)

    async def children(self, path: str, wanted: Callable[[list[str]], bool]) -> list[str]:
        """Wait until the znode's children are as wanted; return their names."""
        return await self._wait(lambda w: self._client.get_children(self._chroot + path, w), wanted)

    def version(self, path: str) -> int:
        found: int = self._client.get(self._chroot + path)[1].version
        return found

    def czxid(self, path: str) -> int:
        found: int = self._client.get(self._chroot + path)[1].czxid
        return found

    async def _wait(
        self, read: Callable[[Watcher], Value], wanted: Callable[[Value], bool]
    ) -> Value:
        def wait() -> Value:
            while True:
                changed = threading.Event()
                value = read(partial(_signal, changed))
                if wanted(value):
                    return value
                assert changed.wait(WAIT_S), f"waited {WAIT_S:g} s; the last was {value!r}"

        return await trio.to_thread.run_sync(wait)


def _signal(changed: threading.Event, _: WatchedEvent) -> None:
    changed.set()


@pytest.fixture
def tree(zookeeper_admin: KazooClient, zookeeper_chroot: str) -> Zookeeper:
    return Zookeeper(zookeeper_admin, zookeeper_chroot)


def quick(connect: str) -> SimulatedBrokers:
    return SimulatedBrokers(
        connect, (1, 2, 3), racks={2: "b"}, partition_bytes=SIZE, bandwidth=10.0 * SIZE, times=QUICK
    )


async def test_brokers_register_as_kafkas_do_and_leave_what_kafkas_leave(
    chroot: str, tree: Zookeeper
) -> None:
    async with quick(chroot) as brokers:
        for id_, broker in brokers.brokers.items():
            data = msgspec.json.decode(await tree.data(f"/brokers/ids/{id_}"))
            assert (data["version"], data["host"], data["port"]) == (4, "127.0.0.1", broker.port)
            assert data["endpoints"] == [f"PLAINTEXT://127.0.0.1:{broker.port}"]
            assert data.get("rack") == broker.rack
            assert tree.version(f"/brokers/ids/{id_}") == 1
            assert brokers.cluster.brokers[id_].epoch == tree.czxid(f"/brokers/ids/{id_}")
        assert len(decode_cluster_id(await tree.data(paths.CLUSTER_ID))) == 22
        assert brokers.brokers[2].rack == "b"
    assert tree.tree() == {*paths.PERSISTENT_PATHS, "/cluster", paths.CLUSTER_ID}


async def test_leadership_by_leader_and_isr_v3_grows_the_isr_and_is_told(
    chroot: str, tree: Zookeeper
) -> None:
    async with quick(chroot) as brokers, Controller(brokers) as controller:
        epochs = {id_: model.epoch for id_, model in brokers.cluster.brokers.items()}

        async def ask(broker: int, request: Message, version: int) -> list[tuple[str, int, int]]:
            answer = await controller.ask(broker, request, version)
            assert isinstance(answer, LeaderAndIsrResponse | StopReplicaResponse)
            return codes(answer)

        for path in ("/brokers/topics/t", "/brokers/topics/t/partitions", paths.partition(*T)):
            tree.create(path, None)
        tree.create(STATE, encode_state(StateZnode(1, 0, (1, 2), 1)))
        for id_, epoch in epochs.items():
            request = update_metadata((1, 2, 3), broker_epoch=epoch)
            assert await controller.ask(id_, request, 5) == UpdateMetadataResponse(0)
        new = order(1, 0, (1, 2), (1, 2), is_new=True)
        for id_ in (1, 2):
            created = leader_and_isr(new, broker_epoch=epochs[id_])
            assert await ask(id_, created, 3) == [("t", 0, 0)]
        assert {id_: brokers.logs(id_)[T].end for id_ in (1, 2)} == {1: SIZE, 2: SIZE}

        tree.write(STATE, encode_state(StateZnode(1, 1, (1, 2), 1)))
        added = order(1, 1, (1, 2), (1, 2, 3), partition_epoch=1, adding=(3,), is_new=True)
        for id_ in (1, 2, 3):
            request_3 = leader_and_isr(added, broker_epoch=epochs[id_])
            assert await ask(id_, request_3, 3) == [("t", 0, 0)]
        data = await tree.data(STATE, lambda data: b"[1,2,3]" in data)
        assert decode_state(data, STATE) == StateZnode(1, 1, (1, 2, 3), 1)
        assert tree.version(STATE) == 2

        names = await tree.children(paths.ISR_CHANGES, bool)
        assert names == ["isr_change_0000000000"]
        notice = f"{paths.ISR_CHANGES}/{names[0]}"
        assert [*decode_partitions(await tree.data(notice), notice).entries] == [T]

        assert brokers.logs(3)[T].end == SIZE
        assert await ask(3, stop_replica((0, 1, True), broker_epoch=epochs[3]), 3) == [("t", 0, 0)]
        assert T not in brokers.logs(3)


async def test_a_killed_broker_returns_under_a_new_epoch(chroot: str, tree: Zookeeper) -> None:
    async with quick(chroot) as brokers, Controller(brokers) as controller:
        epoch, port = brokers.cluster.brokers[2].epoch, brokers.brokers[2].port
        await brokers.kill(2, end_session=True)
        await tree.children(paths.BROKER_IDS, lambda names: sorted(names) == ["1", "3"])
        await brokers.start(2)
        assert brokers.brokers[2].port == port
        assert brokers.cluster.brokers[2].epoch == tree.czxid("/brokers/ids/2") > epoch
        stale = update_metadata((1, 2, 3), broker_epoch=epoch)
        assert await controller.ask(2, stale, 5) == UpdateMetadataResponse(77)
