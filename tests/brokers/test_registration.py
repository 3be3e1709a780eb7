"""How a broker enters the cluster, and comes back into it under another session."""

from dataclasses import replace

import msgspec
import pytest
from brokers.world import CLUSTER_ID, World, settings

from klamm.controller.core.ibp import by_name
from klamm.controller.core.ops import Create
from klamm.controller.znodes import decode_broker, encode_cluster_id, paths
from klamm.tools.brokers.calls import StoreRefusedError
from klamm.tools.brokers.cluster import Cluster
from klamm.tools.brokers.registration import BrokerIdInUseError


def test_the_broker_node_is_kafkas_version_4_at_data_version_1() -> None:
    world = World(1)
    znode = world.znode("/brokers/ids/1")
    assert znode.version == 1
    assert znode.ephemeral_owner == world.stores[1].session
    assert msgspec.json.decode(znode.data or b"") == {
        "version": 4,
        "host": "127.0.0.1",
        "port": 9001,
        "jmx_port": -1,
        "timestamp": "1795260081097",
        "endpoints": ["PLAINTEXT://127.0.0.1:9001"],
        "listener_security_protocol_map": {"PLAINTEXT": "PLAINTEXT"},
    }
    model = world.cluster.brokers[1]
    assert model.registered
    assert model.epoch == znode.czxid


@pytest.mark.parametrize(("protocol", "version"), [("2.6-IV0", 4), ("2.7-IV0", 5), ("2.7-IV1", 5)])
def test_features_appear_with_2_7(protocol: str, version: int) -> None:
    world = World()
    world.start(1, replace(settings(1, rack="r1"), protocol=by_name(protocol)))
    found = decode_broker(world.znode("/brokers/ids/1").data, "/brokers/ids/1")
    assert (found.version, found.rack) == (version, "r1")


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, float("inf"), float("nan")])
def test_a_bandwidth_must_be_a_positive_number(bandwidth: float) -> None:
    with pytest.raises(ValueError, match=f"bandwidth is {bandwidth}"):
        Cluster(bandwidth)


def test_negative_sizes_and_no_directories_are_refused() -> None:
    with pytest.raises(ValueError, match="partition_bytes is -1"):
        settings(1, partition_bytes=-1)
    with pytest.raises(ValueError, match="log_dirs is empty"):
        settings(1, log_dirs=())


def test_missing_paths_are_made_with_null_data() -> None:
    world = World(1)
    for path in paths.PERSISTENT_PATHS:
        znode = world.znode(path)
        assert (znode.data, znode.ephemeral_owner) == (None, 0)


def test_the_first_broker_gives_the_cluster_its_id() -> None:
    world = World(1, 2)
    assert world.znode(paths.CLUSTER_ID).data == encode_cluster_id(CLUSTER_ID)
    assert world.cluster.brokers[2].metadata.cluster_id == CLUSTER_ID


def test_a_cluster_that_has_an_id_keeps_it() -> None:
    world = World()
    there = "x" * 22
    for path, data in (("/cluster", None), (paths.CLUSTER_ID, encode_cluster_id(there))):
        world.zookeeper.write((Create(path, data),))
    world.start(1)
    assert world.cluster.brokers[1].metadata.cluster_id == there


def test_a_new_session_registers_the_same_process_under_a_new_epoch() -> None:
    world = World(1, 2)
    world.create((1, 2))
    before = world.cluster.brokers[1].epoch
    world.zookeeper.expire(world.stores[1])
    world.settle()
    world.open_session(1)
    world.settle()
    model = world.cluster.brokers[1]
    assert model.epoch == world.znode("/brokers/ids/1").czxid > before
    assert model.replicas, "a session's end is not the process's end"


def test_a_node_of_an_own_former_session_is_replaced() -> None:
    world = World(1)
    former = world.stores[1].session
    world.zookeeper.cut(world.stores[1])
    world.open_session(1)
    world.settle()
    znode = world.znode("/brokers/ids/1")
    assert former != znode.ephemeral_owner == world.stores[1].session
    assert world.cluster.brokers[1].epoch == znode.czxid


def test_an_id_that_somebody_else_holds_is_refused() -> None:
    world = World(1)
    other = World()
    other.zookeeper = world.zookeeper
    taken = "broker id 1 is taken: a broker of that id is registered in /brokers/ids/1 by"
    with pytest.raises(BrokerIdInUseError, match=taken):
        other.start(1)


def test_the_id_of_a_klamm_node_is_refused_before_anything_is_registered() -> None:
    world = World()
    for path in ("/klamm", "/klamm/nodes", paths.klamm_node(900)):
        world.zookeeper.write((Create(path, b"{}"),))
    taken = "id 900 is taken: a klamm node of that id is registered in /klamm/nodes/900 .* give ano"
    with pytest.raises(BrokerIdInUseError, match=taken):
        world.start(900)
    assert world.children("/brokers/ids") == ()


@pytest.mark.parametrize("served", range(len(paths.PERSISTENT_PATHS) + 5))
@pytest.mark.parametrize("answered", [True, False])
def test_a_connection_lost_at_any_step_delays_the_registration_only(
    served: int, answered: bool
) -> None:
    world = World()
    world.carry_out(world.cluster.start(world.now, settings(1)))
    store = world.open_session(1)
    world.zookeeper.connect(store)
    world.carry_out(world.cluster.store(world.now, *world.events.popleft()))
    for _ in range(served):
        world.zookeeper.serve(store)
        if answered:
            world.zookeeper.deliver(store)
    world.zookeeper.disconnect(store)
    world.settle()
    model = world.cluster.brokers[1]
    assert model.registered
    znode = world.znode("/brokers/ids/1")
    assert (znode.version, model.epoch) == (1, znode.czxid)
    assert model.metadata.cluster_id == CLUSTER_ID


@pytest.mark.parametrize(
    ("closed", "named"),
    [("/brokers/ids", "/brokers/ids/1: NOAUTH"), ("/cluster/id", "/cluster/id")],
)
def test_what_zookeeper_refuses_for_good_is_an_error_that_names_it(closed: str, named: str) -> None:
    world = World()
    for path in ("/brokers", "/brokers/ids", "/cluster", "/cluster/id"):
        world.zookeeper.write([Create(path, encode_cluster_id(CLUSTER_ID))])
    world.zookeeper.tree.nodes[closed].closed = True
    with pytest.raises(StoreRefusedError, match=named):
        world.start(1, settings(1))


def test_starting_twice_and_time_that_runs_backwards_are_refused() -> None:
    world = World(1)
    with pytest.raises(ValueError, match="broker 1 runs already"):
        world.cluster.start(0.0, settings(1))
    world.advance(2.0)
    with pytest.raises(ValueError, match=r"time runs backwards, from 2\.0 to 1\.0"):
        world.cluster.advance(1.0)
