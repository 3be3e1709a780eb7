"""A node that asks an authorizer: at its start, of each request, and of what it passes on."""

import logging

import pytest
import trio
from handlers.worlds import NODE, broker, cluster, partition, topic
from runtime.service_fakes import FakeConnection, FakeNode

from klamm.controller.core.ops import Create
from klamm.controller.core.origins import FromClient
from klamm.controller.handlers.table import advertised
from klamm.controller.node.outlook import View
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import Running, run_controller
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.forwarding import Forwarder
from klamm.controller.runtime.memory import MemoryService
from klamm.controller.runtime.permissions import read_permissions
from klamm.controller.runtime.service import Service
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
from klamm.controller.znodes import ACL_PATHS
from klamm.protocol.connection import Request
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_topics_request import AlteredTopic, AlterTopicsRequest
from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

ALICE = Client(user("alice"), "10.0.0.7", "PLAINTEXT")
BOB = Client(user("bob"), "10.0.0.8", "PLAINTEXT")
PEER = "10.0.0.7:40000"
STATE = cluster(topic("t", {0: partition((1, 2))}), topic("u", {0: partition((1,))}))
ALTER = AlterPartitionReassignmentsRequest(
    topics=(ReassignableTopic("t", (ReassignablePartition(0, (3,)),)),)
)
DENIED = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
CLUSTER = ResourcePattern(ResourceType.CLUSTER, CLUSTER_NAME)


def allowing(operation: Operation, pattern: ResourcePattern = CLUSTER) -> AclAuthorizer:
    rule = AccessRule("User:alice", "*", operation, Permission.ALLOW)
    return AclAuthorizer(lists={pattern: frozenset({rule})})


class ForwarderThatNotes(Forwarder):
    """Passes nothing on, and notes what it would have."""

    def __init__(self) -> None:
        super().__init__()
        self.passed_on: list[Message] = []

    def forward(
        self,
        to: object,
        client_id: object,
        body: Message,
        on_answer: object,
        version: int = 0,
    ) -> None:
        self.passed_on.append(body)


class World:
    def __init__(self, authorizer: AclAuthorizer, *, active: bool = True) -> None:
        self.authorizer = authorizer
        self.node = FakeNode(STATE if active else None, view=View(1, 1, STATE), loading=1)
        self.submitted: list[object] = []
        self.notes: list[tuple[str, FromClient]] = []
        self.forwarder = ForwarderThatNotes()
        self.heard: list[int] = []
        self.service = Service(
            self.node,
            lambda events, reply, origin: self.submitted.append((events, origin)),
            lambda transactions, reply, origin: self.submitted.append((transactions, origin)),
            broker(NODE),
            cluster_id="c",
            listener="PLAINTEXT",
            table=advertised(),
            forwarder=self.forwarder,
            hear=self.heard.append,
            authorizer=lambda: self.authorizer,
            note=lambda text, origin: self.notes.append((text, origin)),
        )

    def ask(self, body: Message, version: int, client: Client = ALICE) -> FakeConnection:
        connection = FakeConnection(PEER, client)
        header = RequestHeader(body.api_key, version, 5, "me")
        self.service.dispatch(Exchange(connection, Request(0, header, body, 20)))
        return connection

    def topics(self, client: Client) -> list[str | None]:
        [response] = self.ask(MetadataRequest(topics=None), 12, client).responses
        assert isinstance(response, MetadataResponse)
        return [each.name for each in response.topics]


def test_one_is_not_given_the_answer_that_is_remembered_for_another() -> None:
    world = World(allowing(Operation.DESCRIBE, ResourcePattern(ResourceType.TOPIC, "t")))
    for _ in range(2):
        assert world.topics(ALICE) == ["t"]
        assert world.topics(BOB) == []
    world.authorizer = world.authorizer.updated(
        allowing(Operation.READ, ResourcePattern(ResourceType.TOPIC, "u")).lists
    )
    assert world.topics(ALICE) == ["t", "u"], "a right counts from when it is known"


