"""What every store keeps, on the memory ZooKeeper and on the real one."""

import pytest
from store_worlds import SESSION_MS, World

from klamm.controller.core.sizes import PACKET_LIMIT, multi_size, update_size
from klamm.controller.store.port import (
    ANY_VERSION,
    READ_CHUNK,
    Check,
    Children,
    CommitDone,
    Committed,
    Conflict,
    Create,
    Delete,
    Fenced,
    Missing,
    Op,
    OpError,
    OpResult,
    ReadChildren,
    ReadData,
    ReadDone,
    Refused,
    SessionEvent,
    SessionState,
    SetData,
    Unreadable,
    Watch,
    Watched,
    WatchKind,
    Znode,
)


def only(outcome: object) -> OpResult:
    """Return the result of an outcome that must be a Committed with one."""
    assert isinstance(outcome, Committed)
    (result,) = outcome.results
    return result


# --- commits ---------------------------------------------------------------------------------


def test_a_commit_applies_all_operations_in_order_and_tells_what_they_left(world: World) -> None:
    client = world.open()
    outcome = client.commit(
        Create("/t", None),
        Create("/t/state", b"{}"),
        SetData("/t/state", b"new", 0),
        Check("/t", 0),
        Create("/gone", b""),
        Delete("/gone", 0),
    )
    assert isinstance(outcome, Committed)
    zxid = outcome.results[0].czxid
    assert zxid is not None
    assert outcome.results == (
        OpResult("/t", 0, zxid, zxid),
        OpResult("/t/state", 0, zxid, zxid),
        OpResult("/t/state", 1, zxid, zxid),
        OpResult("/t"),
        OpResult("/gone", 0, zxid, zxid),
        OpResult("/gone"),
    )
    assert client.read(ReadData("/t/state"), ReadData("/gone")) == [
        Znode("/t/state", b"new", 1, zxid, zxid),
        Missing("/gone"),
    ]


def test_null_data_is_not_empty_data(world: World) -> None:
    client = world.open()
    client.commit(Create("/null", None), Create("/empty", b""))
    assert (client.data("/null"), client.data("/empty")) == (None, b"")
    client.commit(SetData("/null", b"", 0), SetData("/empty", None, 0))
    assert (client.data("/null"), client.data("/empty")) == (b"", None)


@pytest.mark.parametrize(
    ("op", "error"),
    [
        (SetData("/full", b"x", 7), OpError.BAD_VERSION),
        (Check("/full", 1), OpError.BAD_VERSION),
        (Delete("/full", 3), OpError.BAD_VERSION),
        (SetData("/none", b"x", ANY_VERSION), OpError.NO_NODE),
        (Check("/none", ANY_VERSION), OpError.NO_NODE),
        (Delete("/none", 0), OpError.NO_NODE),
        (Create("/none/child", None), OpError.NO_NODE),
        (Create("/full", None), OpError.NODE_EXISTS),
        (Delete("/full", 0), OpError.NOT_EMPTY),
    ],
)
def test_one_operation_that_fails_undoes_the_others(world: World, op: Op, error: OpError) -> None:
    client = world.open()
    client.commit(Create("/full", b"0"), Create("/full/child", None), Create("/other", b"0"))
    before = client.read(*map(ReadData, ["/full", "/other"]), ReadChildren("/"))
    ops = (
        SetData("/other", b"1", 0),
        Create("/new", None),
        Delete("/full/child", 0),
        Create("/full/child", None),
        op,
        SetData("/other", b"2", 9),
    )
    assert client.commit(*ops) == Conflict(4, error)
    assert client.read(*map(ReadData, ["/full", "/other"]), ReadChildren("/")) == before
    assert client.exists("/full/child")


def test_a_fence_that_does_not_hold_stops_the_commit(world: World) -> None:
    client = world.open()
    client.commit(Create("/epoch", b"1"), Create("/x", b""))
    held = Check("/epoch", 0)
    assert isinstance(client.commit(SetData("/x", b"1", 0), fence=held), Committed)
    assert client.commit(Check("/epoch", 7), fence=held) == Conflict(0, OpError.BAD_VERSION)
    world.write(SetData("/epoch", b"2", 0))
    assert client.commit(SetData("/x", b"2", 1), fence=held) == Fenced()
    assert client.commit(SetData("/none", b"2", 1), fence=held) == Fenced()
    world.write(Delete("/epoch", 1))
    assert client.commit(SetData("/x", b"2", 1), fence=held) == Fenced()
    assert client.data("/x") == b"1"


