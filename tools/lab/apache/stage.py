"""A world with one controller that ends at a given effect, and another that takes over from it.

Everything that happens by itself does so in one fixed order: the same scenario gives the same
effects each time, and a run can be ended before or after any one of them.
"""

from collections.abc import Mapping
from functools import partial
from typing import Self

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import Commit, Effect, Reply, Send
from klamm.controller.node.inputs import Input
from klamm.controller.node.turns import Decide
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.clients import Asked, AskFor
from klamm.tools.lab.copies import packed
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.world import World

#: The controller that is killed.
FIRST = "n1"
#: Bytes of a partition, and bytes per second that a broker copies: a copy takes a second.
PARTITION_BYTES = 1_000

#: Seconds in which everything that is due must have been done: copies, retries, notices.
_SETTLED_SECONDS = 30.0

#: More than ten times what any scenario takes.
_MOST_EVENTS = 10_000

#: An effect that reaches the outside.
Outside = Commit | Send | Reply


class NoRestError(Exception):
    """Things go on happening for ever."""


class Mortal(Node):
    """A node that can be told to end before its effect `ends_at`, or after it if `after`.

    Effects are counted from 0, and only those that reach the outside, as `outside` has them.
    """

    ends_at = -1
    after = False
    ended = False
    #: None: they are not counted yet.
    outside: list[Outside] | None = None

    def watch(self) -> None:
        """Begin to count, from 0."""
        self.outside = []

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """As a node; what comes after its end is undone."""
        if self.ended:
            return ()
        effects = super().handle(now, event)
        for place, effect in enumerate(effects):
            if self.outside is None or not isinstance(effect, Outside):
                continue
            self.ended = len(self.outside) == self.ends_at
            if self.ended and not self.after:
                return effects[:place]
            self.outside.append(effect)
            if self.ended:
                return effects[: place + 1]
        return effects


def _node(decides: Mapping[int, Decide], config: NodeConfig, _: Decide) -> Node:
    return Mortal(config, decide_over=decides[config.node_id])


class Stage:
    """`replicas` are those of t-0; `first` decides in the first controller, `second` in the other.

    As many `brokers` are there, b1, b2, ..., and the first controller is in office.
    """

    def __init__(
        self,
        replicas: tuple[int, ...],
        first: Decide,
        second: Decide,
        protocol: InterBrokerProtocol = DEFAULT,
        rules: Rules = APACHE_3_9,
        brokers: int = 5,
    ) -> None:
        self.brokers = range(1, brokers + 1)
        scope = Scope(
            "crash-points",
            "One partition, and a controller that is killed.",
            brokers=brokers,
            topics={"t": {0: replicas}},
            protocol=protocol,
            rules=rules,
            partition_bytes=PARTITION_BYTES,
            bandwidth=PARTITION_BYTES,
            recoveries=False,
        )
        # Nodes have the numbers 901, 902, ...
        make = partial(_node, {901: first, 902: second})
        variant = Variant("crash-points", scope.story, "", "crash-points", node_factory=make)
        self.world = World(scope, Enumerator(), variant)

    def copy(self) -> Self:
        """Return another that is the same."""
        copied: Self = packed(self).unpacked()
        return copied

    @property
    def outside(self) -> tuple[Outside, ...]:
        """The effects of the first controller that were counted."""
        return tuple(self.controller.outside or ())

    @property
    def controller(self) -> Mortal:
        """The first controller, while it lives."""
        node = self.world.nodes[FIRST].node
        if not isinstance(node, Mortal):
            raise LookupError(f"{FIRST} has ended")
        return node

    # --- what is done --------------------------------------------------------------------------

    def ask(self, what: AskFor) -> Asked:
        """Let a client ask the controller."""
        return self.world.ask(FIRST, what)

    def stall(self, *brokers: int) -> None:
        """Let these brokers copy nothing until `go_on`, or until everything heals."""
        for broker in brokers:
            self.world.do(f"stall b{broker}")

    def go_on(self, *brokers: int) -> None:
        """Let them copy again."""
        for broker in brokers:
            self.world.unstall(self.world.brokers[broker])

    def stop(self, broker: int) -> None:
        """End a broker's process, and its session with it, until everything heals."""
        host = self.world.brokers[broker]
        self.world.do(f"kill {host.name}")
        self.world.do(f"zk expires session {host.former[-1].session} of {host.name}")

    # --- driving -------------------------------------------------------------------------------

    def settle(self) -> None:
        """Let everything happen that is due soon, or until the controller has come to its end.

        Raises NoRestError.
        """
        world = self.world
        end = world.now + _SETTLED_SECONDS
        while not world.until(self._is_over) and world.now < end:
            world.pass_time()

    def _is_over(self) -> bool:
        if len(self.world.events) > _MOST_EVENTS:
            raise NoRestError(f"no rest after {_MOST_EVENTS} events")
        node = self.world.nodes[FIRST].node
        return isinstance(node, Mortal) and node.ended

    def kill(self) -> None:
        """End the first controller. What it has sent arrives; a write under way only if `after`."""
        written = self.controller.after
        self.world.do(f"crash {FIRST}")
        self.world.settle(but=lambda name: "late" not in name or ("zk" in name and not written))

    def heal(self) -> None:
        """Let all that was stopped or stalled come back."""
        self.world.heal()

    # --- what is seen --------------------------------------------------------------------------

    def data(self, path: str) -> bytes | None:
        """Return a znode's data, b"" if it has none, or None if there is no such znode."""
        znode = self.world.tree.nodes.get(path)
        return None if znode is None else znode.data or b""
