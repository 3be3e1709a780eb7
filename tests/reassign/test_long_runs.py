"""Runs that take a while: killed and gone on with, held back by the cluster, watched."""

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from clients.admin_cluster import World, log_dirs
from reassign.tool import Tool, plan
from thin_line.world import eventually

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.tools.admin import (
    Admin,
    AlterConfigOp,
    ConfigResource,
    OpType,
    ResourceType,
    TopicPartition,
)
from klamm.tools.cli._as_version import as_property
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.reassign.health import Health, look
from klamm.tools.reassign.run import main
from klamm.tools.reassign.texts import EXISTING
from klamm.tools.reassign.watching import STUCK

FILE = "--reassignment-json-file"
POLL = ("--reassignment-poll-interval-ms", "30")
#: For runs beside a test that may fail.
IN_TIME = ("--deadline-ms", "60000")
KB = 1000
SIZES = {"alpha": 300 * KB, "beta": 1 * KB, "gamma": 20 * KB}


@contextmanager
def running(release: str | None = None) -> Iterator[World]:
    """Brokers 0 to 3 in this process, and a topic of each size."""
    options = ClusterOptions(
        range(4),
        zookeeper=MEMORY,
        partition_bytes=200 * KB,
        bandwidth=2e6,
        log_dirs=("/a", "/b"),
        topics={
            name: NewTopic(name, assignments=((0, 1),), partition_bytes=size)
            for name, size in SIZES.items()
        },
        properties=as_property(release),
    )
    with LocalCluster(options) as local:
        world = World(local)
        with closing(world.admin):
            yield world


@pytest.fixture(scope="module")
def shared() -> Iterator[World]:
    with running() as world:
        yield world


@pytest.fixture
def world(shared: World) -> Iterator[World]:
    """The cluster; afterwards nothing moves and every broker is as fast as ever."""
    yield shared
    for broker in range(4):
        shared.local.call(shared.local.cluster.brokers.thaw, broker)
    eventually(lambda: not listed(shared), "all moves to end")


@pytest.fixture
def tool(world: World) -> Tool:
    return Tool(world.local.bootstrap)


def freeze(world: World, broker: int) -> None:
    world.local.call(world.local.cluster.brokers.freeze, broker)


def thaw(world: World, broker: int) -> None:
    world.local.call(world.local.cluster.brokers.thaw, broker)


def listed(world: World) -> dict[tuple[str, int], Any]:
    return {
        tuple(name): found for name, found in world.admin.list_partition_reassignments().items()
    }


def sent(bodies: Sequence[AlterPartitionReassignmentsRequest]) -> list[list[tuple[str, int]]]:
    """Return the partitions of each request."""
    return [
        [(topic.name, one.partition_index) for topic in body.topics for one in topic.partitions]
        for body in bodies
    ]


@pytest.mark.req("R1335-40")
def test_the_smallest_first(world: World, tool: Tool, tmp_path: Path) -> None:
    there = plan(tmp_path, {(name, 0): [0, 2] for name in SIZES})
    back = plan(tmp_path, {(name, 0): [0, 1] for name in SIZES})
    paced = ("--execute", "--reassignment-batch-size", "1", *POLL, "--wait")
    for file, order, names in (
        (there, "small-first", ["beta", "gamma", "alpha"]),
        (back, "sorted", ["alpha", "beta", "gamma"]),
    ):
        run = tool(*paced, "--order", order, FILE, file)
        assert run.status == 0
        bodies = run.bodies(AlterPartitionReassignmentsRequest)
        assert sent(bodies) == [[(name, 0)] for name in names]


