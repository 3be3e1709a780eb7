"""Faults of the ensemble in memory: what servers do without a word, and what clients notice."""

from klamm.controller.core.ops import Create
from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    SessionEvent,
    SessionState,
    StoreEvent,
    Unknown,
    Watch,
    WatchDone,
    Watched,
)


def connected(zookeeper: MemoryZookeeper) -> tuple[MemoryStore, list[StoreEvent]]:
    events: list[StoreEvent] = []
    store = zookeeper.open(events.append)
    zookeeper.connect(store)
    events.clear()
    return store, events


def outcome(events: list[StoreEvent]) -> object:
    (done,) = (event for event in events if isinstance(event, CommitDone))
    return done.outcome


def test_a_session_can_end_without_its_client_noticing() -> None:
    zookeeper = MemoryZookeeper()
    store, events = connected(zookeeper)
    store.commit(1, (Create("/mine", None, ephemeral=True),), None)
    zookeeper.serve(store)
    zookeeper.end_session(store)
    assert "/mine" not in zookeeper.tree.nodes and not zookeeper.knows(store)
    assert store.connected and not events, "its ephemerals are gone, and it knows nothing of it"

    zookeeper.deliver(store)
    assert isinstance(outcome(events), Committed), "what was on its way before arrives"

    events.clear()
    store.commit(2, (Create("/late", None),), None)
    zookeeper.serve(store)
    assert "/late" not in zookeeper.tree.nodes and not events
    zookeeper.disconnect(store)
    assert isinstance(outcome(events), Unknown)
    zookeeper.connect(store)
    (*_, lost) = events
    assert isinstance(lost, SessionEvent) and lost.state is SessionState.LOST


def test_a_request_left_behind_may_be_served_until_the_session_ends() -> None:
    zookeeper = MemoryZookeeper()
    store, _ = connected(zookeeper)
    for number in (1, 2):
        store.commit(number, (Create(f"/{number}", None),), None)
    zookeeper.disconnect(store, late=True)
    assert zookeeper.late(store) == 2
    zookeeper.serve_late(store)
    assert "/1" in zookeeper.tree.nodes and zookeeper.late(store) == 1
    zookeeper.expire(store)
    assert zookeeper.late(store) == 0


def test_a_client_whose_process_is_gone_is_forgotten_with_its_session() -> None:
    zookeeper = MemoryZookeeper()
    store, _ = connected(zookeeper)
    store.commit(1, (Create("/mine", None, ephemeral=True),), None)
    zookeeper.serve(store)
    zookeeper.forget(store)
    assert "/mine" not in zookeeper.tree.nodes
    assert not zookeeper.stores and not zookeeper.knows(store)
    never = zookeeper.open(lambda event: None)
    zookeeper.forget(never)
    assert not zookeeper.stores


def test_a_server_that_lags_catches_up_by_itself() -> None:
    zookeeper = MemoryZookeeper()
    store, events = connected(zookeeper)
    store.watch(1, (Watch("/seen"),))
    zookeeper.run()
    events.clear()
    zookeeper.lag(store)
    zookeeper.write((Create("/seen", None),))
    zookeeper.run()
    assert zookeeper.lags(store) and not events
    zookeeper.catch_up(store)
    zookeeper.run()
    assert not zookeeper.lags(store)
    assert [type(event) for event in events] == [Watched]


def test_a_watch_set_at_a_server_that_lags_sees_what_the_server_learns_later() -> None:
    zookeeper = MemoryZookeeper()
    store, events = connected(zookeeper)
    zookeeper.write((Create("/before", None),))
    zookeeper.lag(store)
    zookeeper.write((Create("/seen", None), Create("/unseen", None)))
    store.watch(1, (Watch("/seen"), Watch("/before")))
    zookeeper.run()
    assert [type(event) for event in events] == [WatchDone]
    zookeeper.catch_up(store)
    zookeeper.run()
    assert [event.path for event in events if isinstance(event, Watched)] == ["/seen"]


def test_servers_that_take_less_than_a_client_thinks_break_the_connection() -> None:
    zookeeper = MemoryZookeeper()
    store, events = connected(zookeeper)
    zookeeper.limit_packets(100)
    store.commit(1, (Create("/large", bytes(200)),), None)
    zookeeper.serve(store)
    assert not store.connected and isinstance(outcome(events), Unknown)
    zookeeper.limit_packets(PACKET_LIMIT)
    zookeeper.connect(store)
    events.clear()
    store.commit(2, (Create("/large", bytes(200)),), None)
    zookeeper.run()
    assert isinstance(outcome(events), Committed)
