"""The PyPI package kafka-protocol: ApiVersions and Metadata in their versions before tagged fields.

Its compact forms are not Kafka's (a null is a varint -1), so its flexible versions say nothing.
"""

from __future__ import annotations

import io
from typing import Any

import kafkaprotocol
import pytest
from coverage_table import check_table, table
from hypothesis import given
from hypothesis import strategies as st
from message_strategies import ALL, Drawing, class_of, messages
from oracles import QUICK, VERSIONS, normalised, plain

from klamm.protocol.codec import decode, encode

#: It cannot write an empty string.
NOT_EMPTY = st.text(min_size=1, max_size=8)
DRAWING = Drawing(
    tags=False,
    fields={
        "cluster_id": st.none() | NOT_EMPTY,
        "host": NOT_EMPTY,
        "name": NOT_EMPTY,
        "rack": st.none() | NOT_EMPTY,
    },
)
PEERS: dict[str, list[Any]] = {
    name: getattr(kafkaprotocol, name)
    for name in ("ApiVersionsRequest", "ApiVersionsResponse", "MetadataRequest", "MetadataResponse")
}
KNOWN = [
    (name, version)
    for name, version in ALL
    if version < len(PEERS.get(name, ())) and not PEERS[name][version].FLEXIBLE
]


def plain_peer(value: Any) -> Any:  # noqa: ANN401 - any of its values
    if isinstance(value, list):
        return tuple(plain_peer(item) for item in value)
    if not hasattr(value, "_fields"):
        return value
    named = {normalised(name): plain_peer(getattr(value, name)) for name, _ in value._fields}
    return dict(sorted(named.items()))


@pytest.mark.parametrize(("name", "version"), KNOWN, ids=[f"{n}-v{v}" for n, v in KNOWN])
@QUICK
@given(data=st.data())
def test_kafka_protocol_reads_and_writes_the_same(
    name: str, version: int, data: st.DataObject
) -> None:
    message = data.draw(messages(name, version, DRAWING))
    encoded = encode(message, version)
    peer = PEERS[name][version]
    stream = io.BytesIO(encoded)
    read = peer.unpack(stream)
    assert stream.read() == b""
    assert plain_peer(read) == plain(name, version, message)
    written = peer.pack(read)
    assert written == encoded
    assert encode(decode(class_of(name), written, version), version) == encoded


def test_coverage() -> None:
    covered: dict[str, list[int]] = {}
    for name, version in KNOWN:
        covered.setdefault(name, []).append(version)
    versions = {name: VERSIONS[name] for name in PEERS}
    check_table("oracle_kafka_protocol.txt", table("kafka-protocol", covered, versions))
