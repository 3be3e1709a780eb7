"""The Java tool when the controller is another one, or the connection is lost."""

import json
from pathlib import Path

import pytest
from clients.cluster import CONTROLLER, proxied
from clients.fault_proxy import Act, CutAnswer, CutRequest, EditAnswer
from clients.not_controller import not_controller
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import REASSIGN_PARTITIONS
from thin_line.world import World

pytestmark = pytest.mark.slow

METADATA, ALTER, LIST = 3, 45, 46

MOVED = EditAnswer(not_controller)


@pytest.mark.parametrize(
    ("key", "acts"),
    [
        pytest.param(LIST, [MOVED], id="46 once not the controller"),
        pytest.param(ALTER, [MOVED, MOVED, MOVED], id="45 three times not the controller"),
        pytest.param(LIST, [CutRequest(10)], id="46 cut"),
        pytest.param(ALTER, [CutRequest(30)], id="45 cut on its way"),
        pytest.param(ALTER, [CutAnswer()], id="45 served and its answer lost"),
    ],
)
def test_it_asks_again_and_again(
    world: World, tools: JavaTools, tmp_path: Path, key: int, acts: list[Act]
) -> None:
    """Java sends an alter again whether or not it was served: a repetition must do no harm."""
    world.freeze(4)
    topic = world.topic([1, 2])
    entry = {"topic": topic, "partition": 0, "replicas": [4, 2]}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    with proxied(world) as proxy:
        proxy.next(key, *acts)
        words = ("--execute", "--reassignment-json-file", str(plan))
        run = tools.run(
            REASSIGN_PARTITIONS, "--bootstrap-server", proxy.bootstrap(CONTROLLER), *words
        )
        sent = len(proxy.calls(key))
        asked_for_metadata = proxy.calls(METADATA)
    assert (run.status, run.lines[-1]) == (
        0,
        f"Successfully started partition reassignment for {topic}-0",
    )
    assert sent == len(acts) + 1
    if MOVED in acts:  # after a cut it may send to the same node before it has looked
        assert len(asked_for_metadata) > 2, "it looked for the controller again"
    assert world.listed(topic) == {0: ([4, 2, 1], [4], [1])}
    assert world.topic_znode(topic)[1] == 1, "written once"
