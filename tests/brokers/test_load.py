"""Producers and slow followers: logs that grow, ISRs that shrink and grow by lag."""

import math

import pytest
from brokers.world import SIZE, T, U, World, leader, leader_and_isr, moving, order
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from klamm.controller.core.model import TopicPartition
from klamm.tools.brokers.replication import Fetched
from klamm.tools.brokers.status import Copying, status


def ends(world: World, *brokers: int, name: TopicPartition = T) -> list[int]:
    return [world.cluster.logs(broker)[name].end for broker in brokers]


# --- producers ------------------------------------------------------------------------------------


def test_producers_write_to_every_led_partition_and_followers_keep_up() -> None:
    world = World(1, 2, produce_rate=100.0)
    world.create((1, 2), number=0)
    world.create((2, 1), number=1)
    world.advance(7.0)
    for name in (T, U):
        assert ends(world, 1, 2, name=name) == [SIZE + 700] * 2
        assert [world.cluster.logs(broker)[name].high_watermark for broker in (1, 2)] == [
            SIZE + 700
        ] * 2
    assert world.state()[0].isr == (1, 2)
    assert world.notices() == []


def test_a_rate_can_be_one_partitions_own_and_change() -> None:
    world = World(1, 2, produce_rate=100.0)
    world.create((1, 2), number=0)
    world.create((1, 2), number=1)
    world.carry_out(world.cluster.produce(world.now, 10.0, T))
    world.advance(1.0)
    assert (ends(world, 1, 2), ends(world, 1, name=U)) == ([SIZE + 10] * 2, [SIZE + 100])
    world.carry_out(world.cluster.produce(world.now, 0.0))
    world.advance(1.0)
    assert (ends(world, 1, 2), ends(world, 1, name=U)) == ([SIZE + 20] * 2, [SIZE + 100])


@pytest.mark.parametrize("rate", [-1.0, math.inf, math.nan])
def test_a_rate_that_makes_no_sense_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match=f"a produce rate is {rate}"):
        World(1, produce_rate=rate)
    with pytest.raises(ValueError, match=f"a produce rate is {rate}"):
        World(1).cluster.produce(0.0, rate, T)


def test_a_partition_without_a_leader_grows_nowhere() -> None:
    world = World(1, 2, produce_rate=100.0)
    world.create((1, 2))
    world.advance(1.0)
    world.kill(1)
    world.advance(5.0)
    assert ends(world, 1, 2) == [SIZE + 100] * 2
    world.reorder((1, 2), leader=2, to=(2,))
    world.advance(1.0)
    assert ends(world, 1, 2) == [SIZE + 100, SIZE + 200]


def test_two_leaders_that_both_believe_it_do_not_both_get_data() -> None:
    world = World(1, 2, produce_rate=100.0)
    world.create((1, 2))
    world.reorder((1, 2), leader=2, to=(2,))
    world.advance(1.0)
    assert ends(world, 1, 2) == [SIZE, SIZE + 100]


def test_a_copy_arrives_later_while_the_log_grows() -> None:
    world = moving(bandwidth=2.0 * SIZE)
    world.carry_out(world.cluster.produce(world.now, SIZE / 2))
    world.advance(0.9)
    assert (ends(world, 1, 2, 3), world.state()[0].isr) == ([1450, 1450, 1350], (1, 2))
    world.advance(0.1)
    assert ends(world, 1, 2, 3) == [1.5 * SIZE] * 3
    assert world.state()[0].isr == (1, 2, 3)


# --- followers that are too slow ------------------------------------------------------------------


def test_a_follower_slower_than_its_producers_leaves_the_isr_and_returns() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.carry_out(world.cluster.produce(world.now, 20.0))
    world.advance(10.0)
    world.carry_out(world.cluster.slow_down(world.now, 2, 10.0))
    world.advance(10.0)
    assert ends(world, 1, 2) == [SIZE + 400, SIZE + 300]
    world.advance(18.0)
    assert world.state()[0].isr == (1, 2)
    world.advance(10.0)
    assert world.state()[0].isr == (1,)
    assert ends(world, 1, 2) == [SIZE + 960, SIZE + 580]
    world.carry_out(world.cluster.thaw(world.now, 2))
    world.advance(2.0)
    assert ends(world, 1, 2) == [SIZE + 1000] * 2
    assert world.state()[0].isr == (1, 2)


