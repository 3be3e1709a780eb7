"""What is said of measurements follows from their numbers."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from klamm.controller.core.pace import Limits
from klamm.tools.cli._evidence import _table
from klamm.tools.lab.evidence.incidents import Incident
from klamm.tools.lab.evidence.meter import Measured
from klamm.tools.lab.evidence.policies import Policy, policies, stepwise
from klamm.tools.lab.evidence.reading import sentences
from klamm.tools.lab.evidence.runs import Run
from klamm.tools.lab.evidence.site import draw
from klamm.tools.lab.evidence.table import cells, gigabytes, headings, lines, minutes

CALM = Measured(
    seconds=600.0,
    peak_in=50e6,
    peak_out=60e6,
    worst_wait=0.0,
    under_min_isr=0.0,
    copied=10 * 10**9,
    again=0,
    adding=4,
    extra_disk=10**9,
)
HARM = replace(CALM, seconds=300.0, worst_wait=20.0, under_min_isr=90.0, peak_in=100e6)
ROUGH, GENTLE, OTHER = Policy("rough"), Policy("gentle"), Policy("other")


def run(policy: Policy, measured: Measured, incident: Incident = Incident.NONE) -> Run:
    return Run(policy, incident, measured)


def test_the_quickest_is_named_and_the_quickest_without_harm() -> None:
    told = sentences([run(GENTLE, CALM), run(ROUGH, HARM)])
    assert told[0] == "Quickest: rough, 5:00."
    assert told[1] == "Quickest that no producer notices: gentle, 10:00, 2.0 times as long."
    assert told[2] == (
        "rough: producers waited up to 20.0 s, and partitions were under min.insync.replicas for"
        " 1:30 in all."
    )
    assert (
        told[3] == "Least load at its peak: gentle, 60 MB/s on one broker; most: rough, 100 MB/s."
    )


def test_where_nothing_hurts_that_is_said_once() -> None:
    told = sentences([run(GENTLE, CALM), run(OTHER, replace(CALM, seconds=700.0))])
    assert told[:2] == ["Quickest: gentle, 10:00.", "No producer noticed any of them."]


def test_what_never_ends_is_no_winner() -> None:
    told = sentences([run(ROUGH, replace(HARM, seconds=None)), run(GENTLE, CALM)])
    assert told[0] == "Quickest: gentle, 10:00."
    assert "rough does not end." in told


def test_a_failure_is_compared_with_the_same_without_it() -> None:
    told = sentences(
        [
            run(ROUGH, CALM),
            run(GENTLE, CALM),
            run(ROUGH, replace(CALM, seconds=660.0), Incident.OLD),
            run(GENTLE, replace(CALM, seconds=602.0), Incident.OLD),
        ]
    )
    assert "If an old broker fails, it takes longer by: rough 1:00, gentle 0:02." in told


def test_a_cancel_is_read_by_what_it_throws_away() -> None:
    told = sentences(
        [
            run(ROUGH, replace(CALM, again=3 * 10**9), Incident.CANCEL),
            run(GENTLE, CALM, Incident.CANCEL),
        ]
    )
    assert told == ["A cancel in the middle throws away: rough 3.0 GB, gentle 0.0 GB."]


def test_rows_are_aligned_below_what_happened() -> None:
    shown = list(lines([run(GENTLE, CALM), run(ROUGH, HARM, Incident.OLD)]))
    assert [line.split("  ")[0] for line in shown if line] == [
        "nothing fails",
        "gentle",
        "an old broker fails",
        "rough",
    ]
    assert len({len(line) for line in shown if line}) == 1


def test_cells_are_in_units_that_people_read() -> None:
    assert cells(run(ROUGH, HARM)) == (
        "rough",
        "5:00",
        "100",
        "60",
        "20.0 s",
        "1:30",
        "10.0 GB",
        "0.0 GB",
        "4",
        "1.0 GB",
    )


def test_a_terminal_shows_the_same_cells() -> None:
    console = Console(width=120, file=StringIO(), record=True)
    console.print(_table(Incident.NONE, [run(ROUGH, HARM)]))
    title, heading, row = (line.split() for line in console.export_text().splitlines())
    assert title == ["nothing", "fails"]
    assert heading == " ".join(headings()).split()
    assert row == " ".join(cells(run(ROUGH, HARM))).split()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0:00"), (59.6, "1:00"), (3723.0, "1:02:03"), (None, "never")]
)
def test_times_are_written_as_clocks_do(seconds: float | None, text: str) -> None:
    assert minutes(seconds) == text


def test_amounts_are_written_in_gigabytes() -> None:
    assert gigabytes(1_260_000_000) == "1.3 GB"


def test_policies_are_named_by_what_they_hold_back() -> None:
    assert [policy.name for policy in policies()] == [
        "all at once",
        "KIP-1335 batches of 10",
        "KIP-1335 incremental 10",
        "KIP-435 1/10/5",
        "KIP-435 2/20/10",
        "KIP-435 1/INF/INF",
    ]
    assert stepwise(Limits(3, 4, 5)).name == "KIP-435 3/4/5"


def test_draws_are_spread_and_the_same_everywhere() -> None:
    drawn = [draw(0, "x", number) for number in range(1000)]
    assert all(0 <= each < 1 for each in drawn)
    assert 450 < sum(each < 0.5 for each in drawn) < 550
    assert draw(7, "rank", "t00", 3) == pytest.approx(0.39190260017471257)