def test_the_fence_itself_may_be_written_as_an_election_does(world: World) -> None:
    client = world.open()
    client.commit(Create("/epoch", b"1"))
    ops = (Create("/controller", b"me", ephemeral=True), SetData("/epoch", b"2", 0))
    outcome = client.commit(*ops, fence=Check("/epoch", 0))
    assert isinstance(outcome, Committed)
    assert outcome.results[1].version == 1
    (znode,) = client.read(ReadData("/controller"))
    assert isinstance(znode, Znode)
    assert znode.ephemeral_owner == client.store.session != 0


def test_what_zookeeper_refuses_for_another_reason_is_refused_with_the_path(world: World) -> None:
    client = world.open()
    client.commit(Create("/mine", None, ephemeral=True))
    child = Create("/mine/child", None)
    refused = Refused("/mine/child: NOCHILDRENFOREPHEMERALS")
    assert client.commit(Create("/other", None), child) == client.update(child) == refused
    assert not client.exists("/other")
    assert client.commit(Create("/a", None), Create("/a/", None)) == Refused("/a/: BADARGUMENTS")
    assert client.commit(Create("/a//b", None)) == Conflict(0, OpError.NO_NODE)  # of "/a/"
    assert client.update(Delete("/", ANY_VERSION)) in (
        Refused("/: BADARGUMENTS"),
        Conflict(0, OpError.NOT_EMPTY),  # with a chroot "/" is an ordinary znode to the server
    )


def test_nonsense_is_a_value_error_and_reaches_nobody(world: World) -> None:
    client = world.open()
    with pytest.raises(ValueError, match="at least one operation"):
        client.store.commit(1, [], Check("/", 0))
    with pytest.raises(ValueError, match="'relative'"):
        client.store.commit(1, [Create("relative", None)], None)
    with pytest.raises(ValueError, match="'relative'"):
        client.store.read(1, [ReadData("relative")])
    with pytest.raises(ValueError, match="updates nothing"):
        client.store.update(1, Check("/", 0))


# --- updates ---------------------------------------------------------------------------------


def test_updates_write_one_znode_each(world: World) -> None:
    client = world.open()
    created = only(client.update(Create("/a", b"1")))
    assert created == OpResult("/a", 0, created.czxid, created.czxid)
    changed = only(client.update(SetData("/a", b"2", 0)))
    assert (changed.version, changed.czxid) == (1, created.czxid)
    assert changed.mzxid is not None and created.mzxid is not None
    assert changed.mzxid > created.mzxid
    assert client.update(SetData("/a", b"3", 0)) == Conflict(0, OpError.BAD_VERSION)
    assert client.update(Create("/a", b"3")) == Conflict(0, OpError.NODE_EXISTS)
    assert client.update(Create("/b/c", b"3")) == Conflict(0, OpError.NO_NODE)
    client.update(Create("/a/b", None))
    assert client.update(Delete("/a", ANY_VERSION)) == Conflict(0, OpError.NOT_EMPTY)
    client.update(Delete("/a/b", 0))
    assert only(client.update(Delete("/a", 1))) == OpResult("/a")
    assert not client.exists("/a")


def test_sequential_names_count_every_child_ever_made(world: World) -> None:
    client = world.open()
    client.commit(Create("/q", None), Create("/q/plain", None))
    first = Create("/q/n_", b"x", sequential=True)
    assert only(client.update(first)).path == "/q/n_0000000001"
    client.commit(Delete("/q/plain", 0), Delete("/q/n_0000000001", 0))
    mine = Create("/q/n_", b"x", ephemeral=True, sequential=True)
    outcome = client.commit(mine, mine, Create("/q/", None, sequential=True))
    assert isinstance(outcome, Committed)
    paths = [result.path for result in outcome.results]
    assert paths == ["/q/n_0000000002", "/q/n_0000000003", "/q/0000000004"]
    (children,) = client.read(ReadChildren("/q"))
    assert isinstance(children, Children)
    assert children.names == ("0000000004", "n_0000000002", "n_0000000003")
    assert children.cversion == 7  # five made, two removed


