"""What replicas of a request come to: by events, in memory, and in ZooKeeper."""

import json
from dataclasses import replace

import pytest
from core.clusters import Ledger, T, cluster, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.events import (
    AlterReassignment,
    AssignPartitions,
    CheckPartition,
    CheckStatus,
    Event,
    FetchProgress,
    RemoveZnode,
    ReplicaProgress,
    StateRead,
    StatusRead,
    SubtreeRead,
    TopicRead,
    WriteStatus,
)
from klamm.controller.core.model import ClusterState, Partition, TopicPartition
from klamm.controller.core.ops import Create, Delete, SetData
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.controller.core.status import ENDED_OTHERWISE, GONE, NONE, measured, verdict
from klamm.controller.core.status_book import (
    Chunk,
    KeptRequest,
    OpenRequest,
    StatusBook,
    Unwritten,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.status import (
    ReplicaStatus,
    StatusChunk,
    StatusCounter,
    StatusHeader,
)

NOW = Settings(now_ms=5_000)
ALL = (1, 2, 3, 4)
T1 = TopicPartition("t", 1)
CHUNK = paths.status_chunk(1, 0)
HEADER = paths.status_header(1)
DAY = 24 * 60 * 60 * 1000


def moving(targets: int = 1) -> Ledger:
    """t-0 (and t-1) on its way from 1, 2 to 2, 3, by request 1."""
    parts = {n: partition((1, 2)) for n in range(max(2, targets))}
    ledger = Ledger(cluster(ALL, topic("t", parts)), NOW)
    wanted = tuple((TopicPartition("t", n), (2, 3)) for n in range(targets))
    ledger.settle(AssignPartitions(wanted))
    assert ledger.t.assignment.moving
    return ledger


def row(ledger: Ledger, broker: int = 3, name: TopicPartition = T) -> ReplicaStatus:
    """The row in memory."""
    for request in ledger.state.status.open.values():
        for chunk in request.chunks:
            for each in chunk.rows:
                if (each.topic, each.partition, each.broker) == (*name, broker):
                    return each
    raise AssertionError(f"no row of {name} on {broker}")


def stored(ledger: Ledger, path: str = CHUNK) -> dict[str, object]:
    content = ledger.tree.nodes[path].data
    assert content is not None
    decoded: dict[str, object] = json.loads(content)
    return decoded


def stored_rows(ledger: Ledger) -> dict[tuple[int, int], dict[str, object]]:
    rows = stored(ledger)["replicas"]
    assert isinstance(rows, list)
    return {(each["partition"], each["broker"]): each for each in rows}


def in_sync(ledger: Ledger, *isr: int, name: TopicPartition = T) -> Event:
    """The leader has written this ISR."""
    part = ledger.state.partition(name)
    assert part is not None and part.leadership is not None
    leadership = replace(part.leadership, isr=isr, version=part.leadership.version + 1)
    path = paths.state(*name)
    node = ledger.tree.nodes[path]
    content = json.loads(node.data or b"") | {"isr": isr}
    applied = ledger.tree.apply((SetData(path, json.dumps(content).encode(), node.version),), 0)
    assert applied
    return StateRead(name, leadership)


def heard(end: int, whole: int, start: int = 0, at_ms: int = 7_000, broker: int = 3) -> Event:
    return FetchProgress((ReplicaProgress(T, broker, end, start, whole),), at_ms)


def has_progress(ledger: Ledger) -> bool:
    return ledger.state.status.has_progress


def writes(plan: Plan) -> list[list[str]]:
    """The znodes below the status that each Commit writes."""
    return [
        [op.path for op in commit.ops if op.path.startswith(paths.REASSIGN_STATUS)]
        for commit in plan
        if commit.ops
    ]


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.req("R179B-36")
@given(
    st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**12)
)
def test_records_are_counted_from_the_start_and_nothing_is_divided_by_zero(
    start: int, length: int, copied: int, trimmed: int
) -> None:
    report = ReplicaProgress(T, 3, copied, start + trimmed, start + length)
    numerator, denominator = measured(report, start)
    assert numerator == (copied - start if copied > start else 0)
    assert denominator != 0
    assert denominator == (length if length else -1)


