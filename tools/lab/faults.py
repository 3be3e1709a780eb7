"""What may go wrong, each fault one small action with a name.

A scope says how often each kind may happen. What follows from a fault is no fault: that ZooKeeper
ends the session of a dead process, or that a broker reads a late request, are regular actions.

Two things cannot happen, because neither TCP nor ZooKeeper lets them: messages of one connection
change places, and a watch event gets lost, or passes an answer, while its connection lives. A
watch is late when the whole connection is, or the server it comes from; it is lost when the
connection breaks. Doubled watches are nothing ZooKeeper does either, but who holds several
watches of one znode sees the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from klamm.tools.lab import rogue
from klamm.tools.lab.choices import Action
from klamm.tools.lab.failing_brokers import BROKER_FAULTS
from klamm.tools.lab.failing_nodes import NODE_FAULTS
from klamm.tools.lab.fault import Fault, Offers

if TYPE_CHECKING:
    from klamm.tools.lab.world import World


def _tool(world: World) -> Offers:
    for recipe in rogue.offered(world):
        yield f"tool: {recipe.name}", rogue.follow, (world, recipe)


_TOOLS = Fault("tool", "A tool that knows no rules writes znodes.", _tool)

FAULTS: Mapping[str, Fault] = {fault.id: fault for fault in (*NODE_FAULTS, *BROKER_FAULTS, _TOOLS)}


def offered(world: World, left: Mapping[str, int] | None) -> list[Action]:
    """Return what may go wrong now: kinds of which some are left, or all if `left` is None."""
    return [
        Action(name, 1, _strike, (world, fault.id, call, args))
        for fault in FAULTS.values()
        if left is None or left.get(fault.id, 0) > 0
        for name, call, args in fault.offer(world)
    ]


def _strike(world: World, kind: str, call: Callable[..., None], args: tuple[object, ...]) -> None:
    world.happened.fault = True
    if kind in world.faults_left:
        world.faults_left[kind] -= 1
    call(*args)
