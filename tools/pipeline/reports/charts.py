"""The usual charts, each with its numbers: timelines, heat maps, distributions, bars and lines.

What is given is drawn as it is, so give what is gathered already: some thousand marks at most. A
page takes its colours from the reader's choice of light or dark; those of the marks (Okabe and
Ito's) can be told apart by the colour-blind on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plotly.graph_objs._figure import Figure

from klamm.tools.pipeline.reports.page import Cell, Chart, as_span, as_time

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c3f", "#999999")
#: From nothing to much; its lightness rises evenly, in every kind of sight.
SCALE = "Cividis"
_FONT = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif'
_BINS = 40
#: Labels of an axis whose marks have names.
_TICKS = 9


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of time in a lane of a timeline; `group` gives its colour and the legend."""

    lane: str
    start_ms: int
    end_ms: int
    group: str
    label: str = ""


def timeline(heading: str, bars: Sequence[Bar], note: str = "") -> Chart:
    """Show stretches of time, lanes from top to bottom in the order of first mention."""
    lanes = list(dict.fromkeys(bar.lane for bar in bars))
    figure = _figure(height=110 + 22 * max(len(lanes), 3))
    for group in dict.fromkeys(bar.group for bar in bars):
        ours = [bar for bar in bars if bar.group == group]
        figure.add_bar(
            name=group,
            orientation="h",
            y=[bar.lane for bar in ours],
            base=[_iso(bar.start_ms) for bar in ours],
            # On an axis of dates a bar's length is in milliseconds; what took none is still seen.
            x=[max(bar.end_ms - bar.start_ms, 1) for bar in ours],
            customdata=[[bar.label, as_span((bar.end_ms - bar.start_ms) / 1000)] for bar in ours],
            hovertemplate="%{y} %{customdata[0]}<br>%{base}, %{customdata[1]}<extra></extra>",
        )
    figure.update_layout(barmode="overlay", bargap=0.25)
    figure.update_xaxes(type="date")
    figure.update_yaxes(
        type="category", categoryorder="array", categoryarray=lanes[::-1], showgrid=False
    )
    return Chart(
        heading,
        figure,
        note,
        ("what", "kind", "from", "lasted", "about"),
        [
            (
                bar.lane,
                bar.group,
                as_time(bar.start_ms),
                as_span((bar.end_ms - bar.start_ms) / 1000),
                bar.label,
            )
            for bar in bars
        ],
    )


def heat_map(
    heading: str,
    lanes: Sequence[Cell],
    times_ms: Sequence[int],
    values: Sequence[Sequence[float | None]],
    unit: str,
    note: str = "",
    *,
    elapsed: bool = False,
) -> Chart:
    """Show one value per lane (a broker, say) and time; `values` are rows of lanes.

    Times are since 1970, or if they are `elapsed`, since something began.
    """
    said = [_elapsed(ms) if elapsed else as_time(ms) for ms in times_ms]
    names = [_named(lane) for lane in lanes]
    figure = _figure(height=130 + 24 * max(len(lanes), 3))
    figure.add_heatmap(
        x=said if elapsed else [_iso(ms) for ms in times_ms],
        y=names,
        z=[list(row) for row in values],
        colorscale=SCALE,
        colorbar={"title": {"text": unit, "side": "right"}, "thickness": 12, "outlinewidth": 0},
        hovertemplate=f"%{{y}}, %{{x}}: %{{z}} {unit}<extra></extra>",
        xgap=1 if len(times_ms) <= 120 else 0,
        ygap=1,
    )
    figure.update_xaxes(type="category" if elapsed else "date", showgrid=False)
    if elapsed:
        figure.update_xaxes(nticks=_TICKS, title="elapsed (h:mm:ss)")
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False)
    rows: list[tuple[Cell, ...]] = []
    for name, row in zip(names, values, strict=True):
        known = [(value, at) for at, value in enumerate(row) if value is not None]
        most, at = max(known, key=lambda each: (each[0], -each[1]), default=(None, None))
        rows.append(
            (
                name,
                min((value for value, _ in known), default=None),
                sum(value for value, _ in known) / len(known) if known else None,
                most,
                None if at is None else said[at],
            )
        )
    columns = ("", f"least ({unit})", f"mean ({unit})", f"most ({unit})", "most at")
    return Chart(heading, figure, note, columns, rows)


