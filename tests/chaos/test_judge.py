"""Every verdict can fail: a run in which all went well, with one thing wrong at a time."""

from collections.abc import Callable
from pathlib import Path

import pytest
from chaos.runs import (
    ALTER,
    ASSIGNED,
    STATE,
    final,
    history,
    journals,
    line,
    state,
    without,
    write,
)

from klamm.controller.node.forms import Line
from klamm.controller.node.lines import encode as encode_line
from klamm.tools.chaos.history import (
    HISTORY,
    Answered,
    AnyEvent,
    Closed,
    Delete,
    Dropped,
    Elected,
    Ended,
    Final,
    HistoryError,
    Looked,
    Quiet,
    Replicas,
    Sent,
    StateSeen,
    Strayed,
    encode,
    read,
)
from klamm.tools.chaos.judge import counts, judge, load_journals

Run = tuple[list[AnyEvent], dict[int, list[Line]]]
Plant = Callable[[list[AnyEvent], dict[int, list[Line]]], object]


def broken(events: list[AnyEvent], lines: dict[int, list[Line]]) -> dict[str, tuple[str, ...]]:
    return {each.matter: each.problems for each in judge(events, lines) if each.problems}


def test_a_run_in_which_all_went_well_is_not_blamed() -> None:
    assert broken(history(), journals()) == {}


def ending(**changes: object) -> Plant:
    def plant(events: list[AnyEvent], _: dict[int, list[Line]]) -> None:
        events[-1] = final(**changes)

    return plant


def adding(*more: AnyEvent) -> Plant:
    def plant(events: list[AnyEvent], _: dict[int, list[Line]]) -> None:
        events[-1:-1] = more

    return plant


def dropping(*kinds: type) -> Plant:
    def plant(events: list[AnyEvent], _: dict[int, list[Line]]) -> None:
        events[:] = without(events, *kinds)

    return plant


def journalling(node: int, *more: Line) -> Plant:
    return lambda _, lines: lines[node].extend(more)


EFFECT = "every accepted request's effect is there"
ANSWERS = "every request had one answer, or the end of its connection"
GRANTED = "all is granted once nothing is broken"
EPOCHS = "one controller by epoch, epochs rise"
GAPS = "no journal has a gap"
DATA = "no replica in sync lost its data"
ENDS = "no node ended by itself"
TOPICS = "topics are there, or gone, as asked"
MOVES = "after healing all moves end"
MEMORY = "znodes equal memory"
LEADERS = "leaders and ISRs are sane"
DISKS = "disks hold what is assigned, no strays"

DELETED = (Sent(3.0, "maker", 8, 0, 901, Delete("t")), Answered(3.1, 8, 0, codes={"t": 0}))
MOVING = Replicas((2, 3, 1), (3,), (1,))

