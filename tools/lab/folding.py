"""What traces say in one line of many that say the same: what every connection begins with.

Whoever connects makes the persistent znodes that Kafka expects, one update each, and is told of
nearly all that they are there. `whole` has every line; otherwise runs of at least `_FEWEST` such
lines are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby

from klamm.controller.core.ops import Create
from klamm.controller.node.effects import Effect, Update
from klamm.controller.node.inputs import Input
from klamm.controller.store.port import Conflict, OpError, UpdateDone
from klamm.tools.lab import telling

_FEWEST = 3


def given(inputs: Iterable[Input], whole: bool = False) -> Iterator[str]:
    """Yield what a node was given; as one line what found its znode there already."""
    for is_there, group in groupby(inputs, _is_there):
        match [*group]:
            case [UpdateDone(request=first), *_, UpdateDone(request=last)] as found if (
                is_there and len(found) >= _FEWEST and not whole
            ):
                each = f"{OpError.NODE_EXISTS.value}, each of {len(found)}"
                yield f"updates {first} to {last}: {each}"
            case found:
                yield from (text for text in map(telling.given, found) if text is not None)


def asked(effects: Iterable[Effect], whole: bool = False) -> Iterator[str]:
    """Yield what a node asked for; as one line the making of persistent znodes."""
    for makes, group in groupby(effects, _makes):
        match [*group]:
            case [Update(first, begin), *_, Update(last, end)] as wanted if (
                makes and len(wanted) >= _FEWEST and not whole
            ):
                those = f"{len(wanted)} znodes, {begin.path} to {end.path}"
                yield f"updates {first} to {last}: create {those}"
            case wanted:
                yield from chain.from_iterable(map(telling.asked, wanted))


def _is_there(event: Input) -> bool:
    match event:
        case UpdateDone(outcome=Conflict(error=OpError.NODE_EXISTS)):
            return True
    return False


def _makes(effect: Effect) -> bool:
    match effect:
        case Update(op=Create(ephemeral=False, sequential=False)):
            return True
    return False