# --- reads -----------------------------------------------------------------------------------


def test_reads_are_answered_one_by_one_in_order(world: World) -> None:
    client = world.open()
    client.commit(Create("/b", b"B"), Create("/a", None), Create("/a/z", None), Create("/a/y", b""))
    results = client.read(
        ReadChildren("/a"),
        ReadData("/none"),
        ReadData("/b"),
        ReadChildren("/none"),
        ReadData("/a"),
        ReadChildren("/b"),
        sync=True,
    )
    (zxid,) = {result.czxid for result in results if isinstance(result, Znode | Children)}
    assert results == [
        Children("/a", ("y", "z"), 2, zxid),
        Missing("/none"),
        Znode("/b", b"B", 0, zxid, zxid),
        Missing("/none"),
        Znode("/a", None, 0, zxid, zxid),
        Children("/b", (), 0, zxid),
    ]
    assert client.read() == client.read(sync=True) == []


def test_what_is_closed_to_us_is_said_of_that_znode_alone(world: World) -> None:
    client = world.open()
    client.commit(Create("/open", b""), Create("/shut", b"1"), Create("/shut/child", b"2"))
    world.close_znode("/shut")
    open_, *shut, below, gone = client.read(
        ReadData("/open"),
        ReadData("/shut"),
        ReadChildren("/shut"),
        ReadData("/shut/child"),
        ReadData("/shut/none"),
        sync=True,
    )
    assert isinstance(open_, Znode) and isinstance(below, Znode)
    assert shut == [Unreadable("/shut", "NOAUTH")] * 2
    assert gone == Missing("/shut/none")


def test_what_is_closed_to_us_cannot_be_written_either(world: World) -> None:
    client = world.open()
    client.commit(Create("/shut", b"1"), Create("/shut/child", b"2"))
    world.close_znode("/shut")
    for op in (
        SetData("/shut", b"", 7),
        Create("/shut/other", b""),
        Create("/shut/child", b""),
        Delete("/shut/child", 7),
    ):
        assert client.update(op) == client.commit(op) == Refused(f"{op.path}: NOAUTH")
    assert client.commit(Check("/shut", 0)) == Refused("/shut: NOAUTH")
    assert client.update(Delete("/shut/none", 0)) == Refused("/shut/none: NOAUTH")
    assert client.update(SetData("/shut/none", b"", 0)) == Conflict(0, OpError.NO_NODE)
    assert isinstance(client.update(SetData("/shut/child", b"3", 0)), Committed)
    assert client.update(Delete("/shut", 0)) == Conflict(0, OpError.NOT_EMPTY)


def test_a_long_read_comes_in_parts(world: World) -> None:
    client = world.open()
    count = 6 * READ_CHUNK + 1
    client.commit(Create("/n", None), *(Create(f"/n/{n}", b"%d" % n) for n in range(count)))
    client.log.clear()
    client.store.read(1000, [ReadData(f"/n/{n}") for n in range(count)])
    client.wait(ReadDone, lambda done: done.last)
    parts = [event for event in client.log if isinstance(event, ReadDone)]
    assert [len(part.outcome) for part in parts if isinstance(part.outcome, tuple)] == [
        *[READ_CHUNK] * 6,
        1,
    ]
    assert [part.last for part in parts] == [False] * 6 + [True]
    found = [z.data for p in parts for z in p.outcome if isinstance(z, Znode)]  # type: ignore[union-attr]  # seen above: all are tuples
    assert found == [b"%d" % n for n in range(count)]


# --- watches ---------------------------------------------------------------------------------


def test_a_watch_on_one_znode_sees_it_and_its_children_for_good(world: World) -> None:
    client = world.open()
    assert client.watch(Watch("/a"), Watch("/none")) is None
    world.write(Create("/a", None))
    world.write(Create("/a/b", None))
    world.write(SetData("/a/b", b"", 0), SetData("/a", b"", 0), SetData("/a", b"", 1))
    world.write(Delete("/a/b", 1), Delete("/a", 2))
    world.write(Create("/a", None))
    assert client.watched() == [
        ("CREATED", "/a"),
        ("CHILDREN_CHANGED", "/a"),
        ("DATA_CHANGED", "/a"),
        ("DATA_CHANGED", "/a"),
        ("CHILDREN_CHANGED", "/a"),
        ("DELETED", "/a"),
        ("CREATED", "/a"),
    ]


