"""CreatePartitions: Kafka's checks in their order, the places of the new partitions, one write."""

from dataclasses import replace

import pytest
from core.clusters import Ledger, broker, cluster, partition, read_topic, topic

from klamm.controller.core.events import (
    AlterReassignment,
    CheckPartition,
    CreatePartitions,
    FaultFound,
    TopicRead,
)
from klamm.controller.core.model import Assignment, Deletion, TopicPartition
from klamm.controller.core.ops import SetData
from klamm.controller.core.plan import Lead, Publish
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.znodes import paths

GROW = CreatePartitions("t", 5)
THREE = {number: partition((2, 3)) for number in range(3)}


UNEVEN = (
    "Inconsistent replication factor between partitions, partition 0 has 2 while partitions [3, 4]"
    " have replication factors [1, 3], respectively."
)


def ledger(online: tuple[int, ...] = (1, 2, 3, 4)) -> Ledger:
    return Ledger(cluster(online, topic("t", THREE)))


def refused(book: Ledger, event: CreatePartitions) -> tuple[Fault, str]:
    before = book.state
    result = book.ask(event)
    assert isinstance(result, Refusal)
    assert book.state == before
    return result.fault, result.message


def replicas(book: Ledger) -> dict[int, tuple[int, ...]]:
    return {n: p.assignment.replicas for n, p in book.state.topics["t"].partitions.items()}


def test_new_partitions_are_written_and_led_in_one_commit() -> None:
    book = ledger()
    (commit,) = book.plan(GROW)
    assert commit.results == ((1, Done()),)
    assert [type(op) for op in commit.ops if op.path == paths.topic("t")] == [SetData]
    book.carry_out(commit)
    assert read_topic(book.tree, "t").partitions == replicas(book)
    led = {n: p.leadership for n, p in book.state.topics["t"].partitions.items()}
    assert all(held is not None for held in led.values())
    assert led[3] is not None
    assert (led[3].leader_epoch, led[3].version) == (0, 0)
    assert [type(message) for message in commit.messages] == [Lead, Publish, Lead, Publish]
    assert book.settle(*commit.follow_ups) == []
    assert commit.entries[0].kind == "topic-grown"


def test_places_begin_at_the_first_replica_of_partition_0() -> None:
    """Worked by hand from AdminUtils: four brokers, start and shift 1, numbering from 3 on."""
    book = ledger()
    assert book.ask(GROW) == Done()
    # Partition 3: (3 + 1) % 4 = 0, so broker 1; the other at 1 + (1 + 0) % 3 = 2, broker 3.
    # Partition 4: the shift grows to 2; (4 + 1) % 4 = 1, broker 2; 1 + 1 + 2 % 3 = 4 % 4, broker 1.
    assert replicas(book) == {0: (2, 3), 1: (2, 3), 2: (2, 3), 3: (1, 3), 4: (2, 1)}


def test_places_begin_at_the_next_broker_if_the_first_replica_is_gone() -> None:
    assert ledger((3, 4, 5)).ask(CreatePartitions("t", 4)) == Done()
    gone = Ledger(cluster((1, 2), topic("t", {0: partition((7, 2))})))
    assert gone.ask(CreatePartitions("t", 2)) == Done()
    assert replicas(gone)[1] == (2, 1)


def test_the_replication_factor_is_that_of_partition_0() -> None:
    parts = {0: partition((1, 2, 3)), 1: partition((1,))}
    book = Ledger(cluster((1, 2, 3), topic("t", parts)))
    assert book.ask(CreatePartitions("t", 3)) == Done()
    assert len(replicas(book)[2]) == 3


def test_racks_count() -> None:
    racks = {id_: broker(id_, rack="ab"[id_ % 2]) for id_ in (1, 2, 3, 4)}
    state = replace(cluster((), topic("t", {0: partition((1, 2))})), brokers=racks)
    book = Ledger(state)
    assert book.ask(CreatePartitions("t", 5)) == Done()
    for number in (1, 2, 3, 4):
        assert len({racks[id_].rack for id_ in replicas(book)[number]}) == 2