@pytest.mark.req("R179B-36")
def test_the_start_is_the_leaders_when_the_follower_was_first_heard_of() -> None:
    ledger = moving()
    ledger.turn(heard(150, 1_000, start=100))
    assert (row(ledger).numerator, row(ledger).denominator) == (50, 900)
    ledger.turn(heard(800, 1_100, start=700, at_ms=8_000))
    assert (row(ledger).numerator, row(ledger).denominator) == (700, 1_000)
    assert row(ledger).updated_ms == 8_000


@pytest.mark.req("R179B-36")
def test_of_an_empty_partition_the_denominator_is_unknown() -> None:
    ledger = moving()
    ledger.turn(heard(0, 0))
    assert (row(ledger).numerator, row(ledger).denominator) == (0, -1)
    ledger.turn(heard(40, 40, start=40))
    assert (row(ledger).numerator, row(ledger).denominator) == (40, 40)


@pytest.mark.req("R179B-37")
def test_a_producer_that_is_faster_lets_the_share_fall() -> None:
    ledger = moving()
    ledger.turn(heard(500, 1_000))
    ledger.turn(WriteStatus(progress=True))
    first = stored_rows(ledger)[0, 3]
    ledger.turn(heard(600, 2_000))
    ledger.turn(WriteStatus(progress=True))
    second = stored_rows(ledger)[0, 3]
    assert (first["numerator"], first["denominator"]) == (500, 1_000)
    assert (second["numerator"], second["denominator"]) == (600, 2_000)
    assert second["error"] == 60


def test_reports_of_others_and_of_complete_replicas_change_nothing() -> None:
    ledger = moving()
    before = ledger.state.status
    ledger.turn(heard(5, 10, broker=4), heard(5, 10, broker=2))
    assert ledger.state.status == before
    assert not has_progress(ledger)


@pytest.mark.req("R179B-43")
def test_the_same_numbers_again_are_no_news() -> None:
    ledger = moving()
    ledger.turn(heard(5, 10))
    assert has_progress(ledger)
    ledger.turn(WriteStatus(progress=True))
    assert not has_progress(ledger)
    ledger.turn(heard(5, 10, at_ms=9_000))
    assert not has_progress(ledger)


# --- what becomes of replicas -------------------------------------------------------------------

ADDING = partition((2, 3, 1), (3,), (1,), leader=1, isr=(1, 2))
ORDERED = AdminReassignments(0, 9, {T: (2, 4)}, {T: (2, 4)})


def of(part: Partition | None, admin: AdminReassignments | None = None) -> ClusterState:
    parts = {} if part is None else {0: part}
    return replace(cluster(ALL, topic("t", parts)), admin=admin or AdminReassignments())


@pytest.mark.req("R179B-35", "R179B-34")
@pytest.mark.parametrize(
    ("state", "broker", "error"),
    [
        (of(ADDING), 2, NONE),
        (of(ADDING), 1, NONE),
        (of(ADDING), 3, None),
        (of(ADDING), 4, ENDED_OTHERWISE),
        (of(ADDING, ORDERED), 4, None),
        (of(ADDING, replace(ORDERED, refused=frozenset({T}))), 4, ENDED_OTHERWISE),
        (of(ADDING, replace(ORDERED, overridden=frozenset({T}))), 4, ENDED_OTHERWISE),
        (of(ADDING, replace(ORDERED, entries={})), 4, ENDED_OTHERWISE),
        (of(partition((2, 3, 1), (3,), (1,), leader=2, isr=(2,))), 1, ENDED_OTHERWISE),
        (of(partition((2, 3), isr=(2,))), 3, None),
        (of(Partition(ADDING.assignment)), 3, None),
        (of(None), 3, GONE),
        (cluster(ALL), 3, GONE),
        (replace(cluster(ALL), unreadable={paths.topic("t"): "no JSON"}), 3, None),
        (replace(of(None), unreadable={paths.state("t", 0): "no JSON"}), 3, None),
    ],
)
def test_the_code_of_a_replica_is_read_off_the_state(
    state: ClusterState, broker: int, error: int | None
) -> None:
    assert verdict(state, T, broker) == error


