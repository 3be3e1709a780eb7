"""What request logs and state-change logs see: who told whom what, and what was answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from klamm.controller.core.model import TopicPartition
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.alter_partition_request import AlterPartitionRequest
from klamm.protocol.generated.alter_partition_request import TopicData as AskedTopic
from klamm.protocol.generated.alter_partition_response import AlterPartitionResponse
from klamm.protocol.generated.alter_partition_response import TopicData as AnsweredTopic
from klamm.protocol.generated.controlled_shutdown_request import ControlledShutdownRequest
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from klamm.protocol.message import Message
from klamm.tools.brokers import control
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.events import Carried, Way
from klamm.tools.lab.history_rows import Book, Row, form

_CONTROL = "state-change-log"
_CLIENT = "client"
_CONTROLS = LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest
_FIRST_NODE = 900


def id_of(host: str) -> int:
    """Return the id of a host by its name, such as "n1" or "b3"; -1 if it is none."""
    number = host[1:]
    if not number.isdigit():
        return -1
    return int(number) + (_FIRST_NODE if host[0] == "n" else 0)


# --- controllers and brokers ---------------------------------------------------------------------


def carried(book: Book, each: Carried, answer: Message | None, names: Mapping[UUID, str]) -> None:
    """Write down what became of a message.

    `answer` is the response to one that was taken, `names` are those of topics by their ids.
    """
    message = each.message
    if isinstance(message, AlterPartitionRequest | AlterPartitionResponse):
        _asked_for_isr(book, each, names)
    elif isinstance(message, ControlledShutdownRequest) and each.way is Way.SENT:
        book.alone("broker", "leaving", broker=id_of(each.source))
    elif each.source.startswith("n") and each.way in (Way.SENT, Way.TAKEN, Way.LATE):
        if isinstance(message, _CONTROLS):
            _told(book, each, message, answer)
    elif each.target.startswith("n") and each.way is Way.ANSWERED:
        _over(book, "control-answered", each.target, each.source, each)
    elif each.source.startswith("n") and each.way is Way.LOST:
        _over(book, "control-lost", each.source, each.target, each)


def _over(book: Book, kind: str, node: str, broker: str, each: Carried) -> None:
    book.alone(
        _CONTROL,
        kind,
        node=id_of(node),
        broker=id_of(broker),
        request=f"{node}#{each.number}",
    )


def _told(book: Book, each: Carried, message: Message, answer: Message | None) -> None:
    assert isinstance(message, _CONTROLS)
    to = id_of(each.target)
    sent = each.way is Way.SENT
    columns: Row = {
        "node": id_of(each.source),
        "broker": to,
        "rpc_api": message.api_key,
        "request": f"{each.source}#{each.number}",
        "controller_epoch": message.controller_epoch,
    }
    code = getattr(answer, "error_code", None)
    whole: Row = {"broker_epoch": message.broker_epoch}
    if isinstance(message, UpdateMetadataRequest):
        whole["live"] = [broker.id for broker in message.live_brokers]
    late = {"late": True} if each.way is Way.LATE else {}
    book.moment()
    whole_kind = "control-sent" if sent else "control-heard"
    book.add(_CONTROL, whole_kind, "", {**whole, **late}, rpc_error=code, **columns)
    if to > _FIRST_NODE:
        return  # nodes have no replicas
    codes = {} if answer is None else _codes(answer)
    prefix = "told" if sent else "heard"
    live = {"live": whole["live"]} if "live" in whole else {}
    for word, name, after, detail in _said(message):
        found = None if sent else codes.get(name, code)
        said = {**detail, **late, **live}
        book.add(_CONTROL, f"{prefix}-{word}", name, said, after=after, rpc_error=found, **columns)


def _said(message: Message) -> Iterator[tuple[str, TopicPartition, Row, Row]]:
    """Yield what a request says, by partition: a word, the partition, how it is to be, details."""
    match message:
        case LeaderAndIsrRequest():
            for name, order in control.orders(message).items():
                state = order.state
                after = form(
                    replicas=state.replicas,
                    adding=state.adding_replicas,
                    removing=state.removing_replicas,
                    leader=state.leader,
                    leader_epoch=state.leader_epoch,
                    isr=state.isr,
                    controller_epoch=state.controller_epoch,
                    version=state.partition_epoch,
                )
                yield "lead", name, after, {"is_new": True} if state.is_new else {}
        case StopReplicaRequest():
            for name, stop in control.stops(message).items():
                detail: Row = {"delete": True} if stop.delete else {}
                yield "stop", name, form(leader_epoch=stop.leader_epoch), detail
        case UpdateMetadataRequest():
            for told in message.ungrouped_partition_states:
                yield _metadata(told.topic_name, told)
            for topic in message.topic_states:
                for told in topic.partition_states:
                    yield _metadata(topic.topic_name, told)


def _metadata(
    topic: str, told: UpdateMetadataPartitionState
) -> tuple[str, TopicPartition, Row, Row]:
    after = form(
        replicas=told.replicas,
        leader=told.leader,
        leader_epoch=told.leader_epoch,
        isr=told.isr,
        controller_epoch=told.controller_epoch,
        version=told.zk_version,
    )
    return "metadata", TopicPartition(topic, told.partition_index), after, {}


def _codes(answer: Message) -> dict[TopicPartition, int]:
    """Return the error codes that an answer has by topic name and partition."""
    flat = getattr(answer, "partition_errors", ())
    return {TopicPartition(e.topic_name, e.partition_index): e.error_code for e in flat}


def _asked_for_isr(book: Book, each: Carried, names: Mapping[UUID, str]) -> None:
    """AlterPartition (KIP-497): what a leader asks for, and what it is told."""
    message = each.message
    book.moment()
    if isinstance(message, AlterPartitionRequest) and each.way in (Way.SENT, Way.LOST):
        kind = "isr-asked" if each.way is Way.SENT else "isr-lost"
        columns: Row = {"node": id_of(each.target), "request": f"{each.source}#{each.number}"}
        for topic in message.topics:
            for part in topic.partitions:
                isr = part.new_isr or [state.broker_id for state in part.new_isr_with_epochs]
                after = form(leader_epoch=part.leader_epoch, isr=isr, version=part.partition_epoch)
                name = TopicPartition(_topic(topic, names), part.partition_index)
                broker = message.broker_id
                book.add("broker", kind, name, broker=broker, after=after, **columns)
    elif isinstance(message, AlterPartitionResponse) and each.way is Way.ANSWERED:
        columns = {"node": id_of(each.source), "request": f"{each.target}#{each.number}"}
        for answered in message.topics:
            for told in answered.partitions:
                after = form(
                    leader=told.leader_id,
                    leader_epoch=told.leader_epoch,
                    isr=told.isr,
                    version=told.partition_epoch,
                )
                book.add(
                    "broker",
                    "isr-answered",
                    TopicPartition(_topic(answered, names), told.partition_index),
                    broker=id_of(each.target),
                    after=after,
                    rpc_error=message.error_code or told.error_code,
                    **columns,
                )
        if not message.topics:
            book.add("broker", "isr-answered", rpc_error=message.error_code, **columns)


def _topic(data: AskedTopic | AnsweredTopic, names: Mapping[UUID, str]) -> str:
    """Return a topic's name: of version 2 on there is its id instead."""
    return data.topic_name or names.get(data.topic_id, str(data.topic_id))


