"""What an audit tells of a request that alters something: who, from where, what, what came of it.

One line a request, of at most `MOST_CHARACTERS`, whatever a client has put into it: the first few
things that it names, and how many there are of each outcome. Values of configs and passwords are
never told. What controls a terminal, and whatever is not ASCII, is escaped. Blanks are between the
parts of a line: a name that holds one, or a quote, is put in quotes, so that none can pass itself
off as other parts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

from klamm.controller.core.events import UNSET
from klamm.controller.handlers.resources import ResourceType as ConfigType
from klamm.controller.security.acls import Operation, PatternType, Permission, ResourceType
from klamm.controller.security.principals import Client
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_configs_request import AlterConfigsRequest
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from klamm.protocol.generated.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from klamm.protocol.generated.alter_topics_request import AlterTopicsRequest
from klamm.protocol.generated.alter_topics_response import AlterTopicsResponse
from klamm.protocol.generated.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
)
from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
from klamm.protocol.generated.create_acls_request import CreateAclsRequest
from klamm.protocol.generated.create_partitions_request import CreatePartitionsRequest
from klamm.protocol.generated.create_topics_request import CreateTopicsRequest
from klamm.protocol.generated.delete_acls_request import DeleteAclsRequest
from klamm.protocol.generated.delete_acls_response import DeleteAclsResponse
from klamm.protocol.generated.delete_topics_request import DeleteTopicsRequest
from klamm.protocol.generated.elect_leaders_request import ElectLeadersRequest
from klamm.protocol.generated.elect_leaders_response import ElectLeadersResponse
from klamm.protocol.generated.incremental_alter_configs_request import (
    IncrementalAlterConfigsRequest,
)
from klamm.protocol.message import Message

#: So many of the things that a request names are told, each in so many characters.
MOST_ITEMS = 8
MOST_OF_ITEM = 160
#: So many are told of a name in it, so that the outcome has its place whatever the names are.
MOST_OF_NAME = 100
MOST_CHARACTERS = 2_000

_CODE_NAMES = {code.value: code.name for code in ErrorCode}
_CONFIG_TYPES = {kind.value: kind.name for kind in ConfigType}


@dataclass(frozen=True, slots=True)
class _Kind:
    """How to read one key's messages: what is asked for, item by item, and the codes answered."""

    items: Callable[[Any], Iterator[str]]
    codes: Callable[[Any], Iterator[int]]


def audited(api_key: int) -> bool:
    """Tell whether requests of this key alter something."""
    return api_key in _KINDS


def audit_line(
    client: Client, peer: str, client_id: str | None, request: Message, response: Message | None
) -> str:
    """Return the line about a request of an audited key; without a response it was closed on."""
    kind = _KINDS[request.api_key]
    name = type(request).__name__.removesuffix("Request")
    dry = ", only validated" if getattr(request, "validate_only", False) else ""
    came_to = "closed without an answer" if response is None else _outcome(kind.codes(response))
    client_name = _name(client_id) if client_id else "without id"
    who = f"{_name(str(client.principal))} from {peer}, client {client_name}"
    line = f"{who}: {name}{dry}: {_listed(kind.items(request))}: {came_to}"
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 3]}..."


def _outcome(codes: Iterable[int]) -> str:
    counts = Counter(codes)
    told = (f"{_code_name(code)} {count}" for code, count in sorted(counts.items()))
    return ", ".join(told) or "nothing was asked"


def _code_name(code: int) -> str:
    return _CODE_NAMES.get(code, str(code))


def _listed(items: Iterator[str]) -> str:
    told = [_cut(item) for item in islice(items, MOST_ITEMS)]
    if next(items, None) is not None:
        told.append("and more")  # how many there are, the outcomes tell
    return ", ".join(told) or "nothing"


def _cut(item: str) -> str:
    """Shorten an item; a quote that was open is closed."""
    if len(item) <= MOST_OF_ITEM:
        return item
    kept = item[:MOST_OF_ITEM]
    quotes = kept.replace("\\\\", "").replace('\\"', "").count('"')
    return f'{kept}..."' if quotes % 2 else f"{kept}..."


def _name(text: str) -> str:
    """Return what a client has named, so that it can be told from the rest of the line."""
    shown = text[:MOST_OF_NAME].encode("unicode_escape").decode("ascii")
    if len(text) > MOST_OF_NAME or len(shown) > MOST_OF_NAME:
        shown = f"{shown[:MOST_OF_NAME]}..."
    if " " not in shown and '"' not in shown:
        return shown
    quoted = shown.replace('"', '\\"')
    return f'"{quoted}"'


# --- each key ----------------------------------------------------------------------------------


def _created(request: CreateTopicsRequest) -> Iterator[str]:
    return (f"{_name(topic.name)} of {topic.num_partitions} partitions" for topic in request.topics)


def _deleted(request: DeleteTopicsRequest) -> Iterator[str]:
    yield from map(_name, request.topic_names)
    for topic in request.topics:
        yield _name(topic.name) if topic.name is not None else f"id {topic.topic_id}"


def _acls_created(request: CreateAclsRequest) -> Iterator[str]:
    for each in request.creations:
        yield (
            f"{Permission(each.permission_type).name} {_name(each.principal)} from"
            f" {_name(each.host)}"
            f" {Operation(each.operation).name} on"
            f" {PatternType(each.resource_pattern_type).name}"
            f" {ResourceType(each.resource_type).name}:{_name(each.resource_name)}"
        )


