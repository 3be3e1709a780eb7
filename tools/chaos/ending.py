"""The end of a run: waits until everything has come right, and gathers what there is."""

from collections.abc import Sequence

import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.runtime.conversation import LinkLostError, connect_tcp, converse
from klamm.controller.znodes import paths
from klamm.protocol.connection import ClientConnection
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.protocol.message import Message
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.chaos.history import Final, Replicas, StateSeen, partition
from klamm.tools.chaos.looking import Looker
from klamm.tools.chaos.nodes import NodeProcess
from klamm.tools.chaos.recorder import Recorder
from klamm.tools.chaos.settled import unsettled
from klamm.tools.embedded.zookeeper import HOST

_POLL_SECONDS = 0.5
_ANSWER_SECONDS = 10.0

Told = dict[str, tuple[tuple[int, ...], StateSeen]]


class Ending:
    """Looks at the whole cluster."""

    def __init__(
        self,
        looker: Looker,
        nodes: Sequence[NodeProcess],
        brokers: SimulatedBrokers,
        recorder: Recorder,
    ) -> None:
        self._looker = looker
        self._nodes = nodes
        self._brokers = brokers
        self._recorder = recorder

    async def settle(self, seconds: float) -> Final:
        """Return what there is once all is right twice in a row, or when patience ends."""
        good = 0
        final = await self.gather()
        with trio.move_on_after(seconds):
            while good < 2:
                await trio.sleep(_POLL_SECONDS)
                final = await self.gather()
                good = 0 if unsettled(final) else good + 1
        return final

    async def gather(self) -> Final:
        """Look at everything, one after the other: true of one moment only if nothing changes."""
        topics = await self._looker.topics()
        names = [(topic, number) for topic, held in topics.items() for number in held]
        states = await self._looker.states(names)
        controller, epoch = await self._looker.office()
        told = {node.id: said for node in self._nodes if (said := await _told(node)) is not None}
        listed = [await _listed(node) for node in self._nodes if node.id == controller]
        models = self._brokers.cluster.brokers
        return Final(
            self._recorder.now,
            controller=controller,
            epoch=epoch,
            topics=topics,
            states=states,
            listed=listed[0] if listed else {},
            told=told,
            disks={
                broker: tuple(partition(*name) for name in sorted(self._brokers.logs(broker)))
                for broker in self._brokers.brokers
            },
            leads={
                broker: tuple(partition(*name) for name, r in sorted(m.replicas.items()) if r.leads)
                for broker, m in models.items()
            },
            alive=tuple(sorted(map(int, await self._looker.children(paths.BROKER_IDS)))),
            deletions=await self._looker.children(paths.DELETE_TOPICS),
        )


async def _told(node: NodeProcess) -> Told | None:
    """Return what a node says in Metadata of every topic, None if it does not answer."""
    answer = await ask(node, MetadataRequest(topics=None), 7)
    if not isinstance(answer, MetadataResponse):
        return None
    return {
        partition(topic.name or "", each.partition_index): (
            each.replica_nodes,
            StateSeen(each.leader_id, each.leader_epoch, each.isr_nodes),
        )
        for topic in answer.topics
        for each in topic.partitions
    }


async def _listed(node: NodeProcess) -> dict[str, Replicas]:
    """Return what a node lists as moving, nothing if it does not answer."""
    answer = await ask(node, ListPartitionReassignmentsRequest(), 0)
    if not isinstance(answer, ListPartitionReassignmentsResponse):
        return {}
    return {
        partition(topic.name, each.partition_index): Replicas(
            each.replicas, each.adding_replicas, each.removing_replicas
        )
        for topic in answer.topics
        for each in topic.partitions
    }


async def ask(node: NodeProcess, message: Message, version: int) -> Message | None:
    """Ask a node over a connection of its own; None if that does not answer in time."""
    with trio.move_on_after(_ANSWER_SECONDS):
        try:
            async with await connect_tcp(Endpoint("", "", HOST, node.port)) as stream:
                return await converse(stream, ClientConnection("chaos"), message, version)
        except (OSError, LinkLostError, trio.BrokenResourceError):
            return None
    return None
