"""The controller with one bug of history, or one hazard of Kafka 3.9, put back in: one per module.

Rows with a D are no bugs of anybody: the KIP and Kafka, or two versions, disagree there. Those with
an S are mistakes that are near when moves go in steps (KIP-435), which no Kafka has built.

A module's name is the row's in lower case with two digits, its `VARIANT` the bug; modules that
begin with an underscore are what several share. `NOT_EXPRESSED` are rows without a module, with
the reason.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from klamm.tools.lab.variant import Variant

NOT_EXPRESSED: Mapping[str, str] = MappingProxyType(
    {
        "F07": "Kept: what a tool adds to the orders under way waits until those are done, as"
        " KIP-455 has it. That it is never looked at is F06.",
        "H10": "Kept: a target that is the present replicas in another order is done at once, and"
        " the leader stays, as in Kafka. There is nothing to put back in.",
    }
)


class BrokenModuleError(ImportError):
    """A variant's or exhibit's module cannot be imported; the text names it, and the error."""

    def __init__(self, module: str, error: Exception) -> None:
        super().__init__(f"{module} cannot be imported: {type(error).__name__}: {error}")


def module_of(id_: str) -> str:
    """Return the whole name of the module of a variant: f02 of F02, h01 of H1."""
    return f"{__name__}.{id_[0].lower()}{int(id_[1:]):02}"


@cache
def variant_ids() -> tuple[str, ...]:
    """Return the rows that have a variant: D1, F01, H1, N1, S1 ...; imports none."""
    names = sorted(module.name for module in iter_modules(__path__) if module.name[0] != "_")
    return tuple(f"F{name[1:]}" if name[0] == "f" else _short(name) for name in names)


def _short(name: str) -> str:
    return f"{name[0].upper()}{int(name[1:])}"


def part_of(module: str, name: str) -> Any:  # noqa: ANN401 - what a module of the lab defines
    """Return what a module defines under a name; raises BrokenModuleError."""
    try:
        return getattr(import_module(module), name)
    except Exception as error:
        raise BrokenModuleError(module, error) from error


def load(id_: str) -> Variant:
    """Return the variant of one of these rows; raises BrokenModuleError."""
    module = module_of(id_)
    variant: Variant = part_of(module, "VARIANT")
    if variant.id != id_:
        raise ValueError(f"{module} is the module of {id_}, and its variant is {variant.id}")
    return variant
