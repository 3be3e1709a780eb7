"""What simulated brokers tell a real controller of fetches, and what it makes of that, over TCP."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import trio
from brokers.test_with_controller import BANDWIDTH, NEW, OLD, SIZE, World, both, opened

from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.switches import Switch
from klamm.controller.node.copies import Copied
from klamm.controller.runtime import controller
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.service import Service
from klamm.protocol.generated.assign_partitions_request import (
    AssignPartitionsRequest,
    PartitionAssignment,
)
from klamm.protocol.generated.assign_partitions_response import AssignPartitionsResponse
from klamm.protocol.generated.partition_assignment_status_request import (
    PartitionAssignmentStatusRequest,
)
from klamm.protocol.generated.partition_assignment_status_response import (
    PartitionAssignmentStatusResponse,
    Progress,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatus, ReplicaStatusResponse
from klamm.tools.brokers.service import BrokerService

T = TopicPartition("t", 0)
ALTER = {Switch.ALTER.value: "true"}
ASSIGN = {Switch.ASSIGN.value: "true"}
BOTH = {**ALTER, **ASSIGN}


@contextmanager
def keys_asked(kind: type[Service | BrokerService]) -> Iterator[list[tuple[int, str]]]:
    """Note the key and the client id of every request that comes to the node, or to brokers."""
    asked: list[tuple[int, str]] = []
    dispatch: Callable[..., None] = kind.dispatch

    def noted(service: Service | BrokerService, exchange: Exchange) -> None:
        header = exchange.request.header
        asked.append((header.request_api_key, header.client_id or ""))
        dispatch(service, exchange)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "dispatch", noted)
        yield asked


async def copied(world: World, beyond: int = -1) -> Copied:
    """Wait until the node has heard that broker 3 has come further than so many bytes."""

    def further() -> Copied | None:
        found = world.running.node.copies.of(T).get(3)
        return found if found is not None and found.follower_end > beyond else None

    return await world.eventually(further, f"word that broker 3 has more than {beyond}")


async def slow_move(world: World, rate: float) -> None:
    """Begin to copy t-0 to broker 3, at so many bytes per second."""
    await world.create((1, 2))
    world.brokers.slow_down(3, rate)
    await world.move(3, 2)


@both
@pytest.mark.req("R179B-44")
async def test_the_controller_hears_how_far_a_move_has_come(protocol: str) -> None:
    async with opened(protocol, shared=ASSIGN) as world:
        await slow_move(world, SIZE / 10)
        first = await copied(world)
        assert 0 <= first.follower_end < first.leader_end == SIZE
        second = await copied(world, first.follower_end)
        assert second.at_ms > first.at_ms
        world.brokers.thaw(3)
        await world.eventually(lambda: world.at_rest(3, 2), "the end of the move")


@pytest.mark.req("R179B-37")
async def test_the_part_that_is_copied_falls_when_producers_outrun_the_follower() -> None:
    async with opened(OLD, shared=ASSIGN) as world:
        await slow_move(world, SIZE / 2)
        before = await copied(world, SIZE // 10)
        world.brokers.produce(10 * BANDWIDTH, T)
        after = await copied(world, before.follower_end)
        while after.leader_end == SIZE:
            after = await copied(world, after.follower_end)
        assert after.follower_end / after.leader_end < before.follower_end / before.leader_end
        assert after.lag > before.lag


@pytest.mark.req("R179B-37")
async def test_the_percentage_of_a_request_may_fall() -> None:
    async with opened(NEW, shared=ASSIGN) as world:
        await world.create((1, 2))
        world.brokers.slow_down(3, SIZE / 2)
        assigned = PartitionAssignment("t", 0, (3, 2))
        answer = await world.ask_node(AssignPartitionsRequest(9000, (assigned,)), 0)
        assert isinstance(answer, AssignPartitionsResponse)
        assert (answer.error_code, answer.request_id) == (0, 1)
        first = await progress(world, lambda found: found.numerator > 0)
        world.brokers.produce(10 * BANDWIDTH, T)
        second = await progress(world, lambda found: found.denominator > SIZE)
        assert 0 < first.numerator < first.denominator == SIZE
        assert second.numerator > first.numerator
        assert second.numerator / second.denominator < first.numerator / first.denominator
        assert second.updated_time_ms > first.updated_time_ms


async def progress(world: World, wanted: Callable[[Progress], bool]) -> Progress:
    """Ask for the status of the request until what it says of broker 3 is as wanted."""
    with trio.fail_after(20.0):
        while True:
            answer = await world.ask_node(PartitionAssignmentStatusRequest(1), 0)
            assert isinstance(answer, PartitionAssignmentStatusResponse)
            assert answer.error_code == 0
            rows = {(row.topic, row.partition, row.broker): row for row in answer.replicas}
            assert rows.keys() == {("t", 0, 3), ("t", 0, 2)}
            found = rows["t", 0, 3].progress
            assert found.error_code == 60
            if wanted(found):
                return found
            await trio.sleep(0.02)


async def test_without_the_switches_nothing_is_sent_and_nobody_polled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Leaders look whether they could tell, and that is all."""
    monkeypatch.setattr(controller, "Polls", not_wanted)
    with keys_asked(Service) as asked:
        async with opened(NEW) as world:
            await slow_move(world, SIZE / 10)
            await world.eventually(lambda: asked.count((18, "1")) == 1, "the leader to ask for it")
            world.brokers.thaw(3)
            await world.eventually(lambda: world.at_rest(3, 2), "the end of the move")
            assert world.running.node.copies.latest == {}
    assert 17905 not in {key for key, _ in asked}


