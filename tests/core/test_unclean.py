"""Unclean elections: a leader for partitions that would have none, records or not."""

from dataclasses import replace

import pytest
from core.clusters import Ledger, T, cluster, one, partition, topic

from klamm.controller.core.events import ElectUnclean
from klamm.controller.core.model import Assignment, Deletion, Partition, TopicPartition
from klamm.controller.core.plan import Lead, Publish
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.znodes import paths
from klamm.controller.znodes.parsing import INT32_MAX

ELECT = ElectUnclean(T)
#: Nobody in sync is alive, and so nobody leads.
LOST = partition((1, 2, 3), leader=-1, isr=(1,))


def refusal(book: Ledger, event: ElectUnclean = ELECT) -> Refusal:
    answer = book.ask(event)
    assert isinstance(answer, Refusal)
    return answer


@pytest.mark.parametrize("leader", [-1, 1])
def test_the_first_live_replica_leads_and_is_the_isr(leader: int) -> None:
    book = Ledger(one((2, 3), partition((1, 2, 3), leader=leader, isr=(1,))))
    assert book.ask(ELECT) == Done()
    leadership = book.t.leadership
    assert leadership is not None
    assert (leadership.leader, leadership.leader_epoch, leadership.isr) == (2, 4, (2,))
    assert leadership.leader_recovery_state == 0, "brokers before 3.2 do not know of recovery"
    assert book.messages == [Lead(T, (2, 3)), Publish(T)]
    assert book.writes("t") == 2
    assert book.entries[-1].kind == "elect-unclean"


def test_who_was_not_in_sync_recovers_where_brokers_know_what_that_is() -> None:
    book = Ledger(one((3,), LOST), settings=Settings(leader_recovery=True))
    assert book.ask(ELECT) == Done()
    leadership = book.t.leadership
    assert leadership is not None
    assert (leadership.leader, leadership.leader_epoch, leadership.isr) == (3, 4, (3,))
    assert leadership.leader_recovery_state == 1
    assert LOST.leadership is not None
    assert leadership.version == LOST.leadership.version + 1


def test_who_is_in_sync_goes_first_and_nothing_is_lost() -> None:
    """Such a partition has no leader for a moment only, and is elected one without being asked."""
    book = Ledger(
        one((2, 3), partition((1, 2, 3), leader=-1, isr=(1, 3))),
        settings=Settings(leader_recovery=True),
    )
    assert refusal(book).fault is Fault.ELECTION_NOT_NEEDED
    leadership = book.t.leadership
    assert leadership is not None
    assert (leadership.leader, leadership.isr) == (3, (3,))
    assert leadership.leader_recovery_state == 0


def test_a_leader_that_lives_needs_no_election() -> None:
    book = Ledger(one((1, 2, 3), partition((1, 2, 3), leader=2)))
    assert refusal(book).fault is Fault.ELECTION_NOT_NEEDED
    assert book.t.leader == 2


@pytest.mark.parametrize(
    ("part", "online"),
    [
        (LOST, ()),
        (LOST, (4,)),
        (Partition(Assignment((1, 2))), (3,)),
        (partition((1, 2), leader=-1, isr=(1,), leader_epoch=INT32_MAX), (2,)),
    ],
)
def test_without_a_live_replica_there_is_nobody_to_elect(
    part: Partition, online: tuple[int, ...]
) -> None:
    book = Ledger(one(online, part))
    answer = refusal(book)
    assert answer.fault is Fault.ELIGIBLE_LEADERS_NOT_AVAILABLE
    assert answer.message == (
        "Failed to elect leader for partition t-0 under strategy"
        " OfflinePartitionLeaderElectionStrategy(true)"
    )
    assert book.t == part


def test_a_broker_that_is_shutting_down_is_not_elected() -> None:
    state = replace(one((2, 3), LOST), shutting_down=frozenset({2}))
    book = Ledger(state)
    assert book.ask(ELECT) == Done()
    assert book.t.leader == 3


def test_a_partition_that_is_not_there_or_goes_or_cannot_be_read() -> None:
    book = Ledger(one((2, 3), LOST))
    unknown = refusal(book, ElectUnclean(TopicPartition("t", 9)))
    assert unknown == Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
    state = book.state
    book.state = replace(state, deleting={"t": Deletion()})
    assert refusal(book) == Refusal(Fault.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
    book.state = replace(state, unreadable={paths.state("t", 0): "no JSON"})
    assert refusal(book).fault is Fault.ELIGIBLE_LEADERS_NOT_AVAILABLE


def test_a_move_goes_on_under_its_new_leader() -> None:
    """Whoever is elected may be a replica that the move adds; it is in sync then."""
    moving = Partition(Assignment((4, 1), (4,), (1,)), LOST.leadership)
    book = Ledger(cluster((4,), topic("t", {0: moving})))
    assert book.ask(ELECT) == Done()
    assert book.t.leader == 4
