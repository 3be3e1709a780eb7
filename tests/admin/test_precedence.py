"""Requests for partitions that /admin/reassign_partitions names, and failovers after them."""

import json
from collections.abc import Callable

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
    kip,
    moving,
    order,
    overwrite,
    replicas,
    target,
    tick,
    told,
    with_topics,
    writes,
)
from node_world import World

from klamm.controller.core.events import AlterReassignment, CreatePartitions, DeleteTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import NOT_CONTROLLER, Done, Fault, Refusal
from klamm.controller.node.effects import Commit
from klamm.controller.znodes import paths

OLD, NEW = (4, 2, 3), (5, 2, 3)


def until_commit(world: World, count: int = 1) -> Commit:
    """Go on until the node has asked for so many Commits; the last of them is not served."""
    for _ in range(40):
        found = [e for e in world.effects if isinstance(e, Commit)]
        if len(found) >= count:
            return found[count - 1]
        world.step()
    raise AssertionError(f"not {count} commits")


def ordered(world: World) -> World:
    """A and B are under way by the znode."""
    create_order(world, {A: list(OLD), B: [1, 2, 5]})
    assert moving(world) == [A, B]
    world.effects.clear()
    return world


# --- both rows of the table, in both profiles ---------------------------------------------------


@pytest.mark.req("R455-86")
@pytest.mark.parametrize("wanted", [NEW, None], ids=["another target", "cancel"])
def test_in_apache_3_9_what_a_request_says_stands_after_a_failover(
    wanted: tuple[int, ...] | None,
) -> None:
    world = ordered(with_topics())
    assert world.ask(AlterReassignment(A, wanted)) == (Done(),)
    assert entries(world) == {B: [1, 2, 5]}
    (entry,) = told(world, "entry-superseded")
    assert entry.name == A
    expected = wanted or (2, 3, 1)  # the order before is not promised (R455-47)
    assert target(world, A) == expected
    fail_over(world)
    assert (target(world, A), target(world, B)) == (expected, (1, 2, 5))
    copy(world, A)
    copy(world, B)
    tick(world)
    assert entries(world) is None
    assert (replicas(world, A), replicas(world, B)) == ([*expected], [1, 2, 5])


@pytest.mark.req("R455-86")
@pytest.mark.parametrize("wanted", [NEW, None], ids=["another target", "cancel"])
def test_in_kip_455_the_znode_returns_at_a_failover(wanted: tuple[int, ...] | None) -> None:
    world = ordered(with_topics(config=kip()))
    assert world.ask(AlterReassignment(A, wanted)) == (Done(),)
    assert target(world, A) == (wanted or (1, 2, 3))
    tick(world)
    assert entries(world) == {A: [*OLD], B: [1, 2, 5]}, "the entry stays, and nobody acts on it"
    assert target(world, A) == (wanted or (1, 2, 3))
    fail_over(world)
    assert (target(world, A), target(world, B)) == (OLD, (1, 2, 5))
    copy(world, A)
    copy(world, B)
    tick(world)
    assert entries(world) is None
    assert (replicas(world, A), replicas(world, B)) == ([*OLD], [1, 2, 5])


def test_in_kip_455_an_overridden_entry_leaves_with_its_set() -> None:
    world = ordered(with_topics(config=kip()))
    world.ask(AlterReassignment(A, NEW))
    copy(world, B)
    tick(world)
    assert entries(world) == {A: [*OLD]}
    copy(world, A)
    tick(world)
    assert entries(world) is None
    assert replicas(world, A) == [*NEW]


@pytest.mark.req("R455-52")
def test_a_cancel_ends_a_move_of_the_znode_for_good() -> None:
    world = with_topics()
    create_order(world, {A: list(OLD)})
    assert world.ask(AlterReassignment(A, None)) == (Done(),)
    assert entries(world) is None
    assert moving(world) == []
    fail_over(world)
    assert moving(world) == []
    assert sorted(replicas(world, A)) == [1, 2, 3]


# --- one multi ----------------------------------------------------------------------------------


@pytest.mark.req("R455-87")
@pytest.mark.parametrize("wanted", [NEW, None], ids=["another target", "cancel"])
def test_entry_and_topic_are_one_multi(wanted: tuple[int, ...] | None) -> None:
    world = ordered(with_topics())
    request = world.request(AlterReassignment(A, wanted))
    commit = until_commit(world)
    assert {PATH, paths.topic("a"), paths.state(*A)} <= {op.path for op in commit.ops}
    assert request not in world.replies
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert len(writes(world)) == 1


@pytest.mark.req("R455-87")
@pytest.mark.parametrize("served", [False, True], ids=["killed before", "killed after"])
def test_old_target_or_new_one_wherever_the_controller_dies(*, served: bool) -> None:
    world = ordered(with_topics())
    request = world.request(AlterReassignment(A, NEW))
    until_commit(world)
    if served:
        world.zookeeper.serve(world.store)
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert target(world, A) == (NEW if served else OLD)
    assert entries(world) == ({B: [1, 2, 5]} if served else {A: [*OLD], B: [1, 2, 5]})


