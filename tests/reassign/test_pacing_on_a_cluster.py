"""Plans in portions on a cluster: what is sent and printed, and how runs end."""

import io
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from reassign.tool import CURRENT, Run, Sent, Tool, plan, shown, started
from thin_line.world import World, eventually

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.message import Message
from klamm.tools.admin import Admin
from klamm.tools.reassign import execute_assignment, waiting
from klamm.tools.reassign.texts import EXISTING, RUN_VERIFY

FILE = "--reassignment-json-file"
LOG_DIRS, CONFIGS, ALTER, LIST = 34, 44, 45, 46
FAST = ("--reassignment-poll-interval-ms", "30")
BOTH_MODES = pytest.mark.parametrize("mode", [(), ("--incremental",)], ids=["steps", "incremental"])


def portions(size: int, *words: str) -> tuple[str, ...]:
    """Return the options for portions of this size, looked at often."""
    return "--execute", "--reassignment-batch-size", str(size), *FAST, *words


def groups(run: Run) -> list[list[int]]:
    """Return the partition numbers of each request for moves, of one topic."""
    return [
        [one.partition_index for topic in request.topics for one in topic.partitions]
        for request in run.bodies(AlterPartitionReassignmentsRequest)
    ]


@contextmanager
def meanwhile(tool: Tool, *words: str) -> Iterator[Future[Run]]:
    """Run the tool beside the block, which has to see to it that it ends."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(tool, "--deadline-ms", "60000", *words)


def said(topic: str, count: int) -> str:
    listed = ",".join(f"{topic}-{number}" for number in range(count))
    return f"Successfully started partition reassignments for {listed}"


@pytest.mark.req("R1335-23", "R1335-24")
@BOTH_MODES
def test_what_is_printed(world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]) -> None:
    topic = world.topic(*[[1, 2]] * 5)
    file = plan(tmp_path, {(topic, number): [3, 2] for number in (4, 0, 2, 1, 3)})
    run = tool(*portions(2, *mode), FILE, file)
    before = {(topic, number): [1, 2] for number in range(5)}
    assert (run.status, run.lines, run.err) == (0, started(before, said(topic, 5)), "")
    assert run.out.count(CURRENT) == 1
    assert [number for group in groups(run) for number in group] == [*range(5)]
    assert max(map(len, groups(run))) == 2
    if not mode:
        assert groups(run) == [[0, 1], [2, 3], [4]]


@pytest.mark.req("R1335-8", "R1335-10", "R1335-31")
def test_without_portions_all_is_as_ever(world: World, tool: Tool, tmp_path: Path) -> None:
    """The plan changes nothing, so that the cluster is the same for each run."""
    topic = world.topic([1, 2], [2, 3])
    file = plan(tmp_path, {(topic, 1): [2, 3], (topic, 0): [1, 2]})
    legacy = tool("--execute", FILE, file)
    assert legacy.keys(LIST, CONFIGS, ALTER) == [LIST, ALTER]
    for words in (
        ("--reassignment-batch-size", "0"),
        ("--reassignment-poll-interval-ms", "7"),
        ("--order", "sorted"),
    ):
        run = tool("--execute", *words, FILE, file)
        assert (run.status, run.out, run.err) == (0, legacy.out, "")
        assert trace(run.sent) == trace(legacy.sent)
    sent: list[Sent] = []

    def record(node: int | None, key: int, version: int, body: Message) -> None:
        sent.append(Sent(node, key, version, body))

    out = io.StringIO()
    with Admin.connect(
        tool.bootstrap, client_id="reassign-partitions-tool", record=record
    ) as admin:
        execute_assignment(admin, False, Path(file).read_text(), out=out)
        assert out.getvalue() == legacy.out
        assert trace(sent) == trace(legacy.sent)
        sent.clear()
        execute_assignment(admin, False, Path(file).read_text(), out=out, reassignment_batch_size=1)
    assert [one.key for one in sent].count(ALTER) == 2


def trace(sent: Sequence[Sent]) -> list[tuple[int, int, Message]]:
    """Return what was sent; which node is asked first is drawn."""
    return [(one.key, one.version, one.body) for one in sent]


def plan_with_log_dirs(world: World, tool: Tool, folder: Path) -> tuple[str, str]:
    """Write a plan of three moves that each say where a replica goes; return topic and path."""
    topic = world.topic(*[[1, 2]] * 3)
    with Admin.connect(tool.bootstrap) as admin:
        log_dir = admin.describe_log_dirs([2]).result()[2][0].path
    moves = {(topic, number): [3, 2] for number in range(3)}
    return topic, plan(folder, moves, {name: ["any", log_dir] for name in moves})


@pytest.mark.req("R1335-26")
@BOTH_MODES
def test_throttles_are_set_once(
    world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]
) -> None:
    _, file = plan_with_log_dirs(world, tool, tmp_path)
    rates = ("--throttle", "90000000", "--replica-alter-log-dirs-throttle", "80000000")
    run = tool(*portions(1, *mode, *rates), FILE, file)
    assert run.status == 0
    assert run.out.count(RUN_VERIFY) == 1
    keys = run.keys(CONFIGS, ALTER)
    assert keys.count(ALTER) == 3
    assert keys[: keys.index(ALTER)].count(CONFIGS) == keys.count(CONFIGS) > 0


@pytest.mark.req("R1335-27")
@BOTH_MODES
def test_log_directories_follow_their_group(
    world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]
) -> None:
    topic, file = plan_with_log_dirs(world, tool, tmp_path)
    run = tool(*portions(1, *mode), FILE, file)
    assert run.status == 0
    assert run.keys(LOG_DIRS, ALTER) == [ALTER, LOG_DIRS] * 3
    assert run.out.count("Successfully started moving log directory") == 3
    assert run.lines[-1] == said(topic, 3)


@pytest.mark.req("R1335-22", "R1335-41")
@BOTH_MODES
def test_a_refusal_ends_the_run(
    world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]
) -> None:
    """The controller is listed among the brokers, so that the tool lets its id pass."""
    topic = world.topic(*[[1, 2]] * 6)
    moves = {(topic, number): [3, 2] for number in range(6)} | {(topic, 2): [900, 2]}
    run = tool(*portions(2, *mode), FILE, plan(tmp_path, moves))
    *_, headline, line = run.lines
    assert (run.status, headline) == (1, "Error reassigning partition(s):")
    assert line.startswith(f"{topic}-2: Replica assignment has brokers that are not alive.")
    sent = groups(run)
    assert sent[0] == [0, 1]
    assert 2 in sent[-1]
    begun = [number for group in sent for number in group if number != 2]
    left = [number for number in range(6) if number not in begun]
    assert run.err.splitlines() == [
        "Submitted: " + ",".join(f"{topic}-{number}" for number in begun),
        "Not submitted: " + ",".join(f"{topic}-{number}" for number in left),
    ]
    assert "Successfully" not in run.out
    for number in begun:
        world.await_replicas(topic, [3, 2], number)
    assert world.metadata(topic, 5)["replica_nodes"] == [1, 2]


@pytest.mark.req("R1335-21")
@BOTH_MODES
def test_what_goes_elsewhere_ends_the_run(
    world: World,
    tool: Tool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: Sequence[str],
) -> None:
    monkeypatch.setattr(waiting, "DOUBT_SECONDS", 0.3)
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    file = plan(tmp_path, {(topic, 0): [2, 4], (topic, 1): [2, 4]})
    with meanwhile(tool, *portions(1, *mode), FILE, file) as running:
        eventually(lambda: world.listed(topic), "the first move to be listed")
        assert world.alter(topic, None) == 0
        run = running.result()
    assert (run.status, run.lines[-1]) == (
        1,
        (
            f"There is no active reassignment of partition {topic}-0, but replica set is"
            f" {replicas(world, topic)} rather than 2,4."
        ),
    )
    assert run.err == f"Submitted: {topic}-0\nNot submitted: {topic}-1\n"
    assert groups(run) == [[0]]
    assert "Traceback" not in run.out + run.err


def replicas(world: World, topic: str) -> str:
    return ",".join(map(str, world.metadata(topic)["replica_nodes"]))


@pytest.mark.req("R1335-28", "R1335-30")
@BOTH_MODES
def test_additional_is_for_moves_of_others(
    world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]
) -> None:
    world.freeze(4)
    topic, other = world.topic(*[[1, 2]] * 3), world.topic([1, 2])
    assert world.alter(other, [4, 2]) == 0
    file = plan(tmp_path, {(topic, number): [3, 2] for number in range(3)})
    run = tool(*portions(1, *mode), FILE, file)
    assert (run.status, run.lines, run.keys(ALTER, CONFIGS)) == (1, [EXISTING], [])
    run = tool(*portions(1, *mode, "--additional"), FILE, file)
    before = {(topic, number): [1, 2] for number in range(3)}
    assert (run.status, run.lines) == (0, started(before, said(topic, 3)))
    assert run.err == "1 partition move already, beside the 1 at a time of this plan.\n"
    assert set(world.listed(other)) == {0}


@pytest.mark.req("R1335-29")
def test_two_runs_pace_for_themselves(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic(*[[1, 2]] * 8)
    files = [
        plan(tmp_path, {(topic, number): [4, 2] for number in numbers})
        for numbers in (range(4), range(4, 8))
    ]
    words = portions(3, "--additional", "--incremental")
    with (
        meanwhile(tool, *words, FILE, files[0]) as one,
        meanwhile(tool, *words, FILE, files[1]) as two,
    ):
        eventually(lambda: len(world.listed(topic)) == 6, "both runs to have three in flight")
        assert set(world.listed(topic)) == {0, 1, 2, 4, 5, 6}
        assert not one.done()
        assert not two.done()
        world.thaw(4)
        assert (one.result().status, two.result().status) == (0, 0)


@pytest.mark.req("R1335-38", "R1335-39")
def test_wait_and_deadline(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    file = plan(tmp_path, {(topic, 0): [4, 2], (topic, 1): [4, 2]})
    wait = ("--execute", "--wait", *FAST)
    run = tool(*wait, "--deadline-ms", "400", FILE, file)
    assert (run.status, run.lines[-2:], run.err) == (
        3,
        [said(topic, 2), f"Timed out after 400 ms waiting for: {topic}-0,{topic}-1"],
        "",
    )
    assert set(world.listed(topic)) == {0, 1}, "nothing is cancelled"
    with meanwhile(tool, *wait, "--resume", FILE, file) as running:
        world.thaw(4)
        run = running.result()
    assert (run.status, run.lines[-1]) == (
        0,
        "Completed partition reassignments of the whole plan",
    )
    assert run.keys(ALTER) == []
    assert world.listed(topic) == {}
    assert [world.metadata(topic, number)["replica_nodes"] for number in (0, 1)] == [[4, 2]] * 2


@BOTH_MODES
def test_a_deadline_between_groups(
    world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]
) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    file = plan(tmp_path, {(topic, 0): [4, 2], (topic, 1): [4, 2]})
    run = tool(*portions(1, *mode, "--deadline-ms", "300"), FILE, file)
    assert (run.status, run.lines[-1]) == (
        3,
        f"Timed out after 300 ms waiting for: {topic}-0",
    )
    assert run.err == f"Submitted: {topic}-0\nNot submitted: {topic}-1\n"
    assert set(world.listed(topic)) == {0}


@pytest.mark.req("R1335-36")
@BOTH_MODES
def test_group_size_1_on_a_cluster(
    world: World, tool: Tool, tmp_path: Path, mode: Sequence[str]
) -> None:
    topic = world.topic(*[[1, 2]] * 4)
    moves = {(topic, number): [2, 3] for number in range(4)}
    run = tool(*portions(1, *mode, "--wait"), FILE, plan(tmp_path, moves))
    assert (run.status, groups(run)) == (0, [[0], [1], [2], [3]])
    for number in range(4):
        assert world.await_replicas(topic, [2, 3], number)["isr_nodes"]
    assert shown(moves) in tool("--execute", FILE, plan(tmp_path, moves)).lines


@pytest.mark.req("R1335-36")
def test_a_large_plan_watched_with_list_and_verify(
    world: World, tool: Tool, tmp_path: Path
) -> None:
    count = 60
    world.freeze(5)
    topic = world.topic(*[[1, 2]] * count)
    file = plan(tmp_path, {(topic, number): [2, 5] for number in range(count)})

    def listed() -> int:
        return sum(line.startswith(f"{topic}-") for line in tool("--list").lines)

    def completed() -> int:
        return tool("--verify", FILE, file).out.count(" is completed.")

    with meanwhile(tool, *portions(6, "--incremental"), FILE, file) as running:
        eventually(lambda: listed() == 6, "the first portion to be listed")
        assert completed() == 0
        world.thaw(5)
        while not running.done():
            assert listed() <= 6
        assert running.result().status == 0
    eventually(lambda: completed() == count, "the last portion to be completed")
