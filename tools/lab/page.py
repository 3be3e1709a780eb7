"""A run as one HTML page that needs nothing else: a timeline to step through, and what was where.

Lanes are clients, nodes, ZooKeeper, brokers, and whoever else acted; a row is a step. Messages are
lines from the step in which they were sent to the one in which they arrived. Beside it stands how
everything was after the chosen step.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

from klamm.tools.lab.events import Carried, Happened, Violation, Way
from klamm.tools.lab.film import Film, Frame
from klamm.tools.lab.page_template import TEMPLATE
from klamm.tools.lab.telling import kind
from klamm.tools.lab.trace import Header, Writers, told, verdict

_CLIENTS, _ZOOKEEPER = "clients", "zk"
#: Actors that have no lane of their own share this one.
_WORLD = "world"
_NO_STORY: Mapping[int, Sequence[str]] = MappingProxyType({})


def render_page(
    events: Sequence[Happened],
    film: Film,
    header: Header,
    violation: Violation | None = None,
    story: Mapping[int, Sequence[str]] = _NO_STORY,
) -> str:
    """Return the page of a run of which there is a film; `story` are sentences by step.

    Raises ValueError if the film is not of these events: begin it before the first of them.
    """
    if len(film.frames) != len(events):
        raise ValueError(f"a film of {len(film.frames)} steps, but {len(events)} have happened")
    lanes = _lanes(film.first)
    title = f"{header.scope}{f' with {header.variant}' if header.variant else ''}"
    run = {
        "lanes": lanes,
        "first": _frame(film.first),
        "steps": list(_steps(events, film, lanes, story)),
        "arrows": list(_arrows(events, lanes)),
        "violation": None if violation is None else violation.step,
    }
    came_of_it = list(verdict(violation))
    summary = "\n".join((*header.lines(), *came_of_it))
    return (
        TEMPLATE.replace("@TITLE@", escape(title))
        .replace("@SUMMARY@", escape(summary))
        .replace("@OUTCOME@", "green" if violation is None else "red")
        .replace("@VERDICT@", escape(came_of_it[0].removeprefix("verdict").strip()))
        .replace("@DATA@", embedded(run))
    )


def embedded(data: Mapping[str, Any]) -> str:
    """Return JSON that is safe in a script element: nothing in it can end it, or open a comment.

    Two line separators that JSON allows and JavaScript did not are escaped as well.
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _lanes(first: Frame) -> list[str]:
    nodes = [name for name in first.hosts if name.startswith("n")]
    brokers = [name for name in first.hosts if name.startswith("b")]
    return [_CLIENTS, *nodes, _ZOOKEEPER, *brokers, _WORLD]


def _steps(
    events: Iterable[Happened],
    film: Film,
    lanes: Sequence[str],
    story: Mapping[int, Sequence[str]],
) -> Iterator[dict[str, Any]]:
    writers = Writers()
    for happened, frame in zip(events, film.frames, strict=True):
        sentences = [("story", text) for text in story.get(happened.step, ())]
        yield {
            "n": happened.step,
            "t": f"{happened.now:g} s",
            "lane": _lane(happened, lanes),
            "action": happened.action,
            "fault": happened.fault,
            "lines": [list(line) for line in (*sentences, *told(happened, writers))],
            **_frame(frame),
        }


def _lane(happened: Happened, lanes: Sequence[str]) -> int:
    """Return who acts; a fault stands with the host that it is about."""
    if happened.actor == "client":
        return lanes.index(_CLIENTS)
    for word in (happened.actor, *happened.action.split()):
        if word in lanes:
            return lanes.index(word)
    return lanes.index(_WORLD)


def _frame(frame: Frame) -> dict[str, Any]:
    return {"hosts": frame.hosts, "znodes": frame.znodes}


def _arrows(events: Sequence[Happened], lanes: Sequence[str]) -> Iterator[list[Any]]:
    """Yield lines as [row, lane, row, lane, label, whether lost]; rows count from 0.

    A request goes from where it was sent to where it was taken in or lost, a response from there
    to where it arrived. What clients and ZooKeeper say takes one row.
    """
    sent: dict[tuple[str, str, int], int] = {}
    taken: dict[tuple[str, str, int], int] = {}
    for row, happened in enumerate(events):
        for each in happened.messages:
            if each.source in lanes and each.target in lanes:
                yield from _arrow(row, each, lanes, sent, taken)
        for asked in happened.asked:
            if asked.node in lanes:
                yield [row, lanes.index(_CLIENTS), row, lanes.index(asked.node), "asks", False]
        for asked in happened.replied:
            if asked.node in lanes:
                yield [row, lanes.index(asked.node), row, lanes.index(_CLIENTS), "answers", False]
        match happened.action.split():
            case ["zk", "serves", name, *_] if name in lanes:
                yield [row, lanes.index(name), row, lanes.index(_ZOOKEEPER), "", False]
            case ["zk", "tells", name] if name in lanes:
                yield [row, lanes.index(_ZOOKEEPER), row, lanes.index(name), "", False]


def _arrow(
    row: int,
    each: Carried,
    lanes: Sequence[str],
    sent: dict[tuple[str, str, int], int],
    taken: dict[tuple[str, str, int], int],
) -> Iterator[list[Any]]:
    there, back = lanes.index(each.source), lanes.index(each.target)
    request = each.source, each.target, each.number
    match each.way:
        case Way.SENT:
            sent[request] = row
        case Way.TAKEN | Way.LATE:
            taken[request] = row
            yield [sent.get(request, row), there, row, back, kind(each.message), False]
        case Way.LOST:
            yield [sent.get(request, row), there, row, back, kind(each.message), True]
        case Way.ANSWERED:
            begun = taken.get((each.target, each.source, each.number), row)
            yield [begun, there, row, back, kind(each.message), False]
