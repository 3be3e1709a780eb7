"""Where everything lives. Paths are relative to the chroot of `zookeeper.connect`.

Kafka's places are those of kafka.zk.ZkData in 3.9.
"""

from typing import Final

from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import INT32_MAX
from klamm.controller.znodes.text import decode_int

CONTROLLER: Final = "/controller"
CONTROLLER_EPOCH: Final = "/controller_epoch"
CLUSTER_ID: Final = "/cluster/id"
FEATURE: Final = "/feature"
PRODUCER_ID_BLOCK: Final = "/latest_producer_id_block"

BROKER_IDS: Final = "/brokers/ids"
BROKER_SEQUENCE: Final = "/brokers/seqid"
TOPICS: Final = "/brokers/topics"

DELETE_TOPICS: Final = "/admin/delete_topics"
PREFERRED_REPLICA_ELECTION: Final = "/admin/preferred_replica_election"
REASSIGN_PARTITIONS: Final = "/admin/reassign_partitions"
REASSIGN_STATUS: Final = "/admin/reassign_partitions_status"

ISR_CHANGES: Final = "/isr_change_notification"
ISR_CHANGE_PREFIX: Final = f"{ISR_CHANGES}/isr_change_"
LOG_DIR_EVENTS: Final = "/log_dir_event_notification"
LOG_DIR_EVENT_PREFIX: Final = f"{LOG_DIR_EVENTS}/log_dir_event_"

CONFIG: Final = "/config"
TOPIC_CONFIGS: Final = f"{CONFIG}/topics"
CLUSTER_CONFIG: Final = f"{CONFIG}/brokers/<default>"
CONFIG_CHANGES: Final = f"{CONFIG}/changes"
CONFIG_CHANGE_PREFIX: Final = f"{CONFIG_CHANGES}/config_change_"

ACLS: Final = "/kafka-acl"
ACL_CHANGES: Final = "/kafka-acl-changes"
ACL_CHANGE_PREFIX: Final = f"{ACL_CHANGES}/acl_changes_"
EXTENDED_ACLS: Final = "/kafka-acl-extended"
EXTENDED_ACL_CHANGES: Final = "/kafka-acl-extended-changes"
EXTENDED_ACL_CHANGE_PREFIX: Final = f"{EXTENDED_ACL_CHANGES}/acl_changes_"

KLAMM: Final = "/klamm"
KLAMM_NODES: Final = f"{KLAMM}/nodes"
KLAMM_COMMIT: Final = f"{KLAMM}/commit"
REPLICA_DELETIONS: Final = f"{KLAMM}/replica_deletions"
ORIGINAL_ORDER: Final = f"{KLAMM}/original_order"
REASSIGNMENT_STEPS: Final = f"{KLAMM}/reassignment_steps"

PERSISTENT_PATHS: Final = (
    "/consumers",
    "/brokers",
    BROKER_IDS,
    TOPICS,
    BROKER_SEQUENCE,
    CONFIG,
    CONFIG_CHANGES,
    TOPIC_CONFIGS,
    f"{CONFIG}/clients",
    f"{CONFIG}/users",
    f"{CONFIG}/brokers",
    f"{CONFIG}/ips",
    "/admin",
    DELETE_TOPICS,
    ISR_CHANGES,
    LOG_DIR_EVENTS,
    PRODUCER_ID_BLOCK,
)
"""What must exist before the first broker starts, parents first, all made with null data.

Null, never empty bytes: a broker below IBP 3.0 reads `/latest_producer_id_block` at its start and
dies of an empty one ("Expected JSON object").
"""

KLAMM_PATHS: Final = (
    KLAMM,
    KLAMM_NODES,
    REPLICA_DELETIONS,
    ORIGINAL_ORDER,
)
"""What klamm needs besides, parents first, all made with null data.

REASSIGNMENT_STEPS is there only while moves are limited (R435-45).
"""


def broker(broker_id: int) -> str:
    """Return the path of a broker's registration, an ephemeral node."""
    return f"{BROKER_IDS}/{broker_id}"


def broker_id(path: str) -> int:
    """Return the id in a path that `broker` or `klamm_node` made; raises ZnodeError."""
    number = decode_int(path.rpartition("/")[2], 0, INT32_MAX)
    if number is None:
        raise ZnodeError(path, "its name is not a broker id")
    return number


def topic(name: str) -> str:
    """Return the path of a topic's assignment."""
    return f"{TOPICS}/{name}"


def partitions(topic_name: str) -> str:
    """Return the path of the parent of a topic's partitions; it has null data."""
    return f"{TOPICS}/{topic_name}/partitions"


def partition(topic_name: str, number: int) -> str:
    """Return the path of the parent of a partition's state; it has null data."""
    return f"{TOPICS}/{topic_name}/partitions/{number}"


def state(topic_name: str, number: int) -> str:
    """Return the path of a partition's leader and ISR."""
    return f"{TOPICS}/{topic_name}/partitions/{number}/state"


def delete_topic(name: str) -> str:
    """Return the path whose existence, with null data, asks for a topic's deletion."""
    return f"{DELETE_TOPICS}/{name}"


def status_header(request_id: int) -> str:
    """Return the path of what is kept of a request that assigns partitions."""
    return f"{REASSIGN_STATUS}/{request_id}"


def status_chunk(request_id: int, number: int) -> str:
    """Return the path of a part of the replicas of such a request."""
    return f"{REASSIGN_STATUS}/{request_id}/{number}"


def klamm_node(node_id: int) -> str:
    """Return the path of a klamm node's registration, an ephemeral node."""
    return f"{KLAMM_NODES}/{node_id}"


def replica_deletions(topic_name: str) -> str:
    """Return the path of the replica deletions that a topic's former brokers still owe."""
    return f"{REPLICA_DELETIONS}/{topic_name}"


def original_order(topic_name: str) -> str:
    """Return the path of the replica orders from before a topic's moves."""
    return f"{ORIGINAL_ORDER}/{topic_name}"


def reassignment_steps(topic_name: str) -> str:
    """Return the path of the step hints of a topic's moves."""
    return f"{REASSIGNMENT_STEPS}/{topic_name}"
