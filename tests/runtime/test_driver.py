"""The driver: a scripted machine for its order, and a real node for what comes of it."""

from collections.abc import Sequence

import pytest
import trio
from runtime.driven import Script, World, driving
from trio.testing import MockClock, wait_all_tasks_blocked

from klamm.controller.core.events import AlterReassignment
from klamm.controller.core.model import Broker, TopicPartition
from klamm.controller.core.ops import Create
from klamm.controller.core.results import Done, Fault, Refusal, Result
from klamm.controller.node import Node, NodeConfig, Now
from klamm.controller.node.effects import (
    Effect,
    Journal,
    Reply,
    Resign,
    Send,
    SetTimer,
    Severity,
    Update,
)
from klamm.controller.node.inputs import BrokerAnswer, Input, Request, Timer, Turn, Woke
from klamm.controller.runtime.driver import now
from klamm.controller.store.port import SessionEvent, SessionState, UpdateDone
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest

ALTER = AlterReassignment(TopicPartition("t", 0), (1,))


async def test_inputs_come_in_order_and_a_turn_after_all_that_is_there() -> None:
    script = Script()
    async with driving(script) as world:
        del script.inputs[:]
        timers = [Timer(name) for name in "abc"]
        for timer in timers:
            world.driver.post(timer)
        await wait_all_tasks_blocked()
        assert script.inputs == [*timers, Turn()]
        world.driver.post(timers[0])
        await wait_all_tasks_blocked()
        assert script.inputs[4:] == [timers[0], Turn()]


async def test_both_clocks_are_handed_over(autojump_clock: MockClock) -> None:
    script = Script()
    async with driving(script) as world:
        await trio.sleep(5)
        world.driver.post(Timer("x"))
        await wait_all_tasks_blocked()
        first, last = script.times[0], script.times[-1]
        assert last.monotonic - first.monotonic == pytest.approx(5)
        assert last.wall_ms > 1_600_000_000_000


async def test_a_session_is_opened_and_what_is_asked_of_it_is_answered() -> None:
    def wants(event: Input) -> Sequence[Effect]:
        connected = isinstance(event, SessionEvent) and event.state is SessionState.CONNECTED
        return [Update(7, Create("/a", b"x"))] if connected else []

    script = Script(wants)
    async with driving(script) as world:
        [done] = script.seen(UpdateDone)
        assert isinstance(done, UpdateDone)
        assert done.request == 7
        assert world.zookeeper.tree.nodes["/a"].data == b"x"


async def test_a_reply_reaches_the_one_who_asked() -> None:
    def wants(event: Input) -> Sequence[Effect]:
        return (
            [Reply(event.id, (Done(),) * len(event.events))] if isinstance(event, Request) else []
        )

    replies: list[tuple[str, Sequence[Result]]] = []
    async with driving(Script(wants)) as world:
        world.driver.submit((ALTER, ALTER), lambda results: replies.append(("a", results)))
        world.driver.submit((ALTER,), lambda results: replies.append(("b", results)))
        await wait_all_tasks_blocked()
        assert replies == [("a", (Done(), Done())), ("b", (Done(),))]


async def test_timers_run_out_once_and_are_replaced_by_name(autojump_clock: MockClock) -> None:
    def wants(event: Input) -> Sequence[Effect]:
        if event == Timer("start"):
            return [SetTimer("a", 10), SetTimer("b", 1), SetTimer("a", 3)]
        return []

    script = Script(wants)
    async with driving(script) as world:
        world.driver.post(Timer("start"))
        await trio.sleep(20)
        fired = [event for event in script.seen(Timer) if event != Timer("start")]
        assert fired == [Timer("b"), Timer("a")]
        times = [
            now.monotonic
            for now, event in zip(script.times, script.inputs, strict=True)
            if event in (Timer("start"), Timer("a"))
        ]
        assert times[1] - times[0] == pytest.approx(3)


async def test_a_send_without_a_broker_is_answered_by_none() -> None:
    def wants(event: Input) -> Sequence[Effect]:
        broker = Broker(3, 1, ())
        return [Send(5, broker, UpdateMetadataRequest(), 5)] if event == Timer("go") else []

    script = Script(wants)
    async with driving(script) as world:
        world.driver.post(Timer("go"))
        await wait_all_tasks_blocked()
        assert script.seen(BrokerAnswer) == [BrokerAnswer(3, 1, 5, None)]


async def test_resigning_ends_the_session_and_opens_another_not_too_soon(
    autojump_clock: MockClock,
) -> None:
    def wants(event: Input) -> Sequence[Effect]:
        return [Resign("because")] if event == Timer("go") else []

    script = Script(wants)
    async with driving(script) as world:
        world.driver.post(Timer("go"))
        await world.settle()
        assert len(world.opened) == 1
        await trio.sleep(1)
        await world.settle()
        assert len(world.opened) == 2
        # The end of the former session is no news, the beginning of the next one is.
        states = [event.state for event in script.inputs if isinstance(event, SessionEvent)]
        assert states == [SessionState.CONNECTED] * 2
        assert world.opened[0].lost


async def test_what_a_session_posted_before_it_was_given_up_is_dropped_and_nothing_else(
    autojump_clock: MockClock,
) -> None:
    def wants(event: Input) -> Sequence[Effect]:
        return [Resign("because")] if event == Timer("go") else []

    script = Script(wants)
    async with driving(script) as world:
        del script.inputs[:]
        world.post_soon(Timer("go"))
        world.zookeeper.disconnect(world.opened[0])
        world.post_soon(Timer("later"))
        await wait_all_tasks_blocked()
        assert script.inputs == [Timer("go"), Timer("later"), Turn()]


async def test_a_reconnect_in_one_batch_with_the_session_timer_does_not_end_the_driver(
    autojump_clock: MockClock,
) -> None:
    node = Node(NodeConfig(900, ()))
    async with driving(node) as world:
        [former] = world.opened
        world.zookeeper.cut(former)
        await wait_all_tasks_blocked()
        assert not node.connected
        world.zookeeper.heal(former)
        world.post_soon(Timer("session"))
        world.zookeeper.connect(former)
        await wait_all_tasks_blocked()
        await trio.sleep(1)
        await world.settle()
        assert node.active
        assert len(world.opened) == 2


async def test_notes_are_written_with_both_times(caplog: pytest.LogCaptureFixture) -> None:
    def wants(event: Input) -> Sequence[Effect]:
        if event == Timer("go"):
            return [
                Journal(Severity.INFO, "end", "all well"),
                Journal(Severity.ERROR, "odd", "look here"),
            ]
        return []

    async with driving(Script(wants)) as world:
        world.driver.post(Timer("go"))
        await wait_all_tasks_blocked()
    (first, _), (second, at) = world.journal.written
    assert (first.kind, second.kind) == ("end", "odd")
    assert at == world.machine_times()[-2], "that of the input which the entry came of"
    assert caplog.record_tuples == [("klamm.node", 40, "node 900: odd: look here")]


async def test_a_fault_of_the_machine_ends_the_driver() -> None:
    def wants(event: Input) -> Sequence[Effect]:
        if event == Timer("go"):
            raise LookupError("a bug")
        return []

    world = World(Script(wants))
    world.driver.post(Timer("go"))
    with pytest.RaisesGroup(LookupError, flatten_subgroups=True):
        await world.driver.run()


async def test_a_machine_that_uses_the_store_between_sessions_is_stopped() -> None:
    def wants(event: Input) -> Sequence[Effect]:
        return [Resign("because"), Update(1, Create("/a", None))] if event == Timer("go") else []

    world = World(Script(wants))
    world.driver.post(Timer("go"))
    with pytest.RaisesGroup(
        pytest.RaisesExc(RuntimeError, match="between two sessions"), flatten_subgroups=True
    ):
        await world.driver.run()


