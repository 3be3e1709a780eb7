"""Limits of moves, and switches, by kafka-python and on the bare wire, on a running cluster."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import pytest
from clients.admin_cluster import NODE, World
from kafka.admin import ConfigResource
from thin_line.world import eventually
from wire import Wire

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
)
from klamm.controller.core.pace import Limits
from klamm.controller.handlers.switches import KEYS, Switch
from klamm.protocol import registry
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools import admin as klamm_admin
from klamm.tools.admin import Admin, AlterConfigOp, OpType, errors
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster
from klamm.tools.cli._zookeepers import MEMORY

ON = {switch.value: "true" for switch in Switch}
STATIC = {"reassignment.parallel.leader.movements": "4"}


@contextmanager
def running(properties: Mapping[str, str]) -> Iterator[World]:
    options = ClusterOptions(range(2), zookeeper=MEMORY, properties=properties)
    with LocalCluster(options) as local:
        world = World(local)
        with closing(world.admin):
            yield world


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with running({**ON, **STATIC}) as found:
        yield found


@pytest.fixture(scope="module")
def plain() -> Iterator[World]:
    with running({}) as found:
        yield found


def shown(world: World, name: str, broker: str) -> tuple[Any, ...]:
    resource = ConfigResource("BROKER", broker, None)
    found = world.admin.describe_configs([resource], config_filter="all")["broker"][broker][name]
    return found["value"], found["config_source"], found["config_type"]


def alter(world: World, name: str, value: str | None) -> None:
    """Set a config of all brokers, or delete it: no Python client but klamm's knows that entity."""
    change = AlterConfigOp(name, OpType.SET if value is not None else OpType.DELETE, value)
    with Admin.connect(world.local.bootstrap) as admin:
        everybody = klamm_admin.ConfigResource(klamm_admin.ResourceType.BROKER, "")
        admin.incremental_alter_configs({everybody: [change]}).result()


def limits(world: World) -> Limits:
    state = world.local.call(lambda: world.local.cluster.node.state)
    assert state is not None
    return state.limits


@pytest.mark.req("R435-1", "R435-2", "R435-3", "R435-4")
def test_limits_are_set_shown_and_deleted(world: World) -> None:
    for name in (REPLICA_MOVEMENTS, PARTITION_MOVEMENTS):
        for broker in (str(NODE), "0", "1"):
            default = ("2147483647", "DEFAULT_CONFIG", "INT")
            assert shown(world, name, broker) == default
    alter(world, PARTITION_MOVEMENTS, "3")
    for broker in (str(NODE), "0"):
        found = shown(world, PARTITION_MOVEMENTS, broker)
        assert found == ("3", "DYNAMIC_DEFAULT_BROKER_CONFIG", "INT")
    eventually(lambda: limits(world) == Limits(partitions=3, leaders=4), "the limit to be in force")
    alter(world, PARTITION_MOVEMENTS, None)
    assert shown(world, PARTITION_MOVEMENTS, str(NODE))[:2] == ("2147483647", "DEFAULT_CONFIG")
    eventually(lambda: limits(world) == Limits(leaders=4), "the limit to be lifted")


@pytest.mark.req("R435-7")
def test_nodes_and_brokers_show_what_the_cluster_was_started_with(world: World) -> None:
    for broker in (str(NODE), "1"):
        found = shown(world, LEADER_MOVEMENTS, broker)
        assert found == ("4", "STATIC_BROKER_CONFIG", "INT")


@pytest.mark.req("R435-5", "R435-6")
def test_clients_are_refused_what_is_no_limit_and_what_is_for_one_broker(world: World) -> None:
    with pytest.raises(errors.InvalidConfigError, match="Value must be at least 1"):
        alter(world, LEADER_MOVEMENTS, "0")
    text = f"Cannot update these configs at broker level: [{LEADER_MOVEMENTS}]"
    for broker in (str(NODE), "1"):
        change = ConfigResource("BROKER", broker, {LEADER_MOVEMENTS: "2"})
        answer = world.admin.alter_configs([change])["broker"][broker]
        assert "InvalidConfigurationError" in answer
        assert text in answer
    assert limits(world) == Limits(leaders=4)


def versions(world: World, broker: int | None = None) -> dict[int, range]:
    """What ApiVersions shows, of the node or of a broker."""
    with world.wire() if broker is None else Wire(port(world, broker)) as wire:
        answer = wire.ask(ApiVersionsRequest("test", "1"), 3)
    assert isinstance(answer, ApiVersionsResponse)
    return {each.api_key: range(each.min_version, each.max_version + 1) for each in answer.api_keys}


def port(world: World, broker: int) -> int:
    found = world.local.cluster.brokers.brokers[broker].port
    assert found is not None
    return found


@pytest.mark.req("R435-58", "R179A-19", "R179A-43", "R179B-17")
def test_a_switch_that_is_off_shows_nothing_and_requests_close_the_connection(
    plain: World,
) -> None:
    table = versions(plain)
    assert table[46] == range(1)
    switched = {key for keys in KEYS.values() for key in keys} - {46}
    assert not switched & table.keys()
    assert not switched & versions(plain, 0).keys()
    for key in sorted(switched):
        with plain.wire() as wire:
            wire.send(registry.request(key)())
            assert wire.is_closed(), key
    with plain.wire() as wire:
        wire.send(ListPartitionReassignmentsRequest(topics=None), 1)
        assert wire.is_closed()
    assert plain.admin.list_partition_reassignments() == {}


@pytest.mark.req("R435-55", "R435-58", "R179A-19", "R179B-17")
def test_with_all_switches_on_clients_connect_and_the_versions_are_shown(world: World) -> None:
    table = versions(world)
    assert table[46] == range(2)
    assert {key for keys in KEYS.values() for key in keys} <= table.keys()
    assert world.admin.list_partition_reassignments() == {}
    with world.wire() as wire:
        answer = wire.ask(ListPartitionReassignmentsRequest(topics=None), 1)
    assert isinstance(answer, ListPartitionReassignmentsResponse)
    assert (answer.error_code, answer.current_batch) == (0, ())


@pytest.mark.req("R435-56", "R435-58")
def test_klamms_client_lists_the_batch_where_it_is_served(world: World, plain: World) -> None:
    with Admin.connect(world.local.bootstrap) as admin:
        assert admin.list_reassignment_batch().result() == {}
    with Admin.connect(plain.local.bootstrap) as admin:
        with pytest.raises(errors.UnsupportedVersionError):
            admin.list_reassignment_batch().result()
        assert admin.list_partition_reassignments().result() == {}


@pytest.mark.req("R179A-43")
def test_brokers_show_what_is_theirs_of_it(world: World) -> None:
    table = versions(world, 0)
    assert 17903 in table
    assert not {17900, 17901, 17902, 17904} & table.keys()
