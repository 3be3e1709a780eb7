"""DescribeReassignments (key 17904): what only the controller knows of moves. klamm's own.

Behaviour
    * Null topics ask for every partition that moves, waits in /admin/reassign_partitions, or owes
      deletes. Of those named each is shown that there is, or that owes a delete, though there is
      nothing to tell; others are left out.
    * `original_replicas`: the replicas before the move, in their order; null if nothing moves, or
      if another controller began the move, for no znode holds that order. Which replicas they
      were List tells all the same: RS without AR.
    * `step_replicas`: null, for moves have one step.
    * `waiting_for`: what holds the move up, for people; null if replicas have but to copy.
    * `owed_deletes`: brokers that have not confirmed yet that they deleted a replica that left.
    * Not the active controller: NOT_CONTROLLER with its text. Without DESCRIBE on the cluster
      CLUSTER_AUTHORIZATION_FAILED.

Versions 0. Served if klamm.describe.reassignments.enable is set: no client of Kafka knows it, and
no release of Kafka has such a key.
"""

from collections import defaultdict
from collections.abc import Iterable

from klamm.controller.core.model import (
    NO_LEADER,
    ClusterState,
    Ledger,
    Partition,
    TopicPartition,
)
from klamm.controller.handlers.api import (
    CLUSTER_DENIED_TEXT,
    NOT_CONTROLLER_TEXT,
    Answer,
    Context,
    Outcome,
)
from klamm.controller.security.acls import Operation
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_reassignments_response import (
    DescribedPartitionReassignment,
    DescribedTopicReassignment,
    DescribeReassignmentsResponse,
)

API_KEY = 17904
VERSIONS = range(1)

#: What an entry waits for that was written while others were under way.
ORDERED = f"the end of the moves under way of {paths.REASSIGN_PARTITIONS}"

_NO_DEBTS = Ledger()


def handle(context: Context, request: DescribeReassignmentsRequest, version: int) -> Outcome:
    """Answer from the controller's state."""
    state = context.state
    if state is None:
        return Answer(_refused(ErrorCode.NOT_CONTROLLER, NOT_CONTROLLER_TEXT))
    if not context.allows_cluster(Operation.DESCRIBE):
        return Answer(_refused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, CLUSTER_DENIED_TEXT))
    names: Iterable[TopicPartition]
    if request.topics is None:
        names = _of_interest(state)
    else:
        named = (
            TopicPartition(topic.name, number)
            for topic in request.topics
            for number in topic.partition_indexes
        )
        names = [name for name in named if state.partition(name) or _owed(state, name)]
    queued = state.admin.beyond().keys()
    topics: dict[str, list[DescribedPartitionReassignment]] = defaultdict(list)
    for name in dict.fromkeys(names):
        topics[name.topic].append(_described(state, name, queued=name in queued))
    return Answer(
        DescribeReassignmentsResponse(
            topics=tuple(
                DescribedTopicReassignment(topic, tuple(partitions))
                for topic, partitions in topics.items()
            )
        )
    )


def _of_interest(state: ClusterState) -> Iterable[TopicPartition]:
    yield from (name for name, _ in state.moving())
    yield from state.admin.beyond()
    for topic, ledger in state.ledgers.items():
        for number, _ in ledger.debtors():
            yield TopicPartition(topic, number)


def _described(
    state: ClusterState, name: TopicPartition, *, queued: bool
) -> DescribedPartitionReassignment:
    partition = state.partition(name)
    return DescribedPartitionReassignment(
        partition_index=name.partition,
        original_replicas=partition.assignment.before if partition else None,
        waiting_for=ORDERED if queued else _waits_for(state, name, partition),
        owed_deletes=_owed(state, name),
    )


def _owed(state: ClusterState, name: TopicPartition) -> tuple[int, ...]:
    return tuple(sorted(state.ledgers.get(name.topic, _NO_DEBTS).due(name.partition)))


def _waits_for(
    state: ClusterState, name: TopicPartition, partition: Partition | None
) -> str | None:
    """Say what has to happen before the partition's move can end, if it is not mere copying."""
    if partition is None or not partition.assignment.moving:
        return None
    unreadable = state.unreadable.get(paths.topic(name.topic)) or state.unreadable.get(
        paths.state(*name)
    )
    if unreadable:
        return f"a znode that can be read: {unreadable}"
    if partition.leader == NO_LEADER:
        return f"a leader: nobody in sync is alive{_in_sync(partition)}"
    offline = [id_ for id_ in partition.assignment.target if id_ not in state.brokers]
    if offline:
        return f"brokers of the target that are not registered: {_listed(offline)}"
    failed = [id_ for id_ in partition.assignment.target if state.is_offline(name, id_)]
    if failed:
        return f"brokers of the target whose log directory has failed: {_listed(failed)}"
    for successor, held in state.held_back.items():
        if name in held:
            return f"broker {successor} to answer for other leads that it was given"
    return None


def _in_sync(partition: Partition) -> str:
    isr = partition.leadership.isr if partition.leadership else ()
    return f", and in sync is {_listed(isr)}" if isr else ""


def _listed(brokers: Iterable[int]) -> str:
    return ", ".join(map(str, brokers))


def _refused(code: ErrorCode, text: str) -> DescribeReassignmentsResponse:
    return DescribeReassignmentsResponse(error_code=code, error_message=text)
