"""I5 to I7: what controllers told brokers, and what became of the data on their disks."""

from __future__ import annotations

from collections.abc import Callable

from klamm.tools.pipeline.history.rules.event import Event
from klamm.tools.pipeline.history.rules.finding import Finding, Findings
from klamm.tools.pipeline.history.rules.past import ALTER, LIST, Past

#: As a leader, the partition is taken back (LeaderAndIsr.LeaderDuringDelete).
_TAKEN_BACK = -2
_UNKNOWN = -1
_STORAGE_ERROR = 56


def judge_metadata(past: Past, event: Event) -> Findings:
    """I4: a controller that tells others a broker is gone takes it out of the ISR (KAFKA-3143)."""
    live = event.said.get("live", ())
    for broker, (epoch, since, told, lived) in past.passed_over.items():
        if broker not in live or epoch != event.controller_epoch or past.dying:
            continue
        if told >= lived and past.started_at.get(broker, -1) > since:
            text = f"broker {broker} was gone and is back, as node {event.node} has told, and"
            shown = (past.state_event, event) if past.state_event is not None else (event,)
            yield Finding("I4", f"{text} {event.name} had it all the time", shown, "F40")
    yield from judge_told(past, event)


def judge_told(past: Past, event: Event) -> Findings:
    """I7: what brokers are told was in ZooKeeper, and is no older than what its teller wrote."""
    now = event.after
    if now is None or now.leader_epoch is None or now.leader in (None, _TAKEN_BACK):
        return
    lead = now.leader_epoch, now.leader
    what = f"node {event.node} tells broker {event.broker}: {event.name} led by {now.leader}"
    shown = (past.state_event, event) if past.state_event is not None else (event,)
    if past.leads_ever and lead not in past.leads_ever:
        text = f"{what} in epoch {now.leader_epoch}, which never was in ZooKeeper"
        yield Finding("I7", text, shown, "F10")
        return
    told = past.told.get((event.node, event.controller_epoch), -1)
    if now.leader_epoch < told:
        text = f"{what} in epoch {now.leader_epoch}, and has told of {told} before"
        yield Finding("I7", text, shown, "F10")


def judge_stop(past: Past, event: Event) -> Findings:
    """I5: no replica is told to delete while the leader still has it for one (KAFKA-1097)."""
    if not event.said.get("delete") or past.dying or past.state is None:
        return
    leader = past.state.leader
    led = past.leading.get(leader) if leader is not None else None
    if led is not None and event.broker != leader and event.broker in (led.replicas or ()):
        text = (
            f"node {event.node} tells broker {event.broker} to delete {event.name}, and its leader"
            f" {leader} has it still for a replica, in epoch {led.leader_epoch}"
        )
        yield Finding("I5", text, (event,), "F12")


def judge_deleted(past: Past, event: Event) -> Findings:
    """I5: no log goes that is in sync, nor the last one of those in sync."""
    if past.dying or past.held is None or past.state is None:
        return
    isr = past.isr
    if set(isr).isdisjoint(past.held.replicas or ()):
        return  # dropped into darkness by a cancel, which is judged where that was written
    shown = (past.state_event, event) if past.state_event is not None else (event,)
    if event.broker in isr:
        text = f"broker {event.broker} deleted {event.name}, of which it is in sync: {[*isr]}"
        yield Finding("I5", text, shown, "F12")
    elif isr and not past.logs.intersection(isr) and not past.logs_lost:
        text = f"broker {event.broker} deleted {event.name}; nobody of ISR {[*isr]} has the data"
        yield Finding("I5", text, shown)


def judge_led(past: Past, event: Event) -> Findings:
    """I6: no leader has less than what was acknowledged."""
    now, end = event.after, int(event.said.get("offset", 0))
    if now is None or past.dying or past.logs_lost or end >= past.produced:
        return
    if past.lead == (now.leader_epoch, now.leader):
        text = f"broker {event.broker} leads {event.name} with {end} bytes,"
        yield Finding("I6", f"{text} {past.produced} were acknowledged", (event,))


