"""Key 17904: what only the controller knows of moves."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from handlers.denials import denied
from handlers.transacting import on_the_wire
from handlers.worlds import broker, cluster, context, partition, topic

from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.model import Assignment, ClusterState, Ledger, TopicPartition
from klamm.controller.core.reassignment import cancelled, merge_target_first
from klamm.controller.handlers import k17904_describe_reassignments as describe
from klamm.controller.handlers.api import Answer, Context
from klamm.controller.znodes import paths
from klamm.protocol.generated.describe_reassignments_request import (
    DescribeReassignmentsRequest,
    DescribeReassignmentsTopic,
)
from klamm.protocol.generated.describe_reassignments_response import (
    DescribedPartitionReassignment,
    DescribeReassignmentsResponse,
)

MOVING = partition((4, 2, 1), adding=(4,), removing=(1,))
FOO = TopicPartition("foo", 0)
STATE = replace(
    cluster(topic("foo", {0: MOVING, 1: partition((1, 2))}), topic("bar", {0: partition((1, 2))})),
    ledgers={
        "bar": Ledger(0, {0: frozenset({3, 4})}, {0: frozenset({4})}),
        "gone": Ledger(0, {5: frozenset({2})}),
    },
)
Found = dict[tuple[str, int], DescribedPartitionReassignment]


def answer(
    on: Context, topics: Mapping[str, tuple[int, ...]] | None = None
) -> DescribeReassignmentsResponse:
    named = None
    if topics is not None:
        named = tuple(DescribeReassignmentsTopic(*item) for item in topics.items())
    outcome = describe.handle(on, DescribeReassignmentsRequest(named), 0)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, 0)
    assert isinstance(response, DescribeReassignmentsResponse)
    return response


def found(state: ClusterState, topics: Mapping[str, tuple[int, ...]] | None = None) -> Found:
    response = answer(context(state), topics)
    assert response.error_code == 0
    listed = [
        ((item.name, p.partition_index), p) for item in response.topics for p in item.partitions
    ]
    assert len(dict(listed)) == len(listed)
    return dict(listed)


def waits_for(state: ClusterState) -> str | None:
    return found(state)["foo", 0].waiting_for


def test_everything_of_interest_is_shown_without_being_named() -> None:
    every = found(STATE)
    assert every.keys() == {("foo", 0), ("bar", 0), ("gone", 5)}
    move, debt, former = every["foo", 0], every["bar", 0], every["gone", 5]
    assert (move.original_replicas, move.step_replicas) == (None, None), "begun by another"
    assert (move.waiting_for, move.owed_deletes) == (None, ())
    assert (debt.original_replicas, debt.owed_deletes) == (None, (3,)), "4 has paid"
    assert (former.original_replicas, former.owed_deletes) == (None, (2,))


def test_the_order_before_the_move_is_shown_where_it_is_known() -> None:
    first = merge_target_first(Assignment((1, 2)), (4, 2))
    assert (first.replicas, first.origin) == ((4, 2, 1), (2, 1))
    second = merge_target_first(first, (3, 2))
    begun_by_another = merge_target_first(MOVING.assignment, (3, 2))
    for moving, known in ((first, (1, 2)), (second, (1, 2)), (begun_by_another, None)):
        state = cluster(topic("foo", {0: replace(MOVING, assignment=moving)}))
        assert found(state)["foo", 0].original_replicas == known
    assert merge_target_first(second, (2, 1)).before is None, "that ends the move"
    assert cancelled(second).before is None


def test_what_is_named_is_shown_if_there_is_such() -> None:
    named = found(STATE, {"foo": (1, 0, 1, 9), "gone": (5, 6), "nowhere": (0,)})
    assert named.keys() == {("foo", 1), ("foo", 0), ("gone", 5)}
    idle = named["foo", 1]
    assert (idle.original_replicas, idle.waiting_for, idle.owed_deletes) == (None, None, ())
    assert found(STATE, {}) == {}


def test_an_entry_that_waits_for_the_set_before_it() -> None:
    under_way = {FOO: (4, 2)}
    entries = {FOO: (4, 2), TopicPartition("bar", 0): (3, 1), TopicPartition("new", 0): (1,)}
    state = replace(STATE, admin=AdminReassignments(1, 1, entries, under_way))
    every = found(state)
    expected = "the end of the moves under way of /admin/reassign_partitions"
    assert every["bar", 0].waiting_for == expected
    assert every["new", 0].waiting_for == expected
    assert every["foo", 0].waiting_for is None


def test_what_holds_a_move_up_is_said() -> None:
    assert MOVING.leadership is not None
    lost = replace(MOVING, leadership=replace(MOVING.leadership, leader=-1, isr=(2,)))
    assert waits_for(cluster(topic("foo", {0: lost}))) == (
        "a leader: nobody in sync is alive, and in sync is 2"
    )
    new = replace(MOVING, leadership=None)
    assert waits_for(cluster(topic("foo", {0: new}))) == "a leader: nobody in sync is alive"
    assert waits_for(replace(STATE, brokers={1: broker(1), 2: broker(2)})) == (
        "brokers of the target that are not registered: 4"
    )
    assert waits_for(replace(STATE, offline_replicas={4: frozenset({FOO})})) == (
        "brokers of the target whose log directory has failed: 4"
    )
    assert waits_for(replace(STATE, held_back={2: {FOO: None}})) == (
        "broker 2 to answer for other leads that it was given"
    )
    for path in (paths.topic("foo"), paths.state("foo", 0)):
        expected = f"a znode that can be read: {path} is no JSON"
        assert waits_for(replace(STATE, unreadable={path: f"{path} is no JSON"})) == expected


def test_who_is_not_controller_says_so() -> None:
    response = answer(context(STATE, active=False))
    assert (response.error_code, response.topics) == (41, ())
    assert response.error_message == "This is not the correct controller for this cluster."


@pytest.mark.parametrize("topics", [None, {"foo": (0,)}])
def test_who_may_not_describe_the_cluster(topics: Mapping[str, tuple[int, ...]] | None) -> None:
    response = answer(denied(context(STATE)), topics)
    assert (response.error_code, response.topics) == (31, ())
    assert response.error_message == "Cluster authorization failed."
