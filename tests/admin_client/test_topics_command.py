"""`klamm topics`: what it prints, refuses and exits with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from admin_client.scripted import Answer, ScriptedCluster
from click.testing import CliRunner, Result

from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import (
    DescribeClusterBroker,
    DescribeClusterResponse,
)
from klamm.protocol.generated.describe_configs_request import DescribeConfigsRequest
from klamm.protocol.generated.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
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
from klamm.tools.admin import Admin, NewTopic, TopicPartition
from klamm.tools.cli._cluster import LocalCluster
from klamm.tools.cli.main import main

PATIENCE = 30.0
Run = Callable[..., Result]


def run(bootstrap: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["topics", "--bootstrap-server", bootstrap, *words])


@pytest.fixture
def topics(local: LocalCluster) -> Run:
    return lambda *words: run(local.bootstrap, *words)


def test_a_topic_is_created_listed_grown_and_deleted(admin: Admin, topic: str, topics: Run) -> None:
    made = topics("--create", "--topic", topic, "--replica-assignment", "1:2,2:3")
    assert (made.exit_code, made.output.splitlines()[-1]) == (0, f"Created topic {topic}.")
    assert topic in topics("--list").output.splitlines()
    assert topics("--list", "--topic", f"{topic},other").output == f"{topic}\n"

    grown = topics(
        "--alter", "--topic", topic, "--partitions", "3", "--replica-assignment", "1:2,2:3,3:4"
    )
    assert (grown.exit_code, grown.output) == (0, "")
    described = admin.describe_topics([topic]).result(PATIENCE)[topic]
    assert described.partitions[2].replicas == (3, 4)

    gone = topics("--delete", "--topic", topic)
    assert (gone.exit_code, gone.output) == (0, "")
    assert topic not in topics("--list").output.splitlines()


def test_a_topic_gets_configs_and_numbers(admin: Admin, topic: str, topics: Run) -> None:
    words = ["--partitions", "2", "--replication-factor", "3", "--config", "min.insync.replicas=2"]
    assert topics("--create", "--topic", topic, *words).exit_code == 0
    first, *partitions = topics("--describe", "--topic", topic).output.splitlines()
    assert first.endswith(
        "\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2"
    )
    assert len(partitions) == 2
    overridden = topics("--describe", "--topics-with-overrides").output.splitlines()
    assert first in overridden
    assert all(line.startswith("Topic: ") for line in overridden)


@pytest.mark.req("R455-74")
def test_a_move_shows_as_two_columns(admin: Admin, topic: str, topics: Run) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1, 2], 1: [2, 3]})]).result(PATIENCE)
    admin.alter_partition_reassignments({TopicPartition(topic, 0): (2, 5)}).result(PATIENCE)
    first, moving, resting = topics("--describe", "--topic", topic).output.splitlines()
    assert "\tReplicationFactor: 2\t" in first
    assert moving == (
        f"\tTopic: {topic}\tPartition: 0\tLeader: 1\tReplicas: 2,5,1\tIsr: 1,2"
        "\tAdding Replicas: 5\tRemoving Replicas: 1\tElr: N/A\tLastKnownElr: N/A"
    )
    assert resting == (
        f"\tTopic: {topic}\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2,3"
        "\tElr: N/A\tLastKnownElr: N/A"
    )
    # Broker 5 has never caught up, and counts only from the end of the move on.
    assert topics("--describe", "--topic", topic, "--under-replicated-partitions").output == ""


@pytest.mark.req("R455-74")
@pytest.mark.parametrize("code", [31, 0])
def test_without_the_right_to_list_moves_the_columns_are_missing(code: int) -> None:
    partition = MetadataResponsePartition(0, 0, 1, 3, (1, 2, 3), (1, 2))

    def metadata(node: int, request: Message) -> Answer:
        assert isinstance(request, MetadataRequest)
        topics = (MetadataResponseTopic(0, "foo", partitions=(partition,)),)
        return cluster.metadata(topics=() if request.topics == () else topics)

    move = OngoingPartitionReassignment(0, (1, 2, 3), (3,), ())
    moves = (OngoingTopicReassignment("foo", (move,)),)
    with ScriptedCluster(1) as cluster:
        cluster.on(MetadataRequest, metadata)
        cluster.on(DescribeClusterRequest, DescribeClusterResponse(cluster_id="c"))
        cluster.on(
            DescribeConfigsRequest,
            DescribeConfigsResponse(results=(DescribeConfigsResult(0, None, 2, "foo"),)),
        )
        cluster.on(
            ListPartitionReassignmentsRequest,
            ListPartitionReassignmentsResponse(error_code=code, topics=() if code else moves),
        )
        result = run(cluster.bootstrap, "--describe")
    assert result.exit_code == 0
    assert ("Adding Replicas: 3\tRemoving Replicas: \t" in result.output) is (code == 0)
    assert ("Adding" in result.output) is (code == 0)
    assert f"\tReplicationFactor: {3 if code else 2}\t" in result.output


def test_reports_pick_partitions() -> None:
    """min.insync.replicas is 2: of four partitions one is fine, the others lack something."""
    partitions = (
        MetadataResponsePartition(0, 0, 1, 3, (1, 2, 3), (1, 2, 3)),
        MetadataResponsePartition(0, 1, 1, 3, (1, 2, 3), (1, 2)),
        MetadataResponsePartition(0, 2, 1, 3, (1, 2, 3), (1,)),
        MetadataResponsePartition(5, 3, -1, 3, (1, 2, 3), (3,)),
    )

    def reported(option: str) -> list[int]:
        output = run(cluster.bootstrap, "--describe", f"--{option}-partitions").output
        return [
            int(line.split("\t")[2].removeprefix("Partition: ")) for line in output.splitlines()
        ]

    def metadata(node: int, request: Message) -> Answer:
        assert isinstance(request, MetadataRequest)
        topics = (MetadataResponseTopic(0, "foo", partitions=partitions),)
        return cluster.metadata(topics=() if request.topics == () else topics)

    config = DescribeConfigsResourceResult("min.insync.replicas", "2", config_source=1)
    with ScriptedCluster(1) as cluster:
        cluster.on(MetadataRequest, metadata)
        cluster.on(
            DescribeClusterRequest,
            DescribeClusterResponse(cluster_id="c", brokers=(DescribeClusterBroker(1, "h", 1),)),
        )
        cluster.on(
            DescribeConfigsRequest,
            DescribeConfigsResponse(results=(DescribeConfigsResult(0, None, 2, "foo", (config,)),)),
        )
        cluster.on(ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse())
        assert reported("under-replicated") == [1, 2, 3]
        assert reported("unavailable") == [3]
        assert reported("under-min-isr") == [2, 3]
        assert reported("at-min-isr") == [1]


def test_what_is_not_there(topics: Run) -> None:
    for words in (["--describe"], ["--delete"], ["--alter", "--partitions", "3"]):
        result = topics(*words, "--topic", "none")
        assert result.exit_code == 1
        assert result.output == (
            "Error while executing topic command : Topic 'none' does not exist as expected\n"
        )
        quiet = topics(*words, "--topic", "none", "--if-exists")
        assert (quiet.exit_code, quiet.output) == (0, "")
    missing = topics("--describe", "--topic-id", "AAAAAAAAAAAAAAAAAAAAAA")
    assert missing.exit_code == 1
    assert "TopicId 'AAAAAAAAAAAAAAAAAAAAAA' does not exist as expected" in missing.output


def test_what_is_there_already(admin: Admin, topic: str, topics: Run) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1]})]).result(PATIENCE)
    result = topics("--create", "--topic", topic)
    assert result.exit_code == 1
    assert f"Error while executing topic command : Topic '{topic}' already exists." in result.output
    assert topics("--create", "--topic", topic, "--if-not-exists").exit_code == 0
    fewer = topics("--alter", "--topic", topic, "--partitions", "1")
    assert fewer.exit_code == 1
    assert "Topic already has 1 partition" in fewer.output


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", "Command must include exactly one action: --list, --describe, --create, --alter or"),
        ("--list --create", "Command must include exactly one action"),
        ("--create", 'Missing required argument "[topic]"'),
        ("--alter --topic a", 'Missing required argument "[partitions]"'),
        ("--alter --topic a --config b=c", '"[bootstrap-server],[config]" can\'t be used with'),
        ("--describe --if-exists", "--topic or --topic-id is required to describe a topic"),
        ("--list --config a=b", 'Option "[config]" can\'t be used with option "[list]"'),
        ("--describe --partitions 3", 'Option "[partitions]" can\'t be used with option'),
        (
            "--describe --at-min-isr-partitions --topics-with-overrides",
            '"[at-min-isr-partitions]" can\'t be used with option "[topics-with-overrides]"',
        ),
        (
            "--create --topic a --replica-assignment 1 --partitions 1",
            '"[replica-assignment]" can\'t be used with option "[partitions]"',
        ),
        ("--frobnicate", "--frobnicate"),
    ],
)
def test_command_lines_that_are_refused(words: str, text: str) -> None:
    result = run("127.0.0.1:1", *words.split())
    assert result.exit_code == 1
    assert text in result.output


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--replica-assignment 1:1", "may not contain duplicate entries: 1"),
        ("--replica-assignment 1:2,3", "Partition 1 has different replication factor: [3]"),
        ("--replica-assignment 1:x", "'1:x' is no list of brokers"),
        ("--config a", 'must be in the format "key=val".'),
        ("--replication-factor 0", "The replication factor must be between 1 and 32767 inclusive"),
        ("--partitions 0", "The partitions must be greater than 0"),
        ("--command-config none.properties", "none.properties cannot be read"),
    ],
)
def test_values_that_are_refused(words: str, text: str) -> None:
    result = run("127.0.0.1:1", "--create", "--topic", "a", *words.split())
    assert result.exit_code == 1
    assert "Error while executing topic command : " in result.output
    assert text in result.output


def test_without_a_server() -> None:
    result = CliRunner().invoke(main, ["topics", "--list"])
    assert result.exit_code == 1
    assert "--bootstrap-server must be specified" in result.output


def test_a_file_of_properties_is_heeded(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("default.api.timeout.ms=100\nretry.backoff.ms=1\n")
    result = run("127.0.0.1:1", "--list", "--command-config", str(file))
    assert result.exit_code == 1
    assert "Timed out waiting for a node assignment. Call: listTopics" in result.output


def test_errors_have_the_text_of_the_node(topics: Run, topic: str) -> None:
    result = topics("--create", "--topic", topic, "--replication-factor", "99")
    assert result.exit_code == 1
    assert "Replication factor: 99 larger than available brokers" in result.output