@pytest.mark.parametrize("served", [False, True], ids=["lost", "carried out"])
def test_a_lost_answer_is_found_out(*, served: bool) -> None:
    world = ordered(with_topics())
    request = world.request(AlterReassignment(A, NEW))
    until_commit(world)
    if served:
        world.zookeeper.serve(world.store)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert (target(world, A), entries(world)) == (NEW, {B: [1, 2, 5]})


def test_a_tool_that_writes_meanwhile_loses_nothing_and_we_do_not_either() -> None:
    world = ordered(with_topics())
    request = world.request(AlterReassignment(A, NEW))
    until_commit(world)
    overwrite(world, {A: [*OLD], B: [1, 2, 5], C: [4, 5]})
    assert world.replies[request] == [(Done(),)]
    assert target(world, A) == NEW
    assert entries(world) == {B: [1, 2, 5], C: [4, 5]}


def test_many_partitions_of_one_request_are_one_write_of_the_znode() -> None:
    names = [f"t{number}" for number in range(30)]
    world = with_topics(names)
    moves = {TopicPartition(name, 0): [*OLD] for name in names}
    create_order(world, moves)
    world.effects.clear()
    wanted = [AlterReassignment(name, NEW) for name in list(moves)[:29]]
    assert world.ask(*wanted) == (Done(),) * 29
    assert len(writes(world)) == 1
    assert len(entries(world) or {}) == 1


# --- what does not fit into one -----------------------------------------------------------------


def too_large_for_one() -> World:
    """The topic's znode and the other one fit into a Commit each, and not into the same."""
    world = with_topics()
    padded = {**world.data(paths.topic("a")), "padding": "x" * 250_000}
    world.write(SetData(paths.topic("a"), json.dumps(padded).encode(), ANY_VERSION))
    world.settle()
    create_order(world, {A: [*OLD]})
    waiting = {TopicPartition(f"{n}-{'x' * 200}", 0): [1] for n in range(2_000)}
    overwrite(world, {A: [*OLD], **waiting})
    assert target(world, A) == OLD
    world.effects.clear()
    return world


@pytest.mark.req("R455-87")
def test_what_does_not_fit_is_the_topic_first_and_the_reply_last() -> None:
    world = too_large_for_one()
    request = world.request(AlterReassignment(A, NEW))
    first = until_commit(world)
    assert paths.topic("a") in {op.path for op in first.ops}
    assert PATH not in {op.path for op in first.ops}
    second = until_commit(world, 2)
    assert [op.path for op in second.ops] == [PATH]
    assert request not in world.replies
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert A not in (entries(world) or {})
    fail_over(world)
    assert target(world, A) == NEW


@pytest.mark.req("R455-87")
@pytest.mark.parametrize("served", [0, 1, 2])
def test_between_the_two_the_old_target_returns_and_nobody_was_told(served: int) -> None:
    world = too_large_for_one()
    request = world.request(AlterReassignment(A, NEW))
    until_commit(world, min(served + 1, 2))
    if served == 2:
        world.zookeeper.serve(world.store)
    assert request not in world.replies
    world.zookeeper.expire(world.store)
    world.settle()
    assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert target(world, A) == (NEW if served == 2 else OLD)


def test_a_conflict_between_the_two_is_decided_again() -> None:
    world = too_large_for_one()
    request = world.request(AlterReassignment(A, NEW))
    until_commit(world, 2)
    overwrite(world, world.zookeeper.tree.nodes[PATH].data or b"")
    assert world.replies[request] == [(Done(),)]
    assert target(world, A) == NEW
    assert A not in (entries(world) or {})


# --- what takes nothing out ---------------------------------------------------------------------


def queue_for_deletion(world: World) -> None:
    world.write(Create(paths.delete_topic("a"), None))
    world.settle()


