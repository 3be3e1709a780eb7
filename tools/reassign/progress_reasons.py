"""Why moves that are watched are not done, as far as looks show; `klamm explain` knows more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from klamm.controller.configs.cluster_wide import LEADER_MOVEMENTS
from klamm.tools.admin import StepDetails, TopicPartition
from klamm.tools.explain.slots import held_text
from klamm.tools.explain.words import brokers_text
from klamm.tools.reassign.copies import Copy
from klamm.tools.reassign.progress_sight import Reason, Sight, Slow
from klamm.tools.reassign.state import PartitionState, Verdict
from klamm.tools.reassign.waiting import DOUBT_SECONDS


def reasons(state: PartitionState, sight: Sight, copies: Collection[Copy]) -> tuple[Reason, ...]:
    """Say why a partition is not done, as one look shows it."""
    if state.verdict is Verdict.INCONSISTENT:
        return (Reason("not started, or cancelled" if state.current else "does not exist"),)
    told = sight.waiting_for(state.name)
    if sight.is_deferred(state.name):
        return (Reason(f"waits for {told or 'a slot'}"),)
    found = []
    described = sight.described.get(state.name)
    if described is not None and described.leader is None:
        found.append(Reason("has no leader", lasts=True))
    found += _of_brokers(state, sight, copies)
    if told:
        found.append(Reason(f"waits for {told}"))
    return tuple(found)


def _of_brokers(state: PartitionState, sight: Sight, copies: Collection[Copy]) -> Iterable[Reason]:
    described, step = sight.described.get(state.name), sight.step(state.name)
    later = () if step is None else {*state.target} - {*step.hosted_replicas}
    for broker in state.target:
        if broker not in sight.brokers:
            # Steps go round one that is away, as long as there are others to be added.
            lasts = broker not in later or (step is not None and step.waits == "target-offline")
            yield Reason(f"broker {broker} is not there", lasts, broker)
        elif (
            described is not None
            and broker not in described.isr
            and broker not in later
            and not any(copy.broker == broker and copy.left for copy in copies)
        ):
            yield Reason(f"broker {broker} is not in sync", broker=broker)
    coming = [broker for broker in state.target if broker in later and broker in sight.brokers]
    if coming:
        come = "comes" if len(coming) == 1 else "come"
        yield Reason(f"{brokers_text(coming)} {come} in a later step")


class Standstills:
    """Brokers that are there and have not copied for a while: they may hang, or wait.

    `topics` are those that have any. Where nothing is throttled they hang.
    """

    def __init__(self) -> None:
        self.topics: frozenset[str] = frozenset()
        self._grown: dict[tuple[TopicPartition, int], tuple[int, float]] = {}

    def update(
        self,
        copies: Iterable[Copy],
        states: Mapping[TopicPartition, PartitionState],
        sight: Sight,
        now: float,
    ) -> dict[TopicPartition, tuple[Reason, ...]]:
        """Take in a look, at so many seconds; return what there is to say of each partition."""
        found: dict[TopicPartition, tuple[Reason, ...]] = dict.fromkeys(states, ())
        for copy in copies:
            key = copy.name, copy.broker
            done, since = self._grown.get(key, (copy.done, now))
            its_turn = states[copy.name].verdict is not Verdict.INCONSISTENT and sight.is_due(copy)
            if done != copy.done or not its_turn:
                since = now
            self._grown[key] = copy.done, since
            if copy.left and copy.broker in sight.brokers and now - since >= DOUBT_SECONDS:
                text = f"broker {copy.broker} has copied nothing for {now - since:.0f} s"
                lasts = copy.name.topic in sight.unthrottled
                found[copy.name] += (Reason(text, lasts, copy.broker),)
        self.topics = frozenset(name.topic for name, standing in found.items() if standing)
        return found


def behind_stuck(slow: Iterable[Slow], sight: Sight) -> list[Slow]:
    """Add to moves that wait for a slot that all steps that hold one are stuck, if they are."""
    slow = [*slow]
    running = {
        name: one.step
        for name, one in sight.details.items()
        if one.step is not None and one.step.waits is None
    }
    leading = {name for name, step in running.items() if step.kind == "leader"}
    stuck = {one.name for one in slow if one.name in running and _keeps(one, running[one.name])}

    def of(one: Slow) -> Slow:
        if not sight.is_deferred(one.name):
            return one
        for_a_leader = LEADER_MOVEMENTS in (sight.waiting_for(one.name) or "")
        holders = leading if for_a_leader else running.keys()
        if not holders or not holders <= stuck:
            return one
        return replace(one, reasons=(*one.reasons, Reason(held_text(sorted(holders)), lasts=True)))

    return [of(one) for one in slow]


def _keeps(slow: Slow, step: StepDetails) -> bool:
    """Tell whether a step that runs is stuck: a broker that it adds is."""
    return any(one.lasts and one.broker in step.adding for one in slow.reasons)
