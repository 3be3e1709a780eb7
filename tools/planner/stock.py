"""What the stock --generate would do to the same partitions: the peer of every plan."""

from __future__ import annotations

import random
from collections.abc import Mapping

from klamm.tools.admin import TopicPartition
from klamm.tools.planner.goal import Goal
from klamm.tools.reassign.generate import propose
from klamm.tools.reassign.output import CommandError

Assigned = Mapping[tuple[str, int], tuple[int, ...]]


def generate(goal: Goal, seed: int) -> Assigned | str:
    """Return all replicas after it, or why it has no answer.

    It is given the topics that the goal may change and the brokers that it leaves in use, and
    starts from a place that the seed gives; the stock tool draws that anew each time.
    """
    parts = goal.partitions
    if any(goal.factors[index] != len(each.target) for index, each in parts.items()):
        return "it does not change replication factors"
    if goal.leaders_only:
        return "it does not change leaders alone"
    topics = {each.topic for each in parts.values()}
    everything = goal.cluster.snapshot.partitions
    current = {
        TopicPartition(each.topic, each.partition): each.target
        for each in everything
        if each.topic in topics
    }
    named = {each.id: each.rack for each in goal.cluster.snapshot.brokers}
    brokers = sorted((goal.takers | goal.givers) - goal.off)
    draws = random.Random(seed)  # noqa: S311 - the same for the same seed
    try:
        proposed = propose(current, {id_: named[id_] for id_ in brokers}, draws, rack_aware=True)
    except CommandError as error:
        return str(error)
    return {
        (each.topic, each.partition): proposed.get(
            TopicPartition(each.topic, each.partition), each.target
        )
        for each in everything
    }
