"""A good client's latency while thousands of others behave badly, against its latency alone.

    python -m klamm.tools.bench hostile [--smoke] [--connections N]

A node with TLS and SCRAM is a process of its own. One client that has logged in asks Metadata, one
request after the other, first alone and then while connections come in waves that say nothing, go
slowly, announce huge frames, send garbage, or log in wrongly. What counts is the ratio of the
medians, that every request was answered, and how much memory the node has taken.
"""

import json
import random
import ssl
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import trio

from klamm.controller.core.model import Endpoint
from klamm.controller.runtime.conversation import LinkLostError, converse
from klamm.controller.runtime.login import Pass, client_protocol, connect_as_client
from klamm.controller.runtime.properties import read_properties
from klamm.controller.runtime.tls import client_context
from klamm.controller.security.sasl import Login
from klamm.protocol.connection import ClientConnection
from klamm.protocol.generated.metadata_request import MetadataRequest
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.embedded.process import WatchedProcess

CONNECTIONS, SMOKE_CONNECTIONS = 10_000, 500
#: So many are there at a time.
WAVE = 500
#: How long a wave lasts whose peers wait for the node to lose patience.
HOLD_SECONDS = 1.0
QUIET_REQUESTS = 500

_START_SECONDS = 60.0
_POLL_SECONDS = 0.02
_METADATA_VERSION = 9
_HUGE = b"\x7f\xff\xff\xff"
_PAGE = 4096
_MODULE = "klamm.tools.bench.hostile"

Attack = Callable[["Target", random.Random], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Target:
    """The node: where it is, its process, what a client with rights says, its ready file."""

    endpoint: Endpoint
    pid: int
    properties: Mapping[str, str]
    ready: Path

    def memory(self) -> int:
        """Return the bytes of memory that the node's process holds (Linux)."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * _PAGE


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured: times are medians in seconds, memory is what came on top, in bytes."""

    connections: int
    quiet: float
    attacked: float
    answers: int
    memory: int

    @property
    def ratio(self) -> float:
        """How many times as long an answer takes."""
        return self.attacked / self.quiet

    def __str__(self) -> str:
        return (
            f"{self.connections:,} hostile connections   alone {self.quiet * 1000:.2f} ms"
            f"   among them {self.attacked * 1000:.2f} ms   ratio {self.ratio:.1f}"
            f"   {self.answers:,} answers   memory {self.memory / 2**20:+.1f} MiB"
        )


def run(connections: int, hold: float = HOLD_SECONDS, seed: int = 1) -> Report:
    """Measure; raises AssertionError if the good client was not answered."""
    return trio.run(_run, connections, hold, seed)


async def _run(connections: int, hold: float, seed: int) -> Report:
    async with _target() as target:
        stream = await connect_as_client(target.properties)(target.endpoint)
        async with stream:
            client = _GoodClient(stream)
            quiet = [await client.ask() for _ in range(QUIET_REQUESTS)]
            before = target.memory()
            attacked: list[float] = []
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_keep_asking, client, attacked)
                # In a process of their own, or the good client would wait for them here.
                options = ["--attack", str(target.ready), "--connections", str(connections)]
                options += ["--hold", str(hold), "--seed", str(seed)]
                await trio.run_process([sys.executable, "-P", "-m", _MODULE, *options])
                nursery.cancel_scope.cancel()
            grown = target.memory() - before
            again = await connect_as_client(target.properties)(target.endpoint)
            async with again:
                await _GoodClient(again).ask()
        return Report(
            connections,
            statistics.median(quiet),
            statistics.median(attacked),
            len(attacked),
            grown,
        )


class _GoodClient:
    """Asks Metadata and takes the time."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._protocol = ClientConnection("good")

    async def ask(self) -> float:
        start = trio.current_time()
        request = MetadataRequest(topics=())
        answer = await converse(self._stream, self._protocol, request, _METADATA_VERSION)
        assert isinstance(answer, MetadataResponse) and answer.brokers, answer
        return trio.current_time() - start


async def _keep_asking(client: _GoodClient, times: list[float]) -> None:
    while True:
        times.append(await client.ask())
        await trio.sleep(0.001)


# --- the attackers --------------------------------------------------------------------------------


async def _attack(target: Target, connections: int, hold: float, draw: random.Random) -> None:
    """Open the connections, wave by wave; each is closed by the node or at the wave's end."""
    for start in range(0, connections, WAVE):
        with trio.move_on_after(hold + _START_SECONDS):
            async with trio.open_nursery() as wave:
                for number in range(start, min(connections, start + WAVE)):
                    attack = ATTACKS[number % len(ATTACKS)]
                    own = random.Random(draw.random())  # noqa: S311
                    wave.start_soon(_one, attack, target, hold, own)


async def _one(attack: Attack, target: Target, hold: float, draw: random.Random) -> None:
    with trio.move_on_after(hold), suppress(OSError, LinkLostError, trio.BrokenResourceError):
        await attack(target, draw)


async def _half_open(target: Target, draw: random.Random) -> None:
    """Say nothing."""
    async with await _plain(target) as stream:
        await stream.receive_some()


