"""Elections that end too early: a node finds its own name, and does not begin its work."""

from collections.abc import Mapping

from klamm.controller.node import Phase
from klamm.controller.node.candidacy import on_election_read
from klamm.controller.node.data import NodeData
from klamm.controller.node.machine import TRANSITIONS, Step
from klamm.controller.store.port import ReadDone, Refused, Unknown, Znode
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import decode_controller


def return_early(node: NodeData, event: ReadDone) -> None:
    """Take the answer of the election's reads; who is named by `/controller` need do nothing."""
    asked = event.request == node.office.question
    if asked and node.turns is None and _names(event, node.config.node_id):
        node.phase = Phase.STANDBY
        node.controller_id = node.config.node_id
    else:
        on_election_read(node, event)


def _names(event: ReadDone, node_id: int) -> bool:
    if isinstance(event.outcome, Unknown | Refused):
        return False
    return any(
        decode_controller(found.data).broker_id == node_id
        for found in event.outcome
        if isinstance(found, Znode) and found.path == paths.CONTROLLER
    )


#: As the product's, but that a node which finds itself controller leaves it at that.
EARLY_RETURN: Mapping[tuple[Phase, type], Step] = {
    key: return_early if step is on_election_read else step for key, step in TRANSITIONS.items()
}
