"""What inputs, effects, messages and znodes are called in traces: short, always the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from enum import Enum
from uuid import UUID

from klamm.controller.core.ops import ANY_VERSION, Check, Create, Delete, Op, SetData
from klamm.controller.node.effects import (
    ArmWatch,
    CloseLink,
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    Reply,
    Resign,
    Send,
    SetTimer,
    Transacted,
    Update,
)
from klamm.controller.node.inputs import BrokerAnswer, Input, Request, Timer, Transactions, Turn
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    ReadDone,
    SessionEvent,
    UpdateDone,
    WatchDone,
    Watched,
)
from klamm.controller.znodes.admin import TopicPartition
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from klamm.protocol.message import Message
from klamm.tools.brokers import control
from klamm.tools.lab.contents import NONE, changed
from klamm.tools.lab.events import Carried, Way, ZnodeChange

#: Longer values are cut to so many characters.
_WIDTH = 160
#: Fields that are told also where they have their default.
_ALWAYS = frozenset(("partition_index", "error_code"))


def short(text: str, width: int = _WIDTH) -> str:
    """Return a text in one line of at most `width` characters; what is cut off shows as three."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 3]}..."


def value(each: object) -> str:
    """Return a value's text: fields that differ from their default, in order, and no address."""
    match each:
        case None:
            return NONE
        case bool() | int() | float() | UUID():
            return str(each)
        case TopicPartition():
            return str(each)
        case str():
            return each
        case bytes():
            return each.decode("utf-8", errors="backslashreplace")
        case Enum():
            return each.name
        case set() | frozenset():
            return f"[{','.join(sorted(map(value, each)))}]"
        case tuple() | list():
            return f"[{','.join(map(value, each))}]"
        case dict():
            return f"{{{', '.join(f'{value(key)}: {value(v)}' for key, v in each.items())}}}"
    if not dataclasses.is_dataclass(each) or isinstance(each, type):
        return type(each).__name__
    said = []
    for field in dataclasses.fields(each):
        held = getattr(each, field.name)
        told = held != field.default and field.name != "unknown_tagged_fields" and field.repr
        if told or field.name in _ALWAYS:
            said.append(f"{field.name} {value(held)}")
    return f"{type(each).__name__}({', '.join(said)})"


# --- messages ------------------------------------------------------------------------------------


def message(each: Message) -> Iterator[str]:
    """Yield what a request or response says: one line each partition, where it is about some."""
    match each:
        case LeaderAndIsrRequest():
            yield f"controller epoch {each.controller_epoch}, broker epoch {each.broker_epoch}"
            for name, order in control.orders(each).items():
                state = order.state
                yield (
                    f"{name} leader {state.leader} epoch {state.leader_epoch} "
                    f"isr {value(state.isr)} v{state.partition_epoch} R {value(state.replicas)}"
                    f"{_listed(' AR ', state.adding_replicas)}"
                    f"{_listed(' RR ', state.removing_replicas)}{' isNew' if state.is_new else ''}"
                )
        case StopReplicaRequest():
            yield f"controller epoch {each.controller_epoch}, broker epoch {each.broker_epoch}"
            for name, stop in control.stops(each).items():
                epoch = (
                    "" if stop.leader_epoch == control.NO_EPOCH else f" epoch {stop.leader_epoch}"
                )
                yield f"{name}{epoch}{' delete' if stop.delete else ''}"
        case UpdateMetadataRequest():
            live = [broker.id for broker in each.live_brokers]
            yield f"controller epoch {each.controller_epoch}, live {value(live)}"
            for told in each.ungrouped_partition_states:
                yield _told(told.topic_name, told)
            for topic in each.topic_states:
                for told in topic.partition_states:
                    yield _told(topic.topic_name, told)
        case _:
            yield short(value(each).removeprefix(type(each).__name__).strip("()"))


def _told(topic: str, told: UpdateMetadataPartitionState) -> str:
    return (
        f"{topic}-{told.partition_index} leader {told.leader} epoch {told.leader_epoch} "
        f"isr {value(told.isr)} R {value(told.replicas)}"
        f"{_listed(' offline ', told.offline_replicas)}"
    )


def _listed(what: str, ids: tuple[int, ...]) -> str:
    return f"{what}{value(ids)}" if ids else ""


def kind(each: Message) -> str:
    """Return what Kafka calls a message."""
    return type(each).__name__.removesuffix("Request")


_ARROWS = {
    Way.SENT: "-->",
    Way.TAKEN: "==>",
    Way.LATE: "==> (late)",
    Way.ANSWERED: "-->",
    Way.LOST: "-x-",
}


