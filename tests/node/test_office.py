"""Registering, standing, holding and losing office."""

import json

import pytest
from node_world import ENDPOINT, World, accept, in_office

from klamm.controller.core.events import AlterReassignment, CreateTopic
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Delete, SetData
from klamm.controller.core.results import NOT_CONTROLLER
from klamm.controller.node import NodeConfig, Phase
from klamm.controller.node.effects import Commit, ReadZnodes, Severity
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.port import CommitDone, ReadDone, Refused, StoreEvent
from klamm.controller.znodes import paths
from klamm.controller.znodes.controller import ControllerZnode, encode_controller
from klamm.controller.znodes.klamm import KlammNodeZnode, encode_klamm_node
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message

OTHER = encode_controller(ControllerZnode(1, 0))
REGISTRATION = paths.klamm_node(900)
T = TopicPartition("t", 0)
ALTER = AlterReassignment(T, (1, 2))


def stranger(world: World) -> tuple[MemoryStore, list[StoreEvent]]:
    """Somebody else's session."""
    events: list[StoreEvent] = []
    store = world.zookeeper.open(events.append)
    world.zookeeper.connect(store)
    return store, events


def epoch(world: World) -> int:
    return int(world.zookeeper.tree.nodes[paths.CONTROLLER_EPOCH].data or b"-1")


# --- election --------------------------------------------------------------------------------


def test_a_fresh_cluster_gets_its_paths_a_registration_and_a_controller() -> None:
    world = World()
    world.settle()
    assert world.node.active
    assert world.node.controller_id == 900
    for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
        assert world.zookeeper.tree.nodes[path].data is None
    assert world.data(paths.CONTROLLER)["brokerid"] == 900
    assert world.zookeeper.tree.nodes[paths.CONTROLLER].owner == world.store.session
    assert epoch(world) == 1
    assert world.node.state is not None
    assert (world.node.state.epoch, world.node.state.fence_version) == (1, 1)
    assert world.data(REGISTRATION)["endpoints"] == ["PLAINTEXT://127.0.0.1:9092"]
    assert world.zookeeper.tree.nodes[REGISTRATION].owner == world.store.session


def test_the_epoch_goes_on_from_what_is_there() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER_EPOCH, b"41"))
    world.write(SetData(paths.CONTROLLER_EPOCH, b"41", ANY_VERSION))
    world.settle()
    assert world.node.state is not None
    assert (world.node.state.epoch, world.node.state.fence_version) == (42, 2)


def test_somebody_else_is_controller() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER, OTHER))
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, 1)
    assert world.node.state is None
    assert world.ask(ALTER, ALTER) == (NOT_CONTROLLER, NOT_CONTROLLER)
    assert world.ask() == (NOT_CONTROLLER,)


def test_a_vacated_office_is_taken() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER, OTHER))
    world.settle()
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.active
    assert epoch(world) == 1


def test_an_office_that_changes_hands_is_followed() -> None:
    world = World()
    world.write(Create(paths.CONTROLLER, OTHER))
    world.settle()
    world.write(
        Delete(paths.CONTROLLER, ANY_VERSION),
        Create(paths.CONTROLLER, encode_controller(ControllerZnode(2, 0))),
    )
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, 2)


def test_two_nodes_stand_and_one_wins() -> None:
    first, second = World(), World(NodeConfig(901, (ENDPOINT,)))
    second.zookeeper = first.zookeeper
    second.open()
    first.settle()
    second.settle()
    assert [first.node.active, second.node.active] == [True, False]
    assert second.node.controller_id == 900
    first.zookeeper.expire(first.store)
    second.settle()
    assert second.node.active
    assert epoch(first) == 2
    first.settle()
    assert (first.node.phase, first.node.controller_id) == (Phase.STANDBY, 901)


def test_a_rival_that_is_faster_between_reading_and_writing() -> None:
    world = World()
    while not any(isinstance(effect, Commit) for effect in world.effects):
        world.step()
    world.write(Create(paths.CONTROLLER_EPOCH, b"1"), Create(paths.CONTROLLER, OTHER))
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, 1)
    assert epoch(world) == 1


def test_an_epoch_that_appears_meanwhile_is_counted_on_from() -> None:
    world = World()
    while not any(isinstance(effect, Commit) for effect in world.effects):
        world.step()
    world.write(Create(paths.CONTROLLER_EPOCH, b"7"))
    world.settle()
    assert world.node.active
    assert epoch(world) == 8


