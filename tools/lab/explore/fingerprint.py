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
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from klamm.controller.node.door import FIRST_REQUEST
from klamm.tools.lab.explore.fields import BY_CLASS, BY_NAME, LEFT_OUT, Number
from klamm.tools.lab.explore.shapes import Kind, in_order, kind, parts_of, token
from klamm.tools.lab.explore.special import SPECIAL, Special
from klamm.tools.lab.world import World

#: 128 bits: among a billion worlds two share one with a chance of about 1 to 10^21.
_BYTES = 16
#: Version 2 of the format writes equal values alike, whoever else refers to them.
_FORMAT = 2
#: How many values may be remembered, each with what it looks like.
_MOST_VALUES = 200_000

#: Classes of what stands for itself.
_PLAIN: frozenset[type] = frozenset({bool, int, float, str, bytes, type(None)})

#: Classes of what may be empty, and then adds nothing to its name.
_EMPTY: frozenset[type] = frozenset({list, dict, set, frozenset, deque})

#: How things of a class are added.
_WAYS: dict[type, Callable[[Looking, Any, Number | None], None]] = {}

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
        look = Looking(self)
        look.object(world)
        return blake2b(marshal.dumps(look.ranked(), _FORMAT), digest_size=_BYTES).digest()

    def value(self, thing: object) -> _Look:
        """Return what a value looks like; the same object is looked at once."""
        known = self._values.get(id(thing))
        if known is not None:
            return known[1]
        inside = Looking(self)
        inside.object(thing)
        marks = [(place, number) for place, number, _ in inside.marks]
        tokens = inside.tokens
        if not marks:
            dumped = marshal.dumps(tokens, _FORMAT)
            tokens = [blake2b(dumped, digest_size=_BYTES).digest()]
        self._values[id(thing)] = thing, (tokens, marks)
        return tokens, marks


class Looking:
    """One look at a world, or a value, as a flat list of tokens.

    Lists and mappings belong to one object each, so only objects can be met again.
    """

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
        if cls in _PLAIN:
            if number is None or cls is not int:
                self.tokens.append(thing)
            else:
                self._number(thing, number)
            return
        way = _WAYS.get(cls)
        if way is None:
            way = _WAYS[cls] = self.WAYS[kind(cls)]
        way(self, thing, number)

    def _atom(self, thing: Any, _: Number | None) -> None:  # noqa: ANN401 - takes anything apart
        self.tokens.append(token(thing))

    def _value(self, thing: object, _: Number | None) -> None:
        tokens, marks = self._fingerprints.value(thing)
        if marks:
            start, owner = len(self.tokens), self._owner
            self.marks += [(start + place, each, owner) for place, each in marks]
        self.tokens += tokens

    def _method(self, thing: Any, _: Number | None) -> None:  # noqa: ANN401 - takes anything apart
        self.tokens.append(thing.__func__.__qualname__)
        self.add(thing.__self__)

    def _partial(self, call: Any, _: Number | None) -> None:  # noqa: ANN401 - takes anything apart
        self.add(call.func)
        self.add(call.args)
        self.add(call.keywords)

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
        cls = type(row)
        kinds = _KINDS.get(cls)
        if kinds is None:
            kinds = _KINDS[cls] = [_kind_of(cls.__name__, name) for name in names]
        self.tokens.append(cls.__name__)
        for item, its_kind in zip(row, kinds, strict=True):
            self.add(item, its_kind)

    def _set(self, items: Iterable[Any], number: Number | None) -> None:
        self._list(in_order(items) if items else (), number)

    def _list(self, items: Iterable[Any], number: Number | None) -> None:
        if not items:
            self.tokens.append("[]")
            return
        self.tokens.append("[")
        for item in items:
            self.add(item, number)
        self.tokens.append("]")

    def _map(self, mapping: Mapping[Any, Any], number: Number | None) -> None:
        """Add a mapping; steps are its values, numbers of other kinds its keys."""
        if not mapping:
            self.tokens.append("()")
            return
        self.tokens.append("(")
        of_keys, of_values = (None, number) if number is Number.STEP else (number, None)
        for key, value in mapping.items():
            self.add(key, of_keys)
            self.add(value, of_values)
        self.tokens.append(")")

    def object(self, thing: Any, _: Number | None = None) -> None:  # noqa: ANN401 - takes anything apart
        """Add an object's class and its attributes, or where it was added already."""
        tokens, place = self.tokens, self._seen.get(id(thing))
        if place is not None:
            tokens += ("@", place)
            return
        self._seen[id(thing)] = len(self._seen)
        cls = thing.__class__
        plan = _PLANS.get(cls)
        if plan is None:
            plan = _PLANS[cls] = _plan(cls)
        kept = self._owner
        if plan.owner is not None:
            self._owner = plan.owner(thing)
        tokens.append(plan.name)
        fields = plan.fields
        for name, value in plan.parts(thing).items():
            if name not in fields:
                fields[name] = _field(cls, name)
            row = fields[name]
            if row is None:
                continue
            number, special = row
            tokens.append(name)
            if special is not None:
                special(self, value, thing)
            elif number is None and value.__class__ in _PLAIN:
                tokens.append(value)
            elif value or value.__class__ not in _EMPTY:
                self.add(value, number)
        self._owner = kept

    def own(self, owner: str, thing: Any, number: Number) -> None:  # noqa: ANN401 - takes anything apart
        """Add numbers of this kind that belong to a host."""
        kept, self._owner = self._owner, owner
        self.add(thing, number)
        self._owner = kept

    #: By what a thing is: how it is added.
    WAYS: Final = MappingProxyType(
        {
            Kind.ATOM: _atom,
            Kind.VALUE: _value,
            Kind.ROW: _row,
            Kind.LIST: _list,
            Kind.SET: _set,
            Kind.MAP: _map,
            Kind.METHOD: _method,
            Kind.PARTIAL: _partial,
            Kind.OBJECT: object,
        }
    )


