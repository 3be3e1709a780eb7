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

from klamm.controller.configs.throttle_keys import (
    FOLLOWER_LIST,
    FOLLOWER_RATE,
    LEADER_LIST,
    LEADER_RATE,
)
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain import steps
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.facts import Configs, Facts, Partition
from klamm.tools.explain.findings import Cause, Finding
from klamm.tools.explain.words import listed, span

#: Kafka's own tool advises not to go below (ReassignPartitionsCommandOptions.java).
SENSIBLE_RATE: Final = 1024
#: A throttle that is advised lets a copy end within an hour, and is not below a megabyte.
_ADVISED_SECONDS: Final = 3600
_ADVISED_LEAST: Final = 1_000_000

#: The sizes of a look are not read at one moment, and who is in sync may be behind by what came
#: between: a fetch waits half a second at most (replica.fetch.wait.max.ms).
_SKEW_SECONDS: Final = 0.5

#: What lets klamm's controller tell which steps of moves run.
_TELLS: Final = "klamm.describe.reassignments.enable"

#: What is on a throttled list for all replicas of the topic.
_EVERY_REPLICA: Final = "*"


@dataclass(frozen=True, slots=True)
class Throttle:
    """The rate of bytes per second that is in force, which key it is, and on which broker."""

    rate: int
    key: str
    broker: int


@dataclass(frozen=True, slots=True)
class _Copy:
    """A replica that is to come into sync, beside its leader; None is what nobody knows.

    `gap` is in bytes, `rate` and `produced` in bytes per second.
    """

    broker: int
    leader: int
    gap: int | None
    rate: float | None
    produced: float | None
    caught_up_before: bool
    throttle: Throttle | None

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


def throttle_of(facts: Facts, name: TopicPartition, leader: int, follower: int) -> Throttle | None:
    """Return the lower of the rates that hold a copy up on either side, None without any.

    Source: KIP-73; Kafka 3.9, ReplicationQuotaManager.scala: a rate counts for listed replicas.
    """
    lists = facts.topics.get(name.topic, {})
    found = []
    for broker, list_key, rate_key in (
        (leader, LEADER_LIST, LEADER_RATE),
        (follower, FOLLOWER_LIST, FOLLOWER_RATE),
    ):
        rate = facts.brokers.get(broker, {}).get(rate_key, "")
        if rate.isdigit() and _is_listed(lists, list_key, name.partition, broker):
            found.append(Throttle(int(rate), rate_key, broker))
    return min(found, key=lambda each: each.rate, default=None)


def _is_listed(lists: Configs, key: str, partition: int, broker: int) -> bool:
    items = [item.strip() for item in lists.get(key, "").split(",")]
    return _EVERY_REPLICA in items or f"{partition}:{broker}" in items


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
    if broker in partition.offline or (failed and facts.never_had(name, broker)):
        evidence = {"failed": [*failed], "offline_replicas": list(partition.offline)}
        which = f" {', '.join(failed)}" if failed else ""
        text = f"broker {broker}, which {part}, has lost a log directory{which}"
        advice = f"mend the disk and start broker {broker} again{or_back}"
        return Finding(Cause.LOG_DIR_FAILED, name, text, (broker,), evidence, advice, back)
    return None


def _copy(facts: Facts, name: TopicPartition, partition: Partition, broker: int) -> _Copy:
    leader = partition.leader
    assert leader is not None, "without a leader there is nothing to copy from"
    produced = facts.growth(name, leader)
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
        facts.growth(name, broker),
        produced,
        facts.seconds > 0
        and before is not None
        and (before.leader, before.isr) == (leader, partition.isr)
        and had is not None
        and was_wanted is not None
        and had + slack >= was_wanted,
        throttle_of(facts, name, leader, broker),
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
    if copy.rate is None or copy.produced is None:
        text = f"broker {copy.broker} lacks {copy.gap} bytes; look for longer to see its rate"
        return _finding(Cause.COPYING, name, copy, text)
    if copy.rate == 0 and copy.throttle is None and steps.is_untold(facts, name, copy.broker):
        text = f"broker {copy.broker} has no log of it yet: moves are limited, and nobody tells"
        text += " whether its step has begun"
        advice = f"the controller tells it if {_TELLS} is set"
        return _finding(Cause.OUT_OF_SYNC, name, copy, text, advice)
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
