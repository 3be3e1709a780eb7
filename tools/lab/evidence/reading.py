"""What a table says, in words, of which nothing is not in its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from klamm.tools.lab.evidence.incidents import Incident
from klamm.tools.lab.evidence.runs import Run
from klamm.tools.lab.evidence.table import by_incident, gigabytes, minutes

#: A producer that waits longer than this notices, in seconds.
_NOTICED = 1.0


def sentences(runs: Sequence[Run]) -> list[str]:
    """Read the runs."""
    found = by_incident(runs)
    calm = found.get(Incident.NONE, [])
    return [
        *_of_speed(calm),
        *_of_harm(calm),
        *_of_load(calm),
        *_of_failure(calm, found.get(Incident.OLD, [])),
        *_of_failure(calm, found.get(Incident.NEW, [])),
        *_of_cancel(found.get(Incident.CANCEL, [])),
    ]


def _hurts(run: Run) -> bool:
    return run.measured.worst_wait > _NOTICED or run.measured.under_min_isr > 0


def _harm(run: Run) -> str:
    it = run.measured
    return (
        f"{run.policy.name}: producers waited up to {it.worst_wait:.1f} s, and partitions were"
        f" under min.insync.replicas for {minutes(it.under_min_isr)} in all."
    )


def _peak(run: Run) -> float:
    return max(run.measured.peak_in, run.measured.peak_out)


def _each(runs: Sequence[Run], show: Callable[[Run], str]) -> str:
    return ", ".join(f"{run.policy.name} {show(run)}" for run in runs)


def _of_speed(runs: Sequence[Run]) -> Iterator[str]:
    ended = sorted(
        (run.measured.seconds, at, run)
        for at, run in enumerate(runs)
        if run.measured.seconds is not None
    )
    if not ended:
        return
    quickest, _, first = ended[0]
    yield f"Quickest: {first.policy.name}, {minutes(quickest)}."
    gentle = next(((seconds, run) for seconds, _, run in ended if not _hurts(run)), None)
    if gentle is not None and gentle[1] is not first:
        seconds, run = gentle
        yield (
            f"Quickest that no producer notices: {run.policy.name}, {minutes(seconds)},"
            f" {seconds / quickest:.1f} times as long."
        )


def _of_harm(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        if run.measured.seconds is None:
            yield f"{run.policy.name} does not end."
    harmful = [run for run in runs if _hurts(run)]
    yield from map(_harm, harmful)
    if runs and not harmful:
        yield "No producer noticed any of them."


def _of_load(runs: Sequence[Run]) -> Iterator[str]:
    if len(runs) < 2:
        return
    least, most = min(runs, key=_peak), max(runs, key=_peak)
    yield (
        f"Least load at its peak: {least.policy.name}, {_peak(least) / 1e6:.0f} MB/s on one broker;"
        f" most: {most.policy.name}, {_peak(most) / 1e6:.0f} MB/s."
    )
    least = min(runs, key=lambda run: run.measured.extra_disk)
    most = max(runs, key=lambda run: run.measured.extra_disk)
    yield (
        f"Least room on disks: {least.policy.name}, {gigabytes(least.measured.extra_disk)} more"
        f" than is wanted in the end; most: {most.policy.name},"
        f" {gigabytes(most.measured.extra_disk)}."
    )


def _of_failure(calm: Sequence[Run], failed: Sequence[Run]) -> Iterator[str]:
    """Compare each run with the one of the same policy in which nothing fails."""
    before = {run.policy: run.measured.seconds for run in calm}
    costs = []
    for run in failed:
        seconds, usual = run.measured.seconds, before.get(run.policy)
        if seconds is not None and usual is not None:
            costs.append(f"{run.policy.name} {minutes(max(0.0, seconds - usual))}")
    if costs:
        yield f"If {failed[0].incident.value}, it takes longer by: {', '.join(costs)}."
    for run in failed:
        if run.restarts:
            yield (
                f"If {run.incident.value}, {run.policy.name}: the tool ends with an error, and is"
                f" started again, {run.restarts} times."
            )
        if _hurts(run):
            yield f"If {run.incident.value}, {_harm(run)}"


def _of_cancel(runs: Sequence[Run]) -> Iterator[str]:
    if len(runs) > 1:
        again = _each(runs, lambda run: gigabytes(run.measured.again))
        yield f"A cancel in the middle throws away: {again}."
