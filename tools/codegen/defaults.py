"""Defaults of fields as Python text, and the checks against values that cannot be carried."""

from __future__ import annotations

from klamm.tools.codegen.function import Function
from klamm.tools.codegen.layout import StructLayout
from klamm.tools.codegen.spec import FIXED, Array, FieldSpec, Struct, Uuid


def literal(field: FieldSpec) -> str:
    """Give the default of a field as Python writes it."""
    if field.null_default:
        return "None"
    if isinstance(field.type, Array):
        return "()"
    if isinstance(field.type, Struct):
        return f"{field.type.name}()"
    if isinstance(field.type, Uuid):
        return "ZERO_UUID"
    if field.type.name in ("bytes", "records"):
        return 'b""'
    if isinstance(field.default, str):
        return f'"{field.default}"'
    return repr(field.default)


def differs(field: FieldSpec, value: str) -> str:
    """Give the condition that `value` is not the default of the field."""
    default = literal(field)
    if default == "None":
        return f"{value} is not None"
    if default in ("True", "False"):
        return f"{value} is not {default}"
    return f"{value} != {default}"


def emit_refusals(function: Function, value: str, layout: StructLayout) -> None:
    """Write the check for what this version cannot carry and what `struct` would let pass."""
    conditions = [
        differs(field, f"{value}.{field.attribute}")
        for field in layout.absent
        if not field.ignorable
    ]
    if layout.keeps_tags and not layout.flexible:
        conditions.append(f"{value}.unknown_tagged_fields")
    for slot in (*layout.slots, *layout.tagged):
        if slot.field.nullable and not slot.nullable:
            conditions.append(f"{value}.{slot.field.attribute} is None")
        if slot.field.type == FIXED["bool"]:
            conditions.append(f"type({value}.{slot.field.attribute}) is not bool")
    if conditions:
        function.writer.condition("if", conditions)
        with function.writer.indented():
            function.writer.line(f"raise {function.used.primitive('Unfit')}")
