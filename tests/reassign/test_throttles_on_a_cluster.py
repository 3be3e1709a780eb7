"""Throttles: what the tool sets, changes and clears, and in which requests."""

from pathlib import Path

import pytest
from clients.cluster import BROKERS, CONTROLLER, config, set_throttles
from clients.java_scripts import LISTS, RATES, Move, Scripts, Turn, without_timeout
from reassign.tool import CLEARING, STATUS, Run, Tool, plan, started
from thin_line.world import World

from klamm.tools.admin import Admin
from klamm.tools.reassign.texts import RUN_VERIFY

FILE = "--reassignment-json-file"
LIMIT = "The inter-broker throttle limit was set to {} B/s"
ADMIN_KEYS = (34, 44, 45, 46)

SCRIPTS = Scripts(CONTROLLER, [*BROKERS, CONTROLLER])


def assert_sent(run: Run, turns: list[Turn]) -> None:
    """Compare what a run lists and changes with what Java's tool sends; a turn has no order."""
    sent = [one for one in run.sent if one.key in ADMIN_KEYS]
    expected = [turn for turn in turns if turn[0].body.api_key in ADMIN_KEYS]
    assert len(sent) == sum(map(len, expected))
    for turn in expected:
        ours, sent = sent[: len(turn)], sent[len(turn) :]
        unmatched = [without_timeout(one.body) for one in ours]
        for one in turn:
            unmatched.remove(without_timeout(one.body))
            assert one.node is None or one.node in [mine.node for mine in ours]


@pytest.mark.req("R455-64", "R455-70")
def test_a_throttle_is_set_changed_and_cleared(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    move = Move(topic, (1, 2, 3), (4, 3, 2))
    file = plan(tmp_path, {(topic, 0): [4, 3, 2]})
    run = tool("--execute", "--throttle", "5000000", FILE, file)
    said = f"Successfully started partition reassignment for {topic}-0"
    assert (run.status, run.lines, run.err) == (
        0,
        started({(topic, 0): [1, 2, 3]}, RUN_VERIFY, LIMIT.format(5000000), said),
        "",
    )
    assert_sent(run, SCRIPTS.execute(move, 5000000))
    lists = dict(zip(LISTS, ("0:1,0:2,0:3", "0:4"), strict=True))
    assert config(world, f"topics/{topic}") == lists
    for broker in (1, 2, 3, 4):
        assert config(world, f"brokers/{broker}") == dict.fromkeys(RATES[:2], "5000000")
    assert config(world, "brokers/0") == {}

    run = tool("--execute", "--additional", "--throttle", "700", FILE, file)
    assert (run.status, run.lines[5:]) == (0, [RUN_VERIFY, LIMIT.format(700), said])
    assert config(world, "brokers/4") == dict.fromkeys(RATES[:2], "700")
    assert config(world, f"topics/{topic}") == lists

    run = tool("--verify", FILE, file)
    assert_sent(run, SCRIPTS.verify(move, moving=True))
    assert config(world, f"topics/{topic}") == lists

    # 700 B/s are too little for a move that is to end within this test.
    for broker in (1, 2, 3, 4):
        set_throttles(world, broker, 100_000_000)
    world.thaw(4)
    world.await_replicas(topic, [4, 3, 2])
    run = tool("--verify", FILE, file)
    assert (run.status, run.lines, run.err) == (
        0,
        [
            STATUS,
            f"Reassignment of partition {topic}-0 is completed.",
            "",
            CLEARING,
            f"Clearing topic-level throttles on topic {topic}",
        ],
        "",
    )
    assert_sent(run, SCRIPTS.verify(move, moving=False))
    assert config(world, f"topics/{topic}") == {}
    for broker in (*BROKERS, CONTROLLER):
        assert config(world, f"brokers/{broker}") == {}


def test_cancel_sends_what_the_stock_tool_sends(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    move = Move(topic, (1, 2, 3), (4, 3, 2))
    file = plan(tmp_path, {(topic, 0): [4, 3, 2]})
    assert tool("--execute", "--throttle", "1000", FILE, file).status == 0
    run = tool("--cancel", FILE, file)
    assert_sent(run, SCRIPTS.cancel(move))
    assert config(world, f"topics/{topic}") == config(world, "brokers/4") == {}


@pytest.mark.req("R455-70")
def test_log_dir_throttle(world: World, tool: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2])
    with Admin.connect(tool.bootstrap) as admin:
        folder = admin.describe_log_dirs([1]).result()[1][0].path
    file = plan(tmp_path, {(topic, 0): [1, 2]}, {(topic, 0): [folder, "any"]})
    run = tool("--execute", "--replica-alter-log-dirs-throttle", "4096", FILE, file)
    assert run.lines[5:7] == [
        RUN_VERIFY,
        "The replica-alter-dir throttle limit was set to 4096 B/s",
    ]
    assert config(world, "brokers/1") == {RATES[2]: "4096"}
    assert config(world, "brokers/2") == config(world, f"topics/{topic}") == {}
    run = tool("--verify", FILE, file)
    assert config(world, "brokers/1") == {}


def test_a_dead_broker_is_passed_over(world: World, tool: Tool, tmp_path: Path) -> None:
    """The stock tool waits for a minute to clear the throttle of a broker that is not there."""
    topic = world.topic([1, 2])
    set_throttles(world, 1, 5000)
    file = plan(tmp_path, {(topic, 0): [1, 2], (topic, 1): [77]})
    run = tool("--verify", FILE, file)
    assert run.lines[4:] == [CLEARING, f"Clearing topic-level throttles on topic {topic}"]
    assert run.err.startswith("Passing over the throttle rates of broker 77, ")
    assert config(world, "brokers/1") == {}
