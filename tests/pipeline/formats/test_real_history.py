"""A real controller's history through the jobs: what it moved, and that it kept the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from pipeline.formats.reading import DATA

from klamm.tools.cli.main import main


def job(*words: str) -> dict[str, Any]:
    """Run a job in this process, which must end well; return its answer."""
    run = CliRunner().invoke(main, ["pipeline", *words, "--plain", "--json"])
    assert run.exit_code == 0, run.output
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def test_logs_of_3_9_1(tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    logs = [str(path) for path in sorted((DATA / "kafka-3.9.1").glob("*.log"))]
    ingested = job("ingest", *logs, "--to", lake, "--cluster", "stock")
    assert ingested["quarantined"] == 0
    moves = job("moves", lake)
    results = {each["result"]: each["moves"] for each in moves["results"]}
    assert results == {"cancelled": 1, "done": 3, "superseded": 1}
    slowest = {each["move_id"]: each for each in moves["slowest"]}
    assert slowest["orders-2#1"]["failovers"] == 1, "its controller died in its middle"
    assert job("check", lake)["broken"] == []


def test_the_metadata_log_of_4_1_1(tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    dump = str(DATA / "kafka-4.1.1" / "metadata.txt")
    assert job("ingest", dump, "--to", lake, "--cluster", "kraft")["quarantined"] == 0
    results = {each["result"]: each["moves"] for each in job("moves", lake)["results"]}
    assert results == {"cancelled": 1, "done": 2, "superseded": 1}
    # A partition of it had nobody in sync for a while, and eligible leader replicas (KIP-966).
    assert job("check", lake)["broken"] == []
