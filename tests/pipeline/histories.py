"""Histories for tests: entries made by hand, and what runs of the lab leave behind."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from klamm.controller.znodes.state import StateZnode, encode_state
from klamm.tools.lab.history import History
from klamm.tools.pipeline.formats import Good, Source, journal
from klamm.tools.pipeline.history import moves
from klamm.tools.pipeline.history.replay import Held
from klamm.tools.pipeline.history.surroundings import KINDS, Surroundings, survey
from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.steps import ByKey
from klamm.tools.pipeline.tables import EVENTS, MOVES

START_MS = 1_700_000_000_000


def form(replicas: Sequence[int], isr: Sequence[int], **fields: object) -> dict[str, Any]:
    """A partition whose first in sync leads; `adding`, `removing`, `leader_epoch` may be given."""
    told: dict[str, Any] = {"adding": [], "removing": [], "leader_epoch": 0}
    told["leader"] = next(iter(isr), -1)
    told |= {"controller_epoch": 1, "version": 0, **fields}
    return {"replicas": list(replicas), "isr": list(isr), **told}


def entry(kind: str, at_s: float, **columns: object) -> dict[str, Any]:
    """An entry of node 900 in epoch 1 about t-0, so many seconds after the beginning."""
    at_ms = START_MS + round(at_s * 1000)
    detail = columns.pop("detail", None)
    return {
        **EVENTS.empty,
        "cluster": "c",
        "date": "2023-11-14",
        "source": "node-900.jsonl",
        "line": round(at_s * 1000) + 1,
        "part": 0,
        "origin": "journal",
        "controller_epoch": 1,
        "ts_ms": at_ms,
        "at_ms": at_ms,
        "node": 900,
        "seq": round(at_s * 1000) + 1,
        "kind": kind,
        "topic": "t",
        "partition": 0,
        "detail": None if detail is None else json.dumps(detail),
        **columns,
    }


def cluster_entry(kind: str, at_s: float, **columns: object) -> dict[str, Any]:
    """An entry about the cluster, or about a topic that is named."""
    return entry(kind, at_s, **{"topic": None, "partition": None, **columns})


def moved(
    rows: Iterable[Mapping[str, Any]], *, ends_s: float = 1000.0, stuck_after_s: float = 600.0
) -> list[dict[str, Any]]:
    """The moves of a history that ends then."""
    table = pa.Table.from_pylist(list(rows), schema=EVENTS.schema)
    wide = [row for row in table.to_pylist() if row["kind"] in KINDS and row["partition"] is None]
    epochs = [each for each in table["controller_epoch"].to_pylist() if each is not None]
    around = {"c": survey(wide, [], START_MS + round(ends_s * 1000), max(epochs))}
    return _fold(table, around, stuck_after_s)


def _fold(
    table: pa.Table, around: Mapping[str, Surroundings], stuck_after_s: float
) -> list[dict[str, Any]]:
    fold = partial(moves.fold, surroundings=around, stuck_after_ms=round(stuck_after_s * 1000))
    order = ("step", "controller_epoch", "at_ms", "node", "seq", "part")
    step = ByKey(("cluster", "topic", "partition"), order, moves.READS, MOVES, fold)
    about = [each is not None for each in table["partition"].to_pylist()]
    found: list[dict[str, Any]] = step.plain(table.filter(pa.array(about))).to_pylist()
    return found


def events_of(journals: Mapping[str, Iterable[bytes]], cluster: str) -> pa.Table:
    """Read journals, by the names of their files, into `events`."""
    rows = []
    for name, lines in journals.items():
        numbered = ((number, line.decode()) for number, line in enumerate(lines, 1))
        for produced in journal.read(Source(name, cluster), numbered):
            assert isinstance(produced, Good), produced
            rows.append({**EVENTS.empty, **produced.row})
    return pa.Table.from_pylist(rows, schema=EVENTS.schema)


def events_of_lab(history: History, cluster: str) -> pa.Table:
    """Read the journals of a run of the lab."""
    named = {f"{node}.jsonl": lines for node, lines in history.journals.items()}
    return events_of(named, cluster)


def held_in_lab(history: History) -> dict[str, Held]:
    """What the lab's ZooKeeper holds of topics at the end, by what was written."""
    held: dict[str, Held] = {}
    for row in history.world:
        path = row.get("zk_path") or ""
        if row["kind"] != "znode-written" or not path.startswith("/brokers/topics/"):
            continue
        is_state = path.endswith("/state")
        if row["zk_version"] == -1:
            held.pop(path, None)
        elif is_state and row.get("after"):
            held[path] = Held(_state(row["after"]), row["zk_version"])
        elif path.count("/") == 3 and row.get("partition") is None:
            data = _detail(row)["data"]
            held[path] = Held(None if data is None else data.encode(), row["zk_version"])
    return held


def _state(after: Mapping[str, Any]) -> bytes:
    return encode_state(
        StateZnode(
            after["leader"], after["leader_epoch"], tuple(after["isr"]), after["controller_epoch"]
        )
    )


def _detail(row: Mapping[str, Any]) -> dict[str, Any]:
    detail = row["detail"]
    found: dict[str, Any] = json.loads(detail) if isinstance(detail, str) else detail
    return found


def lake_of(folder: Path, *tables: pa.Table) -> Lake:
    """A lake with these events."""
    lake = Lake(folder)
    lake.write_plain(pa.concat_tables(tables), EVENTS)
    return lake
