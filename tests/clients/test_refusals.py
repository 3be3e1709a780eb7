"""Every input that 45 and 46 refuse: code and text on the wire, in both profiles.

`T` is a topic of the test's own with three partitions: 0 on brokers 1 and 2, idle; 1 moving from
brokers 1 and 2 to the frozen broker 4 and 2; 2 on broker 1 and on 9, which is no live broker.
"""

from dataclasses import dataclass

import pytest
from thin_line.world import World

from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)

Target = tuple[int, ...] | None
Answer = tuple[int, str | None]
Named = dict[str, tuple[int, ...]]

EMPTY = (39, "Empty replica list specified in partition reassignment.")
DOUBLED = (39, "Duplicate replica ids in partition reassignment replica list")
NEGATIVE = (39, "Invalid broker id in replica list")
DEAD = (39, "Replica assignment has brokers that are not alive. Replica list:")
MISSING = (3, "The partition does not exist.")
IDLE = (85, "No partition reassignment is in progress.")
FINE = (0, None)
NOT_CONTROLLER = (41, "This is not the correct controller for this cluster.")

APACHE, KIP = "apache-3.9", "kip-455"
NOWHERE = "nowhere"


@dataclass(frozen=True)
class Row:
    """One entry of an Alter request and what it comes to; texts match by their beginning."""

    topic: str
    partition: int
    target: Target
    apache: Answer
    kip: Answer

    def expected(self, profile: str) -> Answer:
        return self.apache if profile == APACHE else self.kip


def row(
    name: str,
    place: tuple[str, int],
    target: Target,
    apache: Answer,
    kip: Answer | None = None,
    *reqs: str,
) -> object:
    found = Row(*place, target, apache, kip or apache)
    marks = [pytest.mark.req(*reqs)] if reqs else []
    return pytest.param(found, id=name, marks=marks)


IDLE_ONE, MOVING, HALF_DEAD, NO_PARTITION, NO_TOPIC = (
    ("T", 0), ("T", 1), ("T", 2), ("T", 7), (NOWHERE, 0),
)  # fmt: skip

TABLE = [
    row("an empty target", IDLE_ONE, (), EMPTY, None, "R455-17"),
    row("an empty target is no cancel", MOVING, (), EMPTY, None, "R455-17"),
    row("a doubled id", IDLE_ONE, (1, 1), DOUBLED, None, "R455-18"),
    row("a doubled id that is dead", IDLE_ONE, (9, 9), DOUBLED, None, "R455-18"),
    row("a negative id", IDLE_ONE, (1, -2), NEGATIVE, None, "R455-19"),
    row("a dead broker is added", IDLE_ONE, (1, 9), DEAD, None, "R455-20"),
    row("a dead broker is added to a move", MOVING, (4, 9), DEAD, None, "R455-20"),
    row("a dead broker is kept", HALF_DEAD, (9, 1), FINE, DEAD, "R455-20"),
    row("the controller's own id", IDLE_ONE, (1, 900), DEAD),
    row("an unknown partition", NO_PARTITION, (1, 2), MISSING, None, "R455-21"),
    row("an unknown topic", NO_TOPIC, (1, 2), MISSING, None, "R455-21"),
    row("a negative partition", ("T", -1), (1, 2), MISSING, None, "R455-21"),
    row("a dead broker in an unknown partition", NO_PARTITION, (9, 1), DEAD, MISSING, "R455-22"),
    row("a dead broker in an unknown topic", NO_TOPIC, (9, 1), DEAD, MISSING, "R455-22"),
    row("an empty target of an unknown topic", NO_TOPIC, (), EMPTY, MISSING, "R455-22"),
    row("a doubled id in an unknown topic", NO_TOPIC, (1, 1), DOUBLED, MISSING, "R455-22"),
    row("a cancel of what does not move", IDLE_ONE, None, IDLE, None, "R455-23"),
    row("a cancel of an unknown partition", NO_PARTITION, None, IDLE, MISSING, "R455-23"),
    row("a cancel of an unknown topic", NO_TOPIC, None, IDLE, MISSING, "R455-23"),
    row("a cancel of a move", MOVING, None, FINE),
    row("the same target again", MOVING, (4, 2), FINE),
    row("another target", MOVING, (1, 2, 3), FINE),
    row("what is there already", IDLE_ONE, (1, 2), FINE),
]


@pytest.fixture
def topic(either: World) -> str:
    either.freeze(4)
    name = either.topic([1, 2], [1, 2], [1, 9])
    assert either.alter(name, [4, 2], 1) == 0
    return name


def alter(
    world: World, *entries: tuple[str, int, Target], broker: int | None = None
) -> AlterPartitionReassignmentsResponse:
    """Send one request; neighbours with the same topic share its entry."""
    topics: list[tuple[str, list[ReassignablePartition]]] = []
    for name, number, target in entries:
        if not topics or topics[-1][0] != name:
            topics.append((name, []))
        topics[-1][1].append(ReassignablePartition(number, target))
    request = AlterPartitionReassignmentsRequest(
        topics=tuple(ReassignableTopic(name, tuple(found)) for name, found in topics)
    )
    with world.connect(broker) as wire:
        response = wire.ask(request)
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    return response


