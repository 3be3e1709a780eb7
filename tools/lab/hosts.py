"""What hosts need of each other: who has which id, who listens, and what became of messages."""

from __future__ import annotations

from klamm.controller.node.effects import Send
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.protocol.message import Message
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.events import Carried, Happened, Way
from klamm.tools.lab.network import Late
from klamm.tools.lab.nodes import FIRST_ID, NodeHost


class Hosts:
    """All machines of a world, by name and by id. `happened` is the present step."""

    now: float
    happened: Happened
    zookeeper: MemoryZookeeper
    cluster: Cluster
    nodes: dict[str, NodeHost]
    brokers: dict[int, BrokerHost]
    _requests = 0

    def next_request(self) -> int:
        """Number a request to a node."""
        self._requests += 1
        return self._requests

    def peer(self, id_: int) -> BrokerHost | NodeHost:
        """Return the host with this id."""
        broker = self.brokers.get(id_)
        return broker if broker is not None else self.nodes[self.name_of(id_)]

    def name_of(self, id_: int) -> str:
        """Return the name of the host with this id, "" if there is none."""
        broker = self.brokers.get(id_)
        if broker is not None:
            return broker.name
        name = f"n{id_ - FIRST_ID}"
        return name if name in self.nodes else ""

    def takes_requests(self, id_: int) -> bool:
        """Tell whether a process listens there and gets time."""
        return self.peer(id_).alive and not self.freezes(id_)

    def freezes(self, id_: int) -> bool:
        """Tell whether a process is there and gets no time."""
        peer = self.peer(id_)
        return isinstance(peer, NodeHost) and peer.frozen

    def carry_out(self, effects: Effects) -> None:
        """Make the requests of brokers' processes."""
        for id_, call in effects:
            self.brokers[id_].make(call)

    def unstall(self, broker: BrokerHost) -> None:
        """Let a broker fetch again."""
        broker.stalled = False
        self.carry_out(self.cluster.thaw(self.now, broker.id))

    def abandon(self, store: MemoryStore) -> None:
        """Break the connection of a process that has ended; its last requests may be served."""
        if store.connected:
            self.zookeeper.disconnect(store, late=self.zookeeper.knows(store))

    def leave_late(self, source: str, send: Send) -> None:
        """Leave a request with a host whose connection has ended before it was read."""
        peer = self.peer(send.broker.id)
        if peer.alive:
            peer.late.append(Late(source, send))

    def taken(self, source: str, target: str, send: Send, way: Way = Way.TAKEN) -> None:
        """Note that a request was taken in."""
        self.happened.messages.append(
            Carried(way, source, target, send.send, send.version, send.message)
        )

    def carried(
        self, way: Way, source: str, id_: int, send: Send, message: Message | None = None
    ) -> None:
        """Note what became of a request to a host, or of its response."""
        shown = send.message if message is None else message
        self.happened.messages.append(
            Carried(way, source, self.name_of(id_), send.send, send.version, shown)
        )
