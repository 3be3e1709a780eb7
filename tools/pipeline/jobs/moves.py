"""`klamm pipeline moves`: from `events` to `moves`, `waves` and `progress`, and what they come to.

The moves of a partition follow from its own events and from a little that is known of the cluster
as a whole, which goes to every executor. All figures are counted where the rows are: what comes
back to the driver is bounded, whatever the size of the history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from klamm.tools.pipeline.history import copied, phases, status, surroundings, waves
from klamm.tools.pipeline.history import moves as history
from klamm.tools.pipeline.history.kinds import CLIENT
from klamm.tools.pipeline.history.order import ORDER
from klamm.tools.pipeline.history.surroundings import Surroundings
from klamm.tools.pipeline.jobs.around import around_on_spark, around_plain
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.steps import ByKey, ByRow
from klamm.tools.pipeline.tables import EVENTS, MOVES, PROGRESS, REPLICAS, Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Without any sign of progress for so long a move that is not over counts as stuck.
STUCK_AFTER_S = 3600.0
#: How many of the slowest, of the stuck and of others are told of one by one.
SLOWEST, LISTED, DRAWN = 5, 50, 200
#: In so many stretches of time moves are counted, over all of a history.
STRETCHES = 96

_ORIGINS = (*surroundings.TELLERS, CLIENT)
#: What has not come to an end.
_OPEN = ("running", "stuck")
#: Moves that a tool has asked for, or may have: Kafka's logs do not say.
_BY_REQUEST = ("api", "unknown")
_SHOWN = [name for name in MOVES.schema.names if name not in ("date", "evidence")]


@dataclass(frozen=True, slots=True)
class Settings:
    """By which times things are told apart."""

    stuck_after_s: float = STUCK_AFTER_S
    gap_ms: int = waves.GAP_MS
    pause_ms: int = waves.PAUSE_MS


@dataclass(frozen=True, slots=True)
class Findings:
    """What a history's moves come to: little, whatever their number. Rows are as in their tables.

    `slowest` and `stuck` are rows of `moves`, `lost` too. `throttled` are topics and brokers
    (`topics/orders`, `brokers/3`) whose throttles were set, and not unset when all that they were
    for was over. `drawn` are moves from the first on, at most DRAWN. `in_flight` is by stretches
    of `width_ms`. `curves` are replicas of requests with how many points they have, and how many
    of these fell.
    """

    clusters: Mapping[str, Surroundings]
    results: Sequence[Row]
    quantiles: Sequence[Row]
    spread: Sequence[Row]
    slowest: Sequence[Row]
    stuck: Sequence[Row]
    lost: Sequence[Row]
    throttled: Sequence[Row]
    drawn: Sequence[Row]
    in_flight: Sequence[Row]
    width_ms: int
    skew: Sequence[Row]
    waves: Sequence[Row]
    curves: Sequence[Row]

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return sum(row["moves"] for row in self.results)


def step(around: Mapping[str, Surroundings], settings: Settings) -> ByKey:
    """Return what makes a partition's events its moves."""
    stuck_ms = round(settings.stuck_after_s * 1000)
    fold = partial(history.fold, surroundings=around, stuck_after_ms=stuck_ms)
    return ByKey(("cluster", "topic", "partition"), ORDER, history.READS, MOVES, fold)


def wave_step(settings: Settings) -> ByKey:
    """Return what makes a client's moves waves."""
    find = partial(waves.waves, gap_ms=settings.gap_ms, pause_ms=settings.pause_ms)
    order = ("requested_ms", "move_id")
    return ByKey(("cluster", "client_id"), order, waves.READS, waves.WAVES, find)


#: What makes status entries points of curves, and what compares the points of a curve.
POINTS = ByRow(status.READS, PROGRESS, status.points)
CURVES = ByKey(status.CURVE, status.POINTS, status.COLUMNS, PROGRESS, status.curve)


def plain(lake: Lake, settings: Settings) -> Findings:
    """Do all of it in this process; raises LakeError."""
    events = lake.read_plain(EVENTS)
    around = around_plain(events)
    about = pc.field("partition").is_valid() & pc.field("origin").isin(_ORIGINS)
    moves = step(around, settings).plain(events.filter(about))
    moves = copied.with_bytes(moves, lake.read_plain(REPLICAS))
    lake.write_plain(moves, MOVES, clusters=list(around))
    asked = moves.filter(pc.field("source").isin(_BY_REQUEST))
    found = wave_step(settings).plain(asked)
    lake.write_plain(found, waves.WAVES, clusters=list(around))
    entries = events.filter(pc.field("kind").isin(status.KINDS))
    kept = lake.read_plain(PROGRESS)
    kept = kept.filter(pc.field("request") == status.ANSWERS)
    progress = CURVES.plain(pa.concat_tables([POINTS.plain(entries), kept]))
    lake.write_plain(progress, PROGRESS, clusters=list(around))
    rows = moves.select(_SHOWN).to_pylist()
    start_ms, width_ms, ends_ms = _stretches(rows, around)
    results = phases.results(moves)
    return Findings(
        around,
        results,
        _in_order(phases.quantiles(moves)),
        _in_order(phases.spread(moves)),
        sorted((r for r in rows if _took(r) is not None), key=_slowness)[:SLOWEST],
        _first((r for r in rows if r["result"] == "stuck"), LISTED),
        _first((r for r in rows if r["result"] == "lost"), LISTED),
        _left(around, results, {(r["cluster"], r["topic"]) for r in rows if r["result"] in _OPEN}),
        _first(rows, DRAWN),
        phases.in_flight(moves, start_ms, width_ms, ends_ms),
        width_ms,
        phases.skew(moves),
        waves.runs(found)[:LISTED],
        _curves(progress.to_pylist()),
    )


