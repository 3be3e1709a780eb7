"""Who may start moves by KIP-179: those to whom the help's command gives the right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product

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
    Admin,
    AlteredTopic,
    NewTopic,
    ScramMechanism,
    ScramUpsertion,
    TopicPartition,
    errors,
)
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._security import Wish
from klamm.tools.cli._zookeepers import MEMORY

PATIENCE = 60.0
HERE, ELSEWHERE = "127.0.0.1", "198.51.100.1"
FOO = TopicPartition("foo", 0)


def bindings(users: list[str], hosts: list[str]) -> list[AclBinding]:
    """Return what kafka-acls makes of --allow-principal and --allow-host, each with each."""
    return [
        binding(ResourceType.CLUSTER, Operation.CLUSTER_ACTION, user, host)
        for user, host in product(users, hosts)
    ]


def binding(kind: ResourceType, operation: Operation, user: str, host: str = HERE) -> AclBinding:
    """Allow somebody something with the cluster, or with topic foo."""
    pattern = ResourcePattern(kind, "foo" if kind is ResourceType.TOPIC else "kafka-cluster")
    return AclBinding(pattern, AccessRule(f"User:{user}", host, operation, Permission.ALLOW))


@contextmanager
def user(local: LocalCluster, name: str) -> Iterator[Admin]:
    """Come in as somebody; the password is the name."""
    given = dict(local.cluster.security.client)
    password = local.cluster.security.users["admin"]
    config = given["sasl.jaas.config"].replace(password, name).replace('"admin"', f'"{name}"')
    with Admin.connect(local.bootstrap, {**given, "sasl.jaas.config": config}) as admin:
        yield admin


def refusal(admin: Admin) -> set[type[BaseException] | None]:
    """Ask for nothing that changes anything; return what it fails with."""
    alter = admin.alter_topics([AlteredTopic("foo")]).result().exception(PATIENCE)
    assign = admin.assign_partitions({FOO: ()}).request_id.exception(PATIENCE)
    return {None if error is None else type(error) for error in (alter, assign)}


def may_start(admin: Admin) -> bool:
    return refusal(admin) == {None}


@contextmanager
def secured(*names: str) -> Iterator[tuple[LocalCluster, Admin]]:
    """A cluster with access control lists, a topic and these users; and who may all there."""
    switches = {"klamm.kip179.alter.enable": "true", "klamm.kip179.assign.enable": "true"}
    options = ClusterOptions(
        (1, 2),
        zookeeper=MEMORY,
        security=Wish(sasl="SCRAM-SHA-256", authorizer=True),
        properties=switches,
    )
    with (
        LocalCluster(options) as local,
        Admin.connect(local.bootstrap, dict(local.cluster.security.client)) as root,
    ):
        mechanism = ScramMechanism.SCRAM_SHA_256
        new = [ScramUpsertion(name, mechanism, name) for name in names]
        root.alter_user_scram_credentials(new).result(PATIENCE)
        root.create_topics([NewTopic("foo", assignments={0: [1]})]).result(PATIENCE)
        yield local, root


@pytest.mark.req("R179B-16", "R179A-21", "R179B-18")
def test_two_principals_and_two_hosts() -> None:
    with (
        secured("Alice", "Bob", "Carol", "Dave") as (local, root),
        user(local, "Alice") as alice,
        user(local, "Bob") as bob,
        user(local, "Carol") as carol,
        user(local, "Dave") as dave,
    ):
        denied = {errors.ClusterAuthorizationFailedError}
        assert [refusal(admin) for admin in (alice, bob, carol, dave)] == [denied] * 4

        rights = bindings(["Alice", "Bob"], [HERE, ELSEWHERE]) + bindings(["Dave"], [ELSEWHERE])
        root.create_acls(rights).result(PATIENCE)
        for admin in (alice, bob):
            eventually(partial(may_start, admin), "their rights")
        assert refusal(carol) == denied
        assert refusal(dave) == denied, "who comes from another host"
        with pytest.raises(errors.ClusterAuthorizationFailedError):
            alice.partition_assignment_status().all().result(PATIENCE)


@pytest.mark.req("R179A-44")
def test_a_broker_tells_of_its_followers_whom_the_cluster_may_be_described_to() -> None:
    """Who may describe the topic finds its leader, and is refused there."""
    with secured("Alice") as (local, root), user(local, "Alice") as alice:

        def outcome() -> type[BaseException] | None:
            [found] = alice.replica_status([FOO]).futures.values()
            error = found.exception(PATIENCE)
            return None if error is None else type(error)

        def outcome_with(kind: ResourceType) -> type[BaseException] | None:
            """Let her describe one more thing, and return what has changed by that."""
            seen = [outcome()]

            def changes() -> bool:
                seen.append(outcome())
                return seen[-1] is not seen[0]

            root.create_acls([binding(kind, Operation.DESCRIBE, "Alice")]).result(PATIENCE)
            eventually(changes, "the right")
            return seen[-1]

        assert outcome() is errors.TopicAuthorizationFailedError
        assert outcome_with(ResourceType.TOPIC) is errors.ClusterAuthorizationFailedError
        assert outcome_with(ResourceType.CLUSTER) is None
