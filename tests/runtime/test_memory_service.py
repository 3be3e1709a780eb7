"""A ZooKeeper in memory that serves whoever asks, without being told to."""

import trio

from klamm.controller.runtime.memory import MemoryService
from klamm.controller.runtime.sessions import Calls, Session
from klamm.controller.store.port import (
    Check,
    CommitDone,
    Committed,
    Create,
    ReadData,
    SetData,
    StoreEvent,
    Watch,
    Watched,
    WatchKind,
    Znode,
)


async def test_every_request_is_carried_out(nursery: trio.Nursery) -> None:
    service = MemoryService()
    await nursery.start(service.run)
    seen: list[StoreEvent] = []
    session = Session(service.open, lambda _, event: seen.append(event))
    with trio.fail_after(10):
        async with Calls(service.open) as calls:
            assert isinstance(await calls.update(Create("/a", b"1")), Committed)
            session.store.watch(1, (Watch("/a"),))
            session.store.commit(2, (SetData("/a", b"2", 0),), Check("/a", 0))
            while not any(isinstance(event, CommitDone) for event in seen):
                await trio.sleep(0)
            [found] = await calls.read(ReadData("/a"))
            assert isinstance(found, Znode)
            assert found.data == b"2"
            session.store.update(3, Create("/e", None, ephemeral=True))
            while not any(isinstance(event, Watched) for event in seen):
                await trio.sleep(0)
            [watched] = [event for event in seen if isinstance(event, Watched)]
            assert (watched.path, watched.kind) == ("/a", WatchKind.DATA_CHANGED)
            assert session.store.session
            assert session.store.multi_size((SetData("/a", b"2", 0),), None) > 0
            await session.end()
            assert not isinstance((await calls.read(ReadData("/e")))[0], Znode)
