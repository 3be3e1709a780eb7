"""`--command-config`: Kafka's client properties let the tool into a cluster that is locked."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from reassign.tool import STATUS, Tool, plan
from thin_line.world import eventually

from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import Wish
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY

FILE = "--reassignment-json-file"


@pytest.fixture(scope="module")
def locked() -> Iterator[LocalCluster]:
    """TLS and SCRAM at every listener, and rights for nobody but the administrator."""
    wish = Wish(tls=True, sasl="SCRAM-SHA-256", authorizer=True)
    topics = {"t": NewTopic("t", 2, 1)}
    options = ClusterOptions((1, 2), zookeeper=MEMORY, security=wish, topics=topics)
    with LocalCluster(options) as local:
        yield local


def written(file: Path, properties: Mapping[str, str]) -> str:
    """Write a properties file; return its path."""
    lines = (f"{key}={value}".replace("\\", "\\\\") for key, value in properties.items())
    file.write_text("".join(f"{line}\n" for line in lines), encoding="iso-8859-1")
    return str(file)


def test_a_plan_over_tls_and_scram(locked: LocalCluster, tmp_path: Path) -> None:
    tool = Tool(locked.bootstrap)
    config = written(tmp_path / "client.properties", locked.cluster.security.client)
    words = ("--command-config", config)
    file = plan(tmp_path, {("t", 0): [2], ("t", 1): [1]})
    run = tool("--execute", *words, FILE, file, "--throttle", "100000000")
    assert (run.status, run.err) == (0, "")
    assert run.lines[-1] == "Successfully started partition reassignments for t-0,t-1"

    def is_verified() -> list[str] | None:
        run = tool("--verify", *words, FILE, file)
        assert (run.status, run.err) == (0, "")
        return run.lines if "in progress" not in run.out else None

    assert eventually(is_verified, "the moves to end")[:3] == [
        STATUS,
        "Reassignment of partition t-0 is completed.",
        "Reassignment of partition t-1 is completed.",
    ]


def test_a_wrong_password(locked: LocalCluster, tmp_path: Path) -> None:
    given = dict(locked.cluster.security.client)
    password = locked.cluster.security.users["admin"]
    given["sasl.jaas.config"] = given["sasl.jaas.config"].replace(password, "guessed")
    config = written(tmp_path / "client.properties", given)
    run = Tool(locked.bootstrap)("--list", "--command-config", config)
    assert (run.status, len(run.lines), run.err) == (1, 1, "")
    assert run.out.startswith("Error: ")
    assert "admin" in run.out
    assert "guessed" not in run.out


@pytest.mark.parametrize(
    ("properties", "complaint"),
    [
        ({"security.protocol": "SSH"}, "Error: security.protocol=SSH: it must be one of "),
        ({"request.timeout.ms": "soon"}, "Error: request.timeout.ms=soon: it must be "),
    ],
)
def test_properties_that_cannot_be(
    tmp_path: Path, properties: dict[str, str], complaint: str
) -> None:
    config = written(tmp_path / "client.properties", properties)
    run = Tool("127.0.0.1:1")("--list", "--command-config", config)
    assert run.status == 1
    assert run.out.startswith(complaint)
