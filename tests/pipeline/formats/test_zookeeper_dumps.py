"""Dumps of znodes: by script, and pasted from zkCli and zk-shell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pipeline.formats.reading import faults, produced, rows

NODES: dict[str, Any] = {
    "/controller": {"version": 1, "brokerid": 2, "timestamp": "1768368061677"},
    "/controller_epoch": 5,
    "/brokers/ids/1": {
        "version": 4,
        "host": "h1",
        "port": 9092,
        "endpoints": ["PLAINTEXT://h1:9092"],
        "listener_security_protocol_map": {"PLAINTEXT": "PLAINTEXT"},
        "rack": "a",
    },
    "/brokers/ids/2": {
        "version": 5,
        "host": "h2",
        "port": 9092,
        "endpoints": ["PLAINTEXT://h2:9092"],
        "listener_security_protocol_map": {"PLAINTEXT": "PLAINTEXT"},
        "features": {},
    },
    "/brokers/topics/orders/partitions/0/state": {
        "controller_epoch": 5,
        "leader": 1,
        "version": 1,
        "leader_epoch": 3,
        "isr": [1],
    },
    "/brokers/topics/orders": {
        "version": 3,
        "topic_id": "AAAAAAAAAAAAAAAAAAAAAQ",
        "partitions": {"0": [2, 1], "1": [1]},
        "adding_replicas": {"0": [2]},
        "removing_replicas": {},
    },
    "/brokers/topics/old": {"version": 1, "partitions": {"0": [1, 2]}},
    "/config/topics/orders": {"version": 1, "config": {"min.insync.replicas": "2"}},
    "/admin/reassign_partitions": {
        "version": 1,
        "partitions": [{"topic": "orders", "partition": 0, "replicas": [2, 1]}],
    },
}


def lines() -> str:
    return "\n".join(
        json.dumps({"path": path, "data": json.dumps(data), "version": 1})
        for path, data in NODES.items()
    )


def as_list() -> str:
    return json.dumps([{"path": path, "data": data} for path, data in NODES.items()], indent=1)


def as_object() -> str:
    return json.dumps({path: json.dumps(data) for path, data in NODES.items()})


def by_zkcli() -> str:
    stat = "cZxid = 0x1f\nctime = Wed Jan 14 10:00:00 UTC 2026\ndataVersion = 1\nnumChildren = 0\n"
    return "Connecting to localhost:2181\n\nWATCHER::\n\n" + "".join(
        f"[zk: localhost:2181(CONNECTED) {number}] get -s {path}\n{json.dumps(data)}\n{stat}"
        for number, (path, data) in enumerate(NODES.items())
    )


def by_zk_shell() -> str:
    return "".join(
        f"(CONNECTED) /> get {path.lstrip('/')}\n{json.dumps(data)}\n"
        for path, data in NODES.items()
    )


@pytest.mark.parametrize("dump", [lines, as_list, as_object, by_zkcli, by_zk_shell])
def test_every_form_says_the_same(dump: Any) -> None:  # noqa: ANN401
    found = produced(dump())
    assert faults(found) == []
    partitions = {(row["topic"], row["partition"]): row for row in rows(found, "partitions")}
    moving = partitions["orders", 0]
    assert (moving["replicas"], moving["adding"], moving["removing"]) == ([2, 1], [2], [])
    assert (moving["leader"], moving["leader_epoch"], moving["isr"]) == (1, 3, [1])
    assert (moving["min_isr"], moving["topic_id"]) == (2, "AAAAAAAAAAAAAAAAAAAAAQ")
    assert partitions["orders", 1]["leader"] is None, "its state is not in the dump"
    assert partitions["old", 0]["replicas"] == [1, 2]
    brokers = {row["broker"]: row for row in rows(found, "clusters")}
    assert (brokers[1]["rack"], brokers[1]["is_controller"]) == ("a", False)
    assert (brokers[2]["host"], brokers[2]["is_controller"]) == ("h2", True)
    [plan] = rows(found, "plans")
    assert (plan["topic"], plan["replicas"]) == ("orders", [2, 1])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"path":"/brokers/topics/t","data":"{}"}', "/brokers/topics/t: "),
        ('{"path":"/brokers/topics/t","data":null}', "/brokers/topics/t: "),
        ('{"paths":1}', "expected path and data"),
        ("who are you", "neither a znode"),
        (
            '{"/brokers/topics/t/partitions/0/state":{"controller_epoch":1,"leader":1,"leader_epoch":1,"isr":[1]}}',
            "of which no topic's znode",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str) -> None:
    [fault] = faults(produced(text, "zookeeper"))
    assert reason in fault.reason
