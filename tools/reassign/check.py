"""--check: what a plan would do, before anything is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from klamm.tools.admin import (
    Admin,
    BrokerDescription,
    LogDir,
    PartitionDescription,
    PartitionReassignment,
    TopicPartition,
    errors,
)
from klamm.tools.admin.partitions import LOOK_MS, read_partitions
from klamm.tools.reassign import plan_files, texts
from klamm.tools.reassign.exits import Exit
from klamm.tools.reassign.output import CommandError, Output
from klamm.tools.reassign.plan_files import Plan


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a plan is held against. Sizes are in bytes; `dirs` lacks brokers that did not answer."""

    brokers: Mapping[int, BrokerDescription]
    partitions: Mapping[TopicPartition, PartitionDescription]
    moving: Mapping[TopicPartition, PartitionReassignment] = field(default_factory=dict)
    dirs: Mapping[int, tuple[LogDir, ...]] = field(default_factory=dict)

    def size(self, name: TopicPartition) -> int | None:
        """Return the bytes of a partition, by its largest replica; None if nobody knows."""
        sizes = [
            each.replicas[name].size
            for dirs in self.dirs.values()
            for each in dirs
            if name in each.replicas and not each.replicas[name].is_future
        ]
        return max(sizes, default=None)

    def usable(self, broker: int) -> int | None:
        """Return the bytes that are free in all directories of a broker; None if nobody knows."""
        known = [each.usable_bytes for each in self.dirs.get(broker, ()) if each.error is None]
        if not known or None in known:
            return None
        return sum(size for size in known if size is not None)


@dataclass(frozen=True, slots=True)
class Report:
    """What a plan would do. `problems` are reasons not to start it, each a sentence.

    `added` and `removed` count replicas; `incoming` are the bytes to be copied to each broker,
    without those of the `unsized` partitions, whose size nobody knows. `leaders` are partitions
    whose leader must go, `preferred` those whose first replica changes. `factors` and `racks` have
    the numbers before and after, where they change.
    """

    partitions: int
    settled: tuple[TopicPartition, ...]
    moving: tuple[TopicPartition, ...]
    added: int
    removed: int
    incoming: Mapping[int, int]
    unsized: tuple[TopicPartition, ...]
    leaders: tuple[TopicPartition, ...]
    preferred: tuple[TopicPartition, ...]
    factors: Mapping[TopicPartition, tuple[int, int]]
    racks: Mapping[TopicPartition, tuple[int, int]]
    problems: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """All that is to be copied between brokers."""
        return sum(self.incoming.values())


def report(plan: Plan, cluster: Cluster) -> Report:
    """Hold a plan against a cluster. A partition that the cluster does not have is a problem."""
    targets = {name: target for name, target in plan.targets.items() if name in cluster.partitions}
    incoming: Counter[int] = Counter()
    added = removed = 0
    settled, unsized = [], []
    for name, target in targets.items():
        there = _origin(cluster, name)
        coming = [broker for broker in target if broker not in there]
        added += len(coming)
        removed += len({*there} - {*target})
        if there == target and name not in cluster.moving:
            settled.append(name)
        size = cluster.size(name)
        if coming and size is None:
            unsized.append(name)
        incoming.update(dict.fromkeys(coming, size or 0))
    return Report(
        len(plan.targets),
        tuple(settled),
        tuple(name for name in targets if name in cluster.moving),
        added,
        removed,
        dict(sorted(incoming.items())),
        tuple(unsized),
        tuple(
            name
            for name, target in targets.items()
            if (leader := cluster.partitions[name].leader) is not None and leader not in target
        ),
        tuple(name for name, target in targets.items() if _origin(cluster, name)[:1] != target[:1]),
        _changes({name: (len(_origin(cluster, name)), len(to)) for name, to in targets.items()}),
        _changes(
            {
                name: (_racks(cluster, _origin(cluster, name)), _racks(cluster, to))
                for name, to in targets.items()
            }
        ),
        tuple(_problems(plan, cluster, incoming)),
    )


def _origin(cluster: Cluster, name: TopicPartition) -> tuple[int, ...]:
    """Return the replicas that have the data: not those that a running move adds."""
    move = cluster.moving.get(name)
    if move is None:
        return cluster.partitions[name].replicas
    return tuple(broker for broker in move.replicas if broker not in move.adding_replicas)


def _changes(
    found: Mapping[TopicPartition, tuple[int, int]],
) -> dict[TopicPartition, tuple[int, int]]:
    return {name: (before, after) for name, (before, after) in found.items() if before != after}


def _racks(cluster: Cluster, replicas: Collection[int]) -> int:
    """Count the racks; a broker without one, or that is not there, is none."""
    known = (cluster.brokers[broker].rack for broker in replicas if broker in cluster.brokers)
    return len({rack for rack in known if rack is not None})


