"""Where the facts of a survey come from, for the journal: a watch event, or something else."""

from collections.abc import Collection
from dataclasses import dataclass, field

from klamm.controller.core.events import (
    AdminElectionRead,
    AdminReassignmentsRead,
    BrokersRead,
    DebtsRead,
    Fact,
    LimitsRead,
    LogDirEventsRead,
    MinIsrRead,
    NodesRead,
    NotificationsRead,
    RetentionRead,
    StateRead,
    TopicRead,
)
from klamm.controller.core.origins import FromReading, FromWatch
from klamm.controller.znodes import paths


@dataclass(slots=True)
class Sources:
    """What made a survey: `why`, unless a watch event on one of the `seen` paths did."""

    why: str = ""
    seen: Collection[str] = ()
    #: The watch event of a path and of all paths above it.
    _by_path: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.seen:
            above = path
            while above:
                self._by_path.setdefault(above, path)
                above = above.rpartition("/")[0]

    def origin(self, fact: Fact) -> FromWatch | FromReading:
        """Return the watch event that a fact answers, or why it was read."""
        if not self._by_path:
            return FromReading(self.why)
        for path in _paths(fact):
            if path in self._by_path:
                return FromWatch(self._by_path[path])
        return FromReading(self.why)


def _paths(fact: Fact) -> tuple[str, ...]:
    """The znodes whose watch events may have made a fact, the nearest first."""
    match fact:
        case BrokersRead():
            return (paths.BROKER_IDS,)
        case NodesRead():
            return (paths.KLAMM_NODES,)
        case AdminReassignmentsRead():
            return (paths.REASSIGN_PARTITIONS,)
        case AdminElectionRead():
            return (paths.PREFERRED_REPLICA_ELECTION,)
        case NotificationsRead():
            return (paths.ISR_CHANGES,)
        case LogDirEventsRead():
            return (paths.LOG_DIR_EVENTS,)
        case LimitsRead() | RetentionRead():
            return (paths.CLUSTER_CONFIG,)
        case MinIsrRead():
            return (paths.TOPIC_CONFIGS, paths.CLUSTER_CONFIG)
        case DebtsRead(topic=topic):
            return (paths.replica_deletions(topic),)
        case TopicRead(name=name):
            # A topic that came or went is told of by the list alone.
            return (paths.topic(name), paths.TOPICS)
        case StateRead(partition=name):
            # Below IBP 2.7-IV2 leaders tell by notifications, too.
            return (paths.state(*name), paths.ISR_CHANGES)
        case _:
            return ()
