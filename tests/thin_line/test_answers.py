"""What bad targets, odd requests and wrong nodes get, on a bare connection."""

import pytest
from thin_line.world import World

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)

Target = tuple[int, ...] | None
TEXT = "This is not the correct controller for this cluster."
NOT_ALIVE = "Replica assignment has brokers that are not alive. Replica list:"


def alter(
    world: World, *entries: tuple[str, int, Target], broker: int | None = None
) -> AlterPartitionReassignmentsResponse:
    """Send one request, each entry as a topic of its own."""
    request = AlterPartitionReassignmentsRequest(
        topics=tuple(
            ReassignableTopic(topic, (ReassignablePartition(number, target),))
            for topic, number, target in entries
        )
    )
    with world.connect(broker) as wire:
        response = wire.ask(request)
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    return response


def refusal(world: World, topic: str, partition: int, target: Target) -> tuple[int, str]:
    """Return code and text of the one answer to the one entry."""
    response = alter(world, (topic, partition, target))
    assert (response.error_code, response.error_message) == (0, "")
    [[answer]] = [item.partitions for item in response.responses]
    assert (response.responses[0].name, answer.partition_index) == (topic, partition)
    return answer.error_code, answer.error_message or ""


@pytest.mark.parametrize(
    ("target", "text"),
    [
        pytest.param(
            (), "Empty replica list specified in partition reassignment.",
            marks=pytest.mark.req("R455-17"), id="empty",
        ),
        pytest.param(
            (1, 1), "Duplicate replica ids in partition reassignment replica list",
            marks=pytest.mark.req("R455-18"), id="doubled",
        ),
        pytest.param(
            (1, -2), "Invalid broker id in replica list",
            marks=pytest.mark.req("R455-19"), id="negative",
        ),
        pytest.param((1, 99), NOT_ALIVE, id="unknown broker"),
        pytest.param((1, 900), NOT_ALIVE, id="the controller's own id"),
    ],
)  # fmt: skip
def test_targets_that_cannot_be(world: World, target: Target, text: str) -> None:
    topic = world.topic([1, 2])
    before = world.topic_znode(topic)
    code, message = refusal(world, topic, 0, target)
    assert code == 39
    assert message.startswith(text)
    assert world.topic_znode(topic) == before


@pytest.mark.req("R455-21")
def test_partitions_that_are_not_there(world: World) -> None:
    topic = world.topic([1, 2])
    for name, partition in ((topic, 7), ("nowhere", 0)):
        assert refusal(world, name, partition, (1, 2)) == (3, "The partition does not exist.")


def test_a_cancel_of_what_does_not_move(world: World) -> None:
    topic = world.topic([1, 2])
    expected = (85, "No partition reassignment is in progress.")
    for name, partition in ((topic, 0), (topic, 7), ("nowhere", 0)):
        assert refusal(world, name, partition, None) == expected


@pytest.mark.req("R455-16")
def test_good_partitions_start_beside_bad_ones(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    response = alter(
        world,
        (topic, 0, (1, 1)),
        (topic, 1, (4, 2)),
        ("nowhere", 0, (1, 2)),
        (topic, 2, None),
    )
    assert response.error_code == 0
    codes = {
        (item.name, part.partition_index): part.error_code
        for item in response.responses
        for part in item.partitions
    }
    assert codes == {(topic, 0): 39, (topic, 1): 0, ("nowhere", 0): 3, (topic, 2): 85}
    assert world.listed(topic) == {1: ([4, 2, 1], [4], [1])}


@pytest.mark.req("R455-15")
def test_each_partition_is_answered_once_in_request_order(world: World) -> None:
    world.freeze(4)
    one, two = world.topic([1, 2], [1, 2]), world.topic([1, 2])
    response = alter(
        world,
        (two, 0, (2, 1)),
        (one, 1, (2, 1)),
        (one, 0, (1, 1)),
        (two, 0, (4, 2)),
        (one, 1, None),
    )
    answers = [
        (item.name, [(part.partition_index, part.error_code) for part in item.partitions])
        for item in response.responses
    ]
    assert answers == [(two, [(0, 0)]), (one, [(1, 85), (0, 39)])]
    assert world.listed(two) == {0: ([4, 2, 1], [4], [1])}
    assert world.listed(one) == {}


def test_brokers_refuse_what_only_a_controller_does(world: World) -> None:
    topic = world.topic([1, 2])
    answer = alter(world, (topic, 0, (2, 1)), broker=3)
    assert answer == AlterPartitionReassignmentsResponse(error_code=41, error_message=TEXT)
    with world.connect(3) as wire:
        listed = wire.ask(ListPartitionReassignmentsRequest())
    assert listed == ListPartitionReassignmentsResponse(error_code=41, error_message=TEXT)
    assert world.topic_znode(topic)[1] == 0


@pytest.mark.req("R455-28")
def test_null_topics_cost_the_connection_and_nothing_else(world: World) -> None:
    with world.connect() as wire:
        # 45 v0, correlation id 0, client id null, timeout 30000, null topics.
        wire.socket.sendall(bytes.fromhex("00000011 002d 0000 00000000 ffff 00 00007530 00 00"))
        assert wire.is_closed()
    with world.connect() as wire:
        nothing = wire.ask(ListPartitionReassignmentsRequest(topics=()))
        assert nothing == ListPartitionReassignmentsResponse(error_message="")


def test_an_empty_alter_request_is_lawful(world: World) -> None:
    assert alter(world) == AlterPartitionReassignmentsResponse(error_message="")


def test_one_request_may_start_many_moves(world: World) -> None:
    topic = world.topic(*([1, 2] for _ in range(20)))
    response = alter(world, *((topic, number, (3, 4)) for number in range(20)))
    assert [part.error_code for item in response.responses for part in item.partitions] == [0] * 20
    for number in range(20):
        world.await_replicas(topic, [3, 4], number)
    znode, writes = world.topic_znode(topic)
    assert set(map(tuple, znode["partitions"].values())) == {(3, 4)}
    assert writes < 20, "partitions that end together share a write"
