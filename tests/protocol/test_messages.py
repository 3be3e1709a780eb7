"""Generated classes as people meet them: frozen, slotted, with the defaults of their schemas."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any

import pytest
from message_strategies import SPECS, make_in, module_of

from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrPartitionState
from klamm.protocol.generated.metadata_response import MetadataResponse, MetadataResponseBroker
from klamm.tools.codegen.interpret import default_of

STRUCTS = [
    (name, struct.name) for name, spec in sorted(SPECS.items()) for struct in spec.all_structs()
]
each_struct = pytest.mark.parametrize(("name", "struct"), STRUCTS)


def class_in(name: str, struct: str) -> Any:  # noqa: ANN401 - a generated class
    return getattr(module_of(name), struct)


@each_struct
def test_defaults_are_those_of_the_schema(name: str, struct: str) -> None:
    spec, made = SPECS[name], class_in(name, struct)()
    fields = next(s for s in spec.all_structs() if s.name == struct).fields
    expected: dict[str, object] = {
        field.attribute: default_of(field, spec, make_in(name)) for field in fields
    }
    if spec.flexible:
        expected["unknown_tagged_fields"] = ()
    values = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    assert values == expected
    assert list(values) == list(expected)
    assert list(inspect.signature(type(made)).parameters) == list(expected)


@each_struct
def test_frozen_slotted_and_documented(name: str, struct: str) -> None:
    made = class_in(name, struct)()
    assert not hasattr(made, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, dataclasses.fields(made)[0].name if dataclasses.fields(made) else "x", 1)
    assert type(made).__doc__


STATE = LeaderAndIsrPartitionState("", 1, isr=(1, 2), is_new=True)


def test_positional_and_keyword_construction_agree() -> None:
    assert MetadataResponseBroker(1, "h", 9092, "r") == MetadataResponseBroker(
        node_id=1, host="h", port=9092, rack="r"
    )


@pytest.mark.parametrize(
    ("positional", "named"), [((1,) * 20, {}), ((), {"nothing": 1}), ((1,), {"node_id": 1})]
)
def test_what_is_no_field_is_refused(positional: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        MetadataResponseBroker(*positional, **named)  # type: ignore[arg-type]


def test_values_behave_as_values() -> None:
    assert hash(STATE) == hash(copy.copy(STATE))
    assert copy.deepcopy(STATE) == STATE
    assert pickle.loads(pickle.dumps(STATE)) == STATE
    changed = dataclasses.replace(STATE, leader=5)
    assert (changed.leader, changed.isr) == (5, (1, 2))
    assert changed != STATE
    assert repr(MetadataResponseBroker(1, "h", 9)).startswith("MetadataResponseBroker(node_id=1, ")


def test_facts_of_a_message() -> None:
    assert (MetadataResponse.api_key, MetadataResponse.kind) == (3, "response")
    assert (MetadataResponse.versions, MetadataResponse.flexible_from) == (range(14), 9)
