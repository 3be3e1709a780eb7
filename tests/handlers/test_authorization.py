"""What each API needs: with that right alone it is served, with all but that one it is not."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from uuid import UUID

import pytest
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.results import Fault, Refusal, TopicCreated
from klamm.controller.core.rules import APACHE_3_9, KIP_455, Rules
from klamm.controller.handlers.api import Answer, Context, Outcome, Submit, Transact
from klamm.controller.handlers.from_controllers import denied
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.security.acls import (
    CLUSTER_NAME,
    AccessRule,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.controller.security.authorizer import AclAuthorizer
from klamm.controller.security.principals import Client, user
from klamm.protocol.codec import decode, encode
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated import (
    alter_configs_request,
    alter_replica_log_dirs_request,
    create_topics_request,
    incremental_alter_configs_request,
    produce_request,
)
from klamm.protocol.generated.allocate_producer_ids_request import AllocateProducerIdsRequest
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.alter_partition_request import AlterPartitionRequest
from klamm.protocol.generated.alter_topics_request import AlteredTopic, AlterTopicsRequest
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
)
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.create_acls_request import AclCreation, CreateAclsRequest
from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.protocol.generated.describe_acls_request import DescribeAclsRequest
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_topic_partitions_request import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from klamm.protocol.generated.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.report_fetch_progress_request import ReportFetchProgressRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

ALICE = Client(user("alice"), "10.0.0.7", "PLAINTEXT")
STATE = cluster(
    topic("t", {0: partition((1, 2)), 1: partition((1, 2, 3), adding=(3,))}),
    topic("u", {0: partition((1,))}),
)
CLUSTER = ResourcePattern(ResourceType.CLUSTER, CLUSTER_NAME)
TOPIC = ResourcePattern(ResourceType.TOPIC, "t")
EVERYTHING = [ResourcePattern(kind, "*") for kind in ResourceType if kind > ResourceType.ANY]

NO_CLUSTER = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
NO_TOPIC = ErrorCode.TOPIC_AUTHORIZATION_FAILED
DENIALS = {NO_CLUSTER, NO_TOPIC}


def rule(operation: Operation, permission: Permission) -> AccessRule:
    return AccessRule("User:alice", "*", operation, permission)


def with_only(operation: Operation, pattern: ResourcePattern) -> AclAuthorizer:
    return AclAuthorizer(lists={pattern: frozenset({rule(operation, Permission.ALLOW)})})


def without(*denied_: tuple[Operation, ResourcePattern]) -> AclAuthorizer:
    """Everything is allowed but this."""
    every = frozenset({rule(Operation.ALL, Permission.ALLOW)})
    lists = dict.fromkeys(EVERYTHING, every)
    for operation, pattern in denied_:
        lists[pattern] = lists.get(pattern, every) | {rule(operation, Permission.DENY)}
    return AclAuthorizer(lists=lists)


def asked_by_alice(authorizer: AclAuthorizer, *, active: bool = True) -> Context:
    return replace(context(STATE, active=active), client=ALICE, authorizer=authorizer)


@dataclass(frozen=True)
class Case:
    """A request, the right that it needs, and the codes that all parts of it have without."""

    request: Message
    operation: Operation
    pattern: ResourcePattern
    codes: tuple[ErrorCode, ...]


def configs(kind: int, name: str) -> tuple[Message, ...]:
    one = incremental_alter_configs_request.AlterableConfig("retention.ms", 0, "1")
    resource = incremental_alter_configs_request.AlterConfigsResource(kind, name, (one,))
    old = alter_configs_request.AlterConfigsResource(
        kind, name, (alter_configs_request.AlterableConfig("retention.ms", "1"),)
    )
    return (
        incremental_alter_configs_request.IncrementalAlterConfigsRequest((resource,)),
        alter_configs_request.AlterConfigsRequest((old,)),
    )


ALTER = AlterPartitionReassignmentsRequest(
    topics=(
        ReassignableTopic("t", (ReassignablePartition(0, (3,)), ReassignablePartition(9, None))),
        ReassignableTopic("none", (ReassignablePartition(0, ()),)),
    )
)
LIST = ListPartitionReassignmentsRequest(topics=(ListPartitionReassignmentsTopics("t", (1, 7)),))
CREATION = AclCreation(2, "t", 3, "User:bob", "*", Operation.READ, Permission.ALLOW)
DELETION = DeleteAclsFilter(2, "t", 3, None, None, Operation.ANY, Permission.ANY)
A_TOPIC = create_topics_request.CreatableTopic("t", 1, 1)
MOVED_DIR = alter_replica_log_dirs_request.AlterReplicaLogDir(
    "/d", (alter_replica_log_dirs_request.AlterReplicaLogDirTopic("t", (0,)),)
)
WRITTEN = produce_request.TopicProduceData("t", (produce_request.PartitionProduceData(0),))

CASES = (
    Case(produce_request.ProduceRequest(acks=1, topic_data=(WRITTEN,)), Operation.WRITE, TOPIC,
         (NO_TOPIC,)),
    Case(MetadataRequest(topics=(MetadataRequestTopic(name="t"),)), Operation.DESCRIBE, TOPIC,
         (NO_TOPIC,)),
    Case(ControlledShutdownRequest(1, 1001), Operation.CLUSTER_ACTION, CLUSTER, (NO_CLUSTER,)),
    Case(create_topics_request.CreateTopicsRequest((A_TOPIC,)), Operation.CREATE, TOPIC,
         (NO_TOPIC,)),
    Case(DeleteTopicsRequest(topic_names=("t",)), Operation.DELETE, TOPIC, (NO_TOPIC,)),
    Case(DescribeAclsRequest(1, None, 1, None, None, 1, 1), Operation.DESCRIBE, CLUSTER,
         (NO_CLUSTER,)),
    Case(CreateAclsRequest((CREATION, CREATION)), Operation.ALTER, CLUSTER, (NO_CLUSTER,) * 2),
    Case(DeleteAclsRequest((DELETION, DELETION)), Operation.ALTER, CLUSTER, (NO_CLUSTER,) * 2),
    Case(DescribeConfigsRequest((DescribeConfigsResource(2, "t"),)), Operation.DESCRIBE_CONFIGS,
         TOPIC, (NO_TOPIC,)),
    Case(DescribeConfigsRequest((DescribeConfigsResource(4, "900"),)), Operation.DESCRIBE_CONFIGS,
         CLUSTER, (NO_CLUSTER,)),
    Case(DescribeConfigsRequest((DescribeConfigsResource(8, "900"),)), Operation.DESCRIBE_CONFIGS,
         CLUSTER, (NO_CLUSTER,)),
    *[Case(each, Operation.ALTER_CONFIGS, TOPIC, (NO_TOPIC,)) for each in configs(2, "t")],
    *[Case(each, Operation.ALTER_CONFIGS, CLUSTER, (NO_CLUSTER,)) for each in configs(4, "900")],
    *[Case(each, Operation.ALTER_CONFIGS, CLUSTER, (NO_CLUSTER,)) for each in configs(4, "")],
    Case(alter_replica_log_dirs_request.AlterReplicaLogDirsRequest((MOVED_DIR,)), Operation.ALTER,
         CLUSTER, (NO_CLUSTER,)),
    Case(DescribeLogDirsRequest(None), Operation.DESCRIBE, CLUSTER, (NO_CLUSTER,)),
    Case(CreatePartitionsRequest((CreatePartitionsTopic("t", 9, None),)), Operation.ALTER, TOPIC,
         (NO_TOPIC,)),
    Case(ElectLeadersRequest(0, (TopicPartitions("t", (0, 1)),)), Operation.ALTER, CLUSTER,
         (NO_CLUSTER,) * 3),
    Case(ALTER, Operation.ALTER, CLUSTER, (NO_CLUSTER,) * 4),
    Case(LIST, Operation.DESCRIBE, CLUSTER, (NO_CLUSTER,)),
    Case(DescribeUserScramCredentialsRequest(None), Operation.DESCRIBE, CLUSTER, (NO_CLUSTER,)),
    Case(AlterUserScramCredentialsRequest((ScramCredentialDeletion("bob", 1),)), Operation.ALTER,
         CLUSTER, (NO_CLUSTER,)),
    Case(AlterPartitionRequest(1, 1001), Operation.CLUSTER_ACTION, CLUSTER, (NO_CLUSTER,)),
    Case(AllocateProducerIdsRequest(1, 1001), Operation.CLUSTER_ACTION, CLUSTER, (NO_CLUSTER,)),
    Case(DescribeTopicPartitionsRequest((TopicRequest("t"),)), Operation.DESCRIBE, TOPIC,
         (NO_TOPIC,)),
    Case(ReplicaStatusRequest((ReplicaStatusKey("t", 0, 1), ReplicaStatusKey("none", 0, 1))),
         Operation.DESCRIBE, CLUSTER, (NO_CLUSTER,) * 3),
    Case(AssignPartitionsRequest(1000, (PartitionAssignment("t", 0, (3, 4)),)),
         Operation.CLUSTER_ACTION, CLUSTER, (NO_CLUSTER,) * 3),
    Case(PartitionAssignmentStatusRequest(1), Operation.DESCRIBE, CLUSTER, (NO_CLUSTER,)),
    Case(DescribeReassignmentsRequest(None), Operation.DESCRIBE, CLUSTER, (NO_CLUSTER,)),
    Case(AlterTopicsRequest(1000, (AlteredTopic("t", 9), AlteredTopic("none"))),
         Operation.CLUSTER_ACTION, CLUSTER, (NO_CLUSTER,) * 3),
    Case(ReportFetchProgressRequest(1, 1001), Operation.CLUSTER_ACTION, CLUSTER, (NO_CLUSTER,)),
)  # fmt: skip

#: Who one is comes before what one may do (17, 36); 18 comes before both; 60 shows itself to all.
NEEDS_NOTHING = {17, 18, 36, 60}
#: Of these Kafka looks first whether it is the controller; the last is klamm's own.
CONTROLLER_FIRST = {19, 20, 37, 51, 17904}


def _name(case: Case) -> str:
    return f"{type(case.request).__name__}-{case.operation.name}-{case.pattern.resource_type.name}"


def codes_of(message: object) -> Iterator[int]:
    """Every error code of a response, the top level's first."""
    if isinstance(message, tuple):
        for item in message:
            yield from codes_of(item)
    elif is_dataclass(message) and not isinstance(message, type):
        for field in fields(message):
            if field.name == "error_code":
                yield getattr(message, field.name)
        for field in fields(message):
            if isinstance(getattr(message, field.name), tuple):
                yield from codes_of(getattr(message, field.name))


