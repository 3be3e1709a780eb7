"""Output of Kafka's command line tools: real ones, and the forms of older releases."""

from __future__ import annotations

import json

import pytest
from pipeline.formats.reading import EXAMPLES, faults, fixture, one, passed, produced, rows


def described(text: str) -> list[tuple[str, int, list[int], list[int], int]]:
    found = rows(produced(text, "kafka-topics"), "partitions")
    return [
        (row["topic"], row["partition"], row["replicas"], row["isr"], row["leader"])
        for row in found
    ]


def test_describe_of_a_cluster_that_moves() -> None:
    found = produced(fixture("kafka-3.9.1/topics-describe.txt"))
    assert faults(found) == []
    partitions = {(row["topic"], row["partition"]): row for row in rows(found, "partitions")}
    assert len(partitions) == 5
    moving = partitions["orders", 1]
    assert (moving["adding"], moving["removing"], moving["isr"]) == ([0], [1], [1, 2])
    throttled = json.loads(moving["configs"])["leader.replication.throttled.replicas"]
    assert throttled == "1:1,1:2,2:0,2:2", "a value may have commas"
    assert moving["elr"] is None, "N/A: nobody asked a controller that knows"
    roles = {
        row["broker"]: (row["ord"], row["role"], row["in_isr"], row["is_leader"])
        for row in rows(found, "replicas")
        if (row["topic"], row["partition"]) == ("orders", 1)
    }
    assert roles == {
        2: (0, "origin", True, False),
        0: (1, "adding", False, False),
        1: (2, "removing", True, True),
    }


def test_describe_with_eligible_leaders() -> None:
    found = produced(fixture("kafka-4.1.1/topics-describe-down.txt"))
    first = rows(found, "partitions")[0]
    assert (first["leader"], first["isr"], first["min_isr"]) == (-1, [], 2)
    assert (first["elr"], first["last_known_elr"]) == ([2, 3], [2])


OLD = (
    "Topic:t\tPartitionCount:1\tReplicationFactor:2\tConfigs:\n"
    "\tTopic: t\tPartition: 0\tLeader: none\tReplicas: 1,2\tIsr: \n"
)
NEW = (
    "Topic: t\tTopicId: AAAAAAAAAAAAAAAAAAAAAQ\tPartitionCount: 1\tReplicationFactor: 2\t"
    "Configs: \r\n\tTopic: t\tPartition: 0\tLeader: none\tReplicas: 1,2\tIsr: \tElr: "
    "\tLastKnownElr: \r\n"
)


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        NEW,
        "  Topic: t  Partition: 0  Leader: none  Replicas: 1,2  Isr:   MarkedForDeletion: true",
    ],
)
def test_describe_old_and_new(text: str) -> None:
    assert described(text) == [("t", 0, [1, 2], [], -1)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "Topic: t\tPartition: 0\tLeader: 1\tReplic",
            "Replicas, Isr is missing; the line is cut off?",
        ),
        (
            "Topic: t\tPartition: x\tLeader: 1\tReplicas: 1\tIsr: 1",
            "Partition is 'x': expected a number",
        ),
        ("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1;2\tIsr: 1", "expected ids with commas"),
        ("Topic: t u\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1", "is no topic's name"),
        ("Exception in thread", "expected Topic: first"),
    ],
)
def test_describe_says_what_is_wrong(text: str, reason: str) -> None:
    [fault] = faults(produced(text, "kafka-topics"))
    assert reason in fault.reason


@pytest.mark.parametrize("release", ["3.9.1", "4.1.1"])
def test_the_list_of_moves(release: str) -> None:
    found = produced(fixture(f"kafka-{release}/list.txt"))
    assert faults(found) == []
    assert all(row["adding"] and row["removing"] for row in rows(found, "partitions"))
    assert len(rows(found, "partitions")) == 2


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("kafka-3.9.1/verify-done.txt", ["done"]),
        ("kafka-3.9.1/verify-running.txt", ["running", "running"]),
        ("kafka-3.9.1/verify-lifted.txt", ["elsewhere", "done"]),
        ("kafka-4.1.1/verify-cancelled.txt", ["elsewhere", "done"]),
    ],
)
def test_verify(name: str, states: list[str]) -> None:
    found = produced(fixture(name))
    assert faults(found) == []
    assert [json.loads(row["detail"])["state"] for row in rows(found)] == states


@pytest.mark.parametrize(
    ("sentence", "detail"),
    [
        ("Reassignment of partition t-0 completed successfully", {"state": "done"}),
        ("Reassignment of partition t-0 failed", {"state": "elsewhere"}),
        ("Reassignment of replica t-0-1 is still in progress", {"state": "running", "broker": 1}),
        (
            "Partition t-0 on broker 1 is not being moved from log dir /a to /b.",
            {"state": "elsewhere", "broker": 1, "log_dir": "/a", "target_log_dir": "/b"},
        ),
    ],
)
def test_verify_of_older_tools_and_of_log_directories(
    sentence: str, detail: dict[str, object]
) -> None:
    row = one(sentence, "reassign-text")
    assert (row["kind"], row["topic"], row["partition"]) == ("verified", "t", 0)
    assert json.loads(row["detail"]) == detail


def test_a_plan_within_prose() -> None:
    found = produced(fixture("kafka-4.1.1/generate.txt"))
    assert faults(found) == []
    plans = [(row["role"], row["partition"], row["replicas"]) for row in rows(found, "plans")]
    assert plans == [
        ("current", 0, [2, 3]),
        ("current", 1, [1, 3]),
        ("proposed", 0, [3, 1]),
        ("proposed", 1, [1, 2]),
    ]
    hashes = {row["role"]: row["plan_hash"] for row in rows(found, "plans")}
    assert hashes["current"] != hashes["proposed"]


def test_a_plan_on_many_lines_and_its_hash() -> None:
    entries = [{"topic": "t", "partition": n, "replicas": [n, 9]} for n in range(3)]
    one_line = json.dumps({"version": 1, "partitions": entries})
    pretty = json.dumps({"partitions": entries[::-1]}, indent=2)
    first, second = (rows(produced(each), "plans") for each in (one_line, pretty))
    assert {row["plan_hash"] for row in first} == {row["plan_hash"] for row in second}
    assert {row["role"] for row in first} == {"plan"}


def test_topics_to_move() -> None:
    found = rows(produced('{"topics": [{"topic": "a"}, {"topic": "b"}], "version":1}'), "plans")
    assert [(row["role"], row["topic"]) for row in found] == [("topics", "a"), ("topics", "b")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1]}',
            "2 brackets are open",
        ),
        (
            '{"partitions":[{"topic":"t","partition":"0","replicas":[1]}]}',
            "`$.partitions[0].partition`",
        ),
        ('{"partitions":[{"topic":"t","partition":0,"replicas":[4294967296]}]}', "replicas"),
        ("[" * 100 + "]" * 100, "nested more than 64 deep"),
    ],
)
def test_a_plan_that_is_none(text: str, reason: str) -> None:
    [fault] = faults(produced(text, "reassign-json"))
    assert reason in fault.reason


@pytest.mark.parametrize("release", ["3.9.1", "4.1.1"])
def test_log_dirs(release: str) -> None:
    found = produced(fixture(f"kafka-{release}/log-dirs.txt"))
    assert faults(found) == []
    assert passed(found) == [1, 2]
    assert len(rows(found, "clusters")) == 3
    sizes = {row["size_bytes"] for row in rows(found, "replicas") if row["topic"] == "orders"}
    assert max(sizes) > 1_000_000


