"""Keys 45 and 46: what goes to the core, and what comes back."""

from dataclasses import replace

import pytest
from handlers.worlds import cluster, context, partition, topic
from hypothesis import given
from hypothesis import strategies as st

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import Done, Fault, Refusal, Result
from klamm.controller.core.rules import APACHE_3_9, KIP_455, Rules
from klamm.controller.handlers import k18_api_versions as k18
from klamm.controller.handlers import k45_alter_partition_reassignments as k45
from klamm.controller.handlers import k46_list_partition_reassignments as k46
from klamm.controller.handlers.api import Answer, Submit
from klamm.protocol import codec
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)

TEXT = "This is not the correct controller for this cluster."

STATE = cluster(
    topic(
        "foo",
        {
            0: partition((4, 3, 2, 1), adding=(4,), removing=(1,)),
            1: partition((1, 2, 3)),
            2: partition((1, 2, 3), adding=(3,)),
        },
    ),
    topic("bar", {0: partition((1, 2), removing=(2,))}),
    topic("quiet", {0: partition((1, 2))}),
)

Entries = list[tuple[str, list[tuple[int, tuple[int, ...] | None]]]]


def alter_request(entries: Entries) -> AlterPartitionReassignmentsRequest:
    return AlterPartitionReassignmentsRequest(
        topics=tuple(
            ReassignableTopic(name, tuple(ReassignablePartition(*item) for item in partitions))
            for name, partitions in entries
        )
    )


def alter(entries: Entries, *results: Result) -> AlterPartitionReassignmentsResponse:
    """Have the handler answer when the core's results are these."""
    outcome = k45.handle(context(STATE), alter_request(entries), 0)
    assert isinstance(outcome, Submit)
    response = outcome.respond(results)
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    return response


def answers(
    response: AlterPartitionReassignmentsResponse,
) -> list[tuple[str, list[tuple[int, int]]]]:
    return [
        (item.name, [(part.partition_index, part.error_code) for part in item.partitions])
        for item in response.responses
    ]


def test_each_partition_becomes_one_event_and_null_cancels() -> None:
    entries: Entries = [("foo", [(0, (2, 3)), (1, None)]), ("bar", [(0, ())])]
    outcome = k45.handle(context(STATE), alter_request(entries), 0)
    assert isinstance(outcome, Submit)
    assert outcome.events == (
        AlterReassignment(TopicPartition("foo", 0), (2, 3)),
        AlterReassignment(TopicPartition("foo", 1), None),
        AlterReassignment(TopicPartition("bar", 0), ()),
    )


def test_success_has_an_empty_text_above_and_null_below() -> None:
    response = alter([("foo", [(0, (2, 3))])], Done())
    assert (response.error_code, response.error_message) == (0, "")
    assert response.responses[0].partitions[0].error_message is None
    assert response.throttle_time_ms == 0


def test_refusals_stay_with_their_partitions() -> None:
    refusal = Refusal(Fault.INVALID_REPLICA_ASSIGNMENT, "Empty replica list")
    response = alter([("foo", [(0, ()), (1, (1, 2))])], refusal, Done())
    assert response.error_code == 0
    assert answers(response) == [("foo", [(0, 39), (1, 0)])]
    assert response.responses[0].partitions[0].error_message == "Empty replica list"


def test_a_partition_named_twice_is_answered_once_in_its_first_place() -> None:
    entries: Entries = [("foo", [(0, (1,)), (1, (2,))]), ("bar", [(0, (3,))]), ("foo", [(0, (4,))])]
    outcome = k45.handle(context(STATE), alter_request(entries), 0)
    assert isinstance(outcome, Submit)
    assert outcome.events[0] == AlterReassignment(TopicPartition("foo", 0), (4,))
    response = alter(entries, Done(), Done(), Done())
    assert answers(response) == [("foo", [(0, 0), (1, 0)]), ("bar", [(0, 0)])]


ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.lists(st.tuples(st.integers(0, 3), st.none() | st.just((1, 2)))),
    )
)


@given(ENTRIES)
def test_the_answer_names_every_partition_once_in_request_order(entries: Entries) -> None:
    wanted: dict[str, dict[int, None]] = {}
    for name, partitions in entries:
        for number, _ in partitions:
            wanted.setdefault(name, {})[number] = None
    outcome = k45.handle(context(STATE), alter_request(entries), 0)
    if isinstance(outcome, Submit):
        response = outcome.respond([Done()] * len(outcome.events))
    else:
        assert isinstance(outcome, Answer)
        response = outcome.response
    assert isinstance(response, AlterPartitionReassignmentsResponse)
    assert answers(response) == [
        (name, [(number, 0) for number in numbers]) for name, numbers in wanted.items()
    ]


def test_an_empty_request_is_lawful() -> None:
    requests: list[Entries] = [[], [("foo", [])]]
    for entries in requests:
        outcome = k45.handle(context(STATE), alter_request(entries), 0)
        assert outcome == Answer(AlterPartitionReassignmentsResponse(error_message=""))


@pytest.mark.parametrize(
    "results",
    [(Refusal(Fault.NOT_CONTROLLER, ""),) * 2, (Done(), Refusal(Fault.NOT_CONTROLLER, ""))],
)
def test_an_office_lost_meanwhile_shows_at_the_top(results: tuple[Result, ...]) -> None:
    response = alter([("foo", [(0, None), (1, None)])], *results)
    assert (response.error_code, response.error_message, response.responses) == (41, TEXT, ())


