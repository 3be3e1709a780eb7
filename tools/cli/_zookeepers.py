"""The ZooKeeper of a local cluster: one that runs already, a real one of its own, or in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import trio

from klamm.controller.runtime.memory import MemoryService
from klamm.controller.runtime.sessions import OpenStore
from klamm.tools.embedded.errors import EmbeddedError

#: Stands for the connect string of a ZooKeeper in this process's memory.
MEMORY = "memory"


@asynccontextmanager
async def zookeeper_at(
    connect: str | None, session_timeout_ms: int
) -> AsyncIterator[tuple[str, OpenStore]]:
    """Give the connect string to use, and what opens sessions there, with this timeout.

    None starts a real one while the block runs. Raises EmbeddedError if it cannot be started, and
    in groups if it ends before the block.
    """
    if connect == MEMORY:
        async with _in_memory() as service:
            yield connect, partial(service.open, session_timeout_ms=session_timeout_ms)
    elif connect is not None:
        yield connect, _sessions(connect, session_timeout_ms)
    else:
        async with _embedded() as started:
            yield started, _sessions(started, session_timeout_ms)


def _sessions(connect: str, session_timeout_ms: int) -> OpenStore:
    # Not at the top: a cluster in memory has no use for it, nor for the server below.
    from klamm.controller.store.options import ZookeeperOptions
    from klamm.controller.store.zookeeper import ZookeeperStore

    options = ZookeeperOptions(connect, session_timeout_ms, create_chroot=True)
    return partial(ZookeeperStore, options)


@asynccontextmanager
async def _in_memory() -> AsyncIterator[MemoryService]:
    service = MemoryService()

    async def serve(task_status: trio.TaskStatus[trio.CancelScope]) -> None:
        # Not cancelled with all the rest, which ends its sessions first.
        with trio.CancelScope(shield=True) as scope:
            task_status.started(scope)
            await service.run()

    async with trio.open_nursery() as nursery:
        scope: trio.CancelScope = await nursery.start(serve)
        try:
            yield service
        finally:
            scope.cancel()


@asynccontextmanager
async def _embedded() -> AsyncIterator[str]:
    """Run a real ZooKeeper; starting one blocks, so a thread does it."""
    from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

    server = EmbeddedZookeeper()
    try:
        # Not abandoned on cancel: only what has started can be stopped.
        await trio.to_thread.run_sync(server.start)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_watch, server.wait, server.connect_string)
            yield server.connect_string
            nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(server.stop)


async def _watch(wait: Callable[[], None], connect: str) -> None:
    """Raise EmbeddedError when the server ends by itself."""
    try:
        await trio.to_thread.run_sync(wait, abandon_on_cancel=True)
    except EmbeddedError as error:
        # The end of its log would bury that, and names a cause only if memory ran out.
        why = "run out of memory" if "OutOfMemoryError" in str(error) else "ended by itself"
        raise EmbeddedError(
            f"ZooKeeper on {connect} has {why}; klamm cannot go on without it"
        ) from error
