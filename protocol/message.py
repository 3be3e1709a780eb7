"""What every generated message is and carries; the generated modules build on this."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

T = TypeVar("T")


class FieldFact(NamedTuple):
    """What a field may hold, for error texts and tools.

    `type` is spelled as in the schema; `versions` carry the field, `nullable` carry null in it. A
    value that an absent field would lose is an error unless the field is `ignorable`. `tag` is
    that of a tagged field.
    """

    name: str
    type: str
    versions: range
    nullable: range
    ignorable: bool
    tag: int | None = None


class Codec(NamedTuple):
    """The functions of a message, by version counted from its first, and the facts of its structs.

    An encoder gives the bytes. A decoder takes bytes and an offset and gives the message and the
    offset behind it. Both leave faults to `klamm.protocol.codec`, which names them.
    """

    encoders: tuple[Callable[[Any], bytes], ...]
    decoders: tuple[Callable[[bytes, int], tuple[Any, int]], ...]
    fields: Mapping[type, tuple[FieldFact, ...]]


class Api(NamedTuple):
    """A request and its response: their name without suffix, and what both have in common.

    `stock` are the versions that Kafka 3.9 knows, None for messages of klamm; `versions` may be
    more.
    """

    name: str
    versions: range
    flexible_from: int | None
    stock: range | None


class Message:
    """A request, a response or a header.

    `api_key` is -1 for headers; `versions` are those that the schema declares valid;
    `flexible_from` is the first flexible version, None if there is none.
    """

    __slots__ = ()

    api_key: ClassVar[int]
    kind: ClassVar[Literal["request", "response", "header"]]
    versions: ClassVar[range]
    flexible_from: ClassVar[int | None]
    codec: ClassVar[Codec]


def draft_of(cls: type) -> Any:  # noqa: ANN401 - the draft has fields that no checker can see
    """Make the mutable twin of a frozen slotted class, for decoders and `quick_new`.

    A draft is filled by plain assignment and then becomes the real thing by assigning its
    ``__class__``, which CPython allows between classes of equal slots and bases. That takes a
    quarter of the time of the frozen constructor, which goes through ``object.__setattr__``.
    """
    slots: tuple[str, ...] = cls.__dict__["__slots__"]
    return type(f"{cls.__name__}Draft", cls.__bases__, {"__slots__": slots})


def quick_new(cls: type[T]) -> type[T]:
    """Replace the constructor of a frozen slotted dataclass by one that fills a draft.

    Same parameters, same defaults, less than half the time: a controller makes these by the ten
    thousand. All fields need a plain default, as all fields of Kafka messages have.
    """
    fields = dataclasses.fields(cls)  # type: ignore[arg-type] # only dataclasses come here
    names = [field.name for field in fields]
    lines = [
        f"def __new__(cls, {', '.join(f'{name}=default_{name}' for name in names)}):",
        "    draft = Draft()",
        *(f"    draft.{name} = {name}" for name in names),
        "    draft.__class__ = cls",
        "    return draft",
    ]
    scope: dict[str, Any] = {f"default_{field.name}": field.default for field in fields}
    scope["Draft"] = draft_of(cls)
    exec("\n".join(lines), scope)  # noqa: S102 - as dataclasses makes methods; names are a schema's
    del cls.__init__
    type.__setattr__(cls, "__new__", staticmethod(scope["__new__"]))
    return cls
