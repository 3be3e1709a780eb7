"""Key 17904 of moves that are made in steps: which step runs, or why none does."""

from dataclasses import replace

import pytest
from handlers.test_list_v1 import DEFERRED, STEP_2, moving
from handlers.transacting import on_the_wire
from handlers.worlds import context

from klamm.controller.configs.cluster_wide import LEADER_MOVEMENTS, PARTITION_MOVEMENTS
from klamm.controller.core.model import NO_LEADER, ClusterState, Partition, TopicPartition
from klamm.controller.core.pace import Limits, Pace, RunningStep, WaitReason
from klamm.controller.handlers import k17904_describe_reassignments as k17904
from klamm.controller.handlers.api import Answer
from klamm.protocol.generated.describe_reassignments_request import DescribeReassignmentsRequest
from klamm.protocol.generated.describe_reassignments_response import (
    DescribedPartitionReassignment,
    DescribeReassignmentsResponse,
)

FOO = TopicPartition("foo", 0)
ORIGIN = (0, 1, 2, 3, 4)


def described(
    state: ClusterState, version: int = 1, topic: str = "foo"
) -> DescribedPartitionReassignment:
    outcome = k17904.handle(context(state), DescribeReassignmentsRequest(None), version)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, version)
    assert isinstance(response, DescribeReassignmentsResponse)
    [found] = [each.partitions for each in response.topics if each.name == topic]
    return found[0]


def waiting(reason: WaitReason) -> Partition:
    assert DEFERRED.pace is not None
    return replace(DEFERRED, pace=replace(DEFERRED.pace, waiting=reason))


@pytest.mark.req("R435-22")
def test_a_step_that_runs() -> None:
    found = described(moving(foo={0: STEP_2}))
    assert (found.step_number, found.most_steps) == (2, 10)
    assert (found.step_kind, found.step_adding) == ("swap", (6,))
    assert found.step_since_ms == 1_700_000_000_000
    assert (found.wait_reason, found.waiting_for) == (None, None)
    assert found.first_replicas == ORIGIN
    assert found.hosted_replicas == (5, 6, 0, 1, 2, 3, 4)
    assert found.step_replicas == (5, 6, 2, 3, 4)


def test_a_step_that_runs_and_waits_for_an_answer() -> None:
    state = replace(moving(foo={0: STEP_2}), held_back={7: {FOO: None}})
    assert described(state).waiting_for == "broker 7 to answer for other leads that it was given"


@pytest.mark.req("R435-22")
def test_a_step_that_waits_for_a_slot() -> None:
    """The limits of this cluster are 3 steps at once, 1 of them a leader's."""
    leads = replace(DEFERRED, pace=Pace((0, 1, 2, 3, 4), ORIGIN, leads=True))
    running = RunningStep("leader", (5,), ORIGIN, 1, 2)
    leader_step = replace(STEP_2, pace=Pace((5, *ORIGIN), ORIGIN, running=running))
    few = described(moving(foo={0: leads}, bar={0: leader_step, 1: STEP_2}))
    assert (few.step_number, few.step_kind, few.step_adding) == (1, None, None)
    assert (few.wait_reason, few.step_since_ms) == ("deferred", -1)
    assert few.hosted_replicas == ORIGIN
    text = f"a slot: 1 steps that bring another leader run, and {LEADER_MOVEMENTS} is 1"
    assert few.waiting_for == text
    many = described(moving(foo={0: leads}, bar=dict.fromkeys(range(3), STEP_2)))
    assert many.waiting_for == f"a slot: 3 steps run, and {PARTITION_MOVEMENTS} is 3"
    other = described(moving(foo={0: DEFERRED}, bar=dict.fromkeys(range(3), STEP_2)))
    assert (other.wait_reason, other.waiting_for) == ("deferred", many.waiting_for)


@pytest.mark.req("R435-22", "R435-24")
def test_a_step_that_waits_for_something_else() -> None:
    state = moving(foo={0: waiting("target-offline")})
    away = replace(state, brokers={id_: each for id_, each in state.brokers.items() if id_ != 6})
    found = described(away)
    assert found.wait_reason == "target-offline"
    assert found.waiting_for == "brokers of the target that are not registered: 6"
    found = described(moving(foo={0: waiting("not-in-sync")}))
    assert found.wait_reason == "not-in-sync"
    assert (found.waiting_for or "").startswith("replicas of the target to come in sync")
    held = STEP_2.leadership
    assert held is not None
    nobody = replace(waiting("offline"), leadership=replace(held, leader=NO_LEADER))
    found = described(moving(foo={0: nobody}))
    assert found.wait_reason == "offline"
    assert (found.waiting_for or "").startswith("a leader: nobody in sync is alive")


def test_a_move_without_limits_has_no_steps() -> None:
    plain = replace(STEP_2, pace=None)
    found = described(replace(moving(foo={0: plain}), limits=Limits()))
    assert (found.step_number, found.most_steps, found.first_replicas) == (-1, -1, None)
    assert (found.hosted_replicas, found.step_replicas, found.wait_reason) == (None, None, None)


def test_version_0_has_what_it_had() -> None:
    found = described(moving(foo={0: STEP_2}), version=0)
    assert (found.step_number, found.hosted_replicas, found.wait_reason) == (-1, None, None)
    assert found.step_replicas == (5, 6, 2, 3, 4)
