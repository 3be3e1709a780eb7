"""kafka-topics, kafka-configs and kafka-broker-api-versions of 3.9.1 and 4.1.1."""

import re
from collections.abc import Callable

import pytest
from clients.cluster import BROKERS, CONTROLLER, config
from clients.java_scripts import RATES
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import BROKER_API_VERSIONS, CONFIGS, TOPICS
from thin_line.world import World, eventually

from klamm.controller.handlers.table import advertised
from klamm.protocol.registry import API_KEYS

pytestmark = pytest.mark.slow

Tool = Callable[..., Run]


@pytest.fixture
def topics(world: World, either_tools: JavaTools) -> Tool:
    """Run kafka-topics against the cluster."""
    server = ("--bootstrap-server", world.local.bootstrap)
    return lambda *words: either_tools.run(TOPICS, *server, *words)


@pytest.fixture
def configs(world: World, either_tools: JavaTools) -> Tool:
    """Run kafka-configs against the cluster."""
    server = ("--bootstrap-server", world.local.bootstrap)
    return lambda *words: either_tools.run(CONFIGS, *server, *words)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of a topic that no other test uses."""
    return re.sub(r"[^a-z0-9]", "-", request.node.name.lower())


def columns(line: str) -> dict[str, str]:
    """Read a line of --describe: tab-separated columns of name and value."""
    parts = (part.partition(": ") for part in line.strip().split("\t") if part.strip())
    return {name.strip(): value.strip() for name, _, value in parts}


def test_a_topic_is_created_grown_listed_and_deleted(world: World, topics: Tool) -> None:
    words = ("--topic", "by-java")
    run = topics("--create", *words, "--partitions", "2", "--replication-factor", "3")
    assert (run.status, run.out, run.err) == (0, "Created topic by-java.\n", "")
    world.zookeeper.get("/brokers/topics/by-java")
    again = topics("--create", *words, "--partitions", "2", "--replication-factor", "3")
    assert again.status == 1
    assert "Topic 'by-java' already exists." in again.out + again.err

    eventually(lambda: world.told(1, "by-java", 1), "a broker to know the topic")
    assert "by-java" in topics("--list").lines
    run = topics("--alter", *words, "--partitions", "4")
    assert (run.status, run.out) == (0, "")
    eventually(lambda: all(world.told(id_, "by-java", 3) for id_ in BROKERS), "four partitions")
    run = topics("--alter", *words, "--partitions", "3")
    assert run.status == 1
    assert "higher than the requested 3" in run.out + run.err

    run = topics("--delete", *words)
    assert (run.status, run.out) == (0, "")
    eventually(lambda: not world.zookeeper.exists("/brokers/topics/by-java"), "its deletion")
    assert "by-java" not in topics("--list").lines


def test_replicas_may_be_named(world: World, topics: Tool, name: str) -> None:
    run = topics("--create", "--topic", name, "--replica-assignment", "1:2,2:5")
    assert run.status == 0, run
    world.await_told(name, [1, 2], 0)
    world.await_told(name, [2, 5], 1)


def test_a_topic_has_configs_from_the_start(
    world: World, topics: Tool, configs: Tool, name: str
) -> None:
    run = topics(
        "--create", "--topic", name, "--partitions", "1", "--replication-factor", "2",
        "--config", "retention.ms=1000", "--config", "min.insync.replicas=2",
    )  # fmt: skip
    assert run.status == 0, run
    given = {"retention.ms": "1000", "min.insync.replicas": "2"}
    assert config(world, f"topics/{name}") == given
    eventually(lambda: world.told(1, name), "a broker to know the topic")
    headline, *_ = topics("--describe", "--topic", name).lines
    assert set(columns(headline)["Configs"].split(",")) == {
        f"{name}={value}" for name, value in given.items()
    }


def test_describe_shows_what_is_added_and_removed(world: World, topics: Tool) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3], [1, 2, 3])
    assert world.alter(topic, [4, 3, 2], 0) == 0
    world.await_told(topic, [4, 3, 2, 1])
    run = topics("--describe", "--topic", topic)
    assert run.status == 0, run
    headline, *lines = [columns(line) for line in run.lines]
    assert (headline["Topic"], headline["PartitionCount"]) == (topic, "2")
    assert headline["ReplicationFactor"] == "3", "without what is being added"
    moving, idle = lines
    assert (moving["Partition"], moving["Leader"], moving["Replicas"]) == ("0", "1", "4,3,2,1")
    assert (moving["Adding Replicas"], moving["Removing Replicas"]) == ("4", "1")
    assert moving["Isr"] == "1,2,3"
    assert (idle["Partition"], idle["Replicas"]) == ("1", "1,2,3")
    assert not {"Adding Replicas", "Removing Replicas"} & idle.keys()
    # Partitions on their way are not under-replicated as long as the origin is in sync.
    assert topics("--describe", "--under-replicated-partitions", "--topic", topic).out == ""


def test_a_move_keeps_a_topic_from_growing(world: World, topics: Tool) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    assert world.alter(topic, [4, 2]) == 0
    run = topics("--alter", "--topic", topic, "--partitions", "2")
    assert run.status == 1
    expected = f"A partition reassignment is in progress for the topic '{topic}'."
    assert expected in run.out + run.err


def test_configs_of_a_topic(world: World, configs: Tool) -> None:
    entity = ("--entity-type", "topics", "--entity-name", world.topic([1, 2]))
    run = configs("--alter", *entity, "--add-config", "retention.ms=5000,max.message.bytes=100000")
    assert (run.status, run.out) == (0, f"Completed updating config for topic {entity[3]}.\n")
    run = configs("--describe", *entity)
    assert run.status == 0, run
    headline, *lines = run.lines
    assert headline == f"Dynamic configs for topic {entity[3]} are:"
    assert {line.split()[0] for line in lines} == {"retention.ms=5000", "max.message.bytes=100000"}
    run = configs("--alter", *entity, "--delete-config", "retention.ms")
    assert run.status == 0, run
    assert config(world, f"topics/{entity[3]}") == {"max.message.bytes": "100000"}
    run = configs("--alter", *entity, "--add-config", "retention.ms=soon")
    assert run.status == 1
    assert "Invalid value soon for configuration retention.ms" in run.out + run.err
    run = configs("--describe", "--all", *entity)
    assert len(run.lines) > 20


def test_configs_of_a_broker(world: World, configs: Tool) -> None:
    """Up to 3.9 the tool sends the whole of them by AlterConfigs (33), after it has asked 32."""
    entity = ("--entity-type", "brokers", "--entity-name", "3")
    nothing = ["Dynamic configs for broker 3 are:"]
    run = configs("--describe", *entity)
    assert (run.status, run.lines) == (0, nothing)
    for rate in (RATES[0], RATES[1]):
        run = configs("--alter", *entity, "--add-config", f"{rate}=5000000")
        assert (run.status, run.lines) == (0, ["Completed updating config for broker 3."])
    assert config(world, "brokers/3") == dict.fromkeys(RATES[:2], "5000000")
    _, *lines = configs("--describe", *entity).lines
    assert {line.split()[0] for line in lines} == {f"{rate}=5000000" for rate in RATES[:2]}
    run = configs("--alter", *entity, "--delete-config", ",".join(RATES[:2]))
    assert run.status == 0, run
    assert config(world, "brokers/3") == {}
    run = configs("--alter", *entity, "--add-config", f"{RATES[0]}=-1")
    assert run.status == 1
    assert "Invalid value -1" in run.out + run.err
    assert configs("--describe", *entity).lines == nothing


def test_every_node_shows_its_versions(world: World, either_tools: JavaTools) -> None:
    run = either_tools.run(BROKER_API_VERSIONS, "--bootstrap-server", world.local.bootstrap)
    assert run.status == 0, run
    shown = run.out.replace(" isFenced: false)", ")")  # of 4.1
    nodes = re.findall(r"^\S+:(\d+) \(id: (\d+) rack: null\) -> \(", shown, re.MULTILINE)
    brokers = world.local.cluster.brokers.brokers
    assert {int(id_): int(port) for port, id_ in nodes} == {
        **{id_: broker.port for id_, broker in brokers.items()},
        CONTROLLER: world.local.cluster.endpoint.port,
    }
    [own] = re.findall(rf"\(id: {CONTROLLER} rack: null\) -> \((.*?)^\)", shown, re.M | re.S)
    # 4.1 knows the names of what it cannot ask for any more.
    usable = r" \[(?:usable: \d+|unusable: node too new)\]"
    served = dict(re.findall(rf"^\t(\w+)\(\d+\): ([\d to]+?){usable},?$", own, re.M))
    assert served == {
        API_KEYS[key]: str(of[0]) if len(of) == 1 else f"{of[0]} to {of[-1]}"
        for key, of in advertised().items()
    }
