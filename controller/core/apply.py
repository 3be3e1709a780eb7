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
from klamm.controller.core.pace import Pace, StepHints
from klamm.controller.core.plan import (
    Change,
    RefuseEntries,
    SetAdmin,
    SetAlteration,
    SetAwaiting,
    SetBelow,
    SetBrokers,
    SetCounter,
    SetDeletion,
    SetElection,
    SetHasHints,
    SetHeldBack,
    SetHints,
    SetLedger,
    SetLimits,
    SetMinIsr,
    SetNodes,
    SetOffline,
    SetPartition,
    SetRetention,
    SetShuttingDown,
    SetStatus,
    SetTopic,
    SetUnreadable,
    TouchTopic,
)
from klamm.controller.core.slots import Slots


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
    limits, min_isr = state.limits, state.min_isr
    hints: dict[str, StepHints] | None = None
    has_hints = state.has_hints
    #: Where moves may be made in steps: the paces that changes come to.
    paced, paces = state.slots != Slots(), dict[TopicPartition, Pace | None]()
    retention, status = state.status_retention_ms, state.status
    alteration = state.alteration
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
                changed = partitions.pop(change.name, None)
                if change.name in topics and paced:
                    _note_paces(paces, topics[change.name], changed, gone=True)
                if change.topic is not None:
                    _note_paces(paces, change.topic)
                paced = paced or bool(paces)
                if change.topic is None:
                    topics.pop(change.name, None)
                    offline = _without_topic(offline, change.name)
                else:
                    topics[change.name] = change.topic
            case TouchTopic() | SetPartition():
                topics = dict(state.topics) if topics is None else topics
                _change_topic(topics, partitions, change)
                if isinstance(change, SetPartition) and (paced or change.partition.pace):
                    paced = True
                    paces[change.name] = change.partition.pace
            case SetLimits():
                limits = change.limits
            case SetMinIsr():
                min_isr = change.min_isr
            case SetHasHints():
                has_hints = change.there
            case SetHints():
                hints = dict(state.hints) if hints is None else hints
                if change.hints == StepHints():
                    hints.pop(change.topic, None)
                else:
                    hints[change.topic] = change.hints
            case SetRetention():
                retention = change.status_retention_ms
            case SetStatus():
                status = change.book
            case SetAlteration():
                alteration = change.request
    if topics is not None:
        for name, those in partitions.items():
            topics[name] = replace(topics[name], partitions=those)
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
        limits=limits,
        min_isr=min_isr,
        slots=_slots(state, paces),
        hints=state.hints if hints is None else hints,
        has_hints=has_hints,
        status_retention_ms=retention,
        status=status,
        alteration=alteration,
    )


def _without_topic(
    offline: Mapping[int, frozenset[TopicPartition]], topic: str
) -> Mapping[int, frozenset[TopicPartition]]:
    """Forget replicas of a topic that is gone: one of its name has other logs."""
    return {b: frozenset(n for n in names if n.topic != topic) for b, names in offline.items()}


def _note_paces(
    paces: dict[TopicPartition, Pace | None],
    topic: Topic,
    changed: Mapping[int, Partition] | None = None,
    *,
    gone: bool = False,
) -> None:
    """Note the paces of a topic that comes; or of one that goes, with what `changed` it before."""
    partitions = topic.partitions if changed is None else changed
    for number in topic.moving if changed is None else changed:
        if partitions[number].pace is not None:
            name = TopicPartition(topic.name, number)
            paces[name] = None if gone else partitions[number].pace


def _slots(state: ClusterState, paces: Mapping[TopicPartition, Pace | None]) -> Slots:
    """Return the slots once these partitions have these paces."""
    slots = state.slots
    if slots == Slots():
        return Slots.of((name, pace) for name, pace in paces.items() if pace) if paces else slots
    for name, pace in paces.items():
        partition = state.partition(name)
        before = partition.pace if partition else None
        if before is not pace:
            slots = slots.updated(name, before, pace)
    return slots


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
