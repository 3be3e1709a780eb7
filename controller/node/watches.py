"""Watches of the office. They are armed first, and what they watch is read afterwards."""

from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import ArmWatch
from klamm.controller.node.stale import everything
from klamm.controller.node.turns import Turns
from klamm.controller.store.port import Watch
from klamm.controller.znodes import paths

#: Registrations, every topic with its states, and notifications of ISR changes. One recursive
#: watch tells of states that leaders set below IBP 2.7-IV2, of topics that others change, and
#: costs nothing per partition: arming 1,000 single ones took 20 times longer or more (measured
#: by `tools.bench.store_watch`). What our own Commits cause is left out by `Turns.touched`.
OFFICE = (
    Watch(paths.BROKER_IDS, recursive=True),
    Watch(paths.KLAMM_NODES, recursive=True),
    Watch(paths.TOPICS, recursive=True),
    Watch(paths.ISR_CHANGES),
)


def arm(node: NodeData) -> None:
    """Watch all that the office must hear of, until the connection ends."""
    node.do(ArmWatch(node.office.next_request(), OFFICE))


def arm_again(node: NodeData, turns: Turns) -> None:
    """Watches ended with the connection: arm them, then read what may have changed meanwhile.

    Of states only those of moving partitions: the others' changes have notifications, which wait
    in ZooKeeper until they are read.
    """
    arm(node)
    turns.stale |= everything()
    turns.stale.states.update(name for name, _ in turns.state.moving())
