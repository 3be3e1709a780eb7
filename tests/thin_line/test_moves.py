"""kafka-python's library moves replicas; ZooKeeper and the brokers' disks tell whether it is true.

A frozen broker lives and answers but copies nothing, so a move to it stays in flight for as long
as the test looks at it.
"""

import time

import pytest
from modes import both_modes
from thin_line.world import World, eventually


@pytest.mark.req("R455-90", "R435-62")
@both_modes
def test_a_move_in_flight_and_at_its_end(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3], [1, 2, 3])
    idle: dict[str, object] = {"adding_replicas": {}, "removing_replicas": {}}
    assert world.topic_znode(topic) == (
        {"version": 2, "partitions": {"0": [1, 2, 3], "1": [1, 2, 3]}, **idle},
        0,
    )

    assert world.alter(topic, [4, 3, 2]) == 0
    assert world.listed(topic) == {0: ([4, 3, 2, 1], [4], [1])}
    assert world.topic_znode(topic) == (
        {
            "version": 2,
            "partitions": {"0": [4, 3, 2, 1], "1": [1, 2, 3]},
            "adding_replicas": {"0": [4]},
            "removing_replicas": {"0": [1]},
        },
        1,
    )
    assert world.await_replicas(topic, [4, 3, 2, 1])["leader_id"] == 1
    assert world.state_znode(topic)["isr"] == [1, 2, 3]

    world.thaw(4)
    found = world.await_replicas(topic, [4, 3, 2])
    assert world.listed(topic) == {}
    assert (found["error_code"], found["leader_id"]) == (0, 4)
    assert sorted(found["isr_nodes"]) == [2, 3, 4]
    assert found["offline_replicas"] == []
    # The second write of the znode is the last one, so nobody can have seen a step between.
    assert world.topic_znode(topic) == (
        {"version": 2, "partitions": {"0": [4, 3, 2], "1": [1, 2, 3]}, **idle},
        2,
    )
    state = world.state_znode(topic)
    assert (state["leader"], sorted(state["isr"])) == (4, [2, 3, 4])
    assert state["leader_epoch"] > 0
    world.await_no_log(topic, 1)
    assert world.has_log(4, topic)
    assert world.has_log(1, topic, 1), "the other partition's replica is no business of the move"


@pytest.mark.req("R455-38")
@both_modes
def test_list_and_metadata_show_the_stored_order(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [1, 2, 4]) == 0
    assert world.listed(topic) == {0: ([1, 2, 4, 3], [4], [3])}
    world.await_replicas(topic, [1, 2, 4, 3])


@pytest.mark.req("R455-94")
@both_modes
def test_every_broker_is_told_all_replicas(world: World) -> None:
    world.freeze(5)
    topic = world.topic([1, 2])
    assert world.alter(topic, [5, 2]) == 0
    world.await_told(topic, [5, 2, 1])


@pytest.mark.req("R455-27", "R435-62")
@both_modes
@pytest.mark.parametrize(("before", "after"), [([1], [2, 3, 1]), ([1, 2, 3], [3])])
def test_the_number_of_replicas_may_change(
    world: World, before: list[int], after: list[int]
) -> None:
    topic = world.topic(before)
    assert world.alter(topic, after) == 0
    eventually(lambda: not world.listed(topic), "the move to end")
    state = world.state_znode(topic)
    assert sorted(state["isr"]) == sorted(after)
    assert state["leader"] in after
    world.await_replicas(topic, after)
    world.await_no_log(topic, *(set(before) - set(after)))


@pytest.mark.req("R455-26")
@both_modes
@pytest.mark.parametrize("target", [[3, 1, 2], [1, 2, 3]])
def test_a_target_of_the_same_brokers_is_done_at_once(world: World, target: list[int]) -> None:
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, target) == 0
    assert world.listed(topic) == {}
    assert world.topic_znode(topic)[0]["partitions"] == {"0": target}
    assert world.await_replicas(topic, target)["leader_id"] == 1
    assert world.state_znode(topic)["leader"] == 1


@both_modes
def test_the_running_target_again_changes_nothing(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    before = world.topic_znode(topic)
    assert world.alter(topic, [4, 2]) == 0
    assert world.topic_znode(topic) == before
    assert world.listed(topic) == {0: ([4, 2, 1], [4], [1])}


@pytest.mark.req("R455-93")
def test_a_new_target_starts_from_the_origin(world: World) -> None:
    for broker in (4, 5, 6):
        world.freeze(broker)
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [4, 5, 6]) == 0
    world.await_log(topic, 4, 5, 6)
    assert world.alter(topic, [1, 2, 5]) == 0
    assert world.listed(topic) == {0: ([1, 2, 5, 3], [5], [3])}
    world.await_no_log(topic, 4, 6)
    assert world.has_log(5, topic)


@pytest.mark.req("R455-49")
@both_modes
def test_a_cancel_and_a_second_one(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [3, 4, 2]) == 0
    world.await_log(topic, 4)
    assert world.alter(topic, None) == 0
    assert world.listed(topic) == {}
    world.await_replicas(topic, [3, 2, 1])
    znode, _ = world.topic_znode(topic)
    assert znode == {
        "version": 2,
        "partitions": {"0": [3, 2, 1]},
        "adding_replicas": {},
        "removing_replicas": {},
    }
    world.await_no_log(topic, 4)
    assert all(world.has_log(broker, topic) for broker in (1, 2, 3))
    assert world.alter(topic, None) == 85


@pytest.mark.req("R455-46")
def test_a_cancel_when_one_of_two_has_joined(world: World) -> None:
    world.freeze(5)
    topic = world.topic([1, 2, 3])
    assert world.alter(topic, [3, 4, 5]) == 0
    eventually(lambda: 4 in world.state_znode(topic)["isr"], "broker 4 to join the ISR")
    assert world.listed(topic) == {0: ([3, 4, 5, 1, 2], [4, 5], [1, 2])}
    assert world.alter(topic, None) == 0
    znode, _ = world.topic_znode(topic)
    assert set(znode["partitions"]["0"]) == {1, 2, 3}
    assert (znode["adding_replicas"], znode["removing_replicas"]) == ({}, {})
    assert sorted(world.state_znode(topic)["isr"]) == [1, 2, 3]
    world.await_no_log(topic, 4, 5)


@pytest.mark.req("R455-29")
@both_modes
def test_the_answer_does_not_wait_for_brokers(world: World) -> None:
    world.freeze(6)
    topic = world.topic([1, 2])
    started = time.monotonic()
    assert world.alter(topic, [6, 2]) == 0
    assert time.monotonic() - started < 5
    assert world.listed(topic) == {0: ([6, 2, 1], [6], [1])}
