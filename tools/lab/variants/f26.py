"""F26: an empty list of replicas is a target, and one unknown partition spoils a List."""

from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType

from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.results import Refusal
from klamm.controller.core.rules import Rules
from klamm.controller.core.validation import NO_PARTITION, validate_kafka_order
from klamm.controller.handlers import k46_list_partition_reassignments as k46
from klamm.controller.handlers.api import Answer, Context, Outcome
from klamm.controller.handlers.table import HANDLERS, Handler
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools.lab.clients import list_moves_of, move
from klamm.tools.lab.exhibit import Case, Stage
from klamm.tools.lab.studies import SCRIPTED
from klamm.tools.lab.variant import OWN_SCRIPT, Variant


def _takes_empty(
    partition: Partition | None, target: tuple[int, ...] | None, online: AbstractSet[int]
) -> Refusal | None:
    """Check a target as klamm does, but for one: that there is any replica in it."""
    if target == ():
        return None if partition is not None else NO_PARTITION
    return validate_kafka_order(partition, target, online)


def takes_empty(rules: Rules) -> Rules:
    """Return rules by which a partition may be moved to nowhere."""
    return replace(rules, validate=_takes_empty)


def _list(context: Context, request: ListPartitionReassignmentsRequest, version: int) -> Outcome:
    """Answer as klamm does, unless one of the partitions asked for does not exist."""
    state = context.state
    for topic in request.topics or () if state is not None else ():
        for index in topic.partition_indexes:
            if state is not None and state.partition(TopicPartition(topic.name, index)) is None:
                return Answer(_UNKNOWN)
    return k46.handle(context, request, version)


_UNKNOWN = ListPartitionReassignmentsResponse(error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def _script(stage: Stage) -> None:
    world = stage.world
    stage.say("t-0 is moving. A client lists it, together with a partition that does not exist.")
    world.do("stall b3")
    world.ask("n1", move("t", 0, 2, 3))
    world.settle()
    listed = world.ask("n1", list_moves_of(("t", 0), ("nobody", 7))).responses
    names = [
        topic.name
        for response in listed
        if isinstance(response, ListPartitionReassignmentsResponse)
        for topic in response.topics
    ]
    stage.claim(names == ["t"], f"it is told of t-0: {names}")
    stage.say("Another one names no replicas at all as a target.")
    asked = world.ask("n1", move("t", 0))
    world.settle()
    codes = [
        part.error_code
        for response in asked.responses
        if isinstance(response, AlterPartitionReassignmentsResponse)
        for topic in response.responses
        for part in topic.partitions
    ]
    stage.claim(codes == [ErrorCode.INVALID_REPLICA_ASSIGNMENT], f"that is refused: {codes}")
    stage.rest()


SCRIPT = Case("klamm", SCRIPTED, _script)
VARIANT = Variant(
    id="F26",
    story="The first form of the new API took a target without a single replica for a target like"
    " any other. Every replica was to be removed and none to be added, which no partition survives:"
    " the move could not end, or ended with nothing left. And List failed as a whole if one of the"
    " partitions asked for did not exist. Now an empty list is refused with"
    " INVALID_REPLICA_ASSIGNMENT, and List leaves out what there is not.",
    reference="fa2a9f09e40, 2efee34b74d (2.4.0)",
    exposed_by=OWN_SCRIPT,
    rules=takes_empty,
    handlers=MappingProxyType({**HANDLERS, 46: Handler(46, k46.VERSIONS, _list)}),
)
