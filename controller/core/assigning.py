"""Requests with a number that give partitions new replicas, one at a time (KIP-179, version 8).

Such a request is refused as a whole while anything moves. What of it is accepted goes through
/admin/reassign_partitions, as if a tool had written that: whoever is controller carries it out.
One multi raises the counter, makes the request's header, and makes that znode. Its replicas'
status follows, before any of its moves begins, see `klamm.controller.core.status_writes`.

In the proposal the data version of /admin/reassign_partitions is the number. That begins anew with
each znode, so here a counter has its place that nobody removes.
"""

from collections import Counter
from collections.abc import Iterator

from klamm.controller.core.admin_entries import MADE_HERE
from klamm.controller.core.admin_znodes import AdminReassignments
from klamm.controller.core.changes import SetAdmin, SetStatus
from klamm.controller.core.draft import Draft, Step
from klamm.controller.core.events import AssignPartitions, Cause, WriteStatus
from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.ops import Create, Op, SetData
from klamm.controller.core.plan import Entry
from klamm.controller.core.results import AssignedReplica, Fault, PartitionsAssigned, Refusal
from klamm.controller.core.sizes import op_size
from klamm.controller.core.status_book import Chunk, OpenRequest, StatusNote
from klamm.controller.core.status_writes import first_rows, with_request
from klamm.controller.core.takeovers import FRAME_BYTES, fits
from klamm.controller.core.topic_checks import IN_PROGRESS, anything_moves
from klamm.controller.core.validation import check_target
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import Reassignment, encode_reassign_partitions
from klamm.controller.znodes.parsing import INT32_MAX
from klamm.controller.znodes.status import (
    StatusChunk,
    StatusHeader,
    encode_status_counter,
    encode_status_header,
)

#: The broker of the row that answers for a list without any.
NO_BROKER = -1

_Targets = dict[TopicPartition, tuple[int, ...]]


def assign(draft: Draft, cause: Cause, event: AssignPartitions) -> None:
    """Accept what nothing is wrong with, under the next number, or refuse all of it."""
    refusal = _refuse_all(draft)
    if refusal is not None:
        draft.settle(cause, refusal)
        return
    counts = Counter(name for name, _ in event.targets)
    accepted: _Targets = {}
    replicas: list[AssignedReplica] = []
    for name, target in event.targets:
        rows = tuple(_rows(draft, name, target, again=counts[name] > 1))
        replicas.extend(rows)
        if not any(row.refusal for row in rows):
            accepted[name] = target
    if not accepted:
        draft.settle(cause, PartitionsAssigned(-1, tuple(replicas)))
        return
    _accept(draft, cause, accepted, tuple(replicas))


def _refuse_all(draft: Draft) -> Refusal | None:
    book = draft.status.book
    # A znode without orders is somebody's, too, and stands where ours must.
    if draft.admin.version is not None or anything_moves(draft):
        return IN_PROGRESS
    if book.fault:
        text = f"No request can get a number: {book.fault}. Set the znode to"
        text += (
            ' {"version":1,"last_request_id":N}, where N is the last number that was given; within'
        )
        text += " a minute it is read again."
        return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)
    if book.counter.last_request_id >= INT32_MAX:
        text = f"Request id {INT32_MAX} was the last that there is: {paths.REASSIGN_STATUS} counts"
        text += " no further. Use AlterPartitionReassignments, which needs no id."
        return Refusal(Fault.INVALID_REQUEST, text)
    return None


# --- one partition ------------------------------------------------------------------------------


def _rows(
    draft: Draft, name: TopicPartition, target: tuple[int, ...], *, again: bool
) -> Iterator[AssignedReplica]:
    """What the request comes to for each broker of a partition, in order.

    A broker that is unknown is told of in its own row alone; the others were not attempted.
    """
    partition = draft.partition(name)
    refusal = _check(draft, name, partition, target, again=again)
    if refusal is not None or partition is None:
        for broker in target or (NO_BROKER,):
            yield AssignedReplica(name, broker, refusal)
        return
    present = partition.assignment.replicas
    unknown = [broker for broker in target if broker not in draft.alive and broker not in present]
    for broker in target:
        if not unknown:
            yield AssignedReplica(name, broker)
        elif broker in unknown:
            text = f"Broker {broker} is not alive; those alive are {sorted(draft.alive)}."
            yield AssignedReplica(name, broker, Refusal(Fault.UNKNOWN_MEMBER_ID, text))
        else:
            text = f"{name} stays where it is, for these brokers are not alive: {unknown}."
            yield AssignedReplica(name, broker, Refusal(Fault.OPERATION_NOT_ATTEMPTED, text))


