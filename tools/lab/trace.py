"""Traces: a run as text that a person can follow, and that is the same whenever the run is.

    step 6      1.0 s  zk serves n1
        znode     /brokers/topics/t v0 -> v1, by n1
                    partitions.0: [1,2] -> [2,3,1]

A line says in its first column what it tells of: `znode` what was written, `given` what a node was
given, `wants` what it asked for and `undone` what it would have if it had lived, `wire` what became
of requests (--> sent or answered, ==> taken in, -x- lost), `client` what was asked and answered,
by the client's own number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from klamm.controller.store.port import SessionEvent
from klamm.tools.lab import telling
from klamm.tools.lab.events import Happened, Violation

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


def render(events: Iterable[Happened], header: Header, violation: Violation | None = None) -> str:
    """Return a run's trace; what it was first, then each step, its verdict at the end."""
    writers = Writers()
    lines = [*header.lines(), ""]
    for happened in events:
        mark = "  <-- FAULT" if happened.fault else ""
        at = f"{happened.now:g} s"
        lines.append(f"step {happened.step:<5} {at:>10}  {happened.action}{mark}")
        for what, each in told(happened, writers):
            lines.append(f"    {what:<{_COLUMN}}  {each}")
    lines += ["", *verdict(violation)]
    return "\n".join(lines) + "\n"


def verdict(violation: Violation | None) -> Iterator[str]:
    """Yield what came of a run."""
    if violation is None:
        yield "verdict  every invariant held"
        return
    yield f"verdict  {violation.invariant} does not hold since step {violation.step}"
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


def told(happened: Happened, writers: Writers) -> Iterator[tuple[str, str]]:
    """Yield what came of a step: the kind of each line, and the line."""
    writers.learn(happened)
    for asked in happened.asked:
        yield "client", f"({asked.number}) asks {asked.node}: {asked.what.name}"
        yield from (("client", f"  {line}") for line in telling.message(asked.what.body))
    for detail in happened.details:
        yield "chosen", detail
    for event in happened.inputs:
        text = telling.given(event)
        if text is not None:
            yield "given", text
    for change in happened.znodes:
        yield from (("znode", each) for each in telling.znode(change, writers.name(change.session)))
    for effect in happened.effects:
        yield from (("wants", each) for each in telling.asked(effect))
    for effect in happened.undone:
        yield from (("undone", each) for each in telling.asked(effect))
    for carried in happened.messages:
        yield from (("wire", each) for each in telling.carried(carried))
    for asked in happened.replied:
        yield "client", f"({asked.number}) is answered by {asked.node}: {asked.what.name}"
        for response in asked.responses:
            yield from (("client", f"  {line}") for line in telling.message(response))
