"""D1: a controller that takes over knows the lists of what moves by other names."""

import msgspec

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.places import Place, locate
from klamm.controller.store.port import Znode
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import changing_data

_CAMEL_CASE = ("addingReplicas", "removingReplicas")
_SNAKE_CASE = ("adding_replicas", "removing_replicas")


class KnowsOtherNames(Node):
    """A node that knows AR and RR by the spelling that the others do not write."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; of a topic's znode, without what it has no name for."""
        unknown = _CAMEL_CASE if self.config.rules.camel_case else _SNAKE_CASE
        return super().handle(now, changing_data(event, lambda znode: _without(znode, unknown)))


def _without(znode: Znode, unknown: tuple[str, ...]) -> bytes | None:
    if znode.data is None or locate(znode.path).place is not Place.TOPIC:
        return znode.data
    content = msgspec.json.decode(znode.data)
    return msgspec.json.encode({key: content[key] for key in content if key not in unknown})


VARIANT = Variant(
    id="D1",
    story="KIP-455 calls the lists of what moves `addingReplicas` and `removingReplicas`; Kafka has"
    " written `adding_replicas` and `removing_replicas` ever since 2.4.0. A controller made after"
    " the text of the KIP takes over from one that is Kafka's, or the other way round, and finds no"
    " such lists. It believes that nothing moves: replicas old and new all stay, and nobody is told"
    " that the move was forgotten. klamm reads both spellings, and writes Kafka's unless the"
    " profile is the KIP's.",
    reference='KIP-455, "ZooKeeper Changes"; apache/kafka#7458, 4c01668f772 (2.4.0)',
    exposed_by="E2",
    node_factory=KnowsOtherNames,
    nodes=("n2",),
)
