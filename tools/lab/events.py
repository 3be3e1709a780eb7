"""What the world remembers of each step, as values: checks look at them, traces are made of them.

Nothing is rendered here: a run of which nobody wants to read the trace must not pay for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import TYPE_CHECKING, NamedTuple

from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import Input
from klamm.protocol.message import Message

if TYPE_CHECKING:
    from klamm.tools.lab.clients import Asked


class Content(NamedTuple):
    """A znode at one moment. `owner` is the session that it ends with, or 0."""

    data: bytes | None
    version: int
    owner: int


class ZnodeChange(NamedTuple):
    """One znode written: made if `before` is None, removed if `after` is.

    `session` is the writer's, 0 for a tool that is no part of the cluster; changes of one multi
    have the same `zxid`. If one multi writes a znode twice, there is one change of it.
    """

    path: str
    before: Content | None
    after: Content | None
    session: int
    zxid: int


@unique
class Way(Enum):
    """What became of a message in this step."""

    SENT = "sent"
    """It left its sender and is on its way."""
    TAKEN = "taken"
    """The receiver has taken the request in, and answered it if it answers at once."""
    LATE = "taken late"
    """As TAKEN, after its connection had ended: whoever sent it will see no answer."""
    ANSWERED = "answered"
    """The response has reached whoever asked."""
    LOST = "lost"
    """The connection ended first: whoever asked learns only that."""


class Carried(NamedTuple):
    """A request or response between two hosts, such as "n1" and "b3", and what became of it.

    `number` is the asker's number for the pair of request and response. With LOST it is the
    request that is shown.
    """

    way: Way
    source: str
    target: str
    number: int
    version: int
    message: Message


@dataclass(slots=True)
class Happened:
    """One step: an action, and everything that came of it.

    `now` is the world's clock in seconds. `actor` is the host that acted: "n1", "b3", "zk",
    "client", "tool" or "time". `action` is the whole name of the action, by which it can be done
    again, and `details` what was chosen of it, as "label: option"; `fault` says that it is one of
    `klamm.tools.lab.faults`. `inputs` are what a node was
    given in this step, the `Turn` at the end among them, and `effects` what it asked for and was
    carried out, in order; `undone` are those that a crash in the middle prevented. `ended` says why
    a process ended that nobody killed. `asked` are requests of clients made in this step, `replied`
    those answered in it.
    """

    step: int
    now: float
    actor: str
    action: str
    fault: bool = False
    details: list[str] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    undone: list[Effect] = field(default_factory=list)
    ended: str = ""
    znodes: list[ZnodeChange] = field(default_factory=list)
    messages: list[Carried] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    replied: list[Asked] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold: which, since which step, and what is wrong, in words.

    `invariant` is "I1" to "I14", "V1" to "V8", "liveness", or "fault" for an error that the code
    itself raised.
    """

    invariant: str
    step: int
    text: str
    evidence: tuple[str, ...] = ()
