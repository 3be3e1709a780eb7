"""Watches of the office. They are armed first, and what they watch is read afterwards."""

from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import ArmWatch
from klamm.controller.node.stale import everything
from klamm.controller.node.turns import Turns
from klamm.controller.store.port import Watch
from klamm.controller.znodes import paths

#: Registrations, every topic with its states, notifications of ISR changes, topics that are to
#: be deleted, orders of old tools, deletes that are owed, which an operator may remit, and configs
#: of the whole cluster. One recursive watch tells of states that leaders set below IBP 2.7-IV2 and
#: of topics that others change, and costs nothing per partition to arm; what watches cost is told
#: at `Watch`. It tells of our own Commits too, which `Turns.touched` leaves out.
OFFICE = (
    Watch(paths.BROKER_IDS, recursive=True),
    Watch(paths.KLAMM_NODES, recursive=True),
    Watch(paths.TOPICS, recursive=True),
    Watch(paths.ISR_CHANGES),
    Watch(paths.LOG_DIR_EVENTS),
    Watch(paths.DELETE_TOPICS, recursive=True),
    Watch(paths.REASSIGN_PARTITIONS),
    Watch(paths.PREFERRED_REPLICA_ELECTION),
    Watch(paths.REPLICA_DELETIONS, recursive=True),
    Watch(paths.CLUSTER_CONFIG),
)


def arm(node: NodeData) -> None:
    """Watch all that the office must hear of, until the connection ends."""
    node.do(ArmWatch(node.office.next_request(), OFFICE))


def arm_again(node: NodeData, turns: Turns) -> None:
    """Watches ended with the connection: arm them, then read all that may have changed meanwhile.

    A list tells only which topics came and went, so every known one is read too, and whatever could
    not be read before. What that costs is what taking office costs, once per connection.
    """
    arm(node)
    turns.follows_topics = False
    turns.stale |= everything(status=node.config.keeps_status)
    turns.stale.topics.update(turns.state.topics)
    turns.stale.ledgers.update(turns.state.ledgers)
    for path in turns.state.unreadable:
        turns.stale.add(path)
