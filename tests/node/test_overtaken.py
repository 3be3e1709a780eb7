"""What happens while the node is still reading, or between two of its readings."""

from uuid import UUID

import pytest
from node.moving import TOPIC_ID, T, with_topic
from node_world import ENDPOINT, World, accept, in_office

from klamm.controller.brokers.metadata import MetadataCache, refreshed, updated
from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CreateTopic,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.results import ShutDownAllowed
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Send, Severity
from klamm.controller.store.port import ReadDone
from klamm.controller.znodes import paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message


def config(ibp: str, moves: int = 100) -> NodeConfig:
    return NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp), leader_moves_in_flight=moves)


def read_one_round(world: World) -> None:
    """Go on until the node has heard one answer to its reading, and no further."""
    for _ in range(100):
        world.zookeeper.run()
        heard = any(isinstance(event, ReadDone) for event in world._inbox)
        world.feed()
        if heard:
            return
    raise AssertionError("the node reads nothing")


@pytest.mark.parametrize("ibp", ["2.4-IV0", "3.9"])
@pytest.mark.parametrize("broker", [1, 2])
def test_a_broker_that_restarts_between_two_rounds_of_a_reading_has_restarted(
    ibp: str, broker: int
) -> None:
    """The reading says that it is gone, the next one that it is there; it may have lost data."""
    world = with_topic(config(ibp))
    world.unregister(broker)
    read_one_round(world)
    world.register(broker)
    world.settle()
    state = world.data(paths.state(*T))
    assert state["isr"] == [each for each in (1, 2, 3) if each != broker]
    assert state["leader"] == (2 if broker == 1 else 1)
    assert state["leader_epoch"] != 0


def test_the_last_in_sync_leaves_after_the_leader_has_died() -> None:
    """Its death is read, but not decided on yet: who leaves must not leave the ISR to the dead."""
    world = with_topic(config("3.9"))
    world.unregister(3)
    world.settle()
    world.unregister(1)
    world.zookeeper.run()
    request = world.request(ShutDownBroker(2, -1))
    world.settle()
    assert world.data(paths.state(*T))["leader"] == 2
    assert world.replies[request] == [(ShutDownAllowed((T,)),)]


def test_who_leaves_in_the_turn_that_gives_it_a_lead_gives_it_away() -> None:
    world = in_office((1, 2, 3), config("3.9"))
    world.request(CreateTopic("t", -1, -1, {0: (1, 2)}, {}, 0, 0, topic_id=TOPIC_ID))
    request = world.request(ShutDownBroker(1, -1))
    world.settle()
    assert world.replies[request] == [(ShutDownAllowed(()),)]
    assert world.data(paths.state(*T))["leader"] == 2


def test_a_leader_with_a_broken_disk_holds_up_no_other_move() -> None:
    """One slot for leads that are handed over: who answers 56 does not keep it, or the lead."""
    world = in_office((1, 2, 3), config("3.9", moves=1))
    names = [TopicPartition(topic, 0) for topic in "abc"]
    ids = {name.topic: UUID(int=number) for number, name in enumerate(names, start=1)}
    for topic, id_ in ids.items():
        world.ask(CreateTopic(topic, -1, -1, {0: (1, 2)}, {}, 0, 0, topic_id=id_))

    def answer(send: Send) -> Message:
        message = send.message
        if not isinstance(message, LeaderAndIsrRequest) or send.broker.id != 3:
            return accept(message)
        errors = []
        for topic in message.topic_states:
            leads = [part.leader == 3 for part in topic.partition_states]
            broken = topic.topic_id == ids["a"] and any(leads)
            code = ErrorCode.KAFKA_STORAGE_ERROR if broken else ErrorCode.NONE
            parts = [
                LeaderAndIsrPartitionError("", each.partition_index, code)
                for each in topic.partition_states
            ]
            errors.append(LeaderAndIsrTopicError(topic.topic_id, tuple(parts)))
        return LeaderAndIsrResponse(topics=tuple(errors))

    world.answers = answer
    for name in names:
        world.ask(AlterReassignment(name, (3, 2)))
    for name in names:
        state = world.node.state
        assert state is not None
        part = state.partition(name)
        assert part is not None
        held = part.leadership
        assert held is not None
        epoch = state.brokers[1].epoch
        wish = AlterPartition(name, 1, epoch, held.leader_epoch, held.version, (1, 2, 3))
        world.ask(wish)
    state = world.node.state
    assert state is not None
    assert not list(state.moving())
    assert {name.topic: part.leader for name, part in state.partitions()} == {
        "a": 2,
        "b": 3,
        "c": 3,
    }
    assert state.awaiting == {}


def test_brokers_and_the_controller_tell_clients_the_same_of_who_leaves() -> None:
    world = with_topic(config("3.9"))
    before = world.node.state
    assert before is not None
    cache = refreshed(MetadataCache(), None, before)
    assert cache.topics["t"].partitions[0].offline == ()
    world.ask(ShutDownBroker(1, -1))
    assert world.node.state is not None
    own = refreshed(cache, before, world.node.state).topics["t"].partitions[0]
    notices = [m for m in world.messages(UpdateMetadataRequest, 2) if m.topic_states]
    theirs = updated(MetadataCache(), notices[-1]).topics["t"].partitions[0]
    assert own.offline == theirs.offline == (1,)


def test_a_broker_with_the_id_of_a_node_is_listed_once_and_reported() -> None:
    """Brokers refuse a list with the same id twice, and would know of nobody."""
    world = World(NodeConfig(1, (ENDPOINT,)))
    world.settle()
    world.register(1)
    world.register(2)
    world.settle()
    listed = [live.id for live in world.messages(UpdateMetadataRequest, 2)[-1].live_brokers]
    assert listed == [1, 2]
    (report,) = [entry for entry in world.journal if entry.kind == "shared id"]
    assert report.severity is Severity.ERROR
