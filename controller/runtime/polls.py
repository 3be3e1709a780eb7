"""Asks Kafka's brokers, once a second, how far followers have come of what is of interest.

Of interest is what moves, and what somebody has asked for lately. Leaders are asked for the ends of
their logs, then followers for theirs; `klamm.controller.brokers.polls` has what exactly. A broker
that does not serve these requests, as simulated ones do not, is left alone: those tell by
themselves.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

import trio

from klamm.controller.brokers import polls
from klamm.controller.brokers.polls import LeaderLog
from klamm.controller.core.model import Broker, ClusterState, TopicPartition
from klamm.controller.node import Now
from klamm.controller.node.inputs import CopiesWanted, ProgressHeard
from klamm.controller.runtime.links import LinkSettings
from klamm.controller.runtime.looks import HasCopies
from klamm.controller.runtime.polled_broker import PolledBroker
from klamm.protocol.generated.describe_log_dirs_response import DescribeLogDirsResponse
from klamm.protocol.generated.list_offsets_response import ListOffsetsResponse
from klamm.protocol.message import Message

POLL_SECONDS = 1.0
#: So many partitions go in one request, and so many are asked for in one round; the others follow
#: in the next ones.
MOST_PER_REQUEST = 1000
MOST_PER_ROUND = 5000

Names = Iterable[TopicPartition]

R = TypeVar("R", DescribeLogDirsResponse, ListOffsetsResponse)


class Polls:
    """The polls of one node, while it is controller; `post` hands it what was found."""

    def __init__(
        self,
        node: HasCopies,
        post: Callable[[ProgressHeard | CopiesWanted], None],
        settings: LinkSettings,
        clock: Callable[[], Now],
    ) -> None:
        self._node = node
        self._post = post
        self._settings = settings
        self._clock = clock
        self._brokers: dict[int, PolledBroker] = {}
        self._asked: dict[TopicPartition, None] = {}
        self._waiting: list[Callable[[], None]] = []
        #: What the last round has looked at for those who ask, all replicas of it; and where the
        #: next one begins if not all that moves had its turn.
        self._looked_at: frozenset[TopicPartition] = frozenset()
        self._first = 0
        self._hurry = trio.Event()

    def look(self, names: Names, then: Callable[[], None]) -> None:
        """Poll these too for a while, and call `then` once that has been done.

        Of partitions that there are not there is nothing to be polled.
        """
        state = self._node.state
        named = dict.fromkeys(names)
        wanted = tuple(name for name in named if state is not None and state.partition(name))
        self._post(CopiesWanted(wanted))
        if self._looked_at.issuperset(wanted):
            then()
            return
        self._asked.update(dict.fromkeys(wanted))
        self._waiting.append(then)
        self._hurry.set()

    async def run(self) -> None:
        """Poll until cancelled."""
        try:
            while True:
                with trio.move_on_after(POLL_SECONDS):
                    await self._hurry.wait()
                self._hurry = trio.Event()
                waiting, self._waiting = self._waiting, []
                asked, self._asked = self._asked, {}
                await self._round(tuple(asked))
                for then in waiting:
                    then()
        finally:
            with trio.CancelScope(shield=True):
                await self._keep({})

    async def _round(self, asked: tuple[TopicPartition, ...]) -> None:
        """Look once at what is of interest, first of all at what was asked for just now."""
        state = self._node.state
        await self._keep(state.brokers if state else {})
        self._looked_at = frozenset()
        if state is None:
            return
        names = self._chosen(asked, state)
        if not names:
            return
        wanted = {*asked, *self._node.copies.wanted}
        led, copied = _brokers_of(names, wanted, state)
        leaders: dict[TopicPartition, LeaderLog] = {}
        async with trio.open_nursery() as nursery:
            for broker, theirs in led.items():
                nursery.start_soon(self._ask_leader, broker, theirs, leaders)
        async with trio.open_nursery() as nursery:
            for broker, theirs in copied.items():
                nursery.start_soon(self._ask_follower, broker, theirs, leaders)
        self._looked_at = frozenset(name for name in names if name in wanted)

    def _chosen(
        self, asked: tuple[TopicPartition, ...], state: ClusterState
    ) -> tuple[TopicPartition, ...]:
        """Return what this round is about; what is too much for one takes turns."""
        asked = asked[:MOST_PER_ROUND]
        interesting = self._node.copies.interesting(state, self._clock().wall_ms)
        every = tuple(dict.fromkeys((*asked, *interesting)))
        if len(every) <= MOST_PER_ROUND:
            return every
        fixed, others = every[: len(asked)], every[len(asked) :]
        room = max(1, MOST_PER_ROUND - len(fixed))
        first = self._first % len(others)
        self._first = first + room
        return (*fixed, *islice((*others[first:], *others[:first]), room))

    async def _ask_leader(
        self, broker: Broker, names: list[TopicPartition], found: dict[TopicPartition, LeaderLog]
    ) -> None:
        for some in _portions(names):
            starts = await self._offsets(broker, some, polls.EARLIEST)
            ends = await self._offsets(broker, some, polls.LATEST) if starts else {}
            for name in starts.keys() & ends.keys():
                found[name] = LeaderLog(starts[name], ends[name])

    async def _ask_follower(
        self,
        broker: Broker,
        names: list[TopicPartition],
        leaders: dict[TopicPartition, LeaderLog],
    ) -> None:
        for some in _portions([name for name in names if name in leaders]):
            log_dirs = await self._ask(
                broker,
                polls.describe_log_dirs(some),
                polls.DESCRIBE_LOG_DIRS_VERSIONS,
                DescribeLogDirsResponse,
            )
            lags = polls.lags(log_dirs) if log_dirs else {}
            ends = await self._offsets(broker, lags, polls.LATEST) if lags else {}
            reports = polls.reports(broker.id, leaders, ends, lags)
            if reports:
                self._post(ProgressHeard(reports, self._clock().wall_ms))

    async def _offsets(self, broker: Broker, names: Names, which: int) -> dict[TopicPartition, int]:
        request = polls.list_offsets(names, which)
        answer = await self._ask(broker, request, polls.LIST_OFFSETS_VERSIONS, ListOffsetsResponse)
        return polls.offsets(answer) if answer else {}

    async def _ask(
        self, broker: Broker, request: Message, versions: range, response: type[R]
    ) -> R | None:
        link = self._link(broker)
        answer = await link.ask(request, versions, response)
        if answer is not None and polls.is_refused(answer):
            link.refused()
        return answer

    def _link(self, broker: Broker) -> PolledBroker:
        link = self._brokers.get(broker.id)
        if link is None:
            link = self._brokers[broker.id] = PolledBroker(broker, self._settings)
        return link

    async def _keep(self, brokers: Mapping[int, Broker]) -> None:
        """Close the links to brokers that are registered otherwise by now, or not at all."""
        for id_, link in tuple(self._brokers.items()):
            if brokers.get(id_) != link.broker:
                del self._brokers[id_]
                await link.close()


def _brokers_of(
    names: Names, wanted: Container[TopicPartition], state: ClusterState
) -> tuple[dict[Broker, list[TopicPartition]], dict[Broker, list[TopicPartition]]]:
    """Return whom to ask: the leader of each partition, and those who copy it.

    Of those that only move these are the replicas that are being added; of those that somebody has
    asked for, all.
    """
    led: dict[Broker, list[TopicPartition]] = defaultdict(list)
    copied: dict[Broker, list[TopicPartition]] = defaultdict(list)
    for name in names:
        partition = state.partition(name)
        leader = state.brokers.get(partition.leader) if partition else None
        if partition is None or leader is None:
            continue
        led[leader].append(name)
        of_interest = partition.hosted if name in wanted else partition.assignment.adding
        for id_ in of_interest:
            if id_ in partition.hosted and id_ in state.brokers and id_ != leader.id:
                copied[state.brokers[id_]].append(name)
    return led, copied


def _portions(names: list[TopicPartition]) -> Iterator[list[TopicPartition]]:
    for first in range(0, len(names), MOST_PER_REQUEST):
        yield names[first : first + MOST_PER_REQUEST]
