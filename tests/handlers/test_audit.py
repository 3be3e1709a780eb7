"""What an audit tells, and how much of it at most."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from message_strategies import messages

from klamm.controller.handlers.audit import MOST_CHARACTERS, audit_line, audited
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.security.principals import Client, user
from klamm.protocol import registry
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
from klamm.protocol.generated.alter_topics_request import (
    AlteredTopic,
    AlterTopicsRequest,
    PartitionBrokers,
)
from klamm.protocol.generated.alter_topics_response import AlteredTopicResult, AlterTopicsResponse
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from klamm.protocol.generated.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
)
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import (
    AssignPartitionsResponse,
    PartitionAssignmentResult,
)
from klamm.protocol.generated.create_topics_request import CreatableTopic, CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import (
    CreatableTopicResult,
    CreateTopicsResponse,
)
from klamm.protocol.generated.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from klamm.protocol.generated.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from klamm.protocol.generated.elect_leaders_response import (
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.message import Message

ALICE = Client(user("alice"), "10.0.0.7", "PLAINTEXT")
PEER = "10.0.0.7:40000"
AUDITED = [key for key in HANDLERS if audited(key)]
KINDS = [(key, version) for key in AUDITED for version in registry.request(key).versions]


def line(request: Message, response: Message | None) -> str:
    return audit_line(ALICE, PEER, "admin-1", request, response)


def test_whatever_alters_something_is_audited() -> None:
    assert [key for key in AUDITED if key < 17900] == [
        19, 20, 30, 31, 33, 34, 37, 43, 44, 45, 51,
    ]  # fmt: skip
    assert audited(17900) and audited(17902)
    assert not audited(17901) and not audited(17903)


@given(st.sampled_from(KINDS).flatmap(
    lambda kind: st.tuples(
        messages(registry.request(kind[0]).__name__, kind[1]),
        st.none() | messages(registry.response(kind[0]).__name__, kind[1]),
        st.text(max_size=300), st.none() | st.text(max_size=300),
    )
))  # fmt: skip
def test_it_is_one_line_of_plain_characters_and_bounded(
    asked: tuple[Message, Message | None, str, str | None],
) -> None:
    request, response, name, client_id = asked
    told = audit_line(Client(user(name), "h", "L"), PEER, client_id, request, response)
    assert told.isascii() and told.isprintable()
    assert len(told) <= MOST_CHARACTERS
    assert f" from {PEER}, client " in told


def moves(count: int) -> AlterPartitionReassignmentsRequest:
    parts = tuple(ReassignablePartition(number, (1, 2)) for number in range(count))
    return AlterPartitionReassignmentsRequest(topics=(ReassignableTopic("t", parts),))


def test_moves_are_told_with_their_targets_and_outcomes() -> None:
    request = AlterPartitionReassignmentsRequest(
        topics=(
            ReassignableTopic(
                "t", (ReassignablePartition(0, (3, 1)), ReassignablePartition(1, None))
            ),
        )
    )
    answers = (ReassignablePartitionResponse(0, 0), ReassignablePartitionResponse(1, 85))
    response = AlterPartitionReassignmentsResponse(
        responses=(ReassignableTopicResponse("t", answers),)
    )
    assert line(request, response) == (
        "User:alice from 10.0.0.7:40000, client admin-1: AlterPartitionReassignments:"
        " t-0 to 3,1, t-1 cancel: NONE 1, NO_REASSIGNMENT_IN_PROGRESS 1"
    )
    refused = AlterPartitionReassignmentsResponse(error_code=41)
    assert line(request, refused).endswith(": NOT_CONTROLLER 1")


def test_topics_that_are_altered_or_assigned() -> None:
    lists = (PartitionBrokers(0, (3, 1)), PartitionBrokers(4, ()))
    request = AlterTopicsRequest(
        topics=(AlteredTopic("t", 5, 2, lists), AlteredTopic("a b"), AlteredTopic("u", -1, 3))
    )
    rows = (AlteredTopicResult("t", 60), AlteredTopicResult("a b", 0), AlteredTopicResult("u", 0))
    assert line(request, AlterTopicsResponse(topics=rows)) == (
        "User:alice from 10.0.0.7:40000, client admin-1: AlterTopics: t to 5 partitions,"
        ' t to replication factor 2, t-0 to 3,1, t-4 to , "a b" as it is,'
        " u to replication factor 3: NONE 2, REASSIGNMENT_IN_PROGRESS 1"
    )
    assert line(request, AlterTopicsResponse(error_code=41)).endswith(": NOT_CONTROLLER 1")
    assigned = AssignPartitionsRequest(assignments=(PartitionAssignment("t", 0, (1, 2)),))
    results = (PartitionAssignmentResult("t", 0, 1, 0), PartitionAssignmentResult("t", 0, 2, 25))
    told = line(assigned, AssignPartitionsResponse(results=results))
    assert told.endswith(": AssignPartitions: t-0 to 1,2: NONE 1, UNKNOWN_MEMBER_ID 1")


def test_of_many_things_the_first_few_are_told() -> None:
    answers = tuple(ReassignablePartitionResponse(number, 0) for number in range(10_000))
    response = AlterPartitionReassignmentsResponse(
        responses=(ReassignableTopicResponse("t", answers),)
    )
    told = line(moves(10_000), response)
    assert ", t-7 to 1,2, and more: NONE 10000" in told
    assert "and more" not in line(moves(8), response)


def test_names_cannot_forge_a_line() -> None:
    forged = "t\nUser:root from 1.1.1.1"
    request = AlterPartitionReassignmentsRequest(
        topics=(ReassignableTopic(forged, (ReassignablePartition(0, ()),)),)
    )
    assert "t\\nUser:root" in line(request, None)
    assert line(request, None).endswith("closed without an answer")


def test_names_cannot_pass_themselves_off_as_other_parts_of_a_line() -> None:
    forged = 'x" of 1 partitions: NONE 1'
    request = CreateTopicsRequest(topics=(CreatableTopic(forged, 3, 1),))
    refused = CreateTopicsResponse(topics=(CreatableTopicResult(forged, error_code=29),))
    told = audit_line(
        Client(user("a from 1.1.1.1:1, client b"), "h", "L"), PEER, "c: nothing: NONE 1",
        request, refused,
    )  # fmt: skip
    who = f'"User:a from 1.1.1.1:1, client b" from {PEER}, client "c: nothing: NONE 1": '
    what = 'CreateTopics: "x\\" of 1 partitions: NONE 1" of 3 partitions: '
    assert told == f"{who}{what}TOPIC_AUTHORIZATION_FAILED 1"


@given(st.lists(st.text('ab "\n\u2028\U0001f600\\', max_size=120), min_size=1, max_size=12))
def test_whatever_the_names_are_the_outcome_is_told_and_quotes_are_closed(names: list[str]) -> None:
    request = CreateTopicsRequest(topics=tuple(CreatableTopic(name * 3, 3, 1) for name in names))
    results = tuple(CreatableTopicResult(name * 3, error_code=29) for name in names)
    told = line(request, CreateTopicsResponse(topics=results))
    assert told.endswith(f": TOPIC_AUTHORIZATION_FAILED {len(names)}")
    bare = told.replace("\\\\", "").replace('\\"', "")
    assert bare.count('"') % 2 == 0


def test_an_item_of_many_names_is_shortened_and_its_quote_closed() -> None:
    configs = tuple(AlterableConfig("a b " * 15 + str(number), 0, "v") for number in range(9))
    request = IncrementalAlterConfigsRequest((AlterConfigsResource(2, "t", configs),))
    told = line(request, None)
    assert f'"{"a b " * 15}0" "{"a b " * 15}1" "a b ' in told
    assert told.endswith('...": closed without an answer')
    assert told.count('"') % 2 == 0


@pytest.mark.parametrize("validate_only", [True, False])
def test_of_configs_the_names_are_told_and_never_a_value(validate_only: bool) -> None:
    config = AlterableConfig("ssl.key.password", 0, "hunter2")
    resource = AlterConfigsResource(4, "", (config,))
    request = IncrementalAlterConfigsRequest((resource,), validate_only)
    response = IncrementalAlterConfigsResponse(
        responses=(AlterConfigsResourceResponse(42, "x", 4, ""),)
    )
    told = line(request, response)
    assert "BROKER:<default> ssl.key.password: INVALID_REQUEST 1" in told
    assert "hunter2" not in told
    assert ("only validated" in told) == validate_only


def test_of_credentials_the_user_is_told_and_nothing_of_the_password() -> None:
    new = ScramCredentialUpsertion("bob", 1, 4096, b"salt", b"salted password")
    request = AlterUserScramCredentialsRequest((), (new,))
    told = line(request, AlterUserScramCredentialsResponse())
    assert "set bob, mechanism 1" in told
    assert "salt" not in told


def test_elections_and_deleted_rules() -> None:
    request = ElectLeadersRequest(1, (TopicPartitions("t", (0, 1)),))
    results = (ReplicaElectionResult("t", (PartitionResult(0, 84), PartitionResult(1, 0))),)
    told = line(request, ElectLeadersResponse(replica_election_results=results))
    assert "unclean of t-0, unclean of t-1: NONE 1, ELECTION_NOT_NEEDED 1" in told
    assert "preferred of every partition" in line(ElectLeadersRequest(0, None), None)
    meant = DeleteAclsRequest((DeleteAclsFilter(2, None, 4, None, None, 1, 1),))
    matching = (DeleteAclsMatchingAcl(), DeleteAclsMatchingAcl(-1))
    deleted = DeleteAclsResponse(filter_results=(DeleteAclsFilterResult(0, None, matching),))
    told = line(meant, deleted)
    assert "ANY anybody from anywhere ANY on PREFIXED TOPIC:any" in told
    assert told.endswith("UNKNOWN_SERVER_ERROR 1, NONE 1")
