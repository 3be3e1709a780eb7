"""The journal's files: whole lines, bounded, numbered on, and a disk that fails or is slow."""

import errno
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from journal_replay import Replay

from klamm.controller.node import Now
from klamm.controller.node.effects import Journal as Entry
from klamm.controller.node.effects import Severity
from klamm.controller.node.lines import Line, decode
from klamm.controller.runtime import journal as journal_module
from klamm.controller.runtime.journal import Journal
from klamm.controller.runtime.journal_file import FSYNC, JournalError, JournalFile

NOW = Now(1.5, 1_700_000_000_000)


def entry(number: int, text: str = "x") -> Entry:
    return Entry(Severity.INFO, "end", text, number)


def lines(path: Path) -> list[Line]:
    return [decode(data) for data in path.read_bytes().splitlines()]


def numbers(path: Path) -> list[int]:
    return [each.seq for each in lines(path)]


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.mark.parametrize("fsync", FSYNC)
def test_entries_are_written_in_order_with_both_times(path: Path, fsync: str) -> None:
    with Journal(900, JournalFile(path, fsync=fsync)) as journal:
        for number in range(1, 2_001):
            journal.write(entry(number), NOW)
    written = lines(path)
    assert [each.seq for each in written] == list(range(1, 2_001))
    assert {(each.node, each.wall_ms, each.monotonic_s) for each in written} == {
        (900, NOW.wall_ms, NOW.monotonic)
    }


def test_without_a_file_only_the_log_hears(caplog: pytest.LogCaptureFixture) -> None:
    with Journal(900) as journal, caplog.at_level(logging.INFO, "klamm.node"):
        journal.write(entry(1, "well"), NOW)
    assert caplog.messages == ["node 900: end: well"]


def test_files_are_bounded_in_size_and_number_and_lines_are_whole(path: Path) -> None:
    with Journal(900, JournalFile(path, max_bytes=1_000, files=3)) as journal:
        for number in range(1, 201):
            journal.write(entry(number), NOW)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["journal.jsonl", "journal.jsonl.1", "journal.jsonl.2"]
    longest = max(len(data) for file in files for data in file.read_bytes().splitlines()) + 1
    for file in files[1:]:
        assert 1_000 <= file.stat().st_size < 1_000 + longest
    kept = [number for file in reversed([files[0], *files[1:]][:1]) for number in numbers(file)]
    kept = [*numbers(files[2]), *numbers(files[1]), *kept]
    assert kept == list(range(kept[0], 201))


def test_one_file_alone_begins_anew(path: Path) -> None:
    with Journal(900, JournalFile(path, max_bytes=500, files=1)) as journal:
        for number in range(1, 101):
            journal.write(entry(number), NOW)
    assert [file.name for file in path.parent.iterdir()] == ["journal.jsonl"]
    assert numbers(path)[-1] == 100


def test_the_numbers_go_on_in_the_next_run(path: Path) -> None:
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 1
        journal.write(entry(1), NOW)
        journal.write(entry(2), NOW)
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 3
        journal.write(entry(3), NOW)
    assert numbers(path) == [1, 2, 3]


def test_the_numbers_go_on_where_the_full_file_ended(path: Path) -> None:
    with Journal(900, JournalFile(path)) as journal:
        journal.write(entry(41), NOW)
    path.replace(f"{path}.1")
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 42


def test_what_a_crash_left_of_a_line_is_cut_off(path: Path) -> None:
    with Journal(900, JournalFile(path)) as journal:
        journal.write(entry(1, "long " * 50_000), NOW)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 2
    assert path.read_bytes() == whole


def test_a_first_line_that_a_crash_cut_short_is_no_line(path: Path) -> None:
    path.write_bytes(b'{"v":1,"se')
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 1
    assert path.read_bytes() == b""


@pytest.mark.parametrize("content", [b"somebody's letters\n", b"no line's end", b'{"v":1}\n'])
def test_somebody_elses_file_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"klamm\.journal\.file"):
        Journal(900, JournalFile(path))
    assert path.read_bytes() == content


def test_a_file_that_cannot_be_opened_is_named(path: Path) -> None:
    with pytest.raises(JournalError, match=r"nowhere.* cannot be opened: No such file"):
        Journal(900, JournalFile(path / "nowhere"))


