"""Faults that only the memory ZooKeeper can be told to have."""

import pytest
from store_worlds import SESSION_MS, MemoryWorld

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.port import (
    CommitDone,
    Create,
    Delete,
    Op,
    ReadChildren,
    ReadData,
    ReadDone,
    SessionEvent,
    SessionState,
    SetData,
    StoreEvent,
    Unknown,
    UpdateDone,
    Watch,
    Watched,
    WatchKind,
    Znode,
)


def test_nothing_happens_before_it_is_told_to() -> None:
    zookeeper = MemoryZookeeper()
    posted: list[StoreEvent] = []
    store = zookeeper.open(posted.append)
    assert posted == []
    zookeeper.connect(store)
    assert posted == [SessionEvent(1, SessionState.CONNECTED, 18_000)]
    store.commit(5, [Create("/a", None)], None)
    assert "/a" not in zookeeper.tree.nodes
    zookeeper.serve(store)
    assert "/a" in zookeeper.tree.nodes
    assert len(posted) == 1
    zookeeper.deliver(store)
    assert isinstance(posted[-1], CommitDone)


def test_two_clients_requests_are_served_in_the_order_told() -> None:
    zookeeper = MemoryZookeeper()
    posted: list[StoreEvent] = []
    first, second = zookeeper.open(posted.append), zookeeper.open(posted.append)
    zookeeper.run()
    for store in first, second:
        store.update(1, Create("/controller", None, ephemeral=True))
    zookeeper.serve(second)
    zookeeper.serve(first)
    assert zookeeper.tree.nodes["/controller"].owner == second.session


def test_a_session_expires_after_its_timeout_without_a_connection_and_not_before() -> None:
    world = MemoryWorld()
    zookeeper = world.zookeeper
    client, other = world.open(), world.open()
    client.commit(Create("/mine", None, ephemeral=True))
    zookeeper.advance(1_000_000)  # connected sessions ping
    zookeeper.cut(world.store(client))
    zookeeper.advance(1_000_000 + SESSION_MS - 1)
    assert other.exists("/mine")
    zookeeper.advance(1_000_000 + SESSION_MS)
    assert not other.exists("/mine")
    zookeeper.heal(world.store(client))
    assert client.wait_state(SessionState.LOST).reason == "ZooKeeper has expired the session"


def test_a_server_that_lags_shows_the_past_until_a_sync_or_a_write() -> None:
    world = MemoryWorld()
    client = world.open()
    world.write(Create("/a", b"0"))
    client.watch(Watch("/a"))
    for catch_up in (
        lambda: client.read(sync=True),
        lambda: client.update(Create("/n", None, sequential=True)),
    ):
        before = client.read(ReadData("/a"))
        world.zookeeper.lag(world.store(client))
        world.write(SetData("/a", b"1", -1))
        assert client.read(ReadData("/a")) == before
        assert client.watched() == []
        catch_up()
        assert client.watched() == [("DATA_CHANGED", "/a")]
        assert client.read(ReadData("/a")) != before


def test_a_client_of_a_lagging_server_does_not_claim_to_have_seen_more() -> None:
    world = MemoryWorld()
    client = world.open()
    world.write(Create("/a", b"0"))
    (znode,) = client.read(ReadData("/a"))
    world.zookeeper.lag(world.store(client))
    world.write(SetData("/a", b"1", 0))
    client.read(ReadData("/a"))
    world.lose_next_request(client)
    outcome = client.commit(SetData("/a", b"2", 0))
    assert isinstance(outcome, Unknown) and isinstance(znode, Znode)
    assert outcome.zxid == znode.mzxid


def test_watch_events_can_be_lost_doubled_and_delayed_but_answers_cannot() -> None:
    zookeeper = MemoryZookeeper()
    posted: list[StoreEvent] = []
    store = zookeeper.open(posted.append)
    zookeeper.run()
    store.watch(1, [Watch("/", recursive=True)])
    zookeeper.run()
    posted.clear()
    for name in "abc":
        zookeeper.write([Create(f"/{name}", None)])
    store.read(2, [ReadChildren("/")])
    zookeeper.serve(store)
    on_the_way = zookeeper.on_the_way(store)
    assert [type(event) for event in on_the_way] == [Watched, Watched, Watched, ReadDone]
    for order in ([0, 1, 2], [3, 3, 0], []):
        with pytest.raises(ValueError, match="answers"):
            zookeeper.rearrange(store, order)
    zookeeper.rearrange(store, [1, 3, 0, 0])
    zookeeper.run()
    b, answer, a, a_again = posted
    assert b == Watched(1, "/b", WatchKind.CREATED)
    assert isinstance(answer, ReadDone)
    assert a == a_again == Watched(1, "/a", WatchKind.CREATED)


def test_closing_without_a_connection_leaves_the_session_to_its_timeout() -> None:
    world = MemoryWorld()
    client, other = world.open(), world.open()
    client.commit(Create("/mine", None, ephemeral=True))
    world.zookeeper.cut(world.store(client))
    client.wait_state(SessionState.SUSPENDED)
    client.store.close()
    client.wait_state(SessionState.LOST)
    assert other.exists("/mine")
    world.zookeeper.advance(SESSION_MS)
    assert not other.exists("/mine")


def test_what_is_asked_after_the_wish_to_close_is_unknown() -> None:
    world = MemoryWorld()
    client = world.open()
    client.store.close()
    client.store.update(9, Create("/a", None))
    done = client.wait(UpdateDone)
    assert isinstance(done.outcome, Unknown)
    assert "/a" not in world.zookeeper.tree.nodes


def test_a_client_is_connected_once_and_never_to_a_server_that_knows_less() -> None:
    world = MemoryWorld()
    client = world.open()
    past = world.zookeeper.tree.copy()
    with pytest.raises(ValueError, match="is connected"):
        world.zookeeper.connect(world.store(client))
    client.commit(Create("/a", None))
    world.disconnect(client)
    with pytest.raises(ValueError, match="the client has seen 2, the server 1"):
        world.zookeeper.connect(world.store(client), past)


@pytest.mark.parametrize(
    "ops",
    [
        [Create("/a/x", None), SetData("/a", b"", 0), Delete("/a/b", 0), Delete("/none", 0)],
        [Delete("/a/b", 0), Delete("/a", 0), Create("/a", b"new"), Create("/a", b"again")],
        [Create("/a/n", None, sequential=True), SetData("/a", b"", 5)],
    ],
)
def test_a_refused_transaction_leaves_no_trace_but_its_zxid(ops: list[Op]) -> None:
    zookeeper = MemoryZookeeper()
    zookeeper.write([Create("/a", b"old"), Create("/a/b", None)])
    before = zookeeper.tree.copy()
    zookeeper.write(ops)
    assert zookeeper.tree.nodes == before.nodes
    assert zookeeper.tree.zxid == before.zxid + 1


def test_the_server_closes_on_an_update_over_its_own_limit() -> None:
    zookeeper = MemoryZookeeper(packet_limit=1000)
    posted: list[StoreEvent] = []
    store = zookeeper.open(posted.append, packet_limit=PACKET_LIMIT)
    zookeeper.run()
    store.update(1, Create("/a", b"x" * 1000))
    store.update(2, Create("/b", b""))
    zookeeper.run()
    outcomes = [event.outcome for event in posted if isinstance(event, UpdateDone)]
    assert [type(outcome) for outcome in outcomes] == [Unknown, Unknown]
    assert set(zookeeper.tree.nodes) == {"/"}