def test_the_high_watermark_waits_for_a_member_that_lags() -> None:
    world = World(1, 2)
    world.create((1, 2))
    world.carry_out(world.cluster.slow_down(world.now, 2, 10.0))
    world.carry_out(world.cluster.produce(world.now, 100.0))
    world.advance(5.0)
    assert ends(world, 1, 2) == [SIZE + 500, SIZE + 50]
    assert world.cluster.logs(1)[T].high_watermark == SIZE + 50


@pytest.mark.parametrize(
    ("least", "isr", "raised"), [(1, (1,), 100), (2, (1,), 0), (2, (1, 2), 100), (3, (1, 2), 100)]
)
def test_the_high_watermark_rests_below_min_insync_replicas(
    least: int, isr: tuple[int, ...], raised: int
) -> None:
    """Never more of them are asked for than there are replicas."""
    world = World(1, 2)
    world.configure("topics/t", min_insync_replicas=str(least))
    world.create((1, 2), isr=isr)
    if isr == (1,):
        world.carry_out(world.cluster.freeze(world.now, 2))
    else:
        world.ask(2, leader_and_isr(order(1, 0, isr, (1, 2))))
    log = world.cluster.logs(1)[T]
    log.high_watermark = SIZE
    world.carry_out(world.cluster.produce(world.now, 100.0))
    world.advance(1.0)
    world.cluster.logs(1)
    assert log.high_watermark == SIZE + raised


def test_a_broker_that_pauses_catches_up_in_bursts() -> None:
    world = World(1, 2, 3, bandwidth=10.0 * SIZE)
    world.create((1, 2))
    world.carry_out(world.cluster.pause(world.now, 3, 20.0))
    world.reorder((1, 2, 3))
    world.carry_out(world.cluster.produce(world.now, 10.0))
    world.advance(19.9)
    assert ends(world, 3) == [0]
    world.advance(1.1)
    assert ends(world, 1, 2, 3) == [SIZE + 210] * 3
    world.advance(20.0)
    assert ends(world, 1, 2, 3) == [SIZE + 410, SIZE + 410, SIZE + 210]
    world.advance(1.5)
    assert world.state()[0].isr == (1, 2, 3)
    world.carry_out(world.cluster.pause(world.now, 3, 100.0))
    world.advance(50.0)
    assert world.state()[0].isr == (1, 2)
    world.carry_out(world.cluster.thaw(world.now, 3))
    world.advance(2.0)
    assert world.state()[0].isr == (1, 2, 3)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan])
def test_a_pause_has_a_length(seconds: float) -> None:
    with pytest.raises(ValueError, match=f"a pause is {seconds} s"):
        World(1).cluster.pause(0.0, 1, seconds)


@pytest.mark.parametrize("rate", [0.0, -1.0, math.inf, math.nan])
def test_a_limit_is_a_positive_rate(rate: float) -> None:
    with pytest.raises(ValueError, match=f"a rate is {rate}"):
        World(1).cluster.slow_down(0.0, 1, rate)


# --- what is counted and shown --------------------------------------------------------------------


@pytest.mark.req("R455-104")
def test_bytes_are_counted_by_whether_the_fetcher_was_being_added() -> None:
    world = moving(bandwidth=10.0 * SIZE)
    world.carry_out(world.cluster.produce(world.now, 100.0))
    world.advance(10.0)
    world.cluster.logs(3)
    fetched = world.cluster.replication.fetched
    assert fetched[3] == Fetched(adding=2 * SIZE)
    assert fetched[2] == Fetched(others=SIZE)
    world.reorder((2, 3), leader=2, isr=(2, 3))
    world.advance(1.0)
    world.cluster.logs(3)
    assert fetched[3] == Fetched(adding=2 * SIZE, others=100)


def test_status_shows_roles_rates_and_what_is_being_copied() -> None:
    world = moving(bandwidth=100.0)
    world.configure("topics/t", leader_replication_throttled_replicas="*")
    world.configure("brokers/1", leader_replication_throttled_rate="50")
    world.carry_out(world.cluster.freeze(world.now, 2))
    world.advance(4.0)
    first, third = status(world.cluster, 1), status(world.cluster, 3)
    assert (first.roles.leads, first.bytes, first.serve_rate) == (1, SIZE, 50.0)
    assert (first.throttles.leader_rate, first.throttles.leader_partitions) == (50.0, 1)
    assert (third.roles.out_of_sync, third.fetch_rate, third.fetched_adding) == (1, 50.0, 200)
    assert third.adding == (Copying("t", 0, 1, 200, SIZE),)
    assert status(world.cluster, 2).frozen
    assert status(world.cluster, 2).roles.in_sync == 1
    world.kill(3)
    gone = status(world.cluster, 3)
    assert (gone.running, gone.bytes, gone.adding) == (False, 200, ())
    assert not status(world.cluster, 9).running


def test_status_shows_who_is_out_of_sync_without_a_move() -> None:
    world = World(1, 2, produce_rate=100.0)
    world.create((1, 2))
    world.configure("topics/t", follower_replication_throttled_replicas="0:2")
    assert status(world.cluster, 2).behind == ()
    world.carry_out(world.cluster.freeze(world.now, 2))
    world.advance(60.0)
    assert world.state()[0].isr == (1,)
    assert status(world.cluster, 1).behind == ()
    behind = Copying("t", 0, 1, SIZE, SIZE + 6000, throttled=True)
    assert status(world.cluster, 2).behind == (behind,)


# --- whatever happens -----------------------------------------------------------------------------

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["produce", "slow", "pause", "freeze", "thaw", "throttle", "lift"]),
        st.sampled_from([1, 2, 3]),
        st.sampled_from([1.0, 7.0, 90.0, 400.0]),
        st.sampled_from([0.3, 2.0, 11.0, 40.0]),
    ),
    max_size=12,
)


@given(ACTS)
@hypothesis(max_examples=40)
def test_bytes_are_conserved_and_limits_are_kept(
    acts: list[tuple[str, int, float, float]],
) -> None:
    """No log shrinks or passes its leader's; what was fetched is what logs have grown by; no
    broker fetches or serves more than it can, nor a throttled one more than its rate."""
    world = moving()
    world.configure(
        "topics/t",
        leader_replication_throttled_replicas="0:1",
        follower_replication_throttled_replicas="0:3",
    )
    by_leader = by_follower = math.inf
    start = {broker: world.cluster.logs(broker)[T].end for broker in (2, 3)}
    for act, broker, amount, seconds in acts:
        match act:
            case "produce":
                world.carry_out(world.cluster.produce(world.now, amount))
            case "slow":
                world.carry_out(world.cluster.slow_down(world.now, broker, amount))
            case "pause":
                world.carry_out(world.cluster.pause(world.now, broker, amount))
            case "freeze":
                world.carry_out(world.cluster.freeze(world.now, broker))
            case "thaw":
                world.carry_out(world.cluster.thaw(world.now, broker))
            case "throttle" if broker == 1:
                by_leader = amount
                world.configure("brokers/1", leader_replication_throttled_rate=f"{amount:.0f}")
            case "throttle":
                by_follower = amount
                world.configure("brokers/3", follower_replication_throttled_rate=f"{amount:.0f}")
            case "lift":
                by_leader = by_follower = math.inf
                world.configure("brokers/1")
                world.configure("brokers/3")
        before = {broker: ends(world, broker)[0] for broker in (1, 2, 3)}
        led = leader(world).replicas[T]
        settled, epoch = led.followers[3].fetching, led.partition_epoch
        world.advance(seconds)
        after = {broker: ends(world, broker)[0] for broker in (1, 2, 3)}
        for broker in (2, 3):
            assert before[broker] <= after[broker] <= after[1]
            assert after[broker] - before[broker] <= SIZE * seconds + 1
        assert sum(after[b] - before[b] for b in (2, 3)) <= SIZE * seconds + 2
        if not settled and not led.followers[3].fetching:
            assert after[3] - before[3] <= by_follower * seconds + 1
        if 3 not in led.isr and led.partition_epoch == epoch:
            assert after[3] - before[3] <= by_leader * seconds + 1
    for broker in (2, 3):
        fetched = world.cluster.replication.fetched.get(broker, Fetched())
        assert fetched.adding + fetched.others == ends(world, broker)[0] - start[broker]
        assert (fetched.adding if broker == 2 else fetched.others) == 0
