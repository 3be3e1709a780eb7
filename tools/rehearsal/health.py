"""How long partitions were short of replicas or without a leader, by what ZooKeeper had."""

from __future__ import annotations

from dataclasses import dataclass, field

from klamm.controller.core.model import TopicPartition


@dataclass(slots=True)
class Spells:
    """Stretches of time in which something was so of a partition: the longest, and all together."""

    longest: float = 0.0
    total: float = 0.0
    _since: dict[TopicPartition, float] = field(default_factory=dict)

    def note(self, now: float, name: TopicPartition, is_so: bool) -> None:
        """Take in whether it is so from now on."""
        if is_so:
            self._since.setdefault(name, now)
            return
        since = self._since.pop(name, None)
        if since is not None:
            self.longest = max(self.longest, now - since)
            self.total += now - since

    def end(self, now: float) -> None:
        """Count what is still so until now."""
        for name in [*self._since]:
            self.note(now, name, is_so=False)


@dataclass(slots=True)
class Health:
    """What was wrong with partitions, and what is the most that ever was at once.

    `short` is an ISR below min.insync.replicas or no leader, `leaderless` the latter alone.
    """

    short: Spells = field(default_factory=Spells)
    leaderless: Spells = field(default_factory=Spells)
    max_urp: int = 0
    _urp: set[TopicPartition] = field(default_factory=set)

    def note_urp(self, name: TopicPartition, is_so: bool) -> None:
        """Take in whether a partition is under-replicated from now on."""
        if is_so:
            self._urp.add(name)
            self.max_urp = max(self.max_urp, len(self._urp))
        else:
            self._urp.discard(name)
