"""A session's requests and answers over a link that the test holds in its hands."""

import threading
from struct import pack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from klamm.controller.core.sizes import PACKET_LIMIT
from klamm.controller.store import jute
from klamm.controller.store.link import Request
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Create,
    Missing,
    Op,
    OpError,
    OpResult,
    Read,
    ReadChildren,
    ReadData,
    ReadDone,
    Refused,
    SessionEvent,
    SessionState,
    SetData,
    StoreEvent,
    Unknown,
    Unreadable,
    UpdateDone,
    Watch,
    WatchDone,
    Watched,
    WatchKind,
    Znode,
)
from klamm.controller.store.wire import WireStore

STAT = bytes(68)


class HeldLink:
    """Keeps what it is given."""

    def __init__(self, chroot: str = "") -> None:
        self.chroot = chroot
        self.last_zxid = 7
        self.requests: list[Request] = []
        self.stopped = False
        self.drops = 0

    def send(self, request: Request) -> None:
        self.requests.append(request)

    def drop(self) -> None:
        self.drops += 1

    def request_stop(self) -> None:
        self.stopped = True


def connected(chroot: str = "") -> tuple[WireStore, HeldLink, list[StoreEvent]]:
    posted: list[StoreEvent] = []
    link = HeldLink(chroot)
    store = WireStore(posted.append, link, threading.RLock(), PACKET_LIMIT, create_chroot=False)
    store.on_connected(5, 1000)
    posted.clear()
    return store, link, posted


def multi_error(*codes: int) -> bytes:
    return b"".join(pack("!iBii", -1, 0, code, code) for code in codes) + pack("!iBi", -1, 1, -1)


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (-102, Refused("/b: NOAUTH")),
        (-125, Refused("/b: QUOTAEXCEEDED")),
        (-9999, Refused("/b: ZooKeeper error -9999")),
    ],
)
def test_errors_that_are_no_conflict_name_the_path_and_the_cause(
    code: int, outcome: Refused
) -> None:
    store, link, posted = connected()
    store.commit(1, [Create("/a", None), Create("/b", None)], None)
    store.on_answer(link.requests[0], (multi_error(0, code), 0))
    store.update(2, Create("/b", None))
    store.on_answer(link.requests[1], jute.failure(code, 7))
    assert posted == [CommitDone(5, 1, outcome), UpdateDone(5, 2, outcome)]


def test_an_error_that_leaves_it_open_whether_the_request_was_carried_out_is_unknown() -> None:
    """Only of the whole request: an operation's own error says that nothing was applied."""
    store, link, posted = connected()
    for number, answer in enumerate([(multi_error(-7), 0), jute.failure(-7, 7)]):
        store.commit(number, [Create("/a", None)], None)
        store.on_answer(link.requests[number], answer)
    assert posted == [
        CommitDone(5, 0, Refused("/a: OPERATIONTIMEOUT")),
        CommitDone(5, 1, Unknown("OPERATIONTIMEOUT", 7)),
        SessionEvent(5, SessionState.SUSPENDED, 1000),
    ]


@pytest.mark.parametrize("answer", [jute.failure(-7, 7), (b"\x7f" * 40, 0), (b"", 0)])
def test_after_an_unknown_outcome_nothing_goes_over_the_same_connection(
    answer: tuple[bytes, int] | Unknown,
) -> None:
    store, link, posted = connected()
    for number in range(100):
        store.commit(number, [Create("/a", None)], None)
    store.on_answer(link.requests[0], answer)
    store.on_watch_event(pack("!iii", 1, 3, 2) + b"/a", 0)
    *done, suspended = posted
    assert [e.request for e in done if isinstance(e, CommitDone)] == list(range(100))
    assert {type(e.outcome) for e in done if isinstance(e, CommitDone)} == {Unknown}
    assert suspended == SessionEvent(5, SessionState.SUSPENDED, 1000)
    assert (len(link.requests), link.drops) == (64, 1)
    store.on_connected(5, 1000)
    store.update(200, Create("/a", None))
    assert len(link.requests) == 65


def test_a_read_that_is_not_allowed_says_so_and_the_others_are_answered() -> None:
    store, link, posted = connected()
    store.read(1, [ReadChildren("/b"), ReadData("/none"), ReadData("/a"), ReadData("/c")])
    errors = multi_error(-102, -102, -101)[:-9]
    answer = errors + pack("!iBii", 4, 0, -1, -1) + STAT + multi_error(-9999)
    store.on_answer(link.requests[0], (answer, 0))
    (done,) = posted
    assert isinstance(done, ReadDone)
    assert done.outcome == (
        Unreadable("/b", "NOAUTH"),
        Missing("/none"),
        Znode("/a", None, 0, 0, 0),
        Unreadable("/c", "ZooKeeper error -9999"),
    )


def test_what_is_asked_during_a_long_read_waits_for_two_parts_of_it_only() -> None:
    store, link, posted = connected()
    store.read(1, [ReadData("/a")] * 2001)
    store.commit(2, [Create("/a", None)], None)
    results = b"".join(pack("!iBii", 4, 0, -1, -1) + STAT for _ in range(500))
    for index in range(6):
        answer = multi_error(-102) if index == 2 else results
        store.on_answer(link.requests[index], (answer, 0))
    kinds = [request.kind for request in link.requests]
    assert kinds == [jute.MULTI_READ] * 2 + [jute.MULTI] + [jute.MULTI_READ] * 3
    assert [type(event) for event in posted] == [ReadDone] * 2 + [CommitDone] + [ReadDone] * 3


