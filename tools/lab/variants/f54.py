"""F54: a controller of an older protocol rewrites a topic's znode and drops its id."""

from dataclasses import replace

import msgspec

from klamm.controller.core.ops import Op, SetData
from klamm.controller.node import Node, Now
from klamm.controller.node.effects import Commit, Effect
from klamm.controller.node.inputs import Input
from klamm.controller.node.places import Place, locate
from klamm.tools.lab.variant import Variant


class DropsTopicIds(Node):
    """A node that writes topics' znodes in the form of version 2, with nothing else in it."""

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input, as every node does."""
        return tuple(
            replace(effect, ops=tuple(map(_without_id, effect.ops)))
            if isinstance(effect, Commit)
            else effect
            for effect in super().handle(now, event)
        )


def _without_id(op: Op) -> Op:
    if not isinstance(op, SetData) or locate(op.path).place is not Place.TOPIC:
        return op
    content = msgspec.json.decode(op.data or b"{}")
    content.pop("topic_id", None)
    return replace(op, data=msgspec.json.encode({**content, "version": 2}))


VARIANT = Variant(
    id="F54",
    story="In the middle of a rolling upgrade a broker of 2.8 whose inter.broker.protocol.version"
    " was still an older one became controller and carried a reassignment out. It wrote the topic's"
    " znode in the older form, without `topic_id`. The next controller found a topic without an id"
    " and gave it a new one, so that the ids in ZooKeeper and on the brokers' disks differed, and"
    " partitions went offline. The fix keeps the id whatever the version.",
    reference="KAFKA-12835, 195a8b0ed15 (2.8.1)",
    exposed_by="ids",
    node_factory=DropsTopicIds,
)