def test_an_explicit_assignment() -> None:
    book = ledger()
    assert book.ask(CreatePartitions("t", 5, ((4, 1), (1, 4)))) == Done()
    assert replicas(book)[3] == (4, 1)
    assert replicas(book)[4] == (1, 4)


def test_a_dry_run_checks_and_writes_nothing() -> None:
    book = ledger()
    before = book.state
    assert book.ask(replace(GROW, validate_only=True)) == Done()
    assert book.state == before
    assert (
        refused(book, CreatePartitions("t", 3, validate_only=True))[0] is Fault.INVALID_PARTITIONS
    )


@pytest.mark.parametrize(
    ("event", "fault", "text"),
    [
        (
            CreatePartitions("u", 5),
            Fault.UNKNOWN_TOPIC_OR_PARTITION,
            "The topic 'u' does not exist.",
        ),
        (
            CreatePartitions("t", 2),
            Fault.INVALID_PARTITIONS,
            "Topic currently has 3 partitions, which is higher than the requested 2.",
        ),
        (CreatePartitions("t", 3), Fault.INVALID_PARTITIONS, "Topic already has 3 partitions."),
        (
            CreatePartitions("t", -1, ((9,),)),
            Fault.INVALID_PARTITIONS,
            "Topic currently has 3 partitions, which is higher than the requested -1.",
        ),
        (
            CreatePartitions("t", 4, ((9, 1), (8, 8))),
            Fault.INVALID_REPLICA_ASSIGNMENT,
            "Unknown broker(s) in replica assignment: 8, 9.",
        ),
        (
            CreatePartitions("t", 5, ((1, 2),)),
            Fault.INVALID_REPLICA_ASSIGNMENT,
            "Increasing the number of partitions by 2 but 1 assignments provided.",
        ),
        (
            CreatePartitions("t", 4, ()),
            Fault.INVALID_REPLICA_ASSIGNMENT,
            "Increasing the number of partitions by 1 but 0 assignments provided.",
        ),
        (
            CreatePartitions("t", 5, ((1, 2), ())),
            Fault.INVALID_REPLICA_ASSIGNMENT,
            "Cannot have replication factor of 0 for partition id 4.",
        ),
        (
            CreatePartitions("t", 5, ((1, 2), (1, 1))),
            Fault.INVALID_REPLICA_ASSIGNMENT,
            "Duplicate brokers not allowed in replica assignment: 1, 1 for partition id 4.",
        ),
        (
            CreatePartitions("t", 5, ((1,), (1, 2, 3))),
            Fault.INVALID_REPLICA_ASSIGNMENT,
            UNEVEN,
        ),
    ],
)
def test_what_is_refused(event: CreatePartitions, fault: Fault, text: str) -> None:
    assert refused(ledger(), event) == (fault, text)


def test_too_few_brokers() -> None:
    assert refused(ledger((2,)), GROW) == (
        Fault.INVALID_REPLICATION_FACTOR,
        "Replication factor: 2 larger than available brokers: 1.",
    )
    assert refused(ledger(()), GROW)[0] is Fault.INVALID_REPLICATION_FACTOR


@pytest.mark.parametrize("lists", [None, ((1, 2),) * 79_997])
def test_more_partitions_than_one_znode_holds(lists: tuple[tuple[int, ...], ...] | None) -> None:
    fault, text = refused(ledger(), CreatePartitions("t", 80_000, lists))
    assert fault is Fault.INVALID_PARTITIONS
    assert text.startswith("Number of partitions was set to 80000, but a topic's znode holds about")


