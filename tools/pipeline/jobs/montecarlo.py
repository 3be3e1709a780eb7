"""Monte Carlo: a plan by pacings, fault models and many seeds, and what is to be expected of it.

A run is one rehearsal: the real controller and the tool's own pacing in the lab's model of
bandwidth and faults, in virtual time. Executors do the runs; what comes back is a row for each
pacing under each fault model, however many runs there were.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from klamm.tools.lab.evidence.site import MB, Site, Size
from klamm.tools.pipeline.jobs.lab_runs import (
    TODO,
    base,
    digest_column,
    digest_plain,
    mine_on_spark,
    mine_plain,
    tidily,
)
from klamm.tools.pipeline.steps import ByRow
from klamm.tools.pipeline.tables import INT, LONG, REAL, RUNS, TEXT, Row, Table
from klamm.tools.rehearsal.run import rehearse_once
from klamm.tools.rehearsal.spec import BROKEN, DONE, RunSpec, Stage, StagePartition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PROFILE = "rehearsal"
#: The shares of all runs at which times to the end are told: 0, 5, ... 95, 100 percent.
SHARES = tuple(number / 20 for number in range(21))
#: A cluster for whoever has none at hand: 12 partitions move to new brokers, 21 GB of copies.
SAMPLE = Size(old=3, topics=3, partitions=4, wide=0, least_bytes=200 * MB, most_bytes=1000 * MB)
#: What a run is named by anyway, or what grows with it.
_NO_DETAIL = frozenset({"traffic", "bucket_s"})

#: A pacing under a fault model. Times to the end count as endless where a run did not end;
#: `finish_s` has them at `SHARES`. `first_seed` is the first that did not end well, `text` why.
OUTCOMES = Table(
    "outcomes",
    1,
    ("plan_hash", "pacing", "fault_model"),
    {
        "plan_hash": TEXT,
        "pacing": TEXT,
        "fault_model": TEXT,
        "runs": LONG,
        "stuck": LONG,
        "broken": LONG,
        "finish_s": pa.list_(REAL),
        "max_urp": INT,
        "min_isr_breach_s": REAL,
        "leaderless_s": REAL,
        "bytes_moved": REAL,
        "bytes_wasted": REAL,
        "first_seed": LONG,
        "text": TEXT,
        "digest": LONG,
    },
    clustered=False,
)


def sample(seed: int = 0, size: Size = SAMPLE) -> Stage:
    """Return the stage of a cluster whose partitions all move to new brokers."""
    site = Site(seed, size)
    partitions = tuple(
        StagePartition(
            name.topic,
            name.partition,
            site.assignments[name.topic][name.partition],
            target,
            site.topic_bytes[name.topic],
            site.rates[name],
            size.min_in_sync,
        )
        for name, target in sorted(site.plan.items())
    )
    return Stage(tuple(range(1, 2 * size.old + 1)), (), partitions, plan_hash=f"sample-{seed}")


def plan_key(spec: RunSpec) -> str:
    """Return what tells this plan, on its cluster, at these rates, from any other."""
    bare = msgspec.structs.replace(spec, pacing="", fault="", seed=0)
    return blake2b(msgspec.json.encode(bare), digest_size=8).hexdigest()


def kinds(
    plans: Mapping[str, RunSpec], pacings: Sequence[str], faults: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what is to be run by every seed; `plans` are by name."""
    return [
        {
            "profile": PROFILE,
            "scope": name,
            "variant": "",
            "plan_hash": plan_key(spec),
            "fault_model": fault,
            "pacing": pacing,
            "single": False,
        }
        for name, spec in sorted(plans.items())
        for pacing in pacings
        for fault in faults
    ]


# --- one run ---------------------------------------------------------------------------------


def step(plans: Sequence[RunSpec]) -> ByRow:
    """Return what does runs of these plans; each row is handed on as soon as it is there."""
    known = {plan_key(spec): spec for spec in plans}
    return ByRow((*TODO.columns,), RUNS, partial(do, known), batch=1)


def do(plans: Mapping[str, RunSpec], row: Row) -> Iterator[dict[str, Any]]:
    """Do one run of `lab_runs.TODO`; yield its row of RUNS."""
    return tidily(partial(_done, plans), row)


def _done(plans: Mapping[str, RunSpec], row: Row) -> dict[str, Any]:
    spec = msgspec.structs.replace(
        plans[row["plan_hash"]],
        pacing=row["pacing"],
        fault=row["fault_model"],
        seed=row["seed"],
    )
    found = msgspec.to_builtins(rehearse_once(spec))
    told = {name: value for name, value in found.items() if name in RUNS.columns}
    more = {
        name: value
        for name, value in found.items()
        if name not in RUNS.columns and name not in _NO_DETAIL
    }
    return {**told, "detail": json.dumps(more, sort_keys=True), **base(row)}


# --- what they come to -----------------------------------------------------------------------