@pytest.mark.parametrize("path", [paths.CONTROLLER, paths.CONTROLLER_EPOCH])
def test_what_cannot_be_read_is_reported_and_left_alone(path: str) -> None:
    world = World()
    world.write(Create(path, b"{"))
    world.settle()
    assert not world.node.active
    assert [note.kind for note in world.journal] == ["unreadable"]
    assert path in world.journal[0].text
    world.write(Delete(path, ANY_VERSION))
    if path == paths.CONTROLLER_EPOCH:
        world.write(Create(paths.CONTROLLER, OTHER))
        world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.active


@pytest.mark.parametrize("content", [b"x", b"", b"2147483647"])
def test_an_epoch_that_nobody_can_raise_is_looked_at_again(content: bytes) -> None:
    world = World()
    world.write(Create(paths.CONTROLLER_EPOCH, content))
    world.settle()
    assert world.timers["stand"] == 1
    world.run_timer("stand")
    world.settle()
    assert world.timers["stand"] == 2
    assert [note.kind for note in world.journal] == ["unreadable"] * 2
    world.write(SetData(paths.CONTROLLER_EPOCH, b"5", ANY_VERSION))
    world.run_timer("stand")
    world.settle()
    assert world.node.active
    assert epoch(world) == 6


def test_a_lost_answer_to_an_election_that_was_won() -> None:
    world = World()
    while not any(isinstance(effect, Commit) for effect in world.effects):
        world.step()
    while world.store.outgoing:
        world.zookeeper.serve(world.store)
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.node.active
    assert epoch(world) == 1


def test_a_lost_answer_to_an_election_that_never_arrived() -> None:
    world = World()
    while not any(isinstance(effect, Commit) for effect in world.effects):
        world.step()
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.node.active
    assert epoch(world) == 1


def refuse_next(world: World, kind: type[Commit] | type[ReadZnodes]) -> None:
    """Let ZooKeeper refuse what the node asks for next, if it is of this kind."""
    while not any(isinstance(effect, kind) for effect in world.effects):
        world.step()
    asked = next(effect for effect in world.effects if isinstance(effect, kind))
    (call,) = [call for call in world.store.outgoing if call.request == asked.request]
    world.store.outgoing.remove(call)
    done = CommitDone if kind is Commit else ReadDone
    world.post(done(world.store.session, asked.request, Refused("NOAUTH")))
    world.settle()


@pytest.mark.parametrize("kind", [Commit, ReadZnodes])
def test_an_election_that_is_refused_is_tried_again_after_longer_and_longer_pauses(
    kind: type[Commit] | type[ReadZnodes],
) -> None:
    world = World()
    pauses = []
    for _ in range(8):
        world.effects.clear()
        refuse_next(world, kind)
        assert not world.node.active
        pauses.append(world.timers["stand"])
        world.run_timer("stand")
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    world.settle()
    assert world.node.active
    assert world.node.office.setbacks == 0


def test_a_controller_whose_id_was_taken_does_not_stand_again_until_it_is_free() -> None:
    world = in_office()
    other = encode_klamm_node(KlammNodeZnode(900, (ENDPOINT,), rack="theirs"))
    world.write(Delete(REGISTRATION, ANY_VERSION), Create(REGISTRATION, other))
    world.settle()
    assert world.node.active
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.phase is Phase.STANDBY
    assert not world.exists(paths.CONTROLLER)
    world.write(Delete(REGISTRATION, ANY_VERSION))
    world.settle()
    assert world.node.active


# --- losing it -------------------------------------------------------------------------------


def test_a_controller_znode_that_is_deleted_means_a_new_election() -> None:
    world = in_office()
    world.write(Delete(paths.CONTROLLER, ANY_VERSION))
    world.settle()
    assert world.node.active
    assert epoch(world) == 2
    assert "/controller was deleted" in [note.text for note in world.journal]


def test_a_controller_that_is_another_by_now() -> None:
    world = in_office()
    request = world.request(ALTER)
    world.write(Delete(paths.CONTROLLER, ANY_VERSION), Create(paths.CONTROLLER, OTHER))
    world.step()
    world.settle()
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, 1)
    assert len(world.replies[request]) == 1
    assert world.closed_links == [1, 2, 3, 4, 5]
    assert not world.resigned


@pytest.mark.req("R455-82")
def test_a_zombie_s_write_is_refused_and_every_request_is_answered_once() -> None:
    world = in_office()
    world.ask(CreateTopic("t", 0, 0, {0: (1, 2, 3)}, {}, 0, 0))
    before = world.data(paths.topic("t"))
    requests = [world.request(AlterReassignment(T, (target, 2, 3))) for target in (4, 5)]
    # Somebody else has been elected, and we have not heard of it yet.
    world.write(SetData(paths.CONTROLLER_EPOCH, b"9", ANY_VERSION))
    world.settle()
    assert world.data(paths.topic("t")) == before
    for request in requests:
        assert world.replies[request] == [(NOT_CONTROLLER,)]
    assert "another controller has raised the controller epoch" in [n.text for n in world.journal]
    # `/controller` is still ours, but not the epoch: only a new session and an election help.
    assert len(world.resigned) == 1
    assert world.node.active
    assert epoch(world) == 10