def handled(asking: Context, request: Message) -> Outcome:
    handler = HANDLERS[request.api_key]
    return handler.handle(asking, request, max(handler.versions))


def test_every_key_has_a_case() -> None:
    assert {case.request.api_key for case in CASES} | NEEDS_NOTHING == HANDLERS.keys()


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_without_its_right_alone_it_is_refused_and_nothing_is_done(case: Case) -> None:
    refused(case, active=True)


@pytest.mark.parametrize(
    "case", [each for each in CASES if each.request.api_key not in CONTROLLER_FIRST], ids=_name
)
def test_it_is_refused_before_it_is_asked_who_is_controller(case: Case) -> None:
    refused(case, active=False)


def refused(case: Case, *, active: bool) -> None:
    asking = asked_by_alice(without((case.operation, case.pattern)), active=active)
    if case.operation is Operation.CREATE:  # either of two rights will do
        asking = asked_by_alice(without((Operation.CREATE, CLUSTER), (Operation.CREATE, TOPIC)))
    outcome = handled(asking, case.request)
    assert isinstance(outcome, Answer), "nothing is written"
    version = max(HANDLERS[case.request.api_key].versions)
    kind = type(outcome.response)
    response = decode(kind, encode(outcome.response, version), version)
    assert tuple(filter(None, codes_of(response))) == case.codes


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_with_its_right_alone_it_is_served(case: Case) -> None:
    outcome = handled(asked_by_alice(with_only(case.operation, case.pattern)), case.request)
    match outcome:
        case Answer(response):
            assert not DENIALS & set(codes_of(response))
        case Submit(events):
            assert events
        case Transact(transactions):
            assert transactions
        case _:
            pytest.fail(f"{outcome} is no answer")


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_super_users_need_no_right(case: Case) -> None:
    asking = asked_by_alice(AclAuthorizer(frozenset({"User:alice"})))
    outcome = handled(asking, case.request)
    if isinstance(outcome, Answer):
        assert not DENIALS & set(codes_of(outcome.response))


