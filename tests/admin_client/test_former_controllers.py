"""Every call that only the controller does goes on to the next one, wherever 41 stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from admin_client.scripted import SERVED, Answer, ScriptedCluster

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
)
from klamm.protocol.generated.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from klamm.protocol.generated.create_partitions_request import CreatePartitionsRequest
from klamm.protocol.generated.create_partitions_response import (
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from klamm.protocol.generated.create_topics_request import CreateTopicsRequest
from klamm.protocol.generated.create_topics_response import (
    CreatableTopicResult,
    CreateTopicsResponse,
)
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
from klamm.protocol.generated.delete_topics_response import (
    DeletableTopicResult,
    DeleteTopicsResponse,
)
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_reassignments_response import DescribeReassignmentsResponse
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest
from klamm.protocol.generated.elect_leaders_response import (
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.message import Message
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    ElectionType,
    NewPartitions,
    NewTopic,
    OpType,
    ResourceType,
    ScramDeletion,
    ScramMechanism,
    TopicPartition,
)

PATIENCE = 30.0
QUICK = {"retry.backoff.ms": "1", "retry.backoff.max.ms": "20"}
FOO = TopicPartition("foo", 0)
TOPIC = ConfigResource(ResourceType.TOPIC, "foo")

Call = Callable[[Admin], Any]
Respond = Callable[[int], Message]

CASES: dict[type[Message], tuple[Call, Respond]] = {
    AlterPartitionReassignmentsRequest: (
        lambda admin: admin.alter_partition_reassignments({FOO: (1,)}),
        lambda code: AlterPartitionReassignmentsResponse(
            error_code=code,
            responses=(ReassignableTopicResponse("foo", (ReassignablePartitionResponse(0),)),),
        ),
    ),
    AlterUserScramCredentialsRequest: (
        lambda admin: admin.alter_user_scram_credentials(
            [ScramDeletion("alice", ScramMechanism.SCRAM_SHA_256)]
        ),
        lambda code: AlterUserScramCredentialsResponse(
            0, (AlterUserScramCredentialsResult("alice", code),)
        ),
    ),
    CreatePartitionsRequest: (
        lambda admin: admin.create_partitions({"foo": NewPartitions(2)}),
        lambda code: CreatePartitionsResponse(0, (CreatePartitionsTopicResult("foo", code),)),
    ),
    CreateTopicsRequest: (
        lambda admin: admin.create_topics([NewTopic("foo")]),
        lambda code: CreateTopicsResponse(0, (CreatableTopicResult("foo", error_code=code),)),
    ),
    DeleteTopicsRequest: (
        lambda admin: admin.delete_topics(["foo"]),
        lambda code: DeleteTopicsResponse(0, (DeletableTopicResult("foo", error_code=code),)),
    ),
    DescribeReassignmentsRequest: (
        lambda admin: admin.describe_reassignments(),
        lambda code: DescribeReassignmentsResponse(error_code=code),
    ),
    ElectLeadersRequest: (
        lambda admin: admin.elect_leaders(ElectionType.UNCLEAN, [FOO]),
        lambda code: ElectLeadersResponse(
            0, 0, (ReplicaElectionResult("foo", (PartitionResult(0, code),)),)
        ),
    ),
    IncrementalAlterConfigsRequest: (
        lambda admin: admin.incremental_alter_configs(
            {TOPIC: [AlterConfigOp("retention.ms", OpType.DELETE)]}
        ),
        lambda code: IncrementalAlterConfigsResponse(
            0, (AlterConfigsResourceResponse(code, None, ResourceType.TOPIC, "foo"),)
        ),
    ),
}


@pytest.mark.parametrize("request_type", CASES, ids=lambda kind: kind.__name__)
def test_the_next_controller_is_asked(request_type: type[Message]) -> None:
    call, respond = CASES[request_type]
    with ScriptedCluster() as cluster:
        for node in cluster.ids:
            cluster.served[node] = {**SERVED, 51: range(1), 17904: range(1)}

        def answer(node: int, request: Message) -> Answer:
            cluster.controller = 2
            return respond(41 if node == 1 else 0)

        cluster.on(request_type, answer)
        with Admin.connect(cluster.bootstrap, QUICK) as admin:
            call(admin).result(PATIENCE)
        assert cluster.asked(request_type) == [1, 2]