def _problems(plan: Plan, cluster: Cluster, incoming: Mapping[int, int]) -> Iterator[str]:
    missing = [name for name in plan.targets if name not in cluster.partitions]
    if missing:
        yield f"there is no partition {texts.names(missing)}"
    for broker in sorted(plan.brokers - {*cluster.brokers}):
        yield f"broker {broker} is not in the cluster"
    for broker, size in sorted(incoming.items()):
        usable = cluster.usable(broker)
        if usable is not None and size > usable:
            yield f"broker {broker} gets {size} bytes, and has {usable} free"
    into: Counter[tuple[int, str]] = Counter()
    for replica, path in plan.log_dirs.items():
        name = TopicPartition(replica.topic, replica.partition)
        known = {each.path: each for each in cluster.dirs.get(replica.broker, ())}
        if known and path not in known:
            yield f"broker {replica.broker} has no log directory {path}"
        elif known and known[path].error is not None:
            yield f"log directory {path} of broker {replica.broker} has failed"
        elif known and name not in known[path].replicas:
            into[replica.broker, path] += cluster.size(name) or 0
    for (broker, path), size in sorted(into.items()):
        free = next(each.usable_bytes for each in cluster.dirs[broker] if each.path == path)
        if free is not None and size > free:
            yield f"log directory {path} of broker {broker} gets {size} bytes, and has {free} free"


def lines(found: Report) -> Iterator[str]:
    """Put a report into words."""
    yield (
        f"{found.partitions} partition{texts.plural(found.partitions)}: {found.added}"
        f" replica{texts.plural(found.added)} to add, {found.removed} to remove,"
        f" {found.bytes} bytes to copy"
    )
    for broker, size in found.incoming.items():
        yield f"  to broker {broker}: {size} bytes"
    for text, names in (
        ("Of unknown size", found.unsized),
        ("On these replicas already", found.settled),
        ("Moving already", found.moving),
        ("Get another leader", found.leaders),
        ("Get another preferred leader", found.preferred),
    ):
        if names:
            yield f"{text}: {texts.names(names)}"
    for text, changes in (("replicas", found.factors), ("racks", found.racks)):
        for name, (before, after) in sorted(changes.items()):
            yield f"{name} has {before} {text}, and will have {after}"
    for problem in found.problems:
        yield f"Problem: {problem}"
    if not found.problems:
        yield "No problem found."


def as_facts(found: Report) -> dict[str, object]:
    """Return a report as JSON values."""
    return {
        "partitions": found.partitions,
        "added": found.added,
        "removed": found.removed,
        "bytes": found.bytes,
        "incoming": {str(broker): size for broker, size in found.incoming.items()},
        "unsized": [str(name) for name in sorted(found.unsized)],
        "settled": [str(name) for name in sorted(found.settled)],
        "moving": [str(name) for name in sorted(found.moving)],
        "leaders": [str(name) for name in sorted(found.leaders)],
        "preferred": [str(name) for name in sorted(found.preferred)],
        "replication_factors": {str(name): [*of] for name, of in sorted(found.factors.items())},
        "racks": {str(name): [*of] for name, of in sorted(found.racks.items())},
        "problems": [*found.problems],
    }


def look(admin: Admin, plan: Plan, output: Output) -> Cluster:
    """Read what the plan is held against; raises AdminError.

    A broker whose directories cannot be read is passed over with a word.
    """
    partitions = read_partitions(admin, plan.topics)
    brokers = admin.describe_cluster().result().brokers
    moving = admin.list_partition_reassignments().result()
    dirs = {}
    for broker, asked in admin.describe_log_dirs(sorted(brokers), LOOK_MS).futures.items():
        try:
            dirs[broker] = asked.result()
        except errors.AdminError as error:
            output.warn(f"Passing over the log directories of broker {broker}: {error}")
    return Cluster(brokers, partitions, moving, dirs)


def check(admin: Admin, plan_json: str, output: Output) -> Exit:
    """Print what a plan would do; DONE without problems. Raises CommandError and AdminError."""
    plan = plan_files.parse_plan(plan_json)
    plan_files.check_executable(plan)
    found = report(plan, look(admin, plan, output))
    for line in lines(found):
        output.say(line)
    output.put(check=as_facts(found))
    return Exit.FAILED if found.problems else Exit.DONE


def before_execute(admin: Admin, plan: Plan, output: Output) -> None:
    """Print the same as warnings, so that what the stock tool prints stays as it is.

    Raises CommandError if something speaks against the plan.
    """
    found = report(plan, look(admin, plan, output))
    for line in lines(found):
        output.warn(line)
    output.put(check=as_facts(found))
    if found.problems:
        raise CommandError(f"The plan check has found that {'; '.join(found.problems)}")
