"""Simulated brokers as TCP peers that register in ZooKeeper.

`SimulatedBrokers` runs any number of them in one process on 127.0.0.1. What a broker decides is
`model`'s matter, the bytes between brokers are `replication`'s, sockets and sessions are `peer`'s;
here is the clock that drives them all. A broker serves the controller's keys 4, 5 and 6, and
clients from the metadata that the controller has sent it: 3, 18 and 60 with answers, 19, 45 and
46 with NOT_CONTROLLER.
"""

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Self

import trio

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.controller.runtime.sessions import OpenStore
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.controller.znodes import Endpoint, encode_uuid
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.peer import HOST, LISTENER, SimulatedBroker
from klamm.tools.brokers.settings import (
    BANDWIDTH,
    KAFKA_TIMES,
    PARTITION_BYTES,
    BrokerSettings,
    Times,
)
from klamm.tools.brokers.storage import Log


class SimulatedBrokers:
    """Brokers with the given ids, as an async context manager; all are registered when it opens.

    `store` is a ZooKeeper connect string, or what opens a session. `racks` and `ports` are by
    broker id; a broker without a port takes a free one, and keeps it when it is started again.
    `bandwidth` is what each broker fetches, in bytes per second. Leaving, or being cancelled, ends
    the brokers: their own znodes go, what Kafka would leave stays. Raises ValueError for settings
    that make no sense; in exception groups, as trio's nurseries do, OSError for a port that is
    taken, BrokerIdInUseError, and StoreRefusedError.
    """

    def __init__(
        self,
        store: str | OpenStore,
        ids: Sequence[int] = tuple(range(5)),
        *,
        racks: Mapping[int, str] | None = None,
        ports: Mapping[int, int] | None = None,
        partition_bytes: int = PARTITION_BYTES,
        bandwidth: float = BANDWIDTH,
        log_dirs: Sequence[str] = ("/data",),
        protocol: InterBrokerProtocol = DEFAULT,
        times: Times = KAFKA_TIMES,
    ) -> None:
        if len(set(ids)) != len(ids):
            raise ValueError(f"broker ids must differ: {list(ids)}")
        if isinstance(store, str):
            store = partial(ZookeeperStore, ZookeeperOptions(store))
        self._cluster = Cluster(bandwidth)
        cluster_id = encode_uuid(uuid.uuid4())
        self._brokers = {
            id_: SimulatedBroker(
                BrokerSettings(
                    id_,
                    Endpoint(LISTENER, LISTENER, HOST, (ports or {}).get(id_, 0)),
                    cluster_id,
                    (racks or {}).get(id_),
                    partition_bytes,
                    tuple(log_dirs),
                    protocol,
                    times,
                ),
                self._cluster,
                store,
                self._carry_out,
            )
            for id_ in ids
        }
        self._changed = trio.Event()

    async def __aenter__(self) -> Self:
        self._running = self._run()
        await self._running.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._running.__aexit__(kind, error, traceback)

    @property
    def brokers(self) -> Mapping[int, SimulatedBroker]:
        """The brokers by id, running or not; each knows its `port` and `rack`."""
        return MappingProxyType(self._brokers)

    @property
    def cluster(self) -> Cluster:
        """The model of it all, to look at."""
        return self._cluster

    def logs(self, broker: int) -> Mapping[TopicPartition, Log]:
        """Return what is on a broker's disks, at this moment."""
        self._carry_out(self._cluster.advance(trio.current_time()))
        return {name: replace(log) for name, log in self._cluster.logs(broker).items()}

    def freeze(self, broker: int) -> None:
        """Stop a broker's fetching: it lives, answers and leads, and never catches up."""
        self._carry_out(self._cluster.freeze(trio.current_time(), broker))

    def thaw(self, broker: int) -> None:
        """Let a frozen broker fetch again."""
        self._carry_out(self._cluster.thaw(trio.current_time(), broker))

    def fail_directory(self, broker: int, directory: str) -> None:
        """Break one of a broker's log directories; raises ValueError for an unknown one."""
        self._carry_out(self._cluster.fail_directory(trio.current_time(), broker, directory))

    async def kill(self, broker: int) -> None:
        """End a broker: its connections and its znode go, its disks stay."""
        await self._brokers[broker].kill()

    async def start(self, broker: int) -> None:
        """Start a killed broker on its old port and disks; returns once it is registered."""
        await self._nursery.start(self._brokers[broker].run)

    @asynccontextmanager
    async def _run(self) -> AsyncIterator[None]:
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._keep_time)
            async with trio.open_nursery() as starting:
                for broker in self._brokers.values():
                    starting.start_soon(self._nursery.start, broker.run)
            yield
            self._nursery.cancel_scope.cancel()

    async def _keep_time(self) -> None:
        """Wake the model whenever something is due."""
        while True:
            with trio.move_on_at(self._cluster.deadline):
                await self._changed.wait()
            self._changed = trio.Event()
            if trio.current_time() >= self._cluster.deadline:
                self._carry_out(self._cluster.advance(trio.current_time()))

    def _carry_out(self, effects: Effects) -> None:
        for broker, call in effects:
            self._brokers[broker].make(call)
        self._changed.set()