# --- moves -------------------------------------------------------------------------------------


@pytest.mark.req("R455-12")
@pytest.mark.parametrize("rules", [APACHE_3_9, KIP_455], ids=lambda rules: rules.name)
@pytest.mark.parametrize("active", [True, False], ids=["controller", "standby"])
def test_who_may_not_alter_the_cluster_moves_nothing(rules: Rules, active: bool) -> None:
    asking = replace(
        asked_by_alice(without((Operation.ALTER, CLUSTER)), active=active), rules=rules
    )
    outcome = handled(asking, ALTER)
    assert isinstance(outcome, Answer), "nothing is submitted, so nothing is written"
    response = outcome.response
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert response.error_code == NO_CLUSTER
    echoed = [
        (each.name, part.partition_index, part.error_code)
        for each in response.responses
        for part in each.partitions
    ]
    assert echoed == [("t", 0, NO_CLUSTER), ("t", 9, NO_CLUSTER), ("none", 0, NO_CLUSTER)]


@pytest.mark.req("R455-33")
@pytest.mark.parametrize("active", [True, False], ids=["controller", "standby"])
def test_who_may_not_describe_the_cluster_sees_no_moves(active: bool) -> None:
    asking = asked_by_alice(without((Operation.DESCRIBE, CLUSTER)), active=active)
    outcome = handled(asking, LIST)
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.response, ListPartitionReassignmentsResponse)
    assert outcome.response.error_code == NO_CLUSTER
    [echoed] = outcome.response.topics
    assert echoed.name == "t"
    assert [each.partition_index for each in echoed.partitions] == [1, 7]
    for each in echoed.partitions:
        assert (each.replicas, each.adding_replicas, each.removing_replicas) == ((), (), ())
    for request in (LIST, ListPartitionReassignmentsRequest(topics=None)):
        outcome = handled(replace(asking, rules=KIP_455), request)
        assert isinstance(outcome, Answer)
        assert isinstance(outcome.response, ListPartitionReassignmentsResponse)
        assert outcome.response.error_code == NO_CLUSTER
        assert outcome.response.topics == ()


