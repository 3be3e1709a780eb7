"""What sentences of state-change.log mean, as rows of `events`; `node` is who wrote the line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from klamm.tools.pipeline.formats import kafka_terms as terms
from klamm.tools.pipeline.formats.base import form
from klamm.tools.pipeline.formats.log_lines import (
    Maker,
    Row,
    Sentence,
    Values,
    about,
    means,
    state_only,
)

_LEADER_AND_ISR, _STOP_REPLICA, _UPDATE_METADATA = 4, 5, 6
_APIS = {
    "LeaderAndIsr": (_LEADER_AND_ISR, "told-lead"),
    "StopReplica": (_STOP_REPLICA, "told-stop"),
    "UpdateMetadata": (_UPDATE_METADATA, "told-metadata"),
}
_STALE_CONTROLLER_EPOCH = 11


def _api(told: Values) -> tuple[int, str]:
    return _APIS.get(told["api"], (_UPDATE_METADATA, "told-metadata"))


def _new(told: Values, _node: int | None) -> Iterator[Row]:
    yield about(told["name"], "assignment-updated", after=form(terms.brokers(told["replicas"])))


def _changed(told: Values, _node: int | None) -> Iterator[Row]:
    """A partition has a leader: its first one, or another one."""
    after = terms.leader_and_isr(told["state"])
    kind = "initialize" if told["old"] == "NewPartition" else "elect"
    if after.pop("unclean", False) and kind == "elect":
        kind = "elect-unclean"
    yield about(told["name"], kind, after=state_only(after), detail={"from": told["old"]})


def _left(told: Values, _node: int | None) -> Iterator[Row]:
    after = terms.leader_and_isr(told["state"])
    after.pop("unclean", None)
    broker = terms.number(told["broker"])
    yield about(told["name"], "isr-shrink", after=state_only(after), broker=broker)


def _sent_move(told: Values, _node: int | None) -> Iterator[Row]:
    state, lists = terms.leader_and_isr(told["state"]), terms.assignment(told["assignment"])
    state.pop("unclean", None)
    broker = terms.number(told["broker"])
    after = form(**lists, state=state)
    yield about(told["name"], "told-lead", after=after, broker=broker, rpc_api=_LEADER_AND_ISR)


def _sent(told: Values, _node: int | None) -> Iterator[Row]:
    """A request, to one broker or to several."""
    api, _ = _api(told)
    for broker in terms.ids(told["brokers"]):
        row: Row = {"kind": "control-sent", "rpc_api": api, "broker": broker}
        # Below inter.broker.protocol.version 2.6 a StopReplica either deletes or does not.
        yield row | ({"detail": {"delete": told["delete"] == "true"}} if "delete" in told else {})


def _heard(told: Values, node: int | None) -> Iterator[Row]:
    yield {
        "kind": "control-heard",
        "rpc_api": _api(told)[0],
        "request": told["request"],
        "node": terms.number(told["controller"]),
        "broker": node,
    }


def _stale(told: Values, node: int | None) -> Iterator[Row]:
    for row in _heard(told, node):
        yield row | {"rpc_error": _STALE_CONTROLLER_EPOCH, "text": told["said"]}


def _leads(told: Values, node: int | None) -> Iterator[Row]:
    state = {
        "leader": node,
        "leader_epoch": terms.number(told["epoch"]),
        "isr": terms.brokers(told["isr"]),
        "version": terms.number(told["version"]),
    }
    # Nothing is said of adding and removing replicas before 3.0.
    moving = {name: terms.brokers(told[name]) for name in ("adding", "removing") if name in told}
    row = about(told["name"], "led", after=state_only(state, **moving), broker=node)
    detail = {"offset": terms.number64(told["offset"])}
    yield row | {"topic_id": told.get("topic_id"), "detail": detail}


def _follows(told: Values, node: int | None) -> Iterator[Row]:
    state = {
        "leader": terms.number(told["leader"]),
        "leader_epoch": terms.number(told["epoch"]),
        "version": terms.number(told["version"]),
    }
    row = about(told["name"], "heard-lead", after=state_only(state), broker=node)
    detail = {"offset": terms.number64(told["offset"])}
    yield row | {"rpc_api": _LEADER_AND_ISR, "detail": detail}


def _replica(told: Values, _node: int | None) -> Iterator[Row]:
    detail = {"from": told["old"], "to": told["new"]}
    yield about(told["name"], "replica-state", broker=terms.number(told["broker"]), detail=detail)


def _told_each(told: Values, _node: int | None) -> Iterator[Row]:
    """One partition of a request: only at TRACE."""
    api, kind = _api(told)
    said = told["partition_state"]
    version = _number_in(said, "partitionEpoch")
    state = {
        "leader": _number_in(said, "leader"),
        "leader_epoch": _number_in(said, "leaderEpoch"),
        "controller_epoch": _number_in(said, "controllerEpoch"),
        "isr": _list_in(said, "isr"),
        "version": _number_in(said, "zkVersion") if version is None else version,
    }
    after = state_only(
        state,
        replicas=_list_in(said, "replicas"),
        adding=_list_in(said, "addingReplicas"),
        removing=_list_in(said, "removingReplicas"),
    )
    flags = {"is_new": "isNew", "delete": "deletePartition"}
    detail = {key: f"{word}=true" in said for key, word in flags.items() if f"{word}=" in said}
    broker = terms.number(told["broker"])
    yield about(told["name"], kind, after=after, broker=broker, rpc_api=api, detail=detail)


def _number_in(text: str, key: str) -> int | None:
    found = re.search(rf"\b{key}=(-?\d+)", text, re.ASCII)
    return None if found is None else terms.number(found[1])


def _list_in(text: str, key: str) -> list[int] | None:
    found = re.search(rf"\b{key}=\[([\d, ]*)\]", text, re.ASCII)
    return None if found is None else terms.brokers(found[1])


_LEADS_IN_EPOCH = (
    " starts at leader epoch {epoch:number} from offset {offset:number} with partition epoch"
    " {version:number}, high watermark {high:number}, ISR [{isr:ids}]"
)
_MOVING = ", adding replicas [{adding:ids}] and removing replicas [{removing:ids}]"
_WITH_ID = "Leader {name:partition} with topic id Some({topic_id:word})"
_WITHOUT_ID = "Leader {name:partition} with topic id None"
_STATED = " request {partition_state:rest} to {whom:word} {broker:number} for partition"

#: The texts are those of kafka.controller.PartitionStateMachine, ReplicaStateMachine,
#: ControllerChannelManager and KafkaController, and of kafka.server.ReplicaManager.
SENTENCES: tuple[tuple[Sentence, Maker], ...] = (
    means(
        "Changed partition {name:partition} from {old:word} to OnlinePartition with state"
        " {state:rest}",
        _changed,
    ),
    means(
        "Changed partition {name:partition} state from {old:word} to NewPartition with"
        " assigned replicas {replicas:ids}",
        _new,
    ),
    means(
        "Partition {name:partition} state changed to {state:state} after removing replica"
        " {broker:number} from the ISR",
        _left,
    ),
    means(
        "Sent LeaderAndIsr request {state:state} with new replica assignment"
        " {assignment:assignment} to leader {broker:number} for partition being reassigned"
        " {name:partition}",
        _sent_move,
    ),
    means("Sending {api:word}" + _STATED + " {name:partition}", _told_each),
    means("Sending {api:word} request to broker {brokers:number} with ", _sent),
    means("Sending {api:word} request to brokers {brokers:set} for ", _sent),
    means(
        "Sending {api:word} request (delete = {delete:word}) for {count:number} replicas to"
        " broker {brokers:number}",
        _sent,
    ),
    means(
        "Sending {api:word} request for {count:number} replicas to broker {brokers:number}",
        _sent,
    ),
    means(
        "Handling {api:word} request correlationId {request:word} from controller"
        " {controller:number} for ",
        _heard,
    ),
    means(
        "in response to {api:word} request sent by controller {controller:number} epoch"
        " {epoch:number} with correlation id {request:number}",
        _heard,
    ),
    means(
        "Ignoring {api:word} request from controller {controller:number} with correlation id"
        " {request:number} since its controller epoch {epoch:number} is old",
        _stale,
    ),
    means(_WITH_ID + _LEADS_IN_EPOCH + _MOVING, _leads),
    means(_WITHOUT_ID + _LEADS_IN_EPOCH + _MOVING, _leads),
    means("Leader {name:partition}" + _LEADS_IN_EPOCH, _leads),
    means(
        "Follower {name:partition} starts at leader epoch {epoch:number} from offset"
        " {offset:number} with partition epoch {version:number} and high watermark"
        " {high:number}. Current leader is {leader:number}.",
        _follows,
    ),
    means(
        "Changed state of replica {broker:number} for partition {name:partition} from"
        " {old:word} to {new:word}",
        _replica,
    ),
)
