"""What neither Kafka nor a proposal has a place for; stock controllers never look below /klamm.

Losing all of it loses comfort and owed deletions, never an assignment.

    /klamm/nodes/ID                 {"version":1,"endpoints":[...],
                                     "listener_security_protocol_map":{...},"rack":"r1"}
    /klamm/commit                   {"version":1,"controller_epoch":3,"counter":17}
    /klamm/replica_deletions/T      {"version":1,"partitions":{"0":[4,5]}}
    /klamm/original_order/T         {"version":1,"partitions":{"0":[1,2,3]}}
    /klamm/reassignment_steps/T     {"version":1,"partitions":{"0":{"target":[5,6],"origin":[1,2],
                                     "step":1,"kind":"swap","adding":[5],"since_ms":1700000000000}}}
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.brokers import (
    Endpoint,
    check_strings,
    decode_endpoints,
    encode_endpoints,
)
from klamm.controller.znodes.parsing import (
    INT64_MAX,
    Natural,
    ReplicaLists,
    Replicas,
    check_distinct,
    dump,
    parse,
)

_Version = Annotated[int, msgspec.Meta(ge=1, le=1)]
_Natural64 = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]

#: "deferred": no step runs, the next one waits.
StepKind = Literal["leader", "fill", "swap", "deferred"]


class KlammNodeZnode(msgspec.Struct, frozen=True):
    """The registration of a klamm node, which is a broker to clients and none to brokers."""

    id: int
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None


class CommitZnode(msgspec.Struct, frozen=True):
    """The witness of commits that write nothing else of their own: whose, and the how-manieth."""

    controller_epoch: int
    counter: int


class ReassignmentStep(msgspec.Struct, frozen=True):
    """The running step of a move made in steps (KIP-435).

    It goes from `origin` to `target`, the final replicas; `step` steps are finished, this one
    adds `adding` and has run since `since_ms`, milliseconds since the epoch. Between two steps the
    kind is "deferred", nobody is added, and `since_ms` is when the last step ended.
    """

    target: Replicas
    origin: Replicas
    step: Natural
    kind: StepKind
    adding: Replicas
    since_ms: _Natural64


class _NodeJson(msgspec.Struct):
    version: _Version
    endpoints: list[str]
    listener_security_protocol_map: dict[str, str]
    rack: str | None = None


class _CommitJson(msgspec.Struct):
    version: _Version
    controller_epoch: Natural
    counter: _Natural64


class _ListsJson(msgspec.Struct):
    version: _Version
    partitions: ReplicaLists


class _StepsJson(msgspec.Struct):
    version: _Version
    partitions: dict[Natural, ReassignmentStep]


_NODE = msgspec.json.Decoder(_NodeJson)
_COMMIT = msgspec.json.Decoder(_CommitJson)
_LISTS = msgspec.json.Decoder(_ListsJson)
_STEPS = msgspec.json.Decoder(_StepsJson)


def decode_klamm_node(data: bytes | None, path: str) -> KlammNodeZnode:
    """Read the registration at `path`, whose last part is the node's id; raises ZnodeError."""
    fields = parse(_NODE, data, path)
    endpoints = decode_endpoints(fields.endpoints, fields.listener_security_protocol_map, path)
    check_strings(endpoints, fields.rack, path)
    return KlammNodeZnode(paths.broker_id(path), endpoints, fields.rack)


def encode_klamm_node(znode: KlammNodeZnode) -> bytes:
    """Write a node's registration; ValueError for texts that no request could carry."""
    check_strings(znode.endpoints, znode.rack, paths.klamm_node(znode.id))
    fields: dict[str, Any] = {"version": 1, **encode_endpoints(znode.endpoints)}
    if znode.rack is not None:
        fields["rack"] = znode.rack
    return dump(fields)


def decode_commit(data: bytes | None, path: str = paths.KLAMM_COMMIT) -> CommitZnode:
    """Read `/klamm/commit`; raises ZnodeError."""
    fields = parse(_COMMIT, data, path)
    return CommitZnode(fields.controller_epoch, fields.counter)


def encode_commit(znode: CommitZnode) -> bytes:
    """Write `/klamm/commit`."""
    return dump(
        {"version": 1, "controller_epoch": znode.controller_epoch, "counter": znode.counter}
    )


def decode_broker_lists(data: bytes | None, path: str) -> Mapping[int, tuple[int, ...]]:
    """Read owed deletions or original orders, broker ids by partition; raises ZnodeError."""
    lists = parse(_LISTS, data, path).partitions
    check_distinct(lists, "partitions", path)
    return lists


def encode_broker_lists(lists: Mapping[int, tuple[int, ...]]) -> bytes:
    """Write owed deletions or original orders."""
    return dump({"version": 1, "partitions": dict(lists)})


def decode_reassignment_steps(data: bytes | None, path: str) -> Mapping[int, ReassignmentStep]:
    """Read the step hints of a topic, by partition; raises ZnodeError, which costs only pacing."""
    return parse(_STEPS, data, path).partitions


def encode_reassignment_steps(steps: Mapping[int, ReassignmentStep]) -> bytes:
    """Write the step hints of a topic."""
    return dump({"version": 1, "partitions": dict(steps)})
