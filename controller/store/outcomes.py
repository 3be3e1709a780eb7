"""What ZooKeeper's answers mean, by the port's names. Raises what `jute` raises."""

from __future__ import annotations

from collections.abc import Sequence

from klamm.controller.store import jute
from klamm.controller.store.link import Failure, Reply
from klamm.controller.store.port import (
    CommitOutcome,
    Committed,
    Conflict,
    Fenced,
    Op,
    OpError,
    Read,
    ReadResult,
    Refused,
    Unknown,
    UpdateOutcome,
)


def commit_outcome(
    answer: Reply | Failure, multi: Sequence[Op], first: int, chroot: str
) -> CommitOutcome:
    """Sort a multi's answer; what comes before operation `first` is the fence."""
    if not isinstance(answer, tuple):
        return plain(answer)
    found = jute.decode_multi(multi, *answer, chroot)
    if not isinstance(found, jute.Failed):
        return Committed(found[first:])
    failure = jute.refusal(found.code)
    if not isinstance(failure, OpError):
        return plain(failure, multi[found.index].path)
    return Conflict(found.index - first, failure) if found.index >= first else Fenced()


def update_outcome(answer: Reply | Failure, op: Op, chroot: str) -> UpdateOutcome:
    """Sort the answer to one operation."""
    match answer:
        case (raw, offset):
            return Committed((jute.decode_op(op, raw, offset, chroot)[0],))
        case OpError():
            return Conflict(0, answer)
        case failure:
            return plain(failure, op.path)


def read_outcome(
    answer: Reply | Failure, part: Sequence[Read]
) -> tuple[ReadResult, ...] | Refused | Unknown:
    """Sort a multiRead's answer."""
    if not isinstance(answer, tuple):
        return plain(answer)
    return jute.decode_multi_read(part, *answer)


def plain(failure: Failure, path: str = "") -> Refused | Unknown:
    """Make a refusal of what is no conflict here, and name the path if there is one."""
    if isinstance(failure, Unknown):
        return failure
    error = failure.value if isinstance(failure, OpError) else failure.error
    return Refused(f"{path}: {error}" if path else error)
