"""Histories of the lab for tests of `check`: exported, read in as files are, and judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import import_module

import pyarrow as pa

from klamm.tools.lab import registry
from klamm.tools.lab.exhibit import Case
from klamm.tools.lab.history import History, of_case, of_seed
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.lab.variant import OWN_SCRIPT
from klamm.tools.lab.variants import module_of
from klamm.tools.pipeline.formats import history_file, journal
from klamm.tools.pipeline.formats.base import Bad, Good, Produced, Source
from klamm.tools.pipeline.jobs.check import verdicts_plain
from klamm.tools.pipeline.tables import EVENTS, Row


def table(history: History, cluster: str = "c") -> pa.Table:
    """Return a history's events, read from the text that its files have."""
    rows: list[Row] = []
    for node, lines in history.journals.items():
        text = ((number, line.decode()) for number, line in enumerate(lines, 1))
        rows += _good(journal.read(Source(f"nodes/{node}.jsonl", cluster), text))
    world = ((number, json.dumps(row)) for number, row in enumerate(history.world, 1))
    rows += _good(history_file.read(Source("world.jsonl", cluster), world))
    return pa.Table.from_pylist([{**EVENTS.empty, **row} for row in rows], schema=EVENTS.schema)


def _good(produced: Iterable[Produced]) -> Iterator[Row]:
    for each in produced:
        assert not isinstance(each, Bad), each
        if isinstance(each, Good) and each.table == EVENTS.name:
            yield each.row


def broken(history: History) -> list[Row]:
    """Return the verdicts that say that a rule is broken."""
    return [row for row in verdicts_plain(table(history)).to_pylist() if row["verdict"] == "broken"]


def told(rows: Iterable[Row]) -> list[str]:
    """Return verdicts in words, for the text of an assertion."""
    return [f"{row['rule']}: {row['text']}" for row in rows]


def case_of(variant: str) -> Case | None:
    """Return the script that shows a variant; None if seeds of a scope do."""
    where = registry.variant(variant).exposed_by
    if where == OWN_SCRIPT:
        script: Case = import_module(module_of(variant)).SCRIPT
        return script
    return None if where in ALL_SCOPES else registry.exhibit(where).cases[0]


def histories(variant: str, seeds: int, *, with_bug: bool) -> Iterator[History]:
    """Yield what the lab's matrix looks at: the script's history, or those of seeds from 0 on."""
    bug = registry.variant(variant) if with_bug else None
    case = case_of(variant)
    if case is not None:
        yield of_case(case, bug)
        return
    scope = ALL_SCOPES[registry.variant(variant).exposed_by]
    for seed in range(seeds):
        yield of_seed(scope, seed, bug)
