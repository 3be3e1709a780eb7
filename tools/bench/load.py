"""How long a controller takes from election to office on 200,000 partitions, and what it weighs.

`python -m klamm.tools.bench.load` starts a ZooKeeper, fills it with 1,000 topics of 200 partitions,
and starts `klamm serve` on it. The load is the time from the moment that /controller is there to
the first answer that only a controller gives. Reading the same topics and states through the
store, and decoding them, is the measure for it; the ratio is the median over the rounds. The size
is the resident memory of the process once it is in office, and the most that it ever was.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from kazoo.client import KazooClient

from klamm.controller.store.port import ReadData, Znode
from klamm.controller.znodes import decode_state, decode_topic, paths
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.tools.bench._node import HOST, fill, silent_brokers, topic_name
from klamm.tools.bench.reassign import BareClient
from klamm.tools.bench.store_read import Client
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

NODE_ID = 900
_HEAP_MIB = 3072
_WAIT_S = 300.0
_POLL_S = 0.01
_MIB_PER_KIB = 1 / 1024


@dataclass(frozen=True, slots=True)
class Round:
    """Seconds of one load and of the bare reading beside it; MiB of the process, at its most."""

    load_s: float
    bare_s: float
    resident_mib: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured on so many partitions."""

    partitions: int
    rounds: tuple[Round, ...]

    @property
    def ratio(self) -> float:
        """How many times longer loading takes than reading and decoding, in the same round."""
        return median(each.load_s / each.bare_s for each in self.rounds)

    def __str__(self) -> str:
        load, bare, resident, peak = (
            median(values)
            for values in zip(
                *((each.load_s, each.bare_s, each.resident_mib, each.peak_mib)
                  for each in self.rounds),
                strict=True,
            )
        )  # fmt: skip
        return (
            f"{self.partitions:,} partitions\n"
            f"  klamm, elected to office {load:6.2f} s\n"
            f"  read and decoded         {bare:6.2f} s\n"
            f"  ratio                    {self.ratio:6.1f}\n"
            f"  resident in office       {resident:6.0f} MiB   at most {peak:.0f} MiB"
        )


def read_bare(connect: str, topics: int, partitions: int) -> float:
    """Return the seconds that reading and decoding all topics and states takes."""
    client = Client(connect)
    names = [topic_name(number) for number in range(topics)]
    reads = [ReadData(paths.topic(name)) for name in names]
    reads += (ReadData(paths.state(name, number)) for name in names for number in range(partitions))
    started = time.perf_counter()
    kept = []
    for part in client.read(reads):
        for znode in part:
            assert isinstance(znode, Znode), znode
            decode = decode_state if znode.path.endswith("/state") else decode_topic
            kept.append(decode(znode.data, znode.path))
    elapsed_s = time.perf_counter() - started
    client.close()
    return elapsed_s


@contextmanager
def served(connect: str) -> Iterator[tuple[int, int]]:
    """Run `klamm serve` in a process of its own; gives its port and its id once it listens."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.json"
        command = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]
        command += ["serve", "--quiet", "--ready-file", str(ready)]
        overrides = {"node.id": NODE_ID, "zookeeper.connect": connect}
        overrides["listeners"] = f"PLAINTEXT://{HOST}:0"
        for key, value in overrides.items():
            command += ["--override", f"{key}={value}"]
        with subprocess.Popen(command) as process:  # noqa: S603 - our own command
            try:
                deadline = time.monotonic() + _WAIT_S
                while not ready.exists():
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise RuntimeError(f"klamm serve is not ready, status {process.poll()}")
                    time.sleep(_POLL_S)
                [node] = json.loads(ready.read_text())["nodes"]
                yield node["port"], node["pid"]
            finally:
                process.terminate()
                process.wait(_WAIT_S)


def is_active(connection: socket.socket) -> bool:
    """Ask for the moves, which only the controller in office tells."""
    protocol = ClientConnection("bench")
    _, data = protocol.send_request(ListPartitionReassignmentsRequest(), 0)
    connection.sendall(data)
    while True:
        for event in protocol.receive_data(connection.recv(65536)):
            assert isinstance(event, Response)
            assert isinstance(event.body, ListPartitionReassignmentsResponse)
            return event.body.error_code == 0


def one_round(connect: str, topics: int, partitions: int) -> Round:
    """Start a node on the cluster and let it take office, then read what it has read."""
    with ExitStack() as stack:
        watcher = KazooClient(connect)
        watcher.start()
        stack.callback(watcher.close)
        stack.callback(watcher.stop)
        elected_at: list[float] = []
        elected = threading.Event()

        def on_change(_: object) -> None:
            elected_at.append(time.perf_counter())
            elected.set()

        assert watcher.exists(paths.CONTROLLER, watch=on_change) is None
        port, process = stack.enter_context(served(connect))
        connection = stack.enter_context(socket.create_connection((HOST, port), timeout=_WAIT_S))
        elected.wait(_WAIT_S)
        while not is_active(connection):
            time.sleep(_POLL_S)
        load_s = time.perf_counter() - elected_at[0]
        resident_mib, peak_mib = _memory_mib(process)
    return Round(load_s, read_bare(connect, topics, partitions), resident_mib, peak_mib)


def measure(topics: int, partitions: int, rounds: int) -> Result:
    """Fill a fresh ZooKeeper and load it so often."""
    with EmbeddedZookeeper(heap_mib=_HEAP_MIB) as server, silent_brokers() as port:
        connect = server.connect_string
        filler = BareClient(connect)
        fill(filler.commit, topics, partitions, port)
        filler.close()
        found = tuple(one_round(connect, topics, partitions) for _ in range(rounds))
    return Result(topics * partitions, found)


def _memory_mib(process: int) -> tuple[float, float]:
    """Return what is resident now, and the most that was."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    now, peak = (int(fields[key].split()[0]) * _MIB_PER_KIB for key in ("VmRSS", "VmHWM"))
    return now, peak


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.load")
    parser.add_argument("--topics", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=200, help="of each topic")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="10 topics of 100 partitions, 1 round")
    chosen = parser.parse_args()
    topics, partitions, rounds = chosen.topics, chosen.partitions, chosen.rounds
    if chosen.smoke:
        topics, partitions, rounds = 10, 100, 1
    print(measure(topics, partitions, rounds))


if __name__ == "__main__":
    main()
