"""D2: a controller of the time before KIP-455 takes over, which knows topics by version 1."""

from dataclasses import replace

import msgspec

from klamm.controller.core.ops import Op, SetData
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Commit, Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.places import Place, locate
from klamm.controller.store.port import Znode
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants._ways import changing_data


class KnowsVersion1(Node):
    """A node that reads and writes nothing of a topic but the replicas of its partitions."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, as every node does."""
        return tuple(
            replace(effect, ops=tuple(map(_written, effect.ops)))
            if isinstance(effect, Commit)
            else effect
            for effect in super().handle(now, changing_data(event, _read))
        )


def _read(znode: Znode) -> bytes | None:
    if znode.data is None or locate(znode.path).place is not Place.TOPIC:
        return znode.data
    return _version_1(znode.data)


def _written(op: Op) -> Op:
    if not isinstance(op, SetData) or locate(op.path).place is not Place.TOPIC:
        return op
    return replace(op, data=_version_1(op.data or b"{}"))


def _version_1(data: bytes) -> bytes:
    content = msgspec.json.decode(data)
    return msgspec.json.encode({"version": 1, "partitions": content.get("partitions", {})})


VARIANT = Variant(
    id="D2",
    story="Version 1 of a topic's znode has the replicas of its partitions and no more; KIP-455"
    " made it 2, with what moves, and Kafka 2.8 made it 3, with the topic's id. Nobody looks at the"
    " number. So a controller of before takes over, as in a rolling downgrade, reads what it knows,"
    " and with its first write drops the rest: the move, the id, and whatever else stood there."
    " klamm keeps keys that it does not know as they are.",
    reference="Kafka, ZkData.scala, TopicZNode, in branches 2.3, 2.4 and 3.9",
    exposed_by="E2",
    node_factory=KnowsVersion1,
    nodes=("n2",),
)
