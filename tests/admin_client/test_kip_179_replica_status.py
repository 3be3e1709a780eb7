"""ReplicaStatus of KIP-179 in the library: whom it asks, and what it makes of the answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from admin_client.offering import WHERE_TO_SET, connect, offering
from admin_client.scripted import SERVED, Answer, Script, ScriptedCluster

from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import (
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatus as WireStatus
from klamm.protocol.generated.replica_status_response import ReplicaStatusResponse
from klamm.protocol.message import Message
from klamm.tools.admin import (
    Admin,
    ReplicaStatus,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)

PATIENCE = 30.0
FOO = TopicPartition("foo", 0)


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    with offering() as scripted:
        yield scripted


def lead(cluster: ScriptedCluster, leaders: dict[TopicPartition, int], *replicas: int) -> None:
    """Say who leads which partition; -1 for nobody. All have the same replicas."""

    def metadata(node: int, request: Message) -> Answer:
        assert isinstance(request, MetadataRequest)
        names = {topic.name for topic in request.topics or ()}
        topics = []
        for name in sorted(filter(None, names)):
            mine = {n.partition: leader for n, leader in leaders.items() if n.topic == name}
            partitions = tuple(
                MetadataResponsePartition(
                    5 if leader < 0 else 0, number, leader, 0, replicas, replicas
                )
                for number, leader in mine.items()
            )
            topics.append(MetadataResponseTopic(0 if mine else 3, name, partitions=partitions))
        return cluster.metadata(topics=tuple(topics))

    cluster.on(MetadataRequest, metadata)


def telling(lag: int, status_time: int = -1) -> Script:
    """Return a script that says the same of every replica that is asked for."""

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, ReplicaStatusRequest)
        return ReplicaStatusResponse(
            replicas=tuple(
                WireStatus(key.topic, key.partition, key.broker, status_time=status_time, lag=lag)
                for key in request.replicas
            )
        )

    return answer


@pytest.mark.req("R179A-18")
def test_a_partition_has_the_status_of_all_its_replicas(cluster: ScriptedCluster) -> None:
    lead(cluster, {FOO: 2}, 2, 1, 3)
    cluster.on(ReplicaStatusRequest, telling(7, 1_700_000_000_000))
    with connect(cluster) as admin:
        found = admin.replica_status([FOO]).result(PATIENCE)[FOO]
    assert [(s.topic, s.partition, s.broker, s.status_time, s.lag) for s in found] == [
        ("foo", 0, broker, 1_700_000_000_000, 7) for broker in (2, 1, 3)
    ]
    assert (found[0].isr_time, found[0].follower_time, found[0].max_lag) == (None, None, None)
    keys = tuple(ReplicaStatusKey("foo", 0, broker) for broker in (2, 1, 3))
    assert cluster.seen[-1] == (2, ReplicaStatusRequest(keys))


@pytest.mark.req("R179A-9")
def test_each_leader_is_asked_once_for_its_own(cluster: ScriptedCluster) -> None:
    names = [TopicPartition(topic, number) for topic in ("bar", "foo") for number in range(3)]
    leaders = {name: name.partition + 1 for name in names}
    lead(cluster, leaders, 1, 2)
    cluster.on(ReplicaStatusRequest, telling(0))
    with connect(cluster) as admin:
        assert [*admin.replica_status(names).result(PATIENCE)] == names
    asked = {node: body for node, body in cluster.seen if isinstance(body, ReplicaStatusRequest)}
    assert len(cluster.asked(ReplicaStatusRequest)) == 3
    assert {
        node: {TopicPartition(key.topic, key.partition) for key in body.replicas}
        for node, body in asked.items()
    } == {node: {name for name, leader in leaders.items() if leader == node} for node in (1, 2, 3)}


@pytest.mark.req("R179A-10")
@pytest.mark.parametrize("forgives", [True, False])
def test_a_former_leader_leads_to_one_more_look(cluster: ScriptedCluster, forgives: bool) -> None:
    lead(cluster, {FOO: 1}, 1)

    def answer(node: int, request: Message) -> Answer:
        lead(cluster, {FOO: 3}, 1)
        code = 0 if node == 3 and forgives else 6
        return ReplicaStatusResponse(replicas=(WireStatus("foo", 0, 1, code, lag=0),))

    cluster.on(ReplicaStatusRequest, answer)
    with connect(cluster) as admin:
        future = admin.replica_status([FOO]).futures[FOO]
        if forgives:
            assert [status.lag for status in future.result(PATIENCE)] == [0]
        else:
            with pytest.raises(errors.ApiError, match="foo-0 has another leader now") as caught:
                future.result(PATIENCE)
            assert caught.value.code == 6
    assert cluster.asked(ReplicaStatusRequest) == [1, 3]


@pytest.mark.req("R179A-46")
def test_the_controller_is_asked_for_brokers_that_do_not_know_the_request(
    cluster: ScriptedCluster,
) -> None:
    cluster.controller = 3
    for broker in (1, 2):
        cluster.served[broker] = SERVED
    other = TopicPartition("foo", 1)
    lead(cluster, {FOO: 1, other: 2}, 1, 2)
    cluster.on(ReplicaStatusRequest, telling(4))
    with connect(cluster) as admin:
        found = admin.replica_status([FOO, other]).result(PATIENCE)
    assert [status.lag for name in found for status in found[name]] == [4, 4, 4, 4]
    assert cluster.asked(ReplicaStatusRequest) == [3]


def test_nobody_who_knows_the_request(cluster: ScriptedCluster) -> None:
    for node in cluster.ids:
        cluster.served[node] = SERVED
    lead(cluster, {FOO: 2}, 1, 2)
    with connect(cluster) as admin, pytest.raises(errors.UnsupportedVersionError) as caught:
        admin.replica_status([FOO]).result(PATIENCE)
    assert str(caught.value) == (
        "the server does not offer ReplicaStatus (17903): set klamm.kip179.alter.enable=true"
        + WHERE_TO_SET
    )


@pytest.mark.req("R179A-7")
def test_replicas_that_are_not_there_and_their_codes(cluster: ScriptedCluster) -> None:
    lead(cluster, {FOO: 1, TopicPartition("foo", 1): -1}, 1, 2)
    codes = {1: 0, 2: 0, 42: 25, 3: 3}

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, ReplicaStatusRequest)
        rows = (
            WireStatus(key.topic, key.partition, key.broker, codes[key.broker], lag=5)
            for key in request.replicas
        )
        return ReplicaStatusResponse(replicas=tuple(rows))

    cluster.on(ReplicaStatusRequest, answer)
    expected = {
        TopicPartitionReplica("none", 0, 1): (17, "There is no topic none."),
        TopicPartitionReplica("foo", 9, 1): (37, "Topic foo has no partition 9."),
        TopicPartitionReplica("foo", 0, 42): (25, "There is no broker 42."),
        TopicPartitionReplica("foo", 0, 3): (3, "Broker 3 has no replica of foo-0."),
        TopicPartitionReplica("foo", 1, 1): (5, "foo-1 has no leader now."),
    }
    fine = TopicPartitionReplica("foo", 0, 2)
    with connect(cluster) as admin:
        futures = admin.replica_status_of([*expected, fine]).futures
        for replica, (code, text) in expected.items():
            error = futures[replica].exception(PATIENCE)
            assert isinstance(error, errors.ApiError)
            assert (error.code, str(error)) == (code, text)
        assert futures[fine].result(PATIENCE).lag == 5
        assert isinstance(
            admin.replica_status([FOO, TopicPartition("none", 0)]).all().exception(PATIENCE),
            errors.InvalidTopicError,
        )
        assert admin.replica_status([]).result(PATIENCE) == {}


def test_one_leader_that_fails_takes_nothing_from_the_others(cluster: ScriptedCluster) -> None:
    other = TopicPartition("foo", 1)
    lead(cluster, {FOO: 1, other: 2}, 1)

    def answer(node: int, request: Message) -> Answer:
        if node == 2:
            return ReplicaStatusResponse(error_code=31)
        return ReplicaStatusResponse(replicas=(WireStatus("foo", 0, 1, lag=0),))

    cluster.on(ReplicaStatusRequest, answer)
    with connect(cluster) as admin:
        futures = admin.replica_status([FOO, other]).futures
        assert futures[FOO].result(PATIENCE)[0].lag == 0
        error = futures[other].exception(PATIENCE)
        assert isinstance(error, errors.ClusterAuthorizationFailedError)


def test_a_leader_that_says_nothing_of_a_replica(cluster: ScriptedCluster) -> None:
    lead(cluster, {FOO: 1}, 1)
    cluster.on(ReplicaStatusRequest, ReplicaStatusResponse())
    with connect(cluster) as admin:
        error = admin.replica_status([FOO]).futures[FOO].exception(PATIENCE)
    assert "the response says nothing of foo-0-1" in str(error)


def test_there_may_be_no_time_for_another_look(cluster: ScriptedCluster) -> None:
    lead(cluster, {FOO: 1}, 1)
    former = ReplicaStatusResponse(replicas=(WireStatus("foo", 0, 1, 6),))
    cluster.on(ReplicaStatusRequest, former)
    slow = {"retry.backoff.ms": "60000", "retry.backoff.max.ms": "60000"}
    with Admin.connect(cluster.bootstrap, slow) as admin:
        error = admin.replica_status([FOO], 20_000).futures[FOO].exception(PATIENCE)
    assert isinstance(error, errors.ApiError)
    assert error.code == 6
    assert cluster.asked(ReplicaStatusRequest) == [1]


@pytest.mark.req("R179A-8")
@pytest.mark.parametrize(
    ("status_time", "isr_time", "lag", "in_sync"),
    [
        (500, 500, 3, True),
        (500, 400, 3, False),
        (500, 400, 0, False),
        (500, None, 0, True),
        (500, None, 3, False),
        (500, None, None, False),
    ],
)
def test_what_in_sync_means(
    status_time: int, isr_time: int | None, lag: int | None, in_sync: bool
) -> None:
    assert ReplicaStatus("foo", 0, 1, status_time, lag, isr_time).is_in_sync is in_sync
