"""The last look at a cluster that is at rest: disks, memories, what clients are shown."""

from __future__ import annotations

from collections.abc import Iterator

from klamm.controller.core.model import TopicPartition
from klamm.controller.store.memory_tree import Tree
from klamm.controller.znodes import paths
from klamm.tools.lab.history_messages import id_of
from klamm.tools.lab.history_rows import Book, Row, form
from klamm.tools.lab.history_znodes import Znodes
from klamm.tools.lab.liveness import can_host, children
from klamm.tools.lab.seen import Seen

_END = "end"
#: What is made for somebody to take away, and its parents.
_ONCE = (paths.REASSIGN_PARTITIONS, paths.PREFERRED_REPLICA_ELECTION)
_LISTS = (paths.ISR_CHANGES, paths.LOG_DIR_EVENTS, paths.DELETE_TOPICS)


def last_look(
    book: Book, world: Seen, znodes: Znodes, waited_s: float, rebalance_s: int | None
) -> None:
    """Write down how everything lies, then one row of rest for each partition.

    `rebalance_s` is how often the controllers are configured to give leads back, None for never.
    """
    names = sorted({*znodes.partitions(), *_on_disks(world), *_shown(world)})
    running = {id_: host.model for id_, host in world.brokers.items() if host.model is not None}
    for name in names:
        for id_, host in sorted(world.brokers.items()):
            log = host.disks.logs.get(name)
            if log is not None:
                detail = {"offset": log.end, "running": id_ in running}
                book.alone(_END, "disk", name, detail=detail, broker=id_)
        for id_, model in sorted(running.items()):
            replica = model.replicas.get(name)
            if replica is not None:
                after = form(leader=replica.leader, leader_epoch=replica.leader_epoch)
                book.alone(_END, "hosted", name, broker=id_, after=after)
            topic = model.metadata.topics.get(name.topic)
            told = topic.partitions.get(name.partition) if topic is not None else None
            if told is not None:
                after = form(leader=told.leader, leader_epoch=told.leader_epoch, isr=told.isr)
                book.alone(_END, "shown", name, broker=id_, after=after)
    whole = _whole(world, znodes, waited_s)
    book.moment()
    book.add(_END, "rest", "", whole)
    for name in names:
        able = [id_ for id_, model in running.items() if can_host(model, name)]
        owed = znodes.owed.get(name.topic, {}).get(name.partition, ())
        tools = name in znodes.tools or name.topic in znodes.tools
        said: Row = {
            "waited_s": waited_s,
            "able": sorted(able),
            "running": sorted(running),
            "whole": sorted(i for i, host in world.brokers.items() if _is_whole(host)),
            "registered": sorted(znodes.registered),
            "dying": name.topic in znodes.dying,
            "owed": [*owed],
            "tools": tools,
            "controller": whole["controller"],
            "held_up": whole["held_up"],
            "rebalance_s": rebalance_s,
        }
        book.add(_END, "rest", name, said)


def paused(book: Book, world: Seen, znodes: Znodes) -> None:
    """Write down that nothing is on its way, and nobody does anything before more time passes."""
    whole = sorted(id_ for id_, host in world.brokers.items() if _is_whole(host))
    book.moment()
    said = _whole(world, znodes, 0.0)
    book.add(_END, "still", "", said)
    for name in znodes.partitions():
        detail = {"whole": whole, "held_up": said["held_up"], "dying": name.topic in znodes.dying}
        book.add(_END, "still", name, detail)


def _is_whole(host: object) -> bool:
    disks, model = getattr(host, "disks", None), getattr(host, "model", None)
    return model is not None and disks is not None and not disks.broken


def _whole(world: Seen, znodes: Znodes, waited_s: float) -> Row:
    tree = world.zookeeper.tree
    holder = tree.nodes.get(paths.CONTROLLER)
    epoch = tree.nodes.get(paths.CONTROLLER_EPOCH)
    return {
        "waited_s": waited_s,
        "registered": sorted(znodes.registered),
        "nodes": sorted(id_of(name) for name, host in world.nodes.items() if host.node),
        "controller": (holder.data or b"").decode() if holder is not None else None,
        "epoch": (epoch.data or b"").decode() if epoch is not None else None,
        "znodes": [*_left(tree)],
        "held_up": _held_up(world, znodes),
    }


def _left(tree: Tree) -> Iterator[str]:
    """Yield the znodes that are there until somebody has done what they ask for."""
    yield from (path for path in _ONCE if path in tree.nodes)
    for parent in _LISTS:
        yield from (f"{parent}/{child}" for child in children(tree, parent))


def _held_up(world: Seen, znodes: Znodes) -> list[str]:
    """Return the partitions whose move needs a broker that is not able, or that a tool has hit."""
    found = []
    for name in znodes.partitions():
        znode = znodes.topics[name.topic]
        adding = znode.adding.get(name.partition, ())
        removing = znode.removing.get(name.partition, ())
        if not (adding or removing):
            continue
        target = [each for each in znode.partitions[name.partition] if each not in removing]
        able = {id_ for id_, host in world.brokers.items() if can_host(host.model, name)}
        state = znodes.states.get(name)
        isr = state.isr if state is not None else ()
        if name in znodes.tools or not able.issuperset(target) or able.isdisjoint(isr):
            found.append(str(name))
    return found


def _on_disks(world: Seen) -> Iterator[TopicPartition]:
    for host in world.brokers.values():
        yield from host.disks.logs


def _shown(world: Seen) -> Iterator[TopicPartition]:
    for host in world.brokers.values():
        if host.model is not None:
            for topic, told in host.model.metadata.topics.items():
                yield from (TopicPartition(topic, number) for number in told.partitions)
