"""What a survey begins with: the lists, and the znodes that were named."""

from klamm.controller.core.model import TopicPartition
from klamm.controller.node.hint_readings import FIRST_READ as HINTS_READ
from klamm.controller.node.stale import Stale
from klamm.controller.node.status_readings import FIRST_READS as STATUS_READS
from klamm.controller.store.port import Read, ReadChildren, ReadData
from klamm.controller.znodes import paths


def first_round(stale: Stale) -> tuple[list[Read], list[TopicPartition]]:
    """Return what a survey reads first: znodes and lists, then states by partition."""
    reads: list[Read] = []
    if stale.counter:
        reads.append(ReadData(paths.KLAMM_COMMIT))
    if stale.cluster_config:
        reads.append(ReadData(paths.CLUSTER_CONFIG))
    if stale.nodes:
        reads.append(ReadChildren(paths.KLAMM_NODES))
    if stale.brokers:
        reads.append(ReadChildren(paths.BROKER_IDS))
    if stale.topic_list:
        reads.append(ReadChildren(paths.TOPICS))
    if stale.notifications:
        reads.append(ReadChildren(paths.ISR_CHANGES))
    if stale.deletions:
        # After the topics, so that none of them was made later than what is read here.
        reads.append(ReadChildren(paths.DELETE_TOPICS))
    if stale.log_dir_events:
        reads.append(ReadChildren(paths.LOG_DIR_EVENTS))
    if stale.ledger_list:
        reads.append(ReadChildren(paths.REPLICA_DELETIONS))
    reads.extend(ReadData(paths.replica_deletions(name)) for name in sorted(stale.ledgers))
    if stale.hint_list:
        reads.append(HINTS_READ)
    reads.extend(ReadData(paths.reassignment_steps(name)) for name in sorted(stale.hints))
    if stale.reassignments:
        reads.append(ReadData(paths.REASSIGN_PARTITIONS))
    if stale.status:
        reads.extend(STATUS_READS)
    if stale.election:
        reads.append(ReadData(paths.PREFERRED_REPLICA_ELECTION))
    for topic in sorted(stale.topics):
        reads.extend(topic_reads(topic))
    reads.extend(ReadData(path) for path in sorted(stale.configs))
    return reads, sorted(name for name in stale.states if name.topic not in stale.topics)


def topic_reads(topic: str) -> tuple[Read, Read]:
    """Return the reads of a topic: its assignment, and which partitions have znodes."""
    return ReadData(paths.topic(topic)), ReadChildren(paths.partitions(topic))
