"""`klamm topics --alter` in dialect kip-179-alter: everything by AlterTopics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from admin_client.offering import WHERE_TO_SET
from admin_client.scripted import SERVED, Answer, ScriptedCluster
from click.testing import CliRunner, Result

from klamm.protocol.generated.alter_topics_request import (
    AlteredTopic,
    AlterTopicsRequest,
    PartitionBrokers,
)
from klamm.protocol.generated.alter_topics_response import AlteredTopicResult, AlterTopicsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponseTopic
from klamm.protocol.message import Message
from klamm.tools.cli.main import main

DIALECT = ("--dialect", "kip-179-alter")
ERROR = "Error while executing topic command : "


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    """One node with topics foo and food, which accepts what it is asked for but for food."""

    def metadata(node: int, request: Message) -> Answer:
        assert isinstance(request, MetadataRequest)
        names = () if request.topics == () else ("foo", "food")
        return scripted.metadata(topics=tuple(MetadataResponseTopic(0, name) for name in names))

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, AlterTopicsRequest)
        codes = {"food": (38, "Replication factor 9 is larger than the number of brokers: 1.")}
        results = (
            AlteredTopicResult(t.name, *codes.get(t.name, (0, None))) for t in request.topics
        )
        return AlterTopicsResponse(topics=tuple(results))

    with ScriptedCluster(1) as scripted:
        scripted.served[1] = {**SERVED, 17902: range(1)}
        scripted.on(MetadataRequest, metadata)
        scripted.on(AlterTopicsRequest, answer)
        yield scripted


def alter(cluster: ScriptedCluster, *words: str) -> Result:
    command = ["topics", "--bootstrap-server", cluster.bootstrap, "--alter", *words]
    return CliRunner().invoke(main, command)


@pytest.mark.req("R179A-15")
@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ("--partitions 6", AlteredTopic("foo", 6)),
        ("--replication-factor 3", AlteredTopic("foo", -1, 3)),
        (
            "--replica-assignment 3:1,2:3",
            AlteredTopic("foo", -1, -1, (PartitionBrokers(0, (3, 1)), PartitionBrokers(1, (2, 3)))),
        ),
        (
            "--partitions 1 --replication-factor 2 --replica-assignment 3:1",
            AlteredTopic("foo", 1, 2, (PartitionBrokers(0, (3, 1)),)),
        ),
        ("--partitions -1 --replication-factor 2", AlteredTopic("foo", -1, 2)),
    ],
)
def test_what_is_sent(cluster: ScriptedCluster, words: str, sent: AlteredTopic) -> None:
    result = alter(cluster, "--topic", "foo", *words.split(), *DIALECT)
    watch = f"klamm topics --bootstrap-server {cluster.bootstrap} --describe --topic foo"
    assert (result.exit_code, result.output) == (
        0,
        f"Began to alter topic foo.\nTo watch: {watch}\n",
    )
    [request] = [body for _, body in cluster.seen if isinstance(body, AlterTopicsRequest)]
    assert request.topics == (sent,)


@pytest.mark.req("R179A-15")
def test_several_topics_go_in_one_request_and_the_refused_are_told(
    cluster: ScriptedCluster,
) -> None:
    result = alter(cluster, "--topic", "foo.?", "--replication-factor", "9", *DIALECT)
    watch = f"klamm topics --bootstrap-server {cluster.bootstrap} --describe --topic 'foo.?'"
    assert (result.exit_code, result.output) == (
        1,
        (
            f"Began to alter topic foo.\nTo watch: {watch}\n"
            f"{ERROR}food: Replication factor 9 is larger than the number of brokers: 1.\n"
        ),
    )
    [request] = [body for _, body in cluster.seen if isinstance(body, AlterTopicsRequest)]
    assert [topic.name for topic in request.topics] == ["foo", "food"]


@pytest.mark.parametrize("wrong", ["--partitions 0", "--partitions -2", "--replication-factor 0"])
def test_a_number_that_cannot_be_is_named(cluster: ScriptedCluster, wrong: str) -> None:
    result = alter(cluster, "--topic", "foo", "--partitions", "3", *wrong.split(), *DIALECT)
    assert result.exit_code == 1
    assert f"{wrong} is not allowed; give 1 or more, or leave it out" in result.output
    assert not cluster.looks


def test_no_partitions_are_a_number_in_the_stock_dialect_too(cluster: ScriptedCluster) -> None:
    result = alter(cluster, "--topic", "none", "--partitions", "0")
    assert result.output == f"{ERROR}Topic 'none' does not exist as expected\n"


def test_the_command_to_watch_with_has_the_config(cluster: ScriptedCluster, tmp_path: Path) -> None:
    file = tmp_path / "my client.properties"
    file.write_text("client.id=me\n")
    words = ("--command-config", str(file), "--topic", "foo", "--partitions", "3")
    assert f" --command-config '{file}' --describe" in alter(cluster, *words, *DIALECT).output


def test_no_topic_and_no_request(cluster: ScriptedCluster) -> None:
    words = ("--topic", "none", "--partitions", "3", *DIALECT)
    assert f"{ERROR}Topic 'none' does not exist as expected" in alter(cluster, *words).output
    quiet = alter(cluster, *words, "--if-exists")
    assert (quiet.exit_code, quiet.output) == (0, "")
    assert not cluster.seen


def test_a_server_without_it(cluster: ScriptedCluster) -> None:
    cluster.served[1] = SERVED
    result = alter(cluster, "--topic", "foo", "--partitions", "3", *DIALECT)
    assert (result.exit_code, result.output) == (
        1,
        ERROR
        + "the server does not offer AlterTopics (17902): set klamm.kip179.alter.enable=true"
        + f"{WHERE_TO_SET}\n",
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (DIALECT, 'Missing required argument "[partitions],[replication-factor],'),
        (("--replication-factor", "2"), 'Missing required argument "[partitions]"'),
        (
            ("--partitions", "3", "--replication-factor", "2"),
            'Option "[replication-factor]" can\'t be used with option "[alter]"',
        ),
        (("--partitions", "3", "--dialect", "kip-179-assign"), "'kip-179-assign' is not one of"),
        (("--partitions", "3", "--config", "a=b", *DIALECT), '"[bootstrap-server],[config]"'),
    ],
)
def test_command_lines_that_are_refused(
    cluster: ScriptedCluster, words: tuple[str, ...], text: str
) -> None:
    result = alter(cluster, "--topic", "foo", *words)
    assert result.exit_code == 1
    assert text in result.output
    assert not cluster.looks
