"""What a schema may not say, and that the refusal names the place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from klamm.tools.codegen.layout import groups, layout_of
from klamm.tools.codegen.node import SchemaError
from klamm.tools.codegen.parse import parse_text


def schema(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {
        "apiKey": 1,
        "type": "request",
        "name": "DemoRequest",
        "validVersions": "0-3",
        "flexibleVersions": "2+",
        "fields": [field()],
    } | changes


def field(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"name": "Count", "type": "int32", "versions": "0+"} | changes


def refusal(document: object) -> str:
    with pytest.raises(SchemaError) as refused:
        spec = parse_text(json.dumps(document), "demo.json")
        groups(spec)
    return str(refused.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"extra": 1}, "demo.json: unknown key 'extra'"),
        ({"type": "event"}, '"type" must be one of'),
        ({"apiKey": None}, 'requests and responses have an "apiKey"'),
        ({"apiKey": 40000}, "0 to 32767"),
        ({"apiKey": "1"}, '"apiKey" must be an integer'),
        ({"name": "A B"}, "letters and digits"),
        ({"validVersions": "0+"}, "a first and a last version"),
        ({"validVersions": "none"}, "a first and a last version"),
        ({"validVersions": "3-1"}, "is no version range"),
        ({"flexibleVersions": 2}, '"flexibleVersions" must be a string'),
        ({"fields": {}}, '"fields" must be a list'),
        ({"fields": [1]}, "fields[0] ?: an object is wanted"),
        ({"fields": [field(), field()]}, "two fields would be called count"),
        ({"fields": [field(name="Kind")]}, "a message has kind already"),
        ({"commonStructs": [{"name": "S", "versions": "0+"}]}, "S: no field uses this struct"),
    ],
)
def test_unlawful_messages(changes: dict[str, Any], said: str) -> None:
    text = refusal(schema(**changes))
    assert text.startswith("demo.json")
    assert said in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"extra": 1}, "unknown key 'extra'"),
        ({"type": "int128"}, "unknown type 'int128'"),
        ({"type": "float64"}, "unknown type 'float64'"),
        ({"type": "[][]int32"}, "unknown type"),
        ({"type": "Missing"}, "struct Missing is not defined"),
        ({"fields": [field()]}, "cannot have fields"),
        ({"versions": "4+"}, "no valid version (0-3) carries versions 4+"),
        ({"nullableVersions": "0+"}, "int32 cannot be null"),
        ({"default": "many"}, "'many' is no default of int32"),
        ({"default": "2147483648"}, "does not fit into int32"),
        ({"type": "bool", "default": "1"}, "no default of a bool"),
        ({"type": "string", "default": 5}, "5 is no default of a string"),
        ({"type": "[]int32", "default": "x"}, "no default of []int32"),
        ({"type": "string", "nullableVersions": "1+", "default": "null"}, "null is the default"),
        ({"tag": 0}, '"tag" and "taggedVersions" go together'),
        ({"taggedVersions": "2+"}, '"tag" and "taggedVersions" go together'),
        ({"tag": 0, "taggedVersions": "1+"}, "not all flexible versions"),
        ({"tag": 1, "taggedVersions": "2+"}, "tags must count up from 0"),
        ({"flexibleVersions": "1+"}, 'can only be "none"'),
        ({"entityType": "planet"}, '"entityType" must be one of'),
        ({"ignorable": "yes"}, '"ignorable" must be true or false'),
    ],
)
def test_unlawful_fields(changes: dict[str, Any], said: str) -> None:
    text = refusal(schema(fields=[field(**changes)]))
    assert text.startswith("demo.json")
    assert said in text


def test_a_fault_deep_inside_is_placed() -> None:
    inner = field(name="Inner", type="[]Row", fields=[field(typo=True)])
    text = refusal(schema(fields=[field(name="Outer", type="[]Part", fields=[inner])]))
    assert text == (
        "demo.json, fields[0] Outer, fields[0] Inner, fields[0] Count: unknown key 'typo'"
    )


def test_a_key_given_twice() -> None:
    with pytest.raises(SchemaError, match="given twice"):
        parse_text('{"name": "A", "name": "B"}', "demo.json")


def test_a_struct_that_holds_itself() -> None:
    common = {"name": "Tree", "versions": "0+", "fields": [field(name="Sub", type="[]Tree")]}
    text = refusal(schema(fields=[field(type="[]Tree")], commonStructs=[common]))
    assert "struct Tree would hold itself" in text


def test_a_struct_defined_twice() -> None:
    fields = [
        field(name="A", type="[]Part", fields=[field()]),
        field(name="B", type="[]Part", fields=[field()]),
    ]
    assert "struct Part is defined twice" in refusal(schema(fields=fields))


def test_a_struct_without_the_versions_of_its_field() -> None:
    common = {"name": "Part", "versions": "2+", "fields": [field(versions="2+")]}
    text = refusal(schema(fields=[field(type="[]Part")], commonStructs=[common]))
    assert "struct Part has versions 2+, this field 0-3" in text


def test_elements_without_a_byte_are_refused() -> None:
    """A peer could claim 2**31 of them in four bytes."""
    part = field(name="Parts", type="[]Part", fields=[field(versions="1+")])
    assert "would take no byte in version 0" in refusal(schema(fields=[part]))


def test_a_tagged_struct_that_can_be_null_is_refused() -> None:
    tagged = field(
        type="Part",
        fields=[field(versions="2+")],
        versions="2+",
        nullableVersions="2+",
        tag=0,
        taggedVersions="2+",
    )
    assert "tagged struct that can be null" in refusal(schema(fields=[tagged]))


def test_versions_with_equal_bytes_are_one_group() -> None:
    spec = parse_text(json.dumps(schema(fields=[field(), field(name="More", versions="1+")])), "d")
    assert [str(group.versions) for group in groups(spec)] == ["0", "1", "2-3"]
    assert [slot.field.attribute for slot in layout_of(spec, 0).slots] == ["count"]
    with pytest.raises(ValueError, match="has versions 0-3, not 4"):
        layout_of(spec, 4)
