"""Films: how nodes, brokers and ZooKeeper looked after each step, for pages that step through.

What happened (`Happened`) does not say how a node stood after it. A world with a film in its
`observed` has that written down too, as far as it differs from the step before. It costs time, so
worlds have none unless somebody wants to see it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from klamm.controller.store.memory_tree import Tree
from klamm.controller.znodes import paths
from klamm.tools.brokers.replica import Replica
from klamm.tools.lab.seen import Seen, SeenBroker, SeenNode

#: What is shown of one host: a few named values, each a number or text.
Look: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Frame:
    """How hosts look after a step if they have changed with it, and the znodes that have.

    Data is text; None says that the znode is gone, and null data is "".
    """

    hosts: dict[str, Look]
    znodes: dict[str, str | None]


@dataclass(slots=True)
class Film:
    """One frame a step, in order; `first` is how everything was before."""

    first: Frame
    frames: list[Frame] = field(default_factory=list)
    _hosts: dict[str, Look] = field(default_factory=dict)
    _znodes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, world: Seen) -> Film:
        """Begin a film of a world as it is."""
        hosts, znodes = _hosts(world), _znodes(world.zookeeper.tree)
        return cls(Frame(hosts, {**znodes}), [], hosts, znodes)

    def take(self, world: Seen) -> None:
        """Add what has changed since the last frame."""
        hosts, znodes = _hosts(world), _znodes(world.zookeeper.tree)
        changed: dict[str, str | None] = {
            path: text for path, text in znodes.items() if self._znodes.get(path) != text
        }
        changed.update(dict.fromkeys(sorted(self._znodes.keys() - znodes.keys())))
        looks = {name: look for name, look in hosts.items() if self._hosts.get(name) != look}
        self.frames.append(Frame(looks, changed))
        self._hosts, self._znodes = hosts, znodes


def _hosts(world: Seen) -> dict[str, Look]:
    nodes = {name: _node(host) for name, host in world.nodes.items()}
    brokers = {f"b{id_}": _broker(host) for id_, host in world.brokers.items()}
    return {**nodes, **brokers}


def _node(host: SeenNode) -> Look:
    node, store = host.node, host.store
    if node is None:
        return {"phase": "down"}
    look = {
        "phase": "frozen" if host.frozen else node.phase.value,
        "session": "none" if store is None else str(store.session or "none"),
        "connected": "yes" if store is not None and store.connected else "no",
        "controller": str(node.controller_id),
    }
    if node.turns is not None:
        look["epoch"] = str(node.turns.state.epoch)
    return look


def _broker(host: SeenBroker) -> Look:
    model = host.model
    logs = {str(name): f"log {log.end}" for name, log in sorted(host.disks.logs.items())}
    if model is None:
        return {"broker": "down", **logs}
    registered = f"epoch {model.epoch}" if model.registered else "not registered"
    replicas = {str(name): _role(each) for name, each in sorted(model.replicas.items())}
    return {"broker": registered, **logs, **replicas}


def _role(replica: Replica) -> str:
    log = replica.log
    end = f"log {log.end}, high watermark {log.high_watermark}"
    if replica.leads:
        isr = ",".join(map(str, replica.isr))
        return f"leads, epoch {replica.leader_epoch}, ISR [{isr}], {end}"
    return f"follows {replica.leader}, epoch {replica.leader_epoch}, {end}"


def _znodes(tree: Tree) -> dict[str, str]:
    """Return what is worth looking at, by path: topics, orders, offices and debts."""
    shown = (paths.CONTROLLER, paths.CONTROLLER_EPOCH, f"{paths.TOPICS}/", "/admin/", "/klamm/")
    return {
        path: "" if node.data is None else node.data.decode("utf-8", errors="backslashreplace")
        for path, node in sorted(tree.nodes.items())
        if path.startswith(shown) and (node.data is not None or path.startswith("/admin/"))
    }
