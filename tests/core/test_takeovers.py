"""A request and the entry of its partition: wherever a Plan ends early, nothing is half done."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from core.clusters import Ledger, cluster, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core import moves
from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.draft import Draft
from klamm.controller.core.events import AlterReassignment, Cause
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.core.packing import plan_of
from klamm.controller.core.results import Done
from klamm.controller.core.settings import Settings
from klamm.controller.store.memory_tree import Applied
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import Reassignment, encode_reassign_partitions

NAMES = tuple(TopicPartition(name, number) for name in "abc" for number in range(3))
OLD, NEW = (4, 2, 3), (5, 2, 3)


def ordered(names: Sequence[TopicPartition]) -> ClusterState:
    """Nine partitions on 1, 2, 3; these are to be moved by the znode."""
    parts = {number: partition((1, 2, 3)) for number in range(3)}
    entries = dict.fromkeys(names, OLD)
    admin = AdminReassignments(0, 40, entries, entries)
    return replace(
        cluster((1, 2, 3, 4, 5), *(topic(name, parts) for name in "abc")),
        admin=admin if names else AdminReassignments(),
    )


def book_of(state: ClusterState) -> Ledger:
    book = Ledger(state)
    if state.admin.version is not None:
        orders = (Reassignment(*name, to) for name, to in state.admin.entries.items())
        create = Create(paths.REASSIGN_PARTITIONS, encode_reassign_partitions(orders))
        assert isinstance(book.tree.apply((create,), session=0), Applied)
    return book


@given(
    listed=st.lists(st.sampled_from(NAMES), unique=True),
    asked=st.lists(st.sampled_from(NAMES), unique=True, min_size=1),
    limit=st.integers(100, 4_000),
)
def test_every_prefix_of_a_plan_is_the_old_target_or_the_new_one(
    listed: list[TopicPartition], asked: list[TopicPartition], limit: int
) -> None:
    state = ordered(listed)
    draft = Draft(state, Settings())
    for number, name in enumerate(asked, start=1):
        moves.alter(
            draft, Cause(number, AlterReassignment(name, NEW)), AlterReassignment(name, NEW)
        )
    book = book_of(state)
    for commit in plan_of(draft, limit):
        book.carry_out(commit)
        node = book.tree.nodes.get(paths.REASSIGN_PARTITIONS)
        assert book.state.admin.version == (node.version if node else None)
        for number, name in enumerate(asked, start=1):
            known = book.state.partition(name)
            assert known is not None
            is_new = known.assignment.target == NEW
            is_out = name not in book.state.admin.entries
            assert is_new or name not in listed or not is_out, "neither target"
            if number in book.results:
                assert book.results[number] == [Done()]
                assert is_new
                assert is_out
    assert book.results.keys() == set(range(1, len(asked) + 1))
    assert set(book.state.admin.entries) == set(listed) - set(asked)
    assert book.state.admin.accepted == book.state.admin.entries


@pytest.mark.parametrize(("limit", "together"), [(900_000, True), (300, False)])
def test_what_fits_is_one_commit_and_what_does_not_is_the_topic_first(
    limit: int, *, together: bool
) -> None:
    draft = Draft(ordered(NAMES), Settings())
    event = AlterReassignment(NAMES[0], NEW)
    moves.alter(draft, Cause(1, event), event)
    plan = plan_of(draft, limit)
    topic_and_state = {paths.topic("a"), paths.state(*NAMES[0])}
    written = [{op.path for op in commit.ops} for commit in plan]
    if together:
        assert written == [{*topic_and_state, paths.REASSIGN_PARTITIONS}]
    else:
        assert written == [topic_and_state, {paths.REASSIGN_PARTITIONS}]
        assert [commit.causes for commit in plan] == [(), (1,)]
        assert [commit.parts for commit in plan] == [(1,), ()]
