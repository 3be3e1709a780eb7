"""The dialects of KIP-179 on a cluster that offers their requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from clients.cluster import BROKERS, CONTROLLER, config, lift_throttles, running, set_throttles
from clients.java_scripts import LISTS, RATES
from reassign.tool import CLEARING, STATUS, Run, Tool, plan, run, shown, started
from thin_line.world import World, eventually

from klamm.controller.core.model import TopicPartition as Name
from klamm.protocol.generated.alter_topics_request import AlterTopicsRequest
from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusRequest
from klamm.tools.admin import (
    Admin,
    AlteredTopic,
    PartitionReplica,
    ReplicaStatus,
    TopicPartition,
    errors,
)
from klamm.tools.cli.main import main as klamm
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
from klamm.tools.reassign.texts import RUN_VERIFY

FILE = "--reassignment-json-file"
QUIET = "--no-rollback-file"
ALTER = ("--dialect", "kip-179-alter")
ASSIGN = ("--dialect", "kip-179-assign")
CHROOT = "kip-179"
ORDERS = "/admin/reassign_partitions"
PATIENCE = 30.0
LIMIT = "The inter-broker throttle limit was set to {} B/s"

#: What starts moves, by dialect.
KEYS = {ALTER: 17902, ASSIGN: 17900}


@pytest.fixture(scope="module")
def offering(zookeeper: EmbeddedZookeeper) -> Iterator[World]:
    """Brokers 0 to 5 and controller 900, all switches on; partitions have 1000 records."""
    connect = f"{zookeeper.connect_string}/{CHROOT}"
    properties = {
        "klamm_kip179_alter_enable": "true",
        "klamm_kip179_assign_enable": "true",
        # Leaders are those that moves have left behind.
        "auto_leader_rebalance_enable": "false",
    }
    with running(connect, **properties) as world:
        yield world


@pytest.fixture
def world(offering: World) -> Iterator[World]:
    """The cluster, with nothing moving, frozen, throttled or written before or after."""
    yield offering
    offering.local.call(offering.local.cluster.brokers.produce, 0.0)
    for broker in BROKERS:
        offering.thaw(broker)
    eventually(lambda: not offering.admin.list_partition_reassignments(), "all moves to end")
    await_no_orders(offering)
    lift_throttles(offering)


def await_no_orders(world: World) -> None:
    """Wait until the entries of what has ended are gone, once a second: they count as moves."""
    eventually(lambda: not world.zookeeper.exists(ORDERS), "the orders to be gone")


def await_moving(world: World, topic: str) -> None:
    """Wait until partition 0 moves: a request with an id is recorded before its moves begin."""
    eventually(lambda: 0 in world.listed(topic), f"{topic}-0 to move")


@pytest.fixture(params=[ALTER, ASSIGN], ids=lambda words: words[1])
def dialect(request: pytest.FixtureRequest) -> tuple[str, str]:
    words: tuple[str, str] = request.param
    return words


@pytest.fixture
def tool(world: World) -> Tool:
    return Tool(world.local.bootstrap)


@pytest.fixture
def admin(world: World) -> Iterator[Admin]:
    with Admin.connect(world.local.bootstrap) as connected:
        yield connected


def rows(found: Run) -> list[list[str]]:
    """Return the table without its heading."""
    assert (found.status, found.err) == (0, "")
    return [re.split(r" {2,}", line) for line in found.lines[1:]]


@pytest.mark.req("R179A-3", "R179A-13", "R179B-15")
def test_both_ways_end_alike(
    world: World, tool: Tool, dialect: tuple[str, str], zookeeper: EmbeddedZookeeper, tmp_path: Path
) -> None:
    connect = f"{zookeeper.connect_string}/{CHROOT}"
    ends = []
    for way in (("--bootstrap-server", world.local.bootstrap), ("--zookeeper", connect)):
        topic = world.topic([1, 2], [2, 3], [3, 1])
        moves: Mapping[tuple[str, int], list[int]] = {(topic, 0): [4, 2], (topic, 2): [1, 3]}
        found = run(*way, *dialect, "--execute", FILE, plan(tmp_path, moves), *_quiet(way))
        assert found.status == 0
        assert found.keys(45, *KEYS.values()) == ([KEYS[dialect]] if "server" in way[0] else [])
        eventually(partial(_is_placed, world, topic, [4, 2], [1, 3]), f"{topic} to be moved")
        states = [world.state_znode(topic, number) for number in range(3)]
        znode = world.topic_znode(topic)[0]
        ends.append(
            (
                znode["partitions"],
                znode["adding_replicas"],
                znode["removing_replicas"],
                [(state["leader"], sorted(state["isr"])) for state in states],
            )
        )
        await_no_orders(world)
    assert ends[0] == ends[1]


def _quiet(way: tuple[str, str]) -> list[str]:
    return [QUIET] if way[0] == "--bootstrap-server" else []


def _is_placed(world: World, topic: str, first: list[int], last: list[int]) -> bool:
    znode = world.topic_znode(topic)[0]
    partitions = znode["partitions"]
    states = [world.state_znode(topic, number) for number in (0, 2)]
    return (
        (partitions["0"], partitions["2"]) == (first, last)
        and not znode["adding_replicas"]
        and [set(state["isr"]) for state in states] == [{*first}, {*last}]
        and states[0]["leader"] in first
    )


# ---------------------------------------------------------------- the actions of section 1


@pytest.mark.req("R179A-12", "R179B-15")
def test_generate(world: World, tool: Tool, dialect: tuple[str, str], tmp_path: Path) -> None:
    topic = world.topic([1, 2], [2, 1])
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"topics": [{"topic": topic}]}))
    words = ("--generate", "--topics-to-move-json-file", str(file), "--broker-list", "3,4")
    found = tool(*words, *dialect)
    assert (found.status, found.lines[0]) == (0, "Current partition replica assignment")
    assert found.lines[1] == shown({(topic, 0): [1, 2], (topic, 1): [2, 1]})
    replicas = [entry["replicas"] for entry in json.loads(found.lines[-1])["partitions"]]
    assert [set(ids) for ids in replicas] == [{3, 4}, {3, 4}]
    assert not found.keys(45, 46, *KEYS.values())


@pytest.mark.req("R179A-12", "R179B-15")
def test_a_throttle_is_set_changed_verified_and_cleared(
    world: World, tool: Tool, dialect: tuple[str, str], tmp_path: Path
) -> None:
    world.freeze(4)
    topic = world.topic([1, 2, 3])
    before = {(topic, 0): [1, 2, 3]}
    file = plan(tmp_path, {(topic, 0): [4, 3, 2]})
    found = tool("--execute", "--throttle", "5000000", FILE, file, QUIET, *dialect)
    said = f"Successfully started partition reassignment for {topic}-0"
    lines = started(before, RUN_VERIFY, LIMIT.format(5000000), said)
    assert (found.status, found.lines[: len(lines)], found.err) == (0, lines, "")
    assert found.keys(44, 45, *KEYS.values())[-1] == KEYS[dialect]
    lists = dict(zip(LISTS, ("0:1,0:2,0:3", "0:4"), strict=True))
    assert config(world, f"topics/{topic}") == lists
    for broker in (1, 2, 3, 4):
        assert config(world, f"brokers/{broker}") == dict.fromkeys(RATES[:2], "5000000")

    await_moving(world, topic)
    words = ("--execute", "--additional", "--throttle", "700", FILE, file, QUIET)
    found = tool(*words, *dialect)
    assert (found.status, found.lines[5:]) == (0, [RUN_VERIFY, LIMIT.format(700)])
    assert found.err == f"Already moving to its target, not submitted: {topic}-0\n"
    assert config(world, "brokers/4") == dict.fromkeys(RATES[:2], "700")

    found = tool("--verify", FILE, file, *dialect)
    in_progress = f"Reassignment of partition {topic}-0 is still in progress."
    assert found.lines == [STATUS, in_progress, ""]
    assert config(world, f"topics/{topic}") == lists

    for broker in (1, 2, 3, 4):
        set_throttles(world, broker, 100_000_000)
    world.thaw(4)
    world.await_replicas(topic, [4, 3, 2])
    found = tool("--verify", FILE, file, *dialect)
    assert (found.status, found.lines) == (
        0,
        [
            STATUS,
            f"Reassignment of partition {topic}-0 is completed.",
            "",
            CLEARING,
            f"Clearing topic-level throttles on topic {topic}",
        ],
    )
    for broker in (*BROKERS, CONTROLLER):
        assert config(world, f"brokers/{broker}") == {}


@pytest.mark.req("R179A-12", "R179B-15")
def test_list_and_cancel(
    world: World, tool: Tool, dialect: tuple[str, str], tmp_path: Path
) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, 0): [4, 2]})
    assert tool("--execute", FILE, file, QUIET, *dialect).status == 0
    await_moving(world, topic)
    moving = f"{topic}-0: replicas: 4,2,1. adding: 4. removing: 1."
    assert tool("--list", *dialect).lines[1:] == [moving]
    found = tool("--cancel", FILE, file, *dialect)
    assert found.lines[0] == f"Successfully cancelled partition reassignment for: {topic}-0"
    assert world.listed(topic) == {}


@pytest.mark.req("R179A-12", "R179B-15")
def test_a_plan_in_portions(
    world: World, tool: Tool, dialect: tuple[str, str], tmp_path: Path
) -> None:
    topic = world.topic([1, 2], [1, 2], [1, 2])
    file = plan(tmp_path, {(topic, number): [2, 3] for number in range(3)})
    pacing = ("--reassignment-batch-size", "1", "--reassignment-poll-interval-ms", "20", "--wait")
    found = tool("--execute", FILE, file, QUIET, *pacing, *dialect)
    last = "Completed partition reassignments of the whole plan"
    assert found.status == 0
    assert found.lines[-1 if dialect is ALTER else -2] == last
    told = re.findall(rf"^request ([0-9]+): {topic}-[0-2]$", found.err, re.MULTILINE)
    assert len(told) == len(found.err.splitlines()) == (0 if dialect is ALTER else 3)
    assert told == [] or (told == sorted(told, key=int) and told[-1] == found.lines[-1])
    for number in range(3):
        world.await_replicas(topic, [2, 3], number)


# ---------------------------------------------------------------- alter topics


@pytest.mark.req("R179A-6", "R179A-7", "R179A-9")
def test_progress_of_a_running_move(world: World, tool: Tool, tmp_path: Path) -> None:
    world.local.call(world.local.cluster.brokers.slow_down, 4, 200.0)
    topic = world.topic([1, 2], [2, 1], [3, 2])
    moves = {(topic, 0): [4, 1], (topic, 1): [5, 2], (topic, 2): [3, 2]}
    file = plan(tmp_path, moves)
    assert tool("--execute", FILE, file, QUIET, *ALTER).status == 0

    def lags() -> list[list[str]]:
        """Return the rows once the fast broker 5 has joined."""
        found = rows(tool("--progress", FILE, file, *ALTER))
        assert [row[:3] for row in found] == [
            [topic, str(number), str(broker)]
            for (_, number), target in moves.items()
            for broker in target
        ]
        return found

    fast = eventually(
        lambda: found if (found := lags())[2][3] == "In sync" else None, "broker 5 to join"
    )
    assert [row[3] for row in fast[1:]] == ["In sync"] * 5
    world.freeze(4)

    def lag() -> int:
        match = re.fullmatch(r"Behind: ([0-9]+) messages behind", lags()[0][3])
        assert match is not None
        return int(match[1])

    behind = lag()
    assert 0 < behind <= 1000
    world.local.call(world.local.cluster.brokers.produce, 5000.0, Name(topic, 0))
    eventually(lambda: lag() > behind, "the leader to get ahead")
    world.local.call(world.local.cluster.brokers.produce, 0.0)
    world.thaw(4)
    eventually(lambda: all(row[3] == "In sync" for row in lags()), "all to be in sync")


@pytest.mark.req("R179A-7", "R179A-9", "R179A-10")
def test_progress_of_replicas_that_are_not_there(world: World, tool: Tool, tmp_path: Path) -> None:
    topic = world.topic([1, 2], [2, 1])
    moves = {(topic, 0): [1, 42], (topic, 1): [3], (topic, 7): [1], ("nowhere", 0): [1]}
    found = tool("--progress", FILE, plan(tmp_path, moves), *ALTER)
    assert [row[3] for row in rows(found)] == [
        "In sync",
        "Unknown broker",
        "Broker does not host this partition",
        "Unknown partition",
        "Unknown topic",
    ]
    asked = [sent for sent in found.sent if isinstance(sent.body, ReplicaStatusRequest)]
    assert sorted(sent.node or 0 for sent in asked) == [1, 2]


@pytest.mark.req("R179A-11", "R179A-31")
def test_other_factors_and_refusals(world: World, tool: Tool, tmp_path: Path) -> None:
    """A factor changes with all partitions of a topic, or not at all."""
    whole, part = world.topic([1, 2], [2, 1]), world.topic([1, 2], [2, 1])
    moves = {(whole, 0): [1, 2, 3], (whole, 1): [2, 1, 3], (part, 0): [1, 2, 3]}
    found = tool("--execute", FILE, plan(tmp_path, moves), QUIET, *ALTER)
    assert found.status == 1
    *_, headline, line = found.lines
    assert headline == "Error reassigning partition(s):"
    assert line.startswith(f"{part}-0: ")
    [request] = found.bodies(AlterTopicsRequest)
    assert {topic.name: topic.replicas for topic in request.topics} == {whole: 3, part: 3}
    for number, replicas in enumerate([[1, 2, 3], [2, 1, 3]]):
        world.await_replicas(whole, replicas, number)
    assert world.listed(part) == {}


@pytest.mark.req("R179A-17", "R179A-18")
def test_the_library_tells_of_the_beginning_and_of_every_replica(
    world: World, admin: Admin
) -> None:
    world.freeze(4)
    world.freeze(5)
    topic = world.topic([1, 2, 3])
    altered = AlteredTopic(
        topic, num_partitions=2, replicas_assignment={0: [4, 1, 2], 1: [3, 2, 1]}
    )
    assert admin.alter_topics([altered]).topic_result(topic).result(PATIENCE) is None
    assert world.listed(topic) == {0: ([4, 1, 2, 3], [4], [3])}
    assert world.topic_znode(topic)[0]["partitions"]["1"] == [3, 2, 1]

    name = TopicPartition(topic, 1)
    statuses = eventually(lambda: _statuses(admin, name), "brokers to know the new partition")
    assert [(status.topic, status.partition, status.broker) for status in statuses] == [
        (topic, 1, broker) for broker in (3, 2, 1)
    ]
    moving = admin.replica_status([TopicPartition(topic, 0)]).result(PATIENCE)
    [statuses] = moving.values()
    assert [status.broker for status in statuses] == [4, 1, 2, 3]
    assert statuses[0].is_in_sync is False
    refused = admin.alter_topics([AlteredTopic("nowhere", 3)]).result().result(PATIENCE)["nowhere"]
    assert isinstance(refused, errors.InvalidTopicError)


def _statuses(admin: Admin, name: TopicPartition) -> tuple[ReplicaStatus, ...] | None:
    future = admin.replica_status([name]).futures[name]
    return None if future.exception(PATIENCE) else future.result()


# ---------------------------------------------------------------- requests with ids


@pytest.mark.req("R179B-1", "R179B-2", "R179B-7", "R179B-8", "R179B-9")
def test_a_request_from_its_id_to_its_end(
    world: World, tool: Tool, admin: Admin, tmp_path: Path
) -> None:
    world.local.call(world.local.cluster.brokers.slow_down, 4, 50.0)
    topic = world.topic([1, 2], [2, 1])
    file = plan(tmp_path, {(topic, 0): [4, 1], (topic, 1): [2, 3]})
    found = tool("--execute", FILE, file, QUIET, *ASSIGN)
    assert found.status == 0
    said = f"Successfully started partition reassignments for {topic}-0,{topic}-1"
    assert found.lines[-2] == said
    number = int(found.lines[-1])
    assert len(found.bodies(AssignPartitionsRequest)) == 1

    def look() -> list[list[str]]:
        found = tool("--progress", "--request", str(number), *ASSIGN)
        assert found.keys(*range(17900, 17904)) == [17901]
        table = rows(found)
        assert [row[:3] for row in table] == [
            [topic, "0", "4"],
            [topic, "0", "1"],
            [topic, "1", "2"],
            [topic, "1", "3"],
        ]
        return table

    def percent(table: list[list[str]]) -> float:
        done, total, share, status = table[0][3:]
        assert status == "In progress"
        assert float(share.removesuffix("%")) == int(done) * 1000 // int(total) / 10
        return float(share.removesuffix("%"))

    table = eventually(
        lambda: t if (t := look())[3][6] == "Complete" and t[0][3] != "0" else None,
        "broker 3 to join, and broker 4 to copy something",
    )
    assert [row[6] for row in table] == ["In progress", "Complete", "Complete", "Complete"]
    share = percent(table)
    world.local.call(world.local.cluster.brokers.produce, 50_000.0, Name(topic, 0))
    eventually(lambda: percent(look()) < share, "the producer to outrun the follower")
    world.local.call(world.local.cluster.brokers.produce, 0.0)

    latest = tool("--progress", *ASSIGN)
    assert latest.bodies(PartitionAssignmentStatusRequest)[0].request_id == -1
    assert [row[:3] for row in rows(latest)] == [row[:3] for row in table]
    result = admin.partition_assignment_status(number)
    moving = result.progress(PartitionReplica(topic, 0, 4)).result(PATIENCE)
    assert (moving.complete, moving.error) == (False, None)
    assert result.complete().result(PATIENCE) is False

    world.thaw(4)
    eventually(lambda: admin.partition_assignment_status(number).complete().result(PATIENCE), "it")
    assert {row[6] for row in look()} == {"Complete"}


@pytest.mark.req("R179B-11")
def test_ids_rise_and_others_are_not_known(world: World, tool: Tool, tmp_path: Path) -> None:
    world.freeze(4)
    topic = world.topic([1, 2])
    file = plan(tmp_path, {(topic, 0): [4, 2]})
    ids = []
    for _ in range(2):
        ids.append(int(tool("--execute", FILE, file, QUIET, *ASSIGN).lines[-1]))
        await_moving(world, topic)
        assert tool("--cancel", FILE, file, *ASSIGN).status == 0
        await_no_orders(world)
    assert ids[1] == ids[0] + 1

    def ended() -> bool:
        found = rows(tool("--progress", "--request", str(ids[1]), *ASSIGN))
        return [row[6] for row in found] == ["Cancelled or superseded", "Complete"]

    eventually(ended, "the cancel to be told")
    found = tool("--progress", "--request", str(ids[1] + 1), *ASSIGN)
    assert (found.status, found.lines) == (1, [f"Unknown reassignment request id {ids[1] + 1}."])


@pytest.mark.req("R179B-1")
def test_while_others_move_all_is_refused(
    world: World, tool: Tool, dialect: tuple[str, str], tmp_path: Path
) -> None:
    world.freeze(4)
    topic = world.topic([1, 2], [1, 2])
    assert world.alter(topic, [4, 2], 0) == 0
    file = plan(tmp_path, {(topic, 1): [3, 2]})
    found = tool("--execute", "--additional", FILE, file, QUIET, *dialect)
    assert (found.status, found.lines[-2:]) == (
        1,
        [
            "Error reassigning partition(s):",
            f"{topic}-1: A partition reassignment is in progress.",
        ],
    )
    assert set(world.listed(topic)) == {0}


@pytest.mark.req("R179A-15")
def test_topics_are_altered_by_the_same_request(world: World) -> None:
    topic = world.topic([1, 2], [2, 1])
    words = ["topics", "--bootstrap-server", world.local.bootstrap, "--alter", "--topic", topic]

    def alter(*more: str) -> tuple[int, str]:
        result = CliRunner().invoke(klamm, [*words, *more, *ALTER])
        return result.exit_code, result.output

    begun = (
        f"Began to alter topic {topic}.\nTo watch: klamm topics --bootstrap-server"
        f" {world.local.bootstrap} --describe --topic {topic}\n"
    )
    assert alter("--replication-factor", "3") == (0, begun)
    eventually(lambda: _sizes(world, topic) == [3, 3], "a third replica of each")
    await_rest(world, topic)
    assert alter("--partitions", "3") == (0, begun)
    assert _sizes(world, topic) == [3, 3, 3]
    status, said = alter("--partitions", "2")
    assert (status, said.startswith(f"Error while executing topic command : {topic}: ")) == (
        1,
        True,
    )
    assert alter("--replica-assignment", "3:4:5,4:5:3,5:3:4") == (0, begun)
    for number, replicas in enumerate([[3, 4, 5], [4, 5, 3], [5, 3, 4]]):
        world.await_replicas(topic, replicas, number)


def _sizes(world: World, topic: str) -> list[int]:
    partitions = world.topic_znode(topic)[0]["partitions"]
    return [len(partitions[number]) for number in sorted(partitions)]


def await_rest(world: World, topic: str) -> None:
    """Wait until nothing of the topic moves."""
    eventually(lambda: not world.listed(topic), f"{topic} to be at rest")
