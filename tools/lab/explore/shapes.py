"""What objects are made of, by class: the one place where copying and fingerprints look inside."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from functools import partial
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType
from typing import Any
from uuid import UUID

from msgspec import Struct


class Kind(Enum):
    """How objects of a class are taken apart."""

    ATOM = auto()
    """It has no parts that could change."""
    ROW = auto()
    """A tuple, also one whose places have names."""
    LIST = auto()
    SET = auto()
    MAP = auto()
    METHOD = auto()
    PARTIAL = auto()
    """A function with some of its arguments."""
    VALUE = auto()
    """An object that nobody changes once it is made: a frozen dataclass, or an error."""
    OBJECT = auto()


_ATOMS = (bool, int, float, str, bytes, type, FunctionType, BuiltinFunctionType, Enum, UUID)
_KINDS: tuple[tuple[tuple[type, ...], Kind], ...] = (
    ((*_ATOMS, type(None)), Kind.ATOM),
    ((tuple,), Kind.ROW),
    ((list, deque), Kind.LIST),
    ((set, frozenset), Kind.SET),
    ((dict, MappingProxyType), Kind.MAP),
    ((MethodType,), Kind.METHOD),
    ((partial,), Kind.PARTIAL),
)

_KNOWN: dict[type, Kind] = {}
_FIELDS: dict[type, tuple[str, ...]] = {}


def kind(cls: type) -> Kind:
    """Return how objects of a class are taken apart."""
    found = _KNOWN.get(cls)
    if found is None:
        found = _KNOWN[cls] = _kind(cls)
    return found


def _kind(cls: type) -> Kind:
    for classes, found in _KINDS:
        if issubclass(cls, classes):
            return found
    parameters: Any = getattr(cls, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        return Kind.VALUE
    if issubclass(cls, Struct) and cls.__struct_config__.frozen:
        return Kind.VALUE
    if issubclass(cls, BaseException):
        return Kind.VALUE
    return Kind.OBJECT


def slots(cls: type) -> tuple[str, ...]:
    """Return the attributes that objects of a class have a place for."""
    found = _FIELDS.get(cls)
    if found is None:
        names: list[str] = ["args"] if issubclass(cls, BaseException) else []
        for base in reversed(cls.__mro__):
            declared = vars(base).get("__slots__", ())
            names += (declared,) if isinstance(declared, str) else declared
        found = _FIELDS[cls] = tuple(dict.fromkeys(names))
    return found


def parts(thing: object) -> Mapping[str, Any]:
    """Return the attributes of an object, by name."""
    return parts_of(type(thing))(thing)


def parts_of(cls: type) -> Callable[[Any], Mapping[str, Any]]:
    """Return what takes objects of a class apart into their attributes, by name."""
    names = slots(cls)
    if not names and cls.__dictoffset__:
        return vars
    get = attrgetter(*names, "__class__", "__class__")  # of one name alone it gives no tuple

    def of_slots(thing: object) -> Mapping[str, Any]:
        return dict(zip(names, get(thing), strict=False))

    def of_both(thing: object) -> Mapping[str, Any]:
        return {**of_slots(thing), **vars(thing)}

    return of_both if cls.__dictoffset__ else of_slots


def token(thing: Any) -> Any:  # noqa: ANN401 - takes anything apart
    """Return what stands for an atom: itself, or its name."""
    if isinstance(thing, Enum):
        return f"{type(thing).__name__}.{thing.name}"
    if isinstance(thing, UUID):
        return thing.bytes
    if isinstance(thing, int | float | str | bytes):
        return thing
    return f"{thing.__module__}.{thing.__qualname__}"


def in_order(items: Iterable[Any]) -> list[Any]:
    """Return the items of a set in an order that is the same in every process."""
    listed = list(items)
    for item in listed:
        if kind(type(item)) is Kind.OBJECT:
            raise TypeError(f"a set of objects that can change has no order: {item}")
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=repr)
