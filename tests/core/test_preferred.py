"""Preferred leaders: one election, and what the automatic rebalance asks for."""

from dataclasses import replace

import pytest
from core.clusters import Ledger, T, cluster, one, partition, topic

from klamm.controller.core.events import CheckPartition, ElectPreferred
from klamm.controller.core.model import Assignment, Deletion, Partition, TopicPartition
from klamm.controller.core.plan import Lead, Publish
from klamm.controller.core.preferred import imbalanced
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX

ELECT = ElectPreferred(T)
ASTRAY = partition((1, 2, 3), leader=2)


def test_the_first_replica_leads_in_a_new_epoch_with_the_same_isr() -> None:
    book = Ledger(one((1, 2, 3), partition((1, 2, 3), leader=2, isr=(2, 1))))
    assert book.ask(ELECT) == Done()
    leadership = book.t.leadership
    assert leadership is not None
    assert (leadership.leader, leadership.leader_epoch, leadership.isr) == (1, 4, (2, 1))
    assert book.messages == [Lead(T, (1, 2, 3)), Publish(T)]
    assert book.writes("t") == 2


@pytest.mark.parametrize(
    ("part", "online", "fault"),
    [
        (partition((1, 2, 3)), (1, 2, 3), Fault.ELECTION_NOT_NEEDED),
        (
            partition((1, 2, 3), leader=2, isr=(2, 3)),
            (1, 2, 3),
            Fault.PREFERRED_LEADER_NOT_AVAILABLE,
        ),
        (Partition(Assignment((1, 2))), (1, 2), Fault.PREFERRED_LEADER_NOT_AVAILABLE),
        (
            partition((1, 2), leader=2, leader_epoch=INT32_MAX),
            (1, 2),
            Fault.PREFERRED_LEADER_NOT_AVAILABLE,
        ),
    ],
)
def test_refusals(part: Partition, online: tuple[int, ...], fault: Fault) -> None:
    book = Ledger(one(online, part))
    answer = book.ask(ELECT)
    assert isinstance(answer, Refusal)
    assert answer.fault is fault
    assert book.t == part


def test_who_is_gone_does_not_lead_and_leaves_the_isr_at_once() -> None:
    book = Ledger(one((2, 3), partition((1, 2, 3), leader=2)))
    answer = book.ask(ELECT)
    assert isinstance(answer, Refusal)
    assert answer.fault is Fault.PREFERRED_LEADER_NOT_AVAILABLE
    assert book.t.leadership is not None
    assert (book.t.leader, book.t.leadership.isr) == (2, (2, 3))


def test_a_partition_that_is_not_there_or_goes_or_cannot_be_read() -> None:
    book = Ledger(one((1, 2, 3), ASTRAY))
    unknown = book.ask(ElectPreferred(TopicPartition("t", 9)))
    assert isinstance(unknown, Refusal)
    assert unknown.fault is Fault.UNKNOWN_TOPIC_OR_PARTITION
    state = book.state
    book.state = replace(state, deleting={"t": Deletion()})
    deleted = book.ask(ELECT)
    assert deleted == Refusal(Fault.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
    book.state = replace(state, unreadable={paths.state(*T): "no JSON"})
    unreadable = book.ask(ELECT)
    assert isinstance(unreadable, Refusal)
    assert unreadable.fault is Fault.PREFERRED_LEADER_NOT_AVAILABLE


def test_a_move_that_the_new_leader_could_end_is_looked_at() -> None:
    book = Ledger(one((1, 2, 3), ASTRAY))
    assert book.turn(ELECT) == (CheckPartition(T),)


# --- the automatic rebalance -----------------------------------------------------------------


def test_a_broker_that_leads_too_little_gets_back_what_it_can_lead() -> None:
    parts = dict(enumerate([partition((1, 2))] * 8 + [partition((1, 2), leader=2)] * 2))
    state = cluster((1, 2, 3), topic("t", parts))
    names = (TopicPartition("t", 8), TopicPartition("t", 9))
    assert imbalanced(state, 19) == names
    # Not above the limit, but at it.
    assert imbalanced(state, 20) == ()


def test_each_broker_is_weighed_alone() -> None:
    parts = {
        **dict(enumerate([partition((1, 2))] * 9 + [partition((1, 2), leader=2)])),
        10: partition((3, 2), leader=2),
    }
    state = cluster((1, 2, 3), topic("t", parts))
    assert imbalanced(state, 10) == (TopicPartition("t", 10),)


@pytest.mark.parametrize(
    ("part", "online"),
    [
        (ASTRAY, (2, 3)),
        (partition((1, 2, 3), leader=2, isr=(2, 3)), (1, 2, 3)),
        (partition((1, 2, 3), (1,), (3,), leader=2, isr=(1, 2, 3)), (1, 2, 3)),
        (Partition(Assignment((1, 2))), (1, 2)),
        (partition((1, 2, 3)), (1, 2, 3)),
    ],
)
def test_what_cannot_be_helped_or_is_well_or_moves_is_left_alone(
    part: Partition, online: tuple[int, ...]
) -> None:
    assert imbalanced(one(online, part), 0) == ()


def test_a_topic_that_is_queued_for_deletion_does_not_count() -> None:
    state = one((1, 2, 3), ASTRAY)
    assert imbalanced(state, 10) == (T,)
    assert imbalanced(replace(state, deleting={"t": Deletion()}), 10) == ()
    assert imbalanced(replace(state, shutting_down=frozenset({1})), 10) == ()


def test_what_it_asks_for_brings_every_lead_home() -> None:
    parts = {n: partition((1 + n % 3, 1 + (n + 1) % 3), leader=1 + (n + 1) % 3) for n in range(9)}
    book = Ledger(cluster((1, 2, 3), topic("t", parts)))
    book.settle(*map(ElectPreferred, imbalanced(book.state, 10)))
    assert imbalanced(book.state, 0) == ()
