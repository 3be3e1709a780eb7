"""What of a plan counts as begun by an earlier run."""

from typing import cast

import pytest
from reassign.scripted import BEFORE, TARGET, names

from klamm.tools.admin import Admin, PartitionReassignment, TopicPartition, TopicPartitionReplica
from klamm.tools.reassign import log_dirs
from klamm.tools.reassign.log_dirs import LogDirState
from klamm.tools.reassign.resume import Begun, begun, goal, log_dirs_left
from klamm.tools.reassign.state import PartitionState, States

DONE, CATCHING_UP, ON_ITS_WAY, OTHER_ORDER, ELSEWHERE, LEFT, MISSING = names(7)


def move(name: TopicPartition, *target: int) -> tuple[PartitionState, PartitionReassignment]:
    found = PartitionReassignment((*target, 1), (3,), (1,))
    return PartitionState(name, TARGET, found.replicas, moving=True), found


def test_what_is_begun() -> None:
    moves = [move(ON_ITS_WAY, 2, 3), move(OTHER_ORDER, 3, 2), move(ELSEWHERE, 2, 4)]
    states = [
        PartitionState(DONE, TARGET, TARGET, TARGET),
        PartitionState(CATCHING_UP, TARGET, TARGET, TARGET[:1]),
        *(state for state, _ in moves),
        PartitionState(LEFT, TARGET, BEFORE, BEFORE),
        PartitionState(MISSING, TARGET, ()),
    ]
    found = begun(
        States(
            {state.name: state for state in states},
            {state.name: listed for state, listed in moves},
        )
    )
    assert found == Begun(in_flight=(CATCHING_UP, ON_ITS_WAY), complete=(DONE,))
    left = found.not_in({state.name: state.target for state in states})
    assert [*left] == [OTHER_ORDER, ELSEWHERE, LEFT, MISSING]


def test_log_directories_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is copied there already is not asked for again."""
    there, copied, left, nowhere = (TopicPartitionReplica("p", 0, broker) for broker in range(4))
    states = [
        LogDirState(there, "/b", "/b"),
        LogDirState(copied, "/b", "/a", "/b"),
        LogDirState(left, "/b", "/a"),
        LogDirState(nowhere, "/b", "/a", "/c"),
    ]
    monkeypatch.setattr(log_dirs, "read", lambda _admin, _wanted: states)
    assert log_dirs_left(cast(Admin, None), {}) == {left: "/b", nowhere: "/b"}


def test_where_a_move_goes() -> None:
    assert goal(PartitionReassignment((3, 2, 1), (3,), (1,))) == (3, 2)
    assert goal(PartitionReassignment((1, 2), (), (2,))) == (1,)
