"""The canonical tables: what every job of the pipeline reads and writes.

One place says what a table holds; Spark's schemas are made from it (see `struct`). A table keeps
its `version` as long as rows of before can be read as rows of now: a new column is nullable, and
one that changes its meaning or goes is a new version, in a folder of its own.

Lists of brokers are in the order of Kafka's znodes. Times end in `_ms` and are milliseconds since
the epoch in UTC, of the clock of whoever wrote the row; lengths of time end in `_s`. Bytes are
bytes. What a source does not say is null, never a made-up value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

#: A row, by column.
Row = Mapping[str, Any]

INT, LONG, TEXT, FLAG, REAL = pa.int32(), pa.int64(), pa.string(), pa.bool_(), pa.float64()
BROKERS = pa.list_(INT)
TEXTS = pa.list_(TEXT)

#: A partition as topic and state znode have it: RS, AR, RR, and leader, epoch and ISR.
FORM = pa.struct(
    {
        "replicas": BROKERS,
        "adding": BROKERS,
        "removing": BROKERS,
        "leader": INT,
        "leader_epoch": INT,
        "isr": BROKERS,
        "controller_epoch": INT,
        "version": INT,
    }
)
#: Where a row comes from: a file as it was named to the job, and its line there, from 1 on.
EVIDENCE = pa.struct({"source": TEXT, "line": LONG})


@dataclass(frozen=True)
class Table:
    """A table: its columns in order, without `cluster` and `date`, which all begin with.

    `key` are the columns that tell its rows apart within a cluster. `clustered` is False for the
    tables about the job itself, which have no cluster and no date.
    """

    name: str
    version: int
    key: tuple[str, ...]
    columns: Mapping[str, pa.DataType]
    clustered: bool = True

    @cached_property
    def schema(self) -> pa.Schema:
        """All columns as Arrow has them."""
        first = {"cluster": TEXT, "date": TEXT} if self.clustered else {}
        return pa.schema([pa.field(*each) for each in {**first, **self.columns}.items()])

    @cached_property
    def struct(self) -> StructType:
        """All columns as Spark has them; needs pyspark."""
        from pyspark.sql.pandas.types import from_arrow_schema

        return from_arrow_schema(self.schema)

    @cached_property
    def empty(self) -> dict[str, Any]:
        """A row of nulls."""
        return dict.fromkeys(self.schema.names)


EVENTS = Table(
    "events",
    1,
    ("source", "line", "part"),
    {
        "source": TEXT,
        "line": LONG,
        # A line may be about several partitions: from 0 on.
        "part": INT,
        # Who has seen it: journal, controller-log, state-change-log, server-log, zookeeper,
        # broker, client, metadata-log, end.
        "origin": TEXT,
        # The order of a history is (step, controller_epoch, at_ms, node, seq, part): see
        # klamm.tools.pipeline.history.order. `step` is a simulator's, and nobody else's.
        "step": LONG,
        "controller_epoch": INT,
        # As written, and the same but never falling within a source.
        "ts_ms": LONG,
        "at_ms": LONG,
        "node": INT,
        "seq": LONG,
        "kind": TEXT,
        "severity": TEXT,
        "topic": TEXT,
        "partition": INT,
        "topic_id": TEXT,
        "before": FORM,
        "after": FORM,
        # The broker that it is about: who was told, joined, left, deleted.
        "broker": INT,
        "zk_path": TEXT,
        "zk_version": INT,
        "zk_session": TEXT,
        "rpc_api": INT,
        "rpc_error": INT,
        "request": TEXT,
        "principal": TEXT,
        "client_id": TEXT,
        # The journal's entry that caused it, and what kind of cause: rpc, admin znode, ...
        "cause_seq": LONG,
        "cause": TEXT,
        "text": TEXT,
        # What only this kind of row has, as a JSON object.
        "detail": TEXT,
    },
)

MOVES = Table(
    "moves",
    1,
    ("move_id",),
    {
        "move_id": TEXT,
        # What ordered it: api, znode, kip179, unknown (the history begins in its middle).
        "source": TEXT,
        "principal": TEXT,
        "client_id": TEXT,
        "topic": TEXT,
        "partition": INT,
        "origin": BROKERS,
        "target": BROKERS,
        # done, cancelled, superseded, stuck, lost, running.
        "result": TEXT,
        "reason": TEXT,
        "requested_ms": LONG,
        "first_step_ms": LONG,
        "first_isr_join_ms": LONG,
        "last_isr_join_ms": LONG,
        "ended_ms": LONG,
        "steps": INT,
        "failovers": INT,
        "retries": INT,
        "isr_drops": INT,
        "bytes": LONG,
        # The throttle in force when it ended, and whether it was still there when nothing moved.
        "throttle": LONG,
        "throttle_left": FLAG,
        "epochs": BROKERS,
        "evidence": pa.list_(EVIDENCE),
        "leader_before": INT,
        "leader_after": INT,
        # From a client's cancel to its end; only where the client's requests are known.
        "cancel_latency_s": REAL,
        # When the history first tells of it, and whether entries are missing while it ran.
        "seen_ms": LONG,
        "gap": FLAG,
    },
)

VERDICTS = Table(
    "verdicts",
    1,
    ("topic", "partition", "rule"),
    {
        # Null for what is about the cluster.
        "topic": TEXT,
        "partition": INT,
        # kept, broken, or unknown: the history does not say enough.
        "verdict": TEXT,
        # I1..I14, V1..V8, liveness, or a signature of the catalogue such as F13; null if kept.
        "rule": TEXT,
        "at_ms": LONG,
        "controller_epoch": INT,
        "times": LONG,
        "text": TEXT,
        "evidence": pa.list_(EVIDENCE),
        # Events judged, and rules that could not be for want of sources.
        "events": LONG,
        "unjudged": TEXTS,
    },
)

CLUSTERS = Table(
    "clusters",
    1,
    ("ts_ms", "broker"),
    {
        "ts_ms": LONG,
        "broker": INT,
        "rack": TEXT,
        "host": TEXT,
        "alive": FLAG,
        "is_controller": FLAG,
        "log_dirs": INT,
        "capacity_bytes": LONG,
        "usable_bytes": LONG,
        "source": TEXT,
        "line": LONG,
    },
)

PARTITIONS = Table(
    "partitions",
    1,
    ("ts_ms", "topic", "partition"),
    {
        "ts_ms": LONG,
        "topic": TEXT,
        "partition": INT,
        "topic_id": TEXT,
        "replicas": BROKERS,
        "adding": BROKERS,
        "removing": BROKERS,
        "leader": INT,
        "leader_epoch": INT,
        "isr": BROKERS,
        "min_isr": INT,
        "configs": TEXT,
        "source": TEXT,
        "line": LONG,
        # Who may lead though out of sync, and who led last (KIP-966).
        "elr": BROKERS,
        "last_known_elr": BROKERS,
    },
)

REPLICAS = Table(
    "replicas",
    1,
    ("ts_ms", "topic", "partition", "broker", "log_dir"),
    {
        "ts_ms": LONG,
        "topic": TEXT,
        "partition": INT,
        "topic_id": TEXT,
        "broker": INT,
        "rack": TEXT,
        "log_dir": TEXT,
        # The place in RS, from 0 on.
        "ord": INT,
        # origin, adding, removing.
        "role": TEXT,
        "in_isr": FLAG,
        "is_leader": FLAG,
        "is_future": FLAG,
        "size_bytes": LONG,
        "offset_lag": LONG,
        "source": TEXT,
        "line": LONG,
    },
)

METRICS = Table(
    "metrics",
    1,
    ("ts_ms", "name", "labels"),
    {
        "ts_ms": LONG,
        "name": TEXT,
        # A JSON object, its keys in order.
        "labels": TEXT,
        "broker": INT,
        "topic": TEXT,
        "partition": INT,
        "value": REAL,
        "source": TEXT,
        "line": LONG,
    },
)

LOADS = Table(
    "loads",
    1,
    ("ts_ms", "topic", "partition"),
    {
        "ts_ms": LONG,
        "topic": TEXT,
        "partition": INT,
        "bytes_in_per_s": REAL,
        "bytes_out_per_s": REAL,
        "source": TEXT,
        "line": LONG,
    },
)

#: Plans and proposals, as files of kafka-reassign-partitions have them.
PLANS = Table(
    "plans",
    1,
    ("plan_hash", "topic", "partition"),
    {
        "plan_hash": TEXT,
        # current, proposed, or plan: what the text around it said of it.
        "role": TEXT,
        "topic": TEXT,
        "partition": INT,
        "replicas": BROKERS,
        "log_dirs": TEXTS,
        "source": TEXT,
        "line": LONG,
    },
)

#: Progress as status answers and status writes have it (both versions of KIP-179).
PROGRESS = Table(
    "progress",
    1,
    ("request", "topic", "partition", "broker", "ts_ms", "seq"),
    {
        "request": TEXT,
        "ts_ms": LONG,
        "seq": LONG,
        "controller_epoch": INT,
        "topic": TEXT,
        "partition": INT,
        "broker": INT,
        # Of a status write: percent in sync. Of a status answer: offsets.
        "percent": REAL,
        "lag": LONG,
        "log_end": LONG,
        "in_sync": FLAG,
        # Less than what the same replica had before.
        "fell": FLAG,
        "source": TEXT,
        "line": LONG,
    },
)

RUNS = Table(
    "runs",
    1,
    ("run_id",),
    {
        "run_id": TEXT,
        "git_rev": TEXT,
        "profile": TEXT,
        # What ran: a scope, a variant in it, or a plan and a pacing.
        "scope": TEXT,
        "variant": TEXT,
        "seed": LONG,
        "plan_hash": TEXT,
        "fault_model": TEXT,
        "pacing": TEXT,
        "verdict": TEXT,
        "violated": TEXTS,
        "text": TEXT,
        "steps": LONG,
        "virtual_s": REAL,
        "finish_s": REAL,
        "max_urp": INT,
        "min_isr_breach_s": REAL,
        "leaderless_s": REAL,
        "bytes_moved": LONG,
        "bytes_wasted": LONG,
        # A digest of all that happened: equal runs have equal ones, on every machine.
        "trace_hash": TEXT,
        "detail": TEXT,
    },
)

PLAN_EVAL = Table(
    "plan_eval",
    1,
    ("plan_hash", "metric"),
    {
        "plan_hash": TEXT,
        "plan": TEXT,
        "metric": TEXT,
        "before": REAL,
        "after": REAL,
        "moves": LONG,
        "bytes": LONG,
        "leader_changes": LONG,
        "rack_violations": LONG,
        "rf_changes": LONG,
        "max_broker_in": LONG,
        "max_broker_out": LONG,
    },
)

#: What could not be read, and why; nothing that is fed to `ingest` is dropped without a row here.
QUARANTINE = Table(
    "quarantine",
    1,
    ("source", "line", "reason"),
    {"source": TEXT, "line": LONG, "format": TEXT, "reason": TEXT, "text": TEXT},
)

#: What was taken in: a file, or a piece of one that has grown. The same content is not read twice.
FILES = Table(
    "files",
    1,
    ("source", "digest"),
    {
        "source": TEXT,
        "digest": TEXT,
        "format": TEXT,
        "bytes": LONG,
        "lines": LONG,
        "rows": LONG,
        "quarantined": LONG,
        # Lines that say nothing that any table has, such as another logger's.
        "passed_over": LONG,
        # A digest of the file's first line, by which it is known when it was renamed and has grown.
        "head": TEXT,
        # Where in the file the piece begins, in bytes, unpacked.
        "start": LONG,
        # The largest at_ms of its events.
        "last_ms": LONG,
        # The time that rows got that had none of their own: the file's.
        "ts_ms": LONG,
    },
)

TABLES = {
    table.name: table
    for table in (
        EVENTS,
        MOVES,
        VERDICTS,
        CLUSTERS,
        PARTITIONS,
        REPLICAS,
        METRICS,
        LOADS,
        PLANS,
        PROGRESS,
        RUNS,
        PLAN_EVAL,
        QUARANTINE,
        FILES,
    )
}
