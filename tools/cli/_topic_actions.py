"""What `klamm topics` does and prints: kafka-topics of Kafka 3.9, line by line.

Source: Kafka 3.9, tools, TopicCommand.java, TopicFilter.java.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from klamm.controller.znodes.text import encode_uuid
from klamm.tools.admin import (
    Admin,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    PartitionDescription,
    PartitionReassignment,
    ResourceType,
    TopicDescription,
    TopicPartition,
    errors,
)

INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state")

_COLLISION = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_')"
    " could collide. To avoid issues it is best to use either, but not both."
)
_MOST_REPLICAS = 2**15 - 1
_MIN_ISR = "min.insync.replicas"

#: Takes a line.
Say = Callable[[str], None]


class TopicsError(Exception):
    """Something cannot be done as asked; the text is the stock tool's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which topics are meant: a pattern, or the id of one; with Kafka's own or without."""

    pattern: str | None = None
    topic_id: str | None = None
    without_internal: bool = False
    may_be_missing: bool = False


@dataclass(frozen=True, slots=True)
class Reports:
    """Which partitions are described, all unless one is chosen; or only topics with overrides."""

    under_replicated: bool = False
    unavailable: bool = False
    under_min_isr: bool = False
    at_min_isr: bool = False
    overrides_only: bool = False

    @property
    def partitions_only(self) -> bool:
        """Tell whether some partitions are asked for, and no topics."""
        return self.under_replicated or self.unavailable or self.under_min_isr or self.at_min_isr


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a topic is to be like; None leaves it to the cluster."""

    partitions: int | None = None
    replication_factor: int | None = None
    assignments: Sequence[Sequence[int]] = ()
    configs: Mapping[str, str] = field(default_factory=dict)


def list_topics(admin: Admin, choice: Choice, say: Say) -> None:
    """Print the names, sorted; raises AdminError, TopicsError."""
    say("\n".join(_chosen(admin, choice)))


def create(admin: Admin, name: str, wishes: Wishes, *, may_exist: bool, say: Say) -> None:
    """Create a topic; raises AdminError, TopicsError."""
    if "." in name or "_" in name:
        say(_COLLISION)
    factor, partitions = wishes.replication_factor, wishes.partitions
    if factor is not None and not 1 <= factor <= _MOST_REPLICAS:
        raise TopicsError(
            f"The replication factor must be between 1 and {_MOST_REPLICAS} inclusive"
        )
    if partitions is not None and partitions < 1:
        raise TopicsError("The partitions must be greater than 0")
    topic = NewTopic(
        name,
        -1 if partitions is None else partitions,
        -1 if factor is None else factor,
        dict(enumerate(wishes.assignments)) or None,
        wishes.configs,
    )
    try:
        admin.create_topics([topic]).result()
    except errors.TopicAlreadyExistsError:
        if not may_exist:
            raise
    else:
        say(f"Created topic {name}.")


def alter(admin: Admin, choice: Choice, wishes: Wishes) -> None:
    """Add partitions; raises AdminError, TopicsError."""
    assert wishes.partitions is not None, "it is the one thing that can be altered"
    new = {}
    for name, topic in admin.describe_topics(existing(admin, choice)).result().items():
        added = wishes.assignments[len(topic.partitions) :]
        new[name] = NewPartitions(wishes.partitions, added if wishes.assignments else None)
    admin.create_partitions(new).result()


def delete(admin: Admin, choice: Choice) -> None:
    """Delete topics; raises AdminError, TopicsError."""
    admin.delete_topics(existing(admin, choice)).result()


def describe(admin: Admin, choice: Choice, reports: Reports, say: Say) -> None:
    """Print topics and partitions; raises AdminError, TopicsError."""
    topics = _described(admin, choice)
    resources = {name: ConfigResource(ResourceType.TOPIC, name) for name in topics}
    configs = admin.describe_configs(resources.values()).result()
    cluster = admin.describe_cluster().result()
    moves = _moves(
        admin,
        [
            TopicPartition(name, number)
            for name, topic in topics.items()
            for number in topic.partitions
        ],
    )
    for name, topic in topics.items():
        described = Described(topic, configs[resources[name]], moves, cluster.brokers.keys())
        for line in described.lines(reports):
            say(line)