# --- Metadata and DescribeCluster --------------------------------------------------------------


def metadata(authorizer: AclAuthorizer, request: MetadataRequest, version: int) -> MetadataResponse:
    outcome = HANDLERS[3].handle(asked_by_alice(authorizer), request, version)
    assert isinstance(outcome, Answer)
    response = decode(MetadataResponse, encode(outcome.response, version), version)
    assert isinstance(response, MetadataResponse)
    return response


@pytest.mark.parametrize("version", [0, 1, 9, 12])
def test_of_all_topics_only_those_are_shown_that_may_be_described(version: int) -> None:
    everything = MetadataRequest(topics=() if version == 0 else None)
    shown = metadata(with_only(Operation.READ, TOPIC), everything, version).topics
    assert [(each.name, each.error_code) for each in shown] == [("t", 0)]


@pytest.mark.parametrize("version", [1, 9, 12])
def test_a_named_topic_is_refused_whether_or_not_it_exists(version: int) -> None:
    asked = MetadataRequest(tuple(MetadataRequestTopic(name=name) for name in ("u", "none", "t")))
    shown = metadata(with_only(Operation.READ, TOPIC), asked, version).topics
    assert [(each.name, each.error_code) for each in shown] == [
        ("u", NO_TOPIC),
        ("none", NO_TOPIC),
        ("t", 0),
    ]
    assert not shown[0].partitions
    assert shown[0].topic_id == UUID(int=0)


def test_the_name_of_an_id_is_not_told() -> None:
    id_ = UUID(int=5)
    state = cluster(replace(topic("u", {0: partition((1,))}), topic_id=id_))
    request = MetadataRequest((MetadataRequestTopic(id_, None),))
    asking = replace(context(state), client=ALICE, authorizer=with_only(Operation.READ, TOPIC))
    outcome = HANDLERS[3].handle(asking, request, 12)
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.response, MetadataResponse)
    [shown] = outcome.response.topics
    assert (shown.error_code, shown.name, shown.topic_id) == (NO_TOPIC, None, id_)
    delete = DeleteTopicsRequest((DeleteTopicState(None, id_),))
    for authorizer, name in (
        (without((Operation.DESCRIBE, ResourcePattern(ResourceType.TOPIC, "u"))), None),
        (without((Operation.DELETE, ResourcePattern(ResourceType.TOPIC, "u"))), "u"),
    ):
        outcome = handled(replace(asking, authorizer=authorizer), delete)
        assert isinstance(outcome, Answer)
        assert isinstance(outcome.response, DeleteTopicsResponse)
        [result] = outcome.response.responses
        assert (result.error_code, result.name) == (NO_TOPIC, name)


