"""Lost answers, lost requests, late requests: what becomes of the commit, and who can tell."""

import pytest
from store_worlds import World

from klamm.controller.store.port import (
    Check,
    Committed,
    Create,
    Op,
    SessionEvent,
    SessionState,
    SetData,
    Unknown,
)
from klamm.controller.store.witness import Verdict

FENCE = Check("/epoch", 0)
OPS: tuple[Op, ...] = (SetData("/topic", b"moving", 0), SetData("/state", b"epoch 1", 0))


def prepare(world: World) -> None:
    world.write(Create("/epoch", b"1"), Create("/topic", b"still"), Create("/state", b"epoch 0"))


def test_a_lost_answer_is_unknown_and_the_witnesses_say_applied(world: World) -> None:
    prepare(world)
    client = world.open()
    client.read()
    world.lose_next_answer(client)
    outcome = client.commit(*OPS, fence=FENCE)
    assert isinstance(outcome, Unknown)
    client.wait_state(SessionState.CONNECTED)
    assert client.resolve(outcome, OPS, FENCE) is Verdict.APPLIED
    assert client.data("/topic") == b"moving"


def test_an_answer_that_nobody_understands_costs_the_connection(world: World) -> None:
    """Who heard `Unknown` waits for the connection's return to find out more."""
    prepare(world)
    client = world.open()
    client.read()
    world.spoil_next_answer(client)
    outcome = client.commit(*OPS, fence=FENCE)
    assert isinstance(outcome, Unknown)
    event = client.next()
    assert isinstance(event, SessionEvent) and event.state is SessionState.SUSPENDED
    client.wait_state(SessionState.CONNECTED)
    assert client.resolve(outcome, OPS, FENCE) is Verdict.APPLIED
    states = [event.state for event in client.log if isinstance(event, SessionEvent)]
    assert states == [SessionState.CONNECTED, SessionState.SUSPENDED, SessionState.CONNECTED]


def test_a_lost_request_is_unknown_and_the_witnesses_say_not_applied(world: World) -> None:
    prepare(world)
    client = world.open()
    client.read()
    world.lose_next_request(client)
    outcome = client.commit(*OPS, fence=FENCE)
    assert isinstance(outcome, Unknown)
    client.wait_state(SessionState.CONNECTED)
    assert client.resolve(outcome, OPS, FENCE) is Verdict.NOT_APPLIED
    assert isinstance(client.commit(*OPS, fence=FENCE), Committed)


def test_a_commit_can_be_applied_after_its_connection_has_ended(world: World) -> None:
    prepare(world)
    client = world.open()
    client.read()
    world.hold_next_request(client)
    outcome = client.commit(*OPS, fence=FENCE)
    assert isinstance(outcome, Unknown)
    world.let_late_request_through(client)
    world.reconnect(client)
    assert client.resolve(outcome, OPS, FENCE) is Verdict.APPLIED
    assert client.data("/state") == b"epoch 1"


def test_a_commit_cannot_be_applied_after_its_session_is_connected_again(world: World) -> None:
    """Without this, no reading after the sync could settle anything."""
    prepare(world)
    client = world.open()
    client.read()
    world.hold_next_request(client)
    outcome = client.commit(*OPS, fence=FENCE)
    assert isinstance(outcome, Unknown)
    world.let_late_request_knock(client)
    assert client.resolve(outcome, OPS, FENCE) is Verdict.NOT_APPLIED
    assert client.data("/topic") == b"still"


@pytest.mark.parametrize("wins", [True, False])
def test_a_late_commit_races_with_somebody_else(world: World, wins: bool) -> None:
    prepare(world)
    client = world.open()
    client.read()
    world.hold_next_request(client)
    outcome = client.commit(*OPS, fence=FENCE)
    assert isinstance(outcome, Unknown)
    if wins:
        world.let_late_request_through(client)
        world.write(SetData("/state", b"by a leader", 1))
    else:
        world.write(SetData("/state", b"by a leader", 0))
        world.let_late_request_through(client)
    world.reconnect(client)
    verdict = client.resolve(outcome, OPS, FENCE)
    assert verdict is (Verdict.APPLIED if wins else Verdict.NOT_APPLIED)


def test_an_election_is_won_only_if_the_office_is_ours(world: World) -> None:
    """The rival writes the same epoch at the same version, so that witness must not count."""
    world.write(Create("/epoch", b"1"))
    ops: tuple[Op, ...] = (Create("/controller", b"me", ephemeral=True), SetData("/epoch", b"2", 0))
    client, rival = world.open(), world.open()
    for one in client, rival:
        one.read()
    world.lose_next_request(client)
    outcome = client.commit(*ops)
    assert isinstance(outcome, Unknown)
    assert isinstance(rival.commit(*ops), Committed)
    client.wait_state(SessionState.CONNECTED)
    assert client.resolve(outcome, ops, None) is Verdict.UNDECIDABLE
    rival.store.close()
    rival.wait_state(SessionState.LOST)
    assert client.resolve(outcome, ops, None) is Verdict.UNDECIDABLE

    world.lose_next_answer(client)
    ops = (Create("/controller", b"me", ephemeral=True), SetData("/epoch", b"3", 1))
    outcome = client.commit(*ops)
    assert isinstance(outcome, Unknown)
    client.wait_state(SessionState.CONNECTED)
    assert client.resolve(outcome, ops, None) is Verdict.APPLIED
