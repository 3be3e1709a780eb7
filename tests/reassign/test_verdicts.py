"""What a cancel would do, by table, under each of the four rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from klamm.tools.admin import PartitionDescription, PartitionReassignment, TopicPartition
from klamm.tools.reassign.verdicts import CancelRule, CancelVerdict, judge

T0 = TopicPartition("t", 0)
#: From 1, 2 to 3, 4, as in exhibit E6.
MOVE = PartitionReassignment((3, 4, 1, 2), (3, 4), (1, 2))


def verdict(
    isr: tuple[int, ...],
    alive: set[int],
    rule: CancelRule,
    *,
    leader: int | None = 1,
    min_isr: int = 1,
    offline: tuple[int, ...] = (),
) -> CancelVerdict:
    partition = PartitionDescription(0, leader, 7, MOVE.replicas, isr, offline)
    return judge(T0, MOVE, partition, alive, min_isr, rule)


@pytest.mark.parametrize(
    ("isr", "alive", "min_isr", "passed"),
    [
        pytest.param((1, 2, 3), {1, 2, 3, 4}, 1, "zk kraft min-isr originals", id="in order"),
        pytest.param((3,), {3, 4}, 1, "zk", id="originals are dead"),
        pytest.param((3,), {1, 2, 3, 4}, 1, "zk", id="originals are back, out of sync"),
        pytest.param((2, 3), {2, 3, 4}, 1, "zk kraft min-isr originals", id="one is left"),
        pytest.param((2, 3), {2, 3, 4}, 2, "zk kraft", id="one is left of two"),
        pytest.param((2, 3), {1, 2, 3, 4}, 2, "zk kraft min-isr", id="all alive, one in sync"),
        pytest.param((1, 2), {1, 2, 3, 4}, 9, "zk kraft min-isr originals", id="cannot be more"),
    ],
)
def test_who_would_cancel(isr: tuple[int, ...], alive: set[int], min_isr: int, passed: str) -> None:
    found = {rule: verdict(isr, alive, rule, min_isr=min_isr).refused for rule in CancelRule}
    assert [rule.value for rule, refused in found.items() if refused is None] == passed.split()


def test_the_last_one_with_the_data_is_not_given_away_unseen() -> None:
    """F15: the originals die during the move."""
    found = verdict((3,), {3, 4}, CancelRule.ZK, leader=3)
    assert (found.left, found.lost, found.loses_partition) == ((), (3,), True)
    assert found.warning is not None
    assert "would take away the only replicas that are alive and in sync, 3:" in found.warning


def test_a_leader_that_would_go_is_told() -> None:
    """F16: the leader is one that the cancel drops."""
    found = verdict((1, 3), {1, 2, 3, 4}, CancelRule.KRAFT, leader=3)
    assert (found.stops_leader, found.refused, found.loses_partition) == (True, None, False)
    assert found.warning is not None
    assert "takes its leader away; 1 may lead then" in found.warning
    assert verdict((1, 3), {1, 2, 3, 4}, CancelRule.KRAFT, leader=1).warning is None


def test_a_replica_on_a_failed_directory_is_not_alive() -> None:
    found = verdict((1, 3), {1, 2, 3, 4}, CancelRule.KRAFT, leader=3, offline=(1,))
    assert found.refused == "none of the originals 1,2 is alive and in sync"


SETS = st.sets(st.integers(1, 4))


@given(SETS, SETS, st.integers(0, 4), st.none() | st.integers(1, 4))
def test_what_a_stricter_rule_passes_a_milder_one_does(
    isr: set[int], alive: set[int], min_isr: int, leader: int | None
) -> None:
    passes = [
        verdict(tuple(isr), alive, rule, leader=leader, min_isr=min_isr).refused is None
        for rule in CancelRule
    ]
    assert passes == sorted(passes, reverse=True)
    found = verdict(tuple(isr), alive, CancelRule.KRAFT, leader=leader, min_isr=min_isr)
    assert not (found.loses_partition and found.refused is None)
    assert {*found.left} | {*found.lost} == isr & alive
