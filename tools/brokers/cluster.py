"""Simulated brokers together: models, disks, and the bytes between them, without I/O.

Every call takes the time, brings everything up to it first, and returns the requests to ZooKeeper
that came of it, each with the broker whose session is to make it.
"""

import math
from collections.abc import Callable, Iterable, Mapping

from klamm.controller.core.model import TopicPartition
from klamm.controller.store.port import StoreEvent
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.control import ControlRequest, ControlResponse
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.replication import Replication
from klamm.tools.brokers.settings import BANDWIDTH, BrokerSettings
from klamm.tools.brokers.storage import Disks, Log

#: Requests to ZooKeeper, by broker.
Effects = tuple[tuple[int, Call], ...]


class Cluster:
    """The brokers of one process. `bandwidth` is what each of them fetches, in bytes per second."""

    def __init__(self, bandwidth: float = BANDWIDTH) -> None:
        self._models: dict[int, BrokerModel] = {}
        self._disks: dict[int, Disks] = {}
        self._replication = Replication(self._models, bandwidth)
        self._now = -math.inf

    @property
    def brokers(self) -> Mapping[int, BrokerModel]:
        """The brokers that run, by id."""
        return self._models

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        models = (model.deadline for model in self._models.values())
        return min([self._replication.deadline, *models])

    def logs(self, broker: int) -> Mapping[TopicPartition, Log]:
        """Return what is on a broker's disks, whether it runs or not."""
        return self._disks[broker].logs

    def start(self, now: float, settings: BrokerSettings) -> Effects:
        """Start a broker, on the disks that it left behind if it ran before.

        Raises ValueError if it runs.
        """
        if settings.id in self._models:
            raise ValueError(f"broker {settings.id} runs already")
        self._advance(now)
        disks = self._disks.setdefault(settings.id, Disks(settings.log_dirs))
        self._models[settings.id] = BrokerModel(settings, disks, now)
        return self._settle()

    def kill(self, now: float, broker: int) -> Effects:
        """End a broker's process: what it knew is gone, what it wrote to disk stays."""
        self._advance(now)
        hosted = self._models.pop(broker).replicas
        return self._settle(hosted)

    def request(
        self, now: float, broker: int, request: ControlRequest, version: int
    ) -> tuple[ControlResponse, Effects]:
        """Let a broker answer a request of a controller."""
        self._advance(now)
        response = self._models[broker].request(now, request, version)
        return response, self._settle()

    def store(self, now: float, broker: int, event: StoreEvent) -> Effects:
        """Give a broker an event of its session; see `BrokerModel.store` for errors."""
        self._advance(now)
        self._models[broker].store(now, event)
        return self._settle()

    def advance(self, now: float) -> Effects:
        """Let time pass."""
        self._advance(now)
        return self._settle()

    def freeze(self, now: float, broker: int) -> Effects:
        """Stop a broker's fetching: it lives, answers and leads, and never catches up."""
        return self._change(now, broker, self._replication.frozen.add)

    def thaw(self, now: float, broker: int) -> Effects:
        """Let a frozen broker fetch again."""
        return self._change(now, broker, self._replication.frozen.discard)

    def fail_directory(self, now: float, broker: int, directory: str) -> Effects:
        """Break one of a broker's log directories; raises ValueError for an unknown one."""
        self._advance(now)
        self._models[broker].fail_directory(directory)
        return self._settle()

    def _change(self, now: float, broker: int, change: Callable[[int], None]) -> Effects:
        self._advance(now)
        change(broker)
        model = self._models.get(broker)
        return self._settle(model.replicas if model else ())

    def _advance(self, now: float) -> None:
        """Do everything that is due until `now`, each at its own time."""
        if now < self._now:
            raise ValueError(f"time runs backwards, from {self._now} to {now}")
        self._now = now
        while (due := self.deadline) <= now:
            self._replication.advance(due)
            for _, model in sorted(self._models.items()):
                model.advance(due)
        self._replication.advance(now)
        for _, model in sorted(self._models.items()):
            model.advance(now)

    def _settle(self, changed: Iterable[TopicPartition] = ()) -> Effects:
        """Bring replication in line with what the models have become, and collect requests."""
        names = {*changed}
        for model in self._models.values():
            names |= model.touched
            model.touched.clear()
        for name in sorted(names):
            self._replication.refresh(name)
        calls = ((id_, model.take()) for id_, model in sorted(self._models.items()))
        return tuple((id_, call) for id_, taken in calls for call in taken)
