"""IncrementalAlterConfigs (key 44).

Behaviour
    * One result per resource, in order; one that is refused does not stop the others.
    * INVALID_REQUEST: a resource or a key named twice, a null value for anything but a delete, an
      unknown operation, "" as a topic, a broker that is neither this node nor "" (all brokers),
      a type that has no configs here, and any value that is none for a broker (KAFKA-13609).
    * INVALID_CONFIG: any value that is none for a topic, an unknown key of a topic, and append or
      subtract on what is no list (Kafka falls with UNKNOWN_SERVER_ERROR over keys that it does
      not know there). Keys of a broker that nobody knows are stored as they are.
    * What holds for the whole cluster alone, as limits of moves do (KIP-435), is set on "" and
      INVALID_CONFIG on a broker, and so is a value that is none for it. Kafka has no such keys; its
      text for those of one broker alone is the model.
    * UNKNOWN_TOPIC_OR_PARTITION: a topic that this node's metadata or ZooKeeper does not have.
    * Without ALTER_CONFIGS on the topic, or on the cluster for what is none: the code of an
      authorization that failed.
    * Deleting what is not set is no error. `validate_only` writes nothing.
    * Any node may write: each resource is one read-modify-write of its znode, together with the
      notice by which brokers learn of it. An unreadable znode is reported and left alone.
    Source: Kafka 3.9, ConfigAdminManager.preprocess, ZkAdminManager.incrementalAlterConfigs.

Versions 0-1.

Left out: levels of loggers, of which there are none; passwords, which are refused as Kafka does
where no password.encoder.secret is set. Kafka 3.9 refuses with
STALE_CONTROLLER_EPOCH while no controller is elected (KafkaZkClient.setOrCreateEntityConfigs), for
its migration to KRaft; here configs are written all the same, as every Kafka before 3.4 does.
"""

from collections.abc import Sequence

from klamm.controller.core.results import Refusal, Result
from klamm.controller.handlers.altering import outcome, plan_all
from klamm.controller.handlers.api import Context, Outcome, error_code
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.incremental_alter_configs_request import (
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.generated.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)

API_KEY = 44
VERSIONS = range(2)


def handle(context: Context, request: IncrementalAlterConfigsRequest, version: int) -> Outcome:
    """Alter what the request alone does not show to be wrong."""
    plans = plan_all(context, request.resources, request.validate_only)

    def respond(results: Sequence[Result]) -> IncrementalAlterConfigsResponse:
        answers = map(_response, request.resources, results)
        return IncrementalAlterConfigsResponse(responses=tuple(answers))

    return outcome(plans, respond)


def _response(resource: AlterConfigsResource, result: Result) -> AlterConfigsResourceResponse:
    code, text = ErrorCode.NONE, None
    if isinstance(result, Refusal):
        code, text = error_code(result.fault), result.message
    return AlterConfigsResourceResponse(code, text, resource.resource_type, resource.resource_name)
