"""Topics that a cluster starts with: from options, or from a file of assignments."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from klamm.controller.core.topic_names import unlawful


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to create: by counts, which leaves the replicas to the controller, or by replicas.

    `assignments` holds the replicas of partition 0, 1, ...; `partition_bytes` is what each of
    them holds, if it is another amount than that of all others.
    """

    name: str
    partitions: int = -1
    replication_factor: int = -1
    assignments: tuple[tuple[int, ...], ...] = ()
    partition_bytes: int | None = None

    @property
    def size(self) -> int:
        """How many partitions it will have."""
        return len(self.assignments) or self.partitions


class _Partition(msgspec.Struct):
    topic: str
    partition: int
    replicas: tuple[int, ...]


class _Plan(msgspec.Struct):
    partitions: list[_Partition]
    version: int = 1


def parse_topics(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> tuple[NewTopic, ...]:
    """Read name:partitions:replication-factor, as a click callback."""
    found = []
    for text in values:
        try:
            found.append(_parse_topic(text))
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return tuple(found)


def _parse_topic(text: str) -> NewTopic:
    match = re.fullmatch(r"([^:]+):([0-9]{1,7}):([0-9]{1,4})", text, re.ASCII)
    if match is None:
        raise ValueError(f"{text!r} is not NAME:PARTITIONS:REPLICATION-FACTOR, as orders:12:3")
    partitions, replicas = int(match[2]), int(match[3])
    if not partitions:
        raise ValueError(f"{text!r} has 0 partitions: a topic has 1 or more")
    if not replicas:
        raise ValueError(f"{text!r} has 0 replicas: a partition has 1 or more")
    return NewTopic(_lawful(match[1]), partitions, replicas)


def _lawful(name: str) -> str:
    fault = unlawful(name)
    if fault is not None:
        raise ValueError(f"no topic can have that name: {fault}")
    return name


def read_assignments(
    ctx: click.Context, param: click.Parameter, value: Path | None
) -> tuple[NewTopic, ...]:
    """Read the JSON that kafka-reassign-partitions takes, as a click callback."""
    if value is None:
        return ()
    try:
        plan = msgspec.json.decode(value.read_bytes(), type=_Plan)
        return _by_topic(plan)
    except OSError as error:
        raise click.BadParameter(f"{value} cannot be read: {error.strerror}", ctx, param) from error
    except ValueError as error:
        raise click.BadParameter(f"{value} holds no assignments: {error}", ctx, param) from error


def unique(topics: Sequence[NewTopic]) -> Mapping[str, NewTopic]:
    """Return the topics by name; raises ValueError for a name that comes twice."""
    found = {topic.name: topic for topic in topics}
    if len(found) != len(topics):
        names = [topic.name for topic in topics]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"topic {twice} is named twice")
    return found


def _by_topic(plan: _Plan) -> tuple[NewTopic, ...]:
    replicas: dict[str, dict[int, tuple[int, ...]]] = {}
    for each in plan.partitions:
        known = replicas.setdefault(each.topic, {})
        if each.partition in known:
            raise ValueError(f"{each.topic}-{each.partition} is named twice")
        known[each.partition] = each.replicas
    for name, known in replicas.items():
        _lawful(name)
        missing = set(range(len(known))) - known.keys()
        if missing:
            raise ValueError(f"{name} has {len(known)} partitions, but {name}-{min(missing)} lacks")
    return tuple(
        NewTopic(name, assignments=tuple(known[number] for number in range(len(known))))
        for name, known in replicas.items()
    )
