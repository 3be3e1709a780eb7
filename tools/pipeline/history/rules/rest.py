"""Liveness, I10, I12 and I13: how a partition must be once nothing fails any more and all rests.

No more is demanded than a core that works can give: what needs a broker that is not able, or what a
tool has taken out of its leader's hands, is not counted. See klamm.tools.lab.liveness.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from klamm.tools.pipeline.history.rules.event import Event, Form, Ids
from klamm.tools.pipeline.history.rules.finding import Finding, Findings
from klamm.tools.pipeline.history.rules.past import Past
from klamm.tools.pipeline.history.rules.places import brokerid
from klamm.tools.pipeline.history.rules.writes import NO_LEADER


class _Hints(msgspec.Struct):
    """What is looked at of /klamm/reassignment_steps/TOPIC."""

    partitions: dict[str, msgspec.Raw] = {}


#: A look at preferred replicas may take so long, in seconds.
_LOOK_S = 5
#: Answers after which a request may have been carried out all the same.
_UNCERTAIN = (41, -1)


def judge_rest(past: Past, event: Event) -> Findings:
    """Judge a partition at rest; "" as what it is like is filled in where it is one known bug's."""
    said = event.said
    past.wait(event)
    for rule, text, like in (
        *_logs(past, said),
        *_state(past, said),
        *_lists(past, said),
        *_wishes(past, said),
        *_left(past, said, event.partition),
        *_preferred(past, said),
    ):
        shown = past.state_event or past.held_event
        whole = f"{event.name} at rest: {text}"
        yield Finding(rule, whole, (shown, event) if shown is not None else (event,), like)