async def test_a_node_takes_office_and_answers_and_again_in_the_next_session(
    autojump_clock: MockClock,
) -> None:
    node = Node(NodeConfig(900, ()))
    replies: list[Sequence[Result]] = []
    async with driving(node) as world:
        assert node.active
        world.driver.submit((ALTER,), replies.append)
        await world.settle()
        [[refusal]] = replies
        assert isinstance(refusal, Refusal)
        assert refusal.fault is Fault.INVALID_REPLICA_ASSIGNMENT

        world.zookeeper.expire(world.opened[0])
        world.driver.submit((ALTER,), replies.append)
        await world.settle()
        assert len(replies) == 2, "a request at the end of a session has its reply"
        await trio.sleep(1)
        await world.settle()
        assert node.active
        assert node.state is not None
        assert node.state.epoch == 2


async def test_being_cancelled_ends_the_session() -> None:
    async with driving(Node(NodeConfig(900, ()))) as world:
        assert "/controller" in world.zookeeper.tree.nodes
    assert "/controller" not in world.zookeeper.tree.nodes


class JumpingClock:
    """A clock that a test can set forward, as it is after a process was stopped."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> Now:
        at = now()
        return at._replace(monotonic=at.monotonic + self.ahead)


async def test_who_has_stood_still_is_told_so_before_anything_else() -> None:
    script, clock = Script(), JumpingClock()
    async with driving(script, clock) as world:
        del script.inputs[:]
        world.driver.post(Timer("a"))
        await wait_all_tasks_blocked()
        clock.ahead = 8.9  # less than half of the session's 18 s
        world.driver.post(Timer("b"))
        await wait_all_tasks_blocked()
        clock.ahead = 18.0
        world.driver.post(Timer("c"))
        await wait_all_tasks_blocked()
        kinds = [event if isinstance(event, Timer) else type(event) for event in script.inputs]
        assert kinds == [Timer("a"), Turn, Timer("b"), Turn, Woke, Timer("c"), Turn]
        [woke] = script.seen(Woke)
        assert isinstance(woke, Woke)
        assert 9 < woke.seconds < 10
        clock.ahead = 40.0
        world.driver.look_up()
        world.driver.look_up()
        assert len(script.seen(Woke)) == 2, "a standstill is told once"


async def test_an_idle_driver_has_not_stood_still(autojump_clock: MockClock) -> None:
    script = Script()
    async with driving(script) as world:
        await trio.sleep(500)
        world.driver.post(Timer("a"))
        await wait_all_tasks_blocked()
        assert not script.seen(Woke)
        assert len(script.seen(Turn)) < 20, "and it does nothing but look at the clock"


@pytest.mark.parametrize(("worked_s", "pause_s"), [(1.0, 0.1), (45.0, 3.0), (0.01, 0.0)])
async def test_after_long_work_the_others_come_before_the_turn(
    autojump_clock: MockClock, worked_s: float, pause_s: float
) -> None:
    worked = trio.Event()
    done: list[str] = []

    def wants(event: Input) -> Sequence[Effect]:
        if event == Timer("long"):
            autojump_clock.jump(worked_s)
            worked.set()
        if isinstance(event, Turn) and worked.is_set():
            done.append("turn")
        return []

    async def write_in_many_pieces() -> None:
        await worked.wait()
        for _ in range(50):
            await trio.lowlevel.checkpoint()
        done.append("others")

    script = Script(wants)
    async with driving(script) as world, trio.open_nursery() as nursery:
        nursery.start_soon(write_in_many_pieces)
        world.driver.post(Timer("long"))
        await trio.sleep(worked_s + pause_s + 1)
        assert done == (["others", "turn"] if pause_s else ["turn", "others"])
        began = script.times[script.inputs.index(Timer("long"))].monotonic
        turn = max(at.monotonic for at in script.times)
        # Far from what would be taken for a standstill, which is half of the session's 18 s.
        assert turn - began - worked_s == pytest.approx(pause_s)