def _acls_deleted(request: DeleteAclsRequest) -> Iterator[str]:
    for each in request.filters:
        yield (
            f"{Permission(each.permission_type).name} {_name(each.principal_filter or 'anybody')}"
            f" from {_name(each.host_filter or 'anywhere')} {Operation(each.operation).name} on"
            f" {PatternType(each.pattern_type_filter).name}"
            f" {ResourceType(each.resource_type_filter).name}:"
            f"{_name(each.resource_name_filter or 'any')}"
        )


def _configs(request: AlterConfigsRequest | IncrementalAlterConfigsRequest) -> Iterator[str]:
    for each in request.resources:
        kind = _CONFIG_TYPES.get(each.resource_type, str(each.resource_type))
        keys = " ".join(_name(config.name) for config in each.configs)
        yield f"{kind}:{_name(each.resource_name or '<default>')} {keys}"


def _moved_dirs(request: AlterReplicaLogDirsRequest) -> Iterator[str]:
    for each in request.dirs:
        for topic in each.topics:
            name, path = _name(topic.name), _name(each.path)
            yield from (f"{name}-{number} to {path}" for number in topic.partitions)


def _grown(request: CreatePartitionsRequest) -> Iterator[str]:
    return (f"{_name(topic.name)} to {topic.count} partitions" for topic in request.topics)


def _elected(request: ElectLeadersRequest) -> Iterator[str]:
    kind = {0: "preferred", 1: "unclean"}.get(request.election_type, str(request.election_type))
    if request.topic_partitions is None:
        yield f"{kind} of every partition"
        return
    for topic in request.topic_partitions:
        name = _name(topic.topic)
        yield from (f"{kind} of {name}-{number}" for number in topic.partitions)


def _reassigned(request: AlterPartitionReassignmentsRequest) -> Iterator[str]:
    for topic in request.topics:
        for partition in topic.partitions:
            to = partition.replicas
            what = "cancel" if to is None else f"to {','.join(map(str, to))}"
            yield f"{_name(topic.name)}-{partition.partition_index} {what}"


def _altered(request: AlterTopicsRequest) -> Iterator[str]:
    for topic in request.topics:
        name = _name(topic.name)
        if topic.partitions != UNSET:
            yield f"{name} to {topic.partitions} partitions"
        if topic.replicas != UNSET:
            yield f"{name} to replication factor {topic.replicas}"
        for each in topic.partition_assignment:
            yield f"{name}-{each.partition} to {','.join(map(str, each.brokers))}"
        if (topic.partitions, topic.replicas, topic.partition_assignment) == (UNSET, UNSET, ()):
            yield f"{name} as it is"


def _assigned(request: AssignPartitionsRequest) -> Iterator[str]:
    for each in request.assignments:
        yield f"{_name(each.topic)}-{each.partition} to {','.join(map(str, each.brokers))}"


def _credentials(request: AlterUserScramCredentialsRequest) -> Iterator[str]:
    for verb, changes in (("delete", request.deletions), ("set", request.upsertions)):
        yield from (f"{verb} {_name(each.name)}, mechanism {each.mechanism}" for each in changes)


def _codes_of(name: str) -> Callable[[Any], Iterator[int]]:
    return lambda response: (each.error_code for each in getattr(response, name))


def _codes_deleting_acls(response: DeleteAclsResponse) -> Iterator[int]:
    for result in response.filter_results:
        yield result.error_code
        yield from (each.error_code for each in result.matching_acls if each.error_code)


def _codes_of_dirs(response: AlterReplicaLogDirsResponse) -> Iterator[int]:
    return (part.error_code for topic in response.results for part in topic.partitions)


def _codes_of_elections(response: ElectLeadersResponse) -> Iterator[int]:
    results = response.replica_election_results
    parts = (part.error_code for topic in results for part in topic.partition_result)
    return _with_top(response.error_code, parts)


def _codes_of_moves(response: AlterPartitionReassignmentsResponse) -> Iterator[int]:
    parts = (part.error_code for topic in response.responses for part in topic.partitions)
    return _with_top(response.error_code, parts)


def _codes_of_topics(response: AlterTopicsResponse) -> Iterator[int]:
    return _with_top(response.error_code, (topic.error_code for topic in response.topics))


def _codes_of_assignments(response: AssignPartitionsResponse) -> Iterator[int]:
    return _with_top(response.error_code, (each.error_code for each in response.results))


def _with_top(code: int, parts: Iterable[int]) -> Iterator[int]:
    """Yield the top level's code only if it is one: then there may be no parts."""
    if code:
        yield code
    yield from parts


_KINDS: Mapping[int, _Kind] = MappingProxyType(
    {
        19: _Kind(_created, _codes_of("topics")),
        20: _Kind(_deleted, _codes_of("responses")),
        30: _Kind(_acls_created, _codes_of("results")),
        31: _Kind(_acls_deleted, _codes_deleting_acls),
        33: _Kind(_configs, _codes_of("responses")),
        34: _Kind(_moved_dirs, _codes_of_dirs),
        37: _Kind(_grown, _codes_of("results")),
        43: _Kind(_elected, _codes_of_elections),
        44: _Kind(_configs, _codes_of("responses")),
        45: _Kind(_reassigned, _codes_of_moves),
        51: _Kind(_credentials, _codes_of("results")),
        17900: _Kind(_assigned, _codes_of_assignments),
        17902: _Kind(_altered, _codes_of_topics),
    }
)
