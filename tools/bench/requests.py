"""How many requests a controller node answers in a second, beside a server that only echoes.

`python -m klamm.tools.bench.requests` asks over 16 connections, with 1 and with 16 requests in
flight on each: ListPartitionReassignments with nothing moving, and Metadata of one topic. The
server has a core of its own, and so has the client. A server on trio that cuts the same frames and
sends the same answers, without a thought, takes its turn with it in every round; the ratio is the
median over the rounds. Rates are per second of the server's processor time, which is what a core
of its own would give, whoever else uses this one. `--profile` says where klamm's time goes.
"""

from __future__ import annotations

import argparse
import os
import pstats
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from klamm.protocol.connection import ClientConnection
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.message import Message

CONNECTIONS = 16
DEPTHS = (1, 16)
MEASURABLE_SECONDS = 0.05
REQUESTS: dict[str, tuple[Message, int]] = {
    "list": (ListPartitionReassignmentsRequest(timeout_ms=60_000, topics=None), 0),
    "metadata": (MetadataRequest(topics=(MetadataRequestTopic(name="topic-7"),)), 12),
}


@dataclass(frozen=True, slots=True)
class Rates:
    """Requests per second of processor time of both servers, and the median ratio of rounds."""

    request: str
    depth: int
    klamm: float
    echo: float
    ratio: float

    def __str__(self) -> str:
        return (
            f"{self.request:9s} {self.depth:3d} in flight   klamm {self.klamm:8,.0f}/s"
            f"   echo {self.echo:8,.0f}/s   ratio {self.ratio:.2f}"
        )


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs, and how much processor time it has used, in user and kernel."""

    port: int
    process: int

    def used(self) -> float:
        """Return the seconds so far; of the process, which has one thread that works."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(name: str, *options: str, core: int | None) -> Iterator[Served]:
    """Run a server in a process of its own."""
    command = [sys.executable, "-P", "-m", "klamm.tools.bench._request_servers", name, *options]
    if core is not None:
        command += ["--core", str(core)]
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Served(int(process.stdout.readline()), process.pid)
        finally:
            process.stdin.close()
            process.wait(30)


def one_answer(port: int, frame: bytes) -> bytes:
    """Ask once and return the whole frame of the answer."""
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(frame)
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4]):
            received = peer.recv(65536)
            if not received:
                raise ConnectionError("the server closed the connection instead of an answer")
            data += received
        return data


def rate(served: Served, frame: bytes, answer_bytes: int, depth: int, seconds: float) -> float:
    """Keep `depth` requests in flight on each connection for so long; answers per second.

    Answers all have the same length, so that counting bytes counts them.
    """
    with ExitStack() as stack:
        poll = stack.enter_context(select.epoll())
        peers: dict[int, socket.socket] = {}
        for _ in range(CONNECTIONS):
            peer = stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peers[peer.fileno()] = peer
            poll.register(peer.fileno(), select.EPOLLIN)
            peer.sendall(frame * depth)
        left = dict.fromkeys(peers, 0)
        answered = 0
        used, end = served.used(), time.perf_counter() + seconds
        # The clock of processor time ticks every 10 ms.
        while time.perf_counter() < end or served.used() - used < MEASURABLE_SECONDS:
            for number, _ in poll.poll(5):
                data = peers[number].recv(262144)
                if not data:
                    raise ConnectionError("the server closed a connection")
                whole, left[number] = divmod(left[number] + len(data), answer_bytes)
                answered += whole
                if whole:
                    peers[number].sendall(frame * whole)
        return answered / (served.used() - used)


def measure(rounds: int, seconds: float) -> Iterator[Rates]:
    """Measure every request at every depth."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, cores[:-1])
    core = cores[-1] if len(cores) > 1 else None
    try:
        with server("klamm", core=core) as klamm:
            for name, (message, version) in REQUESTS.items():
                frame = ClientConnection("bench").send_request(message, version)[1]
                answer = one_answer(klamm.port, frame)
                with server("echo", "--answer", answer.hex(), core=core) as echo:
                    for depth in DEPTHS:
                        pairs = [
                            [rate(served, frame, len(answer), depth, seconds)
                             for served in (klamm, echo)]
                            for _ in range(rounds)
                        ]  # fmt: skip
                        yield Rates(
                            name,
                            depth,
                            median(ours for ours, _ in pairs),
                            median(theirs for _, theirs in pairs),
                            median(ours / theirs for ours, theirs in pairs),
                        )
    finally:
        os.sched_setaffinity(0, cores)


def profile(seconds: float) -> None:
    """Print where the time goes, request by request, with one in flight."""
    for name, (message, version) in REQUESTS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "profile"
            frame = ClientConnection("bench").send_request(message, version)[1]
            with server("klamm", "--profile", str(file), core=None) as served:
                rate(served, frame, len(one_answer(served.port, frame)), 1, seconds)
            print(f"-- {name}")
            pstats.Stats(str(file)).sort_stats("tottime").print_stats(25)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a moment of each, for a test")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    options = parser.parse_args()
    if options.profile:
        profile(3.0)
        return
    for rates in measure(*((1, 0.1) if options.smoke else (7, 1.0))):
        print(rates, flush=True)


if __name__ == "__main__":
    main()
