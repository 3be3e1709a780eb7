"""The witness rule against a memory ZooKeeper that knows the truth."""

from typing import NamedTuple

import pytest
import slow
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from store_worlds import MemoryWorld

from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_tree import Applied
from klamm.controller.store.port import (
    ANY_VERSION,
    READ_CHUNK,
    Check,
    CommitDone,
    Create,
    Delete,
    Missing,
    Op,
    ReadData,
    SessionState,
    SetData,
    Unknown,
    Znode,
)
from klamm.controller.store.witness import Inquiry, Verdict, inquire

PATHS = ["/a", "/b", "/c", "/d"]
FENCE = Check("/epoch", 0)


def ours(path: str) -> list[Op]:
    """Operations of the commit, mostly such as will succeed; the data is nobody else's."""
    return [
        *[SetData(path, b"ours", version) for version in (0, 0, 0, 1, 2, ANY_VERSION)],
        *[Create(path, b"ours", ephemeral) for ephemeral in (False, True)],
        *[Delete(path, version) for version in (0, 0, 1)],
        *[Check(path, version) for version in (0, 0, 1)],
    ]


def theirs(path: str) -> list[Op]:
    """Operations of others."""
    return [
        *[SetData(path, b"theirs", ANY_VERSION)] * 2,
        *[Create(path, data) for data in (b"theirs", None)],
        Delete(path, ANY_VERSION),
    ]


OURS = [op for path in PATHS for op in ours(path)]
THEIRS = [op for path in PATHS for op in theirs(path)]
commits = st.lists(st.sampled_from(OURS), min_size=1, max_size=5)
transactions = st.lists(st.sampled_from(THEIRS), min_size=1, max_size=2)
writes = st.lists(transactions, max_size=2)


def write_all(world: MemoryWorld, transactions: list[list[Op]]) -> None:
    for transaction in transactions:
        world.zookeeper.write(transaction)


def would_apply(zookeeper: MemoryZookeeper, commit: list[Op], fence: Check | None) -> bool:
    multi = commit if fence is None else [fence, *commit]
    return isinstance(zookeeper.tree.copy().apply(multi, session=1), Applied)


def has_a_witness(commit: list[Op]) -> bool:
    try:
        inquire(1, Unknown(""), commit, None)
    except ValueError:
        return False
    return True


class Story(NamedTuple):
    """What becomes of a commit, and what others write before, meanwhile and afterwards."""

    commit: list[Op]
    fenced: bool
    before: list[list[Op]]
    between: list[list[Op]]  # after the client's last look, before its commit
    after: list[list[Op]]  # the connection is lost; a late commit comes after these
    last: list[list[Op]]  # it is connected again, and has not read yet
    fate: str
    lagging: bool  # the new connection's server, behind the commit itself


stories = st.builds(
    Story,
    commits.filter(has_a_witness),
    st.booleans(),
    *[writes] * 4,
    st.sampled_from(["answer lost", "request lost", "late", "too late"]),
    st.booleans(),
)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stories)
def test_the_verdict_is_never_wrong(story: Story) -> None:
    verdict, applied = play(story)
    event(verdict.value)
    assert verdict in (Verdict.UNDECIDABLE, Verdict.APPLIED if applied else Verdict.NOT_APPLIED)


