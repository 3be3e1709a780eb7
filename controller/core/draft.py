"""The draft of a turn: the state as it will be, and why, before it is cut into Commits.

Facts change the draft without writing. Everything else is collected per partition in a `Unit`, so
that two causes on one partition in one turn give one write.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from klamm.controller.core.events import (
    Cause,
    CheckDeletion,
    CheckPartition,
)
from klamm.controller.core.handovers import Handovers
from klamm.controller.core.model import (
    Assignment,
    Awaiting,
    Broker,
    ClusterState,
    Deletion,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import Op
from klamm.controller.core.plan import (
    Change,
    Entry,
    Message,
    SetAwaiting,
    SetDeletion,
    SetPartition,
    SetShuttingDown,
    SetTopic,
    SetUnreadable,
)
from klamm.controller.core.results import Refusal, Result
from klamm.controller.core.settings import Settings
from klamm.controller.core.units import Creation as Creation
from klamm.controller.core.units import Rewrite as Rewrite
from klamm.controller.core.units import Step as Step
from klamm.controller.core.units import Unit as Unit
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX


class Draft:
    """The state as decided so far in this turn, over the durable `state` it began with."""

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        self.state = state
        self.settings = settings
        self.rules = settings.rules
        self.brokers: Mapping[int, Broker] = state.brokers
        self.nodes: Mapping[int, Broker] = state.nodes
        self.online = state.brokers.keys()
        self.shutting_down = state.shutting_down
        self.alive: AbstractSet[int] = state.alive
        self.units: dict[TopicPartition, Unit] = {}
        self.creations: dict[str, Creation] = {}
        self.rewrites: dict[str, Rewrite] = {}
        self.steps: list[Step] = []
        self.deletions: list[tuple[Cause, tuple[Op, ...]]] = []
        # What becomes true without a write, and is carried by the Plan's first Commit.
        self.changes: list[Change] = []
        self.messages: list[Message] = []
        self.results: list[tuple[int, Result]] = []
        self.causes: list[int] = []
        self.entries: list[Entry] = []
        #: What is true once all Commits of the Plan are.
        self.conclusions: list[tuple[int, Result, Entry]] = []
        #: What is being decided on, for the journal; 0 before the first cause.
        self.cause = 0
        self.counter = state.commits
        self.unreadable: Mapping[str, str] = state.unreadable
        self.deleting: dict[str, Deletion] = dict(state.deleting)
        #: Topics that must not be given targets in this turn, for they would become too large.
        self.too_large: Mapping[str, Refusal] = {}
        #: Where in `steps` a request of this turn queues a topic for deletion.
        self.queued: dict[str, int] = {}
        self.config_versions: dict[str, int | None] = {}
        self.follow_ups: dict[TopicPartition, CheckPartition] = {}
        self.handovers = Handovers(state)
        self.deletion_checks: dict[str, CheckDeletion] = {}
        self._topics: dict[str, Topic | None] = {}
        self._partitions: dict[TopicPartition, Partition] = {}
        self._released: set[TopicPartition] = set()

    # --- reading ---------------------------------------------------------------------------

    def topic(self, name: str) -> Topic | None:
        """Return the topic as read last or created; `partition` may know more of its partitions."""
        if name in self.creations:
            return self.creations[name].topic
        if name in self.rewrites:
            return self.rewrites[name].topic
        if name in self._topics:
            return self._topics[name]
        return self.state.topics.get(name)

    def topic_names(self) -> Iterator[str]:
        """Every topic that there is or will be, also those that cannot be read."""
        yield from self.creations
        yield from (name for name in self.state.topics.keys() | self._topics if self.topic(name))
        for path in self.unreadable:
            parent, _, name = path.rpartition("/")
            if parent == paths.TOPICS and self.topic(name) is None:
                yield name

    def partition(self, name: TopicPartition) -> Partition | None:
        """Return the partition as decided so far."""
        if name in self.units:
            return self.units[name].after
        if name in self._partitions:
            return self._partitions[name]
        topic = self.topic(name.topic)
        return topic.partitions.get(name.partition) if topic else None

    def awaiting(self, name: TopicPartition) -> Awaiting | None:
        """Return the deletes of the partition that wait for its leader, as facts have it."""
        return None if name in self._released else self.state.awaiting.get(name)

    def owing(self, topic: str) -> tuple[TopicPartition, ...]:
        """The topic's partitions with deletes that wait for their leader."""
        return tuple(name for name in self.state.awaiting if name.topic == topic)

    def vanishing(self, topic: str) -> bool:
        """Tell whether the topic's deletion has started; nothing else may change it any more."""
        deletion = self.deleting.get(topic)
        return deletion is not None and deletion.started

    def unreadable_of(self, name: TopicPartition) -> str:
        """Why the partition must be left alone: what of it cannot be read; "" if all can."""
        return self.unreadable.get(paths.topic(name.topic)) or self.unreadable.get(
            paths.state(*name), ""
        )

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
        self._topics[name] = topic
        self.rewrites.pop(name, None)
        self.handovers.learn_topic(name, topic)
        for known in [tp for tp in self._partitions if tp.topic == name]:
            del self._partitions[known]
        self.changes.append(SetTopic(name, topic))

    def learn_partition(self, name: TopicPartition, partition: Partition) -> None:
        """Take this as what ZooKeeper holds of the partition."""
        self._partitions[name] = partition
        self.changes.append(SetPartition(name, partition))

    def set_aside(self, path: str, text: str) -> None:
        """Note that this znode cannot be read."""
        self.unreadable = {**self.unreadable, path: text}
        self.changes.append(SetUnreadable(self.unreadable))

    def take_up(self, path: str) -> bool:
        """Note that this znode, with those below it, was read; tell whether one was set aside."""
        left = {
            other: text
            for other, text in self.unreadable.items()
            if other != path and not other.startswith(f"{path}/")
        }
        if len(left) == len(self.unreadable):
            return False
        self.unreadable = left
        self.changes.append(SetUnreadable(left))
        return True

    def queue(self, name: str, deletion: Deletion | None) -> None:
        """Take the topic as queued for deletion like this, or as not queued."""
        if deletion is None:
            self.deleting.pop(name, None)
        else:
            self.deleting[name] = deletion
        self.changes.append(SetDeletion(name, deletion))

    def release(self, name: TopicPartition) -> None:
        """Let no delete of the partition wait any more."""
        self._released.add(name)
        self.handovers.end(name)
        self.changes.append(SetAwaiting(name, None))

    # --- deciding --------------------------------------------------------------------------

    def existing(self, name: TopicPartition) -> Partition:
        """Return the partition as decided so far; KeyError if it is unknown."""
        partition = self.partition(name)
        if partition is None:
            raise KeyError(f"no partition {name} to change")
        return partition

    def unit(self, name: TopicPartition) -> Unit:
        """Return the partition's unit, begun with what is durable; KeyError if it is unknown."""
        if name not in self.units:
            present = self.existing(name)
            self.units[name] = Unit(present, present)
        return self.units[name]

    def assign(self, name: TopicPartition, assignment: Assignment) -> None:
        """Give the partition this assignment."""
        unit = self.unit(name)
        unit.after = replace(unit.after, assignment=assignment)

    def lead(self, name: TopicPartition, leader: int, isr: tuple[int, ...]) -> bool:
        """Give the partition this leader and ISR, in an epoch one above the durable one.

        False, nothing but a line in the journal done, if there is no such epoch any more.
        """
        durable = self.units[name].before if name in self.units else self.existing(name)
        if durable.leadership is not None and durable.leadership.leader_epoch >= INT32_MAX:
            text = f"{name}: leader epoch {INT32_MAX} is the last that there is;"
            text += " leader and replicas stay as they are until the topic is created anew"
            self.note("stuck", text, name=name)
            return False
        unit = self.unit(name)
        before, present = unit.before.leadership, unit.after.leadership
        if before is None or present is None:
            leadership = Leadership(leader, 0, isr, self.state.epoch, version=0)
        else:
            leadership = replace(
                present,
                leader=leader,
                isr=isr,
                leader_epoch=before.leader_epoch + 1,
                controller_epoch=self.state.epoch,
                version=before.version + 1,
            )
        unit.after = replace(unit.after, leadership=leadership)
        return True

    def alter_isr(
        self, name: TopicPartition, isr: tuple[int, ...], leader_recovery_state: int
    ) -> Leadership:
        """Give the partition this ISR in the present leader epoch; KeyError if nobody leads it."""
        unit = self.unit(name)
        before, present = unit.before.leadership, unit.after.leadership
        if before is None or present is None:
            raise KeyError(f"{name} has no durable leadership whose ISR could be altered")
        leadership = replace(
            present,
            isr=isr,
            leader_recovery_state=leader_recovery_state,
            controller_epoch=self.state.epoch,
            version=before.version + 1,
        )
        unit.after = replace(unit.after, leadership=leadership)
        return leadership

    def tell(
        self, name: TopicPartition, brokers: Iterable[int], is_new: Iterable[int] = ()
    ) -> None:
        """Let these brokers have the partition's leadership, as far as they are online.

        An adding replica outside the ISR may have no log yet, so it is new. One in the ISR has
        one, and must not make an empty one in its place if a log directory is offline.
        """
        unit = self.unit(name)
        unit.lead_to.update(broker for broker in brokers if broker in self.online)
        unit.is_new.update(is_new, unit.after.additions_to_make)

    def settle(
        self, cause: Cause, result: Result | None = None, name: TopicPartition | None = None
    ) -> None:
        """Note the result of a cause: with what this turn does to the partition, else at once."""
        unit = self.units.get(name) if name else None
        written = self._written(name.topic) if name else None
        if unit is None and written is not None and result is not None:
            written.results.append((cause.id, result))
            return
        causes, results = (unit.causes, unit.results) if unit else (self.causes, self.results)
        causes.append(cause.id)
        if result is not None:
            results.append((cause.id, result))

    def _written(self, topic: str) -> Creation | Rewrite | None:
        """What writes the topic's znode as a whole in this turn."""
        return self.creations.get(topic) or self.rewrites.get(topic)

    def conclude(self, cause: Cause, result: Result, kind: str, text: str) -> None:
        """Note the result of a cause, and its line for the journal.

        They are true once everything that this turn decides is durable.
        """
        self.conclusions.append((cause.id, result, Entry(kind, text, cause.id)))

    def note(
        self, kind: str, text: str = "", *, name: TopicPartition | None = None, topic: str = ""
    ) -> None:
        """Write a line for the journal about the present cause; it goes with what it is about."""
        unit = self.units.get(name) if name else None
        creation = self.creations.get(topic or (name.topic if name else ""))
        after = unit.after if unit else None
        entry = Entry(kind, text, self.cause, name, topic or (name.topic if name else ""), after)
        if unit is not None:
            unit.entries.append(entry)
        elif creation is not None:
            creation.entries.append(entry)
        else:
            self.entries.append(entry)

    def check_later(
        self,
        name: TopicPartition,
        restarted: frozenset[int] = frozenset(),
        reassigned: bool = False,
    ) -> None:
        """Look at the partition in the next turn, because of a fact; the reasons add up.

        It goes with the facts, whatever becomes of what this turn writes to the partition.
        """
        known = self.follow_ups.get(name, CheckPartition(name))
        self.follow_ups[name] = CheckPartition(
            name, known.restarted | restarted, known.reassigned or reassigned
        )
