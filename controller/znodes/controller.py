"""`/controller`, who is in office, and `/controller_epoch`, which fences whoever was before.

{"version":2,"brokerid":1,"timestamp":"1795260081097","kraftControllerEpoch":-1}
"""

from typing import Any

import msgspec

from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.parsing import INT32_MAX, INT64_MAX, Int32, Natural, dump, parse, shown
from klamm.controller.znodes.text import decode_int


class ControllerZnode(msgspec.Struct, frozen=True):
    """The registration of the active controller.

    `timestamp` is in milliseconds since the epoch. `kraft_controller_epoch` is -1 in ZooKeeper
    mode; None leaves it out, as Kafka did before 3.4 (version 1).
    """

    broker_id: int
    timestamp: int | None = None
    kraft_controller_epoch: int | None = -1


class _Json(msgspec.Struct):
    brokerid: Natural
    timestamp: Any = None
    kraftControllerEpoch: Int32 | None = None


_DECODER = msgspec.json.Decoder(_Json)


def decode_controller(data: bytes | None, path: str = paths.CONTROLLER) -> ControllerZnode:
    """Read `/controller`; raises ZnodeError.

    Only the broker id counts. A timestamp that is no number in quotes is read as None.
    """
    fields = parse(_DECODER, data, path)
    timestamp = decode_int(fields.timestamp, 0, INT64_MAX)
    return ControllerZnode(fields.brokerid, timestamp, fields.kraftControllerEpoch)


def encode_controller(znode: ControllerZnode) -> bytes:
    """Write `/controller`, in version 2 if it has a KRaft controller epoch, else 1."""
    fields: dict[str, Any] = {
        "version": 1 if znode.kraft_controller_epoch is None else 2,
        "brokerid": znode.broker_id,
    }
    if znode.timestamp is not None:
        fields["timestamp"] = str(znode.timestamp)
    if znode.kraft_controller_epoch is not None:
        fields["kraftControllerEpoch"] = znode.kraft_controller_epoch
    return dump(fields)


def decode_controller_epoch(data: bytes | None, path: str = paths.CONTROLLER_EPOCH) -> int:
    """Read `/controller_epoch`, decimal text; raises ZnodeError."""
    if data is None:
        raise ZnodeError(path, "it holds no data")
    epoch = decode_int(data.decode("ascii", errors="replace"), 0, INT32_MAX)
    if epoch is None:
        raise ZnodeError(path, f"it is no epoch: {shown(data)}")
    return epoch


def encode_controller_epoch(epoch: int) -> bytes:
    """Write `/controller_epoch`; ZnodeError for a number that nobody could read or send."""
    if not 0 <= epoch <= INT32_MAX:
        raise ZnodeError(paths.CONTROLLER_EPOCH, f"{epoch} is not from 0 to {INT32_MAX}")
    return str(epoch).encode()
