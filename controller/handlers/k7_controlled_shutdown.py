"""ControlledShutdown (key 7).

Behaviour
    * From now on the broker is given no lead and joins no ISR; what it leads goes to others, and
      what it follows it stops to fetch. The response comes when all of that is durable.
    * The response lists the partitions that it still leads, for nobody else is in sync. The
      broker asks again, three times in all, and then stops anyway.
    * CLUSTER_AUTHORIZATION_FAILED without CLUSTER_ACTION on the cluster.
    * Not the active controller: STALE_CONTROLLER_EPOCH, not NOT_CONTROLLER, as Kafka's brokers
      answer; the sender looks for the controller before its next try.
    * A broker epoch below the registered one: STALE_BROKER_EPOCH; a broker that is not registered:
      BROKER_NOT_AVAILABLE.
    Source: Kafka 3.9, KafkaApis.handleControlledShutdownRequest, KafkaController
    .doControlledShutdown, KafkaServer.controlledShutdown.

Versions 0-3. Version 0 has request header version 0, without a client id; version 2 adds the
broker epoch, which is not looked at before.

Left out: nothing.
"""

from collections.abc import Sequence

from klamm.controller.core.events import ShutDownBroker
from klamm.controller.core.results import Fault, Refusal, Result, ShutDownAllowed
from klamm.controller.handlers.api import Answer, Context, Outcome, Submit, error_code
from klamm.controller.security.acls import Operation
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.controlled_shutdown_response import (
    ControlledShutdownResponse,
    RemainingPartition,
)

API_KEY = 7
VERSIONS = range(4)

NOT_CONTROLLER = ControlledShutdownResponse(error_code=ErrorCode.STALE_CONTROLLER_EPOCH)


def handle(context: Context, request: ControlledShutdownRequest, version: int) -> Outcome:
    """Hand the wish to the core, if this is the controller."""
    if not context.allows_cluster(Operation.CLUSTER_ACTION):
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return Answer(ControlledShutdownResponse(error_code=code))
    if context.state is None:
        return Answer(NOT_CONTROLLER)
    return Submit((ShutDownBroker(request.broker_id, request.broker_epoch),), _respond)


def _respond(results: Sequence[Result]) -> ControlledShutdownResponse:
    (result,) = results
    match result:
        case ShutDownAllowed(remaining):
            names = tuple(RemainingPartition(name.topic, name.partition) for name in remaining)
            return ControlledShutdownResponse(remaining_partitions=names)
        case Refusal(fault=Fault.NOT_CONTROLLER):
            return NOT_CONTROLLER
        case Refusal(fault=fault):
            return ControlledShutdownResponse(error_code=error_code(fault))
        case other:
            raise TypeError(f"a controlled shutdown comes to no {type(other).__name__}")
