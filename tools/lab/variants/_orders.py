"""Orders of moves by znode: how scripts give them, and wrong ways to take them."""

from collections.abc import Callable
from dataclasses import replace

from klamm.controller.core import admin_entries
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AdminReassignmentsRead, BeginEntry, Cause
from klamm.controller.core.model import Partition
from klamm.controller.core.moves import note, reassign
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import (
    Reassignment,
    Rejection,
    decode_reassign_partitions,
)
from klamm.tools.lab.exhibit import Stage
from klamm.tools.lab.rogue import put, write_admin
from klamm.tools.lab.variants._scripts import bury
from klamm.tools.lab.world import World

Entry = tuple[str, int, tuple[int, ...]]


def order(world: World, *entries: Entry) -> None:
    """Let a tool write the admin znode: topic, partition and replicas of each entry."""
    order_text(world, write_admin(*entries))


def order_text(world: World, data: bytes | None) -> None:
    """Let a tool write the admin znode, whatever it may say."""
    world.write("writes the admin znode", *put(world, paths.REASSIGN_PARTITIONS, data))


def ordered(stage: Stage) -> dict[str, list[int]]:
    """Return what the admin znode orders by partition; nothing if there is none."""
    node = stage.world.tree.nodes.get(paths.REASSIGN_PARTITIONS)
    if node is None:
        return {}
    read = decode_reassign_partitions(node.data)
    return {f"{each.topic}-{each.partition}": [*each.replicas] for each in read.entries}


def order_held_up(stage: Stage) -> None:
    """Tell of an order to move t-0 to brokers 2 and 3 that does not end until broker 3 fetches."""
    world = stage.world
    stage.say("Broker 3 fetches nothing, so that t-0, which a tool moves to it, takes its time.")
    world.do("stall b3")
    order(world, ("t", 0, (2, 3)))
    world.settle()


def one_of_two_is_done(stage: Stage) -> None:
    """Tell of orders for t-0, which are done, and for t-1, held up, in one znode still."""
    world = stage.world
    stage.say("Broker 3 fetches nothing. A tool moves t-0 to brokers 1 and 4, and t-1 to 1 and 3.")
    world.do("stall b3")
    order(world, ("t", 0, (1, 4)), ("t", 1, (1, 3)))
    world.settle()
    world.advance(0.5)
    stage.claim(stage.replicas("t", 0) == [1, 4], "t-0 is there, t-1 is not")


def end_node(world: World, name: str) -> None:
    """End a node's process and its session, so that another one is elected when things settle."""
    world.do(f"crash {name}")
    bury(world, name)


# --- wrong ways ----------------------------------------------------------------------------------


def lenient(
    event: AdminReassignmentsRead, reading: Callable[[Rejection], Reassignment | None]
) -> AdminReassignmentsRead:
    """Return what was read, where entries that klamm rejects are taken as `reading` has them."""
    found = {each: reading(each) for each in event.rejected}
    return replace(
        event,
        entries=(*event.entries, *(entry for entry in found.values() if entry is not None)),
        rejected=tuple(each for each in event.rejected if found[each] is None),
    )


def begin_unjudged(draft: Draft, cause: Cause, event: BeginEntry) -> None:
    """Begin what an entry asks for without a look at its target, as Kafka does."""
    name = event.partition
    target, partition = draft.admin.target(name), draft.partition(name)
    if target is None or partition is None or name.topic in draft.deleting:
        admin_entries.begin(draft, cause, event)
        return
    wanted = draft.rules.merge(partition.assignment, tuple(dict.fromkeys(target)))
    if wanted.target != partition.assignment.target and reassign(draft, name, wanted) is None:
        note(draft, name, "accept")
        draft.unit(name).check_later = True
    draft.settle(cause, None, name)


def is_done(partition: Partition | None, target: tuple[int, ...]) -> bool:
    """Tell whether a partition is where an entry wants it, and moves no more."""
    if partition is None or partition.assignment.moving:
        return False
    return partition.assignment.replicas == target
