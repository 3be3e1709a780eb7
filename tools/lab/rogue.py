"""Recipes of rogue tools: writes of znodes by somebody who asks no controller.

Some are what operators do, such as writing `/admin/reassign_partitions` or deleting `/controller`;
others are what no sane tool does. None of them looks at what would be good for the cluster.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
)
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, Op, SetData
from klamm.controller.znodes import paths

if TYPE_CHECKING:
    from klamm.tools.lab.world import World

Tree = dict[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a tool does: the writes, given the world; none if there is nothing to do it to."""

    id: str
    name: str
    story: str
    ops: Callable[[World], Sequence[Op]]


def write_admin(*entries: tuple[str, int, tuple[int, ...]]) -> bytes:
    """Return the stock tool's JSON: topic, partition and replicas of each entry."""
    partitions = [
        {"topic": topic, "partition": partition, "replicas": replicas}
        for topic, partition, replicas in entries
    ]
    return json.dumps({"version": 1, "partitions": partitions}).encode()


def put(world: World, path: str, data: bytes | None) -> Sequence[Op]:
    """Create a znode, or overwrite it whatever its version is."""
    if path in world.tree.nodes:
        return (SetData(path, data, ANY_VERSION),)
    return (Create(path, data),)


def _partitions(world: World) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    for topic, assignment in world.scope.topics.items():
        for partition, replicas in assignment.items():
            yield topic, partition, replicas


def _rotated(world: World, replicas: Sequence[int]) -> tuple[int, ...]:
    """Return as many brokers, each the next one after those given."""
    count = len(world.brokers)
    return tuple(replica % count + 1 for replica in replicas)


def _move_all(world: World) -> Sequence[Op]:
    entries = [(topic, n, _rotated(world, ids)) for topic, n, ids in _partitions(world)]
    return put(world, paths.REASSIGN_PARTITIONS, write_admin(*entries))


def _move_nothing_known(world: World) -> Sequence[Op]:
    return put(world, paths.REASSIGN_PARTITIONS, write_admin(("nobody", 7, (1, 2))))


def _move_to_nowhere(world: World) -> Sequence[Op]:
    entries = [(topic, n, ()) for topic, n, _ in _partitions(world)]
    return put(world, paths.REASSIGN_PARTITIONS, write_admin(*entries))


def _garbage(world: World) -> Sequence[Op]:
    return put(world, paths.REASSIGN_PARTITIONS, b'{"version":1,"partitions":[{"topic"')


def _drop_admin(world: World) -> Sequence[Op]:
    path = paths.REASSIGN_PARTITIONS
    return (Delete(path, ANY_VERSION),) if path in world.tree.nodes else ()


def _drop_controller(world: World) -> Sequence[Op]:
    path = paths.CONTROLLER
    return (Delete(path, ANY_VERSION),) if path in world.tree.nodes else ()


def _same_topics(world: World) -> Sequence[Op]:
    return _rewrite(world, (paths.topic(topic) for topic in world.scope.topics))


def _same_states(world: World) -> Sequence[Op]:
    return _rewrite(world, (paths.state(topic, n) for topic, n, _ in _partitions(world)))


def _rewrite(world: World, found: Iterator[str]) -> Sequence[Op]:
    nodes = world.tree.nodes
    return [SetData(path, nodes[path].data, ANY_VERSION) for path in found if path in nodes]


def _cancel_by_hand(world: World) -> Sequence[Op]:
    """Take all moves out of the topic znodes, as a tool that knows only `partitions` does."""
    ops: list[Op] = []
    for topic in world.scope.topics:
        path = paths.topic(topic)
        node = world.tree.nodes.get(path)
        if node is not None and node.data is not None:
            znode: dict[str, Any] = json.loads(node.data)
            kept = {"version": 1, "partitions": znode["partitions"]}
            ops.append(SetData(path, json.dumps(kept).encode(), ANY_VERSION))
    return ops


