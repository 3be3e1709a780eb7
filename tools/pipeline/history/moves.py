"""From the events of a partition to its moves: one row of `moves` for each, closed exactly once.

A move begins with the entry that orders it and ends with the one that says so. Where entries are
missing, the forms that others show tell: a partition that moves has replicas to add or remove, and
one that does not has none. What was only concluded has a `reason` that says so.

The results:

done        it has ended, and the target is what the partition has
cancelled   a request took it back
superseded  another target was given while it was under way
lost        it is over, and neither done nor cancelled: its topic went, or nobody knows how
stuck       it is not over, and something is in its way; `reason` says what
running     it is not over, and goes on as far as can be told
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from klamm.tools.pipeline.history.kinds import CLIENT, JOURNAL
from klamm.tools.pipeline.history.move import (
    Move,
    detail_of,
    ids,
    is_moving,
    origin_of,
    raises_epoch,
    target_of,
)
from klamm.tools.pipeline.history.order import ORDER
from klamm.tools.pipeline.history.surroundings import TELLERS, Moment, Surroundings
from klamm.tools.pipeline.tables import Row

#: What is looked at of the events of a partition.
READS = (
    *("cluster", "date", "topic", "partition", *ORDER, "source", "line", "origin", "kind"),
    *("before", "after", "cause", "cause_seq", "rpc_api", "principal", "client_id"),
    *("text", "detail"),
)

#: What brokers say of themselves in a state-change.log: they hear of everything later.
_SAID_BY_BROKERS = frozenset({"led", "heard-lead", "heard-metadata", "heard-stop"})
#: Kinds that order a move.
_ORDERS = frozenset({"accept", "supersede"})
#: Requests that order moves: AlterPartitionReassignments, and those of both versions of KIP-179.
_ALTER, _KIP_179 = 45, (17900, 17902)
#: An entry that follows from one of /admin/reassign_partitions.
_OF_ZNODE = frozenset({"BeginEntry", "AdminRead"})


def fold(
    rows: Sequence[Row], surroundings: Mapping[str, Surroundings], stuck_after_ms: int
) -> list[dict[str, Any]]:
    """Return rows of `moves` for the events of one partition, which are in order.

    A move that is not over is stuck if something is in its way, or if nothing has brought it on
    for `stuck_after_ms` when the history ends.
    """
    around = surroundings.get(rows[0]["cluster"], Surroundings())
    # What a journal tells is complete; logs of the same controllers would tell it once more.
    origins = {row["origin"] for row in rows}
    tellers = {JOURNAL} if JOURNAL in origins else origins.intersection(TELLERS)
    cancels = [row["at_ms"] for row in rows if _asks_for_cancel(row)]
    story = _Story(rows[0]["topic"], around, stuck_after_ms, cancels)
    for row in rows:
        if row["origin"] in tellers:
            story.take(row)
    story.finish()
    return story.moves


class _Story:
    """One partition's events, one after the other."""

    def __init__(
        self, topic: str, around: Surroundings, stuck_ms: int, cancels: Sequence[int]
    ) -> None:
        self.around = around
        self.stuck_after_ms = stuck_ms
        #: When clients asked for cancels, as far as that is known.
        self.cancels = cancels
        self.moves: list[dict[str, Any]] = []
        self.open: Move | None = None
        #: What the partition was last known to be; fields that nobody told are None.
        self.form: dict[str, Any] = {}
        self.gone = list(around.gone.get(topic, ()))[::-1]

    def take(self, row: Row) -> None:
        """Take in the next event."""
        if row["kind"] in _SAID_BY_BROKERS:
            return
        moment = Moment.of(row)
        while self.gone and self.gone[-1] < moment:
            self._topic_gone(self.gone.pop())
        if self.open is None and row["kind"] not in _ORDERS and not is_moving(row["after"]):
            self._keep(row["after"])
            return
        before = row["before"]
        if before is not None and before["isr"] is not None:
            self.form["isr"] = before["isr"]
        match row["kind"]:
            case "accept" | "supersede":
                self._ordered(row)
            case "cancel":
                self._close("cancelled", row)
            case "end":
                self._joins(row)
                self._close("done", row)
            case "no-op" | "entry-resumed":
                self._again(row)
            case "step-begin" | "step-end" | "step-waiting" | "step-abandoned":
                self._step(row)
            case "told-lead" if self.open is not None:
                self.open.first_step_ms = self.open.first_step_ms or row["at_ms"]
            case "stuck" if self.open is not None:
                self.open.stuck = row["text"] or "it cannot be changed any more"
        self._compare(row)
        self._keep(row["after"])

    def finish(self) -> None:
        """Close what is not over when the history ends."""
        for moment in reversed(self.gone):
            self._topic_gone(moment)
        if self.open is None:
            return
        reasons = list(self.open.obstacles(self.form, self.around, self.stuck_after_ms))
        if reasons:
            self._row("stuck", "; ".join(reasons), None)
        else:
            late = sorted(self.open.late(self.form))
            self._row("running", f"not in sync yet: {ids(late)}" if late else None, None)

    def _topic_gone(self, moment: Moment) -> None:
        if self.open is not None:
            self._row("lost", "its topic was deleted", moment.at_ms)
        self.form = {}

    def _ordered(self, row: Row) -> None:
        """Begin a move, in the place of one that is under way."""
        after = row["after"] or {}
        detail = detail_of(row)
        event = detail.get("event") or {}
        fields = event.get("fields") or {}
        target = tuple(fields.get("target") or target_of(after))
        before = row["before"] or self.form
        origin = origin_of(before) if before.get("replicas") is not None else origin_of(after)
        if self.open is not None:
            origin = self.open.origin  # what it was before all of it, in its order
            self._close("superseded", row)
        self._begin(row, self._source(row, event.get("kind")), origin, target, row["at_ms"])
        assert self.open is not None
        # A move that follows from a request with a number was asked for by whoever made that.
        numbered = self.around.numbered.get((row["node"], row["cause_seq"]), (None, None))
        self.open.principal = row["principal"] or numbered[0]
        self.open.client_id = row["client_id"] or numbered[1]
        if raises_epoch(row) or '"leader-and-isr"' in (row["detail"] or ""):
            self.open.first_step_ms = row["at_ms"]
        if after.get("replicas") is not None and not is_moving(after):
            self._close("done", row)  # another order of the same replicas copies nothing

    def _source(self, row: Row, event: str | None) -> str:
        """Who ordered it: api, znode, kip179, or unknown."""
        if row["rpc_api"] in _KIP_179 or (row["node"], row["cause_seq"]) in self.around.numbered:
            return "kip179"
        if row["rpc_api"] == _ALTER or event == "AlterReassignment":
            return "api"
        if event in _OF_ZNODE or row["cause"] in {"znode", "admin"}:
            return "znode"
        return row["cause"] if row["cause"] in {"api", "kip179"} else "unknown"

    def _begin(
        self,
        row: Row,
        source: str,
        origin: tuple[int, ...],
        target: tuple[int, ...],
        requested_ms: int | None,
    ) -> None:
        epoch = row["controller_epoch"]
        leader = (row["before"] or row["after"] or {}).get("leader", self.form.get("leader"))
        self.open = Move(
            len(self.moves) + 1,
            source,
            origin,
            target,
            row,
            requested_ms,
            set() if epoch is None else {epoch},
            leader,
            heard_ms=row["at_ms"],
        )
        self.open.cite(row)

    def _again(self, row: Row) -> None:
        """Count a request for what is under way already."""
        if self.open is None:
            return
        fields = (detail_of(row).get("event") or {}).get("fields") or {}
        target = fields.get("target")
        asked = row["rpc_api"] in (_ALTER, *_KIP_179) or row["kind"] == "entry-resumed"
        if asked and (target is None or tuple(target) == self.open.target):
            self.open.retries += 1

    def _step(self, row: Row) -> None:
        if self.open is None:
            return
        self.open.waiting = None
        match row["kind"]:
            case "step-begin":
                self.open.steps += 1
                self.open.first_step_ms = self.open.first_step_ms or row["at_ms"]
                self.open.heard_ms = row["at_ms"]
            case "step-end":
                self.open.heard_ms = row["at_ms"]
            case "step-waiting":
                note = detail_of(row).get("step") or {}
                self.open.waiting = note.get("reason") or row["text"] or "for a slot"

    def _compare(self, row: Row) -> None:
        """See what the form that a row shows says of the move, whatever the row is about."""
        after = row["after"]
        if after is None:
            return
        self._joins(row)
        if after["replicas"] is None or after["adding"] is None or after["removing"] is None:
            return
        if is_moving(after):
            self._under_way(row, after)
        # Kafka tells brokers of the end before it writes it down.
        elif self.open is not None and row["kind"] != "told-lead":
            self._over(row, tuple(after["replicas"]))
        if self.open is not None and self.open.first_step_ms is None and raises_epoch(row):
            self.open.first_step_ms = row["at_ms"]

    def _under_way(self, row: Row, after: Mapping[str, Any]) -> None:
        target = target_of(after)
        if self.open is not None and set(target) == set(self.open.target):
            self.open.reaches(row["controller_epoch"])
            return
        if self.open is not None:
            self._row("superseded", "by an order that the history does not have", row["at_ms"])
        self._begin(row, "unknown", origin_of(after), target, None)

    def _over(self, row: Row, replicas: tuple[int, ...]) -> None:
        assert self.open is not None
        if set(replicas) == set(self.open.target):
            result, how = "done", "it ended"
        elif set(replicas) == set(self.open.origin):
            result, how = "cancelled", "it was taken back"
        else:
            result, how = "lost", f"it was given up for {ids(replicas)}"
        self.open.cite(row)
        self._row(result, f"{how} before this was seen; the entry is missing", row["at_ms"])

    def _joins(self, row: Row) -> None:
        """Note who came in sync, and who of those that stay fell out."""
        after, known = row["after"], self.form.get("isr")
        if self.open is None or after is None or after["isr"] is None or known is None:
            return
        replicas = set(self.form.get("replicas") or self.open.target)
        if after["replicas"] is not None:
            replicas.intersection_update(after["replicas"])
        self.open.synced(row, set(known), set(after["isr"]), replicas)
        self.form["isr"] = after["isr"]

    def _keep(self, after: Mapping[str, Any] | None) -> None:
        if after is not None:
            self.form.update((key, value) for key, value in after.items() if value is not None)

    def _close(self, result: str, row: Row) -> None:
        """Close the move that is under way, if there is one, by an entry that says so."""
        if self.open is None:
            return
        self.open.cite(row)
        self.open.reaches(row["controller_epoch"])
        self._keep(row["after"])
        if result == "cancelled":
            begun, ended = self.open.opened["at_ms"], row["at_ms"]
            asked = (at_ms for at_ms in self.cancels if begun <= at_ms <= ended)
            self.open.cancel_ms = max(asked, default=None)
        self._row(result, None, row["at_ms"])

    def _row(self, result: str, reason: str | None, ended_ms: int | None) -> None:
        assert self.open is not None
        if ended_ms is None:
            self.open.reaches(self.around.last_epoch)
        leader = self.form.get("leader")
        self.moves.append(self.open.row(result, reason, ended_ms, leader, self.around))
        self.open = None


def _asks_for_cancel(row: Row) -> bool:
    asks = row["kind"] == "request" and row["rpc_api"] == _ALTER
    return asks and row["origin"] == CLIENT and row["after"] is None
