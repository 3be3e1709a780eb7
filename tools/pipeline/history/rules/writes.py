"""I1 to I4, I7, I11 and I12: what controllers wrote into the znodes of a partition.

Judged by ZooKeeper's own record of writes, as the lab judges them (klamm.tools.lab.invariants):
who wrote, with which session, in whose epoch. What tools write is not for a controller to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from klamm.controller.znodes import paths
from klamm.tools.pipeline.history.rules.event import Event, Form, Ids
from klamm.tools.pipeline.history.rules.finding import Finding, Findings
from klamm.tools.pipeline.history.rules.past import Past
from klamm.tools.pipeline.history.rules.places import place
from klamm.tools.pipeline.history.rules.telling import judge_joined

NO_LEADER = -1
_CONTROLLERS = (f"{paths.TOPICS}/", f"{paths.KLAMM}/", "/admin/")
_ANYBODYS = frozenset((*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS))


def own_epoch(event: Event) -> str:
    """I1: what a node writes as controller, it writes in the epoch that its session began."""
    path = event.zk_path or ""
    if event.node is None or not path.startswith(_CONTROLLERS) or path in _ANYBODYS:
        return ""
    if path.startswith(f"{paths.KLAMM_NODES}/"):
        return ""
    incumbent = event.said.get("incumbent")
    if incumbent in (None, event.zk_session):
        return ""
    return (
        f"node {event.node} wrote {path} with session {event.zk_session}, and epoch"
        f" {event.controller_epoch} is that of session {incumbent}"
    )


def judge_write(past: Past, event: Event) -> Findings:
    """Judge what was written of this partition."""
    what = place(event)
    yield from _taken_out(past, event)
    text = own_epoch(event) if what in ("topic", "state", "order", "ledger") else ""
    if text:
        yield Finding("I1", text, (event,), "F33")
    if what == "topic" and event.node is not None:
        yield from _topic(past, event)
    elif what == "state":
        yield from _state(past, event)
        if event.node is None and event.zk_session != "0":
            yield from judge_joined(past, event)
    elif what == "order" and event.node is not None:
        yield from _order(past, event)


def _taken_out(past: Past, event: Event) -> Findings:
    """H4, N9: an order stays as long as its move does, or is replaced in the same transaction."""
    if past.taken_out is None or event.said.get("zxid") == past.taken_out[1].said.get("zxid"):
        return
    (target, taken), past.taken_out = past.taken_out, None
    if past.held is not None and past.held.moving and past.held.target == target:
        text = f"took out the order of {[*target]}, whose move is under way"
        yield _of(taken, "I12", text, past.held_event, "H4")


# --- topic znodes --------------------------------------------------------------------------------


def _topic(past: Past, event: Event) -> Findings:
    said = event.said
    if "unreadable" in said:
        yield _of(event, "I2", f"what nobody can read: {said['unreadable']}", past.held_event)
        return
    if said.get("dropped"):
        yield _of(event, "I2", "dropped the partition from its topic", past.held_event, "F19")
    now, was = event.after, past.held
    if now is None:
        if event.zk_version == -1 and was is not None and was.moving and past.dying:
            text = f"is deleted while it moves to {[*was.target]}"
            yield _of(event, "N5", text, past.held_event, "N5")
        return
    if was is not None and past.topic_id and said.get("topic_id", "") != past.topic_id:
        text = f"the topic's id was {past.topic_id} and is {said.get('topic_id') or 'none'}"
        yield _of(event, "I11", text, past.held_event, "F54")
    for rule, text, like in _assignment(past, event, was, now):
        yield _of(event, rule, text, past.held_event, like)


def _assignment(
    past: Past, event: Event, was: Form | None, now: Form
) -> Iterator[tuple[str, str, str]]:
    alone = _of_one(now)
    if alone:
        yield "I2", alone, "H1" if not now.target else ""
        return
    if was is None or was.assignment == now.assignment:
        return
    in_sync, limited = past.around(event), bool(event.said.get("limited"))
    text = _of_both(past, was, now, in_sync, limited)
    if text:
        yield "I2", text, "F01"
    if not _ends_well(past, was, now, in_sync, limited):
        text = f"ended at {list(now.replicas or ())}, the target was {[*was.target]}"
        yield "I3", f"{text}, the origin {[*was.origin]}", "F18"
    strangers = [
        each
        for each in now.adding or ()
        if each not in (was.replicas or ())
        and each not in past.registered
        and each not in past.gone_at
    ]
    if strangers and past.registered:
        yield "I2", f"there never was a broker {strangers[0]}, which it adds", "H2"
    if now.target != was.target and now.moving and len(set(now.target)) < len(now.target):
        yield "I2", f"the target {[*now.target]} names a broker twice", "N4"
    live = event.said.get("live")
    if live is not None and was.moving:
        yield from _remaining(past, event, was, now, set(live))


def _of_one(now: Form) -> str:
    replicas, adding, removing = (set(each) for each in now.assignment)
    if adding & removing:
        return "a replica is adding and removing"
    if not replicas >= adding | removing:
        return "an adding or removing replica is no replica"
    if not now.origin:
        return "no origin is left to go back to"
    return "" if now.target else "the target is empty"


def _of_both(past: Past, was: Form, now: Form, in_sync: set[int], limited: bool) -> str:
    if not now.moving:
        return ""
    origins, asked = [set(was.origin)], past.targets
    if set(was.adding or ()) <= in_sync:
        # The move ended, and another began in the same turn; so may one that began in between.
        origins += [set(was.target), *(set(each) for each in asked if each and {*each} <= in_sync)]
    if set(now.origin) not in origins and not _stepped(was, now, in_sync, limited):
        return f"the origin was {[*was.origin]} and is {[*now.origin]}"
    if now.target != was.target and now.target not in asked:
        return f"nobody has asked for {[*now.target]}"
    return ""


def _ends_well(past: Past, was: Form, now: Form, in_sync: set[int], limited: bool) -> bool:
    replicas, asked = now.replicas or (), past.targets
    if now.moving or replicas == was.target or set(replicas) == set(was.origin):
        return True
    if None in asked and _stepped(was, now, in_sync, limited):
        return True
    new = set(replicas) - set(was.origin) if was.moving else set(replicas)
    if replicas in asked and (new <= in_sync or set(replicas) == set(was.target)):
        return True
    ended = set(was.adding or ()) <= in_sync
    return None in asked and ended and set(replicas) == set(was.target)


def _stepped(was: Form, now: Form, in_sync: set[int], limited: bool) -> bool:
    """Tell whether the origin is as a step leaves it: some are dropped, others have settled."""
    dropped, settled = set(was.origin) - set(now.origin), set(now.origin) - set(was.origin)
    return (
        limited
        and bool(dropped)
        and dropped <= set(was.removing or ())
        and settled <= in_sync.intersection(was.adding or ())
        and len(settled) <= len(dropped)
    )


def _remaining(
    past: Past, event: Event, was: Form, now: Form, live: set[int]
) -> Iterator[tuple[str, str, str]]:
    """I5: somebody who lives, as far as the controller had told, stays in sync.

    Judged where a replica that is in sync is dropped. Source: LI #442, and KRaft's cancel.
    """
    gone = set(was.replicas or ()).difference(now.replicas or ())
    in_sync = past.around(event)
    if not gone & in_sync or past.dying:
        return
    left = in_sync.intersection(now.replicas or ()) & live
    if not left:
        cancelled = set(now.replicas or ()) == set(was.origin)
        text = f"goes from {list(was.replicas or ())} to {list(now.replicas or ())}: of ISR"
        yield (
            "I5",
            f"{text} {sorted(in_sync)} nobody remains who was told to live",
            "F15" if cancelled else "H8",
        )
    late = set(now.target) - in_sync
    ended = not now.moving and now.replicas == was.target
    if ended and late:
        yield "I3", f"ended while {sorted(late)} of its target were not in sync", "F18"


# --- state znodes --------------------------------------------------------------------------------


def _state(past: Past, event: Event) -> Findings:
    if event.zk_session == "0":
        return
    said = event.said
    if "unreadable" in said:
        yield _of(event, "I4", f"what nobody can read: {said['unreadable']}", past.state_event)
        return
    now = event.after
    if now is None:
        return
    was = past.state
    text = insane(now)
    if text and not (was is not None and insane(was) == text):
        yield _of(event, "I4", text, past.state_event)
    epoch, leader = past.lead or (-1, NO_LEADER)
    found, led = now.leader_epoch, now.leader
    if found is None or led is None:
        return
    if found < epoch:
        text = f"the leader epoch fell from {epoch} to {found}"
        yield _of(event, "I7", text, past.state_event, "F12")
    elif found == epoch and led != leader:
        text = f"leader {leader} and leader {led} in one epoch, {epoch}"
        yield _of(event, "I7", text, past.state_event, "F45")
    yield from _first_epoch(past, event, now)
    if led == NO_LEADER and event.node is not None:
        yield from _leaderless(past, event, now)


def _leaderless(past: Past, event: Event, now: Form) -> Findings:
    """F16: who is stopped as a leader has a successor, if anybody in sync lives (KAFKA-14808)."""
    was = past.state
    if was is None or past.dying or past.logs_lost:
        return
    able = past.registered.intersection(now.isr or (), past.logs) - past.leaving - {was.leader}
    stays = was.leader is not None and past.gone_at.get(was.leader, -1) < past.state_at
    if able and stays and was.leader in past.registered.intersection(was.isr or ()):
        text = f"nobody leads after {was.leader}, and {sorted(able)} could: {now}"
        yield _of(event, "I4", text, past.state_event, "F16")


def _first_epoch(past: Past, event: Event, now: Form) -> Findings:
    """N15: what comes with a new topic goes on for nothing of the one before it of this name."""
    was = past.state
    if not past.was_here or past.held is None or event.node is None or not now.leader_epoch:
        return
    if event.zk_version == 0 and past.lead is None:
        text = f"a new topic's first leader epoch is {now.leader_epoch}"
        yield _of(event, "N15", text, past.held_event, "N15")
    elif event.zk_version == 1 and was is not None and past.state_event is not None:
        same = (was.leader, was.isr) == (now.leader, now.isr) and past.assigned_at < past.state_at
        known = was.leader if was.leader is not None else NO_LEADER
        if same and past.started_at.get(known, -1) < past.state_at > past.gone_at.get(known, -1):
            text = f"a new topic's leader epoch {now.leader_epoch} begins with no reason"
            yield _of(event, "N15", text, past.state_event, "N15")


def insane(state: Form, *, is_kept: bool = False) -> str:
    """Say what cannot be of a leader and its ISR, "" if all is sound.

    `is_kept`: KRaft keeps others that may lead, so the ISR may be empty until one does (KIP-966).
    """
    if not state.isr:
        return "" if is_kept and state.leader == NO_LEADER else "nobody is in sync"
    if state.leader not in (NO_LEADER, *state.isr):
        return f"leader {state.leader} is not in sync"
    return ""


# --- orders --------------------------------------------------------------------------------------


def _order(past: Past, event: Event) -> Findings:
    """I12: a controller takes no order away that is to be begun, and makes none."""
    now = event.after.replicas if event.after is not None else None
    if now is not None:
        if now != past.order:
            yield _of(event, "I12", f"orders {[*now]} itself", past.order_event, "F08")
    elif past.order is not None and _is_lost(past, past.order):
        text = f"took out the order of {[*past.order]}, which was never begun"
        yield _of(event, "I12", text, past.order_event, "F03")


def _is_lost(past: Past, order: Ids) -> bool:
    held, since = past.held, past.order_at
    if held is None or held.target == order or past.assigned_at >= since:
        return False
    if past.asked_since(since) or past.dying or past.leaving.intersection(order):
        return False
    if any(past.gone_at.get(each, -1) >= since or each not in past.registered for each in order):
        return False
    return bool(set(past.isr) & {*held.origin, *order})


def _of(event: Event, rule: str, text: str, shown: Event | None, like: str = "") -> Finding:
    who = f"node {event.node}" if event.node is not None else f"session {event.zk_session}"
    whole = f"{event.name}, as {who} wrote it: {text}"
    return Finding(rule, whole, (shown, event) if shown is not None else (event,), like)


JUDGES: dict[str, Callable[[Past, Event], Findings]] = {"znode-written": judge_write}
