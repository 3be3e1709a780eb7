"""Moves between log directories: started again and again, watched, and taken back."""

import io
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import cast

import pytest
from reassign.tool import CLEARING, STATUS, Tool, plan, started
from thin_line.world import World, eventually

from klamm.tools.admin import Admin, Results, TopicPartitionReplica, errors
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY
from klamm.tools.reassign import log_dirs
from klamm.tools.reassign.output import CommandError, Output, TerseError
from klamm.tools.reassign.texts import NO_MOVES_ACTIVE, NONE_ACTIVE

FILE = "--reassignment-json-file"

FIRST, SECOND = TopicPartitionReplica("foo", 1, 3), TopicPartitionReplica("foo", 0, 4)


class Brokers:
    """Stands for a client: each replica is accepted at its try of this number, or fails."""

    def __init__(self, tries: Mapping[TopicPartitionReplica, int]) -> None:
        self._tries = dict(tries)
        self.asked: list[set[TopicPartitionReplica]] = []

    def alter_replica_log_dirs(
        self, wanted: Mapping[TopicPartitionReplica, str]
    ) -> Results[TopicPartitionReplica, None]:
        self.asked.append(set(wanted))
        futures = {}
        for name in wanted:
            self._tries[name] -= 1
            futures[name] = future = Future[None]()
            if self._tries[name] > 0:
                future.set_exception(errors.ReplicaNotAvailableError())
            elif self._tries[name] < 0:
                future.set_exception(errors.LogDirNotFoundError("no such directory"))
            else:
                future.set_result(None)
        return Results(futures)


class Clock:
    """Time that passes only in sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def start(brokers: Brokers, clock: Clock, timeout_ms: int) -> tuple[str, Exception | None]:
    """Start both moves; return what is printed and what it fails with."""
    out = io.StringIO()
    try:
        log_dirs.start(
            cast(Admin, brokers),
            {FIRST: "/c", SECOND: "/d"},
            timeout_ms,
            clock,
            Output(out, io.StringIO()),
        )
    except (TerseError, CommandError) as error:
        return out.getvalue(), error
    return out.getvalue(), None


def test_what_is_not_accepted_is_asked_for_again() -> None:
    brokers, clock = Brokers({FIRST: 3, SECOND: 1}), Clock()
    assert start(brokers, clock, 10_000) == (
        (
            "Successfully started moving log directory to /d for replica foo-0 with broker 4 \n"
            "Successfully started moving log directory to /c for replica foo-1 with broker 3 \n"
        ),
        None,
    )
    assert brokers.asked == [{FIRST, SECOND}, {FIRST}, {FIRST}]
    assert clock.now == pytest.approx(100.2)


def test_replicas_are_named_by_broker() -> None:
    out, _ = start(Brokers({FIRST: 1, SECOND: 1}), Clock(), 0)
    assert [line.split()[-1] for line in out.splitlines()] == ["3", "4"]


def test_the_time_is_limited() -> None:
    brokers, clock = Brokers({FIRST: 99, SECOND: 99}), Clock()
    out, error = start(brokers, clock, 250)
    assert (out, str(error)) == (
        "",
        "Timed out before log directory moves could be started for: foo-1-3,foo-0-4",
    )
    assert len(brokers.asked) == 4
    brokers = Brokers({FIRST: 1, SECOND: 99})
    _, error = start(brokers, Clock(), 0)
    assert len(brokers.asked) == 1
    assert str(error) == "Timed out before log directory move could be started for: foo-0-4"


def test_another_error_ends_it() -> None:
    _, error = start(Brokers({FIRST: 0, SECOND: 1}), Clock(), 10_000)
    assert str(error) == "Failed to alter dir for foo-1-3: no such directory"


def test_a_plan_with_log_directories(world: World, tool: Tool, tmp_path: Path) -> None:
    """The new replica's broker takes the move as soon as it has heard of the replica."""
    world.freeze(4)
    topic = world.topic([1, 2])
    with Admin.connect(tool.bootstrap) as admin:
        folder = admin.describe_log_dirs([4]).result()[4][0].path
    file = plan(tmp_path, {(topic, 0): [4, 2]}, {(topic, 0): [folder, "any"]})
    run = tool("--execute", FILE, file)
    assert (run.status, run.lines, run.err) == (
        0,
        started(
            {(topic, 0): [1, 2]},
            f"Successfully started partition reassignment for {topic}-0",
            f"Successfully started moving log directory to {folder} for replica {topic}-0 with"
            " broker 4 ",
        ),
        "",
    )
    assert run.keys(45, 34)[:2] == [45, 34]
    world.thaw(4)
    world.await_replicas(topic, [4, 2])
    run = tool("--verify", FILE, file)
    assert run.lines[:3] == [
        STATUS,
        f"Reassignment of partition {topic}-0 is completed.",
        f"Reassignment of replica {topic}-0-4 completed successfully.",
    ]
    run = tool("--cancel", FILE, file)
    assert run.lines[:3] == [NONE_ACTIVE, NO_MOVES_ACTIVE, CLEARING]


