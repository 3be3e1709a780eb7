"""Whatever a node is in the midst of, every input is taken, and none ends it or starts it over."""

import copy
from collections.abc import Callable
from uuid import UUID

import pytest
from node.moving import U, with_topic
from node.test_table import NOW, kinds, samples
from node_world import ENDPOINT, World, in_office

from klamm.controller.core.events import (
    AlterReassignment,
    CreateTopic,
    DeleteTopic,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.node import Node, NodeConfig
from klamm.controller.node.inputs import Input, Turn
from klamm.controller.store.port import (
    Children,
    Missing,
    Read,
    ReadChildren,
    ReadDone,
    Unreadable,
    Znode,
)
from klamm.controller.znodes import paths

IBPS = ("2.4-IV0", "3.9")
T = TopicPartition("t", 0)


def base(ibp: str) -> World:
    config = NodeConfig(900, (ENDPOINT,), protocol=by_name(ibp))
    return with_topic(config, partitions=2)


def moving(ibp: str) -> World:
    world = base(ibp)
    world.ask(AlterReassignment(T, (4, 2)), AlterReassignment(U, (1, 2, 5)))
    return world


def deleting(ibp: str) -> World:
    world = base(ibp)
    world.silent = {1}
    world.ask(DeleteTopic("t"))
    return world


def queued(ibp: str) -> World:
    """Its deletion waits for its move."""
    world = moving(ibp)
    world.request(DeleteTopic("t"))
    world.settle()
    return world


def committing(ibp: str) -> World:
    world = base(ibp)
    world.request(AlterReassignment(T, (4, 2)))
    for _ in range(20):
        world.feed()
        turns = world.node.turns
        if turns is not None and turns.in_flight is not None:
            return world
        world.zookeeper.run()
    raise AssertionError("nothing is committed")


def inquiring(ibp: str) -> World:
    """The answer to a Commit is lost, and its witnesses are being asked."""
    world = committing(ibp)
    world.zookeeper.disconnect(world.store, late=True)
    world.feed()
    world.zookeeper.connect(world.store)
    world.feed()
    turns = world.node.turns
    assert turns is not None
    assert turns.in_flight is not None
    assert turns.in_flight.inquiry is not None
    return world


def surveying(ibp: str) -> World:
    world = base(ibp)
    world.unregister(1)
    path = paths.state(*T)
    world.write(SetData(path, world.zookeeper.tree.nodes[path].data, ANY_VERSION))
    for _ in range(20):
        world.zookeeper.run()
        world.feed()
        turns = world.node.turns
        if turns is not None and turns.survey is not None:
            return world
    raise AssertionError("nothing is read")


def disconnected(ibp: str) -> World:
    world = moving(ibp)
    world.zookeeper.disconnect(world.store, late=False)
    world.feed()
    assert not world.node.connected
    return world


def leaving(ibp: str) -> World:
    world = base(ibp)
    world.ask(ShutDownBroker(1, -1))
    return world


def leaderless(ibp: str) -> World:
    world = moving(ibp)
    for broker in (1, 2, 3):
        world.unregister(broker)
    world.settle()
    return world


def unreadable(ibp: str) -> World:
    world = base(ibp)
    world.write(SetData(paths.state(*T), b"{", ANY_VERSION))
    world.write(Create(paths.topic("u"), b"["))
    world.settle()
    return world


def unanswered(ibp: str) -> World:
    """Brokers have been told, and say nothing."""
    world = base(ibp)
    world.silent = {1, 2, 3, 4, 5}
    world.request(CreateTopic("v", -1, -1, {0: (1, 2)}, {}, 0, 0, topic_id=UUID(int=3)))
    world.settle()
    assert world.waiting
    return world


SITUATIONS: tuple[Callable[[str], World], ...] = (
    base,
    moving,
    deleting,
    queued,
    committing,
    inquiring,
    surveying,
    disconnected,
    leaving,
    leaderless,
    unreadable,
    unanswered,
)


def readings(world: World) -> list[Input]:
    """Answers that succeed to what was read last: as it is, with nothing there, all garbled."""
    turns, office = world.node.turns, world.node.office
    assert turns is not None
    reads: tuple[Read, ...] = turns.survey.reads if turns.survey else ()
    if not turns.survey and turns.in_flight and turns.in_flight.inquiry:
        reads = tuple(turns.in_flight.inquiry.reads())
    request = turns.survey_request if turns.survey else turns.inquiry_request
    nothing = tuple(Missing(read.path) for read in reads)
    odd = tuple(_odd(read) for read in reads)
    hidden = tuple(Unreadable(read.path, "NOAUTH") for read in reads)
    return [
        ReadDone(office.session, request, outcome, last=last)
        for outcome in (nothing, odd, hidden)
        for last in (True, False)
    ]


def _odd(read: Read) -> Children | Znode:
    if isinstance(read, ReadChildren):
        return Children(read.path, ("x", "1", "007"), cversion=3, czxid=10**6)
    return Znode(read.path, b'{"version":1}', version=9, czxid=10**6, mzxid=10**6)


@pytest.mark.parametrize("ibp", IBPS)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.__name__)
def test_every_input_in_every_situation(situation: Callable[[str], World], ibp: str) -> None:
    world = situation(ibp)
    start = world.node
    assert start.turns is not None
    events = [event for kind in sorted(kinds(), key=str) for event in samples(start, kind)]
    for event in (*events, *readings(world)):
        node = copy.deepcopy(start)
        node.handle(NOW, event)
        node.handle(NOW, Turn())
        holds(node)


def holds(node: Node) -> None:
    """What is true of a node between two inputs."""
    if node.turns is None:
        assert not node.active
        assert len(node.requests) == 0
        assert node.state is None
        return
    numbers = [cause.id for cause in node.turns.open]
    assert len(numbers) == len(set(numbers)), "a cause in two places"
    waiting = [cause.id for cause in node.turns.open if node.requests.waits_for(cause.id)]
    deletions = node.turns.state.deleting.values()
    waiting += [cause for deletion in deletions for cause in deletion.waiters]
    if node.requests and not node.doubtful:
        # In doubt a request of nothing, a list, waits too: for certainty.
        assert waiting, "a request that nothing is left of"


def test_the_situations_are_what_they_are_called() -> None:
    state = in_office().node.state
    assert state is not None
    assert not state.topics
    started = moving("3.9").node.state
    assert started is not None
    assert [name for name, _ in started.moving()] == [T, U]
    for build, field in ((deleting, "deleting"), (queued, "deleting"), (leaving, "shutting_down")):
        found = build("3.9").node.state
        assert found is not None
        assert getattr(found, field), build
    found = unreadable("3.9").node.state
    assert found is not None
    assert found.unreadable.keys() == {paths.state(*T), paths.topic("u")}
