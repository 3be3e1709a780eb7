"""--as-version: every node and broker shows clients what that release of Kafka does."""

import signal
from pathlib import Path

import click
import pytest
from cli.commands import running
from click.testing import CliRunner
from wire import ask

from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_log_dirs_response import DescribeLogDirsResponse
from klamm.tools.cli import brokers, serve, up

OWN = 17904


def shown(port: int) -> dict[int, tuple[int, int]]:
    answer = ask(port, ApiVersionsRequest(), 0)
    assert isinstance(answer, ApiVersionsResponse)
    return {item.api_key: (item.min_version, item.max_version) for item in answer.api_keys}


def test_up_as_another_release_with_several_log_directories(tmp_path: Path) -> None:
    options = ("--as-version", "2.4", "--brokers", "2", "--log-dirs", "2")
    with running(tmp_path, "up", "--memory", *options) as command:
        [node], members = command.ready["nodes"], command.ready["brokers"]
        tables = [shown(each["port"]) for each in (node, *members)]
        assert {table[3] for table in tables} == {(0, 9)}
        assert {table[35] for table in tables} == {(0, 1)}
        assert not any(60 in table for table in tables), "DescribeCluster came with 2.8"
        assert [OWN in table for table in tables] == [True, False, False]
        answer = ask(members[0]["port"], DescribeLogDirsRequest(None), 1)
        assert isinstance(answer, DescribeLogDirsResponse)
        assert [each.log_dir for each in answer.results] == ["/data0", "/data1"]
        command.end(signal.SIGINT)


def test_a_node_and_brokers_of_their_own_processes(tmp_path: Path, chroot: str) -> None:
    words = ("--override", "node.id=900", "--override", f"zookeeper.connect={chroot}")
    listen = ("--override", "listeners=PLAINTEXT://127.0.0.1:0")
    (tmp_path / "node").mkdir()
    (tmp_path / "brokers").mkdir()
    with running(tmp_path / "node", "serve", *words, *listen, "--as-version", "4.1") as node:
        assert shown(node.ready["nodes"][0]["port"])[45] == (0, 1)
        assert OWN not in shown(node.ready["nodes"][0]["port"])
        join = ("--zookeeper", chroot, "--ids", "1", "--as-version", "4.1")
        with running(tmp_path / "brokers", "brokers", *join) as broker:
            table = shown(broker.ready["brokers"][0]["port"])
            assert (table[3], table[75], table[32]) == ((0, 13), (0, 0), (1, 4))
            broker.end(signal.SIGINT)
        node.end(signal.SIGINT)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (up.command, ["--memory"]),
        (serve.command, []),
        (brokers.command, ["--zookeeper", "127.0.0.1:1"]),
    ],
)
def test_a_release_that_there_is_not(command: click.Command, words: list[str]) -> None:
    result = CliRunner().invoke(command, [*words, "--as-version", "3.10"])
    assert result.exit_code == 2
    assert "'3.10' is not one of '2.3'" in result.output


def test_a_property_of_a_node_says_the_same() -> None:
    words = ["--memory", "--override", "klamm.advertised.release=5.0"]
    result = CliRunner().invoke(up.command, words)
    assert result.exit_code == 2
    assert "klamm.advertised.release='5.0': one of 2.3, 2.4" in result.output