async def _slow_hello(target: Target, draw: random.Random) -> None:
    """Begin a TLS handshake, a byte at a time."""
    async with await _plain(target) as stream:
        for byte in b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03":
            await stream.send_all(bytes([byte]))
            await trio.sleep(draw.uniform(0.05, 0.2))
        await stream.receive_some()


async def _garbage(target: Target, draw: random.Random) -> None:
    """Send noise in place of TLS."""
    async with await _plain(target) as stream:
        await stream.send_all(draw.randbytes(draw.randrange(1, 4096)))
        await stream.receive_some()


async def _huge_record(target: Target, draw: random.Random) -> None:
    """Announce the longest TLS record there is, and go on and on."""
    async with await _plain(target) as stream:
        await stream.send_all(b"\x16\x03\x03\xff\xff")
        while True:
            await stream.send_all(draw.randbytes(65536))


async def _huge_frame(target: Target, draw: random.Random) -> None:
    """Announce a frame of 2 GiB over TLS."""
    async with await _secured(target) as stream:
        await stream.send_all(_HUGE + draw.randbytes(1000))
        await stream.receive_some()


async def _slow_frame(target: Target, draw: random.Random) -> None:
    """Announce a frame within the limit over TLS, and never end it."""
    async with await _secured(target) as stream:
        await stream.send_all(b"\x00\x07\x00\x00")
        while True:
            await stream.send_all(draw.randbytes(100))
            await trio.sleep(0.05)


async def _wrong_login(target: Target, draw: random.Random) -> None:
    """Log in with a password that is none."""
    login = Login("SCRAM-SHA-256", "admin", "guessed")
    await Pass(_context(target.ready), login).connect(target.endpoint)


async def _no_login(target: Target, draw: random.Random) -> None:
    """Ask Metadata without a login."""
    async with await _secured(target) as stream:
        request = MetadataRequest(topics=())
        await converse(stream, ClientConnection("bad"), request, _METADATA_VERSION)


ATTACKS: tuple[Attack, ...] = (
    _half_open,
    _slow_hello,
    _garbage,
    _huge_record,
    _huge_frame,
    _slow_frame,
    _wrong_login,
    _no_login,
)


async def _plain(target: Target) -> trio.SocketStream:
    return await trio.open_tcp_stream(target.endpoint.host, target.endpoint.port)


async def _secured(target: Target) -> trio.abc.Stream:
    """Come by TLS, without a login."""
    tls = Pass(_context(target.ready))
    endpoint = Endpoint("SSL", "SSL", target.endpoint.host, target.endpoint.port)
    return await tls.connect(endpoint)


@cache
def _context(ready: Path) -> ssl.SSLContext:
    return client_context(_target_of(ready).properties)


# --- the node -------------------------------------------------------------------------------------


@asynccontextmanager
async def _target() -> AsyncIterator[Target]:
    """Run a cluster of one node and one broker while the block runs."""
    with tempfile.TemporaryDirectory(prefix="klamm-hostile-") as name:
        folder = Path(name)
        ready, log = folder / "ready.json", folder / "log.txt"
        command = [sys.executable, "-P", "-m", "klamm.tools.cli", "up", "--memory", "--brokers"]
        command += ["1", "--tls", "--sasl", "SCRAM-SHA-256", "--ready-file", str(ready)]
        with log.open("wb") as output:
            process = WatchedProcess(command, cwd=folder, log=output, grace=5.0)
        try:
            await _wait_for(process, ready, log)
            yield _target_of(ready)
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(process.stop)


async def _wait_for(process: WatchedProcess, ready: Path, log: Path) -> None:
    with trio.move_on_after(_START_SECONDS):
        while process.poll() is None:
            if ready.exists():
                return
            await trio.sleep(_POLL_SECONDS)
    raise RuntimeError(f"the cluster has not started:\n{log.read_text()}")


def _target_of(ready: Path) -> Target:
    told: dict[str, Any] = json.loads(ready.read_text())
    [node] = told["nodes"]
    properties = read_properties(Path(told["client_properties"]))
    protocol = client_protocol(properties)
    endpoint = Endpoint(protocol, protocol, node["host"], node["port"])
    return Target(endpoint, node["pid"], properties, ready)


@click.command()
@click.option("--smoke", is_flag=True, help=f"Only {SMOKE_CONNECTIONS} connections.")
@click.option("--connections", type=click.IntRange(1), default=CONNECTIONS, show_default=True)
@click.option("--attack", type=click.Path(exists=True, path_type=Path), hidden=True)
@click.option("--hold", type=float, default=HOLD_SECONDS, hidden=True)
@click.option("--seed", type=int, default=1, hidden=True)
def main(smoke: bool, connections: int, attack: Path | None, hold: float, seed: int) -> None:
    """Measure and print one line."""
    if attack is not None:
        draw = random.Random(seed)  # noqa: S311 - of noise, not of secrets
        trio.run(_attack, _target_of(attack), connections, hold, draw)
    else:
        print(run(SMOKE_CONNECTIONS if smoke else connections, hold, seed))


if __name__ == "__main__":
    main()
