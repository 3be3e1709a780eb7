"""Who may do what on the wire: access control lists, an administrator and a guest."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafka.errors import ClusterAuthorizationFailedError, TopicAuthorizationFailedError
from thin_line.world import eventually

from klamm.controller.runtime.properties import read_properties
from klamm.controller.security.sasl import client_login
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import GUEST, GUEST_FILE, OUTSIDE, Wish
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._zookeepers import MEMORY


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journals")


@pytest.fixture(scope="module")
def local(journals: Path) -> Iterator[LocalCluster]:
    topics = {name: NewTopic(name, 1, 1) for name in ("orders", "orders-old", "bills")}
    options = ClusterOptions(
        (0, 1),
        zookeeper=MEMORY,
        nodes=2,
        security=Wish(sasl="PLAIN", authorizer=True),
        topics=topics,
        journals=journals,
    )
    with LocalCluster(options) as running:
        yield running


@contextmanager
def client(local: LocalCluster, who: str, at: str | None = None) -> Iterator[KafkaAdminClient]:
    """A client of the nodes, or of one node or broker."""
    admin = KafkaAdminClient(
        bootstrap_servers=at or local.bootstrap,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="PLAIN",
        sasl_plain_username=who,
        sasl_plain_password=local.cluster.security.users[who],
        client_id=f"as-{who}",
    )
    try:
        yield admin
    finally:
        admin.close()


def guest_may(
    operation: ACLOperation,
    kind: ResourceType,
    name: str,
    pattern: ACLResourcePatternType = ACLResourcePatternType.LITERAL,
    permission: ACLPermissionType = ACLPermissionType.ALLOW,
) -> ACL:
    return ACL(
        principal=f"User:{GUEST}",
        host="*",
        operation=operation,
        permission_type=permission,
        resource_pattern=ResourcePattern(kind, name, pattern),
    )


def everything() -> ACLFilter:
    return ACLFilter(
        principal=f"User:{GUEST}",
        host=None,
        operation=ACLOperation.ANY,
        permission_type=ACLPermissionType.ANY,
        resource_pattern=ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY),
    )


@pytest.fixture
def granted(local: LocalCluster) -> Iterator[Callable[..., None]]:
    """Grants the guest rights; they are gone after the test, wherever it looks next."""

    def create(*acls: ACL) -> None:
        with client(local, OUTSIDE) as admin:
            answer = admin.create_acls(list(acls))
            assert not answer["failed"], answer

    yield create
    with client(local, OUTSIDE) as admin:
        admin.delete_acls([everything()])
    for at in addresses(local):
        eventually(partial(knows, local, at, []), f"{at} to forget what was granted")


def addresses(local: LocalCluster) -> list[str]:
    """Every node and every broker."""
    brokers = local.cluster.brokers.brokers.values()
    return [*local.bootstrap.split(","), *(f"127.0.0.1:{broker.port}" for broker in brokers)]


def knows(local: LocalCluster, at: str, expected: list[ACL]) -> bool:
    """Tell whether one node or broker knows this of what has been granted to the guest."""
    with client(local, OUTSIDE, at) as admin:
        found, _ = admin.describe_acls(everything())
        return list(found) == expected


def shows(local: LocalCluster, at: str, expected: set[str]) -> bool:
    """Tell whether one node or broker shows these topics to the guest."""
    with client(local, GUEST, at) as guest:
        return set(guest.list_topics()) == expected


def test_a_guest_without_rights_sees_and_does_nothing(local: LocalCluster) -> None:
    with client(local, GUEST) as guest:
        assert guest.list_topics() == []
        assert len(guest.describe_cluster()["brokers"]) == 4
        with pytest.raises(ClusterAuthorizationFailedError):
            guest.list_partition_reassignments()
        with pytest.raises(ClusterAuthorizationFailedError):
            guest.alter_partition_reassignments({TopicPartition("orders-old", 0): [0, 1]})
        with pytest.raises(TopicAuthorizationFailedError):
            guest.delete_topics(["orders"])
        with pytest.raises(ClusterAuthorizationFailedError):
            guest.describe_acls(everything())
    with client(local, OUTSIDE) as admin:
        assert set(admin.list_topics()) >= {"orders", "orders-old", "bills"}
        assert TopicPartition("orders-old", 0) not in admin.list_partition_reassignments()


def test_the_guest_has_a_file_for_its_tools(local: LocalCluster) -> None:
    security = local.cluster.security
    assert security.client_file is not None
    given = read_properties(security.client_file.with_name(GUEST_FILE))
    login = client_login(given)
    assert (login.username, login.password) == (GUEST, security.users[GUEST])
    assert security.properties["super.users"] == f"User:klamm;User:{OUTSIDE}"


def test_every_node_and_broker_learns_of_a_right_and_of_its_end(
    local: LocalCluster, granted: Callable[..., None]
) -> None:
    prefixed = ACLResourcePatternType.PREFIXED
    granted(guest_may(ACLOperation.READ, ResourceType.TOPIC, "orders", prefixed))
    for at in addresses(local):
        eventually(partial(shows, local, at, {"orders", "orders-old"}), f"{at} to show the orders")
    deny = ACLPermissionType.DENY
    granted(guest_may(ACLOperation.DESCRIBE, ResourceType.TOPIC, "orders-old", permission=deny))
    for at in addresses(local):
        eventually(partial(shows, local, at, {"orders"}), f"{at} to hide what is denied")
    with client(local, OUTSIDE, addresses(local)[-1]) as admin:
        [(_, gone, error)] = admin.delete_acls([everything()])
        assert len(gone) == 2
        assert not getattr(error, "errno", 0)
    for at in addresses(local):
        eventually(partial(shows, local, at, set()), f"{at} to hide everything")


def test_what_one_has_created_another_describes(
    local: LocalCluster, granted: Callable[..., None]
) -> None:
    acl = guest_may(ACLOperation.ALTER, ResourceType.CLUSTER, "kafka-cluster")
    granted(acl)
    for at in addresses(local):
        eventually(partial(knows, local, at, [acl]), f"{at} to describe it")
    with client(local, GUEST) as guest:
        moved = guest.alter_partition_reassignments({TopicPartition("orders", 0): [0, 1]})
        assert not any(moved.values()), moved


def test_each_alteration_is_audited(
    local: LocalCluster,
    journals: Path,
    granted: Callable[..., None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    name = TopicPartition("bills", 0)
    with caplog.at_level(logging.INFO, "klamm.audit"), client(local, GUEST) as guest:
        with pytest.raises(ClusterAuthorizationFailedError):
            guest.alter_partition_reassignments({name: [0, 1]})
        granted(guest_may(ACLOperation.ALTER, ResourceType.CLUSTER, "kafka-cluster"))

        def moved() -> bool:
            try:
                guest.alter_partition_reassignments({name: [0, 1]})
            except ClusterAuthorizationFailedError:
                return False
            return True

        eventually(moved, "the guest to be allowed")
    lines = [record.getMessage() for record in caplog.records if record.name == "klamm.audit"]
    refused = next(line for line in lines if "AlterPartitionReassignments" in line)
    assert refused.startswith(f"User:{GUEST} from 127.0.0.1:")
    assert f"client as-{GUEST}: AlterPartitionReassignments: bills-0 to 0,1:" in refused
    assert refused.endswith("CLUSTER_AUTHORIZATION_FAILED 2")
    acls = next(line for line in lines if "CreateAcls" in line)
    assert acls.startswith(f"User:{OUTSIDE} from 127.0.0.1:")
    assert f"ALLOW User:{GUEST} from * ALTER on LITERAL CLUSTER:kafka-cluster: NONE 1" in acls
    done = [line for line in lines if "AlterPartitionReassignments" in line][-1]
    assert done.endswith("bills-0 to 0,1: NONE 1")

    def journaled() -> bool:
        entries = [
            json.loads(line)
            for text in map(Path.read_text, journals.iterdir())
            for line in text.split("\n")[:-1]
        ]
        return any(
            (entry["kind"], entry.get("text"), entry.get("principal"))
            == ("audit", done, f"User:{GUEST}")
            for entry in entries
        )

    eventually(journaled, "the journal to tell of it")
