"""How verdicts are given: what is unjudged, what order and batches do not change, evidence."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pytest
from pipeline.checking import broken, histories, table

from klamm.tools.lab.history import History, of_seed
from klamm.tools.lab.studies import ALL_SCOPES
from klamm.tools.pipeline.history.rules.event import READS, events
from klamm.tools.pipeline.jobs.check import summary_plain, verdicts_plain
from klamm.tools.pipeline.tables import EVENTS, VERDICTS


def _verdicts(rows: pa.Table) -> list[str]:
    return sorted(map(str, verdicts_plain(rows).to_pylist()))


@pytest.mark.parametrize("seed", range(3))
def test_neither_order_nor_batches_matter(seed: int) -> None:
    """Rows in any order, in batches of any size, have the same verdicts."""
    (history,) = histories("F03", 1, with_bug=True)
    rows = table(history)
    chance = random.Random(seed)
    shuffled = rows.take(chance.sample(range(len(rows)), len(rows)))
    small = pa.Table.from_batches(shuffled.to_batches(max_chunksize=chance.randint(1, 50)))
    assert _verdicts(small) == _verdicts(rows)


def test_evidence_is_the_line_that_says_it() -> None:
    """A breach names the file and line of the write that it is about."""
    (history,) = histories("F03", 1, with_bug=True)
    (found,) = (row for row in broken(history) if row["partition"] == 2)
    last = found["evidence"][-1]
    written = history.world[last["line"] - 1]
    assert (last["source"], written["kind"]) == ("world.jsonl", "znode-written")
    assert written["zk_path"] == "/admin/reassign_partitions"
    assert "after" not in written
    assert found["rule"] == "I12" and "F03" in found["text"]


def test_what_a_history_does_not_have_is_unjudged() -> None:
    """Journals alone say nothing of disks or clients: such rules are not kept by silence."""
    whole = of_seed(ALL_SCOPES["moves"], 0)
    alone = verdicts_plain(table(History(whole.journals, []))).to_pylist()
    (partition,) = (row for row in alone if row["topic"] == "t")
    assert partition["verdict"] == "kept"
    assert {"I1", "I5", "I6", "I9", "I10", "I13", "liveness"} <= set(partition["unjudged"])
    assert not {"I2", "I3", "I4", "I7"} & set(partition["unjudged"])
    both = verdicts_plain(table(whole)).to_pylist()
    assert [row["unjudged"] for row in both if row["topic"] == "t"] == [[]]


def test_nothing_that_could_be_judged_is_unknown() -> None:
    """A partition of which only a client was heard is neither kept nor broken."""
    row = {**EVENTS.empty, "cluster": "c", "origin": "client", "kind": "request", "topic": "t"}
    rows = pa.Table.from_pylist([{**row, "partition": 0}], schema=EVENTS.schema)
    (found,) = verdicts_plain(rows).to_pylist()
    assert (found["verdict"], found["rule"], found["events"]) == ("unknown", None, 1)


def test_no_events_have_no_verdicts() -> None:
    """An empty table is judged, too."""
    found = verdicts_plain(EVENTS.schema.empty_table())
    assert (len(found), found.schema) == (0, VERDICTS.schema)


def test_events_are_what_rows_say() -> None:
    """Columns become the same values as rows would, in slices as in whole tables."""
    rows = table(of_seed(ALL_SCOPES["steps"], 0)).select(READS)
    part = rows.slice(7, 100).combine_chunks()
    for event, row in zip(events(part), part.to_pylist(), strict=True):
        said = event._asdict()
        for name in ("before", "after"):
            form = said[name]
            plain = row[name]
            assert (form is None) == (plain is None)
            if form is not None:
                lists = {
                    k: list(v) if isinstance(v, tuple) else v for k, v in form._asdict().items()
                }
                assert lists == plain
        assert {k: v for k, v in said.items() if k not in ("before", "after")} == {
            k: v for k, v in row.items() if k not in ("before", "after")
        }


def test_a_summary_counts_partitions_once() -> None:
    """A partition that breaks two rules is one that is broken, and unjudged once by others."""
    (history,) = histories("H1", 1, with_bug=True)
    verdicts = verdicts_plain(table(history))
    found = summary_plain(verdicts)
    assert found.is_broken
    one = {**VERDICTS.empty, "cluster": "c", "topic": "t", "partition": 0, "verdict": "broken"}
    more = {"events": 3, "times": 1, "text": "", "unjudged": ["I1"], "evidence": []}
    rows = [{**one, **more, "rule": each} for each in ("I2", "I3")]
    (lacking,) = summary_plain(pa.Table.from_pylist(rows, schema=VERDICTS.schema)).unjudged
    assert lacking == {"rule": "I1", "subjects": 1}
    parts = {(row["topic"], row["partition"]) for row in verdicts.to_pylist() if row["topic"]}
    counted = sum(row["count"] for row in found.counts if row["subject"] == "partition")
    assert counted == len(parts)


@pytest.mark.parametrize(
    ("details", "times"),
    [
        ([None, {"elr": [2]}, None], 0),
        ([None, {"elr": [], "last_known_elr": [2]}, None], 0),
        ([None, None, None], 1),
        ([{"elr": [2]}, {"elr": []}, None], 1),
        ([None, {"elr": [2]}, {"elr": []}], 1),
    ],
)
def test_nobody_in_sync_is_well_while_somebody_is_eligible(
    details: list[dict[str, list[int]] | None], times: int
) -> None:
    """KRaft's ISR may be empty as long as it knows who may lead (KIP-966)."""
    forms: tuple[tuple[list[int], list[int], int], ...]
    forms = ([1, 2], [1], 1), ([1, 2], [], -1), ([1, 2], [], -1)
    common = {"cluster": "c", "origin": "metadata-log", "topic": "t", "partition": 0, "part": 0}
    rows = [
        EVENTS.empty
        | common
        | {
            "kind": "initialize" if at == 0 else "elect",
            "source": "dump",
            "line": at,
            "at_ms": 1000 * at,
            "seq": at,
            "after": {"replicas": replicas, "isr": isr, "leader": leader, "leader_epoch": at},
            "detail": json.dumps(detail) if detail is not None else None,
        }
        for at, ((replicas, isr, leader), detail) in enumerate(zip(forms, details, strict=True))
    ]
    found = verdicts_plain(pa.Table.from_pylist(rows, schema=EVENTS.schema)).to_pylist()
    assert sum(row["times"] for row in found if row["rule"] == "I4") == times
    assert {row["rule"] for row in found} <= {None, "I4"}
