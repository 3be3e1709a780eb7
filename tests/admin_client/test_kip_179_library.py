"""KIP-179 in the library, both versions: what is sent, to whom, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import fields

import pytest
from admin_client.offering import WHERE_TO_SET, connect, offering
from admin_client.scripted import SERVED, Answer, Instead, ScriptedCluster

from klamm.protocol.codec import encode
from klamm.protocol.generated.alter_topics_request import AlteredTopic as WireTopic
from klamm.protocol.generated.alter_topics_request import AlterTopicsRequest, PartitionBrokers
from klamm.protocol.generated.alter_topics_response import AlteredTopicResult, AlterTopicsResponse
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import (
    AssignPartitionsResponse,
    PartitionAssignmentResult,
)
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionReplica as WireReplica,
)
from klamm.protocol.generated.partition_assignment_status_response import Progress as WireProgress
from klamm.protocol.message import Message
from klamm.tools.admin import (
    Admin,
    AlteredTopic,
    PartitionReplica,
    Progress,
    TopicPartition,
    errors,
)

PATIENCE = 30.0
FOO, BAR = TopicPartition("foo", 0), TopicPartition("bar", 2)


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    with offering() as scripted:
        yield scripted


def bodies(cluster: ScriptedCluster) -> list[Message]:
    return [request for _, request in cluster.seen]


# ---------------------------------------------------------------- alter topics


@pytest.mark.req("R179A-16")
def test_what_is_left_out_is_minus_one(cluster: ScriptedCluster) -> None:
    cluster.on(
        AlterTopicsRequest,
        AlterTopicsResponse(topics=(AlteredTopicResult("foo"), AlteredTopicResult("bar"))),
    )
    with connect(cluster) as admin:
        admin.alter_topics(
            [AlteredTopic("foo"), AlteredTopic("bar", 4, 2, {1: [3, 2]})]
        ).result().result(PATIENCE)
        admin.alter_topics([AlteredTopic("foo", num_partitions=4)], 31_000).result().result(
            PATIENCE
        )
    bar = WireTopic("bar", 4, 2, (PartitionBrokers(1, (3, 2)),))
    assert bodies(cluster) == [
        AlterTopicsRequest(60_000, (WireTopic("foo", -1, -1, ()), bar)),
        AlterTopicsRequest(31_000, (WireTopic("foo", 4, -1, ()),)),
    ]


@pytest.mark.req("R179A-16")
def test_the_result_has_a_whole_map_and_one_code_per_topic(cluster: ScriptedCluster) -> None:
    cluster.on(
        AlterTopicsRequest,
        AlterTopicsResponse(
            topics=(
                AlteredTopicResult("foo"),
                AlteredTopicResult("bar", 17, "Topic bar does not exist."),
                AlteredTopicResult("baz", 25),
            )
        ),
    )
    with connect(cluster) as admin:
        result = admin.alter_topics([AlteredTopic(name) for name in ("foo", "bar", "baz", "qux")])
        whole = result.result().result(PATIENCE)
        assert [*whole] == ["foo", "bar", "baz", "qux"]
        assert whole["foo"] is None
        assert result.topic_result("foo").result(PATIENCE) is None
        bar = result.topic_result("bar").result(PATIENCE)
        assert isinstance(bar, errors.InvalidTopicError)
        assert bar is whole["bar"]
        assert str(bar) == "Topic bar does not exist."
        baz = result.topic_result("baz").result(PATIENCE)
        assert isinstance(baz, errors.ApiError)
        assert baz.code == 25
        assert "says nothing of this topic" in str(whole["qux"])
        with pytest.raises(KeyError, match="other"):
            result.topic_result("other")


def test_a_request_that_fails_as_a_whole_fails_every_future(cluster: ScriptedCluster) -> None:
    cluster.on(AlterTopicsRequest, AlterTopicsResponse(error_code=31))
    with connect(cluster) as admin:
        result = admin.alter_topics([AlteredTopic("foo")])
        for future in (result.result(), result.topic_result("foo")):
            assert isinstance(future.exception(PATIENCE), errors.ClusterAuthorizationFailedError)


def test_a_topic_cannot_be_altered_twice_in_a_request(cluster: ScriptedCluster) -> None:
    with connect(cluster) as admin, pytest.raises(ValueError, match="foo is to be altered 2 times"):
        admin.alter_topics([AlteredTopic("foo", 3), AlteredTopic("foo", -1, 2)])
    assert not cluster.looks


# ---------------------------------------------------------------- whom to ask


CALLS = ["alter_topics", "assign_partitions", "partition_assignment_status"]


def call(admin: Admin, name: str) -> Future[object]:
    match name:
        case "alter_topics":
            return admin.alter_topics([AlteredTopic("foo")], 5_000).result()  # type: ignore[return-value]
        case "assign_partitions":
            return admin.assign_partitions({FOO: (1,)}, 5_000).all()  # type: ignore[return-value]
        case _:
            return admin.partition_assignment_status(timeout_ms=5_000).all()  # type: ignore[return-value]


def answers(cluster: ScriptedCluster) -> None:
    cluster.on(AlterTopicsRequest, AlterTopicsResponse(topics=(AlteredTopicResult("foo"),)))
    row = PartitionAssignmentResult("foo", 0, 1)
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(request_id=1, results=(row,)))
    cluster.on(PartitionAssignmentStatusRequest, PartitionAssignmentStatusResponse(request_id=1))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("offering", [1, 2, 3])
def test_a_node_is_asked_that_offers_it(cluster: ScriptedCluster, name: str, offering: int) -> None:
    for node in {*cluster.ids} - {offering}:
        cluster.served[node] = SERVED
    answers(cluster)
    with connect(cluster) as admin:
        call(admin, name).result(PATIENCE)
    assert [node for node, _ in cluster.seen] == [offering]


@pytest.mark.parametrize("name", CALLS)
def test_the_controller_may_be_gone(cluster: ScriptedCluster, name: str) -> None:
    """Any node takes it: the answer says what another node makes of it."""
    cluster.controller = 9
    answers(cluster)
    with connect(cluster) as admin:
        call(admin, name).result(PATIENCE)
    assert len(cluster.seen) == 1


def test_without_a_controller_it_is_asked_again(cluster: ScriptedCluster) -> None:
    def answer(node: int, request: Message) -> Answer:
        tries = len(cluster.asked(AlterTopicsRequest))
        if tries == 1:
            return AlterTopicsResponse(error_code=41)
        return Instead.HANG_UP if tries == 2 else AlterTopicsResponse()

    cluster.on(AlterTopicsRequest, answer)
    with connect(cluster) as admin:
        assert admin.alter_topics([]).result().result(PATIENCE) == {}
    assert len(cluster.seen) == 3


def test_a_node_that_offers_it_may_fail(cluster: ScriptedCluster) -> None:
    """Node 1 ends the connection, 2 does not serve it, and 3 does."""
    cluster.served[2] = SERVED
    cluster.on(
        AlterTopicsRequest,
        lambda node, request: Instead.HANG_UP if node == 1 else AlterTopicsResponse(),
    )
    with connect(cluster) as admin:
        assert admin.alter_topics([]).result().result(PATIENCE) == {}
    assert [node for node, _ in cluster.seen] == [1, 3]


@pytest.mark.parametrize(
    ("name", "request_name", "key", "version"),
    [
        ("alter_topics", "AlterTopics", 17902, "alter"),
        ("assign_partitions", "AssignPartitions", 17900, "assign"),
        ("partition_assignment_status", "PartitionAssignmentStatus", 17901, "assign"),
    ],
)
def test_a_server_without_it_names_the_way_out(
    cluster: ScriptedCluster, name: str, request_name: str, key: int, version: str
) -> None:
    for node in cluster.ids:
        cluster.served[node] = SERVED
    with connect(cluster) as admin, pytest.raises(errors.UnsupportedVersionError) as caught:
        call(admin, name).result(PATIENCE)
    assert str(caught.value) == (
        f"the server does not offer {request_name} ({key}): set klamm.kip179.{version}.enable=true"
        + WHERE_TO_SET
    )
    assert not cluster.seen


# ---------------------------------------------------------------- requests with ids


@pytest.mark.req("R179B-1")
def test_one_bad_partition_fails_its_own_future_and_the_combined_one(
    cluster: ScriptedCluster,
) -> None:
    rows = (
        PartitionAssignmentResult("foo", 0, 2),
        PartitionAssignmentResult("foo", 0, 3),
        PartitionAssignmentResult("bar", 2, 2, 55, "not tried"),
        PartitionAssignmentResult("bar", 2, 99, 25, "Broker 99 is unknown."),
    )
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(request_id=42, results=rows))
    with connect(cluster) as admin:
        result = admin.assign_partitions({FOO: [2, 3], BAR: (2, 99)}, 31_000)
        assert result.futures[FOO].exception(PATIENCE) is None
        for future in (result.futures[BAR], result.all()):
            error = future.exception(PATIENCE)
            assert isinstance(error, errors.ApiError)
            assert (error.code, str(error)) == (25, "Broker 99 is unknown.")
        assert result.request_id.result(PATIENCE) == 42
    wanted = (PartitionAssignment("foo", 0, (2, 3)), PartitionAssignment("bar", 2, (2, 99)))
    assert bodies(cluster) == [AssignPartitionsRequest(31_000, wanted)]


def test_a_request_that_starts_nothing_has_no_id(cluster: ScriptedCluster) -> None:
    rows = (PartitionAssignmentResult("foo", 0, -1, 39, "empty"),)
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(results=rows))
    with connect(cluster) as admin:
        result = admin.assign_partitions({FOO: []})
        error = result.futures[FOO].exception(PATIENCE)
        assert isinstance(error, errors.InvalidReplicaAssignmentError)
        assert result.request_id.result(PATIENCE) is None

        cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(0, 60, "busy", -1, rows))
        result = admin.assign_partitions({FOO: [1]})
        for future in (result.futures[FOO], result.all(), result.request_id):
            refused = future.exception(PATIENCE)
            assert isinstance(refused, errors.ReassignmentInProgressError)
            assert str(refused) == "busy"


def test_a_partition_without_an_answer(cluster: ScriptedCluster) -> None:
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(request_id=1))
    with connect(cluster) as admin:
        error = admin.assign_partitions({FOO: [1]}).futures[FOO].exception(PATIENCE)
    assert "the response says nothing of foo-0" in str(error)


def progress(cluster: ScriptedCluster, *rows: tuple[int, WireProgress]) -> None:
    """Answer for request 42 with rows of foo-0 on these brokers."""
    replicas = tuple(WireReplica("foo", 0, broker, told) for broker, told in rows)
    cluster.on(
        PartitionAssignmentStatusRequest,
        PartitionAssignmentStatusResponse(request_id=42, replicas=replicas),
    )


@pytest.mark.req("R179B-2", "R179B-4")
def test_the_status_of_a_request(cluster: ScriptedCluster) -> None:
    progress(
        cluster,
        (2, WireProgress(0, 900, 900, True)),
        (3, WireProgress(60, 450, -1, False)),
        (4, WireProgress(85, 10, 10, True)),
        (5, WireProgress(60, 900, 900, False)),
    )
    with connect(cluster) as admin:
        result = admin.partition_assignment_status(42)
        found = result.all().result(PATIENCE)
        assert [str(replica) for replica in found] == [f"foo-0-{broker}" for broker in range(2, 6)]
        second = PartitionReplica("foo", 0, 2)
        assert result.progress(second).result(PATIENCE) == Progress(900, 900, None, True)
        assert found[PartitionReplica("foo", 0, 3)] == Progress(450, None, None, False)
        cancelled = found[PartitionReplica("foo", 0, 4)]
        assert isinstance(cancelled.error, errors.NoReassignmentInProgressError)
        assert cancelled.complete
        # All that there was is copied, and the leader has not taken it into the ISR yet.
        assert found[PartitionReplica("foo", 0, 5)] == Progress(900, 900, None, False)
        assert result.complete().result(PATIENCE) is False
        assert result.request_id.result(PATIENCE) == 42
        with pytest.raises(KeyError):
            result.progress(PartitionReplica("foo", 0, 9)).result(PATIENCE)
        admin.partition_assignment_status().complete().result(PATIENCE)
    assert bodies(cluster) == [
        PartitionAssignmentStatusRequest(42),
        PartitionAssignmentStatusRequest(-1),
    ]


@pytest.mark.req("R179B-3")
def test_a_replica_is_a_key() -> None:
    one, other = PartitionReplica("foo", 0, 2), PartitionReplica("foo", 0, 2)
    assert (one.topic, one.partition, one.broker) == ("foo", 0, 2)
    assert hash(one) == hash(other)
    assert {one: "x"}[other] == "x"
    assert one != PartitionReplica("foo", 0, 3)


@pytest.mark.req("R179B-5")
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_all_is_complete_when_each_is(cluster: ScriptedCluster, first: bool, second: bool) -> None:
    rows = [(2, WireProgress(0, 1, 1, first)), (3, WireProgress(0, 1, 1, second))]
    progress(cluster, *rows)
    with connect(cluster) as admin:
        complete = admin.partition_assignment_status(42).complete().result(PATIENCE)
    assert complete is (first and second)


@pytest.mark.req("R179B-6")
def test_no_time_to_completion_is_offered() -> None:
    assert [field.name for field in fields(Progress)] == [
        "numerator",
        "denominator",
        "error",
        "complete",
    ]


def test_an_id_that_nobody_knows(cluster: ScriptedCluster) -> None:
    text = "Unknown reassignment request id 42."
    cluster.on(PartitionAssignmentStatusRequest, PartitionAssignmentStatusResponse(0, 42, text))
    with connect(cluster) as admin:
        result = admin.partition_assignment_status(42)
        for future in (result.all(), result.complete(), result.request_id):
            error = future.exception(PATIENCE)
            assert isinstance(error, errors.InvalidRequestError)
            assert str(error) == text


@pytest.mark.req("R179A-20")
@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (
            AssignPartitionsRequest(60_000, (PartitionAssignment("foo", 0, (2, 3)),)),
            "0000ea600204666f6f000000000300000002000000030000",
        ),
        (
            AlterTopicsRequest(60_000, (WireTopic("foo", 4),)),
            "0000ea600204666f6f00000004ffffffff010000",
        ),
    ],
)
def test_golden_bodies(request_: Message, body: str) -> None:
    assert encode(request_, 0).hex() == body
