"""What kafka-python's library sees of moves, proved on the znodes and on the brokers."""

import time
from typing import Any

import pytest
from kafka import TopicPartition
from kafka.errors import ReassignmentInProgressError
from thin_line.world import World, eventually

PARTITIONS = 100


@pytest.mark.req("R455-9")
def test_an_alter_and_a_cancel_leave_98_other_moves_alone(world: World) -> None:
    """Of two new replicas one has caught up, so that there is progress to be lost."""
    world.freeze(5)
    topic = world.topic(*([1, 2] for _ in range(PARTITIONS)))
    names = [TopicPartition(topic, number) for number in range(PARTITIONS)]
    started = world.admin.alter_partition_reassignments({name: [4, 5] for name in names})
    assert set(started.values()) == {None}

    def states() -> dict[int, tuple[dict[str, Any], int]]:
        found = {}
        for number in range(PARTITIONS):
            path = f"/brokers/topics/{topic}/partitions/{number}/state"
            found[number] = (world.state_znode(topic, number), world.zookeeper.get(path)[1].version)
        return found

    eventually(
        lambda: all(4 in state["isr"] for state, _ in states().values()),
        "broker 4 to join every ISR",
    )
    before, moving, znode = states(), world.listed(topic), world.topic_znode(topic)[0]
    answer = world.admin.alter_partition_reassignments({names[0]: [3, 5], names[1]: None})
    assert answer == {names[0]: None, names[1]: None}

    after = world.listed(topic)
    assert after[0] == ([3, 5, 1, 2], [3, 5], [1, 2])
    assert 1 not in after
    others = range(2, PARTITIONS)
    assert {number: after[number] for number in others} == {n: moving[n] for n in others}
    now = world.topic_znode(topic)[0]
    for kind in ("partitions", "adding_replicas", "removing_replicas"):
        assert {n: now[kind][str(n)] for n in others} == {n: znode[kind][str(n)] for n in others}
    found = states()
    assert {number: found[number] for number in others} == {n: before[n] for n in others}
    assert all(world.has_log(4, topic, number) for number in others)
    world.await_no_log(topic, 4)
    world.admin.alter_partition_reassignments(dict.fromkeys([names[0], *names[2:]]))


@pytest.mark.req("R455-29")
def test_the_answer_comes_while_brokers_never_catch_up(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    before = time.monotonic()
    assert world.alter(topic, [4, 2]) == 0
    assert time.monotonic() - before < 5
    assert world.listed(topic) == {0: ([4, 2, 1], [4], [1])}


@pytest.mark.req("R455-38", "R455-94")
def test_list_metadata_and_brokers_show_the_same_replicas(world: World) -> None:
    world.freeze(3)
    topic = world.topic([0, 1, 2])
    assert world.alter(topic, [0, 1, 3]) == 0
    assert world.listed(topic) == {0: ([0, 1, 3, 2], [3], [2])}
    world.await_told(topic, [0, 1, 3, 2])
    assert world.metadata(topic)["replica_nodes"] == [0, 1, 3, 2], "whichever node is asked"


@pytest.mark.req("R455-95")
def test_a_topic_with_a_move_gains_no_partitions(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    with pytest.raises(ReassignmentInProgressError):
        world.admin.create_partitions({topic: 3})
    answer = world.admin.create_partitions({topic: 3}, raise_errors=False)
    [result] = answer.results
    assert (result.error_code, result.error_message) == (
        60,
        f"A partition reassignment is in progress for the topic '{topic}'.",
    )
    assert world.alter(topic, None) == 0
    world.admin.create_partitions({topic: 3})
    eventually(lambda: world.told(1, topic, 2), "a broker to know the third partition")


@pytest.mark.req("R455-24", "R455-95")
def test_a_topic_with_a_move_is_deleted_when_the_move_has_ended(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    queued = f"/admin/delete_topics/{topic}"
    assert world.alter(topic, [4, 2]) == 0
    world.zookeeper.create(queued, None)
    # The controller has heard of it as soon as it refuses new targets.
    eventually(lambda: world.alter(topic, [2, 1], 1) == 3, "the deletion to be known")
    assert world.alter(topic, [5, 2]) == 3
    assert world.listed(topic) == {0: ([4, 2, 1], [4], [1])}
    assert world.has_log(1, topic)
    assert world.zookeeper.exists(queued)
    assert world.alter(topic, None) == 0
    eventually(lambda: not world.zookeeper.exists(queued), "the deletion to be done")
    assert not world.zookeeper.exists(f"/brokers/topics/{topic}")
    world.await_no_log(topic, 1, 2, 4)