def test_a_recursive_watch_sees_all_below_but_no_children_changed(world: World) -> None:
    client = world.open()
    assert client.watch(Watch("/a", recursive=True)) is None
    world.write(Create("/a", None), Create("/ab", None), Create("/a/b", None))
    world.write(Create("/a/b/c", None), SetData("/a/b/c", b"", 0), SetData("/ab", b"", 0))
    world.write(Delete("/a/b/c", 1))
    assert client.watched() == [
        ("CREATED", "/a"),
        ("CREATED", "/a/b"),
        ("CREATED", "/a/b/c"),
        ("DATA_CHANGED", "/a/b/c"),
        ("DELETED", "/a/b/c"),
    ]


def test_two_watches_give_one_event_and_the_root_can_be_watched(world: World) -> None:
    client = world.open()
    client.watch(Watch("/"), Watch("/", recursive=True), Watch("/a"), Watch("/a", recursive=True))
    client.watch()
    world.write(Create("/a", None))
    world.write(SetData("/a", b"", 0))
    assert client.watched() == [
        ("CREATED", "/a"),
        ("CHILDREN_CHANGED", "/"),
        ("DATA_CHANGED", "/a"),
    ]


def test_events_come_in_the_order_of_what_they_tell(world: World) -> None:
    """A commit's own events come before its answer, others' before a read that shows them."""
    client = world.open()
    client.commit(Create("/a", b"0"))
    client.watch(Watch("/a"))
    client.log.clear()
    client.commit(SetData("/a", b"1", 0), SetData("/a", b"2", 1))
    kinds = [type(event) for event in client.log]
    assert kinds == [Watched, Watched, CommitDone]
    client.log.clear()
    world.write(SetData("/a", b"3", 2))
    (znode,) = client.read(ReadData("/a"))
    assert client.log == [
        Watched(client.store.session, "/a", WatchKind.DATA_CHANGED),
        client.log[-1],
    ]
    assert isinstance(znode, Znode) and znode.data == b"3"


def test_watches_end_with_the_connection(world: World) -> None:
    client = world.open()
    client.watch(Watch("/a"), Watch("/", recursive=True))
    world.disconnect(client)
    client.wait_state(SessionState.CONNECTED)
    world.write(Create("/a", None))
    assert client.watched() == []
    client.watch(Watch("/a"))
    world.write(SetData("/a", b"", 0))
    assert client.watched() == [("DATA_CHANGED", "/a")]


# --- sizes -----------------------------------------------------------------------------------


def test_a_commit_of_exactly_the_limit_passes_and_one_byte_more_is_never_sent(
    world: World,
) -> None:
    client = world.open()
    client.commit(Create("/epoch", b""), Create("/big", None))
    fence = Check("/epoch", 0)
    room = PACKET_LIMIT - client.store.multi_size([SetData("/big", b"", 0)], fence)
    exact = SetData("/big", b"x" * room, 0)
    assert client.store.multi_size([exact], fence) == PACKET_LIMIT
    over = SetData("/big", b"x" * (room + 1), 0)
    refused = client.commit(over, fence=fence)
    assert isinstance(refused, Refused) and "1,048,576 bytes" in refused.error
    assert isinstance(client.commit(exact, fence=fence), Committed)
    assert not any(isinstance(event, SessionEvent) for event in client.log[1:])


def test_an_update_of_exactly_the_limit_passes_and_one_byte_more_is_never_sent(
    world: World,
) -> None:
    client = world.open()
    check = [Check("/a", 0)]
    chroot = "c" * (client.store.multi_size(check, None) - multi_size(check, None))
    room = PACKET_LIMIT - update_size(Create("/a", b""), chroot)
    refused = client.update(Create("/a", b"x" * (room + 1)))
    assert isinstance(refused, Refused) and "1,048,576 bytes" in refused.error
    assert isinstance(client.update(Create("/a", b"x" * room)), Committed)
    assert not any(isinstance(event, SessionEvent) for event in client.log[1:])


