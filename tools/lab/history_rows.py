"""Rows of a history: what somebody saw at one moment, as the pipeline's table `events` has it.

A row is a mapping of that table's columns, without those that are null. What the kinds mean is
told in `klamm.tools.pipeline.history.kinds`; this package may not import that one, which stands
above it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from klamm.controller.core.model import TopicPartition

Row = dict[str, Any]


class Book:
    """The rows of a history in order. `ts_ms` is the time of what is added."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.ts_ms = 0
        self._moment = 0
        self._part = 0

    def moment(self) -> None:
        """Begin what happens next; rows of one moment are told apart by `part`."""
        self._moment += 1
        self._part = 0

    def add(
        self,
        origin: str,
        kind: str,
        about: TopicPartition | str = "",
        detail: Mapping[str, Any] | None = None,
        **columns: object,
    ) -> None:
        """Add a row about a partition, a topic, or neither; columns that are None are left out."""
        row: Row = {
            "step": self._moment,
            "part": self._part,
            "seq": len(self.rows) + 1,
            "ts_ms": self.ts_ms,
            "origin": origin,
            "kind": kind,
        }
        if isinstance(about, TopicPartition):
            row |= {"topic": about.topic, "partition": about.partition}
        elif about:
            row["topic"] = about
        row |= {name: value for name, value in columns.items() if value is not None}
        if detail:
            row["detail"] = json.dumps(detail, sort_keys=True)
        self._part += 1
        self.rows.append(row)

    def alone(self, origin: str, kind: str, about: TopicPartition | str = "", **rest: Any) -> None:  # noqa: ANN401
        """Add a row that is a moment of its own."""
        self.moment()
        self.add(origin, kind, about, **rest)


def form(
    *,
    replicas: Iterable[int] | None = None,
    adding: Iterable[int] | None = None,
    removing: Iterable[int] | None = None,
    leader: int | None = None,
    leader_epoch: int | None = None,
    isr: Iterable[int] | None = None,
    controller_epoch: int | None = None,
    version: int | None = None,
) -> Row:
    """Return a partition as a row has it, without what is not known."""
    lists = {"replicas": replicas, "adding": adding, "removing": removing, "isr": isr}
    numbers = {
        "leader": leader,
        "leader_epoch": leader_epoch,
        "controller_epoch": controller_epoch,
        "version": version,
    }
    return {
        **{name: [*each] for name, each in lists.items() if each is not None},
        **{name: each for name, each in numbers.items() if each is not None},
    }
