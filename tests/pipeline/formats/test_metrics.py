"""Metrics and loads: Prometheus, JmxTool, Cruise Control, topicmappr."""

from __future__ import annotations

import json

import pytest
from pipeline.formats.reading import AT_MS, faults, one, passed, produced, rows

EXPOSITION = """\
# HELP kafka_server_replicamanager_underreplicatedpartitions x
# TYPE kafka_server_replicamanager_underreplicatedpartitions gauge
kafka_server_replicamanager_underreplicatedpartitions 3.0
kafka_log_log_size{broker="2",topic="a\\"b\\\\c\\nd",partition="1",} 1.5e3 1768368061677
up{job="kafka"} +Inf
"""


def test_the_text_exposition() -> None:
    found = produced(EXPOSITION)
    assert faults(found) == []
    assert passed(found) == [1, 2]
    plain, labelled, endless = rows(found, "metrics")
    assert (plain["value"], plain["ts_ms"], plain["labels"]) == (3.0, AT_MS, "{}")
    assert (labelled["broker"], labelled["partition"]) == (2, 1)
    assert labelled["topic"] == 'a"b\\c\nd'
    assert (labelled["value"], labelled["ts_ms"]) == (1500.0, 1768368061677)
    assert endless["value"] == float("inf")


@pytest.mark.parametrize("text", ["up", "up{a=1} 2", "up 1 2 3", 'up{a="1} 2', "1up 2", "up x"])
def test_what_is_no_sample(text: str) -> None:
    [fault] = faults(produced(text, "prometheus"))
    assert "no sample" in fault.reason


def test_an_answer_of_query_range() -> None:
    series = {
        "metric": {"__name__": "up", "topic": "t"},
        "values": [[1768368061.5, "1"], [1768368062, "NaN"]],
    }
    answer = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    found = rows(produced(json.dumps(answer)), "metrics")
    assert [row["ts_ms"] for row in found] == [1768368061500, 1768368062000]
    assert (found[0]["name"], found[0]["topic"], found[0]["value"]) == ("up", "t", 1.0)
    refused = {"status": "error", "data": {"resultType": "matrix", "result": []}}
    [fault] = faults(produced(json.dumps(refused), "prometheus-query"))
    assert "status is 'error'" in fault.reason


def test_csv_of_jmxtool() -> None:
    heading = (
        '"time","kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic=t:Count",'
        '"kafka.controller:type=KafkaController,name=ActiveControllerCount:Value",'
        '"kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic=t:EventType"\n'
    )
    found = produced(heading + "1768368061677,42,1,bytes\n1768368062677,43\n")
    names = [(row["name"], row["topic"], row["value"]) for row in rows(found, "metrics")]
    assert names == [
        ("kafka_server_brokertopicmetrics_bytesinpersec_total", "t", 42.0),
        ("kafka_controller_kafkacontroller_activecontrollercount", None, 1.0),
    ]
    [fault] = faults(found)
    assert (fault.line, "2 cells under 4 headings" in fault.reason) == (3, True)


def test_loads_of_cruise_control() -> None:
    record = {
        "topic": "t",
        "partition": 1,
        "leader": 0,
        "networkInbound": 2.0,
        "networkOutbound": 0.5,
    }
    row = one(json.dumps({"records": [record], "version": 1}), "cruise-control", "loads")
    assert (row["bytes_in_per_s"], row["bytes_out_per_s"]) == (2048.0, 512.0)


def test_brokers_of_cruise_control() -> None:
    broker = {
        "Broker": 3,
        "Host": "h",
        "Rack": "r",
        "BrokerState": "DEAD",
        "DiskCapacityMB": 10.0,
        "DiskPct": 50.0,
    }
    found = produced(json.dumps({"brokers": [broker], "hosts": [], "version": 1}))
    [row] = rows(found, "clusters")
    assert (row["broker"], row["rack"], row["alive"]) == (3, "r", False)
    assert row["capacity_bytes"] == 10 * 1024 * 1024
    assert "cruisecontrol_broker_disk_pct" in {each["name"] for each in rows(found, "metrics")}


def test_the_executor_of_cruise_control() -> None:
    executor = {
        "state": "INTER_BROKER_REPLICA_MOVEMENT_TASK_IN_PROGRESS",
        "numTotalPartitionMovements": 5,
        "inProgressPartitionMovement": [{}, {}],
    }
    found = rows(produced(json.dumps({"ExecutorState": executor, "version": 1})), "metrics")
    values = {row["name"]: row["value"] for row in found}
    assert values["cruisecontrol_executor_state_num_total_partition_movements"] == 5
    assert values["cruisecontrol_executor_state_in_progress_partition_movement_count"] == 2


def test_proposals_of_cruise_control() -> None:
    proposal = {
        "topicPartition": {"topic": "t", "partition": 1, "hash": 5},
        "oldLeader": 1,
        "oldReplicas": [1, 2],
        "newReplicas": [3, 2],
    }
    found = rows(produced(json.dumps({"proposals": [proposal], "version": 1})), "plans")
    assert [(row["role"], row["replicas"]) for row in found] == [
        ("current", [1, 2]),
        ("proposed", [3, 2]),
    ]


def test_topicmappr() -> None:
    size = one('{"t":{"0":{"Size":1048576.0}}}', "topicmappr", "metrics")
    assert (size["topic"], size["partition"], size["value"]) == ("t", 0, 1048576.0)
    free = one(json.dumps({"1001": {"StorageFree": 5.0}}, indent=1), "topicmappr", "metrics")
    assert (free["broker"], free["value"]) == (1001, 5.0)
