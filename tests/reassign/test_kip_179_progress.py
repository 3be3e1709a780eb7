"""--progress of KIP-179 against a scripted cluster: its tables, word for word."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from admin_client.offering import WHERE_TO_SET
from admin_client.scripted import SERVED, Answer, Instead, ScriptedCluster
from reassign.offering import ALTER, ASSIGN, FILE, NOW, cells, holds, offering
from reassign.tool import Moves, Tool, plan

from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
    PartitionReplica,
    Progress,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatus, ReplicaStatusResponse
from klamm.protocol.message import Message
from klamm.tools.reassign import replica_progress


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    with offering() as scripted:
        yield scripted


@pytest.fixture
def tool(cluster: ScriptedCluster) -> Tool:
    return Tool(cluster.bootstrap)


# ---------------------------------------------------------------- progress of a plan


def tell(cluster: ScriptedCluster, rows: Mapping[tuple[str, int, int], ReplicaStatus]) -> None:
    """Answer with these rows; for any other that all is well."""

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, ReplicaStatusRequest)
        asked = [(key.topic, key.partition, key.broker) for key in request.replicas]
        found = (
            rows.get(key) or ReplicaStatus(*key, status_time=NOW, isr_time=NOW, lag=0)
            for key in asked
        )
        return ReplicaStatusResponse(replicas=tuple(found))

    cluster.on(ReplicaStatusRequest, answer)


@pytest.mark.req("R179A-6", "R179A-7", "R179A-8", "R179A-10")
def test_every_status_of_the_proposal(cluster: ScriptedCluster, tool: Tool, tmp_path: Path) -> None:
    holds(cluster, {"my_topic": [[1, 2], [2, 3], [-1, 1]]})
    behind = ReplicaStatus("my_topic", 0, 2, 0, NOW, NOW - 5, NOW, 10456, 20000)
    busy = ReplicaStatus("my_topic", 1, 2, 0, NOW, NOW, NOW, 3, 3)
    silent = ReplicaStatus("my_topic", 1, 3, 0, NOW, NOW - 5, -1, -1, -1)
    real = ReplicaStatus("my_topic", 0, 1, 0, NOW, -1, -1, 0, -1)
    rows = [
        behind,
        busy,
        silent,
        real,
        ReplicaStatus("my_topic", 0, 42, 25),
        ReplicaStatus("my_topic", 1, 1, 3),
    ]
    tell(cluster, {(row.topic, row.partition, row.broker): row for row in rows})
    wanted: Moves = {
        ("my_topic", 0): [1, 2],
        ("asdf", 0): [1],
        ("my_topic", 42): [1],
        ("my_topic", 1): [2, 1, 3],
        ("my_topic", 2): [1],
    }
    file = plan(tmp_path, wanted)
    assert tool("--progress", FILE, file, *ALTER).out == (
        "Topic     Partition  Broker  Status\n"
        "my_topic  0          1       In sync\n"
        "my_topic  0          2       Behind: 10456 messages behind\n"
        "asdf      0          1       Unknown topic\n"
        "my_topic  42         1       Unknown partition\n"
        "my_topic  1          2       In sync\n"
        "my_topic  1          1       Broker does not host this partition\n"
        "my_topic  1          3       Behind: unknown\n"
        "my_topic  2          1       Behind: unknown\n"
    )
    file = plan(tmp_path, {("my_topic", 0): [42]})
    assert cells(tool("--progress", FILE, file, *ALTER)) == [
        ["Topic", "Partition", "Broker", "Status"],
        ["my_topic", "0", "42", "Unknown broker"],
    ]


@pytest.mark.req("R179A-9")
def test_each_leader_is_asked_for_its_own(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2], [2, 3], [3, 1]], "bar": [[3, 2]]})
    tell(cluster, {})
    wanted: Moves = {("foo", 0): [2, 3], ("foo", 1): [1], ("foo", 2): [1], ("bar", 0): [1]}
    found = tool("--progress", FILE, plan(tmp_path, wanted), *ALTER)
    asked = {
        sent.node: {(key.topic, key.partition) for key in sent.body.replicas}
        for sent in found.sent
        if isinstance(sent.body, ReplicaStatusRequest)
    }
    assert asked == {1: {("foo", 0)}, 2: {("foo", 1)}, 3: {("foo", 2), ("bar", 0)}}
    assert len(found.bodies(ReplicaStatusRequest)) == 3
    assert [row[3] for row in cells(found)[1:]] == ["In sync"] * 5


@pytest.mark.req("R179A-10")
@pytest.mark.parametrize("moved", [True, False])
def test_a_former_leader(cluster: ScriptedCluster, tool: Tool, tmp_path: Path, moved: bool) -> None:
    holds(cluster, {"foo": [[1, 2]]})

    def answer(node: int, request: Message) -> Answer:
        holds(cluster, {"foo": [[2, 1]]})
        code = 0 if node == 2 and moved else 6
        return ReplicaStatusResponse(replicas=(ReplicaStatus("foo", 0, 2, code, lag=0),))

    cluster.on(ReplicaStatusRequest, answer)
    found = tool("--progress", FILE, plan(tmp_path, {("foo", 0): [2]}), *ALTER)
    assert cells(found)[1][3] == ("In sync" if moved else "Behind: unknown")
    assert cluster.asked(ReplicaStatusRequest) == [1, 2]


def test_a_leader_that_does_not_answer_in_time(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica_progress, "LOOK_MS", 1000)
    holds(cluster, {"foo": [[1, 2], [2, 1]]})

    def answer(node: int, request: Message) -> Answer:
        if node == 2:
            return Instead.KEEP_SILENT
        return ReplicaStatusResponse(replicas=(ReplicaStatus("foo", 0, 1, lag=0),))

    cluster.on(ReplicaStatusRequest, answer)
    file = plan(tmp_path, {("foo", 0): [1], ("foo", 1): [1]})
    found = tool("--progress", FILE, file, *ALTER)
    assert [row[3] for row in cells(found)[1:]] == ["In sync", "Behind: unknown"]
    assert found.err.startswith("foo-1-1: Timed out after 1 try. Call: replicaStatus")


def test_progress_as_json_and_an_entry_that_is_there_twice(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    tell(cluster, {("foo", 0, 2): ReplicaStatus("foo", 0, 2, 0, NOW, NOW - 1, NOW, 5, 9)})
    entry = {"topic": "foo", "partition": 0, "replicas": [2]}
    file = tmp_path / "twice.json"
    file.write_text(json.dumps({"version": 1, "partitions": [entry, entry]}))
    found = tool("--progress", FILE, str(file), "--json", *ALTER)
    told = {"topic": "foo", "partition": 0, "broker": 2, "status": "Behind: 5 messages behind"}
    facts = json.loads(found.out)
    assert facts["replicas"] == [{**told, "lag": 5, "taken_ms": NOW, "in_sync": False}] * 2
    assert [len(body.replicas) for body in found.bodies(ReplicaStatusRequest)] == [1]


@pytest.mark.parametrize("code", [31, 29])
def test_an_error_that_is_no_status_ends_it(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, code: int
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    cluster.on(ReplicaStatusRequest, ReplicaStatusResponse(error_code=code))
    found = tool("--progress", FILE, plan(tmp_path, {("foo", 0): [1]}), *ALTER)
    assert (found.status, len(found.lines)) == (1, 1)
    assert found.lines[0].startswith("Error: ")
    assert "authorization failed" in found.lines[0]


def test_a_plan_without_partitions(cluster: ScriptedCluster, tool: Tool, tmp_path: Path) -> None:
    found = tool("--progress", FILE, plan(tmp_path, {}), *ALTER)
    assert (found.status, found.lines) == (0, ["Topic  Partition  Broker  Status"])
    assert not found.keys(17903)


# ---------------------------------------------------------------- progress of a request


@pytest.mark.req("R179B-8", "R179B-9")
@pytest.mark.parametrize("request_id", [42, None])
def test_progress_of_a_request(
    cluster: ScriptedCluster, tool: Tool, request_id: int | None
) -> None:
    rows = (
        PartitionReplica("foo", 0, 2, Progress(0, 900, 900, True, NOW)),
        PartitionReplica("foo", 0, 3, Progress(60, 8996, 9000, False, NOW)),
        PartitionReplica("other", 10, 3, Progress(60, 0, -1, False, NOW)),
        PartitionReplica("other", 10, 1, Progress(85, 3, 10, True, NOW)),
        PartitionReplica("other", 10, 2, Progress(3, 0, -1, True, NOW)),
        PartitionReplica("other", 10, 4, Progress(56, 0, -1, True, NOW)),
        PartitionReplica("other", 10, 5, Progress(999, 0, -1, True, NOW)),
    )
    cluster.on(
        PartitionAssignmentStatusRequest,
        PartitionAssignmentStatusResponse(request_id=42, replicas=rows),
    )
    words = () if request_id is None else ("--request", str(request_id))
    found = tool("--progress", *words, *ASSIGN)
    assert found.out == (
        "Topic  Partition  Broker  Done  Total  Percent  Status\n"
        "foo    0          2       900   900    100.0%   Complete\n"
        "foo    0          3       8996  9000   99.9%    In progress\n"
        "other  10         3       0     -      -        In progress\n"
        "other  10         1       3     10     30.0%    Cancelled or superseded\n"
        "other  10         2       0     -      -        Deleted\n"
        "other  10         4       0     -      -        Failed: Disk error when trying to access"
        " log file on the disk.\n"
        "other  10         5       0     -      -        Failed: error 999 (unknown to klamm)\n"
    )
    asked = PartitionAssignmentStatusRequest(request_id or -1)
    assert found.bodies(PartitionAssignmentStatusRequest) == [asked]
    facts = json.loads(tool("--progress", *words, "--json", *ASSIGN).out)
    assert (facts["request_id"], facts["complete"]) == (42, False)
    assert facts["replicas"][2] == {
        "topic": "other",
        "partition": 10,
        "broker": 3,
        "done": 0,
        "total": None,
        "complete": False,
        "status": "In progress",
    }


def test_many_rows_of_a_request_come_with_their_sum(cluster: ScriptedCluster, tool: Tool) -> None:
    """On standard error: the table is as ever."""

    def told(*rows: Progress) -> tuple[int, str]:
        replicas = tuple(PartitionReplica("foo", each, 3, row) for each, row in enumerate(rows))
        response = PartitionAssignmentStatusResponse(request_id=7, replicas=replicas)
        cluster.on(PartitionAssignmentStatusRequest, response)
        found = tool("--progress", *ASSIGN)
        assert [row[1] for row in cells(found)[1:]] == [str(each) for each in range(len(rows))]
        return len(found.lines), found.err

    done = [Progress(0, 100, 100, True, NOW)] * 17
    slow = [Progress(60, 1, 3, False, NOW), Progress(60, 30, 300, False, NOW)]
    assert told(*done, *slow, done[0]) == (21, "")
    assert told(*done, *slow, Progress(60, 0, -1, False, NOW), Progress(85, 5, 10, True, NOW)) == (
        22,
        (
            "17 of 21 replicas complete, 1 ended otherwise; 1736 of 2013 messages (86.2%);"
            " slowest: foo-18 on broker 3, 10.0%\n"
        ),
    )
    assert told(*done, *done) == (
        35,
        "34 of 34 replicas complete; 3400 of 3400 messages (100.0%)\n",
    )
    nothing = [Progress(60, 0, -1, False, NOW)] * 21
    assert told(*nothing) == (22, "0 of 21 replicas complete\n")


def test_many_rows_of_a_plan_come_with_their_sum(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2]] * 20 + [[-1, 1]]})
    behind = {("foo", n, 2): ReplicaStatus("foo", n, 2, 0, NOW, NOW - 1, NOW, n, 9) for n in (5, 7)}
    tell(cluster, behind)
    file = plan(tmp_path, {("foo", number): [2] for number in range(21)})
    found = tool("--progress", FILE, file, *ALTER)
    assert len(found.lines) == 22
    assert found.err == (
        "18 of 21 replicas in sync, 1 unknown; 12 messages behind, the most foo-7 on broker 2: 7\n"
    )
    file = plan(tmp_path, {("foo", number): [1, 2] for number in range(5)})
    assert tool("--progress", FILE, file, *ALTER).err == ""


@pytest.mark.req("R179B-11")
def test_an_id_that_the_server_does_not_know(cluster: ScriptedCluster, tool: Tool) -> None:
    cluster.on(PartitionAssignmentStatusRequest, PartitionAssignmentStatusResponse(error_code=42))
    found = tool("--progress", "--request", "42", *ASSIGN)
    assert (found.status, found.lines) == (1, ["Unknown reassignment request id 42."])
    assert found.err == (
        "A request is forgotten some time after its end"
        " (reassign.partitions.status.min.retention.ms); --progress without --request shows the"
        " newest that is known.\n"
    )
    found = tool("--progress", *ASSIGN)
    assert (found.status, found.lines) == (
        1,
        ["There is no reassignment request that is remembered."],
    )


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (ALTER, "ReplicaStatus (17903): set klamm.kip179.alter.enable=true"),
        (ASSIGN, "PartitionAssignmentStatus (17901): set klamm.kip179.assign.enable=true"),
    ],
)
def test_progress_of_a_server_without_it(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str], text: str
) -> None:
    for node in cluster.ids:
        cluster.served[node] = SERVED
    holds(cluster, {"foo": [[1, 2]]})
    file = (FILE, plan(tmp_path, {("foo", 0): [1]})) if dialect is ALTER else ()
    found = tool("--progress", *file, *dialect)
    said = f"Error: the server does not offer {text}{WHERE_TO_SET}"
    assert (found.status, found.lines) == (1, [said])


@pytest.mark.req("R179B-6")
def test_no_time_to_completion_is_printed(cluster: ScriptedCluster, tool: Tool) -> None:
    row = PartitionReplica("foo", 0, 2, Progress(60, 1, 2, False, NOW))
    cluster.on(
        PartitionAssignmentStatusRequest,
        PartitionAssignmentStatusResponse(0, 0, None, 42, False, NOW - 1000, -1, (row,)),
    )
    found = tool("--progress", *ASSIGN)
    assert "left" not in found.out
    assert cells(found)[1] == ["foo", "0", "2", "1", "2", "50.0%", "In progress"]
