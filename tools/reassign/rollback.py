"""The way back from a plan, in a file beside it.

The stock tool prints the present assignment and trusts people to keep it (KAFKA-1156). The file
holds the same JSON, and is what --execute takes to go back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

from klamm.tools.reassign import plan_files
from klamm.tools.reassign.described import Assignment
from klamm.tools.reassign.output import CommandError, Output

_TIME: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the way back is written: to `file`, or beside `plan` under a name with the time.

    A file that somebody has named must be written; one that nobody asked for may be missed.
    """

    plan: Path
    file: Path | None = None


def save(current: Assignment, place: Place, now: datetime, output: Output) -> None:
    """Write the present assignment to a new file; nothing is ever overwritten.

    Raises CommandError if the file that was named is there, or cannot be written.
    """
    text = plan_files.format_plan(current) + "\n"
    if place.file is not None:
        try:
            _write(place.file, text)
        except FileExistsError as error:
            raise CommandError(f"{place.file} is there already; name another file") from error
        except OSError as error:
            raise CommandError(f"{place.file} cannot be written: {error.strerror}") from error
        written = place.file
    else:
        try:
            written = _write_beside(place.plan, text, now)
        except OSError as error:
            output.warn(
                f"The rollback plan is not saved ({error.strerror}: {place.plan.parent}); give"
                " --rollback-file FILE, or keep what is printed."
            )
            return
    output.note(f"Saved the rollback plan to {written}")
    output.put(rollback_file=str(written))


def names(plan: Path, now: datetime) -> Iterator[Path]:
    """Return the names to try: of plan.json `plan.rollback-20240131T235959Z.json`, then with -2."""
    stem = f"{plan.stem}.rollback-{now.astimezone(UTC).strftime(_TIME)}"
    yield plan.with_name(f"{stem}.json")
    for number in count(2):
        yield plan.with_name(f"{stem}-{number}.json")


def _write_beside(plan: Path, text: str, now: datetime) -> Path:
    if not plan.is_file():
        # Such as /dev/stdin, which has nothing beside it.
        raise OSError(0, "the plan is no file")
    # /dev/stdin may well be a link to a file elsewhere, and that is what it is put beside.
    for name in names(plan.resolve(), now):
        try:
            _write(name, text)
        except FileExistsError:
            continue
        return name
    raise AssertionError("there is always another name")


def _write(file: Path, text: str) -> None:
    with file.open("x", encoding="utf-8") as stream:
        stream.write(text)