# --- clients -------------------------------------------------------------------------------------


def asked(book: Book, each: Asked, request: str) -> None:
    """Write down a client's request, and what it wants of each partition."""
    body = each.what.body
    columns: Row = {"node": id_of(each.node), "rpc_api": each.what.key, "request": request}
    book.moment()
    book.add(_CLIENT, "request", "", {"name": each.what.name}, **columns)
    if isinstance(body, AlterPartitionReassignmentsRequest):
        for topic in body.topics:
            for part in topic.partitions:
                target = part.replicas
                book.add(
                    _CLIENT,
                    "request",
                    TopicPartition(topic.name, part.partition_index),
                    after=None if target is None else form(replicas=target),
                    **columns,
                )
    elif isinstance(body, ListPartitionReassignmentsRequest):
        for of in body.topics or ():
            for number in of.partition_indexes:
                book.add(_CLIENT, "request", TopicPartition(of.name, number), **columns)
    elif isinstance(body, AlterPartitionRequest):
        for data in body.topics:
            for one in data.partitions:
                after = form(
                    leader_epoch=one.leader_epoch, isr=one.new_isr, version=one.partition_epoch
                )
                name = TopicPartition(data.topic_name, one.partition_index)
                book.add(_CLIENT, "request", name, broker=body.broker_id, after=after, **columns)


def replied(book: Book, each: Asked, request: str, known: Iterable[TopicPartition]) -> None:
    """Write down an answer, and what it says of each partition.

    A list of all moves says of each `known` partition that is not in it that it does not move.
    """
    response = each.responses[-1]
    code = getattr(response, "error_code", None)
    columns: Row = {"node": id_of(each.node), "rpc_api": each.what.key, "request": request}
    book.moment()
    book.add(_CLIENT, "reply", "", rpc_error=code, **columns)
    if isinstance(response, AlterPartitionReassignmentsResponse):
        for topic in response.responses:
            for part in topic.partitions:
                name = TopicPartition(topic.name, part.partition_index)
                found = response.error_code or part.error_code
                book.add(_CLIENT, "reply", name, rpc_error=found, **columns)
    elif isinstance(response, ListPartitionReassignmentsResponse):
        body = each.what.body
        whole = isinstance(body, ListPartitionReassignmentsRequest) and body.topics is None
        detail = {"all": True} if whole else {}
        moves = moves_of(response)
        for name in sorted({*moves, *known} if whole else moves):
            book.add(
                _CLIENT, "reply", name, detail, after=moves.get(name), rpc_error=code, **columns
            )


def polled(book: Book, node: int, known: Mapping[TopicPartition, Row | None]) -> None:
    """Write down what a controller lists of these partitions, to one who watches it."""
    columns: Row = {"node": node, "rpc_api": 46, "client_id": "watcher", "rpc_error": 0}
    book.moment()
    for name, after in known.items():
        book.add(_CLIENT, "reply", name, {"all": True, "polled": True}, after=after, **columns)


def moves_of(response: Message) -> dict[TopicPartition, Row]:
    """Return the moves that an answer to List has."""
    if not isinstance(response, ListPartitionReassignmentsResponse):
        return {}
    return {
        TopicPartition(listed.name, move.partition_index): form(
            replicas=move.replicas,
            adding=move.adding_replicas,
            removing=move.removing_replicas,
        )
        for listed in response.topics
        for move in listed.partitions
    }


def lost(book: Book, each: Asked, request: str) -> None:
    """Write down that the connection has ended before an answer."""
    columns: Row = {"node": id_of(each.node), "rpc_api": each.what.key, "request": request}
    body = each.what.body
    book.moment()
    book.add(_CLIENT, "request-lost", "", **columns)
    if isinstance(body, AlterPartitionReassignmentsRequest):
        for topic in body.topics:
            for part in topic.partitions:
                name = TopicPartition(topic.name, part.partition_index)
                book.add(_CLIENT, "request-lost", name, **columns)
