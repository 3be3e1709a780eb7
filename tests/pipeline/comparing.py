"""Events and runs, for tests of what compares them."""

from collections.abc import Sequence
from random import Random
from typing import Any

from pipeline.drifting import put

from klamm.tools.pipeline.lake import Lake
from klamm.tools.pipeline.tables import RUNS


def event(
    cluster: str, line: int, partition: int, kind: str, replicas: Sequence[int] = (1, 2, 3)
) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "date": "2026-01-05",
        "source": f"{cluster}.jsonl",
        "line": line,
        "part": 0,
        "origin": "journal",
        "controller_epoch": 1,
        "at_ms": line,
        "ts_ms": line,
        "node": 900,
        "seq": line,
        "kind": kind,
        "topic": "t",
        "partition": partition,
        "after": {"replicas": list(replicas), "adding": [], "removing": [], "leader": 1},
    }


def put_runs(lake: Lake, rng: Random, seeds: int) -> None:
    """Runs of two pacings: with batch-50 all take longer, and bytes are as chance has it."""
    rows = []
    for seed in range(seeds):
        took = rng.randint(100, 200)
        for pacing, more in (("batch-20", 0), ("batch-50", rng.randint(1, 50))):
            if seed == 7 and pacing == "batch-50":
                continue
            rows.append(
                {
                    "cluster": "lab",
                    "run_id": f"{pacing}-{seed}",
                    "scope": "plan",
                    "pacing": pacing,
                    "seed": seed,
                    "verdict": "stuck" if rng.random() < 0.1 else "done",
                    "finish_s": float(took + more),
                    "bytes_moved": rng.randint(1, 10**12),
                    "max_urp": rng.choice((None, 3, 4)),
                    "trace_hash": f"{rng.getrandbits(64):016x}",
                }
            )
    put(lake, RUNS, rows)
