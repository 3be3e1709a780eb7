"""What a node knows of the cluster while another one is controller: what brokers know.

The active controller sends UpdateMetadata to the other klamm nodes as to brokers, so that clients
get the same answers from whichever node they ask, and find the controller. Until it does, and
under a controller of Kafka's own, which never will, a node goes by what it sees in ZooKeeper
(`klamm.controller.node.outlook`). Whoever is of the later epoch is believed.
"""

from dataclasses import replace

from klamm.controller.brokers.metadata import (
    NO_CONTROLLER,
    MetadataCache,
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


class Standby:
    """The cache of one node; `itself` is in it whatever others say."""

    def __init__(self, cluster_id: str, itself: Broker) -> None:
        self._itself = itself
        #: Of the newest controller that has spoken, the node itself included.
        self._epoch = 0
        self._view = View()
        #: What the cache was last made of, if nobody has spoken since.
        self._shown: ClusterState | None = None
        self.metadata = MetadataCache(cluster_id, brokers={itself.id: itself})

    def take(
        self, request: UpdateMetadataRequest, own_epoch: int, registration: int
    ) -> UpdateMetadataResponse:
        """Fold a request in, unless its controller came before one that we know of, or are.

        `own_epoch` is that of the office if the node holds it, else 0. `registration` is the
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
        self._show(updated(self.metadata, request))
        return UpdateMetadataResponse()

    def refuse(
        self, request: LeaderAndIsrRequest | StopReplicaRequest
    ) -> LeaderAndIsrResponse | StopReplicaResponse:
        """Refuse to hold replicas. An answer, for a connection that ends would be tried for ever.

        A controller of the past learns that it is one.
        """
        code = ErrorCode.INVALID_REQUEST
        if request.controller_epoch < max(self._epoch, self._view.epoch):
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