REFUSED: dict[str, tuple[Callable[[World], None], AlterReassignment]] = {
    "no replicas": (lambda world: None, AlterReassignment(A, ())),
    "an unknown broker": (lambda world: None, AlterReassignment(A, (9,))),
    "a topic to be deleted": (queue_for_deletion, AlterReassignment(A, NEW)),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_request_takes_nothing_out(
    case: tuple[Callable[[World], None], AlterReassignment],
) -> None:
    """N9: Kafka removes the entry before it looks whether it can do what is asked."""
    prepare, event = case
    world = ordered(with_topics())
    prepare(world)
    (result,) = world.ask(event)
    assert isinstance(result, Refusal)
    assert entries(world) == {A: [*OLD], B: [1, 2, 5]}
    assert target(world, A) == OLD


@pytest.mark.parametrize("profile", ["apache-3.9", "kip-455"])
def test_a_cancel_of_what_was_never_begun(profile: str) -> None:
    """N10: Kafka answers 85, and the entry returns with the next controller."""
    world = ordered(with_topics(config=kip() if profile == "kip-455" else None))
    overwrite(world, {A: [*OLD], B: [1, 2, 5], C: [4, 5]})
    (result,) = world.ask(AlterReassignment(C, None))
    if profile == "apache-3.9":
        assert result == Done()
        assert entries(world) == {A: [*OLD], B: [1, 2, 5]}
        fail_over(world)
        assert moving(world) == [A, B]
    else:
        assert isinstance(result, Refusal)
        assert result.fault is Fault.NO_REASSIGNMENT_IN_PROGRESS
        assert C in (entries(world) or {})


@pytest.mark.parametrize("data", [b"garbage", b"", b'{"version":1,"partitions":[]}'])
def test_requests_about_other_things_leave_the_znode_alone(data: bytes) -> None:
    """N11: in Kafka any alter request deletes a znode that nobody has read."""
    world = with_topics()
    world.write(Create(PATH, data))
    results = world.ask(AlterReassignment(A, NEW), AlterReassignment(B, None))
    assert results[0] == Done()
    assert world.exists(PATH)
    world.ask(CreatePartitions("c", 2), DeleteTopic("b"))
    assert world.exists(PATH)
    assert not writes(world)
    if data != b'{"version":1,"partitions":[]}':
        assert len(told(world, "admin-discarded")) == 1
    tick(world)
    assert not world.exists(PATH), "that is its own timer's work"


def test_a_request_for_what_the_znode_already_does_takes_it_out_without_another_epoch() -> None:
    world = ordered(with_topics())
    epoch = world.data(paths.state(*A))["leader_epoch"]
    assert world.ask(AlterReassignment(A, OLD)) == (Done(),)
    assert entries(world) == {B: [1, 2, 5]}
    assert world.data(paths.state(*A))["leader_epoch"] == epoch
    fail_over(world)
    assert target(world, A) == OLD


def test_the_last_entry_takes_the_znode_along_even_with_children() -> None:
    world = with_topics()
    create_order(world, {A: [*OLD]})
    world.write(Create(f"{PATH}/odd", b"x"))
    assert world.ask(AlterReassignment(A, NEW)) == (Done(),)
    assert target(world, A) == NEW
    for _ in range(3):
        if "admin entries" in world.timers:
            tick(world)
    assert not world.exists(PATH)


def test_requests_that_come_before_the_first_reading_is_decided_on() -> None:
    """A failover with a request in the queue: the request is for what the znode orders."""
    world = with_topics()
    world.zookeeper.expire(world.store)
    world.write(Create(PATH, order({A: [*OLD], B: [1, 2, 5]})))
    former = world.node.turns
    while world.node.turns is None or world.node.turns is former:
        world.step()
    request = world.request(AlterReassignment(A, NEW))
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert (target(world, A), target(world, B)) == (NEW, (1, 2, 5))
    assert entries(world) == {B: [1, 2, 5]}


def test_whoever_removes_the_znode_at_that_moment_stops_no_request() -> None:
    world = ordered(with_topics())
    request = world.request(AlterReassignment(A, NEW))
    until_commit(world)
    world.write(Delete(PATH, ANY_VERSION))
    world.settle()
    assert world.replies[request] == [(Done(),)]
    assert (target(world, A), entries(world)) == (NEW, None)


# --- what moves nothing -------------------------------------------------------------------------


def code(world: World, name: TopicPartition) -> Fault | None:
    """What a cancel is answered."""
    (result,) = world.ask(AlterReassignment(name, None))
    assert isinstance(result, Done | Refusal)
    return result.fault if isinstance(result, Refusal) else None


def test_what_is_finished_is_not_cancelled_though_its_entry_still_stands() -> None:
    world = ordered(with_topics())
    copy(world, A)
    assert code(world, A) is Fault.NO_REASSIGNMENT_IN_PROGRESS
    assert entries(world) == {A: [*OLD], B: [1, 2, 5]}
    tick(world)
    assert entries(world) == {B: [1, 2, 5]}
    assert replicas(world, A) == [*OLD]


def test_what_was_refused_is_not_cancelled_though_its_entry_still_stands() -> None:
    world = with_topics()
    create_order(world, {A: [1, 9], B: [1, 2, 5]})
    assert code(world, A) is Fault.NO_REASSIGNMENT_IN_PROGRESS
    # What is written over it is another order, which waits, and can be taken back.
    overwrite(world, {A: [*OLD], B: [1, 2, 5]})
    assert code(world, A) is None
    assert code(world, A) is Fault.NO_REASSIGNMENT_IN_PROGRESS
    assert entries(world) == {B: [1, 2, 5]}
