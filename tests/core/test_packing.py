"""Any draft, any limit: what every Plan keeps, however it is cut."""

from dataclasses import replace

import pytest
from core.clusters import (
    EPOCH,
    Ledger,
    brokers,
    cluster,
    partition,
    read_partition,
    topic,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from klamm.controller.core.changes import SetPartition, SetTopic
from klamm.controller.core.decide import DECISIONS
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import (
    AlterReassignment,
    BrokersRead,
    Cause,
    CheckPartition,
    CreateTopic,
    Event,
    FollowUp,
    RemoveZnode,
)
from klamm.controller.core.model import Assignment, ClusterState, Partition, Topic, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.packing import COMMIT_BYTES, OPS_PER_COMMIT, plan_of
from klamm.controller.core.plan import Commit, Plan
from klamm.controller.core.rules import APACHE_3_9, KIP_455
from klamm.controller.core.settings import Settings
from klamm.controller.core.sizes import op_size
from klamm.controller.node.places import Place, locate
from klamm.controller.store.memory_tree import Tree
from klamm.controller.store.port import Unknown
from klamm.controller.store.witness import inquire
from klamm.controller.znodes import paths

IDS = st.integers(1, 6)
LISTS = st.lists(IDS, unique=True, min_size=1, max_size=4).map(tuple)


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    replicas = draw(LISTS)
    if draw(st.integers(0, 3)) == 0:
        return Partition(Assignment(replicas))
    return partition(replicas, version=draw(st.integers(0, 5)))


@st.composite
def states(draw: st.DrawFn) -> ClusterState:
    """Up to three topics, some without leaders, some without directories."""
    topics: list[Topic] = []
    for name in ("a", "b", "c")[: draw(st.integers(0, 3))]:
        parts = dict(enumerate(draw(st.lists(partitions(), min_size=1, max_size=5))))
        made = topic(name, parts, version=draw(st.integers(0, 3)))
        if not any(part.leadership for part in parts.values()):
            bare = draw(st.sampled_from([None, frozenset(), frozenset({0})]))
            made = replace(made, bare=bare)
        topics.append(made)
    return cluster(draw(st.sets(IDS, min_size=1)), *topics)


@st.composite
def events(draw: st.DrawFn, state: ClusterState) -> list[Event]:
    names = [name for name, _ in state.partitions()] or [TopicPartition("a", 0)]
    found: list[Event] = []
    for _ in range(draw(st.integers(1, 10))):
        name = draw(st.sampled_from([*names, TopicPartition("new", 0)]))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            found.append(CheckPartition(name))
        elif kind == 1:
            found.append(AlterReassignment(name, draw(st.none() | LISTS)))
        elif kind == 2:
            found.append(BrokersRead(brokers(*draw(st.sets(IDS, min_size=1)))))
        elif kind == 3:
            found.append(RemoveZnode(f"{paths.ISR_CHANGE_PREFIX}{draw(st.integers(1, 4)):010}"))
        else:
            lists = draw(st.lists(st.permutations((1, 2, 3)).map(tuple), min_size=1, max_size=4))
            new = draw(st.sampled_from(["new", "newer"]))
            found.append(CreateTopic(new, -1, -1, dict(enumerate(lists)), {}, 0, 0))
    return found


def cut(state: ClusterState, causes: list[Cause], config: Settings, limit: int) -> Plan:
    draft = Draft(state, config)
    for cause in sorted(causes, key=lambda cause: DECISIONS[type(cause.event)][0]):
        DECISIONS[type(cause.event)][1](draft, cause, cause.event)
    return plan_of(draft, limit)


def touched(ops: tuple[Op, ...]) -> set[tuple[str, int]]:
    """The partitions whose states these operations write, and the topics of other paths."""
    places = [locate(op.path) for op in ops]
    return {(p.topic, p.partition.partition if p.partition else -1) for p in places if p.topic}


def everything(tree: Tree, state: ClusterState) -> dict[TopicPartition, Partition | None]:
    return {
        name: read_partition(tree, name) if paths.topic(name.topic) in tree.nodes else None
        for name, _ in state.partitions()
    }


@settings(max_examples=150)
@given(
    st.data(),
    states(),
    st.sampled_from([Settings(APACHE_3_9), Settings(KIP_455)]),
    st.sampled_from([1, 200, 400, 700, 1_500, 900_000]),
)
def test_what_every_plan_keeps(
    data: st.DataObject, state: ClusterState, config: Settings, limit: int
) -> None:
    causes = [Cause(n, event) for n, event in enumerate(data.draw(events(state)), start=1)]
    whole, plan = cut(state, causes, config, 10**9), cut(state, causes, config, limit)
    assert cut(state, causes, config, limit) == plan
    books = [Ledger(state, config), Ledger(state, config)]
    for book in books:
        made = {cause.event.path for cause in causes if isinstance(cause.event, RemoveZnode)}
        assert book.tree.apply([Create(path, None) for path in made], session=0)
    for commit in whole:
        books[0].carry_out(commit)
    before = everything(books[1].tree, state)
    after = everything(books[0].tree, books[0].state)
    for commit in plan:
        books[1].carry_out(commit)  # applies on the tree: versions chain; memory equals it
        now = everything(books[1].tree, books[1].state)
        for name, part in now.items():
            assert whole_or_new(part, before.get(name), after.get(name), plan, name)
        check(commit, limit)
    assert everything(books[1].tree, books[1].state) == after
    assert books[1].results == books[0].results
    assert sorted(cause for commit in plan for cause in commit.causes) == [c.id for c in causes]
    asked = {c.id for c in causes if isinstance(c.event, AlterReassignment | CreateTopic)}
    assert {cause: len(results) for cause, results in books[1].results.items()} == dict.fromkeys(
        asked, 1
    )
    assert follow_ups(plan) >= follow_ups(whole)
    # What a fact asks for waits for no write, which may fail.
    seen = [cause for cause in causes if DECISIONS[type(cause.event)][0] == 0]
    at_once = tuple(commit for commit in plan if not commit.ops)
    assert follow_ups(at_once) >= follow_ups(cut(state, seen, config, limit))


def follow_ups(plan: Plan) -> set[FollowUp]:
    return {check for commit in plan for check in commit.follow_ups}


def whole_or_new(
    part: Partition | None,
    before: Partition | None,
    after: Partition | None,
    plan: Plan,
    name: TopicPartition,
) -> bool:
    """A partition is as it was, or as it will be; a created one may not be led yet."""
    if part in (before, after):
        return True
    created = [
        change.topic.partitions[name.partition]
        for commit in plan
        for change in commit.changes
        if isinstance(change, SetTopic) and change.topic is not None and change.name == name.topic
    ]
    return before is None and part in created


def check(commit: Commit, limit: int) -> None:
    """What holds for every Commit by itself."""
    sizes = sum(map(op_size, commit.ops))
    groups = {place for place in touched(commit.ops) if place[1] >= 0}
    written = [op.path for op in commit.ops if isinstance(op, SetData)]
    topics = {path for path in written if locate(path).place is Place.TOPIC}
    creations = [op for op in commit.ops if op.path.startswith("/config/topics/")]
    if sizes > limit + COUNTER:
        # Nothing that could have been cut is in it.
        assert len(creations) <= 1
        assert len(groups) <= 1 or creations
        assert len(topics) <= 1
    assert len(set(written)) == len(written)
    if commit.ops:
        inquire(1, Unknown(""), commit.ops, None)  # raises if nothing bears witness
    changed = [c.name for c in commit.changes if isinstance(c, SetPartition)]
    assert len(set(changed)) == len(changed)


#: The commit counter's write comes on top; the limit has room for it.
COUNTER = op_size(SetData(paths.KLAMM_COMMIT, b"x" * 60, 0)) + 30


def test_partitions_without_states_are_cut_too() -> None:
    """Their moves write topic znodes alone, which weigh as much as any other write."""
    topics = [topic(f"t{n}", {0: Partition(Assignment((8, 9)))}) for n in range(20)]
    state = cluster((1, 2), *topics)
    causes = [Cause(n, AlterReassignment(TopicPartition(f"t{n}", 0), (9, 8))) for n in range(20)]
    plan = cut(state, causes, Settings(), 1_000)
    assert len(plan) > 4
    assert all(sum(map(op_size, commit.ops)) <= 1_000 for commit in plan)


def test_operations_are_counted_as_well_as_bytes() -> None:
    parts = {n: partition((1, 2)) for n in range(OPS_PER_COMMIT + 10)}
    state = cluster((1, 2), topic("a", parts))
    causes = [
        Cause(n, AlterReassignment(TopicPartition("a", n), (2, 1))) for n in range(len(parts))
    ]
    plan = cut(state, causes, Settings(), 10**9)
    assert [len(commit.ops) <= OPS_PER_COMMIT for commit in plan] == [True, True]
    sets = [op for commit in plan for op in commit.ops if isinstance(op, SetData)]
    assert [op.version for op in sets if op.path == paths.topic("a")] == [2, 3]


@pytest.mark.parametrize("extra", [0, 1])
def test_many_notifications_are_deleted_in_several_commits(extra: int) -> None:
    names = tuple(f"{paths.ISR_CHANGE_PREFIX}{n:010}" for n in range(OPS_PER_COMMIT + extra))
    causes = [Cause(id_, RemoveZnode(name)) for id_, name in enumerate(names, start=1)]
    plan = cut(cluster((1,)), causes, Settings(), 10**9)
    assert len(plan) == 1 + extra
    assert [cause for commit in plan for cause in commit.causes] == [each.id for each in causes]
    assert [op.path for commit in plan for op in commit.ops[:-1]] == list(names)
    counters = [commit.ops[-1] for commit in plan]
    assert [type(op) for op in counters] == [Create, SetData][: 1 + extra]


def test_a_reply_goes_with_the_commit_that_holds_its_partition() -> None:
    state = cluster((1, 2, 3), *(topic(name, {0: partition((1, 2))}) for name in "abc"))
    causes = [
        Cause(n, AlterReassignment(TopicPartition(name, 0), (1, 3))) for n, name in enumerate("abc")
    ]
    plan = cut(state, causes, Settings(), 1)
    assert [commit.causes for commit in plan] == [(0,), (1,), (2,)]
    for commit, name in zip(plan, "abc", strict=True):
        assert {locate(op.path).topic for op in commit.ops} == {name}


def test_unknown_keys_and_topic_ids_survive_a_rewrite() -> None:
    kept = replace(topic("a", {0: partition((1, 2))}), extra={"owner": "me"})
    book = Ledger(cluster((1, 2, 3), kept))
    book.turn(AlterReassignment(TopicPartition("a", 0), (1, 3)))
    assert b'"owner":"me"' in (book.tree.nodes[paths.topic("a")].data or b"")
    assert book.state.epoch == EPOCH


@pytest.mark.parametrize("limit", [1, 700, COMMIT_BYTES])
def test_leaders_come_before_ends_of_moves_whatever_topics_they_are_of(limit: int) -> None:
    """An office may begin with many Commits, and clients wait for leaders alone.

    Nobody waits for those of a topic that is made only now.
    """
    finished = partition((3, 2, 1), (3,), (1,), leader=2, isr=(1, 2, 3))
    leaderless = partition((4, 2), isr=(4, 2))
    topics = [topic(name, {0: finished, 1: leaderless, 2: finished}) for name in "abc"]
    state = cluster({1, 2, 3}, *topics)
    causes = [
        Cause(number, CheckPartition(name))
        for number, (name, _) in enumerate(state.partitions(), start=1)
    ]
    causes.append(Cause(99, CreateTopic("new", -1, -1, {0: (1, 2)}, {}, 0, 0)))
    plan = cut(state, causes, Settings(), limit)
    changed = [c for commit in plan for c in commit.changes if isinstance(c, SetPartition)]
    assert [str(c.name) for c in changed[:3]] == ["a-1", "b-1", "c-1"]
    assert [c.partition.leader for c in changed[:3]] == [2, 2, 2]
    later = ["new-0", "a-0", "a-2", "b-0", "b-2", "c-0", "c-2"]
    assert [str(c.name) for c in changed[3:]] == later
    book = Ledger(state, Settings())
    for commit in plan:
        book.carry_out(commit)
    assert not list(book.state.moving())
