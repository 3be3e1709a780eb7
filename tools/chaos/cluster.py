"""The cluster of a run: what is started, and of which size."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import trio

from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.brokers.settings import MIB, Times
from klamm.tools.chaos.history import Ended
from klamm.tools.chaos.looking import Looker
from klamm.tools.chaos.nodes import NodeProcess
from klamm.tools.chaos.proxy import Proxy
from klamm.tools.chaos.recorder import Recorder
from klamm.tools.embedded.zookeeper import HOST, EmbeddedZookeeper

NODE_IDS = (900, 901, 902)
BROKER_IDS = (0, 1, 2, 3, 4, 5)

#: Sizes that let a move take a second or so.
_PARTITION_BYTES = 2 * MIB
_BANDWIDTH = 4.0 * MIB
_BROKER_TIMEOUT_MS = 6000
_TIMES = Times(5.0, 0.5, 1.0, 5.0, 0.1)
_ZOOKEEPER_HEAP_MIB = 256


@dataclass(frozen=True, slots=True)
class Parts:
    """What runs; `background` is for what runs as long as the cluster does."""

    zookeeper: EmbeddedZookeeper
    nodes: tuple[NodeProcess, ...]
    brokers: SimulatedBrokers
    looker: Looker
    background: trio.Nursery


@asynccontextmanager
async def running_parts(folder: Path, recorder: Recorder) -> AsyncIterator[Parts]:
    """Run ZooKeeper, nodes behind proxies, and brokers while the block runs."""
    ports = _free_ports(1 + len(NODE_IDS))
    zookeeper = EmbeddedZookeeper(
        port=ports[0], data_dir=folder / "zookeeper", heap_mib=_ZOOKEEPER_HEAP_MIB
    )

    def on_end(node: NodeProcess, status: int, said: str) -> None:
        recorder.write(Ended(recorder.now, node.id, status, said))

    async with AsyncExitStack() as stack:
        stack.push_async_callback(_blocking, zookeeper.stop)
        await trio.to_thread.run_sync(zookeeper.start)
        background = await stack.enter_async_context(trio.open_nursery())
        stack.callback(background.cancel_scope.cancel)
        nodes = []
        for id_, port in zip(NODE_IDS, ports[1:], strict=True):
            proxy = Proxy(zookeeper.port)
            await background.start(proxy.run)
            node = NodeProcess(id_, port, proxy, folder, on_end)
            nodes.append(node)
            stack.push_async_callback(_blocking, node.end_now)
            await node.start(background)
        options = ZookeeperOptions(zookeeper.connect_string, _BROKER_TIMEOUT_MS)
        brokers = await stack.enter_async_context(
            SimulatedBrokers(
                partial(ZookeeperStore, options),
                BROKER_IDS,
                partition_bytes=_PARTITION_BYTES,
                bandwidth=_BANDWIDTH,
                control_port=0,
                times=_TIMES,
            )
        )
        looker = await stack.enter_async_context(Looker(zookeeper.connect_string))
        yield Parts(zookeeper, tuple(nodes), brokers, looker, background)


async def _blocking(function: Callable[[], object]) -> None:
    """Call what blocks, even when cancelled."""
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(function)


def _free_ports(count: int) -> list[int]:
    """Return ports that are free now; all are held until all are found."""
    listeners = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports: list[int] = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports
