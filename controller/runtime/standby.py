"""What a node knows of the cluster while another one is controller: what brokers know.

The active controller sends UpdateMetadata to the other klamm nodes as to brokers, so that clients
get the same answers from whichever node they ask, and find the controller. Until it does, and
under a controller of Kafka's own, which never will, a node goes by what it sees in ZooKeeper
(`klamm.controller.node.outlook`). Whoever is of the later epoch is believed.

A controller begins with everything there is, for every node at the start of its office and for one
whose registration is new. What was known before and is not told again is no more: it was deleted
while nobody could tell the node so. It is shown until a request without partitions says that
everything has been told (`klamm.controller.brokers.outbox`, rule 6), for a node that showed
nothing in between would tell clients that their topics do not exist. Kafka's brokers keep such a
topic until they restart; only a migration to KRaft sends a full image that takes it away (Kafka
3.9, ZkMetadataCache.scala, maybeInjectDeletedPartitionsFromFullMetadataRequest).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from klamm.controller.brokers.metadata import (
    NO_CONTROLLER,
    MetadataCache,
    TopicMetadata,
    refreshed,
    updated,
)
from klamm.controller.core.model import Broker, ClusterState
from klamm.controller.node.outlook import View
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse

#: Requests of a controller to its brokers; not shown to clients.
FROM_CONTROLLERS = (LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest)


@dataclass(slots=True)
class _Image:
    """What one controller tells one registration of the node, from the beginning on."""

    controller_epoch: int = 0
    broker_epoch: int = -1
    #: The partitions told of so far, by topic; None once everything has been told.
    told: dict[str, set[int]] | None = field(default_factory=dict)

    def precedes(self, request: UpdateMetadataRequest) -> bool:
        """Tell whether with this request another image begins."""
        return (
            request.controller_epoch > self.controller_epoch
            or request.broker_epoch > self.broker_epoch
        )

    def take(self, cache: MetadataCache, request: UpdateMetadataRequest) -> MetadataCache:
        """Fold the request in; with the one that ends the image drop what is not part of it."""
        cache = updated(cache, request)
        if self.told is None:
            return cache
        for name, numbers in _named(request):
            self.told.setdefault(name, set()).update(numbers)
        if request.topic_states or request.ungrouped_partition_states:
            return cache
        told, self.told = self.told, None
        return replace(cache, topics=_only(cache.topics, told))


def _named(request: UpdateMetadataRequest) -> Iterator[tuple[str, Iterable[int]]]:
    for topic in request.topic_states:
        yield topic.topic_name, (state.partition_index for state in topic.partition_states)
    for state in request.ungrouped_partition_states:
        yield state.topic_name, (state.partition_index,)


def _only(
    topics: Mapping[str, TopicMetadata], told: Mapping[str, set[int]]
) -> Mapping[str, TopicMetadata]:
    """The topics with no more than the partitions told of; those that are whole stay as they are.

    A topic made anew under its name may have fewer partitions than before.
    """
    left = {}
    for name, topic in topics.items():
        partitions = {n: known for n, known in topic.partitions.items() if n in told.get(name, ())}
        if len(partitions) == len(topic.partitions):
            left[name] = topic
        elif partitions:
            left[name] = replace(topic, partitions=partitions)
    return left


class Standby:
    """The cache of one node; `itself` is in it whatever others say."""

    def __init__(self, cluster_id: str, itself: Broker) -> None:
        self._itself = itself
        #: Of the newest controller that has spoken, the node itself included.
        self._epoch = 0
        self._view = View()
        #: What the cache was last made of, if nobody has spoken since.
        self._shown: ClusterState | None = None
        self._image = _Image()
        self.metadata = MetadataCache(cluster_id, brokers={itself.id: itself})

    def take(
        self, request: UpdateMetadataRequest, own_epoch: int, registration: int
    ) -> UpdateMetadataResponse:
        """Fold a request in, unless its controller came before one that we know of, or are.

        `own_epoch` is that of the office if the node holds it, else 0; an office counts from its
        election on, before all that it must know has been read. `registration` is the
        node's own epoch, the czxid of its registration: what was meant for a former life of it is
        refused, as Kafka's brokers do (Kafka 3.9, KafkaApis.scala, isBrokerEpochStale). An epoch
        of -1 is not looked at, and one that is yet to come is taken: the controller may know of a
        registration before the node does.
        """
        known = max(self._epoch, self._view.epoch, own_epoch + 1)
        if request.controller_epoch < known:
            return UpdateMetadataResponse(ErrorCode.STALE_CONTROLLER_EPOCH)
        if 0 <= request.broker_epoch < registration:
            return UpdateMetadataResponse(ErrorCode.STALE_BROKER_EPOCH)
        self._epoch, self._shown = request.controller_epoch, None
        if self._image.precedes(request):
            self._image = _Image(request.controller_epoch, request.broker_epoch)
        self._show(self._image.take(self.metadata, request))
        return UpdateMetadataResponse()

    def refuse(
        self, request: LeaderAndIsrRequest | StopReplicaRequest, own_epoch: int
    ) -> LeaderAndIsrResponse | StopReplicaResponse:
        """Refuse to hold replicas. An answer, for a connection that ends would be tried for ever.

        A controller of the past learns that it is one; `own_epoch` as for `take`.
        """
        code = ErrorCode.INVALID_REQUEST
        if request.controller_epoch < max(self._epoch, self._view.epoch, own_epoch):
            code = ErrorCode.STALE_CONTROLLER_EPOCH
        if isinstance(request, LeaderAndIsrRequest):
            return LeaderAndIsrResponse(code)
        return StopReplicaResponse(code)

    def look(self, view: View) -> None:
        """Take what the node sees in ZooKeeper, unless that controller has spoken itself."""
        if view is self._view:
            return
        self._view = view
        if view.epoch <= self._epoch:
            return
        cache = self.metadata
        if view.cluster is not None:
            cache = refreshed(cache, self._shown, view.cluster)
            self._shown = view.cluster
        self._show(replace(cache, controller_id=view.controller_id))

    def leave_office(self, metadata: MetadataCache, epoch: int) -> None:
        """Go on from what the node knew in office, until the next controller says more."""
        self._epoch, self._shown = max(self._epoch, epoch), None
        self.metadata = replace(metadata, controller_id=NO_CONTROLLER)

    def _show(self, cache: MetadataCache) -> None:
        brokers = {self._itself.id: self._itself, **cache.brokers}
        self.metadata = replace(cache, brokers=brokers)