def answers(
    response: AlterPartitionReassignmentsResponse,
) -> list[tuple[str, int, int, str | None]]:
    return [
        (found.name, item.partition_index, item.error_code, item.error_message)
        for found in response.responses
        for item in found.partitions
    ]


def list_moves(
    world: World, topics: Named | None, broker: int | None = None
) -> ListPartitionReassignmentsResponse:
    asked = None
    if topics is not None:
        asked = tuple(ListPartitionReassignmentsTopics(*item) for item in topics.items())
    request = ListPartitionReassignmentsRequest(topics=asked)
    with world.connect(broker) as wire:
        response = wire.ask(request)
    assert isinstance(response, ListPartitionReassignmentsResponse)
    return response


Listed = dict[tuple[str, int], tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]


def listed(response: ListPartitionReassignmentsResponse) -> Listed:
    assert response.error_code == 0
    return {
        (found.name, item.partition_index): (
            item.replicas,
            item.adding_replicas,
            item.removing_replicas,
        )
        for found in response.topics
        for item in found.partitions
    }


@pytest.mark.parametrize("entry", TABLE)
def test_one_entry(either: World, profile: str, topic: str, entry: Row) -> None:
    name = topic if entry.topic == "T" else entry.topic
    before = either.topic_znode(topic)
    response = alter(either, (name, entry.partition, entry.target))
    [(answered, partition, code, text)] = answers(response)
    expected_code, expected_text = entry.expected(profile)
    assert (response.error_code, answered, partition) == (0, name, entry.partition)
    assert code == expected_code
    if expected_text is None:
        assert text is None
    else:
        assert text is not None
        assert text.startswith(expected_text)
        assert either.topic_znode(topic) == before, "what is refused changes nothing"


@pytest.mark.req("R455-113")
def test_the_top_level_text_on_success(either: World, profile: str, topic: str) -> None:
    expected = {APACHE: "", KIP: None}[profile]
    for response in (
        alter(either),
        alter(either, (topic, 0, ())),
        alter(either, (topic, 0, (2, 1))),
        list_moves(either, None),
        list_moves(either, {topic: (0, 1)}),
    ):
        assert (response.error_code, response.error_message) == (0, expected)


@pytest.mark.req("R455-16")
def test_what_is_refused_stops_nobody_else(either: World, topic: str) -> None:
    response = alter(
        either,
        (topic, 0, (4, 1)),
        (topic, 1, ()),
        (NOWHERE, 0, (1, 2)),
        (topic, 7, (1, 2)),
        (topic, 2, (1, 1)),
    )
    assert response.error_code == 0
    assert {(name, number): code for name, number, code, _ in answers(response)} == {
        (topic, 0): 0,
        (topic, 1): 39,
        (NOWHERE, 0): 3,
        (topic, 7): 3,
        (topic, 2): 39,
    }
    assert set(either.listed(topic)) == {0, 1}


@pytest.mark.req("R455-15")
def test_the_last_of_two_entries_counts_and_is_answered_once(either: World, topic: str) -> None:
    response = alter(either, (topic, 1, ()), (topic, 0, (4, 2)), (topic, 0, ()), (topic, 1, None))
    assert [(number, code) for _, number, code, _ in answers(response)] == [(1, 0), (0, 39)]
    assert either.listed(topic) == {}


def test_a_topic_without_partitions_is_not_echoed(either: World, topic: str) -> None:
    request = AlterPartitionReassignmentsRequest(topics=(ReassignableTopic(topic, ()),))
    with either.connect() as wire:
        response = wire.ask(request)
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert (response.error_code, response.responses) == (0, ())


def test_a_node_that_is_no_controller_refuses_an_alter(either: World, topic: str) -> None:
    before = either.topic_znode(topic)
    response = alter(either, (topic, 0, (4, 2)), broker=3)
    assert (response.error_code, response.error_message) == NOT_CONTROLLER
    assert response.responses == ()
    assert either.topic_znode(topic) == before


@pytest.mark.req("R455-34")
def test_a_node_that_is_no_controller_refuses_a_list(either: World, topic: str) -> None:
    named: Named = {topic: (1,)}
    for topics in (None, named):
        response = list_moves(either, topics, broker=3)
        assert (response.error_code, response.error_message) == NOT_CONTROLLER
        assert response.topics == ()


@pytest.mark.req("R455-35")
def test_null_lists_all_and_nothing_named_lists_nothing(either: World, topic: str) -> None:
    other = either.topic([1, 2])
    assert either.alter(other, [2, 4]) == 0
    everything = listed(list_moves(either, None))
    assert {(topic, 1), (other, 0)} <= everything.keys()
    assert listed(list_moves(either, {})) == {}
    assert listed(list_moves(either, {topic: (), other: ()})) == {}


@pytest.mark.req("R455-36")
def test_a_named_partition_that_does_not_move(either: World, profile: str, topic: str) -> None:
    found = listed(list_moves(either, {topic: (0,)}))
    assert found == {APACHE: {}, KIP: {(topic, 0): ((1, 2), (), ())}}[profile]
    assert (topic, 0) not in listed(list_moves(either, None))


@pytest.mark.req("R455-37")
def test_named_partitions_that_do_not_exist(either: World, topic: str) -> None:
    response = list_moves(either, {NOWHERE: (0, 1), topic: (7, 1, -1)})
    assert list(listed(response)) == [(topic, 1)]