@pytest.mark.req("R179B-38", "R179B-39")
def test_with_the_last_replica_in_sync_chunk_and_header_are_complete_in_one_write() -> None:
    ledger = moving()
    ledger.turn(heard(450, 900))
    due = ledger.turn(in_sync(ledger, 1, 2, 3))
    assert CheckStatus(T) in due
    ledger.settings = replace(NOW, now_ms=6_000)
    plan = ledger.plan(CheckStatus(T))
    assert writes(plan) == [[CHUNK, HEADER]]
    for commit in plan:
        ledger.carry_out(commit)
    row = stored_rows(ledger)[0, 3]
    assert (row["numerator"], row["denominator"], row["error"]) == (900, 900, 0)
    assert (row["complete"], row["updated_ms"]) == (True, 6_000)
    header = stored(ledger, HEADER)
    assert (header["complete"], header["completed_ms"]) == (True, 6_000)
    assert ledger.state.status.kept == {1: KeptRequest(6_000, 1)}


@pytest.mark.req("R179B-38")
def test_who_was_in_sync_stays_complete() -> None:
    ledger = moving(targets=2)
    ledger.settle(in_sync(ledger, 1, 2, 3))
    assert row(ledger).complete
    version = ledger.tree.nodes[CHUNK].version
    ledger.settle(in_sync(ledger, 2))
    assert stored_rows(ledger)[0, 3]["complete"] is True
    assert ledger.tree.nodes[CHUNK].version == version
    assert stored(ledger, HEADER)["complete"] is False


@pytest.mark.req("R179B-29")
def test_a_cancel_ends_the_replicas_that_it_drops_and_no_others() -> None:
    ledger = moving(targets=2)
    ledger.settle(AlterReassignment(T, None))
    rows = stored_rows(ledger)
    assert (rows[0, 3]["error"], rows[0, 3]["complete"]) == (85, True)
    assert (rows[0, 2]["error"], rows[0, 2]["complete"]) == (0, True)
    assert (rows[1, 3]["error"], rows[1, 3]["complete"]) == (60, False)
    ledger.settle(in_sync(ledger, 1, 2, 3, name=T1))
    assert stored(ledger, HEADER)["complete"] is True


@pytest.mark.req("R179B-29")
def test_another_target_ends_what_it_drops_and_lets_go_on_what_it_keeps() -> None:
    ledger = Ledger(cluster(ALL, topic("t", {0: partition((1, 2))})), NOW)
    ledger.settle(AssignPartitions(((T, (3, 4)),)))
    ledger.settle(AlterReassignment(T, (4, 1)))
    rows = stored_rows(ledger)
    assert (rows[0, 3]["error"], rows[0, 3]["complete"]) == (85, True)
    assert (rows[0, 4]["error"], rows[0, 4]["complete"]) == (60, False)
    ledger.settle(in_sync(ledger, 1, 2, 4))
    assert stored_rows(ledger)[0, 4]["error"] == 0
    assert stored(ledger, HEADER)["complete"] is True


@pytest.mark.req("R179B-35")
def test_replicas_of_a_topic_that_is_gone_end_with_3() -> None:
    ledger = moving()
    del ledger.tree.nodes[paths.topic("t")]
    due = ledger.turn(TopicRead("t", None))
    assert CheckStatus(T) in due
    ledger.turn(*due)
    row = stored_rows(ledger)[0, 3]
    assert (row["error"], row["complete"]) == (3, True)
    assert stored(ledger, HEADER)["complete"] is True


# --- writes -------------------------------------------------------------------------------------


