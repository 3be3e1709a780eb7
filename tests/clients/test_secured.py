"""Stock clients over TLS, SASL and both, and what they are told when they may not come in."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaTimeoutError
from processes import wait_until

from klamm.controller.security.sasl import client_login
from klamm.tools.certificates import Authority
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import Wish
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY

PARTITION = TopicPartition("t", 0)
DEADLINE = 30.0

WISHES = {
    "TLS": Wish(tls=True),
    "mTLS": Wish(tls=True, client_certificates=True),
    "PLAIN": Wish(sasl="PLAIN"),
    "SCRAM-SHA-256 and TLS": Wish(tls=True, sasl="SCRAM-SHA-256"),
    "SCRAM-SHA-512": Wish(sasl="SCRAM-SHA-512"),
}


@contextmanager
def cluster(wish: Wish) -> Iterator[LocalCluster]:
    """Two nodes and two brokers, which come to each other as clients come to them."""
    topics = {"t": NewTopic("t", 1, 1)}
    options = ClusterOptions((0, 1, 2), zookeeper=MEMORY, nodes=2, security=wish, topics=topics)
    with LocalCluster(options) as local:
        yield local


@pytest.fixture(scope="module", params=WISHES)
def secured(request: pytest.FixtureRequest) -> Iterator[LocalCluster]:
    with cluster(WISHES[request.param]) as local:
        yield local


def for_kafka_python(local: LocalCluster, **more: object) -> dict[str, Any]:
    """Return what kafka-python is told."""
    given = local.cluster.security.client
    asked: dict[str, Any] = {
        "bootstrap_servers": local.bootstrap,
        "security_protocol": given["security.protocol"],
        "ssl_cafile": given.get("ssl.truststore.location"),
        "ssl_certfile": given.get("ssl.keystore.location"),
        "ssl_keyfile": given.get("ssl.keystore.location"),
    }
    if "sasl.mechanism" in given:
        login = client_login(given)
        asked["sasl_mechanism"] = login.mechanism
        asked["sasl_plain_username"] = login.username
        asked["sasl_plain_password"] = login.password
    return {**asked, **more}


def for_confluent(local: LocalCluster, **more: object) -> dict[str, Any]:
    """Return what librdkafka is told; it logs to us, and not to the terminal."""
    given = local.cluster.security.client
    names = {
        "security.protocol": "security.protocol",
        "ssl.ca.location": "ssl.truststore.location",
        "ssl.certificate.location": "ssl.keystore.location",
        "ssl.key.location": "ssl.keystore.location",
        "sasl.mechanism": "sasl.mechanism",
    }
    asked: dict[str, Any] = {name: given[key] for name, key in names.items() if key in given}
    if "sasl.mechanism" in given:
        login = client_login(given)
        asked |= {"sasl.username": login.username, "sasl.password": login.password}
    silent = logging.getLogger("librdkafka")
    silent.addHandler(logging.NullHandler())
    silent.propagate = False
    asked |= {"bootstrap.servers": local.bootstrap, "logger": silent}
    return {**asked, **{name.replace("_", "."): value for name, value in more.items()}}


def test_kafka_python_moves_a_partition(secured: LocalCluster) -> None:
    admin = KafkaAdminClient(**for_kafka_python(secured))
    try:
        assert len(admin.describe_cluster()["brokers"]) == 5
        assert admin.alter_partition_reassignments({PARTITION: [1]}) == {PARTITION: None}
        deadline = time.monotonic() + 30
        while admin.list_partition_reassignments():
            assert time.monotonic() < deadline, "the move did not end"
        assert admin.alter_partition_reassignments({PARTITION: [2]}) == {PARTITION: None}
    finally:
        admin.close()


def test_confluent_kafka_describes_the_cluster(secured: LocalCluster) -> None:
    admin = AdminClient(for_confluent(secured))
    cluster = admin.describe_cluster().result(DEADLINE)
    assert sorted(node.id for node in cluster.nodes) == [0, 1, 2, 900, 901]
    assert "t" in admin.list_topics(timeout=DEADLINE).topics
    found = admin.list_topics("t", timeout=DEADLINE).topics["t"]
    assert len(found.partitions[0].replicas) in (1, 2)


def errors_of(asked: dict[str, Any]) -> set[str]:
    """Return the names of the errors that librdkafka reports until it knows why it cannot work."""
    found: list[KafkaError] = []
    watched: dict[str, Any] = {**asked, "error_cb": found.append}
    admin = AdminClient(watched)
    decisive = {KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._ALL_BROKERS_DOWN}
    deadline = time.monotonic() + DEADLINE
    while not any(error.code() in decisive for error in found):
        assert time.monotonic() < deadline, found
        admin.poll(0.1)
    return {error.name() for error in found}


def logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    """Wait until the server, which closes before it says why, has said so."""
    wait_until(lambda: text in caplog.text, f"the log to say {text!r}", DEADLINE)


@pytest.fixture(scope="module")
def scram() -> Iterator[LocalCluster]:
    with cluster(WISHES["SCRAM-SHA-256 and TLS"]) as local:
        yield local


def test_a_wrong_password(scram: LocalCluster, caplog: pytest.LogCaptureFixture) -> None:
    found = errors_of(for_confluent(scram, sasl_password="wrong"))
    assert "_AUTHENTICATION" in found
    logged(caplog, "user 'admin' is unknown or has another password")
    with pytest.raises(KafkaTimeoutError):
        KafkaAdminClient(
            **for_kafka_python(scram, sasl_plain_password="wrong", bootstrap_timeout_ms=500)
        )


def test_another_mechanism(scram: LocalCluster, caplog: pytest.LogCaptureFixture) -> None:
    found = errors_of(for_confluent(scram, sasl_mechanism="PLAIN"))
    assert found & {"_AUTHENTICATION", "UNSUPPORTED_SASL_MECHANISM"}
    logged(caplog, "mechanism 'PLAIN' is not enabled; enabled are SCRAM-SHA-256")


def test_an_authority_that_the_client_does_not_know(
    scram: LocalCluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = tmp_path / "stranger.pem"
    stranger.write_text(Authority.create("stranger").pem)
    found = errors_of(for_confluent(scram, ssl_ca_location=str(stranger)))
    assert "_SSL" in found
    logged(caplog, "not let in: TLS handshake: ")


def test_a_client_that_knows_of_no_security(
    scram: LocalCluster, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(KafkaTimeoutError):
        KafkaAdminClient(bootstrap_servers=scram.bootstrap, bootstrap_timeout_ms=500)
    logged(caplog, "the other side seems to speak without TLS")


def test_a_credential_that_is_changed_counts_at_once(scram: LocalCluster) -> None:
    admin = AdminClient(for_confluent(scram))
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    change = UserScramCredentialUpsertion("bob", info, b"builder", b"salt")
    [done] = admin.alter_user_scram_credentials([change]).values()
    done.result(DEADLINE)
    asked = for_confluent(scram, sasl_username="bob", sasl_password="builder")
    assert AdminClient(asked).describe_cluster().result(DEADLINE).cluster_id
    described: Any = admin.describe_user_scram_credentials(["bob"])
    described = described["bob"].result(DEADLINE)
    assert [each.iterations for each in described.scram_credential_infos] == [4096]
    gone = UserScramCredentialDeletion("bob", ScramMechanism.SCRAM_SHA_256)
    [done] = admin.alter_user_scram_credentials([gone]).values()
    done.result(DEADLINE)
    assert "_AUTHENTICATION" in errors_of(asked)
