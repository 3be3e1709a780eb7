"""What comes to a growing file is cut at line ends, and taken in once, whatever is killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from klamm.tools.bench._journals import write_journal
from klamm.tools.pipeline.formats import FORMATS
from klamm.tools.pipeline.intake import feeder as feeding
from klamm.tools.pipeline.intake.feeder import Feeder, read_chunk
from klamm.tools.pipeline.intake.known import Known
from klamm.tools.pipeline.intake.stream import Sink
from klamm.tools.pipeline.jobs.ingest import ingest
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS, FILES, QUARANTINE
from klamm.tools.planner.runner import Local


class Pipes:
    """A journal, chunks of it, and a lake: a stream without the engine that calls it."""

    def __init__(self, folder: Path, lines: list[bytes]) -> None:
        self.journal = folder / "a.jsonl"
        self.chunks = folder / "chunks"
        self.lake = Lake(folder / "lake")
        self.lines = lines
        self.told = list[str]()
        self.start()

    def start(self) -> None:
        """Begin anew, as after a crash: with nothing in memory."""
        known = Known(self.lake.read_plain(FILES, ["c"]))
        self.feeder = Feeder(
            self.chunks, known, FORMATS["klamm-journal"], self.told.append, lambda _: None
        )
        self.sink = Sink(self.lake, "c", Local(), self.chunks, "UTC")

    def grow(self, data: bytes) -> None:
        with self.journal.open("ab") as file:
            file.write(data)

    def feed(self, *files: Path) -> int:
        return self.feeder.feed([str(each) for each in files or [self.journal]])

    def batch(self) -> list[str]:
        return [str(each) for each in sorted(self.chunks.glob("*.chunk"))]

    def numbers(self) -> list[int]:
        return sorted(self.lake.read_plain(EVENTS)["line"].to_pylist())


@pytest.fixture
def pipes(tmp_path: Path) -> Iterator[Pipes]:
    write_journal(tmp_path / "lines", 30)
    pipes = Pipes(tmp_path, (tmp_path / "lines").read_bytes().splitlines(keepends=True))
    yield pipes
    assert pipes.lake.read_plain(QUARANTINE).num_rows == 0


def test_a_line_waits_until_it_has_its_end(pipes: Pipes) -> None:
    pipes.grow(pipes.lines[0][:50])
    assert pipes.feed() == 0
    pipes.grow(pipes.lines[0][50:] + pipes.lines[1][:-1])
    assert pipes.feed() == 1
    assert pipes.feed() == 0
    pipes.grow(b"\n")
    assert pipes.feed() == 1
    pipes.sink.take(pipes.batch())
    assert pipes.numbers() == [1, 2]


def test_a_large_file_is_cut_into_many_chunks(
    pipes: Pipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "CHUNK", 900)
    pipes.grow(b"".join(pipes.lines))
    assert pipes.feed() > 10
    assert pipes.sink.take(pipes.batch()) > 10
    assert pipes.numbers() == list(range(1, 31))


def test_chunks_are_as_old_as_their_order(pipes: Pipes) -> None:
    for line in pipes.lines[:3]:
        pipes.grow(line)
        pipes.feed()
    ages = [Path(path).stat().st_mtime_ns for path in pipes.batch()]
    assert ages == sorted(set(ages))


def test_a_batch_that_is_given_again_changes_nothing(pipes: Pipes) -> None:
    pipes.grow(b"".join(pipes.lines[:10]))
    pipes.feed()
    assert pipes.sink.take(pipes.batch()) == 1
    pipes.start()
    assert pipes.sink.take(pipes.batch()) == 0
    assert pipes.numbers() == list(range(1, 11))


@pytest.mark.parametrize("taken", [True, False])
def test_after_a_crash_cutting_goes_on_where_it_was(pipes: Pipes, taken: bool) -> None:
    pipes.grow(b"".join(pipes.lines[:10]))
    pipes.feed()
    (pipes.chunks / "000000000001.draft").write_bytes(b"half a chunk")
    if taken:
        pipes.sink.take(pipes.batch())
    pipes.grow(b"".join(pipes.lines[10:]))
    pipes.start()
    assert pipes.feed() == 1
    assert not list(pipes.chunks.glob("*.draft"))
    pipes.sink.take(pipes.batch())
    assert pipes.numbers() == list(range(1, 31))


def test_a_rotated_file_goes_on_to_its_end_under_its_new_name(pipes: Pipes) -> None:
    pipes.grow(b"".join(pipes.lines[:10]))
    pipes.feed()
    pipes.grow(b"".join(pipes.lines[10:15]))
    older = pipes.journal.rename(pipes.journal.with_name("a.jsonl.1"))
    pipes.grow(b"".join(pipes.lines[15:]))
    assert pipes.feed(pipes.journal, older) == 2
    pipes.sink.take(pipes.batch())
    assert pipes.numbers() == sorted([*range(1, 16), *range(1, 16)])
    assert len(set(pipes.lake.read_plain(EVENTS)["seq"].to_pylist())) == 30
    assert len(set(pipes.lake.read_plain(EVENTS)["source"].to_pylist())) == 2


def test_chunks_go_when_they_are_taken_in_but_the_last(pipes: Pipes) -> None:
    for line in pipes.lines[:3]:
        pipes.grow(line)
        pipes.feed()
        pipes.sink.take(pipes.batch()[-1:])
    (last,) = pipes.batch()
    assert read_chunk(Path(last)).said.line == 3
    pipes.start()
    pipes.grow(pipes.lines[3])
    pipes.feed()
    assert Path(pipes.batch()[-1]).name == "000000000003.chunk"


def test_runs_with_and_without_a_stream_know_of_each_other(pipes: Pipes) -> None:
    pipes.grow(b"".join(pipes.lines[:10]))

    def run() -> str:
        journal = FORMATS["klamm-journal"]
        (file,) = ingest(pipes.lake, [str(pipes.journal)], "c", Local(), format=journal).files
        return file.status

    assert run() == "new"
    pipes.start()
    assert pipes.feed() == 0
    pipes.grow(b"".join(pipes.lines[10:20]))
    assert pipes.feed() == 1
    pipes.sink.take(pipes.batch())
    assert run() == "known"
    pipes.grow(b"".join(pipes.lines[20:]))
    assert run() == "grown"
    assert pipes.numbers() == list(range(1, 31))


def test_a_file_that_does_not_grow_by_lines_is_named_once(pipes: Pipes, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"version":1,"partitions":[\n]}\n')
    known = Known(pipes.lake.read_plain(FILES, ["c"]))
    told = list[str]()
    feeder = Feeder(
        tmp_path / "other", known, FORMATS["reassign-json"], told.append, lambda _: None
    )
    assert feeder.feed([str(plan)]) == feeder.feed([str(plan)]) == 0
    assert told == [f"{plan}: reassign-json does not grow line by line; left out"]
