"""F02: a controller that takes over reads what is added as what is removed."""

import msgspec

from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.places import Place, locate
from klamm.controller.store.port import Znode
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import changing_data

_ADDING, _REMOVING = "adding_replicas", "removing_replicas"


class SwapsLists(Node):
    """A node that reads adding replicas as removing ones, and the other way round."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; of a topic's znode, in another form than was written."""
        return super().handle(now, changing_data(event, _swapped))


def _swapped(znode: Znode) -> bytes | None:
    if znode.data is None or locate(znode.path).place is not Place.TOPIC:
        return znode.data
    content = msgspec.json.decode(znode.data)
    if _ADDING not in content or _REMOVING not in content:
        return znode.data
    content[_ADDING], content[_REMOVING] = content[_REMOVING], content[_ADDING]
    return msgspec.json.encode(content)


VARIANT = Variant(
    id="F02",
    story="While Kafka 2.4 was being made, a client started a reassignment and the controller"
    " failed. The next one decoded the topic's znode with its two lists in the wrong order: what"
    " was being added counted as being removed. The target was therefore the origin, all of it in"
    " sync, and the move ended at once with the new replicas thrown away. The client had been told"
    " that its request was accepted. The fix names the lists where they are decoded.",
    reference="apache/kafka#7334, 8aff871b0da (2.4.0)",
    exposed_by="moves",
    node_factory=SwapsLists,
)
