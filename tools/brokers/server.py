"""Simulated brokers as TCP peers that register in ZooKeeper.

`SimulatedBrokers` runs any number of them in one process on 127.0.0.1. What a broker decides is
`model`'s matter, the bytes between brokers are `replication`'s, sockets and sessions are `peer`'s;
here is the clock that drives them all. Bytes flow between brokers of one `SimulatedBrokers` only:
a follower whose leader is elsewhere fetches nothing. A broker serves the controller's keys 4, 5
and 6, and clients from the metadata that the controller has sent it; what only a controller can do
it answers with NOT_CONTROLLER.
"""

import uuid
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Self

import trio

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.releases import DEFAULT as RELEASE
from klamm.controller.runtime.sessions import OpenStore
from klamm.controller.znodes import Endpoint, encode_uuid
from klamm.tools.brokers.access import OPEN, Access
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.control_server import serve_control
from klamm.tools.brokers.peer import HOST, NotRunningError, SimulatedBroker
from klamm.tools.brokers.registration import BrokerIdInUseError
from klamm.tools.brokers.settings import (
    BANDWIDTH,
    KAFKA_TIMES,
    PARTITION_BYTES,
    REPORT_SECONDS,
    BrokerSettings,
    Times,
)
from klamm.tools.brokers.status import BrokerStatus, status
from klamm.tools.brokers.storage import Log


class CannotStartError(ValueError):
    """A broker cannot start again; the text says why."""


