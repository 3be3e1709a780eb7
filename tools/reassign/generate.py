"""--generate: a plan that spreads topics over brokers anew, whatever their places are now.

Source: Kafka 3.9, tools, ReassignPartitionsCommand.java (generateAssignment, calculateAssignment,
getBrokerMetadata).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Protocol

from klamm.controller.core.assignment import assign_replicas
from klamm.tools.admin import Admin, TopicPartition
from klamm.tools.reassign import described, plan_files, texts
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.output import CommandError, Output

Racks = Mapping[int, str | None]


class Draws(Protocol):
    """Where chance comes from."""

    def randrange(self, stop: int, /) -> int:
        """Return a number from 0 to below `stop`."""


SYSTEM_DRAWS: Draws = random.SystemRandom()


def generate(
    admin: Admin,
    topics_json: str,
    broker_list: str,
    output: Output,
    *,
    rack_aware: bool = True,
    draws: Draws = SYSTEM_DRAWS,
) -> None:
    """Print the present assignment and the proposed one; raises CommandError and AdminError.

    Brokers of the list that do not exist are left out without a word, as the stock tool does.
    """
    brokers = plan_files.parse_brokers(broker_list)
    topics = plan_files.parse_topics(topics_json)
    current = described.of_topics(admin, topics)
    known = admin.describe_cluster().result().brokers
    racks = chosen({id_: broker.rack for id_, broker in known.items()}, brokers, rack_aware)
    show(current, racks, output, draws, rack_aware=rack_aware)


def chosen(known: Racks, brokers: Iterable[int], rack_aware: bool) -> Racks:
    """Pick the brokers that exist, with their racks if these are to count."""
    return {id_: known[id_] if rack_aware else None for id_ in brokers if id_ in known}


def show(
    current: Assignment, racks: Racks, output: Output, draws: Draws, *, rack_aware: bool
) -> None:
    """Print an assignment and one on these brokers instead; raises CommandError."""
    proposed = propose(current, racks, draws, rack_aware=rack_aware)
    before, after = plan_files.format_plan(current), plan_files.format_plan(proposed)
    output.say(texts.generated(before, after))
    output.put(current=plan_files.as_facts(current), proposed=plan_files.as_facts(proposed))


def propose(current: Assignment, racks: Racks, draws: Draws, *, rack_aware: bool) -> Assignment:
    """Place each topic's partitions on the brokers; raises CommandError.

    A topic keeps the number of replicas that its first partition has.
    """
    with_rack = sum(rack is not None for rack in racks.values())
    if rack_aware and 0 < with_rack < len(racks):
        raise CommandError(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to"
            " make replica assignment without rack information."
        )
    proposed: Assignment = {}
    for topic in sorted({name.topic for name in current}):
        partitions = sorted(name for name in current if name.topic == topic)
        factor = len(current[partitions[0]])
        if factor > len(racks):
            raise CommandError(
                f"Replication factor: {factor} larger than available brokers: {len(racks)}."
            )
        start, shift = draws.randrange(len(racks)), draws.randrange(len(racks))
        placed = assign_replicas(racks, len(partitions), factor, start, shift)
        proposed |= {TopicPartition(topic, number): placed[number] for number in placed}
    return proposed
