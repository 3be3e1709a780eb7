"""StopReplica and UpdateMetadata at a broker, and the broker epochs of all control requests."""

import pytest
from brokers.world import (
    T,
    World,
    codes,
    leader_and_isr,
    order,
    stop_replica,
    update_metadata,
)

from klamm.controller.core.model import TopicPartition
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_request import (
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaTopicV1,
)
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataPartitionState
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.tools.brokers.control import ControlRequest

OLDER, EQUAL, NEWER, NONE, DELETED = 4, 5, 6, -1, -2


@pytest.fixture
def world() -> World:
    """Brokers 1 and 2; 1 follows 2 in leader epoch 5."""
    world = World(1, 2, log_dirs=("/a", "/b"))
    state = order(2, 5, (1, 2), (1, 2), partition_epoch=7, is_new=True)
    assert codes(world.ask(1, leader_and_isr(state))) == [("t", 0, 0)]
    return world


@pytest.mark.parametrize("delete", [False, True])
@pytest.mark.parametrize(
    ("epoch", "code"), [(OLDER, 74), (EQUAL, 0), (NEWER, 0), (NONE, 0), (DELETED, 0)]
)
def test_a_hosted_replica_is_stopped_unless_the_epoch_is_older(
    world: World, epoch: int, code: int, delete: bool
) -> None:
    assert codes(world.ask(1, stop_replica((0, epoch, delete)))) == [("t", 0, code)]
    model = world.cluster.brokers[1]
    if code:
        assert model.replicas[T].fetching
        assert T in world.cluster.logs(1)
    elif delete:
        assert T not in model.replicas
        assert T not in world.cluster.logs(1)
    else:
        assert not model.replicas[T].fetching
        assert T in world.cluster.logs(1)


def test_a_stopped_replica_keeps_its_role_and_a_later_order_revives_it(world: World) -> None:
    world.ask(1, stop_replica((0, EQUAL, False)))
    replica = world.cluster.brokers[1].replicas[T]
    assert (replica.leader, replica.leader_epoch) == (2, 5)
    assert codes(world.ask(1, leader_and_isr(order(2, 5, (1, 2), (1, 2))))) == [("t", 0, 11)]
    newer = order(2, 6, (1, 2), (1, 2), partition_epoch=8)
    assert codes(world.ask(1, leader_and_isr(newer))) == [("t", 0, 0)]
    assert replica.fetching


def test_a_stopped_leader_goes_on_leading(world: World) -> None:
    world.ask(1, leader_and_isr(order(1, 6, (1, 2), (1, 2), partition_epoch=8)))
    assert codes(world.ask(1, stop_replica((0, 6, False)))) == [("t", 0, 0)]
    assert world.cluster.brokers[1].replicas[T].leads


@pytest.mark.parametrize("delete", [False, True])
def test_what_is_not_hosted_answers_0(world: World, delete: bool) -> None:
    assert codes(world.ask(1, stop_replica((9, EQUAL, delete)))) == [("t", 9, 0)]


def test_a_stray_log_of_a_replica_that_is_not_hosted_is_deleted(world: World) -> None:
    world.kill(1)
    world.start(1)
    assert T not in world.cluster.brokers[1].replicas
    assert codes(world.ask(1, stop_replica((0, OLDER, False)))) == [("t", 0, 0)]
    assert T in world.cluster.logs(1)
    assert codes(world.ask(1, stop_replica((0, OLDER, True)))) == [("t", 0, 0)]
    assert T not in world.cluster.logs(1)


def test_a_replica_in_a_broken_directory_answers_storage_error(world: World) -> None:
    world.carry_out(world.cluster.fail_directory(world.now, 1, "/a"))
    for delete in (False, True):
        assert codes(world.ask(1, stop_replica((0, NEWER, delete)))) == [("t", 0, 56)]


def test_an_older_controller_epoch_is_answered_without_partitions(world: World) -> None:
    world.tell(1, 2)
    world.ask(1, update_metadata((1, 2), controller_epoch=3), 5)
    response = world.ask(1, stop_replica((0, NEWER, True), controller_epoch=2))
    assert isinstance(response, StopReplicaResponse)
    assert (response.error_code, response.partition_errors) == (11, ())
    assert T in world.cluster.logs(1)


