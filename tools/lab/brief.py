"""A step in few lines: what was written, what clients heard and journals warn of, and no more.

Traces (`klamm.tools.lab.trace`) tell everything; this is for stories.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from klamm.controller.node.effects import Journal, Severity
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.message import Message
from klamm.tools.lab.contents import NONE, changed
from klamm.tools.lab.events import Happened, ZnodeChange
from klamm.tools.lab.telling import short, value
from klamm.tools.lab.trace import Writers

#: What stories do not tell of: that writes are numbered, nodes registered, states announced.
_BOOKKEEPING = (paths.KLAMM_COMMIT, f"{paths.KLAMM_NODES}/", f"{paths.ISR_CHANGES}/")
#: Fields of znodes that never matter to a story.
_IDLE_FIELDS = frozenset(("version", "timestamp", "kraftControllerEpoch"))


def action(happened: Happened) -> str:
    """Return what was done; a client's request with its number."""
    numbers = "".join(f" ({asked.number})" for asked in happened.asked)
    return f"{happened.action}{numbers}"


def brief(happened: Happened, writers: Writers) -> Iterator[str]:
    """Yield what came of a step that a story tells."""
    writers.learn(happened)
    yield from happened.details
    if happened.ended:
        yield happened.ended
    for change in happened.znodes:
        if not change.path.startswith(_BOOKKEEPING):
            yield _written(change, writers.name(change.session))
    for effect in happened.effects:
        if isinstance(effect, Journal) and effect.severity is not Severity.INFO:
            about = f" {effect.name or effect.topic}" if effect.name or effect.topic else ""
            text = f": {effect.text}" if effect.text else ""
            yield f"{happened.actor} notes {effect.kind}{about}{text}"
    for asked in happened.replied:
        for response in asked.responses:
            yield f"({asked.number}) {asked.node} answers: {answer(response)}"


def _written(change: ZnodeChange, writer: str) -> str:
    before, after = change.before, change.after
    if after is None:
        return f"{change.path} removed by {writer}"
    what = "made" if before is None else f"v{before.version} -> v{after.version}"
    said = f"{change.path} {what} by {writer}"
    if change.path.startswith(f"{paths.BROKER_IDS}/"):
        return said
    fields = [_field(*each) for each in changed(change) if each[0] not in _IDLE_FIELDS]
    return f"{said}: {', '.join(fields)}" if fields else said


def _field(key: str, was: str, now: str) -> str:
    name = f"{key} " if key else ""
    if was == NONE:
        return f"{name}{short(now)}"
    if now == NONE:
        return f"no {key or 'data'}"
    return f"{name}{short(was)} -> {short(now)}"


# --- answers -------------------------------------------------------------------------------------


def answer(response: Message) -> str:
    """Return what a client was told: errors, or the moves that it asked for, or "done"."""
    errors = dict.fromkeys(errors_of(response))
    if errors:
        return "; ".join(_error(code, text) for code, text in errors)
    if not isinstance(response, ListPartitionReassignmentsResponse):
        return "done"
    moves = [
        f"{topic.name}-{each.partition_index} {value(each.replicas)}"
        f" adding {value(each.adding_replicas)} removing {value(each.removing_replicas)}"
        for topic in response.topics
        for each in topic.partitions
    ]
    return "; ".join(moves) or "nothing moves"


def errors_of(response: object) -> Iterator[tuple[int, str]]:
    """Yield each error code that is not 0, with its text, of a response and of what it holds."""
    if isinstance(response, tuple):
        for each in response:
            yield from errors_of(each)
    if not dataclasses.is_dataclass(response):
        return
    code = getattr(response, "error_code", 0)
    if code:
        yield int(code), getattr(response, "error_message", None) or ""
    for field in dataclasses.fields(response):
        yield from errors_of(getattr(response, field.name))


def _error(code: int, text: str) -> str:
    name = f"{ErrorCode(code).name} ({code})"
    return f"{name}: {text}" if text and code != ErrorCode.NOT_CONTROLLER else name