def test_authorized_operations_are_those_of_who_asks() -> None:
    request = MetadataRequest(None, True, True, True)
    alter = with_only(Operation.ALTER, TOPIC)
    shown = metadata(alter, request, 10)
    assert shown.topics[0].topic_authorized_operations == (1 << 7) | (1 << 8)
    assert shown.cluster_authorized_operations == 0, "it may not describe the cluster"
    both = alter.updated({CLUSTER: frozenset({rule(Operation.ALTER, Permission.ALLOW)})})
    assert metadata(both, request, 10).cluster_authorized_operations == (1 << 7) | (1 << 8)
    plain = metadata(both, MetadataRequest(None), 10)
    assert plain.cluster_authorized_operations == plain.topics[0].topic_authorized_operations
    assert plain.cluster_authorized_operations == -(2**31), "nobody asked"


@pytest.mark.parametrize("include", [True, False])
def test_everybody_may_see_who_is_in_the_cluster(include: bool) -> None:
    request = DescribeClusterRequest(include_cluster_authorized_operations=include)
    outcome = handled(asked_by_alice(AclAuthorizer()), request)
    assert isinstance(outcome, Answer)
    assert isinstance(outcome.response, DescribeClusterResponse)
    assert len(outcome.response.brokers) == 5, "the brokers and the node"
    assert outcome.response.cluster_authorized_operations == (0 if include else -(2**31))


# --- others ------------------------------------------------------------------------------------


def test_to_create_topics_in_the_cluster_is_to_create_any() -> None:
    request = create_topics_request.CreateTopicsRequest((A_TOPIC,))
    asking = asked_by_alice(with_only(Operation.CREATE, CLUSTER))
    assert isinstance(handled(asking, request), Submit)


def test_a_created_topic_is_described_to_those_who_may_describe_its_configs() -> None:
    new = create_topics_request.CreatableTopic("new", 1, 1)
    request = create_topics_request.CreateTopicsRequest((new,))
    asking = asked_by_alice(with_only(Operation.CREATE, CLUSTER))
    outcome = handled(asking, request)
    assert isinstance(outcome, Submit)
    response = outcome.respond([TopicCreated(1, 1, UUID(int=9))])
    assert isinstance(response, CreateTopicsResponse)
    [result] = response.topics
    assert (result.error_code, result.topic_config_error_code) == (0, NO_TOPIC)
    assert (result.num_partitions, result.replication_factor, result.configs) == (-1, -1, ())
    assert result.topic_id == UUID(int=9)


def test_one_without_right_does_not_stop_the_others() -> None:
    allowed = with_only(Operation.DELETE, TOPIC)
    outcome = handled(asked_by_alice(allowed), DeleteTopicsRequest(topic_names=("u", "t", "none")))
    assert isinstance(outcome, Submit)
    assert len(outcome.events) == 1
    response = outcome.respond([Refusal(Fault.REQUEST_TIMED_OUT, "x")])
    assert [code for code in codes_of(response) if code in DENIALS] == [NO_TOPIC, NO_TOPIC]


@pytest.mark.parametrize(
    "request_", [LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest]
)
def test_only_who_may_act_for_the_cluster_is_obeyed_as_its_controller(
    request_: type[Message],
) -> None:
    answer = denied(asked_by_alice(without((Operation.CLUSTER_ACTION, CLUSTER))), request_())
    assert answer is not None
    assert tuple(codes_of(answer)) == (NO_CLUSTER,)
    assert denied(asked_by_alice(with_only(Operation.CLUSTER_ACTION, CLUSTER)), request_()) is None
    assert denied(asked_by_alice(AclAuthorizer()), MetadataRequest()) is None
