"""What it costs to watch the states of many partitions: three ways, armed and fired.

`python -m klamm.tools.bench.store_watch` arms watches on 1,000 and on 10,000 partition states, 100
to a topic, lets another session write each once, and prints the seconds until everything is armed,
and from the first write until every event has come:

* recursive: one addWatch PERSISTENT_RECURSIVE per topic
* single: one addWatch PERSISTENT per state
* one-shot: one kazoo `get` with a watch per state; armed again after each event, which is left out
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from kazoo.client import KazooClient
from kazoo.protocol.states import WatchedEvent

from klamm.controller.store.port import CommitDone, Committed, SetData, Watch, WatchDone, Watched
from klamm.controller.znodes import paths
from klamm.tools.bench.store_read import Client, fill
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

_PARTITIONS = 100
_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one way."""

    armed_s: float
    fired_s: float


def write_all(writer: Client, states: list[str], version: int) -> None:
    """Write each state once, 500 to a multi."""
    starts = range(0, len(states), 500)
    for start in starts:
        ops = [SetData(path, b"{}", version) for path in states[start : start + 500]]
        writer.store.commit(start, ops, None)
    for _ in starts:
        done = writer.events.get(timeout=_WAIT_S)
        assert isinstance(done, CommitDone) and isinstance(done.outcome, Committed), done


def with_add_watch(
    connect: str, writer: Client, states: list[str], version: int, watches: list[Watch]
) -> Cost:
    """Arm through the store, then write."""
    client = Client(connect)
    started = time.perf_counter()
    client.store.watch(1, watches)
    assert client.events.get(timeout=_WAIT_S) == WatchDone(client.store.session, 1)
    armed_s = time.perf_counter() - started
    started = time.perf_counter()
    write_all(writer, states, version)
    for _ in states:
        assert isinstance(client.events.get(timeout=_WAIT_S), Watched)
    fired_s = time.perf_counter() - started
    client.close()
    return Cost(armed_s, fired_s)


def with_gets(connect: str, writer: Client, states: list[str], version: int) -> Cost:
    """Arm through kazoo's get, then write."""
    client = KazooClient(connect)
    client.start()
    all_fired = threading.Event()
    left = len(states)

    def fired(_: WatchedEvent) -> None:
        nonlocal left
        left -= 1
        if not left:
            all_fired.set()

    started = time.perf_counter()
    for result in [client.get_async(path, watch=fired) for path in states]:
        result.get()
    armed_s = time.perf_counter() - started
    started = time.perf_counter()
    write_all(writer, states, version)
    assert all_fired.wait(_WAIT_S)
    fired_s = time.perf_counter() - started
    client.stop()
    client.close()
    return Cost(armed_s, fired_s)


def measure(count: int) -> dict[str, Cost]:
    """Watch this many states in each way."""
    with EmbeddedZookeeper() as server:
        connect = server.connect_string
        writer = Client(connect)
        states = fill(writer, count // _PARTITIONS, _PARTITIONS)
        topics = sorted({path.split("/")[3] for path in states})
        recursive = [Watch(paths.topic(topic), recursive=True) for topic in topics]
        single = [Watch(path) for path in states]
        ways: dict[str, Callable[[int], Cost]] = {
            "recursive": lambda n: with_add_watch(connect, writer, states, n, recursive),
            "single": lambda n: with_add_watch(connect, writer, states, n, single),
            "one-shot": lambda n: with_gets(connect, writer, states, n),
        }
        costs = {name: way(version) for version, (name, way) in enumerate(ways.items())}
        writer.close()
    return costs


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.store_watch")
    parser.add_argument("--states", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--smoke", action="store_true", help="200 states")
    chosen = parser.parse_args()
    for count in [200] if chosen.smoke else chosen.states:
        costs = measure(count)
        best = costs["recursive"]
        print(f"{count:,} states            armed              fired")
        for name, cost in costs.items():
            print(
                f"  {name:<10}"
                f" {cost.armed_s:9.3f} s {cost.armed_s / best.armed_s:6.1f}x"
                f" {cost.fired_s:9.3f} s {cost.fired_s / best.fired_s:6.1f}x"
            )


if __name__ == "__main__":
    main()
