"""The states of connections and what may happen in each, as data: rule 5 of the package."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from klamm.protocol.connection.events import LocalProtocolError


class State(StrEnum):
    """What a connection still does."""

    OPEN = "open"
    PEER_DONE = "peer done"  # the peer sends no more; held requests and answers still go on
    FAILED = "failed"  # the peer's bytes make no sense any more; earlier answers still go out
    CLOSED = "closed"


class Input(StrEnum):
    """What can happen to a connection."""

    DATA = "data"
    EOF = "eof"
    VIOLATION = "violation"
    REQUEST = "request"
    ANSWER = "answer"
    DRAINED = "drained"  # the last answer is out after the peer's end
    CLOSE = "close"


Transitions = Mapping[tuple[State, Input], State]

SERVER_TRANSITIONS: Transitions = {
    (State.OPEN, Input.DATA): State.OPEN,
    (State.OPEN, Input.EOF): State.PEER_DONE,
    (State.OPEN, Input.VIOLATION): State.FAILED,
    (State.OPEN, Input.ANSWER): State.OPEN,
    (State.OPEN, Input.CLOSE): State.CLOSED,
    (State.PEER_DONE, Input.VIOLATION): State.FAILED,
    (State.PEER_DONE, Input.ANSWER): State.PEER_DONE,
    (State.PEER_DONE, Input.DRAINED): State.CLOSED,
    (State.PEER_DONE, Input.CLOSE): State.CLOSED,
    (State.FAILED, Input.ANSWER): State.FAILED,
    (State.FAILED, Input.DRAINED): State.CLOSED,
    (State.FAILED, Input.CLOSE): State.CLOSED,
    (State.CLOSED, Input.CLOSE): State.CLOSED,
}

CLIENT_TRANSITIONS: Transitions = {
    (State.OPEN, Input.REQUEST): State.OPEN,
    (State.OPEN, Input.DATA): State.OPEN,
    (State.OPEN, Input.EOF): State.CLOSED,
    (State.OPEN, Input.VIOLATION): State.CLOSED,
    (State.OPEN, Input.CLOSE): State.CLOSED,
    (State.CLOSED, Input.CLOSE): State.CLOSED,
}


def follow(transitions: Transitions, state: State, event: Input) -> State:
    """Give the next state; raise LocalProtocolError for what the table does not have."""
    try:
        return transitions[state, event]
    except KeyError:
        raise LocalProtocolError(
            f"a connection that is {state} takes no {event}: look at its `state` first"
        ) from None
