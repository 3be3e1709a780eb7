"""Values as Kafka's controller writes them into its logs: what Scala's toString gives.

ReplicaAssignment, LeaderAndIsr and LeaderIsrAndControllerEpoch have changed their form between
releases; all from 2.4 to 3.9 are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from klamm.tools.pipeline.formats.base import Unreadable

_INT32 = 2**31
_LIST = r"(?:\w+\()?([\d, ]*)\)?"
ASSIGNMENT = re.compile(
    rf"ReplicaAssignment\(replicas={_LIST}, addingReplicas={_LIST}, removingReplicas={_LIST}\)",
    re.ASCII,
)
# 2.4 to 3.4 have isr and zkVersion; 3.0 adds the recovery state, 3.1 calls the version
# partitionEpoch, 3.5 has the brokers' epochs beside their ids.
_LEADER_AND_ISR = re.compile(
    r"LeaderAndIsr\(leader=(-?\d+), leaderEpoch=(-?\d+), (isr\w*)=(?:\w+\()?(.*?)\)*"
    r"(?:, leaderRecoveryState=(\w+))?, (?:zkVersion|partitionEpoch)=(-?\d+)\)",
    re.ASCII,
)
_BROKER_STATE = re.compile(r"brokerId=(\d+)", re.ASCII)
_LEADER_ISR_EPOCH = re.compile(
    r"\(Leader:(-?\d+),ISR:([\d,]*)(?:,LeaderRecoveryState:(\w+))?,LeaderEpoch:(-?\d+)"
    r",(?:ZkVersion|PartitionEpoch):(-?\d+),ControllerEpoch:(-?\d+)\)",
    re.ASCII,
)
_PARTITION = re.compile(r"([\w.-]{1,249})-(\d+)", re.ASCII)
_REPLICA = re.compile(r"\[Topic=([\w.-]{1,249}),Partition=(\d+),Replica=(\d+)\]", re.ASCII)


def number(text: str) -> int:
    """Return a number of 32 bits."""
    found = int(text) if len(text) <= 11 else _INT32
    if not -_INT32 <= found < _INT32:
        raise Unreadable(f"{text[:20]} is no number of 32 bits")
    return found


def number64(text: str) -> int:
    """Return a number of 64 bits."""
    found = int(text) if len(text) <= 20 else 2**63
    if not -(2**63) <= found < 2**63:
        raise Unreadable(f"{text[:30]} is no number of 64 bits")
    return found


def brokers(text: str) -> list[int]:
    """Read a list of ids: `0,1`, also with spaces, or nothing."""
    return [number(each.strip()) for each in text.split(",") if each.strip()]


def partition(text: str) -> tuple[str, int]:
    """Read a partition's name, e.g. orders-0."""
    found = _PARTITION.fullmatch(text.strip())
    if found is None:
        raise Unreadable(f"{text[:80]!r} is no partition: expected a topic, a dash and a number")
    return found[1], number(found[2])


def ids(text: str) -> list[int]:
    """Read a list of ids as Scala shows a collection: Set(0, 1), or as `brokers`."""
    return brokers(_inner(text))


def topics(text: str) -> list[str]:
    """Read topics in a row, in order of their names: `a,b`, or Set(a, b)."""
    return sorted(each.strip() for each in _inner(text).split(",") if each.strip())


def _inner(text: str) -> str:
    return re.sub(r"^\w*\(|\)$", "", text.strip())


def replicas(text: str) -> Iterator[tuple[str, int, int]]:
    """Give the topic, partition and broker of each `[Topic=t,Partition=0,Replica=1]`."""
    for found in _REPLICA.finditer(text):
        yield found[1], number(found[2]), number(found[3])


def assignment(text: str) -> dict[str, Any]:
    """Read a ReplicaAssignment: replicas, adding, removing."""
    found = ASSIGNMENT.search(text)
    if found is None:
        raise Unreadable(f"no ReplicaAssignment in {text[:80]!r}")
    return assigned(found)


def assigned(found: re.Match[str]) -> dict[str, Any]:
    """Return what ASSIGNMENT has matched."""
    return {
        "replicas": brokers(found[1]),
        "adding": brokers(found[2]),
        "removing": brokers(found[3]),
    }


def leader_and_isr(text: str) -> dict[str, Any]:
    """Read LeaderAndIsr or LeaderIsrAndControllerEpoch, whichever is there.

    `unclean` is added if the leader is recovering from an unclean election (KIP-704).
    """
    if found := _LEADER_AND_ISR.search(text):
        leader, epoch, key, isr, recovery, version = found.groups()
        ids = _BROKER_STATE.findall(isr) if "Epoch" in key else isr.strip("()").split(",")
        controller = {}
    elif found := _LEADER_ISR_EPOCH.search(text):
        leader, isr, recovery, epoch, version, controlled = found.groups()
        ids, controller = isr.split(","), {"controller_epoch": number(controlled)}
    else:
        raise Unreadable(f"no LeaderAndIsr in {text[:80]!r}")
    return {
        "leader": number(leader),
        "leader_epoch": number(epoch),
        "isr": brokers(",".join(ids)),
        "version": number(version),
        **controller,
        **({"unclean": True} if recovery == "RECOVERING" else {}),
    }
