"""What the demo's story is told with: lines, a live view of moves on a terminal, znodes."""

import json
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from klamm.controller.core.model import TopicPartition
from klamm.tools.cli._sizes import format_bytes
from klamm.tools.reassign.copies import Pace, Snapshot

_LINE_SECONDS = 1.0
_BAR_WIDTH = 30
_ZNODE_COLUMNS = 76


class Stage:
    """Prints the story to a console."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def step(self, text: str) -> None:
        """Begin a scene."""
        self.console.print(f"\n[bold yellow]*[/] {text}", soft_wrap=True)

    def say(self, text: str) -> None:
        """Tell what happened."""
        self.console.print(f"  {text}", soft_wrap=True)

    def note(self, text: str) -> None:
        """Pass on what a child process says."""
        self.console.print(f"  {text}", style="dim", markup=False, soft_wrap=True)

    def znode(self, path: str, data: bytes) -> None:
        """Show a topic znode, its keys in an order for people."""
        fields = json.loads(data)
        order = ("version", "partitions", "adding_replicas", "removing_replicas")
        fields = {key: fields[key] for key in order if key in fields} | fields
        parts = [f'"{key}":{_json(value)}' for key, value in fields.items()]
        self.console.print(f"  [dim]{path}[/]", soft_wrap=True)
        for line in _packed([f"{{{parts[0]}", *parts[1:-1], f"{parts[-1]}}}"], _ZNODE_COLUMNS):
            self.console.print(f"    {line}", style="cyan", markup=False, soft_wrap=True)

    def bars(self, title: str, before: Mapping[int, int], after: Mapping[int, int]) -> None:
        """Show a number per broker, before and after."""
        most = max(1, *before.values(), *after.values())
        self.console.print(f"  [bold]{title}[/]")
        self.console.print("  broker   before    after")
        for broker in after:
            numbers = f"  {broker:>6}  {before.get(broker, 0):>7}  {after[broker]:>7}"
            bar = "=" * round(20 * after[broker] / most)
            self.console.print(f"{numbers}  [green]{bar}[/]" if bar else numbers)


class MovesView:
    """Shows how moves come on: a bar and the slowest on a terminal, a line a second elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._printed_at = -_LINE_SECONDS
        self._last: Snapshot | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()
        if self._last is not None and error is None:
            self._print(self._last)

    def show(self, snapshot: Snapshot) -> None:
        """Show this moment."""
        self._last = snapshot
        if self._console.is_terminal:
            self._live.update(_picture(snapshot), refresh=True)
            return
        now = time.monotonic()
        if now >= self._printed_at + _LINE_SECONDS:
            self._printed_at = now
            self._print(snapshot)

    def _print(self, snapshot: Snapshot) -> None:
        self._console.print(f"  {summary(snapshot)}", markup=False, soft_wrap=True)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _packed(parts: Sequence[str], columns: int) -> list[str]:
    """Put parts into lines of so many columns, with a comma after each but the last."""
    *others, last = parts
    lines = [""]
    for part in (*(f"{other}," for other in others), last):
        if lines[-1] and len(lines[-1]) + len(part) > columns:
            lines.append(" ")  # below what the brace encloses
        lines[-1] += part
    return lines


def percent(snapshot: Snapshot) -> int:
    """Return how much is there, in percent: 100 only when all moves are done."""
    if snapshot.partitions_done == snapshot.partitions:
        return 100
    return min(99, int(100 * snapshot.share))


def summary(snapshot: Snapshot) -> str:
    """Write a moment as one line."""
    parts = [
        f"{percent(snapshot):3d}%",
        f"{format_bytes(snapshot.done)} of {format_bytes(snapshot.total)}",
        f"{snapshot.partitions_done}/{snapshot.partitions} partitions",
    ]
    if snapshot.pace is not Pace.DONE:
        parts += [f"{format_bytes(snapshot.rate)}/s", time_left(snapshot)]
    return "  ".join(filter(None, parts))


def time_left(snapshot: Snapshot) -> str:
    """Say when the moves will be done, or why nobody can tell."""
    if snapshot.seconds_left is not None:
        return f"{_duration(snapshot.seconds_left)} left"
    return {Pace.UNKNOWN: "", Pace.DONE: "done"}.get(snapshot.pace, snapshot.pace.value)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.0f} h"


def _picture(snapshot: Snapshot) -> RenderableType:
    line = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=100, completed=percent(snapshot), width=_BAR_WIDTH)
    line.add_row(" ", bar, f"{percent(snapshot):3d}%", time_left(snapshot))
    numbers = Text(f"  {summary(snapshot)}", no_wrap=True, overflow="ellipsis")
    slowest = Table.grid(padding=(0, 1))
    for copy in snapshot.slowest:
        # Their moves go on, even if every byte is there.
        share = min(0.99, copy.done / copy.total if copy.total else 1.0)
        slowest.add_row(
            "   ",
            Text(str(copy.name), style="dim"),
            Text(f"to {copy.broker}", style="dim"),
            ProgressBar(total=1.0, completed=share, width=_BAR_WIDTH // 2),
            Text(f"{format_bytes(copy.done)} of {format_bytes(copy.total)}", style="dim"),
        )
    return Group(line, numbers, slowest)


def order_after_cancel(
    returned: Mapping[TopicPartition, tuple[tuple[int, ...], tuple[int, ...]]],
) -> str:
    """Say what a cancel does to the order of replicas, by a partition whose first is another now.

    `returned` has the replicas before the move and after the cancel. A cancel takes away what was
    added, and the target's replicas stay before those that it would have removed (KIP-455).
    """
    text = "a cancel may give replicas back in another order"
    for name, (before, after) in returned.items():
        if before[0] != after[0]:
            return (
                f"{text}: {name} was on {list(before)},\n  is on {list(after)}, and its preferred"
                f" leader is {after[0]} now, no longer {before[0]}"
            )
    return f"{text}, the first of them too, which is the preferred leader"
