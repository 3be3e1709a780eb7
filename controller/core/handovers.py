"""Leads that ends of moves hand over: how many are under way, and which ends wait for their turn.

A leader that takes over hundreds of partitions at once answers for none of them for seconds, and
nobody can write to them meanwhile. So only so many are under way to each broker; the other moves
stay moves, and end in their order as answers arrive. So do steps of moves that bring another
leader. All of it is part of the state, which no conflict can lose.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from klamm.controller.core.changes import SetHeldBack
from klamm.controller.core.model import ClusterState, Topic, TopicPartition


class Handovers:
    """What a turn makes of the handovers of the state it began with."""

    def __init__(self, state: ClusterState) -> None:
        self._state = state
        self._held: dict[int, dict[TopicPartition, None]] = {}
        self._ended: set[TopicPartition] = set()
        self._unanswered: Counter[int] | None = None

    def leaders(self) -> Iterator[int]:
        """The brokers for which ends of moves may be held back."""
        yield from dict.fromkeys((*self._state.held_back, *self._held))

    def waiting(self, leader: int) -> Mapping[TopicPartition, None]:
        """The moves whose end waits for this broker, oldest first."""
        if leader in self._held:
            return self._held[leader]
        return self._state.held_back.get(leader, {})

    def unanswered(self, leader: int) -> int:
        """Count the leads from ends of moves for which this broker has not answered yet."""
        return self._counts()[leader]

    def begin(self, leader: int) -> None:
        """Note one more."""
        self._counts()[leader] += 1

    def end(self, name: TopicPartition) -> None:
        """Note that the leader of this partition has answered, or that nobody waits for it."""
        if self._unanswered is not None:
            wait = self._state.awaiting.get(name)
            if wait is not None and wait.handover and name not in self._ended:
                self._unanswered[wait.leader] -= 1
        self._ended.add(name)

    def hold_back(self, name: TopicPartition, leader: int | None) -> None:
        """Let the end of this move wait for this broker, or for nobody if None."""
        held = next((each for each in self.leaders() if name in self.waiting(each)), None)
        if held == leader:
            return
        if held is not None:
            del self._changed(held)[name]
        if leader is not None:
            self._changed(leader)[name] = None

    def learn_topic(self, topic_name: str, topic: Topic | None) -> None:
        """Forget the partitions that the topic has no more."""
        for name in [name for leader in self.leaders() for name in self.waiting(leader)]:
            if name.topic == topic_name and (
                topic is None or name.partition not in topic.partitions
            ):
                self.hold_back(name, None)

    def changes(self) -> Iterator[SetHeldBack]:
        """What the turn changes of who is held back."""
        for leader, waiting in self._held.items():
            yield SetHeldBack(leader, waiting)

    def _counts(self) -> Counter[int]:
        if self._unanswered is None:
            self._unanswered = Counter(
                wait.leader
                for name, wait in self._state.awaiting.items()
                if wait.handover and name not in self._ended
            )
        return self._unanswered

    def _changed(self, leader: int) -> dict[TopicPartition, None]:
        if leader not in self._held:
            self._held[leader] = dict(self.waiting(leader))
        return self._held[leader]
