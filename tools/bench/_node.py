"""A controller node in this process, on a cluster that exists in ZooKeeper only.

Its brokers are registered and take connections, but say nothing: what is measured is the node.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Self

import trio

from klamm.controller.core.ops import Create, Op
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import Running, run_controller
from klamm.controller.runtime.sessions import OpenStore
from klamm.controller.znodes import paths
from klamm.controller.znodes.brokers import BrokerZnode, Endpoint, encode_broker
from klamm.controller.znodes.state import StateZnode, encode_state
from klamm.controller.znodes.topic import TopicZnode, encode_topic
from klamm.tools.threads import TrioThread

BROKERS = (1, 2, 3, 4, 5, 6)
REPLICAS = 3

HOST = "127.0.0.1"
_OPS_PER_COMMIT = 2000
_WAIT_S = 120.0

Commit = Callable[[Sequence[Op]], None]


def topic_name(number: int) -> str:
    """Return the name of a topic that `fill` makes."""
    return f"topic-{number:04d}"


def replicas_of(partition: int) -> tuple[int, ...]:
    """Return where `fill` puts a partition: all brokers lead, and follow, equally many."""
    return tuple(BROKERS[(partition + position) % len(BROKERS)] for position in range(REPLICAS))


def fill(commit: Commit, topics: int, partitions: int, port: int, moving: int = 0) -> None:
    """Write a cluster: brokers that listen on `port`, topics, states.

    The first `moving` partitions of each topic are on their way to a broker that is not in sync.
    The registrations are no ephemeral znodes: nobody has to keep a session for them.
    """
    creates = [Create(path, None) for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS)]
    for broker in BROKERS:
        endpoint = Endpoint("PLAINTEXT", "PLAINTEXT", HOST, port)
        registration = encode_broker(BrokerZnode(broker, (endpoint,), version=4))
        creates.append(Create(paths.broker(broker), registration))
    states = [
        encode_state(StateZnode(replicas[0], 0, replicas, 1))
        for replicas in map(replicas_of, range(partitions))
    ]
    lists = {number: replicas_of(number) for number in range(partitions)}
    adding = {n: (BROKERS[(n + REPLICAS) % len(BROKERS)],) for n in range(moving)}
    removing = {n: lists[n][-1:] for n in range(moving)}
    lists |= {n: (*added, *lists[n]) for n, added in adding.items()}
    topic = encode_topic(TopicZnode(2, lists, adding, removing))
    for name in map(topic_name, range(topics)):
        creates += (Create(paths.topic(name), topic), Create(paths.partitions(name), None))
        for number, state in enumerate(states):
            creates += (
                Create(paths.partition(name, number), None),
                Create(paths.state(name, number), state),
            )
    for start in range(0, len(creates), _OPS_PER_COMMIT):
        commit(creates[start : start + _OPS_PER_COMMIT])


@contextmanager
def silent_brokers() -> Iterator[int]:
    """Give a port where connections are taken and nothing is ever answered."""
    with socket.create_server((HOST, 0), backlog=4 * len(BROKERS)) as listener:
        port: int = listener.getsockname()[1]
        yield port


class LocalNode:
    """A controller node on a thread of its own; a context manager that has it in office."""

    def __init__(self, config: ControllerConfig, open_store: OpenStore | None = None) -> None:
        self._config = config
        self._open_store = open_store
        self._thread = TrioThread("klamm-node", self._main)
        self._running: Running | None = None

    def __enter__(self) -> Self:
        self._thread.__enter__()
        try:
            deadline = time.monotonic() + _WAIT_S
            while self.running.node.state is None:
                if self._thread.ended or time.monotonic() > deadline:
                    raise TimeoutError(f"the node took no office within {_WAIT_S:g} s")
                time.sleep(0.01)
        except BaseException as error:
            self._thread.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.__exit__(kind, error, traceback)

    @property
    def running(self) -> Running:
        """Where the node serves, and its state machine."""
        assert self._running is not None
        return self._running

    def call(self, function: Callable[[], object]) -> None:
        """Run a function on the node's thread."""
        self._thread.call(function)

    async def _main(self, ready: Callable[[], None]) -> None:
        async with trio.open_nursery() as nursery:
            start = partial(run_controller, self._config, self._open_store)
            self._running = await nursery.start(start)
            ready()