@pytest.mark.req("R179B-43")
def test_progress_waits_for_the_timer_and_goes_with_a_completion_of_its_chunk() -> None:
    ledger = moving(targets=2)
    assert writes(ledger.plan(heard(5, 10))) == []
    ledger.turn(heard(5, 10))
    assert writes(ledger.plan(WriteStatus())) == []
    assert writes(ledger.plan(WriteStatus(progress=True))) == [[CHUNK]]
    ledger.settle(in_sync(ledger, 1, 2, 3, name=T1))
    assert stored_rows(ledger)[0, 3]["numerator"] == 5
    assert writes(ledger.plan(WriteStatus(progress=True))) == []


@pytest.mark.req("R179B-43")
def test_a_completion_leaves_the_progress_of_other_chunks_to_the_timer() -> None:
    ledger = Ledger(cluster(ALL, topic("t", {0: partition((1, 2)), 1: partition((1, 2))})), NOW)
    header = StatusHeader(1, 5_000, 2, 2)
    rows = [ReplicaStatus("t", n, 3, 60, 5_000) for n in range(2)]
    chunks = [replace(Chunk.of(StatusChunk((each,))), version=0) for each in rows]
    book = StatusBook(0, StatusCounter(1), "", False, {1: OpenRequest.of(header, 0, chunks)}, {})
    parts = {n: partition((2, 3, 1), (3,), (1,), leader=1, isr=(1, 2)) for n in range(2)}
    state = replace(cluster(ALL, topic("t", parts)), status=book)
    ledger = Ledger(state, NOW)
    for path in (paths.REASSIGN_STATUS, HEADER, CHUNK, paths.status_chunk(1, 1)):
        ledger.tree.apply((Create(path, b"{}"),), 0)
    ledger.turn(heard(5, 10))
    due = ledger.turn(in_sync(ledger, 1, 2, 3, name=T1))
    assert writes(ledger.plan(*due))[0] == [paths.status_chunk(1, 1)]


@pytest.mark.req("R179B-41")
def test_keys_that_nobody_knows_are_kept() -> None:
    ledger = moving()
    request = ledger.state.status.open[1]
    rows = tuple(
        ReplicaStatus(
            each.topic,
            each.partition,
            each.broker,
            each.error,
            each.updated_ms,
            complete=each.complete,
            extra={"throttled": True},
        )
        for each in request.chunks[0].rows
    )
    chunk = Chunk.of(StatusChunk(rows, {"by": "hand"}), 0)
    header = StatusHeader(1, 5_000, 2, 1, extra={"asked_by": "me"})
    counter = StatusCounter(1, {"of": "klamm"})
    book = StatusBook(0, counter, "", False, {1: OpenRequest.of(header, 0, (chunk,))}, {})
    ledger.state = replace(ledger.state, status=book)
    ledger.settle(in_sync(ledger, 1, 2, 3))
    assert stored(ledger)["by"] == "hand"
    assert stored_rows(ledger)[0, 3]["throttled"] is True
    assert stored(ledger, HEADER)["asked_by"] == "me"
    ledger.state = replace(ledger.state, admin=AdminReassignments())
    ledger.tree.apply((Delete(paths.REASSIGN_PARTITIONS, -1),), 0)
    ledger.settle(CheckPartition(T))
    ledger.settle(AssignPartitions(((T1, (1, 2)),)))
    assert stored(ledger, paths.REASSIGN_STATUS) == {
        "version": 1,
        "last_request_id": 2,
        "of": "klamm",
    }


@pytest.mark.req("R179B-46")
def test_who_reads_it_anew_keeps_what_is_not_written_yet() -> None:
    ledger = moving()
    ledger.turn(heard(150, 1_000, start=100))
    written = moving().state.status
    due = ledger.turn(StatusRead(written))
    assert row(ledger).numerator == 50
    assert ledger.state.status.open[1].chunks[0].unwritten is Unwritten.PROGRESS
    assert {CheckStatus(T), WriteStatus()} <= set(due)
    newer = written.open[1].with_chunk(0, replace(written.open[1].chunks[0], version=9))
    ledger.turn(StatusRead(replace(written, open={1: newer})))
    assert row(ledger).numerator == 0


