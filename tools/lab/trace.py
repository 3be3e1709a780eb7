"""Traces: a run as text that a person can follow, and that is the same whenever the run is.

    step 6      1.0 s  zk serves n1
        znode     /brokers/topics/t v0 -> v1, by n1
                    partitions.0: [1,2] -> [2,3,1]

A line says in its first column what it tells of: `znode` what was written, `given` what a node was
given, `wants` what it asked for and `undone` what it would have if it had lived, `wire` what became
of requests (--> sent or answered, ==> taken in, -x- lost), `client` what was asked and answered,
by the client's own number. Lines that say the same again and again are one (`folding`), and so
are steps one after the other that do the same and of which nothing is told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from klamm.controller.store.port import SessionEvent
from klamm.tools.lab import folding, telling
from klamm.tools.lab.choices import PassedOver
from klamm.tools.lab.events import Happened, Violation
from klamm.tools.lab.invariants import rule

_COLUMN = 8


@dataclass(frozen=True, slots=True)
class Header:
    """What a run was: the names of its scope and variant, its seed, and how to do it again."""

    scope: str
    variant: str = ""
    seed: str = ""
    command: str = ""

    def lines(self) -> Iterator[str]:
        """Yield its text."""
        yield f"scope    {self.scope}"
        yield f"variant  {self.variant or 'none: the product'}"
        if self.seed:
            yield f"seed     {self.seed}"
        if self.command:
            yield f"replay   {self.command}"


def render(
    events: Iterable[Happened],
    header: Header,
    violation: Violation | None = None,
    *,
    passed_over: Sequence[PassedOver] = (),
    whole: bool = False,
) -> str:
    """Return a run's trace: what it was first, then each step, its verdict at the end.

    `passed_over` are lines of its script that were not possible, each told where it stood. With
    `whole` nothing is folded.
    """
    writers = Writers()
    lines = [*header.lines(), ""]
    missed = deque(passed_over)
    quiet: list[Happened] = []
    for happened in events:
        below = list(told(happened, writers, whole=whole))
        here = [_missed(missed.popleft()) for _ in range(_due(missed, happened.step))]
        silent = not (below or happened.fault or whole)
        if here or not silent or (quiet and quiet[-1].action != happened.action):
            lines += _quiet(quiet)
            quiet.clear()
        lines += here
        if silent:
            quiet.append(happened)
            continue
        lines.append(_step(happened))
        lines += (f"    {what:<{_COLUMN}}  {each}" for what, each in below)
    lines += [*_quiet(quiet), *map(_missed, missed), "", *verdict(violation)]
    return "\n".join(lines) + "\n"


def _due(missed: Iterable[PassedOver], step: int) -> int:
    """Count what stood before a step."""
    return sum(each.step <= step for each in missed)


def _step(happened: Happened) -> str:
    mark = "  <-- FAULT" if happened.fault else ""
    at = f"{happened.now:g} s"
    return f"step {happened.step:<5} {at:>10}  {happened.action}{mark}"


def _quiet(steps: Sequence[Happened]) -> Iterator[str]:
    """Yield one line for steps that do the same and of which nothing is told."""
    match steps:
        case [single]:
            yield _step(single)
        case [first, *_, last]:
            numbers = f"{first.step}-{last.step}"
            at = f"{last.now:g} s"
            yield f"step {numbers:<5} {at:>10}  {last.action}, {len(steps)} times"


def not_possible(missed: PassedOver) -> str:
    """Return what is told of a line at its place."""
    return f"not possible: {missed.line.strip()}"


def _missed(missed: PassedOver) -> str:
    return f"     {'':<5} {'':>10}  {not_possible(missed)}"


def not_all_possible(passed_over: Sequence[PassedOver], lines: int) -> Iterator[str]:
    """Yield how many of a script's lines were not possible, and the first; nothing if none."""
    if passed_over:
        step, line = passed_over[0]
        were = "was" if len(passed_over) == 1 else "were"
        yield (
            f"script   {len(passed_over)} of {lines} lines {were} not possible, the first "
            f"before step {step}: {line.strip()}"
        )


def verdict(violation: Violation | None) -> Iterator[str]:
    """Yield what came of a run."""
    if violation is None:
        yield "verdict  every invariant held"
        return
    yield f"verdict  {violation.invariant} does not hold since step {violation.step}"
    demanded = rule(violation.invariant)
    if demanded:
        yield f"         the rule: {demanded}"
    yield f"         {violation.text}"
    for each in violation.evidence:
        yield f"           {each}"


class Writers:
    """Who has which session; they are learned from what happens."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def learn(self, happened: Happened) -> None:
        """Learn from a step."""
        for event in happened.inputs:
            if isinstance(event, SessionEvent) and event.session:
                self._names[event.session] = happened.actor
        words = happened.action.split()
        sessions = {change.session for change in happened.znodes}
        if happened.actor == "zk" and len(words) > 2 and len(sessions) == 1:
            name = words[words.index("of") + 1] if "of" in words else words[2]
            self._names.setdefault(sessions.pop(), name)

    def name(self, session: int) -> str:
        """Return who writes with a session."""
        if not session:
            return "a tool"
        return self._names.get(session, f"session {session}")


def told(happened: Happened, writers: Writers, *, whole: bool = False) -> Iterator[tuple[str, str]]:
    """Yield what came of a step: the kind of each line, and the line; unless `whole`, folded."""
    writers.learn(happened)
    for asked in happened.asked:
        yield "client", f"({asked.number}) asks {asked.node}: {asked.what.name}"
        yield from (("client", f"  {line}") for line in telling.message(asked.what.body))
    for detail in happened.details:
        yield "chosen", detail
    if happened.ended:
        yield "ended", happened.ended
    yield from (("given", each) for each in folding.given(happened.inputs, whole))
    for change in happened.znodes:
        yield from (("znode", each) for each in telling.znode(change, writers.name(change.session)))
    yield from (("wants", each) for each in folding.asked(happened.effects, whole))
    yield from (("undone", each) for each in folding.asked(happened.undone, whole))
    for carried in happened.messages:
        yield from (("wire", each) for each in telling.carried(carried))
    for asked in happened.replied:
        yield "client", f"({asked.number}) is answered by {asked.node}: {asked.what.name}"
        for response in asked.responses:
            yield from (("client", f"  {line}") for line in telling.message(response))
