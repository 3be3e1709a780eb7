"""One move, as far as the events so far tell, and what of it becomes a row of `moves`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from klamm.tools.pipeline.history.surroundings import Surroundings
from klamm.tools.pipeline.tables import Row

_EVIDENCE = 12


class Evidence(NamedTuple):
    """Where an event stands."""

    source: str
    line: int


@dataclass(slots=True)
class Move:
    """A move that is not over."""

    number: int
    source: str
    origin: tuple[int, ...]
    target: tuple[int, ...]
    opened: Row
    #: When it was asked for; None: the history begins in its middle.
    requested_ms: int | None
    epochs: set[int]
    leader_before: int | None
    principal: str | None = None
    client_id: str | None = None
    first_step_ms: int | None = None
    first_join_ms: int | None = None
    last_join_ms: int | None = None
    steps: int = 0
    retries: int = 0
    drops: int = 0
    waiting: str | None = None
    stuck: str | None = None
    cancel_ms: int | None = None
    #: The last thing that brought it on.
    heard_ms: int = 0
    evidence: list[Evidence] = field(default_factory=list)

    def cite(self, row: Row) -> None:
        """Remember a row that shows what became of it; of many the first ones."""
        if len(self.evidence) < _EVIDENCE:
            self.evidence.append(Evidence(row["source"], row["line"]))

    def synced(self, row: Row, known: set[int], now: set[int], replicas: set[int]) -> None:
        """Take in that these are in sync now, and not `known`; `replicas` are the partition's."""
        joined, target = now - known, set(self.target)
        # Once all of the target is in sync, the others leave because the move ends.
        stays = replicas & target if target <= known else replicas
        self.drops += len((known - now) & stays)
        if joined & target:
            self.heard_ms = row["at_ms"]
        if joined & target.difference(self.origin):
            self.first_join_ms = self.first_join_ms or row["at_ms"]
            self.last_join_ms = row["at_ms"]
            self.cite(row)

    def reaches(self, epoch: int | None) -> None:
        """Take note of the epoch of a controller that has it in hand."""
        if epoch is not None:
            self.epochs.add(epoch)

    def late(self, form: Mapping[str, Any]) -> set[int]:
        """Who of the target is not in sync, by what the partition was last known to be."""
        return set(self.target).difference(form.get("isr") or ())

    def obstacles(
        self, form: Mapping[str, Any], around: Surroundings, stuck_after_ms: int
    ) -> Iterator[str]:
        """Say what is in its way when the history ends."""
        late, alive = self.late(form), around.alive_at_end()
        if self.stuck:
            yield self.stuck
        if form.get("leader") == -1:
            yield "nobody leads the partition"
        if alive is not None and (dead := late - alive):
            yield f"not alive: {ids(sorted(dead))}"
        if self.waiting:
            yield f"its next step waits: {self.waiting}"
        quiet_ms = around.ends_ms - self.heard_ms
        if not around.at_rest and quiet_ms < stuck_after_ms:
            return
        if late:
            throttled = around.throttled(self.entity, around.ends_ms)
            hint = ", and its topic is throttled" if throttled else ""
            yield f"for {quiet_ms / 1000:.0f} s none came in sync of {ids(sorted(late))}{hint}"
        else:
            yield f"all are in sync, and it has not ended for {quiet_ms / 1000:.0f} s"

    @property
    def entity(self) -> str:
        """Whose throttles slow it."""
        return f"topics/{self.opened['topic']}"

    def row(
        self,
        result: str,
        reason: str | None,
        ended_ms: int | None,
        leader: int | None,
        around: Surroundings,
    ) -> dict[str, Any]:
        """Return it as a row of `moves`; without `ended_ms` it is not over."""
        opened, until_ms = self.opened, around.ends_ms if ended_ms is None else ended_ms
        latency_s = None
        if result == "cancelled" and self.cancel_ms is not None:
            latency_s = (until_ms - self.cancel_ms) / 1000
        return {
            "cluster": opened["cluster"],
            "date": opened["date"],
            "move_id": f"{opened['topic']}-{opened['partition']}#{self.number}",
            "source": self.source,
            "principal": self.principal,
            "client_id": self.client_id,
            "topic": opened["topic"],
            "partition": opened["partition"],
            "origin": list(self.origin),
            "target": list(self.target),
            "result": result,
            "reason": reason,
            "requested_ms": self.requested_ms,
            "first_step_ms": self.first_step_ms,
            "first_isr_join_ms": self.first_join_ms,
            "last_isr_join_ms": self.last_join_ms,
            "ended_ms": ended_ms,
            "steps": self.steps or int(self.first_step_ms is not None),
            # Every election counts the epoch up by one, whoever saw it.
            "failovers": max(self.epochs) - min(self.epochs) if self.epochs else 0,
            "retries": self.retries,
            "isr_drops": self.drops,
            "throttle_left": self._throttle_left(ended_ms, around),
            "epochs": sorted(self.epochs),
            "evidence": [each._asdict() for each in self.evidence],
            "leader_before": self.leader_before,
            "leader_after": leader,
            "cancel_latency_s": latency_s,
            "seen_ms": opened["at_ms"],
            "gap": around.has_gap(opened["at_ms"], until_ms),
        }

    def _throttle_left(self, ended_ms: int | None, around: Surroundings) -> bool | None:
        """Tell whether throttles that were set when it ended were never unset; None: who knows."""
        if ended_ms is None:
            return None
        at_end = around.throttled(self.entity, ended_ms)
        return around.throttled(self.entity, around.ends_ms) if at_end else at_end


def is_moving(form: Mapping[str, Any] | None) -> bool:
    """Tell whether a partition has replicas to add or to remove."""
    return form is not None and bool(form["adding"] or form["removing"])


def target_of(form: Mapping[str, Any]) -> tuple[int, ...]:
    """What a partition is to have: RS without RR (KIP-455)."""
    removing = form.get("removing") or ()
    return tuple(each for each in form.get("replicas") or () if each not in removing)


def origin_of(form: Mapping[str, Any]) -> tuple[int, ...]:
    """What a partition had: RS without AR. The order of before is only known from before."""
    adding = form.get("adding") or ()
    return tuple(each for each in form.get("replicas") or () if each not in adding)


def raises_epoch(row: Row) -> bool:
    """Tell whether brokers must hear of it: Kafka raises the leader epoch with LeaderAndIsr."""
    before, after = row["before"], row["after"]
    if before is None or after is None:
        return False
    was, now = before["leader_epoch"], after["leader_epoch"]
    return was is not None and now is not None and now > was


def detail_of(row: Row) -> dict[str, Any]:
    """Return what only rows of this kind have."""
    text = row["detail"]
    return msgspec.json.decode(text, type=dict[str, Any]) if text else {}


def ids(brokers: Iterable[int]) -> str:
    """Name brokers."""
    return ", ".join(map(str, brokers))
