"""What the history tells of requests: what became of them, and how each was answered. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.chaos.history import (
    Alter,
    Answered,
    AnyEvent,
    Ask,
    Began,
    Closed,
    ListMoves,
    Quiet,
    Sent,
    Strayed,
)

#: Refusals that say that nothing was changed. Any other error leaves that open.
_CHANGED_NOTHING = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.TOPIC_ALREADY_EXISTS,
        ErrorCode.INVALID_PARTITIONS,
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        ErrorCode.REASSIGNMENT_IN_PROGRESS,
        ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
    }
)


class Outcome(Enum):
    """What a client knows of one thing that it asked for."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with what became of it.

    `end` is when it can no more take effect, in seconds. `in_office`: its node was controller at
    some moment between sending and answer. NOT_CONTROLLER then leaves open what was done, for a
    controller that loses its office answers so to what it has perhaps written.
    """

    sent: Sent
    answer: Answered | None
    end: float
    in_office: bool = True

    @property
    def parts(self) -> dict[str, Outcome]:
        """The outcome by partition or topic; none for a request that changes nothing."""
        return {name: self._outcome(name) for name in names(self.sent.ask)}

    def _outcome(self, name: str) -> Outcome:
        answer = self.answer
        if answer is None:
            return Outcome.UNKNOWN
        code = answer.error or answer.codes.get(name)
        if code == ErrorCode.NOT_CONTROLLER and not self.in_office:
            return Outcome.REFUSED
        if answer.error or code is None:
            return Outcome.UNKNOWN
        if code == ErrorCode.NONE:
            return Outcome.ACCEPTED
        return Outcome.REFUSED if code in _CHANGED_NOTHING else Outcome.UNKNOWN


def names(ask: Ask) -> tuple[str, ...]:
    """Return the partitions or the topic that an ask is about."""
    match ask:
        case Alter(moves):
            return tuple(moves)
        case ListMoves():
            return ()
        case other:
            return (other.topic,)


#: By how much the clocks of the history and of a journal may differ, in seconds.
_CLOCK_SECONDS = 0.1

#: From and until when a node was controller, in seconds of the history, by node.
Offices = Mapping[int, Sequence[tuple[float, float]]]


def asked(events: Sequence[AnyEvent], offices: Offices) -> list[Asked]:
    """Return all requests in the order of their sending."""
    aftermath = next(event.aftermath for event in events if isinstance(event, Began))
    answers: dict[tuple[int, int], Answered] = {}
    closed: dict[int, float] = {}
    for event in events:
        if isinstance(event, Answered):
            answers.setdefault((event.connection, event.correlation_id), event)
        elif isinstance(event, Closed):
            closed.setdefault(event.connection, event.at)
    found = []
    for event in events:
        if isinstance(event, Sent):
            answer = answers.get((event.connection, event.correlation_id))
            end = closed.get(event.connection, math.inf) + aftermath
            in_office = answer is None or any(
                begin - _CLOCK_SECONDS <= answer.at and event.at <= over + _CLOCK_SECONDS
                for begin, over in offices.get(event.node, ())
            )
            found.append(Asked(event, answer, end, in_office))
    return found


def unanswered(events: Sequence[AnyEvent]) -> Iterator[str]:
    """Say which requests had not one answer, or the end of their connection; or a wrong answer."""
    sent: dict[tuple[int, int], Sent] = {}
    answered: set[tuple[int, int]] = set()
    closed: set[int] = set()
    for event in events:
        match event:
            case Sent():
                sent[event.connection, event.correlation_id] = event
            case Answered():
                key = event.connection, event.correlation_id
                if key in answered:
                    yield f"{_text(*key)} was answered twice, again at {event.at:.3f} s"
                elif key not in sent:
                    yield f"{_text(*key)} was answered at {event.at:.3f} s and never sent"
                elif not event.error and set(event.codes) != set(names(sent[key].ask)):
                    yield f"{_text(*key)} was answered for {sorted(event.codes)}"
                answered.add(key)
            case Strayed():
                yield f"connection {event.connection} at {event.at:.3f} s: {event.text}"
            case Closed():
                closed.add(event.connection)
    for key, each in sent.items():
        if key not in answered and key[0] not in closed:
            yield f"{_text(*key)}, sent at {each.at:.3f} s, was never answered"


def refused_at_rest(events: Sequence[AnyEvent], asks: Sequence[Asked]) -> Iterator[str]:
    """Say what was not granted although nothing was broken or moving any more."""
    quiet = next((event.at for event in events if isinstance(event, Quiet)), math.inf)
    if quiet == math.inf:
        yield "the cluster never came to rest"
    for each in asks:
        if each.sent.at < quiet:
            continue
        what = _text(each.sent.connection, each.sent.correlation_id)
        if each.answer is None:
            yield f"{what} at {each.sent.at:.3f} s was not answered"
        elif each.answer.error or any(each.answer.codes.values()):
            yield f"{what} at {each.sent.at:.3f} s was refused: {each.answer}"


def _text(connection: int, correlation_id: int) -> str:
    return f"request {correlation_id} of connection {connection}"
