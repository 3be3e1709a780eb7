"""Key 17900, klamm's own: moves that are asked for together and have an id (KIP-179, version 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import (
    AssignPartitionsResponse,
    PartitionAssignmentResult,
)
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import AdminError, error_of, raise_for
from klamm.tools.admin.names import TopicPartition
from klamm.tools.admin.results import Results, mapped
from klamm.tools.admin.routing import Session

SWITCH = "klamm.kip179.assign.enable"

ASSIGN = api("assignPartitions", AssignPartitionsRequest, AssignPartitionsResponse, switch=SWITCH)


@dataclass(frozen=True, slots=True)
class Assigned:
    """What came of a request: its id, None if nothing was started, and what was refused."""

    request_id: int | None
    refused: Mapping[TopicPartition, AdminError]

    def of(self, name: TopicPartition) -> None:
        """Raise what kept a partition from starting, if anything did."""
        if name in self.refused:
            raise self.refused[name]


class AssignPartitionsResult(Results[TopicPartition, None]):
    """Whether each partition has started, and the id by which their progress is asked for.

    `request_id` is a future of it, None if no partition could be started.
    """

    def __init__(self, partitions: Sequence[TopicPartition], whole: Future[Assigned]) -> None:
        super().__init__(
            {name: mapped(whole, partial(Assigned.of, name=name)) for name in partitions}
        )
        self.request_id = mapped(whole, lambda assigned: assigned.request_id)


async def assign(session: Session, targets: Mapping[TopicPartition, Sequence[int]]) -> Assigned:
    """Start moves; raises AdminError if all of them were refused together."""
    assignments = tuple(
        PartitionAssignment(*name, tuple(brokers)) for name, brokers in targets.items()
    )
    answer = await session.ask(
        ASSIGN,
        Place.OFFERING,
        lambda _: AssignPartitionsRequest(session.timeout_ms, assignments),
        lambda response: [response.error_code],
    )
    raise_for(answer.error_code, answer.error_message)
    rows: dict[TopicPartition, list[PartitionAssignmentResult]] = {name: [] for name in targets}
    for row in answer.results:
        rows.setdefault(TopicPartition(row.topic, row.partition), []).append(row)
    refused = {name: error for name, mine in rows.items() if (error := _refusal(name, mine))}
    return Assigned(answer.request_id if answer.request_id > 0 else None, refused)


def _refusal(name: TopicPartition, rows: Sequence[PartitionAssignmentResult]) -> AdminError | None:
    """Return what is wrong with a partition: of several rows one that says what it is."""
    if not rows:
        text = f"the response says nothing of {name}"
        return error_of(ErrorCode.UNKNOWN_SERVER_ERROR, text)
    wrong = [row for row in rows if row.error_code]
    # The other brokers of a partition with an unknown one: they say nothing by themselves.
    wrong.sort(key=lambda row: row.error_code == ErrorCode.OPERATION_NOT_ATTEMPTED)
    return error_of(wrong[0].error_code, wrong[0].error_message) if wrong else None