VIOLATIONS: list[tuple[str, str, Plant]] = [
    (EFFECT, "lost at the end", ending(topics={"t": {0: Replicas((1, 2))}})),
    (EFFECT, "undone", adding(Looked(5.5, 5.4, {"t": {0: Replicas((1, 2))}}))),
    (EFFECT, "out of nowhere", adding(Looked(0.9, 0.8, {"t": {0: MOVING}}))),
    (ANSWERS, "doubled", adding(Answered(3.0, 3, 0, codes={"t:0": 0}))),
    (ANSWERS, "never sent", adding(Answered(3.0, 3, 7, codes={"t:0": 0}))),
    (ANSWERS, "never answered", adding(Sent(3.0, "mover", 3, 2, 901, ALTER))),
    (ANSWERS, "of something else", adding(Sent(3.0, "m", 9, 0, 901, ALTER), Answered(3.1, 9, 0))),
    (ANSWERS, "garbage", adding(Strayed(3.0, 3, "answer 7, expected 2"))),
    (GRANTED, "refused", adding(Sent(7.0, "p", 5, 0, 901, ALTER), Answered(7.1, 5, 0, error=41))),
    (
        GRANTED,
        "refused in part",
        adding(Answered(7.1, 5, 0, codes={"t:0": 39}), Sent(7.0, "p", 5, 0, 901, ALTER)),
    ),
    (GRANTED, "cut off", adding(Sent(7.0, "p", 5, 0, 901, ALTER), Closed(7.1, 5, "lost"))),
    (GRANTED, "no rest", dropping(Quiet)),
    (EPOCHS, "won twice", journalling(900, line(900, 5, 2, 2.0, "elected"))),
    (
        EPOCHS,
        "two writers",
        journalling(900, line(900, 5, 2, 2.6, "accept", topic="t", partition=0, writes=write(7))),
    ),
    (
        EPOCHS,
        "one version twice",
        journalling(900, line(900, 5, 1, 2.6, "accept", topic="t", partition=0, writes=write(2))),
    ),
    (EPOCHS, "not rising", journalling(901, line(901, 6, 1, 4.0, "elected"))),
    (EPOCHS, "falling", adding(Elected(5.0, 900, 1))),
    (EPOCHS, "unknown to ZooKeeper", journalling(900, line(900, 5, 3, 4.0, "elected"))),
    (GAPS, "missing", journalling(900, line(900, 6, 1, 2.0, "told"))),
    (GAPS, "doubled", journalling(900, line(900, 4, 1, 2.0, "told"))),
    (GAPS, "of another", journalling(900, line(901, 5, 1, 2.0, "told"))),
    (DATA, "in sync", adding(Dropped(8.5, 3, "t:0"))),
    (ENDS, "crash", adding(Ended(3.0, 900, 1, "Traceback"))),
    (TOPICS, "not deleted", adding(*DELETED)),
    (TOPICS, "gone", ending(topics={}, states={}, told={901: {}}, disks={}, leads={})),
    (MOVES, "stuck", ending(topics={"t": {0: MOVING}})),
    (MOVES, "deletion stuck", ending(deletions=("old",))),
    (MEMORY, "another leader", ending(told={901: {"t:0": (ASSIGNED, StateSeen(3, 5, ASSIGNED))}})),
    (MEMORY, "other replicas", ending(told={901: {"t:0": ((3, 2), STATE)}})),
    (
        MEMORY,
        "a topic too many",
        ending(told={901: {"t:0": (ASSIGNED, STATE), "u:0": ((1,), STATE)}}),
    ),
    (MEMORY, "a standby astray", ending(told={901: {"t:0": (ASSIGNED, STATE)}, 900: {}})),
    (MEMORY, "listed", ending(listed={"t:0": MOVING})),
    (MEMORY, "nobody in office", ending(controller=None)),
    (LEADERS, "none", ending(states={"t:0": StateSeen(-1, 6, ASSIGNED)})),
    (LEADERS, "dead", ending(alive=(1, 3))),
    (LEADERS, "two", ending(leads={2: ("t:0",), 3: ("t:0",)})),
    (LEADERS, "unaware", ending(leads={2: (), 3: ()})),
    (LEADERS, "out of sync", ending(states={"t:0": StateSeen(2, 5, (2,))})),
    (LEADERS, "no state", ending(states={})),
    (DISKS, "stray", ending(disks={1: ("t:0",), 2: ("t:0",), 3: ("t:0",)})),
    (DISKS, "of a topic that is gone", ending(disks={1: ("old:0",), 2: ("t:0",), 3: ("t:0",)})),
    (DISKS, "lacking", ending(disks={1: (), 2: ("t:0",), 3: ()})),
]


@pytest.mark.parametrize(
    ("matter", "plant"),
    [pytest.param(matter, plant, id=f"{matter}: {name}") for matter, name, plant in VIOLATIONS],
)
def test_a_violation_is_found(matter: str, plant: Plant) -> None:
    events, lines = history(), journals()
    plant(events, lines)
    found = broken(events, lines)
    assert matter in found, found


