"""`/brokers/topics/T/partitions/P/state`: leader and ISR (kafka.zk.TopicPartitionStateZNode).

    {"controller_epoch":1,"leader":1,"version":1,"leader_epoch":0,"isr":[1,2,3]}

A failover decodes one of these for every partition of the cluster, so this is the module where
microseconds and bytes count.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import (
    INT32_MAX,
    Int32,
    Natural,
    Replicas,
    Shape,
    dump,
    no_extra,
    repeated,
)

NO_LEADER: Final = -1
RECOVERED: Final = 0
RECOVERING: Final = 1


class StateZnode(msgspec.Struct, frozen=True, gc=False):
    """A partition's leader and in-sync replicas, by broker id.

    `leader` is NO_LEADER when there is none. `leader_recovery_state` is RECOVERING from an
    unclean election (KIP-704) until the leader says otherwise. `extra` holds keys that we do not
    know; they are written again.
    """

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    controller_epoch: int
    leader_recovery_state: int = RECOVERED
    extra: Mapping[str, Any] = msgspec.field(default_factory=no_extra)


class _Json(msgspec.Struct, gc=False):
    leader: Annotated[int, msgspec.Meta(ge=NO_LEADER, le=INT32_MAX)]
    leader_epoch: Natural
    isr: Replicas
    controller_epoch: Natural
    leader_recovery_state: Annotated[int, msgspec.Meta(ge=RECOVERED, le=RECOVERING)] = RECOVERED
    version: Int32 = 1


_SHAPE = Shape(_Json)


def decode_state(data: bytes | None, path: str) -> StateZnode:
    """Read a state znode; raises ZnodeError."""
    fields, extra = _SHAPE.read(data, path)
    isr = fields.isr
    if len(set(isr)) != len(isr):
        raise ZnodeError(path, f"isr names broker {repeated(isr)} twice: {[*isr]}")
    return StateZnode(
        fields.leader,
        fields.leader_epoch,
        isr,
        fields.controller_epoch,
        fields.leader_recovery_state,
        extra,
    )


def encode_state(znode: StateZnode) -> bytes:
    """Write a state znode; the recovery state appears only while RECOVERING, as from Kafka 3.2.

    ValueError for an epoch that no reader accepts.
    """
    for epoch in (znode.leader_epoch, znode.controller_epoch):
        if not 0 <= epoch <= INT32_MAX:
            raise ValueError(f"epoch {epoch} of {znode} is not from 0 to {INT32_MAX}")
    fields: dict[str, Any] = {
        "controller_epoch": znode.controller_epoch,
        "leader": znode.leader,
        "version": 1,
        "leader_epoch": znode.leader_epoch,
        "isr": znode.isr,
    }
    if znode.leader_recovery_state != RECOVERED:
        fields["leader_recovery_state"] = znode.leader_recovery_state
    return dump({**znode.extra, **fields} if znode.extra else fields)
