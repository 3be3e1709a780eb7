"""The page of `klamm pipeline drift`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from klamm.tools.pipeline.history.drift import BrokerDay, Drift, Outlook
from klamm.tools.pipeline.reports.charts import bars, heat_map, lines
from klamm.tools.pipeline.reports.page import Figures, Grid, Page, Part, Text, as_bytes

_GIB = 1024**3


def page(drift: Drift) -> Page:
    """Tell what is, what grows, and what will be needed when."""
    return Page("How the cluster drifts", list(_parts(drift)))


def sentence(drift: Drift) -> str:
    """Say when the next move is needed."""
    due = drift.next_move
    if due is None:
        return "No broker needs relief within ten years, as far as can be told from these days."
    why = (
        f"reaches {drift.limits.full:.0%} of its capacity"
        if due.relief_on == due.full_on
        else f"holds {drift.limits.share:.2f} times as much as the mean"
    )
    when = "already" if due.relief_on == due.date else f"on {due.relief_on}"
    return (
        f"Broker {due.broker} of {due.cluster} needs relief first: it {why} {when},"
        f" and grows by {as_bytes(due.bytes_per_day)} a day."
    )


def _parts(drift: Drift) -> Iterator[Part]:
    yield Text(sentence(drift))
    dates = sorted({each.date for each in drift.days})
    shares = [each.share for each in drift.brokers]
    yield Figures(
        {
            "days": len(dates),
            "brokers": len(drift.brokers),
            "held today": as_bytes(sum(each.bytes for each in drift.brokers)),
            "growth a day": as_bytes(sum(each.bytes_per_day or 0 for each in drift.brokers)),
            "fullest against the mean": f"{max(shares, default=1):.2f}",
            "next move": (drift.next_move and drift.next_move.relief_on) or "none in sight",
        }
    )
    yield Grid(
        "Brokers",
        (
            *("cluster", "broker", "bytes", "of capacity", "a day", "share"),
            *("leaders", "traffic", "full on", "too large on"),
        ),
        [_row(each) for each in drift.brokers],
        "Shares are against the mean of all brokers: 1 is fair. A broker is full at"
        f" {drift.limits.full:.0%} of its capacity, and too large at {drift.limits.share:.2f}"
        " times the mean. Growth a day is the median of weekly growth.",
    )
    for cluster in sorted({each.cluster for each in drift.days}):
        yield from _of_cluster(drift, cluster)
    yield Grid(
        "Topics that grow fastest",
        ("cluster", "topic", "days seen", "bytes", "a day"),
        [
            (
                each.cluster,
                each.topic,
                each.days,
                as_bytes(each.bytes),
                as_bytes(each.bytes_per_day),
            )
            for each in drift.topics
        ],
        "With all their replicas.",
    )


def _of_cluster(drift: Drift, cluster: str) -> Iterator[Part]:
    days = [each for each in drift.days if each.cluster == cluster]
    brokers = sorted({each.broker for each in days})
    dates = sorted({each.date for each in days})
    times = [_ms(day) for day in dates]
    found = {(each.broker, each.date): each for each in days}

    def rows(of: Callable[[BrokerDay], float | None]) -> list[list[float | None]]:
        return [
            [of(found[broker, day]) if (broker, day) in found else None for day in dates]
            for broker in brokers
        ]

    held = rows(lambda each: None if each.bytes is None else each.bytes / _GIB)
    yield heat_map(
        f"Bytes by broker: {cluster}", brokers, times, held, "GiB", "At the end of each day."
    )
    traffic = rows(
        lambda each: None if each.bytes_in_per_s is None else each.bytes_in_per_s / 1024**2
    )
    if any(value is not None for row in traffic for value in row):
        yield heat_map(
            f"Hot brokers: {cluster}",
            brokers,
            times,
            traffic,
            "MiB/s",
            "What producers send each broker, for the partitions that it leads.",
        )
    yield lines(
        f"The whole cluster: {cluster}",
        times,
        {"bytes": [sum(value or 0 for value in column) for column in zip(*held, strict=True)]},
        "GiB",
        "All replicas of all topics.",
    )
    yield from _leaders(drift.brokers, cluster)


def _leaders(brokers: Sequence[Outlook], cluster: str) -> Iterator[Part]:
    ours = [each for each in brokers if each.cluster == cluster]
    yield bars(
        f"Against a fair share: {cluster}",
        [each.broker for each in ours],
        {
            "bytes": [each.share for each in ours],
            "leaders": [each.leaders_share for each in ours],
            "traffic": [each.traffic_share for each in ours],
        },
        "times the mean",
        "On the last day; 1 is fair.",
    )


def _row(each: Outlook) -> tuple[str | int | float | None, ...]:
    used = f"{each.bytes / each.capacity_bytes:.0%}" if each.capacity_bytes else None
    return (
        *(each.cluster, each.broker, as_bytes(each.bytes), used, as_bytes(each.bytes_per_day)),
        *(round(each.share, 3), _rounded(each.leaders_share), _rounded(each.traffic_share)),
        *(each.full_on, each.over_on),
    )


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 3)


def _ms(day: str) -> int:
    return round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)
