"""Journals of a cluster on a real ZooKeeper tell what it holds, whoever is in office."""

import os
import signal
from pathlib import Path

import pytest
from cli.commands import running
from processes import wait_until

from klamm.tools.admin import Admin, NewPartitions, NewTopic, TopicPartition
from klamm.tools.pipeline.jobs import moves, replay
from klamm.tools.pipeline.jobs.ingest import ingest
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import EVENTS
from klamm.tools.planner.runner import Local

PATIENCE = 60.0
#: A broker that lives and never catches up: moves to it end by a cancel alone.
FROZEN = 3
OPTIONS = (
    *("--brokers", "4", "--frozen", str(FROZEN), "--partition-bytes", "10KB", "--nodes", "2"),
    *("--override", "zookeeper.session.timeout.ms=2000"),
)


def work(admin: Admin, prefix: str) -> None:
    """Have moves end, be superseded and cancelled, and topics grow and go."""
    kept, gone = f"{prefix}-kept", f"{prefix}-gone"
    placed = {0: [0, 1], 1: [1, 2], 2: [2, 0]}
    admin.create_topics([NewTopic(name, assignments=placed) for name in (kept, gone)]).result(
        PATIENCE
    )
    done, cancelled, superseded = (TopicPartition(kept, number) for number in range(3))
    targets = {done: (1, 2), cancelled: (FROZEN, 2), superseded: (2, FROZEN)}
    admin.alter_partition_reassignments(targets).result(PATIENCE)
    admin.alter_partition_reassignments({superseded: (2, 1)}).result(PATIENCE)
    admin.alter_partition_reassignments({cancelled: None}).result(PATIENCE)
    admin.delete_topics([gone]).result(PATIENCE)
    wait_until(
        lambda: not admin.list_partition_reassignments().result(PATIENCE), "all moves to end", 60
    )
    admin.create_partitions({kept: NewPartitions(4, [[1, 0]])}).result(PATIENCE)


def same(lake: Lake, journals: Path, zookeeper: str) -> bool:
    """Tell whether journals and ZooKeeper agree by now; no entry may be missing."""
    files = sorted(str(file) for file in journals.iterdir())
    assert not ingest(lake, files, "c", Local()).quarantined
    (rebuilt,) = replay.plain(lake)
    assert rebuilt.missing == 0
    held = replay.zookeeper(zookeeper)
    return not replay.check(lake, "c", held) and len(held) == rebuilt.znodes > 0


def kinds(lake: Lake, prefix: str) -> set[str]:
    rows = lake.read_plain(EVENTS).select(["topic", "kind"]).to_pylist()
    return {row["kind"] for row in rows if (row["topic"] or "").startswith(prefix)}


@pytest.mark.slow  # a node is killed, and its session has to expire
@pytest.mark.req("R455-108")
def test_what_is_rebuilt_is_what_a_real_zookeeper_holds(tmp_path: Path) -> None:
    journals, lake = tmp_path / "journals", Lake(tmp_path / "lake")
    journals.mkdir()
    with running(tmp_path, "up", *OPTIONS, "--journal", str(journals)) as command:
        nodes, zookeeper = command.ready["nodes"], command.ready["zookeeper"]
        with Admin.connect(command.ready["bootstrap"]) as admin:
            work(admin, "first")
            wait_until(lambda: same(lake, journals, zookeeper), "both to agree", 60)
            active = admin.describe_cluster().result(PATIENCE).controller_id
            [killed] = [node for node in nodes if node["id"] == active]
            [other] = [node for node in nodes if node is not killed]
            os.kill(killed["pid"], signal.SIGKILL)
        with Admin.connect(f"{other['host']}:{other['port']}") as admin:
            work(admin, "second")
            wait_until(lambda: same(lake, journals, zookeeper), "both to agree again", 60)
        command.end(signal.SIGTERM)
    for prefix in ("first", "second"):
        found = kinds(lake, prefix)
        assert found >= {"accept", "end", "cancel", "supersede", "topic-deleted", "isr-join"}
        assert found & {"topic-grown", "topic-altered"}
    told = {row["result"]: row["moves"] for row in moves.plain(lake, moves.Settings()).results}
    assert told == {"done": 4, "cancelled": 2, "superseded": 2}
