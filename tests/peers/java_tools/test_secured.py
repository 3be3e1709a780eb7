"""Java's tools over TLS, certificates, PLAIN and SCRAM, by the file that `klamm up` makes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.test_secured import WISHES, cluster
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import CONFIGS, REASSIGN_PARTITIONS, TOPICS

from klamm.controller.runtime.properties import format_properties
from klamm.tools.cli._cluster import LocalCluster

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=WISHES)
def secured(request: pytest.FixtureRequest) -> Iterator[LocalCluster]:
    with cluster(WISHES[request.param]) as local:
        yield local


def run(tools: JavaTools, local: LocalCluster, main: str, *words: str) -> Run:
    file = local.cluster.security.client_file
    given = ("--bootstrap-server", local.bootstrap, "--command-config", str(file))
    return tools.run(main, *given, *words)


def test_topics_and_moves(secured: LocalCluster, either_tools: JavaTools) -> None:
    found = run(either_tools, secured, TOPICS, "--describe", "--topic", "t")
    assert (found.status, found.err) == (0, "")
    assert "Topic: t" in found.out
    listed = run(either_tools, secured, REASSIGN_PARTITIONS, "--list")
    assert (listed.status, listed.out) == (0, "No partition reassignments found.\n")


def test_credentials_of_users(
    secured: LocalCluster, either_tools: JavaTools, tmp_path: Path
) -> None:
    words = ("--alter", "--entity-type", "users", "--entity-name", "carol")
    add = ("--add-config", "SCRAM-SHA-256=[iterations=8192,password=carols]")
    done = run(either_tools, secured, CONFIGS, *words, *add)
    assert (done.status, done.out) == (0, "Completed updating config for user carol.\n"), done
    security = secured.cluster.security
    if security.sasl == "SCRAM-SHA-256":
        module = "org.apache.kafka.common.security.scram.ScramLoginModule"
        jaas = f'{module} required username="carol" password="carols";'
        file = tmp_path / "client.properties"
        file.write_text(format_properties({**security.client, "sasl.jaas.config": jaas}))
        given = ("--bootstrap-server", secured.bootstrap, "--command-config", str(file))
        assert either_tools.run(TOPICS, *given, "--list").status == 0
        file.write_text(
            format_properties(
                {**security.client, "sasl.jaas.config": jaas.replace("carols", "wrong")}
            )
        )
        refused = either_tools.run(TOPICS, *given, "--list")
        assert refused.status == 1
        assert "invalid credentials with SASL mechanism SCRAM-SHA-256" in refused.out + refused.err
    gone = run(either_tools, secured, CONFIGS, *words, "--delete-config", "SCRAM-SHA-256")
    assert (gone.status, gone.out) == (0, "Completed updating config for user carol.\n"), gone
