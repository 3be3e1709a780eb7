"""--execute of KIP-179 against a scripted cluster: what is sent and printed, word for word."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from admin_client.offering import WHERE_TO_SET
from admin_client.scripted import SERVED, Answer, ScriptedCluster
from reassign.offering import ALTER, ASSIGN, FILE, QUIET, holds, moves, offering
from reassign.scripted import ScriptedClock
from reassign.tool import Moves, Tool, plan, started

from klamm.protocol.generated.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from klamm.protocol.generated.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from klamm.protocol.generated.alter_topics_request import (
    AlteredTopic,
    AlterTopicsRequest,
    PartitionBrokers,
)
from klamm.protocol.generated.alter_topics_response import AlteredTopicResult, AlterTopicsResponse
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import (
    AssignPartitionsResponse,
    PartitionAssignmentResult,
)
from klamm.protocol.generated.incremental_alter_configs_request import (
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from klamm.protocol.message import Message
from klamm.tools.admin import Admin
from klamm.tools.reassign.execute import ExecuteOptions, execute
from klamm.tools.reassign.option import Dialect
from klamm.tools.reassign.output import Output, TerseError
from klamm.tools.reassign.texts import RUN_VERIFY


@pytest.fixture
def cluster() -> Iterator[ScriptedCluster]:
    with offering() as scripted:
        yield scripted


@pytest.fixture
def tool(cluster: ScriptedCluster) -> Tool:
    return Tool(cluster.bootstrap)


# ---------------------------------------------------------------- execute by topics


def accept_topics(cluster: ScriptedCluster, **errors: tuple[int, str]) -> None:
    """Accept every topic but these."""

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, AlterTopicsRequest)
        results = (
            AlteredTopicResult(topic.name, *errors.get(topic.name, (0, None)))
            for topic in request.topics
        )
        return AlterTopicsResponse(topics=tuple(results))

    cluster.on(AlterTopicsRequest, answer)


@pytest.mark.req("R179A-3", "R179A-11")
def test_a_plan_goes_by_topics(cluster: ScriptedCluster, tool: Tool, tmp_path: Path) -> None:
    """Of foo the lists have the topic's factor, of bar another one."""
    holds(cluster, {"foo": [[1, 2], [2, 3], [3, 1]], "bar": [[1, 2], [2, 1]]})
    accept_topics(cluster)
    wanted: Moves = {("foo", 2): [1, 2], ("bar", 1): [1], ("foo", 0): [3, 2], ("bar", 0): [3]}
    found = tool("--execute", FILE, plan(tmp_path, wanted), QUIET, *ALTER)
    before: Moves = {("foo", 2): [3, 1], ("bar", 1): [2, 1], ("foo", 0): [1, 2], ("bar", 0): [1, 2]}
    said = "Successfully started partition reassignments for bar-0,bar-1,foo-0,foo-2"
    assert (found.status, found.lines, found.err) == (0, started(before, said), "")
    bar = AlteredTopic("bar", -1, 1, (PartitionBrokers(0, (3,)), PartitionBrokers(1, (1,))))
    foo = AlteredTopic("foo", -1, -1, (PartitionBrokers(0, (3, 2)), PartitionBrokers(2, (1, 2))))
    assert found.bodies(AlterTopicsRequest) == [AlterTopicsRequest(60_000, (bar, foo))]
    assert not found.keys(45)


@pytest.mark.req("R179A-11")
@pytest.mark.parametrize(
    ("now", "lists", "replicas"),
    [
        ([[1, 2], [2, 1]], [[1, 2, 3], [2, 1, 3]], 3),
        ([[1, 2], [2, 1]], [[1, 3], [2, 3]], -1),
        # A topic of mixed factors has none that would be another one for all.
        ([[1, 2], [2, 1, 3]], [[1, 2], [2, 1]], -1),
        ([[1, 2], [2, 1, 3]], [[1], [2]], 1),
        # What is not listed counts: it would keep the factor.
        ([[1, 2], [2, 1, 3]], [[1, 2, 3]], -1),
    ],
)
def test_when_the_replication_factor_is_sent(
    cluster: ScriptedCluster,
    tool: Tool,
    tmp_path: Path,
    now: list[list[int]],
    lists: list[list[int]],
    replicas: int,
) -> None:
    holds(cluster, {"foo": now})
    accept_topics(cluster)
    wanted = {("foo", number): target for number, target in enumerate(lists)}
    found = tool("--execute", FILE, plan(tmp_path, wanted), QUIET, *ALTER)
    assert found.status == 0
    [request] = found.bodies(AlterTopicsRequest)
    [topic] = request.topics
    assert (topic.partitions, topic.replicas) == (-1, replicas)


