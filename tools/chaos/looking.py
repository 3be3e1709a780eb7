"""What stands in ZooKeeper, read by somebody whose way there is never cut."""

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import Self

from klamm.controller.runtime.sessions import Calls
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import (
    READ_CHUNK,
    Children,
    Read,
    ReadChildren,
    ReadData,
    ReadResult,
    Znode,
)
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.controller.znodes import (
    decode_controller,
    decode_controller_epoch,
    decode_state,
    decode_topic,
    paths,
)
from klamm.tools.chaos.history import Replicas, StateSeen, partition

#: A restart of ZooKeeper is to end no session of ours.
_SESSION_TIMEOUT_MS = 60_000


class Looker:
    """Reads znodes, however long ZooKeeper is away; an async context manager."""

    def __init__(self, connect: str) -> None:
        self._open_store = partial(ZookeeperStore, ZookeeperOptions(connect, _SESSION_TIMEOUT_MS))

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        self._calls = await self._stack.enter_async_context(Calls(self._open_store))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def read(self, reads: Sequence[Read]) -> list[ReadResult]:
        """Read any number of znodes, in order."""
        found: list[ReadResult] = []
        for start in range(0, len(reads), READ_CHUNK):
            found += await self._calls.read(*reads[start : start + READ_CHUNK])
        return found

    async def children(self, path: str) -> tuple[str, ...]:
        """Return the names of a znode's children, none if there is no such znode."""
        [found] = await self.read([ReadChildren(path)])
        return found.names if isinstance(found, Children) else ()

    async def topics(self) -> dict[str, dict[int, Replicas]]:
        """Return the assignments of all topics."""
        names = await self.children(paths.TOPICS)
        found = await self._data([paths.topic(name) for name in names])
        return {
            name: _assignments(found[path], path)
            for name in names
            if (path := paths.topic(name)) in found
        }

    async def states(self, names: Iterable[tuple[str, int]]) -> dict[str, StateSeen]:
        """Return the states of partitions; those without a state znode are missing."""
        by_path = {paths.state(*name): partition(*name) for name in names}
        found = await self._data(tuple(by_path))
        states = {path: decode_state(data, path) for path, data in found.items()}
        return {
            by_path[path]: StateSeen(state.leader, state.leader_epoch, state.isr)
            for path, state in states.items()
        }

    async def office(self) -> tuple[int | None, int]:
        """Return the node that is controller, if one is, and the controller epoch."""
        found = await self._data((paths.CONTROLLER, paths.CONTROLLER_EPOCH))
        data = found.get(paths.CONTROLLER)
        node = None if data is None else decode_controller(data, paths.CONTROLLER).broker_id
        data = found.get(paths.CONTROLLER_EPOCH)
        return node, 0 if data is None else decode_controller_epoch(data, paths.CONTROLLER_EPOCH)

    async def _data(self, wanted: Sequence[str]) -> dict[str, bytes | None]:
        """Return the data of those znodes that there are."""
        found: dict[str, bytes | None] = {}
        for path, result in zip(
            wanted, await self.read([ReadData(each) for each in wanted]), strict=True
        ):
            if isinstance(result, Znode):
                found[path] = result.data
        return found


def _assignments(data: bytes | None, path: str) -> dict[int, Replicas]:
    znode = decode_topic(data, path)
    return {
        number: Replicas(replicas, znode.adding.get(number, ()), znode.removing.get(number, ()))
        for number, replicas in znode.partitions.items()
    }
