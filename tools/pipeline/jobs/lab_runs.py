"""What the jobs that run the lab have in common: runs that are to be done, and rows of those done.

A run is named by what it is (scope, variant, plan, fault model, pacing, seed) and by the code that
did it. So a lake holds each run once, a job that was stopped goes on where it was, and a change of
the code makes all of them new.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from klamm.tools.lab import registry
from klamm.tools.lab.events import Happened
from klamm.tools.lab.run import Opening
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.steps import ByRow
from klamm.tools.pipeline.tables import LONG, RUNS, TEXT, Row, Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The column `cluster` of all runs: they are nobody's cluster.
CLUSTER = "lab"
KEPT, BROKEN = "kept", "broken"
#: What names a run, but for its seed.
KINDS = ("profile", "scope", "variant", "plan_hash", "fault_model", "pacing")
#: Runs that are yet to be done.
TODO = Table(
    "todo",
    1,
    (*KINDS, "seed"),
    {"git_rev": TEXT, **dict.fromkeys(KINDS, TEXT), "seed": LONG},
    clustered=False,
)
#: How many tasks' runs are kept at once, and at most lost when a job is stopped: in this process,
#: on executors, and on many executors for each core.
_TASKS_PLAIN, _TASKS, _TASKS_PER_CORE = 10, 100, 16
#: Hears how many seeds are behind, and how many runs were done for the last of them.
Told = Callable[[int, int], None]
#: Digits of a digest that are added up, so that 2**22 of them stay below 2**63.
_DIGITS = 10


def run_id(row: Row) -> str:
    """Return the name of a run; names sort by what the runs are, then by seed."""
    parts = [row[kind] for kind in KINDS if row[kind]]
    return f"{'/'.join(parts)}/{row['seed']:010d}@{row['git_rev']}"


def base(row: Row) -> dict[str, Any]:
    """Return the columns of a run that are known before it is done."""
    named = {column: row[column] for column in TODO.columns}
    return {"cluster": CLUSTER, "run_id": run_id(row), **named}


def trace_hash(events: Iterable[Happened], *more: object) -> str:
    """Return a digest of all that happened; the same on every machine."""
    digest = blake2b(repr(more).encode(), digest_size=16)
    for it in events:
        told = it.now, it.action, it.details, it.znodes, it.messages, it.replied
        digest.update(repr(told).encode())
    return digest.hexdigest()


#: One world per process and kind, opened when the first run needs it.
_OPENINGS: dict[tuple[str, str], Opening] = {}


def opening(scope: str, variant: str) -> Opening:
    """Return the world of a scope in its beginning."""
    found = _OPENINGS.get((scope, variant))
    if found is None:
        chosen = registry.variant(variant) if variant else None
        found = _OPENINGS[scope, variant] = Opening(ALL_SCOPES[scope], chosen)
    return found


def tidily(function: Callable[[Row], dict[str, Any]], row: Row) -> Iterator[dict[str, Any]]:
    """Do a run without looking for garbage in its middle.

    A world is garbage as a whole when its run is over: then, while it is still in the processor's
    cache, it is looked through, and nothing that was there before it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield function(row)
        gc.collect(0)
    finally:
        if was_on:
            gc.enable()


# --- what is to be done ----------------------------------------------------------------------


def todo_plain(
    kinds: Sequence[Row],
    seeds: range,
    revision: str,
    done: pa.Table | None = None,
    *,
    singles: bool = True,
) -> pa.Table:
    """Return the runs of these kinds and seeds but for those of the same code that are `done`.

    A kind with `single` true has one run, of seed 0, whatever the seeds, and none if not `singles`.
    """
    names = (*TODO.columns,)
    known = set()
    if done is not None:
        known = {tuple(row[name] for name in names) for row in done.select(names).to_pylist()}
    rows = [
        {"git_rev": revision, **{kind: each[kind] for kind in KINDS}, "seed": seed}
        for each in kinds
        for seed in (seeds if not each["single"] else range(singles))
    ]
    left = [row for row in rows if tuple(row[name] for name in names) not in known]
    return pa.Table.from_pylist(left, schema=TODO.schema)