def test_a_topic_that_moves_or_is_to_be_deleted_or_cannot_be_read() -> None:
    moving = Ledger(cluster((1, 2, 3), topic("t", {0: partition((1, 2), adding=(2,))})))
    assert refused(moving, GROW) == (
        Fault.REASSIGNMENT_IN_PROGRESS,
        "A partition reassignment is in progress for the topic 't'.",
    )
    queued = Ledger(replace(ledger().state, deleting={"t": Deletion()}))
    assert refused(queued, GROW) == (
        Fault.INVALID_TOPIC_EXCEPTION,
        "The topic is queued for deletion.",
    )
    broken = ledger()
    broken.turn(FaultFound(paths.topic("t"), "it is no JSON"))
    fault, text = refused(broken, GROW)
    assert fault is Fault.UNKNOWN_SERVER_ERROR
    assert text.endswith("it is no JSON")


def test_a_topic_with_gaps_is_left_to_those_who_made_them() -> None:
    gaps = Ledger(cluster((1, 2), topic("t", {0: partition((1,)), 2: partition((1,))})))
    fault, text = refused(gaps, GROW)
    assert fault is Fault.UNKNOWN_SERVER_ERROR
    assert text.endswith("[0, 2]")


# --- with others in the same turn ------------------------------------------------------------


def test_two_growths_of_one_turn_are_one_write_with_two_answers() -> None:
    book = ledger()
    book.turn(CreatePartitions("t", 4), CreatePartitions("t", 4), CreatePartitions("t", 6))
    assert book.results[1] == [Done()]
    assert isinstance(book.results[2][0], Refusal)
    assert book.results[3] == [Done()]
    assert book.writes("t") == 3
    assert sorted(replicas(book)) == [0, 1, 2, 3, 4, 5]


def test_a_move_that_is_asked_for_with_a_growth() -> None:
    """H3: neither undoes the other."""
    book = ledger()
    book.turn(GROW, AlterReassignment(TopicPartition("t", 0), (4, 3)))
    assert book.results[2] == [Done()]
    assert book.state.topics["t"].partitions[0].assignment == Assignment((4, 3, 2), (4,), (2,))
    assert len(replicas(book)) == 5
    assert book.writes("t") == 3
    first_the_move = ledger()
    first_the_move.turn(AlterReassignment(TopicPartition("t", 0), (4, 3)), GROW)
    result = first_the_move.results[2][0]
    assert isinstance(result, Refusal)
    assert result.fault is Fault.REASSIGNMENT_IN_PROGRESS


def test_a_new_partition_can_be_moved_in_the_turn_in_which_it_is_made() -> None:
    book = ledger()
    book.turn(
        CreatePartitions("t", 4, ((1, 2),)), AlterReassignment(TopicPartition("t", 3), (4, 1))
    )
    assert book.results[2] == [Done()]
    assert book.state.topics["t"].partitions[3].assignment == Assignment((4, 1, 2), (4,), (2,))


def test_partitions_that_somebody_else_adds_are_led() -> None:
    """H3: outside tools write the topic's znode themselves."""
    book = ledger()
    outside = book.state.topics["t"]
    added = {3: replace(partition((4, 1)), leadership=None)}
    grown = replace(outside, version=3, partitions={**outside.partitions, **added})
    (commit,) = book.plan(TopicRead("t", grown))
    assert CheckPartition(TopicPartition("t", 3)) in commit.follow_ups


def test_nothing_is_placed_where_only_some_brokers_have_a_rack() -> None:
    book = ledger()
    racks = {1: "a", 2: None, 3: "b", 4: "b"}
    uneven = {id_: broker(id_, rack=rack) for id_, rack in racks.items()}
    book.state = replace(book.state, brokers=uneven)
    fault, text = refused(book, GROW)
    assert fault is Fault.UNKNOWN_SERVER_ERROR
    assert "on brokers 2 too" in text
    assert book.ask(replace(GROW, assignments=((1, 2), (2, 3)))) == Done()


def test_a_topic_without_partitions_has_no_replication_factor_to_go_by() -> None:
    book = Ledger(cluster((1, 2), topic("t", {})))
    fault, text = refused(book, CreatePartitions("t", 1))
    assert fault is Fault.UNKNOWN_SERVER_ERROR
    assert text.startswith("Topic 't' has no partitions")
