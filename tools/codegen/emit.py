"""Write the module of one message: its classes, its functions and its codec."""

from __future__ import annotations

from collections.abc import Mapping

from klamm.tools.codegen.defaults import literal
from klamm.tools.codegen.emit_decode import emit_decoder
from klamm.tools.codegen.emit_encode import emit_encoder
from klamm.tools.codegen.function import Used
from klamm.tools.codegen.layout import Group, groups
from klamm.tools.codegen.names import snake
from klamm.tools.codegen.spec import Array, FieldSpec, MessageSpec, Struct, StructSpec, Type
from klamm.tools.codegen.versions import VersionRange
from klamm.tools.codegen.writer import Writer

_PYTHON_TYPES = {
    "bool": "bool",
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "int",
    "string": "str",
    "bytes": "bytes",
    "records": "bytes",
    "uuid": "UUID",
}
_ENTITIES = {"brokerId": "broker id", "topicName": "topic name", "groupId": "group id"}


def module_name(spec: MessageSpec) -> str:
    """Give the name of the module that holds this message."""
    return snake(spec.name)


def emit_module(spec: MessageSpec) -> str:
    """Give the whole text of the module of one message."""
    used = Used()
    classes, functions = Writer(), Writer()
    for struct in spec.all_structs():
        _emit_class(spec, struct, classes)
    for group in groups(spec):
        for verb, emitter in (("encode", emit_encoder), ("decode", emit_decoder)):
            functions.lines("", "")
            name = f"_{verb}_{_suffix(group)}"
            emitter(name, group.layout, used, functions)
    head = Writer()
    _emit_head(spec, used, head)
    tail = Writer()
    _emit_codec(spec, tail)
    return f"{head}{classes}{functions}{tail}"


def _suffix(group: Group) -> str:
    return "v" + str(group.versions).replace("-", "_")


def _emit_head(spec: MessageSpec, used: Used, writer: Writer) -> None:
    writer.line(f'"""{spec.name}: {_facts_of(spec)}.')
    writer.lines("", f"Generated from {spec.source}", "by klamm.tools.codegen; do not edit.")
    writer.lines('"""', "")
    writer.lines("from __future__ import annotations", "")
    writer.line("from dataclasses import dataclass")
    if used.packs or used.unpacks:
        writer.line("from struct import Struct")
    writer.line("from typing import ClassVar, Final, Literal")
    uses_uuid = any(
        field.type.name.endswith("uuid") for struct in spec.all_structs() for field in struct.fields
    )
    if uses_uuid:
        writer.line("from uuid import UUID")
        used.primitive("ZERO_UUID")
    writer.lines(
        "", "from klamm.protocol.message import Codec, FieldFact, Message, draft_of, quick_new"
    )
    _emit_import("klamm.protocol.primitives", used.primitives, writer)
    _emit_import("klamm.protocol.rows", used.rows, writer)
    if used.packs or used.unpacks or used.arrays:
        writer.line()
    for name, arguments in sorted(used.arrays.items()):
        writer.line(f"{name} = arrays({arguments})")
    for table, verb in ((used.packs, "pack"), (used.unpacks, "unpack_from")):
        for name, form in sorted(table.items()):
            writer.line(f'{name} = Struct("{form}").{verb}')


def _emit_import(module: str, names: set[str], writer: Writer) -> None:
    if not names:
        return
    ordered = sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    line = f"from {module} import {', '.join(ordered)}"
    if writer.fits(line):
        writer.line(line)
    else:
        writer.listing([f"from {module} import ("], ordered)


def _facts_of(spec: MessageSpec) -> str:
    facts = [] if spec.api_key is None else [f"API key {spec.api_key}"]
    facts.append(f"versions {spec.versions}")
    facts.append(f"flexible {spec.flexible}" if spec.flexible else "never flexible")
    if spec.deprecated:
        facts.append(f"deprecated {spec.deprecated}")
    return ", ".join(facts)


def _emit_class(spec: MessageSpec, struct: StructSpec, writer: Writer) -> None:
    is_message = struct.name == spec.name
    writer.lines("", "", "@quick_new", "@dataclass(frozen=True, slots=True)")
    with writer.block(f"class {struct.name}{'(Message)' if is_message else ''}:"):
        facts = _facts_of(spec) if is_message else f"versions {struct.versions}"
        writer.line(f'"""{spec.kind.capitalize() if is_message else "Struct"}; {facts}."""')
        if is_message:
            _emit_class_variables(spec, writer)
        for field in struct.fields:
            writer.lines("", f"{field.attribute}: {annotation(field)} = {literal(field)}")
            writer.line(f'"""{field_facts(field)}"""')
        if spec.flexible:
            writer.lines("", "unknown_tagged_fields: tuple[tuple[int, bytes], ...] = ()")
            writer.line('"""tagged fields that this schema does not know: (tag, bytes)"""')
    writer.lines("", "", f"_{struct.name}Draft = draft_of({struct.name})")


def _emit_class_variables(spec: MessageSpec, writer: Writer) -> None:
    flexible_from = spec.flexible.first if spec.flexible else None
    writer.lines(
        "",
        f"api_key: ClassVar[int] = {-1 if spec.api_key is None else spec.api_key}",
        'kind: ClassVar[Literal["request", "response", "header"]] = ' + f'"{spec.kind}"',
        f"versions: ClassVar[range] = {as_range(spec.versions)}",
        f"flexible_from: ClassVar[int | None] = {flexible_from}",
        "codec: ClassVar[Codec]",
    )


