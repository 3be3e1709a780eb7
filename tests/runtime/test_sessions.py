"""Awaited calls over a ZooKeeper in memory, and the cluster id that they find or make."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from klamm.controller.core.ops import Create
from klamm.controller.runtime.cluster_id import draw_cluster_id, ensure_cluster_id
from klamm.controller.runtime.sessions import Calls, Session, StoreError
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import (
    READ_CHUNK,
    Committed,
    Conflict,
    Missing,
    OpError,
    Post,
    ReadData,
    StoreEvent,
    Watched,
    WatchKind,
    Znode,
)
from klamm.controller.znodes.errors import ZnodeError


class World:
    """A ZooKeeper that carries out what it is asked whenever everybody waits."""

    def __init__(self, *, stalled: bool = False) -> None:
        self.zookeeper = MemoryZookeeper()
        self.opened: list[MemoryStore] = []
        self.stalled = stalled

    def open(self, post: Post) -> MemoryStore:
        self.opened.append(self.zookeeper.open(post))
        return self.opened[-1]

    async def run(self) -> None:
        while True:
            await wait_all_tasks_blocked()
            if not self.stalled:
                self.zookeeper.run()

    def data(self, path: str) -> bytes | None:
        return self.zookeeper.tree.nodes[path].data


async def cluster_id(world: World) -> str:
    async with Calls(world.open) as calls:
        return await ensure_cluster_id(calls)


async def test_reads_and_writes_are_awaited(nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    async with Calls(world.open) as calls:
        assert isinstance(await calls.update(Create("/a", b"x")), Committed)
        assert await calls.update(Create("/a", b"y")) == Conflict(0, OpError.NODE_EXISTS)
        found, missing = await calls.read(ReadData("/a"), ReadData("/b"))
        assert isinstance(found, Znode)
        assert (found.data, missing) == (b"x", Missing("/b"))
    assert world.opened[0].lost


async def test_a_call_under_a_lost_connection_is_made_again(nursery: trio.Nursery) -> None:
    world = World(stalled=True)
    nursery.start_soon(world.run)
    results: list[object] = []
    answered = trio.Event()

    async def create() -> None:
        results.append(await calls.update(Create("/a", b"x")))
        answered.set()

    async with Calls(world.open) as calls:
        [store] = world.opened
        world.zookeeper.connect(store)
        nursery.start_soon(create)
        await wait_all_tasks_blocked()
        world.zookeeper.serve(store)
        world.zookeeper.disconnect(store)
        await wait_all_tasks_blocked()
        assert results == []
        world.stalled = False
        with trio.fail_after(5):
            await answered.wait()
        # It had been carried out before the connection was lost.
        assert results == [Conflict(0, OpError.NODE_EXISTS)]


async def test_the_end_of_the_session_ends_the_calls(nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    async with Calls(world.open) as calls:
        await calls.read(ReadData("/"))
        world.zookeeper.expire(world.opened[0])
        with pytest.raises(StoreError, match="session has ended"):
            await calls.read(ReadData("/"))


async def test_what_zookeeper_refuses_is_an_error(nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    async with Calls(world.open) as calls:
        with pytest.raises(StoreError, match="/big"):
            await calls.update(Create("/big", bytes(2_000_000)))
        with pytest.raises(ValueError, match=str(READ_CHUNK)):
            await calls.read(*(ReadData("/") for _ in range(READ_CHUNK + 1)))


async def test_the_cluster_id_is_made_once_and_then_found(nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    made = await cluster_id(world)
    assert len(made) == 22
    assert world.data("/cluster") is None
    assert world.data("/cluster/id") == f'{{"version":"1","id":"{made}"}}'.encode()
    assert await cluster_id(world) == made


async def test_a_cluster_id_that_is_closed_to_us_is_an_error(nursery: trio.Nursery) -> None:
    world = World()
    nursery.start_soon(world.run)
    await cluster_id(world)
    world.zookeeper.tree.nodes["/cluster/id"].closed = True
    with trio.fail_after(5), pytest.raises(StoreError, match="/cluster/id: NOAUTH"):
        await cluster_id(world)


async def test_two_nodes_agree_on_one_cluster_id(nursery: trio.Nursery) -> None:
    world = World()
    ids: list[str] = []

    async def ask() -> None:
        ids.append(await cluster_id(world))

    async with trio.open_nursery() as asking:
        nursery.start_soon(world.run)
        for _ in range(2):
            asking.start_soon(ask)
    assert len(set(ids)) == 1
    assert len(ids) == 2


async def test_a_cluster_id_that_is_none_is_an_error(nursery: trio.Nursery) -> None:
    world = World()
    world.zookeeper.write([Create("/cluster", None), Create("/cluster/id", b"{}")])
    nursery.start_soon(world.run)
    with pytest.raises(ZnodeError, match="/cluster/id"):
        await cluster_id(world)


def test_cluster_ids_look_like_kafkas() -> None:
    drawn = {draw_cluster_id() for _ in range(50)}
    assert len(drawn) == 50
    assert all(len(item) == 22 and "=" not in item for item in drawn)


async def test_what_is_posted_comes_in_order_and_wakes_trio_each_time() -> None:
    posts: list[Post] = []
    zookeeper = MemoryZookeeper()

    def open_store(post: Post) -> MemoryStore:
        posts.append(post)
        return zookeeper.open(post)

    heard: list[StoreEvent] = []
    Session(open_store, lambda _, event: heard.append(event))
    events = [Watched(1, f"/{number}", WatchKind.DATA_CHANGED) for number in range(1000)]
    for batch in (events[:500], events[500:501], events[501:]):
        before = len(heard)
        for event in batch:
            posts[0](event)
        assert len(heard) == before
        await wait_all_tasks_blocked()
    assert heard == events
