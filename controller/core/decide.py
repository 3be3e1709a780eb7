"""decide: the one door to all decisions. Pure; the same input gives the same Plan."""

from collections.abc import Callable, Iterable
from typing import Any

from klamm.controller.core import (
    creation,
    deletion,
    deletion_queue,
    facts,
    growth,
    isr,
    moves,
    preferred,
    removal,
    shutdown,
)
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    BrokersRead,
    Cause,
    CheckDeletion,
    CheckPartition,
    ConfigRead,
    CounterRead,
    CreatePartitions,
    CreateTopic,
    DeleteTopic,
    DeletionsRead,
    ElectPreferred,
    FaultFound,
    LeaderAcknowledged,
    LeaderFailed,
    NodesRead,
    NotificationsRead,
    RemoveZnode,
    ReplicasDeleted,
    ShutDownBroker,
    StateRead,
    SubtreeRead,
    TopicRead,
)
from klamm.controller.core.model import ClusterState
from klamm.controller.core.packing import plan_of
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.controller.core.shares import oversized

#: By kind of event: when in a turn it is decided, and by what. Facts come first, then follow-ups
#: of the turn before, then requests; within each in order of arrival.
DECISIONS: dict[type, tuple[int, Callable[[Draft, Cause, Any], None]]] = {
    BrokersRead: (0, facts.brokers_read),
    NodesRead: (0, facts.nodes_read),
    TopicRead: (0, facts.topic_read),
    StateRead: (0, facts.state_read),
    FaultFound: (0, facts.fault_found),
    ConfigRead: (0, facts.config_read),
    CounterRead: (0, facts.counter_read),
    NotificationsRead: (0, facts.notifications_read),
    SubtreeRead: (0, facts.subtree_read),
    LeaderAcknowledged: (0, facts.leader_acknowledged),
    LeaderFailed: (0, facts.leader_failed),
    DeletionsRead: (0, deletion_queue.deletions_read),
    ReplicasDeleted: (0, deletion.replicas_deleted),
    CheckDeletion: (1, deletion.check),
    CheckPartition: (1, moves.check),
    RemoveZnode: (1, removal.remove),
    CreateTopic: (2, creation.create),
    CreatePartitions: (2, growth.create_partitions),
    DeleteTopic: (2, deletion_queue.delete),
    ShutDownBroker: (2, shutdown.shut_down),
    AlterReassignment: (2, moves.alter),
    AlterPartition: (2, isr.alter_partition),
    ElectPreferred: (2, preferred.elect),
}


def decide(state: ClusterState, causes: Iterable[Cause], settings: Settings) -> Plan:
    """Fold the causes of one turn over a draft of the state, and cut the outcome into Commits.

    If that would make a topic too large for one Commit, it is all done again without its targets.
    """
    ordered = sorted(causes, key=lambda cause: DECISIONS[type(cause.event)][0])
    draft = _fold(Draft(state, settings), ordered)
    too_large = oversized(draft)
    if too_large:
        draft = Draft(state, settings)
        draft.too_large = too_large
        _fold(draft, ordered)
    return plan_of(draft)


def _fold(draft: Draft, causes: Iterable[Cause]) -> Draft:
    for cause in causes:
        draft.cause = cause.id
        DECISIONS[type(cause.event)][1](draft, cause, cause.event)
    moves.admit(draft)
    facts.look_over(draft)
    return draft