def judge_heard(past: Past, event: Event) -> Findings:
    """F14: a replica that is added is made, whatever disk of its broker is broken.

    KAFKA_STORAGE_ERROR to a LeaderAndIsr that does not call the replica new, of one that the move
    adds and that has no log yet (KAFKA-10314).
    """
    now = event.after
    if now is None or event.rpc_error in (None, 0) or event.broker is None:
        return
    is_new = bool(event.said.get("is_new"))
    is_added = event.broker in (now.adding or ()) and event.broker not in past.logs
    if event.rpc_error == _STORAGE_ERROR and is_added and not is_new and not past.logs_lost:
        text = f"broker {event.broker} is to get {event.name}, and was not told that it is new"
        yield Finding("F14", text, (event,), "F14")


def judge_joined(past: Past, event: Event) -> Findings:
    """F44: nobody joins the ISR whose fetchers have stood still since it started (KAFKA-15221)."""
    if event.after is None or event.after.isr is None:
        return
    if past.state is None:
        return
    for member in sorted(set(event.after.isr) - set(past.isr)):
        started, followed = past.started_at.get(member, -1), past.followed_at.get(member, -1)
        stopped = past.stopped_at.get(member)
        never = followed < started or (stopped is not None and stopped < followed)
        if started >= 0 and stopped is not None and never:
            text = f"broker {member} is in the ISR of {event.name}, and has fetched nothing since"
            yield Finding("F44", f"{text} it was started", (event,), "F44")


def judge_answered(past: Past, event: Event) -> Findings:
    """I9, N7: an ISR that a leader is told of stands in its state znode; who is out says so."""
    now, last = event.after, past.state_event
    shown = (last, event) if last is not None else (event,)
    what = f"node {event.node} tells broker {event.broker} of {event.name}"
    if event.rpc_error == _UNKNOWN and last is not None and last.node not in (None, event.node):
        yield Finding("N7", f"{what} an unknown error, and was replaced", shown, "N7")
    if event.rpc_error or now is None or now.version is None or not past.states:
        return
    if not any(each.isr == now.isr for each in past.states.get(now.version, ())):
        yield Finding("I9", f"{what} what never was, version {now.version}: {now}", shown)


def judge_reply(past: Past, event: Event) -> Findings:
    """What clients are answered: an empty target is refused (F26)."""
    if event.rpc_api == LIST and event.said.get("polled"):
        yield from _polled(past, event)
    if event.rpc_api != ALTER:
        return
    for wish in past.wishes:
        if wish.request != event.request:
            continue
        if wish.target is not None and not wish.target and not event.rpc_error:
            text = f"node {event.node} grants {event.name} a target without replicas"
            yield Finding("F26", text, (event,), "F26")


def _polled(past: Past, event: Event) -> Findings:
    """I13: who has told brokers of a move lists it, too.

    Until then a controller may not have heard that its write is done.
    """
    held, state, last = past.held, past.state, past.held_event
    if held is None or state is None or last is None or last.node != event.node:
        return
    told = past.told.get((event.node, last.controller_epoch), -1)
    if told < (state.leader_epoch or 0) or past.assigned_zxid != past.zxid:
        return
    listed = event.after.assignment if event.after is not None else None
    if listed != (held.assignment if held.moving else None):
        text = f"node {event.node} lists {event.after or 'no move'} of {event.name}, held is {held}"
        yield Finding("I13", text, (last, event), "F25")


JUDGES: dict[str, Callable[[Past, Event], Findings]] = {
    "told-lead": judge_told,
    "told-metadata": judge_metadata,
    "told-stop": judge_stop,
    "log-deleted": judge_deleted,
    "led": judge_led,
    "heard-lead": judge_heard,
    "isr-answered": judge_answered,
    "reply": judge_reply,
}
