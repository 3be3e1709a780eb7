"""A survey takes its answers in parts, and from the beginning after a lost connection."""

import json
from collections.abc import Iterator

from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from klamm.controller.core.events import Fact, FaultFound, StateRead, TopicRead
from klamm.controller.core.model import TopicPartition
from klamm.controller.node.stale import Stale
from klamm.controller.node.survey import Survey
from klamm.controller.store.port import (
    Children,
    Missing,
    Read,
    ReadChildren,
    ReadData,
    ReadResult,
    Unreadable,
    Znode,
)
from klamm.controller.znodes import paths

PARTITIONS = {0: [1, 2], 1: [2, 3], 2: [1, 2]}
#: By partition of every topic what is found in the place of its state: a leader, or what is wrong.
FOUND = (1, "missing", "refused", "no json")
T = TopicPartition("t", 0)


def state_of(path: str, found: object) -> ReadResult:
    match found:
        case "missing":
            return Missing(path)
        case "refused":
            return Unreadable(path, "NOAUTH")
        case "no json":
            return znode(path, b"{")
        case leader:
            fields = {"leader": leader, "leader_epoch": 0, "isr": [1, 2], "controller_epoch": 1}
            return znode(path, json.dumps(fields).encode())


def znode(path: str, data: bytes) -> Znode:
    return Znode(path, data, version=3, czxid=7, mzxid=7, ephemeral_owner=0)


def answer(read: Read, found: dict[TopicPartition, object]) -> ReadResult:
    """What a ZooKeeper with topics of three partitions each would say."""
    path = read.path
    if isinstance(read, ReadChildren):
        names = ("t", "u") if path == paths.TOPICS else tuple(map(str, PARTITIONS))
        return Children(path, names, cversion=3, czxid=7)
    assert isinstance(read, ReadData)
    if not path.endswith("/state"):
        return znode(path, json.dumps({"version": 2, "partitions": PARTITIONS}).encode())
    _, _, _, topic, _, number, _ = path.split("/")
    return state_of(path, found.get(TopicPartition(topic, int(number)), 1))


def parts(answers: list[ReadResult], sizes: list[int]) -> Iterator[tuple[ReadResult, ...]]:
    while answers:
        size = sizes.pop() if sizes else len(answers)
        yield tuple(answers[:size])
        answers = answers[size:]


def survey(
    stale: Stale, found: dict[TopicPartition, object], sizes: list[int], broken: list[int]
) -> list[Fact]:
    """Carry a survey out; a round is first broken off after as many answers as `broken` says.

    Until then the states of `found` look as if they were led by 2.
    """
    made = Survey(stale, frozenset())
    while made.reads:
        if broken:
            earlier = [answer(read, dict.fromkeys(found, 2)) for read in made.reads]
            given_up = min(broken.pop(), len(earlier) - 1)
            if given_up:
                made.feed(tuple(earlier[:given_up]))
            made.restart()
        for part in parts([answer(read, found) for read in made.reads], sizes):
            made.feed(part)
    return made.facts()


SIZES = st.lists(st.integers(1, 5), max_size=30)
BROKEN = st.lists(st.integers(0, 9), max_size=3)
STALE = st.builds(
    Stale,
    topic_list=st.booleans(),
    topics=st.sets(st.sampled_from(["t", "u", "v"])),
    states=st.sets(st.builds(TopicPartition, st.sampled_from("tuvw"), st.integers(0, 2))),
)
STATES = st.dictionaries(
    st.builds(TopicPartition, st.sampled_from("tuvw"), st.integers(0, 2)), st.sampled_from(FOUND)
)


@budget(max_examples=150, deadline=None)
@given(STALE, STATES, SIZES, BROKEN)
def test_parts_and_broken_connections_make_no_difference(
    stale: Stale, found: dict[TopicPartition, object], sizes: list[int], broken: list[int]
) -> None:
    assert survey(stale, found, sizes, broken) == survey(stale, found, [], [])


def test_each_state_comes_to_its_own_partition() -> None:
    found: dict[TopicPartition, object] = {T: "missing", TopicPartition("w", 1): "no json"}
    lone = {TopicPartition("w", number) for number in (0, 1)}
    facts = survey(Stale(topics={"t"}, states=set(lone)), found, [1] * 20, [])
    (read,) = (fact for fact in facts if isinstance(fact, TopicRead))
    assert read.topic is not None
    assert [part.leader for part in read.topic.partitions.values()] == [-1, 1, 1]
    assert read.topic.bare == frozenset({0})
    assert [f.partition for f in facts if isinstance(f, StateRead)] == [TopicPartition("w", 0)]
    assert [f.path for f in facts if isinstance(f, FaultFound)] == [paths.state("w", 1)]


def test_equal_lists_are_one_value() -> None:
    (read,) = survey(Stale(topics={"t"}), {}, [], [])
    assert isinstance(read, TopicRead)
    assert read.topic is not None
    first, other, third = read.topic.partitions.values()
    assert first.assignment is third.assignment
    assert first.assignment != other.assignment
    assert first.leadership is not None
    assert third.leadership is not None
    assert first.leadership.isr is third.leadership.isr is first.assignment.replicas
