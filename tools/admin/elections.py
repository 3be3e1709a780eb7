"""Key 43: elections of leaders."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from klamm.protocol.generated.elect_leaders_response import ElectLeadersResponse
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import (
    AdminError,
    UnsupportedVersionError,
    error_of,
    raise_for,
)
from klamm.tools.admin.names import Everything, TopicPartition, by_topic
from klamm.tools.admin.routing import Session

#: None, or what kept a partition from its election.
Outcome = AdminError | None

_ELECT = api("electLeaders", ElectLeadersRequest, ElectLeadersResponse)


class ElectionType(IntEnum):
    """Who is to lead: the first replica, or, out of sync, whoever lives."""

    PREFERRED = 0
    UNCLEAN = 1


async def elect(
    session: Session, type_: ElectionType, partitions: Collection[TopicPartition] | Everything
) -> dict[TopicPartition, Outcome]:
    """Elect leaders; the outcome of each partition that the controller names."""

    def make(version: int) -> ElectLeadersRequest:
        if version < 1 and type_ is not ElectionType.PREFERRED:
            raise UnsupportedVersionError("the controller does preferred elections only")
        topics = None
        if not isinstance(partitions, Everything):
            topics = tuple(
                TopicPartitions(topic, tuple(numbers))
                for topic, numbers in by_topic(partitions).items()
            )
        return ElectLeadersRequest(type_, topics, session.patience_ms)

    answer = await session.ask(
        _ELECT,
        Place.CONTROLLER,
        make,
        lambda response: [
            response.error_code,
            *(
                partition.error_code
                for topic in response.replica_election_results
                for partition in topic.partition_result
            ),
        ],
    )
    raise_for(answer.error_code)
    return {
        TopicPartition(topic.topic, partition.partition_id): error_of(
            partition.error_code, partition.error_message
        )
        if partition.error_code
        else None
        for topic in answer.replica_election_results
        for partition in topic.partition_result
    }
