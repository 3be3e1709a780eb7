"""Orders over the control port: every action, every refusal."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from brokers.peers import SelfServing
from brokers.world import SIZE
from trio.testing import MockClock

from klamm.controller.core.model import TopicPartition
from klamm.controller.store.memory import MemoryZookeeper
from klamm.tools.brokers.control_client import Control, ControlError, control_address
from klamm.tools.brokers.control_server import ACTIONS, MAX_LINE, obey
from klamm.tools.brokers.server import SimulatedBrokers


@asynccontextmanager
async def opened() -> AsyncIterator[SimulatedBrokers]:
    async with SimulatedBrokers(
        partial(SelfServing, MemoryZookeeper()),
        (1, 2),
        partition_bytes=SIZE,
        log_dirs=("/a", "/b"),
        frozen=(2,),
        control_port=0,
    ) as brokers:
        yield brokers


async def order(brokers: SimulatedBrokers, **fields: object) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = json.loads(await obey(brokers, json.dumps(fields).encode()))
    return answer


async def state(brokers: SimulatedBrokers, broker: int) -> Mapping[str, Any]:
    answer = await order(brokers, action="status")
    assert answer["ok"]
    found: Mapping[str, Any] = next(one for one in answer["brokers"] if one["id"] == broker)
    return found


async def test_every_action_does_what_it_says() -> None:
    async with opened() as brokers:
        assert (await state(brokers, 2))["frozen"]
        for action, field, value in (
            ({"action": "thaw", "broker": 2}, "frozen", False),
            ({"action": "freeze", "broker": 1}, "frozen", True),
            ({"action": "lag", "broker": 1, "rate": 7}, "fetch_limit", 7.0),
            ({"action": "lag", "broker": 1, "seconds": 2.5}, "pause", 2.5),
            (
                {"action": "fail-dir", "broker": 1, "directory": "/a"},
                "log_dirs",
                {"/a": False, "/b": True},
            ),
            ({"action": "kill", "broker": 1, "end_session": True}, "running", False),
            ({"action": "return", "broker": 1}, "log_dirs", {"/a": False, "/b": True}),
            ({"action": "kill", "broker": 1, "end_session": True}, "running", False),
            (
                {"action": "return", "broker": 1, "new_disks": True},
                "log_dirs",
                {"/a": True, "/b": True},
            ),
        ):
            assert await order(brokers, **action) == {"ok": True}
            assert (await state(brokers, int(str(action["broker"]))))[field] == value
        assert await order(brokers, action="produce", rate=5) == {"ok": True}
        answer = await order(brokers, action="kill", broker=2)
        assert answer == {"ok": True, "session_seconds": 18.0}


async def test_producers_write_to_a_partition_that_is_there() -> None:
    async with opened() as brokers:
        for broker, number in ((1, 0), (2, 1), (2, 2)):
            brokers.cluster.brokers[broker].disks.log(TopicPartition("t", number), True, SIZE)
        await brokers.kill(2, end_session=True)
        produced = {"action": "produce", "rate": 6, "topic": "t"}
        assert await order(brokers, **produced, partition=1) == {"ok": True}
        producers = brokers.cluster.replication.producers
        rates = [producers.rate(TopicPartition("t", number)) for number in (0, 1)]
        assert rates == [0.0, 6.0], "what is on the disks of a broker that is down is there too"
        assert await order(brokers, **produced, partition=3) == {
            "error": "no broker here has a replica of t-3; of t there are 3 partitions here, 0 to 2"
        }
        assert await order(brokers, action="produce", rate=6, topic="u", partition=0) == {
            "error": "no broker here has a replica of a topic 'u'"
        }
        assert producers.rate(TopicPartition("u", 0)) == 0.0


async def test_a_broker_that_runs_without_a_disk_is_told_from_one_that_is_whole() -> None:
    async with opened() as brokers:
        await order(brokers, action="fail-dir", broker=1, directory="/b")
        answer = await order(brokers, action="return", broker=1, new_disks=True)
        assert answer == {
            "error": "broker 1 runs already without /b: end it first, then return it with new disks"
        }
        assert not (await state(brokers, 1))["log_dirs"]["/b"], "nothing is replaced under way"


async def test_a_stop_without_a_controller_has_no_leave(autojump_clock: MockClock) -> None:
    async with opened() as brokers:
        began = trio.current_time()
        assert await order(brokers, action="stop", broker=1) == {"ok": True, "controlled": False}
        assert trio.current_time() - began == pytest.approx(10.0, abs=0.5)
        assert not (await state(brokers, 1))["running"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"action":"freeze","broker":9}', "there is no broker 9 here; there are: 1, 2"),
        ('{"action":"return","broker":1}', "broker 1 runs already"),
        ('{"action":"lag","broker":1}', "either a rate in bytes/s or a pause"),
        ('{"action":"lag","broker":1,"rate":1,"seconds":1}', "either a rate in bytes/s or a pause"),
        ('{"action":"lag","broker":1,"rate":0}', "a rate is 0.0"),
        ('{"action":"lag","broker":1,"seconds":-1}', "a pause is -1.0 s"),
        ('{"action":"produce","rate":-1}', "a produce rate is -1.0"),
        ('{"action":"produce","rate":1,"topic":"t"}', "both a topic and a partition, or neither"),
        ('{"action":"fail-dir","broker":1,"directory":"/x"}', "no log directory '/x'"),
        ('{"action":"fail-dir","broker":1}', "missing required field `directory`"),
        ('{"action":"freeze","broker":"1"}', "Expected `int`, got `str`"),
        ('{"action":"freeze","broker":1,"more":1}', "unknown field `more`"),
        ('{"action":"explode"}', "Invalid value 'explode'"),
        ("{}", "missing required field `action`"),
        ("nonsense", "malformed"),
        ("", "truncated"),
    ],
)
async def test_an_order_that_cannot_be_obeyed_is_refused_by_name(line: str, error: str) -> None:
    async with opened() as brokers:
        answer = json.loads(await obey(brokers, line.encode()))
        assert answer.keys() == {"error"}
        assert error in answer["error"]


async def test_what_does_not_run_cannot_be_asked() -> None:
    async with opened() as brokers:
        await brokers.kill(1, end_session=True)
        for fields in ({"action": "stop"}, {"action": "fail-dir", "directory": "/a"}):
            answer = await order(brokers, broker=1, **fields)
            assert answer == {"error": "broker 1 does not run"}


async def test_orders_come_line_by_line_over_tcp() -> None:
    async with opened() as brokers:
        assert brokers.control_port
        stream = await trio.open_tcp_stream("127.0.0.1", brokers.control_port)
        async with stream:
            await stream.send_all(b'{"action":"freeze","broker":1}\nx\n{"action":"thaw","bro')
            await stream.send_all(b'ker":1}\n')
            answers = b""
            while answers.count(b"\n") < 3:
                answers += await stream.receive_some(1000)
            first, second, third = map(json.loads, answers.splitlines())
            assert (first, third) == ({"ok": True}, {"ok": True})
            assert second.keys() == {"error"}


async def test_a_line_without_an_end_is_refused_and_the_connection_closed() -> None:
    async with opened() as brokers:
        assert brokers.control_port
        stream = await trio.open_tcp_stream("127.0.0.1", brokers.control_port)
        async with stream:
            await stream.send_all(b"x" * (MAX_LINE + 1))
            answers = b""
            while received := await stream.receive_some(1000):
                answers += received
            assert json.loads(answers) == {"error": f"a line has more than {MAX_LINE} bytes"}


async def test_a_client_that_blocks_gives_orders_from_a_thread() -> None:
    async with opened() as brokers:
        address = f"127.0.0.1:{brokers.control_port}"

        def talk() -> None:
            with Control(address) as control:
                assert control.order("freeze", broker=1) == {"ok": True}
                assert len(control.order("status")["brokers"]) == 2
                with pytest.raises(ControlError, match="there is no broker 9 here"):
                    control.order("freeze", broker=9, directory=None)

        await trio.to_thread.run_sync(talk)
        assert (await state(brokers, 1))["frozen"]


async def test_a_server_that_ends_in_the_middle_is_said() -> None:
    async def hang_up(stream: trio.SocketStream) -> None:
        await stream.receive_some(100)
        await stream.aclose()

    def talk(port: int) -> None:
        closed = pytest.raises(ControlError, match="has closed the connection")
        with Control(f"127.0.0.1:{port}") as control, closed:
            control.order("status")

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listeners[0].socket.getsockname()[1]
        nursery.start_soon(trio.serve_listeners, hang_up, listeners)
        await trio.to_thread.run_sync(talk, port)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("address", ["", "host", "host:", ":1", "host:0", "host:70000", "host:x"])
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(ControlError, match="write host:port"):
        Control(address)


def test_the_address_comes_from_a_ready_file(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    with pytest.raises(ControlError, match="No such file"):
        control_address(ready)
    ready.write_text('{"control": "127.0.0.1:7", "brokers": []}')
    assert control_address(ready) == "127.0.0.1:7"
    ready.write_text('{"control": null}')
    with pytest.raises(ControlError, match="takes no orders"):
        control_address(ready)
    ready.write_text("{")
    with pytest.raises(ControlError, match="truncated"):
        control_address(ready)


def test_every_action_is_in_the_table_and_says_what_it_does() -> None:
    for name, action in ACTIONS.items():
        assert action.__struct_config__.tag == name
        assert action.__doc__
