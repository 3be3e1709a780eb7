"""What a run leaves behind: true journals, and what the world saw, with no verdict in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from klamm.controller.node.lines import decode
from klamm.tools.cli.lab import command
from klamm.tools.lab import registry
from klamm.tools.lab.history import History, of_seed
from klamm.tools.lab.run import Opening, run
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.history.kinds import KINDS, ORIGINS
from klamm.tools.pipeline.tables import EVENTS


def _history(scope: str = "all", seed: int = 1) -> History:
    return of_seed(ALL_SCOPES[scope], seed)


def test_journals_are_as_nodes_write_them() -> None:
    """Each line is one of the journal's form; numbers go on over the processes of a node."""
    history = _history()
    assert history.journals
    for node, lines in history.journals.items():
        entries = [decode(line) for line in lines]
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        assert {entry.node for entry in entries} == {node}
        assert entries[0].kind == "started"
        told = {entry.seq for entry in entries}
        for entry in entries:
            if entry.cause is not None and entry.cause.sequence is not None:
                assert entry.cause.sequence in told


def test_the_world_is_told_in_rows_of_events() -> None:
    """Every row has columns of the table, a kind and an origin that are known, and its place."""
    rows = _history().world
    assert {row["kind"] for row in rows} <= set(KINDS)
    assert {row["origin"] for row in rows} <= ORIGINS
    assert {key for row in rows for key in row} <= set(EVENTS.columns)
    places = [(row["step"], row["part"]) for row in rows]
    assert places == sorted(places) and len(places) == len(set(places))
    assert all(isinstance(json.loads(row.get("detail", "{}")), dict) for row in rows)
    assert rows[-1]["kind"] == "rest"


@pytest.mark.parametrize("scope", ["moves", "steps"])
def test_the_run_is_the_same_whoever_watches(scope: str) -> None:
    """The znodes written are those of the run that the lab itself does with this seed."""
    finished = run(Opening(ALL_SCOPES[scope]), 3)
    assert finished.violation is None
    seen = [change.path for each in finished.world.events for change in each.znodes]
    whole = [row for row in _history(scope, 3).world if row["kind"] == "znode-written"]
    moments = dict.fromkeys((row["step"], row["zk_path"]) for row in whole)
    told = [path for _, path in moments]
    assert told[len(told) - len(seen) :] == seen


def test_a_history_goes_on_where_the_lab_has_seen_enough() -> None:
    """What the lab finds ends its run, and neither ends a history nor is told in it."""
    bug = registry.variant("F30")
    scope = ALL_SCOPES["moves"]
    finished = run(Opening(scope, bug), 2)
    assert finished.violation is not None
    history = of_seed(scope, 2, bug)
    assert history.world[-1]["kind"] == "rest"
    text = json.dumps(history.world)
    assert finished.violation.text not in text
    assert "I1" not in text and "violat" not in text


def test_the_same_seed_leaves_the_same() -> None:
    """There is no chance in a history but that of its seed."""
    assert _history() == _history()


def test_histories_are_written_as_files(tmp_path: Path) -> None:
    """By command: a journal for each node, and the world's rows."""
    told = CliRunner().invoke(command, ["journal", "0", "--scope", "moves", "--to", str(tmp_path)])
    assert told.exit_code == 0, told.output
    history = of_seed(ALL_SCOPES["moves"], 0)
    for node, lines in history.journals.items():
        assert (tmp_path / "nodes" / f"{node}.jsonl").read_bytes().splitlines() == lines
    rows = (tmp_path / "world.jsonl").read_text().splitlines()
    assert [json.loads(row) for row in rows] == json.loads(json.dumps(history.world))


@pytest.mark.parametrize(
    "arguments", [[], ["--variant", "F02"], ["--exhibit", "E99"], ["0", "--scope", "nowhere"]]
)
def test_what_cannot_be_asked_for_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    """Neither a seed nor a script, or a name that there is not: exit code 2, nothing written."""
    told = CliRunner().invoke(command, ["journal", *arguments, "--to", str(tmp_path / "x")])
    assert told.exit_code == 2
    assert not (tmp_path / "x").exists()
