"""The journal's files: whole lines, bounded, numbered on, and a disk that fails or is slow."""

import errno
import logging
import os
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from journal_replay import Replay
from node_world import in_office

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import Topic, TopicPartition
from klamm.controller.core.ops import SetData
from klamm.controller.core.status_book import StatusNote
from klamm.controller.node import Now
from klamm.controller.node.effects import Content, Severity
from klamm.controller.node.effects import Journal as Entry
from klamm.controller.node.forms import Line
from klamm.controller.node.lines import decode
from klamm.controller.runtime import journal as journal_module
from klamm.controller.runtime import journal_file as journal_file_module
from klamm.controller.runtime.journal import Journal, weigh
from klamm.controller.runtime.journal_file import FSYNC, JournalError, JournalFile, LineFile
from klamm.controller.znodes.status import ReplicaStatus

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


def test_the_log_hears_of_warnings_alone_whatever_its_level(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Journal(900) as journal, caplog.at_level(logging.DEBUG, "klamm.node"):
        journal.write(entry(1, "well"), NOW)
        journal.write(Entry(Severity.WARNING, "stuck", "ill", 2), NOW)
    assert caplog.messages == ["node 900: stuck: ill"]


def test_each_run_begins_with_an_entry_that_says_so(path: Path) -> None:
    for first in (2, 4):
        with Journal(900, JournalFile(path)) as journal:
            journal.start(NOW)
            assert journal.first_sequence == first
            journal.write(entry(first), NOW)
    found = [(each.seq, each.kind) for each in lines(path)]
    assert found == [(1, "started"), (2, "end"), (3, "started"), (4, "end")]


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
    "wrong",
    [{"fsync": "sometimes"}, {"max_bytes": 0}, {"files": 0}, {"queue": -1}, {"queue_bytes": 0}],
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


def test_entries_lost_are_told_of_though_nothing_waits_at_the_end(path: Path, disk: Disk) -> None:
    disk.go.clear()
    with Journal(900, JournalFile(path, queue=2)) as journal:
        for number in range(1, 6):
            journal.write(entry(number), NOW)
        disk.go.set()
        wait_for(lambda: not journal._queue)
    assert [(each.seq, each.lost) for each in lines(path)] == [(1, None), (2, None), (3, 3)]
    with Journal(900, JournalFile(path)) as journal:
        assert journal.first_sequence == 6


def refusals(count: int) -> list[Entry]:
    """What a node says when a request for so many partitions is refused."""
    world = in_office()
    told = len(world.journal)
    world.ask(*(AlterReassignment(TopicPartition("no", n), (1, 2)) for n in range(count)))
    entries = world.journal[told:]
    assert {each.kind for each in entries} == {"refuse"}
    return entries


def test_what_the_largest_request_is_told_at_once_finds_room(path: Path, disk: Disk) -> None:
    """A twentieth of 200,000 partitions, and of the bounds; the disk may take its time."""
    entries = refusals(10_000)
    bounds = JournalFile(path)
    scaled = replace(bounds, queue=bounds.queue // 20, queue_bytes=bounds.queue_bytes // 20)
    disk.go.clear()
    with Journal(900, scaled) as journal:
        for each in entries:
            journal.write(each, NOW)
        assert journal.dropped == 0
        disk.go.set()
    assert numbers(path) == [each.sequence for each in entries]


def test_entries_are_weighed_by_what_they_take() -> None:
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        entries = refusals(2_000)
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken < 2 * sum(map(weigh, entries)), "the bound of the queue is a bound of memory"
    ops = (SetData("/x", b"x" * 5_000, 1),)
    large = replace(entry(1), ops=ops, text="y" * 1_000)
    assert weigh(large) > 6_000 + weigh(entry(1)) - 2


def test_an_entry_weighs_what_it_tells_of_replicas() -> None:
    rows = tuple(ReplicaStatus("t", number, 3, 60, 1) for number in range(2_000))
    told = replace(entry(1), status=StatusNote(1, ("/x",), rows))
    assert weigh(told) - weigh(entry(1)) >= 100 * len(rows)


def test_the_queue_is_bounded_in_bytes(path: Path, disk: Disk) -> None:
    disk.go.clear()
    with Journal(900, JournalFile(path, queue_bytes=5 * weigh(entry(1)))) as journal:
        for number in range(1, 11):
            journal.write(entry(number), NOW)
        assert journal.dropped == 5
        disk.go.set()
        wait_for(lambda: not journal._queue)
        for number in range(11, 16):
            journal.write(entry(number), NOW)
        assert journal.dropped == 5, "what is written has left the queue"
    assert numbers(path) == [1, 2, 3, 4, 5, 6, *range(11, 16)]


@pytest.mark.parametrize(("before", "kept"), [(3, True), (4, False)])
def test_a_snapshot_is_kept_or_dropped_as_a_whole(
    path: Path, disk: Disk, before: int, kept: bool
) -> None:
    disk.go.clear()
    kinds = ["end"] * before + ["snapshot"] + ["snapshot-topic"] * 6 + ["end"]
    with Journal(900, JournalFile(path, queue=4)) as journal:
        for number, kind in enumerate(kinds, start=1):
            journal.write(Entry(Severity.INFO, kind, "", number), NOW)
        disk.go.set()
    found = [each.kind for each in lines(path)]
    assert found == [*(kinds[:-1] if kept else kinds[:before]), "lost"]


def test_an_entry_without_a_form_is_told_of_and_the_others_are_written(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    topic = Topic("t", 0, {}, extra={"new": "\ud800"})
    content = Content(topic, {}, first=True)
    formless = Entry(Severity.INFO, "snapshot-topic", "", 2, 1, topic="t", content=content)
    with Journal(900, JournalFile(path)) as journal:
        for each in (entry(1), formless, entry(3)):
            journal.write(each, NOW)
    found = lines(path)
    assert [(each.seq, each.kind) for each in found] == [(1, "end"), (2, "unwritable"), (3, "end")]
    assert found[1].text.startswith("snapshot-topic: UnicodeEncodeError: ")
    assert [record.exc_info is not None for record in caplog.records] == [True]


# --- files ---------------------------------------------------------------------------------------


def failing(fault: int) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(fault, os.strerror(fault))

    return fail


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text().strip() for file in folder.iterdir()}


def fill(path: Path, files: int) -> LineFile:
    """Rotate so often that every file is there; each line fills one."""
    file = LineFile(JournalFile(path, max_bytes=5, files=files))
    for number in range(1, files + 1):
        assert file.write([b'{"seq":%d}\n' % number]) == 1
    return file


@pytest.mark.parametrize("files", [1, 2, 4])
def test_a_rotation_that_fails_costs_no_more_than_one_that_succeeds(
    path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    file = fill(path, files)
    with monkeypatch.context() as patch:
        patch.setattr(LineFile, "_open", failing(errno.EMFILE))
        for _ in range(3):
            with pytest.raises(OSError, match="Too many open files"):
                file.write([b'{"seq":9}\n'])
    assert file.write([b'{"seq":9}\n']) == 1
    file.close()
    numbers = [9, *range(files, 1, -1)]
    names = [path.name, *(f"{path.name}.{n}" for n in range(1, files))]
    assert contents(path.parent) == {
        name: f'{{"seq":{n}}}' for name, n in zip(names, numbers, strict=True)
    }


@pytest.mark.parametrize("broken", range(4))
def test_a_rotation_goes_on_where_it_failed(
    path: Path, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    file = fill(path, 5)
    move, moves = Path.replace, 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal moves
        moves += 1
        if broken < moves <= broken + 3:
            raise PermissionError(errno.EACCES, "Permission denied")
        return move(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    for _ in range(3):
        with pytest.raises(PermissionError):
            file.write([b'{"seq":6}\n'])
    assert file.write([b'{"seq":6}\n']) == 1
    file.close()
    found = [contents(path.parent)[name] for name in sorted(contents(path.parent))]
    assert found == [f'{{"seq":{n}}}' for n in (6, 5, 4, 3, 2)]


def test_a_file_that_another_node_has_put_at_its_place_is_not_moved(path: Path) -> None:
    file = fill(path, 2)
    path.unlink()
    other = LineFile(JournalFile(path))
    other.write([b'{"seq":77}\n'])
    with pytest.raises(JournalError, match="another node"):
        file.write([b'{"seq":3}\n'])
    other.close()
    assert contents(path.parent)[path.name] == '{"seq":77}'
    assert file.write([b'{"seq":3}\n']) == 1, "it has ended, and its file is ours"
    file.close()
    assert contents(path.parent) == {path.name: '{"seq":3}', f"{path.name}.1": '{"seq":77}'}


def test_lines_that_could_not_be_synced_are_not_written_twice(
    path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(900, JournalFile(path, fsync="batch")) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing(errno.EIO))
            journal.write(entry(1), NOW)
            wait_for(lambda: journal.failure)
        wait_for(lambda: not journal.failure)
        journal.write(entry(2), NOW)
    assert numbers(path) == [1, 2]


@pytest.mark.parametrize("fsync", ["batch", "interval"])
def test_a_sync_that_failed_stays_due(
    path: Path, monkeypatch: pytest.MonkeyPatch, fsync: str
) -> None:
    monkeypatch.setattr(journal_file_module, "SYNC_SECONDS", 0.0)
    file = LineFile(JournalFile(path, max_bytes=5, fsync=fsync))
    file.write([b'{"seq":1}\n'])
    synced: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(errno.EIO))
        for attempt in (file.sync, file.sync, lambda: file.write([b'{"seq":2}\n'])):
            with pytest.raises(OSError, match="Input/output error"):
                attempt()
        patch.setattr(os, "fsync", synced.append)
        due = file.seconds_to_sync
        file.sync()
        file.sync()
    assert (due, file.seconds_to_sync, len(synced)) == (0.0, None, 1)
    file.close()
    assert path.read_bytes() == b'{"seq":1}\n'


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