def test_a_server_with_a_lower_limit_than_believed_shows_as_a_lost_connection(
    world: World,
) -> None:
    client = world.open(packet_limit=2 * PACKET_LIMIT)
    client.commit(Create("/a", None))
    outcome = client.commit(SetData("/a", b"x" * PACKET_LIMIT, 0))
    assert type(outcome).__name__ == "Unknown"
    client.wait_state(SessionState.CONNECTED)
    assert client.data("/a") is None


# --- sessions --------------------------------------------------------------------------------


def test_the_session_tells_its_id_and_negotiated_timeout(world: World) -> None:
    client = world.open()
    (event,) = client.log
    assert event == SessionEvent(client.store.session, SessionState.CONNECTED, SESSION_MS)
    assert client.store.session != 0


def test_a_session_outlives_its_connection_with_its_ephemerals(world: World) -> None:
    client, other = world.open(), world.open()
    client.commit(Create("/mine", None, ephemeral=True))
    session = client.store.session
    world.disconnect(client)
    states = [client.wait(SessionEvent) for _ in range(2)]
    assert [state.state for state in states] == [SessionState.SUSPENDED, SessionState.CONNECTED]
    assert {state.session for state in states} == {session} == {client.store.session}
    assert other.exists("/mine")
    assert isinstance(client.commit(Delete("/mine", 0)), Committed)


def test_whatever_is_open_is_answered_unknown_before_the_connection_is_reported_lost(
    world: World,
) -> None:
    client = world.open()
    client.commit(Create("/a", None))
    client.log.clear()
    world.hold_next_request(client)
    client.store.commit(101, [SetData("/a", b"1", 0)], None)
    client.store.update(102, SetData("/a", b"2", 0))
    client.store.read(103, [ReadData("/a")] * (2 * READ_CHUNK), sync=True)
    client.store.watch(104, [Watch("/a"), Watch("/b")])
    client.wait_state(SessionState.SUSPENDED)
    answers = [(type(e).__name__, getattr(e, "request", None)) for e in client.log]
    assert answers == [
        ("CommitDone", 101),
        ("UpdateDone", 102),
        ("ReadDone", 103),
        ("WatchDone", 104),
        ("SessionEvent", None),
    ]
    outcomes = [getattr(e, "outcome", None) or getattr(e, "failure", None) for e in client.log[:4]]
    assert {type(outcome).__name__ for outcome in outcomes} == {"Unknown"}
    client.log.clear()
    client.store.commit(105, [SetData("/a", b"1", 0)], None)  # not connected: at once
    assert getattr(client.next(), "outcome", None) is not None
    assert [type(event) for event in client.log] == [CommitDone]
    world.reconnect(client)
    assert client.data("/a") is None


def test_an_expired_session_is_lost_once_and_for_all(world: World) -> None:
    client, other = world.open(), world.open()
    client.commit(Create("/mine", None, ephemeral=True))
    other.watch(Watch("/mine"))
    session = client.store.session
    world.expire(client)
    lost = client.wait_state(SessionState.LOST)
    assert (lost.session, lost.timeout_ms) == (session, SESSION_MS)
    assert lost.reason == "ZooKeeper has expired the session"
    assert other.watched() == [("DELETED", "/mine")]
    client.log.clear()
    outcome = client.commit(Create("/again", None))
    assert type(outcome).__name__ == "Unknown"
    assert [type(event) for event in client.log] == [CommitDone]
    client.store.close()
    assert not other.exists("/again")


def test_closing_ends_the_session_and_its_ephemerals_at_once(world: World) -> None:
    client, other = world.open(), world.open()
    client.commit(Create("/mine", None, ephemeral=True), Create("/kept", None))
    other.watch(Watch("/mine"))
    client.log.clear()
    client.store.update(7, SetData("/kept", b"last words", 0))
    client.store.close()
    client.store.close()
    lost = client.wait_state(SessionState.LOST)
    assert lost.reason == "closed"
    assert only(getattr(client.log[0], "outcome", None)).version == 1
    assert other.watched() == [("DELETED", "/mine")]
    assert other.data("/kept") == b"last words"
