"""Requests of which everybody but the client has lost sight.

A client gets an answer in the end, if only that its time is up. So at rest none seems to be
missing, and who has forgotten one is found only by not waiting for that.
"""

from collections.abc import Iterator, Sequence

from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.invariants.rest import at_rest
from klamm.tools.lab.liveness import Whole, is_going


def unheard(world: Whole) -> Iterator[str]:
    """Say which requests nobody will answer but the clock, when the client's time is up.

    To be asked when nothing is on its way. Whoever was asked has then read all that came, and if
    it is controller has nothing more to decide or to write: nothing is left that a reply could
    wait for, but the move of a topic that is to be deleted, which takes its time. Source:
    KAFKA-10193 (F20), catalogue H6.
    """
    for asked in world.clients.requests:
        host = world.nodes[asked.node]
        node = host.node
        if not asked.open or node is None or not host.idle or node.doubtful:
            continue
        if any(is_going(world.zookeeper.tree, topic) for topic in _deletes(asked)):
            continue
        if node.turns is None or at_rest(world, host):
            yield (
                f"request {asked.number} of {asked.node}, {asked.what.name!r}, has no answer, and"
                " nobody has it in hand any more"
            )


def _deletes(asked: Asked) -> Sequence[str]:
    body = asked.what.body
    return body.topic_names if isinstance(body, DeleteTopicsRequest) else ()
