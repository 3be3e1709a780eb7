"""What clients were answered, as error codes."""

from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.create_partitions_response import CreatePartitionsResponse
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.message import Message
from klamm.tools.lab.clients import Asked


def error(asked: Asked) -> int | None:
    """Return the error code of the answer, the first that is not 0; None if there is no answer.

    Raises ValueError for answers to requests that no exhibit makes.
    """
    found = [code for response in asked.responses for code in _codes(response)]
    return int(next((code for code in found if code), 0)) if found else None


def _codes(response: Message) -> list[int]:
    match response:
        case AlterPartitionReassignmentsResponse():
            below = [each.error_code for topic in response.responses for each in topic.partitions]
            return [response.error_code, *below]
        case ListPartitionReassignmentsResponse():
            return [response.error_code]
        case CreatePartitionsResponse():
            return [each.error_code for each in response.results]
    raise ValueError(f"no error codes are looked for in {type(response).__name__}")
