"""kafka-leader-election, kafka-log-dirs, and what else asks for more than moves.

Tools of 3.9.1 and 4.1.1, each on clusters that are taken for ones of 2.4, 3.9 and 4.1.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clients.admin_cluster import NODE, SIZE, World, astray, log_dirs, running
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import (
    CONFIGS,
    LEADER_ELECTION,
    LOG_DIRS,
    REASSIGN_PARTITIONS,
    TOPICS,
)
from thin_line.world import eventually

pytestmark = pytest.mark.slow

Tool = Callable[..., Run]


@pytest.fixture(scope="module", params=["2.4", "3.9", "4.1"])
def release(request: pytest.FixtureRequest) -> str:
    """What the cluster is taken for."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def world(release: str) -> Iterator[World]:
    with running(klamm_advertised_release=release) as found:
        yield found


@pytest.fixture
def run(either_tools: JavaTools, world: World) -> Tool:
    """Run one of the tools of a release against the cluster."""
    server = ("--bootstrap-server", world.local.bootstrap)
    return lambda main, *words: either_tools.run(main, *server, *words)


def test_preferred_leaders(world: World, run: Tool) -> None:
    topic, other = astray(world), astray(world)
    kind = ("--election-type", "preferred")
    one = (*kind, "--topic", topic, "--partition", "0")
    done = run(LEADER_ELECTION, *one)
    assert (done.status, done.lines) == (
        0, [f"Successfully completed leader election (PREFERRED) for partitions {topic}-0"],
    ), done  # fmt: skip
    assert world.led_by(topic) == 2
    again = run(LEADER_ELECTION, *one)
    assert (again.status, again.lines) == (
        0, [f"Valid replica already elected for partitions {topic}-0"],
    ), again  # fmt: skip
    every = run(LEADER_ELECTION, *kind, "--all-topic-partitions")
    assert every.status == 0, every
    assert f"{other}-0" in every.out
    assert f"{topic}-0" not in every.out, "what needs no election is left out"
    assert world.led_by(other) == 2


def test_elections_that_cannot_be_held(world: World, run: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2])
    plan = tmp_path / "plan.json"
    entries = [{"topic": topic, "partition": number} for number in (0, 7)]
    plan.write_text(json.dumps({"partitions": entries}))
    done = run(LEADER_ELECTION, "--election-type", "unclean", "--path-to-json-file", str(plan))
    assert done.status == 1
    assert f"Valid replica already elected for partitions {topic}-0" in done.out
    assert "UnknownTopicOrPartitionException: The partition does not exist." in done.out + done.err


def described(done: Run) -> dict[int, dict[str, object]]:
    """Return what kafka-log-dirs prints, by broker and directory."""
    assert done.status == 0, done
    [line] = [line for line in done.lines if line.startswith("{")]
    return {
        found["broker"]: {each["logDir"]: each for each in found["logDirs"]}
        for found in json.loads(line)["brokers"]
    }


def test_log_directories(world: World, run: Tool) -> None:
    topic = world.topic([1, 2])
    found = described(run(LOG_DIRS, "--describe", "--topic-list", topic))
    assert found.keys() == {0, 1, 2, 3, NODE}
    assert found[NODE].keys() == {"(none)"}
    [path] = log_dirs(world, 1, topic)
    shown = found[1][path]
    assert shown == {
        "logDir": path,
        "error": None,
        "partitions": [
            {"partition": f"{topic}-0", "size": SIZE, "offsetLag": 0, "isFuture": False}
        ],
    }
    alone = described(run(LOG_DIRS, "--describe", "--broker-list", "2", "--topic-list", topic))
    assert alone.keys() == {2}


def test_a_replica_moves_to_another_directory(world: World, run: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2])
    [here] = log_dirs(world, 1, topic)
    there = "/b" if here == "/a" else "/a"
    plan = tmp_path / "plan.json"
    entry = {"topic": topic, "partition": 0, "replicas": [1, 2], "log_dirs": [there, "any"]}
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    file = ("--reassignment-json-file", str(plan))
    done = run(REASSIGN_PARTITIONS, "--execute", *file)
    assert done.status == 0, done
    started = f"Successfully started moving log directory to {there} for replica {topic}-0"
    assert f"{started} with broker 1" in done.out
    eventually(lambda: log_dirs(world, 1, topic).keys() == {there}, "the replica to move")
    done = run(REASSIGN_PARTITIONS, "--verify", *file)
    assert done.status == 0, done
    assert f"Reassignment of replica {topic}-0-1 completed successfully." in done.lines


def test_topics_are_described(world: World, run: Tool) -> None:
    """In pages (75) where that is advertised, by Metadata elsewhere."""
    topic = world.topic([1, 2], [2, 3])
    done = run(TOPICS, "--describe", "--topic", topic)
    assert done.status == 0, done
    headline, *lines = done.lines
    assert f"Topic: {topic}\t" in headline
    assert "PartitionCount: 2\tReplicationFactor: 2" in headline
    assert ["Replicas: 1,2" in lines[0], "Replicas: 2,3" in lines[1]] == [True, True]


def test_configs_of_all_brokers_and_of_one(world: World, run: Tool) -> None:
    key = "follower.replication.throttled.rate"
    everybody = ("--entity-type", "brokers", "--entity-default")
    mine = ("--entity-type", "brokers", "--entity-name", "2")
    assert run(CONFIGS, "--alter", *everybody, "--add-config", f"{key}=1000").status == 0
    stored = world.local.read("/config/brokers/<default>")
    assert json.loads(stored or b"") == {"version": 1, "config": {key: "1000"}}
    assert run(CONFIGS, "--alter", *mine, "--add-config", f"{key}=2000").status == 0
    done = run(CONFIGS, "--describe", *mine)
    [line] = [line.strip() for line in done.lines if key in line]
    own, default = f"DYNAMIC_BROKER_CONFIG:{key}=2000", f"DYNAMIC_DEFAULT_BROKER_CONFIG:{key}=1000"
    assert line == f"{key}=2000 sensitive=false synonyms={{{own}, {default}}}"
    for entity in (mine, everybody):
        done = run(CONFIGS, "--alter", *entity, "--delete-config", key)
        assert done.status == 0, done
    eventually(
        lambda: world.local.read("/config/brokers/<default>") == b'{"version":1,"config":{}}',
        "nothing to be left",
    )


def test_the_number_of_replicas_may_be_kept(
    world: World, release: str, tools_of_4: JavaTools, tmp_path: Path
) -> None:
    """KIP-860: version 1 of 45, which a cluster that is taken for an older one does not show."""
    topic = world.topic([1, 2])
    plan = tmp_path / "plan.json"
    entry = {"topic": topic, "partition": 0, "replicas": [1, 2, 3]}
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    done = tools_of_4.run(
        REASSIGN_PARTITIONS, "--bootstrap-server", world.local.bootstrap, "--execute",
        "--reassignment-json-file", str(plan), "--disallow-replication-factor-change",
    )  # fmt: skip
    assert done.status == 1, done
    if release == "4.1":
        expected = f"{topic}-0: The replication factor is changed from 2 to 3"
    else:
        expected = "The broker does not support the AllowReplicationFactorChange option"
    assert expected in done.out + done.err
