"""The dialects that know `--zookeeper`: plans, checks and throttles through ZooKeeper's nodes."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from clients.cluster import BROKERS, config, set_throttles
from clients.java_scripts import LISTS, RATES
from reassign.tool import CURRENT, STATUS, Run, Tool, plan, run, shown, started
from thin_line.world import World, eventually

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
from klamm.tools.reassign.texts import (
    EXISTING,
    RUN_VERIFY,
    ZOOKEEPER_DEPRECATED,
    ZOOKEEPER_IGNORED,
    ZOOKEEPER_INCOMPLETE,
)

FILE = "--reassignment-json-file"
ORDERS = "/admin/reassign_partitions"

Runs = Callable[..., Run]


@pytest.fixture(params=["2.6", "kip-455"])
def dialect(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def through(dialect: str, zookeeper: EmbeddedZookeeper) -> Runs:
    """Run the tool with a ZooKeeper and no server."""
    connect = f"{zookeeper.connect_string}/reassign"
    return lambda *words: run("--dialect", dialect, "--zookeeper", connect, *words)


@pytest.mark.req("R455-55")
def test_generate_execute_and_verify(
    world: World, dialect: str, through: Runs, tmp_path: Path
) -> None:
    topic = world.topic([1, 2], [1, 2])
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": topic}]}))
    found = through("--generate", "--topics-to-move-json-file", str(topics), "--broker-list", "3,4")
    before = {(topic, 0): [1, 2], (topic, 1): [1, 2]}
    assert found.status == 0
    assert found.lines[:3] == [ZOOKEEPER_DEPRECATED, CURRENT, shown(before)]
    assert {3, 4} == set(json.loads(found.lines[-1])["partitions"][0]["replicas"])

    world.freeze(4)
    file = plan(tmp_path, {(topic, 1): [2, 1], (topic, 0): [4, 2]})
    found = through("--execute", FILE, file, "--throttle", "100000000")
    assert (found.status, found.lines, found.err) == (
        0,
        [
            ZOOKEEPER_DEPRECATED,
            *started(
                before,
                RUN_VERIFY,
                "The inter-broker throttle limit was set to 100000000 B/s",
                f"Successfully started partition reassignments for {topic}-0,{topic}-1",
            ),
        ],
        "",
    )
    assert not found.sent
    lists = dict(zip(LISTS, ("0:1,0:2,1:1,1:2", "0:4"), strict=True))
    assert config(world, f"topics/{topic}") == lists
    for broker in (1, 2, 4):
        assert config(world, f"brokers/{broker}") == dict.fromkeys(RATES[:2], "100000000")

    def follower_knows() -> bool:
        status = world.local.call(world.local.cluster.brokers.status)
        [broker] = [item for item in status if item.id == 4]
        return (broker.throttles.follower_rate, broker.throttles.follower_partitions) == (10**8, 1)

    eventually(follower_knows, "broker 4 to have heard of its throttle")
    # It finishes what it had, and then only the move to the frozen broker is left.
    eventually(lambda: 1 not in world.listed(topic), "the new order of partition 1")

    found = through("--verify", FILE, file)
    assert found.lines[:4] == [
        ZOOKEEPER_DEPRECATED,
        ZOOKEEPER_INCOMPLETE,
        STATUS,
        f"Reassignment of partition {topic}-0 is still in progress.",
    ]
    assert config(world, f"topics/{topic}") == lists
    again = through("--execute", FILE, file)
    assert (again.status, again.lines) == (1, [ZOOKEEPER_DEPRECATED, EXISTING])

    world.thaw(4)
    eventually(lambda: not world.zookeeper.exists(ORDERS), "the orders to be done")
    set_throttles(world, 0, 77)
    found = through("--verify", FILE, file)
    assert found.status == 0
    done = {"2.6": "complete", "kip-455": "completed"}[dialect]
    assert found.lines[3:5] == [
        f"Reassignment of partition {topic}-{number} is {done}." for number in (0, 1)
    ]
    assert found.lines[5] == "Clearing broker-level throttles on brokers 0,1,2,3,4,5"
    assert found.lines[6] == f"Clearing topic-level throttles on topic {topic}"
    assert config(world, f"topics/{topic}") == {}
    for broker in BROKERS:
        assert config(world, f"brokers/{broker}") == {}

    told = world.zookeeper.get_children("/config/changes")
    assert through("--verify", FILE, file).status == 0
    assert world.zookeeper.get_children("/config/changes") == told, "nothing was there to clear"


@pytest.mark.parametrize(
    ("moves", "complaint"),
    [
        (
            {("T", 0): [1, 77]},
            "The proposed assignment contains non-existent brokerIDs: 77",
        ),
        (
            {("T", 9): [1, 2]},
            "The proposed assignment contains non-existent partitions: T-9",
        ),
    ],
)
def test_plans_that_do_not_fit_the_cluster(
    world: World,
    through: Runs,
    tmp_path: Path,
    moves: dict[tuple[str, int], list[int]],
    complaint: str,
) -> None:
    topic = world.topic([1, 2])
    named = {(topic, number): ids for (_, number), ids in moves.items()}
    found = through("--execute", FILE, plan(tmp_path, named))
    expected = f"Error: {complaint.replace('T-', f'{topic}-')}"
    assert (found.status, found.lines) == (1, [ZOOKEEPER_DEPRECATED, expected])
    assert not world.zookeeper.exists(ORDERS)


def test_log_directories_take_a_server(through: Runs, tmp_path: Path) -> None:
    file = plan(tmp_path, {("foo", 0): [1]}, {("foo", 0): ["/d"]})
    for action in ("--execute", "--verify"):
        found = through(action, FILE, file)
        assert (found.status, found.lines[1]) == (
            1,
            "Error: bootstrap-server needs to be provided when replica reassignments are present.",
        )


def test_a_chroot_without_a_cluster(zookeeper: EmbeddedZookeeper, tmp_path: Path) -> None:
    connect = f"{zookeeper.connect_string}/nobody"
    file = plan(tmp_path, {("foo", 0): [1]})
    found = run("--dialect", "2.6", "--zookeeper", connect, "--verify", FILE, file)
    assert found.status == 1
    assert found.lines[-1] == (
        "Error: ZooKeeper has no /brokers/ids; is the chroot of --zookeeper right?"
    )


@pytest.mark.req("R455-57", "R455-58")
def test_with_a_server_no_zookeeper_is_asked(
    world: World, dialect: str, tool: Tool, tmp_path: Path
) -> None:
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, 0): [2, 1]})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        connect = f"127.0.0.1:{listener.getsockname()[1]}"
        found = tool("--dialect", dialect, "--zookeeper", connect, "--execute", FILE, file)
        said = f"Successfully started partition reassignment for {topic}-0"
        before = {(topic, 0): [1, 2]}
        assert (found.status, found.lines) == (0, [ZOOKEEPER_IGNORED, *started(before, said)])
        with pytest.raises(BlockingIOError):
            listener.accept()
