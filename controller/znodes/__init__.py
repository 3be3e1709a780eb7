"""What stands in ZooKeeper: paths, and for each kind of znode its value, decoder and encoder.

Pure functions below everything else of the controller. A decoder takes what ZooKeeper returned
(None is null data) and the path, and gives a value or raises ZnodeError, whatever the bytes. An
encoder gives bytes that its decoder reads back as the same value. Values are frozen msgspec
Structs; `msgspec.structs.replace` makes changed copies.

    paths        where everything lives, what must exist beforehand
    topic        replicas of each partition, moves, topic id
    state        leader and ISR of a partition
    brokers      where brokers listen
    controller   who is in office, and the epoch
    admin        reassignments and elections ordered by znode, notices of brokers
    status       what requests that assign partitions have come to
    config       dynamic configs, their entities and change notices
    acl          access control lists and change notices
    cluster      cluster id, producer ids, features
    klamm        our own
    text, parsing, errors   what these share
"""

from klamm.controller.znodes import paths
from klamm.controller.znodes.acl import (
    ACL_PATHS,
    RESOURCE_TYPES,
    Acl,
    AclZnode,
    ResourcePattern,
    decode_acl_change,
    decode_acls,
    encode_acl_change,
    encode_acls,
    pattern_at,
    unstorable,
)
from klamm.controller.znodes.admin import (
    LogDirEvent,
    PartitionsZnode,
    Reassignment,
    ReassignPartitionsZnode,
    Rejection,
    TopicPartition,
    decode_log_dir_event,
    decode_partitions,
    decode_reassign_partitions,
    encode_log_dir_event,
    encode_partitions,
    encode_reassign_partitions,
)
from klamm.controller.znodes.brokers import BrokerZnode, Endpoint, decode_broker, encode_broker
from klamm.controller.znodes.cluster import (
    FeatureZnode,
    ProducerIdBlock,
    decode_cluster_id,
    decode_feature,
    decode_producer_id_block,
    encode_cluster_id,
    encode_feature,
    encode_producer_id_block,
)
from klamm.controller.znodes.config import (
    ConfigEntity,
    ConfigZnode,
    decode_config,
    decode_config_change,
    encode_config,
    encode_config_change,
    parse_entity_path,
)
from klamm.controller.znodes.controller import (
    ControllerZnode,
    decode_controller,
    decode_controller_epoch,
    encode_controller,
    encode_controller_epoch,
)
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import (
    CommitZnode,
    KlammNodeZnode,
    ReassignmentStep,
    decode_broker_lists,
    decode_commit,
    decode_klamm_node,
    decode_reassignment_steps,
    encode_broker_lists,
    encode_commit,
    encode_klamm_node,
    encode_reassignment_steps,
)
from klamm.controller.znodes.state import (
    NO_LEADER,
    RECOVERED,
    RECOVERING,
    StateZnode,
    decode_state,
    encode_state,
)
from klamm.controller.znodes.text import decode_uuid, encode_uuid
from klamm.controller.znodes.topic import (
    VERSION,
    VERSION_WITH_TOPIC_ID,
    TopicZnode,
    decode_topic,
    encode_topic,
)

__all__ = [
    "ACL_PATHS",
    "NO_LEADER",
    "RECOVERED",
    "RECOVERING",
    "RESOURCE_TYPES",
    "VERSION",
    "VERSION_WITH_TOPIC_ID",
    "Acl",
    "AclZnode",
    "BrokerZnode",
    "CommitZnode",
    "ConfigEntity",
    "ConfigZnode",
    "ControllerZnode",
    "Endpoint",
    "FeatureZnode",
    "KlammNodeZnode",
    "LogDirEvent",
    "PartitionsZnode",
    "ProducerIdBlock",
    "ReassignPartitionsZnode",
    "Reassignment",
    "ReassignmentStep",
    "Rejection",
    "ResourcePattern",
    "StateZnode",
    "TopicPartition",
    "TopicZnode",
    "ZnodeError",
    "decode_acl_change",
    "decode_acls",
    "decode_broker",
    "decode_broker_lists",
    "decode_cluster_id",
    "decode_commit",
    "decode_config",
    "decode_config_change",
    "decode_controller",
    "decode_controller_epoch",
    "decode_feature",
    "decode_klamm_node",
    "decode_log_dir_event",
    "decode_partitions",
    "decode_producer_id_block",
    "decode_reassign_partitions",
    "decode_reassignment_steps",
    "decode_state",
    "decode_topic",
    "decode_uuid",
    "encode_acl_change",
    "encode_acls",
    "encode_broker",
    "encode_broker_lists",
    "encode_cluster_id",
    "encode_commit",
    "encode_config",
    "encode_config_change",
    "encode_controller",
    "encode_controller_epoch",
    "encode_feature",
    "encode_klamm_node",
    "encode_log_dir_event",
    "encode_partitions",
    "encode_producer_id_block",
    "encode_reassign_partitions",
    "encode_reassignment_steps",
    "encode_state",
    "encode_topic",
    "encode_uuid",
    "parse_entity_path",
    "paths",
    "pattern_at",
    "unstorable",
]
