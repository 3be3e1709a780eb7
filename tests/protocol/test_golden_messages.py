"""Bytes that others made, or that a person wrote field by field, in tests/golden/messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from klamm.protocol import generated
from klamm.protocol.codec import decode, encode
from klamm.protocol.generated import (
    alter_partition_reassignments_request as alter_request,
)
from klamm.protocol.generated import (
    alter_partition_reassignments_response as alter_response,
)
from klamm.protocol.generated import alter_topics_request as topics_request
from klamm.protocol.generated import assign_partitions_request as assign_request
from klamm.protocol.generated import leader_and_isr_request as isr_request
from klamm.protocol.generated import list_partition_reassignments_request as list_request
from klamm.protocol.generated import list_partition_reassignments_response as list_response
from klamm.protocol.message import Message

FOLDER = Path(__file__).parents[1] / "golden" / "messages"


def leader_and_isr(state: isr_request.LeaderAndIsrPartitionState) -> Message:
    return isr_request.LeaderAndIsrRequest(
        controller_id=900,
        controller_epoch=5,
        broker_epoch=7,
        topic_states=(
            isr_request.LeaderAndIsrTopicState(topic_name="foo", partition_states=(state,)),
        ),
        live_leaders=(isr_request.LeaderAndIsrLiveLeader(1, "h", 9092),),
    )


EXPECTED: dict[str, Message] = {
    "AlterPartitionReassignmentsRequest_v0": alter_request.AlterPartitionReassignmentsRequest(
        timeout_ms=30000,
        topics=(
            alter_request.ReassignableTopic(
                "foo",
                (
                    alter_request.ReassignablePartition(0, (2, 3)),
                    alter_request.ReassignablePartition(1, None),
                ),
            ),
        ),
    ),
    "AlterPartitionReassignmentsResponse_v0": alter_response.AlterPartitionReassignmentsResponse(
        responses=(
            alter_response.ReassignableTopicResponse(
                "foo",
                (
                    alter_response.ReassignablePartitionResponse(0, 0, None),
                    alter_response.ReassignablePartitionResponse(1, 85, "none"),
                ),
            ),
        ),
        error_message=None,
    ),
    "ListPartitionReassignmentsRequest_v0": list_request.ListPartitionReassignmentsRequest(
        timeout_ms=30000, topics=None
    ),
    "ListPartitionReassignmentsRequest_v0_topics": list_request.ListPartitionReassignmentsRequest(
        timeout_ms=30000,
        topics=(list_request.ListPartitionReassignmentsTopics("foo", (0, 1)),),
    ),
    "ListPartitionReassignmentsResponse_v0_empty": (
        list_response.ListPartitionReassignmentsResponse(error_message=None)
    ),
    "ListPartitionReassignmentsResponse_v0": list_response.ListPartitionReassignmentsResponse(
        error_message=None,
        topics=(
            list_response.OngoingTopicReassignment(
                "foo",
                (list_response.OngoingPartitionReassignment(0, (4, 3, 2, 1), (4,), (1,)),),
            ),
        ),
    ),
    "ListPartitionReassignmentsResponse_v1": list_response.ListPartitionReassignmentsResponse(
        error_message=None, current_batch=None
    ),
    "AssignPartitionsRequest_v0": assign_request.AssignPartitionsRequest(
        assignments=(assign_request.PartitionAssignment("foo", 0, (2, 3)),)
    ),
    "AlterTopicsRequest_v0": topics_request.AlterTopicsRequest(
        topics=(topics_request.AlteredTopic("foo", partitions=4),)
    ),
    "LeaderAndIsrRequest_v2": leader_and_isr(
        isr_request.LeaderAndIsrPartitionState(
            controller_epoch=5,
            leader=1,
            leader_epoch=2,
            isr=(1, 2),
            partition_epoch=9,
            replicas=(1, 2, 3),
        )
    ),
    "LeaderAndIsrRequest_v3": leader_and_isr(
        isr_request.LeaderAndIsrPartitionState(
            controller_epoch=5,
            leader=1,
            leader_epoch=2,
            isr=(1, 2),
            partition_epoch=9,
            replicas=(2, 3, 1),
            adding_replicas=(3,),
            removing_replicas=(1,),
            is_new=True,
        )
    ),
}
ROWS = {
    "AlterPartitionReassignmentsRequest": "R455-10",
    "ListPartitionReassignmentsRequest": "R455-31",
    "AlterPartitionReassignmentsResponse": "R455-11",
    "ListPartitionReassignmentsResponse": "R455-32",
    "LeaderAndIsrRequest": "R455-41",
}


def golden(name: str) -> bytes:
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return bytes.fromhex("".join(line.partition("#")[0] for line in lines))


def cases() -> list[object]:
    return [
        pytest.param(
            name,
            id=name,
            marks=[
                pytest.mark.req(row) for message, row in ROWS.items() if name.startswith(message)
            ],
        )
        for name in EXPECTED
    ]


@pytest.mark.parametrize("name", cases())
def test_golden_bytes(name: str) -> None:
    message, version = name.split("_")[0], int(name.split("_")[1].removeprefix("v"))
    cls = getattr(generated, message)
    assert decode(cls, golden(name), version) == EXPECTED[name]
    assert encode(EXPECTED[name], version) == golden(name)


def test_every_file_is_used() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(EXPECTED)
