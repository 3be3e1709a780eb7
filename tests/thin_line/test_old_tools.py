"""Tools that know only ZooKeeper: everything begins with a znode, on a real server."""

import json

import pytest
from kazoo.exceptions import NodeExistsError
from thin_line.world import World, eventually

from klamm.controller.znodes import paths

ORDER = paths.REASSIGN_PARTITIONS


def stock_json(*moves: tuple[str, list[int]]) -> bytes:
    """As kafka-reassign-partitions --generate proposes it, log_dirs included."""
    entries = [
        {"topic": topic, "partition": 0, "replicas": replicas, "log_dirs": ["any"] * len(replicas)}
        for topic, replicas in moves
    ]
    return json.dumps({"version": 1, "partitions": entries}).encode()


def create(world: World, data: bytes) -> None:
    """Create the znode as Kafka's tools do, once an earlier order is done."""

    def created() -> bool:
        try:
            world.zookeeper.create(ORDER, data)
        except NodeExistsError:
            return False
        return True

    eventually(created, f"{ORDER} to be free")


def await_absence(world: World, path: str) -> None:
    eventually(lambda: not world.zookeeper.exists(path), f"{path} to be gone")


@pytest.mark.req("R455-96", "R455-99")
def test_a_znode_alone_moves_partitions_and_its_absence_tells_the_end(world: World) -> None:
    world.freeze(4)
    first, second = world.topic([1, 2, 3]), world.topic([1, 2, 3])
    create(world, stock_json((first, [4, 2, 3]), (second, [1, 2, 5]), ("no-such-topic", [1])))
    world.await_replicas(second, [1, 2, 5])

    def left() -> bool:
        found = world.zookeeper.get(ORDER)[0]
        entries: list[dict[str, object]] = json.loads(found)["partitions"]
        return [entry["topic"] for entry in entries] == [first]

    eventually(left, "what is finished or impossible to leave the znode")
    assert world.listed(first) == {0: ([4, 2, 3, 1], [4], [1])}

    world.thaw(4)
    world.await_replicas(first, [4, 2, 3])
    await_absence(world, ORDER)
    world.await_no_log(first, 1)


def test_a_cancel_takes_the_order_back(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    create(world, stock_json((topic, [4, 2, 3])))
    eventually(lambda: world.listed(topic) or None, "the move")
    assert world.alter(topic, None) == 0
    assert not world.zookeeper.exists(ORDER), "gone with the reply"
    assert world.listed(topic) == {}


def test_garbage_is_removed_and_blocks_nobody(world: World) -> None:
    create(world, b"{this is no order")
    topic = world.topic([1, 2, 3])
    create(world, stock_json((topic, [3, 2, 1])))
    await_absence(world, ORDER)
    world.await_replicas(topic, [3, 2, 1])


def test_an_election_is_asked_for_by_a_znode(world: World) -> None:
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [2, 1, 3]) == 0
    assert world.state_znode(topic)["leader"] == 1
    entry = {"topic": topic, "partition": 0}
    data = json.dumps({"version": 1, "partitions": [entry]}).encode()
    world.zookeeper.create(paths.PREFERRED_REPLICA_ELECTION, data)
    await_absence(world, paths.PREFERRED_REPLICA_ELECTION)
    assert world.state_znode(topic)["leader"] == 2