def test_other_nodes_refuse_45_and_46_at_the_top() -> None:
    elsewhere = context(STATE, active=False)
    alter_outcome = k45.handle(elsewhere, alter_request([("foo", [(0, None)])]), 0)
    assert isinstance(alter_outcome, Answer)
    assert alter_outcome.response == AlterPartitionReassignmentsResponse(
        error_code=41, error_message=TEXT
    )
    list_outcome = k46.handle(elsewhere, ListPartitionReassignmentsRequest(), 0)
    assert isinstance(list_outcome, Answer)
    assert list_outcome.response == ListPartitionReassignmentsResponse(
        error_code=41, error_message=TEXT
    )


def test_every_fault_has_an_error_code() -> None:
    for fault in Fault:
        response = alter([("foo", [(0, None)])], Refusal(fault, "no"))
        if fault is not Fault.NOT_CONTROLLER:
            assert ErrorCode(response.responses[0].partitions[0].error_code).name == fault.name


def listed(
    topics: list[tuple[str, tuple[int, ...]]] | None,
) -> list[tuple[str, list[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]]]:
    asked = None
    if topics is not None:
        asked = tuple(ListPartitionReassignmentsTopics(*item) for item in topics)
    request = ListPartitionReassignmentsRequest(topics=asked)
    # Through the bytes, so that null and empty stay two things.
    request = codec.decode(ListPartitionReassignmentsRequest, codec.encode(request, 0), 0)
    outcome = k46.handle(context(STATE), request, 0)
    assert isinstance(outcome, Answer)
    response = outcome.response
    assert isinstance(response, ListPartitionReassignmentsResponse)
    assert (response.error_code, response.error_message) == (0, "")
    return [
        (
            item.name,
            [
                (part.partition_index, part.replicas, part.adding_replicas, part.removing_replicas)
                for part in item.partitions
            ],
        )
        for item in response.topics
    ]


FOO = ("foo", [(0, (4, 3, 2, 1), (4,), (1,)), (2, (1, 2, 3), (3,), ())])
BAR = ("bar", [(0, (1, 2), (), (2,))])


@pytest.mark.req("R455-35")
def test_null_lists_all_and_empty_lists_nothing() -> None:
    assert listed(None) == [FOO, BAR]
    assert listed([]) == []
    assert listed([("foo", ()), ("bar", ())]) == []


@pytest.mark.req("R455-37")
def test_what_does_not_exist_yields_nothing_and_no_error() -> None:
    assert listed([("gone", (0,)), ("foo", (7, 0)), ("bar", (0,))]) == [
        ("foo", [(0, (4, 3, 2, 1), (4,), (1,))]),
        BAR,
    ]


def test_what_does_not_move_is_left_out() -> None:
    assert listed([("quiet", (0,)), ("foo", (1,))]) == []


def test_a_partition_asked_for_twice_is_listed_once() -> None:
    assert listed([("bar", (0, 0)), ("bar", (0,))]) == [BAR]


@pytest.mark.parametrize(("rules", "text"), [(APACHE_3_9, ""), (KIP_455, None)])
def test_the_profile_words_success(rules: Rules, text: str | None) -> None:
    ctx = replace(context(STATE), rules=rules)
    listed = k46.handle(ctx, ListPartitionReassignmentsRequest(topics=None), 0)
    assert isinstance(listed, Answer)
    submitted = k45.handle(ctx, alter_request([("foo", [(1, (2, 1))])]), 0)
    assert isinstance(submitted, Submit)
    nothing = k45.handle(ctx, alter_request([]), 0)
    assert isinstance(nothing, Answer)
    for response in (listed.response, submitted.respond([Done()]), nothing.response):
        assert isinstance(
            response, ListPartitionReassignmentsResponse | AlterPartitionReassignmentsResponse
        )
        assert (response.error_code, response.error_message) == (0, text)


@pytest.mark.parametrize(("rules", "idle"), [(APACHE_3_9, False), (KIP_455, True)])
def test_the_profile_lists_what_is_named_and_idle(rules: Rules, idle: bool) -> None:
    ctx = replace(context(STATE), rules=rules)
    named = (
        ListPartitionReassignmentsTopics("foo", (1, 7)),
        ListPartitionReassignmentsTopics("nowhere", (0,)),
    )
    outcome = k46.handle(ctx, ListPartitionReassignmentsRequest(topics=named), 0)
    assert isinstance(outcome, Answer)
    response = outcome.response
    assert isinstance(response, ListPartitionReassignmentsResponse)
    found = [
        (item.partition_index, item.replicas, item.adding_replicas, item.removing_replicas)
        for name in response.topics
        for item in name.partitions
    ]
    assert found == ([(1, (1, 2, 3), (), ())] if idle else [])


# --- what clients are told of it --------------------------------------------------------------


@pytest.mark.req("R455-10", "R455-31")
@pytest.mark.parametrize("key", [45, 46])
def test_api_versions_shows_version_0_and_no_other(key: int) -> None:
    """Also not version 1 of key 45, which is Kafka 4.1's (KIP-860)."""
    asked = k18.handle(context(STATE), ApiVersionsRequest(), 4)
    assert isinstance(asked, Answer)
    assert isinstance(asked.response, ApiVersionsResponse)
    shown = [each for each in asked.response.api_keys if each.api_key == key]
    assert [(each.min_version, each.max_version) for each in shown] == [(0, 0)]


@pytest.mark.req("R455-10", "R455-31")
def test_a_client_that_says_nothing_else_waits_for_a_minute() -> None:
    assert AlterPartitionReassignmentsRequest().timeout_ms == 60_000
    assert ListPartitionReassignmentsRequest().timeout_ms == 60_000
