"""Key 17902: what goes to the core, and what comes back."""

from dataclasses import replace

import pytest
from handlers.denials import denied
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.events import AlterTopic
from klamm.controller.core.results import NOT_CONTROLLER, Done, Fault, Refusal, Result
from klamm.controller.handlers import k17902_alter_topics as key
from klamm.controller.handlers.api import Answer, Context, Submit
from klamm.controller.handlers.switches import Switch
from klamm.controller.handlers.table import advertised
from klamm.protocol import codec
from klamm.protocol.generated.alter_topics_request import (
    AlteredTopic,
    AlterTopicsRequest,
    PartitionBrokers,
)
from klamm.protocol.generated.alter_topics_response import AlteredTopicResult, AlterTopicsResponse

CONTEXT = context(cluster(topic("t", {0: partition((1, 2))})))
TWO = AlterTopicsRequest(
    5_000,
    (
        AlteredTopic("t", 4, 3, (PartitionBrokers(0, (1, 2)), PartitionBrokers(0, ()))),
        AlteredTopic("u"),
    ),
)
Shown = list[tuple[str, int, str | None]]


def answer(request: AlterTopicsRequest, on: Context = CONTEXT, *results: Result) -> Shown:
    """What is answered, the top level first, as it comes out of the wire."""
    outcome = key.handle(on, request, 0)
    assert isinstance(outcome, Answer | Submit)
    made = outcome.respond(results) if isinstance(outcome, Submit) else outcome.response
    response = codec.decode(AlterTopicsResponse, codec.encode(made, 0), 0)
    rows = [(each.name, each.error_code, each.detail) for each in response.topics]
    return [("", response.error_code, response.error_message), *rows]


@pytest.mark.req("R179A-19")
def test_it_is_shown_where_it_is_switched_on() -> None:
    assert key.API_KEY not in advertised()
    assert advertised(switches=(Switch.ALTER,))[key.API_KEY] == range(1)


@pytest.mark.req("R179A-20")
def test_golden_bytes() -> None:
    request = AlterTopicsRequest(60_000, (AlteredTopic("foo", 4),))
    assert codec.encode(request, 0).hex() == "0000ea600204666f6f00000004ffffffff010000"
    response = AlterTopicsResponse(topics=(AlteredTopicResult("foo", 60, None),))
    # Throttle time, error int16, no text, one topic: its name, its error int16, no text; tags.
    assert codec.encode(response, 0).hex() == "000000000000000204666f6f003c000000"


def test_an_event_for_each_topic() -> None:
    request = codec.decode(AlterTopicsRequest, codec.encode(TWO, 0), 0)
    outcome = key.handle(CONTEXT, request, 0)
    assert isinstance(outcome, Submit)
    assert outcome.events == (
        AlterTopic("t", 4, 3, ((0, (1, 2)), (0, ())), place=0),
        AlterTopic("u", place=1),
    )
    assert outcome.timeout is None


@pytest.mark.req("R179A-23", "R179A-31")
def test_each_topic_is_answered_once() -> None:
    refusal = Refusal(Fault.UNKNOWN_MEMBER_ID, "broker 99")
    assert answer(TWO, CONTEXT, refusal, Done()) == [
        ("", 0, None),
        ("t", 25, "broker 99"),
        ("u", 0, None),
    ]
    assert answer(AlterTopicsRequest()) == [("", 0, None)]


@pytest.mark.req("R179A-23")
def test_a_topic_that_is_named_twice_is_answered_once_and_not_altered() -> None:
    names = ("t", "u", "t", "t")
    request = AlterTopicsRequest(topics=tuple(AlteredTopic(name, 4) for name in names))
    outcome = key.handle(CONTEXT, request, 0)
    assert isinstance(outcome, Submit)
    assert outcome.events == (AlterTopic("u", 4, place=0),)
    text = "Topic t is named 3 times in the request; name it once."
    assert answer(request, CONTEXT, Done()) == [("", 0, None), ("t", 42, text), ("u", 0, None)]
    only = replace(request, topics=(AlteredTopic("t"), AlteredTopic("t")))
    assert answer(only)[1][:2] == ("t", 42)


@pytest.mark.req("R179A-21")
@pytest.mark.parametrize("active", [True, False])
def test_without_the_right_to_act_on_the_cluster(active: bool) -> None:
    on = denied(context(cluster(), active=active), "kafka-cluster")
    text = "Cluster authorization failed."
    assert answer(TWO, on) == [("", 31, text), ("t", 31, text), ("u", 31, text)]


@pytest.mark.req("R179A-22")
def test_a_node_that_knows_no_controller() -> None:
    told = [("", 41, "This is not the correct controller for this cluster.")]
    assert answer(TWO, replace(CONTEXT, state=None)) == told
    # Nor if the office ends while it is decided, whatever has been done by then.
    assert answer(TWO, CONTEXT, Done(), NOT_CONTROLLER) == told


def test_a_timeout_is_honoured_only_if_that_is_switched_on() -> None:
    outcome = key.handle(replace(CONTEXT, honours_timeouts=True), TWO, 0)
    assert isinstance(outcome, Submit)
    assert outcome.timeout is not None
    assert outcome.timeout.seconds == 5.0
    late = outcome.timeout.response(CONTEXT)
    assert isinstance(late, AlterTopicsResponse)
    assert late.error_code == 7
    assert [(each.name, each.error_code) for each in late.topics] == [("t", 7), ("u", 7)]
