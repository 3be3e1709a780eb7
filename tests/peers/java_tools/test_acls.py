"""kafka-acls of 3.9.1 and 4.1.1, as administrator and as guest; and what Kafka itself reads of it.

With --authorizer-properties the tool of 3.9.1 asks Kafka's own AclAuthorizer over ZooKeeper instead
of a node: what klamm has written is what that one reads, and the other way round.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import ACLS, REASSIGN_PARTITIONS, TOPICS
from thin_line.world import eventually

from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import GUEST, GUEST_FILE, Wish
from klamm.tools.cli._topics import NewTopic
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow

PRINCIPAL = f"User:{GUEST}"


@pytest.fixture(scope="module")
def connect(zookeeper: EmbeddedZookeeper) -> str:
    return f"{zookeeper.connect_string}/java-acls"


@pytest.fixture(scope="module")
def local(connect: str) -> Iterator[LocalCluster]:
    options = ClusterOptions(
        (0, 1),
        zookeeper=connect,
        nodes=2,
        security=Wish(sasl="PLAIN", authorizer=True),
        topics={name: NewTopic(name, 1, 1) for name in ("orders", "bills")},
    )
    with LocalCluster(options) as running:
        yield running


class Cluster:
    """The tools, run as the administrator, as the guest, or over ZooKeeper."""

    def __init__(
        self, local: LocalCluster, connect: str, tools: JavaTools, tools_of_3: JavaTools
    ) -> None:
        file = local.cluster.security.client_file
        assert file is not None
        self._files = {"admin": file, GUEST: file.with_name(GUEST_FILE)}
        self._bootstrap = local.bootstrap
        self._connect = connect
        self._tools = tools
        self._tools_of_3 = tools_of_3

    def run(self, main: str, who: str, *words: str) -> Run:
        asks = ("--bootstrap-server", self._bootstrap, "--command-config", str(self._files[who]))
        return self._tools.run(main, *asks, *words)

    def by_kafka(self, *words: str) -> Run:
        """Run kafka-acls with Kafka's own authorizer."""
        return self._tools_of_3.run(
            ACLS, "--authorizer-properties", f"zookeeper.connect={self._connect}", *words
        )

    def topics(self, who: str) -> set[str]:
        run = self.run(TOPICS, who, "--list")
        assert run.status == 0, run
        return set(filter(None, run.lines))


@pytest.fixture
def cluster(
    local: LocalCluster, connect: str, either_tools: JavaTools, tools: JavaTools
) -> Iterator[Cluster]:
    """The cluster; what is granted in a test is gone after it."""
    found = Cluster(local, connect, either_tools, tools)
    yield found
    for words in (("--topic", "orders"), ("--cluster",), ("--topic", "b", *PREFIXED)):
        run = found.run(ACLS, "admin", "--remove", "--force", *words)
        assert run.status == 0, run
    eventually(lambda: not found.topics(GUEST), "the guest to lose its rights")


PREFIXED = ("--resource-pattern-type", "prefixed")


def test_the_administrator_grants_and_the_guest_sees(cluster: Cluster) -> None:
    assert cluster.topics(GUEST) == set()
    grant = ("--add", "--allow-principal", PRINCIPAL, "--operation", "Read")
    run = cluster.run(ACLS, "admin", *grant, "--topic", "orders")
    assert run.status == 0, run
    assert "Adding ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders" in run.out
    run = cluster.run(ACLS, "admin", *grant, "--topic", "b", *PREFIXED)
    assert run.status == 0, run
    eventually(lambda: cluster.topics(GUEST) == {"orders", "bills"}, "the guest to see both")
    listed = cluster.run(ACLS, "admin", "--list", "--topic", "orders")
    rule = f"(principal={PRINCIPAL}, host=*, operation=READ, permissionType=ALLOW)"
    assert rule in listed.out
    matching = cluster.run(
        ACLS, "admin", "--list", "--topic", "bills", "--resource-pattern-type", "match"
    )
    assert "name=b, patternType=PREFIXED" in matching.out
    removed = cluster.run(ACLS, "admin", "--remove", "--force", "--topic", "orders")
    assert removed.status == 0, removed
    eventually(lambda: cluster.topics(GUEST) == {"bills"}, "the guest to lose one")


def test_the_guest_is_told_that_it_may_not(cluster: Cluster, tmp_path: Path) -> None:
    run = cluster.run(ACLS, GUEST, "--list")
    assert run.status == 1
    assert "ClusterAuthorizationException" in run.out + run.err
    plan = tmp_path / "plan.json"
    plan.write_text(
        '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[0,1]}]}'
    )
    execute = ("--execute", "--reassignment-json-file", str(plan))
    run = cluster.run(REASSIGN_PARTITIONS, GUEST, *execute)
    assert run.status == 1
    assert "uthoriz" in run.out + run.err
    listed = cluster.run(REASSIGN_PARTITIONS, "admin", "--list")
    assert (listed.status, listed.out) == (0, "No partition reassignments found.\n")


def test_kafkas_authorizer_reads_what_klamm_writes_and_klamm_what_that_writes(
    cluster: Cluster,
) -> None:
    add = ("--add", "--allow-principal", PRINCIPAL, "--operation", "DescribeConfigs")
    run = cluster.run(ACLS, "admin", *add, "--topic", "b", *PREFIXED)
    assert run.status == 0, run
    listed = cluster.by_kafka("--list")
    assert listed.status == 0, listed
    assert "resourceType=TOPIC, name=b, patternType=PREFIXED" in listed.out
    rule = f"(principal={PRINCIPAL}, host=*, operation=DESCRIBE_CONFIGS, permissionType=ALLOW)"
    assert rule in listed.out
    by_kafka = ("--add", "--allow-principal", PRINCIPAL, "--operation", "Describe")
    run = cluster.by_kafka(*by_kafka, "--topic", "orders")
    assert run.status == 0, run
    eventually(lambda: cluster.topics(GUEST) == {"orders"}, "the nodes to learn of it")
    run = cluster.by_kafka("--remove", "--force", "--topic", "orders")
    assert run.status == 0, run
    eventually(lambda: not cluster.topics(GUEST), "the nodes to learn of its end")