def not_wanted(*_: object) -> None:
    raise AssertionError("nobody has asked for polls")


async def test_simulated_brokers_are_not_polled() -> None:
    """Each is asked once what it serves, and no more after that."""
    with keys_asked(BrokerService) as asked:
        async with opened(NEW, shared=BOTH) as world:
            await slow_move(world, SIZE / 20)
            first = await copied(world, SIZE // 20)
            statuses = await status(world, None, 2, 3)
            assert first.lag >= statuses[3].lag > 0
            assert statuses[2].isr_time == statuses[2].status_time
            await copied(world, first.follower_end)
            assert (await status(world, None, 3))[3].max_lag > statuses[3].lag
    assert not {2, 35} & {key for key, _ in asked}
    assert asked.count((18, "900")) == 1, "the leader's; who copies from it is not asked at all"


async def status(world: World, broker: int | None, *of: int) -> dict[int, ReplicaStatus]:
    """Ask a broker, or the node if none is given, how far replicas of t-0 are."""
    request = ReplicaStatusRequest(tuple(ReplicaStatusKey("t", 0, each) for each in of))
    if broker is None:
        answer = await world.ask_node(request, 0)
    else:
        answer = await world.client.ask(broker, request, 0)
    assert isinstance(answer, ReplicaStatusResponse)
    assert answer.error_code == 0
    assert [row.broker for row in answer.replicas] == list(of)
    return {row.broker: row for row in answer.replicas}


@both
@pytest.mark.req("R179A-45", "R179A-48", "R179A-49")
async def test_the_leader_of_a_move_tells_its_status(protocol: str) -> None:
    async with opened(protocol, shared=ALTER) as world:
        await slow_move(world, SIZE / 10)
        models = world.brokers.cluster.brokers
        await world.eventually(
            lambda: 3 in models[1].metadata.topics["t"].partitions[0].replicas, "the metadata"
        )
        before = await status(world, 1, 1, 2, 3)
        assert {row.status_time <= time.time() * 1000 for row in before.values()} == {True}
        assert before[2].isr_time == before[2].status_time
        assert (before[1].lag, before[2].lag) == (0, 0)
        assert 0 < before[3].lag <= before[3].max_lag == SIZE
        assert before[3].isr_time == -1
        assert {row.error_code for row in (await status(world, 2, 1, 2, 3)).values()} == {6}
        world.brokers.thaw(3)
        await world.eventually(lambda: world.at_rest(3, 2), "the end of the move")
        after = await status(world, world.leadership.leader, 3, 2)
        assert [row.isr_time for row in after.values()] == [r.status_time for r in after.values()]
