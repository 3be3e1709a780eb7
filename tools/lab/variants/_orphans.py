"""Moves whose topic was deleted, in the memory of a controller that does not clear them."""

from klamm.controller.core.model import ClusterState, TopicPartition


class Orphans:
    """Remembers what was moving when its topic went."""

    def __init__(self) -> None:
        self.epoch = 0
        self.moving: set[TopicPartition] = set()
        self.orphans: set[TopicPartition] = set()

    def look(self, state: ClusterState) -> None:
        """Note what moves by now, and what of that has lost its topic; each office begins anew."""
        if state.epoch != self.epoch:
            self.epoch, self.moving, self.orphans = state.epoch, set(), set()
        self.orphans.update(name for name in self.moving if name.topic not in state.topics)
        self.moving = {name for name, _ in state.moving()}
