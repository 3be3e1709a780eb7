"""kio, whose schemas are Kafka's own: it reads our bytes to our values and writes them again."""

from __future__ import annotations

import dataclasses
import datetime
import io
from typing import Any
from uuid import UUID

import kio.schema.index
import pytest
from coverage_table import check_table, table
from hypothesis import given
from hypothesis import strategies as st
from kio.index import load_entity_module
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType
from message_strategies import ALL, SPECS, Drawing, class_of, messages
from oracles import QUICK, VERSIONS, normalised, plain

from klamm.protocol.codec import decode, encode
from klamm.tools.codegen.names import snake

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
DRAWING = Drawing(
    tags=False,
    fields={
        # kio reads these into an enumeration, and into times that its datetime can hold.
        "error_code": st.sampled_from([code.value for code in ErrorCode]),
        "log_append_time_ms": st.just(-1) | st.integers(0, 4_000_000_000_000),
        "session_lifetime_ms": st.integers(0, 10**12),
    },
)


def kio_name(name: str) -> str | None:
    """What kio calls the API of a message, None if it does not know it."""
    api_key = SPECS[name].api_key
    return snake(name) if api_key is None else kio.schema.index.api_key_map.get(api_key)


def kio_knows(name: str, version: int) -> bool:
    path = kio_name(name)
    return path is not None and version in kio.schema.index.schema_name_map[path]


KNOWN = [(name, version) for name, version in ALL if kio_knows(name, version)]


def entity_class(name: str, version: int) -> Any:  # noqa: ANN401 - a dataclass of kio
    path = kio_name(name)
    assert path is not None
    kind: Any = EntityType[SPECS[name].kind]  # its overloads want literals
    return getattr(load_entity_module(path, version, kind), name)


def plain_entity(entity: Any) -> Any:  # noqa: ANN401 - any value inside an entity
    if dataclasses.is_dataclass(entity):
        fields = sorted(dataclasses.fields(entity), key=lambda field: normalised(field.name))
        return {
            normalised(field.name): plain_value(field, getattr(entity, field.name))
            for field in fields
        }
    return entity


def plain_value(field: dataclasses.Field[Any], value: Any) -> Any:  # noqa: ANN401 - any field
    kind = field.metadata.get("kafka_type")
    if isinstance(value, tuple):
        return tuple(plain_entity(item) for item in value)
    if kind == "uuid":
        return UUID(int=0) if value is None else value
    if kind == "error_code":
        return value.value
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(milliseconds=1)
    if kind == "datetime_i64":
        return -1 if value is None else (value - EPOCH) // datetime.timedelta(milliseconds=1)
    return plain_entity(value)


@pytest.mark.parametrize(("name", "version"), KNOWN, ids=[f"{n}-v{v}" for n, v in KNOWN])
@QUICK
@given(data=st.data())
def test_kio_reads_and_writes_the_same(name: str, version: int, data: st.DataObject) -> None:
    message = data.draw(messages(name, version, DRAWING))
    encoded = encode(message, version)
    cls = entity_class(name, version)
    entity, size = entity_reader(cls)(encoded, 0)
    assert size == len(encoded)
    assert plain_entity(entity) == plain(name, version, message)
    written = io.BytesIO()
    entity_writer(cls)(written, entity)
    assert written.getvalue() == encoded
    assert encode(decode(class_of(name), written.getvalue(), version), version) == encoded


def test_coverage() -> None:
    covered: dict[str, list[int]] = {}
    for name, version in KNOWN:
        covered.setdefault(name, []).append(version)
    check_table("oracle_kio.txt", table("kio", covered, VERSIONS))
