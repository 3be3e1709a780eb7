"""How far followers have copied what leaders have, as the node that is asked knows it."""

from dataclasses import dataclass
from typing import Protocol

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition

#: In place of a time or a lag.
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class ReplicaStatus:
    """What is known of a replica: times in milliseconds since the epoch, lags in records.

    `taken_ms` is when the rest was so. `in_sync_ms` is when it was in sync last, which is
    `taken_ms` while it is; `fetched_ms` when it has fetched last. `max_lag` is the largest `lag`
    since it was added.
    """

    taken_ms: int
    in_sync_ms: int = UNKNOWN
    fetched_ms: int = UNKNOWN
    lag: int = UNKNOWN
    max_lag: int = UNKNOWN


class Copies(Protocol):
    """The port to what a node knows of copies."""

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        """Return what is known of a replica; None if another node has to be asked."""

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        """Take what a leader tells of its followers."""


class NoCopies:
    """A node that knows nothing of copies: neither leader of anything, nor controller."""

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        """Somebody else has to be asked."""
        return None

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        """Nobody is told."""


NO_COPIES = NoCopies()
