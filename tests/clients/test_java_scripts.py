"""Replays what the Java tool sends, in its order and versions, and looks at every answer."""

from collections.abc import Iterable

import pytest
from clients.cluster import BROKERS, CONTROLLER, config
from clients.java_scripts import CLIENT_ID, LISTS, RATES, SOFTWARE_NAME, Move, Scripts, Turn
from clients.player import Player
from thin_line.world import World

from klamm.protocol import registry
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.describe_cluster_response import DescribeClusterResponse
from klamm.protocol.generated.incremental_alter_configs_response import (
    IncrementalAlterConfigsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.message import Message

NODES = [*BROKERS, CONTROLLER]


class Tool:
    """One run of the tool; `anywhere` is the node that it asks what any node may answer."""

    def __init__(self, world: World, player: Player, release: str, anywhere: int) -> None:
        cluster = world.local.cluster
        self._ports = {id_: broker.port for id_, broker in cluster.brokers.brokers.items()}
        self._ports[CONTROLLER] = cluster.endpoint.port
        self._player = player
        self._release = release
        self._anywhere = anywhere
        self._open: set[str] = set()

    def run(self, turns: Iterable[Turn]) -> list[Message]:
        """Bootstrap, take the turns, and return the answers; each is well-formed and unthrottled.

        The requests of a turn are all sent before the first answer is read.
        """
        self._play(Scripts(CONTROLLER, NODES).opening(), "bootstrap")
        return [answer for turn in turns for answer in self._play(turn, None)]

    def _play(self, turn: Turn, label: str | None) -> list[Message]:
        sent = []
        for item in turn:
            node = self._anywhere if item.node is None else item.node
            at = label or f"node {node}"
            self._greet(at, node)
            sent.append((at, item, self._player.send(at, item.body, item.version)))
        answers = []
        for at, item, number in sent:
            kind = registry.response(item.body.api_key)
            answer = self._player.receive(at, number, item.version, kind)
            assert getattr(answer, "throttle_time_ms", 0) == 0
            answers.append(answer)
        return answers

    def _greet(self, at: str, node: int) -> None:
        if at not in self._open:
            self._open.add(at)
            self._player.connect(at, self._ports[node])
            request = ApiVersionsRequest(SOFTWARE_NAME, self._release)
            table = self._player.ask(at, request, 4, ApiVersionsResponse)
            assert table.error_code == 0


@pytest.fixture(params=[CONTROLLER, 2], ids=["by the controller", "by a broker"])
def anywhere(request: pytest.FixtureRequest) -> int:
    node: int = request.param
    return node


@pytest.fixture
def tools(world: World, anywhere: int) -> "Tools":
    return Tools(world, "3.9.1", anywhere)


class Tools:
    """Each run is a client of its own, as each run of the tool is a process."""

    def __init__(self, world: World, release: str, anywhere: int) -> None:
        self._given = (release, anywhere)
        self._world = world
        self.scripts = Scripts(CONTROLLER, NODES)

    def run(self, turns: Iterable[Turn]) -> list[Message]:
        with Player(CLIENT_ID) as player:
            return Tool(self._world, player, *self._given).run(turns)


def altered(answer: Message) -> list[tuple[str, int, int]]:
    """Return topic, partition and code of what 45 answered."""
    assert isinstance(answer, AlterPartitionReassignmentsResponse)
    assert answer.error_code == 0
    return [
        (topic.name, item.partition_index, item.error_code)
        for topic in answer.responses
        for item in topic.partitions
    ]


def listed(answer: Message) -> set[tuple[str, int]]:
    """Return what 46 answered, by name."""
    assert isinstance(answer, ListPartitionReassignmentsResponse)
    assert answer.error_code == 0
    return {
        (topic.name, item.partition_index) for topic in answer.topics for item in topic.partitions
    }


def all_fine(answers: Iterable[Message]) -> None:
    """Every config change was accepted."""
    for answer in answers:
        assert isinstance(answer, IncrementalAlterConfigsResponse)
        assert {item.error_code for item in answer.responses} == {0}


def replicas(answer: Message, topic: str) -> tuple[int, ...]:
    """Return what Metadata showed of partition 0."""
    assert isinstance(answer, MetadataResponse)
    [found] = answer.topics
    assert (found.error_code, found.name) == (0, topic)
    return found.partitions[0].replica_nodes


def test_a_throttled_move_from_execute_to_verify(world: World, tools: Tools) -> None:
    world.freeze(4)
    scripts = tools.scripts
    move = Move(world.topic([1, 2, 3]), [1, 2, 3], [4, 3, 2])

    everything, one, two, topic, lists, *rates, started = tools.run(scripts.execute(move, 10**8))
    assert (move.topic, 0) not in listed(everything)
    for cluster in (one, two):
        assert isinstance(cluster, DescribeClusterResponse)
        assert sorted(item.broker_id for item in cluster.brokers) == NODES
    assert replicas(topic, move.topic) == (1, 2, 3)
    all_fine([lists, *rates])
    assert altered(started) == [(move.topic, 0, 0)]
    throttled = dict(zip(LISTS, ("0:1,0:2,0:3", "0:4"), strict=True))
    assert config(world, f"topics/{move.topic}") == throttled
    for broker in (1, 2, 3, 4):
        assert config(world, f"brokers/{broker}") == dict.fromkeys(RATES[:2], str(10**8))

    [moving] = tools.run(scripts.verify(move, moving=True))
    assert (move.topic, 0) in listed(moving)

    world.thaw(4)
    world.await_replicas(move.topic, [4, 3, 2])
    none, _, topic, _, *cleared = tools.run(scripts.verify(move, moving=False))
    assert (move.topic, 0) not in listed(none)
    assert replicas(topic, move.topic) == (4, 3, 2)
    all_fine(cleared)
    assert len(cleared) == len(NODES) + 1, "every node listed, our own included, and the topic"
    assert config(world, f"topics/{move.topic}") == {}
    for node in NODES:
        assert config(world, f"brokers/{node}") == {}


def test_execute_and_cancel(world: World, tools: Tools) -> None:
    world.freeze(4)
    scripts = tools.scripts
    move = Move(world.topic([1, 2, 3]), [1, 2, 3], [3, 4, 2])
    *_, started = tools.run(scripts.execute(move))
    assert altered(started) == [(move.topic, 0, 0)]
    found, cancelled, _, *cleared = tools.run(scripts.cancel(move))
    assert listed(found) == {(move.topic, 0)}
    assert altered(cancelled) == [(move.topic, 0, 0)]
    all_fine(cleared)
    assert world.listed(move.topic) == {}
    _, again = tools.run(scripts.cancel(move, preserve=True))
    assert altered(again) == [(move.topic, 0, 85)]


def test_what_4_2_can_do_without_log_dirs(world: World, anywhere: int) -> None:
    """Its --execute and --generate ask 35 of every broker, and stop where it is not shown."""
    world.freeze(4)
    tools = Tools(world, "4.2.0", anywhere)
    scripts = tools.scripts
    move = Move(world.topic([1, 2]), [1, 2], [1, 2, 4])
    assert world.alter(move.topic, [1, 2, 4]) == 0
    [everything] = tools.run(scripts.list_all())
    assert (move.topic, 0) in listed(everything)
    [moving] = tools.run(scripts.verify(move, moving=True))
    assert (move.topic, 0) in listed(moving)
    # From 4.0.1 on it cancels pure additions, too.
    found, cancelled, _, *cleared = tools.run(scripts.cancel(move))
    assert listed(found) == {(move.topic, 0)}
    assert altered(cancelled) == [(move.topic, 0, 0)]
    all_fine(cleared)
    assert world.listed(move.topic) == {}


def test_a_controller_as_bootstrap(world: World) -> None:
    """4.0 and later, --bootstrap-controller: every request goes to the one controller listed."""
    with Player(CLIENT_ID) as player:
        player.connect("controller", world.local.cluster.endpoint.port)
        request = ApiVersionsRequest(SOFTWARE_NAME, "4.2.0")
        player.ask("controller", request, 4, ApiVersionsResponse)
        [[sent], *turns] = Scripts(CONTROLLER, NODES).list_by_controller()
        cluster = player.ask("controller", sent.body, sent.version, DescribeClusterResponse)
        assert (cluster.error_code, cluster.endpoint_type) == (0, 2)
        [found] = cluster.brokers
        assert (found.broker_id, found.port) == (CONTROLLER, world.local.cluster.endpoint.port)
        [[asked]] = turns
        answer = player.ask(
            "controller", asked.body, asked.version, ListPartitionReassignmentsResponse
        )
        assert answer.error_code == 0
