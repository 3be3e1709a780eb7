"""Judges a run by its history and the nodes' journals, as often as one likes. Pure but `load`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from klamm.controller.node.forms import Line
from klamm.controller.node.lines import decode
from klamm.tools.chaos.effects import lost_moves, lost_topics
from klamm.tools.chaos.history import (
    AnyEvent,
    Dropped,
    Ended,
    Fault,
    Final,
    HistoryError,
    Looked,
    Quiet,
    Strayed,
)
from klamm.tools.chaos.requests import Outcome, asked, refused_at_rest, unanswered
from klamm.tools.chaos.settled import MATTERS
from klamm.tools.chaos.terms import (
    Journals,
    deleted_in_use,
    gaps,
    offices,
    rivals,
    skipped_epochs,
    takeovers,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was looked at, and what is wrong about it: nothing, if all is well."""

    matter: str
    problems: tuple[str, ...]


def judge(events: Sequence[AnyEvent], journals: Journals) -> tuple[Verdict, ...]:
    """Judge everything that was promised, each promise by itself."""
    asks = asked(events, offices(events, journals))
    final = next((event for event in reversed(events) if isinstance(event, Final)), None)
    matters: dict[str, Iterable[str]] = {
        "every accepted request's effect is there": lost_moves(events, asks),
        "every request had one answer, or the end of its connection": unanswered(events),
        "all is granted once nothing is broken": refused_at_rest(events, asks),
        "one controller by epoch, epochs rise": rivals(events, journals),
        "no journal has a gap": gaps(journals),
        "no replica in sync lost its data": deleted_in_use(events, journals),
        "no node ended by itself": _ends(events),
    }
    if final is None:
        matters["the run came to its end"] = ["the history has no final state"]
    else:
        matters["topics are there, or gone, as asked"] = lost_topics(final, asks)
        matters |= {name: matter(final) for name, matter in MATTERS.items()}
    return tuple(Verdict(name, tuple(problems)) for name, problems in matters.items())


def _ends(events: Sequence[AnyEvent]) -> Iterable[str]:
    for event in events:
        if isinstance(event, Ended):
            yield f"node {event.node} at {event.at:.3f} s, status {event.status}: {event.said}"


def counts(events: Sequence[AnyEvent], journals: Journals) -> dict[str, int]:
    """Count what happened, for a summary."""
    asks = asked(events, offices(events, journals))
    outcomes = Counter(outcome for each in asks for outcome in each.parts.values())
    faults = Counter(e.action for e in events if isinstance(e, Fault) and not e.over)
    return {
        "requests": len(asks),
        "answered": sum(each.answer is not None for each in asks),
        **{outcome.value: outcomes[outcome] for outcome in Outcome},
        **{str(action): faults[action] for action in sorted(faults)},
        "takeovers": takeovers(journals),
        "epochs untold": len(skipped_epochs(journals)),
        "znode readings": sum(isinstance(event, Looked) for event in events),
        "replicas deleted": sum(isinstance(event, Dropped) for event in events),
        "strays": sum(isinstance(event, Strayed) for event in events),
        "came to rest": sum(isinstance(event, Quiet) for event in events),
    }


def load_journals(folder: Path) -> Journals:
    """Read the journals of a run from its folder; raises HistoryError.

    The last line may lack its end: the process was killed while it wrote it.
    """
    found: dict[int, list[Line]] = {}
    for path in sorted(folder.glob("node-*.jsonl")):
        lines = found[int(path.stem.rpartition("-")[2])] = []
        *whole, _ = path.read_bytes().split(b"\n")
        for number, line in enumerate(whole, 1):
            try:
                lines.append(decode(line))
            except msgspec.DecodeError as error:
                raise HistoryError(f"{path}, line {number}: {error}") from error
    return found
