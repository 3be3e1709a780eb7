"""Key 75: topics a page at a time."""

from uuid import UUID

import pytest
from handlers.denials import denied
from handlers.transacting import on_the_wire
from handlers.worlds import cluster, context, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.model import Topic
from klamm.controller.handlers import k75_describe_topic_partitions as k75
from klamm.controller.handlers.api import Answer, Context
from klamm.protocol.generated.describe_topic_partitions_request import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from klamm.protocol.generated.describe_topic_partitions_response import (
    DescribeTopicPartitionsResponse,
)

ID = UUID(int=17)
STATE = cluster(
    Topic("b", 0, {n: partition((1, 2)) for n in (2, 0, 1)}, topic_id=ID),
    topic("a", {0: partition((3, 2, 1), adding=(3,), removing=(1,))}),
    topic("c", {0: partition((9, 2), leader=9), 1: partition((2, 9))}),
)
Page = list[tuple[str, int]]


def answer(
    on: Context, *names: str, limit: int = 2000, cursor: Cursor | None = None
) -> DescribeTopicPartitionsResponse:
    request = DescribeTopicPartitionsRequest(tuple(map(TopicRequest, names)), limit, cursor)
    outcome = k75.handle(on, request, 0)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, 0)
    assert isinstance(response, DescribeTopicPartitionsResponse)
    return response


def page(response: DescribeTopicPartitionsResponse) -> Page:
    return [
        (item.name or "", part.partition_index)
        for item in response.topics
        for part in item.partitions
    ]


def after(response: DescribeTopicPartitionsResponse) -> Cursor | None:
    following = response.next_cursor
    return Cursor(following.topic_name, following.partition_index) if following else None


def errors(response: DescribeTopicPartitionsResponse) -> dict[str, int]:
    return {item.name or "": item.error_code for item in response.topics}


EVERYTHING: Page = [("a", 0), ("b", 0), ("b", 1), ("b", 2), ("c", 0), ("c", 1)]


def test_no_topics_are_all_of_them_in_order() -> None:
    response = answer(context(STATE))
    assert page(response) == EVERYTHING
    assert response.next_cursor is None
    assert {item.topic_id for item in response.topics} == {ID, UUID(int=0)}


def test_a_partition_is_shown_as_metadata_shows_it() -> None:
    [found] = answer(context(STATE), "a").topics
    [part] = found.partitions
    assert (part.leader_id, part.leader_epoch, part.error_code) == (1, 3, 0)
    assert (part.replica_nodes, part.isr_nodes) == ((3, 2, 1), (1, 2))
    assert (part.eligible_leader_replicas, part.last_known_elr) == ((), ()), "null fells Java"
    assert found.topic_authorized_operations > 0


def test_a_leader_that_is_gone_is_none() -> None:
    [found] = answer(context(STATE), "c").topics
    dead, alive = found.partitions
    assert (dead.leader_id, dead.offline_replicas, dead.error_code) == (-1, (9,), 0)
    assert alive.leader_id == 2


def test_names_that_there_are_not() -> None:
    response = answer(context(STATE), "b", "nowhere", "not a name")
    assert errors(response) == {"b": 0, "nowhere": 3, "not a name": 17}
    assert page(response) == [("b", 0), ("b", 1), ("b", 2)]


@given(st.integers(-1, 8), st.booleans())
def test_pages_add_up_to_the_whole(limit: int, named: bool) -> None:
    names = ("c", "a", "b") if named else ()
    found: Page = []
    cursor = None
    for _ in range(len(EVERYTHING) + 1):
        response = answer(context(STATE), *names, limit=limit, cursor=cursor)
        assert len(page(response)) <= max(limit, 1)
        found += page(response)
        cursor = after(response)
        if cursor is None:
            break
    assert found == EVERYTHING
    assert cursor is None


def test_no_page_has_more_than_two_thousand() -> None:
    state = cluster(topic("big", {n: partition((1,)) for n in range(2001)}))
    response = answer(context(state), limit=10_000)
    assert len(page(response)) == 2000
    assert after(response) == Cursor("big", 2000)
    assert page(answer(context(state), cursor=after(response))) == [("big", 2000)]


@pytest.mark.parametrize(
    ("names", "cursor"),
    [
        (("a", "b"), Cursor("c", 0)),
        (("a", "c"), Cursor("b", 0)),
        (("a", "b"), Cursor("b", -1)),
    ],
)
def test_a_cursor_that_leads_nowhere(names: tuple[str, ...], cursor: Cursor) -> None:
    response = answer(context(STATE), *names, cursor=cursor)
    assert errors(response) == dict.fromkeys(names, 42)
    assert page(response) == []


def test_a_topic_may_be_gone_where_the_cursor_stands() -> None:
    assert page(answer(context(STATE), cursor=Cursor("aa", 3))) == EVERYTHING[1:]
    gone = answer(context(STATE), "aa", "c", cursor=Cursor("aa", 3))
    assert errors(gone) == {"aa": 3, "c": 0}


def test_topics_that_one_may_not_describe() -> None:
    on = denied(context(STATE), "b", "secret")
    assert page(answer(on)) == [("a", 0), ("c", 0), ("c", 1)]
    named = answer(on, "a", "b", "secret")
    assert errors(named) == {"a": 0, "b": 29, "secret": 29}
    assert [item.topic_id for item in named.topics] == [UUID(int=0)] * 3
