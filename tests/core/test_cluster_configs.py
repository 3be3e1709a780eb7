"""Facts about configs: what they change, and what is known already."""

import pytest
from core.clusters import cluster

from klamm.controller.core.apply import apply
from klamm.controller.core.cluster_configs import is_known, shown
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, LimitsRead, MinIsrRead, RetentionRead
from klamm.controller.core.model import ClusterState
from klamm.controller.core.pace import Limits, MinIsr
from klamm.controller.core.settings import Settings

Read = LimitsRead | MinIsrRead | RetentionRead


def after(state: ClusterState, *facts: Read) -> ClusterState:
    causes = [Cause(number, fact) for number, fact in enumerate(facts, 1)]
    for commit in decide(state, causes, Settings()):
        assert commit.ops == ()
        state = apply(state, commit.changes)
    return state


def test_each_fact_changes_what_it_is_about() -> None:
    before = cluster((1,))
    state = after(before, LimitsRead(Limits(1, 2, 3)), MinIsrRead(2, {"t": 3}), RetentionRead(7))
    assert (state.limits, state.min_isr) == (Limits(1, 2, 3), MinIsr(2, {"t": 3}))
    assert state.status_retention_ms == 7
    assert (before.limits, before.min_isr) == (Limits(), MinIsr())


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (MinIsrRead(2, {}), MinIsr(2)),
        (MinIsrRead(4, {"t": 1}), MinIsr(4, {"t": 1})),
        (MinIsrRead(4, {"t": None}), MinIsr(4)),
        (MinIsrRead(None, {"u": 2}, complete=False), MinIsr(2, {"t": 3, "u": 2})),
        (MinIsrRead(None, {"t": None}, complete=False), MinIsr(2)),
        (MinIsrRead(5, {}, complete=False), MinIsr(5, {"t": 3})),
    ],
)
def test_what_topics_need_is_replaced_or_added_to(read: MinIsrRead, expected: MinIsr) -> None:
    state = after(cluster((1,)), MinIsrRead(2, {"t": 3}))
    assert not is_known(state, read)
    state = after(state, read)
    assert state.min_isr == expected
    assert is_known(state, read)


def test_what_is_known_changes_nothing_and_is_not_told() -> None:
    state = cluster((1,))
    facts: tuple[Read, ...] = (LimitsRead(Limits()), MinIsrRead(1, {}), RetentionRead(86_400_000))
    assert all(is_known(state, fact) for fact in facts)
    for number, fact in enumerate(facts):
        for commit in decide(state, [Cause(number, fact)], Settings()):
            assert (commit.changes, commit.entries) == ((), ())


def test_limits_are_shown_in_words() -> None:
    assert shown(Limits()) == "limits: none"
    assert shown(Limits(partitions=2)) == "limits: steps at once 2"
    text = "limits: replicas in a step 1, steps at once 2, leader steps at once 3"
    assert shown(Limits(1, 2, 3)) == text