def as_range(versions: VersionRange) -> str:
    """Give a version range as Python writes it."""
    start = f"{versions.first}, " if versions.first else ""
    return f"range({start}{versions.last + 1})"


def annotation(field: FieldSpec) -> str:
    """Give the annotation of a field: nullable in any version, nullable here."""
    return f"{_python_type(field.type)}{' | None' if field.nullable else ''}"


def _python_type(type_: Type) -> str:
    if isinstance(type_, Array):
        return f"tuple[{_python_type(type_.element)}, ...]"
    if isinstance(type_, Struct):
        return type_.name
    return _PYTHON_TYPES[type_.name]


def field_facts(field: FieldSpec) -> str:
    """Give what the schema says of a field, in one line."""
    facts = [field.type.name, f"versions {field.versions}"]
    if field.nullable:
        facts.append(f"nullable {field.nullable}")
    if field.tagged:
        facts.append(f"tag {field.tag} in {field.tagged}")
    if field.ignorable:
        facts.append("ignorable")
    if field.map_key:
        facts.append("unique in its array")
    if field.entity_type:
        facts.append(_ENTITIES.get(field.entity_type, field.entity_type))
    return "; ".join(facts)


def _emit_codec(spec: MessageSpec, writer: Writer) -> None:
    writer.lines("", "", "_FIELDS: Final[dict[type, tuple[FieldFact, ...]]] = {")
    with writer.indented():
        for struct in spec.all_structs():
            facts = [_fact(spec, field) for field in struct.fields]
            one = f"{struct.name}: (FieldFact({', '.join(facts[0])}),),"
            if len(facts) == 1 and writer.fits(one):
                writer.line(one)
                continue
            with writer.block(f"{struct.name}: ("):
                for fact in facts:
                    writer.listing(["FieldFact("], fact, ",")
            writer.line("),")
    writer.lines("}", "", f"{spec.name}.codec = Codec(")
    with writer.indented():
        for verb in ("encode", "decode"):
            names = [f"_{verb}_{_suffix(group)}" for group in groups(spec) for _ in group.versions]
            if len(names) == 1:
                writer.line(f"{verb}rs=({names[0]},),")
            else:
                writer.listing([f"{verb}rs=("], names, ",")
        writer.line("fields=_FIELDS,")
    writer.line(")")


def _fact(spec: MessageSpec, field: FieldSpec) -> list[str]:
    """Give what stands between the brackets of ``FieldFact(...)``."""
    nullable = field.nullable.intersect(spec.versions).intersect(field.versions)
    return [
        f'"{field.attribute}"',
        f'"{field.type.name}"',
        as_range(field.versions.intersect(spec.versions)),
        as_range(nullable) if nullable else "range(0)",
        str(field.ignorable),
        *([] if field.tag is None else [str(field.tag)]),
    ]


def emit_index(specs: Mapping[str, MessageSpec]) -> str:
    """Give the text of the package: what there is, without importing it."""
    writer = Writer()
    writer.lines(
        '"""All generated messages, imported when they are first asked for.',
        "",
        "Generated from schemas/ by klamm.tools.codegen; do not edit.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "from importlib import import_module",
        "from typing import TYPE_CHECKING, Any, Final",
        "",
        "from klamm.protocol.message import Api",
        "",
    )
    ordered = sorted(specs.values(), key=module_name)
    with writer.block("if TYPE_CHECKING:"):
        for spec in ordered:
            path = f"from klamm.protocol.generated.{module_name(spec)} import "
            if writer.fits(f"{path}{spec.name}"):
                writer.line(f"{path}{spec.name}")
            else:
                writer.listing([f"{path}("], [spec.name])
    writer.lines("", "__all__ = [")
    with writer.indented():
        for name in ["APIS", "MODULES", *sorted(specs)]:
            writer.line(f'"{name}",')
    writer.lines("]", "", "APIS: Final[Mapping[int, Api]] = {")
    with writer.indented():
        for spec in sorted(specs.values(), key=lambda spec: spec.api_key or 0):
            if spec.kind == "request":
                flexible_from = spec.flexible.first if spec.flexible else None
                name = spec.name.removesuffix("Request")
                stock = as_range(spec.stock) if spec.stock else "None"
                api = f'Api("{name}", {as_range(spec.versions)}, {flexible_from}, {stock})'
                writer.line(f"{spec.api_key}: {api},")
    writer.lines("}", '"""What there is, by API key."""', "")
    writer.line("MODULES: Final[Mapping[str, str]] = {")
    with writer.indented():
        for spec in ordered:
            writer.line(f'"{spec.name}": "{module_name(spec)}",')
    writer.lines("}", '"""The module of each message class."""', "", "")
    with writer.block("def __getattr__(name: str) -> Any:  # noqa: ANN401 - any message class"):
        writer.line("module = MODULES.get(name)")
        with writer.block("if module is None:"):
            writer.line('raise AttributeError(f"{__name__} has no message {name}")')
        writer.line('return getattr(import_module(f"{__name__}.{module}"), name)')
    return str(writer)
