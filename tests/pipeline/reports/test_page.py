"""Pages: whole in themselves, escaped, readable without scripts, the same for the same parts."""

import json
import re
from pathlib import Path

import pytest

from klamm.tools.pipeline.reports import charts
from klamm.tools.pipeline.reports.page import (
    Chart,
    Figures,
    Grid,
    Page,
    Text,
    as_bytes,
    as_span,
    as_time,
)

EVIL = "</script><script>alert('x')</script> & <b>"
BEGIN_MS = 1_767_571_200_000


def test_what_is_told_is_shown_as_it_is() -> None:
    chart = charts.timeline(EVIL, [charts.Bar(EVIL, BEGIN_MS, BEGIN_MS + 1, EVIL, EVIL)], EVIL)
    page = Page(
        EVIL, [Text(EVIL), Figures({EVIL: EVIL}), Grid(EVIL, [EVIL], [[EVIL]], EVIL), chart]
    )
    html = page.html()
    without_library = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert "<script>alert" not in without_library
    assert "<b>" not in without_library
    (data,) = re.findall(
        r'<script type="application/json" data-chart="chart-3">(.*?)</script>', html, re.DOTALL
    )
    assert json.loads(data)["data"][0]["name"] == EVIL


def test_a_page_asks_nothing_of_any_network() -> None:
    html = Page("A page", [charts.bars("Bars", [1], {"x": [1]}, "B")]).html()
    assert html.count("default-src 'none'") == 1
    without_library = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.findall(r"(?:src|href)=|@import|url\(", without_library)


def test_plotly_is_inside_once_and_only_if_there_is_a_chart() -> None:
    two = [charts.bars(name, [1], {"x": [1]}, "B") for name in ("First", "Second")]
    assert len(Page("Charts", two).html()) < len(Page("Chart", two[:1]).html()) + 100_000
    assert len(Page("Text", [Text("no chart")]).html()) < 10_000


def test_the_same_parts_give_the_same_bytes(tmp_path: Path) -> None:
    def page() -> Page:
        grid: list[list[float | None]] = [[0.0, 1.5], [None, 2.0]]
        return Page("Heat", [charts.heat_map("Heat", [1, 2], [BEGIN_MS, BEGIN_MS + 1], grid, "B")])

    page().write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page().html()


def test_every_chart_says_its_numbers_in_a_table_as_well() -> None:
    html = Page(
        "Charts",
        [
            charts.heat_map("Heat", [7], [BEGIN_MS, BEGIN_MS + 1000], [[12.5, None]], "moves"),
            charts.distribution("Spread", {"copy": [1.0, 2.0, 9.0]}, "s"),
            charts.lines("Growth", [BEGIN_MS], {"bytes": [1234.0]}, "B"),
        ],
    ).html()
    assert "<td>broker 7</td>" in html
    assert '<td class="number">12.5</td>' in html
    assert ">1234</td>" in html
    assert html.count("<details>") == 3


def test_time_since_a_beginning_is_told_as_such() -> None:
    chart = charts.heat_map("Heat", [7], [0, 3_600_000], [[1.0, 2.0]], "moves", elapsed=True)
    assert chart.figure.data[0].x == ("0:00:00", "1:00:00")
    assert chart.rows[0][-1] == "1:00:00"


def test_a_chart_without_note_and_numbers_cannot_be() -> None:
    figure = charts.bars("Bars", [1], {"x": [1]}, "B").figure
    with pytest.raises(ValueError, match="neither a note nor its numbers"):
        Chart("Silent", figure)


def test_a_row_must_fit_its_table() -> None:
    with pytest.raises(ValueError, match="a row of 1 cells, but there are 2 columns"):
        Grid("Table", ["a", "b"], [[1]])


def test_cells_are_told_by_what_they_are() -> None:
    html = Page("T", [Grid("T", list("abcde"), [[None, True, 1001, 10_001, 0.25]])]).html()
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert cells == ["\N{EN DASH}", "yes", "1001", "10,001", "0.25"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (as_bytes(1023), "1023 B"),
        (as_bytes(1536 * 1024), "1.5 MiB"),
        (as_bytes(2.0**62), "4,096 PiB"),
        (as_span(0.25), "250 ms"),
        (as_span(90), "1.5 min"),
        (as_time(BEGIN_MS), "2026-01-05 00:00:00Z"),
        (as_time(None), "\N{EN DASH}"),
    ],
)
def test_amounts_are_said_in_the_unit_that_suits_them(said: str, wanted: str) -> None:
    assert said == wanted


def test_quantiles_are_values_that_were_there() -> None:
    ranked = [float(each) for each in range(1, 101)]
    assert [charts.quantile(ranked, share) for share in (0.5, 0.95, 0.99, 1.0)] == [50, 95, 99, 100]
    assert charts.quantile([], 0.5) is None
