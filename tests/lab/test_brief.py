"""Steps in brief: what a story tells of writes and answers, and what it leaves out."""

import json

import pytest

from klamm.controller.node.effects import Journal, Severity
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from klamm.tools.lab.brief import action, answer, brief
from klamm.tools.lab.clients import Asked, list_moves
from klamm.tools.lab.events import Content, Happened, ZnodeChange
from klamm.tools.lab.trace import Writers

STATE = paths.state("t", 0)


def content(znode_version: int, **fields: object) -> Content:
    return Content(json.dumps(fields).encode(), znode_version, 0)


def told(*changes: ZnodeChange) -> list[str]:
    happened = Happened(1, 0.0, "tool", "tool: writes", znodes=[*changes])
    return [*brief(happened, Writers())]


def test_a_write_is_one_line_with_the_fields_that_differ() -> None:
    before = content(3, version=1, leader=1, isr=[1, 2])
    after = content(4, version=2, leader=2, isr=[1, 2], timestamp="7")
    assert told(ZnodeChange(STATE, before, after, 0, 9)) == [
        f"{STATE} v3 -> v4 by a tool: leader 1 -> 2"
    ]


def test_fields_that_come_and_go_are_told_by_what_they_are_or_are_not_any_more() -> None:
    before, after = content(0, adding_replicas={"0": [3]}), content(1, partitions={"0": [1]})
    assert told(ZnodeChange("/brokers/topics/t", before, after, 0, 9)) == [
        "/brokers/topics/t v0 -> v1 by a tool: no adding_replicas.0, partitions.0 [1]"
    ]


def test_what_is_made_or_removed_or_no_object_is_told_too() -> None:
    assert told(
        ZnodeChange(paths.CONTROLLER_EPOCH, None, Content(b"1", 0, 0), 0, 1),
        ZnodeChange(paths.CONTROLLER_EPOCH, Content(b"1", 0, 0), Content(None, 1, 0), 0, 2),
        ZnodeChange(paths.CONTROLLER, content(0, brokerid=1), None, 0, 3),
    ) == [
        "/controller_epoch made by a tool: 1",
        "/controller_epoch v0 -> v1 by a tool: no data",
        "/controller removed by a tool",
    ]


@pytest.mark.parametrize(
    "path", [paths.KLAMM_COMMIT, paths.klamm_node(901), f"{paths.ISR_CHANGE_PREFIX}0000000001"]
)
def test_bookkeeping_is_left_out(path: str) -> None:
    assert told(ZnodeChange(path, None, content(0, counter=1), 0, 1)) == []


def test_journals_are_quoted_where_they_warn() -> None:
    happened = Happened(1, 0.0, "n1", "n1 turn")
    happened.effects = [
        Journal(Severity.INFO, "elected", "controller epoch 1"),
        Journal(Severity.WARNING, "resigned", "902 is controller"),
    ]
    assert [*brief(happened, Writers())] == ["n1 notes resigned: 902 is controller"]


def test_a_request_and_its_answer_have_the_same_number() -> None:
    asked = Asked(7, "n1", list_moves(), 1, [ListPartitionReassignmentsResponse()])
    asking = Happened(1, 0.0, "client", "client asks n1: list moves", asked=[asked])
    assert action(asking) == "client asks n1: list moves (7)"
    replying = Happened(2, 0.0, "n1", "n1 turn", replied=[asked])
    assert [*brief(replying, Writers())] == ["(7) n1 answers: nothing moves"]


def alter(*codes: tuple[int, str | None]) -> AlterPartitionReassignmentsResponse:
    partitions = tuple(
        ReassignablePartitionResponse(number, code, text)
        for number, (code, text) in enumerate(codes)
    )
    topics = (ReassignableTopicResponse("t", partitions),)
    return AlterPartitionReassignmentsResponse(responses=topics)


def test_answers_are_told_by_their_errors_each_once() -> None:
    refused = (int(ErrorCode.INVALID_REPLICA_ASSIGNMENT), "no")
    assert answer(alter((0, None))) == "done"
    assert answer(alter(refused, (0, None), refused)) == "INVALID_REPLICA_ASSIGNMENT (39): no"
    moved = AlterPartitionReassignmentsResponse(
        error_code=ErrorCode.NOT_CONTROLLER, error_message="This is not the correct controller."
    )
    assert answer(moved) == "NOT_CONTROLLER (41)"


def test_a_list_is_told_by_what_moves() -> None:
    partition = OngoingPartitionReassignment(0, (3, 1), (3,), (1,))
    listed = ListPartitionReassignmentsResponse(
        topics=(OngoingTopicReassignment("t", (partition,)),)
    )
    assert answer(listed) == "t-0 [3,1] adding [3] removing [1]"
