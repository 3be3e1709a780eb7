"""Kafka's own command line tools, from end to end, on real brokers with klamm as controller."""

import json
import subprocess
from pathlib import Path

import pytest
from peers.kafka_jars import REASSIGN_PARTITIONS, TOPICS, kafka_java
from peers.real_brokers.cluster import BROKERS, CONTROLLER, RealCluster
from peers.real_brokers.records import Records, read_back
from peers.real_brokers.throttles import await_rates
from processes import wait_until

pytestmark = pytest.mark.slow

RUN_SECONDS = 90


def run(cluster: RealCluster, main: str, *arguments: str | Path) -> str:
    """Run a tool against the real brokers; return what it prints, with a good end."""
    server = ",".join(cluster.addresses())
    command = [*kafka_java(main, heap_mib=96), "--bootstrap-server", server, *map(str, arguments)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_SECONDS
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_a_move_by_the_tools_alone(cluster: RealCluster, topic: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    wanted = [{"topic": topic, "partition": number, "replicas": [1, 2]} for number in (0, 1)]
    plan.write_text(json.dumps({"version": 1, "partitions": wanted}))
    file = ("--reassignment-json-file", plan)

    assignment = ("--replica-assignment", "0:1,0:1")
    said = run(cluster, TOPICS, "--create", "--topic", topic, *assignment)
    assert said == f"Created topic {topic}.\n"
    with Records(cluster.addresses(), topic, 2) as records:
        records.await_more(1000)
        said = run(cluster, REASSIGN_PARTITIONS, "--execute", *file, "--throttle", "1")
        assert f"Successfully started partition reassignments for {topic}-0,{topic}-1\n" in said
        said = run(cluster, REASSIGN_PARTITIONS, "--list")
        assert said == "Current partition reassignments:\n" + "".join(
            f"{topic}-{number}: replicas: 1,2,0. adding: 2. removing: 0.\n" for number in (0, 1)
        )
        said = run(cluster, TOPICS, "--describe", "--topic", topic)
        assert said.count("\tAdding Replicas: 2\tRemoving Replicas: 0") == 2
        said = run(cluster, REASSIGN_PARTITIONS, "--verify", *file)
        assert f"Reassignment of partition {topic}-0 is still in progress.\n" in said

        said = run(
            cluster,
            REASSIGN_PARTITIONS,
            "--execute",
            *file,
            "--additional",
            "--throttle",
            "100000000",
        )
        assert "The inter-broker throttle limit was set to 100000000 B/s\n" in said
        wait_until(lambda: not cluster.admin.list_partition_reassignments(), "the moves to end", 60)
        records.await_more()
    said = run(cluster, REASSIGN_PARTITIONS, "--verify", *file)
    ids = ",".join(map(str, sorted((*BROKERS, CONTROLLER))))
    assert said == (
        "Status of partition reassignment:\n"
        f"Reassignment of partition {topic}-0 is completed.\n"
        f"Reassignment of partition {topic}-1 is completed.\n"
        "\n"
        f"Clearing broker-level throttles on brokers {ids}\n"
        f"Clearing topic-level throttles on topic {topic}\n"
    )
    await_rates(cluster, None)
    assert records.refused == []
    assert records.acknowledged <= read_back(cluster.addresses(), topic, 2)


def test_a_cancel_by_the_tool(cluster: RealCluster, topic: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    entry = {"topic": topic, "partition": 0, "replicas": [2, 1]}
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    file = ("--reassignment-json-file", plan)

    cluster.admin.create_topics({topic: {"assignments": {0: [0, 1]}}})
    with Records(cluster.addresses(), topic) as records:
        records.await_more(500)
        run(cluster, REASSIGN_PARTITIONS, "--execute", *file, "--throttle", "1")
        said = run(cluster, REASSIGN_PARTITIONS, "--cancel", *file)
        assert f"Successfully cancelled partition reassignment for: {topic}-0\n" in said
        assert run(cluster, REASSIGN_PARTITIONS, "--list") == (
            "No partition reassignments found.\n"
        )
        records.await_more()
    await_rates(cluster, None)
    wait_until(
        lambda: f"{topic}-0" not in cluster.brokers[2].replicas(), "broker 2 to delete its replica"
    )
    said = run(cluster, TOPICS, "--describe", "--topic", topic)
    assert "\tReplicas: 1,0\t" in said
    assert records.acknowledged <= read_back(cluster.addresses(), topic)
