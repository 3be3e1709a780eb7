"""Moves: each is one row, which closes once, whatever the history lacks."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pipeline.histories import START_MS, cluster_entry, entry, form, moved

from klamm.tools.pipeline.formats import Good, Source, read
from klamm.tools.pipeline.history.surroundings import Extent, survey
from klamm.tools.pipeline.tables import EVENTS

LOGS = Path(__file__).parents[1] / "formats" / "data" / "kafka-3.9.1"

BEFORE = form([1, 2], [1, 2])
MOVING = form([3, 4, 1, 2], [1, 2], adding=[3, 4], removing=[1, 2], leader_epoch=1)
HALF = form([3, 4, 1, 2], [1, 2, 3], adding=[3, 4], removing=[1, 2], leader_epoch=1)
WHOLE = form([3, 4, 1, 2], [1, 2, 3, 4], adding=[3, 4], removing=[1, 2], leader_epoch=1)
AFTER = form([3, 4], [3, 4], leader_epoch=2)
ASKED = {"event": {"kind": "AlterReassignment", "fields": {"target": [3, 4]}}}
BY = {"rpc_api": 45, "principal": "User:ann", "client_id": "tool", "detail": ASKED}


def accept(at_s: float = 10, **columns: object) -> dict[str, Any]:
    return entry("accept", at_s, before=BEFORE, after=MOVING, **{**BY, **columns})


def joins(at_s: float = 20) -> list[dict[str, Any]]:
    return [
        entry("isr-join", at_s, before=MOVING, after=HALF),
        entry("isr-join", at_s + 10, before=HALF, after=WHOLE),
    ]


def end(at_s: float = 31, **columns: object) -> dict[str, Any]:
    return entry("end", at_s, before=WHOLE, after=AFTER, **columns)


def only(rows: Iterable[dict[str, Any]], **settings: float) -> dict[str, Any]:
    (found,) = moved(rows, **settings)
    return found


def ms(at_s: float) -> int:
    return START_MS + round(at_s * 1000)


def test_a_move_is_told_from_its_request_to_its_end() -> None:
    again = entry("no-op", 15, rpc_api=45, detail=ASKED, rpc_error=0)
    found = only([accept(), again, *joins(), end()])
    assert {name: found[name] for name in ("result", "reason", "source", "gap")} == {
        "result": "done",
        "reason": None,
        "source": "api",
        "gap": False,
    }
    assert (found["principal"], found["client_id"]) == ("User:ann", "tool")
    assert (found["origin"], found["target"]) == ([1, 2], [3, 4])
    assert (found["requested_ms"], found["first_step_ms"]) == (ms(10), ms(10))
    assert (found["first_isr_join_ms"], found["last_isr_join_ms"]) == (ms(20), ms(30))
    assert (found["ended_ms"], found["retries"], found["isr_drops"]) == (ms(31), 1, 0)
    assert (found["steps"], found["failovers"], found["epochs"]) == (1, 0, [1])
    assert (found["leader_before"], found["leader_after"]) == (1, 3)
    assert [each["line"] for each in found["evidence"]] == [10_001, 20_001, 30_001, 31_001]


def test_another_order_of_the_same_replicas_ends_at_once() -> None:
    turned = form([2, 1], [1, 2], leader_epoch=1)
    found = only([entry("accept", 10, before=BEFORE, after=turned, rpc_api=45)])
    assert (found["result"], found["target"], found["ended_ms"]) == ("done", [2, 1], ms(10))


def test_a_cancel_and_another_target_close_what_is_under_way() -> None:
    other = form([5, 1, 2], [1, 2], adding=[5], removing=[1, 2], leader_epoch=2)
    first, second = moved(
        [
            accept(),
            entry("supersede", 12, before=MOVING, after=other, rpc_api=45),
            entry("cancel", 14, before=other, after=BEFORE, rpc_api=45),
        ]
    )
    assert (first["result"], first["target"], first["ended_ms"]) == ("superseded", [3, 4], ms(12))
    assert (second["result"], second["target"], second["ended_ms"]) == ("cancelled", [5], ms(14))
    assert (second["origin"], second["move_id"]) == ([1, 2], "t-0#2")


@pytest.mark.parametrize(
    ("later", "result"), [(AFTER, "done"), (BEFORE, "cancelled"), (form([7], [7]), "lost")]
)
def test_where_the_end_is_missing_what_is_seen_later_tells(
    later: dict[str, Any], result: str
) -> None:
    seen = entry("snapshot-topic", 50, part=1, controller_epoch=2, after=later)
    found = only([accept(), seen])
    assert (found["result"], found["ended_ms"]) == (result, ms(50))
    assert "the entry is missing" in found["reason"]
    assert found["failovers"] == 0 or found["epochs"] == [1, 2]


def test_a_failover_is_counted_and_the_move_goes_on() -> None:
    seen = entry("snapshot-topic", 15, part=1, controller_epoch=3, node=901, after=MOVING)
    rows = [row | {"controller_epoch": 3, "node": 901} for row in (*joins(), end())]
    found = only([accept(), seen, *rows])
    assert (found["result"], found["failovers"], found["epochs"]) == ("done", 2, [1, 3])


def test_a_history_that_begins_in_the_middle_has_a_move_that_nobody_ordered() -> None:
    found = only([entry("snapshot-topic", 5, part=1, after=MOVING), *joins(), end()])
    assert (found["source"], found["requested_ms"], found["seen_ms"]) == ("unknown", None, ms(5))
    assert (found["origin"], found["target"], found["result"]) == ([1, 2], [3, 4], "done")


def test_a_move_goes_with_its_topic() -> None:
    gone = cluster_entry("topic-deleted", 40, topic="t")
    again = entry("initialize", 60, after=form([1], [1]))
    found = only([accept(), gone, again])
    assert (found["result"], found["reason"]) == ("lost", "its topic was deleted")
    assert found["ended_ms"] == ms(40)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([cluster_entry("brokers", 11, text="gone [4], new [], now [1, 2, 3]")], "not alive: 4"),
        ([entry("elect", 11, before=MOVING, after=MOVING | {"leader": -1})], "nobody leads"),
        (
            [entry("step-waiting", 11, detail={"step": {"reason": "target-offline"}})],
            "waits: target-offline",
        ),
        ([entry("stuck", 11, text="the znode is too large")], "the znode is too large"),
    ],
)
def test_what_is_in_the_way_is_said(rows: list[dict[str, Any]], reason: str) -> None:
    found = only([accept(), *rows], ends_s=20)
    assert found["result"] == "stuck"
    assert reason in found["reason"]
    assert found["ended_ms"] is None


def test_without_progress_a_move_is_stuck_and_with_it_it_runs() -> None:
    altered = cluster_entry(
        "config-altered", 9, text="topics/t: set leader.replication.throttled.replicas"
    )
    rows = [altered, accept(), joins()[0]]
    running = only(rows, ends_s=619)
    assert (running["result"], running["reason"]) == ("running", "not in sync yet: 4")
    stuck = only(rows, ends_s=620)
    assert stuck["result"] == "stuck"
    assert stuck["reason"] == "for 600 s none came in sync of 4, and its topic is throttled"


def test_a_throttle_that_nobody_unsets_is_left() -> None:
    lists = "leader.replication.throttled.replicas"
    set_ = cluster_entry("config-altered", 9, text=f"topics/t: set {lists}")
    unset = cluster_entry("config-altered", 40, text=f"topics/t: set a; unset {lists}")
    rows = [accept(), *joins(), end()]
    assert only([set_, *rows])["throttle_left"] is True
    assert only([set_, unset, *rows])["throttle_left"] is False
    assert only(rows)["throttle_left"] is None


def test_who_asked_for_a_request_with_a_number_asked_for_its_moves() -> None:
    numbered = cluster_entry("assignment-accepted", 9, seq=5, principal="User:bob", client_id="x")
    begun = {"event": {"kind": "BeginEntry"}}
    row = accept(rpc_api=None, principal=None, client_id=None, cause="entry", detail=begun)
    by_number = only([numbered, row | {"cause_seq": 5}])
    assert (by_number["source"], by_number["principal"]) == ("kip179", "User:bob")
    by_znode = only([numbered, row | {"cause_seq": 4}])
    assert (by_znode["source"], by_znode["principal"]) == ("znode", None)


def test_replicas_that_fall_out_of_sync_and_steps_are_counted() -> None:
    shrunk = MOVING | {"isr": [1]}
    rows = [
        accept(),
        entry("step-begin", 11, before=MOVING, after=MOVING),
        entry("isr-shrink", 12, before=MOVING, after=shrunk),
        entry("isr-join", 13, before=shrunk, after=MOVING),
        entry("step-begin", 14, before=MOVING, after=MOVING),
    ]
    found = only([*rows, *joins(), end()])
    assert (found["steps"], found["isr_drops"]) == (2, 1)
    assert found["first_isr_join_ms"] == ms(20)


def test_missing_entries_are_found_within_and_between_files() -> None:
    whole = [Extent(900, 1, 10, 10, 0, 100), Extent(900, 11, 20, 10, 100, 200)]
    assert survey([], whole, 200, 1).gaps == ()
    torn = [Extent(900, 1, 10, 8, 0, 100), Extent(900, 15, 20, 6, 120, 200)]
    gaps = survey([], torn, 200, 1).gaps
    assert [(gap.entries, gap.after_ms, gap.before_ms) for gap in gaps] == [
        (2, 0, 100),
        (4, 100, 120),
    ]
    assert survey([], torn, 200, 1).has_gap(110, 130)
    assert not survey([], torn, 200, 1).has_gap(130, 200)
    # A line that says so itself accounts for the numbers that it stands for.
    lost = cluster_entry("lost", 0, seq=5, detail={"lost": 3})
    told = survey([lost], [Extent(900, 1, 10, 8, START_MS, START_MS + 9)], 200, 1).gaps
    assert Counter(gap.entries for gap in told) == {3: 1}


def test_the_logs_of_kafkas_own_controllers_tell_moves() -> None:
    """Three brokers of 3.9.1, three controllers one after the other."""
    rows = []
    for path in sorted(LOGS.glob("*.log")):
        lines = enumerate(path.read_text().splitlines(), 1)
        rows += [
            {**EVENTS.empty, **produced.row}
            for produced in read(lines, Source(path.name, "c"))
            if isinstance(produced, Good) and produced.table == "events"
        ]
    found = {row["move_id"]: row for row in moved(rows)}
    told = {name: (row["result"], row["origin"], row["target"]) for name, row in found.items()}
    assert told == {
        "orders-0#1": ("done", [0, 1], [2, 1]),
        "orders-1#1": ("superseded", [1, 2], [2, 0]),
        "orders-1#2": ("cancelled", [1, 2], [0, 1]),
        "orders-2#1": ("done", [2, 0], [1, 0]),
        "payments-0#1": ("done", [0, 1, 2], [2, 1]),
    }
    over_a_failover = found["orders-2#1"]
    assert (over_a_failover["failovers"], over_a_failover["isr_drops"]) == (1, 1)
    times = [over_a_failover[f"{name}_ms"] for name in ("requested", "first_step", "ended")]
    assert times == sorted(times)
    assert over_a_failover["first_isr_join_ms"] == over_a_failover["last_isr_join_ms"]
    assert not any(row["reason"] for row in found.values())


def test_logs_beside_a_journal_tell_nothing_twice() -> None:
    logs = [accept() | {"origin": "state-change-log", "step": 7, "line": 500}]
    (found,) = moved([accept(), *joins(), end(), *logs])
    assert (found["result"], found["reason"]) == ("done", None)


def test_how_long_a_cancel_took_is_told_where_the_request_is_known() -> None:
    cancel = entry("cancel", 15, before=MOVING, after=BEFORE, rpc_api=45)
    asked = entry("request", 12, origin="client", controller_epoch=None, rpc_api=45, step=9)
    assert only([accept(), cancel])["cancel_latency_s"] is None
    assert only([accept(), cancel, asked])["cancel_latency_s"] == 3.0
