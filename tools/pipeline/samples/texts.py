"""What Kafka's tools, and a tool for loads, would say of a cluster."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from random import Random
from typing import Any

from klamm.tools.planner.snapshot import Partition, Snapshot

_LOG_DIR = "/var/lib/kafka/data"


def describe(snapshot: Snapshot) -> Iterator[str]:
    """Return lines of `kafka-topics --describe`, as of Kafka 3.9."""
    for topic, group in groupby(snapshot.partitions, lambda each: each.topic):
        partitions = list(group)
        first = partitions[0]
        yield (
            f"Topic: {topic}\tTopicId: {topic_id(snapshot.cluster_id, topic)}\t"
            f"PartitionCount: {len(partitions)}\tReplicationFactor: {len(first.replicas)}\t"
            f"Configs: min.insync.replicas={first.min_isr}\n"
        )
        for each in partitions:
            leader = str(each.leader) if each.leader >= 0 else "none"
            yield (
                f"\tTopic: {topic}\tPartition: {each.partition}\tLeader: {leader}\t"
                f"Replicas: {_joined(each.replicas)}\tIsr: {_joined(each.isr)}\t"
                "Elr: N/A\tLastKnownElr: N/A\n"
            )


def log_dirs(snapshot: Snapshot) -> Iterator[str]:
    """Return what `kafka-log-dirs --describe` says, its two lines of prose before the JSON."""
    held: dict[int, list[Partition]] = defaultdict(list)
    for each in snapshot.partitions:
        for broker in each.replicas:
            held[broker].append(each)
    alive = [each.id for each in snapshot.brokers if each.alive]
    yield "Querying brokers for log directories information\n"
    yield f"Received log directory information from brokers {_joined(alive)}\n"
    brokers = [
        {
            "broker": broker,
            "logDirs": [
                {
                    "partitions": [
                        {
                            "partition": each.name,
                            "size": each.size_bytes,
                            "offsetLag": 0,
                            "isFuture": False,
                        }
                        for each in held[broker]
                    ],
                    "error": None,
                    "logDir": _LOG_DIR,
                }
            ],
        }
        for broker in alive
    ]
    yield _json({"brokers": brokers, "version": 1})


def partition_load(snapshot: Snapshot) -> Iterator[str]:
    """Return Cruise Control's `partition_load?json=true`: disk in MB, network in KB/s."""
    records = [
        {
            "topic": each.topic,
            "partition": each.partition,
            "leader": each.leader,
            "followers": [id_ for id_ in each.replicas if id_ != each.leader],
            "msg_in": round(each.bytes_in_per_s / 500, 3),
            "networkInbound": round(each.bytes_in_per_s / 1024, 3),
            "networkOutbound": round(2 * each.bytes_in_per_s / 1024, 3),
            "disk": round(each.size_bytes / 1024 / 1024, 3),
            "cpu": 0.0,
        }
        for each in snapshot.partitions
    ]
    yield _json({"records": records, "version": 1})


def load(snapshot: Snapshot) -> Iterator[str]:
    """Return Cruise Control's `load?json=true`: who is there, and how large its disks are."""
    held, led = Counter[int](), Counter[int]()
    for each in snapshot.partitions:
        led[each.leader] += 1
        for broker in each.replicas:
            held[broker] += each.size_bytes
    brokers = [
        {
            "Broker": each.id,
            "Host": f"kafka-{each.id}",
            "Rack": each.rack,
            "BrokerState": "ALIVE" if each.alive else "DEAD",
            "DiskMB": round(held[each.id] / 1024 / 1024, 3),
            "DiskCapacityMB": (each.capacity_bytes or 0) // 1024 // 1024,
            "Leaders": led[each.id],
        }
        for each in snapshot.brokers
    ]
    yield _json({"brokers": brokers, "version": 1})


def prometheus(snapshots: Iterable[Snapshot]) -> Iterator[str]:
    """Return sizes of brokers' logs over time, in the text format of Prometheus."""
    yield "# HELP kafka_log_size_bytes Bytes of all replicas that a broker holds.\n"
    yield "# TYPE kafka_log_size_bytes gauge\n"
    for snapshot in snapshots:
        held = {each.id: 0 for each in snapshot.brokers}
        for each in snapshot.partitions:
            for broker in each.replicas:
                held[broker] += each.size_bytes
        for broker, size in held.items():
            yield f'kafka_log_size_bytes{{broker="{broker}"}} {size} {snapshot.taken_ms}\n'


def plan(snapshot: Snapshot) -> Iterator[str]:
    """Return a file for kafka-reassign-partitions: ten partitions' last replicas go elsewhere."""
    alive = [each.id for each in snapshot.brokers if each.alive]
    partitions: list[dict[str, Any]] = []
    for each in snapshot.partitions:
        free = [id_ for id_ in alive if id_ not in each.replicas]
        if free and set(each.replicas) <= set(alive) and len(partitions) < 10:
            # From broker to broker, so that no one gets them all.
            replicas = [*each.replicas[:-1], free[len(partitions) % len(free)]]
            partitions.append(
                {"topic": each.topic, "partition": each.partition, "replicas": replicas}
            )
    yield _json({"version": 1, "partitions": partitions})


def topic_id(cluster: str, topic: str) -> str:
    """Return a topic's id as Kafka's tools print it; the same for the same names."""
    data = Random(f"{cluster}/{topic}").randbytes(16)  # noqa: S311 - no secret
    return urlsafe_b64encode(data).decode().rstrip("=")


def _joined(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))


def _json(value: Any) -> str:  # noqa: ANN401 - whatever JSON has
    return json.dumps(value, separators=(",", ":")) + "\n"