def test_a_journal_that_another_node_writes_is_refused(path: Path) -> None:
    with Journal(900, JournalFile(path)), pytest.raises(JournalError, match="another node"):
        Journal(901, JournalFile(path))


@pytest.mark.parametrize(
    "wrong", [{"fsync": "sometimes"}, {"max_bytes": 0}, {"files": 0}, {"queue": -1}]
)
def test_settings_that_cannot_be(path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        JournalFile(path, **wrong)


class Disk:
    """os.write of the journal's thread: obeys, is full, writes half, or stands still."""

    def __init__(self) -> None:
        self.full = False
        self.halves = False
        self.refused = 0
        self.go = threading.Event()
        self.go.set()
        self._write = os.write

    def write(self, file: int, data: memoryview) -> int:
        if not threading.current_thread().name.startswith("journal"):
            return self._write(file, data)
        assert self.go.wait(60)
        if self.full:
            self.refused += 1
            if self.refused % 2:
                return self._write(file, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._write(file, data[: len(data) // 2 + 1] if self.halves else data)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()
    monkeypatch.setattr(os, "write", disk.write)
    monkeypatch.setattr(journal_module, "RETRY_SECONDS", 0.01)
    yield disk
    disk.go.set()


def test_a_full_disk_is_said_once_and_nothing_is_lost_when_there_is_room_again(
    path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    with Journal(900, JournalFile(path)) as journal:
        journal.write(entry(1), NOW)
        wait_for(lambda: path.stat().st_size)
        before = path.read_bytes()
        disk.full = True
        for number in range(2, 50):
            journal.write(entry(number), NOW)
        wait_for(lambda: disk.refused >= 6)
        assert "No space left" in journal.failure
        disk.full = False
        wait_for(lambda: not journal.failure)
    assert path.read_bytes().startswith(before)
    assert numbers(path) == list(range(1, 50))
    assert journal.dropped == 0
    assert len([text for text in caplog.messages if "cannot be written" in text]) == 1
    assert "written again" in caplog.messages[-1]


def test_a_disk_that_stays_full_leaves_whole_lines_and_does_not_hold_the_end_up(
    path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    with Journal(900, JournalFile(path)) as journal:
        journal.write(entry(1), NOW)
        wait_for(lambda: path.stat().st_size)
        disk.full = True
        journal.write(entry(2), NOW)
        wait_for(lambda: disk.refused >= 2)
    assert numbers(path) == [1]
    assert "without its last 1 entries" in caplog.text


def test_writes_that_take_a_part_are_gone_on_with(path: Path, disk: Disk) -> None:
    disk.halves = True
    with Journal(900, JournalFile(path)) as journal:
        for number in range(1, 20):
            journal.write(entry(number), NOW)
    assert numbers(path) == list(range(1, 20))


def test_a_slow_disk_costs_entries_and_the_journal_says_how_many(
    path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    disk.go.clear()
    with Journal(900, JournalFile(path, queue=10)) as journal:
        for number in range(1, 31):
            journal.write(entry(number), NOW)
        assert journal.dropped == 20
        disk.go.set()
        wait_for(lambda: path.stat().st_size)
        wait_for(lambda: len(lines(path)) == 10)
        for number in range(31, 34):
            journal.write(entry(number), NOW)
    replay = Replay()
    for each in lines(path):
        replay.take(each)
    assert numbers(path) == [*range(1, 12), *range(31, 34)]
    assert (lines(path)[10].kind, lines(path)[10].lost) == ("lost", 20)
    assert "dropping those from 11 on" in caplog.text
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 34


def test_entries_lost_at_the_end_are_told_of_too(path: Path, disk: Disk) -> None:
    disk.go.clear()
    with Journal(900, JournalFile(path, queue=2)) as journal:
        for number in range(1, 6):
            journal.write(entry(number), NOW)
        threading.Timer(0.05, disk.go.set).start()
    assert [(each.seq, each.lost) for each in lines(path)] == [(1, None), (2, None), (3, 3)]
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 6


def test_a_file_that_cannot_be_rotated_is_said_and_tried_again(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with Journal(900, JournalFile(path, max_bytes=10)) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", refuse)
            journal.write(entry(1), NOW)
            journal.write(entry(2), NOW)
            wait_for(lambda: journal.failure)
        wait_for(lambda: not journal.failure)
    assert numbers(path.with_name("journal.jsonl.1")) == [1]
    assert numbers(path) == [2]
