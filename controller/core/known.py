"""What a turn takes for true by its facts, over the durable state that it began with."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from klamm.controller.core.admin_znodes import AdminElection, AdminReassignments
from klamm.controller.core.changes import (
    Change,
    RefuseEntries,
    SetAdmin,
    SetAlteration,
    SetAwaiting,
    SetBelow,
    SetDeletion,
    SetElection,
    SetHasHints,
    SetHints,
    SetLedger,
    SetOffline,
    SetPartition,
    SetShuttingDown,
    SetTopic,
)
from klamm.controller.core.handovers import Handovers
from klamm.controller.core.model import (
    NO_REPLICAS,
    Awaiting,
    Broker,
    ClusterState,
    Deletion,
    Ledger,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import Pace, StepHints
from klamm.controller.core.sizes import op_size
from klamm.controller.core.unreadable import Unreadable
from klamm.controller.znodes import paths

#: What is owed for most topics.
NO_DEBTS = Ledger()
#: And what ZooKeeper holds of them.
NO_HINTS = StepHints()


class Known:
    """The state with this turn's facts folded in; `changes` make them true without a write."""

    def __init__(self, state: ClusterState) -> None:
        self.state = state
        self.brokers: Mapping[int, Broker] = state.brokers
        self.nodes: Mapping[int, Broker] = state.nodes
        self.online = state.brokers.keys()
        self.shutting_down = state.shutting_down
        self.alive: AbstractSet[int] = state.alive
        self.unreadable: Mapping[str, str] = state.unreadable
        self.deleting: dict[str, Deletion] = dict(state.deleting)
        self.handovers = Handovers(state)
        self.changes: list[Change] = []
        #: Topics that this turn's facts have brought or changed.
        self.topics_read: dict[str, None] = {}
        self.below: dict[str, tuple[str, ...] | None] = dict(state.below)
        #: The znodes of old tools, after what this turn writes to them; entries found impossible.
        self.admin = state.admin
        self.refused_entries: set[TopicPartition] = set()
        self._admin_size: tuple[AdminReassignments, int] | None = None
        self.election = state.election
        self._unreadable = Unreadable(state.unreadable)
        self._topics: dict[str, Topic | None] = {}
        self._partitions: dict[TopicPartition, Partition] = {}
        self._awaiting: dict[TopicPartition, Awaiting | None] = {}
        #: By topic what waits, or has waited; None until somebody asks for it.
        self._waiting: dict[str, dict[TopicPartition, None]] | None = None
        self._ledgers: dict[str, Ledger] = {}
        self.offline_replicas = dict(state.offline_replicas)
        self.limits = state.limits
        self.min_isr = state.min_isr
        #: The moves in steps, as decided so far, and what ZooKeeper holds of them.
        self.slots = state.slots
        self.has_hints = state.has_hints
        self._hints: dict[str, StepHints] = {}
        self.hints_read: dict[str, None] = {}
        self.status_retention_ms = state.status_retention_ms
        self.alteration = state.alteration

    def topic(self, name: str) -> Topic | None:
        """Return the topic as read last."""
        if name in self._topics:
            return self._topics[name]
        return self.state.topics.get(name)

    def awaiting(self, name: TopicPartition) -> Awaiting | None:
        """Return the deletes of the partition that wait for its leader, as facts have it."""
        return self._awaiting.get(name, self.state.awaiting.get(name))

    def ledger(self, topic: str) -> Ledger:
        """Return the deletes owed for the topic, as facts have them."""
        return self._ledgers.get(topic) or self.state.ledgers.get(topic) or NO_DEBTS

    def hints(self, topic: str) -> StepHints:
        """Return what ZooKeeper holds of the topic's moves in steps, as facts have it."""
        return self._hints.get(topic) or self.state.hints.get(topic) or NO_HINTS

    def hinted(self) -> tuple[str, ...]:
        """The topics of which ZooKeeper holds hints about moves in steps."""
        known = dict.fromkeys((*self.state.hints, *self._hints))
        return tuple(topic for topic in known if self.hints(topic) != NO_HINTS)

    def owing(self, topic: str) -> tuple[TopicPartition, ...]:
        """The topic's partitions with deletes that wait for their leader."""
        if self._waiting is None:
            # Once in a turn, for it may be about thousands of topics and as many deletes.
            self._waiting = {}
            for name in (*self.state.awaiting, *self._awaiting):
                self._waiting.setdefault(name.topic, {})[name] = None
        return tuple(name for name in self._waiting.get(topic, ()) if self.awaiting(name))

    def vanishing(self, topic: str) -> bool:
        """Tell whether the topic's deletion has started; nothing else may change it any more."""
        deletion = self.deleting.get(topic)
        return deletion is not None and deletion.started

    def online_of(self, name: TopicPartition) -> AbstractSet[int]:
        """The registered brokers, but for those that cannot use their log of the partition."""
        return self._with_log(name, self.online)

    def alive_of(self, name: TopicPartition) -> AbstractSet[int]:
        """The brokers that may be given work, but for those that cannot use their log of it."""
        return self._with_log(name, self.alive)

    def _with_log(self, name: TopicPartition, brokers: AbstractSet[int]) -> AbstractSet[int]:
        if not self.offline_replicas:
            return brokers
        return brokers - {b for b, names in self.offline_replicas.items() if name in names}

    def unreadable_of(self, name: TopicPartition) -> str:
        """Why the partition must be left alone: what of it cannot be read; "" if all can."""
        if not self.unreadable:
            return ""
        return self.unreadable.get(paths.topic(name.topic)) or self.unreadable.get(
            paths.state(*name), ""
        )

    def immovable(self, name: TopicPartition) -> str:
        """Why the partition's replicas must stay: what of it, or of its debts, is unreadable."""
        if not self.unreadable:
            return ""
        debts = paths.replica_deletions(name.topic)
        return self.unreadable_of(name) or self.unreadable.get(debts, "")

    # --- facts -----------------------------------------------------------------------------

    def learn_brokers(self, brokers: Mapping[int, Broker]) -> None:
        """Take these as the registered brokers; one with a new epoch is not shutting down."""
        leaving = frozenset(
            id_
            for id_ in self.shutting_down
            if id_ in brokers and brokers[id_].epoch == self.brokers[id_].epoch
        )
        self.brokers = brokers
        self.online = brokers.keys()
        self._learn_shutting_down(leaving)

    def shut(self, broker: int) -> None:
        """Take this registered broker for leaving."""
        self._learn_shutting_down(self.shutting_down | {broker})

    def _learn_shutting_down(self, leaving: frozenset[int]) -> None:
        self.alive = self.online - leaving
        if leaving != self.shutting_down:
            self.shutting_down = leaving
            self.changes.append(SetShuttingDown(leaving))

    def learn_topic(self, name: str, topic: Topic | None) -> None:
        """Take this as what ZooKeeper holds of the topic."""
        known = self.topic(name)
        for number, partition in known.partitions.items() if known else ():
            partition = self._partitions.pop(TopicPartition(name, number), partition)
            self._repace(TopicPartition(name, number), partition.pace, None)
        if topic is not None:
            for number in topic.moving:
                self._repace(TopicPartition(name, number), None, topic.partitions[number].pace)
        self._topics[name] = topic
        self.topics_read[name] = None
        self.handovers.learn_topic(name, topic)
        self.changes.append(SetTopic(name, topic))

    def learn_partition(self, name: TopicPartition, partition: Partition) -> None:
        """Take this as what ZooKeeper holds of the partition."""
        topic = self.topic(name.topic)
        known = self._partitions.get(name)
        if known is None and topic is not None:
            known = topic.partitions.get(name.partition)
        self._repace(name, known.pace if known else None, partition.pace)
        self._partitions[name] = partition
        self.changes.append(SetPartition(name, partition))

    def _repace(self, name: TopicPartition, before: Pace | None, after: Pace | None) -> None:
        """Note how far a move in steps is now."""
        if before is not after:
            self.slots = self.slots.updated(name, before, after)

    def learn_hints(self, topic: str, hints: StepHints) -> None:
        """Take this as what ZooKeeper holds of the topic's moves in steps."""
        if hints != self.hints(topic):
            self._hints[topic] = hints
            self.changes.append(SetHints(topic, hints))

    def learn_has_hints(self, there: bool) -> None:
        """Take the parent of what ZooKeeper holds of moves in steps as being there, or not."""
        if there != self.has_hints:
            self.has_hints = there
            self.changes.append(SetHasHints(there))

    def set_aside(self, path: str, text: str) -> None:
        """Note that this znode cannot be read."""
        self._unreadable.set_aside(path, text)
        self.unreadable = self._unreadable.texts

    def take_up(self, path: str) -> bool:
        """Note that this znode, with those below it, was read; tell whether one was set aside."""
        mended = self._unreadable.take_up(path)
        self.unreadable = self._unreadable.texts
        return mended

    def fact_changes(self) -> Iterator[Change]:
        """What this turn's facts change, all of it true without a write."""
        yield from self.changes
        yield from self._unreadable.changes(self.state.unreadable)
        yield from self.handovers.changes()
        if self.refused_entries:
            yield RefuseEntries(frozenset(self.refused_entries))

    def learn_below(self, root: str, below: tuple[str, ...] | None) -> None:
        """Take this as all that is below a znode which is to be removed; as in `SetBelow`."""
        if below != self.below.get(root, ()):
            self.below[root] = below
            self.changes.append(SetBelow(root, below))

    def learn_admin(self, admin: AdminReassignments) -> None:
        """Take this as what /admin/reassign_partitions holds, and what of it is under way."""
        self.admin = admin
        self.changes.append(SetAdmin(admin))

    def admin_size(self) -> int:
        """Bytes of a multi that a rewrite of /admin/reassign_partitions takes at most."""
        if self._admin_size is None or self._admin_size[0] is not self.admin:
            size = op_size(self.admin.removal(self.admin.entries))
            self._admin_size = (self.admin, size)
        return self._admin_size[1]

    def learn_election(self, election: AdminElection) -> None:
        """Take this as what /admin/preferred_replica_election holds."""
        self.election = election
        self.changes.append(SetElection(election))

    def begin_alteration(self, request: int) -> None:
        """Let this request move topics, all of them as one reassignment."""
        if request != self.alteration:
            self.alteration = request
            self.changes.append(SetAlteration(request))

    def queue(self, name: str, deletion: Deletion | None) -> None:
        """Take the topic as queued for deletion like this, or as not queued."""
        if deletion is None:
            self.deleting.pop(name, None)
        else:
            self.deleting[name] = deletion
        self.changes.append(SetDeletion(name, deletion))

    def learn_offline(self, broker: int, replicas: frozenset[TopicPartition]) -> None:
        """Take these replicas of the broker as being on a failed log directory, and no others."""
        if self.offline_replicas.get(broker, NO_REPLICAS) != replicas:
            self.offline_replicas[broker] = replicas
            self.changes.append(SetOffline(broker, replicas))

    def learn_ledger(self, topic: str, ledger: Ledger) -> None:
        """Take these as the deletes owed for the topic."""
        self._ledgers[topic] = ledger
        self.changes.append(SetLedger(topic, ledger))

    def wait_for(self, name: TopicPartition, awaiting: Awaiting) -> None:
        """Let deletes of the partition wait for its leader."""
        self._await(name, awaiting)

    def release(self, name: TopicPartition) -> None:
        """Let no delete of the partition wait any more."""
        self._await(name, None)

    def end_handover(self, name: TopicPartition) -> None:
        """Let nothing but the partition's deletes wait for its leader any more."""
        awaiting = self.awaiting(name)
        if awaiting is not None and awaiting.handover:
            self._await(name, replace(awaiting, handover=False))

    def _await(self, name: TopicPartition, awaiting: Awaiting | None) -> None:
        self.handovers.end(name)
        self._awaiting[name] = awaiting
        if self._waiting is not None:
            self._waiting.setdefault(name.topic, {})[name] = None
        self.changes.append(SetAwaiting(name, awaiting))
