"""When a node is at rest, so that more must hold than in the middle of things."""

from klamm.controller.core.model import ClusterState
from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen, SeenNode


def at_rest(world: Seen, host: SeenNode) -> bool:
    """Tell whether a node is in office, as it believes, and has heard and done everything."""
    node = host.node
    if node is None or not (node.active and node.connected and host.idle):
        return False
    turns, store = node.turns, host.store
    if turns is None or store is None or world.zookeeper.lags(store):
        return False
    if (
        turns.busy
        or turns.stale
        or turns.surveyed
        or turns.plan
        or turns.untold
        or turns.stale_later
    ):
        return False
    return not any(True for _ in turns.open)


def resting(world: Seen, seen: Observed, name: str) -> ClusterState | None:
    """Return what a node believes that is the newest controller, and at rest; None for others."""
    host = world.nodes.get(name)
    if host is None or host.node is None or not at_rest(world, host):
        return None
    state = host.node.state
    return state if state is not None and state.epoch == seen.epoch else None
