"""Kafka's admin client for Python, as far as moving replicas takes it: `Admin`.

Works with every cluster from Kafka 2.4 on, with ZooKeeper or KRaft, and with klamm's own.
"""

from klamm.controller.security.acls import AclBinding as AclBinding
from klamm.controller.security.acls import AclFilter as AclFilter
from klamm.tools.admin import errors as errors
from klamm.tools.admin.alter_topics import AlteredTopic as AlteredTopic
from klamm.tools.admin.alter_topics import AlterTopicsResult as AlterTopicsResult
from klamm.tools.admin.assign_partitions import AssignPartitionsResult as AssignPartitionsResult
from klamm.tools.admin.assignment_status import (
    PartitionAssignmentStatusResult as PartitionAssignmentStatusResult,
)
from klamm.tools.admin.assignment_status import PartitionReplica as PartitionReplica
from klamm.tools.admin.assignment_status import Progress as Progress
from klamm.tools.admin.client import Admin as Admin
from klamm.tools.admin.cluster import BrokerDescription as BrokerDescription
from klamm.tools.admin.cluster import ClusterDescription as ClusterDescription
from klamm.tools.admin.configs import AlterConfigOp as AlterConfigOp
from klamm.tools.admin.configs import ConfigEntry as ConfigEntry
from klamm.tools.admin.configs import ConfigSource as ConfigSource
from klamm.tools.admin.configs import ConfigSynonym as ConfigSynonym
from klamm.tools.admin.configs import OpType as OpType
from klamm.tools.admin.elections import ElectionType as ElectionType
from klamm.tools.admin.links import Record as Record
from klamm.tools.admin.log_dirs import LogDir as LogDir
from klamm.tools.admin.log_dirs import LogDirReplica as LogDirReplica
from klamm.tools.admin.names import EVERYTHING as EVERYTHING
from klamm.tools.admin.names import ConfigResource as ConfigResource
from klamm.tools.admin.names import Everything as Everything
from klamm.tools.admin.names import ResourceType as ResourceType
from klamm.tools.admin.names import TopicPartition as TopicPartition
from klamm.tools.admin.names import TopicPartitionReplica as TopicPartitionReplica
from klamm.tools.admin.offsets import EARLIEST as EARLIEST
from klamm.tools.admin.offsets import LATEST as LATEST
from klamm.tools.admin.offsets import PartitionOffset as PartitionOffset
from klamm.tools.admin.properties import AdminOptions as AdminOptions
from klamm.tools.admin.properties import OptionError as OptionError
from klamm.tools.admin.reassignments import BatchEntry as BatchEntry
from klamm.tools.admin.reassignments import PartitionReassignment as PartitionReassignment
from klamm.tools.admin.reassignments import ReassignmentDetails as ReassignmentDetails
from klamm.tools.admin.reassignments import StepDetails as StepDetails
from klamm.tools.admin.replica_status import ReplicaStatus as ReplicaStatus
from klamm.tools.admin.results import Results as Results
from klamm.tools.admin.scram import ScramCredentialInfo as ScramCredentialInfo
from klamm.tools.admin.scram import ScramDeletion as ScramDeletion
from klamm.tools.admin.scram import ScramMechanism as ScramMechanism
from klamm.tools.admin.scram import ScramUpsertion as ScramUpsertion
from klamm.tools.admin.topic_descriptions import PartitionDescription as PartitionDescription
from klamm.tools.admin.topic_descriptions import TopicDescription as TopicDescription
from klamm.tools.admin.topics import NewPartitions as NewPartitions
from klamm.tools.admin.topics import NewTopic as NewTopic
