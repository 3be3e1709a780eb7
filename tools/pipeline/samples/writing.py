"""A whole sample in one folder: files as users have them, and what is planted in them.

    snapshot.json                 the cluster as it begins (klamm-snapshot)
    plan.json                     a plan for kafka-reassign-partitions
    journals/node-ID.jsonl[.N]    journals of the controllers, rotated
    days/DATE/topics.txt          kafka-topics --describe, of each day
    days/DATE/log-dirs.json       kafka-log-dirs --describe
    days/DATE/load.json           Cruise Control's load of brokers, with their capacities
    days/DATE/partition-load.json the same of partitions
    metrics.prom                  sizes of brokers' logs, in Prometheus' text format
    labels.json                   what is planted where, and what came of all other moves

A text of a day has no time of its own: its file's is set to that of the day.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from klamm.tools.pipeline.samples import texts
from klamm.tools.pipeline.samples.cluster import Size, cluster, grown
from klamm.tools.pipeline.samples.faults import FAULTS, Planted, plant
from klamm.tools.pipeline.samples.files import JournalFiles
from klamm.tools.pipeline.samples.history import NODES, History
from klamm.tools.planner import snapshot as snapshots
from klamm.tools.planner.snapshot import Snapshot

#: As many lines as one office and one broker's absence have at least between them.
_LINES_BETWEEN = 40_000
_MOVES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: lines of journals, faults by name, moves by result."""

    lines: int
    faults: Counter[str]
    results: Counter[str]


def write(
    folder: Path,
    seed: int,
    size: Size,
    *,
    rotate_bytes: int = 64 * 1024 * 1024,
    progress: Callable[[int], None] = lambda _: None,
) -> Written:
    """Write a sample; `progress` hears how many lines of journals there are.

    Raises FileExistsError if the folder holds something already, and OSError.
    """
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name another folder, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    first = cluster(seed, size)
    _text(folder / "snapshot.json", [snapshots.encode(first)])
    _text(folder / "plan.json", texts.plan(first))
    files = JournalFiles(folder / "journals", rotate_bytes)
    history = History(first, seed, files)
    planted = list(_told(history, first, size.events, progress))
    files.close()
    for day in range(size.days):
        _day(folder / "days", grown(first, seed, day))
    _text(
        folder / "metrics.prom",
        texts.prometheus(grown(first, seed, day) for day in range(size.days)),
    )
    labels = {
        "seed": seed,
        "cluster": first.cluster_id,
        "lines": history.lines,
        "offices": history.epoch,
        "moves": dict(sorted(history.results.items())),
        "waves": history.waves[:1000],
        "planted": [_label(each, files) for each in planted],
    }
    _text(folder / "labels.json", [json.dumps(labels, indent=1), "\n"])
    return Written(history.lines, Counter(each.fault for each in planted), history.results)


def _told(
    history: History, first: Snapshot, lines: int, progress: Callable[[int], None]
) -> Iterator[Planted]:
    """Let the history happen, until there are so many lines; faults are spread over it."""
    whole = [
        each
        for each in history.partitions
        if len(each.replicas) > 1 and set(each.replicas) <= history.alive
    ]
    # The largest topics' partitions take hours to move, and lead the order.
    kept = [whole[-1 - at * len(whole) // len(FAULTS)] for at in range(len(FAULTS))]
    plan = list(zip(FAULTS, kept, strict=True))
    keeps = {id(each) for each in kept}
    moved = [each for each in whole if id(each) not in keeps]
    at_once = min(_MOVES_AT_ONCE, max(len(moved) // 4, 1))
    changes = min(max(lines // _LINES_BETWEEN, 1), 12)
    history.take_office(NODES[0])
    done, changed = 0, 0
    while history.lines < lines:
        if changed < changes and history.lines > (changed + 0.3) * lines / changes:
            _upheaval(history, changed)
            changed += 1
        elif done < len(plan) and history.lines > (0.45 + done / len(plan) / 2) * lines:
            yield plant(history, *plan[done])
            done += 1
        else:
            wave = history.rng.sample(range(len(moved)), at_once)
            history.wave([moved[at] for at in sorted(wave)])
            history.now_ms += history.rng.randrange(30_000, 600_000)
        progress(history.lines)
    for name, partition in plan[done:]:
        yield plant(history, name, partition)


def _upheaval(history: History, number: int) -> None:
    """Let a broker be gone for a while, and another node take office."""
    broker = history.rng.choice(sorted(history.alive))
    history.lose(broker)
    history.now_ms += history.rng.randrange(20_000, 900_000)
    history.find(broker)
    history.now_ms += 60_000
    history.take_office(NODES[(number + 1) % len(NODES)])
    history.now_ms += 60_000


def _day(folder: Path, snapshot: Snapshot) -> None:
    date = datetime.fromtimestamp(snapshot.taken_ms / 1000, UTC).strftime("%Y-%m-%d")
    for name, lines in (
        ("topics.txt", texts.describe(snapshot)),
        ("log-dirs.json", texts.log_dirs(snapshot)),
        ("load.json", texts.load(snapshot)),
        ("partition-load.json", texts.partition_load(snapshot)),
    ):
        file = folder / date / name
        _text(file, lines)
        seconds = snapshot.taken_ms / 1000
        os.utime(file, (seconds, seconds))


def _text(file: Path, lines: Iterable[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        out.writelines(lines)


def _label(planted: Planted, files: JournalFiles) -> dict[str, Any]:
    return {
        "fault": planted.fault,
        "rule": planted.rule,
        "file": f"journals/{files.name(planted.place)}",
        "line": planted.place.line,
        "node": planted.place.node,
        "seq": planted.sequence,
        "topic": planted.topic,
        "partition": planted.partition,
        "text": planted.text,
    }
