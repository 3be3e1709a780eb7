"""Measurements as a table of text, and as values for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final

from klamm.tools.lab.evidence.incidents import Incident
from klamm.tools.lab.evidence.meter import Measured
from klamm.tools.lab.evidence.policies import Policy
from klamm.tools.lab.evidence.runs import Run
from klamm.tools.lab.evidence.site import Site


def minutes(seconds: float | None) -> str:
    """Write a time: 18:14, or 1:02:03; never, if it did not end."""
    if seconds is None:
        return "never"
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    text = f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else text


def gigabytes(amount: float) -> str:
    """Write bytes: 12.3 GB."""
    return f"{amount / 1e9:.1f} GB"


def megabytes(rate: float) -> str:
    """Write bytes per second, without the unit that the heading has."""
    return f"{rate / 1e6:.0f}"


#: The columns: heading, and what it shows of a measurement.
COLUMNS: Final[Mapping[str, Callable[[Measured], str]]] = MappingProxyType(
    {
        "time": lambda it: minutes(it.seconds),
        "in": lambda it: megabytes(it.peak_in),
        "out": lambda it: megabytes(it.peak_out),
        "waits": lambda it: f"{it.worst_wait:.1f} s",
        "under min": lambda it: minutes(it.under_min_isr),
        "copied": lambda it: gigabytes(it.copied),
        "again": lambda it: gigabytes(it.again),
        "adding": lambda it: str(it.adding),
        "disks": lambda it: gigabytes(it.extra_disk),
    }
)

MEANINGS: Final = (
    "time: from the first request to the end of the last move",
    "in, out: the most that a broker fetched and served for replication, MB/s",
    "waits: the longest that a record waited for a member of the ISR (acks=all)",
    "under min: partitions below min.insync.replicas, or without leader, times how long",
    "copied, again: by replicas being added, and what of it none of the target has",
    "adding, disks: replicas copied at once, and what lay on all disks beyond what is wanted",
)


def cells(run: Run) -> tuple[str, ...]:
    """Return a row: the policy, and each column."""
    return (run.policy.name, *(show(run.measured) for show in COLUMNS.values()))


def headings() -> tuple[str, ...]:
    """Return the row above all others."""
    return ("", *COLUMNS)


def by_incident(runs: Sequence[Run]) -> dict[Incident, list[Run]]:
    """Part runs by what happened in them, in the order in which they are."""
    found: dict[Incident, list[Run]] = {}
    for run in runs:
        found.setdefault(run.incident, []).append(run)
    return found


def lines(runs: Sequence[Run]) -> Iterator[str]:
    """Write the runs as text, a table for each incident."""
    groups = by_incident(runs)
    tops = {incident: (incident.value, *headings()[1:]) for incident in groups}
    rows = [*tops.values(), *map(cells, runs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for incident, group in groups.items():
        yield _line(tops[incident], widths)
        for run in group:
            yield _line(cells(run), widths)
        yield ""


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        f"{cell:<{width}}" if not at else f"{cell:>{width}}"
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join((first, *others)).rstrip()


def story(site: Site, all_policies: Sequence[Policy]) -> str:
    """Say in a sentence what is measured."""
    size = site.size
    replicas = sum(map(len, site.plan.values()))
    return (
        f"{len(site.plan)} partitions move from brokers 1 to {size.old} to brokers {size.old + 1}"
        f" to {2 * size.old}, {len(all_policies)} ways: {replicas} replicas,"
        f" {gigabytes(site.needed)} and what is written meanwhile, {site.ingest / 1e6:.0f} MB/s."
        f" A broker replicates {size.bandwidth / 1e6:.0f} MB/s each way, one replica copies at most"
        f" {size.copy_rate / 1e6:.0f} MB/s, min.insync.replicas is {size.min_in_sync}, the seed"
        f" {site.seed}."
    )


def as_json(site: Site, runs: Sequence[Run], sentences: Sequence[str]) -> dict[str, Any]:
    """Return everything as values: seconds, bytes and bytes per second."""
    return {
        "seed": site.seed,
        "partitions": len(site.plan),
        "replicas": sum(map(len, site.plan.values())),
        "needed": site.needed,
        "runs": [
            {
                "incident": run.incident.name.lower(),
                "policy": run.policy.name,
                "restarts": run.restarts,
                **asdict(run.measured),
            }
            for run in runs
        ],
        "reading": [*sentences],
    }
