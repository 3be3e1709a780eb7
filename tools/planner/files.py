"""A plan as files that kafka-reassign-partitions takes: the whole, the way back, its batches.

Of plan.json the way back is plan.rollback.json, and batches are plan.batch-001.json and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from glob import escape
from pathlib import Path

from klamm.tools.admin import TopicPartition
from klamm.tools.planner.plan import Change
from klamm.tools.reassign.plan_files import format_plan


def texts(
    plan: Path,
    changes: Sequence[Change],
    batches: Sequence[Sequence[Change]],
    rollback: Path | None = None,
) -> dict[Path, str]:
    """Return the text of each file by its path; one batch alone is the plan itself."""
    found = {
        plan: _plan(changes),
        rollback or plan.with_name(f"{plan.stem}.rollback.json"): _way_back(changes),
    }
    if len(batches) > 1:
        for number, batch in enumerate(batches, 1):
            found[plan.with_name(f"{plan.stem}.batch-{number:03}.json")] = _plan(batch)
    return found


def write(plan: Path, files: dict[Path, str], *, force: bool) -> None:
    """Write the files of a plan; FileExistsError before any is written if one is there.

    With `force` they are written anew, and what is left of older batches of that name goes.
    """
    older = sorted(plan.parent.glob(f"{escape(plan.stem)}.batch-*.json"))
    there = [*(path for path in files if path.exists()), *older]
    if there and not force:
        raise FileExistsError(f"{there[0]} is there already; name another file, or give --force")
    for path in older:
        path.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")


def _plan(changes: Sequence[Change]) -> str:
    return format_plan({_name(each): each.after for each in changes}) + "\n"


def _way_back(changes: Sequence[Change]) -> str:
    return format_plan({_name(each): each.before for each in changes}) + "\n"


def _name(change: Change) -> TopicPartition:
    return TopicPartition(change.partition.topic, change.partition.partition)
