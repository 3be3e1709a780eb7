"""Key 17902, klamm's own: partitions, replication factor and replicas of topics (KIP-179)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_topics_request import AlteredTopic as WireTopic
from klamm.protocol.generated.alter_topics_request import AlterTopicsRequest, PartitionBrokers
from klamm.protocol.generated.alter_topics_response import AlterTopicsResponse
from klamm.tools.admin.apis import Place, api
from klamm.tools.admin.errors import AdminError, error_of, raise_for
from klamm.tools.admin.results import mapped
from klamm.tools.admin.routing import Session

SWITCH = "klamm.kip179.alter.enable"

ALTER = api("alterTopics", AlterTopicsRequest, AlterTopicsResponse, switch=SWITCH)

#: None where the change has begun, else what keeps it from that, with its code.
Outcome = AdminError | None


@dataclass(frozen=True, slots=True)
class AlteredTopic:
    """What a topic is to be like; -1 leaves a number as it is.

    `replicas_assignment` gives partitions their replicas, in order, and leaves the others alone.
    Without it the controller chooses what a number that changes takes; it balances no load.
    """

    name: str
    num_partitions: int = -1
    replication_factor: int = -1
    replicas_assignment: Mapping[int, Sequence[int]] = field(default_factory=dict)


class AlterTopicsResult:
    """What came of each topic; one that was refused does not stop the others.

    Its futures tell that changes have begun, not that they are done, and fail only if the whole
    request did.
    """

    def __init__(self, topics: Collection[str], whole: Future[Mapping[str, Outcome]]) -> None:
        self._topics = frozenset(topics)
        self._whole = whole

    def result(self) -> Future[Mapping[str, Outcome]]:
        """Return a future of the outcome of every topic, in the order of the request."""
        return self._whole

    def topic_result(self, name: str) -> Future[Outcome]:
        """Return a future of the outcome of one topic; raises KeyError if it was not asked for."""
        if name not in self._topics:
            raise KeyError(name)
        return mapped(self._whole, lambda outcomes: outcomes[name])


def checked(altered: Collection[AlteredTopic]) -> tuple[AlteredTopic, ...]:
    """Return a copy; raises ValueError for a topic that is there twice."""
    for name, count in Counter(topic.name for topic in altered).items():
        if count > 1:
            raise ValueError(f"topic {name} is to be altered {count} times: say all at once")
    return tuple(altered)


async def alter(session: Session, altered: Collection[AlteredTopic]) -> Mapping[str, Outcome]:
    """Begin to alter topics; raises AdminError."""
    topics = tuple(
        WireTopic(
            topic.name,
            topic.num_partitions,
            topic.replication_factor,
            tuple(
                PartitionBrokers(number, tuple(brokers))
                for number, brokers in topic.replicas_assignment.items()
            ),
        )
        for topic in altered
    )
    answer = await session.ask(
        ALTER,
        Place.OFFERING,
        lambda _: AlterTopicsRequest(session.timeout_ms, topics),
        lambda response: [response.error_code],
    )
    raise_for(answer.error_code, answer.error_message)
    told = {
        topic.name: error_of(topic.error_code, topic.detail) if topic.error_code else None
        for topic in answer.topics
    }
    missing = error_of(ErrorCode.UNKNOWN_SERVER_ERROR, "the response says nothing of this topic")
    return {topic.name: told.get(topic.name, missing) for topic in altered}