def _check(
    draft: Draft,
    name: TopicPartition,
    partition: Partition | None,
    target: tuple[int, ...],
    *,
    again: bool,
) -> Refusal | None:
    """Refuse a partition by what it is and how its list looks, whatever brokers there are."""
    unreadable = draft.immovable(name)
    if unreadable:
        text = f"{name} is left alone, for a znode cannot be read: {unreadable}"
        return Refusal(Fault.UNKNOWN_SERVER_ERROR, text)
    if name.topic in draft.deleting:
        text = f"Topic {name.topic} is queued for deletion."
        return Refusal(Fault.INVALID_TOPIC_EXCEPTION, text)
    if draft.topic(name.topic) is None:
        return Refusal(Fault.INVALID_TOPIC_EXCEPTION, f"Topic {name.topic} does not exist.")
    if partition is None:
        text = f"Topic {name.topic} has no partition {name.partition}."
        return Refusal(Fault.INVALID_PARTITIONS, text)
    if again:
        text = f"The request names {name} more than once; name it once, with all of its brokers."
        return Refusal(Fault.INVALID_REPLICA_ASSIGNMENT, text)
    return check_target(target, frozenset(), kept=target) or _judged(draft, partition, target)


def _judged(draft: Draft, partition: Partition, target: tuple[int, ...]) -> Refusal | None:
    """What the profile says of a target whose new brokers are alive, for it has another say then.

    In kip-455 a broker that is kept must be alive as well.
    """
    new = frozenset(target).difference(partition.assignment.replicas)
    return draft.rules.validate(partition, target, draft.alive | new)


# --- the write ----------------------------------------------------------------------------------


def _accept(
    draft: Draft, cause: Cause, accepted: _Targets, replicas: tuple[AssignedReplica, ...]
) -> None:
    book, now_ms = draft.status.book, draft.settings.now_ms
    id_ = book.counter.last_request_id + 1
    rows = first_rows(draft.state, accepted, now_ms)
    header = StatusHeader(id_, now_ms, sum(map(len, rows)), len(rows))
    chunks = (Chunk.of(StatusChunk(each)) for each in rows)
    grown = with_request(book, OpenRequest.of(header, 0, chunks))
    data = encode_status_counter(grown.counter)
    raised: Op = Create(paths.REASSIGN_STATUS, data)
    if book.version is not None:
        raised = SetData(paths.REASSIGN_STATUS, data, book.version)
    orders = encode_reassign_partitions(Reassignment(*name, to) for name, to in accepted.items())
    ops = (
        raised,
        Create(paths.status_header(id_), encode_status_header(header)),
        Create(paths.REASSIGN_PARTITIONS, orders),
    )
    if not fits(draft, size := sum(map(op_size, ops))):
        text = f"A plan for {len(accepted)} partitions takes {size + FRAME_BYTES:,} bytes in"
        text += f" {paths.REASSIGN_PARTITIONS}; one write holds {draft.settings.packet_limit:,}."
        text += " Nothing of it was begun. Ask for fewer partitions at a time."
        draft.settle(cause, Refusal(Fault.INVALID_REQUEST, text))
        return
    draft.admin = AdminReassignments(0, MADE_HERE, accepted, accepted)
    draft.status.book = draft.status.carried = grown
    draft.status.is_due = True
    text = f"request {id_}: {len(accepted)} partitions, {header.replicas} replicas"
    told = StatusNote(id_, tuple(op.path for op in ops))
    draft.steps.append(
        Step(
            (cause.id,),
            ops,
            (SetAdmin(draft.admin), SetStatus(grown)),
            results=((cause.id, PartitionsAssigned(id_, replicas)),),
            entries=(Entry("assignment-accepted", text, cause.id, status=told),),
            follow_ups=(WriteStatus(),),
        )
    )
