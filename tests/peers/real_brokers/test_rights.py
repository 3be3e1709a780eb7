"""What a controller must be allowed to do at Kafka's own brokers to tell how far copies are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cli.commands import running
from click.testing import CliRunner
from peers.real_brokers.cluster import START_SECONDS
from peers.real_brokers.test_secured import HOST, MODULE, SECURITY, SecuredBroker
from processes import wait_until

from klamm.controller.handlers.switches import Switch
from klamm.controller.security.acls import (
    AccessRule,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.tools.admin import AclBinding, Admin, NewTopic, TopicPartition
from klamm.tools.certificates import Authority
from klamm.tools.cli import users
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

pytestmark = pytest.mark.slow

LISTS = """
authorizer.class.name=kafka.security.authorizer.AclAuthorizer
super.users=User:node;User:alice
"""
T = TopicPartition("t", 0)


def allow(admin: Admin, kind: ResourceType, name: str, operation: Operation) -> None:
    """Allow the controller something."""
    rule = AccessRule("User:klamm", "*", operation, Permission.ALLOW)
    admin.create_acls([AclBinding(ResourcePattern(kind, name), rule)]).result(START_SECONDS)


@pytest.fixture
def alice(tmp_path: Path, zookeeper: EmbeddedZookeeper) -> Iterator[Admin]:
    """Who may all, with two brokers of Kafka whose controller may act as one, and nothing else."""
    connect = f"{zookeeper.connect_string}/rights"
    authority = Authority.create()
    (tmp_path / "authority.pem").write_text(authority.pem)
    (tmp_path / "server.pem").write_text(authority.issue("server", [HOST, "localhost"]).pem)
    for user in ("node", "klamm", "alice"):
        words = ["put", user, "--zookeeper", connect, "--password", f"{user}'s"]
        assert CliRunner().invoke(users.command, words).exit_code == 0
    brokers_own = SECURITY.format(folder=tmp_path, module=MODULE) + LISTS
    own = brokers_own.replace(
        'username="node" password="node\'s"', 'username="klamm" password="klamm\'s"'
    )
    config = tmp_path / "klamm.properties"
    config.write_text(
        f"node.id=900\nzookeeper.connect={connect}\n{own}\n{Switch.ALTER.value}=true\n"
    )
    with ExitStack() as stack:
        node = stack.enter_context(running(tmp_path, "serve", "--config", str(config)))
        admin = stack.enter_context(
            Admin.connect(
                node.ready["bootstrap"],
                {
                    "security.protocol": "SASL_SSL",
                    "ssl.truststore.type": "PEM",
                    "ssl.truststore.location": str(tmp_path / "authority.pem"),
                    "sasl.mechanism": "SCRAM-SHA-512",
                    "sasl.jaas.config": f'{MODULE} username="alice" password="alice\'s";',
                },
            )
        )
        allow(admin, ResourceType.CLUSTER, "kafka-cluster", Operation.CLUSTER_ACTION)
        for number in (0, 1):
            broker = SecuredBroker(number, tmp_path / f"broker{number}", connect, brokers_own)
            stack.callback(broker.stop)
            broker.start()
        yield admin


@pytest.mark.req("R179A-46")
def test_who_may_describe_the_cluster_and_the_topics_may_poll(alice: Admin) -> None:
    def known() -> set[int]:
        return {*alice.describe_cluster().result(START_SECONDS).brokers}

    def lag() -> int | None:
        """What is known of the follower; the controller answers, for Kafka knows no such key."""
        [found] = alice.replica_status([T]).futures.values()
        [follower] = [row for row in found.result(START_SECONDS) if row.broker == 1]
        return follower.lag

    wait_until(lambda: known() >= {0, 1}, "both brokers", START_SECONDS)
    alice.create_topics([NewTopic("t", assignments={0: [0, 1]})]).result(START_SECONDS)
    assert lag() is None
    allow(alice, ResourceType.CLUSTER, "kafka-cluster", Operation.DESCRIBE)
    allow(alice, ResourceType.TOPIC, "t", Operation.DESCRIBE)
    wait_until(lambda: lag() == 0, "the first poll that is allowed", START_SECONDS)
