"""Few files, each worth opening: small ones of a day are put together as they become many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from klamm.tools.pipeline.changes import Change
from klamm.tools.pipeline.intake.rewrite import Rewrite, rewrite
from klamm.tools.pipeline.lake import Lake
from klamm.tools.planner.runner import Runner

#: A file of less is small, and a day may have so many; what they become is at most this large.
SMALL = 16 * 1024 * 1024
MANY = 8
LARGE = 128 * 1024 * 1024


def compact(lake: Lake, change: Change, runner: Runner) -> None:
    """Put small files together, of every folder that a change makes files in."""
    wanted, gone = list[Rewrite](), list[Path]()
    for folder in sorted({file.parent for file in change.made()}):
        place = change.place(folder)
        kept = [file for file in sorted(place.glob("*.parquet")) if not change.removes(file)]
        small = [file for file in [*kept, *sorted(folder.glob("*.parquet"))] if _size(file) < SMALL]
        if len(small) <= MANY:
            continue
        table = place.relative_to(lake.root).parts[0]
        for number, files in enumerate(_together(small)):
            out = folder / f"many-{change.name}-{number:04d}.parquet"
            wanted.append(Rewrite(table, tuple(map(str, files)), str(out)))
            gone.extend(files)
    for _ in runner.run(rewrite, wanted):
        pass  # it is the files that count
    for file in gone:
        if file.is_relative_to(change.folder(Path())):
            file.unlink()
        else:
            change.remove(file)


def _size(file: Path) -> int:
    return file.stat().st_size


def _together(files: Sequence[Path]) -> Iterator[list[Path]]:
    run, size = list[Path](), 0
    for file in files:
        if run and size + _size(file) > LARGE:
            yield run
            run, size = [], 0
        run.append(file)
        size += _size(file)
    yield run
