"""What a newer schema of a message may change, and what it may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from klamm.tools.codegen.evolve import check_extension
from klamm.tools.codegen.node import SchemaError
from klamm.tools.codegen.parse import parse_text
from klamm.tools.codegen.spec import MessageSpec


def message(last: int, *fields: dict[str, Any], **changes: Any) -> MessageSpec:  # noqa: ANN401
    document = {
        "apiKey": 1,
        "type": "request",
        "name": "DemoRequest",
        "validVersions": f"0-{last}",
        "flexibleVersions": "1+",
        "fields": [*fields],
    }
    return parse_text(json.dumps(document | changes), f"v{last}.json")


COUNT = {"name": "Count", "type": "int32", "versions": "0+"}
PARTS = {"name": "Parts", "type": "[]Part", "versions": "0+", "fields": [COUNT]}
BASE = message(1, COUNT, PARTS)


def test_new_versions_with_new_fields_are_lawful() -> None:
    more = {"name": "More", "type": "string", "versions": "2+"}
    check_extension(BASE, message(2, more, COUNT, PARTS | {"fields": [COUNT, more]}))


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ([COUNT], "version 0: DemoRequest must keep its fields"),
        ([PARTS, COUNT], "must keep its fields"),
        ([COUNT, PARTS, {"name": "More", "type": "int8", "versions": "1+"}], "version 1: "),
        ([COUNT | {"type": "int64"}, PARTS], "DemoRequest.Count: type must stay"),
        ([COUNT | {"default": "1"}, PARTS], "DemoRequest.Count: default must stay 0, not 1"),
        ([COUNT | {"ignorable": True}, PARTS], "ignorable must stay"),
        ([COUNT, PARTS | {"nullableVersions": "1+"}], "version 1, DemoRequest.Parts: what can be"),
        (
            [COUNT, PARTS | {"fields": [COUNT | {"default": "1"}]}],
            "DemoRequest.Parts, Part.Count: default",
        ),
    ],
)
def test_changes_to_old_versions_are_not(fields: list[dict[str, Any]], fault: str) -> None:
    with pytest.raises(SchemaError) as refused:
        check_extension(BASE, message(2, *fields))
    assert str(refused.value).startswith("v2.json does not extend v1.json")
    assert fault in str(refused.value)