@pytest.mark.parametrize("delete", [False, True])
@pytest.mark.parametrize("version", [0, 1, 2])
def test_older_versions_carry_no_epoch_and_one_flag_for_all(
    world: World, version: int, delete: bool
) -> None:
    ungrouped = (StopReplicaPartitionV0("t", 0), StopReplicaPartitionV0("u", 3))
    topics = (StopReplicaTopicV1("t", (0,)), StopReplicaTopicV1("u", (3,)))
    request = StopReplicaRequest(
        controller_epoch=1,
        delete_partitions=delete,
        ungrouped_partitions=ungrouped if version == 0 else (),
        topics=topics if version else (),
    )
    assert codes(world.ask(1, request, version)) == [("t", 0, 0), ("u", 3, 0)]
    assert (T in world.cluster.logs(1)) is not delete


# --- broker epochs ------------------------------------------------------------------------------


def control(kind: str, broker_epoch: int) -> ControlRequest:
    match kind:
        case "LeaderAndIsr":
            state = order(1, 9, (1,), (1,), partition=1)
            return leader_and_isr(state, broker_epoch=broker_epoch)
        case "UpdateMetadata":
            return update_metadata((1,), broker_epoch=broker_epoch)
    return stop_replica((1, -1, True), broker_epoch=broker_epoch)


@pytest.mark.parametrize("kind", ["LeaderAndIsr", "UpdateMetadata", "StopReplica"])
@pytest.mark.parametrize("difference", [-1, 0, 1, None])
def test_only_a_broker_epoch_below_the_own_is_stale(
    world: World, kind: str, difference: int | None
) -> None:
    own = world.cluster.brokers[1].epoch
    assert own == world.znode("/brokers/ids/1").czxid
    request = control(kind, -1 if difference is None else own + difference)
    before = world.cluster.brokers[1].metadata
    response = world.ask(1, request)
    code = 77 if difference == -1 else 0
    assert response.error_code == code
    if not isinstance(response, UpdateMetadataResponse):
        assert codes(response) == [("t", 1, code)]
    if code:
        assert TopicPartition("t", 1) not in world.cluster.brokers[1].replicas
        assert world.cluster.brokers[1].metadata is before


def test_a_stale_broker_epoch_comes_before_a_stale_controller_epoch(world: World) -> None:
    own = world.cluster.brokers[1].epoch
    request = leader_and_isr(
        order(1, 9, (1,), (1,), partition=1), controller_epoch=0, broker_epoch=own - 1
    )
    response = world.ask(1, request)
    assert isinstance(response, LeaderAndIsrResponse)
    assert response.error_code == 77


# --- UpdateMetadata -----------------------------------------------------------------------------


def shown(number: int, leader: int, leader_epoch: int = 1) -> UpdateMetadataPartitionState:
    return UpdateMetadataPartitionState(
        partition_index=number, leader=leader, leader_epoch=leader_epoch, isr=(1,), replicas=(1,)
    )


def test_live_brokers_and_controller_are_replaced_partitions_merged(world: World) -> None:
    world.ask(1, update_metadata((1, 2), shown(0, 1), shown(1, 1)), 5)
    world.ask(1, update_metadata((1, 7), shown(1, 7)), 5)
    metadata = world.cluster.brokers[1].metadata
    assert sorted(metadata.brokers) == [1, 7]
    assert metadata.controller_id == 900
    assert {n: p.leader for n, p in metadata.topics["t"].partitions.items()} == {0: 1, 1: 7}


def test_the_last_request_wins_whatever_its_leader_epoch(world: World) -> None:
    world.ask(1, update_metadata((1,), shown(0, 1, leader_epoch=9)), 5)
    world.ask(1, update_metadata((1,), shown(0, 2, leader_epoch=3)), 5)
    assert world.cluster.brokers[1].metadata.topics["t"].partitions[0].leader == 2


def test_leader_minus_2_takes_a_partition_back(world: World) -> None:
    world.ask(1, update_metadata((1,), shown(0, 1), shown(1, 1)), 5)
    world.ask(1, update_metadata((1,), shown(0, -2)), 5)
    assert sorted(world.cluster.brokers[1].metadata.topics["t"].partitions) == [1]


def test_an_older_controller_epoch_changes_no_metadata(world: World) -> None:
    world.ask(1, update_metadata((1, 2), controller_epoch=3), 5)
    before = world.cluster.brokers[1].metadata
    response = world.ask(1, update_metadata((1,), controller_epoch=2), 5)
    assert response == UpdateMetadataResponse(11)
    assert world.cluster.brokers[1].metadata is before
    assert world.ask(1, update_metadata((1,), controller_epoch=3), 5) == UpdateMetadataResponse(0)
