"""A snapshot of a cluster that runs, whatever Kafka it is: by what Kafka's Admin can ask.

Nothing is changed. What may not be seen, or is not known to old brokers, is left open in the
snapshot and named, with what would help; only the cluster itself and its topics must be told.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from klamm.controller.configs.throttle_keys import FOLLOWER_RATE, LEADER_RATE
from klamm.tools.admin import (
    Admin,
    ConfigResource,
    LogDir,
    OptionError,
    PartitionDescription,
    PartitionReassignment,
    ResourceType,
    TopicPartition,
    errors,
    properties,
)
from klamm.tools.admin.partitions import LOOK_MS, MIN_ISR
from klamm.tools.planner.snapshot import NO_LEADER, Broker, Partition, Snapshot
from klamm.tools.reassign.waiting import SYSTEM_CLOCK, Clock

#: The one log directory of a node of klamm, which is listed among brokers and hosts nothing: see
#: `klamm.controller.handlers.log_dirs`.
_NO_DIRECTORY: Final = "(none)"

#: Bytes on the disk of each broker, by partition.
Sizes = Mapping[int, Mapping[TopicPartition, int]]


CLIENT_ID: Final = "klamm-snapshot"


class CaptureError(Exception):
    """No snapshot can be taken; the text says of what, and why."""


@dataclass(frozen=True)
class Captured:
    """A snapshot, and what is `missing` in it or should be known of it, one sentence each."""

    snapshot: Snapshot
    missing: tuple[str, ...]


@dataclass
class _Look:
    """What is being found out, and what could not be."""

    admin: Admin
    missing: list[str] = field(default_factory=list)

    def partitions(self) -> dict[TopicPartition, PartitionDescription]:
        """Return all partitions of topics that this client may describe; raises AdminError."""
        found: dict[TopicPartition, PartitionDescription] = {}
        hidden: dict[str, str] = {}
        for topic, future in self.admin.describe_topics().futures.items():
            try:
                described = future.result()
            except errors.UnknownTopicOrPartitionError:
                continue  # deleted since it was listed
            except errors.TopicAuthorizationFailedError as error:
                hidden[topic] = error.message
                continue
            for number, partition in described.partitions.items():
                found[TopicPartition(topic, number)] = partition
        if hidden:
            self._miss(f"{len(hidden)} topics, such as {min(hidden)}", "Describe on these topics")
        return found

    def moves(self) -> Mapping[TopicPartition, PartitionReassignment]:
        """Return the moves under way; none where nobody may know."""
        try:
            return self.admin.list_partition_reassignments().result()
        except errors.UnsupportedVersionError:
            self._miss("reassignments under way", "brokers of Kafka 2.4 or later")
        except errors.ClusterAuthorizationFailedError:
            self._miss("reassignments under way", "Describe on the cluster")
        return {}

    def log_dirs(self, brokers: Mapping[int, object]) -> dict[int, tuple[LogDir, ...]]:
        """Return the log directories of the brokers that tell them."""
        found = {}
        silent: dict[str, list[int]] = {}
        for broker, future in self.admin.describe_log_dirs(
            sorted(brokers), LOOK_MS
        ).futures.items():
            try:
                found[broker] = future.result()
            except errors.ClusterAuthorizationFailedError:
                silent.setdefault("Describe on the cluster", []).append(broker)
            except errors.AdminError as error:
                silent.setdefault(f"an answer ({error.message})", []).append(broker)
        for need, whose in silent.items():
            self._miss(f"sizes and disks of broker {_ids(whose)}", need)
        for broker, dirs in sorted(found.items()):
            for each in dirs:
                if each.error is not None:
                    self.missing.append(f"{each.path} of broker {broker} is offline: {each.error}")
        return found

    def min_isrs(self, topics: set[str]) -> dict[str, int]:
        """Return min.insync.replicas of the topics whose configs may be seen."""
        resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in sorted(topics)]
        found: dict[str, int] = {}
        hidden = 0
        for resource, future in self.admin.describe_configs(resources).futures.items():
            try:
                entry = future.result().get(MIN_ISR)
            except errors.UnknownTopicOrPartitionError:
                continue  # deleted since somebody named it
            except errors.AdminError:
                hidden += 1
                continue
            if entry is not None and entry.value is not None:
                found[resource.name] = int(entry.value)
        if hidden:
            self._miss(f"{MIN_ISR} of {hidden} topics, taken to be 1", "DescribeConfigs on topics")
        return found

    def throttles(self, brokers: Mapping[int, object]) -> None:
        """Tell of throttles that are set, for they hold back a plan as well."""
        resources = [ConfigResource(ResourceType.BROKER, str(id_)) for id_ in sorted(brokers)]
        rates: dict[str, list[int]] = {}
        hidden = []
        for resource, future in self.admin.describe_configs(resources, LOOK_MS).futures.items():
            try:
                entries = future.result()
            except errors.AdminError:
                hidden.append(int(resource.name))
                continue
            for key in (LEADER_RATE, FOLLOWER_RATE):
                entry = entries.get(key)
                if entry is not None and entry.value not in (None, str(2**63 - 1)):
                    rates.setdefault(f"{key}={entry.value}", []).append(int(resource.name))
        for rate, whose in rates.items():
            self.missing.append(f"a throttle is set on broker {_ids(whose)}: {rate}")
        if hidden:
            self._miss(f"throttles of broker {_ids(hidden)}", "DescribeConfigs on the cluster")

    def _miss(self, what: str, need: str) -> None:
        self.missing.append(f"not known: {what}; it takes {need}")


def take(bootstrap: str, config: Path | None = None) -> Snapshot:
    """Take a snapshot of the cluster that a client with this file reaches; raises CaptureError."""
    return captured(bootstrap, config).snapshot


def captured(bootstrap: str, config: Path | None = None, watch_seconds: float = 0.0) -> Captured:
    """Take a snapshot, and say what is missing in it; raises CaptureError.

    `config` is a file of client properties, as of every tool of Kafka's.
    """
    try:
        given = {} if config is None else properties.read(config)
    except (OSError, ValueError) as error:
        raise CaptureError(f"{config} cannot be read: {error}") from error
    try:
        with Admin.connect(bootstrap, given, given.get("client.id", CLIENT_ID)) as admin:
            return look_at(admin, int(time.time() * 1000), watch_seconds=watch_seconds)
    except (errors.AdminError, OptionError) as error:
        raise CaptureError(f"{bootstrap}: {error}") from error


def look_at(
    admin: Admin, taken_ms: int, *, watch_seconds: float = 0.0, clock: Clock = SYSTEM_CLOCK
) -> Captured:
    """Take a snapshot; raises AdminError if not even brokers or topics are told.

    With `watch_seconds` leaders' logs are looked at twice, so far apart by the clock, and what they
    have grown by is what producers write; a log that has shrunk meanwhile, as its oldest segment
    was deleted, counts as one to which nothing is written.
    """
    look = _Look(admin)
    cluster = admin.describe_cluster().result()
    partitions = look.partitions()
    moves = look.moves()
    dirs = look.log_dirs(cluster.brokers)
    first = _sizes(dirs)
    rates: Mapping[TopicPartition, float] = {}
    if watch_seconds > 0:
        begun = clock.monotonic()
        clock.sleep(watch_seconds)
        second = _sizes(_Look(admin).log_dirs(cluster.brokers))
        rates = _rates(partitions, first, second, clock.monotonic() - begun)
    look.throttles(cluster.brokers)
    min_isrs = look.min_isrs({name.topic for name in partitions})
    held = {id_ for each in partitions.values() for id_ in each.replicas}
    brokers = [
        Broker(id_, each.rack, _capacity(dirs.get(id_, ())))
        for id_, each in cluster.brokers.items()
        if not _hosts_nothing(dirs.get(id_, ()))
    ]
    brokers += [Broker(id_, alive=False) for id_ in held - {*cluster.brokers}]
    snapshot = Snapshot(
        cluster.cluster_id or "",
        taken_ms,
        tuple(brokers),
        tuple(
            _partition(name, each, moves.get(name), first, rates, min_isrs)
            for name, each in partitions.items()
        ),
    )
    return Captured(snapshot, tuple(look.missing))


def _partition(
    name: TopicPartition,
    there: PartitionDescription,
    move: PartitionReassignment | None,
    sizes: Sizes,
    rates: Mapping[TopicPartition, float],
    min_isrs: Mapping[str, int],
) -> Partition:
    # A move may have begun or ended between two answers: those that belong together are one's.
    replicas = move.replicas if move is not None else there.replicas
    by_broker = {id_: sizes.get(id_, {}).get(name, 0) for id_ in replicas}
    leader = NO_LEADER if there.leader is None else there.leader
    return Partition(
        topic=name.topic,
        partition=name.partition,
        replicas=replicas,
        adding=move.adding_replicas if move is not None else (),
        removing=move.removing_replicas if move is not None else (),
        leader=leader,
        isr=there.isr,
        size_bytes=by_broker.get(leader) or max(by_broker.values(), default=0),
        bytes_in_per_s=rates.get(name, 0.0),
        min_isr=min_isrs.get(name.topic, 1),
    )


def _sizes(dirs: Mapping[int, tuple[LogDir, ...]]) -> Sizes:
    """Return the bytes of logs, without those on their way to another directory."""
    return {
        broker: {
            name: replica.size
            for each in of_broker
            for name, replica in each.replicas.items()
            if not replica.is_future
        }
        for broker, of_broker in dirs.items()
    }


def _rates(
    partitions: Mapping[TopicPartition, PartitionDescription],
    first: Sizes,
    second: Sizes,
    seconds: float,
) -> dict[TopicPartition, float]:
    found: dict[TopicPartition, float] = {}
    for name, each in partitions.items():
        leader = each.leader if each.leader is not None else NO_LEADER
        before, after = first.get(leader, {}).get(name), second.get(leader, {}).get(name)
        if before is not None and after is not None and after > before:
            found[name] = round((after - before) / seconds, 1)
    return found


def _hosts_nothing(dirs: tuple[LogDir, ...]) -> bool:
    """Tell whether it is no broker, but a node of klamm, to which no replica can be moved."""
    return [each.path for each in dirs] == [_NO_DIRECTORY]


def _capacity(dirs: tuple[LogDir, ...]) -> int | None:
    """Return what a broker's directories hold together; None if one of them does not tell."""
    sizes = [each.total_bytes for each in dirs if each.error is None]
    known = [size for size in sizes if size is not None]
    return sum(known) if known and len(known) == len(sizes) else None


def _ids(brokers: list[int]) -> str:
    return ", ".join(map(str, sorted(brokers)))
