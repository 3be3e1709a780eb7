"""What controllers were asked for about moves, and until when each request may have counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition

Target = tuple[int, ...] | None


@dataclass(slots=True)
class AskedMoves:
    """The wishes of clients, and of entries of the admin znode.

    `targets` are all that was ever asked for, by partition; None is a cancel. `open` are requests
    that a node has taken in and not answered, by node and request. `asked_at` is when the last
    one about a partition was answered, or given up with its node's session.
    """

    targets: dict[TopicPartition, set[Target]] = field(default_factory=dict)
    open: dict[tuple[str, int], tuple[TopicPartition, ...]] = field(default_factory=dict)
    asked_at: dict[TopicPartition, int] = field(default_factory=dict)

    def order(self, name: TopicPartition, target: Target) -> None:
        """Note that somebody wants a partition to move."""
        self.targets.setdefault(name, set()).add(target)

    def take(self, node: str, request: int, events: Iterable[object]) -> None:
        """Note what a node was given."""
        moves = [event for event in events if isinstance(event, AlterReassignment)]
        for event in moves:
            self.order(event.partition, event.target)
        if moves:
            self.open[node, request] = tuple(event.partition for event in moves)

    def end(self, node: str, request: int, step: int) -> None:
        """Note that a node has answered."""
        for name in self.open.pop((node, request), ()):
            self.asked_at[name] = step

    def leave(self, node: str, step: int) -> None:
        """Note that a node answers nothing more of what it has taken in."""
        for key in [key for key in self.open if key[0] == node]:
            self.end(*key, step)

    def counted(self, name: TopicPartition, since: int) -> bool:
        """Tell whether a request about this partition may have counted since a step, or still may.

        It counts, if it does, at one moment between its arrival and its answer.
        """
        if self.asked_at.get(name, -1) >= since:
            return True
        return any(name in names for names in self.open.values())
