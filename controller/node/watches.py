"""Watches of the office. They are armed first, and what they watch is read afterwards."""

from collections.abc import Iterable

from klamm.controller.core.apply import changed_partitions
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.plan import Change
from klamm.controller.node.data import NodeData
from klamm.controller.node.effects import ArmWatch
from klamm.controller.node.stale import everything
from klamm.controller.node.turns import Turns
from klamm.controller.store.port import Watch
from klamm.controller.znodes import paths

#: Registrations, the list of topics, and notifications of ISR changes.
LISTS = (
    Watch(paths.BROKER_IDS, recursive=True),
    Watch(paths.KLAMM_NODES, recursive=True),
    Watch(paths.TOPICS),
    Watch(paths.ISR_CHANGES),
)


def arm_lists(node: NodeData) -> None:
    """Watch what names everything else."""
    node.do(ArmWatch(node.office.next_request(), LISTS))


def watch_moves(node: NodeData, turns: Turns, changes: Iterable[Change]) -> None:
    """Watch the states of partitions that began to move, then read them once.

    Below IBP 2.7-IV2 their leaders set these znodes, and an ISR notification may be a minute late.
    """
    if node.config.protocol.alter_partition:
        return
    moving = [
        name
        for change in changes
        for name, partition in changed_partitions(change)
        if partition.assignment.moving and paths.state(*name) not in node.watched
    ]
    _arm_states(node, turns, moving)


def arm_again(node: NodeData, turns: Turns) -> None:
    """Watches ended with the connection: arm all of them, then read what may have changed."""
    node.watched.clear()
    arm_lists(node)
    turns.stale |= everything()
    if not node.config.protocol.alter_partition:
        _arm_states(node, turns, [name for name, _ in turns.state.moving()])


def _arm_states(node: NodeData, turns: Turns, names: Iterable[TopicPartition]) -> None:
    new = {paths.state(*name): name for name in names}
    if new:
        node.watched.update(new)
        node.do(ArmWatch(node.office.next_request(), tuple(Watch(path) for path in new)))
        turns.stale.states.update(new.values())