def outcomes_on_spark(runs: DataFrame, revision: str) -> DataFrame:
    """Return the rows of OUTCOMES of all runs of this code."""
    from pyspark.sql import functions as F

    unwell = F.when(F.col("verdict") != DONE, F.col("seed"))
    shares = ", ".join(map(str, SHARES))
    finish = f"percentile_disc(array({shares})) within group (order by ended_s)"
    endless = F.lit(math.inf)
    return (
        runs.where(mine_on_spark(revision, PROFILE))
        .withColumn("ended_s", F.coalesce("finish_s", endless))
        .groupBy(*OUTCOMES.key)
        .agg(
            F.count("*").alias("runs"),
            F.count_if(~F.col("verdict").isin(DONE, BROKEN)).alias("stuck"),
            F.count_if(F.col("verdict") == BROKEN).alias("broken"),
            F.transform(F.expr(finish), lambda each: F.nullif(each, endless)).alias("finish_s"),
            F.max("max_urp").alias("max_urp"),
            F.max("min_isr_breach_s").alias("min_isr_breach_s"),
            F.max("leaderless_s").alias("leaderless_s"),
            # Sums of whole numbers, so that their order does not matter.
            (F.sum("bytes_moved") / F.count("*")).alias("bytes_moved"),
            (F.sum("bytes_wasted") / F.count("*")).alias("bytes_wasted"),
            F.min(unwell).alias("first_seed"),
            F.min_by("text", unwell).alias("text"),
            digest_column().alias("digest"),
        )
        .select(*OUTCOMES.columns)
        .orderBy(*OUTCOMES.key)
    )


def outcomes_plain(runs: pa.Table, revision: str) -> pa.Table:
    """Return the same of a table in memory."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in runs.filter(mine_plain(revision, PROFILE)).to_pylist():
        groups.setdefault(tuple(row[name] for name in OUTCOMES.key), []).append(row)
    rows = [
        _outcome(dict(zip(OUTCOMES.key, key, strict=True)), groups[key]) for key in sorted(groups)
    ]
    return pa.Table.from_pylist(rows, schema=OUTCOMES.schema)


def _outcome(key: dict[str, Any], group: Sequence[Row]) -> dict[str, Any]:
    ended = sorted(math.inf if row["finish_s"] is None else row["finish_s"] for row in group)
    at = [ended[max(math.ceil(share * len(ended)), 1) - 1] for share in SHARES]
    unwell = [row for row in group if row["verdict"] != DONE]
    first = min(unwell, key=lambda row: row["seed"], default=None)
    broken = sum(row["verdict"] == BROKEN for row in group)
    return {
        **key,
        "runs": len(group),
        "stuck": len(unwell) - broken,
        "broken": broken,
        "finish_s": [None if math.isinf(each) else each for each in at],
        **{
            name: max(row[name] for row in group)
            for name in ("max_urp", "min_isr_breach_s", "leaderless_s")
        },
        **{
            name: sum(row[name] for row in group) / len(group)
            for name in ("bytes_moved", "bytes_wasted")
        },
        "first_seed": None if first is None else first["seed"],
        "text": None if first is None else first["text"],
        "digest": digest_plain(group),
    }


def finish_at(outcome: Row, share: float) -> float | None:
    """Return by when so many of all runs have ended, in seconds; None: they have not."""
    found: float | None = outcome["finish_s"][SHARES.index(share)]
    return found


def best(outcomes: Sequence[Row]) -> Row:
    """Return the best of one fault model.

    That is the one that ends most often, then that which has partitions below
    min.insync.replicas for the shortest time, then the quickest of 95 percent.
    """

    def rank(row: Row) -> tuple[float, float, float, str]:
        unwell = (row["stuck"] + row["broken"]) / row["runs"]
        late = finish_at(row, 0.95)
        quickness = math.inf if late is None else late
        return unwell, row["min_isr_breach_s"], quickness, row["pacing"]

    return min(outcomes, key=rank)


def sentences(outcomes: Sequence[Row]) -> list[str]:
    """Say which pacing is best for each plan under each fault model, and why; then what failed.

    Rows are those of OUTCOMES, with the plan's name as `plan`.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in outcomes:
        groups.setdefault((row["plan"], row["fault_model"]), []).append(row)
    return [
        *(_verdict(*key, groups[key]) for key in sorted(groups)),
        *(
            f"{row['plan']}, {row['fault_model']}, {row['pacing']}: {row['stuck'] + row['broken']}"
            f" of {row['runs']} do not end well; seed {row['first_seed']}: {row['text']}"
            for row in outcomes
            if row["first_seed"] is not None
        ),
    ]


def _verdict(plan: str, fault: str, group: Sequence[Row]) -> str:
    row = best(group)
    well = row["runs"] - row["stuck"] - row["broken"]
    late = finish_at(row, 0.95)
    by = "of which fewer than 95% end" if late is None else f"95% within {late:,.0f} s"
    short = row["min_isr_breach_s"]
    under = f"up to {short:,.0f} s" if short else "never"
    return (
        f"{plan}, {fault}: best is {row['pacing']}: {well} of {row['runs']} end, {by}, and"
        f" {under} below min.insync.replicas."
    )
