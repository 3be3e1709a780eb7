"""What a watcher may look at of a world: more than any node knows, and nothing else."""

from collections.abc import Mapping
from typing import Protocol

from klamm.controller.node import Node
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.storage import Disks
from klamm.tools.lab.events import Happened


class SeenNode(Protocol):
    """What is looked at of a controller node: None as `node` or `store` if the process is gone."""

    @property
    def node(self) -> Node | None:
        """The node itself."""

    @property
    def store(self) -> MemoryStore | None:
        """Its session with ZooKeeper."""

    @property
    def frozen(self) -> bool:
        """Tell whether it gets no time."""

    @property
    def idle(self) -> bool:
        """Tell whether nothing waits for it, or is on its way between it and ZooKeeper."""


class SeenBroker(Protocol):
    """What is looked at of a broker: its process, None while it is down, and its disks."""

    @property
    def model(self) -> BrokerModel | None:
        """The process."""

    @property
    def disks(self) -> Disks:
        """What outlives it."""


class Seen(Protocol):
    """What is looked at of a world."""

    @property
    def zookeeper(self) -> MemoryZookeeper:
        """The ensemble."""

    @property
    def nodes(self) -> Mapping[str, SeenNode]:
        """The controller nodes, by name."""

    @property
    def brokers(self) -> Mapping[int, SeenBroker]:
        """The brokers, by id."""


def node_of(world: Seen, happened: Happened) -> str:
    """Return the node whose inputs these are: it acts, or a fault is about it; "" for several."""
    if happened.actor in world.nodes:
        return happened.actor
    return next((word for word in happened.action.split() if word in world.nodes), "")


def is_still(happened: Happened) -> bool:
    """What ZooKeeper carries out, and an answer that arrives, change nothing within a host."""
    return happened.actor == "zk" or " answers " in happened.action
