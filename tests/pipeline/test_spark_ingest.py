"""On Spark the same files give the same tables, and a stream that is killed loses nothing."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from klamm.tools.bench._journals import write_journal
from klamm.tools.pipeline.formats import FORMATS
from klamm.tools.pipeline.jobs.ingest import ingest
from klamm.tools.pipeline.lake import Lake, LakeError
from klamm.tools.pipeline.spark_runner import SparkRunner
from klamm.tools.pipeline.tables import EVENTS, FILES, QUARANTINE
from klamm.tools.planner.runner import Local, Runner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WAIT_S = 240.0


def test_spark_and_the_plain_path_give_the_same_tables(spark: SparkSession, tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]
    write_journal(files[0], 300)
    with files[0].open("ab") as end:
        end.write(b"bad\n\xff\n\n{")
    write_journal(tmp_path / "b", 100)
    files[1].write_bytes(gzip.compress((tmp_path / "b").read_bytes()[5000:]))
    lakes = Lake(tmp_path / "plain"), Lake(tmp_path / "spark")
    runners: tuple[Runner, Runner] = Local(), SparkRunner(spark)
    told = [
        ingest(lake, [str(file) for file in files], "c", runner, format=FORMATS["klamm-journal"])
        for lake, runner in zip(lakes, runners, strict=True)
    ]
    assert told[0] == told[1]
    assert told[0].quarantined == 4
    for table in (EVENTS, QUARANTINE, FILES):
        keys = [(name, "ascending") for name in table.key]
        plain, on_spark = (lake.read_plain(table).sort_by(keys) for lake in lakes)
        assert plain.num_rows
        assert plain.equals(on_spark)
    read = lakes[1].read(spark, EVENTS)
    assert read.schema == EVENTS.struct
    assert read.toArrow().sort_by("line").num_rows == told[0].rows["events"]


def test_a_frame_is_written_in_few_files_and_checked(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    journal = tmp_path / "a.jsonl"
    write_journal(journal, 60)
    ingest(lake, [str(journal)], "c", Local(), format=FORMATS["klamm-journal"])
    frame = lake.read(spark, EVENTS).repartition(8)
    assert lake.write(frame.where("line <= 50"), EVENTS) == 50
    assert len(lake.files(EVENTS)) == 1
    assert sorted(lake.read_plain(EVENTS)["line"].to_pylist()) == list(range(1, 51))
    with pytest.raises(LakeError, match="column 'line' of events is missing, not bigint"):
        lake.write(frame.drop("line"), EVENTS)
    assert lake.read(spark, QUARANTINE).count() == 0


@pytest.mark.slow
def test_a_stream_that_is_killed_takes_each_line_in_once(tmp_path: Path) -> None:
    """Killed twice, at moments that its lake shows, while the journal grows and is rotated."""
    write_journal(tmp_path / "all", 3000)
    lines = (tmp_path / "all").read_bytes().splitlines(keepends=True)
    journals, lake = tmp_path / "journals", Lake(tmp_path / "lake")
    journals.mkdir()
    journal = journals / "a.jsonl"
    journal.write_bytes(b"".join(lines[:500]))
    command = [sys.executable, "-m", "klamm.tools.cli", "pipeline", "ingest", str(journals)]
    command += ["--to", str(lake.root), "--cluster", "c", "--format", "klamm-journal"]
    command += ["--master", "local[2]", "--conf", "spark.driver.memory=512m", "--stream"]

    def wait_for(rows: int, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _WAIT_S
        while lake.read_plain(EVENTS).num_rows < rows:
            assert process.poll() is None, "the stream has ended by itself"
            assert time.monotonic() < deadline, "the stream has taken in nothing for minutes"
            time.sleep(0.05)

    for round_, begin in enumerate((500, 1500)):
        # What is taken in before the kill is known; what comes right before it may be anywhere.
        process = subprocess.Popen([*command, "--every", "1"])
        try:
            wait_for(begin, process)
            with journal.open("ab") as file:
                file.write(b"".join(lines[begin : begin + 400]) + lines[begin + 400][:20])
            wait_for(begin + 1 if round_ else begin, process)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        with journal.open("ab") as file:
            file.write(lines[begin + 400][20:] + b"".join(lines[begin + 401 : begin + 1000]))
        if round_ == 0:
            journal.rename(journals / "a.jsonl.1")
            journal = journals / "a.jsonl"
            # The rest goes to a new file; the killed stream has seen nothing of that.
    with journal.open("ab") as file:
        file.write(b"".join(lines[2500:]))
    subprocess.run([*command, "--once"], check=True, timeout=_WAIT_S)
    taken = lake.read_plain(EVENTS)["seq"].to_pylist()
    assert sorted(taken) == list(range(1, 3001))
    assert lake.read_plain(QUARANTINE).num_rows == 0