def test_every_matter_has_a_violation() -> None:
    judged = {verdict.matter for verdict in judge(history(), journals())}
    assert judged == {matter for matter, _, _ in VIOLATIONS}


def test_a_history_without_an_end_is_blamed_for_that() -> None:
    assert "the run came to its end" in broken(without(history(), Final), journals())


def test_what_a_controller_refused_when_it_lost_its_office_may_have_happened() -> None:
    """Node 900 answers 41 while in office: what it was asked for may be there, and may not."""
    events, lines = history(), journals()
    early: list[AnyEvent] = [
        Sent(0.6, "m", 7, 0, 900, ALTER),
        Answered(0.7, 7, 0, error=41),
        Closed(0.8, 7, ""),
    ]
    events[5:5] = [*early, Looked(0.95, 0.94, {"t": {0: MOVING}})]
    assert broken(events, lines) == {}
    assert counts(events, lines)["unknown"] == 1
    lines[900][3] = line(900, 4, 1, 0.45, "resigned")
    assert EFFECT in broken(events, lines), "it was no controller any more"


def test_a_replica_that_left_the_isr_a_moment_ago_may_be_deleted() -> None:
    events, lines = history(), journals()
    lines[901].append(line(901, 6, 2, 8.0, "end", topic="t", partition=0, after=state(6, 2)))
    events.insert(-1, Dropped(8.5, 3, "t:0"))
    assert DATA not in broken(events, lines)


def test_of_the_entries_of_one_commit_the_last_one_counts() -> None:
    events, lines = history(), journals()
    for seq, isr in ((6, (2, 3)), (7, (2,))):
        entry = line(901, seq, 2, 8.0, "end", topic="t", partition=0, after=state(6, *isr))
        lines[901].append(entry)
    events.insert(-1, Dropped(8.5, 3, "t:0"))
    assert DATA not in broken(events, lines)


def test_the_replicas_of_a_topic_that_is_deleted_go_in_sync_as_they_are() -> None:
    events, lines = history(), journals()
    events[-1:-1] = [*DELETED, Dropped(8.5, 3, "t:0")]
    assert DATA not in broken(events, lines)


def test_entries_that_were_dropped_leave_no_gap_that_counts() -> None:
    lines = journals()
    lines[900] += [line(900, 5, 1, 2.0, "lost", lost=3), line(900, 8, 1, 2.1, "told")]
    lines[900] += [line(900, 2, 0, 3.0, "started")]
    assert broken(history(), lines) == {}


def test_a_run_is_counted() -> None:
    found = counts(history(), journals())
    wanted = {"requests": 5, "answered": 5, "accepted": 3, "refused": 1, "unknown": 0}
    assert {name: found[name] for name in wanted} == wanted
    assert (found["takeovers"], found["epochs untold"], found["replicas deleted"]) == (2, 0, 1)


def test_a_run_is_judged_again_from_its_files(tmp_path: Path) -> None:
    (tmp_path / HISTORY).write_bytes(b"".join(encode(event) + b"\n" for event in history()))
    for node, lines in journals().items():
        text = b"".join(encode_line(each) + b"\n" for each in lines)
        (tmp_path / f"node-{node}.jsonl").write_bytes(text + b'{"v":1,"se')  # killed in a write
    assert read(tmp_path) == tuple(history())
    assert load_journals(tmp_path) == journals()


@pytest.mark.parametrize("text", [b"{}\n", b"nonsense\n", b'{"type":"Quiet"}\n'])
def test_files_that_are_none_are_named(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(HistoryError, match=HISTORY):
        read(tmp_path)
    (tmp_path / HISTORY).write_bytes(text)
    with pytest.raises(HistoryError, match="line 1"):
        read(tmp_path)
    (tmp_path / "node-900.jsonl").write_bytes(text)
    with pytest.raises(HistoryError, match="line 1"):
        load_journals(tmp_path)
