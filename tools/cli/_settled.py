"""When a local cluster is ready: asked over the wire, and seen on the simulated brokers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

import trio

from klamm.controller.runtime.conversation import Connect, connect_tcp
from klamm.controller.runtime.listeners import PLAINTEXT
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.cli._nodes import ClusterError, RunningNode
from klamm.tools.cli._topics import NewTopic
from klamm.tools.cli._wire import Wire

_START_SECONDS = 60.0
_POLL_SECONDS = 0.005
_CREATE_SECONDS = 30
_PARTITIONS_PER_REQUEST = 5000

OpenWire = Callable[[RunningNode], AbstractAsyncContextManager[Wire]]


async def settle(
    nodes: Sequence[RunningNode],
    brokers: SimulatedBrokers,
    topics: Mapping[str, NewTopic],
    protocol: str = PLAINTEXT,
    connect: Connect = connect_tcp,
) -> RunningNode:
    """Wait until every node answers, one is in office and knows all brokers; create the topics.

    Returns the one in office when each partition has a leader and every broker knows it. Raises
    ClusterError for a topic that cannot be, and after a minute in vain.
    """

    def open_wire(node: RunningNode) -> AbstractAsyncContextManager[Wire]:
        return Wire.open(node.host, node.port, protocol, connect)

    what = "a controller that knows every broker"
    with trio.move_on_after(_START_SECONDS):
        office = await _in_office(nodes, brokers.brokers, open_wire)
        what = "the brokers to know their controller"
        while not all(_knows_cluster(brokers, broker, office) for broker in brokers.brokers):
            await trio.sleep(_POLL_SECONDS)
        if topics:
            what = "the topics to be there"
            async with open_wire(office) as wire:
                for some in _portions(topics.values()):
                    await _create(wire, some)
                await _led(wire, topics)
            while not all(_knows_topics(brokers, broker, topics) for broker in brokers.brokers):
                await trio.sleep(_POLL_SECONDS)
        return office
    raise ClusterError(f"waited {_START_SECONDS:g} s in vain for {what}")


async def _in_office(
    nodes: Sequence[RunningNode], brokers: Collection[int], open_wire: OpenWire
) -> RunningNode:
    """Return the node that is controller, once all of them answer and it knows these brokers."""
    while True:
        found = [await _metadata(node, open_wire) for node in nodes]
        for node, answer in zip(nodes, found, strict=True):
            known = {broker.node_id for broker in answer.brokers}
            if answer.controller_id == node.id and set(brokers) <= known:
                return node
        await trio.sleep(_POLL_SECONDS)


async def _metadata(node: RunningNode, open_wire: OpenWire) -> MetadataResponse:
    try:
        async with open_wire(node) as wire:
            answer = await wire.ask(MetadataRequest(topics=()), 7)
    except OSError as error:
        raise ClusterError(f"node {node.id} does not answer: {error}") from error
    assert isinstance(answer, MetadataResponse)
    return answer


def _knows_cluster(brokers: SimulatedBrokers, broker: int, office: RunningNode) -> bool:
    known = brokers.cluster.brokers[broker].metadata
    return known.controller_id == office.id and brokers.brokers.keys() <= known.brokers.keys()


def _knows_topics(brokers: SimulatedBrokers, broker: int, topics: Mapping[str, NewTopic]) -> bool:
    known = brokers.cluster.brokers[broker].metadata.topics
    return all(
        name in known and len(known[name].partitions) == topic.size
        for name, topic in topics.items()
    )


def _portions(topics: Collection[NewTopic]) -> Sequence[Sequence[NewTopic]]:
    """Share topics out among requests; one of them may hold a single larger topic."""
    portions: list[list[NewTopic]] = []
    room = 0
    for topic in topics:
        if not portions or topic.size > room:
            portions.append([])
            room = _PARTITIONS_PER_REQUEST
        portions[-1].append(topic)
        room -= topic.size
    return portions


async def _create(wire: Wire, topics: Sequence[NewTopic]) -> None:
    request = CreateTopicsRequest(
        topics=tuple(
            CreatableTopic(
                topic.name,
                topic.partitions,
                topic.replication_factor,
                tuple(
                    CreatableReplicaAssignment(number, replicas)
                    for number, replicas in enumerate(topic.assignments)
                ),
            )
            for topic in topics
        ),
        timeout_ms=_CREATE_SECONDS * 1000,
    )
    answer = await wire.ask(request, 5)
    assert isinstance(answer, CreateTopicsResponse)
    refused = [
        f"topic {topic.name} cannot be created: {topic.error_message or topic.error_code}"
        for topic in answer.topics
        if topic.error_code
    ]
    if refused:
        raise ClusterError("; ".join(refused))


async def _led(wire: Wire, topics: Mapping[str, NewTopic]) -> None:
    """Wait until the controller names a leader for every partition."""
    asked = MetadataRequest(topics=tuple(MetadataRequestTopic(name=name) for name in topics))
    while True:
        answer = await wire.ask(asked, 7)
        assert isinstance(answer, MetadataResponse)
        if all(
            topic.name is not None
            and len(topic.partitions) == topics[topic.name].size
            and not any(partition.error_code for partition in topic.partitions)
            for topic in answer.topics
        ):
            return
        await trio.sleep(_POLL_SECONDS)