def test_what_kraft_has_written() -> None:
    found = produced(fixture("kafka-4.1.1/metadata.txt"))
    assert faults(found) == []
    events = rows(found)
    moves = [
        (row["kind"], row["partition"], row["after"]["replicas"])
        for row in events
        if row["kind"] in ("accept", "supersede", "cancel", "end")
    ]
    assert moves == [
        ("accept", 0, [3, 2, 1]),
        ("end", 0, [3, 2]),
        ("accept", 0, [1, 2, 3]),
        ("accept", 1, [1, 3, 2]),
        ("supersede", 0, [2, 1, 3]),
        ("cancel", 0, [2, 3]),
        ("end", 1, [1, 3]),
    ]
    [unclean] = [row for row in events if row["kind"] == "elect-unclean"]
    assert (unclean["after"]["leader"], unclean["after"]["leader_epoch"]) == (2, 5)
    assert {row["topic"] for row in events if row["kind"] == "topic-deleted"} == {"payments"}


def test_what_kraft_has_written_agrees_with_what_is_described() -> None:
    """The last form of each partition is what kafka-topics shows at that moment."""
    last = {
        (row["topic"], row["partition"]): row["after"]
        for row in rows(produced(fixture("kafka-4.1.1/metadata.txt")))
        if row.get("after") is not None and row["seq"] <= 140
    }
    shown = rows(produced(fixture("kafka-4.1.1/topics-describe-down.txt")), "partitions")
    assert len(shown) == 3
    for row in shown:
        form = last[row["topic"], row["partition"]]
        keys = ("replicas", "leader", "isr")
        assert [form[key] for key in keys] == [row[key] for key in keys]


def test_a_dump_that_begins_in_the_middle() -> None:
    data = {"partitionId": 1, "topicId": "x", "isr": [1]}
    payload = json.dumps({"type": "PARTITION_CHANGE_RECORD", "version": 0, "data": data})
    payload = payload.replace(" ", "")
    change = f"| offset: 7 CreateTime: 1768368061677 keySize: -1 headerKeys: [] payload: {payload}"
    row = one(change, "metadata-log")
    assert (row["kind"], row["topic"], row["seq"]) == ("leadership", None, 7)
    assert row["after"]["isr"] == [1]
    assert row["after"]["leader_epoch"] is None


FOUR = ("clusters", "partitions", "replicas", "loads")


def test_a_snapshot_is_a_cluster_at_its_own_time() -> None:
    found = produced(EXAMPLES["klamm-snapshot"])
    assert faults(found) == []
    assert {row["ts_ms"] for each in FOUR for row in rows(found, each)} == {1_768_368_061_677}
    brokers = [(row["broker"], row["rack"], row["alive"]) for row in rows(found, "clusters")]
    assert brokers == [(1, "a", True), (2, None, False)]
    moving, led_by_nobody = rows(found, "partitions")
    assert (moving["adding"], moving["min_isr"], moving["isr"]) == ([3], 2, [1, 2])
    assert led_by_nobody["leader"] == -1
    replicas = [
        (row["topic"], row["broker"], row["rack"], row["role"], row["size_bytes"])
        for row in rows(found, "replicas")
    ]
    assert replicas == [
        ("t", 1, "a", "origin", 5),
        ("t", 2, None, "origin", 5),
        ("t", 3, None, "adding", None),
        ("u", 2, None, "origin", None),
    ]
    assert [row["bytes_in_per_s"] for row in rows(found, "loads")] == [1.5]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"version":1', '"version":2', "it has version 2 of klamm-snapshot; known is 1"),
        ("]}\n", "]", "it is no snapshot"),
        ('"replicas":[2]', '"replicas":[]', "partition u-0 has no replicas"),
        (
            '"replicas":[2]',
            '"replicas":[4294967296]',
            "partition u-0 or a broker of it is not",
        ),
    ],
)
def test_what_is_no_snapshot(old: str, new: str, reason: str) -> None:
    text = EXAMPLES["klamm-snapshot"]
    assert old in text
    [fault] = faults(produced(text.replace(old, new), "klamm-snapshot"))
    assert reason in fault.reason
