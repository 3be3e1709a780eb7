"""From facts to findings: why each move has not ended. Pure.

A move ends when every replica of its goal is in sync, those that come and those that are kept
(Kafka 3.9, KafkaController.scala, isReassignmentComplete; PartitionReassignmentReplicas.java,
maybeCompleteReassignment). So it is asked of each that is not what keeps it; and where nothing
moves it is asked of each all the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from klamm.controller.handlers.k17904_describe_reassignments import ORDERED
from klamm.tools.admin.names import TopicPartition
from klamm.tools.explain import log_dir_moves, replicas, slots, steps
from klamm.tools.explain.commands import Commands
from klamm.tools.explain.facts import MIN_ISR, UNCLEAN, Facts, Partition
from klamm.tools.explain.findings import (
    Cause,
    Diagnosis,
    Finding,
    Findings,
    Severity,
    worst_first,
    worst_partitions_first,
)
from klamm.tools.explain.words import brokers_text, listed

_ANY_COMMANDS = Commands()


def diagnose(facts: Facts, commands: Commands = _ANY_COMMANDS) -> Findings:
    """Judge the partitions of the last look, or the one asked for; `commands` has the advice."""
    found = [
        Diagnosis(name, partition.moving, worst_first(_findings(facts, name, partition, commands)))
        for name, partition in facts.last.partitions.items()
    ]
    wanted = [each for each in slots.judged(facts, found) if facts.asked in (None, each.partition)]
    return Findings(worst_partitions_first(wanted), facts.unseen)


def _findings(
    facts: Facts, name: TopicPartition, partition: Partition, commands: Commands
) -> list[Finding]:
    found = [*_left_behind(facts, name, partition)]
    found += log_dir_moves.findings(facts, name, commands)
    if partition.waiting_for == ORDERED:
        found.append(_waits_for_turn(name))
    if not partition.exists:
        return [*found, _topic_deleted(name)] if partition.moving else found
    led = partition.leader is not None
    if not led:
        found.append(_no_leader(facts, name, partition, commands))
    missing = [broker for broker in partition.goal if broker not in partition.isr]
    due = steps.due(facts, partition, missing)
    found += replicas.findings(facts, name, due, commands, led=led)
    if not partition.moving:
        # Its move may have ended, and whoever waits for the plan still wants all in sync.
        return found
    if partition.step is not None:
        return [*found, *steps.findings(facts, name, partition.step, commands)]
    if missing and partition.only_shrinks:
        found.append(_kept_out_of_sync(name, partition, missing))
    if led and not missing and partition.waiting_for is None:
        found.append(_completing(facts, name, partition))
    stuck = any(each.cause.severity is Severity.STUCK for each in found)
    if partition.waiting_for not in (None, ORDERED) and not stuck:
        found.append(_controller_waits(name, partition.waiting_for))
    return found


def _no_leader(
    facts: Facts, name: TopicPartition, partition: Partition, commands: Commands
) -> Finding:
    """Tell whether somebody may lead, could if it were allowed, or nobody can at all."""
    usable = {*partition.replicas} & facts.alive - {*partition.offline}
    unclean = facts.topics.get(name.topic, {}).get(UNCLEAN) == "true"
    evidence = {
        "isr": list(partition.isr),
        "alive": sorted(usable),
        UNCLEAN: unclean,
        MIN_ISR: facts.topics.get(name.topic, {}).get(MIN_ISR),
    }
    if usable & {*partition.isr} or (usable and unclean):
        text = "no leader; somebody may lead, so that an election is due"
        return Finding(Cause.NO_LEADER, name, text, tuple(sorted(usable)), evidence)
    if not usable:
        text = f"no leader: none of its replicas {listed(partition.replicas)} can be used"
        advice = f"bring one of {brokers_text(partition.isr or partition.replicas)} back"
        cause = Cause.NO_LIVE_REPLICA
        return Finding(cause, name, text, partition.replicas, evidence, advice)
    dropped = [broker for broker in partition.isr if broker not in partition.replicas]
    text = f"no leader: in sync {_were(partition.isr)} {listed(partition.isr) or 'nobody'}"
    if dropped:
        text += f", of which {listed(dropped)} {_are(dropped)} no replica any more"
    text += f"; {listed(sorted(usable))} may not lead, since records could be lost"
    returning = [broker for broker in partition.isr if broker in partition.replicas]
    advice = (
        f"bring {brokers_text(returning)} back, or accept the loss of records:"
        if returning
        else "nobody who returns may lead; to accept the loss of records:"
    )
    return Finding(
        Cause.NEEDS_UNCLEAN_LEADER,
        name,
        text,
        tuple(sorted(usable)),
        evidence,
        advice,
        (commands.elect(name, "unclean"),),
    )


def _kept_out_of_sync(
    name: TopicPartition, partition: Partition, missing: Iterable[int]
) -> Finding:
    kept = tuple(missing)
    text = (
        f"nothing is to be copied: {brokers_text(partition.removing)} {_are(partition.removing)}"
        f" to go, and may only once {listed(kept)}, which {_are(kept)} kept,"
        f" {_are(kept)} in sync"
    )
    evidence = {"isr": list(partition.isr), "removing": list(partition.removing)}
    return Finding(Cause.KEPT_OUT_OF_SYNC, name, text, kept, evidence)


def _completing(facts: Facts, name: TopicPartition, partition: Partition) -> Finding:
    before = facts.first.partitions.get(name)
    goal = {*partition.goal}
    evidence = {"isr": list(partition.isr), "leader": partition.leader}
    if facts.seconds > 0 and before and before.moving and goal <= {*before.isr}:
        text = f"all of {listed(partition.goal)} have been in sync for {facts.seconds:.1f} s"
        advice = "the controller has yet to end the move; if that stays so, see what it logs"
        return Finding(Cause.CONTROLLER_WAITS, name, text, (), evidence, advice)
    text = f"all of {listed(partition.goal)} are in sync; the controller has but to end the move"
    return Finding(Cause.COMPLETING, name, text, (), evidence)


def _topic_deleted(name: TopicPartition) -> Finding:
    text = f"topic {name.topic} is being deleted, and the move ends with it"
    return Finding(Cause.TOPIC_DELETED, name, text)


def _waits_for_turn(name: TopicPartition) -> Finding:
    text = f"it has not begun: it waits for {ORDERED}"
    return Finding(Cause.WAITS_FOR_TURN, name, text, advice="see what keeps the others")


def _controller_waits(name: TopicPartition, waiting_for: str | None) -> Finding:
    evidence = {"waiting_for": waiting_for}
    text = f"the controller waits for {waiting_for}"
    return Finding(Cause.CONTROLLER_WAITS, name, text, (), evidence)


def _left_behind(facts: Facts, name: TopicPartition, partition: Partition) -> Iterable[Finding]:
    """Find replicas that left and were not deleted: known debts, and logs that nobody knows."""
    owed = partition.owed_deletes
    if owed:
        dead = [broker for broker in owed if broker not in facts.alive]
        text = f"{brokers_text(owed)} {_have(owed)} not confirmed that {_its(owed)} replica is gone"
        advice = f"it is deleted once {brokers_text(dead)} {_are(dead)} back" if dead else ""
        yield Finding(Cause.OWES_DELETES, name, text, owed, {"dead": dead}, advice)
    if not partition.exists:
        return
    known = {*partition.replicas, *owed}
    for log, size in sorted(facts.last.sizes.items()):
        # One that is seen but once may be on its way out.
        if (log.topic, log.partition) != name or log not in facts.first.sizes:
            continue
        if log.broker not in known:
            text = f"broker {log.broker} has a log of it, {size} bytes, and is no replica"
            advice = "nobody will read it: it may be removed while the broker is stopped"
            yield Finding(Cause.STRAY, name, text, (log.broker,), {"size": size}, advice)


def _are(brokers: Iterable[int]) -> str:
    return "is" if len([*brokers]) == 1 else "are"


def _were(brokers: Iterable[int]) -> str:
    return "was" if len([*brokers]) <= 1 else "were"


def _have(brokers: Iterable[int]) -> str:
    return "has" if len([*brokers]) == 1 else "have"


def _its(brokers: Iterable[int]) -> str:
    return "its" if len([*brokers]) == 1 else "their"
