"""Whatever is taken in is taken in once, and every line of it is accounted for."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from klamm.tools.bench._journals import write_journal
from klamm.tools.cli._pipeline_ingest import command
from klamm.tools.pipeline.changes import LakeError
from klamm.tools.pipeline.formats import FORMATS, Good, Produced, Source
from klamm.tools.pipeline.formats.base import Line
from klamm.tools.pipeline.intake import pieces, selection
from klamm.tools.pipeline.intake.take import Part, Task, packed
from klamm.tools.pipeline.jobs import ingest as job
from klamm.tools.pipeline.jobs.ingest import FileTold, Summary, ingest
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.reports.ingest import page
from klamm.tools.pipeline.tables import EVENTS, FILES, METRICS, PARTITIONS, QUARANTINE, Table
from klamm.tools.planner.runner import Local

JOURNAL = FORMATS["klamm-journal"]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Forty entries of a journal."""
    file = tmp_path_factory.mktemp("lines") / "journal.jsonl"
    write_journal(file, 40)
    return file.read_text().splitlines(keepends=True)


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(lines))
    return path


def taken(lake: Lake, *files: Path, replace: bool = False) -> Summary:
    return ingest(lake, list(map(str, files)), "c", Local(), format=JOURNAL, replace=replace)


def one(summary: Summary) -> FileTold:
    (file,) = summary.files
    return file


def numbers(lake: Lake, table: Table = EVENTS) -> list[tuple[str, int]]:
    """Name the lines that a table has rows of, by the names of their files."""
    rows = lake.read_plain(table).select(["source", "line"]).to_pylist()
    return sorted((Path(row["source"]).name, row["line"]) for row in rows)


def first(count: int, name: str = "a.jsonl") -> list[tuple[str, int]]:
    return [(name, line) for line in range(1, count + 1)]


