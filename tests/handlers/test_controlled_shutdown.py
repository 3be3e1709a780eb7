"""ControlledShutdown on the wire."""

import pytest
from handlers.worlds import cluster, context, partition, topic

from klamm.controller.core.events import ShutDownBroker
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import (
    NOT_CONTROLLER,
    Fault,
    Refusal,
    Result,
    ShutDownAllowed,
)
from klamm.controller.handlers.api import Answer, Submit
from klamm.controller.handlers.k7_controlled_shutdown import handle
from klamm.protocol.codec import decode, encode
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.controlled_shutdown_response import (
    ControlledShutdownResponse,
    RemainingPartition,
)

STATE = cluster(topic("t", {0: partition((1, 2))}))


def request(version: int) -> ControlledShutdownRequest:
    """What broker 1 asks, as it arrives."""
    sent = ControlledShutdownRequest(broker_id=1, broker_epoch=1001 if version > 1 else -1)
    return decode(ControlledShutdownRequest, encode(sent, version), version)


@pytest.mark.parametrize(("version", "epoch"), [(0, -1), (1, -1), (2, 1001), (3, 1001)])
def test_the_wish_goes_to_the_core_with_the_epoch_if_it_has_one(version: int, epoch: int) -> None:
    outcome = handle(context(STATE), request(version), version)
    assert isinstance(outcome, Submit)
    assert outcome.events == (ShutDownBroker(1, epoch),)


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize(
    ("result", "code"),
    [
        (ShutDownAllowed(()), ErrorCode.NONE),
        (Refusal(Fault.STALE_BROKER_EPOCH, "why"), ErrorCode.STALE_BROKER_EPOCH),
        (Refusal(Fault.BROKER_NOT_AVAILABLE, "why"), ErrorCode.BROKER_NOT_AVAILABLE),
        (Refusal(Fault.UNKNOWN_SERVER_ERROR, "why"), ErrorCode.UNKNOWN_SERVER_ERROR),
        # Kafka's brokers answer a lost office like one that they never had.
        (NOT_CONTROLLER, ErrorCode.STALE_CONTROLLER_EPOCH),
    ],
)
def test_codes(result: Result, code: ErrorCode, version: int) -> None:
    outcome = handle(context(STATE), request(version), version)
    assert isinstance(outcome, Submit)
    data = encode(outcome.respond((result,)), version)
    assert decode(ControlledShutdownResponse, data, version) == ControlledShutdownResponse(code)


def test_what_it_still_leads_is_listed() -> None:
    outcome = handle(context(STATE), request(3), 3)
    assert isinstance(outcome, Submit)
    left = ShutDownAllowed((TopicPartition("t", 0), TopicPartition("u", 4)))
    assert outcome.respond((left,)) == ControlledShutdownResponse(
        remaining_partitions=(RemainingPartition("t", 0), RemainingPartition("u", 4))
    )


def test_elsewhere_than_at_the_controller() -> None:
    outcome = handle(context(STATE, active=False), request(3), 3)
    expected = ControlledShutdownResponse(ErrorCode.STALE_CONTROLLER_EPOCH)
    assert outcome == Answer(expected)
