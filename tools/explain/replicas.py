"""What keeps a replica out of sync: one finding for each. Pure.

How far a follower is behind is the difference of the sizes that key 35 tells. Its offset lag does
not help: a follower counts it to the high watermark that it knows itself (Kafka 3.9,
LogManager.scala and ReplicaManager.scala, getLogEndOffsetLag).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain import steps
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.facts import Facts, Partition
from klamm.tools.explain.findings import Cause, Finding
from klamm.tools.explain.throttles import SENSIBLE_RATE, Throttle, throttle_of
from klamm.tools.explain.words import listed, span

#: A throttle that is advised lets a copy end within an hour, and is not below a megabyte.
_ADVISED_SECONDS: Final = 3600
_ADVISED_LEAST: Final = 1_000_000

#: The sizes of a look are not read at one moment, and who is in sync may be behind by what came
#: between: a fetch waits half a second at most (replica.fetch.wait.max.ms).
_SKEW_SECONDS: Final = 0.5

#: What lets klamm's controller tell which steps of moves run.
_TELLS: Final = "klamm.describe.reassignments.enable"


@dataclass(frozen=True, slots=True)
class _Copy:
    """A replica that is to come into sync, beside its leader; None is what nobody knows.

    `gap` is in bytes, `rate` and `produced` in bytes per second. It has `begun` if it did not copy
    from this leader yet at the first look: then nobody knows the rates.
    """

    broker: int
    leader: int
    gap: int | None
    rate: float | None
    produced: float | None
    caught_up_before: bool
    throttle: Throttle | None
    begun: bool

    @property
    def caught_up(self) -> bool:
        """Tell whether nothing is left to be copied."""
        return self.gap == 0

    @property
    def throttled_to_nothing(self) -> bool:
        """Tell whether it cannot end under its throttle."""
        if self.throttle is None or self.caught_up:
            return False
        least = max(SENSIBLE_RATE, math.floor(self.produced or 0) + 1)
        return self.throttle.rate < least

    @property
    def evidence(self) -> dict[str, object]:
        """The values, for scripts."""
        return {
            "leader": self.leader,
            "bytes_behind": self.gap,
            "bytes_per_second": _rounded(self.rate),
            "produced_per_second": _rounded(self.produced),
            "throttle": None if self.throttle is None else self.throttle.rate,
        }


def findings(
    facts: Facts, name: TopicPartition, missing: Iterable[int], commands: Commands, *, led: bool
) -> Iterable[Finding]:
    """Judge replicas that should be in sync and are not.

    Without a leader nobody can copy, and only what would hinder them later is told.
    """
    partition = facts.last.partitions[name]
    for broker in missing:
        away = _away(facts, name, partition, broker, commands)
        if away is not None:
            yield away
        elif led:
            yield _judged(facts, name, _copy(facts, name, partition, broker), commands)


def _away(
    facts: Facts, name: TopicPartition, partition: Partition, broker: int, commands: Commands
) -> Finding | None:
    """Find out whether the replica cannot be used at all."""
    part, or_back = "has a replica", ""
    back: tuple[str, ...] = ()
    if partition.moving:
        part = "is to get a replica" if broker in partition.adding else "keeps a replica"
        back, or_back = (commands.cancel(name, partition.goal),), ", or take the move back:"
    evidence: dict[str, object] = {"isr": list(partition.isr), "alive": sorted(facts.alive)}
    if broker not in facts.alive:
        text = f"broker {broker}, which {part}, is not in the cluster"
        advice = f"start broker {broker}{or_back}"
        return Finding(Cause.TARGET_OFFLINE, name, text, (broker,), evidence, advice, back)
    failed = facts.last.failed.get(broker, ())
    has_none = facts.never_had(name, broker) and not _has_begun(facts, name, broker)
    if broker in partition.offline or (failed and has_none):
        evidence = {"failed": [*failed], "offline_replicas": list(partition.offline)}
        which = f" {', '.join(failed)}" if failed else ""
        text = f"broker {broker}, which {part}, has lost a log directory{which}"
        advice = f"mend the disk and start broker {broker} again{or_back}"
        return Finding(Cause.LOG_DIR_FAILED, name, text, (broker,), evidence, advice, back)
    return None


def _copy(facts: Facts, name: TopicPartition, partition: Partition, broker: int) -> _Copy:
    leader = partition.leader
    assert leader is not None, "without a leader there is nothing to copy from"
    begun = _has_begun(facts, name, broker)
    produced = None if begun else facts.growth(name, leader)
    slack = math.ceil((produced or 0) * _SKEW_SECONDS)
    has, wanted = (facts.size(facts.last, name, each) for each in (broker, leader))
    had, was_wanted = (facts.size(facts.first, name, each) for each in (broker, leader))
    before = facts.first.partitions.get(name)
    gap = None
    if has is not None and wanted is not None:
        gap = 0 if has + slack >= wanted and (has or not wanted) else wanted - has
    return _Copy(
        broker,
        leader,
        gap,
        None if begun else facts.growth(name, broker),
        produced,
        facts.seconds > 0
        and not begun
        and before is not None
        and before.isr == partition.isr
        and had is not None
        and was_wanted is not None
        and had + slack >= was_wanted,
        throttle_of(facts, name, leader, broker),
        begun,
    )


def _has_begun(facts: Facts, name: TopicPartition, broker: int) -> bool:
    """Tell whether the replica has copied from this leader, as what it is now, in but one look.

    What was seen of two leaders says nothing of either: the later one may itself have copied
    before it led, which is not what producers write.
    """
    if facts.seconds <= 0:
        return False
    before, now = facts.first.partitions.get(name), facts.last.partitions[name]
    return (
        before is None
        or (before.leader, before.leader_epoch) != (now.leader, now.leader_epoch)
        or broker in before.isr
        or not steps.was_due(before, now, broker)
    )


def _judged(facts: Facts, name: TopicPartition, copy: _Copy, commands: Commands) -> Finding:
    """Tell what becomes of a copy, given what was seen of it."""
    if copy.throttled_to_nothing:
        return _throttled(facts, name, copy, commands)
    if copy.gap is None:
        text = f"broker {copy.broker} is not in sync; its log or the leader's could not be seen"
        return _finding(Cause.OUT_OF_SYNC, name, copy, text)
    if copy.caught_up and copy.caught_up_before:
        return _isr_change_stuck(facts, name, copy, commands)
    if copy.caught_up:
        text = f"broker {copy.broker} has everything that leader {copy.leader} has, and may join"
        return _finding(Cause.JOINING, name, copy, text)
    if copy.throttle is None and steps.is_untold(facts, name, copy.broker):
        text = f"broker {copy.broker} has no log of it yet: moves are limited, and nobody tells"
        text += " whether its step has begun"
        advice = f"the controller tells it if {_TELLS} is set"
        return _finding(Cause.OUT_OF_SYNC, name, copy, text, advice)
    if copy.begun:
        text = f"broker {copy.broker} lacks {copy.gap} bytes, and has just begun to copy them from"
        text += f" leader {copy.leader}; look again to see its rate"
        return _finding(Cause.COPYING, name, copy, text)
    if copy.rate is None or copy.produced is None:
        text = f"broker {copy.broker} lacks {copy.gap} bytes; look for longer to see its rate"
        return _finding(Cause.COPYING, name, copy, text)
    if copy.rate == 0 and copy.throttle is None:
        text = (
            f"broker {copy.broker} is alive, lacks {copy.gap} bytes, and has copied nothing in"
            f" {facts.seconds:.1f} s, though nothing throttles it"
        )
        advice = f"see what broker {copy.broker} logs about its fetcher for broker {copy.leader}"
        advice += ", and start it again if it hangs"
        return _finding(Cause.NOT_COPYING, name, copy, text, advice)
    gain = copy.rate - copy.produced
    if 0 < copy.rate <= copy.produced:
        text = (
            f"broker {copy.broker} copies {copy.rate:.0f} B/s, and {copy.produced:.0f} B/s are"
            f" produced: it lacks {copy.gap} bytes and falls behind"
        )
        advice = "let producers slow down, or give the broker more disk or network"
        return _finding(Cause.FALLING_BEHIND, name, copy, text, advice)
    text = f"broker {copy.broker} lacks {copy.gap} bytes, copies {copy.rate:.0f} B/s"
    text += f" and needs {span(copy.gap / gain)} more" if gain > 0 else " at the moment"
    if copy.throttle is not None:
        text += f"; its throttle is {copy.throttle.rate} B/s"
    return _finding(Cause.COPYING, name, copy, text)


def _throttled(facts: Facts, name: TopicPartition, copy: _Copy, commands: Commands) -> Finding:
    throttle = copy.throttle
    assert throttle is not None, "it is held up by one"
    gap = copy.gap or 0
    produced = copy.produced or 0
    advised = max(_ADVISED_LEAST, math.ceil(2 * produced + gap / _ADVISED_SECONDS))
    text = f"broker {copy.broker} may copy only {throttle.rate} B/s: {throttle.key} of broker"
    text += f" {throttle.broker}"
    if throttle.rate <= produced:
        text += f", and {produced:.0f} B/s are produced"
    elif gap and throttle.rate:
        text += f", so that {gap} bytes take {span(gap / throttle.rate)}"
    partition = facts.last.partitions[name]
    advice = f"let it copy {advised} B/s:"
    command = commands.throttle(name, partition.goal, advised)
    if not partition.moving:
        advice, command = "no move of it needs a throttle; see what is left over:", commands.sweep()
    return Finding(
        Cause.THROTTLED_TO_NOTHING,
        name,
        text,
        (copy.broker,),
        {**copy.evidence, "throttled_broker": throttle.broker, "throttled_by": throttle.key},
        advice,
        (command,),
    )


def _isr_change_stuck(
    facts: Facts, name: TopicPartition, copy: _Copy, commands: Commands
) -> Finding:
    """Name a change of the ISR that was lost on its way.

    The leader has one change in flight at a time, and no other until it has an answer
    (KAFKA-12686, 14010). A new leader has none in flight.
    """
    partition = facts.last.partitions[name]
    text = (
        f"broker {copy.broker} has had everything that leader {copy.leader} has for"
        f" {facts.seconds:.1f} s, and is not in sync: the leader does not get it into the ISR"
        f" {listed(partition.isr)}"
    )
    preferred = partition.replicas[0]
    elects = preferred in partition.isr and preferred in facts.alive and preferred != copy.leader
    advice = f"a new leader ends that: start broker {copy.leader} again" + (
        ", or elect another:" if elects else ""
    )
    found = (commands.elect(name, "preferred"),) if elects else ()
    evidence = {
        **copy.evidence,
        "isr": list(partition.isr),
        "leader_epoch": partition.leader_epoch,
        "seconds": round(facts.seconds, 3),
    }
    cause = Cause.ISR_CHANGE_STUCK
    return Finding(cause, name, text, (copy.broker,), evidence, advice, found)


def _finding(
    cause: Cause, name: TopicPartition, copy: _Copy, text: str, advice: str = ""
) -> Finding:
    return Finding(cause, name, text, (copy.broker,), copy.evidence, advice)


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 1)