def test_a_chunk_that_cannot_be_read_is_left_alone_and_its_request_stays_open() -> None:
    ledger = moving(targets=2)
    request = ledger.state.status.open[1]
    hidden = request.with_chunk(0, Chunk(version=4, fault="no JSON"))
    ledger.turn(StatusRead(replace(ledger.state.status, open={1: hidden})))
    assert not ledger.state.status.lacks_chunks
    assert writes(ledger.plan(CheckStatus(T), WriteStatus(progress=True))) == []
    assert 1 in ledger.state.status.open


# --- old requests -------------------------------------------------------------------------------


def completed(at_ms: int, now_ms: int, retention_ms: int = DAY) -> Ledger:
    """Request 1 was completed then; request 2 is not."""
    ledger = moving()
    ledger.settle(in_sync(ledger, 1, 2, 3))
    ledger.tree.apply((Delete(paths.REASSIGN_PARTITIONS, -1),), 0)
    kept = {1: KeptRequest(at_ms, 1)}
    open_request = moving().state.status.open[1]
    header = StatusHeader(2, 0, 2, 1)
    status = replace(ledger.state.status, kept=kept, open={2: replace(open_request, header=header)})
    ledger.state = replace(
        ledger.state,
        status=status,
        status_retention_ms=retention_ms,
        admin=AdminReassignments(),
    )
    ledger.settings = replace(NOW, now_ms=now_ms)
    return ledger


@pytest.mark.req("R179B-48")
@pytest.mark.parametrize(
    ("age", "retention", "gone"), [(DAY - 1, DAY, False), (DAY, DAY, True), (0, 0, True)]
)
def test_a_request_that_was_completed_long_ago_is_removed(
    age: int, retention: int, gone: bool
) -> None:
    ledger = completed(10_000, 10_000 + age, retention)
    ledger.settle(WriteStatus())
    assert (HEADER not in ledger.tree.nodes) == (CHUNK not in ledger.tree.nodes) == gone
    assert (1 not in ledger.state.status.kept) == gone


@pytest.mark.req("R179B-48")
def test_old_requests_go_with_the_next_write() -> None:
    ledger = moving()
    old = KeptRequest(NOW.now_ms - DAY, 1)
    ledger.state = replace(ledger.state, status=replace(ledger.state.status, kept={9: old}))
    removal = RemoveZnode(paths.status_header(9))
    assert removal not in ledger.turn(heard(1, 10))
    due = ledger.turn(in_sync(ledger, 1, 2, 3))
    assert removal not in due
    assert removal in ledger.turn(*due)
    assert ledger.state.status.kept.keys() == {1}


@pytest.mark.req("R179B-49")
def test_a_year_later_what_is_not_complete_is_still_kept_and_so_is_the_counter() -> None:
    ledger = moving(targets=2)
    ledger.settings = replace(NOW, now_ms=NOW.now_ms + 365 * DAY)
    ledger.state = replace(ledger.state, status_retention_ms=0)
    ledger.settle(WriteStatus(progress=True))
    assert HEADER in ledger.tree.nodes
    assert CHUNK in ledger.tree.nodes
    assert stored(ledger, paths.REASSIGN_STATUS)["last_request_id"] == 1


def test_what_somebody_has_put_below_an_old_request_goes_with_it() -> None:
    ledger = completed(10_000, 10_000 + DAY)
    stray = f"{HEADER}/note"
    ledger.tree.apply((Create(stray, b""),), 0)
    due = ledger.turn(WriteStatus())
    ledger.turn(*due)
    assert CHUNK not in ledger.tree.nodes
    due = ledger.turn(SubtreeRead(HEADER, (stray,)), RemoveZnode(HEADER))
    ledger.settle(*due)
    assert HEADER not in ledger.tree.nodes
