"""What an exhibit shows, as text: its story, what happened beat by beat, and what came of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from klamm.tools.lab.brief import action, brief
from klamm.tools.lab.events import Happened
from klamm.tools.lab.exhibit import Beat, Exhibit, Performed
from klamm.tools.lab.trace import Writers, told

_WIDTH = 96
_STEP = " " * 4
_BELOW = " " * 8
#: What stands before a sentence, and before a claim that holds or does not.
_MARKS = {None: "*", True: "+", False: "!"}


def heading(exhibit: Exhibit) -> str:
    """Return what it is about."""
    title = f"{exhibit.id}: {exhibit.title}"
    return "\n".join([title, "=" * len(title), "", *wrap(exhibit.story, _WIDTH)]) + "\n"


def narrated(performed: Performed, *, whole: bool = False) -> str:
    """Return what happened, each part under the sentence that tells of it.

    The short form shows what was written to ZooKeeper, what clients were answered, what journals
    warn of, and faults.
    """
    case, events = performed.case, performed.stage.world.events
    variant = f" (variant {case.variant})" if case.variant else ""
    lines = ["", f"--- {case.name}{variant} ---"]
    writers = Writers()
    beats = [*performed.stage.beats]
    at = 0
    for happened in events:
        while at < len(beats) and beats[at].step < happened.step:
            lines += _beat(beats[at])
            at += 1
        below = _all(happened, writers) if whole else _short(happened, writers)
        if below or whole or happened.fault or happened.asked:
            mark = "  <-- FAULT" if happened.fault else ""
            lines.append(f"{_STEP}step {happened.step:<4} {action(happened)}{mark}")
            lines += below
    for beat in beats[at:]:
        lines += _beat(beat)
    return "\n".join([*lines, "", *outcome(performed)]) + "\n"


def sentences(performed: Performed, shown: Sequence[Happened]) -> Mapping[int, list[str]]:
    """Return what is said and claimed, by the step after it, or the last one shown.

    A claim has before it whether it held.
    """
    steps = [happened.step for happened in shown]
    found: dict[int, list[str]] = {}
    for beat in performed.stage.beats if steps else ():
        at = min(bisect_right(steps, beat.step), len(steps) - 1)
        found.setdefault(steps[at], []).append(f"{_MARKS[beat.holds]} {_said(beat)}")
    return found


def _short(happened: Happened, writers: Writers) -> list[str]:
    indent = f"{_BELOW}  "
    return [
        line
        for text in brief(happened, writers)
        for line in wrap(text, _WIDTH, initial_indent=_BELOW, subsequent_indent=indent)
    ]


def _all(happened: Happened, writers: Writers) -> list[str]:
    lines = (f"{_BELOW}{kind:<7} {text}".rstrip() for kind, text in told(happened, writers))
    return [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..." for line in lines]


def _beat(beat: Beat) -> Iterator[str]:
    first, *others = wrap(_said(beat), _WIDTH - 4)
    yield f"  {_MARKS[beat.holds]} {first}"
    yield from (f"    {each}" for each in others)


def _said(beat: Beat) -> str:
    """Return its sentence; that of a claim which does not hold must not read like a fact."""
    return f"not so: {beat.text}" if beat.holds is False else beat.text


def outcome(performed: Performed) -> Iterator[str]:
    """Yield what came of a case."""
    case, violation = performed.case, performed.violation
    if violation is None:
        yield f"GREEN  {case.name}: every invariant and every claim held"
    else:
        where = "at rest" if violation.invariant == "liveness" else f"at step {violation.step}"
        text = f"RED    {case.name}: {violation.invariant} {where}: {violation.text}"
        yield from wrap(text, _WIDTH, subsequent_indent=" " * 7)
    if not performed.as_expected:
        yield f"       UNEXPECTED: it should be {case.red or 'green'}"
