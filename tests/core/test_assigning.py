"""Requests with a number: what is accepted and what is refused, and what is written for them."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from core.clusters import Ledger, T, cluster, partition, topic

from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.events import (
    AlterReassignment,
    AssignPartitions,
    BeginEntry,
    BrokersRead,
    CheckStatus,
    Event,
    StatusRead,
    TidyEntries,
    WriteStatus,
)
from klamm.controller.core.model import Broker, ClusterState, Deletion, TopicPartition
from klamm.controller.core.ops import Create, SetData
from klamm.controller.core.results import Fault, PartitionsAssigned, Refusal
from klamm.controller.core.rules import KIP_455
from klamm.controller.core.settings import Settings
from klamm.controller.core.status_book import Chunk, OpenRequest, StatusBook
from klamm.controller.core.status_writes import first_rows
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX
from klamm.controller.znodes.status import MOST_REPLICAS, StatusCounter

T1, T2 = TopicPartition("t", 1), TopicPartition("t", 2)
NOW = Settings(now_ms=5_000)
ALL = (1, 2, 3, 4)


def three(online: tuple[int, ...] = ALL, **others: object) -> ClusterState:
    """A cluster with three partitions on brokers 1 and 2."""
    parts = {n: partition((1, 2)) for n in range(3)}
    return replace(cluster(online, topic("t", parts)), **others)  # type: ignore[arg-type]


def asking(**targets: tuple[int, ...]) -> AssignPartitions:
    """A request for partitions t-0, t-1 ... by `p0`, `p1` ..."""
    return AssignPartitions(
        tuple((TopicPartition("t", int(name[1:])), to) for name, to in targets.items())
    )


def rows(result: object) -> list[tuple[int, int, str]]:
    """Partition, broker and fault of each row."""
    assert isinstance(result, PartitionsAssigned)
    return [
        (row.partition.partition, row.broker, row.refusal.fault.name if row.refusal else "NONE")
        for row in result.replicas
    ]


def status_paths(ledger: Ledger) -> list[str]:
    return sorted(path for path in ledger.tree.nodes if path.startswith(paths.REASSIGN_STATUS))


def data(ledger: Ledger, path: str) -> dict[str, object]:
    content = ledger.tree.nodes[path].data
    assert content is not None
    decoded: dict[str, object] = json.loads(content)
    return decoded


@pytest.mark.req("R179B-24", "R179B-25", "R179B-34")
def test_a_request_raises_the_counter_and_orders_its_moves_in_one_multi() -> None:
    ledger = Ledger(three(), NOW)
    first, *following = ledger.plan(asking(p0=(2, 3), p1=(1, 2)))
    assert [op.path for op in first.ops] == [
        paths.REASSIGN_STATUS,
        paths.status_header(1),
        paths.REASSIGN_PARTITIONS,
        paths.status_chunk(1, 0),
    ]
    assert not following
    ledger.carry_out(first)
    assert data(ledger, paths.REASSIGN_STATUS) == {"version": 1, "last_request_id": 1}
    assert data(ledger, paths.status_header(1)) == {
        "version": 1,
        "request_id": 1,
        "created_ms": 5_000,
        "completed_ms": -1,
        "complete": False,
        "replicas": 4,
        "chunks": 1,
    }
    assert ledger.tree.nodes[paths.REASSIGN_PARTITIONS].data == (
        b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[2,3]},'
        b'{"topic":"t","partition":1,"replicas":[1,2]}]}'
    )
    chunk = data(ledger, paths.status_chunk(1, 0))
    assert chunk["replicas"] == [
        {
            "topic": "t",
            "partition": number,
            "broker": broker,
            "numerator": 0,
            "denominator": -1,
            "error": error,
            "complete": error == 0,
            "updated_ms": 5_000,
        }
        for number, broker, error in ((0, 2, 0), (0, 3, 60), (1, 1, 0), (1, 2, 0))
    ]
    assert BeginEntry(T) in first.follow_ups


@pytest.mark.req("R179B-23", "R179B-26")
def test_a_second_request_has_the_next_number_and_one_without_any_move_spends_none() -> None:
    book = StatusBook(3, StatusCounter(7))
    ledger = Ledger(three(status=book), NOW)
    assert isinstance(ledger.tree.apply((Create(paths.REASSIGN_STATUS, b"{}"),), 0), object)
    ledger.tree.nodes[paths.REASSIGN_STATUS].version = 3
    result = ledger.ask(asking(p7=(1, 2)))
    assert result == PartitionsAssigned(-1, result.replicas)  # type: ignore[union-attr]
    assert ledger.state.status == book
    assert paths.REASSIGN_PARTITIONS not in ledger.tree.nodes
    result = ledger.ask(asking(p7=(1, 2), p0=(3,)))
    assert rows(result) == [
        (7, 1, "INVALID_PARTITIONS"),
        (7, 2, "INVALID_PARTITIONS"),
        (0, 3, "NONE"),
    ]
    assert isinstance(result, PartitionsAssigned)
    assert result.request_id == 8
    assert ledger.state.status.version == 4
    assert ledger.state.admin.entries == {T: (3,)}


@pytest.mark.req("R179B-21", "R179B-22")
@pytest.mark.parametrize(
    ("name", "target", "faults"),
    [
        (TopicPartition("none", 0), (1, 2), dict.fromkeys((1, 2), "INVALID_TOPIC_EXCEPTION")),
        (TopicPartition("t", 3), (1, 2), {1: "INVALID_PARTITIONS", 2: "INVALID_PARTITIONS"}),
        (TopicPartition("t", -1), (1,), {1: "INVALID_PARTITIONS"}),
        (T, (), {-1: "INVALID_REPLICA_ASSIGNMENT"}),
        (T, (1, -5), {1: "INVALID_REPLICA_ASSIGNMENT", -5: "INVALID_REPLICA_ASSIGNMENT"}),
        (T, (3, 99), {3: "OPERATION_NOT_ATTEMPTED", 99: "UNKNOWN_MEMBER_ID"}),
        (T, (98, 2, 99), {
            98: "UNKNOWN_MEMBER_ID", 2: "OPERATION_NOT_ATTEMPTED", 99: "UNKNOWN_MEMBER_ID"
        }),
    ],
)  # fmt: skip
def test_each_row_of_a_refused_partition_says_why(
    name: TopicPartition, target: tuple[int, ...], faults: Mapping[int, str]
) -> None:
    ledger = Ledger(three(), NOW)
    result = ledger.ask(AssignPartitions(((name, target),)))
    assert isinstance(result, PartitionsAssigned)
    assert result.request_id == -1
    assert {row.broker: row.refusal.fault.name for row in result.replicas if row.refusal} == faults
    assert [row.broker for row in result.replicas] == list(target or (-1,))
    assert all(row.refusal and row.refusal.message.endswith((".", "]")) for row in result.replicas)


@pytest.mark.req("R179B-22")
def test_a_repeated_broker_and_a_repeated_partition_are_refused() -> None:
    ledger = Ledger(three(), NOW)
    result = ledger.ask(AssignPartitions(((T, (3, 3)), (T1, (3,)), (T1, (4,)), (T2, (4,)))))
    assert rows(result) == [
        (0, 3, "INVALID_REPLICA_ASSIGNMENT"),
        (0, 3, "INVALID_REPLICA_ASSIGNMENT"),
        (1, 3, "INVALID_REPLICA_ASSIGNMENT"),
        (1, 4, "INVALID_REPLICA_ASSIGNMENT"),
        (2, 4, "NONE"),
    ]


@pytest.mark.req("R179B-22")
def test_a_dead_broker_that_the_partition_has_may_stay_but_for_the_profile_of_the_text() -> None:
    assert rows(Ledger(three((1, 3)), NOW).ask(asking(p0=(2, 3)))) == [
        (0, 2, "NONE"),
        (0, 3, "NONE"),
    ]
    text = Ledger(three((1, 3)), replace(NOW, rules=KIP_455)).ask(asking(p0=(2, 3)))
    assert {fault for _, _, fault in rows(text)} == {"INVALID_REPLICA_ASSIGNMENT"}


@pytest.mark.req("R179B-22")
def test_a_topic_that_is_to_be_deleted_is_unknown_and_one_that_cannot_be_read_is_left_alone() -> (
    None
):
    going = Ledger(three(deleting={"t": Deletion()}), NOW).ask(asking(p0=(3,)))
    assert rows(going) == [(0, 3, "INVALID_TOPIC_EXCEPTION")]
    hidden = three(unreadable={paths.state("t", 0): "no JSON"})
    result = Ledger(hidden, NOW).ask(asking(p0=(3,), p1=(3,)))
    assert rows(result) == [(0, 3, "UNKNOWN_SERVER_ERROR"), (1, 3, "NONE")]


MOVING = partition((3, 2, 1), (3,), (1,), leader=1, isr=(1, 2))


@pytest.mark.req("R179B-20")
@pytest.mark.parametrize(
    "state",
    [
        cluster(ALL, topic("t", {0: partition((1, 2))}), topic("u", {0: MOVING})),
        three(admin=AdminReassignments(0, 50, {T1: (3,)}, {T1: (3,)})),
        three(admin=AdminReassignments(4, 50)),
    ],
    ids=["a move", "an order", "a znode without orders"],
)
def test_while_anything_moves_the_whole_request_is_refused(state: ClusterState) -> None:
    result = Ledger(state, NOW).plan(asking(p0=(3,)))
    (commit,) = result
    assert not commit.ops
    ((_, refusal),) = commit.results
    assert refusal == Refusal(
        Fault.REASSIGNMENT_IN_PROGRESS, "A partition reassignment is in progress."
    )


@pytest.mark.req("R179B-20")
@pytest.mark.parametrize(
    "other", [AlterReassignment(T1, (3,)), asking(p1=(3,))], ids=["KIP-455", "KIP-179"]
)
def test_what_the_same_turn_has_begun_counts_as_moving(other: Event) -> None:
    ledger = Ledger(three(), NOW)
    ledger.turn(other, asking(p0=(3,)))
    (result,) = ledger.results[2]
    assert isinstance(result, Refusal)
    assert result.fault is Fault.REASSIGNMENT_IN_PROGRESS


@pytest.mark.req("R179B-27")
def test_after_the_last_number_requests_are_refused() -> None:
    state = three(status=StatusBook(3, StatusCounter(INT32_MAX)))
    result = Ledger(state, NOW).ask(asking(p0=(3,)))
    assert isinstance(result, Refusal)
    assert result.fault is Fault.INVALID_REQUEST
    assert str(INT32_MAX) in result.message
    almost = Ledger(three(status=StatusBook(None, StatusCounter(INT32_MAX - 1))), NOW)
    last = almost.ask(asking(p0=(3,)))
    assert isinstance(last, PartitionsAssigned)
    assert last.request_id == INT32_MAX


@pytest.mark.req("R179B-26")
def test_without_a_counter_that_can_be_read_there_is_no_number() -> None:
    state = three(status=StatusBook(3, fault=f"{paths.REASSIGN_STATUS}: it holds no data"))
    result = Ledger(state, NOW).ask(asking(p0=(3,)))
    assert isinstance(result, Refusal)
    assert result.fault is Fault.UNKNOWN_SERVER_ERROR
    assert paths.REASSIGN_STATUS in result.message


@pytest.mark.req("R179B-24")
def test_a_plan_is_accepted_up_to_the_size_that_one_znode_holds() -> None:
    parts = {n: partition((1, 2)) for n in range(400)}
    state = cluster(ALL, topic("t" * 200, parts))
    event = AssignPartitions(tuple((TopicPartition("t" * 200, n), (3, 4)) for n in parts))
    least, most = 10_000, 1_048_575
    while most - least > 1:
        middle = (least + most) // 2
        settings = replace(NOW, packet_limit=middle)
        result = Ledger(state, settings).ask(event)
        if isinstance(result, Refusal):
            assert result.fault is Fault.INVALID_REQUEST
            assert f"{middle:,}" in result.message
            least = middle
        else:
            most = middle
    ledger = Ledger(state, replace(NOW, packet_limit=least))
    assert not any(commit.ops for commit in ledger.plan(event))
    first = Ledger(state, replace(NOW, packet_limit=most)).plan(event)[0]
    (orders,) = (op for op in first.ops if op.path == paths.REASSIGN_PARTITIONS)
    assert isinstance(orders, Create)
    assert orders.data is not None
    assert most - 4_000 < len(orders.data) < most


@pytest.mark.req("R179B-42", "R179B-25")
def test_chunks_hold_2000_replicas_and_half_a_megabyte_and_are_made_before_any_move() -> None:
    parts = {n: partition((1, 2)) for n in range(2_500)}
    names = ["ordinary-topic", "another-topic"]
    state = cluster(ALL, *(topic(name, parts) for name in names))
    targets = tuple((TopicPartition(name, n), (3, 4)) for name in names for n in parts)
    ledger = Ledger(state, NOW)
    due = ledger.turn(AssignPartitions(targets))
    chunks = [path for path in status_paths(ledger) if path.count("/") == 4]
    assert len(chunks) == 5
    for path in chunks:
        held = data(ledger, path)["replicas"]
        assert isinstance(held, list)
        assert len(held) == MOST_REPLICAS
        content = ledger.tree.nodes[path].data
        assert content is not None
        assert len(content) < 512 * 1024
    begun = [event for event in due if isinstance(event, BeginEntry)]
    assert len(begun) == 5_000
    longest = first_rows(
        state, {TopicPartition("t" * 249, n): (3, 4) for n in range(2_000)}, now_ms=5_000
    )
    assert len(longest) == 4


@pytest.mark.req("R179B-25")
def test_whoever_takes_over_before_the_chunks_are_made_makes_them_of_the_orders() -> None:
    parts = {n: partition((1, 2)) for n in range(5_000)}
    state = cluster(ALL, topic("t", parts))
    targets = tuple((TopicPartition("t", n), (2, 3)) for n in parts)
    whole, cut_off = Ledger(state, NOW), Ledger(state, NOW)
    whole.turn(AssignPartitions(targets))
    cut_off.carry_out(cut_off.plan(AssignPartitions(targets))[0])
    made = [path for path in status_paths(cut_off) if path.count("/") == 4]
    assert len(made) < 5
    request = cut_off.state.status.open[1]
    found = OpenRequest.of(
        request.header, 0, [c if c.version is not None else Chunk() for c in request.chunks]
    )
    cut_off.state = replace(
        state,
        status=StatusBook(),
        admin=replace(cut_off.state.admin, czxid=7),
    )
    cut_off.settings = replace(NOW, now_ms=9_000)
    due = cut_off.turn(StatusRead(StatusBook(0, StatusCounter(1), "", False, {1: found}, {})))
    assert WriteStatus() in due
    cut_off.turn(*due)
    for path in status_paths(whole):
        if path in made or path.count("/") < 4:
            assert cut_off.tree.nodes[path].data == whole.tree.nodes[path].data
        else:
            late = whole.tree.nodes[path].data
            assert late is not None
            assert cut_off.tree.nodes[path].data == late.replace(b":5000", b":9000")


def moves(ledger: Ledger) -> bool:
    return ledger.t.assignment.moving


def lacks_chunks(ledger: Ledger) -> bool:
    return ledger.state.status.lacks_chunks


@pytest.mark.req("R179B-25")
def test_no_move_begins_while_a_chunk_is_missing() -> None:
    parts = {n: partition((1, 2)) for n in range(5_000)}
    state = cluster(ALL, topic("t", parts))
    targets = tuple((TopicPartition("t", n), (2, 3)) for n in parts)
    ledger = Ledger(state, NOW)
    plan = ledger.plan(AssignPartitions(targets))
    assert len(plan) > 1, "the chunks do not fit beside the orders"
    ledger.carry_out(plan[0])
    missing = [chunk for chunk in ledger.state.status.open[1].chunks if chunk.version is None]
    assert missing
    due = ledger.turn(BeginEntry(T), TidyEntries())
    assert not moves(ledger)
    assert BeginEntry(T) in due
    assert lacks_chunks(ledger)
    due = ledger.turn(WriteStatus())
    assert not lacks_chunks(ledger)
    assert [path for path in status_paths(ledger) if path.count("/") == 4] == [
        paths.status_chunk(1, number) for number in range(5)
    ]
    ledger.turn(*due)
    assert moves(ledger)


@pytest.mark.req("R179B-34", "R179B-39")
def test_a_request_that_changes_nothing_is_complete_at_once() -> None:
    ledger = Ledger(three(), NOW)
    result = ledger.ask(asking(p0=(1, 2)))
    assert rows(result) == [(0, 1, "NONE"), (0, 2, "NONE")]
    header = data(ledger, paths.status_header(1))
    assert (header["complete"], header["completed_ms"]) == (True, 5_000)
    assert not ledger.state.status.open
    assert 1 in ledger.state.status.kept


@pytest.mark.req("R179B-29")
def test_a_request_and_its_cancel_in_the_same_turn() -> None:
    ledger = Ledger(three(), NOW)
    due = ledger.turn(asking(p0=(2, 3), p1=(2, 3)), AlterReassignment(T, None))
    assert ledger.state.admin.entries == {T1: (2, 3)}
    assert CheckStatus(T) in due
    ledger.turn(*due)
    first, second = (row for row in ledger.state.status.open[1].chunks[0].rows if row.broker == 3)
    assert (first.error, first.complete) == (85, True)
    assert (second.error, second.complete) == (60, False)


@pytest.mark.req("R179B-29")
def test_a_request_whose_only_move_is_cancelled_in_the_same_turn() -> None:
    ledger = Ledger(three(), NOW)
    ledger.settle(asking(p0=(2, 3)), AlterReassignment(T, None))
    assert paths.REASSIGN_PARTITIONS not in ledger.tree.nodes
    assert ledger.state.admin == AdminReassignments()
    assert data(ledger, paths.status_header(1))["complete"] is True
    assert not moves(ledger)


def test_brokers_that_are_read_in_the_same_turn_count() -> None:
    ledger = Ledger(three((1, 2)), NOW)
    known: dict[int, Broker] = dict(three(ALL).brokers)
    ledger.turn(BrokersRead(known), asking(p0=(3,)))
    (result,) = ledger.results[2]
    assert rows(result) == [(0, 3, "NONE")]


def test_writes_are_at_the_versions_that_are_known() -> None:
    ledger = Ledger(three(), NOW)
    ledger.settle(asking(p0=(2, 1)))
    ledger.turn(TidyEntries())
    (first, *_) = ledger.plan(asking(p0=(1, 2)))
    assert first.ops[0] == SetData(paths.REASSIGN_STATUS, b'{"version":1,"last_request_id":2}', 0)
