"""Keys 45, 46 and klamm's own, as the library offers them (KIP-455, "AdminClient")."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from admin_client.scripted import SERVED, ScriptedCluster

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_reassignments_response import (
    DescribedPartitionReassignment,
    DescribedTopicReassignment,
    DescribeReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from klamm.protocol.message import Message
from klamm.tools.admin import (
    Admin,
    NewTopic,
    PartitionReassignment,
    ReassignmentDetails,
    TopicPartition,
    errors,
)

PATIENCE = 30.0
FOO, BAR = TopicPartition("foo", 0), TopicPartition("bar", 2)


@pytest.fixture
def scripted() -> Iterator[ScriptedCluster]:
    with ScriptedCluster(1) as started:
        started.on(AlterPartitionReassignmentsRequest, lambda node, request: accept(request))
        started.on(ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse())
        yield started


def accept(request: Message) -> AlterPartitionReassignmentsResponse:
    """Return the answer that accepts every partition of a request."""
    assert isinstance(request, AlterPartitionReassignmentsRequest)
    responses = tuple(
        ReassignableTopicResponse(
            topic.name,
            tuple(
                ReassignablePartitionResponse(partition.partition_index, 0, None)
                for partition in topic.partitions
            ),
        )
        for topic in request.topics
    )
    return AlterPartitionReassignmentsResponse(responses=responses)


@pytest.mark.req("R455-1")
def test_two_calls_and_no_other_names() -> None:
    assert callable(Admin.alter_partition_reassignments)
    assert callable(Admin.list_partition_reassignments)
    for name in ("alter_partition_assignments", "list_reassigning_partitions"):
        with pytest.raises(AttributeError):
            getattr(Admin, name)


@pytest.mark.req("R455-2", "R455-5")
def test_the_request_has_targets_in_order_and_null_for_a_cancel(scripted: ScriptedCluster) -> None:
    with Admin.connect(scripted.bootstrap) as admin:
        admin.alter_partition_reassignments({FOO: [3, 1, 2], BAR: None}).result(PATIENCE)
        admin.alter_partition_reassignments({FOO: None}, timeout_ms=31_000).result(PATIENCE)
    topics = (
        ReassignableTopic("foo", (ReassignablePartition(0, (3, 1, 2)),)),
        ReassignableTopic("bar", (ReassignablePartition(2, None),)),
    )
    cancel = ReassignableTopic("foo", (ReassignablePartition(0, None),))
    assert [request for _, request in scripted.seen] == [
        AlterPartitionReassignmentsRequest(60_000, topics=topics),
        AlterPartitionReassignmentsRequest(31_000, topics=(cancel,)),
    ]


@pytest.mark.req("R455-3")
def test_a_target_without_replicas_never_leaves_the_library(scripted: ScriptedCluster) -> None:
    with Admin.connect(scripted.bootstrap) as admin:
        with pytest.raises(ValueError, match="foo-0: a target needs a replica"):
            admin.alter_partition_reassignments({BAR: (1,), FOO: ()})
        assert not scripted.looks
        assert not scripted.seen


@pytest.mark.req("R455-4")
def test_a_future_for_each_partition_and_one_for_all(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1, 2]})]).result(PATIENCE)
    good, bad = TopicPartition(topic, 0), TopicPartition(topic, 7)
    results = admin.alter_partition_reassignments({good: (1, 5), bad: (1, 5)})
    assert results.futures[good].exception(PATIENCE) is None
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        results.futures[bad].result(PATIENCE)
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        results.all().result(PATIENCE)
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        results.result(PATIENCE)
    assert good in admin.list_partition_reassignments().result(PATIENCE)


@pytest.mark.req("R455-5", "R455-6")
def test_everything_is_null_and_an_empty_set_is_empty(scripted: ScriptedCluster) -> None:
    with Admin.connect(scripted.bootstrap) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
        assert admin.list_partition_reassignments(set()).result(PATIENCE) == {}
        wanted = [FOO, BAR, TopicPartition("foo", 4)]
        admin.list_partition_reassignments(wanted, timeout_ms=25_000).result(PATIENCE)
        with pytest.raises(TypeError, match="None"):
            admin.list_partition_reassignments(None)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="None"):
            admin.describe_reassignments(None)  # type: ignore[arg-type]
    topics = (
        ListPartitionReassignmentsTopics("foo", (0, 4)),
        ListPartitionReassignmentsTopics("bar", (2,)),
    )
    assert [request for _, request in scripted.seen] == [
        ListPartitionReassignmentsRequest(60_000, None),
        ListPartitionReassignmentsRequest(60_000, ()),
        ListPartitionReassignmentsRequest(25_000, topics),
    ]


@pytest.mark.req("R455-7")
def test_a_listed_move_has_the_fields_of_the_wire(scripted: ScriptedCluster) -> None:
    partition = OngoingPartitionReassignment(2, (4, 3, 2, 1), (4,), (2, 1))
    scripted.on(
        ListPartitionReassignmentsRequest,
        ListPartitionReassignmentsResponse(topics=(OngoingTopicReassignment("bar", (partition,)),)),
    )
    with Admin.connect(scripted.bootstrap) as admin:
        found = admin.list_partition_reassignments().result(PATIENCE)
    assert found == {BAR: PartitionReassignment((4, 3, 2, 1), (4,), (2, 1))}


@pytest.mark.req("R455-8")
def test_nothing_to_cancel_is_an_error_with_code_text_and_cause(admin: Admin, topic: str) -> None:
    admin.create_topics([NewTopic(topic, assignments={0: [1, 2]})]).result(PATIENCE)
    name = TopicPartition(topic, 0)
    with pytest.raises(errors.NoReassignmentInProgressError) as caught:
        admin.alter_partition_reassignments({name: None}).futures[name].result(PATIENCE)
    assert isinstance(caught.value, errors.ApiError)
    assert caught.value.code == 85
    assert caught.value.message == str(caught.value) == "No partition reassignment is in progress."
    cause = OSError("why")
    made = errors.NoReassignmentInProgressError("text", cause=cause)
    assert (made.code, made.message, made.__cause__) == (85, "text", cause)


def test_an_error_for_all_is_one_for_each(scripted: ScriptedCluster) -> None:
    scripted.on(
        AlterPartitionReassignmentsRequest,
        AlterPartitionReassignmentsResponse(error_code=31, error_message=None),
    )
    with Admin.connect(scripted.bootstrap) as admin:
        futures = admin.alter_partition_reassignments({FOO: (1,), BAR: None}).futures
        for future in futures.values():
            with pytest.raises(errors.ClusterAuthorizationFailedError, match="Cluster auth"):
                future.result(PATIENCE)


@pytest.mark.parametrize(
    ("code", "kind"), [(7, errors.RequestTimedOutError), (77, errors.ApiError)]
)
def test_a_list_fails_with_the_error_of_its_code(
    scripted: ScriptedCluster, code: int, kind: type[errors.ApiError]
) -> None:
    answer = ListPartitionReassignmentsResponse(error_code=code, error_message="so it is")
    scripted.on(ListPartitionReassignmentsRequest, answer)
    with (
        Admin.connect(scripted.bootstrap) as admin,
        pytest.raises(kind, match="so it is") as caught,
    ):
        admin.list_partition_reassignments().result(PATIENCE)
    assert caught.value.code == code


def test_a_factor_that_must_not_change_takes_version_1(scripted: ScriptedCluster) -> None:
    with Admin.connect(scripted.bootstrap) as admin:
        results = admin.alter_partition_reassignments(
            {FOO: (1,)}, allow_replication_factor_change=False
        )
        with pytest.raises(errors.UnsupportedVersionError, match="AllowReplicationFactorChange"):
            results.result(PATIENCE)
    assert scripted.seen == []
    scripted.served[1] = {**SERVED, 45: range(2)}
    with Admin.connect(scripted.bootstrap) as admin:
        admin.alter_partition_reassignments(
            {FOO: (1,)}, allow_replication_factor_change=False
        ).result(PATIENCE)
    [(_, request)] = scripted.seen
    assert isinstance(request, AlterPartitionReassignmentsRequest)
    assert request.allow_replication_factor_change is False


def test_details_of_klamms_own(scripted: ScriptedCluster) -> None:
    scripted.served[1] = {**SERVED, 17904: range(1)}
    described = DescribedPartitionReassignment(0, (1, 2), (1, 3), "broker 3 to catch up", (2,))
    scripted.on(
        DescribeReassignmentsRequest,
        DescribeReassignmentsResponse(topics=(DescribedTopicReassignment("foo", (described,)),)),
    )
    with Admin.connect(scripted.bootstrap) as admin:
        found = admin.describe_reassignments({FOO}).result(PATIENCE)
    assert found == {FOO: ReassignmentDetails((1, 2), (1, 3), "broker 3 to catch up", (2,))}


def test_a_value_that_no_request_can_carry_is_named(scripted: ScriptedCluster) -> None:
    with Admin.connect(scripted.bootstrap) as admin:
        with pytest.raises(errors.UnsendableError, match=str(2**31)):
            admin.alter_partition_reassignments({FOO: (2**31,)}).result(PATIENCE)
        admin.alter_partition_reassignments({FOO: (1,)}).result(PATIENCE)
    assert len(scripted.seen) == 1