def todo_on_spark(
    spark: SparkSession,
    kinds: Sequence[Row],
    seeds: range,
    revision: str,
    done: DataFrame | None = None,
    *,
    singles: bool = True,
) -> DataFrame:
    """Return the same as a frame; no list of seeds is ever made."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import BooleanType, StringType, StructField, StructType

    fields = [StructField(kind, StringType()) for kind in KINDS]
    schema = StructType([*fields, StructField("single", BooleanType())])
    rows = [(*(each[kind] for kind in KINDS), each["single"]) for each in kinds]
    is_first = (F.col("id") == seeds.start) & F.lit(singles)
    seed = F.when(F.col("single"), F.lit(0)).otherwise(F.col("id"))
    frame = (
        spark.range(seeds.start, seeds.stop)
        .crossJoin(F.broadcast(spark.createDataFrame(rows, schema)))
        .where(~F.col("single") | is_first)
        .select(F.lit(revision).alias("git_rev"), *KINDS, seed.alias("seed"))
    )
    if done is None:
        return frame
    known = done.select(*TODO.columns).alias("known")
    same = [frame[name].eqNullSafe(F.col(f"known.{name}")) for name in TODO.columns]
    return frame.join(known, same, "left_anti")


def mine_plain(revision: str, profile: str) -> pc.Expression:
    """Return what is true of a job's runs by this code, and else false."""
    mine = (pc.field("git_rev") == revision) & (pc.field("profile") == profile)
    return mine & mine.is_valid()


def mine_on_spark(revision: str, profile: str) -> Column:
    """Return the same for Spark."""
    from pyspark.sql import functions as F

    mine = (F.col("git_rev") == revision) & (F.col("profile") == profile)
    return F.coalesce(mine, F.lit(False))


# --- doing it --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """Runs that a job wants: of each of `kinds` those of `count` seeds from `first` on.

    A kind is a row of `KINDS`, with `single` true if it has one run, of seed 0. `step` does a run.
    `each` is how many of them a task has at least, so that one takes some seconds. `revision` is
    the code that does them (`klamm.tools.pipeline.pack.revision`).
    """

    profile: str
    kinds: Sequence[Row]
    first: int
    count: int
    step: ByRow
    revision: str
    each: int

    def rounds(self, most: int) -> Iterator[range]:
        """Part the seeds into ranges of about `most` runs: what is lost if the job is stopped."""
        size = max(1, most // max(1, len(self.kinds)))
        end = self.first + self.count
        for begin in range(self.first, end, size):
            yield range(begin, min(begin + size, end))


def do_plain(work: Work, lake: Lake, told: Told, *, again: bool = False) -> None:
    """Do the runs that are not in the lake yet, in this process; `told` hears after each round."""
    runs = lake.read_plain(RUNS)
    if again:
        others = runs.filter(~mine_plain(work.revision, work.profile))
        lake.write_plain(others, RUNS, "replace", (CLUSTER,))
    done = None if again else runs.filter(mine_plain(work.revision, work.profile))
    for seeds in work.rounds(_TASKS_PLAIN * work.each):
        singles = seeds.start == work.first
        todo = todo_plain(work.kinds, seeds, work.revision, done, singles=singles)
        if todo.num_rows:
            lake.write_plain(work.step.plain(todo), RUNS, "append")
        told(seeds.stop - work.first, todo.num_rows)


def do_on_spark(
    work: Work, spark: SparkSession, lake: Lake, told: Told, *, again: bool = False
) -> None:
    """Do the same on executors.

    Each task gets runs of every kind, for some take longer than others, and hands its rows on while
    it works; nothing is gathered anywhere.
    """
    runs = lake.read(spark, RUNS)
    mine = mine_on_spark(work.revision, work.profile)
    if again:
        lake.write(runs.where(~mine), RUNS, "replace", (CLUSTER,))
    known = runs.where(mine)
    done = None if again or known.isEmpty() else known
    cores = spark.sparkContext.defaultParallelism
    for seeds in work.rounds(max(_TASKS, _TASKS_PER_CORE * cores) * work.each):
        singles = seeds.start == work.first
        todo = todo_on_spark(spark, work.kinds, seeds, work.revision, done, singles=singles)
        tasks = tasks_for(len(seeds) * len(work.kinds), cores, work.each)
        # By a hash of what it is, so that each task has the same runs wherever it is done.
        spread = todo.repartition(tasks, *KINDS, "seed")
        told(seeds.stop - work.first, lake.write(work.step.on_spark(spread), RUNS, "append"))


def tasks_for(runs: int, parallelism: int, each: int) -> int:
    """Return in how many tasks to do so many runs: of about `each`, but enough for all cores."""
    return max(1, min(runs, max(-(-runs // each), 4 * parallelism)))


def digest_plain(runs: Iterable[Mapping[str, Any]]) -> int:
    """Return a sum over all runs' digests, which does not depend on their order."""
    return sum(int(row["trace_hash"][:_DIGITS], 16) for row in runs)


def digest_column() -> Column:
    """Return the same as an aggregate of Spark."""
    from pyspark.sql import functions as F

    digits = F.conv(F.substring("trace_hash", 1, _DIGITS), 16, 10)
    return F.sum(digits.cast("long"))
