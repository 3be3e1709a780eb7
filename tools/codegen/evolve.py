"""May one schema stand in for another? The rule for schemas/klamm files that extend Kafka's.

A newer schema of a message may add versions at its end and fields in them. In every version that
both have it must give the same bytes to the same values, or a stock peer would misread them
(Kafka's own rules are in EvolutionVerifier.java).
"""

from __future__ import annotations

from klamm.tools.codegen.layout import Slot, StructLayout, layout_of
from klamm.tools.codegen.node import SchemaError
from klamm.tools.codegen.spec import MessageSpec


def check_extension(base: MessageSpec, extended: MessageSpec) -> None:
    """Refuse `extended` unless it has all versions of `base` with the same bytes."""
    refusal = f"{extended.source} does not extend {base.source}"
    if (extended.kind, extended.api_key) != (base.kind, base.api_key):
        raise SchemaError(f"{refusal}: type and API key must stay")
    if not extended.versions.covers(base.versions):
        raise SchemaError(f"{refusal}: versions {base.versions} must stay, not {extended.versions}")
    for version in base.versions:
        place = f"{refusal}: version {version}"
        _compare(layout_of(base, version), layout_of(extended, version), place)


def _compare(base: StructLayout, extended: StructLayout, place: str) -> None:
    if (base.name, base.flexible) != (extended.name, extended.flexible):
        raise SchemaError(f"{place}: {base.name} must keep its name and its flexible versions")
    for name in ("slots", "tagged"):
        before, after = getattr(base, name), getattr(extended, name)
        names = [slot.field.name for slot in before]
        if names != [slot.field.name for slot in after]:
            raise SchemaError(f"{place}: {base.name} must keep its fields {names}")
        for old, new in zip(before, after, strict=True):
            _compare_slot(old, new, f"{place}, {base.name}.{old.field.name}")


def _compare_slot(base: Slot, extended: Slot, place: str) -> None:
    for what in ("type", "default", "null_default", "tag", "ignorable"):
        before, after = getattr(base.field, what), getattr(extended.field, what)
        if before != after:
            raise SchemaError(f"{place}: {what} must stay {before!r}, not {after!r}")
    if (base.nullable, base.compact) != (extended.nullable, extended.compact):
        raise SchemaError(f"{place}: what can be null or compact must stay")
    if base.struct is not None:
        _compare(base.struct, extended.element, place)
