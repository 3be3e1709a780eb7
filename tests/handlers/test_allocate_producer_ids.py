"""AllocateProducerIds: blocks that are given once, and who gets none."""

import json
from dataclasses import replace

import pytest
from handlers.transacting import Znodes, on_the_wire
from handlers.worlds import cluster, context

from klamm.controller.core.ops import Check
from klamm.controller.core.results import NOT_CONTROLLER, Fault, Refusal
from klamm.controller.handlers import k67_allocate_producer_ids as k67
from klamm.controller.handlers.api import Transact
from klamm.controller.znodes.errors import ZnodeError
from klamm.protocol.generated.allocate_producer_ids_request import AllocateProducerIdsRequest
from klamm.protocol.generated.allocate_producer_ids_response import AllocateProducerIdsResponse

PATH = "/latest_producer_id_block"
STATE = cluster()


def ask(
    znodes: Znodes, broker: int = 1, epoch: int = 1001, *, active: bool = True
) -> tuple[int, int, int]:
    request = AllocateProducerIdsRequest(broker, epoch)
    response = znodes.answer(k67.handle(context(STATE, active=active), request, 0))
    response = on_the_wire(response, 0)
    assert isinstance(response, AllocateProducerIdsResponse)
    return response.error_code, response.producer_id_start, response.producer_id_len


@pytest.mark.parametrize("data", [{}, {PATH: None}])
def test_the_first_block_begins_at_0(data: dict[str, bytes | None]) -> None:
    znodes = Znodes(data)
    assert ask(znodes) == (0, 0, 1000)
    assert json.loads(znodes.data[PATH] or b"") == {
        "version": 1,
        "broker": 1,
        "block_start": "0",
        "block_end": "999",
    }


def test_each_block_begins_after_the_last() -> None:
    znodes = Znodes({PATH: None})
    given = [ask(znodes, broker, 1000 + broker) for broker in (1, 2, 1, 4)]
    assert given == [(0, start, 1000) for start in (0, 1000, 2000, 3000)]
    assert znodes.fences == [Check("/controller_epoch", STATE.fence_version)] * 4


@pytest.mark.parametrize(
    ("broker", "epoch", "active", "code"),
    [(1, 1001, False, 41), (9, 1009, True, 102), (1, 1000, True, 77), (1, -1, True, 77)],
)
def test_who_gets_none(broker: int, epoch: int, active: bool, code: int) -> None:
    znodes = Znodes({PATH: None})
    assert ask(znodes, broker, epoch, active=active) == (code, 0, 0)
    assert znodes.ops == []


@pytest.mark.parametrize(
    ("refusal", "code"),
    [(NOT_CONTROLLER, 41), (Refusal(Fault.UNKNOWN_SERVER_ERROR, "five conflicts"), -1)],
)
def test_what_the_door_cannot_do_is_answered(refusal: Refusal, code: int) -> None:
    outcome = k67.handle(context(STATE), AllocateProducerIdsRequest(1, 1001), 0)
    assert isinstance(outcome, Transact)
    response = outcome.respond([refusal])
    assert isinstance(response, AllocateProducerIdsResponse)
    assert response.error_code == code


def test_no_id_is_given_beyond_the_last() -> None:
    last = {"version": 1, "broker": 1, "block_start": "0", "block_end": str(2**63 - 500)}
    znodes = Znodes({PATH: json.dumps(last).encode()})
    assert ask(znodes) == (-1, 0, 0)
    assert znodes.ops == []


def test_a_block_that_cannot_be_read_is_left_alone() -> None:
    znodes = Znodes({PATH: b"{}"})
    with pytest.raises(ZnodeError, match=PATH):
        ask(znodes)
    assert znodes.ops == []


def test_an_unknown_broker_is_known_once_it_is_registered() -> None:
    state = replace(STATE, brokers={9: replace(STATE.brokers[1], id=9, epoch=5)})
    outcome = k67.handle(context(state), AllocateProducerIdsRequest(9, 5), 0)
    assert isinstance(outcome, Transact)
