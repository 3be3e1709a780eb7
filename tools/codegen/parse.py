"""Read one schema file into a `MessageSpec`, or refuse it with the place of the fault.

The grammar is that of Kafka's clients/src/main/resources/common/message/README.md; the rules are
those of its generator (FieldSpec.java, StructSpec.java, MessageSpec.java), made stricter where a
schema could say two things at once. Types that no schema here uses are refused, not guessed.
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path

from klamm.tools.codegen.names import snake
from klamm.tools.codegen.node import Node, SchemaError
from klamm.tools.codegen.spec import (
    SCALARS,
    Array,
    FieldSpec,
    Fixed,
    Literal,
    MessageSpec,
    Struct,
    StructSpec,
    Type,
)
from klamm.tools.codegen.versions import NONE, VersionRange

RESERVED = frozenset({"api_key", "codec", "flexible_from", "kind", "versions"})
"""Names that message classes use for themselves."""

_KINDS = {"request", "response", "header"}
_ENTITIES = {"brokerId", "groupId", "producerId", "topicName", "transactionalId"}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*|0x[0-9a-f]+)")


def parse_file(path: Path, root: Path) -> MessageSpec:
    """Read the schema at `path`; errors name it relative to `root`."""
    source = path.relative_to(root).as_posix()
    spec = parse_text(path.read_text("utf-8"), source)
    if spec.name != path.stem:
        raise SchemaError(f"{source}: the file must be named {spec.name}.json, like its message")
    return spec


def parse_text(text: str, source: str) -> MessageSpec:
    """Read the schema in `text`; errors name it by `source`."""
    try:
        document = json.loads(text, object_pairs_hook=_without_doubles)
    except ValueError as error:
        raise SchemaError(f"{source}: {error}") from error
    return _message(Node(source, document), source)


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    merged = dict(pairs)
    if len(merged) != len(pairs):
        raise ValueError(f"a key is given twice among {[key for key, _ in pairs]}")
    return merged


@dataclass(slots=True)
class _Context:
    """What the fields of one message share while they are read."""

    valid: VersionRange
    flexible: VersionRange
    common: dict[str, Node]
    done: dict[str, StructSpec] = dataclasses.field(default_factory=dict)
    open: list[str] = dataclasses.field(default_factory=list)


def _message(node: Node, source: str) -> MessageSpec:
    kind = node.text("type")
    if kind not in _KINDS:
        raise node.refuse(f'"type" must be one of {sorted(_KINDS)}, not {kind!r}')
    name = _name(node)
    api_key = node.number("apiKey")
    if (api_key is None) != (kind == "header"):
        raise node.refuse('requests and responses have an "apiKey", headers have none')
    if api_key is not None and not 0 <= api_key <= 32767:
        raise node.refuse(f'"apiKey" must be from 0 to 32767, not {api_key}')
    valid = node.versions("validVersions")
    if not valid or valid.last == 32767:
        raise node.refuse('"validVersions" must have a first and a last version')
    flexible = node.versions("flexibleVersions")
    deprecated = node.versions("deprecatedVersions", "none")
    node.ignore("about", "latestVersionUnstable", "listeners")
    context = _Context(valid, flexible, _common(node))
    fields = _fields(node, context, valid)
    node.finish()
    for common in context.common.values():
        raise common.refuse("no field uses this struct")
    for attribute in (field.attribute for field in fields):
        if attribute in RESERVED:
            raise node.refuse(f"a message has {attribute} already, a field cannot be called so")
    structs = tuple(context.done.values())
    return MessageSpec(
        name, kind, api_key, valid, flexible.intersect(valid), deprecated, fields, structs, source
    )


def _common(node: Node) -> dict[str, Node]:
    common: dict[str, Node] = {}
    for child in node.children("commonStructs"):
        name = _name(child)
        if name in common:
            raise child.refuse(f"struct {name} is defined twice")
        common[name] = child
    return common


def _name(node: Node) -> str:
    name = node.text("name")
    if not _NAME.fullmatch(name):
        raise node.refuse(f'"name" must be letters and digits, not {name!r}')
    return name


def _fields(node: Node, context: _Context, within: VersionRange) -> tuple[FieldSpec, ...]:
    fields = tuple(_field(child, context, within) for child in node.children("fields"))
    tags = sorted(field.tag for field in fields if field.tag is not None)
    if tags != list(range(len(tags))):
        raise node.refuse(f"tags must count up from 0 without a gap, not {tags}")
    attributes = [field.attribute for field in fields]
    for attribute in attributes:
        if attributes.count(attribute) > 1:
            raise node.refuse(f"two fields would be called {attribute}")
    return fields


def _field(node: Node, context: _Context, within: VersionRange) -> FieldSpec:
    name = _name(node)
    versions = node.versions("versions")
    carried = versions.intersect(within)
    if not carried:
        raise node.refuse(f"no valid version ({within}) carries versions {versions} of this field")
    type_ = _type(node, context, carried)
    nullable = node.versions("nullableVersions", "none")
    if nullable and (isinstance(type_, Fixed) or type_.name == "uuid"):
        raise node.refuse(f"a field of type {type_.name} cannot be null")
    tag, tagged = _tag(node, context, versions)
    entity = node.raw("entityType")
    if entity is not None and entity not in _ENTITIES:
        raise node.refuse(f'"entityType" must be one of {sorted(_ENTITIES)}, not {entity!r}')
    flexible = node.raw("flexibleVersions")
    if flexible not in (None, "none"):
        raise node.refuse(f'"flexibleVersions" of a field can only be "none", not {flexible!r}')
    default, null_default = _default(node, type_)
    if null_default and not nullable.covers(carried):
        raise node.refuse(f"null is the default, but only versions {nullable} can be null")
    spec = FieldSpec(
        name,
        snake(name),
        type_,
        versions,
        nullable,
        tagged,
        tag,
        None if flexible is None else NONE,
        default,
        null_default,
        node.flag("ignorable"),
        node.flag("mapKey"),
        str(entity) if entity is not None else None,
        node.text("about", ""),
    )
    node.ignore("zeroCopy")
    node.finish()
    return spec


def _type(node: Node, context: _Context, carried: VersionRange) -> Type:
    text = node.text("type")
    element = text.removeprefix("[]")
    if element in SCALARS:
        if any(True for _ in node.children("fields")):
            raise node.refuse(f"a field of type {text} cannot have fields")
        scalar = SCALARS[element]
        return Array(scalar) if element != text else scalar
    if not element[:1].isupper() or not _NAME.fullmatch(element):
        raise node.refuse(f"unknown type {text!r}")
    _struct(node, element, context, carried)
    return Array(Struct(element)) if element != text else Struct(element)


def _struct(node: Node, name: str, context: _Context, carried: VersionRange) -> None:
    """Read the struct `name`: a common one, or the one that this field defines."""
    if name in context.open:
        raise node.refuse(f"struct {name} would hold itself")
    common = context.common.pop(name, None)
    home = node if common is None else common
    versions = carried if common is None else common.versions("versions")
    context.open.append(name)
    fields = _fields(home, context, context.valid.intersect(versions))
    context.open.pop()
    if common is not None:
        common.finish()
    known = context.done.get(name)
    if known is None and not fields:
        raise node.refuse(f"struct {name} is not defined, or has no fields")
    if fields and known is not None:
        raise node.refuse(f"struct {name} is defined twice")
    if known is None:
        context.done[name] = known = StructSpec(name, versions, fields)
    if not known.versions.covers(carried):
        raise node.refuse(f"struct {name} has versions {known.versions}, this field {carried}")


def _tag(node: Node, context: _Context, versions: VersionRange) -> tuple[int | None, VersionRange]:
    tag, tagged = node.number("tag"), node.versions("taggedVersions", "none")
    if (tag is None) == bool(tagged):
        raise node.refuse('"tag" and "taggedVersions" go together')
    if not context.flexible.covers(tagged) or not versions.covers(tagged):
        raise node.refuse(f"versions {tagged} are not all flexible versions that have this field")
    return tag, tagged


def _default(node: Node, type_: Type) -> tuple[Literal, bool]:
    raw = node.raw("default")
    if raw == "null":
        return None, True
    if isinstance(type_, Fixed):
        return _fixed_default(node, type_, raw), False
    if type_.name == "string":
        if raw is not None and not isinstance(raw, str):
            raise node.refuse(f"{raw!r} is no default of a string")
        return raw or "", False
    if raw is not None:
        raise node.refuse(f"{raw!r} is no default of {type_.name}: null or nothing would be")
    return None, False


def _fixed_default(node: Node, type_: Fixed, raw: object) -> Literal:
    text = str(raw).lower() if raw not in (None, "") else "false" if type_.code == "?" else "0"
    if type_.code == "?":
        if text not in ("true", "false"):
            raise node.refuse(f"{raw!r} is no default of a bool")
        return text == "true"
    if not _NUMBER.fullmatch(text):
        raise node.refuse(f"{raw!r} is no default of {type_.name}")
    value, bound = int(text, 0), 1 << (8 * type_.width - 1)
    if not -bound <= value < bound:
        raise node.refuse(f"the default {value} does not fit into {type_.name}")
    return value
