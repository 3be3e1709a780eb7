"""What brokers' own logs tell: logs made and deleted, who leads from where, processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from klamm.controller.core.model import TopicPartition
from klamm.controller.znodes.state import StateZnode
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.storage import Log
from klamm.tools.lab.brokers import BrokerHost
from klamm.tools.lab.history_rows import Book, Row, form

_ORIGIN = "broker"


class _Part(NamedTuple):
    """How a broker takes part in a partition."""

    leader: int
    leader_epoch: int
    leads: bool
    followers: tuple[int, ...]


class Brokers:
    """Looks at brokers after each step, and writes down what has changed."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._logs: dict[int, dict[TopicPartition, Log]] = {}
        self._parts: dict[int, dict[TopicPartition, _Part]] = {}
        self._ends: dict[tuple[int, TopicPartition], int] = {}
        self._models: dict[int, object] = {}
        self._stopped: set[int] = set()
        self._marks: dict[TopicPartition, tuple[int, int]] = {}
        self._shown: dict[TopicPartition, int] = {}

    def look(
        self,
        brokers: Mapping[int, BrokerHost],
        states: Mapping[TopicPartition, StateZnode],
    ) -> None:
        """Take down what is another way than it was."""
        for id_, host in brokers.items():
            self._process(id_, host)
            self._fetchers(id_, host)
            self._disks(id_, host)
        for id_, host in brokers.items():
            if host.model is not None:
                self._replicas(id_, host.model.replicas, states)

    def _process(self, id_: int, host: BrokerHost) -> None:
        model, known = host.model, self._models.get(id_)
        if model is known:
            return
        self._models[id_] = model
        self._parts.pop(id_, None)
        kind = "process-started" if model is not None else "process-ended"
        self._book.moment()
        self._book.add(_ORIGIN, kind, broker=id_)
        for name in sorted(host.disks.logs):
            self._book.add(_ORIGIN, kind, name, broker=id_)

    def _fetchers(self, id_: int, host: BrokerHost) -> None:
        if host.stalled != (id_ in self._stopped):
            (self._stopped.add if host.stalled else self._stopped.discard)(id_)
            self._book.moment()
            kind = "fetching-stopped" if host.stalled else "fetching-resumed"
            for name in sorted(host.disks.logs):
                self._book.add(_ORIGIN, kind, name, broker=id_)

    def _disks(self, id_: int, host: BrokerHost) -> None:
        there, known = host.disks.logs, self._logs.get(id_, {})
        if there.keys() == known.keys():
            return
        for name in sorted(known.keys() - there.keys()):
            kind = "log-lost" if known[name].directory in host.disks.broken else "log-deleted"
            self._book.alone(_ORIGIN, kind, name, broker=id_)
        for name in sorted(there.keys() - known.keys()):
            self._book.alone(_ORIGIN, "log-created", name, broker=id_)
        self._logs[id_] = dict(there)

    def _replicas(
        self,
        id_: int,
        replicas: Mapping[TopicPartition, Replica],
        states: Mapping[TopicPartition, StateZnode],
    ) -> None:
        known = self._parts.setdefault(id_, {})
        for name in known.keys() - replicas.keys():
            del known[name]
            self._ends.pop((id_, name), None)
        for name, replica in replicas.items():
            followers = tuple(sorted(replica.followers)) if replica.leads else ()
            now = _Part(replica.leader, replica.leader_epoch, replica.leads, followers)
            fell = replica.leads and replica.log.end < self._ends.get((id_, name), 0)
            if known.get(name) != now or fell:
                known[name] = now
                self._began(id_, name, now, replica)
            if replica.leads:
                self._ends[id_, name] = replica.log.end
                state, mark = states.get(name), replica.log.high_watermark
                present = state is not None and (state.leader, state.leader_epoch) == (
                    id_,
                    replica.leader_epoch,
                )
                if present and mark > self._marks.get(name, (0, 0))[0]:
                    self._marks[name] = mark, id_

    def _began(self, id_: int, name: TopicPartition, now: _Part, replica: Replica) -> None:
        self.produced(name)
        after = form(
            leader=now.leader,
            leader_epoch=now.leader_epoch,
            replicas=(id_, *now.followers) if now.leads else None,
            isr=replica.isr if now.leads else None,
        )
        detail: Row = {"offset": replica.log.end}
        kind = "led" if now.leads else "followed"
        self._book.alone(_ORIGIN, kind, name, detail=detail, broker=id_, after=after)

    def produced(self, name: TopicPartition) -> None:
        """Write down how much of a partition producers were told is safe, if more than before."""
        mark, by = self._marks.get(name, (0, 0))
        if mark > self._shown.get(name, 0):
            self._shown[name] = mark
            self._book.alone(_ORIGIN, "produced", name, detail={"offset": mark}, broker=by)

    def forget(self, name: TopicPartition) -> None:
        """Let a partition that comes with a new topic of this name begin anew."""
        self._marks.pop(name, None)
        self._shown.pop(name, None)
