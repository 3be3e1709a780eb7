"""Snapshots of rows that were read from files."""

from __future__ import annotations

import pytest

from klamm.tools.planner.snapshot import Broker, Partition
from klamm.tools.rehearsal.rows import NothingThereError, TableRow, snapshot_of

FOO: TableRow = (
    "partitions",
    {"topic": "foo", "partition": 0, "replicas": [1, 2, 3], "leader": 1, "isr": [1, 2]},
)


def size(broker: int, amount: int) -> TableRow:
    row = {"topic": "foo", "partition": 0, "broker": broker, "size_bytes": amount}
    return "replicas", row


def test_rows_of_several_files_come_together() -> None:
    rows = [
        FOO,
        size(2, 50),
        size(1, 70),
        ("clusters", {"broker": 3, "rack": "a", "capacity_bytes": 900, "alive": None}),
        ("moves", {"topic": "foo"}),
    ]
    found = snapshot_of(rows, "east", 5)
    assert (found.snapshot.cluster_id, found.snapshot.taken_ms) == ("east", 5)
    assert found.snapshot.brokers == (Broker(1), Broker(2), Broker(3, "a", 900))
    assert found.snapshot.partitions == (
        Partition("foo", 0, (1, 2, 3), leader=1, isr=(1, 2), size_bytes=70),
    )
    assert [each.partition(";")[0] for each in found.missing] == [
        "not known: min.insync.replicas, taken to be 1",
        "not known: what producers write",
    ]


def test_who_is_in_no_isr_and_not_told_of_is_dead() -> None:
    found = snapshot_of([FOO], "east", 5)
    assert [each.alive for each in found.snapshot.brokers] == [True, True, False]
    assert any("sizes of 1 partitions" in each for each in found.missing)
    assert any("racks" in each for each in found.missing)


def test_later_rows_go_before_earlier_ones() -> None:
    table, row = FOO
    later: TableRow = table, {**row, "replicas": [1, 2], "removing": [2], "isr": None}
    (partition,) = snapshot_of([FOO, later], "east", 5).snapshot.partitions
    assert (partition.replicas, partition.removing, partition.isr) == ((1, 2), (2,), (1, 2))


def test_rows_without_partitions_are_refused() -> None:
    with pytest.raises(NothingThereError, match="kafka-topics --describe"):
        snapshot_of([size(1, 2)], "east", 5)
