"""What a node knows of the cluster while another one is controller: what brokers know.

The active controller sends UpdateMetadata to the other klamm nodes as to brokers, so that clients
get the same answers from whichever node they ask, and find the controller.
"""

from dataclasses import replace

from klamm.controller.brokers.metadata import NO_CONTROLLER, MetadataCache, updated
from klamm.controller.core.model import Broker
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse


class Standby:
    """The cache of one node; `itself` is in it whatever others say."""

    def __init__(self, cluster_id: str, itself: Broker) -> None:
        self._itself = itself
        self._epoch = 0
        self.metadata = MetadataCache(cluster_id, brokers={itself.id: itself})

    def take(self, request: UpdateMetadataRequest, own_epoch: int) -> UpdateMetadataResponse:
        """Fold a request in, unless its controller came before one we know, or are, in office."""
        if request.controller_epoch < self._epoch or request.controller_epoch <= own_epoch:
            return UpdateMetadataResponse(ErrorCode.STALE_CONTROLLER_EPOCH)
        self._epoch = request.controller_epoch
        cache = updated(self.metadata, request)
        brokers = {self._itself.id: self._itself, **cache.brokers}
        self.metadata = replace(cache, brokers=brokers)
        return UpdateMetadataResponse()

    def leave_office(self, metadata: MetadataCache) -> None:
        """Go on from what the node knew in office, until the next controller says more."""
        self.metadata = replace(metadata, controller_id=NO_CONTROLLER)
