"""What a watcher knows of the data: which logs lie on disks, and what was acknowledged of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.storage import Log
from klamm.tools.lab.seen import Seen


@dataclass(slots=True)
class DiskWatch:
    """Looks at disks when brokers may have done something.

    `logs` are those that lay on each broker's disks when it looked last. `high_watermarks` are the
    most bytes of each partition that are known to be on all in-sync replicas. `lost` are logs that
    went with their disk, `deleted` those that a broker has deleted in the present step.
    """

    logs: dict[int, dict[TopicPartition, Log]] = field(default_factory=dict)
    high_watermarks: dict[TopicPartition, int] = field(default_factory=dict)
    lost: set[tuple[int, TopicPartition]] = field(default_factory=set)
    deleted: list[tuple[int, TopicPartition]] = field(default_factory=list)

    def look(self, world: Seen) -> None:
        """Find what has gone since the last time."""
        for id_, host in world.brokers.items():
            known, there = self.logs.get(id_), host.disks.logs
            if known is None or known.keys() <= there.keys():
                continue
            for name in sorted(known.keys() - there.keys()):
                if known[name].directory in host.disks.broken:
                    self.lost.add((id_, name))
                else:
                    self.deleted.append((id_, name))

    def fold(self, world: Seen, leads: Mapping[TopicPartition, tuple[int, int]]) -> None:
        """Remember what is there now. `leads` are the present leader epochs and leaders."""
        for id_, host in world.brokers.items():
            there, model = host.disks.logs, host.model
            if there.keys() != self.logs.get(id_, {}).keys():
                self.logs[id_] = dict(there)
            if model is None:
                continue
            for name, replica in model.replicas.items():
                if replica.leads and leads.get(name) == (replica.leader_epoch, id_):
                    mark = replica.log.high_watermark
                    if mark > self.high_watermarks.get(name, 0):
                        self.high_watermarks[name] = mark

    def forget(self, name: TopicPartition) -> None:
        """Let a partition that comes with a new topic of this name begin anew."""
        self.high_watermarks.pop(name, None)
        self.lost = {each for each in self.lost if each[1] != name}

    def has_lost(self, name: TopicPartition) -> bool:
        """Tell whether a disk has failed that held this partition."""
        return any(lost == name for _, lost in self.lost)
