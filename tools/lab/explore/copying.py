"""Copies of worlds that lie in memory: values are shared, the rest is copied.

A copy costs a fifth of what it takes to write a world as bytes and to read it again. What is
done with an object depends on its class alone, and is looked up once (`shapes`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType, MethodType
from typing import Any

from klamm.controller.handlers.api import Context
from klamm.tools.lab.events import Happened
from klamm.tools.lab.explore.shapes import Kind, kind, slots
from klamm.tools.lab.world import World

#: Frozen, and yet with parts that change: a handler's context draws from its desk.
_MIXED: frozenset[type] = frozenset({Context})
#: Of the step that is over, which nobody changes any more.
_PAST: frozenset[type] = frozenset({Happened})

#: What was copied of one world, by the identity of what it is a copy of.
_Memo = dict[int, Any]
_Copy = Callable[[Any, _Memo], Any]

#: How objects of a class are copied; None: they are shared.
_COPIES: dict[type, _Copy | None] = {}


def copied(world: World) -> World:
    """Return a world of its own that is as this one is.

    Values are shared: frozen dataclasses and what lies in them. Nobody may change a mapping that
    lies in a frozen dataclass.
    """
    made: World = _copy(world, {})
    return made


def _copy(thing: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    way = _way(thing.__class__)
    return thing if way is None else way(thing, memo)


def _way(cls: type) -> _Copy | None:
    try:
        return _COPIES[cls]
    except KeyError:
        found = _COPIES[cls] = _find_way(cls)
        return found


def _find_way(cls: type) -> _Copy | None:
    found = kind(cls)
    if cls in _MIXED:
        return _object(cls)
    if found in (Kind.ATOM, Kind.VALUE) or cls in _PAST or cls is frozenset:
        return None
    if cls is MappingProxyType:
        raise TypeError("a read-only view of a mapping outside a value cannot be copied")
    return _CONTAINERS[found] if found in _CONTAINERS else _object(cls)


def _row(row: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    items = [_copy(item, memo) for item in row]
    if all(map(_same, items, row)):
        return row
    return type(row)(*items) if hasattr(row, "_fields") else tuple(items)


def _same(one: object, other: object) -> bool:
    return one is other


def _list(listed: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    made = memo.get(id(listed))
    if made is None:
        made = memo[id(listed)] = listed.__class__()
        if listed:
            made.extend([_copy(item, memo) for item in listed])
    return made


def _set(items: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    made = memo.get(id(items))
    if made is None:
        made = memo[id(items)] = items.copy()  # objects that can change are in no set
    return made


def _map(mapping: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    made = memo.get(id(mapping))
    if made is None:
        # A copy first: what is special about a mapping, such as its default, stays.
        made = memo[id(mapping)] = mapping.copy()
        for key, item in mapping.items():
            way = _way(item.__class__)
            if way is not None:
                made[key] = way(item, memo)
    return made


def _method(method: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    return MethodType(method.__func__, _copy(method.__self__, memo))


def _partial(call: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
    keywords = {name: _copy(item, memo) for name, item in call.keywords.items()}
    return partial(_copy(call.func, memo), *_row(call.args, memo), **keywords)


_CONTAINERS: dict[Kind, _Copy] = {
    Kind.ROW: _row,
    Kind.LIST: _list,
    Kind.SET: _set,
    Kind.MAP: _map,
    Kind.METHOD: _method,
    Kind.PARTIAL: _partial,
}


def _object(cls: type) -> _Copy:
    """Return what copies objects of a class: their attributes, wherever they are."""
    names, ways, put = slots(cls), _COPIES, object.__setattr__

    def copy(thing: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
        made = memo.get(id(thing))
        if made is not None:
            return made
        made = memo[id(thing)] = object.__new__(cls)
        for name in names:
            item = getattr(thing, name)
            item_cls = item.__class__
            way = ways[item_cls] if item_cls in ways else _way(item_cls)
            put(made, name, item if way is None else way(item, memo))
        return made

    def copy_with_dict(thing: Any, memo: _Memo) -> Any:  # noqa: ANN401 - takes anything apart
        made = memo.get(id(thing))
        if made is not None:
            return made
        made = memo[id(thing)] = object.__new__(cls)
        for name in names:
            put(made, name, _copy(getattr(thing, name), memo))
        attributes: dict[str, Any] = made.__dict__
        for name, item in thing.__dict__.items():
            item_cls = item.__class__
            way = ways[item_cls] if item_cls in ways else _way(item_cls)
            attributes[name] = item if way is None else way(item, memo)
        return made

    return copy_with_dict if cls.__dictoffset__ else copy