def test_verify_of_directories_that_are_not_there(world: World, tool: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2])
    file = plan(
        tmp_path,
        {(topic, 0): [1, 3], (topic, 1): [77]},
        {(topic, 0): ["/no", "/no"], (topic, 1): ["/no"]},
    )
    run = tool("--verify", "--preserve-throttles", FILE, file)
    first, second, third = run.lines[3:]
    assert first.startswith(f"Partition {topic}-0 on broker 1 is not being moved from log dir /")
    assert first.endswith(" to /no.")
    assert second.startswith(f"Partition {topic}-0 is not found in any live log dir on broker 3.")
    assert third == f"Partition {topic}-1 cannot be found in any live log directory on broker 77."
    file = plan(tmp_path, {(topic, 0): [1, 2]}, {(topic, 0): ["/no", "any"]})
    run = tool("--execute", FILE, file)
    assert run.status == 1
    assert run.lines[-1].startswith(f"Error: Failed to alter dir for {topic}-0-1: ")


@pytest.fixture(scope="module")
def two_disks() -> Iterator[LocalCluster]:
    """Two brokers with two log directories each, and more to copy than a throttle lets through."""
    options = ClusterOptions(
        (1, 2),
        zookeeper=MEMORY,
        log_dirs=("/a", "/b"),
        partition_bytes=1_000_000,
        topics={"t": NewTopic("t", 1, 1)},
    )
    with LocalCluster(options) as local:
        yield local


def test_the_life_of_a_move_between_directories(two_disks: LocalCluster, tmp_path: Path) -> None:
    tool = Tool(two_disks.bootstrap)
    with Admin.connect(tool.bootstrap) as admin:
        [broker] = admin.describe_topics(["t"]).result()["t"].partitions[0].replicas
        dirs = admin.describe_log_dirs([broker]).result()[broker]
    [here] = [one.path for one in dirs if one.replicas]
    [there] = [one.path for one in dirs if not one.replicas]
    name = f"t-0-{broker}"
    forth = plan(tmp_path, {("t", 0): [broker]}, {("t", 0): [there]})
    back = plan(tmp_path, {("t", 0): [broker]}, {("t", 0): [here]})

    run = tool("--execute", FILE, forth, "--replica-alter-log-dirs-throttle", "1")
    assert run.lines[-1] == (
        f"Successfully started moving log directory to {there} for replica t-0 with broker"
        f" {broker} "
    )
    run = tool("--verify", FILE, forth)
    assert run.lines[2:] == [f"Reassignment of replica {name} is still in progress."]
    assert not run.keys(44), "its throttle stays"
    run = tool("--verify", "--preserve-throttles", FILE, back)
    assert run.lines[2:] == [
        f"Partition t-0 on broker {broker} is being moved to log dir {there} instead of {here}."
    ]

    run = tool("--cancel", FILE, forth)
    assert run.lines == [
        NONE_ACTIVE,
        (
            f"Successfully started moving log directory to {here} for replica t-0 with broker"
            f" {broker} "
        ),
        "Clearing broker-level throttles on brokers 1,2,900",
        "Clearing topic-level throttles on topic t",
    ]
    run = tool("--verify", "--preserve-throttles", FILE, forth)
    assert run.lines[2:] == [
        f"Partition t-0 on broker {broker} is not being moved from log dir {here} to {there}."
    ]

    assert tool("--execute", FILE, forth).status == 0
    done = f"Reassignment of replica {name} completed successfully."
    eventually(
        lambda: done in tool("--verify", "--preserve-throttles", FILE, forth).lines,
        f"the log of {name} in {there}",
    )
    facts = json.loads(tool("--verify", "--json", FILE, forth).out)
    assert facts["log_dirs"] == [
        {"replica": name, "target": there, "current": there, "future": None}
    ]
    assert facts["cleared"] == {"brokers": [1, 2, 900], "topics": ["t"]}
