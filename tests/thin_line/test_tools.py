"""The rest of what stock clients do: create, describe, and kafka-python's own tool."""

import pytest
from kafka.errors import for_code
from thin_line.world import World, eventually


def test_the_command_line_tool_moves_and_cancels(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    move = f"{topic}:0"
    assert world.cli("partitions", "alter-reassignments", "-r", f"{move}=4,3,2") == {move: None}
    assert world.cli("partitions", "list-reassignments", "-p", move) == {
        move: {"replicas": [4, 3, 2, 1], "adding_replicas": [4], "removing_replicas": [1]}
    }
    assert world.cli("partitions", "alter-reassignments", "-r", f"{move}=cancel") == {move: None}
    assert world.cli("partitions", "list-reassignments", "-p", move) == {}
    refused = world.cli("partitions", "alter-reassignments", "-r", f"{move}=cancel")
    assert "NoReassignmentInProgress" in refused[move]


def test_the_command_line_tool_creates_and_describes(world: World) -> None:
    created = world.cli(
        "topics", "create", "-t", "by-tool", "--num-partitions", "4", "--replication-factor", "3"
    )
    [topic] = created["topics"]
    assert (topic["error_code"], topic["num_partitions"], topic["replication_factor"]) == (0, 4, 3)
    eventually(lambda: world.told(1, "by-tool", 3), "a broker to know the topic")
    partitions = [world.metadata("by-tool", number) for number in range(4)]
    for found in partitions:
        assert found["error_code"] == 0
        assert found["leader_id"] == found["replica_nodes"][0]
        assert len(set(found["replica_nodes"])) == 3
        assert sorted(found["isr_nodes"]) == sorted(found["replica_nodes"])
    assert {found["leader_epoch"] for found in partitions} == {0}


def test_the_cluster_describes_itself(world: World) -> None:
    described = world.admin.describe_cluster()
    assert described["controller_id"] == 900
    assert {found["broker_id"] for found in described["brokers"]} == {1, 2, 3, 4, 5, 6, 900}
    assert len(described["cluster_id"]) == 22


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("a b", {"num_partitions": 1, "replication_factor": 1}, 17),
        ("t", {"num_partitions": 0, "replication_factor": 1}, 37),
        ("t", {"num_partitions": 1, "replication_factor": 9}, 38),
        ("t", {"assignments": {0: [1, 1]}}, 39),
        ("t", {"assignments": {1: [1, 2]}}, 39),
    ],
)
def test_topics_that_cannot_be(
    world: World, name: str, options: dict[str, object], code: int
) -> None:
    with pytest.raises(for_code(code)):
        world.admin.create_topics({name: options})


def test_a_topic_exists_once(world: World) -> None:
    topic = world.topic([1])
    with pytest.raises(for_code(36)):
        world.admin.create_topics({topic: {"num_partitions": 1, "replication_factor": 1}})
