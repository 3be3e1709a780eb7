"""What somebody has put below znodes that go: it goes with them, as in Kafka, and stops nothing."""

from uuid import uuid4

import pytest
from node.moving import commits
from node.test_deletion import assert_gone, traces
from node_world import ENDPOINT, World, in_office

from klamm.controller.core import removal
from klamm.controller.core.events import CreateTopic, DeleteTopic
from klamm.controller.core.ibp import by_name
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.core.results import Done
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Commit
from klamm.controller.znodes import paths

NOTICE = f"{paths.ISR_CHANGES}/a"


def world_of(ibp: str = "3.9", *, deletable: bool = True) -> World:
    config = NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp), delete_topic_enable=deletable)
    world = in_office((1, 2, 3), config)
    assert create(world) != (Done(),)
    return world


def create(world: World, name: str = "t") -> object:
    assignment = {0: (1, 2), 1: (2, 3)}
    return world.ask(CreateTopic(name, -1, -1, assignment, {}, 0, 0, topic_id=uuid4()))


def put(world: World, *znodes: str) -> None:
    world.write(*(Create(path, b"") for path in znodes))
    world.settle()


def assert_nothing_left(world: World) -> None:
    assert world.node.state is not None
    assert world.node.state.below == {}
    assert not [note for note in world.journal if note.kind == "given up"]


@pytest.mark.parametrize("ibp", ["2.4-IV0", "3.9"])
@pytest.mark.parametrize(
    "strays",
    [
        ("/brokers/topics/t/partitions/0/foo",),
        ("/brokers/topics/t/partitions/0/state/foo",),
        ("/brokers/topics/t/partitions/007", "/brokers/topics/t/partitions/007/state"),
        ("/brokers/topics/t/partitions/x", "/brokers/topics/t/partitions/x/y"),
        ("/brokers/topics/t/partitions/9", "/brokers/topics/t/partitions/9/state"),
        ("/brokers/topics/t/extra", "/brokers/topics/t/extra/a", "/brokers/topics/t/extra/a/b"),
        ("/config/topics/t/x", "/config/topics/t/x/y"),
        ("/brokers/topics/t/extra", "/config/topics/t/x", "/brokers/topics/t/partitions/0/foo"),
    ],
)
def test_a_topic_goes_with_all_that_is_below_its_znodes(ibp: str, strays: tuple[str, ...]) -> None:
    world = world_of(ibp)
    put(world, *strays)
    assert world.ask(DeleteTopic("t")) == (Done(),)
    assert_gone(world)
    assert_nothing_left(world)
    create(world)
    assert world.exists(paths.state("t", 1))


def test_a_child_of_the_wish_goes_with_the_wish() -> None:
    world = world_of()
    put(world, paths.delete_topic("u"), f"{paths.delete_topic('u')}/x")
    assert traces(world, "u") == []
    world.silent = {1, 2, 3}
    world.request(DeleteTopic("t"))
    world.settle()
    put(world, f"{paths.delete_topic('t')}/x")
    world.silent = set()
    world.settle()
    assert_gone(world)
    assert_nothing_left(world)


def test_a_child_of_a_wish_that_must_not_be_granted_goes_too() -> None:
    world = world_of(deletable=False)
    put(world, paths.delete_topic("t"), f"{paths.delete_topic('t')}/x")
    assert not world.exists(paths.delete_topic("t"))
    assert world.exists(paths.topic("t"))
    assert_nothing_left(world)


def test_topics_that_share_a_commit_go_whatever_is_below_one_of_them() -> None:
    world = world_of()
    names = [f"t{number}" for number in range(12)]
    for name in names:
        create(world, name)
    put(world, *(f"{paths.topic(name)}/extra" for name in names[::2]))
    assert world.ask(*map(DeleteTopic, names)) == (Done(),) * len(names)
    for name in names:
        assert_gone(world, name)
    assert_nothing_left(world)


def test_many_strays_go_in_several_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "OPS_PER_COMMIT", 12)
    world = world_of()
    put(world, *(f"/brokers/topics/t/extra{number}" for number in range(40)))
    world.effects.clear()
    world.ask(DeleteTopic("t"))
    assert_gone(world)
    of_strays = [
        len([op for op in commit.ops if "extra" in op.path])
        for commit in commits(world)
        if any("extra" in op.path for op in commit.ops)
    ]
    assert of_strays == [6, 6, 6, 6, 6, 6, 4]


def test_a_stray_that_goes_by_itself_meanwhile_is_no_hindrance() -> None:
    world = world_of()
    stray = "/brokers/topics/t/extra"
    put(world, stray)
    world.request(DeleteTopic("t"))
    for _ in range(100):
        found = [effect for effect in world.effects if isinstance(effect, Commit)]
        if stray in [op.path for op in found[-1].ops]:
            break
        world.step()
    else:
        raise AssertionError("nobody deletes the stray")
    world.write(Delete(stray, ANY_VERSION))
    world.settle()
    assert_gone(world)
    assert_nothing_left(world)


def test_a_notification_with_children_keeps_no_other_from_being_removed() -> None:
    world = world_of("2.4-IV0")
    world.write(
        Create(NOTICE, b"{}"),
        Create(f"{NOTICE}/b", b""),
        Create(f"{paths.ISR_CHANGES}/c", b"{}"),
    )
    world.settle()
    assert not world.exists(f"{paths.ISR_CHANGES}/c")
    assert not world.exists(NOTICE)
    assert_nothing_left(world)


def test_a_notification_that_somebody_else_removes_too_is_no_trouble() -> None:
    world = world_of("2.4-IV0")
    world.write(Create(NOTICE, b"{}"), Create(f"{paths.ISR_CHANGES}/c", b"{}"))
    for _ in range(100):
        found = [effect for effect in world.effects if isinstance(effect, Commit)]
        if NOTICE in [op.path for op in found[-1].ops]:
            break
        world.step()
    world.write(Delete(NOTICE, ANY_VERSION))
    world.settle()
    assert not world.exists(f"{paths.ISR_CHANGES}/c")
    assert_nothing_left(world)


def test_a_large_topic_of_which_somebody_removes_a_part_meets_one_conflict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(removal, "OPS_PER_COMMIT", 12)
    world = in_office((1, 2))
    lists = dict.fromkeys(range(20), (1, 2))
    world.ask(CreateTopic("t", -1, -1, lists, {}, 0, 0))
    world.request(DeleteTopic("t"))
    state = paths.state("t", 0)
    for _ in range(100):
        if state in [op.path for op in commits(world)[-1].ops if isinstance(op, Delete)]:
            break
        world.step()
    world.write(Delete(state, ANY_VERSION))
    world.settle()
    assert_gone(world)
    assert_nothing_left(world)
    assert [note.kind for note in world.journal].count("conflict") == 1
