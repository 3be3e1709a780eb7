"""The draft of a turn: the state as it will be, and why, before it is cut into Commits.

Facts change the draft without writing. Everything else is collected per partition in a `Unit`, so
that two causes on one partition in one turn give one write.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.model import (
    Assignment,
    Awaiting,
    Broker,
    ClusterState,
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
    SetPartition,
    SetTopic,
    SetUnreadable,
)
from klamm.controller.core.results import Result
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX


@dataclass(slots=True)
class Unit:
    """All that this turn does to one partition: from `before`, which is durable, to `after`.

    `dropped` are replicas that must stop, and delete once the leader knows that they are gone.
    `check_later`: what was decided here asks for another look, once it is durable.
    """

    before: Partition
    after: Partition
    lead_to: set[int] = field(default_factory=set)
    is_new: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    check_later: bool = False
    results: list[tuple[int, Result]] = field(default_factory=list)
    causes: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Creation:
    """A topic to be created, with the znodes that come before its partitions'.

    `results` become true with it, by cause: its own, and those of requests that rest on it.
    """

    topic: Topic
    ops: tuple[Op, ...]
    results: list[tuple[int, Result]]


class Draft:
    """The state as decided so far in this turn, over the durable `state` it began with."""

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        self.state = state
        self.settings = settings
        self.rules = settings.rules
        self.brokers: Mapping[int, Broker] = state.brokers
        self.online = state.brokers.keys()
        self.units: dict[TopicPartition, Unit] = {}
        self.creations: dict[str, Creation] = {}
        self.deletions: list[tuple[Cause, tuple[Op, ...]]] = []
        # What becomes true without a write, and is carried by the Plan's first Commit.
        self.changes: list[Change] = []
        self.messages: list[Message] = []
        self.results: list[tuple[int, Result]] = []
        self.causes: list[int] = []
        self.entries: list[Entry] = []
        self.counter = state.commits
        self.unreadable: Mapping[str, str] = state.unreadable
        self.config_versions: dict[str, int | None] = {}
        self.follow_ups: dict[TopicPartition, CheckPartition] = {}
        self._topics: dict[str, Topic | None] = {}
        self._partitions: dict[TopicPartition, Partition] = {}
        self._released: set[TopicPartition] = set()

    # --- reading ---------------------------------------------------------------------------

    def topic(self, name: str) -> Topic | None:
        """Return the topic as read last or created; `partition` may know more of its partitions."""
        if name in self.creations:
            return self.creations[name].topic
        if name in self._topics:
            return self._topics[name]
        return self.state.topics.get(name)

    def topic_names(self) -> Iterator[str]:
        """Every topic that there is or will be."""
        yield from self.creations
        yield from (name for name in self.state.topics.keys() | self._topics if self.topic(name))

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

    def unreadable_of(self, name: TopicPartition) -> str:
        """Why the partition must be left alone: what of it cannot be read; "" if all can."""
        return self.unreadable.get(paths.topic(name.topic)) or self.unreadable.get(
            paths.state(*name), ""
        )

    # --- facts -----------------------------------------------------------------------------

    def learn_brokers(self, brokers: Mapping[int, Broker]) -> None:
        """Take these as the registered brokers."""
        self.brokers = brokers
        self.online = brokers.keys()

    def learn_topic(self, name: str, topic: Topic | None) -> None:
        """Take this as what ZooKeeper holds of the topic."""
        self._topics[name] = topic
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

    def release(self, name: TopicPartition) -> None:
        """Let no delete of the partition wait any more."""
        self._released.add(name)
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
            self.entries.append(Entry("stuck", text))
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
        creation = self.creations.get(name.topic) if name else None
        if unit is None and creation is not None and result is not None:
            creation.results.append((cause.id, result))
            return
        causes, results = (unit.causes, unit.results) if unit else (self.causes, self.results)
        causes.append(cause.id)
        if result is not None:
            results.append((cause.id, result))

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
