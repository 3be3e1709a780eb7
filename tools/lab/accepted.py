"""What became of accepted requests: a move that a client was promised must come about.

No invariant of a single step can tell: each assignment that a partition passes through may be a
sound one. Only at the end, with all requests and answers at hand, does one see that the last word
of a client was kept, or that an older order, or none at all, has taken its place (catalogue F01,
F04, F05, H4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf

from klamm.controller.core.model import TopicPartition
from klamm.controller.node.places import Place, locate
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.events import Happened, ZnodeChange
from klamm.tools.lab.observe import Observed

#: Answers after which a request may have been carried out all the same.
_UNCERTAIN = (ErrorCode.NOT_CONTROLLER, ErrorCode.UNKNOWN_SERVER_ERROR)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request wants of one partition: a target, or None for a cancel.

    It was asked for in one step and answered in another, `inf` if never; `promised` says that the
    answer was no error.
    """

    target: tuple[int, ...] | None
    asked: int
    answered: float
    promised: bool


def forgotten(
    events: Sequence[Happened], requests: Iterable[Asked], observed: Observed
) -> Iterator[str]:
    """Say of which partitions the last accepted target is not what they have, or move to.

    Nothing is said where a tool, a deletion or a cancel may have had the last word. Of requests
    that overlap, and of those without a certain answer, each may have been the last.
    """
    meddled = meddled_with(events)
    for name, wanted in wished(events, requests).items():
        if not meddled.isdisjoint((paths.REASSIGN_PARTITIONS, paths.topic(name.topic))):
            continue
        allowed, now = _last(wanted), observed.assignment(name)
        if allowed and None not in allowed and now is not None and now.target not in allowed:
            targets = " or ".join(str([*target]) for target in allowed if target is not None)
            yield f"{name} was to move to {targets} and is to be on {[*now.target]}"


def wished(
    events: Sequence[Happened], requests: Iterable[Asked]
) -> Mapping[TopicPartition, Sequence[Wish]]:
    """Return what clients have asked for, by partition."""
    answered = {asked.number: each.step for each in events for asked in each.replied}
    found: dict[TopicPartition, list[Wish]] = defaultdict(list)
    for asked in requests:
        for name, wish in _wishes(asked, answered.get(asked.number, inf)):
            found[name].append(wish)
    return found


def meddled_with(events: Sequence[Happened]) -> Set[str]:
    """Return the znodes by which somebody else may have had the last word."""
    return {path for each in events for path in _meddled(each.znodes)}


def _wishes(asked: Asked, answered: float) -> Iterator[tuple[TopicPartition, Wish]]:
    """Yield what a request may have brought about, by partition."""
    if not isinstance(asked.what.body, AlterPartitionReassignmentsRequest):
        return
    codes = _codes(asked)
    for topic in asked.what.body.topics:
        for partition in topic.partitions:
            name = TopicPartition(topic.name, partition.partition_index)
            code = codes.get(name, ErrorCode.UNKNOWN_SERVER_ERROR)
            at_once = code == ErrorCode.NOT_CONTROLLER and answered == asked.step  # not in office
            if code == ErrorCode.NONE or (code in _UNCERTAIN and not at_once):
                promised = code == ErrorCode.NONE
                yield name, Wish(partition.replicas, asked.step, answered, promised)


def _codes(asked: Asked) -> dict[TopicPartition, int]:
    found: dict[TopicPartition, int] = {}
    for response in asked.responses:
        if isinstance(response, AlterPartitionReassignmentsResponse):
            for topic in response.responses:
                for each in topic.partitions:
                    name = TopicPartition(topic.name, each.partition_index)
                    found[name] = response.error_code or each.error_code
    return found


def _last(wishes: Sequence[Wish]) -> set[tuple[int, ...] | None]:
    """Return what may have been asked for last, if anything was promised."""
    promised = [wish for wish in wishes if wish.promised]
    if not promised:
        return set()
    latest = max(wish.asked for wish in promised)
    return {wish.target for wish in wishes if not wish.promised or wish.answered >= latest}


def _meddled(changes: Iterable[ZnodeChange]) -> Iterator[str]:
    """Yield the znodes whose content somebody else than a node has changed, and topics removed."""
    for change in changes:
        if change.path == paths.REASSIGN_PARTITIONS and not change.session:
            yield change.path
        elif locate(change.path).place is Place.TOPIC:
            before, after = change.before, change.after
            if after is None or (
                not change.session and (before is None or before.data != after.data)
            ):
                yield change.path
