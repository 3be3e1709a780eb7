"""--progress of KIP-179: one look, one table, and no end to wait for.

The current text asks the leader of each partition of a plan how far its replicas are behind; the
older one (version 8) asks for a request by its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from fractions import Fraction
from typing import Final

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.admin import Admin, Progress, ReplicaStatus, TopicPartitionReplica, errors
from klamm.tools.admin.partitions import LOOK_MS
from klamm.tools.reassign import plan_files
from klamm.tools.reassign.output import Output, TerseError

_PLAN_HEADING: Final = ("Topic", "Partition", "Broker", "Status")
_REQUEST_HEADING: Final = ("Topic", "Partition", "Broker", "Done", "Total", "Percent", "Status")

#: The most rows that are taken in at a glance; beside more of them stands a sum, for people.
_GLANCE: Final = 20
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
_FORGOTTEN: Final = (
    "A request is forgotten some time after its end (reassign.partitions.status.min.retention.ms);"
    " --progress without --request shows the newest that is known."
)
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
    found = {}
    for replica in replicas:
        status, found[replica] = _status(replica, futures[replica], output)
        rows.append((replica.topic, str(replica.partition), str(replica.broker), status))
    output.say(table(rows))
    if len(replicas) > _GLANCE:
        output.warn(sum_of_plan(found))


def sum_of_plan(found: Mapping[TopicPartitionReplica, ReplicaStatus | None]) -> str:
    """Say how many replicas are in sync and which is the last; None where nobody knows."""
    late = {name: status for name, status in found.items() if status and not status.is_in_sync}
    unknown = sum(status is None for status in found.values())
    text = f"{len(found) - len(late) - unknown} of {len(found)} replicas in sync"
    if unknown:
        text += f", {unknown} unknown"
    lags = {name: status.lag for name, status in late.items() if status.lag is not None}
    if lags:
        last = max(lags, key=lambda name: lags[name])
        text += f"; {sum(lags.values())} messages behind, the most {_on(last)}: {lags[last]}"
    return text


def _on(replica: TopicPartitionReplica) -> str:
    return f"{replica.topic}-{replica.partition} on broker {replica.broker}"


def _status(
    replica: TopicPartitionReplica, future: Future[ReplicaStatus], output: Output
) -> tuple[str, ReplicaStatus | None]:
    """Return the words for a replica, and what they say of it if anybody knows."""
    found: ReplicaStatus | None = None
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
        text = status_text(found)
    # With their times, answers of many runs make a curve.
    lag, taken_ms, in_sync = (
        (None, None, None) if found is None else (found.lag, found.status_time, found.is_in_sync)
    )
    told = {"status": text, "lag": lag, "taken_ms": taken_ms, "in_sync": in_sync}
    output.add("replicas", {**replica._asdict(), **told})
    return text, found


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
        output.warn(_FORGOTTEN)
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
    if len(replicas) > _GLANCE:
        output.warn(sum_of_request(replicas))
    output.put(request_id=result.request_id.result(), complete=result.complete().result())


def sum_of_request(replicas: Mapping[TopicPartitionReplica, Progress]) -> str:
    """Say how much of a request is done, in replicas and messages, and which is the last."""
    ended = [progress for progress in replicas.values() if progress.complete]
    failed = sum(progress.error is not None for progress in ended)
    text = f"{len(ended) - failed} of {len(replicas)} replicas complete"
    if failed:
        text += f", {failed} ended otherwise"
    known = {name: each for name, each in replicas.items() if each.denominator}
    done = sum(each.numerator for each in known.values())
    total = sum(each.denominator or 0 for each in known.values())
    if known:
        text += f"; {done} of {total} messages ({percent_of(done, total)})"
    shares = {
        name: Fraction(each.numerator, each.denominator)
        for name, each in known.items()
        if each.denominator and not each.complete
    }
    if shares:
        last = min(shares, key=lambda name: shares[name])
        text += f"; slowest: {_on(last)}, {percent(known[last])}"
    return text


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
    return percent_of(progress.numerator, progress.denominator)


def percent_of(done: int, total: int) -> str:
    """Return a share in tenths of a percent, rounded down."""
    tenths = done * 1000 // total
    return f"{tenths // 10}.{tenths % 10}%"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return lines whose columns are as wide as their longest cell, and two blanks apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
