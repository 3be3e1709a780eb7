"""All generated messages, imported when they are first asked for.

Generated from schemas/ by klamm.tools.codegen; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from klamm.protocol.message import Api

if TYPE_CHECKING:
    from klamm.protocol.generated.allocate_producer_ids_request import AllocateProducerIdsRequest
    from klamm.protocol.generated.allocate_producer_ids_response import AllocateProducerIdsResponse
    from klamm.protocol.generated.alter_configs_request import AlterConfigsRequest
    from klamm.protocol.generated.alter_configs_response import AlterConfigsResponse
    from klamm.protocol.generated.alter_partition_reassignments_request import (
        AlterPartitionReassignmentsRequest,
    )
    from klamm.protocol.generated.alter_partition_reassignments_response import (
        AlterPartitionReassignmentsResponse,
    )
    from klamm.protocol.generated.alter_partition_request import AlterPartitionRequest
    from klamm.protocol.generated.alter_partition_response import AlterPartitionResponse
    from klamm.protocol.generated.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
    from klamm.protocol.generated.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
    from klamm.protocol.generated.alter_topics_request import AlterTopicsRequest
    from klamm.protocol.generated.alter_topics_response import AlterTopicsResponse
    from klamm.protocol.generated.alter_user_scram_credentials_request import (
        AlterUserScramCredentialsRequest,
    )
    from klamm.protocol.generated.alter_user_scram_credentials_response import (
        AlterUserScramCredentialsResponse,
    )
    from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
    from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
    from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
    from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
    from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
    from klamm.protocol.generated.controlled_shutdown_response import ControlledShutdownResponse
    from klamm.protocol.generated.create_acls_request import CreateAclsRequest
    from klamm.protocol.generated.create_acls_response import CreateAclsResponse
    from klamm.protocol.generated.create_partitions_request import CreatePartitionsRequest
    from klamm.protocol.generated.create_partitions_response import CreatePartitionsResponse
    from klamm.protocol.generated.create_topics_request import CreateTopicsRequest
    from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
    from klamm.protocol.generated.delete_acls_request import DeleteAclsRequest
    from klamm.protocol.generated.delete_acls_response import DeleteAclsResponse
    from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
    from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
    from klamm.protocol.generated.describe_acls_request import DescribeAclsRequest
    from klamm.protocol.generated.describe_acls_response import DescribeAclsResponse
    from klamm.protocol.generated.describe_cluster_request import DescribeClusterRequest
    from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
    from klamm.protocol.generated.describe_configs_request import DescribeConfigsRequest
    from klamm.protocol.generated.describe_configs_response import DescribeConfigsResponse
    from klamm.protocol.generated.describe_log_dirs_request import DescribeLogDirsRequest
    from klamm.protocol.generated.describe_log_dirs_response import DescribeLogDirsResponse
    from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
    from klamm.protocol.generated.describe_reassignments_response import (
        DescribeReassignmentsResponse,
    )
    from klamm.protocol.generated.describe_topic_partitions_request import (
        DescribeTopicPartitionsRequest,
    )
    from klamm.protocol.generated.describe_topic_partitions_response import (
        DescribeTopicPartitionsResponse,
    )
    from klamm.protocol.generated.describe_user_scram_credentials_request import (
        DescribeUserScramCredentialsRequest,
    )
    from klamm.protocol.generated.describe_user_scram_credentials_response import (
        DescribeUserScramCredentialsResponse,
    )
    from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest
    from klamm.protocol.generated.elect_leaders_response import ElectLeadersResponse
    from klamm.protocol.generated.find_coordinator_request import FindCoordinatorRequest
    from klamm.protocol.generated.find_coordinator_response import FindCoordinatorResponse
    from klamm.protocol.generated.incremental_alter_configs_request import (
        IncrementalAlterConfigsRequest,
    )
    from klamm.protocol.generated.incremental_alter_configs_response import (
        IncrementalAlterConfigsResponse,
    )
    from klamm.protocol.generated.init_producer_id_request import InitProducerIdRequest
    from klamm.protocol.generated.init_producer_id_response import InitProducerIdResponse
    from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
    from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
    from klamm.protocol.generated.list_offsets_request import ListOffsetsRequest
    from klamm.protocol.generated.list_offsets_response import ListOffsetsResponse
    from klamm.protocol.generated.list_partition_reassignments_request import (
        ListPartitionReassignmentsRequest,
    )
    from klamm.protocol.generated.list_partition_reassignments_response import (
        ListPartitionReassignmentsResponse,
    )
    from klamm.protocol.generated.metadata_request import MetadataRequest
    from klamm.protocol.generated.metadata_response import MetadataResponse
    from klamm.protocol.generated.partition_assignment_status_request import (
        PartitionAssignmentStatusRequest,
    )
    from klamm.protocol.generated.partition_assignment_status_response import (
        PartitionAssignmentStatusResponse,
    )
    from klamm.protocol.generated.produce_request import ProduceRequest
    from klamm.protocol.generated.produce_response import ProduceResponse
    from klamm.protocol.generated.replica_status_request import ReplicaStatusRequest
    from klamm.protocol.generated.replica_status_response import ReplicaStatusResponse
    from klamm.protocol.generated.report_fetch_progress_request import ReportFetchProgressRequest
    from klamm.protocol.generated.report_fetch_progress_response import ReportFetchProgressResponse
    from klamm.protocol.generated.request_header import RequestHeader
    from klamm.protocol.generated.response_header import ResponseHeader
    from klamm.protocol.generated.sasl_authenticate_request import SaslAuthenticateRequest
    from klamm.protocol.generated.sasl_authenticate_response import SaslAuthenticateResponse
    from klamm.protocol.generated.sasl_handshake_request import SaslHandshakeRequest
    from klamm.protocol.generated.sasl_handshake_response import SaslHandshakeResponse
    from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
    from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
    from klamm.protocol.generated.update_features_request import UpdateFeaturesRequest
    from klamm.protocol.generated.update_features_response import UpdateFeaturesResponse
    from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
    from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse

__all__ = [
    "APIS",
    "MODULES",
    "AllocateProducerIdsRequest",
    "AllocateProducerIdsResponse",
    "AlterConfigsRequest",
    "AlterConfigsResponse",
    "AlterPartitionReassignmentsRequest",
    "AlterPartitionReassignmentsResponse",
    "AlterPartitionRequest",
    "AlterPartitionResponse",
    "AlterReplicaLogDirsRequest",
    "AlterReplicaLogDirsResponse",
    "AlterTopicsRequest",
    "AlterTopicsResponse",
    "AlterUserScramCredentialsRequest",
    "AlterUserScramCredentialsResponse",
    "ApiVersionsRequest",
    "ApiVersionsResponse",
    "AssignPartitionsRequest",
    "AssignPartitionsResponse",
    "ControlledShutdownRequest",
    "ControlledShutdownResponse",
    "CreateAclsRequest",
    "CreateAclsResponse",
    "CreatePartitionsRequest",
    "CreatePartitionsResponse",
    "CreateTopicsRequest",
    "CreateTopicsResponse",
    "DeleteAclsRequest",
    "DeleteAclsResponse",
    "DeleteTopicsRequest",
    "DeleteTopicsResponse",
    "DescribeAclsRequest",
    "DescribeAclsResponse",
    "DescribeClusterRequest",
    "DescribeClusterResponse",
    "DescribeConfigsRequest",
    "DescribeConfigsResponse",
    "DescribeLogDirsRequest",
    "DescribeLogDirsResponse",
    "DescribeReassignmentsRequest",
    "DescribeReassignmentsResponse",
    "DescribeTopicPartitionsRequest",
    "DescribeTopicPartitionsResponse",
    "DescribeUserScramCredentialsRequest",
    "DescribeUserScramCredentialsResponse",
    "ElectLeadersRequest",
    "ElectLeadersResponse",
    "FindCoordinatorRequest",
    "FindCoordinatorResponse",
    "IncrementalAlterConfigsRequest",
    "IncrementalAlterConfigsResponse",
    "InitProducerIdRequest",
    "InitProducerIdResponse",
    "LeaderAndIsrRequest",
    "LeaderAndIsrResponse",
    "ListOffsetsRequest",
    "ListOffsetsResponse",
    "ListPartitionReassignmentsRequest",
    "ListPartitionReassignmentsResponse",
    "MetadataRequest",
    "MetadataResponse",
    "PartitionAssignmentStatusRequest",
    "PartitionAssignmentStatusResponse",
    "ProduceRequest",
    "ProduceResponse",
    "ReplicaStatusRequest",
    "ReplicaStatusResponse",
    "ReportFetchProgressRequest",
    "ReportFetchProgressResponse",
    "RequestHeader",
    "ResponseHeader",
    "SaslAuthenticateRequest",
    "SaslAuthenticateResponse",
    "SaslHandshakeRequest",
    "SaslHandshakeResponse",
    "StopReplicaRequest",
    "StopReplicaResponse",
    "UpdateFeaturesRequest",
    "UpdateFeaturesResponse",
    "UpdateMetadataRequest",
    "UpdateMetadataResponse",
]

APIS: Final[Mapping[int, Api]] = {
    0: Api("Produce", range(12), 9, range(12)),
    2: Api("ListOffsets", range(10), 6, range(10)),
    3: Api("Metadata", range(14), 9, range(13)),
    4: Api("LeaderAndIsr", range(8), 4, range(8)),
    5: Api("StopReplica", range(5), 2, range(5)),
    6: Api("UpdateMetadata", range(9), 6, range(9)),
    7: Api("ControlledShutdown", range(4), 3, range(4)),
    10: Api("FindCoordinator", range(7), 3, range(7)),
    17: Api("SaslHandshake", range(2), None, range(2)),
    18: Api("ApiVersions", range(5), 3, range(5)),
    19: Api("CreateTopics", range(8), 5, range(8)),
    20: Api("DeleteTopics", range(7), 4, range(7)),
    22: Api("InitProducerId", range(6), 2, range(6)),
    29: Api("DescribeAcls", range(4), 2, range(4)),
    30: Api("CreateAcls", range(4), 2, range(4)),
    31: Api("DeleteAcls", range(4), 2, range(4)),
    32: Api("DescribeConfigs", range(5), 4, range(5)),
    33: Api("AlterConfigs", range(3), 2, range(3)),
    34: Api("AlterReplicaLogDirs", range(3), 2, range(3)),
    35: Api("DescribeLogDirs", range(5), 2, range(5)),
    36: Api("SaslAuthenticate", range(3), 2, range(3)),
    37: Api("CreatePartitions", range(4), 2, range(4)),
    43: Api("ElectLeaders", range(3), 2, range(3)),
    44: Api("IncrementalAlterConfigs", range(2), 1, range(2)),
    45: Api("AlterPartitionReassignments", range(2), 0, range(1)),
    46: Api("ListPartitionReassignments", range(2), 0, range(1)),
    50: Api("DescribeUserScramCredentials", range(1), 0, range(1)),
    51: Api("AlterUserScramCredentials", range(1), 0, range(1)),
    56: Api("AlterPartition", range(4), 0, range(4)),
    57: Api("UpdateFeatures", range(2), 0, range(2)),
    60: Api("DescribeCluster", range(3), 0, range(2)),
    67: Api("AllocateProducerIds", range(1), 0, range(1)),
    75: Api("DescribeTopicPartitions", range(1), 0, range(1)),
    17900: Api("AssignPartitions", range(1), 0, None),
    17901: Api("PartitionAssignmentStatus", range(1), 0, None),
    17902: Api("AlterTopics", range(1), 0, None),
    17903: Api("ReplicaStatus", range(1), 0, None),
    17904: Api("DescribeReassignments", range(2), 0, None),
    17905: Api("ReportFetchProgress", range(1), 0, None),
}
"""What there is, by API key."""

MODULES: Final[Mapping[str, str]] = {
    "AllocateProducerIdsRequest": "allocate_producer_ids_request",
    "AllocateProducerIdsResponse": "allocate_producer_ids_response",
    "AlterConfigsRequest": "alter_configs_request",
    "AlterConfigsResponse": "alter_configs_response",
    "AlterPartitionReassignmentsRequest": "alter_partition_reassignments_request",
    "AlterPartitionReassignmentsResponse": "alter_partition_reassignments_response",
    "AlterPartitionRequest": "alter_partition_request",
    "AlterPartitionResponse": "alter_partition_response",
    "AlterReplicaLogDirsRequest": "alter_replica_log_dirs_request",
    "AlterReplicaLogDirsResponse": "alter_replica_log_dirs_response",
    "AlterTopicsRequest": "alter_topics_request",
    "AlterTopicsResponse": "alter_topics_response",
    "AlterUserScramCredentialsRequest": "alter_user_scram_credentials_request",
    "AlterUserScramCredentialsResponse": "alter_user_scram_credentials_response",
    "ApiVersionsRequest": "api_versions_request",
    "ApiVersionsResponse": "api_versions_response",
    "AssignPartitionsRequest": "assign_partitions_request",
    "AssignPartitionsResponse": "assign_partitions_response",
    "ControlledShutdownRequest": "controlled_shutdown_request",
    "ControlledShutdownResponse": "controlled_shutdown_response",
    "CreateAclsRequest": "create_acls_request",
    "CreateAclsResponse": "create_acls_response",
    "CreatePartitionsRequest": "create_partitions_request",
    "CreatePartitionsResponse": "create_partitions_response",
    "CreateTopicsRequest": "create_topics_request",
    "CreateTopicsResponse": "create_topics_response",
    "DeleteAclsRequest": "delete_acls_request",
    "DeleteAclsResponse": "delete_acls_response",
    "DeleteTopicsRequest": "delete_topics_request",
    "DeleteTopicsResponse": "delete_topics_response",
    "DescribeAclsRequest": "describe_acls_request",
    "DescribeAclsResponse": "describe_acls_response",
    "DescribeClusterRequest": "describe_cluster_request",
    "DescribeClusterResponse": "describe_cluster_response",
    "DescribeConfigsRequest": "describe_configs_request",
    "DescribeConfigsResponse": "describe_configs_response",
    "DescribeLogDirsRequest": "describe_log_dirs_request",
    "DescribeLogDirsResponse": "describe_log_dirs_response",
    "DescribeReassignmentsRequest": "describe_reassignments_request",
    "DescribeReassignmentsResponse": "describe_reassignments_response",
    "DescribeTopicPartitionsRequest": "describe_topic_partitions_request",
    "DescribeTopicPartitionsResponse": "describe_topic_partitions_response",
    "DescribeUserScramCredentialsRequest": "describe_user_scram_credentials_request",
    "DescribeUserScramCredentialsResponse": "describe_user_scram_credentials_response",
    "ElectLeadersRequest": "elect_leaders_request",
    "ElectLeadersResponse": "elect_leaders_response",
    "FindCoordinatorRequest": "find_coordinator_request",
    "FindCoordinatorResponse": "find_coordinator_response",
    "IncrementalAlterConfigsRequest": "incremental_alter_configs_request",
    "IncrementalAlterConfigsResponse": "incremental_alter_configs_response",
    "InitProducerIdRequest": "init_producer_id_request",
    "InitProducerIdResponse": "init_producer_id_response",
    "LeaderAndIsrRequest": "leader_and_isr_request",
    "LeaderAndIsrResponse": "leader_and_isr_response",
    "ListOffsetsRequest": "list_offsets_request",
    "ListOffsetsResponse": "list_offsets_response",
    "ListPartitionReassignmentsRequest": "list_partition_reassignments_request",
    "ListPartitionReassignmentsResponse": "list_partition_reassignments_response",
    "MetadataRequest": "metadata_request",
    "MetadataResponse": "metadata_response",
    "PartitionAssignmentStatusRequest": "partition_assignment_status_request",
    "PartitionAssignmentStatusResponse": "partition_assignment_status_response",
    "ProduceRequest": "produce_request",
    "ProduceResponse": "produce_response",
    "ReplicaStatusRequest": "replica_status_request",
    "ReplicaStatusResponse": "replica_status_response",
    "ReportFetchProgressRequest": "report_fetch_progress_request",
    "ReportFetchProgressResponse": "report_fetch_progress_response",
    "RequestHeader": "request_header",
    "ResponseHeader": "response_header",
    "SaslAuthenticateRequest": "sasl_authenticate_request",
    "SaslAuthenticateResponse": "sasl_authenticate_response",
    "SaslHandshakeRequest": "sasl_handshake_request",
    "SaslHandshakeResponse": "sasl_handshake_response",
    "StopReplicaRequest": "stop_replica_request",
    "StopReplicaResponse": "stop_replica_response",
    "UpdateFeaturesRequest": "update_features_request",
    "UpdateFeaturesResponse": "update_features_response",
    "UpdateMetadataRequest": "update_metadata_request",
    "UpdateMetadataResponse": "update_metadata_response",
}
"""The module of each message class."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any message class
    module = MODULES.get(name)
    if module is None:
        raise AttributeError(f"{__name__} has no message {name}")
    return getattr(import_module(f"{__name__}.{module}"), name)
