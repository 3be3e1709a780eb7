"""A snapshot of rows of the canonical tables: what was read from files that tools have written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from klamm.tools.admin import TopicPartition
from klamm.tools.planner.snapshot import NO_LEADER, Broker, Partition, Snapshot
from klamm.tools.rehearsal.capture import Captured

#: A table's name, and a row of it without columns that are null.
TableRow = tuple[str, Mapping[str, Any]]


class NothingThereError(ValueError):
    """The rows tell of no partition."""


def snapshot_of(rows: Iterable[TableRow], cluster: str, taken_ms: int) -> Captured:
    """Make a snapshot of rows of `partitions`, `replicas` and `clusters`; others are passed over.

    The last row counts that says something of a thing, so later files go before earlier ones. A
    broker that nothing is told of but that it holds replicas is taken to be alive if it is in any
    ISR. Raises NothingThereError, and ValueError for what no cluster can have.
    """
    partitions: dict[TopicPartition, dict[str, Any]] = {}
    sizes: dict[TopicPartition, dict[int, int]] = {}
    brokers: dict[int, dict[str, Any]] = {}
    for table, row in rows:
        told = {key: value for key, value in row.items() if value is not None}
        if table == "partitions" and told.get("replicas"):
            name = TopicPartition(told["topic"], told["partition"])
            partitions.setdefault(name, {}).update(told)
        elif table == "replicas" and "size_bytes" in told:
            name = TopicPartition(told["topic"], told["partition"])
            sizes.setdefault(name, {})[told["broker"]] = told["size_bytes"]
        elif table == "clusters" and "broker" in told:
            brokers.setdefault(told["broker"], {}).update(told)
    if not partitions:
        raise NothingThereError(
            "the files tell of no partition: give the output of kafka-topics --describe among them"
        )
    return Captured(
        Snapshot(
            cluster,
            taken_ms,
            tuple(_brokers(partitions, brokers)),
            tuple(_partition(name, told, sizes.get(name, {})) for name, told in partitions.items()),
        ),
        tuple(_missing(partitions, sizes, brokers)),
    )


def _brokers(
    partitions: Mapping[TopicPartition, Mapping[str, Any]], told: Mapping[int, Mapping[str, Any]]
) -> Iterable[Broker]:
    in_sync = {id_ for each in partitions.values() for id_ in each.get("isr", ())}
    held = {id_ for each in partitions.values() for id_ in each["replicas"]}
    for id_ in sorted({*told, *held}):
        known = told.get(id_, {})
        alive = known.get("alive", id_ in in_sync or id_ in told)
        yield Broker(id_, known.get("rack"), known.get("capacity_bytes"), alive)


def _partition(
    name: TopicPartition, told: Mapping[str, Any], sizes: Mapping[int, int]
) -> Partition:
    leader = told.get("leader", NO_LEADER)
    return Partition(
        topic=name.topic,
        partition=name.partition,
        replicas=tuple(told["replicas"]),
        adding=tuple(told.get("adding", ())),
        removing=tuple(told.get("removing", ())),
        leader=leader,
        isr=tuple(told.get("isr", ())),
        size_bytes=sizes.get(leader) or max(sizes.values(), default=0),
        min_isr=told.get("min_isr", 1),
    )


def _missing(
    partitions: Mapping[TopicPartition, Mapping[str, Any]],
    sizes: Mapping[TopicPartition, object],
    brokers: Mapping[int, Mapping[str, Any]],
) -> Iterable[str]:
    without = sum(name not in sizes for name in partitions)
    if without:
        yield f"not known: sizes of {without} partitions; it takes the JSON of kafka-log-dirs"
    if not any("rack" in told for told in brokers.values()):
        yield "not known: racks of brokers; it takes a dump of ZooKeeper, or --bootstrap-server"
    if not any("min_isr" in told for told in partitions.values()):
        yield "not known: min.insync.replicas, taken to be 1"
    yield "not known: what producers write; it takes --bootstrap-server and --watch"