def test_a_broker_that_knows_a_later_controller_makes_us_look() -> None:
    world = in_office()
    world.write(SetData(paths.CONTROLLER_EPOCH, b"9", ANY_VERSION))
    world.settle()
    assert world.node.state is not None
    assert world.node.state.epoch == 1
    stale: list[Message] = [UpdateMetadataResponse(error_code=ErrorCode.STALE_CONTROLLER_EPOCH)]
    world.answers = lambda send: stale.pop() if stale else accept(send.message)
    world.register(6)
    world.settle()
    assert not stale
    assert world.node.state.epoch == 10


# --- registration ----------------------------------------------------------------------------


def test_our_own_leftover_of_an_earlier_session_is_made_anew() -> None:
    """F39: an ephemeral of ours is no office held, and no node that has taken our id."""
    world = in_office()
    former = world.store.session
    world.zookeeper.cut(world.store)
    world.feed()
    # Our clock ends the session before ZooKeeper does: its ephemerals are still there.
    world.run_timer("session")
    world.feed()
    assert world.zookeeper.tree.nodes[paths.CONTROLLER].owner == former
    world.settle()
    assert world.node.active
    for path in (REGISTRATION, paths.CONTROLLER):
        assert world.zookeeper.tree.nodes[path].owner == world.store.session != former
    assert epoch(world) == 2


def test_a_node_id_that_is_taken_is_reported_and_registered_once_it_is_free() -> None:
    world = World()
    store, events = stranger(world)
    for path in ("/klamm", "/klamm/nodes"):
        world.write(Create(path, None))
    other = encode_klamm_node(KlammNodeZnode(900, (ENDPOINT,), rack="theirs"))
    store.update(1, Create(REGISTRATION, other, ephemeral=True))
    world.settle()
    assert [n.kind for n in world.journal if n.severity is Severity.ERROR] == ["node id taken"]
    assert world.data(REGISTRATION)["rack"] == "theirs"
    assert events
    # It does not stand for office either: brokers and clients would look for it elsewhere.
    assert (world.node.phase, world.node.controller_id) == (Phase.STANDBY, -1)
    assert not world.exists(paths.CONTROLLER)
    world.zookeeper.expire(store)
    world.settle()
    assert world.node.active
    assert "rack" not in world.data(REGISTRATION)
    assert world.zookeeper.tree.nodes[REGISTRATION].owner == world.store.session


def test_a_registration_lost_with_its_connection_is_made_on_the_next() -> None:
    world = World()
    world.zookeeper.connect(world.store)
    world.feed()
    world.zookeeper.disconnect(world.store)
    world.settle()
    assert world.node.active
    assert json.loads(world.zookeeper.tree.nodes[REGISTRATION].data or b"")["version"] == 1
    assert set(paths.KLAMM_PATHS) <= set(world.zookeeper.tree.nodes)


def test_a_registration_that_is_deleted_is_made_again() -> None:
    world = in_office()
    world.write(Delete(REGISTRATION, ANY_VERSION))
    world.settle()
    assert world.exists(REGISTRATION)
    assert world.node.state is not None
    assert set(world.node.state.nodes) == {900}


def test_nodes_that_come_and_go_are_announced_to_brokers() -> None:
    world = in_office([1])
    world.sent.clear()
    other = encode_klamm_node(KlammNodeZnode(901, (ENDPOINT,)))
    world.write(Create(paths.klamm_node(901), other))
    world.settle()
    (sent,) = world.messages(UpdateMetadataRequest, 1)
    assert [live.id for live in sent.live_brokers] == [1, 900, 901]


def test_another_node_is_told_what_clients_may_ask_it_and_forgotten_when_it_goes() -> None:
    world = in_office([1])
    world.ask(CreateTopic("t", -1, -1, {0: (1,)}, {}, 0, 0))
    world.sent.clear()
    path = paths.klamm_node(901)
    world.write(Create(path, encode_klamm_node(KlammNodeZnode(901, (ENDPOINT,)))))
    world.settle()
    assert {type(send.message) for send in world.sent if send.broker.id == 901} == {
        UpdateMetadataRequest
    }
    everything, alone = world.messages(UpdateMetadataRequest, 901)
    assert [live.id for live in alone.live_brokers] == [1, 900, 901]
    assert [topic.topic_name for topic in everything.topic_states] == ["t"]
    world.write(Delete(path, ANY_VERSION))
    world.settle()
    assert world.closed_links == [901]
    assert world.sent[-1].broker.id == 1
