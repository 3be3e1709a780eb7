"""`klamm pipeline check`: what it says, writes, and exits with."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from pipeline.checking import histories, table

from klamm.tools.cli._pipeline_check import command
from klamm.tools.lab.history import of_seed
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.jobs.check import stretches, summary_plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.reports.check import page
from klamm.tools.pipeline.tables import EVENTS, VERDICTS


@cache
def _events() -> pa.Table:
    """Return two histories that break rules, and one that does not."""
    (f03,) = histories("F03", 1, with_bug=True)
    (h6,) = histories("H6", 1, with_bug=True)
    named = enumerate((f03, h6, of_seed(ALL_SCOPES["steps"], 0)))
    return pa.concat_tables([table(each, f"c{number}") for number, each in named])


def _broken(folder: Path) -> Path:
    Lake(folder).write_plain(_events(), EVENTS)
    return folder


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments), "--plain"])


def test_a_breach_is_told_shown_and_the_exit_code(tmp_path: Path) -> None:
    lake = _broken(tmp_path / "lake")
    result = _run(lake, "--report", tmp_path / "page.html")
    assert result.exit_code == 1
    assert "c2: 1 cluster kept" in result.stdout
    assert "I12: 2 broken" in result.stdout and "[world.jsonl:" in result.stdout
    shown = (tmp_path / "page.html").read_text()
    assert "When rules were broken first" in shown and "looks like F03" in shown


def test_json_has_what_the_words_say(tmp_path: Path) -> None:
    result = _run(_broken(tmp_path), "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    rules = {row["rule"]: row["subjects"] for row in found["rules"]}
    assert {row["rule"] for row in found["broken"]} == rules.keys() >= {"I8", "I12"}
    counted = dict.fromkeys(rules, 0)
    for row in found["breaches"]:
        counted[row["rule"]] += row["subjects"]
    assert counted == rules, "each is somewhere in time"


def test_a_history_that_keeps_all_rules_ends_well(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    lake.write_plain(table(of_seed(ALL_SCOPES["moves"], 0)), EVENTS)
    result = _run(lake.root, "--report", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    assert "kept" in result.stdout and "broken" not in result.stdout
    assert "None is." in (tmp_path / "page.html").read_text()


def test_nothing_to_judge_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    """No folder, an empty one, and one with the table of another version."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "later" / "events" / f"v{EVENTS.version + 1}").mkdir(parents=True)
    for name in ("none", "empty", "later"):
        result = _run(tmp_path / name)
        assert result.exit_code == 2, result.output
        assert name in result.output and "klamm pipeline ingest" in result.output


def test_a_file_without_a_column_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "events" / f"v{EVENTS.version}" / "cluster=c" / "date=2023-11-14"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"kind": ["accept"]}), folder / "part.parquet")
    result = _run(tmp_path)
    assert result.exit_code == 1
    assert "part.parquet" in result.output and "Traceback" not in result.output


def test_breaches_over_months_fit_a_page() -> None:
    """However many there are, the page's map has few columns, at even times."""
    row = {**VERDICTS.empty, "cluster": "c", "topic": "t", "verdict": "broken", "rule": "I7"}
    more = {"times": 1, "events": 1, "text": "", "evidence": [], "unjudged": []}
    times = [1_700_000_000_000 + number * 7_777_777 for number in range(1000)]
    rows = [{**row, **more, "partition": n, "at_ms": ms} for n, ms in enumerate(times)]
    found = summary_plain(pa.Table.from_pylist(rows, schema=VERDICTS.schema))
    assert len(found.breaches) <= 50
    assert sum(each["subjects"] for each in found.breaches) == 1000
    assert stretches(None, None) == 1 == stretches(5, 5)
    assert any("broken first" in str(getattr(part, "heading", "")) for part in page(found).parts)


@pytest.mark.slow
def test_one_core_two_cores_and_no_spark_agree(tmp_path: Path) -> None:
    """The same answer, and the same rows in the table."""
    found = list[Any]()
    for where in (["--plain"], ["--master", "local[1]"], ["--master", "local[2]"]):
        lake = _broken(tmp_path / str(len(found)))
        job = [sys.executable, "-m", "klamm.tools.cli", "pipeline", "check", str(lake), "--json"]
        run = subprocess.run([*job, *where], capture_output=True, text=True, check=False)
        assert run.returncode == 1, run.stderr
        rows = sorted(map(str, Lake(lake).read_plain(VERDICTS).to_pylist()))
        found.append((json.loads(run.stdout), rows))
    assert found[0] == found[1] == found[2]