@pytest.mark.slow
@settings(
    max_examples=slow.examples(4_000),
    derandomize=slow.SAME_EXAMPLES,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(stories)
def test_the_verdict_is_never_wrong_in_thousands_of_stories(story: Story) -> None:
    verdict, applied = play(story)
    assert verdict in (Verdict.UNDECIDABLE, Verdict.APPLIED if applied else Verdict.NOT_APPLIED)


def play(story: Story) -> tuple[Verdict, bool]:
    """Return the verdict, and whether the commit was in truth applied."""
    commit, fenced, before, between, after, last, fate, lagging = story
    fence = FENCE if fenced else None
    world = MemoryWorld()
    zookeeper = world.zookeeper
    world.write(Create("/epoch", b"1"), Create("/a", None), Create("/b", b"b"))
    write_all(world, before)
    client = world.open()
    store = world.store(client)
    client.read()
    write_all(world, between)  # not yet seen by the client
    store.commit(99, commit, fence)
    as_sent = zookeeper.tree.copy()
    applied = False
    match fate:
        case "answer lost":
            applied = would_apply(zookeeper, commit, fence)
            zookeeper.serve(store)
            zookeeper.disconnect(store)
            write_all(world, after)
        case "request lost":
            zookeeper.disconnect(store)
            write_all(world, after)
        case "late":
            zookeeper.disconnect(store, late=True)
            write_all(world, after)
            applied = would_apply(zookeeper, commit, fence)
            zookeeper.serve_late(store)
        case "too late":
            zookeeper.disconnect(store, late=True)
            write_all(world, after)
    zookeeper.connect(store, as_sent if lagging else None)
    write_all(world, last)
    done = client.wait(CommitDone)
    assert isinstance(done.outcome, Unknown)
    client.wait_state(SessionState.CONNECTED)
    return client.resolve(done.outcome, commit, fence), applied


# --- the rule, case by case ------------------------------------------------------------------

SEEN = 10  # the newest zxid that the client had seen when it sent the commit
SET = SetData("/a", b"ours", 3)
MADE = Create("/a", b"ours")
EPHEMERAL = Create("/a", b"ours", ephemeral=True)
GONE = Delete("/a", 3)
YES, NO, NOTHING = Verdict.APPLIED, Verdict.NOT_APPLIED, Verdict.UNDECIDABLE


@pytest.mark.parametrize(
    ("op", "found", "verdict"),
    [
        (SET, Znode("/a", b"old", 3, 5, 9), NO),  # nobody has written it since
        (SET, Znode("/a", b"ours", 4, 5, 9), NO),  # our data, but from before
        (SET, Znode("/a", b"ours", 4, 5, 12), YES),
        (SET, Znode("/a", b"theirs", 4, 5, 12), NO),
        (SET, Znode("/a", b"theirs", 3, 5, 12), NO),
        (SET, Znode("/a", b"theirs", 5, 5, 12), NOTHING),  # overwritten
        (SET, Znode("/a", b"ours", 4, 11, 12), NOTHING),  # made again
        (SET, Missing("/a"), NOTHING),
        (MADE, Znode("/a", b"old", 0, 5, 5), NO),
        (MADE, Znode("/a", b"ours", 0, 12, 12), YES),
        (MADE, Znode("/a", b"theirs", 0, 12, 12), NOTHING),
        (MADE, Znode("/a", b"ours", 0, 12, 12, 7), NOTHING),
        (MADE, Missing("/a"), NOTHING),
        (EPHEMERAL, Znode("/a", b"ours", 0, 12, 12, 7), YES),
        (EPHEMERAL, Znode("/a", b"ours", 0, 12, 12, 8), NOTHING),
        (EPHEMERAL, Znode("/a", b"ours", 0, 5, 5, 7), NO),
        (GONE, Znode("/a", b"old", 3, 5, 9), NO),
        (GONE, Znode("/a", b"new", 0, 12, 12), NOTHING),
        (GONE, Missing("/a"), NOTHING),
    ],
)
def test_what_one_witness_says(op: Op, found: Znode | Missing, verdict: Verdict) -> None:
    assert inquire(7, Unknown("", SEEN), [op], None).answer([found]) is verdict


def test_a_fence_that_has_moved_or_gone_settles_nothing() -> None:
    asked = inquire(7, Unknown("", SEEN), [SET], FENCE)
    assert asked.reads() == (ReadData("/epoch"), ReadData("/a"))
    applied = Znode("/a", b"ours", 4, 5, 12)
    assert asked.answer([Znode("/epoch", b"1", 0, 1, 1), applied]) is YES
    assert asked.answer([Znode("/epoch", b"2", 1, 1, 12), applied]) is NOTHING
    assert asked.answer([Missing("/epoch"), applied]) is NOTHING


def test_two_witnesses_from_different_transactions_are_not_ours() -> None:
    asked = inquire(7, Unknown("", SEEN), [SET, SetData("/b", b"ours", 0)], None)
    ours = Znode("/a", b"ours", 4, 5, 12)
    assert asked.answer([ours, Znode("/b", b"ours", 1, 5, 12)]) is YES
    assert asked.answer([ours, Znode("/b", b"ours", 1, 5, 13)]) is NO


def test_several_operations_on_one_path_are_one_witness() -> None:
    made_and_set: list[Op] = [
        Create("/a", None),
        SetData("/a", b"ours", 0),
        SetData("/a", b"ours", 1),
    ]
    asked = inquire(7, Unknown("", SEEN), made_and_set, None)
    assert asked.answer([Znode("/a", b"ours", 2, 12, 12)]) is YES
    taken_over: list[Op] = [Delete("/a", 0), EPHEMERAL]
    asked = inquire(7, Unknown("", SEEN), taken_over, None)
    assert asked.answer([Znode("/a", b"old", 0, 5, 5, 3)]) is NO
    assert asked.answer([Znode("/a", b"ours", 0, 12, 12, 7)]) is YES
    blurred: list[Op] = [
        SetData("/a", b"x", ANY_VERSION),
        SetData("/a", b"y", 4),
        SetData("/b", b"", 0),
    ]
    assert inquire(7, Unknown("", SEEN), blurred, None).reads() == (ReadData("/b"),)


def test_a_commit_without_a_witness_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="without a witness"):
        inquire(7, Unknown(""), [Check("/a", 1), Create("/q/n", None, sequential=True)], FENCE)


def test_sets_are_asked_first_then_the_rest_in_chunks_that_are_true_of_one_moment() -> None:
    ops: list[Op] = [Create(f"/new{n}", None) for n in range(600)]
    ops += [SetData(f"/set{n}", b"ours", 0) for n in range(20)]
    asked: Inquiry | Verdict = inquire(7, Unknown("", SEEN), ops, FENCE)
    held = Znode("/epoch", b"1", 0, 1, 1)
    sizes, first = [], None
    while isinstance(asked, Inquiry):
        reads = asked.reads()
        first = first or reads
        sizes.append(len(reads))
        asked = asked.answer([held, *(Missing(read.path) for read in reads[1:])])
    assert asked is NOTHING
    assert first is not None
    assert [read.path for read in first[1:]] == [f"/set{n}" for n in range(16)]
    assert sizes == [17, READ_CHUNK, 620 - 16 - (READ_CHUNK - 1) + 1]
