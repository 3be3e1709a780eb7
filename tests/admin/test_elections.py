"""/admin/preferred_replica_election: elections that old tools ask for."""

import json

import pytest
from admin.world import A, B, copy, fail_over, order, replicas, told, with_topics
from node_world import World

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.origins import FromWatch
from klamm.controller.node.effects import Commit, Severity
from klamm.controller.node.turns import RETRY_TIMER
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import encode_partitions

PATH = paths.PREFERRED_REPLICA_ELECTION


def led_elsewhere(*names: TopicPartition) -> World:
    """These are led by 2, though 1 comes first, is alive and in sync."""
    world = with_topics()
    world.unregister(1)
    world.settle()
    world.register(1)
    world.settle()
    for name in names:
        copy(world, name)
        assert leader(world, name) == 2
    world.effects.clear()
    world.journal.clear()
    return world


def leader(world: World, name: TopicPartition) -> object:
    return world.data(paths.state(*name))["leader"]


def ask(world: World, *names: TopicPartition) -> None:
    world.write(Create(PATH, encode_partitions(names)))
    world.settle()


def test_what_the_znode_names_is_elected_and_the_znode_goes() -> None:
    world = led_elsewhere(A, B)
    ask(world, A, B)
    assert (leader(world, A), leader(world, B)) == (1, 1)
    assert not world.exists(PATH)
    elected = [entry for entry in world.journal if entry.kind == "elect"]
    assert [entry.name for entry in elected] == [A, B]
    (done,) = told(world, "admin-election")
    assert [op.path for op in done.ops if op.path == PATH] == [PATH]


def test_the_journal_tells_who_asked() -> None:
    world = led_elsewhere(A)
    world.write(Create(PATH, b"garbage"))
    world.settle()
    (entry,) = told(world, "admin-discarded")
    assert entry.cause is not None
    assert entry.cause.origin == FromWatch(PATH)


def test_what_cannot_be_elected_is_told_and_stops_no_other() -> None:
    world = led_elsewhere(A)
    nobody, beyond = TopicPartition("zz", 0), TopicPartition("a", 7)
    ask(world, nobody, beyond, B, A)
    assert leader(world, A) == 1
    assert not world.exists(PATH)
    assert [entry.name for entry in told(world, "not-elected")] == [nobody, beyond, B]


def test_a_znode_found_at_a_failover_is_obeyed() -> None:
    world = led_elsewhere(A)
    world.zookeeper.expire(world.store)
    world.write(Create(PATH, encode_partitions([A])))
    world.settle()
    assert world.node.active
    assert leader(world, A) == 1
    assert not world.exists(PATH)


@pytest.mark.parametrize(
    "data", [None, b"", b"no json", b"\xff", b"{}", b'{"partitions":null}', b"[" * 5_000]
)
def test_what_cannot_be_read_is_told_and_removed(data: bytes | None) -> None:
    world = led_elsewhere(A)
    world.write(Create(PATH, data))
    world.settle()
    (entry,) = told(world, "admin-discarded")
    assert entry.severity is Severity.ERROR
    assert not world.exists(PATH)
    ask(world, A)
    assert leader(world, A) == 1


def test_a_bad_entry_is_told_and_stops_no_other() -> None:
    world = led_elsewhere(A)
    entries = [{"topic": "a"}, 7, {"topic": "a", "partition": "0"}, {"topic": "a", "partition": 0}]
    world.write(Create(PATH, json.dumps({"partitions": entries}).encode()))
    world.settle()
    assert leader(world, A) == 1
    assert len(told(world, "entry-refused")) == 3
    assert not world.exists(PATH)


def test_children_of_the_znode_do_not_keep_it() -> None:
    world = led_elsewhere(A)
    world.write(Create(PATH, encode_partitions([A])), Create(f"{PATH}/odd", None))
    world.settle()
    assert leader(world, A) == 1
    assert not world.exists(PATH)


def until_removal(world: World) -> None:
    for _ in range(20):
        commits = [effect for effect in world.effects if isinstance(effect, Commit)]
        if any(op.path == PATH for commit in commits for op in commit.ops):
            return
        world.step()
    raise AssertionError("no removal")


def test_what_is_written_anew_before_the_removal_is_another_order() -> None:
    world = led_elsewhere(A, B)
    world.write(Create(PATH, encode_partitions([A])))
    until_removal(world)
    world.write(SetData(PATH, encode_partitions([B]), ANY_VERSION))
    world.settle()
    assert leader(world, B) == 1
    assert not world.exists(PATH)


def test_who_removes_the_znode_before_us_is_no_trouble() -> None:
    world = led_elsewhere(A)
    world.write(Create(PATH, encode_partitions([A])))
    until_removal(world)
    world.write(Delete(PATH, ANY_VERSION))
    world.settle()
    assert not world.exists(PATH)
    ask(world, A)
    assert leader(world, A) == 1
    assert not world.exists(PATH)


@pytest.mark.parametrize("served", [False, True])
def test_a_controller_that_dies_at_the_write_leaves_the_order_or_has_obeyed(
    *, served: bool
) -> None:
    world = led_elsewhere(A)
    world.write(Create(PATH, encode_partitions([A])))
    until_removal(world)
    if served:
        world.zookeeper.serve(world.store)
    fail_over(world)
    assert leader(world, A) == 1
    assert not world.exists(PATH)


def test_both_znodes_at_once() -> None:
    world = led_elsewhere(A)
    world.write(
        Create(PATH, encode_partitions([A])),
        Create(paths.REASSIGN_PARTITIONS, order({A: [4, 2, 3]})),
    )
    world.settle()
    assert not world.exists(PATH)
    assert set(replicas(world, A)) == {1, 2, 3, 4}


def test_a_znode_that_cannot_be_removed_is_obeyed_once() -> None:
    world = led_elsewhere(A)
    nobody = TopicPartition("zz", 0)
    world.write(Create(PATH, encode_partitions([A, nobody])))
    world.zookeeper.tree.nodes["/admin"].closed = True
    world.settle()
    assert leader(world, A) == 1, "no election waits for the removal"
    for _ in range(3):
        world.effects.clear()
        world.run_timer(RETRY_TIMER)
        world.settle()
        (commit,) = (effect for effect in world.effects if isinstance(effect, Commit))
        assert [op.path for op in commit.ops] == [PATH, paths.KLAMM_COMMIT]
    assert len(told(world, "not-elected")) == 1
    assert not told(world, "admin-election")
    world.zookeeper.tree.nodes["/admin"].closed = False
    world.run_timer(RETRY_TIMER)
    world.settle()
    assert not world.exists(PATH)
    (done,) = told(world, "admin-election")
    assert done.text == "1 elected, 1 not"


def test_what_is_written_over_a_znode_that_could_not_be_removed_is_obeyed() -> None:
    world = led_elsewhere(A, B)
    parent = world.zookeeper.tree.nodes["/admin"]
    world.write(Create(PATH, encode_partitions([A])))
    parent.closed = True
    world.settle()
    world.write(SetData(PATH, encode_partitions([B]), ANY_VERSION))
    world.settle()
    world.run_timer(RETRY_TIMER)
    world.settle()
    assert leader(world, B) == 1
    parent.closed = False
    world.run_timer(RETRY_TIMER)
    world.settle()
    assert not world.exists(PATH)
