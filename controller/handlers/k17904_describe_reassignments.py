"""DescribeReassignments (key 17904): what only the controller knows of moves. klamm's own.

Behaviour
    * Null topics ask for every partition that moves, waits in /admin/reassign_partitions, or owes
      deletes. Of those named each is shown that there is, or that owes a delete, though there is
      nothing to tell; others are left out.
    * `original_replicas`: the replicas before the move, in their order; null if nothing moves, or
      if another controller began the move, for no znode holds that order. Which replicas they
      were List tells all the same: RS without AR.
    * `step_replicas`: what the step that runs leads to; null if none does, as without limits.
    * `waiting_for`: what holds the move up, for people; null if replicas have but to copy.
    * Of moves in steps, which they are while there are limits: the replicas before the first step
      and those that brokers are told of, the number of the step that runs or is next and of the
      last one at most, of the one that runs its kind, what it adds and since when, and else in a
      word why it has not begun.
    * `owed_deletes`: brokers that have not confirmed yet that they deleted a replica that left.
    * Not the active controller: NOT_CONTROLLER with its text. Without DESCRIBE on the cluster
      CLUSTER_AUTHORIZATION_FAILED.

Versions 0-1
    1     steps

Served if klamm.describe.reassignments.enable is set: no client of Kafka knows it, and no release
of Kafka has such a key.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from klamm.controller.configs.cluster_wide import LEADER_MOVEMENTS, PARTITION_MOVEMENTS
from klamm.controller.core.model import (
    NO_LEADER,
    ClusterState,
    Ledger,
    Partition,
    TopicPartition,
)
from klamm.controller.core.pace import Pace
from klamm.controller.core.step_views import replicas_after, steps_left
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
VERSIONS = range(2)

#: What an entry waits for that was written while others were under way.
ORDERED = f"the end of the moves under way of {paths.REASSIGN_PARTITIONS}"

#: Why a step has not begun that could: others run, as many as may.
DEFERRED = "deferred"

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
    described = DescribedPartitionReassignment(
        partition_index=name.partition,
        original_replicas=partition.assignment.before if partition else None,
        waiting_for=ORDERED if queued else _waits_for(state, name, partition),
        owed_deletes=_owed(state, name),
    )
    if partition is None or partition.pace is None:
        return described
    return _in_steps(state, name, partition.pace, described)


def _in_steps(
    state: ClusterState, name: TopicPartition, pace: Pace, described: DescribedPartitionReassignment
) -> DescribedPartitionReassignment:
    """Add the step of a move that is made in steps."""
    running = pace.running
    if running is not None:
        described = replace(
            described,
            step_replicas=replicas_after(state, name, running),
            step_kind=running.kind,
            step_adding=running.adding,
            step_since_ms=running.since_ms,
        )
    return replace(
        described,
        first_replicas=pace.origin,
        hosted_replicas=pace.hosted,
        step_number=pace.steps + 1,
        most_steps=pace.steps + steps_left(state, name),
        wait_reason=None if running else pace.waiting or DEFERRED,
    )


def _owed(state: ClusterState, name: TopicPartition) -> tuple[int, ...]:
    return tuple(sorted(state.ledgers.get(name.topic, _NO_DEBTS).due(name.partition)))


def _waits_for(
    state: ClusterState, name: TopicPartition, partition: Partition | None
) -> str | None:
    """Say what has to happen before the partition's move can end, if it is not mere copying."""
    if partition is None or not partition.assignment.moving:
        return None
    needed = (paths.topic(name.topic), paths.state(*name), paths.replica_deletions(name.topic))
    unreadable = next((state.unreadable[path] for path in needed if path in state.unreadable), None)
    if unreadable:
        return f"a znode that can be read: {unreadable}"
    if partition.leader == NO_LEADER:
        return f"a leader: nobody in sync is alive{_in_sync(partition)}"
    pace = partition.pace
    if pace is not None and pace.pending:
        return _slot(state, leads=pace.leads)
    if pace is not None and pace.running is not None:
        return _answer(state, name)
    offline = [id_ for id_ in partition.assignment.target if id_ not in state.brokers]
    if offline:
        return f"brokers of the target that are not registered: {_listed(offline)}"
    failed = [id_ for id_ in partition.assignment.target if state.is_offline(name, id_)]
    if failed:
        return f"brokers of the target whose log directory has failed: {_listed(failed)}"
    if pace is not None and pace.waiting == "not-in-sync":
        return f"replicas of the target to come in sync{_in_sync(partition)}"
    return _answer(state, name)


def _slot(state: ClusterState, *, leads: bool) -> str:
    """Say which limit the next step waits for, and how many steps run."""
    limits, running = state.limits, len(state.slots.running)
    if leads and running < limits.partitions:
        count, limit, name = state.slots.running_leaders, limits.leaders, LEADER_MOVEMENTS
        return f"a slot: {count} steps that bring another leader run, and {name} is {limit}"
    return f"a slot: {running} steps run, and {PARTITION_MOVEMENTS} is {limits.partitions}"


def _answer(state: ClusterState, name: TopicPartition) -> str | None:
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