def test_each_line_is_a_row_or_is_put_aside_or_says_nothing(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    file = written(tmp_path / "a.jsonl", [lines[0], "{}\n", "\n", lines[1]])
    with file.open("ab") as end:
        end.write(b"\xff\n")
    told = one(taken(lake, file))
    assert (told.status, told.lines, told.rows) == ("new", 5, {"events": 2})
    assert (told.quarantined, told.passed_over) == (2, 1)
    assert numbers(lake) == [("a.jsonl", 1), ("a.jsonl", 4)]
    bad = lake.read_plain(QUARANTINE).sort_by("line").to_pylist()
    assert [(row["line"], row["format"], row["text"]) for row in bad] == [
        (2, "klamm-journal", "{}"),
        (5, "klamm-journal", "\\xff"),
    ]
    assert "missing required field" in bad[0]["reason"]
    assert "not UTF-8 at byte 1" in bad[1]["reason"]


def test_a_value_that_no_table_can_hold_is_put_aside(
    lake: Lake, tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = JOURNAL.reader

    def with_one_too_large(source: Source, numbered: Iterator[Line]) -> Iterator[Produced]:
        for each in real(source, numbered):
            assert isinstance(each, Good)
            node = 2**40 if each.row["line"] == 2 else 900
            yield Good(each.table, {**each.row, "node": node})

    large = type(JOURNAL)("klamm-journal", "", JOURNAL.sniff, with_one_too_large, by_line=True)
    monkeypatch.setitem(FORMATS, "klamm-journal", large)
    told = one(taken(lake, written(tmp_path / "a.jsonl", lines[:3])))
    assert (told.rows, told.quarantined) == ({"events": 2}, 1)
    assert numbers(lake) == [("a.jsonl", 1), ("a.jsonl", 3)]
    (bad,) = lake.read_plain(QUARANTINE).to_pylist()
    assert (bad["line"], "does not fit into table events" in bad["reason"]) == (2, True)


def test_the_same_again_changes_nothing(lake: Lake, tmp_path: Path, lines: list[str]) -> None:
    file = written(tmp_path / "a.jsonl", lines)
    taken(lake, file)
    before = sorted(lake.root.rglob("*.parquet"))
    assert one(taken(lake, file)).status == "known"
    assert sorted(lake.root.rglob("*.parquet")) == before


def test_of_a_file_that_has_grown_the_rest_is_taken_in(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    taken(lake, written(tmp_path / "a.jsonl", lines[:10]))
    told = one(taken(lake, written(tmp_path / "a.jsonl", lines[:25])))
    assert (told.status, told.lines, told.rows) == ("grown", 15, {"events": 15})
    assert one(taken(lake, written(tmp_path / "a.jsonl", lines))).lines == 15
    assert numbers(lake) == first(40)


def test_a_rotated_file_is_known_by_its_content(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    taken(lake, written(tmp_path / "a.jsonl", lines[:10]))
    older = written(tmp_path / "a.jsonl.1", lines[:15])
    newer = written(tmp_path / "a.jsonl", lines[15:])
    summary = taken(lake, newer, older)
    assert [file.status for file in summary.files] == ["new", "grown"]
    assert numbers(lake) == first(15) + first(25, "a.jsonl#2")
    again = taken(lake, newer, older)
    assert [file.status for file in again.files] == ["known", "known"]


def test_a_packed_file_is_the_file_that_it_packs(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    taken(lake, written(tmp_path / "a.jsonl", lines[:30]))
    zipped = tmp_path / "a.jsonl.gz"
    zipped.write_bytes(gzip.compress("".join(lines[:30]).encode()))
    assert one(taken(lake, zipped)).status == "known"
    zipped.write_bytes(gzip.compress("".join(lines).encode()))
    assert one(taken(lake, zipped)).lines == 10
    assert numbers(lake) == first(40)


@pytest.mark.parametrize("cut", [1, 30, -1])
def test_a_last_line_without_its_end_is_taken_in_anew_when_it_has_one(
    lake: Lake, tmp_path: Path, lines: list[str], cut: int
) -> None:
    told = one(taken(lake, written(tmp_path / "a.jsonl", [*lines[:4], lines[4][:cut]])))
    assert told.lines == 5
    assert told.quarantined == (cut != -1)
    taken(lake, written(tmp_path / "a.jsonl", lines))
    assert numbers(lake) == first(40)
    assert numbers(lake, QUARANTINE) == []
    assert lake.read_plain(FILES).num_rows == 1


def test_other_content_of_a_known_name_comes_beside_it_or_in_its_place(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    taken(lake, written(tmp_path / "a.jsonl", lines[:10]))
    told = one(taken(lake, written(tmp_path / "a.jsonl", lines[20:])))
    assert "as" in told.note
    assert numbers(lake) == first(10) + first(20, "a.jsonl#2")
    taken(lake, tmp_path / "a.jsonl", replace=True)
    assert numbers(lake) == first(20)
    assert lake.read_plain(FILES).num_rows == 1


def test_two_files_of_the_same_content_are_one(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    copies = [written(tmp_path / name, lines) for name in ("a.jsonl", "b.jsonl")]
    summary = taken(lake, *copies)
    assert [file.status for file in summary.files] == ["new", "known"]
    assert numbers(lake) == first(40)


DESCRIBED = "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
DAY_S = 86_400


def described(path: Path, day: int, text: str = DESCRIBED) -> Path:
    """Write what kafka-topics said on a day since 1970."""
    path.write_text(text)
    os.utime(path, (day * DAY_S, day * DAY_S))
    return path


def days(lake: Lake) -> list[tuple[str, int]]:
    """Name the topics described, and the days that they are as described on."""
    rows = lake.read_plain(PARTITIONS).to_pylist()
    return sorted((row["topic"], row["ts_ms"] // 1000 // DAY_S) for row in rows)


def statuses(lake: Lake, *files: Path, **others: Any) -> list[str]:  # noqa: ANN401 - of ingest
    summary = ingest(lake, list(map(str, files)), "c", Local(), **others)
    return [file.status for file in summary.files]


@pytest.mark.parametrize("names", [("1.txt", "2.txt"), ("a.txt", "a.txt")])
def test_the_same_description_of_another_day_says_something_new(
    lake: Lake, tmp_path: Path, names: tuple[str, str]
) -> None:
    files = [tmp_path / name for name in names]
    for day, file in enumerate(files, 1):
        assert statuses(lake, described(file, day)) == ["new"]
    assert statuses(lake, *files) == ["known"] * 2
    assert days(lake) == [("t", 1), ("t", 2)]
    # The copy of a file is the file, and one that is taken in anew leaves other days alone.
    assert statuses(lake, described(tmp_path / "copy.txt", 2)) == ["known"]
    assert statuses(lake, described(tmp_path / "copy.txt", 2), replace=True) == ["new"]
    assert days(lake) == [("t", 1), ("t", 2)]


def test_a_longer_description_of_another_day_leaves_the_first_one_there(
    lake: Lake, tmp_path: Path
) -> None:
    statuses(lake, described(tmp_path / "a.txt", 1))
    more = DESCRIBED + DESCRIBED.replace("Topic: t", "Topic: u")
    assert statuses(lake, described(tmp_path / "a.txt", 2, more)) == ["new"]
    assert days(lake) == [("t", 1), ("t", 2), ("u", 2)]


def test_lines_without_a_time_get_that_of_when_they_were_there(lake: Lake, tmp_path: Path) -> None:
    file = tmp_path / "a.prom"
    for day, text in enumerate(("up 1\n", "up 1\nup 2\n", "up 1\nup 2\n"), 1):
        told = statuses(lake, described(file, day, text))
        assert told == ["grown" if day == 2 else "new"]
        assert statuses(lake, file) == ["known"]
    rows = lake.read_plain(METRICS).to_pylist()
    found = sorted((row["ts_ms"] // 1000 // DAY_S, row["value"]) for row in rows)
    assert found == [(1, 1.0), (2, 2.0), (3, 1.0), (3, 2.0)]


def test_a_journal_is_the_same_whenever_it_was_written(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    for day in (1, 2):
        told = statuses(lake, described(tmp_path / "a.jsonl", day, "".join(lines)))
        assert told == ["new" if day == 1 else "known"]


def test_clusters_do_not_know_of_each_other(lake: Lake, tmp_path: Path, lines: list[str]) -> None:
    file = written(tmp_path / "a.jsonl", lines)
    for cluster in ("c", "d"):
        ingest(lake, [str(file)], cluster, Local(), format=JOURNAL)
    assert Counter(lake.read_plain(EVENTS)["cluster"].to_pylist()) == {"c": 40, "d": 40}


def test_files_that_cannot_be_read_do_not_keep_others_out(
    lake: Lake, tmp_path: Path, lines: list[str]
) -> None:
    torn = tmp_path / "torn.gz"
    torn.write_bytes(gzip.compress("".join(lines).encode())[:-20])
    good = written(tmp_path / "a.jsonl", lines)
    summary = taken(lake, torn, tmp_path / "none", good)
    assert [file.status for file in summary.files] == ["unreadable", "unreadable", "new"]
    assert "ended before" in summary.files[0].note
    assert summary.files[1].note == "No such file or directory"
    assert numbers(lake) == first(40)


def test_a_file_that_changes_while_it_is_read_leaves_nothing(
    lake: Lake, tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [written(tmp_path / "a.jsonl", lines[:20]), written(tmp_path / "b.jsonl", lines[20:])]

    def rotated(parts: Iterator[Part], folder: Path, size: int) -> Iterator[Task]:
        written(files[1], lines[5:25])
        return packed(parts, folder, size)

    monkeypatch.setattr(job, packed.__name__, rotated)
    with pytest.raises(LakeError, match=r"b\.jsonl has changed while it was read"):
        taken(lake, *files)
    assert not list(lake.root.rglob("*.parquet"))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files read in pieces of some hundred bytes."""
    monkeypatch.setattr(pieces, "BLOCK", 700)
    monkeypatch.setattr(selection, "_SURVEYED", 2100)
    monkeypatch.setattr(job, "_TASK_BYTES", 1400)


def test_a_large_file_is_read_in_many_places(
    lake: Lake, tmp_path: Path, lines: list[str], tiny: None
) -> None:
    file = written(tmp_path / "a.jsonl", [*lines[:7], "bad\n", *lines[8:]])
    taken(lake, file)
    assert numbers(lake) == [each for each in first(40) if each[1] != 8]
    assert numbers(lake, QUARANTINE) == [("a.jsonl", 8)]
    assert one(taken(lake, file)).status == "known"


def test_time_never_falls_in_a_source_though_its_clock_was_set_back(
    lake: Lake, tmp_path: Path, lines: list[str], tiny: None
) -> None:
    shuffled = [*lines[30:], *lines[:30]]
    taken(lake, written(tmp_path / "a.jsonl", shuffled[:35]))
    taken(lake, written(tmp_path / "a.jsonl", shuffled))
    rows = lake.read_plain(EVENTS).sort_by("line")
    latest = max(json.loads(line)["wall_ms"] for line in lines)
    written_ms = [json.loads(line)["wall_ms"] for line in shuffled]
    assert rows["ts_ms"].to_pylist() == written_ms
    assert rows["at_ms"].to_pylist() == [*written_ms[:10], *[latest] * 30]


_TEXT = st.lists(
    st.one_of(
        st.integers(0, 39),
        st.sampled_from(["", "x", "\r", "{}", "\N{SNOWMAN}" * 40, '{"v":1,"seq":', " " * 900]),
    ),
    max_size=30,
)


@settings(max_examples=10)
@given(said=_TEXT, cut=st.integers(0, 5000), block=st.integers(1, 1500), ended=st.booleans())
def test_however_a_file_is_cut_up_its_rows_are_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[str],
    said: list[int | str],
    cut: int,
    block: int,
    ended: bool,
) -> None:
    text = "\n".join(lines[each].strip() if isinstance(each, int) else each for each in said)
    data = (text + "\n" * ended).encode()
    folder = tmp_path_factory.mktemp("cut")
    whole, grown = Lake(folder / "whole"), Lake(folder / "grown")
    file = folder / "a.jsonl"
    file.write_bytes(data)
    taken(whole, file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "BLOCK", block)
        patch.setattr(selection, "_SURVEYED", 3 * block)
        patch.setattr(job, "_TASK_BYTES", 2 * block)
        file.write_bytes(data[:cut])
        taken(grown, file)
        file.write_bytes(data)
        taken(grown, file)
    for table in (EVENTS, QUARANTINE):
        keys = [(name, "ascending") for name in table.key]
        columns = [name for name in table.schema.names if name != "date" or table is EVENTS]
        first_way = whole.read_plain(table).select(columns).sort_by(keys)
        other_way = grown.read_plain(table).select(columns).sort_by(keys)
        assert other_way.to_pylist() == first_way.to_pylist()


def test_many_small_files_become_few(lake: Lake, tmp_path: Path, lines: list[str]) -> None:
    for number in range(20):
        written(tmp_path / "a.jsonl", lines[: 2 * number + 2])
        taken(lake, tmp_path / "a.jsonl")
    assert numbers(lake) == first(40)
    assert len(lake.files(EVENTS)) <= 9
    assert len(lake.files(FILES)) <= 9


def test_a_page_says_what_became_of_the_files(lake: Lake, tmp_path: Path, lines: list[str]) -> None:
    file = written(tmp_path / "a<b>.jsonl", [*lines, "bad\n"])
    page(taken(lake, file), "c").write(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "a&lt;b&gt;.jsonl" in text
    assert "Lines quarantined" in text


class TestCommand:
    """The same from the command line."""

    def run(self, *arguments: object) -> tuple[int, str]:
        given_ = [*map(str, arguments), "--cluster", "c", "--plain"]
        result = CliRunner().invoke(command, given_, catch_exceptions=False)
        return result.exit_code, result.output

    def test_a_folder_is_taken_in(self, tmp_path: Path, lines: list[str]) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        written(folder / "a.jsonl", lines)
        written(folder / ".hidden", lines)
        code, said = self.run(folder, "--to", tmp_path / "lake", "--format", "klamm-journal")
        assert (code, said.splitlines()[-1]) == (0, "1 files: 40 of events")

    def test_numbers_can_be_had_as_json(self, tmp_path: Path, lines: list[str]) -> None:
        file = written(tmp_path / "a.jsonl", [*lines, "bad\n"])
        to = ("--to", tmp_path / "lake", "--format", "klamm-journal", "--json")
        code, said = self.run(tmp_path / "a*", *to)
        assert code == 0
        assert json.loads(said)["files"][0] == {
            "path": str(file),
            "status": "new",
            "format": "klamm-journal",
            "note": "",
            "bytes": file.stat().st_size,
            "lines": 41,
            "rows": {"events": 40},
            "quarantined": 1,
            "passed_over": 0,
        }

    def test_a_log_of_local_times_is_of_the_zone_that_is_named(self, tmp_path: Path) -> None:
        said = (
            "[2026-01-01 00:30:00,000] INFO [Controller id=0] 0 successfully elected as the"
            " controller. Epoch incremented to 1 and epoch zk version is now 1"
            " (kafka.controller.KafkaController)"
        )
        written(tmp_path / "controller.log", [said + "\n"])
        to = ("--to", tmp_path / "lake", "--format", "controller-log", "--tz", "Europe/Prague")
        assert self.run(tmp_path / "controller.log", *to)[0] == 0
        (row,) = Lake(tmp_path / "lake").read_plain(EVENTS).to_pylist()
        assert (row["date"], row["ts_ms"]) == ("2025-12-31", 1_767_223_800_000)

    @pytest.mark.parametrize("time", ["2026-01-31T06:00", "2026-01-31T05:00:00Z"])
    def test_a_text_without_a_time_is_of_the_one_that_is_named(
        self, tmp_path: Path, time: str
    ) -> None:
        file = described(tmp_path / "a.txt", 1)
        to = ("--to", tmp_path / "lake", "--tz", "Europe/Prague", "--time", time)
        assert self.run(file, *to)[0] == 0
        (row,) = Lake(tmp_path / "lake").read_plain(PARTITIONS).to_pylist()
        assert (row["date"], row["ts_ms"]) == ("2026-01-31", 1_769_835_600_000)

    @pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)])
    def test_what_is_quarantined_is_an_error_if_wanted(
        self, tmp_path: Path, strict: list[str], code: int
    ) -> None:
        written(tmp_path / "a", ["bad\n"])
        given_ = ("--to", tmp_path / "lake", "--format", "klamm-journal", *strict)
        assert self.run(tmp_path / "a", *given_)[0] == code

    def test_a_file_of_no_format_is_an_error(self, tmp_path: Path) -> None:
        written(tmp_path / "a", ["a riddle\n"])
        code, said = self.run(tmp_path / "a", "--to", tmp_path / "lake")
        assert code == 1
        assert "of no known format" in said

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["{}/none", "--to", "{}/lake"], "there is no file"),
            (["{}", "--to", "{}/lake", "--format", "csv"], "'csv' is none of klamm-journal"),
            (["{}", "--to", "{}/lake", "--once"], "--once says when --stream stops"),
            (["{}", "--to", "{}/lake", "--master", "local"], "--plain needs no Spark"),
            (["{}", "--to", "{}/lake", "--conf", "x"], "'x' is no KEY=VALUE"),
            (["{}", "--to", "s3://bucket/lake"], "is no folder"),
            (["{}", "--to", "{}/lake", "--tz", "Castle"], "'Castle' is no time zone"),
            (["{}", "--to", "{}/lake", "--time", "noon"], "'noon' is no time such as 2026"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, tmp_path: Path, arguments: list[str], said: str
    ) -> None:
        code, text = self.run(*(each.format(tmp_path) for each in arguments))
        assert code == 2
        assert said in text
