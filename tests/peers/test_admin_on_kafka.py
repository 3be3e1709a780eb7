"""The admin library against Kafka 3.9.1 with ZooKeeper and without, and against 4.1.1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import KAFKA_4, PROJECT, TOPICS
from peers.stock_cluster import BROKERS, StockCluster
from processes import wait_until

from klamm.tools.admin import (
    EARLIEST,
    LATEST,
    AclFilter,
    Admin,
    AlterConfigOp,
    ConfigResource,
    ConfigSource,
    ElectionType,
    NewPartitions,
    NewTopic,
    OpType,
    PartitionOffset,
    ResourceType,
    ScramDeletion,
    ScramMechanism,
    ScramUpsertion,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from klamm.tools.cli.main import main
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow

PATIENCE = 90.0
FOO = TopicPartition("foo", 0)
RATE = "leader.replication.throttled.rate"


@pytest.fixture(scope="module", params=["zookeeper", "kraft", "4.1"])
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StockCluster]:
    connect = None
    if request.param == "zookeeper":
        zookeeper: EmbeddedZookeeper = request.getfixturevalue("zookeeper")
        connect = f"{zookeeper.connect_string}/admin-on-kafka"
    project = KAFKA_4 if request.param == "4.1" else PROJECT
    with StockCluster(tmp_path_factory.mktemp("cluster"), connect, project) as running:
        yield running


@pytest.fixture
def knows_kip_860(cluster: StockCluster, request: pytest.FixtureRequest) -> bool:
    """Tell whether the factor can be kept from changing: from 4.1 on."""
    return "4.1" in request.node.name


@pytest.fixture
def admin(cluster: StockCluster) -> Iterator[Admin]:
    with Admin.connect(cluster.bootstrap) as connected:
        yield connected


@pytest.fixture
def foo(cluster: StockCluster, admin: Admin) -> Iterator[None]:
    """Topic foo with one partition, on broker 1, that every broker knows."""

    def created() -> bool:
        try:
            admin.create_topics([NewTopic("foo", assignments={0: [1]})]).result(PATIENCE)
        except errors.TopicAlreadyExistsError:  # that of the test before is not gone yet
            return False
        return True

    wait_until(created, "the last foo to go", PATIENCE)
    cluster.await_topic("foo", 1)
    yield
    admin.delete_topics(["foo"]).result(PATIENCE)
    wait_until(lambda: "foo" not in admin.list_topics().result(PATIENCE), "its end", PATIENCE)


def test_the_cluster(admin: Admin) -> None:
    found = admin.describe_cluster().result(PATIENCE)
    assert found.cluster_id
    assert found.controller_id in BROKERS
    assert tuple(found.brokers) == BROKERS


def test_a_move_begins_and_ends(admin: Admin, foo: None, knows_kip_860: bool) -> None:
    missing = TopicPartition("foo", 9)
    results = admin.alter_partition_reassignments({FOO: (2,), missing: (2,)}).futures
    assert results[FOO].exception(PATIENCE) is None
    assert isinstance(results[missing].exception(PATIENCE), errors.UnknownTopicOrPartitionError)
    wait_until(
        lambda: admin.describe_topics(["foo"]).result(PATIENCE)["foo"].partitions[0].isr == (2,),
        "the end of the move",
        PATIENCE,
    )
    assert admin.list_partition_reassignments().result(PATIENCE) == {}
    with pytest.raises(errors.NoReassignmentInProgressError):
        admin.alter_partition_reassignments({FOO: None}).result(PATIENCE)
    described = admin.describe_topics().result(PATIENCE)["foo"]
    assert described.topic_id is not None
    refusal = (
        errors.InvalidReplicationFactorError if knows_kip_860 else errors.UnsupportedVersionError
    )
    with pytest.raises(refusal):
        admin.alter_partition_reassignments(
            {FOO: (1, 2)}, allow_replication_factor_change=False
        ).result(PATIENCE)
    with pytest.raises(errors.UnsupportedVersionError):
        admin.describe_reassignments().result(PATIENCE)


def test_topics_grow_and_fail_one_by_one(admin: Admin, foo: None) -> None:
    with pytest.raises(errors.TopicAlreadyExistsError, match="Topic 'foo' already exists"):
        admin.create_topics([NewTopic("foo")]).result(PATIENCE)
    admin.create_partitions({"foo": NewPartitions(2, [[2]])}).result(PATIENCE)
    with pytest.raises(errors.InvalidPartitionsError):
        admin.create_partitions({"foo": NewPartitions(2)}).result(PATIENCE)
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.delete_topics(["none"]).result(PATIENCE)


def test_configs(admin: Admin, foo: None) -> None:
    topic = ConfigResource(ResourceType.TOPIC, "foo")
    broker = ConfigResource(ResourceType.BROKER, "2")
    admin.incremental_alter_configs(
        {
            topic: [AlterConfigOp("retention.ms", OpType.SET, "1000")],
            broker: [AlterConfigOp(RATE, OpType.SET, "5000")],
        }
    ).result(PATIENCE)

    def has_come() -> bool:
        found = admin.describe_configs([topic, broker], synonyms=True).result(PATIENCE)
        rate = found[broker].get(RATE)
        return found[topic]["retention.ms"].value == "1000" and rate is not None

    wait_until(has_come, "both configs", PATIENCE)
    found = admin.describe_configs([topic, broker], synonyms=True).result(PATIENCE)
    assert found[topic]["retention.ms"].source is ConfigSource.DYNAMIC_TOPIC_CONFIG
    assert found[topic]["retention.ms"].synonyms[0].value == "1000"
    assert found[broker][RATE].source is ConfigSource.DYNAMIC_BROKER_CONFIG
    admin.incremental_alter_configs({broker: [AlterConfigOp(RATE, OpType.DELETE)]}).result(PATIENCE)


def test_log_dirs(admin: Admin, cluster: StockCluster, foo: None) -> None:
    replica = TopicPartitionReplica("foo", 0, 1)

    def place() -> str | None:
        dirs = admin.describe_log_dirs([1]).result(PATIENCE)[1]
        assert {dir_.path for dir_ in dirs} == {cluster.log_dir(1, name) for name in "ab"}
        assert all(dir_.error is None and dir_.total_bytes for dir_ in dirs)
        paths = (
            dir_.path
            for dir_ in dirs
            if (found := dir_.replicas.get(FOO)) is not None and not found.is_future
        )
        return next(paths, None)

    wait_until(lambda: place() is not None, "a log", PATIENCE)
    [other] = {cluster.log_dir(1, name) for name in "ab"} - {place()}
    admin.alter_replica_log_dirs({replica: other}).result(PATIENCE)
    wait_until(lambda: place() == other, "the other directory", PATIENCE)
    with pytest.raises(errors.LogDirNotFoundError):
        admin.alter_replica_log_dirs({replica: "/nowhere"}).result(PATIENCE)


def test_elections_and_offsets(admin: Admin, foo: None) -> None:
    found = admin.elect_leaders(ElectionType.PREFERRED, [FOO]).result(PATIENCE)
    assert isinstance(found[FOO], errors.ElectionNotNeededError)
    assert admin.elect_leaders(ElectionType.PREFERRED).result(PATIENCE) == {}
    for time in (EARLIEST, LATEST):
        offset = admin.list_offsets({FOO: time}).result(PATIENCE)[FOO]
        assert offset == PartitionOffset(0, None, offset.leader_epoch)
    assert admin.list_offsets({FOO: 1}).result(PATIENCE)[FOO].offset is None


def test_topics_are_told_as_java_tells_them(admin: Admin, cluster: StockCluster, foo: None) -> None:
    admin.create_partitions({"foo": NewPartitions(3, [[2], [1]])}).result(PATIENCE)
    server = ("--bootstrap-server", cluster.bootstrap)
    with JavaTools() as java:

        def java_knows() -> bool:
            return len(java.run(TOPICS, *server, "--describe", "--topic", "foo").lines) == 4

        wait_until(java_knows, "every broker to know three partitions", PATIENCE)
        for words in (
            "--list",
            "--describe --topic foo",
            "--describe --topic foo --under-replicated-partitions",
            "--describe --topic foo --at-min-isr-partitions",
            "--create --topic foo",
            "--create --topic bar --replication-factor 9",
            "--alter --topic foo --partitions 2",
            "--create --topic no@thing",
        ):
            theirs = java.run(TOPICS, *server, *words.split())
            found = CliRunner().invoke(main, ["topics", *server, *words.split()])
            assert (words, found.stdout, found.exit_code) == (words, theirs.out, theirs.status)


def test_security(admin: Admin) -> None:
    mechanism = ScramMechanism.SCRAM_SHA_256
    new = ScramUpsertion("alice", mechanism, "wonder", 5000)
    admin.alter_user_scram_credentials([new]).result(PATIENCE)

    def known() -> bool:
        found = admin.describe_user_scram_credentials().result(PATIENCE)
        return [info.iterations for info in found.get("alice", ())] == [5000]

    wait_until(known, "the credentials", PATIENCE)
    admin.alter_user_scram_credentials([ScramDeletion("alice", mechanism)]).result(PATIENCE)
    with pytest.raises(errors.SecurityDisabledError):
        admin.describe_acls(AclFilter()).result(PATIENCE)


def test_controllers_tell_of_themselves(cluster: StockCluster) -> None:
    if not cluster.is_kraft:
        with (
            Admin.connect(cluster.bootstrap, bootstrap_controller=True) as wrong,
            pytest.raises(errors.AdminError),
        ):
            wrong.describe_cluster(timeout_ms=2000).result(PATIENCE)
        return
    with Admin.connect(cluster.controllers, bootstrap_controller=True) as admin:
        found = admin.describe_cluster().result(PATIENCE)
        assert (found.controller_id, tuple(found.brokers)) == (1, (1,))
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
        with pytest.raises(errors.UnknownTopicOrPartitionError):
            admin.alter_partition_reassignments({FOO: (2,)}).result(PATIENCE)
