"""Carries out the plan of faults, and mends everything again."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

import trio

from klamm.tools.brokers.server import CannotStartError, SimulatedBrokers
from klamm.tools.chaos.history import Fault
from klamm.tools.chaos.nodes import NodeProcess
from klamm.tools.chaos.plan import Action, Planned
from klamm.tools.chaos.proxy import Mode
from klamm.tools.chaos.recorder import Recorder
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

LOG = logging.getLogger("klamm.chaos")

_MODES = {Action.CUT: Mode.CUT, Action.SWALLOW: Mode.SWALLOW, Action.STALL: Mode.STALL}
_RETRY_SECONDS = 0.5


class Breaker:
    """Breaks and mends. `office` says which node is controller at this moment, if one is."""

    def __init__(
        self,
        zookeeper: EmbeddedZookeeper,
        nodes: Sequence[NodeProcess],
        brokers: SimulatedBrokers,
        recorder: Recorder,
        office: Callable[[], int | None],
        processes: trio.Nursery,
    ) -> None:
        self._zookeeper = zookeeper
        self._nodes: Mapping[int, NodeProcess] = {node.id: node for node in nodes}
        self._brokers = brokers
        self._recorder = recorder
        self._office = office
        self._processes = processes
        self._busy: set[object] = set()

    async def run(self, plan: Sequence[Planned]) -> None:
        """Carry out the plan from now on; returns when all is mended."""
        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            for planned in plan:
                await trio.sleep_until(start + planned.at)
                nursery.start_soon(self._carry_out, planned)

    async def _carry_out(self, planned: Planned) -> None:
        if planned.action is Action.RESTART:
            await self._one_at_a_time("zookeeper", planned, self._restart_zookeeper)
        elif planned.action in (Action.KILL_BROKER, Action.STOP_BROKER, Action.FREEZE_BROKER):
            await self._one_at_a_time(f"broker {planned.target}", planned, self._break_broker)
        else:
            target = planned.target if planned.target is not None else self._office()
            if target is not None:
                named = Planned(planned.at, planned.seconds, planned.action, target)
                await self._one_at_a_time(f"node {target}", named, self._break_node)

    async def _one_at_a_time(
        self, name: str, planned: Planned, act: Callable[[Planned], Awaitable[None]]
    ) -> None:
        """Leave alone what is broken already: who is controller was not known to the plan."""
        if name in self._busy:
            return
        self._busy.add(name)
        self._recorder.write(Fault(self._recorder.now, planned.action, name))
        await act(planned)
        self._recorder.write(Fault(self._recorder.now, planned.action, name, over=True))
        self._busy.discard(name)

    async def _break_node(self, planned: Planned) -> None:
        assert planned.target is not None
        node = self._nodes[planned.target]
        if planned.action is Action.KILL:
            await node.kill()
            await trio.sleep(planned.seconds)
            await node.start(self._processes)
            return
        if planned.action is Action.FREEZE:
            node.freeze()
            await trio.sleep(planned.seconds)
            node.thaw()
            return
        node.proxy.set(_MODES[planned.action])
        await trio.sleep(planned.seconds)
        node.proxy.set(Mode.PASS)

    async def _restart_zookeeper(self, planned: Planned) -> None:
        await trio.to_thread.run_sync(self._zookeeper.stop)
        await trio.sleep(planned.seconds)
        await trio.to_thread.run_sync(self._zookeeper.start)

    async def _break_broker(self, planned: Planned) -> None:
        broker = planned.target
        assert broker is not None
        match planned.action:
            case Action.FREEZE_BROKER:
                self._brokers.freeze(broker)
                await trio.sleep(planned.seconds)
                self._brokers.thaw(broker)
                return
            case Action.STOP_BROKER:
                await self._brokers.stop(broker)
            case _:
                await self._brokers.kill(broker)
        await trio.sleep(planned.seconds)
        await self._return(broker)

    async def _return(self, broker: int) -> None:
        """Start a broker again; ZooKeeper may be away, and its old registration there still."""
        while True:
            try:
                await self._brokers.start(broker)
            except CannotStartError as error:
                LOG.info("broker %d does not start yet: %s", broker, error)
                await trio.sleep(_RETRY_SECONDS)
            else:
                return
