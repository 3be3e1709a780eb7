"""AlterTopics by a whole node: killed at any moment, beside other writers, and told in full."""

import pytest
from node.moving import leads, lists
from node.takeover import take_over
from node_world import World, in_office

from klamm.controller.core.events import AlterTopic, CreateTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import SetData
from klamm.controller.core.results import Done, Refusal, TopicCreated
from klamm.controller.node.effects import Commit
from klamm.controller.store.port import ANY_VERSION
from klamm.controller.znodes import paths

Lists = tuple[object, object, object]

BEFORE: Lists = ({"0": [1, 2], "1": [2, 3], "2": [3, 4]}, {}, {})
AFTER = {"0": [1, 2, 3], "1": [2, 3, 4], "2": [3, 4, 1], "3": [4, 5, 1], "4": [5, 1, 2]}
BEGUN: Lists = (AFTER, {"0": [3], "1": [4], "2": [1]}, {})
DONE: Lists = (AFTER, {}, {})
GROW = AlterTopic("t", 5, 3)


def with_topics() -> World:
    """Five brokers; topic t of three partitions on two brokers each, and u of one."""
    world = in_office()
    three = {0: (1, 2), 1: (2, 3), 2: (3, 4)}
    made = world.ask(
        CreateTopic("t", -1, -1, three, {}, 0, 0), CreateTopic("u", -1, -1, {0: (4, 5)}, {}, 0, 0)
    )
    assert made == (TopicCreated(3, 2), TopicCreated(1, 2))
    world.sent.clear()
    world.effects.clear()
    return world


def topic_writes(world: World) -> int:
    ops = [op for each in world.effects if isinstance(each, Commit) for op in each.ops]
    return sum(isinstance(op, SetData) and op.path == paths.topic("t") for op in ops)


@pytest.mark.req("R179A-33")
@pytest.mark.parametrize("applied", [True, False])
def test_killed_at_any_moment_it_is_begun_or_not_and_never_by_halves(applied: bool) -> None:
    begun = 0
    for steps in range(1, 60):
        world = with_topics()
        request = world.request(GROW)
        ended = False
        for _ in range(steps):
            ended = not world.step()
        if applied:
            world.zookeeper.run()
        assert lists(world) in (BEFORE, BEGUN)
        answered = world.replies.get(request, [])
        take_over(world)
        found = lists(world)
        assert found in (BEFORE, BEGUN), f"killed after {steps} steps"
        assert found == BEGUN or not answered, "what was answered is durable"
        if found == BEGUN:
            begun += 1
            for number in range(5):
                state = world.data(paths.state("t", number))
                assert state["leader"] == number + 1
            told = {
                (broker, each.partition_index, each.replicas)
                for broker in range(1, 6)
                for each in leads(world, broker)
            }
            expected = {
                (broker, number, replicas)
                for number, replicas in enumerate(map(tuple, AFTER.values()))
                for broker in replicas
            }
            assert told >= expected
        if ended:
            assert begun
            return
    raise AssertionError("it never ends")


@pytest.mark.req("R179A-22", "R179A-35")
def test_the_next_controller_sees_it_to_its_end() -> None:
    world = with_topics()
    assert world.ask(GROW, AlterTopic("u", 2, place=1)) == (Done(), Done())
    assert topic_writes(world) == 1
    assert lists(world) == BEGUN
    take_over(world)
    assert lists(world) == BEGUN
    again = world.ask(AlterTopic("t", replicas=2))
    assert isinstance(again[0], Refusal)
    for number, isr in enumerate(([1, 2, 3], [2, 3, 4], [3, 4, 1])):
        world.leader_writes_isr(TopicPartition("t", number), isr)
    world.settle()
    assert lists(world) == DONE


def test_it_is_decided_again_beside_another_writer() -> None:
    """Somebody else writes the topic while it is being altered; what it wrote stays."""
    world = with_topics()
    request = world.request(GROW)
    path = paths.topic("t")
    content = world.zookeeper.tree.nodes[path].data
    assert content is not None
    world.feed()
    while not any(isinstance(each, Commit) for each in world.effects):
        world.step()
    world.write(SetData(path, content.replace(b"[3,4]", b"[3,5]"), ANY_VERSION))
    world.settle()
    assert world.replies[request] == [(Done(),)]
    partitions, adding, _ = lists(world)
    assert isinstance(partitions, dict)
    assert partitions["2"][:2] == [3, 5]
    assert len(partitions) == 5
    assert isinstance(adding, dict)
    assert set(adding) == {"0", "1", "2"}


def test_the_journal_tells_what_was_asked_and_what_came_of_it() -> None:
    world = with_topics()
    world.ask(GROW)
    (entry,) = (each for each in world.journal if each.kind == "topic-altered")
    assert (entry.topic, entry.text) == ("t", "3 to 5 partitions, 3 of them move")
    assert entry.cause is not None
    assert entry.cause.event == GROW
    assert entry.result == Done()
    assert [each.kind for each in world.journal].count("accept") == 3
    world.ask(AlterTopic("t", replicas=1))
    assert (world.journal[-1].kind, world.journal[-1].topic) == ("refuse", "t")
