"""What an AlterTopics request asks of one topic: the checks of KIP-179, and what is to change.

Source: KIP-179, "AlterTopicsRequest and AlterTopicsResponse", which names the error codes and not
their order. Here a topic that is unknown comes first, then its partition count, its factor, what
an assignment says, and the brokers that it names. Pure functions; what stands in the way of a
change that is well-formed is `klamm.controller.core.altering_topics`'s matter.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from klamm.controller.core.assignment import uneven_racks
from klamm.controller.core.automatic_assignment import extended, placed, shortened
from klamm.controller.core.events import UNSET, AlterTopic
from klamm.controller.core.model import Assignment, Broker
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.shares import too_many_partitions

Replicas = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """New partitions with their replicas, and targets of old ones that are not theirs already."""

    added: Replicas = field(default_factory=dict)
    moved: Replicas = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Present:
    """A topic as it is, or is moving to be, and the brokers that there are; `alive` of them work.

    `assignments` has its partitions by number.
    """

    assignments: Mapping[int, Assignment]
    brokers: Mapping[int, Broker]
    alive: AbstractSet[int]

    @property
    def count(self) -> int:
        """How many partitions the topic has."""
        return len(self.assignments)

    def target(self, number: int) -> tuple[int, ...]:
        """Where a partition of the topic is, or is moving to."""
        return self.assignments[number].target

    def racks(self, among: Iterable[int]) -> dict[int, str | None]:
        """The racks of these brokers, as far as they are registered."""
        return {id_: self.brokers[id_].rack for id_ in among if id_ in self.brokers}


def change_of(present: Present, event: AlterTopic) -> Change | Refusal:
    """Return what is to change, which may be nothing, or the first reason why nothing can."""
    refusal = _check_count(present, event) or _check_factor(present, event)
    if refusal is None and event.assignment:
        refusal = _check_lists(present, event) or _check_brokers(present, event)
    if refusal:
        return refusal
    wanted = dict(event.assignment) or _calculated(present, event)
    if isinstance(wanted, Refusal):
        return wanted
    old = present.assignments
    return Change(
        {number: wanted[number] for number in sorted(wanted.keys() - old.keys())},
        {
            number: wanted[number]
            for number in sorted(wanted.keys() & old.keys())
            if wanted[number] != present.target(number)
        },
    )


def _new_numbers(present: Present, event: AlterTopic) -> range:
    """The partitions that the topic is to have and has not."""
    count = present.count if event.partitions == UNSET else event.partitions
    return range(present.count, count)


def _factor(present: Present, event: AlterTopic, number: int) -> int:
    """How many replicas a partition is to have; by default a new one as many as partition 0."""
    if event.replicas != UNSET:
        return event.replicas
    return len(present.target(number if number in present.assignments else 0))


def _check_count(present: Present, event: AlterTopic) -> Refusal | None:
    wanted, count, fault = event.partitions, present.count, Fault.INVALID_PARTITIONS
    if wanted in (UNSET, count):
        return None
    if wanted <= 0:
        text = f"Topic {event.name} cannot have {wanted} partitions; {UNSET} leaves their number"
        return Refusal(fault, f"{text} as it is, which is {count}.")
    if wanted < count:
        text = f"Topic {event.name} has {count} partitions, and cannot have fewer:"
        return Refusal(fault, f"{text} {wanted}.")
    if count and sorted(present.assignments) == list(range(count)):
        largest = max((*present.brokers, *present.target(0)))
        return too_many_partitions(wanted, len(present.target(0)), largest)
    text = f"The partitions of topic {event.name} are not numbered from 0 without a gap:"
    text += f" {sorted(present.assignments)}. Delete it, and create it anew."
    return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)


def _check_factor(present: Present, event: AlterTopic) -> Refusal | None:
    """Refuse a factor that is none, or that so few brokers cannot give where one is needed."""
    wanted, fault, alive = event.replicas, Fault.INVALID_REPLICATION_FACTOR, len(present.alive)
    sizes = {len(present.target(number)) for number in present.assignments}
    if wanted <= 0 and wanted != UNSET:
        text = f"Replication factor {wanted} is not above 0; {UNSET} leaves it as it is."
        return Refusal(fault, text)
    needed = 0 if sizes == {wanted} else wanted
    if _new_numbers(present, event) and not event.assignment:
        needed = _factor(present, event, present.count)
    if needed > alive:
        text = f"Replication factor: {needed} larger than available brokers: {alive}."
        return Refusal(fault, text)
    return None


def _check_lists(present: Present, event: AlterTopic) -> Refusal | None:
    """Refuse the first thing that is wrong with an assignment, but for brokers that are unknown."""
    text = next(_faults(present, event), None)
    return Refusal(Fault.INVALID_REPLICA_ASSIGNMENT, text) if text else None


def _faults(present: Present, event: AlterTopic) -> Iterator[str]:
    new = _new_numbers(present, event)
    lawful = present.assignments.keys() | set(new)
    named: set[int] = set()
    for number, replicas in event.assignment:
        if number not in lawful:
            yield f"Topic {event.name} is to have {len(lawful)} partitions, and none {number}."
        if number in named:
            yield f"Partition {number} is named twice."
        named.add(number)
        if not replicas:
            yield f"No replicas are named for partition {number}."
        if len(set(replicas)) < len(replicas):
            yield f"Partition {number} names a broker twice: {_list(replicas)}."
        if any(broker < 0 for broker in replicas):
            yield f"Partition {number} names a negative broker id: {_list(replicas)}."
    unnamed = [number for number in new if number not in named]
    if unnamed:
        yield f"No replicas are named for new partitions: {_list(unnamed[:10])}."
    for number, replicas in event.assignment:
        factor = _factor(present, event, number)
        if len(replicas) != factor:
            text = f"Partition {number} is to have {factor} replicas, not {len(replicas)}:"
            yield f"{text} {_list(replicas)}."
    if event.replicas == UNSET:
        return
    for number in present.assignments.keys() - named:
        if len(present.target(number)) != event.replicas:
            text = f"Partition {number} is not named, and would keep {len(present.target(number))}"
            yield f"{text} replicas, not {event.replicas}. Name all, or none."


def _check_brokers(present: Present, event: AlterTopic) -> Refusal | None:
    """Refuse brokers that are not registered, but for those that the partition has already."""
    for number, replicas in event.assignment:
        held = present.assignments.get(number, Assignment(())).replicas
        unknown = [each for each in replicas if each not in present.brokers and each not in held]
        if unknown:
            text = f"Partition {number} names unknown brokers: {_list(unknown)}. Registered are:"
            return Refusal(Fault.UNKNOWN_MEMBER_ID, f"{text} {_list(sorted(present.brokers))}.")
    return None


def _calculated(present: Present, event: AlterTopic) -> dict[int, tuple[int, ...]] | Refusal:
    """Place new partitions, and give old ones more replicas or fewer."""
    new = _new_numbers(present, event)
    uneven = [
        number
        for number in sorted(present.assignments)
        if len(present.target(number)) != _factor(present, event, number)
    ]
    if not (new or uneven):
        return {}
    refusal = uneven_racks(present.brokers[broker] for broker in present.alive)
    if refusal:
        return replace(refusal, fault=Fault.INVALID_REPLICATION_FACTOR)
    racks = present.racks(sorted(present.alive))
    wanted = {}
    for number in uneven:
        replicas, factor = present.target(number), _factor(present, event, number)
        if len(replicas) < factor:
            wanted[number] = extended(racks, number, replicas, factor)
        else:
            wanted[number] = shortened(present.racks(replicas), replicas, factor)
    if new:
        first = present.target(0)[0]
        wanted |= placed(racks, new, _factor(present, event, present.count), first)
    return wanted


def _list(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))
