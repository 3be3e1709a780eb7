"""Simulated brokers together: models, disks, and the bytes between them, without I/O.

Every call takes the time, brings everything up to it first, and returns the requests that came of
it, to ZooKeeper or to the controller, each with the broker that is to make it.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.log_dirs import LogDirectory
from klamm.controller.store.port import StoreEvent
from klamm.protocol.error_codes import ErrorCode
from klamm.tools.brokers.asks import Answered
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.control import ControlRequest, ControlResponse, named
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.replica import Replica
from klamm.tools.brokers.replication import Replication
from klamm.tools.brokers.settings import BANDWIDTH, BrokerSettings
from klamm.tools.brokers.storage import Disks, Log

#: Requests that are to be made, each with its broker.
Effects = tuple[tuple[int, Call], ...]


class Cluster:
    """The brokers of one process.

    `bandwidth` is what each of them can fetch and serve, `produce_rate` what producers write to
    each partition that has a leader, and `copy_rate` what one replica that lags fetches at most,
    all in bytes per second. `model` makes a broker's process; a study of failures can put another
    in its place.
    """

    def __init__(
        self,
        bandwidth: float = BANDWIDTH,
        produce_rate: float = 0.0,
        model: Callable[[BrokerSettings, Disks, float], BrokerModel] = BrokerModel,
        copy_rate: float = math.inf,
    ) -> None:
        self._model = model
        self._models: dict[int, BrokerModel] = {}
        self._disks: dict[int, Disks] = {}
        self._replication = Replication(self._models, bandwidth, produce_rate, copy_rate)
        self._now = -math.inf

    @property
    def brokers(self) -> Mapping[int, BrokerModel]:
        """The brokers that run, by id."""
        return self._models

    @property
    def replication(self) -> Replication:
        """The bytes between them, to look at."""
        return self._replication

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        due = self._replication.deadline
        for model in self._models.values():
            due = min(due, model.deadline)
        return due

    def logs(self, broker: int) -> Mapping[TopicPartition, Log]:
        """Return what is on a broker's disks now, whether it runs or not."""
        disks = self._disks.get(broker)
        logs = disks.logs if disks else {}
        self._replication.sync(logs)
        return logs

    def disks(self, broker: int) -> Disks:
        """Return a broker's disks as they are, which may lag behind what followers have fetched.

        Raises KeyError for a broker that has never run.
        """
        return self._disks[broker]

    def directories(self, broker: int) -> Mapping[str, bool]:
        """Return a broker's log directories, and whether each of them works."""
        disks = self._disks.get(broker)
        return disks.directories if disks else {}

    def broken_directories(self, broker: int) -> Sequence[str]:
        """Return the log directories that a broker has lost."""
        return [name for name, works in self.directories(broker).items() if not works]

    def replace_disks(self, broker: int) -> None:
        """Put new, empty directories in the place of those that a broker has lost.

        Only for a broker that does not run: one that runs goes on without them.
        """
        disks = self._disks.get(broker)
        if disks is not None:
            disks.broken.clear()

    def start(self, now: float, settings: BrokerSettings) -> Effects:
        """Start a broker, on the disks that it left behind if it ran before.

        Raises ValueError if it runs.
        """
        if settings.id in self._models:
            raise ValueError(f"broker {settings.id} runs already")
        self._advance(now)
        disks = self._disks.setdefault(settings.id, Disks(settings.log_dirs))
        self._models[settings.id] = self._model(settings, disks, now)
        return self._settle()

    def kill(self, now: float, broker: int) -> Effects:
        """End a broker's process: what it knew is gone, what it wrote to disk stays."""
        self._advance(now)
        self._replication.sync(self._models[broker].replicas)
        hosted = self._models.pop(broker).replicas
        return self._settle(hosted)

    def request(
        self, now: float, broker: int, request: ControlRequest, version: int
    ) -> tuple[ControlResponse, Effects]:
        """Let a broker answer a request of a controller."""
        self._advance(now)
        self._replication.sync(named(request))
        response = self._models[broker].request(now, request, version)
        return response, self._settle()

    def depart(self, now: float, broker: int) -> Effects:
        """Let a broker ask the controller for leave to end; its `departure` tells the outcome."""
        self._advance(now)
        self._models[broker].depart()
        return self._settle()

    def answered(self, now: float, broker: int, answered: Answered) -> Effects:
        """Give a broker what came of its ask."""
        self._advance(now)
        self._models[broker].answered(now, answered)
        return self._settle()

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
        self._advance(now)
        self._replication.frozen.add(broker)
        return self._settle(self._hosted(broker))

    def thaw(self, now: float, broker: int) -> Effects:
        """Let a broker fetch again as fast as it can, whatever kept it from that."""
        self._advance(now)
        self._replication.frozen.discard(broker)
        self._replication.slow.pop(broker, None)
        self._replication.pauses.end(broker)
        return self._settle(self._hosted(broker))

    def slow_down(self, now: float, broker: int, rate: float) -> Effects:
        """Let a broker fetch at most so many bytes per second; raises ValueError for none."""
        if not 0 < rate < math.inf:
            raise ValueError(f"a rate is {rate}: it must be a positive number of bytes/s")
        self._advance(now)
        self._replication.slow[broker] = rate
        return self._settle(self._hosted(broker))

    def pause(self, now: float, broker: int, seconds: float) -> Effects:
        """Let a broker fetch in bursts of a second, with a pause of `seconds` before each.

        Raises ValueError for a pause of no length.
        """
        self._advance(now)
        self._replication.pauses.begin(now, broker, seconds)
        return self._settle(self._hosted(broker))

    def produce(self, now: float, rate: float, name: TopicPartition | None = None) -> Effects:
        """Change what producers write, in bytes per second: to one partition, or to each.

        Raises ValueError for a rate below 0.
        """
        self._advance(now)
        self._replication.producers.set_rate(rate, name)
        hosted = {hosted for model in self._models.values() for hosted in model.replicas}
        return self._settle(hosted if name is None else (name,))

    def fail_directory(self, now: float, broker: int, directory: str) -> Effects:
        """Break one of a broker's log directories; raises ValueError for an unknown one."""
        self._advance(now)
        self._replication.sync(self._models[broker].replicas)
        self._models[broker].fail_directory(directory)
        return self._settle()

    def led(self, broker: int, name: TopicPartition) -> Replica | None:
        """Return a partition that a running broker leads, at the time of the last call."""
        replica = self._models[broker].replicas.get(name)
        if replica is None or not replica.leads:
            return None
        self._replication.sync((name,))
        return replica

    def describe_log_dirs(self, broker: int) -> tuple[LogDirectory, ...]:
        """Return a running broker's log directories, at the time of the last call."""
        model = self._models[broker]
        self._replication.sync(model.disks.logs)
        return model.log_dir_moves.describe()

    def move_log(
        self, now: float, broker: int, name: TopicPartition, path: str
    ) -> tuple[ErrorCode, Effects]:
        """Let a broker move a log to another directory; see `LogDirMoves.move`."""
        self._advance(now)
        code = self._models[broker].log_dir_moves.move(name, path)
        return code, self._settle()

    def _hosted(self, broker: int) -> Iterable[TopicPartition]:
        model = self._models.get(broker)
        return model.replicas if model else ()

    def _advance(self, now: float) -> None:
        """Do everything that is due until `now`, each at its own time."""
        if now < self._now:
            raise ValueError(f"time runs backwards, from {self._now} to {now}")
        moved, self._now = now > self._now, now
        while (due := self.deadline) <= now:
            self._do(due)
        if moved:
            self._do(now)

    def _do(self, now: float) -> None:
        self._replication.advance(now)
        for _, model in sorted(self._models.items()):
            self._replication.sync((*model.led_to_check(now), *model.log_dir_moves.running))
            model.advance(now)

    def _settle(self, changed: Iterable[TopicPartition] = ()) -> Effects:
        """Bring replication in line with what the models have become, and collect requests."""
        names = {*changed}
        for model in self._models.values():
            if model.touched:
                names |= model.touched
                model.touched.clear()
        for name in sorted(names):
            self._replication.refresh(name)
        calls = ((id_, model.take()) for id_, model in sorted(self._models.items()))
        return tuple((id_, call) for id_, taken in calls for call in taken)
