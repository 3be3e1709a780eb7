"""How fast the states of a whole cluster come out of ZooKeeper: read and decoded.

`python -m klamm.tools.bench.store_read` starts a ZooKeeper, fills it with 200,000 partition
states in 1,000 topics, reads and decodes them all through `ZookeeperStore.read`, then again with
one pipelined kazoo `get` per znode, and prints both times and their ratio.
"""

from __future__ import annotations

import argparse
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kazoo.client import KazooClient

from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Create,
    Read,
    ReadData,
    ReadDone,
    ReadResult,
    SessionEvent,
    SessionState,
    StoreEvent,
    Znode,
)
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.controller.znodes import decode_state, paths
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

_OPS_PER_COMMIT = 3000
_STATE = b'{"controller_epoch":1,"leader":%d,"version":1,"leader_epoch":0,"isr":[1,2,3]}'
_HEAP_MIB = 2048
_WAIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds of both ways; `first_part_s` is ours, the wait for the first 500."""

    states: int
    ours_s: float
    first_part_s: float
    gets_s: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.gets_s / self.ours_s

    def __str__(self) -> str:
        first_part_ms = self.first_part_s * 1000
        return (
            f"{self.states:,} partition states, read and decoded\n"
            f"  ZookeeperStore.read         {self.ours_s:7.2f} s"
            f"   first part after {first_part_ms:.0f} ms\n"
            f"  one pipelined get per znode {self.gets_s:7.2f} s\n"
            f"  ratio                       {self.ratio:7.1f}"
        )


class Client:
    """A connected store whose events are waited for."""

    def __init__(self, connect: str) -> None:
        self.events: queue.SimpleQueue[StoreEvent] = queue.SimpleQueue()
        options = ZookeeperOptions(connect, session_timeout_ms=60_000)
        self.store = ZookeeperStore(options, self.events.put)
        self._until(SessionState.CONNECTED)

    def read(self, reads: Sequence[Read]) -> Iterator[tuple[ReadResult, ...]]:
        """Read, and yield the results as they come, part by part."""
        self.store.read(1, reads)
        while True:
            done = self.events.get(timeout=_WAIT_S)
            assert isinstance(done, ReadDone) and isinstance(done.outcome, tuple), done
            yield done.outcome
            if done.last:
                return

    def close(self) -> None:
        """End the session."""
        self.store.close()
        self._until(SessionState.LOST)

    def _until(self, state: SessionState) -> None:
        while True:
            event = self.events.get(timeout=_WAIT_S)
            if isinstance(event, SessionEvent) and event.state is state:
                return


def fill(client: Client, topics: int, partitions: int) -> list[str]:
    """Create the states as a controller does; return their paths."""
    states = []
    creates = [Create(path, None) for path in ("/brokers", "/brokers/topics")]
    for topic in (f"topic-{number:04d}" for number in range(topics)):
        creates += (Create(f"/brokers/topics/{topic}{part}", None) for part in ("", "/partitions"))
        for partition in range(partitions):
            state = paths.state(topic, partition)
            creates += (Create(state.rpartition("/")[0], None), Create(state, _STATE % partition))
            states.append(state)
    starts = range(0, len(creates), _OPS_PER_COMMIT)
    for start in starts:
        client.store.commit(start, creates[start : start + _OPS_PER_COMMIT], None)
    for _ in starts:
        done = client.events.get(timeout=_WAIT_S)
        assert isinstance(done, CommitDone) and isinstance(done.outcome, Committed), done
    return states


def read_with_store(client: Client, states: list[str]) -> tuple[float, float]:
    """Return the seconds until the first part, and until all, is decoded."""
    started = time.perf_counter()
    first_part_s = elapsed_s = 0.0
    for part in client.read([ReadData(path) for path in states]):
        for znode in part:
            assert isinstance(znode, Znode)
            decode_state(znode.data, znode.path)
        elapsed_s = time.perf_counter() - started
        first_part_s = first_part_s or elapsed_s
    return first_part_s, elapsed_s


def read_with_gets(connect: str, states: list[str]) -> float:
    """Return the seconds that one pipelined get per znode takes, decoding included."""
    client = KazooClient(connect, timeout=60.0)
    client.start()
    started = time.perf_counter()
    for path, result in [(path, client.get_async(path)) for path in states]:
        data, _ = result.get()
        decode_state(data, path)
    elapsed_s = time.perf_counter() - started
    client.stop()
    client.close()
    return elapsed_s


def measure(topics: int, partitions: int, say: Callable[[str], None]) -> Result:
    """Fill a fresh ZooKeeper and read it both ways."""
    with EmbeddedZookeeper(heap_mib=_HEAP_MIB) as server:
        client = Client(server.connect_string)
        say(f"filling ZooKeeper with {topics:,} topics of {partitions:,} partitions ...")
        states = fill(client, topics, partitions)
        first_part_s, ours_s = read_with_store(client, states)
        client.close()
        say("reading once more, one get per znode ...")
        gets_s = read_with_gets(server.connect_string, states)
    return Result(len(states), ours_s, first_part_s, gets_s)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.store_read")
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=200, help="of each topic")
    parser.add_argument("--smoke", action="store_true", help="20 topics of 100 partitions")
    chosen = parser.parse_args()
    topics, partitions = (20, 100) if chosen.smoke else (chosen.topics, chosen.partitions)
    print(measure(topics, partitions, print))


if __name__ == "__main__":
    main()
