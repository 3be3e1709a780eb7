"""How long a controller takes to start 10,000 reassignments, from the request to its answer.

`python -m klamm.tools.bench.reassign` starts a ZooKeeper and a controller node on 100 topics of
100 partitions, sends one AlterPartitionReassignments for all of them, and keeps what the node
writes. A bare kazoo client then writes the same bytes, in the same multis, into a twin of that
cluster. Both are repeated, with cancels in between; the ratio is the median over the rounds.
`--profile` says where the node's time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median

from kazoo.client import KazooClient, TransactionRequest
from kazoo.protocol.serialization import Create as KazooCreate
from kazoo.security import OPEN_ACL_UNSAFE

from klamm.controller.core.ibp import by_name
from klamm.controller.core.ops import Check, Create, Delete, Op, SetData
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.store.options import ZookeeperOptions
from klamm.controller.store.port import Post
from klamm.controller.store.zookeeper import ZookeeperStore
from klamm.protocol.connection import ClientConnection, Response
from klamm.protocol.generated.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from klamm.protocol.generated.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from klamm.tools.bench._node import (
    BROKERS,
    HOST,
    LocalNode,
    fill,
    replicas_of,
    silent_brokers,
    topic_name,
)
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

NODE_ID = 900
PROTOCOLS = ("2.4-IV0", "3.9-IV0")


@dataclass
class Recorder:
    """What a node commits, in order; an `OpenStore`."""

    options: ZookeeperOptions
    commits: list[tuple[Op, ...]] = field(default_factory=list)

    def __call__(self, post: Post) -> ZookeeperStore:
        """Open a session whose commits are kept."""
        commits = self.commits

        class Recording(ZookeeperStore):
            def commit(self, request: int, ops: Sequence[Op], fence: Check | None) -> None:
                commits.append((*([fence] if fence else []), *ops))
                super().commit(request, ops, fence)

            def update(self, request: int, op: Op) -> None:
                commits.append((op,))
                super().update(request, op)

        return Recording(self.options, post)


class BareClient:
    """kazoo, and nothing above it."""

    def __init__(self, connect: str) -> None:
        self._client = KazooClient(connect, timeout=60.0)
        self._client.start()
        _, slash, path = connect.partition("/")
        self._chroot = slash + path

    def close(self) -> None:
        """End the session."""
        self._client.stop()
        self._client.close()

    def commit(self, ops: Sequence[Op]) -> None:
        """Write one multi; raises RuntimeError if ZooKeeper refuses it."""
        transaction = self.transaction(ops)
        faults = [result for result in transaction.commit() if isinstance(result, Exception)]
        if faults:
            raise RuntimeError(f"ZooKeeper refused: {faults[:3]}")

    def transaction(self, ops: Sequence[Op]) -> TransactionRequest:
        """Put the operations into kazoo's form."""
        transaction: TransactionRequest = self._client.transaction()
        for op in ops:
            match op:
                case Check(path, version):
                    transaction.check(path, version)
                case SetData(path, data, version):
                    transaction.set_data(path, data, version)
                case Delete(path, version):
                    transaction.delete(path, version)
                case Create(path, data, ephemeral, sequential):
                    flags = ephemeral + 2 * sequential
                    # kazoo's own method refuses null data.
                    whole = self._chroot + path
                    transaction.operations.append(KazooCreate(whole, data, OPEN_ACL_UNSAFE, flags))
        return transaction

    def replay(self, commits: Sequence[Sequence[Op]]) -> None:
        """Write these multis; what the node was refused is refused here too."""
        for ops in commits:
            self.transaction(ops).commit()

    def seconds(self, commits: Sequence[Sequence[Op]]) -> float:
        """Write these multis one after the other, made ready before; return the seconds."""
        transactions = [self.transaction(ops) for ops in commits]
        started = time.perf_counter()
        results = [transaction.commit() for transaction in transactions]
        elapsed_s = time.perf_counter() - started
        faults = [found for result in results for found in result if isinstance(found, Exception)]
        if faults:
            raise RuntimeError(f"the twin is not the same: {faults[:3]}")
        return elapsed_s


