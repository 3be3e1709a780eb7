"""decide: the one door to all decisions. Pure; the same input gives the same Plan."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from klamm.controller.core import (
    admin_elections,
    admin_entries,
    altering_topics,
    assigning,
    checks,
    cluster_configs,
    creation,
    debts,
    deletion,
    deletion_queue,
    facts,
    growth,
    hint_znodes,
    isr,
    log_dirs,
    moves,
    preferred,
    removal,
    shutdown,
    status,
    status_writes,
    stepping,
    unclean,
)
from klamm.controller.core.admission import admit
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AdminElectionRead,
    AdminReassignmentsRead,
    AlterPartition,
    AlterReassignment,
    AlterTopic,
    AssignPartitions,
    BeginEntry,
    BeginStep,
    BrokersRead,
    Cause,
    CheckDeletion,
    CheckPartition,
    CheckStatus,
    ClearDebts,
    ConfigRead,
    CounterRead,
    CreatePartitions,
    CreateTopic,
    DebtsRead,
    DeleteTopic,
    DeletionsRead,
    ElectPreferred,
    ElectUnclean,
    FaultFound,
    FetchProgress,
    HintsListRead,
    HintsRead,
    LeaderAcknowledged,
    LimitsRead,
    LogDirEventsRead,
    MinIsrRead,
    NodesRead,
    NotificationsRead,
    RemoveHints,
    RemoveZnode,
    ReplicasDeleted,
    ReplicasFound,
    RetentionRead,
    RunElection,
    ShutDownBroker,
    StateRead,
    StatusRead,
    SubtreeRead,
    TidyEntries,
    TopicRead,
    WithdrawalsHeard,
    WriteStatus,
)
from klamm.controller.core.model import ClusterState
from klamm.controller.core.packing import plan_of
from klamm.controller.core.plan import Plan
from klamm.controller.core.settings import Settings
from klamm.controller.core.shares import oversized

Decision = Callable[[Draft, Cause, Any], None]
Decisions = Mapping[type, tuple[int, Decision]]

#: By kind of event: when in a turn it is decided, and by what. Facts come first, then follow-ups
#: of the turn before, then requests; within each in order of arrival.
DECISIONS: Decisions = {
    BrokersRead: (0, facts.brokers_read),
    NodesRead: (0, facts.nodes_read),
    TopicRead: (0, facts.topic_read),
    StateRead: (0, facts.state_read),
    FaultFound: (0, facts.fault_found),
    ConfigRead: (0, facts.config_read),
    CounterRead: (0, facts.counter_read),
    NotificationsRead: (0, facts.notifications_read),
    SubtreeRead: (0, facts.subtree_read),
    LimitsRead: (0, cluster_configs.limits_read),
    MinIsrRead: (0, cluster_configs.min_isr_read),
    HintsListRead: (0, hint_znodes.list_read),
    HintsRead: (0, hint_znodes.read),
    RetentionRead: (0, cluster_configs.retention_read),
    LeaderAcknowledged: (0, facts.leader_acknowledged),
    FetchProgress: (0, status.progress_heard),
    StatusRead: (0, status.status_read),
    LogDirEventsRead: (0, log_dirs.log_dir_events_read),
    ReplicasFound: (0, log_dirs.replicas_found),
    DeletionsRead: (0, deletion_queue.deletions_read),
    AdminReassignmentsRead: (0, admin_entries.reassignments_read),
    AdminElectionRead: (0, admin_elections.election_read),
    DebtsRead: (0, debts.debts_read),
    ReplicasDeleted: (0, deletion.replicas_deleted),
    WithdrawalsHeard: (0, deletion.withdrawals_heard),
    BeginEntry: (1, admin_entries.begin),
    CheckStatus: (1, status.check_status),
    WriteStatus: (1, status_writes.write_status),
    TidyEntries: (1, admin_entries.tidy),
    RunElection: (1, admin_elections.run),
    CheckDeletion: (1, deletion.check),
    CheckPartition: (1, checks.check),
    BeginStep: (1, stepping.begin),
    RemoveHints: (1, hint_znodes.remove),
    ClearDebts: (1, debts.clear),
    RemoveZnode: (1, removal.remove),
    CreateTopic: (2, creation.create),
    CreatePartitions: (2, growth.create_partitions),
    AlterTopic: (2, altering_topics.alter_topic),
    DeleteTopic: (2, deletion_queue.delete),
    ShutDownBroker: (2, shutdown.shut_down),
    AlterReassignment: (2, moves.alter),
    AssignPartitions: (2, assigning.assign),
    AlterPartition: (2, isr.alter_partition),
    ElectPreferred: (2, preferred.elect),
    ElectUnclean: (2, unclean.elect),
}


def decide(
    state: ClusterState,
    causes: Iterable[Cause],
    settings: Settings,
    decisions: Decisions = DECISIONS,
) -> Plan:
    """Fold the causes of one turn over a draft of the state, and cut the outcome into Commits.

    If that would make a topic too large for one Commit, it is all done again without its targets.
    Whoever studies failures can put other `decisions` in the place of klamm's.
    """
    ordered = sorted(causes, key=lambda cause: decisions[type(cause.event)][0])
    draft = _fold(Draft(state, settings), ordered, decisions)
    too_large = oversized(draft)
    if too_large:
        draft = Draft(state, settings)
        draft.too_large = too_large
        _fold(draft, ordered, decisions)
    return plan_of(draft)


def _fold(draft: Draft, causes: Iterable[Cause], decisions: Decisions) -> Draft:
    for cause in causes:
        draft.cause = cause.id
        decisions[type(cause.event)][1](draft, cause, cause.event)
    hint_znodes.tidy(draft)
    admit(draft)
    facts.look_over(draft)
    status_writes.flush(draft)
    return draft
