"""`klamm explain` on Kafka's own brokers, and what comes of the words that it says to type."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from peers.java_tools.side_by_side import FILE
from peers.klamm_tool.stage import PATIENCE, Stage
from reassign.tool import plan

from klamm.tools.cli.main import main

pytestmark = pytest.mark.slow


def explain(stage: Stage, *words: str) -> tuple[int, str]:
    given = ("--bootstrap-server", stage.cluster.bootstrap, *words)
    found = CliRunner().invoke(main, ["explain", *given])
    return found.exit_code, found.output


def typed(command: str) -> str:
    """Type it into a shell; return what it prints."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done
    return done.stdout


def test_a_throttle_lets_nothing_through(stage: Stage, name: str, tmp_path: Path) -> None:
    topic = stage.topic(name, [1], [1], records=400, held=True)
    file = plan(tmp_path, {(topic, 0): [2], (topic, 1): [2]})
    begun = stage.tool.klamm("--execute", "--throttle", "1", FILE, file)
    assert begun.status == 0, begun
    status, said = explain(stage, "--json")
    found = json.loads(said)
    assert (status, found["moves"], found["stuck"]) == (4, 2, 2), said
    for partition in found["partitions"]:
        finding = partition["findings"][0]
        assert finding["cause"] == "throttled-to-nothing"
        assert finding["evidence"]["throttle"] == 1
        typed(finding["commands"][0])
    stage.await_placed({0: [2], 1: [2]}, topic)
    assert stage.tool.both("--verify", FILE, file)[-1] == (
        f"Clearing topic-level throttles on topic {topic}"
    )


def test_a_target_dies_and_the_move_is_taken_back(stage: Stage, name: str, tmp_path: Path) -> None:
    topic = stage.topic(name, [1, 2], [1, 2], records=400, held=True)
    assert explain(stage) == (0, "Nothing moves.\n")
    file = plan(tmp_path, {(topic, 0): [3, 2]})
    begun = stage.tool.klamm("--execute", "--throttle", "1", FILE, file)
    assert begun.status == 0, begun
    stage.cluster.kill(3)
    try:
        stage.await_broker_lost(3)
        status, said = explain(stage, f"{topic}:0")
        assert status == 4, said
        headline, cause, *_ = said.splitlines()
        assert headline == f"{topic}-0: 2, 1 -> 3, 2; 1 leads, in sync 1, 2: stuck"
        assert cause == (
            "  target-offline: broker 3, which is to get a replica, is not in the cluster"
        )
        status, said = explain(stage, "--json")
        found = json.loads(said)
        assert (status, found["exit"], found["moves"], found["stuck"]) == (4, 4, 1, 1)
        [partition] = found["partitions"]
        finding = partition["findings"][0]
        assert (finding["cause"], finding["brokers"]) == ("target-offline", [3])
        assert len(stage.tool.both("--list")) == 2
        stage.tool.both("--verify", "--preserve-throttles", FILE, file)
        [command] = finding["commands"]
        said = typed(command)
        assert said.splitlines()[0].endswith(f"{topic}-0"), said
        assert stage.moving() == set()
        assert explain(stage) == (0, "Nothing moves.\n")
    finally:
        stage.cluster.start(3)
    verified = stage.tool.klamm("--verify", FILE, file)
    assert verified.status == 0, verified
    assert set(stage.partitions(topic)[0].replicas) == {1, 2}
