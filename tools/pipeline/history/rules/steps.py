"""V1 to V8: moves in steps (KIP-435), by what `step-begin` and `step-end` say; R435-64.

The journal alone is enough: an entry about a step has the limits in force, what was added and
dropped, and the partition before and after it. V4 is about all partitions at once, and in `Slots`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from klamm.controller.core.pace import UNLIMITED
from klamm.tools.pipeline.history.rules.event import Event, Form
from klamm.tools.pipeline.history.rules.finding import Finding, Findings

#: The kinds of events that a cluster's steps are counted by.
COUNTED = frozenset({"step-begin", "step-end", "step-abandoned", "end", "cancel", "supersede"})
_LEADER = "leader"


@dataclass(frozen=True, slots=True)
class _Step:
    """A step that has ended, as the journal tells it."""

    event: Event
    was: Form
    now: Form
    said: dict[str, Any]

    @property
    def step(self) -> dict[str, Any]:
        found: dict[str, Any] = self.said.get("step") or {}
        return found

    @property
    def kind(self) -> str:
        return str(self.step.get("kind") or "")

    @property
    def limit(self) -> int:
        return int(self.step.get("limit", UNLIMITED))

    @property
    def whole(self) -> bool:
        """Tell whether it was a move without a limit of replicas, as KIP-455 makes it."""
        return self.limit == UNLIMITED

    @property
    def added(self) -> set[int]:
        return set(self.step.get("added", ()))

    @property
    def dropped(self) -> set[int]:
        return set(self.was.replicas or ()) - set(self.now.replicas or ())

    @property
    def in_sync(self) -> set[int]:
        return {*(self.was.isr or ()), *(self.now.isr or ())}

    @property
    def late(self) -> set[int]:
        """The adding replicas that were not in sync."""
        return set(self.was.adding or ()) - self.in_sync

    @property
    def size(self) -> int:
        return len(self.was.target)

    def hosted(self, when: str) -> set[int]:
        """Return the replicas that are told, before or after."""
        pace = self.said.get(f"pace_{when}") or {}
        form = self.was if when == "before" else self.now
        return set(pace.get("hosted", form.replicas or ()))

    def wrong(self, rule: str, text: str) -> Finding:
        whole = f"the {self.kind} step of {self.event.name} {text}: {self.was} -> {self.now}"
        return Finding(rule, whole, (self.event,))


def judge_end(event: Event, first: Form | None) -> Findings:
    """Judge a step that has ended: V1, V2, V3, V6, V7 and V8.

    `first` is the partition before the Commit; of one that had to elect first nobody saw more.
    """
    if event.before is None or event.after is None:
        return
    step = _Step(event, first or event.before, event.after, event.said)
    if step.kind != _LEADER and step.was.leader != event.before.leader:
        return
    least = max(1, int(step.step.get("min_isr", 1)))
    left = step.in_sync - step.dropped
    if len(left) < min(len(step.in_sync), least, step.size):
        yield step.wrong("V1", f"leaves {len(left)} in sync, min.insync.replicas is {least}")
    early = step.late & step.added
    if early and not step.whole:
        yield step.wrong("V2", f"ended while {sorted(early)} were not in sync")
    yield from _gets_on(step)
    if len(step.dropped) > step.limit:
        yield step.wrong("V3", f"drops {sorted(step.dropped)}, the limit is {step.limit}")
    if step.now.moving and step.now.target != step.was.target:
        yield step.wrong("V6", f"changes the target to {[*step.now.target]}")
    yield from _hosts(step)
    yield from _leads(step)


def _gets_on(step: _Step) -> Findings:
    """V2: a step leaves less to be done of its move than there was."""
    missing = step.late | step.added
    before = _left(step.was, missing)
    after = _left(step.now, step.late - step.dropped)
    kept = step.was.leader in (step.now.isr or ()) or step.was.leader in step.dropped
    if before and after >= before + (not kept):
        yield step.wrong("V2", f"left as much to do as before, {after} of {before}")


def _left(form: Form, missing: set[int]) -> int:
    elsewhere = bool(form.target) and form.leader != form.target[0]
    return len(missing) + len(form.removing or ()) + elsewhere


def _hosts(step: _Step) -> Findings:
    """V7: replicas, or those that a cancel gives back, are not below the size of the target."""
    told = step.hosted("before") - step.late
    after = step.hosted("after")
    if len(after) < min(len(told), step.size):
        yield step.wrong("V7", f"leaves {len(after)} replicas that are told")
    was, now = len(step.was.origin), len(step.now.origin)
    if now < min(was, step.size):
        yield step.wrong("V7", f"leaves {now} for a cancel to give back")


def _leads(step: _Step) -> Findings:
    """V8: a step never drops the leader, and only one that is there for that brings another."""
    if step.whole:
        return
    if step.was.leader in step.dropped and step.was.leader in (step.was.isr or ()):
        yield step.wrong("V8", f"drops its leader {step.was.leader}")
        return
    elects = step.now.leader != step.was.leader and step.was.leader in (step.now.isr or ())
    if elects and step.kind != _LEADER:
        yield step.wrong("V8", f"takes the lead from {step.was.leader}")


def judge_begin(event: Event, first: Form | None) -> Findings:
    """V3: a step adds no more than its limit, but the first for min.insync.replicas."""
    if event.after is None:
        return
    said = event.said
    step = said.get("step") or {}
    limit, added = int(step.get("limit", UNLIMITED)), tuple(step.get("added", ()))
    in_force = int((step.get("limits") or {}).get("replicas", UNLIMITED))
    need = int(step.get("min_isr", 1)) - len(event.after.isr or ())
    is_first = int(step.get("number", 1)) <= 1
    if len(added) > max(limit, need if is_first else 0):
        text = f"a step of {event.name} adds {[*added]}, the limit is {limit}"
        yield Finding("V3", text, (event,))
    if limit != in_force:
        text = f"a step of {event.name} began under limit {limit}, in force is {in_force}"
        yield Finding("V3", text, (event,))
    if step.get("kind") == "fill" and not is_first:
        yield Finding("V3", f"a later step of {event.name} fills up for producers", (event,))


def judge_over(event: Event, first: Form | None) -> Findings:
    """V5 and V6: a move that is over is led by the first of its target, and is on the target."""
    was, now = event.before, event.after
    pace = event.said.get("pace_before") or {}
    if was is None or now is None or not pace or not was.target:
        return
    running = pace.get("running") or {}
    limit = int(running.get("limit", UNLIMITED)) if running else 0
    if now.replicas != was.target:
        text = f"the move of {event.name} in steps ended at {list(now.replicas or ())}"
        yield Finding("V6", f"{text}, its target was {[*was.target]}", (event,))
    head = was.target[0]
    if limit != UNLIMITED and now.leader != head and head in (now.isr or ()):
        text = f"the move of {event.name} in steps ended with leader {now.leader}, not {head}"
        yield Finding("V5", text, (event,))


def judge_changed(event: Event, first: Form | None) -> Findings:
    """Judge a step that is over though no decision said so: its count rises all the same."""
    said = event.said
    before, after = said.get("pace_before") or {}, said.get("pace_after") or {}
    running = before.get("running")
    if event.before is None or event.after is None or not running:
        return
    if after.get("steps", 0) != before.get("steps", 0) + 1:
        return
    step = {"kind": running.get("kind"), "added": running.get("adding", ())}
    step["limit"] = running.get("limit", UNLIMITED)
    found = _Step(event, event.before, event.after, {**said, "step": step})
    early = found.late & found.added
    if early and not found.whole:
        yield found.wrong("V2", f"ended while {sorted(early)} were not in sync")


JUDGES: dict[str, Callable[[Event, Form | None], Findings]] = {
    "step-begin": judge_begin,
    "step-end": judge_end,
    "end": judge_over,
    "changed": judge_changed,
}


@dataclass(slots=True)
class Slots:
    """V4: the steps of a cluster that run at once, in the order of its journal."""

    epoch: int | None = None
    running: dict[str, tuple[str, Event]] = field(default_factory=dict)

    def take(self, event: Event) -> Findings:
        """Count an event in; one of `COUNTED`."""
        if event.controller_epoch != self.epoch:
            # A new office chooses anew what runs; steps that go on are not begun again.
            self.epoch = event.controller_epoch
            self.running.clear()
        if event.kind != "step-begin":
            self.running.pop(event.name, None)
            return
        step = event.said.get("step") or {}
        kind, limits = str(step.get("kind") or ""), step.get("limits") or {}
        self.running[event.name] = kind, event
        leading = {name: each for name, each in self.running.items() if each[0] == _LEADER}
        for what, running, key in (
            ("", self.running, "partitions"),
            ("leader ", leading if kind == _LEADER else {}, "leaders"),
        ):
            limit = int(limits.get(key, UNLIMITED))
            if len(running) > limit:
                text = f"{len(running)} {what}steps run at once, {limit} may:"
                shown = tuple(each for _, each in running.values())
                yield Finding("V4", f"{text} {', '.join(sorted(running))}", shown[-5:])
