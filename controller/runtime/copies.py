"""What a klamm node tells of copies: what it has heard while it is controller."""

from collections.abc import Callable

from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.copies import UNKNOWN, ReplicaStatus
from klamm.controller.node import Now
from klamm.controller.node.inputs import ProgressHeard
from klamm.controller.runtime.looks import HasCopies


class HeardCopies:
    """The port of requests 17903 and 17905 to a node; `post` hands it what was told."""

    def __init__(
        self, node: HasCopies, post: Callable[[ProgressHeard], None], clock: Callable[[], Now]
    ) -> None:
        self._node = node
        self._post = post
        self._clock = clock

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        """Return what was last heard of a replica; of the ISR there is always news."""
        state = self._node.state
        partition = state.partition(name) if state else None
        if partition is None:
            return None
        now_ms = self._clock().wall_ms
        if broker == partition.leader:
            return ReplicaStatus(now_ms, now_ms, UNKNOWN, 0, 0)
        member = partition.leadership is not None and broker in partition.leadership.isr
        known = self._node.copies.of(name).get(broker)
        if known is None:
            return ReplicaStatus(now_ms, now_ms if member else UNKNOWN)
        in_sync_ms = known.at_ms if member else known.in_sync_ms
        return ReplicaStatus(known.at_ms, in_sync_ms, known.fetched_ms, known.lag, known.max_lag)

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        """Hand it to the node, as of now."""
        self._post(ProgressHeard(reports, self._clock().wall_ms))