def _delete_topics(world: World) -> Sequence[Op]:
    wanted = [f"{paths.DELETE_TOPICS}/{topic}" for topic in world.scope.topics]
    return [Create(path, None) for path in wanted if path not in world.tree.nodes]


def _elect_all(world: World) -> Sequence[Op]:
    partitions = [{"topic": topic, "partition": n} for topic, n, _ in _partitions(world)]
    data = json.dumps({"version": 1, "partitions": partitions}).encode()
    path = paths.PREFERRED_REPLICA_ELECTION
    return () if path in world.tree.nodes else (Create(path, data),)


def _elect_garbage(world: World) -> Sequence[Op]:
    path = paths.PREFERRED_REPLICA_ELECTION
    return () if path in world.tree.nodes else (Create(path, b'{"version":1,"partitions":[{'),)


def _limit_one(world: World) -> Sequence[Op]:
    return _configure(world, 1)


def _limit_none(world: World) -> Sequence[Op]:
    return _configure(world, None)


def _configure(world: World, limit: int | None) -> Sequence[Op]:
    """Write the limits of moves as kafka-configs does with --zookeeper."""
    names = (REPLICA_MOVEMENTS, PARTITION_MOVEMENTS, LEADER_MOVEMENTS)
    limits = {} if limit is None else dict.fromkeys(names, str(limit))
    data = json.dumps({"version": 1, "config": limits}).encode()
    notice = json.dumps({"version": 2, "entity_path": "brokers/<default>"}).encode()
    told = Create(paths.CONFIG_CHANGE_PREFIX, notice, sequential=True)
    return (*put(world, paths.CLUSTER_CONFIG, data), told)


def _drop_hints(world: World) -> Sequence[Op]:
    return [Delete(path, ANY_VERSION) for path in _hints(world)]


def _garble_hints(world: World) -> Sequence[Op]:
    return [
        SetData(path, b'{"version":1,"partitions":{"0":', ANY_VERSION) for path in _hints(world)
    ]


def _hints(world: World) -> list[str]:
    found = map(paths.reassignment_steps, world.scope.topics)
    return [path for path in found if path in world.tree.nodes]


RECIPES = {
    recipe.id: recipe
    for recipe in (
        Recipe("admin", "orders moves by znode", "The old way to move everything.", _move_all),
        Recipe("stranger", "orders a move of nothing", "An unknown topic.", _move_nothing_known),
        Recipe("empty", "orders moves to nowhere", "Targets without replicas.", _move_to_nowhere),
        Recipe("garbage", "orders moves in bad JSON", "Half a file.", _garbage),
        Recipe("drop-admin", "removes the orders", "To stop what is under way.", _drop_admin),
        Recipe("depose", "removes /controller", "The operators' remedy.", _drop_controller),
        Recipe("same-topics", "writes topics again", "Versions that go up.", _same_topics),
        Recipe("same-states", "writes states again", "Versions that go up.", _same_states),
        Recipe("old-tool", "drops moves from topics", "It knows only replicas.", _cancel_by_hand),
        Recipe("delete-topics", "lists topics for deletion", "Kafka's old way.", _delete_topics),
        Recipe("elect", "orders preferred leaders", "By znode, for all.", _elect_all),
        Recipe("elect-garbage", "orders leaders in bad JSON", "Half a file.", _elect_garbage),
        Recipe("limit-one", "limits moves to one at a time", "By znode.", _limit_one),
        Recipe("limit-none", "lifts the limits of moves", "By znode.", _limit_none),
        Recipe("drop-hints", "removes the hints of steps", "They cost pacing only.", _drop_hints),
        Recipe("garble-hints", "writes hints in bad JSON", "Half a file.", _garble_hints),
    )
}


def offered(world: World) -> Iterator[Recipe]:
    """Yield the recipes that the scope allows; all of them if it names none."""
    for id_ in world.scope.tools or RECIPES:
        yield RECIPES[id_]


def follow(world: World, recipe: Recipe) -> None:
    """Write what a recipe says; what ZooKeeper refuses has no effect."""
    ops = recipe.ops(world)
    if ops:
        world.zookeeper.write(ops)
