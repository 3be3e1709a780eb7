"""A world that is measured: the lab's own, with a meter at its clock and its topic znodes."""

from __future__ import annotations

from collections.abc import Callable

from klamm.controller.core.model import TopicPartition
from klamm.controller.node.places import Place, locate
from klamm.controller.znodes.state import StateZnode, decode_state
from klamm.controller.znodes.topic import TopicZnode, decode_topic
from klamm.protocol.message import Message
from klamm.tools.lab.choices import Action, Enumerator
from klamm.tools.lab.clients import AskFor
from klamm.tools.lab.events import Happened
from klamm.tools.lab.evidence.meter import Meter
from klamm.tools.lab.evidence.site import Site
from klamm.tools.lab.world import World

_TIME = "time passes"


class MeteredWorld(World):
    """The world of a site, in which its producers write; `n1` is the controller.

    The lab's invariants are checked only if that is asked for: it takes longer than all the rest.
    `states` and `topics` are what ZooKeeper has; `ended_at` is when a move was last written there,
    `joined` when a replica came into the ISR. `acted`, which is the meter's, says that something
    has happened but for time that passed.
    """

    #: Makes the meter.
    metering: Callable[[Site, float], Meter] = Meter

    def __init__(self, site: Site, *, checked: bool = False) -> None:
        self.site = site
        self.meter: Meter | None = None
        self.checked = checked
        self.acted = True
        self.ended_at = 0.0
        self.joined: dict[tuple[TopicPartition, int], float] = {}
        self.states: dict[TopicPartition, StateZnode] = {}
        self.topics: dict[str, TopicZnode] = {}
        super().__init__(site.scope(), Enumerator())
        for name, rate in site.rates.items():
            self.carry_out(self.cluster.produce(self.now, rate, name))
        self.settle()
        self.meter = self.metering(site, self.now)

    @property
    def metered(self) -> Meter:
        """Return the meter, which is there when the world is."""
        assert self.meter is not None, "it begins when all topics are there"
        return self.meter

    @property
    def moving(self) -> bool:
        """Tell whether any move is under way."""
        return any(topic.adding or topic.removing for topic in self.topics.values())

    def told(self, what: AskFor) -> Message:
        """Let a client ask the controller, and return the answer; raises LookupError for none."""
        asked = self.ask("n1", what)
        self.settle()
        if not asked.responses:
            raise LookupError(f"n1 has not answered {what.name}")
        return asked.responses[0]

    def hop(self, end: float) -> None:
        """Let time pass until something is due, or until `end`, and everything settle then."""
        # Nobody reads the trace of a run that takes an hour.
        self.events.clear()
        self.script.clear()
        self.clients.requests.clear()
        self._do(Action(_TIME, 1, self._let_pass, (min(self._due(), end),)))
        self.settle()

    def _let_pass(self, now: float) -> None:
        if self.meter is None:
            super()._let_pass(now)
            return
        self.meter.elapse(self, now - self.now)
        super()._let_pass(now)
        self.meter.passed(self)

    def _due(self) -> float:
        due = super()._due()
        return due if self.meter is None else min(due, self.meter.next_look)

    def _do(self, action: Action) -> Happened:
        happened = super()._do(action)
        self.acted |= action.name != _TIME
        for change in happened.znodes:
            if change.after is not None:
                self._written(change.path, change.after.data)
        return happened

    def _written(self, path: str, data: bytes | None) -> None:
        place = locate(path)
        if place.partition is not None:
            self._led(place.partition, decode_state(data, path))
        elif place.place is Place.TOPIC:
            self.ended_at = self.now
            topic = self.topics[place.topic] = decode_topic(data, path)
            if self.meter is not None:
                self.meter.assigned(self, place.topic, topic)

    def _led(self, name: TopicPartition, state: StateZnode) -> None:
        known = self.states.get(name)
        before = known.isr if known is not None else ()
        for member in state.isr:
            if member not in before:
                self.joined[name, member] = self.now
        self.states[name] = state
