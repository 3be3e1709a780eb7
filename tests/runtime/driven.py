"""A driver over a ZooKeeper in memory, with a scripted machine or a real node to drive."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import trio
from trio.testing import wait_all_tasks_blocked

from klamm.controller.node import Now
from klamm.controller.node.effects import Effect, Journal
from klamm.controller.node.inputs import Input
from klamm.controller.runtime.driver import Driver, Machine, now
from klamm.controller.runtime.journal import Journal as JournalWriter
from klamm.controller.runtime.links import LinkSettings
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import Post


class Script:
    """A machine that notes its inputs and wants what the test says."""

    def __init__(self, wants: Callable[[Input], Sequence[Effect]] = lambda _: ()) -> None:
        self.inputs: list[Input] = []
        self.times: list[Now] = []
        self._wants = wants

    def handle(self, now: Now, event: Input, /) -> tuple[Effect, ...]:
        self.inputs.append(event)
        self.times.append(now)
        return tuple(self._wants(event))

    def seen(self, kind: type[Input]) -> list[Input]:
        return [event for event in self.inputs if isinstance(event, kind)]


class Notes(JournalWriter):
    """Keeps what is written, as it comes."""

    def __init__(self, node_id: int) -> None:
        super().__init__(node_id)
        self.written: list[tuple[Journal, Now]] = []

    def write(self, entry: Journal, now: Now) -> None:
        super().write(entry, now)
        self.written.append((entry, now))


class World:
    """A driver over a ZooKeeper in memory, which moves as soon as everybody waits."""

    def __init__(self, machine: Machine, clock: Callable[[], Now] = now) -> None:
        self.zookeeper = MemoryZookeeper()
        self.journal = Notes(900)
        self.machine = machine
        links = LinkSettings("900", connect=self._refuse)
        self.opened: list[MemoryStore] = []
        self.driver = Driver(machine, self._open, self.journal, links, clock)

    def _open(self, post: Post) -> MemoryStore:
        self.opened.append(self.zookeeper.open(post))
        return self.opened[-1]

    async def _refuse(self, _: object) -> trio.abc.Stream:
        raise ConnectionRefusedError("nobody listens")

    def machine_times(self) -> list[Now]:
        assert isinstance(self.machine, Script)
        return self.machine.times

    def post_soon(self, event: Input) -> None:
        """Put an input into the inbox in one batch with, and before, what a store posts next."""
        trio.lowlevel.current_trio_token().run_sync_soon(self.driver.post, event)

    async def settle(self) -> None:
        """Let everything happen that can happen without time passing."""
        for _ in range(10):
            await wait_all_tasks_blocked()
            self.zookeeper.run()
        await wait_all_tasks_blocked()


@asynccontextmanager
async def driving(machine: Machine, clock: Callable[[], Now] = now) -> AsyncIterator[World]:
    world = World(machine, clock)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(world.driver.run)
        await world.settle()
        yield world
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await world.settle()
