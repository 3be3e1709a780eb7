"""What may be looked at of a node between two turns, by those who answer for it."""

from typing import Protocol

from klamm.controller.core.model import ClusterState
from klamm.controller.node.copies import Copies
from klamm.controller.node.outlook import View


class HasState(Protocol):
    """What the service looks at: a node, whose state is a value between two turns."""

    @property
    def doubtful(self) -> bool:
        """Tell whether the node may be controller no more, for it cannot hear ZooKeeper."""

    @property
    def view(self) -> View:
        """What a node out of office sees in ZooKeeper."""

    @property
    def office_epoch(self) -> int:
        """The epoch of the office that the node holds, though it may still be loading; else 0."""

    @property
    def registration_epoch(self) -> int:
        """The epoch by which controllers call this life of the node."""

    @property
    def state(self) -> ClusterState | None:
        """The cluster if this node is the active controller, else None."""


class HasCopies(Protocol):
    """As above, to tell how far followers have come."""

    @property
    def state(self) -> ClusterState | None:
        """The cluster if this node is the active controller, else None."""

    @property
    def copies(self) -> Copies:
        """What it has heard, and what it was asked for."""
