"""Every request has exactly one reply, whatever happens: on the wire, and up to the node."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from runtime.driven import World, driving
from runtime.peers import Peer, numbered, serving
from trio.testing import MockClock, wait_all_tasks_blocked

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import Broker
from klamm.controller.handlers.table import advertised
from klamm.controller.node import Node, NodeConfig
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.limits import Limits
from klamm.controller.runtime.service import Service
from klamm.controller.security.principals import ANONYMOUS, Client
from klamm.protocol.codec import decode
from klamm.protocol.connection import Encoded, Request
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.produce_request import ProduceRequest
from klamm.protocol.generated.request_header import RequestHeader
from klamm.protocol.message import Message

# --- on the wire ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipeline:
    """Requests by number, how their bytes are cut, and what becomes of each, in which order.

    `produce` is the place of a Produce with acks=0 among them, which has no answer and ends the
    connection; `leaves` the number of answers after which the client goes away.
    """

    requests: int
    pieces: tuple[int, ...]
    order: tuple[int, ...]
    at_once: frozenset[int]
    rests: frozenset[int]
    in_flight: int
    produce: int | None
    leaves: int | None


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    count = draw(st.integers(1, 12))
    numbers = st.integers(0, count - 1)
    return Pipeline(
        count,
        tuple(draw(st.lists(st.integers(1, 200), min_size=1, max_size=8))),
        tuple(draw(st.permutations(range(count)))),
        frozenset(draw(st.sets(numbers))),
        frozenset(draw(st.sets(numbers))),
        draw(st.integers(1, 6)),
        draw(st.none() | numbers),
        draw(st.none() | numbers),
    )


class Desk:
    """Answers some requests at once and the others in an order of its own, as they come in."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._held: dict[int, Exchange] = {}
        self.seen: list[int] = []

    def __call__(self, exchange: Exchange) -> None:
        if isinstance(exchange.request.body, ProduceRequest):
            exchange.disconnect("acks=0 wants no answer")
            return
        number = numbered(exchange).throttle_time_ms
        self.seen.append(number)
        if number in self._pipeline.at_once:
            exchange.respond(numbered(exchange))
        else:
            self._held[number] = exchange

    async def work(self) -> None:
        """Answer what is held, the first of the order that is there, until nothing comes."""
        while True:
            await wait_all_tasks_blocked()
            ready = [number for number in self._pipeline.order if number in self._held]
            if not ready:
                return
            exchange = self._held.pop(ready[0])
            exchange.respond(numbered(exchange))
            if ready[0] in self._pipeline.rests:
                await trio.sleep(1)


async def converse(pipeline: Pipeline) -> tuple[list[int], list[int]]:
    """Play a pipeline; return which requests were seen, and which answers came."""
    desk = Desk(pipeline)
    answers: list[int] = []

    async def read(peer: Peer) -> None:
        while pipeline.leaves is None or len(answers) < pipeline.leaves:
            try:
                answers.extend(await peer.answers(1))
            except (AssertionError, trio.ClosedResourceError):
                return  # closed, by either side
        await peer.stream.aclose()

    async def write(peer: Peer) -> None:
        data = b"".join(
            peer.encoded(ProduceRequest(acks=0), 9, answered=False)
            if number == pipeline.produce
            else peer.question(number)
            for number in range(pipeline.requests)
        )
        place = 0
        try:
            while data:
                size = pipeline.pieces[place % len(pipeline.pieces)]
                place += 1
                await peer.stream.send_all(data[:size])
                data = data[size:]
                if place % 3 == 0:
                    await desk.work()
            await desk.work()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await desk.work()  # who asked is gone; answering does no harm

    limits = Limits(max_in_flight=pipeline.in_flight)
    async with serving(desk, limits) as peer, trio.open_nursery() as nursery:
        nursery.start_soon(read, peer)
        await write(peer)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return desk.seen, answers


