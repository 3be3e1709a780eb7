"""How moments of a watch are shown: a live view on a terminal, one JSON object a line elsewhere."""

from __future__ import annotations

import json
from typing import Protocol, TextIO

from rich.console import Console, Group, RenderableType
from rich.filesize import decimal
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from klamm.tools.reassign.copies import Pace
from klamm.tools.reassign.progress import Moment, Phase
from klamm.tools.reassign.progress_sight import Slow

_BAR_WIDTH = 30


class Display(Protocol):
    """Where moments go."""

    def show(self, moment: Moment) -> None:
        """Show one."""

    def close(self) -> None:
        """Leave the last one to be read; more than once does no harm."""


class JsonLines:
    """One object a line: for pipes and files."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show(self, moment: Moment) -> None:
        """Write a line."""
        self._out.write(json.dumps(facts(moment)) + "\n")
        self._out.flush()

    def close(self) -> None:
        """Nothing is left to be done."""


class LiveView:
    """Bars that change in their place: for people."""

    def __init__(self, out: TextIO) -> None:
        self._live = Live(console=Console(file=out, highlight=False), auto_refresh=False)
        self._live.start()

    def show(self, moment: Moment) -> None:
        """Draw over what was there."""
        self._live.update(picture(moment), refresh=True)

    def close(self) -> None:
        """End where the view ends."""
        self._live.stop()


def display(out: TextIO, *, as_json: bool) -> Display:
    """Choose how to show moments on a stream."""
    return LiveView(out) if out.isatty() and not as_json else JsonLines(out)


def facts(moment: Moment) -> dict[str, object]:
    """Return a moment as JSON values: seconds, bytes and bytes per second."""
    copies = moment.copies
    return {
        "seconds": round(moment.seconds, 3),
        "bytes": {"done": copies.done, "total": copies.total},
        "partitions": {
            "total": moment.partitions,
            **{phase.value.replace(" ", "_"): count for phase, count in moment.phases.items()},
        },
        "rate": round(copies.rate),
        "pace": copies.pace.value,
        "seconds_left": None if copies.seconds_left is None else round(copies.seconds_left, 1),
        "slowest": [
            {
                "topic": one.name.topic,
                "partition": one.name.partition,
                "broker": one.copy.broker if one.copy else None,
                "done": one.copy.done if one.copy else 0,
                "total": one.copy.total if one.copy else 0,
                "reasons": [reason.text for reason in one.reasons],
            }
            for one in moment.slowest
        ],
    }


def percent(moment: Moment) -> int:
    """Return how much is there, in percent: 100 only when all partitions are done."""
    return min(99, int(100 * moment.copies.share)) if moment.unfinished else 100


def summary(moment: Moment) -> str:
    """Write a moment as one line."""
    copies = moment.copies
    done = moment.phases[Phase.DONE]
    parts = [
        f"{percent(moment)}%",
        f"{decimal(copies.done)} of {decimal(copies.total)}",
        f"{done}/{moment.partitions} partitions",
    ]
    if moment.unfinished:
        parts += [f"{decimal(round(copies.rate))}/s", time_left(moment)]
    return "  ".join(filter(None, parts))


def time_left(moment: Moment) -> str:
    """Say when all will be done, or why nobody can tell."""
    copies = moment.copies
    if copies.seconds_left is not None:
        minutes, seconds = divmod(round(copies.seconds_left), 60)
        hours, minutes = divmod(minutes, 60)
        if hours:
            return f"{hours} h {minutes} min left"
        return f"{minutes} min {seconds} s left" if minutes else f"{seconds} s left"
    return "" if copies.pace is Pace.UNKNOWN else copies.pace.value


def picture(moment: Moment) -> RenderableType:
    """Draw a bar for all, and one for each of the slowest with what holds it up."""
    whole = Table.grid()  # of two rows: side by side they do not fit into 80 columns
    whole.add_row(ProgressBar(total=100, completed=percent(moment), width=_BAR_WIDTH))
    whole.add_row(Text(summary(moment)))
    slowest = Table.grid(padding=(0, 1))
    for one in moment.slowest:
        slowest.add_row("  ", *_row(one))
    return Group(whole, slowest)


def _row(one: Slow) -> tuple[RenderableType, ...]:
    why = Text("; ".join(reason.text for reason in one.reasons), style="yellow")
    if one.copy is None:
        return Text(str(one.name)), Text(""), Text(""), Text(""), why
    share = min(0.99, one.copy.done / one.copy.total if one.copy.total else 0.99)
    return (
        Text(str(one.name)),
        Text(f"to {one.copy.broker}"),
        ProgressBar(total=1.0, completed=share, width=_BAR_WIDTH // 2),
        Text(f"{decimal(one.copy.done)} of {decimal(one.copy.total)}"),
        why,
    )
