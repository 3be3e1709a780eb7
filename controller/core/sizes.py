"""How large a multi is, as ZooKeeper's server counts it against jute.maxbuffer.

The server compares the length of the whole packet, without the four bytes that announce it, and
closes the connection if it is larger (ZooKeeper's NIOServerCnxn.readLength): to the client a lost
connection, to each of its requests in flight an unknown outcome. So nothing larger is ever sent.
Sizes add up: a multi is `MULTI_OVERHEAD` and the `op_size` of each operation, the fence's check
included, so whoever cuts a plan into commits can count along.
"""

from collections.abc import Iterable

from klamm.controller.core.ops import Check, Create, Delete, Op, SetData

#: ZooKeeper's default for jute.maxbuffer, in bytes; a packet of just this size passes.
PACKET_LIMIT = 1_048_575

_REQUEST_HEADER = 8  # xid, opcode
_OP_HEADER = 9  # opcode, done, error; one before each operation, one at the end
_INT = 4  # versions, flags, and the length before each string or buffer
_OPEN_ACL = _INT + _INT + (_INT + len("world")) + (_INT + len("anyone"))  # a vector of one

#: What a multi takes besides its operations.
MULTI_OVERHEAD = _REQUEST_HEADER + _OP_HEADER


def op_size(op: Op, chroot: str = "") -> int:
    """Bytes that an operation adds to a multi; `chroot` is the connection's, or ""."""
    path = chroot if chroot and op.path == "/" else chroot + op.path
    size = _OP_HEADER + _INT + len(path.encode()) + _INT
    match op:
        case SetData(_, data):
            return size + _INT + len(data or b"")
        case Create(_, data):
            return size + _INT + len(data or b"") + _OPEN_ACL
        case Check() | Delete():
            return size


def multi_size(ops: Iterable[Op], fence: Check | None, chroot: str = "") -> int:
    """Bytes of a multi of these operations, opened by this fence if there is one."""
    opening = MULTI_OVERHEAD if fence is None else MULTI_OVERHEAD + op_size(fence, chroot)
    return opening + sum(op_size(op, chroot) for op in ops)


def update_size(op: Op, chroot: str = "") -> int:
    """Bytes of an operation that is sent alone."""
    return _REQUEST_HEADER + op_size(op, chroot) - _OP_HEADER
