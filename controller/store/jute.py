"""The bytes of ZooKeeper's requests and answers that the store uses (Jute, protocol version 0).

Pure: `zookeeper.py` carries the bytes, `memory.py` only measures them. Record layouts are those of
ZooKeeper's zookeeper.jute; opcodes of ZooDefs.OpCode, error codes of KeeperException.Code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from struct import Struct

from klamm.controller.store.port import (
    Check,
    Children,
    Create,
    Delete,
    Missing,
    Op,
    OpError,
    OpResult,
    Read,
    ReadData,
    ReadResult,
    Refused,
    SetData,
    Unknown,
    Unreadable,
    Watch,
    Znode,
)

DELETE, GET_DATA, SET_DATA, GET_CHILDREN, SYNC = 2, 4, 5, 8, 9
CHECK, MULTI, CREATE2, MULTI_READ, ADD_WATCH = 13, 14, 15, 22, 106

_INT = Struct("!i")
_OP_HEADER = Struct("!iBi")  # type, done, error: before each operation and each result
_ITEM = Struct("!iBii")  # a result's header and the length, count or error code that follows it
_STAT = Struct("!qq16xi8xq16x")  # czxid, mzxid, version, ephemeralOwner
_STAT_CVERSION = Struct("!q28xi32x")  # czxid, cversion
_END = _OP_HEADER.pack(-1, True, -1)

_EPHEMERAL, _SEQUENTIAL = 1, 2
_ALL_PERMISSIONS = 31
_PERSISTENT_WATCH, _RECURSIVE_WATCH = 0, 1

_ERROR_NAMES = {
    -1: "SYSTEMERROR",
    -2: "RUNTIMEINCONSISTENCY",
    -3: "DATAINCONSISTENCY",
    -4: "CONNECTIONLOSS",
    -5: "MARSHALLINGERROR",
    -6: "UNIMPLEMENTED: ZooKeeper 3.6 or later is needed",
    -7: "OPERATIONTIMEOUT",
    -8: "BADARGUMENTS",
    -12: "UNKNOWNSESSION",
    -102: "NOAUTH",
    -108: "NOCHILDRENFOREPHEMERALS",
    -112: "SESSIONEXPIRED",
    -114: "INVALIDACL",
    -115: "AUTHFAILED",
    -118: "SESSIONMOVED",
    -119: "NOTREADONLY",
    -122: "REQUESTTIMEOUT",
    -124: "SESSIONCLOSEDREQUIRESASLAUTH",
    -125: "QUOTAEXCEEDED",
    -127: "THROTTLEDOP",
}
# After these nobody can say whether the request was carried out, or the session is at its end.
_UNKNOWN_CODES = frozenset({-1, -2, -3, -4, -7, -12, -112, -115, -118, -122})
_OP_ERRORS = {
    -101: OpError.NO_NODE,
    -103: OpError.BAD_VERSION,
    -110: OpError.NODE_EXISTS,
    -111: OpError.NOT_EMPTY,
}
_NO_NODE = -101
# In a refused multi: operations before the failed one were rolled back, later ones not tried.
_BYSTANDERS = frozenset({0, -2})


@dataclass(frozen=True, slots=True)
class Failed:
    """The first operation of a multi that failed: its index and error code."""

    index: int
    code: int


class JuteError(ValueError):
    """ZooKeeper's answer is not what its protocol says; the message names what was found."""


def failure(code: int, zxid: int) -> OpError | Refused | Unknown:
    """Sort a request's error code; `zxid` is the newest seen when the request was made."""
    if code in _UNKNOWN_CODES:
        return Unknown(_ERROR_NAMES[code], zxid)
    return refusal(code)


def refusal(code: int) -> OpError | Refused:
    """Sort the error code of one operation in an answer: whatever it is, nothing was applied."""
    return _OP_ERRORS.get(code) or Refused(_error_name(code))


def _error_name(code: int) -> str:
    return _ERROR_NAMES.get(code, f"ZooKeeper error {code}")


