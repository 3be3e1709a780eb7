"""What a new controller does first, and what it says of it."""

import json

from node_world import World

from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.node.effects import Commit
from klamm.controller.node.kinds import KINDS
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.controller.znodes.state import StateZnode, encode_state


def put(world: World, name: str, replicas: list[int], adding: list[int], state: StateZnode) -> None:
    """Write a topic of one partition as a controller before us has left it."""
    content = {"version": 2, "partitions": {"0": replicas}, "adding_replicas": {"0": adding}}
    world.write(
        Create(paths.topic(name), json.dumps(content).encode()),
        Create(paths.partitions(name), None),
        Create(paths.partition(name, 0), None),
        Create(paths.state(name, 0), encode_state(state)),
    )


def left_behind() -> World:
    """Two moves that can end, one that cannot, and two leaders that have died meanwhile."""
    world = World()
    for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
        world.write(Create(path, None))
    for broker in (1, 2, 3):
        world.register(broker)
    world.write(Create(paths.CONTROLLER, encode_controller(ControllerZnode(1, 0))))
    put(world, "a-ends", [1, 2], [2], StateZnode(1, 3, (1, 2), 1))
    put(world, "b-dead", [9, 2], [], StateZnode(9, 3, (9, 2), 1))
    put(world, "c-goes-on", [1, 3], [3], StateZnode(1, 3, (1,), 1))
    put(world, "d-ends", [1, 2], [2], StateZnode(1, 3, (1, 2), 1))
    put(world, "e-dead", [9, 3], [], StateZnode(9, 3, (9, 3), 1))
    world.write(Create(f"{paths.DELETE_TOPICS}/d-ends", None))
    world.settle()
    world.journal.clear()
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    return world


def test_partitions_without_a_leader_come_before_moves() -> None:
    world = left_behind()
    world.settle()
    decided = [
        (entry.kind, entry.name.topic)
        for entry in world.journal
        if entry.kind in ("elect", "end") and entry.name is not None
    ]
    assert decided == [
        ("elect", "b-dead"), ("elect", "e-dead"), ("end", "a-ends"), ("end", "d-ends"),
    ]  # fmt: skip
    written = [op.path for e in world.effects if isinstance(e, Commit) for op in e.ops]
    dead = [written.index(paths.state(name, 0)) for name in ("b-dead", "e-dead")]
    assert max(dead) < min(written.index(paths.topic(name)) for name in ("a-ends", "d-ends"))


def test_a_new_controller_says_what_it_found_and_what_it_resumed() -> None:
    world = left_behind()
    world.settle()
    by_kind = {entry.kind: entry for entry in world.journal}
    found = by_kind["in office"].text
    assert found.startswith(
        "found 5 topics with 5 partitions and 3 brokers: 3 partitions moving,"
        " 2 without a leader, 1 topics to delete,"
    )
    assert "0 znodes unreadable" in found
    resumed = by_kind["resumed"].text
    assert resumed.startswith(
        "of 2 partitions without a leader 2 have one again, of 3 moves 2 have ended and 1 go on,"
        " of 1 topics to delete 0 are gone"
    )
    kinds = [entry.kind for entry in world.journal]
    assert kinds.index("elected") < kinds.index("in office") < kinds.index("resumed")
    assert KINDS.keys() >= {"in office", "resumed"}
    assert world.node.inauguration is None


def test_each_office_says_it_once() -> None:
    world = left_behind()
    world.settle()
    world.register(7)
    world.settle()
    world.zookeeper.expire(world.store)
    world.settle()
    kinds = [entry.kind for entry in world.journal]
    assert kinds.count("in office") == kinds.count("resumed") == kinds.count("elected") == 2
