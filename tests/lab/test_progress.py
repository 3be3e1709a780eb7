"""Brokers of a world that tell the controller what followers have fetched."""

from dataclasses import replace

from klamm.controller.core.model import TopicPartition
from klamm.controller.node.copies import Copied
from klamm.protocol.generated.report_fetch_progress_request import ReportFetchProgressRequest
from klamm.tools.lab.choices import Enumerator
from klamm.tools.lab.clients import move
from klamm.tools.lab.events import Way
from klamm.tools.lab.run import Opening, rest
from klamm.tools.lab.scope import Scope
from klamm.tools.lab.world import World

T = TopicPartition("t", 0)
SCOPE = Scope(
    "telling",
    "A move of twenty seconds, of which the leader tells.",
    brokers=3,
    topics={"t": {0: (1, 2)}},
    partition_bytes=2000,
    bandwidth=100.0,
    report_seconds=0.5,
)


def moving(scope: Scope = SCOPE) -> World:
    """A world in which broker 3 has begun to copy t-0."""
    world = Opening(scope).world(Enumerator())
    world.ask("n1", move("t", 0, 3, 2))
    world.settle()
    return world


def known(world: World, node: str) -> Copied | None:
    """What a node has last heard of broker 3."""
    host = world.nodes[node]
    return host.node.copies.of(T).get(3) if host.node is not None else None


def reports(world: World) -> int:
    """How many reports brokers have sent."""
    return sum(
        carried.way is Way.SENT and isinstance(carried.message, ReportFetchProgressRequest)
        for happened in world.events
        for carried in happened.messages
    )


def test_the_controller_hears_of_a_move_and_its_successor_goes_on() -> None:
    world = moving()
    world.advance(5.0)
    world.settle()
    first = known(world, "n1")
    assert first is not None
    assert 0 < first.follower_end < first.leader_end == 2000
    world.do("crash n1")
    world.settle()
    world.advance(6.0)
    world.settle()
    world.advance(6.0)
    world.settle()
    second = known(world, "n2")
    assert second is not None
    assert second.follower_end > first.follower_end
    assert rest(world) is None


def test_nobody_tells_unless_the_scope_says_so() -> None:
    world = moving(replace(SCOPE, report_seconds=float("inf")))
    world.advance(5.0)
    world.settle()
    assert reports(world) == 0
    assert known(world, "n1") is None
    told = moving()
    told.advance(5.0)
    told.settle()
    assert reports(told) > 5
