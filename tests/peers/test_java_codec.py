"""Kafka's own message classes, in Java: they read our bytes to our values, and we read theirs.

The classes of 3.9.1 judge all that Kafka 3.9 has; those of 4.1.1 what klamm took from later
versions. What nobody else knows, klamm's own messages, stays blank in the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from coverage_table import check_table, table
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from message_strategies import ALL, SPECS, Drawing, carried, class_of, messages
from oracles import VERSIONS
from peers.java.broker_requests import broker_requests
from peers.java.kafka_json import as_json

from klamm.protocol.codec import decode, encode
from klamm.protocol.message import Message
from klamm.tools.bench._java_oracle import JavaMissingError, JavaOracle, JavaOracleError
from klamm.tools.codegen.layout import layout_of

pytestmark = pytest.mark.slow

NEWER = {
    "AlterPartitionReassignmentsRequest": [1],
    "AlterPartitionReassignmentsResponse": [1],
    "DescribeClusterRequest": [2],
    "DescribeClusterResponse": [2],
    "MetadataRequest": [13],
    "MetadataResponse": [13],
}
COVERED = {
    "3.9.1": {name: list(spec.stock) for name, spec in SPECS.items() if spec.stock},
    "4.1.1": NEWER,
}
"""By version of kafka-clients: the messages and versions that it judges here."""


def cases_of(clients: str) -> set[tuple[str, int]]:
    covered = COVERED[clients]
    return {(name, version) for name, versions in covered.items() for version in versions}


CASES = [
    pytest.param(clients, name, version, id=f"{name}-v{version}")
    for clients in COVERED
    for name, version in sorted(cases_of(clients))
]
TO_BROKERS = [
    (f"{api}{kind}", version)
    for api in ("LeaderAndIsr", "UpdateMetadata", "StopReplica")
    for kind in ("Request", "Response")
    for version in SPECS[f"{api}{kind}"].versions
]
"""What a controller and its brokers say to each other, and almost no other client ever tried."""

SOME = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MANY = settings(SOME, max_examples=60)
CLUSTERS = settings(SOME, max_examples=40)

Oracles = Callable[[str], JavaOracle]


@pytest.fixture(scope="module")
def oracles() -> Iterator[Oracles]:
    """Give the running oracle of each version of kafka-clients."""
    with ExitStack() as stack:

        @cache
        def start(clients: str) -> JavaOracle:
            try:
                return stack.enter_context(JavaOracle(clients))
            except JavaMissingError as error:
                pytest.skip(str(error))

        yield start


def check_ours(java: JavaOracle, name: str, version: int, message: Message) -> None:
    """Java reads our bytes to the values that we wrote, and writes the same bytes."""
    encoded = encode(message, version)
    value, again = java.decode(name, version, encoded)
    assert value == as_json(name, version, message, records=False)
    assert again == encoded


def check_theirs(java: JavaOracle, name: str, version: int, message: Message) -> None:
    """Java writes a value, told in its JSON; we read that value and write the same bytes."""
    encoded = java.encode(name, version, as_json(name, version, message, records=True))
    decoded = decode(class_of(name), encoded, version)
    assert decoded == carried(SPECS[name], layout_of(SPECS[name], version), message)
    assert encode(decoded, version) == encoded


@pytest.mark.parametrize(("clients", "name", "version"), CASES)
@SOME
@given(data=st.data())
def test_java_reads_what_we_write(
    oracles: Oracles, clients: str, name: str, version: int, data: st.DataObject
) -> None:
    check_ours(oracles(clients), name, version, data.draw(messages(name, version)))


@pytest.mark.parametrize(("clients", "name", "version"), CASES)
@SOME
@given(data=st.data())
def test_we_read_what_java_writes(
    oracles: Oracles, clients: str, name: str, version: int, data: st.DataObject
) -> None:
    # Kafka's JSON has no place for tags that a schema does not know.
    message = data.draw(messages(name, version, Drawing(tags=False)))
    check_theirs(oracles(clients), name, version, message)


@pytest.mark.parametrize(
    ("name", "version"), TO_BROKERS, ids=[f"{name}-v{version}" for name, version in TO_BROKERS]
)
@MANY
@given(data=st.data())
def test_messages_to_brokers_at_length(
    oracles: Oracles, name: str, version: int, data: st.DataObject
) -> None:
    java = oracles("3.9.1")
    check_ours(java, name, version, data.draw(messages(name, version)))
    check_theirs(java, name, version, data.draw(messages(name, version, Drawing(tags=False))))


@pytest.mark.parametrize(
    ("name", "version"),
    [case for case in TO_BROKERS if case[0].endswith("Request")],
    ids=[f"{name}-v{version}" for name, version in TO_BROKERS if name.endswith("Request")],
)
@CLUSTERS
@given(data=st.data())
def test_messages_to_brokers_as_a_cluster_has_them(
    oracles: Oracles, name: str, version: int, data: st.DataObject
) -> None:
    message = data.draw(broker_requests(name, version))
    check_ours(oracles("3.9.1"), name, version, message)
    check_theirs(oracles("3.9.1"), name, version, message)


def test_java_takes_these_bytes_and_no_others(oracles: Oracles) -> None:
    java = oracles("3.9.1")
    assert java.decode("SaslHandshakeResponse", 0, b"\0\1\0\0\0\0") == (
        {"errorCode": 1, "mechanisms": []},
        b"\0\1\0\0\0\0",
    )
    with pytest.raises(JavaOracleError, match=r"SaslHandshakeResponse v0: .* 1 bytes follow"):
        java.decode("SaslHandshakeResponse", 0, b"\0\1\0\0\0\0\0")
    with pytest.raises(JavaOracleError, match=r"SaslHandshakeResponse v0: .*BufferUnderflow"):
        java.decode("SaslHandshakeResponse", 0, b"\0\1\0\0")
    with pytest.raises(JavaOracleError, match=r"SaslHandshakeResponse v0: .*errorCode"):
        java.encode("SaslHandshakeResponse", 0, {"mechanisms": []})


@pytest.mark.parametrize("clients", COVERED)
def test_every_version_that_java_knows_is_covered(oracles: Oracles, clients: str) -> None:
    java = oracles(clients)
    known = {(name, version) for name, version in ALL if version in (java.versions(name) or ())}
    earlier = set() if clients == "3.9.1" else cases_of("3.9.1")
    assert cases_of(clients) == known - earlier


@pytest.mark.parametrize("clients", COVERED)
def test_coverage(clients: str) -> None:
    title = f"kafka-clients {clients}"
    check_table(f"oracle_java_{clients}.txt", table(title, COVERED[clients], VERSIONS))
