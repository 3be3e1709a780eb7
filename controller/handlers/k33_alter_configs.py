"""AlterConfigs (key 33), which IncrementalAlterConfigs (44) has replaced.

Behaviour
    * As 44, but what a request names is all that is set from then on: every other config of the
      resource is back at its default. kafka-configs alters brokers with it up to Kafka 3.9.
    * Null values are INVALID_REQUEST, levels of loggers an unknown resource type.
    Source: Kafka 3.9, ConfigAdminManager.preprocess, ZkAdminManager.alterConfigs.

Versions 0-2.

Left out: passwords, the refusal while there is no controller, as in 44.
"""

from collections.abc import Sequence

from klamm.controller.configs.alter import Operation
from klamm.controller.core.results import Refusal, Result
from klamm.controller.handlers.altering import outcome, plan_all
from klamm.controller.handlers.api import Context, Outcome, error_code
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated import incremental_alter_configs_request as incremental
from klamm.protocol.generated.alter_configs_request import AlterConfigsRequest, AlterConfigsResource
from klamm.protocol.generated.alter_configs_response import (
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)

API_KEY = 33
VERSIONS = range(3)


def handle(context: Context, request: AlterConfigsRequest, version: int) -> Outcome:
    """Replace what the request alone does not show to be wrong."""
    resources = [_as_sets(resource) for resource in request.resources]
    plans = plan_all(context, resources, request.validate_only, replace=True)

    def respond(results: Sequence[Result]) -> AlterConfigsResponse:
        answers = map(_response, request.resources, results)
        return AlterConfigsResponse(responses=tuple(answers))

    return outcome(plans, respond)


def _as_sets(resource: AlterConfigsResource) -> incremental.AlterConfigsResource:
    configs = tuple(
        incremental.AlterableConfig(config.name, Operation.SET, config.value)
        for config in resource.configs
    )
    return incremental.AlterConfigsResource(resource.resource_type, resource.resource_name, configs)


def _response(resource: AlterConfigsResource, result: Result) -> AlterConfigsResourceResponse:
    code, text = ErrorCode.NONE, None
    if isinstance(result, Refusal):
        code, text = error_code(result.fault), result.message
    return AlterConfigsResourceResponse(code, text, resource.resource_type, resource.resource_name)