@pytest.mark.parametrize("kind", [LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest])
def test_only_a_controller_that_may_act_is_obeyed(kind: type[Message]) -> None:
    request = kind()
    [refused] = World(allowing(Operation.ALTER)).ask(request, 2).responses
    assert getattr(refused, "error_code", None) == DENIED
    world = World(allowing(Operation.CLUSTER_ACTION), active=False)
    [answered] = world.ask(request, 2).responses
    assert getattr(answered, "error_code", None) != DENIED


def test_who_is_refused_is_not_heard() -> None:
    request = UpdateMetadataRequest(controller_id=1, controller_epoch=9)
    world = World(AclAuthorizer(), active=False)
    world.ask(request, 6)
    assert world.heard == []
    world.authorizer = allowing(Operation.CLUSTER_ACTION)
    world.ask(request, 6)
    assert world.heard == [9]


@pytest.mark.parametrize(
    "request_, needed",
    [
        (ALTER, Operation.ALTER),
        (ListPartitionReassignmentsRequest(topics=None), Operation.DESCRIBE),
        (AlterTopicsRequest(topics=(AlteredTopic("t", 4),)), Operation.CLUSTER_ACTION),
        (AssignPartitionsRequest(), Operation.CLUSTER_ACTION),
    ],
    ids=["45", "46", "17902", "17900"],
)
def test_only_what_a_client_may_do_itself_is_passed_on(
    request_: Message, needed: Operation
) -> None:
    world = World(AclAuthorizer(), active=False)
    other = Operation.ALTER if needed is Operation.CLUSTER_ACTION else Operation.CLUSTER_ACTION
    for authorizer in (AclAuthorizer(), allowing(other)):
        world.authorizer = authorizer
        [refused] = world.ask(request_, 0).responses
        assert getattr(refused, "error_code", None) == DENIED
        assert world.forwarder.passed_on == []
    world.authorizer = allowing(needed)
    assert world.ask(request_, 0).responses == [], "the controller answers"
    assert world.forwarder.passed_on == [request_]


def test_what_alters_something_is_audited_with_who_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "klamm.audit")
    world = World(AclAuthorizer())
    world.ask(ALTER, 0)
    assert world.submitted == [], "nothing is done"
    [(line, origin)] = world.notes
    assert line == (
        "User:alice from 10.0.0.7:40000, client me: AlterPartitionReassignments: t-0 to 3:"
        " CLUSTER_AUTHORIZATION_FAILED 2"
    )
    assert (origin.principal, origin.peer, origin.api_key) == ("User:alice", PEER, 45)
    assert [each.message for each in caplog.records if each.name == "klamm.audit"] == [line]
    world.topics(ALICE)
    assert len(world.notes) == 1, "to look is not to alter"


# --- the start ---------------------------------------------------------------------------------

LIST = (
    b'{"version":1,"acls":[{"principal":"User:alice","permissionType":"Allow",'
    b'"operation":"Alter","host":"*"}]}'
)


@pytest.fixture
async def zookeeper(nursery: trio.Nursery) -> MemoryService:
    service = MemoryService()
    await nursery.start(service.run)
    return service


async def test_the_parents_of_lists_are_made_where_there_are_none(
    zookeeper: MemoryService,
) -> None:
    with trio.fail_after(10):
        for _ in range(2):
            assert await read_permissions(AclAuthorizer(), zookeeper.open) == AclAuthorizer()
    for path in ACL_PATHS:
        assert zookeeper.zookeeper.tree.nodes[path].data is None


async def test_a_node_decides_by_the_lists_from_the_beginning(
    zookeeper: MemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    zookeeper.zookeeper.write([Create(path, None) for path in ACL_PATHS])
    zookeeper.zookeeper.write([Create("/kafka-acl/Cluster/kafka-cluster", LIST)])
    zookeeper.zookeeper.write([Create("/kafka-acl-extended/prefixed/Topic/x", b"{")])
    config = ControllerConfig(7, "unused", authorizer=AclAuthorizer())
    with trio.fail_after(10):
        async with trio.open_nursery() as running:
            found: Running = await running.start(run_controller, config, zookeeper.open)
            authorizer = found.node.authorizer
            running.cancel_scope.cancel()
    assert authorizer.allows(ALICE, Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)
    assert not authorizer.allows(BOB, Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME)
    assert any("/kafka-acl-extended/prefixed/Topic/x" in text for text in caplog.messages)
