"""Curves of progress: from status writes in a journal, and from answers that were kept."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from node.status_world import with_topic
from pipeline.histories import events_of, lake_of

from klamm.controller.node.lines import encode
from klamm.tools.pipeline.formats import Bad, Good, Passed, Source, recognise, status_answers
from klamm.tools.pipeline.history.status import ANSWERS
from klamm.tools.pipeline.jobs import moves
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import PROGRESS, Row

HEARD = ((100, 1_000), (400, 1_100), (500, 4_000), (2_000, 4_000), (1_000, 4_100), (4_000, 4_100))


def progress(lake: Lake) -> list[Row]:
    """The points of all curves, in order."""
    moves.plain(lake, moves.Settings())
    rows: list[Row] = lake.read_plain(PROGRESS).to_pylist()
    return sorted(rows, key=lambda row: (row["partition"], row["broker"], row["line"]))


@pytest.mark.req("R179B-50")
def test_status_writes_are_curves_whose_falling_stretches_are_kept(tmp_path: Path) -> None:
    world = with_topic()
    number = world.assigned({0: (2, 3)})
    for end, whole in HEARD:
        world.heard(0, 3, end, whole)
        world.settle()
        world.run_for(5_000)
    world.finish()
    events = events_of({"node-900.jsonl": map(encode, world.replay.lines)}, "c")
    rows = progress(lake_of(tmp_path, events))
    curve = [row for row in rows if row["broker"] == 3]
    assert {row["request"] for row in rows} == {str(number)}
    told = [(row["percent"], row["lag"], row["fell"]) for row in curve if row["percent"]]
    expected = [(100 * end / whole, whole - end) for end, whole in HEARD]
    assert [(percent, lag) for percent, lag, _ in told[: len(HEARD)]] == expected
    fell = [False, False, True, False, True, False]
    assert [each for _, _, each in told[: len(HEARD)]] == fell
    assert [row["in_sync"] for row in curve] == [False] * (len(curve) - 1) + [True]


def answer(lag: int, at_ms: int) -> str:
    """A line of --progress --json, of one replica that is known and one that is not."""
    known = {"topic": "t", "partition": 0, "broker": 3, "status": "", "lag": lag}
    known |= {"taken_ms": at_ms, "in_sync": lag == 0}
    unknown = {"topic": "t", "partition": 0, "broker": 9, "status": "Unknown broker"}
    unknown |= {"lag": None, "taken_ms": None, "in_sync": None}
    return json.dumps({"action": "progress", "replicas": [known, unknown], "exit": 0})


@pytest.mark.req("R179A-52")
def test_status_answers_are_series_of_lags(tmp_path: Path) -> None:
    lines = [answer(lag, 1_000 * at) for at, lag in enumerate((900, 500, 700, 0), 1)]
    found = recognise("status.jsonl", "\n".join(lines))
    assert found is not None and found.name == "status-answers"
    source = Source("status.jsonl", "c")
    rows = list(found.reader(source, iter(enumerate(lines, 1))))
    assert all(isinstance(each, Good) and each.table == "progress" for each in rows)
    lake = Lake(tmp_path)
    points = [{**PROGRESS.empty, **each.row} for each in rows if isinstance(each, Good)]
    lake.write_plain(pa.Table.from_pylist(points, schema=PROGRESS.schema), PROGRESS)
    # `moves` needs some event of the cluster to know it.
    journal = [
        (
            b'{"v":1,"seq":1,"node":900,"epoch":0,"wall_ms":1,"monotonic_s":1.0,"severity":"info",'
            b'"kind":"started"}'
        )
    ]
    lake_of(tmp_path, events_of({"node-900.jsonl": journal}, "c"))
    for _ in range(2):  # what is done again changes nothing
        curve = progress(lake)
        assert [(row["ts_ms"], row["lag"], row["fell"]) for row in curve] == [
            (1_000, 900, False),
            (2_000, 500, False),
            (3_000, 700, True),
            (4_000, 0, False),
        ]
        assert {row["request"] for row in curve} == {ANSWERS}
        assert [row["in_sync"] for row in curve] == [False, False, False, True]


def test_what_is_no_answer_is_told_and_what_says_nothing_is_passed() -> None:
    lines = ["", '{"action":"progress","replicas":[]}', '{"action":"progress"', answer(1, 5)]
    found = list(status_answers.read(Source("a", "c"), iter(enumerate(lines, 1))))
    assert [type(each) for each in found] == [Passed, Passed, Bad, Good]
