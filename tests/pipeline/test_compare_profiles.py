"""What Kafka's document and Kafka's code decide differently, found by comparing two journals."""

import json
import signal
from pathlib import Path

import pytest
from cli.commands import running
from click.testing import CliRunner
from kafka import KafkaAdminClient, TopicPartition
from processes import wait_until

from klamm.tools.cli.pipeline import command
from klamm.tools.pipeline.jobs.compare import histories_plain
from klamm.tools.pipeline.lake import Lake

PROFILES = ("kip-455", "apache-3.9")


def moved_under(profile: str, folder: Path) -> Path:
    """Move a partition on a cluster whose controller has this profile; return its journal."""
    folder.mkdir()
    topics = folder / "topics.json"
    partition = {"topic": "demo", "partition": 0, "replicas": [1, 2, 3]}
    topics.write_text(json.dumps({"version": 1, "partitions": [partition]}))
    journal = folder / "node-900.jsonl"
    options = ("--memory", "--brokers", "5", "--partition-bytes", "1KiB")
    files = ("--topics-file", str(topics), "--journal", str(folder))
    with running(
        folder, "up", *options, *files, "--override", f"klamm.profile={profile}"
    ) as cluster:
        admin = KafkaAdminClient(bootstrap_servers=cluster.ready["bootstrap"])
        admin.alter_partition_reassignments({TopicPartition("demo", 0): [4, 3, 2]})
        wait_until(lambda: '"kind":"end"' in journal.read_text(), "the move to end", 30)
        admin.close()
        cluster.end(signal.SIGINT)
    return journal


@pytest.mark.slow
def test_the_order_on_the_way_is_another_one_by_the_document(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for profile in PROFILES:
        journal = moved_under(profile, tmp_path / profile)
        arguments = ["ingest", str(journal), "--to", str(lake), "--cluster", profile, "--plain"]
        assert CliRunner().invoke(command, arguments).exit_code == 0
    found = histories_plain(Lake(lake), *PROFILES)
    (row,) = found.shown
    assert row["named"] == "D3"
    # KIP-455's own example, and what ControllerContext.reassignTo does.
    assert row["first"] == "accept [1, 4, 3, 2] adding [4] removing [1]"
    assert row["second"] == "accept [4, 3, 2, 1] adding [4] removing [1]"
