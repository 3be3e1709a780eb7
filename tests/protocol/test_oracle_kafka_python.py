"""kafka-python: its compiled codecs read our bytes to our values and write them again."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from coverage_table import check_table, table
from hypothesis import given
from hypothesis import strategies as st
from message_strategies import ALL, SPECS, Drawing, class_of, messages
from oracles import QUICK, VERSIONS, normalised, plain

from klamm.protocol.codec import decode, encode

with warnings.catch_warnings():
    # It reads its schemas with importlib.resources.read_text, which warns.
    warnings.simplefilter("ignore", DeprecationWarning)
    MODULES = [
        import_module(f"kafka.protocol.{name}")
        for name in ("admin", "consumer", "metadata", "producer", "sasl")
    ]
DRAWING = Drawing(tags=False)
#: It reads an answer with an error as version 0, in which brokers refuse a version (KIP-511).
WITHOUT_ERROR = Drawing(tags=False, fields={"error_code": st.just(0)})
#: In these two messages it gives both fields one name, and reads them into sets of bits.
WITH_BITS = {"DescribeClusterResponse", "MetadataResponse"}
RENAMED = {
    "clusterauthorizedoperations": "authorizedoperations",
    "topicauthorizedoperations": "authorizedoperations",
}


def peer_class(name: str) -> Any:  # noqa: ANN401 - a message class of kafka-python
    found = [getattr(module, name) for module in MODULES if hasattr(module, name)]
    return found[0] if found else None


def peer_knows(name: str, version: int) -> bool:
    cls = peer_class(name) if SPECS[name].api_key is not None else None
    return cls is not None and cls.min_version <= version <= cls.max_version


KNOWN = [(name, version) for name, version in ALL if peer_knows(name, version)]


def plain_peer(value: Any, version: int) -> dict[str, Any]:  # noqa: ANN401 - any of its structs
    fields = [field for field in value.fields.values() if field.for_version_q(version)]
    return {
        normalised(field.name): plain_field(field, getattr(value, field.name), version)
        for field in sorted(fields, key=lambda field: field.name)
    }


def plain_field(field: Any, value: Any, version: int) -> Any:  # noqa: ANN401 - any of its fields
    if field.type_str == "bitfield":
        bits = {31} if value is None else value
        unsigned = sum(1 << bit for bit in bits)
        return unsigned - (1 << 32) if 31 in bits else unsigned
    if field.type_str == "uuid" and value is None:
        return UUID(int=0)
    if field.is_struct() and field.tag is not None and value is None:
        # A tagged struct that is absent is at its default; it reads None.
        return {normalised(part.name): part.default for part in field.fields.values()}
    if field.is_struct() and value is not None:
        return plain_peer(value, version)
    if field.is_struct_array() and value is not None:
        return tuple(plain_peer(item, version) for item in value)
    return tuple(value) if isinstance(value, list) else value


def renamed(value: Any) -> Any:  # noqa: ANN401 - any plain value
    if isinstance(value, tuple):
        return tuple(renamed(item) for item in value)
    if not isinstance(value, dict):
        return value
    return {RENAMED.get(key, key): renamed(item) for key, item in value.items()}


@pytest.mark.parametrize(("name", "version"), KNOWN, ids=[f"{n}-v{v}" for n, v in KNOWN])
@QUICK
@given(data=st.data())
def test_kafka_python_reads_and_writes_the_same(
    name: str, version: int, data: st.DataObject
) -> None:
    drawing = WITHOUT_ERROR if name == "ApiVersionsResponse" else DRAWING
    message = data.draw(messages(name, version, drawing))
    encoded = encode(message, version)
    cls = peer_class(name)
    read = cls.decode(encoded, version=version)
    expected = plain(name, version, message)
    assert plain_peer(read, version) == (renamed(expected) if name in WITH_BITS else expected)
    read._header = None  # its decoder leaves the slot empty, which its encoder then asks for
    written = bytes(read.encode(version=version))
    assert written == encoded
    assert encode(decode(class_of(name), written, version), version) == encoded


def test_coverage() -> None:
    covered: dict[str, list[int]] = {}
    for name, version in KNOWN:
        covered.setdefault(name, []).append(version)
    check_table("oracle_kafka_python.txt", table("kafka-python", covered, VERSIONS))