@contextmanager
def process(tool: Tool, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run the tool as a process of its own, which ends with the block."""
    started = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "klamm.tools.cli", "reassign"),
            *("--bootstrap-server", tool.bootstrap, *words),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        try:
            yield started
        finally:
            started.kill()


def test_an_interrupted_run_says_what_it_has_done(world: World, tool: Tool, tmp_path: Path) -> None:
    freeze(world, 3)
    topic = world.topic([1, 2], [1, 2], [1, 2])
    file = plan(tmp_path, {(topic, number): [1, 3] for number in range(3)})
    paced = ("--execute", "--reassignment-batch-size", "2", "--json", *POLL)
    with process(tool, *paced, FILE, file) as running:
        eventually(lambda: len(listed(world)) == 2, "the first portion")
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 1
    facts = json.loads(out)
    assert (facts["error"], facts["exit"]) == ("interrupted", 1)
    assert facts["unsubmitted"][-1] == f"{topic}-2"
    # What the answer to the first request had not come for counts as not submitted.
    submitted, left, *_ = err.splitlines()
    assert submitted.startswith("Submitted: ")
    assert left.startswith("Not submitted: ")
    assert left.endswith(f"{topic}-2")
    assert err.endswith("\nInterrupted; what was started goes on.\n")
    assert "Traceback" not in err
    assert len(listed(world)) == 2


def test_a_killed_run_goes_on(world: World, tool: Tool, tmp_path: Path) -> None:
    """Only what is neither complete nor on its way is sent by the second run."""
    freeze(world, 3)
    topic = world.topic(*[[1, 2]] * 7)
    file = plan(tmp_path, {(topic, 0): [2, 1]} | {(topic, n): [1, 3] for n in range(1, 7)})
    words = ("--execute", "--reassignment-batch-size", "2", "--incremental", *POLL, FILE, file)
    with process(tool, *words) as first:
        eventually(lambda: set(listed(world)) == {(topic, 1), (topic, 2)}, "two slow moves")
        first.kill()
        first.wait()
    assert tool(*words).lines[-1] == EXISTING
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(tool, "--resume", "--wait", *IN_TIME, *words)
        try:
            assert set(listed(world)) == {(topic, 1), (topic, 2)}
        finally:
            thaw(world, 3)
        run = going.result()
    assert run.status == 0
    assert run.err == "Resuming: 1 complete, 2 moving, 4 to submit.\n"
    flat = [one for group in sent(run.bodies(AlterPartitionReassignmentsRequest)) for one in group]
    assert flat == [(topic, number) for number in range(3, 7)]
    # The way back of what the first run has sent was told by that.
    way_back = json.loads(run.lines[2])["partitions"]
    assert [(row["partition"], row["replicas"]) for row in way_back] == [
        (number, [1, 2]) for number in range(3, 7)
    ]
    assert len([*tmp_path.glob("*.rollback-*.json")]) == 2
    run = tool("--resume", *words)
    assert (run.status, run.err) == (0, "Resuming: 7 complete, 0 moving, 0 to submit.\n")
    assert len(run.lines) == 1, "there is no way to go back"
    assert run.bodies(AlterPartitionReassignmentsRequest) == []


def test_waiting_and_resuming_are_for_log_directories_too(
    world: World, tool: Tool, tmp_path: Path
) -> None:
    """The first run was killed after it had sent the moves, and before the log directories."""
    topic = world.topic([1, 2])
    [here] = log_dirs(world, 1, topic)
    there = {"/a": "/b", "/b": "/a"}[here]
    moves = {(topic, 0): [1, 2]}
    file = plan(tmp_path, moves, {(topic, 0): [there, "any"]})
    words = ("--execute", "--resume", "--wait", *POLL, *IN_TIME, FILE, file)
    run = tool(*words)
    assert (run.status, run.keys(34, 45)) == (0, [34])
    assert log_dirs(world, 1, topic) == {there: (200 * KB, False)}
    run = tool(*words)
    assert (run.status, run.keys(34, 45)) == (0, [])
    back = plan(tmp_path, moves, {(topic, 0): [here, "any"]})
    run = tool("--execute", "--wait", *POLL, *IN_TIME, FILE, back)
    assert (run.status, run.keys(34, 45)) == (0, [45, 34])
    assert log_dirs(world, 1, topic) == {here: (200 * KB, False)}


def test_resuming_leaves_moves_of_others_alone(world: World, tool: Tool, tmp_path: Path) -> None:
    freeze(world, 3)
    topic = world.topic([1, 2], [1, 2])
    world.alter(topic, 3, 2)
    words = ("--execute", "--resume", FILE, plan(tmp_path, {(topic, 0): [1, 3]}))
    run = tool(*words)
    assert (run.status, run.lines) == (1, [EXISTING])
    run = tool(*words, "--additional")
    assert run.err == "Resuming: 0 complete, 0 moving, 1 to submit.\n"
    assert run.status == 0
    thaw(world, 3)


def test_a_pause_while_the_cluster_is_unwell(world: World, tool: Tool, tmp_path: Path) -> None:
    """Broker 0 goes while the first of two portions moves."""
    freeze(world, 3)
    topic = world.topic([1, 2], [1, 2])
    alone, pair = world.topic([0]), world.topic([1, 0])
    with Admin.connect(tool.bootstrap) as admin:
        change = AlterConfigOp("min.insync.replicas", OpType.SET, "2")
        admin.incremental_alter_configs(
            {ConfigResource(ResourceType.TOPIC, pair): [change]}
        ).result()
    file = plan(tmp_path, {(topic, 0): [1, 3], (topic, 1): [1, 3]})
    out, err = io.StringIO(), io.StringIO()
    words = ["--bootstrap-server", tool.bootstrap, "--execute", "--pause-when-unhealthy"]
    words += ["--reassignment-batch-size", "1", *POLL, *IN_TIME, FILE, file]
    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(main, words, out, err)
        eventually(lambda: (topic, 0) in listed(world), "the first portion")
        world.order("kill", broker=0, end_session=True)
        try:
            thaw(world, 3)
            eventually(lambda: "under min.insync.replicas outside" in err.getvalue(), "a pause")
            assert not going.done()
            assert (topic, 1) not in listed(world)
        finally:
            world.order("return", broker=0)
        assert going.result() == 0
    paused, *_, going_on = err.getvalue().splitlines()
    assert paused.startswith("Paused: broker 0 vanished")
    assert f"offline outside the plan: {alone}-0" in err.getvalue()
    assert f"under min.insync.replicas outside the plan: {pair}-0" in err.getvalue()
    assert "Nothing more is submitted until broker 0 is back" in paused
    assert going_on == "Going on: the cluster is as well as it was at the start."
    assert out.getvalue().splitlines()[-1].startswith("Successfully started")


def test_moves_of_others_are_no_ailment(world: World, tool: Tool) -> None:
    """A replica that is being added is not missing yet, nor does the plan itself count."""
    freeze(world, 3)
    topic, mine = world.topic([1, 2]), world.topic([1, 2])
    world.alter(topic, 1, 2, 3)
    world.order("kill", broker=2, end_session=True)
    try:
        targets = {TopicPartition(mine, 0): (1, 3)}

        def ailing() -> Health | None:
            with Admin.connect(tool.bootstrap) as admin:
                found = look(admin, targets)
            return found if TopicPartition(topic, 0) in found.under_replicated else None

        found = eventually(ailing, "the missing replica to be seen")
        assert found.brokers == {0, 1, 3, 900}
        assert found.holders == {0, 1, 2, 3}
        assert TopicPartition(mine, 0) not in found.under_replicated
    finally:
        world.order("return", broker=2)

    def well() -> bool:
        with Admin.connect(tool.bootstrap) as admin:
            return not look(admin, {}).under_replicated

    eventually(well, "only the added replica to be out of sync")
    assert listed(world)


def watched(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_plan_is_watched_to_its_end(world: World, tool: Tool, tmp_path: Path) -> None:
    world.local.call(world.local.cluster.brokers.slow_down, 3, 600 * KB)
    topic = world.topic(*[[1, 2]] * 3)
    file = plan(tmp_path, {(topic, number): [1, 3] for number in range(3)})
    watch = ("--progress", FILE, file, "--interval-ms", "50")
    run = tool(*watch, "--deadline-ms", "1")
    assert run.status == 3
    [moment, *_] = watched(run.out)
    assert moment["partitions"]["not_started"] == 3
    assert moment["slowest"][0]["reasons"] == ["not started, or cancelled"]
    assert run.err == f"Timed out after 1 ms waiting for: {topic}-0,{topic}-1,{topic}-2\n"

    assert tool("--execute", FILE, file).status == 0
    run = tool(*watch)
    moments = watched(run.out)
    assert (run.status, run.err) == (0, "")
    done = [moment["bytes"]["done"] for moment in moments]
    assert done == sorted(done)
    assert {moment["bytes"]["total"] for moment in moments} == {600 * KB}
    assert done[-1] == 600 * KB
    moving = [moment for moment in moments if moment["pace"] == "moving"]
    assert any(moment["rate"] > 0 and moment["seconds_left"] is not None for moment in moving)
    assert moments[-1]["partitions"] == {
        "total": 3,
        "not_started": 0,
        "moving": 0,
        "catching_up": 0,
        "done": 3,
    }
    assert moments[-1]["slowest"] == []


def test_everything_that_moves_is_watched(world: World, tool: Tool) -> None:
    freeze(world, 3)
    topic, other = world.topic([1, 2]), world.topic([1, 2])
    world.alter(topic, 1, 3)
    world.alter(other, 3, 2)
    run = tool("--progress", "--interval-ms", "20", "--deadline-ms", "100")
    assert run.status == 3
    moment = watched(run.out)[-1]
    assert moment["partitions"]["moving"] == 2
    assert [slow["topic"] for slow in moment["slowest"]] == sorted([topic, other])
    assert moment["slowest"][0]["broker"] == 3
    thaw(world, 3)
    run = tool("--progress", "--interval-ms", "20", "--json")
    assert run.status == 0
    *_, last, result = watched(run.out)
    assert not last["slowest"]
    assert result == {"action": "progress", "exit": 0}


def test_a_watch_tells_what_is_stuck(world: World, tool: Tool) -> None:
    freeze(world, 3)
    topic = world.topic([1, 2])
    world.alter(topic, 1, 3)
    world.order("kill", broker=3, end_session=True)
    try:
        watch = ("--progress", "--interval-ms", "20", "--deadline-ms")
        run = tool(*watch, "300")
        assert run.status == 4
        assert "broker 3 is not there" in watched(run.out)[-1]["slowest"][0]["reasons"]
        assert run.err == f"Timed out after 300 ms waiting for: {topic}-0\n{STUCK}\n"
    finally:
        world.order("return", broker=3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--interval-ms", "0"), "--interval-ms must be greater than 0"),
        (("--deadline-ms", "-1"), "--deadline-ms must be greater than 0"),
        (("--timeout", "1"), 'Option "[timeout]" can\'t be used with action "[progress]"'),
    ],
)
def test_wrong_words_for_a_watch(words: tuple[str, ...], said: str) -> None:
    run = Tool("127.0.0.1:1")("--progress", *words)
    assert (run.status, run.out, run.sent) == (2, "", [])
    assert run.err.startswith(said)


@pytest.mark.req("R1335-32")
def test_a_cluster_of_2_6_is_enough(tmp_path: Path) -> None:
    """Nothing but what Kafka 2.6 knows is asked of it; section 2's settings are all off."""
    with running("2.6") as world:
        topic = world.topic(*[[1, 2]] * 3)
        file = plan(tmp_path, {(topic, number): [1, 3] for number in range(3)})
        paced = ("--execute", "--reassignment-batch-size", "1", "--wait", *POLL, FILE, file)
        run = Tool(world.local.bootstrap)(*paced)
        assert run.status == 0
        assert {one.key for one in run.sent} <= {3, 18, 45, 46}
        assert {one.version for one in run.sent if one.key in (45, 46)} == {0}
