"""Nodes out of office that pass requests on to the controller."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest
import trio
from handlers.worlds import NODE, broker
from runtime.test_service import World as ServiceWorld
from runtime.test_standby import OTHER, STATE, by, told
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from klamm.controller.brokers.messages import update_metadata
from klamm.controller.core.ibp import DEFAULT
from klamm.controller.core.model import Broker, Endpoint
from klamm.controller.handlers.api import NOT_CONTROLLER_TEXT
from klamm.controller.handlers.switches import Switch
from klamm.controller.handlers.table import advertised
from klamm.controller.node import Phase
from klamm.controller.node.lines import decode as decode_line
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import Running, run_controller
from klamm.controller.runtime.forwarding import FORWARDED_TAG, Forwarder, destination
from klamm.controller.runtime.memory import MemoryService
from klamm.controller.runtime.service import Service
from klamm.protocol.connection import ClientConnection, Request, Response, ServerConnection
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.protocol.generated.alter_topics_request import AlteredTopic, AlterTopicsRequest
from klamm.protocol.generated.alter_topics_response import AlterTopicsResponse
from klamm.protocol.generated.assign_partitions_request import AssignPartitionsRequest
from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
from klamm.protocol.generated.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from klamm.protocol.generated.create_topics_response import CreateTopicsResponse
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest as List,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse
from klamm.protocol.message import Message
from klamm.tools.brokers.server import SimulatedBrokers

DEADLINE = 30.0
HERE = Endpoint("PLAINTEXT", "PLAINTEXT", "here", 1)
THERE = Endpoint("PLAINTEXT", "PLAINTEXT", "there", 2)
REFUSED = "refused"


def moves(
    target: tuple[int, ...] | None, timeout_ms: int = 60_000
) -> AlterPartitionReassignmentsRequest:
    topics = (ReassignableTopic("t", (ReassignablePartition(0, target),)),)
    return AlterPartitionReassignmentsRequest(timeout_ms, topics=topics)


async def ask(endpoint: Endpoint, body: Message, version: int = 0, client: str = "t") -> Message:
    stream = await trio.open_tcp_stream(endpoint.host, endpoint.port)
    async with stream:
        protocol = ClientConnection(client)
        await stream.send_all(protocol.send_request(body, version)[1])
        while data := await stream.receive_some(65536):
            for event in protocol.receive_data(data):
                assert isinstance(event, Response)
                return event.body
    raise AssertionError("no answer")


async def eventually(test: Callable[[], bool]) -> None:
    while not test():
        await trio.sleep(0.005)


# --- whole nodes ----------------------------------------------------------------------------------


class Cluster:
    """Nodes that share a ZooKeeper in memory, and brokers 1, 2 and the frozen 3."""

    def __init__(self, nursery: trio.Nursery, service: MemoryService, tmp_path: Path) -> None:
        self._nursery = nursery
        self._service = service
        self._tmp_path = tmp_path
        self.nodes: dict[int, Running] = {}
        self.scopes: dict[int, trio.CancelScope] = {}

    async def start(self, node_id: int, *, forwarding: bool) -> None:
        config = ControllerConfig(
            node_id,
            "memory",
            forwarding=forwarding,
            journal=self.journal(node_id),
            properties={"klamm.kip179.alter.enable": "true"},
        )

        async def run(task_status: trio.TaskStatus[Running]) -> None:
            with trio.CancelScope() as self.scopes[node_id]:
                await run_controller(config, self._service.open, task_status=task_status)

        self.nodes[node_id] = await self._nursery.start(run)

    async def kill(self, node_id: int) -> None:
        self.nodes.pop(node_id)
        self.scopes.pop(node_id).cancel()

    def journal(self, node_id: int) -> Path:
        return self._tmp_path / f"journal-{node_id}"

    def controller(self) -> int:
        active = [id_ for id_, each in self.nodes.items() if each.node.phase is Phase.ACTIVE]
        return active[0] if active else -1

    async def alter(self, to: int, target: tuple[int, ...] | None) -> int:
        answer = await ask(self.nodes[to].endpoint, moves(target), client=f"by {to}")
        assert isinstance(answer, AlterPartitionReassignmentsResponse)
        if answer.error_code:
            assert (answer.error_message, answer.responses) == (NOT_CONTROLLER_TEXT, ())
            return answer.error_code
        [topic] = answer.responses
        return topic.partitions[0].error_code

    async def alter_topic(self, to: int, partitions: int) -> int:
        request = AlterTopicsRequest(9000, (AlteredTopic("t", partitions),))
        answer = await ask(self.nodes[to].endpoint, request, client=f"by {to}")
        assert isinstance(answer, AlterTopicsResponse)
        if answer.error_code:
            assert (answer.error_message, answer.topics) == (NOT_CONTROLLER_TEXT, ())
            return answer.error_code
        [topic] = answer.topics
        return topic.error_code

    async def adding(self, to: int) -> list[tuple[int, ...]] | int:
        answer = await ask(self.nodes[to].endpoint, List())
        assert isinstance(answer, ListPartitionReassignmentsResponse)
        if answer.error_code:
            assert (answer.error_message, answer.topics) == (NOT_CONTROLLER_TEXT, ())
            return answer.error_code
        return [each.adding_replicas for topic in answer.topics for each in topic.partitions]

    async def served_by(self, to: int) -> None:
        """Ask a node until it knows the controller, or is it."""
        while (found := await self.adding(to)) == 41:
            await trio.sleep(0.005)
        assert not isinstance(found, int)


@asynccontextmanager
async def cluster(tmp_path: Path, **forwarding: bool) -> AsyncIterator[Cluster]:
    """Start nodes 900, 901, ... one by one: the first is controller. Topic t is on 1 and 2."""
    service = MemoryService()
    with trio.fail_after(DEADLINE):
        async with trio.open_nursery() as outer:
            await outer.start(service.run)
            async with trio.open_nursery() as nursery:
                made = Cluster(nursery, service, tmp_path)
                for number, switch in enumerate(forwarding.values(), start=900):
                    await made.start(number, forwarding=switch)
                    await eventually(lambda: made.controller() == 900)
                async with SimulatedBrokers(service.open, (1, 2, 3), frozen=(3,)) as brokers:
                    models = brokers.cluster.brokers
                    known = {1, 2, 3, *made.nodes}
                    await eventually(
                        lambda: all(
                            known <= each.metadata.brokers.keys() for each in models.values()
                        )
                    )
                    replicas = (CreatableReplicaAssignment(0, (1, 2)),)
                    create = CreateTopicsRequest((CreatableTopic("t", -1, -1, replicas),), 9000)
                    created = await ask(made.nodes[900].endpoint, create, 5)
                    assert isinstance(created, CreateTopicsResponse)
                    assert [each.error_code for each in created.topics] == [0]
                    yield made
                nursery.cancel_scope.cancel()
            outer.cancel_scope.cancel()


@pytest.mark.req("R455-13")
async def test_a_standby_refuses_or_with_the_switch_has_the_controller_answer(
    tmp_path: Path,
) -> None:
    async with cluster(tmp_path, controller=False, plain=False, forwarding=True) as found:
        await found.served_by(902)
        assert await found.alter(901, (2, 3)) == 41
        assert await found.adding(901) == 41
        assert await found.adding(902) == []
        assert await found.alter(902, (2, 3)) == 0
        assert await found.adding(902) == await found.adding(900) == [(3,)]
        assert await found.alter(902, None) == 0
        assert await found.alter(902, None) == 85, "the controller's own refusal"
        assert await found.adding(902) == []
        assert await found.adding(901) == 41
    lines = map(decode_line, found.journal(900).read_bytes().splitlines())
    clients = {line.client_id for line in lines}
    assert "by 902" in clients
    assert "by 901" not in clients


@pytest.mark.req("R179A-22")
async def test_any_node_has_a_topic_altered_whether_it_passes_other_requests_on_or_not(
    tmp_path: Path,
) -> None:
    async with cluster(tmp_path, controller=False, plain=False, forwarding=True) as found:
        await found.served_by(902)
        for count, node in enumerate((901, 902, 900), start=2):
            assert await found.alter_topic(node, count) == 0
        assert await found.alter_topic(901, 1) == 37, "the controller's own refusal"
        assert await found.alter(901, (2, 3)) == 41
        await found.kill(900)
        assert await found.alter_topic(901, 4) in (0, 41), "while there is an election"
        while await found.alter_topic(901, 5):
            await trio.sleep(0.005)
        assert found.controller() in (901, 902)
    lines = map(decode_line, found.journal(900).read_bytes().splitlines())
    texts = [line.text for line in lines if line.kind == "topic-altered"]
    assert texts == [f"{n} to {n + 1} partitions, 0 of them move" for n in (1, 2, 3)]


async def test_when_the_controller_dies_the_next_one_answers(tmp_path: Path) -> None:
    async with cluster(tmp_path, controller=True, one=True, other=True) as found:
        for standby in (901, 902):
            await found.served_by(standby)
        await found.kill(900)
        assert {await found.alter(901, (2, 3)), await found.alter(902, (2, 3))} <= {0, 41}
        for survivor in (901, 902):
            await found.served_by(survivor)
            assert await found.alter(survivor, (2, 3)) == 0
            assert await found.adding(survivor) == [(3,)]
        assert found.controller() in (901, 902)


async def test_a_client_that_waits_when_the_node_ends_still_has_its_answer(tmp_path: Path) -> None:
    async with cluster(tmp_path, controller=False, forwarding=True) as found:
        [silent] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with silent:
            port = silent.socket.getsockname()[1]
            pretender = Broker(950, -1, (Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", port),))
            state = replace(STATE, controller_id=950, epoch=1000, nodes={950: pretender})
            told_so = update_metadata(state, pretender, ())
            endpoint = found.nodes[901].endpoint
            answer = await ask(endpoint, told_so, DEFAULT.update_metadata)
            assert answer == UpdateMetadataResponse()
            stream = await trio.open_tcp_stream(endpoint.host, endpoint.port)
            protocol = ClientConnection("t")
            await stream.send_all(protocol.send_request(moves((2, 3)), 0)[1])
            async with await silent.accept() as passed_on:
                assert await passed_on.receive_some(65536)
                await found.kill(901)
                received = b""
                while data := await stream.receive_some(65536):
                    received += data
        [response] = protocol.receive_data(received)
        assert isinstance(response, Response)
        assert getattr(response.body, "error_code", None) == 41
        await stream.aclose()


# --- one node and a controller that does what the test says ---------------------------------------


class FakeController:
    """The other end of whatever connections a forwarder opens."""

    def __init__(self) -> None:
        self.opened: list[Endpoint] = []
        self.refusing = False
        self.silent = False
        self.streams: list[trio.abc.Stream] = []
        self._protocols: list[ServerConnection] = []

    async def connect(self, endpoint: Endpoint) -> trio.abc.Stream:
        self.opened.append(endpoint)
        await trio.lowlevel.checkpoint()
        if self.refusing:
            raise ConnectionRefusedError("nobody listens")
        if self.silent:
            await trio.sleep_forever()
        ours, theirs = memory_stream_pair()
        self.streams.append(theirs)
        served = advertised(release="4.1", switches=[*Switch])
        self._protocols.append(ServerConnection({**served, 46: range(2)}))
        return ours

    async def requests(self, number: int = -1) -> list[Request]:
        data = await self.streams[number].receive_some(65536)
        events = self._protocols[number].receive_data(data)
        return [event for event in events if isinstance(event, Request)]

    async def answer(self, request: Request, throttle_ms: int, number: int = -1) -> None:
        response = ListPartitionReassignmentsResponse(throttle_time_ms=throttle_ms)
        data = self._protocols[number].send_response(request, response)
        await self.streams[number].send_all(data)


@dataclass
class World:
    """A forwarder and the answers it gave, by the names of the requests, with the time."""

    forwarder: Forwarder
    controller: FakeController
    answers: list[tuple[str, int | str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def ask(self, name: str, timeout_ms: int = 60_000, to: Endpoint = THERE) -> None:
        self.forwarder.forward(to, name, List(timeout_ms), partial(self._answered, name))

    def _answered(self, name: str, response: Message) -> None:
        assert isinstance(response, ListPartitionReassignmentsResponse)
        refused = response.error_code == 41
        assert not refused or response.error_message == NOT_CONTROLLER_TEXT
        self.answers.append((name, REFUSED if refused else response.throttle_time_ms))
        self.times.append(trio.current_time())


@asynccontextmanager
async def forwarding(most_waiting: int = 10) -> AsyncIterator[World]:
    controller = FakeController()
    world = World(Forwarder(controller.connect, most_waiting), controller)
    async with trio.open_nursery() as nursery:
        await nursery.start(world.forwarder.run)
        yield world
        nursery.cancel_scope.cancel()


async def test_requests_share_a_connection_in_order_under_their_own_client_ids() -> None:
    async with forwarding() as world:
        for name in "abc":
            world.ask(name)
        await wait_all_tasks_blocked()
        requests = await world.controller.requests()
        assert [each.header.client_id for each in requests] == ["a", "b", "c"]
        assert [each.header.correlation_id for each in requests] == [0, 1, 2]
        assert {each.header.unknown_tagged_fields for each in requests} == {((FORWARDED_TAG, b""),)}
        for number, request in enumerate(requests):
            await world.controller.answer(request, number)
            await wait_all_tasks_blocked()
        assert world.answers == [("a", 0), ("b", 1), ("c", 2)]
        world.ask("d")
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
        await world.controller.answer(request, 3)
        await wait_all_tasks_blocked()
        assert world.answers[3:] == [("d", 3)]
        assert world.controller.opened == [THERE]


async def test_what_only_a_newer_version_says_is_passed_on_in_that() -> None:
    answers: list[Message] = []
    async with forwarding() as world:
        for allowed in (True, False):
            body = replace(moves((3,)), allow_replication_factor_change=allowed)
            world.forwarder.forward(THERE, "a", body, answers.append)
        await wait_all_tasks_blocked()
        requests = await world.controller.requests()
    assert [each.header.request_api_version for each in requests] == [0, 1]
    assert [getattr(each.body, "allow_replication_factor_change", None) for each in requests] == [
        True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("version", [0, 1])
async def test_a_list_is_asked_for_in_its_own_version(version: int) -> None:
    async with forwarding() as world:
        world.forwarder.forward(THERE, "a", List(), lambda _: None, version)
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
    assert request.header.request_api_version == version


@pytest.mark.req("R179A-22", "R179B-19")
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (AlterTopicsRequest(9000), AlterTopicsResponse),
        (AssignPartitionsRequest(9000), AssignPartitionsResponse),
    ],
)
async def test_what_may_be_sent_to_any_broker_is_passed_on(
    body: AlterTopicsRequest | AssignPartitionsRequest, kind: type[Message]
) -> None:
    answers: list[Message] = []
    async with forwarding() as world:
        world.forwarder.forward(THERE, "a", body, answers.append)
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
        assert request.body == body
        await world.controller.streams[0].aclose()
    [answer] = answers
    assert isinstance(answer, kind)
    codes = (getattr(answer, "error_code", None), getattr(answer, "error_message", None))
    assert codes == (41, NOT_CONTROLLER_TEXT)
    assert getattr(answer, "request_id", -1) == -1


@pytest.mark.parametrize("body", [AlterTopicsRequest(0), AssignPartitionsRequest(0)])
async def test_whoever_may_ask_any_broker_waits_for_what_the_controller_says(
    body: AlterTopicsRequest | AssignPartitionsRequest, autojump_clock: MockClock
) -> None:
    """The request's own timeout is the controller's matter; a number that is lost is lost."""
    answers: list[Message] = []
    async with forwarding() as world:
        world.forwarder.forward(THERE, "a", body, answers.append)
        await trio.sleep(29)
        assert answers == []
        await trio.sleep(2)
        assert len(answers) == 1


async def test_each_controller_has_a_connection_of_its_own() -> None:
    async with forwarding() as world:
        world.ask("a")
        await wait_all_tasks_blocked()
        [first] = await world.controller.requests()
        world.ask("b", to=HERE)
        await wait_all_tasks_blocked()
        [second] = await world.controller.requests()
        await world.controller.answer(second, 2, 1)
        await wait_all_tasks_blocked()
        await world.controller.answer(first, 1, 0)
        await wait_all_tasks_blocked()
        assert world.answers == [("b", 2), ("a", 1)]
        assert world.controller.opened == [THERE, HERE]


async def test_a_lost_connection_refuses_those_that_wait_and_the_next_opens_another() -> None:
    async with forwarding() as world:
        world.ask("a")
        world.ask("b")
        await wait_all_tasks_blocked()
        first, _ = await world.controller.requests()
        await world.controller.answer(first, 1)
        await world.controller.streams[0].aclose()
        await wait_all_tasks_blocked()
        assert world.answers == [("a", 1), ("b", REFUSED)]
        world.ask("c")
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
        await world.controller.answer(request, 3)
        await wait_all_tasks_blocked()
        assert world.answers[2:] == [("c", 3)]


async def test_what_is_no_answer_ends_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "klamm.forwarding")
    async with forwarding() as world:
        world.ask("a")
        await wait_all_tasks_blocked()
        await world.controller.streams[0].send_all(b"\0\0\0\5\0\0\0\x63\0")
        await wait_all_tasks_blocked()
        assert world.answers == [("a", REFUSED)]
        assert "controller at" in caplog.text
        assert "correlation id 99" in caplog.text
        world.ask("b")
        await wait_all_tasks_blocked()
        assert len(world.controller.streams) == 2


async def test_a_controller_that_is_not_there_is_no_controller() -> None:
    async with forwarding() as world:
        world.controller.refusing = True
        world.ask("a")
        await wait_all_tasks_blocked()
        assert world.answers == [("a", REFUSED)]
        world.controller.refusing = False
        world.ask("b")
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
        assert request.header.client_id == "b"


@pytest.mark.parametrize(
    ("timeout_ms", "seconds"), [(-5, 0), (0, 0), (700, 0.7), (30_001, 30), (2**31 - 1, 30)]
)
async def test_a_request_waits_as_long_as_it_says_but_not_longer_than_a_bound(
    timeout_ms: int, seconds: float, autojump_clock: MockClock
) -> None:
    async with forwarding() as world:
        begun = trio.current_time()
        world.ask("a", timeout_ms)
        await trio.sleep(40)
        assert world.answers == [("a", REFUSED)]
        assert world.times[0] - begun == pytest.approx(seconds)


async def test_an_answer_that_comes_too_late_is_dropped_and_the_connection_goes_on(
    autojump_clock: MockClock,
) -> None:
    async with forwarding() as world:
        world.ask("a", 1000)
        world.ask("b")
        await trio.sleep(2)
        first, second = await world.controller.requests()
        await world.controller.answer(first, 1)
        await world.controller.answer(second, 2)
        await wait_all_tasks_blocked()
        assert world.answers == [("a", REFUSED), ("b", 2)]
        assert world.controller.opened == [THERE]


@pytest.mark.parametrize("connects", [True, False])
async def test_a_silent_controller_is_given_up(connects: bool, autojump_clock: MockClock) -> None:
    async with forwarding() as world:
        world.controller.silent = not connects
        world.ask("a", 1000)
        await trio.sleep(20)
        world.ask("b")
        await trio.sleep(11)
        assert world.answers == [("a", REFUSED), ("b", REFUSED)]
        assert world.times[1] - world.times[0] == pytest.approx(29)
        world.controller.silent = False
        world.ask("c")
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
        await trio.sleep(29)
        await world.controller.answer(request, 3)
        await wait_all_tasks_blocked()
        assert world.answers[2:] == [("c", 3)]
        await trio.sleep(1000)
        world.ask("d")
        await wait_all_tasks_blocked()
        assert len(world.controller.opened) == 2, "an idle connection is kept"


async def test_no_more_wait_than_the_bound_even_if_given_up(autojump_clock: MockClock) -> None:
    async with forwarding(most_waiting=2) as world:
        world.ask("a", 1000)
        await wait_all_tasks_blocked()
        world.ask("b", to=HERE)
        world.ask("c")
        assert world.answers == [("c", REFUSED)]
        await trio.sleep(2)
        world.ask("d")
        assert world.answers == [("c", REFUSED), ("a", REFUSED), ("d", REFUSED)]
        [request] = await world.controller.requests(0)
        await world.controller.answer(request, 1, 0)
        await wait_all_tasks_blocked()
        world.ask("e", 1000)
        await trio.sleep(2)
        assert world.answers[3:] == [("e", REFUSED)]
        assert [each.header.client_id for each in await world.controller.requests(0)] == ["e"]


async def test_what_waits_is_answered_once_when_the_node_ends() -> None:
    async with forwarding() as world:
        world.ask("a")
        await wait_all_tasks_blocked()
        world.ask("b", to=HERE)
    assert sorted(world.answers) == [("a", REFUSED), ("b", REFUSED)]
    world.ask("c")
    assert world.answers[2:] == [("c", REFUSED)]


# --- whom a node asks -----------------------------------------------------------------------------


def service(world: ServiceWorld, forwarder: Forwarder) -> None:
    world.service = Service(
        world.node,
        lambda events, reply, origin: world.submitted.append((events, reply)),
        world.transact,
        broker(NODE),
        cluster_id="c",
        listener="PLAINTEXT",
        table=advertised(),
        forwarder=forwarder,
    )


async def test_a_node_that_takes_office_meanwhile_answers_once_and_then_itself() -> None:
    async with forwarding() as world:
        node = ServiceWorld()
        service(node, world.forwarder)
        told(node, by(OTHER, 5))
        asked = node.ask(List(60_000), 0)
        await wait_all_tasks_blocked()
        [request] = await world.controller.requests()
        node.node.state = replace(STATE, epoch=6)
        assert len(node.ask(List(60_000), 0).responses) == 1
        assert asked.responses == []
        await world.controller.answer(request, 9)
        await wait_all_tasks_blocked()
        assert asked.responses == [ListPartitionReassignmentsResponse(throttle_time_ms=9)]


@pytest.mark.parametrize("controller", [-1, NODE, OTHER + 5])
async def test_without_another_controller_a_node_refuses_by_itself(controller: int) -> None:
    async with forwarding() as world:
        node = ServiceWorld()
        service(node, world.forwarder)
        told(node, by(controller, 5))
        for body in (List(60_000), moves((3,))):
            [response] = node.ask(body, 0).responses
            assert getattr(response, "error_code", None) == 41
        await wait_all_tasks_blocked()
        assert world.controller.opened == []


def test_what_was_passed_on_is_not_passed_on_again() -> None:
    node = ServiceWorld()
    told(node, by(OTHER, 5))
    metadata = node.service.context().metadata
    sent = ClientConnection("me").send_request(List(), 0)[1]
    [plain] = ServerConnection(advertised()).receive_data(sent)
    assert isinstance(plain, Request)
    tagged = replace(
        plain, header=replace(plain.header, unknown_tagged_fields=((3, b""), (FORWARDED_TAG, b"")))
    )
    assert destination(plain, metadata, NODE, "PLAINTEXT") is not None
    assert destination(plain, metadata, NODE, "OTHER") is None
    assert destination(tagged, metadata, NODE, "PLAINTEXT") is None
