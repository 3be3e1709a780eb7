"""A sweep as a page: what must be green or red and is not, then every cell."""

from __future__ import annotations

from collections.abc import Sequence

from klamm.tools.pipeline.reports.charts import bars
from klamm.tools.pipeline.reports.page import Figures, Grid, Page, Part, Text
from klamm.tools.pipeline.tables import Row

_PRODUCT, _WELL = "klamm", "well"
#: More bars than that nobody can read; the table has them all.
_MOST_BARS = 40


def page(cells: Sequence[Row], revision: str, traces: Sequence[str]) -> Page:
    """Return the page of a sweep.

    `cells` are rows of `sweep.MATRIX` with `must` (green, red or "") and `says`; those that have
    not run have only these. `traces` are the files of what was found.
    """
    ran = [row for row in cells if "runs" in row]
    wrong = [row for row in cells if row["says"] != _WELL]
    hunted = [row for row in ran if row["variant"] and row["must"] == "red"]
    product = [row for row in ran if not row["variant"]]
    parts: list[Part] = [
        Figures(
            {
                "Runs": sum(row["runs"] for row in ran),
                "Not as it must be": len(wrong),
                "Variants found": f"{sum(row['broken'] > 0 for row in hunted)} of {len(hunted)}",
                "Runs of klamm": sum(row["runs"] for row in product),
                "of these broken": sum(row["broken"] for row in product),
                "Digest": f"{sum(row['digest'] for row in ran):x}",
            }
        ),
        Text(
            f"Code {revision}. klamm must be green everywhere, and each variant, which is klamm"
            " with a bug of history put back in, red where it says that it is seen."
        ),
    ]
    if wrong:
        parts.append(_grid("Not as it must be", wrong))
    seeded = [row for row in hunted if row["runs"] > 1][:_MOST_BARS]
    if seeded:
        parts.append(
            bars(
                "How many seeds show a variant",
                [f"{row['variant']} in {row['scope']}" for row in seeded],
                {"of 100 seeds": [100 * row["broken"] / row["runs"] for row in seeded]},
                "seeds",
            )
        )
    parts.append(_grid("All of it", ran))
    if traces:
        parts.append(Grid("Traces", ("klamm lab replay",), [(name,) for name in traces]))
    return Page("Sweep of the lab", parts)


def _grid(heading: str, rows: Sequence[Row]) -> Grid:
    columns = ("Where", "What", "Runs", "Broken", "First seed", "Violated", "Says", "How")
    return Grid(
        heading,
        columns,
        [
            (
                row.get("scope"),
                row.get("variant") or _PRODUCT,
                row.get("runs"),
                row.get("broken"),
                row.get("first_seed"),
                ", ".join(row.get("violated") or ()),
                row["says"],
                row.get("text"),
            )
            for row in rows
        ],
    )
