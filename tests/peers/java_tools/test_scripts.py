"""The scripts that the default tests replay are what the tool of 3.9.1 sends."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from clients.cluster import BROKERS, CONTROLLER, proxied
from clients.fault_proxy import Seen
from clients.java_scripts import CLIENT_ID, Move, Scripts, Turn, without_timeout
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import REASSIGN_PARTITIONS
from thin_line.world import World

from klamm.protocol.generated.api_versions_request import ApiVersionsRequest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("throttle", [None, 10**8])
def test_the_tool_sends_what_the_scripts_say(
    world: World, tools: JavaTools, tmp_path: Path, throttle: int | None
) -> None:
    """The default tests replay these scripts without Java."""
    world.freeze(4)
    scripts = Scripts(CONTROLLER, [*BROKERS, CONTROLLER])
    move = Move(world.topic([1, 2, 3]), [1, 2, 3], [3, 4, 2])
    entry = {"topic": move.topic, "partition": 0, "replicas": list(move.target)}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    words = ("--reassignment-json-file", str(plan))
    keep = ("--preserve-throttles",)
    limit = () if throttle is None else ("--throttle", str(throttle))
    for action, turns in (
        (("--list",), scripts.list_all()),
        (("--execute", *limit, *words), scripts.execute(move, throttle)),
        (("--verify", *words), scripts.verify(move, moving=True)),
        (("--cancel", *keep, *words), scripts.cancel(move, preserve=True)),
        (("--verify", *keep, *words), scripts.verify(move, moving=False, preserve=True)),
        (("--execute", *words), scripts.execute(move)),
        (("--cancel", *words), scripts.cancel(move)),
        (("--verify", *words), scripts.verify(move, moving=False)),
    ):
        with proxied(world) as proxy:
            run = tools.run(
                REASSIGN_PARTITIONS, "--bootstrap-server", proxy.bootstrap(CONTROLLER), *action
            )
            assert run.status == 0, run
            check_script(proxy.seen, [scripts.opening(), *turns])


def check_script(seen: Sequence[Seen], turns: Sequence[Turn]) -> None:
    """Compare what was sent with a script: turn by turn, in any order within each."""
    assert {item.header.client_id for item in seen} == {CLIENT_ID}
    greetings = {item.call for item in seen if isinstance(item.body, ApiVersionsRequest)}
    assert greetings == {(18, 4)}
    rest = [item for item in seen if not isinstance(item.body, ApiVersionsRequest)]
    for turn in turns:
        now, rest = rest[: len(turn)], rest[len(turn) :]
        expected = {(item.version, without_timeout(item.body)): item.node for item in turn}
        found = {(item.call[1], without_timeout(item.body)): item.node for item in now}
        assert found.keys() == expected.keys()
        assert all(node in (None, found[asked]) for asked, node in expected.items())
    assert rest == []
