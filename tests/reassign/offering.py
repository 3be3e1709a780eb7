"""A scripted cluster that offers the requests of KIP-179, for the tool's two dialects of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from admin_client import offering as admin_offering
from admin_client.scripted import Answer, ScriptedCluster
from reassign.tool import Run

from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import (
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from klamm.protocol.message import Message

FILE = "--reassignment-json-file"
ALTER = ("--dialect", "kip-179-alter")
ASSIGN = ("--dialect", "kip-179-assign")
QUIET = "--no-rollback-file"
NOW = 1_700_000_000_000

#: Replicas by partition; the first leads, nobody where there is a -1.
Topics = Mapping[str, Sequence[Sequence[int]]]


@contextmanager
def offering() -> Iterator[ScriptedCluster]:
    """Nodes 1 to 3, which offer all of KIP-179; nothing moves."""
    with admin_offering.offering() as scripted:
        scripted.on(ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse())
        brokers = tuple(DescribeClusterBroker(node, "h", 1) for node in scripted.ids)
        scripted.on(DescribeClusterRequest, DescribeClusterResponse(brokers=brokers))
        yield scripted


def holds(cluster: ScriptedCluster, topics: Topics) -> None:
    """Say where partitions are."""

    def partition(number: int, replicas: Sequence[int]) -> MetadataResponsePartition:
        leader, there = replicas[0], tuple(broker for broker in replicas if broker >= 0)
        error = 5 if leader < 0 else 0
        return MetadataResponsePartition(error, number, leader, 0, there, there)

    def metadata(node: int, request: Message) -> Answer:
        assert isinstance(request, MetadataRequest)
        names = [topic.name or "" for topic in request.topics or ()]
        found = [
            MetadataResponseTopic(
                0 if name in topics else 3,
                name,
                partitions=tuple(
                    partition(number, replicas)
                    for number, replicas in enumerate(topics.get(name, ()))
                ),
            )
            for name in names
        ]
        return cluster.metadata(topics=tuple(found))

    cluster.on(MetadataRequest, metadata)


def moves(cluster: ScriptedCluster, topic: str) -> None:
    """Say that partition 0 of a topic moves."""
    move = OngoingPartitionReassignment(0, (1, 2, 3), (3,), ())
    cluster.on(
        ListPartitionReassignmentsRequest,
        ListPartitionReassignmentsResponse(topics=(OngoingTopicReassignment(topic, (move,)),)),
    )


def cells(run: Run) -> list[list[str]]:
    """Return the table that was printed."""
    assert run.status == 0
    return [re.split(r" {2,}", line) for line in run.lines]
