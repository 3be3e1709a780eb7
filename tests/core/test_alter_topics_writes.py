"""AlterTopics as Commits: one write of the topic's znode with all that moves, or a refusal."""

from bisect import bisect
from dataclasses import replace

import pytest
from core.clusters import Ledger, cluster, partition, read_topic, topic

from klamm.controller.core import decide as deciding
from klamm.controller.core import packing, shares
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AlterReassignment,
    AlterTopic,
    BrokersRead,
    CheckPartition,
)
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Check
from klamm.controller.core.plan import Plan
from klamm.controller.core.results import Done, Fault, Refusal
from klamm.controller.core.sizes import multi_size
from klamm.controller.znodes import paths

ALL = (1, 2, 3, 4)


def world(partitions: int = 30) -> ClusterState:
    """Topics t and u of so many partitions each, and v whose leader is gone."""
    parts = {number: partition((1, 2)) for number in range(partitions)}
    led_by_5 = {number: partition((5, 1), leader=5, isr=(5, 1)) for number in range(20)}
    return cluster((*ALL, 5), topic("t", parts), topic("u", parts), topic("v", led_by_5))


def small_commits(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    def plan_of(draft: Draft) -> Plan:
        return packing.plan_of(draft, limit)

    monkeypatch.setattr(deciding, "plan_of", plan_of)


@pytest.mark.req("R179A-33")
@pytest.mark.parametrize("limit", [1, 2_000, 9_000, 12_000, 900_000])
def test_whatever_a_commit_holds_a_topic_is_written_once(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Elections come first, and Commits are full: still nothing of a topic is written before."""
    small_commits(monkeypatch, limit)
    book = Ledger(world())
    gone = BrokersRead({id_: book.state.brokers[id_] for id_ in ALL})
    checks = [CheckPartition(TopicPartition("v", number)) for number in range(20)]
    moves = [AlterTopic(name, 33, 3, place=place) for place, name in enumerate("tu")]
    plan = book.plan(gone, *checks, *moves)
    before = {name: read_topic(book.tree, name) for name in "tu"}
    whole = {name: set(range(33)) for name in "tu"}
    for commit in plan:
        book.carry_out(commit)
        for name in "tu":
            now = read_topic(book.tree, name)
            if now == before[name]:
                continue
            assert set(now.partitions) == whole[name]
            assert set(now.adding) == set(range(30))
            # And those that move are all begun: their replicas will be told by this epoch.
            held = [book.state.topics[name].partitions[n].leadership for n in range(30)]
            assert {each.leader_epoch for each in held if each} == {4}
    assert [book.writes(name) for name in "tu"] == [3, 3]
    answered = sum(len(commit.causes) > 0 for commit in plan)
    assert answered
    assert [book.results[cause] for cause in (22, 23)] == [[Done()], [Done()]]


@pytest.mark.req("R179A-33")
def test_what_else_a_turn_does_to_the_topic_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    small_commits(monkeypatch, 1_500)
    book = Ledger(world())
    cancel = AlterReassignment(TopicPartition("t", 3), None)
    further = AlterReassignment(TopicPartition("t", 4), (3, 4))
    book.turn(AlterTopic("t", 33, 3), cancel, further)
    assert book.results == {1: [Done()], 2: [Done()], 3: [Done()]}
    znode = read_topic(book.tree, "t")
    assert book.writes("t") == 3
    assert znode.partitions[3] == (1, 2)
    assert znode.partitions[4] == (3, 4, 1, 2)


@pytest.mark.req("R455-110")
def test_a_topic_too_large_for_one_write_is_refused_and_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = shares.STATE_BYTES + 4_000
    monkeypatch.setattr(shares, "COMMIT_BYTES", limit)
    state = world()
    book = Ledger(replace(state, topics={**state.topics, "w": topic("w", {0: partition((1, 2))})}))
    book.turn(AlterTopic("t", 33, 3), AlterTopic("w", 2, 3, place=1))
    (refusal,) = book.results[1]
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.INVALID_REQUEST
    assert str(limit) in refusal.message
    size = next(int(word) for word in refusal.message.split() if word.isdecimal())
    assert size > limit
    assert book.state.topics["t"] == state.topics["t"]
    assert book.writes("t") == 2
    assert book.results[2] == [Done()]
    assert read_topic(book.tree, "w").adding == {0: (3,)}
    # A part of it fits; so does what moves nothing.
    quiet = Ledger(state)
    some = tuple((number, (1, 3)) for number in range(5))
    assert quiet.ask(AlterTopic("t", assignment=some)) == Done()
    assert Ledger(state).ask(AlterTopic("t", 33)) == Done()


@pytest.mark.req("R455-110")
def test_growth_that_makes_a_topic_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first check goes by partition 0; others of this topic take more."""
    monkeypatch.setattr(shares, "COMMIT_BYTES", shares.STATE_BYTES + 2_000)
    wide = {number: partition((1, 2, 3, 4)) for number in range(1, 50)}
    state = cluster(ALL, topic("t", {0: partition((1,)), **wide}))
    assert Ledger(state).ask(AlterTopic("t", 51)) == Done()
    refusal = Ledger(state).ask(AlterTopic("t", 200))
    assert isinstance(refusal, Refusal)
    assert refusal.fault is Fault.INVALID_REQUEST


@pytest.mark.req("R455-110")
def test_the_size_that_is_judged_is_the_size_that_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the largest topic that one Commit takes, and of one partition more."""
    limit = 40_000
    monkeypatch.setattr(shares, "COMMIT_BYTES", limit)

    def commits(partitions: int) -> Plan:
        return Ledger(world(partitions)).plan(AlterTopic("t", replicas=3))

    too_many = bisect(range(300), False, lo=100, key=lambda n: not commits(n)[-1].ops)
    largest = too_many - 1
    _, commit = commits(largest)
    fence = Check(paths.CONTROLLER_EPOCH, 5)
    size = multi_size(commit.ops, fence)
    room = shares.STATE_BYTES + 45 * largest  # kept for the deletes that its moves will owe
    assert limit - room < size <= limit
    ((_, refusal),) = commits(too_many)[-1].results
    assert isinstance(refusal, Refusal)
    assert str(limit) in refusal.message
