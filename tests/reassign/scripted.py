"""A cluster that is a script: a clock that only sleeping moves on, and moves of known length."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from klamm.tools.admin import TopicPartition
from klamm.tools.admin.errors import AdminError
from klamm.tools.reassign.pacing import Pacing, Refused, Targets, arranged, submit_paced
from klamm.tools.reassign.state import PartitionState
from klamm.tools.reassign.waiting import Patience

BEFORE = (1, 2)
TARGET = (2, 3)


def names(count: int, topic: str = "p") -> list[TopicPartition]:
    """Return partitions 0, 1, ... of a topic."""
    return [TopicPartition(topic, number) for number in range(count)]


@dataclass
class ScriptedClock:
    """Time in whole milliseconds; somebody has to sleep for it to pass."""

    now_ms: int = 0

    def monotonic(self) -> float:
        return self.now_ms / 1000

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now_ms += round(seconds * 1000)


@dataclass
class ScriptedCluster:
    """Moves last so many milliseconds; a refused partition is never started.

    `stale` is for how long a broker tells of the replicas before a move that has ended, and
    `catching_up` for how long the ISR is short then. A partition of `lost` ends elsewhere.
    """

    durations: Mapping[TopicPartition, int]
    clock: ScriptedClock = field(default_factory=ScriptedClock)
    refused: Mapping[TopicPartition, AdminError] = field(default_factory=dict)
    stale: int = 0
    catching_up: int = 0
    lost: Collection[TopicPartition] = ()
    submits: list[tuple[int, list[TopicPartition]]] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    ends: dict[TopicPartition, int] = field(default_factory=dict)

    def submit(self, group: Targets) -> None:
        self.submits.append((self.clock.now_ms, [*group]))
        for name in group:
            if name not in self.refused:
                self.start(name)
        if errors := {name: self.refused[name] for name in group if name in self.refused}:
            raise Refused(errors)

    def start(self, name: TopicPartition) -> None:
        """Begin a move now."""
        self.ends[name] = self.clock.now_ms + self.durations[name]

    def read(self, targets: Targets) -> dict[TopicPartition, PartitionState]:
        self.reads.append(self.clock.now_ms)
        states = {name: self.state(name, target) for name, target in targets.items()}
        self.seen.append(len(states))
        return states

    def state(self, name: TopicPartition, target: Sequence[int]) -> PartitionState:
        """Return what a look at this moment shows."""
        goal = tuple(target)
        end = self.ends.get(name)
        if end is None:
            return PartitionState(name, goal, BEFORE, BEFORE)
        over = self.clock.now_ms - end
        if over < 0:
            return PartitionState(name, goal, (*goal, 1), moving=True)
        if over < self.stale or name in self.lost:
            return PartitionState(name, goal, BEFORE, BEFORE)
        if over < self.stale + self.catching_up:
            return PartitionState(name, goal, goal, goal[:1])
        return PartitionState(name, goal, goal, goal[::-1])

    def run(
        self,
        pacing: Pacing,
        *,
        in_flight: Collection[TopicPartition] = (),
        complete: Collection[TopicPartition] = (),
    ) -> None:
        """Submit everything that has a duration, in order."""
        targets = arranged(dict.fromkeys(self.durations, TARGET), pacing.order)
        submit_paced(
            targets,
            pacing,
            submit=self.submit,
            read=self.read,
            patience=self.patience(pacing),
            in_flight=in_flight,
            complete=complete,
        )

    def patience(self, pacing: Pacing) -> Patience:
        return pacing.patience(self.clock)

    @property
    def groups(self) -> list[list[int]]:
        """The partition numbers of each submit."""
        return [[name.partition for name in group] for _, group in self.submits]
