"""Fault models: what goes wrong in the middle of a plan, drawn from a run's seed.

A model says what fails, and for how long; the seed says which broker, and when: when so much of
the plan's bytes has been copied, so that the same seed hits every pacing at the same stage of its
work. A broker or node that dies loses its session at once: how long ZooKeeper would wait is part of
the time that it is away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, unique
from types import MappingProxyType
from typing import Final

from klamm.tools.lab.evidence.site import draw


@unique
class Kind(Enum):
    """What can fail."""

    NOTHING = "nothing"
    BROKER = "broker"
    CONTROLLER = "controller"
    DISK = "disk"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class Model:
    """A fault model. What fails is away, or slow, for `least` to `most` seconds; None: for good."""

    name: str
    story: str
    kind: Kind
    least: float | None = None
    most: float = 0.0


MODELS: Final[Mapping[str, Model]] = MappingProxyType(
    {
        model.name: model
        for model in (
            Model("none", "nothing fails", Kind.NOTHING),
            Model("broker-restart", "a broker is away for 1 to 5 min", Kind.BROKER, 60.0, 300.0),
            Model("broker-loss", "a broker dies and does not come back", Kind.BROKER),
            Model("controller-failover", "the controller dies", Kind.CONTROLLER, 60.0, 300.0),
            Model("slow-disk", "a broker copies a tenth, 10 to 60 min", Kind.DISK, 600.0, 3600.0),
            Model("network-loss", "a broker gets nothing, 1 to 5 min", Kind.NETWORK, 60.0, 300.0),
        )
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault that is to happen: to which broker (None: the controller), and for how long.

    `at` is the part of the plan's bytes that has been copied by then; `seconds` None: for good.
    """

    kind: Kind
    broker: int | None
    at: float
    seconds: float | None


def drawn(model: Model, seed: int, brokers: tuple[int, ...]) -> Fault | None:
    """Return the fault of a seed, None if nothing is to fail; `brokers` are those that may."""
    if model.kind is Kind.NOTHING:
        return None
    broker = None
    if model.kind is not Kind.CONTROLLER:
        if not brokers:
            return None
        broker = brokers[int(draw(seed, model.name, "broker") * len(brokers))]
    seconds = None
    if model.least is not None:
        seconds = model.least + draw(seed, model.name, "seconds") * (model.most - model.least)
        seconds = float(round(seconds))
    return Fault(model.kind, broker, 0.05 + 0.9 * draw(seed, model.name, "at"), seconds)
