"""Fingerprints: two worlds with the same one have the same future.

A fingerprint covers everything in a world but what `fields` names: nodes with their turns, queues
and outboxes, ZooKeeper with its sessions and what is on its way, brokers and their disks, links,
open requests, what may still go wrong, and what the watcher of the invariants knows, for that
decides whether a later step is a violation. Numbers that only number are replaced by their rank
among their kind: what is compared is which are equal and which is larger.

The order in mappings counts, except where it is that of znodes: code may go by it. That of sets
does not, so that fingerprints are the same in every process.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterable, Mapping
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple

from klamm.controller.node.door import FIRST_REQUEST
from klamm.controller.store.memory_tree import Node
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.explore.fields import BY_CLASS, BY_NAME, LEFT_OUT, Number
from klamm.tools.lab.explore.shapes import Kind, in_order, kind, parts, token
from klamm.tools.lab.world import World

#: 128 bits: among a billion worlds two share one with a chance of about 1 to 10^21.
_BYTES = 16
#: Version 2 of the format writes equal values alike, whoever else refers to them.
_FORMAT = 2
#: How many values may be remembered, each with what it looks like.
_MOST_VALUES = 200_000

#: Classes of what stands for itself.
_PLAIN: frozenset[type] = frozenset({bool, int, float, str, bytes, type(None)})

#: What a value looks like: its tokens, and where among them are numbers, of which kind.
_Look = tuple[list[Any], list[tuple[int, Number]]]


class Fingerprints:
    """Takes fingerprints, and remembers what values look like, which worlds share."""

    def __init__(self) -> None:
        self._values: dict[int, tuple[object, _Look]] = {}

    def of(self, world: World) -> bytes:
        """Return the fingerprint of a world."""
        if len(self._values) > _MOST_VALUES:
            self._values.clear()
        look = _Looking(self)
        look.object(world)
        return blake2b(marshal.dumps(look.ranked(), _FORMAT), digest_size=_BYTES).digest()

    def value(self, thing: object) -> _Look:
        """Return what a value looks like; the same object is looked at once."""
        known = self._values.get(id(thing))
        if known is not None:
            return known[1]
        inside = _Looking(self)
        inside.object(thing)
        marks = [(place, number) for place, number, _ in inside.marks]
        tokens = inside.tokens
        if not marks:
            dumped = marshal.dumps(tokens, _FORMAT)
            tokens = [blake2b(dumped, digest_size=_BYTES).digest()]
        self._values[id(thing)] = thing, (tokens, marks)
        return tokens, marks


class _Looking:
    """One look at a world, or a value, as a flat list of tokens."""

    def __init__(self, fingerprints: Fingerprints) -> None:
        self._fingerprints = fingerprints
        self.tokens: list[Any] = []
        #: Where among the tokens are numbers, of which kind, and whose.
        self.marks: list[tuple[int, Number, str]] = []
        self._seen: dict[int, int] = {}
        self._owner = ""

    def ranked(self) -> list[Any]:
        """Return the tokens, with numbers that only number replaced by their ranks."""
        tokens = self.tokens
        by_kind: dict[Hashable, list[int]] = {}
        for place, number, owner in self.marks:
            by_kind.setdefault(_realm(number, owner, tokens[place]), []).append(place)
        for places in by_kind.values():
            ranks = {it: rank for rank, it in enumerate(sorted({tokens[at] for at in places}))}
            for place in places:
                tokens[place] = ranks[tokens[place]]
        return tokens

    def add(self, thing: Any, number: Number | None = None) -> None:  # noqa: ANN401 - takes anything apart
        """Add a thing; integers in it that are no part of an object are of this kind."""
        cls = thing.__class__
        if cls in _PLAIN and (number is None or cls is not int):
            self.tokens.append(thing)
            return
        if cls is int and number is not None:
            self._number(thing, number)
            return
        found = kind(cls)
        if found is Kind.ATOM:
            self.tokens.append(token(thing))
        elif found is Kind.VALUE:
            tokens, marks = self._fingerprints.value(thing)
            start = len(self.tokens)
            self.tokens += tokens
            self.marks += [(start + place, each, self._owner) for place, each in marks]
        elif found is Kind.ROW:
            self._row(thing, number)
        elif found is Kind.SET:
            self._items("{", in_order(thing), number)
        elif found is Kind.METHOD:
            self.tokens.append(thing.__func__.__qualname__)
            self.add(thing.__self__)
        elif not self._again(thing):
            if found is Kind.LIST:
                self._items("[", thing, number)
            elif found is Kind.MAP:
                self.mapping(thing.items(), number)
            else:
                self.object(thing)

    def _again(self, thing: object) -> bool:
        """Tell whether an object that can change was added already, and then add where."""
        place = self._seen.get(id(thing))
        if place is None:
            self._seen[id(thing)] = len(self._seen)
            return False
        self.tokens += ("@", place)
        return True

    def _number(self, value: int, number: Number) -> None:
        if value == 0 or (value < 0 and number is not Number.REQUEST):
            self.tokens.append(("none", value))  # no number yet
            return
        self.marks.append((len(self.tokens), number, self._owner))
        self.tokens.append(value)

    def _row(self, row: Any, number: Number | None) -> None:  # noqa: ANN401 - takes anything apart
        names = getattr(row, "_fields", None)
        self.tokens.append(len(row))
        if names is None:
            for item in row:
                self.add(item, number)
            return
        cls = type(row).__name__
        self.tokens.append(cls)
        for name, item in zip(names, row, strict=True):
            self.add(item, _kind_of(cls, name))

    def _items(self, begin: str, items: Iterable[Any], number: Number | None) -> None:
        self.tokens.append(begin)
        for item in items:
            self.add(item, number)
        self.tokens.append("]")

    def mapping(self, items: Iterable[tuple[Any, Any]], number: Number | None) -> None:
        """Add a mapping; steps are its values, numbers of other kinds its keys."""
        self.tokens.append("(")
        for key, value in items:
            if number is Number.STEP:
                self.add(key)
                self.add(value, number)
            else:
                self.add(key, number)
                self.add(value)
        self.tokens.append(")")

    def object(self, thing: Any) -> None:  # noqa: ANN401 - takes anything apart
        """Add an object's class and its attributes."""
        cls = type(thing)
        self._seen.setdefault(id(thing), len(self._seen))
        kept = self._owner
        name_of_owner = _OWNERS.get(cls.__name__)
        if name_of_owner is not None:
            self._owner = name_of_owner(thing)
        tokens = self.tokens
        tokens.append(cls.__qualname__)
        found = parts(thing)
        for name in (*_FIRST, *found) if cls is World else found:
            row = _FIELDS.get((cls, name))
            if row is None:
                row = _FIELDS[cls, name] = _field(cls, name)
            if row.left_out:
                continue
            tokens.append(name)
            if row.special is not None:
                row.special(self, found[name], thing)
            else:
                self.add(found[name], row.number)
        self._owner = kept

    def own(self, owner: str, thing: Any, number: Number) -> None:  # noqa: ANN401 - takes anything apart
        """Add numbers of this kind that belong to a host."""
        kept, self._owner = self._owner, owner
        self.add(thing, number)
        self._owner = kept


