"""What cannot be read is set aside under its path, left alone, and taken up when it is mended."""

import pytest
from core.clusters import Ledger, T, cluster, one, partition, topic

from klamm.controller.core.apply import apply
from klamm.controller.core.changes import SetTopic, SetUnreadable
from klamm.controller.core.events import (
    AlterReassignment,
    CheckPartition,
    CreateTopic,
    FaultFound,
    StateRead,
    TopicRead,
)
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import Done, Fault, Refusal, TopicCreated
from klamm.controller.znodes import paths

TOPIC, STATE = paths.topic("t"), paths.state(*T)
U = TopicPartition("t", 1)
PARTS = {0: partition((1, 2)), 1: partition((2, 3))}


def ledger(*faults: FaultFound) -> Ledger:
    book = Ledger(cluster((1, 2, 3), topic("t", PARTS)))
    book.turn(*faults)
    return book


def faulty(path: str) -> FaultFound:
    return FaultFound(path, f"{path}: it is no JSON")


def code(book: Ledger, name: TopicPartition, target: tuple[int, ...] | None = (3, 1)) -> str:
    result = book.ask(AlterReassignment(name, target))
    return result.fault.name if isinstance(result, Refusal) else ""


def test_the_set_is_replaced_and_nothing_else_touched() -> None:
    before = cluster((1, 2), topic("t", PARTS))
    after = apply(before, [SetUnreadable({"/a": "why"})])
    assert after.unreadable == {"/a": "why"}
    assert before.unreadable == {}
    assert after.topics is before.topics
    assert apply(after, [SetUnreadable({})]) == before


def test_a_fault_writes_nothing_and_is_kept_with_its_text() -> None:
    book = Ledger(cluster((1, 2, 3), topic("t", PARTS)))
    (commit,) = book.plan(faulty(STATE), faulty(TOPIC))
    assert (commit.ops, commit.messages, commit.follow_ups) == ((), (), ())
    book.carry_out(commit)
    assert book.state.unreadable == {STATE: faulty(STATE).text, TOPIC: faulty(TOPIC).text}
    assert book.state.topics["t"].partitions == PARTS


def test_an_unreadable_state_holds_its_partition_and_no_other() -> None:
    book = ledger(faulty(STATE))
    assert code(book, T) == Fault.UNKNOWN_SERVER_ERROR.name
    assert code(book, T, None) == Fault.UNKNOWN_SERVER_ERROR.name
    assert code(book, U) == ""


def test_an_unreadable_topic_holds_all_its_partitions() -> None:
    book = ledger(faulty(TOPIC))
    assert {code(book, name) for name in (T, U)} == {Fault.UNKNOWN_SERVER_ERROR.name}
    before = book.state
    assert book.turn(CheckPartition(T, reassigned=True)) == ()
    assert book.state == before


@pytest.mark.parametrize("changed", [False, True])
def test_a_topic_that_is_mended_is_looked_at_with_all_that_was_below_it(changed: bool) -> None:
    parts = {n: partition(p.assignment.replicas, leader=9) for n, p in PARTS.items()}
    book = Ledger(cluster((1, 2, 3), topic("t", parts)))
    book.turn(faulty(TOPIC), faulty(STATE))
    known = book.state.topics["t"]
    if changed:
        book.tree.nodes[TOPIC].version = 5
    following = book.turn(TopicRead("t", topic("t", parts, version=5) if changed else known))
    assert book.state.unreadable == {}
    assert {event.partition for event in following if isinstance(event, CheckPartition)} == {T, U}


def test_a_state_that_is_mended_says_nothing_of_others() -> None:
    book = ledger(faulty(STATE), faulty(paths.state(*U)))
    following = book.turn(StateRead(T, PARTS[0].leadership))
    assert following == (CheckPartition(T),)
    assert set(book.state.unreadable) == {paths.state(*U)}


def test_one_topic_is_not_another_whose_name_begins_like_it() -> None:
    both = (topic("t", PARTS), topic("tt", PARTS))
    book = Ledger(cluster((1, 2, 3), *both))
    book.turn(faulty(paths.state("tt", 0)))
    book.tree.nodes[TOPIC].version = 5
    book.turn(TopicRead("t", topic("t", PARTS, version=5)))
    assert set(book.state.unreadable) == {paths.state("tt", 0)}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("a.b", Fault.TOPIC_ALREADY_EXISTS),
        ("a_b", Fault.INVALID_TOPIC_EXCEPTION),
        ("a-b", None),
    ],
)
def test_the_name_of_an_unreadable_topic_is_taken(name: str, fault: Fault | None) -> None:
    book = ledger(faulty(paths.topic("a.b")), faulty(paths.state("a_c", 0)))
    result = book.ask(CreateTopic(name, 1, 1, {}, {}, 0, 0))
    if fault is None:
        assert result == TopicCreated(1, 1)
    else:
        assert isinstance(result, Refusal)
        assert result.fault is fault
        assert "a.b" in result.message


def test_a_state_alone_takes_no_name() -> None:
    book = ledger(faulty(paths.state("a_c", 0)))
    assert book.ask(CreateTopic("a.c", 1, 1, {}, {}, 0, 0)) == TopicCreated(1, 1)
    assert book.ask(AlterReassignment(TopicPartition("a.c", 0), (2,))) == Done()


def test_however_many_faults_are_found_in_a_turn_they_are_one_change() -> None:
    book = Ledger(one((1, 2, 3), partition((1, 2))))
    names = [f"/brokers/topics/x{number}" for number in range(2_000)]
    (commit,) = book.plan(*(FaultFound(name, "no JSON") for name in names))
    (change,) = commit.changes
    assert change == SetUnreadable(dict.fromkeys(names, "no JSON"))
    book.carry_out(commit)
    assert book.state.unreadable.keys() == set(names)
    # What is found and mended in the same turn, or found again as it was, is no change.
    again = FaultFound(names[0], "no JSON")
    (commit,) = book.plan(again, FaultFound(paths.topic("y"), "no JSON"), TopicRead("y", None))
    assert commit.changes == (SetTopic("y", None),)


def test_what_is_mended_takes_along_what_is_below_it_and_nothing_that_is_called_alike() -> None:
    book = Ledger(one((1, 2, 3), partition((1, 2))))
    below = [paths.state("t", number) for number in (0, 1)]
    others = [paths.topic("t2"), paths.state("t2", 0)]
    book.turn(*(FaultFound(path, "no JSON") for path in (*below, *others)))
    book.turn(TopicRead("t", book.state.topics["t"]))
    assert book.state.unreadable.keys() == set(others)
