"""What /admin/reassign_partitions holds and cannot be carried out: told, removed, no harm done."""

import json

import pytest
from admin.world import (
    PATH,
    A,
    B,
    C,
    copy,
    create_order,
    entries,
    fail_over,
    moving,
    order,
    overwrite,
    replicas,
    target,
    tick,
    told,
)
from node.moving import stops
from node_world import World

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.node.effects import Severity
from klamm.controller.node.tidying import TIDY_TIMER
from klamm.controller.znodes import paths

BAD = {
    "empty": '{"topic":"a","partition":0,"replicas":[]}',
    "doubled": '{"topic":"a","partition":0,"replicas":[1,1,2]}',
    "negative": '{"topic":"a","partition":0,"replicas":[1,-2]}',
    "text for an id": '{"topic":"a","partition":0,"replicas":["1","2"]}',
    "unknown broker": '{"topic":"a","partition":0,"replicas":[1,9]}',
    "unknown topic": '{"topic":"zz","partition":0,"replicas":[1]}',
    "unknown partition": '{"topic":"a","partition":7,"replicas":[1]}',
    "no replicas": '{"topic":"a","partition":0}',
    "null replicas": '{"topic":"a","partition":0,"replicas":null}',
    "no partition": '{"topic":"a","replicas":[1]}',
    "no object": "7",
}


@pytest.mark.req("R455-101")
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("found", ["by watch", "at failover"])
def test_a_bad_entry_is_dropped_with_its_reason_and_stops_no_other(
    world: World, bad: str, found: str
) -> None:
    good = '{"topic":"b","partition":0,"replicas":[1,2,5]}'
    data = f'{{"version":1,"partitions":[{bad},{good}]}}'.encode()
    if found == "by watch":
        create_order(world, data)
    else:
        world.zookeeper.expire(world.store)
        world.write(Create(PATH, data))
        world.settle()
        assert world.node.active
    assert moving(world) == [B]
    (refused,) = told(world, "entry-refused")
    assert refused.severity is Severity.WARNING
    assert refused.text
    tick(world)
    assert entries(world) == {B: [1, 2, 5]}
    copy(world, B)
    tick(world)
    assert entries(world) is None
    assert replicas(world, A) == [1, 2, 3]
    assert {broker for broker, _ in stops(world)} <= {3}, "only the third replica of b goes"


@pytest.mark.req("R455-101")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        None,
        b"no json",
        b"\xff\xfe",
        b'{"version":1}',
        b'{"version":1,"partitions":null}',
        b"[" * 5_000,
        b"x" * 100_000,
    ],
    ids=["empty", "null", "text", "bytes", "no list", "null list", "nested", "long"],
)
@pytest.mark.parametrize("found", ["by watch", "at failover"])
def test_what_cannot_be_read_is_told_and_removed(
    world: World, data: bytes | None, found: str
) -> None:
    if found == "by watch":
        world.write(Create(PATH, data))
        world.settle()
    else:
        world.zookeeper.expire(world.store)
        world.write(Create(PATH, data))
        world.settle()
        assert world.node.active
    (entry,) = told(world, "admin-discarded")
    assert entry.severity is Severity.ERROR
    assert PATH in entry.text
    assert len(entry.text) < 500, "the bytes are shown, but shortened"
    tick(world)
    assert not world.exists(PATH)
    create_order(world, {A: [4, 2, 3]})
    assert moving(world) == [A]


