"""Kafka's own brokers and klamm, who come to each other by TLS and SCRAM alone."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cli.commands import running
from click.testing import CliRunner
from kafka import KafkaAdminClient, TopicPartition
from peers.real_brokers.cluster import START_SECONDS, RealBroker
from processes import wait_until

from klamm.tools.certificates import Authority
from klamm.tools.cli import users
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow

HOST = "127.0.0.1"
MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule required"

SECURITY = """
listeners=INSIDE://127.0.0.1:0
listener.security.protocol.map=INSIDE:SASL_SSL
inter.broker.listener.name=INSIDE
sasl.enabled.mechanisms=SCRAM-SHA-512
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
ssl.keystore.type=PEM
ssl.keystore.location={folder}/server.pem
ssl.truststore.type=PEM
ssl.truststore.location={folder}/authority.pem
listener.name.inside.scram-sha-512.sasl.jaas.config={module} username="node" password="node's";
"""


class SecuredBroker(RealBroker):
    """A broker of Kafka 3.9.1 with one listener, which is secured."""

    def __init__(self, broker: int, folder: Path, zookeeper: str, security: str) -> None:
        super().__init__(broker, folder, zookeeper, "2.4-IV0")
        with self._properties.open("a") as file:
            file.write(security)  # the last value of a key counts


@pytest.fixture(scope="module")
def asked(
    tmp_path_factory: pytest.TempPathFactory, zookeeper: EmbeddedZookeeper
) -> Iterator[dict[str, Any]]:
    """A klamm node and two brokers of Kafka; how a client comes in."""
    folder = tmp_path_factory.mktemp("secured")
    connect = f"{zookeeper.connect_string}/secured-brokers"
    authority = Authority.create()
    (folder / "authority.pem").write_text(authority.pem)
    (folder / "server.pem").write_text(authority.issue("server", [HOST, "localhost"]).pem)
    for user in ("node", "alice"):
        words = ["put", user, "--zookeeper", connect, "--password", f"{user}'s"]
        assert CliRunner().invoke(users.command, words).exit_code == 0
    security = SECURITY.format(folder=folder, module=MODULE)
    config = folder / "klamm.properties"
    config.write_text(f"node.id=900\nzookeeper.connect={connect}\n{security}")
    with ExitStack() as stack:
        node = stack.enter_context(running(folder, "serve", "--config", str(config)))
        for number in (0, 1):
            broker = SecuredBroker(number, folder / f"broker{number}", connect, security)
            stack.callback(broker.stop)
            broker.start()
        yield {
            "bootstrap_servers": node.ready["bootstrap"],
            "security_protocol": "SASL_SSL",
            "ssl_cafile": str(folder / "authority.pem"),
            "sasl_mechanism": "SCRAM-SHA-512",
            "sasl_plain_username": "alice",
            "sasl_plain_password": "alice's",
        }


def test_a_partition_moves_between_kafka_s_brokers(asked: dict[str, Any]) -> None:
    with KafkaAdminClient(**asked) as admin:

        def known() -> set[int]:
            return {broker["broker_id"] for broker in admin.describe_cluster()["brokers"]}

        wait_until(lambda: known() == {0, 1, 900}, "both brokers", START_SECONDS)
        admin.create_topics({"t": {"assignments": {0: [0]}}})
        name = TopicPartition("t", 0)
        assert admin.alter_partition_reassignments({name: [1]}) == {name: None}
        wait_until(lambda: not admin.list_partition_reassignments(), "the move", START_SECONDS)

        def replicas() -> list[int]:
            [partition] = admin.describe_topics(["t"])[0]["partitions"]
            return [partition["leader_id"], *partition["replica_nodes"], *partition["isr_nodes"]]

        wait_until(lambda: replicas() == [1, 1, 1], "the new replica to lead", START_SECONDS)
