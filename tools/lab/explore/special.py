"""What a fingerprint takes from a field in a way of its own: more than a row of `fields` says."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from klamm.controller.store.memory_tree import Node
from klamm.tools.lab.accepted import meddled_with, wished
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.events import Happened
from klamm.tools.lab.explore.fields import Number

if TYPE_CHECKING:
    from klamm.tools.lab.explore.fingerprint import Looking

#: Adds a field's value; the last is the object that it is of.
Special: TypeAlias = "Callable[[Looking, Any, Any], None]"


def _znodes(look: Looking, nodes: Mapping[str, Node], _: object) -> None:
    """Add znodes in the order of their paths, which say who is whose child."""
    for path, node in sorted(nodes.items()):
        look.tokens += (path, node.data, node.version, node.owner, node.creates, node.closed)
        look.add(node.czxid, Number.ZXID)
        look.add(node.mzxid, Number.ZXID)


def _in_flight(look: Looking, sent: Mapping[tuple[str, int], Any], _: object) -> None:
    for (node, broker), (epoch, sends) in sorted(sent.items()):
        look.tokens += (node, broker)
        look.add(epoch, Number.ZXID)
        look.own(node, frozenset(sends), Number.SEND)


def _commits(look: Looking, commits: Mapping[tuple[str, int], Any], _: object) -> None:
    for (node, request), ops in sorted(commits.items(), key=itemgetter(0)):
        look.tokens.append(node)
        look.own(node, request, Number.REQUEST)
        look.add(ops)


def _still_open(desk: Any) -> list[int]:  # noqa: ANN401 - takes anything apart
    """Return the requests that have no answer; what was answered is never looked at again."""
    return [
        number
        for number, asked in desk._requests.items()
        if (asked.open if isinstance(asked, Asked) else asked.response is None)
    ]


def _requests(look: Looking, requests: Mapping[int, Any], desk: object) -> None:
    for number in _still_open(desk):
        look.tokens.append(number)
        look.add(requests[number])


def _contexts(look: Looking, contexts: Mapping[int, Any], desk: object) -> None:
    for number in _still_open(desk):
        look.tokens.append(number)
        look.add(contexts.get(number))


def _past(look: Looking, events: Sequence[Happened], world: Any) -> None:  # noqa: ANN401 - a world
    """Add what of the past decides whether clients were kept their word in the end."""
    wishes = wished(events, world.clients.requests)
    steps = sorted({it.asked for wanted in wishes.values() for it in wanted})
    for name, wanted in wishes.items():
        look.add(name)
        for wish in wanted:
            before = bisect_right(steps, wish.answered), wish.answered == inf
            look.tokens += (wish.target, bisect_left(steps, wish.asked), before, wish.promised)
    look.add(meddled_with(events))


#: By class and field.
SPECIAL: Mapping[tuple[str, str], Special] = {
    ("World", "events"): _past,
    ("Tree", "nodes"): _znodes,
    ("RecordingTree", "nodes"): _znodes,
    ("Observed", "in_flight"): _in_flight,
    ("Observed", "commits"): _commits,
    ("Desk", "_requests"): _requests,
    ("Desk", "_contexts"): _contexts,
}