@pytest.mark.req("R179A-11")
def test_lists_of_several_lengths_are_refused_before_anything_is_changed(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2], [2, 1]], "bar": [[1, 2]]})
    wanted: Moves = {("foo", 0): [1, 3], ("foo", 1): [3], ("bar", 0): [3]}
    found = tool("--execute", FILE, plan(tmp_path, wanted), "--throttle", "5", *ALTER)
    assert (found.status, found.lines) == (
        1,
        [
            (
                "Error: Topic foo is to have partitions with 1,2 replicas; AlterTopics gives all"
                " partitions of a topic the same number. Use another dialect, or a file for each"
                " number."
            )
        ],
    )
    assert not found.keys(44, 45, 17902)
    assert [path.name for path in tmp_path.iterdir()] == ["plan0.json"]


@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_a_changed_factor_can_be_disallowed(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    file = plan(tmp_path, {("foo", 0): [3]})
    found = tool("--execute", FILE, file, "--disallow-replication-factor-change", *dialect)
    assert (found.status, found.lines) == (
        1,
        ["Error: foo-0: The replication factor is changed from 2 to 1"],
    )
    assert not found.keys(17900, 17902)
    accept_topics(cluster)
    accept_partitions(cluster)
    file = plan(tmp_path, {("foo", 0): [3, 1]})
    found = tool("--execute", FILE, file, "--disallow-replication-factor-change", QUIET, *dialect)
    assert (found.status, len(found.keys(17900, 17902))) == (0, 1)


def test_a_topic_is_refused_as_a_whole_and_others_start(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2], [2, 1]], "bar": [[1, 2]]})
    accept_topics(cluster, foo=(60, "A partition reassignment is in progress."))
    wanted: Moves = {("foo", 0): [1, 3], ("foo", 1): [3, 1], ("bar", 0): [3, 1]}
    found = tool("--execute", FILE, plan(tmp_path, wanted), QUIET, *ALTER)
    assert found.status == 1
    assert found.lines[-3:] == [
        "Error reassigning partition(s):",
        "foo-0: A partition reassignment is in progress.",
        "foo-1: A partition reassignment is in progress.",
    ]


def test_whoever_may_not_start_moves_is_told_so(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    cluster.on(AlterTopicsRequest, AlterTopicsResponse(error_code=31))
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(error_code=31))
    for dialect in (ALTER, ASSIGN):
        file = plan(tmp_path, {("foo", 0): [1, 3]})
        found = tool("--execute", FILE, file, QUIET, *dialect)
        assert (found.status, found.lines[-1]) == (1, "foo-0: Cluster authorization failed.")


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (ALTER, "AlterTopics (17902): set klamm.kip179.alter.enable=true"),
        (ASSIGN, "AssignPartitions (17900): set klamm.kip179.assign.enable=true"),
    ],
)
def test_a_server_without_the_request(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str], text: str
) -> None:
    for node in cluster.ids:
        cluster.served[node] = SERVED
    holds(cluster, {"foo": [[1, 2]]})
    file = plan(tmp_path, {("foo", 0): [1, 3]})
    words = ("--execute", FILE, file, "--throttle", "5", *dialect)
    found = tool(*words)
    said = f"Error: the server does not offer {text}{WHERE_TO_SET}"
    assert (found.status, found.lines, found.err) == (1, [said], "")
    assert not found.keys(44)
    assert [path.name for path in tmp_path.iterdir()] == ["plan0.json"], "nothing to roll back"


