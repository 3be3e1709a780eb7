"""How simulated brokers are, as text: a table of 80 columns at most, and what is to be said below.

Takes what the control port answers to `status`, see `klamm.tools.brokers.status`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from klamm.tools.cli._sizes import counted, format_bytes

Broker = Mapping[str, Any]

#: The columns, and what they mean.
COLUMNS = {
    "broker": "its id",
    "state": "up, frozen, lags, pauses or down; with +lost after the loss of a disk",
    "leads": "partitions that it leads",
    "in sync": "partitions that it follows as a member of the ISR",
    "behind": "partitions that it follows and is not in sync with: what moves add, too",
    "data": "what is on its disks",
    "fetches/s": "what it copies from leaders, per second",
    "serves/s": "what others copy from it, per second",
}
_WIDTHS = (6, 11, 5, 7, 6, 10, 10, 10)


def lines(brokers: Sequence[Broker]) -> Iterator[str]:
    """Write a table of brokers, and what lags, is throttled, is copied or is out of sync."""
    yield _row(COLUMNS)
    for broker in brokers:
        roles = broker["roles"]
        yield _row(
            (
                str(broker["id"]),
                _state(broker),
                *(str(roles[role]) for role in ("leads", "in_sync", "out_of_sync")),
                *(format_bytes(broker[field]) for field in ("bytes", "fetch_rate", "serve_rate")),
            )
        )
    for tell in (_limits, _throttles, _additions, _moved, _others):
        for broker in brokers:
            yield from (f"  broker {broker['id']} {text}" for text in tell(broker))


def _row(cells: Sequence[str] | Mapping[str, str]) -> str:
    padded = (
        f"{cell:<{width}}" if column == "state" else f"{cell:>{width}}"
        for column, cell, width in zip(COLUMNS, cells, _WIDTHS, strict=True)
    )
    return "  ".join(padded)


def _broken(broker: Broker) -> list[str]:
    return sorted(name for name, works in broker["log_dirs"].items() if not works)


def _state(broker: Broker) -> str:
    state = "up"
    if not broker["running"]:
        state = "down"
    elif broker["frozen"]:
        state = "frozen"
    elif broker["pause"] is not None:
        state = "pauses"
    elif broker["fetch_limit"] is not None:
        state = "lags"
    return f"{state}+lost" if _broken(broker) else state


def _limits(broker: Broker) -> Iterator[str]:
    if broker["fetch_limit"] is not None:
        yield f"lags: it fetches at most {format_bytes(broker['fetch_limit'])}/s"
    if broker["pause"] is not None:
        yield f"pauses {broker['pause']:g} s before each second of fetching"
    if broken := _broken(broker):
        yield f"has lost {', '.join(broken)}"


def _throttles(broker: Broker) -> Iterator[str]:
    throttles = broker["throttles"]
    for role, moved in (("leader", "serves"), ("follower", "fetches")):
        rate, count = throttles[f"{role}_rate"], throttles[f"{role}_partitions"]
        if rate is not None or count:
            limit = "no rate is set" if rate is None else f"{format_bytes(rate)}/s"
            yield f"{moved} {counted(count, 'partition')} under a {role} throttle: {limit}"


def _additions(broker: Broker) -> Iterator[str]:
    for copy in broker["adding"]:
        done, total = copy["done"], copy["total"]
        percent = int(100 * done / total) if total else 100
        yield (
            f"copies {copy['topic']}-{copy['partition']} from {copy['leader']}:"
            f" {format_bytes(done)} of {format_bytes(total)} ({percent} %)"
        )


def _moved(broker: Broker) -> Iterator[str]:
    counters = broker["counters"]
    brought = counters["ReassignmentBytesInPerSec"]
    taken = counters["ReassignmentBytesOutPerSec"]
    if brought:
        yield f"has fetched {format_bytes(brought)} for reassignments"
    if taken:
        yield f"has served {format_bytes(taken)} for reassignments"


def _others(broker: Broker) -> Iterator[str]:
    for copy in broker["behind"]:
        name = f"{copy['topic']}-{copy['partition']}"
        if copy["leader"] < 0:
            yield f"is out of sync with {name}, which has no leader"
            continue
        missing = format_bytes(copy["total"] - copy["done"])
        yield f"is {missing} behind leader {copy['leader']} of {name}: {_reason(broker, copy)}"


def _reason(broker: Broker, copy: Mapping[str, Any]) -> str:
    if broker["frozen"]:
        return "it is frozen"
    if broker["pause"] is not None:
        return "it pauses"
    if broker["fetch_limit"] is not None:
        return "it lags"
    if copy["throttled"] and broker["throttles"]["follower_rate"] is not None:
        return "it is throttled"
    if copy["done"] == copy["total"]:
        return "it is about to join the ISR"
    return "it is catching up"
