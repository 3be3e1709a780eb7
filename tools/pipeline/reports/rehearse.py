"""The page of a rehearsal: which pacing is best, how long each takes, and who carries the load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from klamm.tools.pipeline.reports.charts import distribution, heat_map
from klamm.tools.pipeline.reports.page import Figures, Grid, Page, Part, Text, as_bytes
from klamm.tools.rehearsal.spec import DONE, RunRow
from klamm.tools.rehearsal.summary import Best, Summary, seconds

_COLUMNS = (
    "faults", "pacing", "runs", "p50", "p95", "not ended", "longest without leader",
    "longest under min.insync.replicas", "most under-replicated", "longest wait of acks=all",
    "worst leader skew", "leader skew after", "peak of a broker", "copied", "copied in vain",
)  # fmt: skip
_MS = 1000


def page(
    story: str,
    rows: Sequence[RunRow],
    found: Sequence[Summary],
    notes: Sequence[str],
    judged: Best,
) -> Page:
    """Return the page; the rows are of runs, the summaries of all of them."""
    return Page("Rehearsal of a plan", [*_parts(story, rows, found, notes, judged)])


def _parts(
    story: str,
    rows: Sequence[RunRow],
    found: Sequence[Summary],
    notes: Sequence[str],
    judged: Best,
) -> Iterator[Part]:
    yield Text(f"{story}\n\n{judged.why}")
    of_best = [each for each in found if each.pacing == judged.pacing]
    yield Figures(
        {
            "best pacing": judged.pacing,
            "its time to the end (p95, worst fault model)": seconds(_worst(of_best)),
            "runs": len(rows),
            "runs that did not end": sum(row.verdict != DONE for row in rows),
            "plan": rows[0].plan_hash,
        }
    )
    if notes:
        yield Text("\n\n".join(notes))
    yield Grid("Pacings compared", _COLUMNS, [_row(each) for each in found])
    times = {
        f"{each.pacing}, {each.fault_model}": [
            row.finish_s / 60
            for row in rows
            if row.finish_s is not None
            and (row.pacing, row.fault_model) == (each.pacing, each.fault_model)
        ]
        for each in found
    }
    ended = {name: values for name, values in times.items() if values}
    if ended:
        yield distribution("Time to the end", ended, "min", "Of the runs that ended.")
    else:
        yield Text("No run ended: there are no times to show.")
    yield from map(_heat, _shown(rows, found, judged))
    yield Grid(
        "Bytes per broker, on average",
        ("faults", "pacing", "broker", "fetched", "served"),
        [
            (each.fault_model, each.pacing, broker, as_bytes(into), as_bytes(each.out[broker]))
            for each in found
            for broker, into in each.into.items()
        ],
    )
    reasons = [
        (each.fault_model, each.pacing, f"{count} of {each.runs}", text)
        for each in found
        for text, count in each.reasons
    ]
    yield Grid("Why runs did not end", ("faults", "pacing", "runs", "why"), reasons,
               "" if reasons else "All of them ended.")  # fmt: skip


def _worst(found: Sequence[Summary]) -> float | None:
    ends = [each.p95_s for each in found]
    return None if None in ends else max(end for end in ends if end is not None)


def _row(each: Summary) -> tuple[str | int | float, ...]:
    return (
        each.fault_model,
        each.pacing,
        each.runs,
        seconds(each.p50_s),
        seconds(each.p95_s),
        f"{each.risk:.0%}",
        seconds(each.worst_leaderless_s),
        seconds(each.worst_min_isr_s),
        each.worst_urp,
        seconds(each.worst_wait_s),
        round(each.worst_skew, 2),
        round(each.skew_after, 2),
        f"{as_bytes(each.peak)}/s",
        as_bytes(each.bytes_moved),
        as_bytes(each.bytes_wasted),
    )


def _shown(rows: Sequence[RunRow], found: Sequence[Summary], judged: Best) -> Iterator[RunRow]:
    """Yield one run of each fault model: of the best pacing, the one that took longest."""
    for fault in dict.fromkeys(each.fault_model for each in found):
        own = [row for row in rows if (row.pacing, row.fault_model) == (judged.pacing, fault)]
        yield max(own, key=lambda row: (row.virtual_s, -row.seed))


def _heat(row: RunRow) -> Part:
    """Show what brokers replicated in one run, in MB/s, each way together."""
    width = max((len(each.into) for each in row.traffic), default=0)
    what = f"{row.fault}." if row.fault else "Nothing fails."
    return heat_map(
        f"Replication by broker and time: {row.pacing}, {row.fault_model}, seed {row.seed}",
        [each.broker for each in row.traffic],
        [int(at * row.bucket_s * _MS) for at in range(width)],
        [
            [
                round((into + out) / row.bucket_s / 1e6, 3)
                for into, out in zip(each.into, each.out, strict=True)
            ]
            for each in row.traffic
        ],
        "MB/s",
        f"{what} Fetched and served together; time is from the first request on.",
        elapsed=True,
    )