def test_a_long_read_ends_at_its_first_failure() -> None:
    store, link, posted = connected()
    store.read(1, [ReadData("/a")] * 2000, sync=True)
    assert [request.kind for request in link.requests] == [
        jute.SYNC,
        jute.MULTI_READ,
        jute.MULTI_READ,
    ]
    store.on_answer(link.requests[0], Refused("THROTTLEDOP"))
    for request in link.requests[1:]:
        store.on_answer(request, Refused("THROTTLEDOP"))
    assert posted == [ReadDone(5, 1, Refused("THROTTLEDOP"))]
    assert len(link.requests) == 3


def test_watches_that_cannot_all_be_armed_are_one_failure() -> None:
    store, link, posted = connected()
    store.watch(1, [Watch("/a"), Watch("/b"), Watch("/c")])
    unimplemented = jute.failure(-6, 7)
    for request, answer in zip(link.requests, [(b"", 0), unimplemented, (b"", 0)], strict=True):
        store.on_answer(request, answer)
    (done,) = posted
    assert isinstance(done, WatchDone) and isinstance(done.failure, Refused)
    assert "ZooKeeper 3.6 or later" in done.failure.error


def test_only_so_many_requests_are_handed_to_the_link_at_once() -> None:
    store, link, posted = connected()
    for number in range(1000):
        store.update(number, SetData("/a", None, -1))
    assert len(link.requests) == 64
    for index in range(1000):
        store.on_answer(link.requests[index], OpError.NO_NODE)
    assert [event.request for event in posted if isinstance(event, UpdateDone)] == list(range(1000))


def test_the_first_answer_counts_and_the_lost_connection_answers_the_rest_in_order() -> None:
    store, link, posted = connected()
    for number in range(100):
        store.update(number, SetData("/a", None, -1))
    store.on_answer(link.requests[0], OpError.NO_NODE)
    store.on_answer(link.requests[0], Unknown("again"))
    store.connected = False
    store.on_disconnected()
    store.on_answer(link.requests[1], OpError.NO_NODE)
    store.update(100, SetData("/a", None, -1))
    *answers, suspended, late = posted
    assert [event.request for event in answers if isinstance(event, UpdateDone)] == list(range(100))
    assert suspended == SessionEvent(5, SessionState.SUSPENDED, 1000)
    assert late == UpdateDone(5, 100, Unknown("not connected", 7))


def test_closing_stops_the_link_and_does_nothing_after_the_end() -> None:
    store, link, posted = connected()
    store.on_lost("expired")
    store.close()
    assert not link.stopped
    assert posted == [SessionEvent(5, SessionState.LOST, 1000, "expired")]


def test_a_chroot_that_cannot_be_made_is_said(caplog: pytest.LogCaptureFixture) -> None:
    link = HeldLink("/a/b")
    store = WireStore(lambda _: None, link, threading.RLock(), PACKET_LIMIT, create_chroot=True)
    store.on_connected(5, 1000)
    made, refused = link.requests
    assert made.body == jute.encode_op(Create("/a", None), "")
    assert refused.body == jute.encode_op(Create("/a/b", None), "")
    store.on_answer(made, OpError.NODE_EXISTS)
    assert caplog.messages == []
    store.on_answer(refused, Refused("NOAUTH"))
    assert caplog.messages == ["cannot create the chroot /a/b: Refused(error='NOAUTH')"]


def test_watch_events_lose_the_chroot(caplog: pytest.LogCaptureFixture) -> None:
    store, _, posted = connected("/kafka")
    for kind, path in (1, b"/kafka/a"), (4, b"/kafka"), (9, b"/kafka"):
        store.on_watch_event(b"head" + pack("!iii", kind, 3, len(path)) + path, 4)
    assert posted == [
        Watched(5, "/a", WatchKind.CREATED),
        Watched(5, "/", WatchKind.CHILDREN_CHANGED),
    ]
    assert "unknown type 9" in caplog.text


def test_paths_in_answers_lose_the_chroot() -> None:
    store, link, posted = connected("/kafka")
    store.update(1, Create("/n", None, sequential=True))
    path = b"/kafka/n0000000003"
    store.on_answer(link.requests[0], (pack("!i", len(path)) + path + STAT, 0))
    assert posted == [UpdateDone(5, 1, Committed((OpResult("/n0000000003", 0, 0, 0),)))]


ints = st.integers(-(2**31), 2**31 - 1) | st.sampled_from([-1, 0, 1, 2, 4, 5, 8, 15])
heads = st.tuples(ints, st.integers(0, 1), ints, ints).map(lambda fields: pack("!iBii", *fields))
answers = st.lists(heads | st.binary(max_size=80) | st.just(STAT), max_size=5).map(b"".join)
op = st.sampled_from([Create("/a", b""), SetData("/a", b"", 0)])
read = st.sampled_from([ReadData("/a"), ReadChildren("/a")])


@settings(deadline=None)
@given(answers, st.lists(op, min_size=1, max_size=3), st.lists(read, max_size=3))
def test_whatever_bytes_come_each_request_is_answered_once(
    raw: bytes, ops: list[Op], reads: list[Read]
) -> None:
    store, link, posted = connected()
    store.commit(1, ops, None)
    store.update(2, ops[0])
    store.read(3, reads)
    for request in link.requests:
        store.on_answer(request, (raw, 0))
    done = [event for event in posted if not isinstance(event, SessionEvent)]
    assert [(type(event), getattr(event, "request", 0)) for event in done] == [
        (CommitDone, 1),
        (UpdateDone, 2),
        (ReadDone, 3),
    ]
