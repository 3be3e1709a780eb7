"""Variants: the controller, or the brokers, with one bug put back in.

The product has no switch for a bug. A variant replaces a part from outside: the class of nodes
(which may have another table of transitions, or wrap `handle`), what decides over the causes of a
turn, a field of the rules, what answers requests, or the model of brokers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from klamm.controller.core.decide import decide
from klamm.controller.core.rules import Rules
from klamm.controller.handlers.table import HANDLERS, Handler
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.turns import Decide
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.settings import BrokerSettings
from klamm.tools.brokers.storage import Disks

#: As what exposes a variant: the `SCRIPT` of its own module, an `exhibit.Case` of the product.
OWN_SCRIPT = "script"

#: Makes a node of its configuration and of what decides in it.
NodeFactory = Callable[[NodeConfig, Decide], Node]
#: Makes a broker's process of its settings, on its disks, at a time.
BrokerFactory = Callable[[BrokerSettings, Disks, float], BrokerModel]


def same_rules(rules: Rules) -> Rules:
    """Leave the rules as they are."""
    return rules


@dataclass(frozen=True, slots=True)
class Variant:
    """One bug.

    `id` is its row in the catalogue, such as "F33" or "H7". `story` says in a few sentences what
    goes wrong and why, `reference` where it comes from, `exposed_by` what shows it: an exhibit
    ("E8"), a scope, whose seeds are tried from 0, or a script of its own (`OWN_SCRIPT`).
    `nodes` names the nodes that have it, such as ("n2",); none means all. Whatever is put in must
    be importable by name, so that a world can be pickled: functions and classes of a module, no
    lambdas.
    """

    id: str
    story: str
    reference: str
    exposed_by: str
    node_factory: NodeFactory = Node
    decide: Decide = decide
    rules: Callable[[Rules], Rules] = same_rules
    broker: BrokerFactory = BrokerModel
    handlers: Mapping[int, Handler] = field(default_factory=lambda: HANDLERS)
    nodes: tuple[str, ...] = ()

    def concerns(self, node: str) -> bool:
        """Tell whether a node has the bug."""
        return not self.nodes or node in self.nodes
