"""How long a new controller takes from winning the office to its first list of moves.

`python -m klamm.tools.bench.failover` starts a ZooKeeper with 200,000 partitions, of which first
2,000 and then 20,000 are moving, and has `klamm serve` take office over them. Beside each round
the same znodes are read in bulk, as the store reads them, and nothing is made of them: that is the
least that any controller takes. The ratio is the median over the rounds. A list counts only if it
has every move. `--smoke` makes it short.
"""

from __future__ import annotations

import argparse
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from kazoo.client import KazooClient

from klamm.controller.store.port import ReadChildren, ReadData
from klamm.controller.znodes import paths
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools.bench._node import HOST, fill, silent_brokers, topic_name
from klamm.tools.bench.load import served
from klamm.tools.bench.reassign import BareClient
from klamm.tools.bench.store_read import Client
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

_HEAP_MIB = 3072
_WAIT_S = 300.0
_POLL_S = 0.01
_AIM = 3.0


@dataclass(frozen=True, slots=True)
class Round:
    """Seconds from the election to the first list of all moves, and of the bare reading."""

    failover_s: float
    bare_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured with so many moves in flight among so many partitions."""

    moving: int
    partitions: int
    rounds: tuple[Round, ...]

    @property
    def ratio(self) -> float:
        """How many times longer the failover takes than bare reading, in the same round."""
        return median(each.failover_s / each.bare_s for each in self.rounds)

    def __str__(self) -> str:
        failover_s = median(each.failover_s for each in self.rounds)
        bare_s = median(each.bare_s for each in self.rounds)
        missed = "" if self.ratio <= _AIM else ", missed"
        return (
            f"{self.moving:,} of {self.partitions:,} partitions moving\n"
            f"  klamm, elected to first list {failover_s:6.2f} s\n"
            f"  bare bulk reading            {bare_s:6.2f} s\n"
            f"  ratio                        {self.ratio:6.1f}   aim at most {_AIM:g}{missed}"
        )


def read_bare(connect: str, topics: int, partitions: int) -> float:
    """Return the seconds that reading all topics, their directories and states takes."""
    client = Client(connect)
    names = [topic_name(number) for number in range(topics)]
    started = time.perf_counter()
    for reads in (
        [ReadData(paths.topic(name)) for name in names]
        + [ReadChildren(paths.partitions(name)) for name in names],
        [ReadData(paths.state(name, number)) for name in names for number in range(partitions)],
    ):
        for _ in client.read(reads):
            pass  # nothing is made of them
    elapsed_s = time.perf_counter() - started
    client.close()
    return elapsed_s


def listed(connection: socket.socket) -> int:
    """Return how many moves the node lists; -1 while it is not in office."""
    protocol = ClientConnection("bench")
    _, data = protocol.send_request(ListPartitionReassignmentsRequest(topics=None), 0)
    connection.sendall(data)
    while True:
        for event in protocol.receive_data(connection.recv(1 << 20)):
            assert isinstance(event, Response)
            assert isinstance(event.body, ListPartitionReassignmentsResponse)
            if event.body.error_code:
                return -1
            return sum(len(topic.partitions) for topic in event.body.topics)


def one_round(connect: str, topics: int, partitions: int, moving: int) -> Round:
    """Have a node take office, then read what it has read."""
    with ExitStack() as stack:
        watcher = KazooClient(connect)
        watcher.start()
        stack.callback(watcher.close)
        stack.callback(watcher.stop)
        elected_at: list[float] = []
        elected, vacant = threading.Event(), threading.Event()

        def on_change(_: object) -> None:
            elected_at.append(time.perf_counter())
            elected.set()

        while watcher.exists(paths.CONTROLLER, watch=lambda _: vacant.set()):
            assert vacant.wait(_WAIT_S)  # the node of the round before is leaving
            vacant.clear()
        assert watcher.exists(paths.CONTROLLER, watch=on_change) is None
        port, _ = stack.enter_context(served(connect))
        connection = stack.enter_context(socket.create_connection((HOST, port), timeout=_WAIT_S))
        assert elected.wait(_WAIT_S)
        while (found := listed(connection)) < 0:
            time.sleep(_POLL_S)
        failover_s = time.perf_counter() - elected_at[0]
        assert found == moving, f"the first list has {found} of {moving} moves"
    return Round(failover_s, read_bare(connect, topics, partitions))


def measure(topics: int, partitions: int, moving: int, rounds: int) -> Result:
    """Fill a fresh ZooKeeper and take office so often; `moving` partitions of each topic move."""
    with EmbeddedZookeeper(heap_mib=_HEAP_MIB) as server, silent_brokers() as port:
        connect = server.connect_string
        filler = BareClient(connect)
        fill(filler.commit, topics, partitions, port, moving)
        filler.close()
        found = tuple(
            one_round(connect, topics, partitions, moving * topics) for _ in range(rounds)
        )
    return Result(moving * topics, topics * partitions, found)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.failover")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="10 topics of 40 partitions, 1 round")
    chosen = parser.parse_args()
    topics, partitions, rounds = (10, 40, 1) if chosen.smoke else (1000, 200, chosen.rounds)
    for moving in (2, 20):
        print(measure(topics, partitions, moving, rounds))


if __name__ == "__main__":
    main()
