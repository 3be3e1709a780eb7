"""Stock clients over TLS, SASL and both, and what they are told when they may not come in."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaError

from klamm.controller.security.sasl import client_login
from klamm.tools.certificates import Authority
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import Wish
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY

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
        name = TopicPartition("t", 0)
        [replica] = admin.describe_topics(["t"])[0]["partitions"][0]["replicas"]
        other = (replica + 1) % 3
        answer = admin.alter_partition_reassignments({name: [other]})
        assert not any(answer.values()) or answer == {}, answer
    finally:
        admin.close()
