"""kafka-python's own command line, `python -m kafka.admin`, as a process."""

from clients.cluster import BROKERS, CONTROLLER, config
from thin_line.world import World, eventually


def test_moves(world: World) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3], [1, 2, 3])
    first, second = f"{topic}:0", f"{topic}:1"
    alter = ("partitions", "alter-reassignments")
    found = world.cli(*alter, "-r", f"{first}=4,3,2", "-r", f"{second}=1,77")
    assert found[first] is None
    assert "InvalidReplicationAssignment" in found[second]
    moving = {"replicas": [4, 3, 2, 1], "adding_replicas": [4], "removing_replicas": [1]}
    assert world.cli("partitions", "list-reassignments")[first] == moving
    assert world.cli(*alter, "-r", f"{first}=cancel") == {first: None}
    assert world.cli("partitions", "list-reassignments", "-p", first) == {}


def test_topics_partitions_and_configs(world: World) -> None:
    made = ("-t", "by-cli", "--num-partitions", "2", "--replication-factor", "2")
    [created] = world.cli("topics", "create", *made)["topics"]
    assert (created["name"], created["error_code"]) == ("by-cli", 0)
    world.cli("partitions", "create", "-p", "by-cli:3")
    eventually(lambda: world.told(2, "by-cli", 2), "a broker to know the third partition")
    entity = ("-r", "topic", "-n", "by-cli")
    world.cli("configs", "alter", *entity, "-c", "retention.ms=5000")
    assert config(world, "topics/by-cli") == {"retention.ms": "5000"}
    described = world.cli("configs", "describe", *entity)
    assert described["topic"]["by-cli"]["retention.ms"]["value"] == "5000"
    world.cli("topics", "delete", "-t", "by-cli")
    eventually(lambda: not world.zookeeper.exists("/brokers/topics/by-cli"), "its deletion")


def test_the_cluster(world: World) -> None:
    described = world.cli("cluster", "describe")
    assert described["controller_id"] == CONTROLLER
    assert {item["broker_id"] for item in described["brokers"]} == {*BROKERS, CONTROLLER}
    versions = world.cli("cluster", "api-versions")
    assert versions["AlterPartitionReassignments"] == [0, 0]
    assert versions["Metadata"] == [0, 12]
