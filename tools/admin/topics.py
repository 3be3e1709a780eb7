"""Keys 19, 20 and 37: topics come, go and grow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from klamm.protocol.generated.create_partitions_request import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from klamm.protocol.generated.create_partitions_response import CreatePartitionsResponse
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import AdminError, error_of
from klamm.tools.admin.routing import Session

# From 4 on the cluster can be left to choose partitions and replicas.
_CREATE = api("createTopics", CreateTopicsRequest, CreateTopicsResponse, range(4, 8))
_DELETE = api("deleteTopics", DeleteTopicsRequest, DeleteTopicsResponse, range(1, 7))
_GROW = api("createPartitions", CreatePartitionsRequest, CreatePartitionsResponse)


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to be created; -1 leaves a number to the cluster.

    `assignments` give the replicas of each partition from 0 on, and then the two numbers stay -1.
    """

    name: str
    partitions: int = -1
    replication_factor: int = -1
    assignments: Mapping[int, Sequence[int]] | None = None
    configs: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewPartitions:
    """How many partitions a topic is to have; `assignments` are the replicas of the new ones."""

    count: int
    assignments: Sequence[Sequence[int]] | None = None


async def create(
    session: Session, topics: Collection[NewTopic], validate_only: bool
) -> dict[str, AdminError | None]:
    """Create topics, or only check that they can be."""

    def make(_: int) -> CreateTopicsRequest:
        creatable = tuple(_creatable(topic) for topic in topics)
        return CreateTopicsRequest(creatable, session.patience_ms, validate_only)

    answer = await session.ask(
        _CREATE, Place.CONTROLLER, make, lambda response: [t.error_code for t in response.topics]
    )
    return {topic.name: _outcome(topic.error_code, topic.error_message) for topic in answer.topics}


async def delete(session: Session, wanted: Collection[str]) -> dict[str, AdminError | None]:
    """Delete topics."""

    def make(version: int) -> DeleteTopicsRequest:
        if version < 6:
            return DeleteTopicsRequest(topic_names=tuple(wanted), timeout_ms=session.patience_ms)
        states = tuple(DeleteTopicState(name) for name in wanted)
        return DeleteTopicsRequest(states, timeout_ms=session.patience_ms)

    answer = await session.ask(
        _DELETE, Place.CONTROLLER, make, lambda response: [t.error_code for t in response.responses]
    )
    return {
        topic.name: _outcome(topic.error_code, topic.error_message)
        for topic in answer.responses
        if topic.name is not None
    }


async def grow(
    session: Session, wanted: Mapping[str, NewPartitions], validate_only: bool
) -> dict[str, AdminError | None]:
    """Add partitions to topics."""

    def make(_: int) -> CreatePartitionsRequest:
        topics = tuple(
            CreatePartitionsTopic(
                name,
                new.count,
                None
                if new.assignments is None
                else tuple(CreatePartitionsAssignment(tuple(ids)) for ids in new.assignments),
            )
            for name, new in wanted.items()
        )
        return CreatePartitionsRequest(topics, session.patience_ms, validate_only)

    answer = await session.ask(
        _GROW, Place.CONTROLLER, make, lambda response: [t.error_code for t in response.results]
    )
    return {topic.name: _outcome(topic.error_code, topic.error_message) for topic in answer.results}


def _creatable(topic: NewTopic) -> CreatableTopic:
    return CreatableTopic(
        topic.name,
        topic.partitions,
        topic.replication_factor,
        tuple(
            CreatableReplicaAssignment(number, tuple(replicas))
            for number, replicas in (topic.assignments or {}).items()
        ),
        tuple(CreatableTopicConfig(name, value) for name, value in topic.configs.items()),
    )


def _outcome(code: int, message: str | None) -> AdminError | None:
    return error_of(code, message) if code else None
