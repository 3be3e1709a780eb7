"""Controlled shutdown: when a broker asks for leave, and when it stops asking."""

import pytest
from brokers.world import World

from klamm.controller.core.ibp import by_name
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.controlled_shutdown_response import (
    ControlledShutdownResponse,
    RemainingPartition,
)
from klamm.protocol.message import Message
from klamm.tools.brokers.asks import AskControlledShutdown

GRANTED = ControlledShutdownResponse()
NOT_YET = ControlledShutdownResponse(remaining_partitions=(RemainingPartition("t", 0),))
REFUSED = ControlledShutdownResponse(error_code=ErrorCode.STALE_CONTROLLER_EPOCH)


def leaving(protocol: str = "2.4-IV0") -> World:
    world = World(1, 2, protocol=by_name(protocol))
    world.carry_out(world.cluster.depart(world.now, 1))
    return world


def asked(world: World) -> AskControlledShutdown:
    ((broker, ask),) = world.asks
    assert broker == 1
    assert isinstance(ask, AskControlledShutdown)
    world.asks.clear()
    return ask


def granted(world: World) -> bool | None:
    return world.cluster.brokers[1].departure.granted


@pytest.mark.parametrize(
    ("protocol", "version"),
    [("2.2-IV0", 2), ("2.4-IV0", 2), ("2.4-IV1", 3), ("2.7-IV2", 3), ("3.9-IV0", 3)],
)
def test_the_version_follows_the_protocol(protocol: str, version: int) -> None:
    world = leaving(protocol)
    ask = asked(world)
    assert [*ask.versions] == [version]
    epoch = world.cluster.brokers[1].epoch
    assert ask.request(version) == ControlledShutdownRequest(1, epoch)
    assert granted(world) is None


def test_leave_is_given_at_once() -> None:
    world = leaving()
    world.answer(1, asked(world).number, 2, GRANTED)
    assert granted(world) is True
    world.advance(100.0)
    assert not world.asks


@pytest.mark.parametrize("answer", [None, NOT_YET, REFUSED])
def test_it_is_asked_for_three_times_five_seconds_apart(answer: Message | None) -> None:
    world = leaving()
    for _ in range(2):
        world.answer(1, asked(world).number, 2, answer)
        world.advance(4.9)
        assert not world.asks
        world.advance(0.1)
    assert granted(world) is None
    world.answer(1, asked(world).number, 2, answer)
    assert granted(world) is False
    world.advance(100.0)
    assert not world.asks


def test_a_later_try_may_succeed() -> None:
    world = leaving()
    world.answer(1, asked(world).number, 2, NOT_YET)
    world.advance(5.0)
    world.answer(1, asked(world).number, 2, GRANTED)
    assert granted(world) is True


def test_asking_twice_asks_once() -> None:
    world = leaving()
    world.carry_out(world.cluster.depart(world.now, 1))
    asked(world)