def on_spark(spark: SparkSession, lake: Lake, settings: Settings) -> Findings:
    """Do all of it on Spark; raises LakeError."""
    from pyspark.sql import functions as F

    events = lake.read(spark, EVENTS)
    around = around_on_spark(events)
    about = F.col("partition").isNotNull() & F.col("origin").isin(*_ORIGINS)
    moves = step(around, settings).on_spark(events.where(about))
    moves = copied.with_bytes_on_spark(moves, lake.read(spark, REPLICAS))
    lake.write(moves, MOVES, clusters=list(around))
    # What follows reads what was written: nothing is worked out twice.
    moves = lake.read(spark, MOVES)
    asked = moves.where(F.col("source").isin(*_BY_REQUEST))
    lake.write(wave_step(settings).on_spark(asked), waves.WAVES, clusters=list(around))
    entries = POINTS.on_spark(events.where(F.col("kind").isin(*status.KINDS)))
    kept = lake.read(spark, PROGRESS).where(F.col("request") == status.ANSWERS)
    lake.write(CURVES.on_spark(entries.unionByName(kept)), PROGRESS, clusters=list(around))
    shown = moves.select(*_SHOWN)
    bounds = [row.asDict() for row in moves.agg(F.min("seen_ms").alias("seen_ms")).collect()]
    start_ms, width_ms, ends_ms = _stretches(bounds, around)
    took = F.col("ended_ms") - F.col("requested_ms")
    slowest = shown.where(took.isNotNull() & (F.col("result") == "done"))
    order = ("seen_ms", "cluster", "move_id")
    curves = (
        lake.read(spark, PROGRESS)
        .groupBy(*status.CURVE)
        .agg(F.count("*").alias("points"), F.sum(F.col("fell").cast("int")).alias("fell"))
    )
    # Of topics only those count that have a throttle: what is collected stays small.
    throttled = {
        entity.removeprefix("topics/")
        for each in around.values()
        for entity, _ in each.set_throttles()
    }
    still = moves.where(F.col("result").isin(*_OPEN) & F.col("topic").isin(*throttled))
    still = still.select("cluster", "topic").distinct()
    results = _dicts(phases.results_on_spark(moves), None)
    return Findings(
        around,
        results,
        _in_order(_dicts(phases.quantiles_on_spark(moves), None)),
        _in_order(_dicts(phases.spread_on_spark(moves), None)),
        _dicts(slowest.orderBy(took.desc(), *order), SLOWEST),
        _dicts(shown.where(F.col("result") == "stuck").orderBy(*order), LISTED),
        _dicts(shown.where(F.col("result") == "lost").orderBy(*order), LISTED),
        _left(around, results, {(each.cluster, each.topic) for each in still.collect()}),
        _dicts(shown.orderBy(*order), DRAWN),
        _dicts(phases.in_flight_on_spark(moves, start_ms, width_ms, ends_ms), None),
        width_ms,
        _dicts(phases.skew_on_spark(moves), None),
        _dicts(waves.runs_on_spark(lake.read(spark, waves.WAVES)), LISTED),
        _dicts(curves.orderBy(*status.CURVE), LISTED),
    )


def _left(
    around: Mapping[str, Surroundings], results: Sequence[Row], still: Collection[tuple[str, str]]
) -> list[Row]:
    """Find throttles that nothing needs: their topic moves no more, or, of brokers, nothing."""
    busy = {row["cluster"] for row in results if row["result"] in _OPEN}
    found: list[Row] = []
    for cluster, each in around.items():
        for entity, since_ms in each.set_throttles():
            kind, _, name = entity.partition("/")
            needed = (cluster, name) in still if kind == "topics" else cluster in busy
            if not needed:
                found.append({"cluster": cluster, "entity": entity, "since_ms": since_ms})
    return found[:LISTED]


def _dicts(frame: DataFrame, limit: int | None) -> list[Row]:
    return [row.asDict() for row in (frame if limit is None else frame.limit(limit)).collect()]


def _in_order(rows: Iterable[Row]) -> list[Row]:
    """Phases as they follow each other."""
    places = list(phases.PHASES)
    return sorted(rows, key=lambda row: (row["cluster"], places.index(row["phase"])))


def _stretches(rows: Iterable[Row], around: Mapping[str, Surroundings]) -> tuple[int, int, int]:
    """Return where the stretches of a heat map begin, how wide they are, and where they end."""
    ends_ms = max((each.ends_ms for each in around.values()), default=0)
    starts = [row["seen_ms"] for row in rows if row["seen_ms"] is not None]
    start_ms = min(starts, default=ends_ms)
    return start_ms, max(1, -(-(ends_ms - start_ms + 1) // STRETCHES)), ends_ms


def _took(row: Row) -> int | None:
    if row["result"] != "done" or row["requested_ms"] is None:
        return None
    return int(row["ended_ms"] - row["requested_ms"])


def _order(row: Row) -> tuple[int, str, str]:
    return row["seen_ms"], row["cluster"], row["move_id"]


def _slowness(row: Row) -> tuple[int, tuple[int, str, str]]:
    return -(_took(row) or 0), _order(row)


def _first(rows: Iterable[Row], count: int) -> list[Row]:
    return sorted(rows, key=_order)[:count]


def _curves(progress: Iterable[Row]) -> list[dict[str, Any]]:
    counts: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in progress:
        count = counts[tuple(row[name] for name in status.CURVE)]
        count[0] += 1
        count[1] += bool(row["fell"])
    return [
        {**dict(zip(status.CURVE, key, strict=True)), "points": points, "fell": fell}
        for key, (points, fell) in sorted(counts.items())
    ][:LISTED]
