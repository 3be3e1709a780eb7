"""What a kind of fault is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.nodes import NodeHost

if TYPE_CHECKING:
    from klamm.tools.lab.world import World

#: What is possible: its name, and the call that does it.
Offers: TypeAlias = Iterator[tuple[str, Callable[..., None], tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault. `offer` yields those that are possible now."""

    id: str
    story: str
    offer: Callable[[World], Offers]


def living(world: World) -> Iterator[NodeHost]:
    """Yield the nodes that have a process."""
    return (node for node in world.nodes.values() if node.alive)


def running(world: World) -> Iterator[BrokerHost]:
    """Yield the brokers that have one."""
    return (broker for broker in world.brokers.values() if broker.alive)
