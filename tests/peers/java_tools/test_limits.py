"""KIP-435's limits by kafka-configs of 3.9.1 and 4.1.1, and in force while moves are under way."""

from collections.abc import Callable, Iterator

import pytest
from clients.cluster import CONTROLLER, config
from peers.java_tools.tools import JavaTools, Run
from peers.kafka_jars import CONFIGS
from thin_line.world import World, eventually

from klamm.controller.configs.cluster_wide import (
    CLUSTER_WIDE,
    LEADER_MOVEMENTS,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
)

pytestmark = pytest.mark.slow

Configs = Callable[..., Run]
EVERYBODY = ("--entity-type", "brokers", "--entity-default")
DEFAULT = "brokers/<default>"


@pytest.fixture
def configs(world: World, either_tools: JavaTools) -> Iterator[Configs]:
    """Run kafka-configs against the cluster, which has no limits afterwards."""

    def run(*words: str) -> Run:
        server = ("--bootstrap-server", world.local.bootstrap)
        return either_tools.run(CONFIGS, *server, *words)

    yield run
    left = [name for name in config(world, DEFAULT) if name in CLUSTER_WIDE]
    if left:
        assert run("--alter", *EVERYBODY, "--delete-config", ",".join(left)).status == 0


@pytest.mark.req("R435-1", "R435-2", "R435-3", "R435-4")
@pytest.mark.parametrize("name", [REPLICA_MOVEMENTS, PARTITION_MOVEMENTS, LEADER_MOVEMENTS])
def test_a_limit_is_set_shown_and_deleted(world: World, configs: Configs, name: str) -> None:
    default = f"{name}=2147483647 sensitive=false synonyms={{DEFAULT_CONFIG:{name}=2147483647}}"
    one = ("--describe", "--entity-type", "brokers", "--all", "--entity-name")
    for node in ("1", str(CONTROLLER)):
        assert f"  {default}" in configs(*one, node).lines
    run = configs("--alter", *EVERYBODY, "--add-config", f"{name}=3")
    assert (run.status, run.out) == (
        0,
        "Completed updating default config for brokers in the cluster.\n",
    )
    assert config(world, DEFAULT) == {name: "3"}
    synonym = f"DYNAMIC_DEFAULT_BROKER_CONFIG:{name}=3"
    shared = f"  {name}=3 sensitive=false synonyms={{{synonym}}}"
    assert shared in configs("--describe", *EVERYBODY).lines
    both = f"  {name}=3 sensitive=false synonyms={{{synonym}, DEFAULT_CONFIG:{name}=2147483647}}"
    for node in ("1", str(CONTROLLER)):
        assert both in configs(*one, node).lines
    assert configs("--alter", *EVERYBODY, "--delete-config", name).status == 0
    assert config(world, DEFAULT) == {}
    assert f"  {default}" in configs(*one, "1").lines


@pytest.mark.req("R435-5", "R435-6")
def test_what_is_no_limit_or_for_one_broker_is_refused(world: World, configs: Configs) -> None:
    run = configs("--alter", *EVERYBODY, "--add-config", f"{LEADER_MOVEMENTS}=0")
    assert run.status == 1
    assert "InvalidConfigurationException: " in run.out + run.err
    assert "Value must be at least 1" in run.out + run.err
    one = ("--alter", "--entity-type", "brokers", "--entity-name", "1")
    run = configs(*one, "--add-config", f"{LEADER_MOVEMENTS}=2")
    assert run.status == 1
    text = f"Cannot update these configs at broker level: [{LEADER_MOVEMENTS}]"
    assert text in run.out + run.err
    assert config(world, DEFAULT) == {}
    assert config(world, "brokers/1") == {}


@pytest.mark.req("R435-4", "R435-9")
def test_a_limit_that_is_raised_lets_deferred_moves_begin_and_one_that_is_lowered_stops_none(
    world: World, configs: Configs
) -> None:
    limit = ("--alter", *EVERYBODY, "--add-config")
    assert configs(*limit, f"{PARTITION_MOVEMENTS}=1").status == 0
    world.freeze(4)
    topics = [world.topic([1, 2]) for _ in range(4)]
    for topic in topics:
        assert world.alter(topic, [1, 4]) == 0
    first, second, third, fourth = sorted(topics)
    world.await_log(first, 4)
    assert not any(world.has_log(4, topic) for topic in (second, third, fourth))
    assert all(world.listed(topic) == {0: ([1, 4, 2], [4], [2])} for topic in topics)

    assert configs(*limit, f"{PARTITION_MOVEMENTS}=3").status == 0
    world.await_log(second, 4)
    world.await_log(third, 4)
    assert configs(*limit, f"{PARTITION_MOVEMENTS}=1").status == 0
    eventually(lambda: config(world, DEFAULT) == {PARTITION_MOVEMENTS: "1"}, "the lower limit")
    assert not world.has_log(4, fourth)
    world.thaw(4)
    for topic in topics:
        world.await_replicas(topic, [1, 4])
