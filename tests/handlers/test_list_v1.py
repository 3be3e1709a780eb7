"""Version 1 of ListPartitionReassignments: the steps that run (KIP-435)."""

from dataclasses import replace

import pytest
from handlers.transacting import on_the_wire
from handlers.worlds import cluster, context, topic

from klamm.controller.core.apply import apply
from klamm.controller.core.changes import SetPartition
from klamm.controller.core.model import (
    Assignment,
    ClusterState,
    Leadership,
    Partition,
    TopicPartition,
)
from klamm.controller.core.pace import Limits, Pace, RunningStep
from klamm.controller.handlers import k46_list_partition_reassignments as k46
from klamm.controller.handlers.api import Answer
from klamm.protocol.codec import encode
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    CurrentPartitionReassignmentBatch,
    CurrentTopicReassignmentBatch,
    ListPartitionReassignmentsResponse,
)

#: KIP-435's own example, in its second step: replicas 0 to 4 are to become 5 to 9.
STEP_2 = Partition(
    Assignment((5, 6, 7, 8, 9, 0, 1, 2, 3, 4), (5, 6, 7, 8, 9), (0, 1, 2, 3, 4)),
    Leadership(5, 4, (0, 1, 2, 3, 4, 5), 1, 9),
    Pace(
        (5, 6, 0, 1, 2, 3, 4),
        (0, 1, 2, 3, 4),
        1,
        RunningStep("swap", (6,), (5, 0, 1, 2, 3, 4), 1_700_000_000_000, 2),
    ),
)
DEFERRED = replace(STEP_2, pace=Pace((5, 0, 1, 2, 3, 4), (0, 1, 2, 3, 4), 1))
BROKERS = tuple(range(10))
NOTHING = cluster(topic("foo", {0: Partition(Assignment((1, 2)))}), brokers=BROKERS)


def moving(**topics: dict[int, Partition]) -> ClusterState:
    """A cluster with limits in which these partitions move in steps."""
    at_rest = {
        name: dict.fromkeys(parts, Partition(Assignment((1,)))) for name, parts in topics.items()
    }
    state = cluster(*(topic(name, parts) for name, parts in at_rest.items()), brokers=BROKERS)
    changes = [
        SetPartition(TopicPartition(name, number), part)
        for name, parts in topics.items()
        for number, part in parts.items()
    ]
    return apply(replace(state, limits=Limits(2, 3, 1)), changes)


def listed(
    state: ClusterState,
    topics: dict[str, tuple[int, ...]] | None = None,
    version: int = 1,
    *,
    active: bool = True,
) -> ListPartitionReassignmentsResponse:
    named = None
    if topics is not None:
        named = tuple(ListPartitionReassignmentsTopics(*item) for item in topics.items())
    request = ListPartitionReassignmentsRequest(topics=named)
    outcome = k46.handle(context(state, active=active), request, version)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, version)
    assert isinstance(response, ListPartitionReassignmentsResponse)
    return response


def steps(
    state: ClusterState, topics: dict[str, tuple[int, ...]] | None = None
) -> list[tuple[str, int]] | None:
    batch = listed(state, topics).current_batch
    if batch is None:
        return None
    return [(each.name, one.partition_index) for each in batch for one in each.partitions]


@pytest.mark.req("R435-55")
def test_the_answer_is_longer_by_the_batch_alone() -> None:
    assert encode(listed(NOTHING), 1).hex() == "00000000000001010000"
    assert encode(listed(NOTHING, version=0), 0).hex() == "000000000000010100"
    request = ListPartitionReassignmentsRequest(topics=())
    assert encode(request, 0) == encode(request, 1)


@pytest.mark.req("R435-56")
def test_the_batch_is_null_without_limits_empty_without_steps_and_else_the_steps() -> None:
    assert steps(NOTHING) is None
    assert steps(replace(moving(foo={0: STEP_2}), limits=Limits())) is None
    assert steps(replace(NOTHING, limits=Limits(partitions=1))) == []
    assert steps(moving(foo={0: DEFERRED})) == []
    assert encode(listed(replace(NOTHING, limits=Limits(1))), 1).hex() == "00000000000001010100"
    state = moving(zoo={1: STEP_2}, foo={10: STEP_2, 2: STEP_2, 3: DEFERRED}, bar={0: STEP_2})
    assert steps(state) == [("bar", 0), ("foo", 2), ("foo", 10), ("zoo", 1)]


@pytest.mark.req("R435-56")
def test_the_batch_is_of_the_partitions_that_are_asked_for() -> None:
    state = moving(foo={0: STEP_2, 1: STEP_2, 2: DEFERRED}, bar={0: STEP_2})
    assert steps(state, {"foo": (2, 1), "bar": (7,), "none": (0,)}) == [("foo", 1)]
    assert steps(state, {"foo": (1, 1, 0), "bar": (0,)}) == [("bar", 0), ("foo", 0), ("foo", 1)]
    assert steps(state, {}) == []


@pytest.mark.req("R435-57")
def test_an_entry_has_the_replicas_before_and_after_the_step() -> None:
    response = listed(moving(foo={0: STEP_2}))
    entry = CurrentPartitionReassignmentBatch(0, (5, 0, 1, 2, 3, 4), (5, 6, 2, 3, 4))
    assert response.current_batch == (CurrentTopicReassignmentBatch("foo", (entry,)),)
    [[found]] = [each.partitions for each in response.topics]
    assert found.replicas == STEP_2.assignment.replicas
    assert found.adding_replicas == (5, 6, 7, 8, 9)
    assert found.removing_replicas == (0, 1, 2, 3, 4)


@pytest.mark.req("R435-59")
def test_version_0_is_what_it_was() -> None:
    """Nothing of it tells of steps: not a byte is another one than without limits."""
    state = moving(foo={0: STEP_2}, bar={0: DEFERRED})
    plain = [replace(part, pace=None) for part in (STEP_2, DEFERRED)]
    without = cluster(topic("foo", {0: plain[0]}), topic("bar", {0: plain[1]}), brokers=BROKERS)
    outcome, expected = (
        k46.handle(context(each), ListPartitionReassignmentsRequest(topics=None), 0)
        for each in (state, without)
    )
    assert isinstance(outcome, Answer)
    assert isinstance(expected, Answer)
    assert encode(outcome.response, 0) == encode(expected.response, 0)
    newer = listed(state)
    assert encode(replace(newer, current_batch=None), 0) == encode(expected.response, 0)


def test_another_node_and_who_may_not_ask_are_told_of_no_batch() -> None:
    response = listed(moving(foo={0: STEP_2}), active=False)
    assert (response.error_code, response.current_batch) == (41, None)