def refuse_large(size: int, limit: int) -> Refused | None:
    """Refuse a request of so many bytes, if the server would close the connection on it."""
    if size <= limit:
        return None
    return Refused(
        f"a request of {size:,} bytes is over ZooKeeper's limit of {limit:,}; write less at once, "
        "or raise jute.maxbuffer at ZooKeeper's servers and here"
    )


# --- requests --------------------------------------------------------------------------------


def require_absolute(path: str) -> None:
    """Raise ValueError for a path that would run together with a chroot."""
    if not path.startswith("/"):
        raise ValueError(f"a znode's path begins with a slash; this one does not: {path!r}")


def full_path(chroot: str, path: str) -> str:
    """Prefix an absolute path with the chroot, "" or a path without a slash at its end."""
    require_absolute(path)
    return chroot + path if path != "/" or not chroot else chroot


def _string(text: str) -> bytes:
    raw = text.encode()
    return _INT.pack(len(raw)) + raw


def _buffer(data: bytes | None) -> bytes:
    return _INT.pack(-1) if data is None else _INT.pack(len(data)) + data


_OPEN_ACL = _INT.pack(1) + _INT.pack(_ALL_PERMISSIONS) + _string("world") + _string("anyone")


def op_type(op: Op) -> int:
    """Return the opcode of an operation."""
    match op:
        case Check():
            return CHECK
        case Create():
            return CREATE2
        case SetData():
            return SET_DATA
        case Delete():
            return DELETE


def encode_op(op: Op, chroot: str) -> bytes:
    """Return the body of an operation, sent alone or in a multi."""
    path = _string(full_path(chroot, op.path))
    match op:
        case SetData(_, data, version):
            return path + _buffer(data) + _INT.pack(version)
        case Create(_, data, ephemeral, sequential):
            flags = _EPHEMERAL * ephemeral + _SEQUENTIAL * sequential
            return path + _buffer(data) + _OPEN_ACL + _INT.pack(flags)
        case Check(_, version) | Delete(_, version):
            return path + _INT.pack(version)


def encode_multi(ops: Iterable[Op], chroot: str) -> bytes:
    """Return the body of a multi."""
    parts: list[bytes] = []
    for op in ops:
        parts += (_OP_HEADER.pack(op_type(op), False, -1), encode_op(op, chroot))
    parts.append(_END)
    return b"".join(parts)


_GET_DATA_HEADER = _OP_HEADER.pack(GET_DATA, False, -1)
_GET_CHILDREN_HEADER = _OP_HEADER.pack(GET_CHILDREN, False, -1)
_NO_WATCH = b"\0"


def encode_multi_read(reads: Iterable[Read], chroot: str) -> bytes:
    """Return the body of a multiRead.

    It can ask for children without a stat only, so their znode's data is asked for as well.
    """
    parts: list[bytes] = []
    for read in reads:
        path = _string(full_path(chroot, read.path)) + _NO_WATCH
        if not isinstance(read, ReadData):
            parts += (_GET_CHILDREN_HEADER, path)
        parts += (_GET_DATA_HEADER, path)
    parts.append(_END)
    return b"".join(parts)


def encode_sync(chroot: str) -> bytes:
    """Return the body of a sync; the path does not matter, the whole server catches up."""
    return _string(full_path(chroot, "/"))


def encode_add_watch(watch: Watch, chroot: str) -> bytes:
    """Return the body of an addWatch."""
    mode = _RECURSIVE_WATCH if watch.recursive else _PERSISTENT_WATCH
    return _string(full_path(chroot, watch.path)) + _INT.pack(mode)


# --- answers ---------------------------------------------------------------------------------


def _read_string(raw: bytes, offset: int) -> tuple[str, int]:
    (length,) = _INT.unpack_from(raw, offset)
    start = offset + _INT.size
    if not 0 <= length <= len(raw) - start:
        raise JuteError(f"a string of {length} bytes, where {len(raw) - start} are left")
    return raw[start : start + length].decode(), start + length


