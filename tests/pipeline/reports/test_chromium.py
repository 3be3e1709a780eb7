"""Pages of jobs in a real browser: charts are drawn, nothing is complained of, nothing is asked."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from pipeline.comparing import event, put_runs
from pipeline.drifting import put, put_snapshots

from klamm.tools.cli.pipeline import command as pipeline
from klamm.tools.pipeline.history.drift import Limits
from klamm.tools.pipeline.jobs import compare, compare_runs, drift
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.reports import charts
from klamm.tools.pipeline.reports import compare as compare_pages
from klamm.tools.pipeline.reports import drift as drift_pages
from klamm.tools.pipeline.reports.page import Grid, Page
from klamm.tools.pipeline.samples.cluster import BEGIN_MS, SIZES, cluster, grown
from klamm.tools.pipeline.samples.writing import write
from klamm.tools.pipeline.tables import EVENTS

CHROMIUM = shutil.which("chromium-headless-shell")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium-headless-shell is not installed"),
]


def every_chart(_: Lake) -> Page:
    times = [BEGIN_MS + 60_000 * at for at in range(5)]
    rows = [[1.0, None, 3.0, 4.0, 5.0]] * 2
    parts = [
        charts.timeline("Bars", [charts.Bar("a-0", BEGIN_MS, times[1], "<done>")]),
        charts.heat_map("Heat", [1, 2], times, rows, "moves"),
        charts.distribution("Spread", {"x": [1.0, 2.0, 2.5]}, "s"),
        charts.bars("Columns", ["a", "b"], {"x": [1, 2]}, "B"),
        charts.lines("Lines", times, {"x": rows[0]}, "B"),
    ]
    return Page("All </script> charts", parts)


def no_chart(_: Lake) -> Page:
    return Page("Nothing", [Grid("Nothing", ["a"], [])])


def drifting(lake: Lake) -> Page:
    first = cluster(1, SIZES["small"])
    put_snapshots(lake, (grown(first, 1, day) for day in range(9)))
    return drift_pages.page(drift.plain(lake, Limits()))


def comparing_runs(lake: Lake) -> Page:
    put_runs(lake, Random(1), 40)
    return compare_pages.runs_page(compare_runs.runs_plain(lake, "pacing", "batch-20", "batch-50"))


def comparing_histories(lake: Lake) -> Page:
    put(lake, EVENTS, [event("a", 1, 0, "accept"), event("b", 1, 0, "end")])
    return compare_pages.histories_page(compare.histories_plain(lake, "a", "b"))


@pytest.mark.parametrize(
    ("made", "drawn"),
    [
        (every_chart, 5),
        (no_chart, 0),
        (drifting, 4),
        (comparing_runs, 3),
        (comparing_histories, 1),
    ],
)
def test_every_chart_is_drawn(made: Callable[[Lake], Page], drawn: int, tmp_path: Path) -> None:
    page = made(Lake(tmp_path / "lake"))
    page.write(tmp_path / "page.html")
    dom, said = opened(tmp_path / "page.html", tmp_path)
    assert "CONSOLE" not in said, said
    charts_there = re.findall(r'<div class="chart[^"]*" id="chart-\d+"', dom)
    assert len(charts_there) == drawn
    assert len(re.findall(r'<svg class="main-svg"[^>]*role=|<svg class="main-svg"', dom)) >= drawn
    # Each shows something: bars, cells or lines.
    for chart in dom.split('<div class="chart')[1:]:
        assert re.search(r'class="(point|hm|js-line|points)|<image', chart), chart[:500]


def test_without_its_library_a_chart_would_not_be_drawn(tmp_path: Path) -> None:
    """The test above can fail: the same page with plotly cut out complains."""
    html = every_chart(Lake(tmp_path)).html()
    longest = max(re.findall(r"<script>(.*?)</script>", html, re.DOTALL), key=len)
    (tmp_path / "page.html").write_text(html.replace(longest, ""))
    dom, said = opened(tmp_path / "page.html", tmp_path)
    assert "Plotly is not defined" in said
    assert "main-svg" not in dom


@pytest.mark.parametrize(
    ("job", "drawn"), [("ingest", 0), ("moves", 2), ("check", 0), ("drift", 3)]
)
def test_pages_of_a_sample_are_drawn(job: str, drawn: int, tmp_path: Path) -> None:
    """Each of these jobs on the same made-up cluster, as a user has it."""
    # What is planted is wrong, and these say so.
    wrong = ("moves", "check")
    sample, lake, page = tmp_path / "sample", tmp_path / "lake", tmp_path / "page.html"
    write(sample, 2, SIZES["small"])
    report = ["--plain", "--report", str(page)]
    inputs = [str(sample / "journals"), str(sample / "days"), "--to", str(lake), "--cluster", "s"]
    assert CliRunner().invoke(pipeline, ["ingest", *inputs, *report]).exit_code == 0
    if job != "ingest":
        assert CliRunner().invoke(pipeline, [job, str(lake), *report]).exit_code == (job in wrong)
    dom, said = opened(page, tmp_path)
    assert "CONSOLE" not in said, said
    assert len(re.findall(r'<div class="chart[^"]*" id="chart-\d+"', dom)) >= drawn
    for chart in dom.split('<div class="chart')[1:]:
        assert 'class="main-svg"' in chart, chart[:500]


def opened(page: Path, scratch: Path) -> tuple[str, str]:
    """Return the page as the browser has it, and what it says on its console."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            *(CHROMIUM, "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"),
            *("--virtual-time-budget=5000", "--window-size=1100,1400", "--dump-dom"),
            *(f"--user-data-dir={scratch / 'browser'}", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, done.stderr
