"""AllocateProducerIds (key 67).

Behaviour
    * The next block of 1,000 ids, for the broker that asks; each block is given once. It is
      durable in ZooKeeper before it is answered, fenced by the controller's epoch.
    * CLUSTER_AUTHORIZATION_FAILED without CLUSTER_ACTION on the cluster.
    * NOT_CONTROLLER if this node is not, or no longer when it was written;
      BROKER_ID_NOT_REGISTERED for a broker that is not there, STALE_BROKER_EPOCH for another
      epoch than the one that it is registered with.
    Source: Kafka 3.9, KafkaController.processAllocateProducerIds,
    ZkProducerIdManager.getNewProducerIdBlock.

Versions 0.

Left out: nothing.
"""

from collections.abc import Sequence
from typing import Any

from klamm.controller.configs.producer_ids import AllocateProducerIds
from klamm.controller.core.ops import Check
from klamm.controller.core.results import Refusal
from klamm.controller.handlers.api import Answer, Context, Outcome, Transact, error_code
from klamm.controller.security.acls import Operation
from klamm.controller.znodes import paths
from klamm.controller.znodes.cluster import ProducerIdBlock
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.allocate_producer_ids_request import AllocateProducerIdsRequest
from klamm.protocol.generated.allocate_producer_ids_response import AllocateProducerIdsResponse

API_KEY = 67
VERSIONS = range(1)


def handle(context: Context, request: AllocateProducerIdsRequest, version: int) -> Outcome:
    """Give a block to a broker that is who it says."""
    if not context.allows_cluster(Operation.CLUSTER_ACTION):
        return Answer(_refused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED))
    if context.state is None:
        return Answer(_refused(ErrorCode.NOT_CONTROLLER))
    broker = context.state.brokers.get(request.broker_id)
    if broker is None:
        return Answer(_refused(ErrorCode.BROKER_ID_NOT_REGISTERED))
    if broker.epoch != request.broker_epoch:
        return Answer(_refused(ErrorCode.STALE_BROKER_EPOCH))
    fence = Check(paths.CONTROLLER_EPOCH, context.state.fence_version)
    return Transact((AllocateProducerIds(broker.id, fence),), _respond)


def _respond(results: Sequence[Any]) -> AllocateProducerIdsResponse:
    result: ProducerIdBlock | Refusal
    (result,) = results
    if isinstance(result, Refusal):
        return _refused(error_code(result.fault))
    return AllocateProducerIdsResponse(
        producer_id_start=result.first, producer_id_len=result.last - result.first + 1
    )


def _refused(code: ErrorCode) -> AllocateProducerIdsResponse:
    return AllocateProducerIdsResponse(error_code=code)
