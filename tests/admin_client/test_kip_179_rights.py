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
    cluster = ResourcePattern(ResourceType.CLUSTER, "kafka-cluster")
    return [
        AclBinding(
            cluster, AccessRule(f"User:{user}", host, Operation.CLUSTER_ACTION, Permission.ALLOW)
        )
        for user, host in product(users, hosts)
    ]


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


@pytest.mark.req("R179B-16", "R179A-21", "R179B-18")
def test_two_principals_and_two_hosts() -> None:
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
        user(local, "Alice") as alice,
        user(local, "Bob") as bob,
        user(local, "Carol") as carol,
        user(local, "Dave") as dave,
    ):
        names = ["Alice", "Bob", "Carol", "Dave"]
        mechanism = ScramMechanism.SCRAM_SHA_256
        new = [ScramUpsertion(name, mechanism, name) for name in names]
        root.alter_user_scram_credentials(new).result(PATIENCE)
        root.create_topics([NewTopic("foo", assignments={0: [1]})]).result(PATIENCE)
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