def decode_op(op: Op, raw: bytes, offset: int, chroot: str) -> tuple[OpResult, int]:
    """Read what an operation left behind; return it and where it ends."""
    match op:
        case Create():
            path, offset = _read_string(raw, offset)
            czxid, mzxid, version, _ = _STAT.unpack_from(raw, offset)
            result = OpResult(path[len(chroot) :], version, czxid, mzxid)
            return result, offset + _STAT.size
        case SetData(path):
            czxid, mzxid, version, _ = _STAT.unpack_from(raw, offset)
            return OpResult(path, version, czxid, mzxid), offset + _STAT.size
        case Check(path) | Delete(path):
            return OpResult(path), offset


def decode_multi(
    ops: Sequence[Op], raw: bytes, offset: int, chroot: str
) -> tuple[OpResult, ...] | Failed:
    """Read a multi's answer: one result per operation, or which one failed."""
    results: list[OpResult] = []
    for index, op in enumerate(ops):
        found, _, code = _OP_HEADER.unpack_from(raw, offset)
        offset += _OP_HEADER.size
        if found == -1:
            offset += _INT.size
            if code not in _BYSTANDERS:
                return Failed(index, code)
            continue
        if found != op_type(op):
            raise JuteError(f"operation {index} of a multi, {op!r}, is answered by type {found}")
        result, offset = decode_op(op, raw, offset, chroot)
        results.append(result)
    if len(results) != len(ops):
        raise JuteError(f"a multi of {len(ops)} operations failed, but none of them did")
    return tuple(results)


def decode_multi_read(reads: Sequence[Read], raw: bytes, offset: int) -> tuple[ReadResult, ...]:
    """Read a multiRead's answer: one result per read, each with an error of its own if it has one.

    (ZooKeeper: FinalRequestProcessor, case multiRead; OpResult.ErrorResult.)
    """
    results: list[ReadResult] = []
    item, stat = _ITEM.unpack_from, _STAT.unpack_from
    for read in reads:
        path = read.path
        names: tuple[str, ...] | None = None
        kind, _, code, length = item(raw, offset)
        offset += _ITEM.size
        if kind == GET_CHILDREN:
            names, offset = _read_names(raw, offset, length)
            kind, _, code, length = item(raw, offset)
            offset += _ITEM.size
        elif not isinstance(read, ReadData):
            again = item(raw, offset)[0]  # the same error, for the znode's data
            if kind != -1 or again != -1:
                raise JuteError(f"the children of {path} are answered by types {kind}, {again}")
            offset += _ITEM.size
        if kind == -1:
            missing = code == _NO_NODE
            results.append(Missing(path) if missing else Unreadable(path, _error_name(code)))
            continue
        if kind != GET_DATA:
            raise JuteError(f"the read of {path} is answered by type {kind}")
        data = None
        if length >= 0:  # -1 is null
            data = raw[offset : offset + length]
            offset += length
        if names is None:
            czxid, mzxid, version, owner = stat(raw, offset)
            results.append(Znode(path, data, version, czxid, mzxid, owner))
        else:
            czxid, cversion = _STAT_CVERSION.unpack_from(raw, offset)
            results.append(Children(path, names, cversion, czxid))
        offset += _STAT.size
    return tuple(results)


def _read_names(raw: bytes, offset: int, count: int) -> tuple[tuple[str, ...], int]:
    names = []
    for _ in range(count):
        name, offset = _read_string(raw, offset)
        names.append(name)
    return tuple(sorted(names)), offset


def decode_watch_event(raw: bytes, offset: int, chroot: str) -> tuple[int, str]:
    """Read a watch event: its type, and the path below the chroot."""
    (kind,) = _INT.unpack_from(raw, offset)
    path, _ = _read_string(raw, offset + 2 * _INT.size)
    return kind, path[len(chroot) :] or "/"
