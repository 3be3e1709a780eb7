"""Every error code that a key can answer with, each reached by a request.

The handlers work on the real core here, and on znodes in a dictionary. Logins, credentials and
access control lists have tables of their own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from uuid import UUID

import pytest
from core.clusters import Ledger, cluster, partition, topic
from handlers.denials import denied
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import context

from klamm.controller.core.model import ClusterState, Deletion
from klamm.controller.core.settings import Settings
from klamm.controller.handlers.api import Context, Outcome, Submit
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.znodes import paths
from klamm.protocol import registry
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.allocate_producer_ids_request import AllocateProducerIdsRequest
from klamm.protocol.generated.alter_configs_request import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_request import (
    AlterPartitionRequest,
    PartitionData,
    TopicData,
)
from klamm.protocol.generated.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from klamm.protocol.generated.alter_topics_request import (
    AlteredTopic,
    AlterTopicsRequest,
    PartitionBrokers,
)
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
from klamm.protocol.generated.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterableConfig as Change,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterConfigsResource as Resource,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.report_fetch_progress_request import ReportFetchProgressRequest
from klamm.protocol.message import Message

#: Brokers 1, 2 and 3 are alive, 8 and 9 are not. `t` is at rest, `astray` led by its second
#: replica, `moving` on its way to 3, `lost` without anybody to lead it, and `going` queued for
#: deletion.
STATE = replace(
    cluster(
        (1, 2, 3),
        topic("t", {0: partition((1, 2))}),
        topic("astray", {0: partition((1, 2), leader=2)}),
        topic("unled", {0: partition((1, 2), leader=2, isr=(2,))}),
        topic("moving", {0: partition((3, 1), adding=(3,), removing=(1,))}),
        topic("lost", {0: partition((8, 9), leader=-1, isr=(8,))}),
        topic("going", {0: partition((1, 2))}),
    ),
    deleting={"going": Deletion()},
)
#: Nothing moves.
RESTING = cluster((1, 2), topic("t", {0: partition((1, 2))}))
STORED = {paths.topic(name): b"{}" for name in STATE.topics}
TOPIC, BROKER = 2, 4
LONG_AGO = 7


@dataclass(frozen=True)
class Case:
    """A request of the newest version, or another one, that comes to `code`."""

    code: ErrorCode
    request: Message
    version: int | None = None
    state: ClusterState = STATE
    settings: Settings = field(default_factory=Settings)
    on: Callable[[Context], Context] = lambda context: context
    late: bool = False

    def __str__(self) -> str:
        return f"{type(self.request).api_key}-{self.code.name}"


def standby(on: Context) -> Context:
    return replace(on, state=None)


def honouring(on: Context) -> Context:
    return replace(on, honours_timeouts=True)


def elsewhere(on: Context) -> Context:
    return replace(on, listener="OUTSIDE")


def created(name: str, *places: tuple[int, ...], count: int = -1, factor: int = -1) -> Message:
    assignments = tuple(CreatableReplicaAssignment(n, ids) for n, ids in enumerate(places))
    return CreateTopicsRequest((CreatableTopic(name, count, factor, assignments),))


def grown(name: str, count: int, *places: tuple[int, ...]) -> Message:
    lists = tuple(map(CreatePartitionsAssignment, places)) if places else None
    return CreatePartitionsRequest((CreatePartitionsTopic(name, count, lists),))


def elected(name: str, kind: int = 0, number: int = 0) -> Message:
    return ElectLeadersRequest(kind, (TopicPartitions(name, (number,)),), 1000)


def reshaped(
    name: str, partitions: int = -1, replicas: int = -1, to: tuple[int, ...] | None = None
) -> Message:
    lists = () if to is None else (PartitionBrokers(0, to),)
    return AlterTopicsRequest(1000, (AlteredTopic(name, partitions, replicas, lists),))


def assigned(name: str, *target: int, number: int = 0) -> Message:
    return AssignPartitionsRequest(1000, (PartitionAssignment(name, number, target),))


def altered(name: str, target: tuple[int, ...] | None, allowed: bool = True) -> Message:
    partitions = (ReassignablePartition(0, target),)
    return AlterPartitionReassignmentsRequest(1000, allowed, (ReassignableTopic(name, partitions),))


def incremental(
    kind: int, name: str, key: str = "retention.ms", value: str | None = "1", operation: int = 0
) -> Message:
    return IncrementalAlterConfigsRequest((Resource(kind, name, (Change(key, operation, value),)),))


def replaced(
    kind: int, name: str, key: str = "retention.ms", value: str | None = "1"
) -> AlterConfigsRequest:
    return AlterConfigsRequest((AlterConfigsResource(kind, name, (AlterableConfig(key, value),)),))


def described(kind: int, name: str) -> Message:
    return DescribeConfigsRequest((DescribeConfigsResource(kind, name),))


def asked(name: str) -> Message:
    return MetadataRequest((MetadataRequestTopic(name=name),))


def isr(
    *members: int, name: str = "t", epoch: int = 101, leader_epoch: int = 3, version: int = 7
) -> Message:
    part = PartitionData(0, leader_epoch, members, partition_epoch=version)
    return AlterPartitionRequest(1, epoch, (TopicData(name, partitions=(part,)),))


def status_of(name: str, number: int, broker: int) -> Message:
    return ReplicaStatusRequest((ReplicaStatusKey(name, number, broker),))


DENIED_CLUSTER = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
DENIED_TOPIC = ErrorCode.TOPIC_AUTHORIZATION_FAILED
E = ErrorCode

CASES = (
    # Produce
    Case(
        E.NOT_LEADER_OR_FOLLOWER,
        ProduceRequest(
            acks=1, topic_data=(TopicProduceData("t", (PartitionProduceData(0, b""),)),)
        ),
    ),
    # Metadata
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, asked("nowhere"), 12),
    Case(E.LEADER_NOT_AVAILABLE, asked("lost"), 12),
    Case(E.LISTENER_NOT_FOUND, asked("t"), 12, on=elsewhere),
    Case(E.REPLICA_NOT_AVAILABLE, asked("partly"), 0, cluster(
        (1, 2), topic("partly", {0: partition((1, 9))})
    )),
    Case(E.INVALID_TOPIC_EXCEPTION, asked("no name"), 12),
    Case(DENIED_TOPIC, asked("t"), 12, on=denied),
    Case(E.INVALID_REQUEST, MetadataRequest((MetadataRequestTopic(UUID(int=5), None),)), 10),
    Case(E.UNKNOWN_TOPIC_ID, MetadataRequest((MetadataRequestTopic(UUID(int=5), None),)), 12),
    # ControlledShutdown
    Case(E.STALE_CONTROLLER_EPOCH, ControlledShutdownRequest(1, 101), on=standby),
    Case(E.STALE_BROKER_EPOCH, ControlledShutdownRequest(1, LONG_AGO)),
    Case(E.BROKER_NOT_AVAILABLE, ControlledShutdownRequest(9, 109)),
    Case(DENIED_CLUSTER, ControlledShutdownRequest(1, 101), on=denied),
    # CreateTopics
    Case(E.INVALID_TOPIC_EXCEPTION, created("no name", count=1, factor=1)),
    Case(DENIED_TOPIC, created("new", count=1, factor=1), on=denied),
    Case(E.TOPIC_ALREADY_EXISTS, created("t", count=1, factor=1)),
    Case(E.INVALID_PARTITIONS, created("new", count=0, factor=1)),
    Case(E.INVALID_REPLICATION_FACTOR, created("new", count=1, factor=4)),
    Case(E.INVALID_REPLICA_ASSIGNMENT, created("new", (1, 1))),
    Case(E.INVALID_CONFIG, CreateTopicsRequest(
        (CreatableTopic("new", 1, 1, configs=(CreatableTopicConfig("retention.ms", "-9"),)),)
    )),
    Case(E.NOT_CONTROLLER, created("new", count=1, factor=1), on=standby),
    Case(E.INVALID_REQUEST, created("new", (1, 2), count=1)),
    # DeleteTopics
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, DeleteTopicsRequest((DeleteTopicState("nowhere"),))),
    Case(E.REQUEST_TIMED_OUT, DeleteTopicsRequest((DeleteTopicState("moving"),))),
    Case(DENIED_TOPIC, DeleteTopicsRequest((DeleteTopicState("t"),)), on=denied),
    Case(E.NOT_CONTROLLER, DeleteTopicsRequest((DeleteTopicState("t"),)), on=standby),
    Case(E.INVALID_REQUEST, DeleteTopicsRequest((DeleteTopicState("t", UUID(int=5)),))),
    Case(
        E.TOPIC_DELETION_DISABLED,
        DeleteTopicsRequest((DeleteTopicState("t"),)),
        settings=Settings(delete_topic_enable=False),
    ),
    Case(E.UNKNOWN_TOPIC_ID, DeleteTopicsRequest((DeleteTopicState(None, UUID(int=5)),))),
    # DescribeConfigs
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, described(TOPIC, "nowhere")),
    Case(E.INVALID_TOPIC_EXCEPTION, described(TOPIC, "no name")),
    Case(DENIED_TOPIC, described(TOPIC, "t"), on=denied),
    Case(DENIED_CLUSTER, described(BROKER, "900"), on=denied),
    Case(E.INVALID_REQUEST, described(BROKER, "901")),
    # AlterConfigs
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, replaced(TOPIC, "nowhere")),
    Case(DENIED_TOPIC, replaced(TOPIC, "t"), on=denied),
    Case(DENIED_CLUSTER, replaced(BROKER, "900"), on=denied),
    Case(E.INVALID_CONFIG, replaced(TOPIC, "t", "retention.ms", "soon")),
    Case(E.INVALID_REQUEST, replaced(BROKER, "901")),
    # AlterReplicaLogDirs
    Case(E.INVALID_TOPIC_EXCEPTION, AlterReplicaLogDirsRequest(
        (AlterReplicaLogDir("/a", (AlterReplicaLogDirTopic("t" * 249, (0,)),)),)
    )),
    Case(E.LOG_DIR_NOT_FOUND, AlterReplicaLogDirsRequest(
        (AlterReplicaLogDir("/a", (AlterReplicaLogDirTopic("t", (0,)),)),)
    )),
    Case(DENIED_CLUSTER, AlterReplicaLogDirsRequest(
        (AlterReplicaLogDir("/a", (AlterReplicaLogDirTopic("t", (0,)),)),)
    ), on=denied),
    # DescribeLogDirs
    Case(DENIED_CLUSTER, DescribeLogDirsRequest(None), on=denied),
    # CreatePartitions
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, grown("nowhere", 2)),
    Case(E.INVALID_TOPIC_EXCEPTION, grown("going", 2)),
    Case(DENIED_TOPIC, grown("t", 2), on=denied),
    Case(E.INVALID_PARTITIONS, grown("t", 1)),
    Case(E.INVALID_REPLICATION_FACTOR, grown("t", 2), state=replace(
        STATE, brokers={1: STATE.brokers[1]}
    )),
    Case(E.INVALID_REPLICA_ASSIGNMENT, grown("t", 2, (1, 9))),
    Case(E.NOT_CONTROLLER, grown("t", 2), on=standby),
    Case(E.INVALID_REQUEST, CreatePartitionsRequest((CreatePartitionsTopic("t", 2),) * 2)),
    Case(E.REASSIGNMENT_IN_PROGRESS, grown("moving", 2)),
    # ElectLeaders
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, elected("t", number=1)),
    Case(E.REQUEST_TIMED_OUT, elected("astray"), late=True),
    Case(E.INVALID_TOPIC_EXCEPTION, elected("going")),
    Case(DENIED_CLUSTER, elected("astray"), on=denied),
    Case(E.NOT_CONTROLLER, elected("astray"), on=standby),
    Case(E.INVALID_REQUEST, elected("astray", kind=2)),
    Case(E.PREFERRED_LEADER_NOT_AVAILABLE, elected("unled")),
    Case(E.ELIGIBLE_LEADERS_NOT_AVAILABLE, elected("lost", kind=1)),
    Case(E.ELECTION_NOT_NEEDED, elected("t")),
    # IncrementalAlterConfigs
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, incremental(TOPIC, "nowhere")),
    Case(DENIED_TOPIC, incremental(TOPIC, "t"), on=denied),
    Case(DENIED_CLUSTER, incremental(BROKER, "900"), on=denied),
    Case(E.INVALID_CONFIG, incremental(TOPIC, "t", operation=2)),
    Case(E.INVALID_REQUEST, incremental(TOPIC, "t", value=None)),
    # AlterPartitionReassignments
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, altered("nowhere", (1, 2))),
    Case(E.REQUEST_TIMED_OUT, altered("t", (2, 3)), on=honouring, late=True),
    Case(DENIED_CLUSTER, altered("t", (2, 3)), on=denied),
    Case(E.INVALID_REPLICATION_FACTOR, altered("t", (3,), allowed=False)),
    Case(E.INVALID_REPLICA_ASSIGNMENT, altered("t", ())),
    Case(E.NOT_CONTROLLER, altered("t", (2, 3)), on=standby),
    Case(E.NO_REASSIGNMENT_IN_PROGRESS, altered("t", None)),
    # AlterTopics
    Case(E.INVALID_TOPIC_EXCEPTION, reshaped("nowhere")),
    Case(E.REQUEST_TIMED_OUT, reshaped("t", 2), on=honouring, late=True),
    Case(E.UNKNOWN_MEMBER_ID, reshaped("t", to=(1, 9))),
    Case(DENIED_CLUSTER, reshaped("t"), on=denied),
    Case(E.INVALID_PARTITIONS, reshaped("t", 0)),
    Case(E.INVALID_REPLICATION_FACTOR, reshaped("t", replicas=4)),
    Case(E.INVALID_REPLICA_ASSIGNMENT, reshaped("t", to=())),
    Case(E.NOT_CONTROLLER, reshaped("t", 2), on=standby),
    Case(E.INVALID_REQUEST, AlterTopicsRequest(topics=(AlteredTopic("t"),) * 2)),
    Case(E.REASSIGNMENT_IN_PROGRESS, reshaped("t", to=(1, 3))),
    # ListPartitionReassignments
    Case(DENIED_CLUSTER, ListPartitionReassignmentsRequest(), 0, on=denied),
    Case(E.NOT_CONTROLLER, ListPartitionReassignmentsRequest(), 0, on=standby),
    # AlterPartition
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, isr(1, name="nowhere"), 1),
    Case(E.UNKNOWN_TOPIC_ID, AlterPartitionRequest(
        1, 101, (TopicData(topic_id=UUID(int=5), partitions=(PartitionData(0, 3, (1,)),)),)
    ), 2),
    Case(DENIED_CLUSTER, isr(1), 1, on=denied),
    Case(E.NOT_CONTROLLER, isr(1), 1, on=standby),
    Case(E.INVALID_REQUEST, isr(1, 3), 1),
    Case(E.FENCED_LEADER_EPOCH, isr(1, leader_epoch=2), 1),
    Case(E.STALE_BROKER_EPOCH, isr(1, epoch=LONG_AGO), 1),
    Case(E.INVALID_UPDATE_VERSION, isr(1, version=6), 1),
    Case(E.OPERATION_NOT_ATTEMPTED, isr(1, 2, name="unled"), 1, replace(
        cluster((1, 2), topic("unled", {0: partition((1, 2), isr=(1,))})),
        shutting_down=frozenset({2}),
    )),
    # DescribeCluster
    Case(E.MISMATCHED_ENDPOINT_TYPE, DescribeClusterRequest(endpoint_type=2), 1,
         on=lambda on: replace(on, controllers=None)),
    Case(E.UNSUPPORTED_ENDPOINT_TYPE, DescribeClusterRequest(endpoint_type=3), 1),
    # AllocateProducerIds
    Case(DENIED_CLUSTER, AllocateProducerIdsRequest(1, 101), on=denied),
    Case(E.NOT_CONTROLLER, AllocateProducerIdsRequest(1, 101), on=standby),
    Case(E.STALE_BROKER_EPOCH, AllocateProducerIdsRequest(1, LONG_AGO)),
    Case(E.BROKER_ID_NOT_REGISTERED, AllocateProducerIdsRequest(9, 109)),
    # DescribeTopicPartitions
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, DescribeTopicPartitionsRequest((TopicRequest("nowhere"),))),
    Case(E.INVALID_TOPIC_EXCEPTION, DescribeTopicPartitionsRequest((TopicRequest("no name"),))),
    Case(DENIED_TOPIC, DescribeTopicPartitionsRequest((TopicRequest("t"),)), on=denied),
    Case(E.INVALID_REQUEST, DescribeTopicPartitionsRequest(
        (TopicRequest("t"),), cursor=Cursor("t", -1)
    )),
    # ReplicaStatus
    Case(DENIED_CLUSTER, status_of("t", 0, 1), on=denied),
    Case(E.NOT_CONTROLLER, status_of("t", 0, 1), on=standby),
    Case(E.INVALID_TOPIC_EXCEPTION, status_of("nowhere", 0, 1)),
    Case(E.INVALID_PARTITIONS, status_of("t", 99, 1)),
    Case(E.UNKNOWN_MEMBER_ID, status_of("t", 0, 99)),
    Case(E.UNKNOWN_TOPIC_OR_PARTITION, status_of("unled", 0, 3), state=cluster(
        (1, 2, 3), topic("unled", {0: partition((1, 2), isr=(1,))})
    )),
    Case(E.NOT_LEADER_OR_FOLLOWER, status_of("t", 0, 1)),
    # AssignPartitions
    Case(DENIED_CLUSTER, assigned("t", 1), on=denied),
    Case(E.NOT_CONTROLLER, assigned("t", 1), on=standby),
    Case(E.INVALID_TOPIC_EXCEPTION, assigned("nowhere", 1), state=RESTING),
    Case(E.INVALID_PARTITIONS, assigned("t", 1, number=9), state=RESTING),
    Case(E.UNKNOWN_MEMBER_ID, assigned("t", 9), state=RESTING),
    Case(E.INVALID_REPLICA_ASSIGNMENT, assigned("t", 1, 1), state=RESTING),
    Case(E.REASSIGNMENT_IN_PROGRESS, assigned("t", 1), state=cluster(
        (1, 2), topic("t", {0: partition((2, 1), (2,), (1,))})
    )),
    Case(E.INVALID_REQUEST, assigned("t", 2), state=RESTING, settings=Settings(packet_limit=100)),
    Case(E.REQUEST_TIMED_OUT, assigned("t", 1), on=honouring, late=True),
    # PartitionAssignmentStatus
    Case(DENIED_CLUSTER, PartitionAssignmentStatusRequest(1), on=denied),
    Case(E.INVALID_REQUEST, PartitionAssignmentStatusRequest(1)),
    Case(E.INVALID_REQUEST, PartitionAssignmentStatusRequest()),
    # DescribeReassignments
    Case(DENIED_CLUSTER, DescribeReassignmentsRequest(), on=denied),
    Case(E.NOT_CONTROLLER, DescribeReassignmentsRequest(), on=standby),
    # ReportFetchProgress
    Case(DENIED_CLUSTER, ReportFetchProgressRequest(1, 101), on=denied),
    Case(E.NOT_CONTROLLER, ReportFetchProgressRequest(1, 101), on=standby),
    Case(E.STALE_BROKER_EPOCH, ReportFetchProgressRequest(1, LONG_AGO)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_code_is_reached(case: Case) -> None:
    kind = type(case.request)
    version = registry.request(kind.api_key).versions[-1] if case.version is None else case.version
    on = case.on(context(case.state))
    outcome = HANDLERS[kind.api_key].handle(on, case.request, version)
    response = on_the_wire(_carried_out(case, on, outcome), version)
    assert set(_codes(response)) == {case.code}


def _carried_out(case: Case, on: Context, outcome: Outcome) -> Message:
    if not isinstance(outcome, Submit):
        return Znodes(dict(STORED)).answer(outcome)
    book = Ledger(replace(case.state, deleting={}), case.settings)
    book.state = case.state
    book.turn(*outcome.events)
    results = [book.results[n + 1][0] for n in range(len(outcome.events)) if n + 1 in book.results]
    if case.late or len(results) < len(outcome.events):
        assert outcome.timeout is not None
        return outcome.timeout.response(on)
    made = outcome.respond(results)
    assert isinstance(made, Message)
    return made


def _codes(thing: object) -> Iterator[int]:
    """Every error in a response, however deep; success is none."""
    if isinstance(thing, tuple):
        for item in thing:
            yield from _codes(item)
    elif is_dataclass(thing):
        for each in fields(thing):
            value = getattr(thing, each.name)
            if each.name == "error_code" and value:
                yield value
            yield from _codes(value)


def test_no_key_is_forgotten() -> None:
    """18 fails by its version alone; 17, 36, 50, 51 and 29 to 31 have tables of their own."""
    tried = {type(case.request).api_key for case in CASES}
    assert tried == HANDLERS.keys() - {17, 18, 29, 30, 31, 36, 50, 51}


#: What each key can say beside success, by the texts of the proposals and by Kafka.
EXPECTED: Mapping[int, set[int]] = {
    34: {17, 31, 57},
    35: {31},
    43: {3, 7, 17, 31, 41, 42, 80, 83, 84},
    45: {3, 7, 31, 38, 39, 41, 85},
    46: {31, 41},
    17900: {7, 17, 25, 31, 37, 39, 41, 42, 60},
    17901: {31, 42},
    17902: {7, 17, 25, 31, 37, 38, 39, 41, 42, 60},
    75: {3, 17, 29, 42},
    17903: {3, 6, 17, 25, 31, 37, 41},
    17904: {31, 41},
    17905: {31, 41, 77},
}


@pytest.mark.parametrize("key", EXPECTED)
def test_all_codes_of_a_key_are_tried(key: int) -> None:
    assert {case.code for case in CASES if type(case.request).api_key == key} == EXPECTED[key]
