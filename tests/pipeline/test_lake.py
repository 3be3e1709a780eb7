"""What a job writes into a lake is there wholly or not at all, and keeps its table's contract."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from klamm.tools.pipeline.changes import listing
from klamm.tools.pipeline.lake import Lake, LakeError, check_cluster
from klamm.tools.pipeline.tables import EVENTS, MOVES, TABLES, Table


def rows(count: int, cluster: str = "c", date: str | None = "2026-01-01") -> pa.Table:
    said = {"cluster": cluster, "date": date, "source": "s", "part": 0}
    return pa.Table.from_pylist(
        [
            {**EVENTS.empty, **said, "line": line, "after": {"replicas": [1, line]}}
            for line in range(count)
        ],
        schema=EVENTS.schema,
    )


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_that_was_never_written_has_no_rows(lake: Lake, table: Table) -> None:
    assert lake.read_plain(table).num_rows == 0


def test_rows_come_back_as_they_were_written(lake: Lake) -> None:
    written = pa.concat_tables([rows(3), rows(2, date=None)])
    assert lake.write_plain(written, EVENTS) == 5
    assert lake.read_plain(EVENTS).equals(written)


def test_writing_replaces_what_its_clusters_had_and_no_other(lake: Lake) -> None:
    lake.write_plain(pa.concat_tables([rows(3), rows(2, "d")]), EVENTS)
    lake.write_plain(rows(1, date="2026-02-02"), EVENTS)
    assert lake.read_plain(EVENTS, ["c"]).equals(rows(1, date="2026-02-02"))
    assert lake.read_plain(EVENTS, ["d"]).equals(rows(2, "d"))


def test_no_rows_replace_those_of_a_cluster_that_is_named(lake: Lake) -> None:
    lake.write_plain(rows(3), EVENTS)
    lake.write_plain(rows(0), EVENTS, clusters=["c"])
    assert lake.read_plain(EVENTS).num_rows == 0


def test_appended_rows_come_beside_those_that_are_there(lake: Lake) -> None:
    lake.write_plain(rows(3), EVENTS)
    lake.write_plain(rows(2), EVENTS, "append")
    assert lake.read_plain(EVENTS).num_rows == 5


def test_a_change_that_fails_leaves_nothing(lake: Lake) -> None:
    lake.write_plain(rows(3), EVENTS)
    with pytest.raises(RuntimeError, match="on the way"), lake.change() as change:
        lake.put(change, rows(4), EVENTS)
        for file in lake.files(EVENTS):
            change.remove(file)
        raise RuntimeError("on the way")
    assert lake.read_plain(EVENTS).equals(rows(3))
    assert not [each for each in (lake.root / "_changes").iterdir() if each.is_dir()]


_KILLED = """
import os, signal, sys
from pathlib import Path
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS

lake, moment, moved = Lake(sys.argv[1]), sys.argv[2], []

def audit(event, arguments):
    # `decided.json` appears by the first rename; each file of the change follows by another.
    if event == "os.rename":
        decided = str(arguments[1]).endswith("decided.json")
        moved.append(arguments)
        if (moment == "before" and decided) or (moment == "amid" and len(moved) == 3):
            os.kill(os.getpid(), signal.SIGKILL)

rows = lake.read_plain(EVENTS)
with lake.change() as change:
    for file in lake.files(EVENTS):
        change.remove(file)
    for date in ("2026-03-01", "2026-03-02", "2026-03-03"):
        day = rows.set_column(1, "date", [[date] * rows.num_rows])
        lake.put(change, day, EVENTS)
    sys.addaudithook(audit)
"""


@pytest.mark.parametrize(("moment", "days"), [("before", 1), ("amid", 3)])
def test_a_job_that_is_killed_has_written_all_or_nothing(
    lake: Lake, moment: str, days: int
) -> None:
    lake.write_plain(rows(2), EVENTS)
    command = [sys.executable, "-c", _KILLED, str(lake.root), moment]
    ended = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert len(set(lake.read_plain(EVENTS)["date"].to_pylist())) == days
    lake.write_plain(rows(1, "d"), EVENTS)
    assert lake.read_plain(EVENTS, ["c"]).num_rows == 2 * days


def test_two_jobs_do_not_write_at_once(lake: Lake) -> None:
    with lake.change(), pytest.raises(LakeError, match="another job writes"), lake.change():
        pass


def test_a_reader_holds_a_change_back_while_it_lists(lake: Lake) -> None:
    lake.write_plain(rows(1), EVENTS)
    with listing(lake.root), listing(lake.root):
        lock = os.open(lake.root / "_changes" / "files.lock", os.O_RDWR)
        try:
            with pytest.raises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(lock)


def test_a_column_that_came_later_is_null_in_files_of_before(lake: Lake) -> None:
    lake.write_plain(rows(2), EVENTS)
    (file,) = lake.files(EVENTS)
    pq.write_table(pq.ParquetFile(file).read().drop_columns(["detail"]), file)
    assert lake.read_plain(EVENTS).equals(rows(2))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda table: table.drop_columns(["line"]), "has no column 'line'"),
        (
            lambda table: table.set_column(1, "line", [["one", "two"]]),
            "column 'line' is string, not int64",
        ),
    ],
)
def test_a_file_that_breaks_the_contract_is_named(
    lake: Lake, wrong: Callable[[pa.Table], pa.Table], said: str
) -> None:
    lake.write_plain(rows(2), EVENTS)
    (file,) = lake.files(EVENTS)
    pq.write_table(wrong(pq.ParquetFile(file).read()), file)
    with pytest.raises(LakeError, match=said) as raised:
        lake.read_plain(EVENTS)
    assert str(file) in str(raised.value)


@pytest.mark.parametrize("name", ["", "a/b", "..", "a=b", "é", "a b"])
def test_a_cluster_is_named_as_folders_can_be_everywhere(name: str) -> None:
    with pytest.raises(LakeError, match="must be letters"):
        check_cluster(name)


def test_a_lake_is_in_a_folder(lake: Lake) -> None:
    with pytest.raises(LakeError, match="s3://bucket is no folder"):
        Lake("s3://bucket")
    assert lake.path(MOVES).endswith("/moves/v1")
