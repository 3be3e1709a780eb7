"""Brokers place topics of their own on klamm nodes too, which hold no replica."""

from core.clusters import Ledger, cluster, partition, read_topic, topic

from klamm.controller.core.events import TopicRead
from klamm.controller.core.housing import housed
from klamm.controller.core.model import Assignment, Partition, Topic

NODE = 900


def new(*replicas: int) -> Partition:
    """A partition that nobody has led yet."""
    return Partition(Assignment(replicas))


def lists(found: Topic) -> dict[int, tuple[int, ...]]:
    return {number: part.assignment.replicas for number, part in found.partitions.items()}


def moved(*replicas: int, brokers: tuple[int, ...] = (1, 2, 3)) -> tuple[int, ...]:
    return lists(housed(topic("t", {0: new(*replicas)}), {NODE}, brokers))[0]


def test_a_broker_without_a_replica_takes_the_place() -> None:
    assert moved(NODE) == (1,)
    assert moved(NODE, 1) == (2, 1)
    assert moved(2, NODE, 1) == (2, 3, 1)
    assert moved(1, 2) == (1, 2)


def test_brokers_take_turns_by_partition() -> None:
    found = housed(topic("t", {number: new(NODE) for number in range(6)}), {NODE}, (3, 1, 2))
    assert lists(found) == {0: (1,), 1: (2,), 2: (3,), 3: (1,), 4: (2,), 5: (3,)}


def test_two_nodes_in_one_list_are_two_brokers() -> None:
    found = housed(topic("t", {0: new(900, 901)}), {900, 901}, (1, 2))
    assert lists(found) == {0: (1, 2)}


def test_a_place_that_nobody_can_take_is_left_out_but_the_last() -> None:
    assert moved(NODE, 1, 2, 3) == (1, 2, 3)
    assert moved(NODE, brokers=()) == (NODE,)


def test_what_was_led_or_moves_is_left_alone() -> None:
    moving = Partition(Assignment((1, NODE), adding=(NODE,)))
    given = topic("t", {0: partition((NODE, 1)), 1: moving})
    assert housed(given, {NODE}, (1, 2)) is given


def test_a_topic_is_written_with_brokers_before_anybody_leads_it() -> None:
    given = topic("t", {0: new(NODE), 1: new(1), 2: new(NODE, 1)})
    book = Ledger(cluster((1, 2, 3), given))
    assert book.state.controller_id == NODE
    book.turn(TopicRead("t", given, 40))
    assert lists(book.state.topics["t"]) == {0: (1,), 1: (1,), 2: (2, 1)}
    assert read_topic(book.tree, "t").partitions == {0: (1,), 1: (1,), 2: (2, 1)}
    assert [entry.kind for entry in book.entries] == ["housed"]


def test_a_broker_of_that_id_keeps_its_replicas() -> None:
    given = topic("t", {0: new(NODE)})
    book = Ledger(cluster((1, 2, NODE), given))
    book.turn(TopicRead("t", given, 40))
    assert lists(book.state.topics["t"]) == {0: (NODE,)}
