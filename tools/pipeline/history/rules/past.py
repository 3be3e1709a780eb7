"""What a partition's history has told so far: what rules about the next event look back at.

It holds what stands now and little more, so that months of one partition take no more memory than
a day; only versions of znodes and epochs are kept, which grow with changes and not with time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from klamm.tools.pipeline.history.rules.event import Event, Form, Ids
from klamm.tools.pipeline.history.rules.places import place

ALTER, LIST = 45, 46


@dataclass(slots=True)
class Wish:
    """What a request, or an order by znode, wants: a target, or None to cancel."""

    target: Ids | None
    asked: int
    request: str
    answered: int | None = None
    code: int | None = None


@dataclass(slots=True)
class Past:
    """One partition until now. Events are counted by `at`."""

    at: int = 0
    held: Form | None = None
    held_event: Event | None = None
    topic_id: str = ""
    state: Form | None = None
    state_event: Event | None = None
    state_at: int = -1
    #: The ISR before the transaction of this zxid, for what one multi changes together.
    isr_was: Ids = ()
    zxid: int = -1
    order: Ids | None = None
    order_at: int = -1
    order_event: Event | None = None
    #: An order that a controller took out of the znode while its move was under way.
    taken_out: tuple[Ids, Event] | None = None
    assigned_at: int = -1
    assigned_zxid: int = -1
    dying: bool = False
    registered: set[int] = field(default_factory=set)
    gone_at: dict[int, int] = field(default_factory=dict)
    leaving: set[int] = field(default_factory=set)
    wishes: list[Wish] = field(default_factory=list)
    ordered: set[Ids] = field(default_factory=set)
    ordered_at: int = -1
    #: When it was first to be on, or move to, these replicas.
    begun: dict[Ids, int] = field(default_factory=dict)
    lead: tuple[int, int] | None = None
    leads_ever: set[tuple[int, int]] = field(default_factory=set)
    #: The highest leader epoch that each controller has told of, in this epoch of its office.
    told: dict[tuple[int | None, int | None], int] = field(default_factory=dict)
    #: By broker that was gone: the office that has told others so while it was in sync still,
    #: since when, who was told, and who lived.
    passed_over: dict[int, tuple[int | None, int, set[int], set[int]]] = field(default_factory=dict)
    #: Since when the preferred replica could lead and did not; and the longest such time.
    unpreferred_ms: int | None = None
    waited_ms: int = 0
    waited_event: Event | None = None
    logs: set[int] = field(default_factory=set)
    logs_lost: bool = False
    produced: int = 0
    #: By broker: the followers and epoch with which it leads.
    leading: dict[int, Form] = field(default_factory=dict)
    started_at: dict[int, int] = field(default_factory=dict)
    followed_at: dict[int, int] = field(default_factory=dict)
    stopped_at: dict[int, int] = field(default_factory=dict)
    hosted: dict[int, Form] = field(default_factory=dict)
    shown: dict[int, Form] = field(default_factory=dict)
    disks: dict[int, bool] = field(default_factory=dict)
    #: By node: what it listed to clients last, and when.
    listed: dict[int, tuple[int, Form | None]] = field(default_factory=dict)
    owed: Ids = ()
    hints: str = ""
    meddled: bool = False
    was_here: bool = False
    states: dict[int, list[Form]] = field(default_factory=dict)
    assignments: list[tuple[int, Form]] = field(default_factory=list)

    @property
    def isr(self) -> Ids:
        """Who is in sync, as the state znode has it."""
        return (self.state.isr if self.state is not None else None) or ()

    @property
    def targets(self) -> set[Ids | None]:
        """All that anybody has asked for."""
        return {*(wish.target for wish in self.wishes), *self.ordered}

    def around(self, event: Event) -> set[int]:
        """Return who is in sync, or was until the transaction of this event."""
        found = set(self.isr)
        if event.said.get("zxid") == self.zxid:
            found.update(self.isr_was)
        return found

    def asked_since(self, at: int) -> bool:
        """Tell whether a request may have counted since then, or still may."""
        return any(wish.answered is None or wish.answered >= at for wish in self.wishes)

    # --- folding ---------------------------------------------------------------------------------

    def fold(self, event: Event) -> None:
        """Take an event in, after it was judged."""
        self.at += 1
        match event.kind:
            case "znode-written":
                self._written(event)
                self.wait(event)
            case "request":
                self._asked(event)
            case "reply" | "request-lost":
                self._answered(event)
            case "log-created" if event.broker is not None:
                self.logs.add(event.broker)
            case "log-deleted" if event.broker is not None:
                self.logs.discard(event.broker)
            case "log-lost" if event.broker is not None:
                self.logs.discard(event.broker)
                self.logs_lost = True
            case "produced":
                self.produced = max(self.produced, int(event.said.get("offset", 0)))
            case "led" if event.broker is not None and event.after is not None:
                self.leading[event.broker] = event.after
            case "followed" if event.broker is not None:
                self.followed_at[event.broker] = self.at
                self.leading.pop(event.broker, None)
            case "process-started" if event.broker is not None:
                self.started_at[event.broker] = self.at
                self.leading.pop(event.broker, None)
            case "fetching-stopped" if event.broker is not None:
                self.stopped_at[event.broker] = self.at
            case "fetching-resumed" if event.broker is not None:
                self.stopped_at.pop(event.broker, None)
            case "process-ended" if event.broker is not None:
                self.leading.pop(event.broker, None)
            case "leaving" if event.broker is not None:
                self.leaving.add(event.broker)
            case "hosted" if event.broker is not None and event.after is not None:
                self.hosted[event.broker] = event.after
            case "shown" if event.broker is not None and event.after is not None:
                self.shown[event.broker] = event.after
            case "told-metadata":
                self._told_metadata(event)
            case "told-lead":
                self._told(event)
            case "disk" if event.broker is not None:
                self.disks[event.broker] = bool(event.said.get("running"))

    def wait(self, event: Event) -> None:
        """Count how long the preferred replica could lead, and did not."""
        held, state, now = self.held, self.state, event.at_ms
        first = held.replicas[0] if held is not None and held.replicas else None
        able = (
            state is not None
            and held is not None
            and not held.moving
            and first in self.isr
            and first in self.registered
            and state.leader != first
        )
        if self.unpreferred_ms is not None and now is not None:
            waited = now - self.unpreferred_ms
            if waited > self.waited_ms:
                self.waited_ms, self.waited_event = waited, event
        if not able:
            self.unpreferred_ms = None
        elif self.unpreferred_ms is None:
            self.unpreferred_ms = now

    def _written(self, event: Event) -> None:
        match place(event):
            case "topic":
                self._topic(event)
            case "state":
                self._state(event)
            case "order":
                self._order(event)
            case "deletion":
                self.dying = event.zk_version != -1
            case "broker" if event.zk_path is not None:
                id_ = int(event.zk_path.rpartition("/")[2])
                self.gone_at[id_] = self.at
                self.leaving.discard(id_)
                if event.zk_version == -1:
                    self.registered.discard(id_)
                else:
                    self.registered.add(id_)
            case "ledger":
                self.owed = tuple(event.said.get("owed", ()))
            case "hints":
                self.hints = event.said.get("hints", "")

    def _told(self, event: Event) -> None:
        epoch = event.after.leader_epoch if event.after is not None else None
        if epoch is not None:
            key = (event.node, event.controller_epoch)
            self.told[key] = max(epoch, self.told.get(key, -1))

    def _told_metadata(self, event: Event) -> None:
        self._told(event)
        live = event.said.get("live")
        if live is None or not set(self.isr).intersection(live):
            return  # the last ones in sync stay so, whoever is gone
        epoch, told = event.controller_epoch, event.broker
        for broker in set(self.isr).difference(live, self.registered):
            known = self.passed_over.get(broker)
            if known is None or known[0] != epoch:
                known = self.passed_over[broker] = (epoch, self.at, set(), set())
            known[2].update((told,) if told is not None else ())
            known[3].update(self.registered.intersection(live))

    def _topic(self, event: Event) -> None:
        said = event.said
        if event.zk_version == -1:
            self._gone()
            return
        if event.after is None:
            if said.get("dropped"):
                self.held = None
            return
        if self.held is None or self.held.assignment != event.after.assignment:
            self.assigned_at, self.assigned_zxid = self.at, said.get("zxid", -1)
            self.begun.setdefault(event.after.target, self.at)
            self.held_event = event
        self.registered |= set(said.get("registered", ()))
        self.held, self.topic_id = event.after, said.get("topic_id", "")
        self.assignments.append((event.zk_version or 0, event.after))

    def _gone(self) -> None:
        """Let a partition that comes with a new topic of this name begin anew."""
        self.held = self.held_event = self.lead = None
        self.topic_id = ""
        self.produced, self.logs_lost, self.was_here = 0, False, True
        self.told.clear()
        self.passed_over.clear()

    def _state(self, event: Event) -> None:
        zxid = event.said.get("zxid", -1)
        self.isr_was, self.zxid = self.isr, zxid
        self.meddled = event.node is None and event.zk_session == "0"
        if event.after is None:
            self.state = None
            if event.zk_version == -1 and event.node is None:
                self.lead = None
            return
        self.state, self.state_event, self.state_at = event.after, event, self.at
        self.states.setdefault(event.zk_version or 0, []).append(event.after)
        if event.after.leader is not None and event.after.leader_epoch is not None:
            self.lead = event.after.leader_epoch, event.after.leader
            self.leads_ever.add(self.lead)
        for broker in [*self.passed_over]:
            if event.node is not None or broker not in self.isr:
                del self.passed_over[broker]

    def _order(self, event: Event) -> None:
        now = event.after.replicas if event.after is not None else None
        if now == self.order:
            return
        held = self.held
        unfinished = now is None and held is not None and held.moving
        if unfinished and held is not None and held.target == self.order and event.node is not None:
            self.taken_out = held.target, event
        self.order, self.order_at, self.order_event = now, self.at, event
        if now is not None:
            self.ordered.add(now)
            self.ordered_at = self.at

    def _asked(self, event: Event) -> None:
        if event.rpc_api == ALTER and event.request is not None:
            target = event.after.replicas or () if event.after is not None else None
            self.wishes.append(Wish(target, self.at, event.request))

    def _answered(self, event: Event) -> None:
        if event.rpc_api == LIST and event.node is not None and event.said.get("all"):
            if event.rpc_error:
                self.listed.pop(event.node, None)
            elif not event.said.get("polled"):
                self.listed[event.node] = self.at, event.after
        for wish in self.wishes:
            if wish.request == event.request and wish.answered is None:
                wish.answered, wish.code = self.at, event.rpc_error
