"""What the journal says of a Commit: an entry for each decision in it, with all that came of it.

The decisions' own notes (`core.plan.Entry`) say what was decided. What they leave out is added
from the Commit itself, so that no result, no change and no write is missing: whoever replays the
journal has every topic as it is in ZooKeeper.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from klamm.controller.core.changes import SetPartition, SetTopic
from klamm.controller.core.events import BrokersRead, Cause, FollowUp, TopicRead
from klamm.controller.core.model import ClusterState, Partition, Topic, TopicPartition
from klamm.controller.core.ops import Op
from klamm.controller.core.origins import FromEntry
from klamm.controller.core.pace import StepNote
from klamm.controller.core.plan import Commit, Entry, Message, Stop
from klamm.controller.core.results import Refusal, Result
from klamm.controller.core.status_book import StatusNote
from klamm.controller.node.effects import Content, Journal, Severity
from klamm.controller.znodes import paths
from klamm.controller.znodes.config import ConfigEntity

#: Partitions in one line of a topic's content: about 150 KB.
CONTENT_PARTITIONS = 1_000

#: Of what decisions note, by kind; all else is information.
SEVERITIES = {
    "stuck": Severity.WARNING,
    "shared id": Severity.ERROR,
    "admin-discarded": Severity.ERROR,
    "admin-too-large": Severity.WARNING,
    "entry-refused": Severity.WARNING,
    "entry-waits": Severity.WARNING,
    "entry-discarded": Severity.WARNING,
}
#: The znode that a decision of this kind writes, beside those of what it is about.
WRITTEN = {
    "admin-tidied": paths.REASSIGN_PARTITIONS,
    "entry-superseded": paths.REASSIGN_PARTITIONS,
    "admin-election": paths.PREFERRED_REPLICA_ELECTION,
}


@dataclass(slots=True)
class Recorder:
    """Makes the entries of one Commit, which is about to be applied to `state`.

    `sequence` is that of the last entry before. `loaded` are the topics whose content the snapshot
    of this office has told already.
    """

    state: ClusterState
    commit: Commit
    causes: Mapping[int, Cause]
    sequence: int
    loaded: Mapping[str, Topic]
    entries: list[Journal] = field(default_factory=list)
    _ops: dict[str, Op] = field(default_factory=dict)
    _claimed: set[str] = field(default_factory=set)
    _messages: dict[TopicPartition | None, list[Message]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _results: dict[int, Result] = field(default_factory=dict)
    _told: dict[TopicPartition, Partition] = field(default_factory=dict)
    _last: dict[TopicPartition | None, int] = field(default_factory=dict)
    #: By cause: the entry that tells its event. The others of it refer to that one, or a new topic
    #: would be told as often as it has partitions.
    _first: dict[int, int] = field(default_factory=dict)

    def record(self) -> list[Journal]:
        """Return the entries, in the order of the decisions."""
        commit = self.commit
        self._ops = {op.path: op for op in commit.ops}
        self._results = dict(commit.results)
        for message in commit.messages:
            self._messages[getattr(message, "name", None)].append(message)
        partitions = {c.name: c.partition for c in commit.changes if isinstance(c, SetPartition)}
        topics = {c.name: c.topic for c in commit.changes if isinstance(c, SetTopic)}
        for entry in commit.entries:
            if entry.name is not None:
                self._about_partition(entry, partitions)
            elif entry.topic in topics:
                self._about_topic(entry, topics.pop(entry.topic))
            else:
                written = entry.status.writes if entry.status else _written_by(entry.kind)
                self._add(
                    entry.kind,
                    entry.text,
                    entry.cause,
                    topic=entry.topic,
                    ops=self._claim(*written),
                    status=entry.status,
                )
        for topic_name, topic in topics.items():
            kind = "topic-gone" if topic is None else "topic-read"
            self._about_topic(Entry(kind, topic=topic_name), topic)
        for name, partition in partitions.items():
            told = self._told.get(name)
            if told is None or told != partition or told.pace != partition.pace:
                self._about_partition(Entry("changed", name=name), partitions)
        self._rest()
        return self.entries

    def origins(self) -> dict[FollowUp, FromEntry]:
        """By follow-up of the Commit: the entry that it follows from."""
        if not self.entries:
            return {}
        first = self.entries[0].sequence
        return {
            check: FromEntry(self._last.get(getattr(check, "partition", None), first))
            for check in self.commit.follow_ups
        }

    def _about_partition(
        self, entry: Entry, partitions: Mapping[TopicPartition, Partition]
    ) -> None:
        name = entry.name
        assert name is not None
        before = self._told.get(name) or self.state.partition(name)
        after = entry.after or partitions.get(name) or before
        if after is not None:
            self._told[name] = after
        self._add(
            entry.kind,
            entry.text,
            entry.cause,
            name=name,
            before=before,
            after=after,
            step=entry.step,
            ops=self._claim(
                paths.topic(name.topic),
                paths.state(*name),
                paths.replica_deletions(name.topic),
                paths.reassignment_steps(name.topic),
                *_made_with(entry),
                *_written_by(entry.kind),
            ),
            messages=tuple(self._messages.pop(name, ())),
        )

    def _about_topic(self, entry: Entry, topic: Topic | None) -> None:
        name = entry.topic
        if topic is not None and self.loaded.get(name) is topic:
            return
        ops = self._claim(
            ConfigEntity("topics", name).path, paths.topic(name), paths.partitions(name)
        )
        chunks = content(topic) if topic else ()
        for number, chunk in enumerate(chunks or (None,)):
            self._add(
                entry.kind, entry.text, entry.cause, topic=name, ops=() if number else ops,
                content=chunk,
            )  # fmt: skip

    def _rest(self) -> None:
        """Tell what no decision noted: refusals, no-ops, deletes that waited, other writes."""
        for cause, result in tuple(self._results.items()):
            # A cause of an earlier turn has its own entry; what it waited for has come.
            granted = "no-op" if cause in self.causes else "answered"
            kind = "refuse" if isinstance(result, Refusal) else granted
            self.entries.append(answered(kind, self.causes.get(cause), result, *self._next()))
        for name, messages in self._messages.items():
            if name is None or any(isinstance(message, Stop) for message in messages):
                self._add("told", "", 0, name=name, messages=tuple(messages))
        left = tuple(op for path, op in self._ops.items() if path not in self._claimed)
        if left:
            self._add("housekeeping", "", 0, ops=left)

    def _claim(self, *znodes: str) -> tuple[Op, ...]:
        """Take the writes of these znodes for an entry; a topic's is that of many partitions."""
        found = tuple(self._ops[path] for path in znodes if path in self._ops)
        self._claimed.update(op.path for op in found)
        return found

    def _next(self) -> tuple[int, int]:
        self.sequence += 1
        return self.sequence, self.state.epoch

    def _add(
        self,
        kind: str,
        text: str,
        cause: int,
        *,
        name: TopicPartition | None = None,
        topic: str = "",
        before: Partition | None = None,
        after: Partition | None = None,
        ops: tuple[Op, ...] = (),
        messages: tuple[Message, ...] = (),
        content: Content | None = None,
        status: StatusNote | None = None,
        step: StepNote | None = None,
    ) -> None:
        sequence, epoch = self._next()
        first = self._first.setdefault(cause, sequence) if cause in self.causes else sequence
        if name is not None:
            self._last[name] = sequence
        # What brokers as such must know goes with the first entry that is about no partition.
        elif not messages and None in self._messages:
            messages = tuple(self._messages.pop(None))
        self.entries.append(
            Journal(
                SEVERITIES.get(kind, Severity.INFO),
                kind,
                text,
                sequence,
                epoch,
                cause=self.causes.get(cause) if first == sequence else None,
                origin=None if first == sequence else FromEntry(first),
                name=name,
                topic=topic,
                before=before,
                after=after,
                ops=ops,
                messages=messages,
                result=self._results.pop(cause, None),
                content=content,
                status=status,
                step=step,
            )
        )


