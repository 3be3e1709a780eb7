"""A rehearsal in words and tables, for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.table import Table

from klamm.tools.cli._sizes import counted, format_bytes
from klamm.tools.rehearsal.spec import RunSpec
from klamm.tools.rehearsal.summary import Best, Summary, seconds

COLUMNS = (
    "pacing", "runs", "p50", "p95", "not ended", "no leader", "under min", "waits", "skew", "peak",
    "copied", "again",
)  # fmt: skip

MEANINGS = (
    "p50, p95: time to the end of half, and of 95%, of the runs that ended",
    "no leader, under min: the longest that one partition had no leader, or too small an ISR",
    "waits: the longest that a record waited for a member of the ISR (acks=all)",
    "skew: the most partitions that a broker led in the end, over the mean",
    "peak: the most that a broker fetched or served for replication",
    "copied, again: bytes copied per run, and what of them was thrown away or copied twice",
)


def cells(summary: Summary) -> tuple[str, ...]:
    """Return a row, in the order of COLUMNS."""
    return (
        summary.pacing,
        str(summary.runs),
        seconds(summary.p50_s),
        seconds(summary.p95_s),
        f"{summary.risk:.0%}",
        seconds(summary.worst_leaderless_s),
        seconds(summary.worst_min_isr_s),
        seconds(summary.worst_wait_s),
        f"{summary.skew_after:.2f}",
        f"{format_bytes(summary.peak)}/s",
        format_bytes(summary.bytes_moved),
        format_bytes(summary.bytes_wasted),
    )


def story(spec: RunSpec) -> str:
    """Say in a sentence what is rehearsed, and on which terms."""
    stage = spec.stage
    copies = [(each, len({*each.target} - {*each.replicas})) for each in stage.partitions]
    amount = sum(each.size_bytes * count for each, count in copies)
    rate = sum(each.bytes_in_per_s for each in stage.partitions)
    limits = [f"A broker replicates {format_bytes(spec.bandwidth)}/s each way"]
    if spec.copy_rate is not None:
        limits.append(f"a replica copies {format_bytes(spec.copy_rate)}/s at most")
    if spec.throttle is not None:
        limits.append(f"the throttle is {format_bytes(spec.throttle)}/s")
    return (
        f"{counted(len(stage.partitions), 'partition')} move on"
        f" {counted(len(stage.brokers), 'broker')}: {sum(count for _, count in copies)} replicas,"
        f" {format_bytes(amount)} and what is written meanwhile, {format_bytes(rate)}/s."
        f" {', '.join(limits)}."
    )


def show(spec: RunSpec, summaries: Sequence[Summary], notes: Sequence[str], best: Best) -> None:
    """Print it all."""
    for note in notes:
        click.echo(f"note: {note}", err=True)
    groups: dict[str, list[Summary]] = {}
    for each in summaries:
        groups.setdefault(each.fault_model, []).append(each)
    if sys.stdout.isatty():
        console = Console()
        console.print(f"{story(spec)}\n", highlight=False)
        for fault, group in groups.items():
            console.print(_table(fault, group))
    else:
        click.echo(f"{story(spec)}\n")
        for fault, group in groups.items():
            for line in _lines(fault, group):
                click.echo(line)
    for line in (*MEANINGS, "", *_brokers(summaries, best), *_reasons(summaries), best.why):
        click.echo(line)


def _table(fault: str, group: Sequence[Summary]) -> Table:
    table = Table(title=f"faults: {fault}", title_justify="left", box=None)
    for at, heading in enumerate(COLUMNS):
        table.add_column(heading, justify="right" if at else "left", no_wrap=True)
    for each in group:
        table.add_row(*cells(each))
    return table


def _lines(fault: str, group: Sequence[Summary]) -> Iterator[str]:
    rows = [COLUMNS, *map(cells, group)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield f"faults: {fault}"
    for first, *others in rows:
        right = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join((f"{first:<{widths[0]}}", *right)).rstrip()
    yield ""


def _brokers(summaries: Sequence[Summary], best: Best) -> Iterator[str]:
    """Tell what brokers fetch and serve with the best pacing, nothing failing if that was run."""
    own = [each for each in summaries if each.pacing == best.pacing]
    calm = next((each for each in own if each.fault_model == "none"), own[0])
    yield f"bytes replicated per broker, {calm.pacing}, faults {calm.fault_model} (in, out):"
    for broker, into in calm.into.items():
        yield f"  {broker:>6}  {format_bytes(into):>10}  {format_bytes(calm.out[broker]):>10}"
    yield ""


def _reasons(summaries: Sequence[Summary]) -> Iterator[str]:
    for each in summaries:
        for text, count in each.reasons:
            yield f"{each.pacing}, {each.fault_model}: {count} of {each.runs} did not end: {text}"
    if any(each.reasons for each in summaries):
        yield ""