def _elapsed(ms: int) -> str:
    """Write a time since something began, to the second: 0:00:07, 12:30:00.

    >>> _elapsed(7_000), _elapsed(45_000_999)
    ('0:00:07', '12:30:00')
    """
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def distribution(
    heading: str, samples: Mapping[str, Sequence[float]], unit: str, note: str = ""
) -> Chart:
    """Show how often which value is, by group, in bins that all groups share."""
    flat = [value for values in samples.values() for value in values]
    low, high = (min(flat), max(flat)) if flat else (0.0, 1.0)
    width = (high - low) / _BINS or 1.0
    figure = _figure(height=340)
    rows: list[tuple[Cell, ...]] = []
    for name, values in samples.items():
        counts = [0] * _BINS
        for value in values:
            counts[min(int((value - low) / width), _BINS - 1)] += 1
        figure.add_bar(
            name=name,
            x=[low + (at + 0.5) * width for at in range(_BINS)],
            y=counts,
            width=width,
            opacity=0.75 if len(samples) > 1 else 1,
            hovertemplate=f"about %{{x:.4g}} {unit}: %{{y}}<extra>%{{fullData.name}}</extra>",
        )
        ranked = sorted(values)
        ends = (ranked[0], ranked[-1]) if ranked else (None, None)
        marks = (quantile(ranked, share) for share in (0.5, 0.95, 0.99))
        rows.append((name, len(values), ends[0], *marks, ends[1]))
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(title=unit)
    figure.update_yaxes(title="how many")
    return Chart(
        heading, figure, note, ("", "how many", "least", "p50", "p95", "p99", "most"), rows
    )


def bars(
    heading: str,
    labels: Sequence[Cell],
    series: Mapping[str, Sequence[float | None]],
    unit: str,
    note: str = "",
    *,
    stacked: bool = False,
) -> Chart:
    """Show one value per label and series, side by side or on each other."""
    names = [_named(label) for label in labels]
    figure = _figure(height=340)
    for name, values in series.items():
        figure.add_bar(name=name, x=names, y=list(values), hovertemplate=_hover(unit))
    figure.update_layout(barmode="stack" if stacked else "group")
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(title=unit)
    return Chart(heading, figure, note, ("", *series), _by_label(names, series))


def lines(
    heading: str,
    times_ms: Sequence[int],
    series: Mapping[str, Sequence[float | None]],
    unit: str,
    note: str = "",
    *,
    dashed: Sequence[str] = (),
) -> Chart:
    """Show values over time, a line per series; those named in `dashed` are not measured."""
    figure = _figure(height=380)
    for name, values in series.items():
        figure.add_scatter(
            name=name,
            mode="lines+markers" if len(times_ms) < 3 else "lines",
            x=[_iso(ms) for ms in times_ms],
            y=list(values),
            line={"dash": "dot" if name in dashed else "solid", "width": 2},
            hovertemplate=_hover(unit),
        )
    figure.update_xaxes(type="date")
    figure.update_yaxes(title=unit)
    labels = [as_time(ms) for ms in times_ms]
    return Chart(heading, figure, note, ("", *series), _by_label(labels, series))


def quantile(ranked: Sequence[float], share: float) -> float | None:
    """Return the value that `share` of the sorted values do not exceed, by nearest rank."""
    if not ranked:
        return None
    # ceil(share * n), in whole thousandths, as 0.95 * 100 is a little more than 95.
    rank = -(-round(share * 1000) * len(ranked) // 1000)
    return ranked[max(rank, 1) - 1]


def _figure(height: int) -> Figure:
    figure = Figure()
    figure.update_layout(
        template=None,
        height=min(height, 1200),
        autosize=True,
        colorway=COLOURS,
        font={"family": _FONT, "size": 13},
        margin={"l": 60, "r": 24, "t": 24, "b": 48},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        hoverlabel={"align": "left"},
    )
    return figure


def _hover(unit: str) -> str:
    return f"%{{x}}: %{{y:.4g}} {unit}<extra>%{{fullData.name}}</extra>"


def _by_label(
    labels: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> list[tuple[Cell, ...]]:
    return list(zip(labels, *series.values(), strict=True))


def _named(label: Cell) -> str:
    return f"broker {label}" if isinstance(label, int) else str(label)


def _iso(ms: int) -> str:
    return (
        as_time(ms).rstrip("Z") if ms % 1000 == 0 else f"{as_time(ms).rstrip('Z')}.{ms % 1000:03}"
    )
