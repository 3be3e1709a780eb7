"""`klamm pipeline moves` and `replay`: what they say, write, and exit with."""

import json
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner, Result
from pipeline.drifting import put
from pipeline.histories import START_MS, cluster_entry, entry, events_of_lab, form, lake_of

from klamm.tools.cli._pipeline_moves import command
from klamm.tools.cli._pipeline_replay import command as replay_command
from klamm.tools.lab.history import of_seed
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.pipeline.history.waves import WAVES
from klamm.tools.pipeline.jobs import moves, replay
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, MOVES, REPLICAS

MOVING = form([3, 1], [1], adding=[3], removing=[1], leader_epoch=1)


def lake_with_trouble(folder: Path) -> Lake:
    """One move that is done, in two looks at its size, and one whose target is gone."""
    other = {"partition": 1}
    rows = [
        cluster_entry("elected", 1),
        cluster_entry("in office", 2),
        cluster_entry("brokers", 3, text="gone [], new [], now [1, 2]"),
        entry("accept", 10, before=form([1], [1]), after=MOVING, rpc_api=45, client_id="tool"),
        entry("accept", 12, before=form([1], [1]), after=MOVING, rpc_api=45, **other),
        entry("isr-join", 19, before=MOVING, after=MOVING | {"isr": [1, 3]}),
        entry("end", 20, before=MOVING, after=form([3], [3], leader_epoch=2)),
    ]
    lake = lake_of(folder, pa.Table.from_pylist(rows, schema=EVENTS.schema))
    looks = {"cluster": "c", "date": "2023-11-14", "topic": "t", "partition": 0, "broker": 1}
    sizes = ((5, 700), (15, 800), (60, 900))
    put(
        lake, REPLICAS, [{**looks, "ts_ms": START_MS + s * 1000, "size_bytes": b} for s, b in sizes]
    )
    return lake


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments), "--plain"])


def test_what_is_wrong_is_said_and_is_the_exit_code(tmp_path: Path) -> None:
    lake_with_trouble(tmp_path)
    result = run(tmp_path, "--report", tmp_path / "page.html")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "2 moves: 1 done, 1 stuck"
    assert "stuck: t-1#1: 1 -> 3: not alive: 3" in lines
    assert "office 1 of c: node 900, in office after 1 s, at rest after ?" in lines
    page = (tmp_path / "page.html").read_text()
    assert "not alive: 3" in page and "Moves under way to each broker" in page


def test_json_is_one_object_and_the_tables_are_written(tmp_path: Path) -> None:
    lake = lake_with_trouble(tmp_path)
    found = json.loads(run(tmp_path, "--json").stdout)
    assert found["moves"] == 2
    assert [row["move_id"] for row in found["stuck"]] == ["t-1#1"]
    rows = lake.read_plain(MOVES).to_pylist()
    # The last look before its end counts, for the one replica that is new.
    assert [(row["result"], row["bytes"]) for row in rows] == [("done", 800), ("stuck", None)]
    assert lake.read_plain(WAVES).num_rows == 2


@pytest.mark.parametrize("still", [True, False])
def test_throttles_that_nothing_needs_are_told(tmp_path: Path, still: bool) -> None:
    """Of a topic that never moved as well; those of brokers count until nothing moves."""
    keys = "leader.replication.throttled.replicas", "leader.replication.throttled.rate"
    rows = [
        cluster_entry("elected", 1),
        cluster_entry("config-altered", 2, topic="t", text=f"topics/t: set {keys[0]}"),
        cluster_entry("config-altered", 3, topic="u", text=f"topics/u: set {keys[0]}"),
        cluster_entry("config-altered", 4, topic="v", text=f"topics/v: set {keys[0]}"),
        cluster_entry("config-altered", 5, text=f"brokers/3: set {keys[1]}"),
        cluster_entry("config-altered", 6, topic="v", text=f"topics/v: unset {keys[0]}"),
        entry("accept", 10, before=form([1], [1]), after=MOVING, rpc_api=45),
        entry("isr-join", 19, before=MOVING, after=MOVING | {"isr": [1, 3]}),
        entry("end", 20, before=MOVING, after=form([3], [3], leader_epoch=2)),
    ]
    table = pa.Table.from_pylist(rows[:-1] if still else rows, schema=EVENTS.schema)
    found = moves.plain(lake_of(tmp_path, table), moves.Settings())
    told = [row["entity"] for row in found.throttled]
    assert told == (["topics/u"] if still else ["brokers/3", "topics/t", "topics/u"])
    line = "throttle left: topics/u of c is still throttled"
    assert line in run(tmp_path).stdout.splitlines()


