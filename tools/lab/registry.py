"""What the lab has by name: variants and exhibits, one module each in a package of their own."""

from __future__ import annotations

from pkgutil import iter_modules
from typing import TYPE_CHECKING

from klamm.tools.lab import exhibits
from klamm.tools.lab.apache import VARIANT as APACHE
from klamm.tools.lab.variant import Variant
from klamm.tools.lab.variants import BrokenModuleError, load, part_of, variant_ids

if TYPE_CHECKING:
    from klamm.tools.lab.exhibit import Exhibit

__all__ = [
    "BrokenModuleError",
    "UnknownNameError",
    "exhibit",
    "exhibit_ids",
    "variant",
    "variant_ids",
]


class UnknownNameError(LookupError):
    """Nothing has this name; the text says what there is."""


def _exhibits() -> dict[str, str]:
    """Return the modules of all exhibits by id, sorted, without importing any."""
    names = sorted(info.name for info in iter_modules(exhibits.__path__))
    return {f"E{int(name[1:])}": name for name in names if name[1:].isdigit()}


def exhibit_ids() -> list[str]:
    """Return the ids of all exhibits, sorted, without importing any."""
    return [*_exhibits()]


def variant(id_: str) -> Variant:
    """Return the variant of an id such as F33, or apache; raises UnknownNameError.

    Only its own module is imported; raises BrokenModuleError if that cannot be.
    """
    if id_.lower() == APACHE.id:
        return APACHE
    known = {each.lower(): each for each in variant_ids()}
    found = known.get(id_.lower())
    if found is None:
        names = ", ".join((*variant_ids(), APACHE.id))
        raise UnknownNameError(f"there is no variant {id_!r}; there are: {names}")
    return load(found)


def exhibit(id_: str) -> Exhibit:
    """Return the exhibit of an id such as E8; raises UnknownNameError or BrokenModuleError."""
    name = _exhibits().get(id_.upper())
    if name is None:
        known = ", ".join(exhibit_ids())
        raise UnknownNameError(f"there is no exhibit {id_!r}; there are: {known}")
    found: Exhibit = part_of(f"{exhibits.__name__}.{name}", "EXHIBIT")
    return found
