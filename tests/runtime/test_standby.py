"""A node out of office answers clients by what the controller told it, as brokers do."""

from dataclasses import replace

from handlers.worlds import NODE, broker, cluster, partition, topic
from runtime.test_service import World

from klamm.controller.brokers.messages import update_metadata
from klamm.controller.brokers.outbox import Outbox
from klamm.controller.core.ibp import DEFAULT
from klamm.controller.core.model import ClusterState
from klamm.controller.core.results import Done
from klamm.controller.node.outlook import View
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
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


def test_an_office_counts_from_its_election_on() -> None:
    world = World()
    world.node.loading = 7
    [answer] = world.ask(StopReplicaRequest(OTHER, controller_epoch=6), 2).responses
    assert isinstance(answer, StopReplicaResponse)
    assert answer.error_code == 11
    for epoch, code in ((6, 11), (7, 11), (8, 0)):
        assert told(world, by(OTHER, epoch)) == code
        shown = OTHER if code == 0 else -1
        assert world.metadata().controller_id == shown


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


# --- everything from the beginning ---------------------------------------------------------------

BOTH = cluster(
    topic("t", {0: partition((1, 2)), 1: partition((2, 1))}), topic("u", {0: partition((1, 2))})
)


def shown(world: World) -> dict[str | None, int]:
    return {item.name: len(item.partitions) for item in world.metadata().topics}


def end(request: UpdateMetadataRequest) -> UpdateMetadataRequest:
    """What says that everything has been told: live brokers alone."""
    return replace(request, topic_states=())


def test_what_a_newer_controller_does_not_tell_of_is_gone_when_it_has_told_everything() -> None:
    world = World()
    world.node.state = replace(BOTH, epoch=7)
    assert shown(world) == {"t": 2, "u": 1}
    world.node.state = None
    assert told(world, by(OTHER, 8)) == 0
    assert shown(world) == {"t": 2, "u": 1}, "the rest may still come"
    assert told(world, end(by(OTHER, 8))) == 0
    assert shown(world) == {"t": 1}, "made anew with one partition"
    assert told(world, by(OTHER, 8, BOTH)) == 0
    assert told(world, end(by(OTHER, 8))) == 0
    assert shown(world) == {"t": 2, "u": 1}, "told once; from then on what is gone is named"


def test_who_is_registered_anew_is_told_everything_anew() -> None:
    world = World()
    before = replace(by(OTHER, 5, BOTH), broker_epoch=40)
    for request in (before, end(before)):
        assert told(world, request) == 0
    now = replace(by(OTHER, 5), broker_epoch=50)
    assert told(world, now) == 0
    assert shown(world) == {"t": 2, "u": 1}
    assert told(world, end(now)) == 0
    assert shown(world) == {"t": 1}


def test_a_cluster_that_has_become_empty_is_shown_empty() -> None:
    world = World()
    for request in (by(OTHER, 5), end(by(OTHER, 5))):
        assert told(world, request) == 0
    assert shown(world) == {"t": 1}
    assert told(world, end(by(OTHER, 6))) == 0
    assert shown(world) == {}


def test_what_was_deleted_while_a_node_was_away_goes_and_the_rest_is_never_missed() -> None:
    """It was in office, lost its session, and comes back: by the requests that it is sent."""
    world = World()
    world.node.state = replace(BOTH, epoch=7)
    assert shown(world) == {"t": 2, "u": 1}
    world.node.state = None
    nodes = {id_: broker(id_) for id_ in (NODE, OTHER)}
    state = replace(STATE, controller_id=OTHER, epoch=8, nodes=nodes)
    outbox = Outbox(nodes[NODE])
    outbox.refill(state)
    views: list[dict[str | None, int]] = []
    while due := outbox.next_request(state, DEFAULT, len(views) + 1):
        request, _ = due
        assert isinstance(request, UpdateMetadataRequest)
        assert told(world, request) == 0
        views.append(shown(world))
        outbox.in_flight = None
    assert all("t" in each for each in views)
    assert views[-1] == {"t": 1}


# --- what it sees itself ------------------------------------------------------------------------

STOCK = 1


def seen(controller: int, epoch: int, state: ClusterState | None = STATE) -> View:
    """What a node has read of a cluster of somebody else's."""
    if state is not None:
        state = replace(state, controller_id=controller, epoch=epoch, nodes={NODE: broker(NODE)})
    return View(controller, epoch, state)


