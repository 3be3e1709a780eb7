"""Folding the changes of a Commit into the state, copying each touched topic once."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from klamm.controller.core.model import (
    Awaiting,
    ClusterState,
    Deletion,
    Ledger,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.plan import (
    Change,
    RefuseEntries,
    SetAdmin,
    SetAwaiting,
    SetBelow,
    SetBrokers,
    SetCounter,
    SetDeletion,
    SetElection,
    SetHeldBack,
    SetLedger,
    SetNodes,
    SetOffline,
    SetPartition,
    SetShuttingDown,
    SetTopic,
    SetUnreadable,
    TouchTopic,
)


def apply(state: ClusterState, changes: Iterable[Change]) -> ClusterState:
    """Return the state with all changes folded in, in order; the given one stays as it was.

    A change of a topic that is unknown raises KeyError: it would be a fault of the decision.
    """
    brokers, nodes, commits = state.brokers, state.nodes, state.commits
    unreadable, below = state.unreadable, state.below
    admin, election = state.admin, state.election
    topics: dict[str, Topic] | None = None
    partitions: dict[str, dict[int, Partition]] = {}
    awaiting: dict[TopicPartition, Awaiting] | None = None
    shutting_down, held_back = state.shutting_down, state.held_back
    deleting: dict[str, Deletion] | None = None
    ledgers: dict[str, Ledger] | None = None
    offline = state.offline_replicas
    for change in changes:
        match change:
            case SetBrokers():
                brokers = change.brokers
            case SetAdmin():
                admin = change.admin
            case RefuseEntries():
                admin = admin.refusing(change.names)
            case SetElection():
                election = change.election
            case SetNodes():
                nodes = change.nodes
            case SetCounter():
                commits = change.counter
            case SetShuttingDown():
                shutting_down = change.brokers
            case SetHeldBack():
                held_back = {**held_back, change.leader: change.waiting}
            case SetUnreadable():
                unreadable = change.unreadable
            case SetAwaiting():
                awaiting = dict(state.awaiting) if awaiting is None else awaiting
                if change.awaiting is None:
                    awaiting.pop(change.name, None)
                else:
                    awaiting[change.name] = change.awaiting
            case SetDeletion():
                deleting = dict(state.deleting) if deleting is None else deleting
                if change.deletion is None:
                    deleting.pop(change.name, None)
                else:
                    deleting[change.name] = change.deletion
            case SetOffline():
                offline = {**offline, change.broker: change.replicas}
            case SetLedger():
                ledgers = dict(state.ledgers) if ledgers is None else ledgers
                if change.ledger == Ledger():
                    ledgers.pop(change.topic, None)
                else:
                    ledgers[change.topic] = change.ledger
            case SetBelow():
                below = {**below, change.root: change.below}
            case SetTopic():
                topics = dict(state.topics) if topics is None else topics
                partitions.pop(change.name, None)
                if change.topic is None:
                    topics.pop(change.name, None)
                    offline = _without_topic(offline, change.name)
                else:
                    topics[change.name] = change.topic
            case TouchTopic() | SetPartition():
                topics = dict(state.topics) if topics is None else topics
                _change_topic(topics, partitions, change)
    if topics is not None:
        for name, changed in partitions.items():
            topics[name] = replace(topics[name], partitions=changed)
    return replace(
        state,
        brokers=brokers,
        nodes=nodes,
        commits=commits,
        topics=state.topics if topics is None else topics,
        awaiting=state.awaiting if awaiting is None else awaiting,
        unreadable=unreadable,
        shutting_down=shutting_down,
        held_back={leader: waiting for leader, waiting in held_back.items() if waiting},
        deleting=state.deleting if deleting is None else deleting,
        ledgers=state.ledgers if ledgers is None else ledgers,
        offline_replicas={broker: names for broker, names in offline.items() if names},
        below={root: found for root, found in below.items() if found != ()},
        admin=admin,
        election=election,
    )


def _without_topic(
    offline: Mapping[int, frozenset[TopicPartition]], topic: str
) -> Mapping[int, frozenset[TopicPartition]]:
    """Forget replicas of a topic that is gone: one of its name has other logs."""
    return {b: frozenset(n for n in names if n.topic != topic) for b, names in offline.items()}


def _change_topic(
    topics: dict[str, Topic],
    partitions: dict[str, dict[int, Partition]],
    change: TouchTopic | SetPartition,
) -> None:
    """Note a change inside a topic; `partitions` collects the copies made so far."""
    if isinstance(change, TouchTopic):
        topics[change.name] = replace(topics[change.name], version=change.version, bare=change.bare)
        return
    name, number = change.name
    if name not in partitions:
        partitions[name] = dict(topics[name].partitions)
    partitions[name][number] = change.partition
