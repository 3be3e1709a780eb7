"""A move that another controller has written and no replica has heard of is announced."""

import pytest

from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, CheckPartition
from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.plan import Lead, Plan
from klamm.controller.core.settings import Settings

T = TopicPartition("t", 0)
MOVING = Assignment((4, 3, 2, 1), (4,), (1,))


def checked(assignment: Assignment, isr: tuple[int, ...], written_in: int) -> Plan:
    """What a look at the partition decides, in epoch 2, if its state was written in that epoch."""
    partition = Partition(assignment, Leadership(1, 5, isr, written_in, version=7))
    state = ClusterState(
        900,
        epoch=2,
        fence_version=1,
        brokers={id_: Broker(id_, 1, ()) for id_ in (1, 2, 3, 4)},
        topics={"t": Topic("t", 3, {0: partition})},
    )
    return decide(state, [Cause(1, CheckPartition(T))], Settings())


def test_whoever_takes_over_begins_a_leader_epoch_in_which_replicas_listen() -> None:
    (commit,) = checked(MOVING, (1, 2, 3), written_in=1)
    (op,) = commit.ops
    assert op.path == "/brokers/topics/t/partitions/0/state"
    leads = [message for message in commit.messages if isinstance(message, Lead)]
    assert leads == [Lead(T, (1, 2, 3, 4), is_new=(4,))]


@pytest.mark.parametrize(
    ("assignment", "isr", "written_in"),
    [
        pytest.param(MOVING, (1, 2, 3), 2, id="ours"),
        pytest.param(MOVING, (1, 2, 4), 1, id="the leader knows who is added"),
        pytest.param(Assignment((1, 2, 3)), (1, 2, 3), 1, id="no move"),
        pytest.param(Assignment((1, 2, 3), (), (3,)), (1, 3), 1, id="nobody is added"),
    ],
)
def test_what_replicas_know_or_need_not_know_is_left_as_it_is(
    assignment: Assignment, isr: tuple[int, ...], written_in: int
) -> None:
    ops = [op for commit in checked(assignment, isr, written_in) for op in commit.ops]
    assert [op for op in ops if op.path.endswith("/state")] == []