def _realm(number: Number, owner: str, value: int) -> Hashable:
    """Return among which numbers one is ranked."""
    if number in (Number.ZXID, Number.STEP):
        return number
    return number, owner, value > 0, value > FIRST_REQUEST


def _kind_of(cls: str, name: str) -> Number | None:
    """Return which kind of number a field holds, if it only numbers."""
    at = cls, name
    return BY_CLASS[at] if at in BY_CLASS else BY_NAME.get(name)


# --- what needs more than a row of `fields` ------------------------------------------------------


def _znodes(look: _Looking, nodes: Mapping[str, Node], _: object) -> None:
    """Add znodes in the order of their paths, which say who is whose child."""
    for path, node in sorted(nodes.items()):
        look.tokens += (path, node.data, node.version, node.owner, node.creates, node.closed)
        look.add(node.czxid, Number.ZXID)
        look.add(node.mzxid, Number.ZXID)


def _in_flight(look: _Looking, sent: Mapping[tuple[str, int], Any], _: object) -> None:
    for (node, broker), (epoch, sends) in sorted(sent.items()):
        look.tokens += (node, broker)
        look.add(epoch, Number.ZXID)
        look.own(node, frozenset(sends), Number.SEND)


def _commits(look: _Looking, commits: Mapping[tuple[str, int], Any], _: object) -> None:
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


def _requests(look: _Looking, requests: Mapping[int, Any], desk: object) -> None:
    for number in _still_open(desk):
        look.tokens.append(number)
        look.add(requests[number])


def _contexts(look: _Looking, contexts: Mapping[int, Any], desk: object) -> None:
    for number in _still_open(desk):
        look.tokens.append(number)
        look.add(contexts.get(number))


#: Hosts come first, so that what they own is known as theirs when it is met elsewhere.
_FIRST = ("nodes", "brokers", "cluster")
_Special = Callable[[_Looking, Any, object], None]
_SPECIAL: Mapping[tuple[str, str], _Special] = {
    ("Tree", "nodes"): _znodes,
    ("RecordingTree", "nodes"): _znodes,
    ("Observed", "in_flight"): _in_flight,
    ("Observed", "commits"): _commits,
    ("Desk", "_requests"): _requests,
    ("Desk", "_contexts"): _contexts,
}


class _Field(NamedTuple):
    """What is done with a field of a class."""

    left_out: bool
    number: Number | None
    special: _Special | None


#: What was found out about fields.
_FIELDS: dict[tuple[type, str], _Field] = {}


def _field(cls: type, name: str) -> _Field:
    """Look a field up; a class is left out with what it inherits, as variants of nodes are."""
    left_out = any(name in LEFT_OUT.get(base.__name__, ()) for base in cls.__mro__)
    return _Field(left_out, _kind_of(cls.__name__, name), _SPECIAL.get((cls.__name__, name)))


#: Whose the numbers are that lie in objects of these classes.
_OWNERS: Mapping[str, Callable[[Any], str]] = {
    "NodeHost": lambda host: str(host.name),
    "BrokerHost": lambda host: str(host.name),
    "BrokerModel": lambda model: f"b{model.settings.id}",
}
