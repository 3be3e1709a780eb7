"""The pages of `klamm pipeline compare`."""

from __future__ import annotations

from collections.abc import Iterator

from klamm.tools.pipeline.history.compare import SHARES, Difference
from klamm.tools.pipeline.jobs.compare import SHOWN, Histories
from klamm.tools.pipeline.jobs.compare_runs import RunSets
from klamm.tools.pipeline.reports.charts import bars
from klamm.tools.pipeline.reports.page import Cell, Figures, Grid, Page, Part, Text

#: What the rows of the comparison of documents and code are about.
NAMED = {
    "D3": "the order of replicas on the way to a target: target first, or as KIP-455 has it",
    "D4": "the order of replicas after a cancel",
    "D5": "who counts for more, a request or the admin znode's entry",
    "": "no known difference between Kafka's documents and its code",
}


def histories_page(found: Histories) -> Page:
    """Tell where two histories part."""
    first, second = found.names
    return Page(f"{first} against {second}", list(_of_histories(found)))


def histories_sentence(found: Histories) -> str:
    """Say in one sentence whether they part."""
    first, second = found.names
    if not found.differ:
        return f"{first} and {second} decided the same about every partition."
    return f"{first} and {second} decided differently about {found.differ:,} partitions."


def runs_page(found: RunSets) -> Page:
    """Tell in what two sets of runs differ."""
    return Page(f"{found.names[0]} against {found.names[1]}", list(_of_runs(found)))


def runs_sentence(found: RunSets) -> str:
    """Say in one sentence what is surely different."""
    first, second = found.names
    sure = [
        f"{each.metric} is {'less' if each.less > each.more else 'more'}"
        for each in found.metrics
        if each.sure
    ]
    if not sure:
        return f"No metric of {second} differs surely from that of {first}."
    return f"With {second} instead of {first}: {', '.join(sure)}."


def _of_histories(found: Histories) -> Iterator[Part]:
    first, second = found.names
    yield Text(histories_sentence(found))
    yield Figures(
        {"partitions that differ": found.differ, "kinds of decisions": len(found.decisions)}
    )
    if found.decisions:
        yield bars(
            "Decisions",
            list(found.decisions),
            {
                first: [each[0] for each in found.decisions.values()],
                second: [each[1] for each in found.decisions.values()],
            },
            "decisions",
            "What controllers decided about partitions.",
        )
    yield Grid(
        "What the first difference is",
        ("row", "about", "partitions"),
        [(name or None, NAMED.get(name, ""), count) for name, count in found.named.items()],
        "Rows D1 to D15 compare what Kafka's documents say with what its code does.",
    )
    yield Grid(
        "Where they part",
        ("topic", "partition", "agreed on", first, second, "row", f"in {first}", f"in {second}"),
        [
            (
                *(row["topic"], row["partition"], row["agreed"], row["first"], row["second"]),
                *(row["named"], _place(row["first_at"]), _place(row["second_at"])),
            )
            for row in found.shown
        ],
        f"The first {SHOWN} partitions by name, each with its first decision that differs.",
    )


def _of_runs(found: RunSets) -> Iterator[Part]:
    first, second = found.names
    yield Text(runs_sentence(found))
    yield Figures(
        {
            "pairs of runs": found.pairs,
            f"only {first}": found.alone[0],
            f"only {second}": found.alone[1],
            "verdicts that differ": sum(
                count for (one, other), count in found.verdicts.items() if one != other
            ),
        }
    )
    yield Grid(
        "Metrics",
        (
            *("metric", "pairs", f"{first} p50", f"{second} p50", f"{first} p95", f"{second} p95"),
            *("median difference", "less", "more", "p", "sure"),
        ),
        [_row(each) for each in found.metrics],
        f"Pairs have the same seed and differ in {found.column} alone. Less and more say in how"
        f" many of them {second} has less, or more, than {first}; p is of the sign test. Sure is"
        " what is below 5% by Holm's method, as several metrics are asked at once.",
    )
    for each in found.metrics:
        yield bars(
            each.metric,
            [f"p{round(share * 100)}" for share in SHARES],
            {first: each.first, second: each.second},
            each.metric,
        )
    yield Grid(
        "Verdicts",
        (first, second, "pairs"),
        [(one, other, count) for (one, other), count in found.verdicts.items()],
    )
    yield Grid(
        "Runs that came out differently",
        ("seed", "scope", first, second),
        [
            (row["seed"], row.get("scope"), row["a_verdict"], row["b_verdict"])
            for row in found.shown
        ],
        f"The first {SHOWN} by seed.",
    )


def _row(each: Difference) -> tuple[Cell, ...]:
    middle, late = SHARES.index(0.5), SHARES.index(0.95)
    return (
        *(each.metric, each.pairs, each.first[middle], each.second[middle]),
        *(each.first[late], each.second[late], each.median, each.less, each.more),
        *(float(f"{each.p:.3g}"), each.sure),
    )


def _place(evidence: dict[str, object] | None) -> str | None:
    return None if evidence is None else f"{evidence['source']}:{evidence['line']}"
