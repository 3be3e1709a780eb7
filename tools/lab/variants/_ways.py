"""Ways to put one bug back in: other decisions, other readings, and who asked for which cause."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import msgspec

from klamm.controller.core.apply import apply
from klamm.controller.core.changes import SetPartition
from klamm.controller.core.decide import DECISIONS, Decision, decide
from klamm.controller.core.events import Cause
from klamm.controller.core.model import ClusterState
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import Effect, Reply
from klamm.controller.node.in_flight import InFlightCommit
from klamm.controller.node.inputs import Input, Request
from klamm.controller.node.turns import Decide, Turns
from klamm.controller.store.port import (
    CommitDone,
    Conflict,
    ReadDone,
    ReadResult,
    Refused,
    Unknown,
    Znode,
)


def deciding(event: type, decision: Decision) -> Decide:
    """Return klamm's `decide` with another decision on one kind of event."""
    order, _ = DECISIONS[event]
    return partial(decide, decisions={**DECISIONS, event: (order, decision)})


def deciding_each(others: Mapping[type, Decision]) -> Decide:
    """Return klamm's `decide` with other decisions on several kinds of event."""
    changed = {event: (DECISIONS[event][0], decision) for event, decision in others.items()}
    return partial(decide, decisions={**DECISIONS, **changed})


def after(state: ClusterState, plan: Iterable[Commit]) -> ClusterState:
    """Return the state that a Plan leaves if all of it is carried out."""
    for commit in plan:
        state = apply(state, commit.changes)
    return state


def split(causes: Iterable[Cause], *kinds: type) -> tuple[list[Cause], list[Cause]]:
    """Part causes into those about an event of these kinds, and the others."""
    of_kind: list[Cause] = []
    others: list[Cause] = []
    for cause in causes:
        (of_kind if isinstance(cause.event, kinds) else others).append(cause)
    return of_kind, others


def changing_data(event: Input, change: Callable[[Znode], bytes | None]) -> Input:
    """Return an answer to reads with other data in each znode that it shows; others as they are."""
    if not isinstance(event, ReadDone) or isinstance(event.outcome, Unknown | Refused):
        return event
    return replace(event, outcome=tuple(_changed(result, change) for result in event.outcome))


def _changed(result: ReadResult, change: Callable[[Znode], bytes | None]) -> ReadResult:
    if not isinstance(result, Znode):
        return result
    return msgspec.structs.replace(result, data=change(result))


class LostEnd(NamedTuple):
    """A Commit that ends a move, and met a conflict."""

    turns: Turns
    flight: InFlightCommit
    conflict: Conflict


def lost_end(node: Node, event: Input) -> LostEnd | None:
    """Return the Commit that an event is about, if it was to end or cancel a move and could not."""
    turns = node.turns
    if turns is None or turns.in_flight is None or not isinstance(event, CommitDone):
        return None
    flight, outcome = turns.in_flight, event.outcome
    ours = (event.session, event.request) == (node.office.session, flight.request)
    if ours and isinstance(outcome, Conflict) and _ends_move(flight.commit, turns.state):
        return LostEnd(turns, flight, outcome)
    return None


def _ends_move(commit: Commit, state: ClusterState) -> bool:
    for change in commit.changes:
        if isinstance(change, SetPartition) and not change.partition.assignment.moving:
            before = state.partition(change.name)
            if before is not None and before.assignment.moving:
                return True
    return False


def with_leadership_of(state: ClusterState, change: SetPartition) -> SetPartition:
    """Return a change of a partition's assignment alone: its leadership stays as it was."""
    before = state.partition(change.name)
    held = before.leadership if before is not None else None
    return replace(change, partition=replace(change.partition, leadership=held))


class KnowsAskers(Node):
    """A node that can tell the request of each cause, and forget to reply."""

    def __init__(self, config: NodeConfig, decide_over: Decide = decide) -> None:
        super().__init__(config, decide_over)
        self.asked: dict[int, int] = {}

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, as every node does."""
        before = self.turns
        first = before.next_cause if before is not None else 0
        effects = super().handle(now, event)
        if isinstance(event, Request) and before is not None and self.turns is before:
            causes = range(first + 1, first + 1 + len(event.events))
            self.asked.update(dict.fromkeys(causes, event.id))
        return effects

    def requests_of(self, causes: Iterable[Cause]) -> frozenset[int]:
        """Return the requests that wait for one of these causes."""
        return frozenset(self.asked[cause.id] for cause in causes if cause.id in self.asked)


def unanswered(effects: Iterable[Effect], requests: Collection[int]) -> Iterator[Effect]:
    """Leave out the replies to these requests."""
    for effect in effects:
        if not (isinstance(effect, Reply) and effect.request in requests):
            yield effect


def replanned(plan: Plan, change: Callable[[Commit], Commit]) -> Plan:
    """Return a Plan with each Commit changed."""
    return tuple(change(commit) for commit in plan)
