"""A whole cluster in one value: nodes, brokers, ZooKeeper, clients, clocks, and what is on its way.

Everything that happens is one action of one of four lists: regular ones, clients' requests, faults,
and time. `step` lets the choices pick one, `do` does the one of a given name, `settle` and `until`
do regular ones in their order: that is how exhibits tell a story. After each action `events` has
one more entry, and the invariants have been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from klamm.controller.core.ops import Op
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths
from klamm.tools.brokers.cluster import Cluster
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.lab import actions, clients, faults, healing
from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.choices import DETAIL, Action, Choices, Enumerator
from klamm.tools.lab.clients import Asked, AskFor, Clients
from klamm.tools.lab.events import Happened, Violation
from klamm.tools.lab.hosts import Hosts
from klamm.tools.lab.invariants import check
from klamm.tools.lab.nodes import NodeHost
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.recording import RecordingTree
from klamm.tools.lab.scope import SETTLES, Scope
from klamm.tools.lab.variant import Variant

#: Regular actions after which something turns in circles.
_MOST_ACTIONS = 50_000


class NotPossibleError(LookupError):
    """An action of this name is not possible now; the text lists those that are."""


class World(Hosts):
    """A cluster of the scope's size, with its topics in place and n1 in office.

    `variant` puts a bug in. `script` has the names of all actions done since the opening, and the
    details chosen for them. `violation` is the first one found, if they are `checked` for.
    """

    checked = True

    def __init__(self, scope: Scope, choices: Choices, variant: Variant | None = None) -> None:
        self.scope, self.variant = scope, variant
        self.choices: Choices = Enumerator()
        self.now = 0.0
        self.zookeeper = MemoryZookeeper()
        self.tree = RecordingTree()
        self.zookeeper.tree = self.tree
        model = BrokerModel if variant is None else variant.broker
        self.cluster = Cluster(scope.bandwidth, scope.produce_rate, model, scope.copy_rate)
        self.clients = Clients()
        self.events: list[Happened] = []
        self.script: list[str] = []
        self.observed = Observed()
        self.violation: Violation | None = None
        self.recoveries = scope.recoveries
        self.faults_left = dict(scope.faults)
        self.asks_left = scope.asks_most
        # Steps of the opening are numbered from below, so that the first one after it is step 1.
        self._steps = -_MOST_ACTIONS
        self.happened = self._begin("opening")
        self.nodes = {}
        self.brokers = {}
        self._open()
        self.choices = choices

    def _open(self) -> None:
        """Start everything, brokers after the controller, and let the topics be created."""
        scope = self.scope
        for number in range(1, scope.nodes + 1):
            node = NodeHost(self, number)
            self.nodes[node.name] = node
            node.open_session()
            self.settle()
        for number in range(1, scope.brokers + 1):
            self.brokers[number] = BrokerHost(self, number)
            self.settle()
        for topic, assignment in scope.topics.items():
            asked = self.ask("n1", clients.create(topic, assignment))
            self.settle()
            if paths.topic(topic) not in self.tree.nodes:
                raise ValueError(f"{scope.name}: topic {topic} was refused: {asked.responses}")
        self.advance(1.0)
        self.clients.requests.clear()
        for name in scope.opening:
            if name == SETTLES:
                self.settle()
            else:
                self.do(name)
        self.events.clear()
        self.script.clear()
        self._steps = 0

    # --- acting ----------------------------------------------------------------------------------

    def regular(self) -> Sequence[Action]:
        """Return what would happen by itself, sooner or later."""
        return actions.regular(self)

    def asks(self) -> Sequence[Action]:
        """Return what clients may ask for: of any node that has a process."""
        if self.asks_left <= 0:
            return ()
        return [
            Action(f"client asks {node.name}: {what.name}", 1, self._ask_once, (node, what))
            for node in self.nodes.values()
            if node.alive
            for what in self.scope.asks
        ]

    def faults(self) -> Sequence[Action]:
        """Return the faults that the scope still allows."""
        return faults.offered(self, self.faults_left)

    def clock(self) -> Sequence[Action]:
        """Return the passing of time, if anything is ever due."""
        return (Action("time passes", 1, self._pass_time),)

    def step(self) -> Action | None:
        """Let the choices pick an action, and do it; None if they are at an end."""
        action = self.choices.next(self)
        if action is not None:
            self._do(action)
        return action

    def do(self, name: str, **details: str) -> Happened:
        """Do the action of this name; faults need no leave. Raises NotPossibleError.

        `details` answer what the action leaves open, by label, with _ for a space.
        """
        lists = (self.regular, self.clock, self.asks, lambda: faults.offered(self, None))
        for offers in lists:
            for action in offers():
                if action.name == name:
                    chosen, self.choices = self.choices, _Told(details)
                    try:
                        return self._do(action)
                    finally:
                        self.choices = chosen
        possible = ", ".join(action.name for offers in lists for action in offers())
        raise NotPossibleError(f"{name!r} is not possible now; these are: {possible}")

    def can(self, name: str) -> bool:
        """Tell whether a regular action of this name is possible."""
        return any(action.name == name for action in self.regular())

    def settle(self, *, but: Callable[[str], bool] | None = None) -> None:
        """Do regular actions until there are none; `but` names those that must not happen.

        What comes back by itself after a failure does not, here.
        """
        self.until(lambda: False, but=but)

    def until(
        self,
        reached: Callable[[], bool],
        *,
        but: Callable[[str], bool] | None = None,
        turns_last: bool = False,
    ) -> bool:
        """Do regular actions until something is reached; return whether it was.

        With `turns_last` nodes are given all that can arrive before each turn of theirs.
        """
        kept, self.recoveries = self.recoveries, False
        try:
            for _ in range(_MOST_ACTIONS):
                if reached():
                    return True
                if but is None:
                    action = actions.first(self, turns_last)
                else:
                    action = self._first_but(but, turns_last)
                if action is None:
                    return False
                self._do(action)
        finally:
            self.recoveries = kept
        raise RuntimeError(f"no rest after {_MOST_ACTIONS} actions, the last: {self.script[-8:]}")

    def _first_but(self, but: Callable[[str], bool], turns_last: bool) -> Action | None:
        possible = [action for action in actions.regular(self) if not but(action.name)]
        arrivals = (it for it in possible if not (turns_last and it.name.endswith(actions.TURN)))
        return next(arrivals, possible[0] if possible else None)

    def advance(self, seconds: float) -> None:
        """Let so much time pass, and everything settle at each moment when something is due."""
        end = self.now + seconds
        while self.now < end:
            due = min(self._due(), end)
            self._do(Action("time passes", 1, self._let_pass, (due,)))
            self.settle()

    def ask(self, node: str, what: AskFor) -> Asked:
        """Let a client ask something of a node."""
        host = self.nodes[node]
        self._do(Action(f"client asks {node}: {what.name}", 1, self._ask, (host, what)))
        return self.clients.requests[-1]

    def write(self, name: str, *ops: Op) -> Applied:
        """Let a tool that is no part of the cluster write znodes; raises ValueError if it fails."""
        done: list[Applied] = []
        self._do(Action(f"tool: {name}", 1, self._write, (ops, done)))
        return done[0]

    def choose(self, label: str, options: Sequence[str]) -> str:
        """Have a detail of the present action chosen, and write it down."""
        option = self.choices.choose(label, options)
        detail = f"{label}: {option}"
        self.script.append(f"{DETAIL}{detail}")
        self.happened.details.append(detail)
        return option

    def _do(self, action: Action) -> Happened:
        self._steps += 1
        self.script.append(action.name)
        happened = self.happened = self._begin(action.name)
        self.events.append(happened)
        try:
            action.call(*action.args)
        finally:
            happened.znodes = self.tree.take()
        if self.checked and self.violation is None:
            self.violation = check(self, happened)
        return happened

    def _begin(self, name: str) -> Happened:
        return Happened(self._steps, self.now, _actor(name), name)

    # --- time ------------------------------------------------------------------------------------

    def _due(self) -> float:
        timers = (node.due() for node in self.nodes.values())
        return min([self.cluster.deadline, *(due for due in timers if due is not None)])

    def pass_time(self) -> None:
        """Let time pass until something is due."""
        self._do(self.clock()[0])

    def _pass_time(self) -> None:
        self._let_pass(max(self.now, self._due()))

    def _let_pass(self, now: float) -> None:
        self.now = self.happened.now = now
        self.zookeeper.advance(int(now * 1000))
        for node in self.nodes.values():
            node.run_timers(now)
        self.carry_out(self.cluster.advance(now))

    # --- clients and tools -----------------------------------------------------------------------

    def _ask_once(self, node: NodeHost, what: AskFor) -> None:
        self.asks_left -= 1
        self._ask(node, what)

    def _ask(self, node: NodeHost, what: AskFor) -> None:
        asked = self.clients.ask(node.name, what, self._steps)
        self.happened.asked.append(asked)
        node.desk.ask(asked)

    def _write(self, ops: Sequence[Op], done: list[Applied]) -> None:
        applied = self.zookeeper.write(ops)
        if not isinstance(applied, Applied):
            raise ValueError(f"operation {applied.index} of {ops} failed: {applied.error}")
        done.append(applied)

    # --- the end ---------------------------------------------------------------------------------

    def heal(self) -> None:
        """Let everything that failed come back, and nothing more go wrong or be asked for."""
        self._do(Action("heal", 1, healing.heal, (self,)))


class _Told:
    """The choices of a script's author."""

    def __init__(self, details: dict[str, str]) -> None:
        self._details = {label.replace("_", " "): option for label, option in details.items()}

    def next(self, offers: object) -> Action | None:
        """Nothing: the author names the actions."""
        return None

    def choose(self, label: str, options: Sequence[str]) -> str:
        """Return what the author says, or else the first option."""
        option = self._details.get(label, options[0])
        if option not in options:
            raise NotPossibleError(f"{label}: {option!r} is none of {', '.join(options)}")
        return option


@lru_cache(maxsize=1024)
def _actor(name: str) -> str:
    """Return who acts, by the name of the action."""
    return name.partition(" ")[0].rstrip(":")
