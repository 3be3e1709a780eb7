"""A node out of office answers clients by what the controller told it, as brokers do."""

from dataclasses import replace

from handlers.worlds import NODE, broker, cluster, partition, topic
from runtime.test_service import World

from klamm.controller.brokers.messages import update_metadata
from klamm.controller.core.ibp import DEFAULT
from klamm.controller.core.model import ClusterState
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse

OTHER = NODE + 1
STATE = cluster(topic("t", {0: partition((1, 2))}))


def by(controller: int, epoch: int, state: ClusterState = STATE) -> UpdateMetadataRequest:
    """What a controller sends to a node."""
    nodes = {id_: broker(id_) for id_ in (NODE, OTHER, OTHER + 1)}
    state = replace(state, controller_id=controller, epoch=epoch, nodes=nodes)
    names = [name for name, _ in state.partitions()]
    return update_metadata(state, broker(NODE), names)


def told(world: World, request: UpdateMetadataRequest) -> int:
    [answer] = world.ask(request, DEFAULT.update_metadata).responses
    assert isinstance(answer, UpdateMetadataResponse)
    return answer.error_code


def test_clients_learn_who_is_controller_and_where_everything_is() -> None:
    world = World()
    assert told(world, by(OTHER, 5)) == 0
    found = world.metadata()
    assert found.controller_id == OTHER
    assert {item.node_id for item in found.brokers} >= {1, 2, NODE, OTHER}
    assert [item.name for item in found.topics] == ["t"]
    assert world.service.context() is world.service.context()


def test_a_controller_of_the_past_is_refused() -> None:
    world = World()
    assert told(world, by(OTHER, 5)) == 0
    assert told(world, by(OTHER + 1, 4)) == 11
    assert world.metadata().controller_id == OTHER
    assert told(world, by(OTHER + 1, 6)) == 0
    assert world.metadata().controller_id == OTHER + 1


def test_a_node_in_office_believes_only_a_newer_controller() -> None:
    world = World()
    world.node.state = replace(STATE, epoch=7)
    assert told(world, by(OTHER, 7)) == 11
    assert told(world, by(OTHER, 8)) == 0
    assert world.metadata().controller_id == NODE, "until it has left office"


def test_who_leaves_office_goes_on_from_what_it_knew() -> None:
    world = World()
    world.node.state = replace(STATE, epoch=7)
    assert world.metadata().controller_id == NODE
    world.node.state = None
    found = world.metadata()
    assert found.controller_id == -1
    assert [item.name for item in found.topics] == ["t"]
    assert told(world, by(OTHER, 8, replace(STATE, topics={}))) == 0
    assert world.metadata().controller_id == OTHER


def test_a_node_that_no_controller_lists_yet_knows_itself() -> None:
    world = World()
    assert told(world, replace(by(OTHER, 5), live_brokers=())) == 0
    assert [item.node_id for item in world.metadata().brokers] == [NODE]
    assert world.metadata().controller_id == -1, "an id that is not listed makes clients spin"


def test_topics_are_added_to_those_that_are_known() -> None:
    world = World()
    assert told(world, by(OTHER, 5)) == 0
    assert told(world, by(OTHER, 5, cluster(topic("u", {0: partition((2, 1))})))) == 0
    assert sorted(item.name or "" for item in world.metadata().topics) == ["t", "u"]
