"""Key 43: what goes to the core, and what comes back."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from handlers.denials import denied
from handlers.transacting import on_the_wire
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.events import ElectPreferred, ElectUnclean
from klamm.controller.core.model import Deletion, TopicPartition
from klamm.controller.core.results import NOT_CONTROLLER, Done, Fault, Refusal, Result
from klamm.controller.handlers import k43_elect_leaders as k43
from klamm.controller.handlers.api import Answer, Context, Submit
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from klamm.protocol.generated.elect_leaders_response import ElectLeadersResponse
from klamm.protocol.message import Message

STATE = cluster(
    topic("foo", {0: partition((1, 2)), 1: partition((2, 1))}), topic("bar", {0: partition((1, 2))})
)
NOT_NEEDED = Refusal(Fault.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition.")

Codes = dict[tuple[str, int], int]


def asking(topics: Mapping[str, tuple[int, ...]] | None, kind: int = 0) -> ElectLeadersRequest:
    named = None
    if topics is not None:
        named = tuple(TopicPartitions(name, numbers) for name, numbers in topics.items())
    return ElectLeadersRequest(kind, named, 15_000)


def codes(response: Message) -> Codes:
    assert isinstance(response, ElectLeadersResponse)
    return {
        (item.topic, part.partition_id): part.error_code
        for item in response.replica_election_results
        for part in item.partition_result
    }


def submitted(request: ElectLeadersRequest, version: int = 2) -> Submit:
    outcome = k43.handle(context(STATE), request, version)
    assert isinstance(outcome, Submit)
    return outcome


def answered(on: Context, request: ElectLeadersRequest, version: int) -> ElectLeadersResponse:
    outcome = k43.handle(on, request, version)
    assert isinstance(outcome, Answer)
    response = on_the_wire(outcome.response, version)
    assert isinstance(response, ElectLeadersResponse)
    return response


@pytest.mark.parametrize(("kind", "event"), [(0, ElectPreferred), (1, ElectUnclean)])
def test_each_partition_is_one_event_of_its_kind(
    kind: int, event: type[ElectPreferred | ElectUnclean]
) -> None:
    found = submitted(asking({"foo": (1, 0, 1), "bar": (7,)}, kind))
    names = [TopicPartition("foo", 1), TopicPartition("foo", 0), TopicPartition("bar", 7)]
    assert found.events == tuple(event(name) for name in names)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_results_come_back_under_their_names(version: int) -> None:
    found = submitted(asking({"foo": (0, 1), "bar": (0, 7), "baz": (0,)}), version)
    results: list[Result] = [
        Done(),
        NOT_NEEDED,
        Refusal(Fault.PREFERRED_LEADER_NOT_AVAILABLE, "no"),
        Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist."),
        Refusal(Fault.INVALID_TOPIC_EXCEPTION, "The topic is being deleted"),
    ]
    response = on_the_wire(found.respond(results), version)
    assert codes(response) == {
        ("foo", 0): 0, ("foo", 1): 84, ("bar", 0): 80, ("bar", 7): 3, ("baz", 0): 17,
    }  # fmt: skip
    assert isinstance(response, ElectLeadersResponse)
    assert response.error_code == 0
    first, second = response.replica_election_results[0].partition_result
    assert (first.error_message, second.error_message) == (None, NOT_NEEDED.message)


def test_null_asks_for_all_that_need_an_election() -> None:
    state = replace(
        cluster(
            topic("foo", {0: partition((1, 2)), 1: partition((2, 1), leader=1)}),
            topic("bar", {0: partition((1, 2), leader=-1), 1: partition((9, 1), leader=9)}),
            topic("gone", {0: partition((1, 2), leader=-1)}),
            topic("going", {0: partition((1, 2), leader=-1)}),
        ),
        deleting={"gone": Deletion(logs={}), "going": Deletion()},
    )
    astray, unled, dead, going = (
        TopicPartition("foo", 1),
        TopicPartition("bar", 0),
        TopicPartition("bar", 1),
        TopicPartition("going", 0),
    )
    for kind, event, names in (
        (0, ElectPreferred, (astray, unled, going)),
        (1, ElectUnclean, (unled, dead, going)),
    ):
        outcome = k43.handle(context(state), asking(None, kind), 2)
        assert isinstance(outcome, Submit)
        assert outcome.events == tuple(event(name) for name in names)
        answer = codes(outcome.respond([Done(), NOT_NEEDED, Done()]))
        assert len(answer) == 2, "what needs none by then is left out as well"
        assert set(answer.values()) == {0}


def test_none_of_none_is_answered_at_once() -> None:
    assert codes(answered(context(STATE), asking({}), 2)) == {}
    assert codes(answered(context(cluster()), asking(None), 2)) == {}


@pytest.mark.parametrize("version", [0, 1, 2])
def test_who_is_not_controller_says_so_for_each_partition(version: int) -> None:
    response = answered(context(STATE, active=False), asking({"foo": (0,), "new": (3,)}), version)
    assert codes(response) == {("foo", 0): 41, ("new", 3): 41}
    assert response.error_code == 0
    every = answered(context(STATE, active=False), asking(None), version)
    assert set(codes(every).values()) == {41}
    assert len(codes(every)) == 3


def test_an_office_that_ends_meanwhile_is_said_for_each_partition() -> None:
    response = submitted(asking({"foo": (0, 1)})).respond([NOT_CONTROLLER] * 2)
    assert codes(response) == {("foo", 0): 41, ("foo", 1): 41}


def test_another_election_type_is_invalid_everywhere() -> None:
    response = answered(context(STATE), asking({"foo": (0,)}, kind=2), 2)
    assert (response.error_code, codes(response)) == (42, {("foo", 0): 42})
    [item] = response.replica_election_results
    assert item.partition_result[0].error_message == (
        "There is no election type 2: 0 is preferred, 1 is unclean."
    )


def test_time_that_is_over_is_said_for_each_partition() -> None:
    found = submitted(asking({"foo": (0, 1)}))
    assert found.timeout is not None
    assert found.timeout.seconds == 15.0
    late = found.timeout.response(context(STATE))
    assert codes(late) == {("foo", 0): 7, ("foo", 1): 7}


@pytest.mark.parametrize("version", [0, 2])
def test_who_may_not_alter_the_cluster_elects_nobody(version: int) -> None:
    on = denied(context(STATE))
    response = answered(on, asking({"foo": (0,)}), version)
    refused = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert codes(response) == {("foo", 0): refused}
    assert response.error_code == (refused if version else 0)