def _made_with(entry: Entry) -> tuple[str, ...]:
    """The parent of the hints about steps is made with the first of them."""
    return (paths.REASSIGNMENT_STEPS,) if entry.step else ()


def _written_by(kind: str) -> tuple[str, ...]:
    return (WRITTEN[kind],) if kind in WRITTEN else ()


def answered(
    kind: str, cause: Cause | None, result: Result, sequence: int = 0, epoch: int = 0
) -> Journal:
    """The entry of a cause that came to a result without a write."""
    about = getattr(cause.event, "partition", None) if cause else None
    topic = getattr(cause.event, "name", "") if cause else ""
    return Journal(
        Severity.INFO,
        kind,
        "",
        sequence,
        epoch,
        cause=cause,
        name=about if isinstance(about, TopicPartition) else None,
        topic=topic if isinstance(topic, str) else "",
        result=result,
    )


def content(topic: Topic) -> Iterator[Content]:
    """Cut a topic into what one line holds; a topic without partitions is one, too."""
    numbers = iter(topic.partitions.items())
    first = True
    while True:
        chunk = dict(islice(numbers, CONTENT_PARTITIONS))
        if chunk or first:
            yield Content(topic, chunk, first)
        if len(chunk) < CONTENT_PARTITIONS:
            return
        first = False


def snapshot(facts: Iterable[Cause]) -> tuple[list[Journal], dict[str, Topic]]:
    """What an office begins with: the brokers, then every topic; and these topics by name."""
    topics: dict[str, Topic] = {}
    brokers = None
    for cause in facts:
        match cause.event:
            case BrokersRead(found):
                brokers = found
            case TopicRead(name, topic) if topic is not None:
                topics[name] = topic
    partitions = sum(len(topic.partitions) for topic in topics.values())
    text = f"{len(topics)} topics with {partitions} partitions, {len(brokers or ())} brokers"
    entries = [Journal(Severity.INFO, "snapshot", text, brokers=brokers or {})]
    entries.extend(
        Journal(Severity.INFO, "snapshot-topic", "", topic=name, content=chunk)
        for name, topic in topics.items()
        for chunk in content(topic)
    )
    return entries, topics
