"""What was taken in, as a page: how much, of which files, and what was put aside."""

from __future__ import annotations

from collections import Counter

from klamm.tools.pipeline.jobs.ingest import Summary
from klamm.tools.pipeline.reports.page import Figures, Grid, Page, Part, Text

#: So many files are listed, those that something is to be said of first.
_LISTED = 500
_COLUMNS = ("file", "format", "status", "lines", "rows", "quarantined", "passed over", "note")


def page(summary: Summary, cluster: str) -> Page:
    """Return the page of a run; as large as there are tables, and at most so many files."""
    states = Counter(file.status for file in summary.files)
    files = sorted(summary.files, key=lambda file: (file.status != "unreadable", -file.quarantined))
    parts: list[Part] = [
        Figures(
            {
                "Files": len(summary.files),
                "Taken in": states["new"] + states["grown"],
                "Known already": states["known"],
                "Could not be read": summary.unreadable,
                "Rows": sum(summary.rows.values()),
                "Lines quarantined": summary.quarantined,
            }
        ),
        Grid(
            "Rows by table",
            ("table", "rows"),
            list(summary.rows.items()),
            note="What is known already gives no row again.",
        ),
        Grid(
            "Files",
            _COLUMNS,
            [
                (
                    file.path,
                    file.format,
                    file.status,
                    file.lines,
                    sum(file.rows.values()),
                    file.quarantined,
                    file.passed_over,
                    file.note,
                )
                for file in files[:_LISTED]
            ],
        ),
    ]
    if len(files) > _LISTED:
        parts.append(Text(f"{len(files) - _LISTED:,} more files are not listed here."))
    if summary.quarantined:
        parts.append(Text("Table quarantine has each line that could not be read, and why."))
    return Page(f"Ingest of {cluster}", parts)