def test_without_moves_that_is_said(tmp_path: Path) -> None:
    elected = {**EVENTS.empty, "cluster": "c", "date": "2026-01-05", "kind": "elected", "part": 0}
    lake_of(tmp_path, pa.Table.from_pylist([elected], schema=EVENTS.schema))
    result = run(tmp_path)
    assert (result.exit_code, result.stdout) == (0, "No move: the history tells of none.\n")


@pytest.mark.parametrize("job", [command, replay_command])
def test_without_events_that_is_said(tmp_path: Path, job: click.Command) -> None:
    result = CliRunner().invoke(job, [str(tmp_path), "--plain"])
    assert result.exit_code == 2
    assert f"{tmp_path} holds no events" in result.stderr


@pytest.mark.parametrize("option", ["--gap", "--pause", "--stuck-after"])
def test_times_are_more_than_nothing(tmp_path: Path, option: str) -> None:
    assert run(tmp_path, option, "0").exit_code == 2


def test_every_move_of_the_product_closes_once_and_none_is_lost(tmp_path: Path) -> None:
    parts = [
        events_of_lab(of_seed(SCOPES[scope], seed), f"{scope}-{seed}")
        for scope in ("all", "failover")
        for seed in (1, 2, 3)
    ]
    lake = lake_of(tmp_path, *parts)
    found = moves.plain(lake, moves.Settings())
    rows = lake.read_plain(MOVES).to_pylist()
    assert rows
    assert not found.lost
    events = lake.read_plain(EVENTS).to_pylist()
    ordered = [row for row in events if row["kind"] in ("accept", "supersede")]
    known = [row for row in rows if row["source"] != "unknown"]
    assert len(known) == len(ordered)
    for row in rows:
        over = row["result"] in ("done", "cancelled", "superseded", "lost")
        assert (row["ended_ms"] is not None) == over


def test_replay_tells_what_it_began_with_and_what_is_missing(tmp_path: Path) -> None:
    lake = lake_of(tmp_path, events_of_lab(of_seed(SCOPES["all"], 1), "lab"))
    runner = CliRunner()
    result = runner.invoke(replay_command, [str(tmp_path), "--plain"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("lab: ")
    (rebuilt,) = replay.plain(lake)
    office = (pc.field("node") == rebuilt.begin.node) & (pc.field("kind") == "in office")
    lake.write_plain(lake.read_plain(EVENTS).filter(~office), EVENTS)
    torn = runner.invoke(replay_command, [str(tmp_path), "--plain", "--json"])
    assert (torn.exit_code, json.loads(torn.stdout)["rebuilt"][0]["missing"] > 0) == (1, True)


def test_replay_is_told_which_cluster_to_check(tmp_path: Path) -> None:
    elected = {**EVENTS.empty, "cluster": "c", "date": "2026-01-05", "kind": "elected", "part": 0}
    lake_of(tmp_path, pa.Table.from_pylist([elected], schema=EVENTS.schema))
    arguments = [str(tmp_path), "--plain", "--check-zookeeper", "127.0.0.1:1"]
    result = CliRunner().invoke(replay_command, arguments)
    assert result.exit_code == 2
    assert "none with a snapshot" in result.stderr
