"""What 33 and 44 share: which of the resources to alter, and what refuses the others.

Source: Kafka 3.9, ConfigAdminManager.preprocess, ZkAdminManager.alterConfigs and
incrementalAlterConfigs.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from klamm.controller.configs.alter import AlterBroker, AlterTopic, Change, Operation
from klamm.controller.core.results import Done, Fault, Refusal, Result
from klamm.controller.handlers.api import Answer, Context, Outcome, Transact
from klamm.controller.handlers.resources import ResourceType, denied_configs, other_node
from klamm.controller.security import acls
from klamm.protocol.generated.incremental_alter_configs_request import AlterConfigsResource
from klamm.protocol.message import Message

Plan = AlterTopic | AlterBroker | Refusal | Done

_OPERATIONS = frozenset(Operation)

#: Every other type is unknown here, whoever asks.
CONFIGURABLE = frozenset(ResourceType) - {ResourceType.UNKNOWN}


def plan_all(
    context: Context,
    resources: Sequence[AlterConfigsResource],
    validate_only: bool,
    *,
    replace: bool = False,
) -> list[Plan]:
    """Return, for each resource, what to do, or what it comes to without doing anything.

    With `replace` the changes, all of them sets, are what is set from then on.
    """
    counts = Counter((each.resource_type, each.resource_name) for each in resources)
    return [
        _plan(context, each, validate_only, replace)
        if counts[each.resource_type, each.resource_name] == 1
        else _invalid("Each resource must appear at most once.")
        for each in resources
    ]


def outcome(plans: Sequence[Plan], respond: Callable[[Sequence[Result]], Message]) -> Outcome:
    """Carry the plans out; `respond` gets one result for each."""
    alterations = tuple(plan for plan in plans if isinstance(plan, AlterTopic | AlterBroker))

    def finish(results: Sequence[Any]) -> Message:
        rest = iter(results)
        return respond([plan if isinstance(plan, Refusal | Done) else next(rest) for plan in plans])

    return Transact(alterations, finish) if alterations else Answer(finish(()))


def _plan(
    context: Context, resource: AlterConfigsResource, validate_only: bool, replace: bool
) -> Plan:
    name = resource.resource_name
    problem = _malformed(resource)
    if problem is not None:
        return problem
    match resource.resource_type:
        case ResourceType.BROKER if name and (other := other_node(context, name, "Node", ",")):
            return other
        case kind if kind in CONFIGURABLE and (
            denied := denied_configs(
                context, acls.Operation.ALTER_CONFIGS, resource.resource_type, name
            )
        ):
            return denied
        case ResourceType.TOPIC if name == "":
            return _invalid("Default topic resources are not allowed.")
        case ResourceType.TOPIC if name not in context.metadata.topics:
            text = f"The topic '{name}' does not exist."
            return Refusal(Fault.UNKNOWN_TOPIC_OR_PARTITION, text)
        case ResourceType.BROKER_LOGGER if not replace:
            return other_node(context, name, "Node", ",") or _no_logger(resource)
        case ResourceType.CLIENT_METRICS:
            return _invalid(
                "AlterConfigs is only supported for topics and brokers, but resource type is"
                f" {ResourceType.CLIENT_METRICS.name}"
            )
        case ResourceType.TOPIC | ResourceType.BROKER:
            pass
        case unknown:
            return _invalid(f"Unknown resource type {unknown}")
    for config in resource.configs:
        if config.config_operation not in _OPERATIONS:
            return _invalid(f"Unknown operations type {config.config_operation}")
    changes = tuple(
        Change(config.name, Operation(config.config_operation), config.value)
        for config in resource.configs
    )
    if resource.resource_type == ResourceType.TOPIC:
        node, static = context.node_id, context.properties
        return AlterTopic(name, changes, node, static, validate_only, replace)
    return AlterBroker(context.node_id if name else None, changes, validate_only, replace)


def _no_logger(resource: AlterConfigsResource) -> Refusal | Done:
    """Refuse the first logger: a node has none whose level can be set."""
    if not resource.configs:
        return Done()
    return Refusal(Fault.INVALID_CONFIG, f"Logger {resource.configs[0].name} does not exist!")


def _malformed(resource: AlterConfigsResource) -> Refusal | None:
    """Refuse what is wrong whatever the configs are of."""
    names = [config.name for config in resource.configs]
    if len(set(names)) < len(names):
        return _invalid("Error due to duplicate config keys")
    nulls = [
        config.name
        for config in resource.configs
        if config.value is None and config.config_operation != Operation.DELETE
    ]
    return _invalid(f"Null value not supported for : {', '.join(nulls)}") if nulls else None


def _invalid(text: str) -> Refusal:
    return Refusal(Fault.INVALID_REQUEST, text)
