"""Calls that only brokers answer, against nodes that answer by a script."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from uuid import UUID

import pytest
from admin_client.scripted import SERVED, Answer, ScriptedCluster

from klamm.controller.security.acls import (
    AccessRule,
    AclBinding,
    AclFilter,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.protocol.generated.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from klamm.protocol.generated.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from klamm.protocol.generated.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from klamm.protocol.generated.create_acls_request import AclCreation, CreateAclsRequest
from klamm.protocol.generated.create_acls_response import AclCreationResult, CreateAclsResponse
from klamm.protocol.generated.delete_acls_request import DeleteAclsRequest
from klamm.protocol.generated.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from klamm.protocol.generated.describe_acls_request import DescribeAclsRequest
from klamm.protocol.generated.describe_acls_response import (
    AclDescription,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from klamm.protocol.generated.describe_topic_partitions_request import (
    Cursor as PageStart,
)
from klamm.protocol.generated.describe_topic_partitions_request import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from klamm.protocol.generated.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from klamm.protocol.generated.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from klamm.protocol.generated.describe_user_scram_credentials_response import (
    CredentialInfo,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from klamm.protocol.generated.list_offsets_request import ListOffsetsRequest
from klamm.protocol.generated.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import (
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from klamm.protocol.message import Message
from klamm.tools.admin import (
    LATEST,
    Admin,
    LogDirReplica,
    PartitionOffset,
    ScramCredentialInfo,
    ScramDeletion,
    ScramMechanism,
    ScramUpsertion,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)

PATIENCE = 30.0
QUICK = {"retry.backoff.ms": "1", "retry.backoff.max.ms": "20"}
FOO = TopicPartition("foo", 0)

ALICE = AclBinding(
    ResourcePattern(ResourceType.TOPIC, "foo"),
    AccessRule("User:alice", "*", Operation.DESCRIBE, Permission.ALLOW),
)


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    with ScriptedCluster() as started:
        keys = {29: range(4), 30: range(4), 31: range(4), 50: range(1), 51: range(1)}
        started.served = {id_: {**SERVED, **keys} for id_ in started.ids}
        yield started


@pytest.fixture
def admin(cluster: ScriptedCluster) -> Iterator[Admin]:
    with Admin.connect(cluster.bootstrap, QUICK) as connected:
        yield connected


def test_log_dirs_of_each_broker(cluster: ScriptedCluster, admin: Admin) -> None:
    def answer(node: int, request: Message) -> Answer:
        assert request == DescribeLogDirsRequest(None)
        if node == 2:
            return DescribeLogDirsResponse()  # no right, before version 3
        partitions = (
            DescribeLogDirsPartition(0, 500, 3, False),
            DescribeLogDirsPartition(1, 70, 0, True),
        )
        topics = (DescribeLogDirsTopic("foo", partitions),)
        good = DescribeLogDirsResult(0, "/a", topics, 1000, 400)
        return DescribeLogDirsResponse(results=(good, DescribeLogDirsResult(56, "/b")))

    cluster.on(DescribeLogDirsRequest, answer)
    found = admin.describe_log_dirs([1, 2]).futures
    good, bad = found[1].result(PATIENCE)
    assert (good.path, good.error, good.total_bytes, good.usable_bytes) == ("/a", None, 1000, 400)
    assert good.replicas == {
        TopicPartition("foo", 0): LogDirReplica(500, 3, False),
        TopicPartition("foo", 1): LogDirReplica(70, 0, True),
    }
    assert bad.path == "/b"
    assert isinstance(bad.error, errors.KafkaStorageError)
    assert bad.total_bytes is bad.usable_bytes is None
    with pytest.raises(errors.ClusterAuthorizationFailedError):
        found[2].result(PATIENCE)


def test_replicas_go_to_other_directories_by_their_brokers(
    cluster: ScriptedCluster, admin: Admin
) -> None:
    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, AlterReplicaLogDirsRequest)
        names = [
            (topic.name, number)
            for dir_ in request.dirs
            for topic in dir_.topics
            for number in topic.partitions
        ]
        return AlterReplicaLogDirsResponse(
            results=tuple(
                AlterReplicaLogDirTopicResult(
                    topic, (AlterReplicaLogDirPartitionResult(number, 9 if node == 2 else 0),)
                )
                for topic, number in names
            )
        )

    cluster.on(AlterReplicaLogDirsRequest, answer)
    moves = {
        TopicPartitionReplica("foo", 0, 1): "/a",
        TopicPartitionReplica("bar", 1, 1): "/b",
        TopicPartitionReplica("foo", 0, 2): "/a",
    }
    found = admin.alter_replica_log_dirs(moves).futures
    for replica, future in found.items():
        error = future.exception(PATIENCE)
        if replica.broker == 2:
            assert isinstance(error, errors.ReplicaNotAvailableError)
        else:
            assert error is None
    paths = {
        node: [dir_.path for dir_ in request.dirs]
        for node, request in cluster.seen
        if isinstance(request, AlterReplicaLogDirsRequest)
    }
    assert paths == {1: ["/a", "/b"], 2: ["/a"]}


def test_topics_come_in_pages_which_may_end_within_one(cluster: ScriptedCluster) -> None:
    def partition(number: int) -> DescribeTopicPartitionsResponsePartition:
        return DescribeTopicPartitionsResponsePartition(
            0, number, 1, 4, (1, 2), (1,), eligible_leader_replicas=(2,), last_known_elr=()
        )

    def topic(name: str, *numbers: int) -> DescribeTopicPartitionsResponseTopic:
        return DescribeTopicPartitionsResponseTopic(
            0, name, UUID(int=7), partitions=tuple(map(partition, numbers))
        )

    gone = DescribeTopicPartitionsResponseTopic(3, "gone")
    pages = [
        DescribeTopicPartitionsResponse(
            topics=(topic("a", 0, 1), topic("b", 0)), next_cursor=Cursor("b", 1)
        ),
        DescribeTopicPartitionsResponse(topics=(topic("b", 1), gone)),
    ]

    def answer(node: int, request: Message) -> Answer:
        return pages[len(cluster.asked(DescribeTopicPartitionsRequest)) - 1]

    for node in cluster.ids:
        cluster.served[node] = {**SERVED, 75: range(1)}
    cluster.on(DescribeTopicPartitionsRequest, answer)
    with Admin.connect(cluster.bootstrap, QUICK) as admin:
        found = admin.describe_topics(["gone", "b", "a"]).futures
        with pytest.raises(errors.UnknownTopicOrPartitionError):
            found["gone"].result(PATIENCE)
        assert list(found["a"].result(PATIENCE).partitions) == [0, 1]
        described = found["b"].result(PATIENCE)
    assert (described.topic_id, list(described.partitions)) == (UUID(int=7), [0, 1])
    partition_1 = described.partitions[1]
    assert (partition_1.leader, partition_1.leader_epoch) == (1, 4)
    assert (partition_1.eligible_leader_replicas, partition_1.last_known_elr) == ((2,), ())
    first, second = (request for _, request in cluster.seen)
    topics = (TopicRequest("a"), TopicRequest("b"), TopicRequest("gone"))
    assert first == DescribeTopicPartitionsRequest(topics, 2000, None)
    assert second == DescribeTopicPartitionsRequest(topics, 2000, PageStart("b", 1))


def test_offsets_come_from_leaders_also_after_they_have_changed(
    cluster: ScriptedCluster, admin: Admin
) -> None:
    leader = 1

    def metadata(node: int, request: Message) -> Answer:
        assert isinstance(request, MetadataRequest)
        partition = MetadataResponsePartition(0, 0, leader, 5, (1, 2), (1, 2))
        topics = (MetadataResponseTopic(0, "foo", partitions=(partition,)),)
        return cluster.metadata(topics=topics if request.topics else ())

    def offsets(node: int, request: Message) -> Answer:
        nonlocal leader
        leader = 2
        partition = (
            ListOffsetsPartitionResponse(0, offset=41, leader_epoch=5)
            if node == 2
            else ListOffsetsPartitionResponse(0, 6)
        )
        return ListOffsetsResponse(topics=(ListOffsetsTopicResponse("foo", (partition,)),))

    cluster.on(MetadataRequest, metadata)
    cluster.on(ListOffsetsRequest, offsets)
    missing = TopicPartition("foo", 7)
    found = admin.list_offsets({FOO: LATEST, missing: LATEST}).futures
    assert found[FOO].result(PATIENCE) == PartitionOffset(41, None, 5)
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        found[missing].result(PATIENCE)
    assert cluster.asked(ListOffsetsRequest) == [1, 2]


def test_acls_are_described_created_and_deleted(cluster: ScriptedCluster, admin: Admin) -> None:
    rule = AclDescription("User:alice", "*", Operation.DESCRIBE, Permission.ALLOW)
    resource = DescribeAclsResource(ResourceType.TOPIC, "foo", PatternType.LITERAL, (rule,))
    cluster.on(DescribeAclsRequest, DescribeAclsResponse(resources=(resource,)))
    filter_ = AclFilter(ResourceType.TOPIC, "foo", principal="User:alice")
    assert admin.describe_acls(filter_).result(PATIENCE) == (ALICE,)

    results = (AclCreationResult(0, None), AclCreationResult(42, "no"))
    cluster.on(CreateAclsRequest, CreateAclsResponse(results=results))
    other = AclBinding(ResourcePattern(ResourceType.TOPIC, "bar"), ALICE.rule)
    created = admin.create_acls([ALICE, other]).futures
    assert created[ALICE].exception(PATIENCE) is None
    with pytest.raises(errors.InvalidRequestError, match="no"):
        created[other].result(PATIENCE)

    match = DeleteAclsMatchingAcl(
        0, None, ResourceType.TOPIC, "foo", PatternType.LITERAL, "User:alice", "*",
        Operation.DESCRIBE, Permission.ALLOW,
    )  # fmt: skip
    gone = DeleteAclsFilterResult(0, None, (match,))
    cluster.on(DeleteAclsRequest, DeleteAclsResponse(filter_results=(gone,)))
    assert admin.delete_acls([filter_]).result(PATIENCE) == {filter_: (ALICE,)}

    described, creation, _ = (request for _, request in cluster.seen)
    assert described == DescribeAclsRequest(
        ResourceType.TOPIC, "foo", PatternType.ANY, "User:alice", None, Operation.ANY,
        Permission.ANY,
    )  # fmt: skip
    assert isinstance(creation, CreateAclsRequest)
    assert creation.creations[0] == AclCreation(
        ResourceType.TOPIC, "foo", PatternType.LITERAL, "User:alice", "*", Operation.DESCRIBE,
        Permission.ALLOW,
    )  # fmt: skip


def test_without_an_authorizer_acls_are_disabled(cluster: ScriptedCluster, admin: Admin) -> None:
    cluster.on(DescribeAclsRequest, DescribeAclsResponse(error_code=54))
    with pytest.raises(errors.SecurityDisabledError):
        admin.describe_acls(AclFilter()).result(PATIENCE)


def test_credentials_leave_salted_and_hashed(cluster: ScriptedCluster, admin: Admin) -> None:
    results = (
        AlterUserScramCredentialsResult("alice", 0, None),
        AlterUserScramCredentialsResult("bob", 91, "no such credential"),
    )
    cluster.on(AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse(0, results))
    new = ScramUpsertion("alice", ScramMechanism.SCRAM_SHA_512, "wonder", 8192, b"salt")
    old = ScramDeletion("bob", ScramMechanism.SCRAM_SHA_256)
    found = admin.alter_user_scram_credentials([new, old]).futures
    assert found["alice"].exception(PATIENCE) is None
    with pytest.raises(errors.ResourceNotFoundError, match="no such"):
        found["bob"].result(PATIENCE)
    hashed = hashlib.pbkdf2_hmac("sha512", b"wonder", b"salt", 8192)
    [(_, request)] = cluster.seen
    assert request == AlterUserScramCredentialsRequest(
        (ScramCredentialDeletion("bob", 1),),
        (ScramCredentialUpsertion("alice", 2, 8192, b"salt", hashed),),
    )
    assert "wonder" not in repr(new)


def test_users_without_credentials_are_left_out(cluster: ScriptedCluster, admin: Admin) -> None:
    infos = (CredentialInfo(1, 4096), CredentialInfo(2, 8192))
    cluster.on(
        DescribeUserScramCredentialsRequest,
        DescribeUserScramCredentialsResponse(
            results=(
                DescribeUserScramCredentialsResult("alice", 0, None, infos),
                DescribeUserScramCredentialsResult("bob", 91, "none"),
            )
        ),
    )
    assert admin.describe_user_scram_credentials(["alice", "bob"]).result(PATIENCE) == {
        "alice": (
            ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096),
            ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192),
        )
    }
