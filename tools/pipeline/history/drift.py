"""How a cluster drifts: growth by the day, who is hot, and when the next move will be needed.

Pure, over rows that are few: one per broker and day, one per topic. How they are gathered, by Spark
or in this process, is in `klamm.tools.pipeline.jobs.drift`.

Growth is the median of what was added within a week, per day (from day to day, while there are
fewer than fifteen days). A move adds or takes much at once, and but few of those weeks have it: the
median does not see it, where least squares would take it for growth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from statistics import fmean
from typing import Final, NamedTuple

from klamm.tools.pipeline.history.percentiles import percentile

#: Days apart that are compared, once there are more than two of that many.
WEEK: Final = 7
#: Beyond this nobody can tell.
HORIZON_DAYS: Final = 3650


class BrokerDay(NamedTuple):
    """A broker at the end of a day. What no source says is None."""

    cluster: str
    date: str
    broker: int
    bytes: int | None = None
    replicas: int | None = None
    leaders: int | None = None
    #: Of the partitions that it leads: what producers send it.
    bytes_in_per_s: int | None = None


class TopicGrowth(NamedTuple):
    """A topic with all its replicas: on how many days seen, its size then, growth per day."""

    cluster: str
    topic: str
    days: int
    bytes: int
    bytes_per_day: float | None


@dataclass(frozen=True, slots=True)
class Limits:
    """When a move is needed: at `full` of a capacity, or at `share` of the brokers' mean."""

    full: float = 0.8
    share: float = 1.25

    def __post_init__(self) -> None:
        if not 0 < self.full <= 1:
            raise ValueError(f"full {self.full}: a part of the capacity is more than 0, at most 1")
        if self.share <= 1:
            raise ValueError(f"share {self.share}: a multiple of the mean is more than 1")


@dataclass(frozen=True, slots=True)
class Outlook:
    """A broker today, and when it needs relief. Dates are days as 2026-01-31.

    `full_on` is when it reaches its limit of the capacity, `over_on` when it holds too much more
    than the mean; the last day seen if it is so already, None if never within ten years or if
    nobody can tell.
    """

    cluster: str
    broker: int
    date: str
    bytes: int
    capacity_bytes: int | None
    bytes_per_day: float | None
    #: Against the mean of all brokers of that day: 1.0 is a fair share.
    share: float
    leaders_share: float | None
    traffic_share: float | None
    full_on: str | None
    over_on: str | None

    @property
    def relief_on(self) -> str | None:
        """The first day on which something should be moved away."""
        return min((day for day in (self.full_on, self.over_on) if day), default=None)


@dataclass(frozen=True, slots=True)
class Drift:
    """All of it; brokers by cluster and id, topics by growth, the fastest first."""

    limits: Limits
    days: Sequence[BrokerDay]
    brokers: Sequence[Outlook]
    topics: Sequence[TopicGrowth] = field(default=())

    @property
    def next_move(self) -> Outlook | None:
        """The broker that needs relief first; None if none does that anybody can foresee."""
        due = [each for each in self.brokers if each.relief_on]
        return min(due, key=lambda each: (each.relief_on, each.cluster, each.broker), default=None)


def growth(series: Iterable[tuple[int, float]]) -> float | None:
    """Return what is added per day, of values by the number of a day; None for a single day."""
    known = sorted(series)
    lag = WEEK if len(known) > 2 * WEEK else 1
    rates = sorted(
        (after - before) / (later - earlier)
        for (earlier, before), (later, after) in zip(known, known[lag:], strict=False)
    )
    return percentile(rates, 0.5) if rates else None


def outlook(
    days: Sequence[BrokerDay],
    topics: Sequence[TopicGrowth],
    capacities: dict[tuple[str, int], int],
    limits: Limits,
) -> Drift:
    """Tell of every broker that holds something on its cluster's last day."""
    series: dict[tuple[str, int], list[tuple[int, float]]] = defaultdict(list)
    clusters: dict[str, dict[str, list[BrokerDay]]] = defaultdict(lambda: defaultdict(list))
    for each in days:
        if each.bytes is not None:
            series[each.cluster, each.broker].append((ordinal(each.date), each.bytes))
            clusters[each.cluster][each.date].append(each)
    rates = {key: growth(values) for key, values in series.items()}
    found = []
    for cluster, by_date in sorted(clusters.items()):
        today = sorted(by_date[max(by_date)], key=lambda each: each.broker)
        mean = fmean(each.bytes or 0 for each in today)
        mean_rate = fmean(rates[cluster, each.broker] or 0.0 for each in today)
        led = _last_led(each for each in days if each.cluster == cluster)
        # Who is named nowhere as a leader leads nothing.
        leading = [led.get(each.broker) for each in today]
        leaders = fmean(each.leaders or 0 if each else 0 for each in leading)
        traffic = fmean(each.bytes_in_per_s or 0 if each else 0 for each in leading)
        for each, leads in zip(today, leading, strict=True):
            held, rate = each.bytes or 0, rates[cluster, each.broker]
            capacity = capacities.get((cluster, each.broker))
            found.append(
                Outlook(
                    cluster,
                    each.broker,
                    each.date,
                    held,
                    capacity,
                    rate,
                    held / mean if mean else 1.0,
                    _share(leads and leads.leaders, leaders),
                    _share(leads and leads.bytes_in_per_s, traffic),
                    _when(each.date, held, rate, limits.full * capacity, 0.0) if capacity else None,
                    _when(each.date, held, rate, limits.share * mean, limits.share * mean_rate),
                )
            )
    ordered = sorted(days, key=lambda each: (each.cluster, each.date, each.broker))
    return Drift(limits, ordered, found, topics)


def ordinal(day: str) -> int:
    """Return the number of a day such as 2026-01-31."""
    return date.fromisoformat(day).toordinal()


def _last_led(days: Iterable[BrokerDay]) -> dict[int, BrokerDay]:
    """Return by broker what it led on the last day of which leaders are known."""
    by_date: dict[str, dict[int, BrokerDay]] = defaultdict(dict)
    for each in days:
        if each.leaders is not None:
            by_date[each.date][each.broker] = each
    return by_date[max(by_date)] if by_date else {}


def _share(value: int | None, mean: float) -> float | None:
    return (value or 0) / mean if mean else None


def _when(
    today: str, held: float, rate: float | None, limit: float, limit_rate: float
) -> str | None:
    """Return the day on which a growing amount reaches a limit that may grow as well."""
    if held >= limit:
        return today
    # Who does not grow needs no relief, even if the others shrink faster.
    if rate is None or rate <= 0:
        return None
    closing = rate - limit_rate
    if closing <= 0 or (limit - held) / closing > HORIZON_DAYS:
        return None
    # The first whole day on which it is so.
    days = -(-(limit - held) // closing)
    return (date.fromisoformat(today) + timedelta(days=int(days))).isoformat()
