"""Hosts of controller nodes: what a driver is in production, as data that steps change.

A host carries out what the real `Node` asks for, in the order given, and hands it what has
arrived; `World` decides when.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from klamm.controller.core.model import Broker, Endpoint
from klamm.controller.handlers.table import HANDLERS, Handler
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import Effect, Send
from klamm.controller.node.inputs import (
    BrokerAnswer,
    Input,
    Timer,
    Turn,
    Woke,
)
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import StoreEvent
from klamm.protocol.message import Message
from klamm.tools.lab.carrying import carry_out
from klamm.tools.lab.desk import Desk
from klamm.tools.lab.events import Way
from klamm.tools.lab.network import Late, Link
from klamm.tools.lab.sessions import HostSession

if TYPE_CHECKING:
    from klamm.tools.lab.world import World

#: A node's id is its number and this.
FIRST_ID = 900
#: As in `klamm.controller.runtime.driver`, which knows trio and is not for worlds without time.
_STANDSTILL_SHARE = 1 / 2
_WALL_MS = 1_700_000_000_000


class NodeHost:
    """The machine of one node, on which processes of it run one after the other.

    `node` is the present process, None while there is none; a `frozen` one gets no time. `former`
    are sessions whose end the servers have not seen yet. `lives` counts the processes.
    """

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.name = f"n{number}"
        self.id = FIRST_ID + number
        scope, variant = world.scope, world.variant
        self._variant = variant if variant is not None and variant.concerns(self.name) else None
        rules = self._variant.rules(scope.rules) if self._variant else scope.rules
        endpoint = Endpoint("PLAINTEXT", "PLAINTEXT", self.name, 9092)
        self.config = NodeConfig(
            self.id,
            (endpoint,),
            rules=rules,
            protocol=scope.protocol,
            leader_moves_in_flight=scope.leader_moves_in_flight,
            auto_leader_rebalance=scope.auto_leader_rebalance,
        )
        self.itself = Broker(self.id, -1, (endpoint,))
        self.frozen_at = 0.0
        self.lives = 0
        self.skew_ms = 0
        self.former: list[MemoryStore] = []
        self.late: deque[Late] = deque()
        self.start()

    # --- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start a process, which knows nothing of the ones before."""
        made = self._variant
        self.node: Node | None = (
            made.node_factory(self.config, made.decide) if made else Node(self.config)
        )
        self.inbox: deque[Any] = deque()
        #: What the node has asked for and is not carried out, while it stands still in its turn.
        self.undone: deque[Effect] = deque()
        self.timers: dict[str, float] = {}
        self.links: dict[int, Link] = {}
        self.desk = Desk(self)
        self.session: HostSession | None = None
        self.frozen = False
        self.lives += 1
        self.started_at = self.world.now

    @property
    def handlers(self) -> Mapping[int, Handler]:
        """What answers requests, by API key."""
        return self._variant.handlers if self._variant else HANDLERS

    def open_session(self) -> None:
        """Open a session; a process does so when it starts and when it has given one up."""
        self.session = HostSession(self.world.zookeeper, self)

    def crash(self) -> None:
        """End the process: its connections break, its session goes on for a while."""
        for id_ in sorted(self.links):
            self.close_link(id_)
        self.node = None
        self.frozen = False
        if self.session is not None:
            store, self.session = self.session.store, None
            self.world.abandon(store)
            self.former.append(store)
        self.inbox.clear()
        self.undone.clear()
        self.timers.clear()
        self.late.clear()
        self.desk.close()

    @property
    def alive(self) -> bool:
        """Tell whether a process runs."""
        return self.node is not None

    @property
    def idle(self) -> bool:
        """Tell whether nothing waits for it, or is on its way between it and ZooKeeper.

        Who has not noticed the end of its session, or whose server lags, has that before it.
        """
        store, zookeeper = self.store, self.world.zookeeper
        if store is None or not store.connected or self.inbox or self.undone:
            return False
        if zookeeper.lags(store) or not zookeeper.knows(store):
            return False
        return not (store.outgoing or store.incoming)

    @property
    def store(self) -> MemoryStore | None:
        """The store of the present session."""
        return self.session.store if self.session is not None else None

    @property
    def now(self) -> Now:
        """Both clocks of the machine."""
        seconds = self.world.now - self.started_at
        return Now(seconds, _WALL_MS + self.skew_ms + int(self.world.now * 1000))

    # --- turns -----------------------------------------------------------------------------------

    def turn(self, most_effects: int | None = None, freeze: bool = False) -> None:
        """Hand over all that has arrived and then the Turn, and carry out what is asked for.

        With `most_effects` the process ends after so many effects, or stands still if `freeze`:
        then it goes on with the next effect when it wakes, before it looks at anything else.
        """
        happened, node, now = self.world.happened, self.node, self.now
        assert node is not None, f"no process of {self.name} runs"
        event: Input | None = None
        while True:
            while self.undone:
                if most_effects is not None and len(happened.effects) >= most_effects:
                    self._stop(freeze)
                    return
                effect = self.undone.popleft()
                happened.effects.append(effect)
                carry_out(self, effect)
            if isinstance(event, Turn):
                break
            event = self.inbox.popleft() if self.inbox else Turn()
            happened.inputs.append(event)
            self.undone.extend(node.handle(now, event))
        if most_effects is not None:
            self._stop(freeze)

    def _stop(self, freeze: bool) -> None:
        if freeze:
            self.freeze()
        else:
            self.world.happened.undone += self.undone
            self.crash()

    def freeze(self) -> None:
        """Let the process stand still."""
        self.frozen, self.frozen_at = True, self.world.now

    def wake(self) -> None:
        """Let it go on; it notices a long standstill by the clock (see the driver's `look_up`).

        Its session ends at the servers only after its timeout, whatever the world's clock says.
        """
        self.frozen = False
        store = self.store
        if store is None or not store.connected:
            return
        timeout = store.timeout_ms / 1000
        seconds = self.world.now - self.frozen_at
        if not self.world.zookeeper.knows(store):
            seconds = max(seconds, timeout)
        if seconds > timeout * _STANDSTILL_SHARE:
            self.inbox.appendleft(Woke(seconds))

    def opened(self) -> MemoryStore:
        """Return the store of the present session; raises RuntimeError if there is none."""
        if self.session is None:
            raise RuntimeError(f"{self.name} uses the store between two sessions")
        return self.session.store

    def resign(self) -> None:
        """Close all links and the session."""
        for id_ in sorted(self.links):
            self.close_link(id_)
        self.inbox = deque(event for event in self.inbox if not isinstance(event, StoreEvent))
        if self.session is not None:
            store, self.session = self.session.store, None
            store.close()
            self.former.append(store)

    def due(self) -> float | None:
        """When its next timer, or the time of a request, runs out; None if it cannot notice."""
        if not self.alive or self.frozen:
            return None
        return min((*self.timers.values(), *self.desk.deadlines.values()), default=None)

    def run_timers(self, now: float) -> None:
        """Let timers run out that are due, the earliest first, and the time of requests."""
        if not self.alive or self.frozen:
            return
        self.desk.expire(now)
        for name in sorted(
            (name for name, at in self.timers.items() if at <= now),
            key=lambda name: (self.timers[name], name),
        ):
            del self.timers[name]
            self.inbox.append(Timer(name))

    # --- links -----------------------------------------------------------------------------------

    def send(self, send: Send) -> None:
        """Put a request on the link to a broker, or on a new one if that has started again."""
        link = self.links.get(send.broker.id)
        if link is None or link.broker != send.broker:
            self.close_link(send.broker.id)
            link = self.links[send.broker.id] = Link(send.broker)
        link.queue.append(send)
        self.world.carried(Way.SENT, self.name, send.broker.id, send)

    def close_link(self, id_: int) -> None:
        """End the connection to a broker, if there is one; what is on it is lost."""
        link = self.links.pop(id_, None)
        if link is None:
            return
        unread = link.next
        if unread is not None:
            self.world.leave_late(self.name, unread)
        for send in filter(None, (link.answered, *link.queue)):
            self.world.carried(Way.LOST, self.name, id_, send)

    def hear(self, id_: int) -> None:
        """Take the answer of a broker that is on its way."""
        link = self.links[id_]
        send, answer = link.answered, link.answer
        assert send is not None and answer is not None, f"{id_} has not answered {self.name}"
        link.answered = link.answer = None
        self.world.carried(Way.ANSWERED, self.world.name_of(id_), self.id, send, answer)
        self.inbox.append(BrokerAnswer(id_, send.broker.epoch, send.send, answer))

    def lose(self, id_: int) -> None:
        """Lose the connection to a broker and learn that no answer will come."""
        link = self.links[id_]
        unread = link.next
        send = link.end()
        if send is None:
            return
        if unread is not None:
            self.world.leave_late(self.name, unread)
        self.world.carried(Way.LOST, self.name, id_, send)
        self.inbox.append(BrokerAnswer(id_, send.broker.epoch, send.send, None))

    def answer(self, request: Message, version: int) -> Message:
        """Answer a controller, to whom a node is a broker without replicas."""
        return self.desk.answer(request)

    def take_late(self) -> None:
        """Take in a request whose connection has ended."""
        late = self.late.popleft()
        send = late.send
        self.answer(send.message, send.version)
        self.world.taken(late.source, self.name, send, Way.LATE)
