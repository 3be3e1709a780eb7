"""The page of a plan: what it moves, how level it leaves the brokers, and the stock tool beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from klamm.tools.pipeline.reports.charts import bars
from klamm.tools.pipeline.reports.page import Cell, Figures, Grid, Page, Part, Text, as_bytes
from klamm.tools.planner.facts import Facts, Load, Spread

_MEASURES: tuple[tuple[str, str, Callable[[Load], float]], ...] = (
    ("Replicas per broker", "replicas", lambda load: load.replicas),
    ("Preferred leaders per broker", "leaders", lambda load: load.leaders),
    ("Bytes per broker", "GiB", lambda load: load.bytes / 2**30),
)


def page(facts: Facts) -> Page:
    """Lay out the page; it grows with brokers and groups, not with partitions."""
    return Page(f"Plan: {facts.what}", [*_head(facts), *_charts(facts), *_tables(facts)])


def _head(facts: Facts) -> Iterator[Part]:
    yield Figures(
        {
            "cluster": facts.cluster_id or None,
            "partitions that change": facts.changed,
            "of": facts.partitions,
            "replicas copied": facts.moved,
            "at least, by any plan": facts.lower_bound,
            "above that": f"{facts.gap:.1%}",
            "bytes copied": as_bytes(facts.after.moved_bytes),
            "partitions with worse racks": facts.after.worse_racks,
            "batches": len(facts.batches),
        }
    )
    if facts.gap:
        yield Text(
            "What any plan copies at least is found by counting, which leaves out racks and room"
            " and what fits where: a part of what this plan copies above that may be no plan's to"
            " spare."
        )
    if facts.amiss:
        off = as_bytes(facts.amiss) if facts.by_bytes else f"{facts.amiss} replicas"
        yield Text(
            f"Loads stay {off} off their fair share, added up over all brokers: racks, room or"
            " sizes forbid the rest."
        )
    columns = (
        "",
        "replicas copied",
        "bytes copied",
        "deviation of replicas (%)",
        "of leaders (%)",
        "of bytes (%)",
        "partitions with a shared rack",
        "with worse racks",
    )
    rows = [_spread("before", facts.before), _spread("this plan", facts.after)]
    note = "Deviations are those of brokers that stay in use, relative to their mean."
    if isinstance(facts.stock, str):
        note += f" The stock --generate has no answer: {facts.stock}."
    else:
        rows.append(_spread("stock --generate", facts.stock))
    yield Grid("Beside the stock tool", columns, rows, note)


def _spread(name: str, spread: Spread) -> tuple[Cell, ...]:
    return (
        name,
        spread.moved,
        as_bytes(spread.moved_bytes),
        round(100 * spread.replicas_deviation, 2),
        round(100 * spread.leaders_deviation, 2),
        round(100 * spread.bytes_deviation, 2),
        spread.crowded,
        spread.worse_racks,
    )


def _charts(facts: Facts) -> Iterator[Part]:
    brokers = sorted(facts.after.loads)
    sides = {"before": facts.before, "this plan": facts.after}
    if not isinstance(facts.stock, str):
        sides["stock --generate"] = facts.stock
    for heading, unit, measure in _MEASURES:
        series = {
            name: [float(measure(side.loads[id_])) for id_ in brokers]
            for name, side in sides.items()
        }
        yield bars(heading, brokers, series, unit)


def _tables(facts: Facts) -> Iterator[Part]:
    yield Grid(
        "Groups",
        ("group", "topics", "partitions", "copied", "bound", "gap (%)", "proven best"),
        [
            (
                each.number,
                each.topics,
                each.partitions,
                each.moved,
                each.bound,
                round(100 * each.gap, 2),
                each.proven,
            )
            for each in facts.groups
        ],
        "The bound is CP-SAT's: with the loads that a group has to keep, none copies fewer.",
    )
    if len(facts.batches) > 1:
        yield Grid("Batches", ("batch", "partitions"), list(enumerate(facts.batches, 1)))
    if facts.factor_changes:
        yield Grid(
            "Replication factor", ("change", "partitions"), list(facts.factor_changes.items())
        )
    if facts.left_out:
        yield Grid(
            "Left out",
            ("partition", "why"),
            list(facts.left_out.items())[:1000],
            f"{len(facts.left_out)} partitions; the first thousand are shown.",
        )
