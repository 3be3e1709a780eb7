"""What an exhibit shows, as text: its story, what happened beat by beat, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from klamm.tools.lab.exhibit import Beat, Exhibit, Performed
from klamm.tools.lab.trace import Writers, told

_WIDTH = 96
#: What the short form shows of a step: what was written, and what clients asked and heard.
_SHORT = ("znode", "client", "chosen")


def heading(exhibit: Exhibit) -> str:
    """Return what it is about."""
    title = f"{exhibit.id}: {exhibit.title}"
    return "\n".join([title, "=" * len(title), "", *wrap(exhibit.story, _WIDTH)]) + "\n"


def narrated(performed: Performed, *, whole: bool = False) -> str:
    """Return what happened, each part under the sentence that tells of it.

    The short form shows what was written to ZooKeeper, what clients were answered, and faults.
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
        what = [*told(happened, writers)]
        shown = what if whole else [line for line in what if line[0] in _SHORT]
        if shown or whole or happened.fault:
            mark = "  <-- FAULT" if happened.fault else ""
            lines.append(f"    step {happened.step:<4} {happened.action}{mark}")
            lines += [f"        {kind:<7} {text}"[:_WIDTH] for kind, text in shown]
    for beat in beats[at:]:
        lines += _beat(beat)
    return "\n".join([*lines, "", *outcome(performed)]) + "\n"


def _beat(beat: Beat) -> Iterator[str]:
    mark = {None: "*", True: "+", False: "!"}[beat.holds]
    first, *others = wrap(beat.text, _WIDTH - 4)
    yield f"  {mark} {first}"
    yield from (f"    {each}" for each in others)


def outcome(performed: Performed) -> Iterator[str]:
    """Yield what came of a case."""
    case, violation = performed.case, performed.violation
    if violation is None:
        yield f"GREEN  {case.name}: every invariant and every claim held"
    else:
        where = "at rest" if violation.invariant == "liveness" else f"at step {violation.step}"
        first, *others = wrap(f"{violation.invariant} {where}: {violation.text}", _WIDTH - 9)
        yield f"RED    {case.name}: {first}"
        yield from (f"         {each}" for each in others)
    if not performed.as_expected:
        yield f"       UNEXPECTED: it should be {case.red or 'green'}"