def test_one_node_that_offers_the_request_is_enough(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    """Whether it is offered is asked without sending it: it goes out once."""
    for node in (1, 3):
        cluster.served[node] = SERVED
    holds(cluster, {"foo": [[1, 2]]})
    accept_partitions(cluster)
    found = tool("--execute", FILE, plan(tmp_path, {("foo", 0): [1, 3]}), QUIET, *ASSIGN)
    assert (found.status, found.lines[-1]) == (0, "42")
    assert cluster.asked(AssignPartitionsRequest) == [2]


@pytest.mark.req("R179A-12", "R179B-15")
@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_a_plan_waits_for_other_moves_unless_it_is_additional(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    accept_topics(cluster)
    accept_partitions(cluster)
    moves(cluster, "bar")
    file = plan(tmp_path, {("foo", 0): [1, 3]})
    found = tool("--execute", FILE, file, *dialect)
    said = (
        "Cannot execute because partitions are moving, and the server takes one reassignment at a"
        " time. Wait until they are done (--progress and --list show how far they are), or end"
        " them with --cancel. --additional does not lift this; it changes the throttle of a plan"
        " that moves."
    )
    assert (found.status, found.lines) == (1, [said])
    assert not found.keys(17900, 17902)
    found = tool("--execute", FILE, file, "--additional", QUIET, *dialect)
    assert (found.status, len(found.keys(17900, 17902))) == (0, 1)


@pytest.mark.req("R179A-12", "R179B-15")
@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_what_moves_to_its_target_already_is_not_asked_for_again(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    """Nor said to have started: whoever takes the last line for an id finds an error."""
    foo_0_moves(cluster)
    words = ("--execute", "--additional", *dialect)
    only = "Already moving to its target, not submitted: foo-0"
    found = tool(*words, FILE, plan(tmp_path, {("foo", 0): [3, 2]}))
    assert (found.status, found.lines, found.err) == (1, [only], "")
    assert not found.keys(17900, 17902)
    assert [path.name for path in tmp_path.iterdir()] == ["plan0.json"]

    both = plan(tmp_path, {("foo", 0): [3, 2], ("foo", 1): [2, 3]})
    found = tool(*words, QUIET, FILE, both)
    said = "Successfully started partition reassignment for foo-1"
    last = ["42"] if dialect is ASSIGN else []
    assert (found.status, found.lines[5:], found.err) == (0, [said, *last], f"{only}\n")
    for sent in found.bodies(AssignPartitionsRequest):
        assert sent.assignments == (PartitionAssignment("foo", 1, (2, 3)),)
    for altered in found.bodies(AlterTopicsRequest):
        assert altered.topics[0].partition_assignment == (PartitionBrokers(1, (2, 3)),)
    assert len(found.keys(17900, 17902)) == 1
    found = tool(*words, QUIET, FILE, plan(tmp_path, {("foo", 0): [2, 3]}))
    assert len(found.keys(17900, 17902)) == 1, "another target, also the same in another order"


def foo_0_moves(cluster: ScriptedCluster) -> None:
    """Say that foo-0 is on its way from 2, 1 to 3, 2; requests are accepted all the same."""
    holds(cluster, {"foo": [[3, 2, 1], [1, 2]]})
    accept_topics(cluster)
    accept_partitions(cluster)
    accept_configs(cluster)
    move = OngoingPartitionReassignment(0, (3, 2, 1), (3,), (1,))
    cluster.on(
        ListPartitionReassignmentsRequest,
        ListPartitionReassignmentsResponse(topics=(OngoingTopicReassignment("foo", (move,)),)),
    )


def accept_configs(cluster: ScriptedCluster) -> None:
    """Accept every change of configs."""

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, IncrementalAlterConfigsRequest)
        return IncrementalAlterConfigsResponse(
            responses=tuple(
                AlterConfigsResourceResponse(0, None, each.resource_type, each.resource_name)
                for each in request.resources
            )
        )

    cluster.on(IncrementalAlterConfigsRequest, answer)


@pytest.mark.req("R179A-12", "R179B-15")
@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_a_throttle_changes_although_nothing_is_submitted(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    foo_0_moves(cluster)
    file = plan(tmp_path, {("foo", 0): [3, 2]})
    words = ("--execute", "--additional", "--throttle", "700", FILE, file, QUIET, *dialect)
    found = tool(*words)
    limit = "The inter-broker throttle limit was set to 700 B/s"
    assert (found.status, found.lines[5:]) == (0, [RUN_VERIFY, limit])
    assert found.err == "Already moving to its target, not submitted: foo-0\n"
    assert found.keys(44)
    assert not found.keys(17900, 17902)
    facts = json.loads(tool(*words, "--json").out)
    assert (facts["started"], facts["not_submitted"]) == ([], ["foo-0"])


@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_a_run_that_resumes_and_submits_nothing_has_started_nothing(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    foo_0_moves(cluster)
    file = plan(tmp_path, {("foo", 0): [3, 2], ("foo", 1): [1, 2]})
    found = tool("--execute", "--resume", FILE, file, *dialect)
    assert (found.status, found.lines) == (0, [])
    assert found.err == "Resuming: 1 complete, 1 moving, 0 to submit.\n"


@pytest.mark.req("R179A-12", "R179B-15")
@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_a_plan_goes_in_portions(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    """The scripted cluster has each portion in place before the next look."""
    where: dict[str, list[list[int]]] = {"foo": [[1, 2], [1, 2], [1, 2]]}
    holds(cluster, where)

    def alter(node: int, request: Message) -> Answer:
        assert isinstance(request, AlterTopicsRequest)
        for topic in request.topics:
            for listed in topic.partition_assignment:
                where[topic.name][listed.partition] = [*listed.brokers]
        return AlterTopicsResponse(topics=tuple(AlteredTopicResult(t.name) for t in request.topics))

    def assign(node: int, request: Message) -> Answer:
        assert isinstance(request, AssignPartitionsRequest)
        for listed in request.assignments:
            where[listed.topic][listed.partition] = [*listed.brokers]
        ids = len(cluster.asked(AssignPartitionsRequest))
        return AssignPartitionsResponse(request_id=40 + ids, results=rows_of(request))

    cluster.on(AlterTopicsRequest, alter)
    cluster.on(AssignPartitionsRequest, assign)
    file = plan(tmp_path, {("foo", number): [2, 3] for number in range(3)})
    words = ("--execute", FILE, file, QUIET, "--reassignment-batch-size", "2", *dialect)
    found = tool(*words)
    said = "Successfully started partition reassignments for foo-0,foo-1,foo-2"
    before: Moves = {("foo", number): [1, 2] for number in range(3)}
    last = ["42"] if dialect is ASSIGN else []
    assert (found.status, found.lines) == (0, [*started(before, said), *last])
    told = "request 41: foo-0,foo-1\nrequest 42: foo-2\n" if dialect is ASSIGN else ""
    assert found.err == told, "each id when it is given"
    assert len(found.keys(17900, 17902)) == 2


# ---------------------------------------------------------------- execute with an id


def rows_of(request: AssignPartitionsRequest) -> tuple[PartitionAssignmentResult, ...]:
    """Return a good row for everything that is asked for."""
    return tuple(
        PartitionAssignmentResult(listed.topic, listed.partition, broker)
        for listed in request.assignments
        for broker in listed.brokers
    )


def accept_partitions(cluster: ScriptedCluster, request_id: int = 42) -> None:
    """Accept everything, and give the request this id."""

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, AssignPartitionsRequest)
        return AssignPartitionsResponse(request_id=request_id, results=rows_of(request))

    cluster.on(AssignPartitionsRequest, answer)


@pytest.mark.req("R179B-7", "R179B-51")
def test_the_last_line_is_the_id(cluster: ScriptedCluster, tool: Tool, tmp_path: Path) -> None:
    holds(cluster, {"foo": [[1, 2]], "bar": [[1, 2]]})
    accept_partitions(cluster)
    wanted: Moves = {("foo", 0): [2, 3], ("bar", 0): [3]}
    file = plan(tmp_path, wanted)
    found = tool("--execute", FILE, file, QUIET, *ASSIGN)
    said = "Successfully started partition reassignments for bar-0,foo-0"
    before: Moves = {("foo", 0): [1, 2], ("bar", 0): [1, 2]}
    assert (found.status, found.lines, found.err) == (0, [*started(before, said), "42"], "")
    assert found.out.endswith("\n42\n")
    asked = (PartitionAssignment("bar", 0, (3,)), PartitionAssignment("foo", 0, (2, 3)))
    assert found.bodies(AssignPartitionsRequest) == [AssignPartitionsRequest(60_000, asked)]
    assert not found.keys(45)
    facts = json.loads(tool("--execute", FILE, file, QUIET, "--json", *ASSIGN).out)
    assert (facts["request_ids"], facts["exit"]) == ([42], 0)


@pytest.mark.req("R179B-7")
def test_the_id_is_the_last_line_also_of_a_plan_that_was_refused_in_part(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path
) -> None:
    holds(cluster, {"foo": [[1, 2]], "bar": [[1, 2]]})
    rows = (
        PartitionAssignmentResult("bar", 0, 3, 37, "Partition bar-0 does not exist."),
        PartitionAssignmentResult("foo", 0, 2),
        PartitionAssignmentResult("foo", 0, 3),
    )
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(request_id=7, results=rows))
    file = plan(tmp_path, {("foo", 0): [2, 3], ("bar", 0): [3]})
    found = tool("--execute", FILE, file, QUIET, *ASSIGN)
    assert found.status == 1
    assert found.lines[-3:] == [
        "Error reassigning partition(s):",
        "bar-0: Partition bar-0 does not exist.",
        "7",
    ]


@pytest.mark.parametrize("whole", [60, 0])
def test_without_an_id_none_is_printed(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, whole: int
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    text = "A partition reassignment is in progress."
    rows = (PartitionAssignmentResult("foo", 0, 2, 60, text),)
    cluster.on(AssignPartitionsRequest, AssignPartitionsResponse(0, whole, text, -1, rows))
    moves(cluster, "bar")
    file = plan(tmp_path, {("foo", 0): [2, 3]})
    found = tool("--execute", FILE, file, "--additional", QUIET, *ASSIGN)
    assert found.status == 1
    assert found.lines[-2:] == ["Error reassigning partition(s):", f"foo-0: {text}"]


@pytest.mark.req("R179B-15")
@pytest.mark.parametrize("lasting", [True, False])
def test_what_has_ended_is_in_the_way_for_a_while(
    cluster: ScriptedCluster, tmp_path: Path, lasting: bool
) -> None:
    """The server refuses while its orders are written down, also when nothing moves any more."""
    holds(cluster, {"foo": [[1, 2]]})
    clock = ScriptedClock()

    def answer(node: int, request: Message) -> Answer:
        assert isinstance(request, AssignPartitionsRequest)
        if lasting or clock.now_ms < 1000:
            return AssignPartitionsResponse(error_code=60)
        return AssignPartitionsResponse(request_id=42, results=rows_of(request))

    cluster.on(AssignPartitionsRequest, answer)
    out = io.StringIO()
    output = Output(out, io.StringIO())
    options = ExecuteOptions(dialect=Dialect.KIP_179_ASSIGN)
    text = Path(plan(tmp_path, {("foo", 0): [2, 3]})).read_text()
    with Admin.connect(cluster.bootstrap) as admin:
        if lasting:
            with pytest.raises(TerseError, match="foo-0: A partition reassignment is in progress"):
                execute(admin, text, options, output, clock)
            assert 5_000 <= clock.now_ms <= 5_500
        else:
            execute(admin, text, options, output, clock)
            output.close(0)
            assert out.getvalue().endswith("\n42\n")
            assert clock.now_ms == 1000


@pytest.mark.parametrize("dialect", [ALTER, ASSIGN])
def test_log_directories_come_after_the_start(
    cluster: ScriptedCluster, tool: Tool, tmp_path: Path, dialect: tuple[str, str]
) -> None:
    holds(cluster, {"foo": [[1, 2]]})
    accept_topics(cluster)
    accept_partitions(cluster)
    done = AlterReplicaLogDirTopicResult("foo", (AlterReplicaLogDirPartitionResult(0, 0),))
    cluster.on(AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse(results=(done,)))
    file = plan(tmp_path, {("foo", 0): [2, 1]}, {("foo", 0): ["/d", "any"]})
    found = tool("--execute", FILE, file, QUIET, *dialect)
    assert found.status == 0
    assert found.keys(34, 17900, 17902)[1:] == [34]