def _logs(past: Past, said: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """I10: no replica is on a disk outside RS, of brokers that run (KAFKA-7362)."""
    led = past.state is None or past.state.leader != NO_LEADER
    for broker, running in sorted(past.disks.items()):
        if not running:
            continue
        if past.held is None:
            yield "I10", f"broker {broker} keeps a log, and there is no such partition", "F52"
        elif broker not in (past.held.replicas or ()) and led:
            yield (
                "I10",
                f"broker {broker} keeps a log, replicas {list(past.held.replicas or ())}",
                "H7",
            )
    if past.held is None and not said.get("dying"):
        for broker in sorted(past.shown):
            yield "liveness", f"broker {broker} tells clients of it, and there is none", ""


def _state(past: Past, said: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    held, state = past.held, past.state
    if held is None or said.get("dying"):
        return
    able = [each for each in held.replicas or () if each in said.get("able", ())]
    if state is None:
        if able:
            yield "liveness", f"it has no state, and {able} could lead it", "N3"
        return
    if not set(able) & set(past.isr) or past.meddled:
        return
    if state.leader == NO_LEADER or state.leader not in said.get("running", ()):
        yield "I4", f"leader {state.leader}; {able} of {state} could lead it", "F16"
        return
    gone = {state.leader, *past.isr} - set(said.get("registered", ()))
    if gone:
        yield "I4", f"broker {min(n for n in gone if n is not None)} is gone: {state}", "F40"
    if held.moving and said.get("held_up"):
        return
    if held.moving and set(held.target) <= set(able):
        text = f"it moves to {[*held.target]} still, which are all able: {held} {state}"
        yield "liveness", text, "F43"
    missing = [each for each in able if each not in past.isr]
    if missing:
        yield "liveness", f"{missing} could be in sync: {held} {state}", "F41"
    yield from _known(past, said, state, set(able))


def _known(
    past: Past, said: dict[str, Any], state: Form, able: set[int]
) -> Iterator[tuple[str, str, str]]:
    want = (state.leader, state.leader_epoch)
    for broker in said.get("running", ()):
        hosted, shown = past.hosted.get(broker), past.shown.get(broker)
        if broker in able and hosted is None:
            yield "liveness", f"broker {broker} hosts no replica", "F14"
        elif broker in able and hosted and (hosted.leader, hosted.leader_epoch) != want:
            yield "I7", f"broker {broker} has {hosted}; it is {state}", "F10"
        if shown is None:
            yield "liveness", f"broker {broker} tells clients nothing of it", ""
        elif (shown.leader, shown.leader_epoch) != want or set(shown.isr or ()) != set(past.isr):
            yield "I7", f"broker {broker} tells clients {shown}; it is {state}", "F10"


def _lists(past: Past, said: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """I13: what the controller lists is what the topic znode holds (R455-40).

    What it listed before that was written, or another one did that is no longer in office, was so.
    """
    node = brokerid(said.get("controller"))
    if node is None or node not in past.listed:
        return
    at, listed = past.listed[node]
    held = past.held.assignment if past.held is not None and past.held.moving else None
    told = listed.assignment if listed is not None else None
    if told != held and at > past.assigned_at:
        yield "I13", f"node {node} lists {listed or 'no move'}, held is {past.held}", "H5"


def _wishes(past: Past, said: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What clients were promised last is what a partition has, or moves to (F01, F04, H4)."""
    promised = [wish for wish in past.wishes if wish.code == 0]
    if not promised or past.held is None or said.get("tools") or past.was_here:
        return
    latest = max(wish.asked for wish in promised)
    allowed = {
        wish.target
        for wish in past.wishes
        if (wish.code == 0 and (wish.answered or 0) >= latest)
        or (wish.code is None or wish.code in _UNCERTAIN)
    }
    if None in allowed or past.ordered_at > latest:
        return  # a cancel, or somebody's order by znode, may have had the last word
    target = past.held.target
    if target in past.ordered and past.begun.get(target, latest) >= latest:
        return  # an order that was there before may have been read after
    if past.held.target not in allowed:
        targets = " or ".join(str([*each]) for each in sorted(filter(None, allowed)))
        text = f"it was to move to {targets} and is to be on {[*past.held.target]}"
        yield "liveness", text, "F04"


def _left(
    past: Past, said: dict[str, Any], partition: int | None
) -> Iterator[tuple[str, str, str]]:
    """What is there until it is done is gone: orders, debts, hints of steps."""
    if past.order is not None and not said.get("held_up"):
        yield "I12", f"/admin/reassign_partitions orders {[*past.order]} still", "F06"
    led = past.state is None or past.state.leader != NO_LEADER
    due: Ids = tuple(each for each in past.owed if each in said.get("whole", ()))
    if due and led and not said.get("dying"):
        yield "liveness", f"{[*due]} still owe the deletion of their log", "H7"
    if _is_hinted(past, partition) and past.held is not None and not past.held.moving:
        yield "liveness", f"it does not move, and a step's hint is left: {past.hints}", "S2"
    if past.dying and not _waits(past, said):
        yield "liveness", "its topic is to be deleted, and is still there", "F50"


def _is_hinted(past: Past, partition: int | None) -> bool:
    """Tell whether the topic's hints of steps have one of this partition."""
    try:
        found = msgspec.json.decode(past.hints or "{}", type=_Hints)
    except msgspec.MsgspecError:
        return False  # a tool's
    return str(partition) in found.partitions


def _preferred(past: Past, said: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """F17: the preferred replica gets its lead back when that is looked at, whatever moves."""
    every_s = said.get("rebalance_s")
    if every_s is not None and past.waited_ms > (every_s + _LOOK_S) * 1000:
        waited = past.waited_ms / 1000
        yield "F17", f"its preferred replica could lead for {waited:g} s and did not", "F17"


def _waits(past: Past, said: dict[str, Any]) -> bool:
    holders = {*(past.held.replicas or () if past.held is not None else ()), *past.owed}
    return bool(said.get("held_up")) or not holders <= set(said.get("whole", ()))


def judge_still(past: Past, event: Event) -> Findings:
    """F50: a deletion goes on as soon as all brokers that it needs are there."""
    said = event.said
    if past.dying and past.held is not None and not past.held.moving and not _waits(past, said):
        text = f"{event.name} is to be deleted, all its brokers are there, and nobody does anything"
        yield Finding("liveness", text, (event,), "F50")


JUDGES = {"rest": judge_rest, "still": judge_still}