def test_garbage_over_a_running_set_loses_nothing_that_has_begun(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    overwrite(world, b"garbage")
    tick(world)
    assert not world.exists(PATH)
    assert moving(world) == [A]


def test_of_two_entries_for_a_partition_the_later_counts(world: World) -> None:
    first, second = (order({A: to}).decode() for to in ([5, 2, 3], [4, 2, 3]))
    both = json.loads(first)["partitions"] + json.loads(second)["partitions"]
    create_order(world, json.dumps({"partitions": both}).encode())
    assert target(world, A) == (4, 2, 3)
    assert len(told(world, "entry-refused")) == 1
    tick(world)
    assert entries(world) == {A: [4, 2, 3]}


def test_a_topic_that_is_queued_for_deletion_gets_no_new_move(world: World) -> None:
    world.ask(AlterReassignment(A, (4, 2, 3)))
    world.write(Create(paths.delete_topic("a"), None))
    world.settle()
    create_order(world, {A: [5, 2, 3]})
    assert target(world, A) == (4, 2, 3)
    assert len(told(world, "entry-refused")) == 1
    tick(world)
    assert entries(world) is None


def test_a_topic_that_is_deleted_while_it_moves_takes_its_entry_along(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    for path in (paths.state(*A), paths.partition(*A), paths.partitions("a"), paths.topic("a")):
        world.write(Delete(path, ANY_VERSION))
    world.settle()
    for _ in range(3):
        if TIDY_TIMER in world.timers:
            tick(world)
    assert entries(world) is None


@pytest.mark.parametrize("dies", [False, True], ids=["", "with a failover"])
def test_a_deletion_waits_for_a_move_of_the_znode(world: World, *, dies: bool) -> None:
    create_order(world, {A: [4, 2, 3]})
    world.write(Create(paths.delete_topic("a"), None))
    world.settle()
    if dies:
        fail_over(world)
    assert moving(world) == [A]
    tick(world)
    assert entries(world) == {A: [4, 2, 3]}
    copy(world, A)
    for _ in range(3):
        if TIDY_TIMER in world.timers:
            tick(world)
    assert entries(world) is None
    assert not world.exists(paths.topic("a"))
    assert not world.exists(paths.delete_topic("a"))


@pytest.mark.parametrize("fault", ["garbage", "not shown"])
@pytest.mark.parametrize("begun", [False, True], ids=["new", "under way"])
def test_an_entry_whose_topic_cannot_be_read_waits_until_it_can(
    world: World, fault: str, *, begun: bool
) -> None:
    wanted = {A: [4, 2, 3], B: [1, 2, 5]}
    if begun:
        create_order(world, wanted)
        world.journal.clear()
    topic = world.zookeeper.tree.nodes[paths.topic("a")]
    good = topic.data
    world.zookeeper.expire(world.store)
    if fault == "garbage":
        world.write(SetData(paths.topic("a"), b"{garbage", ANY_VERSION))
    else:
        topic.closed = True
    if not begun:
        world.write(Create(PATH, order(wanted)))
    world.settle()
    assert world.node.active
    for _ in range(3):
        tick(world)
    assert entries(world) == wanted
    assert moving(world) == [B]
    assert not told(world, "entry-refused")
    (waits,) = told(world, "entry-waits")
    assert waits.severity is Severity.WARNING
    assert waits.name == A
    assert paths.topic("a") in waits.text
    topic.closed = False
    world.write(SetData(paths.topic("a"), good, ANY_VERSION))
    world.settle()
    tick(world)
    assert target(world, A) == (4, 2, 3)
    copy(world, A)
    copy(world, B)
    tick(world)
    assert (replicas(world, A), entries(world)) == ([4, 2, 3], None)


def test_the_journal_tells_apart_what_is_finished_and_what_is_refused(world: World) -> None:
    create_order(world, {A: [4, 2, 3], B: [1, 9], C: [1, 2, 5]})
    copy(world, A)
    tick(world)
    (first,) = told(world, "admin-tidied")
    assert first.text == "2 entries leave (1 finished, 1 refused), 1 are left"
    copy(world, C)
    tick(world)
    assert told(world, "admin-tidied")[1].text == (
        "1 entries leave (1 finished, 0 refused), 0 are left"
    )


def test_the_last_entries_are_told_as_refused_if_they_are(world: World) -> None:
    create_order(world, {A: [1, 9]})
    tick(world)
    (tidied,) = told(world, "admin-tidied")
    assert tidied.text == "1 entries leave (0 finished, 1 refused), 0 are left"


def test_the_journal_tells_that_what_leaves_is_no_entry(world: World) -> None:
    create_order(world, {A: [4, 2, 3]})
    overwrite(world, b"garbage")
    tick(world)
    (tidied,) = told(world, "admin-tidied")
    assert tidied.text == "0 entries leave (0 finished, 0 refused) and what is no entry, 0 are left"