@dataclass(frozen=True, slots=True)
class Described:
    """A topic with its configs, and what moves and which brokers live at the time."""

    topic: TopicDescription
    configs: Mapping[str, ConfigEntry]
    moves: Mapping[TopicPartition, PartitionReassignment]
    living: Collection[int]

    def lines(self, reports: Reports) -> Iterator[str]:
        """Write the lines that are asked for."""
        overrides = [config for config in self.configs.values() if not config.is_default]
        if not reports.partitions_only and (overrides or not reports.overrides_only):
            yield self._topic_line(overrides)
        if not reports.overrides_only:
            for partition in self.topic.partitions.values():
                if self._is_reported(partition, reports):
                    yield self._partition_line(partition)

    def replication_factor(self, partition: PartitionDescription) -> int:
        """Count the replicas that it has when what is being added does not count.

        A move that ended after it was listed, and so moves none of these replicas, is none.
        """
        move = self._move(partition)
        if move is None or {*move.adding_replicas, *move.removing_replicas}.isdisjoint(
            partition.replicas
        ):
            return len(partition.replicas)
        return len(move.replicas) - len(move.adding_replicas)

    def _move(self, partition: PartitionDescription) -> PartitionReassignment | None:
        return self.moves.get(TopicPartition(self.topic.name, partition.index))

    def _is_reported(self, partition: PartitionDescription, reports: Reports) -> bool:
        if not reports.partitions_only:
            return True
        leader, in_sync = partition.leader, len(partition.isr)
        return (
            (reports.under_replicated and self.replication_factor(partition) > in_sync)
            or (reports.unavailable and leader not in self.living)
            or (reports.under_min_isr and (leader is None or in_sync < self._min_isr))
            or (reports.at_min_isr and in_sync == self._min_isr)
        )

    @property
    def _min_isr(self) -> int:
        config = self.configs.get(_MIN_ISR)
        return int(config.value) if config is not None and config.value else 1

    def _topic_line(self, overrides: Sequence[ConfigEntry]) -> str:
        topic = self.topic
        texts = ",".join(
            f"{config.name}={'null' if config.value is None else config.value}"
            for config in overrides
        )
        cells = [f"Topic: {topic.name}"]
        if topic.topic_id is not None:
            cells.append(f"TopicId: {encode_uuid(topic.topic_id)}")
        first = next(iter(topic.partitions.values()))
        cells += [
            f"PartitionCount: {len(topic.partitions)}",
            f"ReplicationFactor: {self.replication_factor(first)}",
            f"Configs: {texts}",
        ]
        return "\t".join(cells)

    def _partition_line(self, partition: PartitionDescription) -> str:
        leader = "none" if partition.leader is None else partition.leader
        cells = [
            "",
            f"Topic: {self.topic.name}",
            f"Partition: {partition.index}",
            f"Leader: {leader}",
            f"Replicas: {_ids(partition.replicas)}",
            f"Isr: {_ids(partition.isr)}",
        ]
        if (move := self._move(partition)) is not None:
            cells += [
                f"Adding Replicas: {_ids(move.adding_replicas)}",
                f"Removing Replicas: {_ids(move.removing_replicas)}",
            ]
        for name, ids in (
            ("Elr", partition.eligible_leader_replicas),
            ("LastKnownElr", partition.last_known_elr),
        ):
            cells.append(f"{name}: {'N/A' if ids is None else _ids(ids)}")
        return "\t".join(cells)


def _described(admin: Admin, choice: Choice) -> Mapping[str, TopicDescription]:
    """Return the topics that are meant, in the order of their names."""
    if choice.topic_id is None:
        return admin.describe_topics(existing(admin, choice)).result()
    found = {
        name: topic
        for name, topic in admin.describe_topics().result().items()
        if topic.topic_id is not None and encode_uuid(topic.topic_id) == choice.topic_id
    }
    if not found and not choice.may_be_missing:
        raise TopicsError(f"TopicId '{choice.topic_id}' does not exist as expected")
    return found


def _moves(
    admin: Admin, partitions: Collection[TopicPartition]
) -> Mapping[TopicPartition, PartitionReassignment]:
    """Return what moves, nothing where that is not known or not ours to know."""
    try:
        return admin.list_partition_reassignments(partitions).result()
    except (errors.UnsupportedVersionError, errors.ClusterAuthorizationFailedError):
        return {}


def existing(admin: Admin, choice: Choice) -> list[str]:
    """Return the names that are meant; raises TopicsError if there are none and some must be."""
    names = _chosen(admin, choice)
    if choice.pattern and not names and not choice.may_be_missing:
        raise TopicsError(f"Topic '{choice.pattern}' does not exist as expected")
    return names


def _chosen(admin: Admin, choice: Choice) -> list[str]:
    """Return the names that are meant, sorted."""
    names = admin.list_topics().result()
    pattern = None if choice.pattern is None else topic_filter(choice.pattern)
    return [
        name
        for name in names
        if (pattern is None or pattern.fullmatch(name))
        and not (choice.without_internal and name in INTERNAL)
    ]


def topic_filter(text: str) -> re.Pattern[str]:
    """Read names or patterns with commas between, maybe in quotes; raises TopicsError."""
    inner = re.sub(r"^[\"']+|[\"']+$", "", text.strip().replace(",", "|").replace(" ", ""))
    try:
        return re.compile(inner)
    except re.error as error:
        raise TopicsError(f"{inner} is an invalid regex.") from error


def _ids(ids: Sequence[int]) -> str:
    return ",".join(map(str, ids))
