"""I1, I8, I14 and liveness of a cluster: offices, requests, and what is left at rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from klamm.controller.znodes import paths
from klamm.tools.pipeline.history.kinds import JOURNAL
from klamm.tools.pipeline.history.rules.event import Event
from klamm.tools.pipeline.history.rules.finding import Finding, Findings
from klamm.tools.pipeline.history.rules.orders import BEGUN, Waiting, ordered
from klamm.tools.pipeline.history.rules.places import brokerid
from klamm.tools.pipeline.history.rules.steps import COUNTED, Slots
from klamm.tools.pipeline.history.rules.writes import own_epoch

#: So many orders that leave their znode alone, in the same millisecond, should have left together.
ONE_BY_ONE = 3
_NOT_CONTROLLER = 41
#: What is looked at of partitions.
OF_PARTITIONS = COUNTED | BEGUN


@dataclass(slots=True)
class Cluster:
    """What was told until now that is about no partition."""

    epoch: int = 0
    controller: int | None = None
    requests: dict[str, Event] = field(default_factory=dict)
    replied: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    in_flight: dict[tuple[int | None, int | None], dict[str, Event]] = field(default_factory=dict)
    refused: dict[int, Event] = field(default_factory=dict)
    slots: Slots = field(default_factory=Slots)
    orders: int = 0
    one_by_one: list[Event] = field(default_factory=list)
    waiting: Waiting = field(default_factory=Waiting)

    def take(self, event: Event) -> Findings:
        """Judge an event, and take it in."""
        judge = _JUDGES.get(event.kind)
        if judge is not None and event.partition is None:
            yield from judge(self, event)
        if event.kind in COUNTED and event.partition is not None:
            yield from self.slots.take(event)
        if event.origin == JOURNAL:
            self.waiting.take(event)

    def end(self) -> Findings:
        """Judge the whole."""
        yield from self.waiting.end()


def _written(self: Cluster, event: Event) -> Findings:
    path = event.zk_path or ""
    text = own_epoch(event)
    if text:
        yield Finding("I1", text, (event,), "F33")
    if path == paths.CONTROLLER_EPOCH:
        data = str(event.said.get("data") or "")
        epoch = int(data) if data.strip().isdigit() else None
        if event.node is not None and (epoch is None or epoch <= self.epoch):
            text = f"node {event.node} began epoch {data!r} after epoch {self.epoch}"
            yield Finding("I1", text, (event,), "F31")
        self.epoch = self.epoch if epoch is None else epoch
    elif path == paths.REASSIGN_PARTITIONS:
        yield from _orders(self, event)
    elif path == paths.CONTROLLER:
        self.controller = None if event.zk_version == -1 else brokerid(event.said.get("data"))


def _orders(self: Cluster, event: Event) -> Findings:
    """F27: orders that are done together leave their znode together (KAFKA-6617)."""
    names = ordered(event.said)
    self.waiting.ordered(event.zk_version, names)
    count = len(names)
    one_less = event.node is not None and count == self.orders - 1
    last = self.one_by_one[-1] if self.one_by_one else None
    at_once = last is None or (last.node, last.at_ms) == (event.node, event.at_ms)
    self.one_by_one = [*(self.one_by_one if at_once else ()), event] if one_less else []
    self.orders = count
    if len(self.one_by_one) == ONE_BY_ONE:
        text = f"node {event.node} took orders out of their znode one by one, at the same time"
        yield Finding("F27", text, tuple(self.one_by_one), "F27")


# --- requests ------------------------------------------------------------------------------------


def _asked(self: Cluster, event: Event) -> Findings:
    yield from ()
    if event.request is not None:
        self.requests[event.request] = event


def _replied(self: Cluster, event: Event) -> Findings:
    """I8: no request is answered twice, or after its connection has ended."""
    request = event.request
    if request is None:
        return
    if request in self.replied or request in self.lost:
        why = "again" if request in self.replied else "after its connection ended"
        yield Finding("I8", f"node {event.node} answers request {request} {why}", (event,))
    self.replied.add(request)
    if event.rpc_api == 46 and event.node is not None:
        if event.rpc_error == _NOT_CONTROLLER:
            self.refused[event.node] = event
        else:
            self.refused.pop(event.node, None)
    self.requests.pop(request, None)


def _no_reply(self: Cluster, event: Event) -> Findings:
    yield from ()
    if event.request is not None:
        self.lost.add(event.request)
        self.requests.pop(event.request, None)


# --- requests to brokers -------------------------------------------------------------------------


def _sent(self: Cluster, event: Event) -> Findings:
    """I14: each broker has one request at a time (ControllerChannelManager.RequestSendThread)."""
    waiting = self.in_flight.setdefault((event.node, event.broker), {})
    epoch = event.said.get("broker_epoch")
    for request in [r for r, e in waiting.items() if e.said.get("broker_epoch") != epoch]:
        del waiting[request]
    if event.request is not None:
        waiting[event.request] = event
    if len(waiting) > 1:
        text = f"{len(waiting)} requests of node {event.node} to broker {event.broker} at once"
        yield Finding("I14", f"{text}: {', '.join(waiting)}", tuple(waiting.values())[-5:])


def _over(self: Cluster, event: Event) -> Findings:
    yield from ()
    if event.request is not None:
        self.in_flight.get((event.node, event.broker), {}).pop(event.request, None)


def _ended(self: Cluster, event: Event) -> Findings:
    yield from ()
    for key in [key for key in self.in_flight if event.node is not None and key[0] == event.node]:
        del self.in_flight[key]


# --- offices -------------------------------------------------------------------------------------


def _resigned(self: Cluster, event: Event) -> Findings:
    yield from ()
    self.in_flight = {k: v for k, v in self.in_flight.items() if k[0] != event.node}


def _fault(self: Cluster, event: Event) -> Findings:
    """A fault that its own program tells of: nothing of the kind may happen."""
    yield Finding("fault", f"{_whose(event)}: {event.text or event.kind}", (event,))


def _whose(event: Event) -> str:
    if event.node is not None:
        return f"node {event.node}"
    return "somebody" if event.broker is None else f"broker {event.broker}"


# --- the end -------------------------------------------------------------------------------------


def _still(self: Cluster, event: Event) -> Findings:
    """Liveness: where nodes run and nothing is on its way, one of them is controller."""
    said = event.said
    if said.get("controller") is None and said.get("nodes"):
        text = f"nodes {said['nodes']} run, nothing is on its way, and there is no controller"
        yield Finding("liveness", text, (event,), "N1")


def _rest(self: Cluster, event: Event) -> Findings:
    """Liveness: at rest somebody is controller, requests have answers, orders are carried out."""
    said = event.said
    for request, asked in self.requests.items():
        text = f"request {request} of node {asked.node}, {asked.said.get('name')}, has no answer"
        yield Finding("I8", text, (asked,), "F20")
    if said.get("controller") is None:
        yield Finding("liveness", "there is no controller at rest", (event,), "F36")
    holder = brokerid(said.get("controller"))
    if holder in self.refused:
        text = f"/controller names node {holder}, which says that it is not the controller"
        yield Finding("liveness", text, (self.refused[holder],), "F39")
    for path in said.get("znodes", ()):
        if path.startswith(f"{paths.DELETE_TOPICS}/"):
            continue  # judged by its partitions
        if path == paths.REASSIGN_PARTITIONS and said.get("held_up"):
            continue
        yield Finding("I12", f"{path} is still there at rest", (event,), "F06")


_JUDGES: dict[str, Callable[[Cluster, Event], Findings]] = {
    "znode-written": _written,
    "request": _asked,
    "reply": _replied,
    "request-lost": _no_reply,
    "control-sent": _sent,
    "control-answered": _over,
    "control-lost": _over,
    "process-ended": _ended,
    "resigned": _resigned,
    "fault": _fault,
    "failed": _fault,
    "rest": _rest,
    "still": _still,
}
KINDS = frozenset(_JUDGES)
