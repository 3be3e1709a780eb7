"""Key 17903, klamm's own: how far replicas are behind, asked of their leaders (KIP-179)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import trio

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatus as WireStatus
from klamm.protocol.generated.replica_status_response import ReplicaStatusResponse
from klamm.tools.admin import topic_descriptions
from klamm.tools.admin.alter_topics import SWITCH
from klamm.tools.admin.apis import Place, Target, api
from klamm.tools.admin.errors import (
    AdminError,
    ApiError,
    InvalidTopicError,
    TimeoutError_,
    UnknownTopicOrPartitionError,
    UnsupportedVersionError,
    error_of,
    raise_for,
)
from klamm.tools.admin.names import TopicPartition, TopicPartitionReplica
from klamm.tools.admin.routing import Session
from klamm.tools.admin.topic_descriptions import PartitionDescription, TopicDescription

_STATUS = api("replicaStatus", ReplicaStatusRequest, ReplicaStatusResponse, switch=SWITCH)

#: For who asks after a partition as a whole.
_NO_BROKER = -1

#: What the codes mean here; responses have no room for words.
_TEXTS: Mapping[int, str] = {
    ErrorCode.INVALID_TOPIC_EXCEPTION: "There is no topic {topic}.",
    ErrorCode.INVALID_PARTITIONS: "Topic {topic} has no partition {partition}.",
    ErrorCode.UNKNOWN_MEMBER_ID: "There is no broker {broker}.",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "Broker {broker} has no replica of {topic}-{partition}.",
    ErrorCode.LEADER_NOT_AVAILABLE: "{topic}-{partition} has no leader now.",
    ErrorCode.NOT_LEADER_OR_FOLLOWER: "{topic}-{partition} has another leader now.",
}

_Described = Mapping[str, TopicDescription | AdminError]


@dataclass(frozen=True, slots=True)
class ReplicaStatus:
    """How far a replica was behind its leader at `status_time`; times are in ms since the epoch.

    `lag` and `max_lag` are messages behind the leader, the latter the most since the replica was
    added. `isr_time` is when it was last in the ISR: it is now if that is the status time.
    `follower_time` is when it fetched last. None where the leader cannot tell.
    """

    topic: str
    partition: int
    broker: int
    status_time: int | None
    lag: int | None
    isr_time: int | None = None
    follower_time: int | None = None
    max_lag: int | None = None

    @property
    def is_in_sync(self) -> bool:
        """Tell whether it is in the ISR, or at least behind in nothing where that is not told."""
        if self.isr_time is None:
            return self.lag == 0
        return self.isr_time == self.status_time


Outcomes = dict[TopicPartitionReplica, ReplicaStatus | AdminError]


async def of_partitions(
    session: Session, partitions: Collection[TopicPartition]
) -> dict[TopicPartition, tuple[ReplicaStatus, ...] | AdminError]:
    """Return the status of all replicas of each partition, in their order."""
    described = await _describe(session, partitions)
    wanted: dict[TopicPartition, list[TopicPartitionReplica]] = {}
    found: dict[TopicPartition, tuple[ReplicaStatus, ...] | AdminError] = {}
    for name in partitions:
        partition = _partition(described, TopicPartitionReplica(*name, _NO_BROKER))
        if isinstance(partition, AdminError):
            found[name] = partition
        else:
            wanted[name] = [TopicPartitionReplica(*name, broker) for broker in partition.replicas]
    everything = [replica for replicas in wanted.values() for replica in replicas]
    outcomes = await of_replicas(session, everything, described)
    for name, replicas in wanted.items():
        found[name] = _together(outcomes[replica] for replica in replicas)
    return found


async def of_replicas(
    session: Session,
    replicas: Collection[TopicPartitionReplica],
    described: _Described | None = None,
) -> Outcomes:
    """Return the status of each replica, or what is wrong with it; nothing is sent for none.

    InvalidTopicError: no such topic; InvalidPartitionsError: no such partition of it; code 25: no
    such broker; UnknownTopicOrPartitionError: the broker has no replica of it;
    LeaderNotAvailableError: nobody could tell. `described` are the topics, if that is known.
    """
    if not replicas:
        return {}
    outcomes = await _look(session, replicas, described or await _describe(session, replicas))
    former = [replica for replica, outcome in outcomes.items() if _is_elsewhere(outcome)]
    if former:
        try:
            await session.pause(_STATUS.name)
        except TimeoutError_:
            return outcomes  # with what was wrong the first time
        outcomes.update(await _look(session, former, await _describe(session, former)))
    return outcomes


async def _look(
    session: Session, replicas: Collection[TopicPartitionReplica], described: _Described
) -> Outcomes:
    """Ask each leader for its own; for brokers that do not know the request the controller."""
    outcomes: Outcomes = {}
    leaders: dict[Target, list[TopicPartitionReplica]] = {}
    for replica in replicas:
        partition = _partition(described, replica)
        if isinstance(partition, AdminError):
            outcomes[replica] = partition
        elif partition.leader is None:
            outcomes[replica] = _error(ErrorCode.LEADER_NOT_AVAILABLE, replica)
        else:
            leaders.setdefault(partition.leader, []).append(replica)
    # Side by side: one that is silent takes all the time there is, and nothing from the others.
    async with trio.open_nursery() as nursery:
        for leader, mine in leaders.items():
            nursery.start_soon(_ask, session, leader, mine, outcomes)
    unserved = [
        replica
        for replica, outcome in outcomes.items()
        if isinstance(outcome, UnsupportedVersionError)
    ]
    if unserved:
        await _ask(session, Place.CONTROLLER, unserved, outcomes)
    return outcomes


async def _ask(
    session: Session,
    target: Target,
    replicas: Collection[TopicPartitionReplica],
    outcomes: Outcomes,
) -> None:
    """Note what a node says of replicas, or why it says nothing."""
    keys = tuple(ReplicaStatusKey(*replica) for replica in replicas)
    try:
        answer = await session.ask(
            _STATUS,
            target,
            lambda _: ReplicaStatusRequest(keys),
            lambda response: [response.error_code],
        )
        raise_for(answer.error_code, answer.error_message)
    except AdminError as error:
        outcomes.update(dict.fromkeys(replicas, error))
        return
    told = {
        TopicPartitionReplica(row.topic, row.partition, row.broker): row for row in answer.replicas
    }
    outcomes.update({replica: _status(replica, told.get(replica)) for replica in replicas})


def _status(replica: TopicPartitionReplica, row: WireStatus | None) -> ReplicaStatus | AdminError:
    if row is None:
        text = f"the response says nothing of {replica}"
        return error_of(ErrorCode.UNKNOWN_SERVER_ERROR, text)
    if row.error_code:
        return _error(row.error_code, replica)
    return ReplicaStatus(
        *replica,
        _known(row.status_time),
        _known(row.lag),
        _known(row.isr_time),
        _known(row.follower_time),
        _known(row.max_lag),
    )


async def _describe(
    session: Session, names: Iterable[TopicPartition | TopicPartitionReplica]
) -> _Described:
    return await topic_descriptions.describe(session, tuple({name.topic: None for name in names}))


def _partition(
    described: _Described, replica: TopicPartitionReplica
) -> PartitionDescription | AdminError:
    """Return the partition of a replica, or the error that a leader would answer with."""
    topic = described.get(replica.topic)
    match topic:
        case None | UnknownTopicOrPartitionError() | InvalidTopicError():
            return _error(ErrorCode.INVALID_TOPIC_EXCEPTION, replica)
        case AdminError():
            return topic
    found = topic.partitions.get(replica.partition)
    return found or _error(ErrorCode.INVALID_PARTITIONS, replica)


def _error(code: int, replica: TopicPartitionReplica) -> AdminError:
    text = _TEXTS.get(code)
    return error_of(code, None if text is None else text.format(**replica._asdict()))


def _together(
    outcomes: Iterable[ReplicaStatus | AdminError],
) -> tuple[ReplicaStatus, ...] | AdminError:
    """Return the statuses of a partition's replicas, or the first error among them."""
    found = []
    for outcome in outcomes:
        if isinstance(outcome, AdminError):
            return outcome
        found.append(outcome)
    return tuple(found)


def _is_elsewhere(outcome: ReplicaStatus | AdminError) -> bool:
    return isinstance(outcome, ApiError) and outcome.code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def _known(number: int) -> int | None:
    return None if number < 0 else number
