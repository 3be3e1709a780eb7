"""What an office begins with: what was found, what became of it, and how long it took.

An operator reads the two entries of the journal, which are in the log as well, to know whether a
failover went well: that everything was found again, and that it goes on.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.node.effects import Journal, Severity


@dataclass(slots=True)
class Inauguration:
    """One office's beginning; times in seconds of the clock that never goes back.

    `read_at` is when all was read, None before. `told` says that what was found has been told.
    """

    elected_at: float
    read_at: float | None = None
    told: bool = False
    moving: frozenset[TopicPartition] = frozenset()
    leaderless: frozenset[TopicPartition] = frozenset()
    deleting: frozenset[str] = frozenset()

    def entered(self, state: ClusterState, now: float) -> Iterator[Journal]:
        """Tell what was found, once it is part of the state and a list would show it.

        At the first input after that, for a node knows only the time at which an input came.
        """
        if self.told or self.read_at is None or not (state.nodes or state.brokers or state.topics):
            return
        self.told = True
        self.moving = frozenset(name for name, _ in state.moving())
        self.leaderless = leaderless(state)
        self.deleting = frozenset(state.deleting)
        partitions = sum(len(topic.partitions) for topic in state.topics.values())
        text = (
            f"found {len(state.topics)} topics with {partitions} partitions and"
            f" {len(state.brokers)} brokers: {len(self.moving)} partitions moving,"
            f" {len(self.leaderless)} without a leader, {len(self.deleting)} topics to delete,"
            f" {len(state.admin.entries)} moves ordered in /admin/reassign_partitions,"
            f" {sum(map(len, state.debts.values()))} deletes owed by brokers,"
            f" {len(state.unreadable)} znodes unreadable;"
            f" in office {now - self.elected_at:.3f} s after the election,"
            f" {self.read_at - self.elected_at:.3f} s of that for reading"
        )
        yield Journal(Severity.INFO, "in office", text)

    def rested(self, state: ClusterState, now: float) -> Journal:
        """Tell what became of it, now that nothing is left to be decided."""
        partitions = map(state.partition, self.leaderless)
        led = [each for each in partitions if each is None or each.leader in state.brokers]
        ended = self.moving - {name for name, _ in state.moving()}
        text = (
            f"of {len(self.leaderless)} partitions without a leader {len(led)} have one again,"
            f" of {len(self.moving)} moves {len(ended)} have ended and"
            f" {len(self.moving) - len(ended)} go on, of {len(self.deleting)} topics to delete"
            f" {len(self.deleting - state.deleting.keys())} are gone;"
            f" at rest {now - self.elected_at:.3f} s after the election"
        )
        return Journal(Severity.INFO, "resumed", text)


def leaderless(state: ClusterState) -> frozenset[TopicPartition]:
    """The partitions that nobody leads who is registered."""
    brokers = state.brokers
    return frozenset(
        TopicPartition(name, number)
        for name, topic in state.topics.items()
        for number, partition in topic.partitions.items()
        if partition.leader not in brokers
    )
