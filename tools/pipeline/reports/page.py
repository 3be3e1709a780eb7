"""A report as one HTML file that needs nothing else: text, figures, charts and tables.

The page asks nothing of any network, and says so to the browser, which then refuses it. Charts are
drawn by plotly.js, which is inside once; all that is said by a chart is also said by its note or
its numbers, so the page can be read without scripts, by a screen reader, and on paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from klamm.tools.pipeline.reports.page_template import SCRIPT, STYLE

#: Nothing is fetched from anywhere.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
_NONE = "\N{EN DASH}"

#: What a cell can hold; None is shown as a dash.
Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs, parted by empty lines; plain text, shown as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Figures:
    """What is to be seen at once: values by label, in this order."""

    values: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. Columns of numbers only are set to the right. Without rows it says so."""

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"table {self.heading!r}: a row of {len(row)} cells, "
                    f"but there are {len(self.columns)} columns: {row!r}"
                )


@dataclass(frozen=True, slots=True)
class Chart:
    """A plotly figure; `klamm.tools.pipeline.reports.charts` makes the usual ones.

    What it shows must be said in words or numbers too: ValueError without a note and `rows`.
    """

    heading: str
    #: A `plotly.graph_objects.Figure`.
    figure: Any
    note: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = field(default=())

    def __post_init__(self) -> None:
        if not self.note and not self.rows:
            raise ValueError(f"chart {self.heading!r} has neither a note nor its numbers")


Part = Text | Figures | Chart | Grid


@dataclass(frozen=True, slots=True)
class Page:
    """A report: the same parts give the same bytes."""

    title: str
    parts: Sequence[Part]

    def write(self, path: Path | str) -> None:
        """Write the page; OSError as of any file."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def html(self) -> str:
        """Return the page as HTML."""
        charts = any(isinstance(part, Chart) for part in self.parts)
        body = "\n".join(_part(part, number) for number, part in enumerate(self.parts))
        return "\n".join(
            (
                '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
                f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>",
                "<noscript><style>.chart { display: none; }</style></noscript>\n</head>\n<body>",
                f"<main>\n<h1>{escape(self.title)}</h1>\n{body}\n</main>",
                _scripts() if charts else "",
                "</body>\n</html>\n",
            )
        )


def as_bytes(amount: float | None) -> str:
    """Say an amount of bytes in the unit that suits it; a dash for None."""
    if amount is None:
        return _NONE
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(amount) < 1024:
            return f"{amount:.4g} {unit}" if unit != "B" else f"{amount:.0f} B"
        amount /= 1024
    return f"{amount:,.4g} PiB"


def as_span(seconds: float | None) -> str:
    """Say a length of time in the unit that suits it; a dash for None."""
    if seconds is None:
        return _NONE
    for size, unit in ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")):
        if abs(seconds) >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds * 1000:.4g} ms"


def as_time(ms: int | None) -> str:
    """Say a time as ISO 8601 has it, in UTC to the second; a dash for None."""
    if ms is None:
        return _NONE
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _part(part: Part, number: int) -> str:
    match part:
        case Text(text):
            return "".join(f"<p>{escape(each.strip())}</p>" for each in text.split("\n\n"))
        case Figures(values):
            cells = "".join(
                f"<div><dt>{escape(label)}</dt><dd>{_cell(value)}</dd></div>"
                for label, value in values.items()
            )
            return f'<dl class="figures">{cells}</dl>'
        case Chart():
            return _chart(part, number)
        case Grid(heading, columns, rows, note):
            table = _table(heading, columns, rows) if rows else ""
            said = note if rows else f"Nothing of this kind. {note}".rstrip()
            return f"<section><h2>{escape(heading)}</h2>{_note(said)}{table}</section>"


def _chart(chart: Chart, number: int) -> str:
    name = f"chart-{number}"
    # Inside of a script only `<` can end it; in JSON it stands in strings alone.
    data = chart.figure.to_json().replace("<", "\\u003c")
    numbers = (
        f"<details><summary>The numbers</summary>"
        f"{_table(chart.heading, chart.columns, chart.rows)}</details>"
        if chart.rows
        else ""
    )
    return (
        f'<section><h2 id="{name}-heading">{escape(chart.heading)}</h2>'
        f'<figure role="group" aria-labelledby="{name}-heading">'
        f'<div class="chart" id="{name}" role="img" aria-labelledby="{name}-heading"></div>'
        f'<script type="application/json" data-chart="{name}">{data}</script>'
        f"<noscript><p>The chart needs scripts; what it shows is said below.</p></noscript>"
        f"{f'<figcaption>{_note(chart.note)}</figcaption>' if chart.note else ''}"
        f"</figure>{numbers}</section>"
    )


def _table(heading: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    right = [
        all(_is_number(row[at]) for row in rows) and any(row[at] is not None for row in rows)
        for at in range(len(columns))
    ]
    marks = [' class="number"' if each else "" for each in right]
    head = "".join(
        f'<th scope="col"{mark}>{escape(column)}</th>'
        for column, mark in zip(columns, marks, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{mark}>{_cell(cell)}</td>" for cell, mark in zip(row, marks, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{escape(heading)}">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _is_number(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def _cell(cell: Cell) -> str:
    match cell:
        case None:
            return _NONE
        case bool():
            return "yes" if cell else "no"
        case int():
            # Four digits stay together: many of those numbers are ids.
            return str(cell) if abs(cell) < 10_000 else f"{cell:,}"
        case float():
            return f"{cell:,.0f}" if abs(cell) >= 10_000 else f"{cell:.4g}"
        case str():
            return escape(cell)


def _note(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>' if note else ""


def _scripts() -> str:
    from plotly.offline.offline import get_plotlyjs

    return f"<script>{get_plotlyjs()}</script>\n<script>{SCRIPT}</script>"
