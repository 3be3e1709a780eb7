"""The draft of a turn: the state as it will be, and why, before it is cut into Commits.

Facts change the draft without writing. Everything else is collected per partition in a `Unit`, so
that two causes on one partition in one turn give one write.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from klamm.controller.core.changes import SetStatus
from klamm.controller.core.events import (
    BeginEntry,
    BeginStep,
    Cause,
    CheckDeletion,
    CheckPartition,
    CheckStatus,
    RemoveHints,
    RemoveZnode,
    RunElection,
    WriteStatus,
)
from klamm.controller.core.known import Known
from klamm.controller.core.model import (
    Assignment,
    ClusterState,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.pace import Pace, StepNote
from klamm.controller.core.plan import Entry, Message
from klamm.controller.core.results import Refusal, Result
from klamm.controller.core.settings import Settings
from klamm.controller.core.status_book import StatusBook
from klamm.controller.core.status_draft import StatusDraft
from klamm.controller.core.units import Creation as Creation
from klamm.controller.core.units import Rewrite as Rewrite
from klamm.controller.core.units import Step as Step
from klamm.controller.core.units import Unit as Unit
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX


class Draft(Known):
    """The state as decided so far in this turn, over the durable `state` it began with."""

    def __init__(self, state: ClusterState, settings: Settings) -> None:
        super().__init__(state)
        self.settings = settings
        self.rules = settings.rules
        self.units: dict[TopicPartition, Unit] = {}
        self.creations: dict[str, Creation] = {}
        self.rewrites: dict[str, Rewrite] = {}
        self.steps: list[Step] = []
        #: Znodes that the next turn is to remove, and those that this one does: a topic's by the
        #: child of /admin/delete_topics.
        self.removals: dict[str, RemoveZnode] = {}
        self.removed: set[str] = set()
        # With what the facts change this is carried by the Plan's first Commit.
        self.messages: list[Message] = []
        self.results: list[tuple[int, Result]] = []
        self.causes: list[int] = []
        self.entries: list[Entry] = []
        #: What is true once all Commits of the Plan are.
        self.conclusions: list[tuple[int, Result, Entry]] = []
        #: What is being decided on, for the journal; 0 before the first cause.
        self.cause = 0
        self.counter = state.commits
        #: Topics that must not be given targets in this turn, for they would become too large.
        self.too_large: Mapping[str, Refusal] = {}
        #: Where in `steps` a request of this turn queues a topic for deletion.
        self.queued: dict[str, int] = {}
        self.config_versions: dict[str, int | None] = {}
        self.follow_ups: dict[TopicPartition, CheckPartition] = {}
        self.deletion_checks: dict[str, CheckDeletion] = {}
        #: What the next turn does for old tools, before all else.
        self.admin_orders: dict[BeginEntry | RunElection, None] = {}
        #: Writes that come after those of partitions.
        self.last_steps: list[Step] = []
        #: Topics whose debts are to be written without those paid, with the causes of that.
        self.clearings: dict[str, list[int]] = {}
        #: What the next turn does for moves in steps, and those looked at in this one whose
        #: replicas may copy though no step adds them.
        self.step_orders: dict[BeginStep | RemoveHints, None] = {}
        self.unstopped: dict[TopicPartition, None] = {}
        #: How many steps of a kind this turn begins.
        self.begun: Counter[str] = Counter()

        self.status = StatusDraft(state.status, state.status)
        #: What the next turn does about it, before it begins any move.
        self.status_orders: dict[CheckStatus | WriteStatus, None] = {}

    # --- reading ---------------------------------------------------------------------------

    def topic(self, name: str) -> Topic | None:
        """Return the topic as read last or created; `partition` may know more of its partitions."""
        if name in self.creations:
            return self.creations[name].topic
        if name in self.rewrites:
            return self.rewrites[name].topic
        return super().topic(name)

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
        unit = self.units.get(name)
        if unit is not None:
            return unit.after
        if name in self._partitions:
            return self._partitions[name]
        topic = self.topic(name.topic)
        return topic.partitions.get(name.partition) if topic else None

    def topics(self) -> Iterator[Topic]:
        """Every topic, with its partitions, as decided so far; also those that are created."""
        changed: dict[str, dict[int, Partition]] = {}
        for name, partition in self._partitions.items():
            changed.setdefault(name.topic, {})[name.partition] = partition
        for name, unit in self.units.items():
            changed.setdefault(name.topic, {})[name.partition] = unit.after
        for topic_name in dict.fromkeys((*self.state.topics, *self._topics, *self.creations)):
            topic = self.topic(topic_name)
            if topic is not None and topic_name in changed:
                yield replace(topic, partitions={**topic.partitions, **changed[topic_name]})
            elif topic is not None:
                yield topic

    def learn_topic(self, name: str, topic: Topic | None) -> None:
        """Take this as what ZooKeeper holds of the topic; what was to rewrite it is void."""
        super().learn_topic(name, topic)
        self.rewrites.pop(name, None)

    def learn_status(self, book: StatusBook) -> None:
        """Take this for what requests have come to; none of it needs a write."""
        self.status.book = self.status.carried = book
        self.changes.append(SetStatus(book))

    # --- deciding --------------------------------------------------------------------------

    def existing(self, name: TopicPartition) -> Partition:
        """Return the partition as decided so far; KeyError if it is unknown."""
        partition = self.partition(name)
        if partition is None:
            raise KeyError(f"no partition {name} to change")
        return partition

    def durable(self, name: TopicPartition) -> Partition:
        """Return the partition as facts have it, without decisions; KeyError if it is unknown."""
        unit = self.units.get(name)
        return unit.before if unit else self.existing(name)

    def unit(self, name: TopicPartition) -> Unit:
        """Return the partition's unit, begun with what is durable; KeyError if it is unknown."""
        return self.units.get(name) or self._begin(name, self.existing(name))

    def _begin(self, name: TopicPartition, present: Partition) -> Unit:
        unit = self.units[name] = Unit(present, present)
        return unit

    def assign(self, name: TopicPartition, assignment: Assignment) -> None:
        """Give the partition this assignment."""
        unit = self.unit(name)
        unit.after = Partition(assignment, unit.after.leadership, unit.after.pace)

    def pace(self, name: TopicPartition, pace: Pace | None) -> None:
        """Let the partition's move be so far, in steps."""
        unit = self.unit(name)
        if pace is not unit.after.pace:
            self._repace(name, unit.after.pace, pace)
            unit.after = Partition(unit.after.assignment, unit.after.leadership, pace)

    def lead(self, name: TopicPartition, leader: int, isr: tuple[int, ...]) -> bool:
        """Give the partition this leader and ISR, in an epoch one above the durable one.

        False, nothing but a line in the journal done, if there is no such epoch any more.
        """
        known, durable = self.units.get(name), self.durable(name)
        if durable.leadership is not None and durable.leadership.leader_epoch >= INT32_MAX:
            text = f"{name}: leader epoch {INT32_MAX} is the last that there is;"
            text += " leader and replicas stay as they are until the topic is created anew"
            self.note("stuck", text, name=name)
            return False
        unit = known or self._begin(name, durable)
        before, present = unit.before.leadership, unit.after.leadership
        if before is None or present is None:
            leadership = Leadership(leader, 0, isr, self.state.epoch, version=0)
        else:
            leadership = Leadership(
                leader,
                before.leader_epoch + 1,
                isr,
                self.state.epoch,
                before.version + 1,
                present.leader_recovery_state,
                present.extra,
            )
        unit.after = Partition(unit.after.assignment, leadership, unit.after.pace)
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
        unit.after = Partition(unit.after.assignment, leadership, unit.after.pace)
        return leadership

    def tell(
        self, name: TopicPartition, brokers: Iterable[int], is_new: Iterable[int] = ()
    ) -> None:
        """Let these brokers have the partition's leadership, as far as they are online.

        An adding replica outside the ISR may have no log yet, so it is new. One in the ISR has
        one, and must not make an empty one in its place if a log directory is offline.
        """
        unit = self.unit(name)
        unit.lead_to.update(self.online & brokers)
        unit.is_new.update(is_new, unit.after.additions_to_make)

    def settle(
        self, cause: Cause, result: Result | None = None, name: TopicPartition | None = None
    ) -> None:
        """Note the result of a cause: with what this turn does to the partition, else at once."""
        unit = self.units.get(name) if name else None
        causes, results = self.causes, self.results
        if unit is not None:
            causes, results = unit.causes, unit.results
        elif name is not None and result is not None:
            written = self._written(name.topic)
            if written is not None:
                written.results.append((cause.id, result))
                return
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
        self,
        kind: str,
        text: str = "",
        *,
        name: TopicPartition | None = None,
        topic: str = "",
        step: StepNote | None = None,
    ) -> None:
        """Write a line for the journal about the present cause; it goes with what it is about."""
        unit = self.units.get(name) if name else None
        about = topic or (name.topic if name else "")
        after = unit.after if unit else self.partition(name) if name else None
        entry = Entry(kind, text, self.cause, name, about, after, step)
        creation = self.creations.get(about)
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
        known = self.follow_ups.get(name)
        if known is not None:
            restarted |= known.restarted
            reassigned |= known.reassigned
        self.follow_ups[name] = CheckPartition(name, restarted, reassigned)
