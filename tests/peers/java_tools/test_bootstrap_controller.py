"""--bootstrap-controller of 4.1.1's tool and of klamm's, at a node that is taken for one of 4.1."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.cluster import running
from peers.java_tools.side_by_side import SideBySide
from peers.java_tools.tools import JavaTools
from reassign.tool import plan
from thin_line.world import World

from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    connect = f"{zookeeper.connect_string}/java-tools-as-4"
    with running(connect, klamm_advertised_release="4.1") as found:
        yield found


@pytest.fixture
def tool(world: World, tools_of_4: JavaTools) -> SideBySide:
    """Both tools, for the controller alone."""
    endpoint = world.local.cluster.endpoint
    return SideBySide(tools_of_4, f"{endpoint.host}:{endpoint.port}", "--bootstrap-controller")


def test_list_and_cancel(world: World, tool: SideBySide, tmp_path: Path) -> None:
    assert tool.both("--list") == ["No partition reassignments found."]
    world.freeze(4)
    topics = [world.topic([1, 2], [1, 2]) for _ in range(2)]
    for topic in topics:
        assert world.alter(topic, [4, 2], 0) == 0
        assert world.alter(topic, [1, 2, 4], 1) == 0
    assert len(tool.both("--list")) == 5
    moves = {0: [4, 2], 1: [1, 2, 4]}
    files = [plan(tmp_path, {(topic, of): moves[of] for of in moves}) for topic in topics]
    said = tool.alike(topics, files, "--cancel", "--preserve-throttles")
    cancelled = f"{topics[0]}-0,{topics[0]}-1"
    assert said[0] == f"Successfully cancelled partition reassignments for: {cancelled}"
    assert tool.both("--list") == ["No partition reassignments found."]
    for topic in topics:
        world.await_replicas(topic, [2, 1], 0)


def test_brokers_are_no_controllers(world: World, tools_of_4: JavaTools) -> None:
    """A broker says that it is none; Java's tool names the exception in that line."""
    broker = world.local.cluster.brokers.brokers[1]
    tool = SideBySide(tools_of_4, f"127.0.0.1:{broker.port}", "--bootstrap-controller")
    theirs, mine = tool.java("--list"), tool.klamm("--list")
    assert (mine.status, theirs.status) == (1, 1), (mine, theirs)
    [line] = mine.lines
    assert theirs.lines[0].endswith(line.removeprefix("Error: ")), theirs