@given(pipelines())
@settings(max_examples=60, deadline=None)
def test_every_request_on_a_connection_has_one_answer_in_its_place(pipeline: Pipeline) -> None:
    seen, answers = trio.run(converse, pipeline, clock=MockClock(autojump_threshold=0.001))
    assert seen == list(range(len(seen))), "each is served once, in order"
    assert answers == list(range(len(answers))), "each is answered once, in order"
    if pipeline.produce is not None:
        assert len(answers) <= pipeline.produce, "acks=0 has no answer, and ends the connection"
    elif pipeline.leaves is None:
        assert len(answers) == pipeline.requests
    else:
        assert pipeline.leaves <= len(answers) <= pipeline.requests


# --- up to the node ------------------------------------------------------------------------------

NODE = Broker(900, -1, ())


@dataclass
class Asker:
    """A connection that keeps what it is answered."""

    peer: str = "127.0.0.1:5000"
    client: Client = Client(ANONYMOUS, "127.0.0.1", "PLAINTEXT")
    responses: list[Message] = field(default_factory=list)

    def respond(self, request: Request, response: Message | Encoded) -> None:
        if isinstance(response, Encoded):
            response = decode(response.kind, response.body, response.version)
        self.responses.append(response)

    def close(self, reason: str) -> None:
        raise AssertionError(reason)


class House:
    """A node that is served: requests go through its handlers and its driver."""

    def __init__(self, node: Node, world: World) -> None:
        self.world = world
        self.asker = Asker()
        driver = world.driver
        self.service = Service(
            node, driver.submit, driver.transact, NODE, cluster_id="c", listener="PLAINTEXT",
            table=advertised(),
        )  # fmt: skip
        self._asked = 0

    def ask(self, body: Message) -> None:
        header = RequestHeader(body.api_key, 0, self._asked, "me")
        self.service.dispatch(Exchange(self.asker, Request(self._asked, header, body)))
        self._asked += 1

    def alter(self) -> None:
        partition = ReassignablePartition(0, (1,))
        topic = ReassignableTopic("t", (partition,))
        self.ask(AlterPartitionReassignmentsRequest(topics=(topic,)))

    def list(self) -> None:
        self.ask(ListPartitionReassignmentsRequest(topics=None))


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    node = Node(NodeConfig(900, ()))
    async with driving(node) as world:
        assert node.active
        yield House(node, world)


@pytest.mark.req("R455-30")
@pytest.mark.parametrize("queued", [False, True], ids=["in hand", "queued"])
async def test_what_is_asked_when_the_session_expires_has_one_reply_each(
    queued: bool, autojump_clock: MockClock
) -> None:
    async with house() as at:
        if queued:
            at.world.zookeeper.expire(at.world.opened[0])
        for _ in range(3):
            at.alter()
        for _ in range(2):
            at.list()
        if not queued:
            at.world.zookeeper.expire(at.world.opened[0])
        await at.world.settle()
        alters = [
            each.error_code
            for each in at.asker.responses
            if isinstance(each, AlterPartitionReassignmentsResponse)
        ]
        lists = [
            each.error_code
            for each in at.asker.responses
            if isinstance(each, ListPartitionReassignmentsResponse)
        ]
        assert (len(alters), len(lists)) == (3, 2)
        assert set(alters) | set(lists) <= {0, 41}
        assert len(at.asker.responses) == 5


@pytest.mark.req("R455-39")
async def test_lists_are_answered_without_a_look_at_zookeeper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with house() as at:
        reads: list[object] = []
        store = at.world.opened[-1]
        monkeypatch.setattr(store, "read", lambda *asked, **_: reads.append(asked))
        for _ in range(1_000):
            at.list()
        await wait_all_tasks_blocked()
        assert len(at.asker.responses) == 1_000
        assert reads == []


async def test_who_asks_is_in_the_journal() -> None:
    async with house() as at:
        at.alter()
        await at.world.settle()
        [entry] = [entry for entry, _ in at.world.journal.written if entry.kind == "refuse"]
        assert entry.cause is not None
        assert isinstance(entry.cause.event, AlterReassignment)
        assert entry.cause.origin is not None
        assert (
            entry.cause.origin
            == Exchange(
                at.asker,
                Request(0, RequestHeader(45, 0, 0, "me"), AlterPartitionReassignmentsRequest()),
            ).origin
        )
