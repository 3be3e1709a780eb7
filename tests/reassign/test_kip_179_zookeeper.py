"""The dialects of KIP-179 through ZooKeeper: they warn, and then do what they always did."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from clients.cluster import config
from clients.java_scripts import LISTS, RATES
from reassign.tool import CURRENT, STATUS, Run, plan, run, shown, started
from thin_line.world import World, eventually

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
from klamm.tools.reassign.texts import EXISTING, RUN_VERIFY, ZOOKEEPER_INCOMPLETE

FILE = "--reassignment-json-file"
ORDERS = "/admin/reassign_partitions"
WARNING = (
    "Warning: --zookeeper is deprecated, and will be removed in a future version of Kafka. Use"
    " --bootstrap-server instead.\n"
)


@pytest.fixture(params=["kip-179-alter", "kip-179-assign"])
def through(request: pytest.FixtureRequest, zookeeper: EmbeddedZookeeper) -> Callable[..., Run]:
    """Run the tool with a ZooKeeper and no server."""
    connect = f"{zookeeper.connect_string}/reassign"
    return lambda *words: run("--dialect", request.param, "--zookeeper", connect, *words)


@pytest.mark.req("R179A-1", "R179A-12", "R179A-53", "R179B-13", "R179B-15", "R179B-51")
def test_generate_execute_and_verify(
    world: World, through: Callable[..., Run], tmp_path: Path
) -> None:
    topic = world.topic([1, 2])
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"topics": [{"topic": topic}]}))
    found = through("--generate", "--topics-to-move-json-file", str(topics), "--broker-list", "3,4")
    before = {(topic, 0): [1, 2]}
    assert (found.status, found.err) == (0, WARNING)
    assert found.lines[:2] == [CURRENT, shown(before)]
    assert set(json.loads(found.lines[-1])["partitions"][0]["replicas"]) == {3, 4}

    world.freeze(4)
    file = plan(tmp_path, {(topic, 0): [4, 2]})
    found = through("--execute", FILE, file, "--throttle", "100000000")
    limit = "The inter-broker throttle limit was set to 100000000 B/s"
    said = f"Successfully started partition reassignment for {topic}-0"
    assert (found.status, found.lines, found.err) == (
        0,
        started(before, RUN_VERIFY, limit, said),
        WARNING,
    )
    assert not found.sent
    assert config(world, f"topics/{topic}") == dict(zip(LISTS, ("0:1,0:2", "0:4"), strict=True))
    assert config(world, "brokers/4") == dict.fromkeys(RATES[:2], "100000000")
    eventually(lambda: 0 in world.listed(topic), "the controller to begin the move")

    found = through("--verify", FILE, file)
    assert (found.lines, found.err) == (
        [
            ZOOKEEPER_INCOMPLETE,
            STATUS,
            f"Reassignment of partition {topic}-0 is still in progress.",
        ],
        WARNING,
    )
    found = through("--execute", FILE, file)
    assert (found.status, found.lines, found.err) == (1, [EXISTING], WARNING)

    world.thaw(4)
    eventually(lambda: not world.zookeeper.exists(ORDERS), "the orders to be done")
    found = through("--verify", FILE, file)
    assert found.lines[2] == f"Reassignment of partition {topic}-0 is completed."
    assert found.lines[-1] == f"Clearing topic-level throttles on topic {topic}"
    assert config(world, f"topics/{topic}") == config(world, "brokers/4") == {}
