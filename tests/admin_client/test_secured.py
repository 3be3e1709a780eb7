"""Over TLS and SASL, as the properties of Kafka's clients ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from thin_line.world import eventually

from klamm.controller.security.acls import (
    AccessRule,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from klamm.tools.admin import (
    AclBinding,
    AclFilter,
    Admin,
    ScramCredentialInfo,
    ScramDeletion,
    ScramMechanism,
    ScramUpsertion,
    errors,
)
from klamm.tools.certificates import Authority
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import Wish
from klamm.tools.cli._zookeepers import MEMORY

PATIENCE = 60.0


@contextmanager
def secured(wish: Wish) -> Iterator[tuple[LocalCluster, dict[str, str]]]:
    """Run a cluster; give it and the properties of who may come in."""
    with LocalCluster(ClusterOptions((1, 2), zookeeper=MEMORY, security=wish)) as local:
        yield local, dict(local.cluster.security.client)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(tls=True, client_certificates=True),
        Wish(sasl="PLAIN"),
        Wish(tls=True, sasl="SCRAM-SHA-256"),
        Wish(sasl="SCRAM-SHA-512"),
    ],
    ids=lambda wish: f"{wish.protocol}-{wish.sasl}",
)
def test_who_has_what_it_takes_comes_in(wish: Wish) -> None:
    with secured(wish) as (local, given), Admin.connect(local.bootstrap, given) as admin:
        assert admin.list_partition_reassignments().result(PATIENCE) == {}
        # Brokers, too, which are asked themselves.
        assert set(admin.describe_log_dirs([1, 2]).result(PATIENCE)) == {1, 2}


def test_a_certificate_that_is_not_trusted_ends_the_call_at_once() -> None:
    with secured(Wish(tls=True)) as (local, given):
        other = Authority.create().pem
        given = {"security.protocol": "SSL", "ssl.truststore.certificates": other}
        given["ssl.truststore.type"] = "PEM"
        with (
            Admin.connect(local.bootstrap, given) as admin,
            pytest.raises(errors.AuthenticationError, match="certificate"),
        ):
            admin.describe_cluster().result(PATIENCE)


def test_who_comes_by_another_protocol_is_told_what_may_be_wrong() -> None:
    with (
        secured(Wish(tls=True)) as (local, _),
        Admin.connect(local.bootstrap) as admin,
        pytest.raises(errors.TimeoutError_, match="PLAINTEXT is not what it speaks"),
    ):
        admin.describe_cluster(timeout_ms=2000).result(PATIENCE)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_a_wrong_password_ends_the_call_at_once(mechanism: str) -> None:
    with secured(Wish(sasl=mechanism)) as (local, given):
        config = given["sasl.jaas.config"]
        password = local.cluster.security.users["admin"]
        given["sasl.jaas.config"] = config.replace(password, "guessed")
        with (
            Admin.connect(local.bootstrap, given) as admin,
            pytest.raises(errors.AuthenticationError, match="refuses user admin") as caught,
        ):
            admin.describe_cluster().result(PATIENCE)
        assert "guessed" not in str(caught.value)

        given["sasl.mechanism"] = "SCRAM-SHA-512"
        given["sasl.jaas.config"] = config
        with (
            Admin.connect(local.bootstrap, given) as admin,
            pytest.raises(errors.AuthenticationError, match=f"it has enabled {mechanism}"),
        ):
            admin.describe_cluster().result(PATIENCE)


def test_credentials_and_lists_are_kept_by_the_cluster() -> None:
    with (
        secured(Wish(sasl="SCRAM-SHA-256", authorizer=True)) as (local, given),
        Admin.connect(local.bootstrap, given) as admin,
    ):
        new = ScramUpsertion("alice", ScramMechanism.SCRAM_SHA_256, "wonder")
        admin.alter_user_scram_credentials([new]).result(PATIENCE)
        known = admin.describe_user_scram_credentials(["alice", "nobody"]).result(PATIENCE)
        assert known == {"alice": (ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096),)}

        mine = dict(given)
        password = local.cluster.security.users["admin"]
        mine["sasl.jaas.config"] = (
            mine["sasl.jaas.config"].replace(password, "wonder").replace('"admin"', '"alice"')
        )
        with Admin.connect(local.bootstrap, mine) as alice:
            with pytest.raises(errors.ClusterAuthorizationFailedError):
                alice.list_partition_reassignments().result(PATIENCE)
            binding = AclBinding(
                ResourcePattern(ResourceType.CLUSTER, "kafka-cluster"),
                AccessRule("User:alice", "*", Operation.DESCRIBE, Permission.ALLOW),
            )
            admin.create_acls([binding]).result(PATIENCE)
            everything = AclFilter()
            assert admin.describe_acls(everything).result(PATIENCE) == (binding,)
            eventually(
                lambda: alice.list_partition_reassignments().exception() is None, "her right"
            )
            found = admin.delete_acls([everything]).result(PATIENCE)
            assert found == {everything: (binding,)}

        gone = ScramDeletion("alice", ScramMechanism.SCRAM_SHA_256)
        admin.alter_user_scram_credentials([gone]).result(PATIENCE)
        with pytest.raises(errors.ResourceNotFoundError):
            admin.alter_user_scram_credentials([gone]).result(PATIENCE)
