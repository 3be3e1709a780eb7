"""What a node answers that is no controller any more."""

from klamm.controller.handlers.api import NOT_CONTROLLER_TEXT
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.message import Message


def not_controller(answer: Message) -> Message:
    """Turn an answer of 45 or 46 into the refusal of a former controller."""
    kind = type(answer)
    assert kind in (AlterPartitionReassignmentsResponse, ListPartitionReassignmentsResponse)
    return kind(error_code=41, error_message=NOT_CONTROLLER_TEXT)
