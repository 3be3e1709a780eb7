"""Applying changes: order, sharing, and what must not be touched."""

from dataclasses import fields
from typing import get_args

import pytest
from core.clusters import T, broker, brokers, cluster, one, partition, topic

from klamm.controller.core.apply import ENTRIES, FIELDS, apply
from klamm.controller.core.changes import (
    Change,
    RefuseEntries,
    SetAwaiting,
    SetBrokers,
    SetCounter,
    SetNodes,
    SetPartition,
    SetTopic,
    TouchTopic,
)
from klamm.controller.core.model import Awaiting, ClusterState, CommitCounter

OLD, NEW = partition((1, 2)), partition((3, 4))


def test_every_change_is_folded_in_and_the_given_state_stays() -> None:
    before = one((1, 2), OLD)
    wait = Awaiting(1, 3, (9,))
    after = apply(
        before,
        [
            SetBrokers(brokers(7)),
            SetNodes({900: broker(900)}),
            SetCounter(CommitCounter(4, 2)),
            SetAwaiting(T, wait),
            SetPartition(T, NEW),
            TouchTopic("t", 8, frozenset({5})),
        ],
    )
    assert (set(after.brokers), set(after.nodes)) == ({7}, {900})
    assert after.commits == CommitCounter(4, 2)
    assert after.awaiting == {T: wait}
    assert after.topics["t"].version == 8
    assert after.topics["t"].bare == frozenset({5})
    assert after.partition(T) == NEW
    assert before == one((1, 2), OLD)


def test_later_changes_win() -> None:
    state = one((1, 2), OLD)
    fresh = topic("t", {0: NEW, 1: NEW}, version=9)
    assert apply(state, [SetPartition(T, NEW), SetTopic("t", fresh)]).topics == {"t": fresh}
    both = apply(state, [SetTopic("t", fresh), SetPartition(T, OLD)])
    assert both.topics["t"].partitions == {0: OLD, 1: NEW}
    assert fresh.partitions[0] is NEW
    assert apply(state, [SetTopic("t", fresh), SetTopic("t", None)]).topics == {}
    assert apply(state, [SetAwaiting(T, Awaiting(1, 1, (1,))), SetAwaiting(T, None)]) == state


def test_what_is_not_touched_is_shared() -> None:
    before = cluster((1,), topic("t", {0: OLD, 1: OLD}), topic("u", {0: OLD}))
    after = apply(before, [SetPartition(T, NEW)])
    assert after.topics["u"] is before.topics["u"]
    assert after.topics["t"].partitions[1] is before.topics["t"].partitions[1]
    assert apply(before, []).topics is before.topics
    assert apply(before, [SetNodes({})]).topics is before.topics


def test_a_change_of_an_unknown_topic_is_a_fault_of_the_decision() -> None:
    with pytest.raises(KeyError):
        apply(cluster((1,)), [SetPartition(T, NEW)])
    with pytest.raises(KeyError):
        apply(cluster((1,)), [TouchTopic("t", 1, None)])


def test_there_is_a_way_to_fold_in_every_kind_of_change() -> None:
    of_topics = {SetTopic, SetPartition, TouchTopic}
    assert {*FIELDS, *ENTRIES, *of_topics, RefuseEntries} == set(get_args(Change))
    of_state = {field.name for field in fields(ClusterState)}
    for kind, (name, value) in FIELDS.items():
        assert name in of_state and value in {field.name for field in fields(kind)}
    for kind, (name, key, value, _) in ENTRIES.items():
        assert name in of_state and {key, value} <= {field.name for field in fields(kind)}
