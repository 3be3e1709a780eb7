"""Stages and specs that tests of rehearsals share."""

from __future__ import annotations

from typing import Any

from klamm.tools.rehearsal.faults import MODELS, drawn
from klamm.tools.rehearsal.spec import Reserved, RunSpec, Stage, StagePartition

GB = 10**9


def stage(*partitions: StagePartition, reserved: tuple[Reserved, ...] = ()) -> Stage:
    """A stage of living brokers."""
    brokers = {id_ for each in partitions for id_ in (*each.replicas, *each.target)}
    return Stage(tuple(sorted(brokers)), (), partitions, reserved, "plan")


def seed_of(model: str, broker: int | None, brokers: tuple[int, ...] = (10, 20, 30)) -> int:
    """Return the first seed with which a fault model hits a broker."""
    for seed in range(100):
        fault = drawn(MODELS[model], seed, brokers)
        if fault is not None and fault.broker == broker:
            return seed
    raise AssertionError(f"no seed of {model} hits broker {broker}")


def one_move(**changes: object) -> StagePartition:
    """A gigabyte that moves from broker 20 to broker 30, while 10 leads."""
    whole: dict[str, Any] = {
        "topic": "foo",
        "partition": 7,
        "replicas": (10, 20),
        "target": (10, 30),
        "size_bytes": GB,
    }
    return StagePartition(**{**whole, **changes})


def spec(**changes: object) -> RunSpec:
    """One move at 100 MB/s: it takes ten seconds."""
    whole: dict[str, Any] = {"stage": stage(one_move()), "bandwidth": 100e6}
    return RunSpec(**{**whole, **changes})
