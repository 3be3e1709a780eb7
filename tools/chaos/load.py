"""The clients: they submit and cancel moves, and now and then make, grow and delete topics."""

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import trio

from klamm.tools.chaos.asking import Asking, NoAnswerError
from klamm.tools.chaos.history import (
    Alter,
    Answered,
    Ask,
    Create,
    Delete,
    Grow,
    ListMoves,
    partition,
)
from klamm.tools.chaos.nodes import NodeProcess
from klamm.tools.chaos.recorder import Recorder

_CLIENTS = 5
_BETWEEN_SECONDS = 0.25
_BETWEEN_TOPICS_SECONDS = 3.0
_AFTER_FAILURE_SECONDS = 0.2
_NOT_CONTROLLER = 41
_MOST_PARTITIONS = 3
_SIZES = (2, 3, 3, 3, 4)  # of targets

#: Replicas of a new partition: those of a topic must agree, and may differ by moves alone.
NEW_SIZE = 3


@dataclass
class Load:
    """What the clients share; `partitions` are those that may be moved, by topic how many."""

    seed: int
    nodes: Sequence[NodeProcess]
    brokers: Sequence[int]
    partitions: dict[str, int]
    recorder: Recorder
    ended: trio.Event = field(default_factory=trio.Event)

    async def run(self) -> None:
        """Let all clients work until `ended`, and what they have asked for then be answered."""
        async with trio.open_nursery() as nursery:
            for number in range(_CLIENTS):
                nursery.start_soon(self._mover, number)
            nursery.start_soon(self._maker)

    def target(self, draw: random.Random, size: int | None = None) -> tuple[int, ...]:
        """Draw a list of replicas, of any size if none is given."""
        return tuple(draw.sample(self.brokers, size or draw.choice(_SIZES)))

    async def _mover(self, number: int) -> None:
        draw = random.Random(f"client {number} {self.seed}")  # noqa: S311 - load, not a secret
        for place in itertools.count(number):
            if self.ended.is_set():
                return
            node = self.nodes[place % len(self.nodes)]
            try:
                async with Asking.open(f"mover-{number}", node, self.recorder) as connection:
                    while not self.ended.is_set():
                        asks = [self._draw(draw) for _ in range(draw.choice((1, 1, 1, 3)))]
                        answers = await connection.ask(asks)
                        if any(_elsewhere(answer) for answer in answers):
                            await self._rest(_AFTER_FAILURE_SECONDS)
                            break
                        await self._rest(draw.expovariate(1 / _BETWEEN_SECONDS))
            except (OSError, NoAnswerError):
                await self._rest(_AFTER_FAILURE_SECONDS)

    def _draw(self, draw: random.Random) -> Ask:
        kind = draw.random()
        if kind < 0.1:
            return ListMoves()
        moves: dict[str, tuple[int, ...] | None] = {}
        for _ in range(draw.randint(1, _MOST_PARTITIONS)):
            topic = draw.choice(sorted(self.partitions))
            name = partition(topic, draw.randrange(self.partitions[topic]))
            moves[name] = None if kind < 0.35 else self.target(draw)
        if kind > 0.95:  # refused: no such broker
            moves[next(iter(moves))] = (9999,)
        return Alter(moves)

    async def _maker(self) -> None:
        """Make topics, grow some, delete each but the newest few."""
        draw = random.Random(f"topics {self.seed}")  # noqa: S311 - load, not a secret
        made: list[str] = []
        for number in itertools.count():
            name = f"passing-{number}"
            replicas = tuple(self.target(draw, NEW_SIZE) for _ in range(draw.randint(1, 3)))
            if await self._settle(Create(name, replicas), draw):
                made.append(name)
                self.partitions[name] = len(replicas)
            if made and draw.random() < 0.5:
                grown = draw.choice(made)
                more = self.partitions[grown] + 1
                if await self._settle(Grow(grown, more, self.target(draw, NEW_SIZE)), draw):
                    self.partitions[grown] = more
            if len(made) > 3:
                oldest = made.pop(0)
                del self.partitions[oldest]
                await self._settle(Delete(oldest), draw)
            await self._rest(draw.uniform(0.5, 1.5) * _BETWEEN_TOPICS_SECONDS)
            if self.ended.is_set():
                return

    async def _settle(self, ask: Create | Grow | Delete, draw: random.Random) -> bool:
        """Ask whichever node answers, and return whether that was granted."""
        while not self.ended.is_set():
            node = draw.choice(self.nodes)
            try:
                async with Asking.open("maker", node, self.recorder) as connection:
                    [answer] = await connection.ask([ask])
            except OSError:
                await self._rest(_AFTER_FAILURE_SECONDS)
                continue
            except NoAnswerError:
                return False  # nobody knows; the next topic has another name
            if not _elsewhere(answer):
                return answer.codes.get(ask.topic) == 0
            await self._rest(_AFTER_FAILURE_SECONDS)
        return False

    async def _rest(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self.ended.wait()


def _elsewhere(answer: Answered) -> bool:
    """Tell whether a node said that another one is controller."""
    return _NOT_CONTROLLER in (answer.error, *answer.codes.values())
