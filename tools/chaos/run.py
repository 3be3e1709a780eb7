"""One run of chaos, from the start of the cluster to its final state."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import trio

from klamm.controller.core.model import TopicPartition
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.chaos.asking import Asking, NoAnswerError
from klamm.tools.chaos.breaking import Breaker
from klamm.tools.chaos.cluster import BROKER_IDS, NODE_IDS, Parts, running_parts
from klamm.tools.chaos.ending import Ending, ask
from klamm.tools.chaos.history import (
    Alter,
    Began,
    Create,
    Dropped,
    Elected,
    Healing,
    ListMoves,
    Looked,
    Quiet,
    partition,
)
from klamm.tools.chaos.load import NEW_SIZE, Load
from klamm.tools.chaos.nodes import NodeProcess
from klamm.tools.chaos.plan import AFTERMATH_SECONDS, draw_plan
from klamm.tools.chaos.recorder import Recorder
from klamm.tools.embedded.zookeeper import HOST

_TOPICS, _PARTITIONS = 3, 12

_START_SECONDS = 90.0
_HEALING_SECONDS = 180.0
_POLL_SECONDS = 0.1
_LOOK_SECONDS = 0.7
_DISK_SECONDS = 0.05
_PROBES = 12

Say = Callable[[str], None]


class ChaosError(Exception):
    """A run cannot begin; the text says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`seed` decides the faults and what clients ask; they work for so many `seconds`."""

    seed: int
    seconds: float


async def conduct(
    settings: Settings, folder: Path, say: Say, began: Callable[[dict[str, object]], None]
) -> None:
    """Run it all; history, journals and logs are in the folder then.

    `say` gets a line for each part of the run, `began` addresses in the form of a ready file once
    the cluster is up. Raises ChaosError, and EmbeddedError if there can be no ZooKeeper.
    """
    with Recorder(folder) as recorder:
        async with running_parts(folder, recorder) as parts:
            recorder.write(
                Began(
                    recorder.now,
                    wall_ms=time.time_ns() // 1_000_000 - round(recorder.now * 1000),
                    seed=settings.seed,
                    seconds=settings.seconds,
                    nodes=NODE_IDS,
                    brokers=BROKER_IDS,
                    aftermath=AFTERMATH_SECONDS,
                )
            )
            await _Run(parts, recorder).through(settings, say, began)


class _Run:
    """The parts of a run in time."""

    def __init__(self, parts: Parts, recorder: Recorder) -> None:
        self.zookeeper = parts.zookeeper
        self.nodes = parts.nodes
        self.brokers = parts.brokers
        self.looker = parts.looker
        self.background = parts.background
        self.recorder = recorder
        self.office: int | None = None

    async def through(
        self, settings: Settings, say: Say, began: Callable[[dict[str, object]], None]
    ) -> None:
        """Go through all parts of the run."""
        load = Load(settings.seed, self.nodes, BROKER_IDS, {}, self.recorder)
        with trio.move_on_after(_START_SECONDS) as patience:
            await self._know_brokers()
            await self._create_topics(load)
        if patience.cancelled_caught:
            raise ChaosError(f"the cluster was not up within {_START_SECONDS:g} s")
        began(self._description())
        async with trio.open_nursery() as watching:
            for watch in (self._watch_office, self._watch_znodes, self._watch_disks):
                watching.start_soon(watch)
            await self._disturb(settings, load, say)
            await self._heal(settings, load, say)
            # All at once, so that none of them takes over from another any more.
            async with trio.open_nursery() as ending:
                for node in self.nodes:
                    ending.start_soon(node.kill)
            watching.cancel_scope.cancel()

    async def _disturb(self, settings: Settings, load: Load, say: Say) -> None:
        """Let clients work while things break; returns when all is mended and answered."""
        plan = draw_plan(settings.seed, settings.seconds, NODE_IDS, BROKER_IDS)
        say(f"{len(plan)} faults within {settings.seconds:g} s, seed {settings.seed}")
        breaker = Breaker(
            self.zookeeper,
            self.nodes,
            self.brokers,
            self.recorder,
            lambda: self.office,
            self.background,
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(load.run)
            nursery.start_soon(breaker.run, plan)
            await trio.sleep(settings.seconds)
            load.ended.set()

    async def _heal(self, settings: Settings, load: Load, say: Say) -> None:
        """Wait until nothing moves, ask for a little more, and write down how all ended."""
        self.recorder.write(Healing(self.recorder.now))
        say("faults and load have ended, all is mended; waiting until nothing moves")
        ending = Ending(self.looker, self.nodes, self.brokers, self.recorder)
        await ending.settle(_HEALING_SECONDS)
        self.recorder.write(Quiet(self.recorder.now))
        say("a few requests that must be granted")
        await self._probe(settings, load)
        self.recorder.write(await ending.settle(_HEALING_SECONDS))

    def _description(self) -> dict[str, object]:
        return {
            "bootstrap": ",".join(f"{HOST}:{node.port}" for node in self.nodes),
            "zookeeper": self.zookeeper.connect_string,
            "nodes": [{"id": node.id, "host": HOST, "port": node.port} for node in self.nodes],
            "brokers": [
                {"id": broker.id, "host": HOST, "port": broker.port, "rack": broker.rack}
                for broker in self.brokers.brokers.values()
            ],
            "control": f"{HOST}:{self.brokers.control_port}",
        }

    async def _know_brokers(self) -> None:
        """Wait until a controller knows every broker."""
        while True:
            for node in self.nodes:
                answer = await ask(node, MetadataRequest(topics=()), 7)
                if isinstance(answer, MetadataResponse) and answer.controller_id == node.id:
                    self.office = node.id
                    if {broker.node_id for broker in answer.brokers}.issuperset(BROKER_IDS):
                        return
            await trio.sleep(_POLL_SECONDS)

    async def _create_topics(self, load: Load) -> None:
        draw = random.Random(f"setup {load.seed}")  # noqa: S311 - load, not a secret
        asks = [
            Create(
                f"staying-{number}", tuple(load.target(draw, NEW_SIZE) for _ in range(_PARTITIONS))
            )
            for number in range(_TOPICS)
        ]
        async with Asking.open("setup", self._node(), self.recorder) as connection:
            for each, answer in zip(asks, await connection.ask(asks), strict=True):
                if answer.codes.get(each.topic) != 0:
                    raise ChaosError(f"topic {each.topic} cannot be made: {answer.codes}")
                load.partitions[each.topic] = _PARTITIONS

    async def _probe(self, settings: Settings, load: Load) -> None:
        """Ask for moves that the quiet cluster must grant, and for the list of them."""
        draw = random.Random(f"probe {settings.seed}")  # noqa: S311 - load, not a secret
        topics = [topic for topic in load.partitions if topic.startswith("staying-")]
        names = {
            partition(draw.choice(topics), draw.randrange(_PARTITIONS)) for _ in range(_PROBES)
        }
        asks = [Alter({name: load.target(draw)}) for name in sorted(names)]
        self.office, _ = await self.looker.office()
        try:
            async with Asking.open("probe", self._node(), self.recorder) as connection:
                await connection.ask([*asks, ListMoves()])
        except (OSError, NoAnswerError) as error:
            raise ChaosError(f"the cluster at rest does not answer: {error}") from error

    def _node(self) -> NodeProcess:
        for node in self.nodes:
            if node.id == self.office:
                return node
        raise ChaosError(f"/controller names {self.office}, which is no node of ours")

    async def _watch_office(self) -> None:
        """Write down each takeover."""
        before: tuple[int | None, int] | None = None
        while True:
            found = await self.looker.office()
            if found != before:
                before = found
                self.office, epoch = found
                self.recorder.write(Elected(self.recorder.now, self.office, epoch))
            await trio.sleep(_POLL_SECONDS)

    async def _watch_znodes(self) -> None:
        """Write down the assignments time and again."""
        while True:
            since = self.recorder.now
            topics = await self.looker.topics()
            self.recorder.write(Looked(self.recorder.now, since, topics))
            await trio.sleep(_LOOK_SECONDS)

    async def _watch_disks(self) -> None:
        """Write down which replicas go; one that is back within this time is not missed."""
        before: dict[int, set[TopicPartition]] = {}
        while True:
            for broker in BROKER_IDS:
                found = set(self.brokers.cluster.logs(broker))
                for name in sorted(before.get(broker, set()) - found):
                    self.recorder.write(Dropped(self.recorder.now, broker, partition(*name)))
                before[broker] = found
            await trio.sleep(_DISK_SECONDS)