def _realm(number: Number, owner: str, value: int) -> Hashable:
    """Return among which numbers one is ranked."""
    if number in (Number.ZXID, Number.STEP):
        return number
    return number, owner, value > 0, value > FIRST_REQUEST


def _kind_of(cls: str, name: str) -> Number | None:
    """Return which kind of number a field holds, if it only numbers."""
    at = cls, name
    return BY_CLASS[at] if at in BY_CLASS else BY_NAME.get(name)


#: Hosts come first, so that what they own is known as theirs when it is met elsewhere.
_FIRST = ("nodes", "brokers", "cluster")


class _Field(NamedTuple):
    """What is done with a field of a class that is not left out."""

    number: Number | None
    special: Special | None


def _field(cls: type, name: str) -> _Field | None:
    """Look a field up; a class is left out with what it inherits, as variants of nodes are."""
    if any(name in LEFT_OUT.get(base.__name__, ()) for base in cls.__mro__):
        return None
    return _Field(_kind_of(cls.__name__, name), SPECIAL.get((cls.__name__, name)))


#: Whose the numbers are that lie in objects of these classes.
_OWNERS: Mapping[str, Callable[[Any], str]] = {
    "NodeHost": lambda host: str(host.name),
    "BrokerHost": lambda host: str(host.name),
    "BrokerModel": lambda model: f"b{model.settings.id}",
}


class _Plan(NamedTuple):
    """How objects of a class are looked at: `fields` that are left out are None."""

    name: str
    owner: Callable[[Any], str] | None
    parts: Callable[[Any], Mapping[str, Any]]
    fields: dict[str, _Field | None]


#: What was found out about classes, and of rows with names about each place.
_KINDS: dict[type, list[Number | None]] = {}
_PLANS: dict[type, _Plan] = {}


def _plan(cls: type) -> _Plan:
    looks_into = _parts_of_world if cls is World else parts_of(cls)
    return _Plan(cls.__qualname__, _OWNERS.get(cls.__name__), looks_into, {})


def _parts_of_world(world: World) -> Mapping[str, Any]:
    found = vars(world)
    return {name: found[name] for name in (*_FIRST, *found)}