@dataclass(frozen=True, slots=True)
class Round:
    """Seconds of one start of all moves, and what it wrote."""

    ours_s: float
    bare_s: float
    multis: int
    ops: int


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured under one inter.broker.protocol.version."""

    protocol: str
    partitions: int
    rounds: tuple[Round, ...]

    @property
    def ratio(self) -> float:
        """How many times longer ours takes, in the same round."""
        return median(each.ours_s / each.bare_s for each in self.rounds)

    def __str__(self) -> str:
        ours, bare = ([each.ours_s for each in self.rounds], [each.bare_s for each in self.rounds])
        last = self.rounds[-1]
        return (
            f"{self.partitions:,} reassignments started, IBP {self.protocol}:"
            f" {last.ops:,} operations in {last.multis} multis\n"
            f"  klamm, request to answer {median(ours):6.3f} s  ({min(ours):.3f}-{max(ours):.3f})\n"
            f"  kazoo, the same multis   {median(bare):6.3f} s  ({min(bare):.3f}-{max(bare):.3f})\n"
            f"  ratio                    {self.ratio:6.1f}"
        )


def request(topics: int, partitions: int, *, cancel: bool) -> AlterPartitionReassignmentsRequest:
    """Ask for a new last replica everywhere, or take that back."""
    wanted = []
    for number in range(partitions):
        spare = BROKERS[(number + len(replicas_of(number))) % len(BROKERS)]
        target = None if cancel else (*replicas_of(number)[:-1], spare)
        wanted.append(ReassignablePartition(number, target))
    every = tuple(wanted)
    return AlterPartitionReassignmentsRequest(
        topics=tuple(ReassignableTopic(topic_name(number), every) for number in range(topics))
    )


def answered(connection: socket.socket, message: AlterPartitionReassignmentsRequest) -> float:
    """Return the seconds from the request to the last byte of its answer, which must be good."""
    protocol = ClientConnection("bench")
    _, data = protocol.send_request(message, 0)
    started = time.perf_counter()
    connection.sendall(data)
    answer = bytearray()
    while len(answer) < 4 or len(answer) < 4 + int.from_bytes(answer[:4]):
        received = connection.recv(1 << 20)
        if not received:
            raise ConnectionError("the node closed the connection")
        answer += received
    elapsed_s = time.perf_counter() - started
    [event] = protocol.receive_data(bytes(answer))
    assert isinstance(event, Response) and isinstance(
        event.body, AlterPartitionReassignmentsResponse
    )
    codes = {part.error_code for topic in event.body.responses for part in topic.partitions}
    if event.body.error_code or codes != {0}:
        raise RuntimeError(f"the node refused: {event.body.error_code}, {codes}")
    return elapsed_s


def measure(
    protocol: str,
    topics: int,
    partitions: int,
    rounds: int,
    profiler: cProfile.Profile | None = None,
) -> Result:
    """Start and cancel all moves so often, at the node and in its twin."""
    found = []
    with ExitStack() as stack:
        server = stack.enter_context(EmbeddedZookeeper(heap_mib=2048))
        port = stack.enter_context(silent_brokers())
        root = BareClient(server.connect_string)
        stack.callback(root.close)
        root.commit([Create("/ours", None), Create("/twin", None)])
        for side in ("ours", "twin"):
            filler = BareClient(f"{server.connect_string}/{side}")
            fill(filler.commit, topics, partitions, port)
            filler.close()
        twin = BareClient(f"{server.connect_string}/twin")
        stack.callback(twin.close)
        recorder = Recorder(ZookeeperOptions(f"{server.connect_string}/ours"))
        config = ControllerConfig(
            NODE_ID,
            recorder.options.connect,
            protocol=by_name(protocol),
            auto_leader_rebalance=False,
        )
        node = stack.enter_context(LocalNode(config, recorder))
        address = (HOST, node.running.endpoint.port)
        client = stack.enter_context(socket.create_connection(address, timeout=60.0))
        start, cancel = (request(topics, partitions, cancel=cancel) for cancel in (False, True))
        for _ in range(rounds):
            twin.replay(_taken(recorder))  # what the node wrote for other reasons
            if profiler:
                node.call(profiler.enable)
            ours_s = answered(client, start)
            if profiler:
                node.call(profiler.disable)
            _come_to_rest(node)
            commits = _taken(recorder)
            bare_s = twin.seconds(commits)
            found.append(Round(ours_s, bare_s, len(commits), sum(map(len, commits))))
            answered(client, cancel)
            _come_to_rest(node)
    return Result(protocol, topics * partitions, tuple(found))


def _come_to_rest(node: LocalNode) -> None:
    """Wait until the node's thread has nothing to do: what follows an answer is not measured."""
    prompt = 0
    while prompt < 10:
        asked = time.perf_counter()
        node.call(lambda: None)
        prompt = prompt + 1 if time.perf_counter() - asked < 0.002 else 0
        time.sleep(0.01)


def _taken(recorder: Recorder) -> list[tuple[Op, ...]]:
    taken, recorder.commits[:] = [*recorder.commits], []
    return taken


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m klamm.tools.bench.reassign")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--partitions", type=int, default=100, help="of each topic")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--smoke", action="store_true", help="4 topics of 25 partitions, 1 round")
    parser.add_argument("--profile", action="store_true", help="print where the node's time goes")
    chosen = parser.parse_args()
    topics, partitions, rounds = chosen.topics, chosen.partitions, chosen.rounds
    if chosen.smoke:
        topics, partitions, rounds = 4, 25, 1
    gc.set_threshold(200_000, 10, 10)  # as `klamm serve` does
    for protocol in PROTOCOLS:
        profiler = cProfile.Profile() if chosen.profile else None
        print(measure(protocol, topics, partitions, rounds, profiler), flush=True)
        if profiler:
            pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