def topics(world: World) -> list[str | None]:
    return [item.name for item in world.metadata().topics]


def test_until_a_controller_speaks_a_node_shows_what_it_sees() -> None:
    world = World()
    world.node.view = seen(STOCK, 5)
    assert (world.metadata().controller_id, topics(world)) == (STOCK, ["t"])
    assert {item.node_id for item in world.metadata().brokers} == {1, 2, 3, 4, NODE}
    more = cluster(topic("t", {0: partition((1, 2))}), topic("u", {0: partition((1, 2))}))
    world.node.view = seen(STOCK, 5, more)
    assert topics(world) == ["t", "u"]
    assert told(world, by(OTHER, 6)) == 0
    assert world.metadata().controller_id == OTHER
    world.node.view = seen(OTHER, 6, None)
    assert (world.metadata().controller_id, topics(world)) == (OTHER, ["t", "u"])


def test_a_newer_controller_is_shown_before_it_speaks() -> None:
    world = World()
    assert told(world, by(OTHER, 5)) == 0
    world.node.view = seen(OTHER + 1, 6, None)
    assert (world.metadata().controller_id, topics(world)) == (OTHER + 1, ["t"])
    world.node.view = seen(STOCK, 7)
    assert world.metadata().controller_id == STOCK


def test_who_zookeeper_names_no_more_is_refused() -> None:
    """F30: two controllers at once; the one of the past learns that it is one."""
    world = World()
    world.node.view = seen(STOCK, 7)
    assert told(world, by(OTHER, 6)) == 11
    assert world.metadata().controller_id == STOCK
    assert told(world, by(OTHER, 7)) == 0, "by the word of the controller of that very epoch"


def test_who_was_in_office_believes_no_controller_before_it() -> None:
    world = World()
    world.node.state = replace(STATE, epoch=7)
    assert world.metadata().controller_id == NODE
    world.node.state = None
    assert world.metadata().controller_id == -1
    assert told(world, by(OTHER, 6)) == 11
    assert told(world, by(OTHER, 8)) == 0


def test_what_was_meant_for_a_former_life_of_the_node_is_refused() -> None:
    world = World()
    world.node.registration_epoch = 40
    assert told(world, replace(by(OTHER, 5), broker_epoch=39)) == 77
    assert world.metadata().controller_id == -1
    assert told(world, replace(by(OTHER, 5), broker_epoch=40)) == 0
    assert told(world, replace(by(OTHER, 5), broker_epoch=41)) == 0, "KAFKA-9839"
    assert told(world, replace(by(OTHER, 5), broker_epoch=-1)) == 0


def test_the_node_hears_of_a_controller_that_it_believes() -> None:
    world = World()
    told(world, by(OTHER, 5))
    told(world, by(OTHER, 4))
    assert world.heard == [5]


def test_nodes_hold_no_replicas_and_say_so() -> None:
    world = World()
    assert told(world, by(OTHER, 5)) == 0
    for epoch, code in ((5, 42), (6, 42), (4, 11)):
        [answer] = world.ask(LeaderAndIsrRequest(OTHER, controller_epoch=epoch), 3).responses
        assert isinstance(answer, LeaderAndIsrResponse)
        assert answer.error_code == code
        [answer] = world.ask(StopReplicaRequest(OTHER, controller_epoch=epoch), 2).responses
        assert isinstance(answer, StopReplicaResponse)
        assert answer.error_code == code


def test_a_list_waits_while_it_is_uncertain_who_is_controller() -> None:
    world = World()
    world.node.state, world.node.doubtful = STATE, True
    asked = world.ask(ListPartitionReassignmentsRequest(topics=None), 0)
    again = world.ask(ListPartitionReassignmentsRequest(topics=None), 0)
    assert asked.responses == []
    [(events, answer), (_, refuse)] = world.submitted
    assert events == ()
    world.node.doubtful = False
    answer([])
    [listed] = asked.responses
    assert isinstance(listed, ListPartitionReassignmentsResponse)
    assert listed.error_code == 0
    world.node.state = None
    refuse([Done()])
    [refused] = again.responses
    assert isinstance(refused, ListPartitionReassignmentsResponse)
    assert refused.error_code == 41


def test_the_clock_is_looked_at_before_each_request() -> None:
    world = World()
    world.metadata()
    assert world.looked == 1
