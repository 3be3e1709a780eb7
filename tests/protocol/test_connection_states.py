"""What must hold for the two tables of states, whatever rows they have."""

from __future__ import annotations

import pytest

from klamm.protocol.connection.events import LocalProtocolError
from klamm.protocol.connection.states import (
    CLIENT_TRANSITIONS,
    SERVER_TRANSITIONS,
    Input,
    State,
    Transitions,
    follow,
)

TABLES = pytest.mark.parametrize(
    "table", [SERVER_TRANSITIONS, CLIENT_TRANSITIONS], ids=["server", "client"]
)


@TABLES
@pytest.mark.parametrize("event", Input)
@pytest.mark.parametrize("state", State)
def test_follow_is_the_table(table: Transitions, state: State, event: Input) -> None:
    if (state, event) in table:
        assert follow(table, state, event) is table[state, event]
    else:
        with pytest.raises(LocalProtocolError, match=f"{state} takes no {event}"):
            follow(table, state, event)


@TABLES
def test_nothing_leads_out_of_closed(table: Transitions) -> None:
    assert {event for state, event in table if state is State.CLOSED} == {Input.CLOSE}
    assert table[State.CLOSED, Input.CLOSE] is State.CLOSED


@TABLES
def test_every_other_state_can_be_closed_and_only_open_ones_take_data(table: Transitions) -> None:
    states = {state for state, _ in table}
    assert all(table[state, Input.CLOSE] is State.CLOSED for state in states)
    assert {state for state, event in table if event is Input.DATA} == {State.OPEN}
    assert State.OPEN not in {after for (state, _), after in table.items() if state != State.OPEN}
