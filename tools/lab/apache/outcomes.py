"""What is seen of a scenario: how it ended, what ZooKeeper holds, and what effects are called."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from klamm.controller.core.model import NO_LEADER
from klamm.controller.core.ops import Delete, Op
from klamm.controller.node.effects import Commit, Reply, Send
from klamm.controller.znodes import decode_reassign_partitions, decode_state, decode_topic, paths
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.delete_topics_response import DeleteTopicsResponse
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.message import Message
from klamm.tools.lab.apache.scenarios import Scenario, T
from klamm.tools.lab.apache.stage import PARTITION_BYTES, Outside, Stage
from klamm.tools.lab.clients import Asked

#: What a client sees whose connection ends.
NO_REPLY = "no reply"
REQUEST_LOST = "no reply, request lost"

#: Controllers have ids from here on, brokers below.
_NODES = 900

_TOPIC, _STATE = paths.topic(T.topic), paths.state(*T)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a scenario ended: where the replicas are, what the client saw, and what went wrong.

    `ends` is "F" if all is as it was asked for, or a word for the list of replicas. `broken` is the
    first of the lab's invariants that did not hold on the way, or "".
    """

    ends: str
    client: str = ""
    troubles: tuple[str, ...] = ()
    broken: str = field(default="", compare=False)

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.ends, self.client, *self.troubles)))


def outcome(scenario: Scenario, stage: Stage, asked: Asked | None) -> Outcome:
    """Say how a scenario has ended: where, for whom, with what left over."""
    replicas = _replicas(stage)
    elsewhere = scenario.others.get(replicas or (), f"RS {_list(replicas or ())}")
    ends = "F" if replicas == scenario.wanted else elsewhere
    client = "" if asked is None else _answer(asked, ends)
    violation = stage.world.violation
    broken = violation.invariant if violation else ""
    return Outcome(ends, client, tuple(_troubles(stage, replicas or ())), broken)


def _answer(asked: Asked, ends: str) -> str:
    if not asked.responses:
        return REQUEST_LOST if ends in ("origin", "former target") else NO_REPLY
    code = _code(asked.responses[0])
    if code is not ErrorCode.NONE:
        return f"refused {code.name}"
    return "replied" if ends == "F" else "reply before durable"


def _code(response: Message) -> ErrorCode:
    """What the response says of the partition, or of the topic."""
    match response:
        case AlterPartitionReassignmentsResponse(error_code=ErrorCode.NONE):
            return ErrorCode(response.responses[0].partitions[0].error_code)
        case AlterPartitionReassignmentsResponse():
            return ErrorCode(response.error_code)
        case DeleteTopicsResponse():
            return ErrorCode(response.responses[0].error_code)
    raise TypeError(f"no scenario asks for {type(response).__name__}")


def _troubles(stage: Stage, replicas: tuple[int, ...]) -> Iterator[str]:
    strays = [b for b in stage.brokers if T in stage.world.cluster.logs(b) and b not in replicas]
    if strays:
        yield f"stray on {_list(strays)}"
    if stage.data(paths.REASSIGN_PARTITIONS) is not None:
        yield "admin znode left"
    if not replicas:
        if any(path.startswith(_TOPIC) for path in stage.world.tree.nodes):
            yield "znodes left"
        return
    data = stage.data(_TOPIC)
    topic = decode_topic(data, _TOPIC)
    if topic.adding or topic.removing:
        yield "stuck"
    held = decode_state(stage.data(_STATE), _STATE)
    if held.leader == NO_LEADER or held.leader not in stage.world.cluster.brokers:
        yield "leaderless"
    full = [b for b in replicas if _has_all(stage, b)]
    if not full:
        yield "data lost"
    elif len(full) < len(replicas) and not (topic.adding or topic.removing):
        yield f"only {_list(full)} have the data"


def _has_all(stage: Stage, broker: int) -> bool:
    log = stage.world.cluster.logs(broker).get(T)
    return log is not None and log.end >= PARTITION_BYTES


def _replicas(stage: Stage) -> tuple[int, ...] | None:
    """Return the partition's replicas in the topic znode; None if there is no topic."""
    data = stage.data(_TOPIC)
    return None if data is None else decode_topic(data, _TOPIC).partitions[T.partition]


def durable(stage: Stage) -> str:
    """What ZooKeeper holds of the partition."""
    data, state = stage.data(_TOPIC), stage.data(_STATE)
    admin = stage.data(paths.REASSIGN_PARTITIONS)
    words = ["no topic" if data is None else _topic(data)]
    if state is not None:
        words.append(_state(state))
    if admin is not None:
        words.append(_admin(admin))
    return ", ".join(words)


def describe(effect: Outside) -> str:
    """Name an effect."""
    match effect:
        case Commit(ops=ops):
            return _write(ops)
        case Send(message=message, broker=broker):
            name = type(message).__name__.removesuffix("Request")
            deletes = isinstance(message, StopReplicaRequest) and message.delete_partitions
            to = f"b{broker.id}" if broker.id < _NODES else "the other node"
            return f"{name}{' (delete)' if deletes else ''} to {to}"
        case Reply():
            return "the reply"


def _write(ops: Sequence[Op]) -> str:
    """Name a multi by what it is about; klamm's own znodes only if there is nothing else."""
    about = [op for op in ops if not op.path.startswith(paths.KLAMM)] or ops
    words = [word for op in about if (word := _op(op))]
    gone = [op.path for op in about if isinstance(op, Delete)]
    if len(gone) > 1:
        words.append(f"removal of {len(gone)} znodes")
    elif gone:
        words.append(f"removal of {gone[0]}")
    return f"write of {' and '.join(words)}"


def _op(op: Op) -> str:
    if isinstance(op, Delete):
        return ""
    data = getattr(op, "data", None)
    if op.path == _TOPIC and data:
        return f"topic {_topic(data)}"
    if op.path == _STATE and data:
        return f"state {_state(data)}"
    if op.path == paths.REASSIGN_PARTITIONS and data:
        return _admin(data)
    return op.path


def _topic(data: bytes) -> str:
    topic, number = decode_topic(data, _TOPIC), T.partition
    if number not in topic.partitions:
        return "without t-0"
    words = [_list(topic.partitions[number])]
    for sign, lists in (("+", topic.adding), ("-", topic.removing)):
        if number in lists:
            words.append(f"{sign}{_list(lists[number])}")
    return " ".join(words)


def _state(data: bytes) -> str:
    state = decode_state(data, _STATE)
    return f"leader {state.leader} epoch {state.leader_epoch} ISR {_list(state.isr)}"


def _admin(data: bytes) -> str:
    entries = decode_reassign_partitions(data).entries
    return f"admin znode {' '.join(_list(entry.replicas) for entry in entries)}"


def _list(ids: tuple[int, ...] | list[int]) -> str:
    return f"[{','.join(map(str, ids))}]"
