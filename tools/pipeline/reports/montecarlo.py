"""Outcomes of many rehearsals as a page: the odds of each pacing under each fault model."""

from __future__ import annotations

from collections.abc import Sequence

from klamm.tools.pipeline.jobs.montecarlo import SHARES, finish_at
from klamm.tools.pipeline.reports.charts import bars
from klamm.tools.pipeline.reports.page import Figures, Grid, Page, Part, Text, as_bytes
from klamm.tools.pipeline.tables import Row

_COLUMNS = (
    "Pacing",
    "Runs",
    "Stuck",
    "Broken",
    "p50, s",
    "p95, s",
    "Longest below min ISR, s",
    "Longest without leader, s",
    "Most under-replicated",
    "Copied",
    "Copied in vain",
    "First seed not well",
)


def page(outcomes: Sequence[Row], sentences: Sequence[str], revision: str) -> Page:
    """Return the page; `outcomes` are rows of `montecarlo.OUTCOMES` with the plan's name."""
    runs = sum(row["runs"] for row in outcomes)
    parts: list[Part] = [
        Figures(
            {
                "Runs": runs,
                "Stuck": sum(row["stuck"] for row in outcomes),
                "Broken": sum(row["broken"] for row in outcomes),
                "Digest": f"{sum(row['digest'] for row in outcomes):x}",
            }
        ),
        Text("\n\n".join((*sentences, f"Code {revision}."))),
    ]
    for plan, fault in sorted({(row["plan"], row["fault_model"]) for row in outcomes}):
        group = sorted(
            (row for row in outcomes if (row["plan"], row["fault_model"]) == (plan, fault)),
            key=lambda row: str(row["pacing"]),
        )
        heading = f"{plan}, {fault}"
        parts.append(Grid(heading, _COLUMNS, [_cells(row) for row in group]))
        parts.append(
            bars(
                f"{heading}: by when how many runs have ended",
                [f"{share:.0%}" for share in SHARES],
                {row["pacing"]: row["finish_s"] for row in group},
                "s",
                "A share that has no bar has not ended.",
            )
        )
    return Page("Plans under faults", parts)


def _cells(row: Row) -> tuple[str | int | float | None, ...]:
    return (
        row["pacing"],
        row["runs"],
        row["stuck"],
        row["broken"],
        finish_at(row, 0.5),
        finish_at(row, 0.95),
        row["min_isr_breach_s"],
        row["leaderless_s"],
        row["max_urp"],
        as_bytes(row["bytes_moved"]),
        as_bytes(row["bytes_wasted"]),
        row["first_seed"],
    )
