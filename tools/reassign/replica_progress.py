"""--progress of KIP-179: one look, one table, and no end to wait for.

The current text asks the leader of each partition of a plan how far its replicas are behind; the
older one (version 8) asks for a request by its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Final

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.admin import Admin, Progress, ReplicaStatus, TopicPartitionReplica, errors
from klamm.tools.admin.partitions import LOOK_MS
from klamm.tools.reassign import plan_files
from klamm.tools.reassign.output import Output, TerseError

_PLAN_HEADING: Final = ("Topic", "Partition", "Broker", "Status")
_REQUEST_HEADING: Final = ("Topic", "Partition", "Broker", "Done", "Total", "Percent", "Status")

_UNKNOWN: Final = "Behind: unknown"
#: KIP-179's words for a replica that is not there.
_NOT_THERE: Final[Mapping[int, str]] = {
    ErrorCode.INVALID_TOPIC_EXCEPTION: "Unknown topic",
    ErrorCode.INVALID_PARTITIONS: "Unknown partition",
    ErrorCode.UNKNOWN_MEMBER_ID: "Unknown broker",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "Broker does not host this partition",
    ErrorCode.LEADER_NOT_AVAILABLE: _UNKNOWN,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: _UNKNOWN,
}
_ENDED: Final[Mapping[int, str]] = {
    ErrorCode.NO_REASSIGNMENT_IN_PROGRESS: "Cancelled or superseded",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "Deleted",
}


def show_plan(admin: Admin, plan_json: str, output: Output) -> None:
    """Print how far each replica of a plan is behind, in the plan's order.

    Where no leader answers that is not known, and a warning says why. Raises CommandError and
    AdminError.
    """
    plan = plan_files.parse_plan(plan_json)
    replicas = [
        TopicPartitionReplica(*name, broker) for name, target in plan.entries for broker in target
    ]
    futures = admin.replica_status_of(dict.fromkeys(replicas), LOOK_MS).futures
    rows = [_PLAN_HEADING]
    for replica in replicas:
        status = _status(replica, futures[replica], output)
        rows.append((replica.topic, str(replica.partition), str(replica.broker), status))
    output.say(table(rows))


def _status(replica: TopicPartitionReplica, future: Future[ReplicaStatus], output: Output) -> str:
    lag: int | None = None
    try:
        found = future.result()
    except errors.TimeoutError_ as error:
        output.warn(f"{replica}: {error}")
        text = _UNKNOWN
    except errors.ApiError as error:
        if error.code not in _NOT_THERE:
            raise
        text = _NOT_THERE[error.code]
    else:
        lag = found.lag
        text = status_text(found)
    output.add("replicas", {**replica._asdict(), "status": text, "lag": lag})
    return text


def status_text(status: ReplicaStatus) -> str:
    """Return KIP-179's words for a replica that is there."""
    if status.is_in_sync:
        return "In sync"
    return _UNKNOWN if status.lag is None else f"Behind: {status.lag} messages behind"


def show_request(admin: Admin, request_id: int | None, output: Output) -> None:
    """Print how far each replica of a request is, None for the most recent one.

    Raises TerseError for a request that the cluster does not know, and AdminError.
    """
    result = admin.partition_assignment_status(request_id)
    try:
        replicas = result.all().result()
    except errors.InvalidRequestError as error:
        if request_id is None:
            raise TerseError("There is no reassignment request that is remembered.") from error
        raise TerseError(f"Unknown reassignment request id {request_id}.") from error
    rows = [_REQUEST_HEADING]
    for replica, progress in replicas.items():
        text = progress_text(progress)
        rows.append(
            (
                replica.topic,
                str(replica.partition),
                str(replica.broker),
                str(progress.numerator),
                "-" if progress.denominator is None else str(progress.denominator),
                percent(progress),
                text,
            )
        )
        output.add(
            "replicas",
            {
                **replica._asdict(),
                "done": progress.numerator,
                "total": progress.denominator,
                "complete": progress.complete,
                "status": text,
            },
        )
    output.say(table(rows))
    output.put(request_id=result.request_id.result(), complete=result.complete().result())


def progress_text(progress: Progress) -> str:
    """Say whether a replica is on its way, has arrived, or what has ended it."""
    if (error := progress.error) is None:
        return "Complete" if progress.complete else "In progress"
    if isinstance(error, errors.ApiError) and error.code in _ENDED:
        return _ENDED[error.code]
    return f"Failed: {error}"


def percent(progress: Progress) -> str:
    """Return what is done in tenths of a percent, rounded down, so that 100.0% is all of it."""
    if not progress.denominator:
        return "-"
    tenths = progress.numerator * 1000 // progress.denominator
    return f"{tenths // 10}.{tenths % 10}%"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return lines whose columns are as wide as their longest cell, and two blanks apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
