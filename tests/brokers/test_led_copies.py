"""What leaders know of their followers, and answer to ReplicaStatus."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from brokers.peers import SelfServing
from brokers.test_server import Cluster
from brokers.world import SIZE, T, World, moving, update_metadata
from trio.testing import MockClock

from klamm.controller.handlers.copies import UNKNOWN, ReplicaStatus
from klamm.controller.handlers.switches import Switch
from klamm.controller.store.memory import MemoryZookeeper
from klamm.protocol.generated.api_versions_request import ApiVersionsRequest
from klamm.protocol.generated.api_versions_response import ApiVersionsResponse
from klamm.protocol.generated.replica_status_request import ReplicaStatusKey, ReplicaStatusRequest
from klamm.protocol.generated.replica_status_response import ReplicaStatusResponse
from klamm.protocol.generated.update_metadata_request import UpdateMetadataPartitionState
from klamm.tools.brokers.led_copies import status_of
from klamm.tools.brokers.server import SimulatedBrokers

NOW_MS = 1_800_000_000_000


def status(world: World, broker: int) -> ReplicaStatus:
    """What broker 1, which leads T, knows of a replica now."""
    led = world.cluster.led(1, T)
    assert led is not None
    return status_of(led, broker, world.now, NOW_MS)


def ago(seconds: float) -> int:
    return NOW_MS - round(seconds * 1000)


@pytest.mark.req("R179A-49", "R179A-50")
def test_the_leader_itself_lacks_nothing_and_fetches_nothing() -> None:
    assert status(moving(), 1) == ReplicaStatus(NOW_MS, NOW_MS, UNKNOWN, 0, 0)


@pytest.mark.req("R179A-49", "R179A-50")
def test_who_is_being_added_lacks_what_it_has_not_copied() -> None:
    world = moving(bandwidth=SIZE / 4)
    assert status(world, 3) == ReplicaStatus(NOW_MS, UNKNOWN, NOW_MS, SIZE, SIZE)
    world.advance(1.0)
    assert status(world, 3) == ReplicaStatus(NOW_MS, UNKNOWN, NOW_MS, 750, SIZE)
    world.carry_out(world.cluster.freeze(world.now, 3))
    world.advance(2.0)
    assert status(world, 3) == ReplicaStatus(NOW_MS, UNKNOWN, ago(2.0), 750, SIZE)
    world.carry_out(world.cluster.thaw(world.now, 3))
    world.advance(4.0)
    assert status(world, 3) == ReplicaStatus(NOW_MS, NOW_MS, NOW_MS, 0, SIZE), "it is in sync"


@pytest.mark.req("R179A-49")
def test_a_lag_is_what_the_proposal_shows() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.carry_out(world.cluster.freeze(world.now, 2))
    world.carry_out(world.cluster.produce(world.now, 10456.0, T))
    world.advance(1.0)
    world.carry_out(world.cluster.produce(world.now, 0.0, T))
    assert status(world, 2).lag == 10456


@pytest.mark.req("R179A-50")
def test_who_has_left_the_isr_was_in_sync_until_then() -> None:
    world = World(1, 2, bandwidth=100.0)
    world.create((1, 2))
    world.carry_out(world.cluster.freeze(world.now, 2))
    world.carry_out(world.cluster.produce(world.now, 50.0, T))
    world.advance(60.0)
    world.carry_out(world.cluster.produce(world.now, 0.0, T))
    left_at = 45.0  # looked at every half of 30 s, and then for more than 30 s
    assert world.state()[0].isr == (1,)
    found = status(world, 2)
    assert (found.in_sync_ms, found.lag) == (ago(60.0 - left_at), 3000)
    world.carry_out(world.cluster.thaw(world.now, 2))
    world.advance(10.0)
    assert status(world, 2) == ReplicaStatus(NOW_MS, ago(70.0 - left_at), NOW_MS, 2000, 3000)
    world.advance(21.0)
    assert status(world, 2) == ReplicaStatus(NOW_MS, NOW_MS, NOW_MS, 0, 3000)


@pytest.mark.req("R179A-50")
def test_of_a_follower_that_has_never_fetched_only_the_isr_is_known() -> None:
    world = World(1, 2)
    world.carry_out(world.cluster.freeze(world.now, 2))
    world.create((1, 2))
    assert status(world, 2) == ReplicaStatus(NOW_MS, NOW_MS)


def test_only_a_leader_leads() -> None:
    world = moving()
    assert world.cluster.led(2, T) is None
    world.kill(2)
    assert world.cluster.led(3, T) is None


# --- on the wire ----------------------------------------------------------------------------------

ON = {Switch.ALTER.value: "true"}


@asynccontextmanager
async def opened(shared: Mapping[str, str]) -> AsyncIterator[Cluster]:
    """Brokers 1, 2 and 3 with T on 1 and 2, which 3 copies, and whose metadata is everywhere."""
    zookeeper = MemoryZookeeper()
    async with SimulatedBrokers(
        partial(SelfServing, zookeeper),
        (1, 2, 3),
        partition_bytes=SIZE,
        bandwidth=SIZE / 4,
        shared=shared,
    ) as brokers:
        cluster = Cluster(zookeeper, brokers)
        async with cluster.controller:
            await cluster.create()
            state = UpdateMetadataPartitionState(
                partition_index=0, leader=1, isr=(1, 2), replicas=(1, 2, 3)
            )
            await cluster.tell(state)
            yield cluster


async def ask(cluster: Cluster, broker: int, *keys: tuple[str, int, int]) -> ReplicaStatusResponse:
    request = ReplicaStatusRequest(tuple(ReplicaStatusKey(*key) for key in keys))
    answer = await cluster.controller.ask(broker, request, 0)
    assert isinstance(answer, ReplicaStatusResponse)
    assert answer.error_code == 0
    return answer


@pytest.mark.req("R179A-43", "R179A-45", "R179A-49")
async def test_a_leader_tells_how_far_behind_replicas_are(mock_clock: MockClock) -> None:
    async with opened(ON) as cluster:
        mock_clock.jump(1.0)
        answer = await ask(cluster, 1, *(("t", 0, broker) for broker in (1, 2, 3)))
        rows = {row.broker: row for row in answer.replicas}
        assert list(rows) == [1, 2, 3]
        assert {row.error_code for row in answer.replicas} == {0}
        assert (rows[1].lag, rows[2].lag) == (0, 0)
        assert 0 < rows[3].lag < SIZE == rows[3].max_lag
        assert rows[2].isr_time == rows[2].status_time > NOW_MS // 2
        assert rows[3].isr_time == UNKNOWN


@pytest.mark.req("R179A-45", "R179A-47")
async def test_who_does_not_lead_says_so_after_everything_else(mock_clock: MockClock) -> None:
    async with opened(ON) as cluster:
        asked = (("t", 0, 3), ("u", 0, 3), ("t", 1, 99), ("t", 0, 99), ("u", 0, 99))
        for broker, first in ((1, 0), (2, 6), (3, 6)):
            answer = await ask(cluster, broker, *asked)
            assert [row.error_code for row in answer.replicas] == [first, 17, 37, 25, 17]
        request = update_metadata((1, 2, 3, 4, 900))
        await cluster.controller.ask(2, request, 5)
        answer = await ask(cluster, 2, ("t", 0, 4))
        assert [row.error_code for row in answer.replicas] == [3], "4 lives, and is no replica"


@pytest.mark.req("R179A-51")
async def test_nobody_asks_another_broker_for_what_it_does_not_lead(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(ON) as cluster:
        for broker in (1, 2, 3):
            await ask(cluster, broker)
        connected: list[object] = []
        connect = trio.open_tcp_stream

        async def noted(*args: object, **kwargs: object) -> trio.SocketStream:
            connected.append(args)
            return await connect(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(trio, "open_tcp_stream", noted)
        for broker in (1, 2, 3):
            await ask(cluster, broker, *(("t", 0, follower) for follower in (1, 2, 3)))
        assert connected == []


@pytest.mark.req("R179A-43")
async def test_without_the_switch_the_key_is_unknown(mock_clock: MockClock) -> None:
    async with opened({}) as cluster:
        answer = await cluster.controller.ask(1, ApiVersionsRequest("t", "1"), 3)
        assert isinstance(answer, ApiVersionsResponse)
        assert 17903 not in {key.api_key for key in answer.api_keys}
        with pytest.raises(AssertionError, match="closed the connection"):
            await ask(cluster, 1, ("t", 0, 3))
    async with opened(ON) as cluster:
        answer = await cluster.controller.ask(1, ApiVersionsRequest("t", "1"), 3)
        assert isinstance(answer, ApiVersionsResponse)
        [row] = [key for key in answer.api_keys if key.api_key > 17000]
        assert (row.api_key, row.min_version, row.max_version) == (17903, 0, 0)
