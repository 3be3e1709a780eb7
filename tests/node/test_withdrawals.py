"""A topic's znodes stay until whoever answers clients knows that it is gone."""

import pytest
from node.moving import with_topic
from node.takeover import kill, take_over
from node_world import ENDPOINT, World, accept

from klamm.controller.brokers.metadata import MetadataCache, updated
from klamm.controller.core.events import DeleteTopic
from klamm.controller.core.ops import ANY_VERSION, Create, Delete
from klamm.controller.node.effects import Send
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import KlammNodeZnode, encode_klamm_node
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message

BYSTANDER = 4  # a broker without a replica of t
NODE = 901


class Clients:
    """What clients see who ask each of the brokers, which stay the same processes throughout."""

    def __init__(self, world: World) -> None:
        self.caches: dict[int, MetadataCache] = {}
        world.answers = self.answer
        take_over(world)  # who tells them everything
        assert self.who_shows_t() == {1, 2, 3, 4, 5}

    def answer(self, send: Send) -> Message:
        if isinstance(send.message, UpdateMetadataRequest):
            cache = self.caches.get(send.broker.id, MetadataCache())
            self.caches[send.broker.id] = updated(cache, send.message)
        return accept(send.message)

    def who_shows_t(self) -> set[int]:
        return {id_ for id_, cache in self.caches.items() if "t" in cache.topics}


def withdraws(send: Send, peer: int) -> bool:
    return (
        send.broker.id == peer
        and isinstance(send.message, UpdateMetadataRequest)
        and any(
            p.leader == -2 for topic in send.message.topic_states for p in topic.partition_states
        )
    )


def told_to_delete(world: World) -> set[int]:
    sends = (send for send in world.sent if isinstance(send.message, StopReplicaRequest))
    return {send.broker.id for send in sends}


def register_node(world: World) -> None:
    znode = encode_klamm_node(KlammNodeZnode(NODE, (ENDPOINT,)))
    world.write(Create(paths.klamm_node(NODE), znode))
    world.settle()


@pytest.mark.parametrize("peer", [BYSTANDER, NODE])
def test_whoever_does_not_answer_holds_the_deletion_up(peer: int) -> None:
    world = with_topic()
    register_node(world)
    world.silent = {peer}
    world.ask(DeleteTopic("t"))
    assert told_to_delete(world) == {1, 2, 3}
    assert world.exists(paths.state("t", 0))
    assert world.exists(paths.delete_topic("t"))
    world.silent = set()
    world.settle()
    assert not world.exists(paths.topic("t"))


@pytest.mark.parametrize("peer", [BYSTANDER, NODE])
def test_whoever_is_gone_does_not(peer: int) -> None:
    world = with_topic()
    register_node(world)
    world.silent = {peer}
    world.ask(DeleteTopic("t"))
    assert world.exists(paths.topic("t"))
    path = paths.broker(peer) if peer == BYSTANDER else paths.klamm_node(peer)
    world.write(Delete(path, ANY_VERSION))
    world.settle()
    assert not world.exists(paths.topic("t"))


def test_a_request_that_is_lost_with_its_link_is_sent_again() -> None:
    world = with_topic()
    breaks = [None] * 3

    def answer(send: Send) -> Message | None:
        if withdraws(send, BYSTANDER) and breaks:
            assert world.exists(paths.topic("t"))
            return breaks.pop()
        return accept(send.message)

    world.answers = answer
    world.ask(DeleteTopic("t"))
    assert breaks == []
    assert not world.exists(paths.topic("t"))


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.STALE_CONTROLLER_EPOCH])
def test_a_request_that_is_refused_is_sent_again(code: ErrorCode) -> None:
    world = with_topic()
    refusals = [UpdateMetadataResponse(error_code=code)]

    def answer(send: Send) -> Message:
        if withdraws(send, BYSTANDER) and refusals:
            return refusals.pop()
        return accept(send.message)

    world.answers = answer
    world.ask(DeleteTopic("t"))
    assert refusals == []
    assert world.exists(paths.topic("t"))
    world.run_timer("resend")
    world.settle()
    assert not world.exists(paths.topic("t"))


def test_a_broker_that_comes_back_in_a_new_session_has_to_hear_of_it() -> None:
    """It may be the same process, which knows the topic."""
    world = with_topic()
    clients = Clients(world)
    world.silent = {BYSTANDER}
    world.ask(DeleteTopic("t"))
    world.write(Delete(paths.broker(BYSTANDER), ANY_VERSION))
    world.register(BYSTANDER)
    world.settle()
    assert clients.who_shows_t() == {BYSTANDER}
    assert world.exists(paths.topic("t"))
    world.silent = set()
    world.settle()
    assert clients.who_shows_t() == set()
    assert not world.exists(paths.topic("t"))


@pytest.mark.parametrize("steps", range(12))
@pytest.mark.parametrize("silent", [set(), {BYSTANDER}], ids=["quick", "slow"])
def test_no_broker_shows_a_deleted_topic_whenever_its_controller_dies(
    steps: int, silent: set[int]
) -> None:
    world = with_topic()
    clients = Clients(world)
    world.silent = set(silent)
    world.request(DeleteTopic("t"))
    for _ in range(steps):
        world.step()
    begun = world.exists(paths.delete_topic("t")) or not world.exists(paths.topic("t"))
    kill(world)
    world.settle()
    assert world.node.active
    assert BYSTANDER not in silent or not begun or world.exists(paths.topic("t"))
    world.silent = set()
    world.settle()
    assert world.exists(paths.topic("t")) == (not begun)
    assert clients.who_shows_t() == (set() if begun else {1, 2, 3, 4, 5})
    assert begun or steps < 3
