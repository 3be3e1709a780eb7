"""How far Spark is, on standard error: a bar per stage on a terminal, lines elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from pyspark import SparkContext
    from rich.progress import TaskID

#: Seconds between two looks, and between two lines where there is no terminal.
_LOOK_EVERY = 0.5
_LINE_EVERY = 10.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage under way: its number, and how many of its tasks are done, run, and have failed."""

    number: int
    tasks: int
    done: int
    running: int
    failed: int

    def __str__(self) -> str:
        failed = f", {self.failed} failed and are tried again" if self.failed else ""
        return f"stage {self.number}: {self.done} of {self.tasks} tasks done{failed}"


def under_way(context: SparkContext) -> list[Stage]:
    """Return the stages that run now, by number."""
    tracker = context.statusTracker()
    infos = [(each, tracker.getStageInfo(each)) for each in sorted(tracker.getActiveStageIds())]
    return [
        Stage(
            number,
            info.numTasks,
            info.numCompletedTasks,
            info.numActiveTasks,
            info.numFailedTasks,
        )
        for number, info in infos
        # One that has ended between the two questions has no answer.
        if info is not None
    ]


@contextmanager
def shown(context: SparkContext, wanted: bool = True) -> Iterator[None]:
    """Show what is under way until the end of the block, if that is wanted."""
    if not wanted:
        yield
        return
    ended = threading.Event()
    console = Console(stderr=True)
    show = _bars if console.is_terminal else _lines
    watch = threading.Thread(target=show, args=(context, console, ended), daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def _bars(context: SparkContext, console: Console, ended: threading.Event) -> None:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        bars: dict[int, TaskID] = {}
        while not ended.wait(_LOOK_EVERY):
            stages = {each.number: each for each in under_way(context)}
            for number in bars.keys() - stages.keys():
                progress.remove_task(bars.pop(number))
            for number, stage in stages.items():
                if number not in bars:
                    bars[number] = progress.add_task(f"stage {number}", total=stage.tasks)
                failed = f", {stage.failed} tried again" if stage.failed else ""
                text = f"stage {number}{failed}"
                progress.update(bars[number], completed=stage.done, description=text)


def _lines(context: SparkContext, console: Console, ended: threading.Event) -> None:
    while not ended.wait(_LINE_EVERY):
        for stage in under_way(context):
            console.print(str(stage), highlight=False)
