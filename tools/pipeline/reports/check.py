"""The page of `klamm pipeline check`: which rules a history kept, and where it did not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import gcd

from klamm.tools.pipeline.jobs.check import SHOWN, Summary
from klamm.tools.pipeline.reports.charts import heat_map
from klamm.tools.pipeline.reports.page import Figures, Grid, Page, Part, Text, as_time
from klamm.tools.pipeline.tables import Row

_EVIDENCE = 3


def page(found: Summary) -> Page:
    """Return the page; the same findings give the same page."""
    count = {
        (subject, verdict): sum(
            row["count"]
            for row in found.counts
            if (row["subject"], row["verdict"]) == (subject, verdict)
        )
        for subject in ("partition", "cluster")
        for verdict in ("kept", "broken", "unknown")
    }
    parts: list[Part] = [
        Figures(
            {
                "partitions kept": count["partition", "kept"],
                "partitions broken": count["partition", "broken"],
                "partitions unknown": count["partition", "unknown"],
                "clusters broken": count["cluster", "broken"],
                "events of partitions": found.events,
            }
        ),
        Text(
            "A partition is kept if no rule that could be judged is broken, and unknown if none"
            " could be. A rule needs sources: what a history does not have makes it unjudged."
        ),
        Grid(
            "Rules that are broken",
            ("rule", "partitions or clusters", "times"),
            [(row["rule"], row["subjects"], row["times"]) for row in found.rules],
            "" if found.rules else "None is.",
        ),
        *_when(found.breaches),
        Grid(
            "Where",
            ("cluster", "partition", "rule", "at", "epoch", "times", "what is wrong", "seen in"),
            [
                (
                    row["cluster"],
                    "" if row["topic"] is None else f"{row['topic']}-{row['partition']}",
                    row["rule"],
                    as_time(row["at_ms"]),
                    row["controller_epoch"],
                    row["times"],
                    row["text"],
                    evidence(row["evidence"]),
                )
                for row in found.broken
            ],
            f"The first {SHOWN}; all are in the table `verdicts`."
            if len(found.broken) >= SHOWN
            else "All there are.",
        ),
        Grid(
            "Rules that could not be judged",
            ("rule", "partitions or clusters"),
            [(row["rule"], row["subjects"]) for row in found.unjudged],
            "For want of sources: ZooKeeper's writes, what brokers and clients saw, or an end.",
        ),
    ]
    return Page("Verdicts of a history", parts)


def _when(breaches: Sequence[Row]) -> list[Part]:
    """Show which rules were broken when: nothing if none was."""
    if not breaches:
        return []
    rules = sorted({row["rule"] for row in breaches})
    known = sorted({row["from_ms"] for row in breaches})
    # Stretches in which nothing was broken are no rows; they are shown empty.
    step = gcd(*(later - first for first, later in pairwise(known))) or 1
    times = range(known[0], known[-1] + 1, step)
    count = {(row["rule"], row["from_ms"]): row["subjects"] for row in breaches}
    values = [[count.get((rule, at)) for at in times] for rule in rules]
    note = "Each partition and cluster counts when it first broke the rule."
    return [heat_map("When rules were broken first", rules, times, values, "subjects", note)]


def evidence(refs: list[dict[str, object]] | None) -> str:
    """Name the last lines that show a breach."""
    shown = [f"{ref['source']}:{ref['line']}" for ref in refs or ()]
    return ", ".join(shown[-_EVIDENCE:])
