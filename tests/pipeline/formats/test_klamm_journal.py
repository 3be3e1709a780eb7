"""klamm's own lines: what the controller writes is what the pipeline reads."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from pipeline.formats.reading import faults, one, produced, rows

from klamm.controller.node import forms
from klamm.controller.node.lines import encode

LINE = forms.Line(
    v=forms.VERSION,
    seq=7,
    node=900,
    epoch=3,
    wall_ms=1_768_368_061_677,
    monotonic_s=1.5,
    severity="info",
    kind="accept",
    text="a move",
    topic="t",
    partition=1,
    before=forms.PartitionForm((1, 2), leader=1, leader_epoch=4, isr=(1, 2), version=9),
    after=forms.PartitionForm(
        (3, 2, 1), (3,), (1,), 1, 5, (1, 2), 3, 10, forms.PaceForm((1, 2), (1, 2), steps=2)
    ),
    event=forms.EventForm("AlterReassignments", {"timeout": 1}),
    cause=forms.CauseForm("client", "127.0.0.1:5", 11, 45),
    principal="User:ANONYMOUS",
    client_id="admin",
    writes=(forms.WriteForm("/brokers/topics/t", 1, 2),),
    messages=(forms.MessageForm("lead", (1, 2)),),
    reply=forms.ReplyForm(0, "NONE"),
)


def text(line: forms.Line) -> str:
    return encode(line).decode()


def changed(**values: object) -> str:
    return json.dumps({**json.loads(text(LINE)), **values})


def test_an_entry_has_all_that_it_says() -> None:
    row = one(text(LINE), "klamm-journal")
    assert row["after"] == {
        "replicas": [3, 2, 1],
        "adding": [3],
        "removing": [1],
        "leader": 1,
        "leader_epoch": 5,
        "isr": [1, 2],
        "controller_epoch": 3,
        "version": 10,
    }
    assert (row["origin"], row["node"], row["seq"], row["controller_epoch"]) == (
        "journal",
        900,
        7,
        3,
    )
    assert (row["cause"], row["rpc_api"], row["request"]) == ("client", 45, "127.0.0.1:5/11")
    assert (row["rpc_error"], row["zk_path"], row["zk_version"]) == (0, "/brokers/topics/t", 2)
    assert (row["date"], row["principal"], row["client_id"]) == (
        "2026-01-14",
        "User:ANONYMOUS",
        "admin",
    )
    whole = json.loads(text(LINE))
    detail = json.loads(row["detail"])
    for key in ("event", "cause", "writes", "messages", "reply", "monotonic_s"):
        assert detail[key] == whole[key]
    assert detail["pace_after"] == whole["after"]["pace"]


def test_a_topics_content_is_told_by_partition() -> None:
    partitions = {0: forms.PartitionForm((1, 2)), 1: forms.PartitionForm((2, 1), adding=(1,))}
    content = forms.ContentForm(4, partitions, UUID(int=1))
    line = forms.Line(1, 1, 900, 1, 0, 0.0, "info", "snapshot-topic", topic="t", content=content)
    whole, *parts = rows(produced(text(line)))
    assert (whole["part"], whole["partition"]) == (0, None)
    assert json.loads(whole["detail"])["content"]["version"] == 4
    assert [(row["part"], row["partition"], row["after"]["adding"]) for row in parts] == [
        (1, 0, []),
        (2, 1, [1]),
    ]
    assert {row["topic_id"] for row in (whole, *parts)} == {"AAAAAAAAAAAAAAAAAAAAAQ"}


def test_time_never_falls() -> None:
    lines = [changed(seq=number, wall_ms=at) for number, at in enumerate((5, 3, 9), 1)]
    found = rows(produced("\n".join(lines)))
    assert [(row["ts_ms"], row["at_ms"]) for row in found] == [(5, 5), (3, 5), (9, 9)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (text(LINE)[:-30], "the line is cut off"),
        (changed(v=2), "v is 2: this reads version 1"),
        (changed(surprise=1), "unknown field `surprise`"),
        (changed(node="x"), "Expected `int`, got `str` - at `$.node`"),
        (changed(wall_ms=2**70), "at `$.wall_ms`"),
        (changed(reply={"code": 2**40}), "code"),
        ("{}", "missing required field"),
        ("hello}", "no entry of klamm's journal"),
    ],
)
def test_what_is_wrong_is_said(line: str, reason: str) -> None:
    [fault] = faults(produced(line, "klamm-journal"))
    assert reason in fault.reason


HISTORY = {
    "step": 4,
    "part": 0,
    "seq": 9,
    "ts_ms": 1_768_368_061_677,
    "origin": "zookeeper",
    "kind": "znode-written",
    "topic": "t",
    "partition": 0,
    "after": {"replicas": [1, 2], "isr": [1]},
    "detail": '{"zxid": 5}',
}


def test_a_row_of_a_history() -> None:
    found = produced(json.dumps(HISTORY))
    assert faults(found) == []
    [row] = rows(found)
    assert (row["step"], row["seq"], row["kind"]) == (4, 9, "znode-written")
    assert row["after"]["replicas"] == [1, 2]
    assert row["after"]["leader"] is None


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"kind": "?"}, "kind is '?'"),
        ({"origin": "me"}, "origin is 'me'"),
        ({"after": {"leader": 2**31}}, "$.after.leader"),
        ({"cluster": "c"}, "unknown field `cluster`"),
        ({"detail": "[]"}, "not the text of a JSON object"),
        ({"ts_ms": None}, "$.ts_ms"),
    ],
)
def test_what_is_no_row(values: dict[str, object], reason: str) -> None:
    [fault] = faults(produced(json.dumps({**HISTORY, **values}), "klamm-history"))
    assert reason in fault.reason
