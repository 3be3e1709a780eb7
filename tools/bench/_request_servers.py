"""The servers that `klamm.tools.bench.requests` measures, each in a process on a core of its own.

`python -m klamm.tools.bench._request_servers NAME [--core N] [--profile FILE]` prints the port that
it listens on and serves until its standard input ends. `klamm` is the server and the handlers of a
controller node over a state that does not change; `echo` cuts the same frames on trio, and answers
each with the frame that its first argument after the name holds in hex.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

import trio

from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Endpoint,
    Leadership,
    Partition,
    Topic,
)
from klamm.controller.core.origins import FromClient
from klamm.controller.handlers.api import RequestEvent
from klamm.controller.handlers.table import advertised
from klamm.controller.node.outlook import View
from klamm.controller.runtime.server import serve
from klamm.controller.runtime.service import Service

NODE, BROKERS, TOPICS, PARTITIONS = 900, 6, 100, 10
_LENGTH = struct.Struct(">i")


class Standing:
    """A node whose state does not change."""

    def __init__(self) -> None:
        def broker(number: int) -> Broker:
            return Broker(number, 1, (Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", 9092),))

        def partition(number: int) -> Partition:
            replicas = tuple((number + n) % BROKERS for n in range(3))
            return Partition(Assignment(replicas), Leadership(replicas[0], 0, replicas, 1, 0))

        topics = {
            f"topic-{n}": Topic(f"topic-{n}", 0, {p: partition(p) for p in range(PARTITIONS)})
            for n in range(TOPICS)
        }
        self.itself = broker(NODE)
        self.doubtful, self.view = False, View()
        self.office_epoch, self.registration_epoch = 1, 0
        brokers = {number: broker(number) for number in range(BROKERS)}
        self.state: ClusterState | None = ClusterState(
            NODE, 1, 1, brokers=brokers, nodes={NODE: self.itself}, topics=topics
        )


def _submit(events: Sequence[RequestEvent], reply: object, origin: FromClient) -> None:
    raise RuntimeError(f"this node does not decide on {events} of {origin.peer}")


def _transact(transactions: Sequence[object], reply: object, origin: object) -> None:
    raise RuntimeError(f"this node writes nothing: {transactions}")


async def _klamm(listeners: list[trio.SocketListener]) -> None:
    node, table = Standing(), advertised()
    service = Service(
        node, _submit, _transact, node.itself, cluster_id="c", listener="PLAINTEXT", table=table
    )
    await serve(listeners, table, service.dispatch)


async def _echo(listeners: list[trio.SocketListener], answer: bytes) -> None:
    async def handle(stream: trio.SocketStream) -> None:
        waiting = b""
        with suppress(trio.BrokenResourceError):
            while data := await stream.receive_some(65536):
                waiting += data
                start = answers = 0
                while len(waiting) >= start + 4:
                    end = start + 4 + _LENGTH.unpack_from(waiting, start)[0]
                    if len(waiting) < end:
                        break
                    answers += 1
                    start = end
                waiting = waiting[start:]
                if answers:
                    await stream.send_all(answer * answers)

    await trio.serve_listeners(handle, listeners)


async def _serve(name: str, answer: bytes) -> None:
    listeners = list(await trio.open_tcp_listeners(0, host="127.0.0.1"))
    print(listeners[0].socket.getsockname()[1], flush=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            *((_klamm, listeners) if name == "klamm" else (_echo, listeners, answer))
        )
        await trio.lowlevel.wait_readable(sys.stdin)
        nursery.cancel_scope.cancel()


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["klamm", "echo"])
    parser.add_argument("--answer", default="", help="what echo answers, in hex")
    parser.add_argument("--core", type=int)
    parser.add_argument("--profile")
    options = parser.parse_args()
    if options.core is not None:
        os.sched_setaffinity(0, [options.core])
    answer = bytes.fromhex(options.answer)
    if options.profile is None:
        trio.run(_serve, options.name, answer)
    else:
        profile = cProfile.Profile()
        profile.runcall(trio.run, _serve, options.name, answer)
        profile.dump_stats(options.profile)


if __name__ == "__main__":
    main()