class SimulatedBrokers:
    """Brokers with the given ids, as an async context manager; all are registered when it opens.

    `store` is a ZooKeeper connect string, or what opens a session. `racks` and `ports` are by
    broker id; a broker without a port takes a free one, and keeps it when it is started again.
    `partition_bytes` is the data of a new topic's partition, for some `topic_bytes` by topic;
    `produce_rate` is what producers write to each in bytes per second, `bandwidth` what each
    broker can fetch and serve. `frozen` brokers never catch up. `control_port` (0 for a free one)
    takes orders from outside, see `control_server`. `access` is the listener of each broker.
    `release` is that of Kafka whose versions clients are shown. `cluster_id` is offered to a
    cluster that has none. `shared` are properties as in `BrokerSettings`. Leaving, or being
    cancelled, ends the brokers: their own znodes go, what Kafka would leave stays. Raises
    ValueError for settings that make no sense; in exception groups, as trio's nurseries do, OSError
    for a port that is taken, BrokerIdInUseError, and StoreRefusedError.
    """

    def __init__(
        self,
        store: str | OpenStore,
        ids: Sequence[int] = tuple(range(5)),
        *,
        racks: Mapping[int, str] | None = None,
        ports: Mapping[int, int] | None = None,
        partition_bytes: int = PARTITION_BYTES,
        produce_rate: float = 0.0,
        bandwidth: float = BANDWIDTH,
        frozen: Collection[int] = (),
        log_dirs: Sequence[str] = ("/data",),
        protocol: InterBrokerProtocol = DEFAULT,
        cluster_id: str | None = None,
        control_port: int | None = None,
        times: Times = KAFKA_TIMES,
        topic_bytes: Mapping[str, int] | None = None,
        release: str = RELEASE,
        access: Access = OPEN,
        shared: Mapping[str, str] | None = None,
    ) -> None:
        if len(set(ids)) != len(ids):
            raise ValueError(f"broker ids must differ: {list(ids)}")
        open_store = _zookeeper(store) if isinstance(store, str) else store
        self._cluster = Cluster(bandwidth, produce_rate)
        cluster_id = cluster_id or encode_uuid(uuid.uuid4())
        strangers = {*frozen} - {*ids}
        if strangers:
            raise ValueError(f"frozen brokers {sorted(strangers)} are not among {list(ids)}")
        self._cluster.replication.frozen.update(frozen)
        self._brokers = {
            id_: SimulatedBroker(
                BrokerSettings(
                    id_,
                    Endpoint(access.listener, access.protocol, HOST, (ports or {}).get(id_, 0)),
                    cluster_id,
                    (racks or {}).get(id_),
                    partition_bytes,
                    tuple(log_dirs),
                    protocol,
                    times,
                    topic_bytes=topic_bytes or {},
                    release=release,
                    report_seconds=REPORT_SECONDS,
                    shared=shared or {},
                ),
                self._cluster,
                open_store,
                self._carry_out,
                access,
            )
            for id_ in ids
        }
        self._changed = trio.Event()
        self._control_port = control_port

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

    @property
    def control_port(self) -> int | None:
        """Where orders are taken on 127.0.0.1; None if `control_port` was None."""
        return self._control_port

    def logs(self, broker: int) -> Mapping[TopicPartition, Log]:
        """Return what is on a broker's disks, at this moment."""
        self._carry_out(self._cluster.advance(trio.current_time()))
        return {name: replace(log) for name, log in self._cluster.logs(broker).items()}

    def status(self) -> tuple[BrokerStatus, ...]:
        """Look at all brokers, at this moment."""
        self._carry_out(self._cluster.advance(trio.current_time()))
        return tuple(status(self._cluster, broker) for broker in self._brokers)

    def freeze(self, broker: int) -> None:
        """Stop a broker's fetching: it lives, answers and leads, and never catches up."""
        self._known(broker)
        self._carry_out(self._cluster.freeze(trio.current_time(), broker))

    def thaw(self, broker: int) -> None:
        """Let a broker fetch again as fast as it can, whatever kept it from that."""
        self._known(broker)
        self._carry_out(self._cluster.thaw(trio.current_time(), broker))

    def slow_down(self, broker: int, rate: float) -> None:
        """Let a broker fetch at most `rate` bytes per second; raises ValueError for none."""
        self._known(broker)
        self._carry_out(self._cluster.slow_down(trio.current_time(), broker, rate))

    def pause(self, broker: int, seconds: float) -> None:
        """Let a broker fetch in bursts of a second, with a pause of `seconds` before each.

        Raises ValueError for a pause of no length.
        """
        self._known(broker)
        self._carry_out(self._cluster.pause(trio.current_time(), broker, seconds))

    def produce(self, rate: float, name: TopicPartition | None = None) -> None:
        """Change what producers write, in bytes per second: to one partition, or to each.

        Raises ValueError for a rate below 0.
        """
        self._carry_out(self._cluster.produce(trio.current_time(), rate, name))

    def fail_directory(self, broker: int, directory: str) -> None:
        """Break one of a broker's log directories; raises ValueError for an unknown one."""
        if not self._known(broker).running:
            raise NotRunningError(f"broker {broker} does not run")
        self._carry_out(self._cluster.fail_directory(trio.current_time(), broker, directory))

    async def kill(self, broker: int, *, end_session: bool = False) -> None:
        """End a broker as kill -9 does: its connections go at once, its disks stay.

        Its registration stays until the session would have timed out, or goes now if
        `end_session`.
        """
        await self._known(broker).kill(end_session=end_session)

    async def stop(self, broker: int) -> bool:
        """Shut a broker down in good order; return whether the controller allowed it.

        It asks up to three times, five seconds apart, and ends in either case. Raises
        NotRunningError.
        """
        return await self._known(broker).stop()

    async def start(self, broker: int, *, new_disks: bool = False) -> None:
        """Start an ended broker on its old port and disks; returns once it is registered.

        Log directories that broke are broken still, or new and empty with `new_disks`. It waits
        for its own former registration to go. Raises ValueError if it runs, or CannotStartError
        if somebody else has taken its id or port meanwhile.
        """
        if self._known(broker).running:
            broken = ", ".join(self._cluster.broken_directories(broker))
            hint = (
                f" without {broken}: end it first, then return it with new disks" if broken else ""
            )
            raise ValueError(f"broker {broker} runs already{hint}")
        if new_disks:
            self._cluster.replace_disks(broker)
        try:
            await self._nursery.start(self._brokers[broker].run)
        except (OSError, BaseExceptionGroup) as fault:
            cause = _first(fault)
            if not isinstance(cause, BrokerIdInUseError | OSError):
                raise
            raise CannotStartError(f"broker {broker} cannot start: {cause}") from cause

    def _known(self, broker: int) -> SimulatedBroker:
        known = self._brokers.get(broker)
        if known is None:
            ids = ", ".join(map(str, self._brokers))
            raise ValueError(f"there is no broker {broker} here; there are: {ids}")
        return known

    @asynccontextmanager
    async def _run(self) -> AsyncIterator[None]:
        async with trio.open_nursery() as self._nursery:
            self._nursery.start_soon(self._keep_time)
            if self._control_port is not None:
                self._control_port = await self._nursery.start(
                    serve_control, self, self._control_port
                )
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


def _zookeeper(connect: str) -> OpenStore:
    # Not at the top: brokers whose ZooKeeper is in memory start without loading a client.
    from klamm.controller.store.options import ZookeeperOptions
    from klamm.controller.store.zookeeper import ZookeeperStore

    return partial(ZookeeperStore, ZookeeperOptions(connect, create_chroot=True))


def _first(fault: BaseException) -> BaseException:
    """Return the only fault of a group of groups, or the group that has several."""
    while isinstance(fault, BaseExceptionGroup) and len(fault.exceptions) == 1:
        fault = fault.exceptions[0]
    return fault