def carried(each: Carried) -> Iterator[str]:
    """Yield what became of a message, and what it says if that is its first appearance."""
    arrow = _ARROWS[each.way]
    what = f"{kind(each.message)} v{each.version} #{each.number}"
    yield f"{each.source} {arrow} {each.target}: {what}"
    if each.way in (Way.SENT, Way.ANSWERED):
        yield from (f"  {line}" for line in message(each.message) if line)


# --- nodes ---------------------------------------------------------------------------------------


def given(each: Input) -> str | None:
    """Return what a node was given; None for what says nothing."""
    match each:
        case Turn():
            return None
        case Request(id=id_, events=events):
            return f"request {id_}: {'; '.join(short(value(event)) for event in events)}"
        case Transactions(id=id_, transactions=transactions):
            return f"request {id_}: {len(transactions)} transactions"
        case BrokerAnswer(broker=broker, send=send, response=response):
            if response is None:
                return f"broker {broker}: no answer to #{send}, the link broke"
            return f"broker {broker} answers #{send}: {kind(response)}"
        case Timer(name=name):
            return f"timer {name}"
        case SessionEvent(session=session, state=state, reason=reason):
            return f"session {session}: {state.value}{f' ({reason})' if reason else ''}"
        case Watched(path=path, kind=what):
            return f"watch: {path} {what.name.lower().replace('_', ' ')}"
        case CommitDone(request=request, outcome=outcome):
            return f"commit {request}: {_outcome(outcome)}"
        case UpdateDone(request=request, outcome=outcome):
            return f"update {request}: {_outcome(outcome)}"
        case ReadDone(request=request, outcome=outcome):
            if isinstance(outcome, tuple):
                return f"read {request}: {len(outcome)} results"
            return f"read {request}: {_outcome(outcome)}"
        case WatchDone(request=request, failure=failure):
            return f"watches {request}: {'armed' if failure is None else _outcome(failure)}"
    return short(value(each))


def _outcome(outcome: object) -> str:
    match outcome:
        case Committed():
            return "committed"
        case Conflict(index=index, error=error):
            return f"conflict at operation {index}, {error.value}"
    return short(value(outcome))


def asked(each: Effect) -> Iterator[str]:
    """Yield what a node asks for; requests to brokers are told as messages."""
    match each:
        case Commit(request=request, ops=ops, fence=fence):
            fenced = f", if {fence.path} is at v{fence.version}" if fence is not None else ""
            yield f"commit {request} of {len(ops)} operations{fenced}"
            yield from (f"  {operation(op)}" for op in ops)
        case Update(request=request, op=op):
            yield f"update {request}: {operation(op)}"
        case ReadZnodes(request=request, reads=reads, sync=sync):
            paths = ", ".join(read.path for read in reads)
            yield short(f"read {request}{' after a sync' if sync else ''}: {paths}")
        case ArmWatch(request=request, watches=watches):
            yield f"watches {request}: {len(watches)}"
        case Send():
            return
        case CloseLink(broker=broker):
            yield f"closes its link to broker {broker}"
        case Reply(request=request, results=results):
            yield f"reply {request}: {'; '.join(short(value(result)) for result in results)}"
        case Transacted(request=request, results=results):
            yield f"reply {request}: {len(results)} transactions"
        case SetTimer(name=name, seconds=seconds):
            yield f"timer {name} in {seconds:g} s"
        case Resign(reason=reason):
            yield f"resigns: {reason}"
        case Journal(severity=severity, kind=what, text=text, name=name, topic=topic):
            about = f" {name or topic}" if name or topic else ""
            yield short(f"journal, {severity.value}: {what}{about}{f': {text}' if text else ''}")


def operation(op: Op) -> str:
    """Return what an operation of a multi does."""
    match op:
        case Check(path, version):
            return f"check {path} v{version}"
        case Create(path):
            return f"create {path}{' ephemeral' if op.ephemeral else ''}"
        case SetData(path, _, version):
            return f"set {path} {'any version' if version == ANY_VERSION else f'v{version}'}"
        case Delete(path, version):
            return f"delete {path} {'any version' if version == ANY_VERSION else f'v{version}'}"


# --- znodes --------------------------------------------------------------------------------------


def znode(change: ZnodeChange, writer: str) -> Iterator[str]:
    """Yield what was written into a znode: fields of its JSON that changed, before and after."""
    before, after = change.before, change.after
    if after is None:
        what = "removed"
    elif before is None:
        what = "made" if not after.owner else f"made, until session {after.owner} ends"
    else:
        what = f"v{before.version} -> v{after.version}"
    yield f"{change.path} {what}, by {writer}"
    for key, was, now in changed(change):
        said = short(now) if before is None else f"{short(was, 60)} -> {short(now, 60)}"
        yield f"  {key or 'data'}: {said}"
