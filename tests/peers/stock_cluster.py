"""Kafka as it was released, 3.9.1 or 4.1.1: brokers with Kafka's own controller.

Every process ends with this one, even if this one is killed; all files are in one folder.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from peers.kafka_jars import BROKER, PROJECT, kafka_java
from processes import wait_until
from wire import ask

from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse, MetadataResponsePartition
from klamm.tools.admin import Admin, errors
from klamm.tools.embedded.process import WatchedProcess

HOST = "127.0.0.1"
BROKERS = (1, 2)
START_SECONDS = 120.0

_STORAGE_TOOL = "kafka.tools.StorageTool"
_KRAFT_ID = "a2xhbW0ta3JhZnQtdGVzdA"

# A throttle lets one fetch pass before it counts, and another each 11 s (ReplicationQuotaManager):
# they are small, lest a move at 1 B/s be over before a busy machine has looked at it.
_SERVER = """\
log.dirs={folder}/a,{folder}/b
auto.create.topics.enable=false
auto.leader.rebalance.enable=false
controlled.shutdown.enable=false
delete.topic.enable=true
log.cleaner.enable=false
log.index.size.max.bytes=65536
num.network.threads=1
num.io.threads=2
num.recovery.threads.per.data.dir=1
background.threads=2
offsets.topic.replication.factor=1
replica.fetch.max.bytes=32768
"""
_ZOOKEEPER = """\
broker.id={node}
listeners=PLAINTEXT://{host}:{port}
zookeeper.connect={zookeeper}
zookeeper.session.timeout.ms=6000
"""
_KRAFT = """\
node.id={node}
process.roles={roles}
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
listeners={listeners}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
broker.session.timeout.ms=6000
broker.heartbeat.interval.ms=1000
"""


class StockCluster:
    """The brokers while it is open; those of `quorum` are KRaft controllers too, if no `zookeeper`.

    `bootstrap` and `controllers` are where they listen. `project` has the jars of a release
    (kafka_jars): 3.9.1 unless another is named.
    """

    def __init__(
        self,
        folder: Path,
        zookeeper: str | None,
        project: Path = PROJECT,
        brokers: Sequence[int] = BROKERS,
        quorum: Sequence[int] = (1,),
    ) -> None:
        self._folder = folder
        self._project = project
        self._zookeeper = zookeeper
        self._processes: dict[int, WatchedProcess] = {}
        self._stack = ExitStack()
        ports = _free_ports(len(brokers) + len(quorum))
        self._ports = dict(zip(brokers, ports, strict=False))
        self._quorum = dict(zip(quorum, ports[len(brokers) :], strict=True))
        self.bootstrap = ",".join(f"{HOST}:{port}" for port in self._ports.values())
        self.controllers = ",".join(f"{HOST}:{port}" for port in self._quorum.values())

    def __enter__(self) -> Self:
        try:
            for node in self._ports:
                self._format(node)
            self.start(*self._ports)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def is_kraft(self) -> bool:
        return self._zookeeper is None

    def start(self, *nodes: int) -> None:
        """Start brokers side by side; return when each that runs knows all that do."""
        for node in nodes:
            self._start(node)
        for node in self._processes:
            what = f"broker {node} to come up"
            with Admin.connect(f"{HOST}:{self._ports[node]}") as admin:
                wait_until(partial(self._is_up, admin), what, START_SECONDS)

    def await_topic(self, name: str, partitions: int) -> None:
        """Wait until each broker that runs knows a topic, and leaders of all its partitions."""
        for node in self._processes:
            what = f"broker {node} to know {name}"
            wait_until(partial(self._knows, node, name, partitions), what, START_SECONDS)

    def await_replicas(self, name: str, expected: Mapping[int, Sequence[int]]) -> None:
        """Wait until each broker that runs shows these replicas of a topic, by partition.

        A broker may lag behind the controller, which is the one that knows what moves.
        """
        wanted = {number: tuple(replicas) for number, replicas in expected.items()}
        for node in self._processes:
            what = f"broker {node} to show {name} on {wanted}"
            wait_until(partial(self._shows, node, name, wanted), what, START_SECONDS)

    def kill(self, node: int) -> None:
        """Let a process die at once."""
        self._processes.pop(node).stop()

    def log_dir(self, node: int, name: str) -> str:
        """Return the path of log directory `a` or `b` of a broker."""
        return str(self._folder / str(node) / name)

    def _format(self, node: int) -> None:
        folder = self._folder / str(node)
        folder.mkdir(parents=True)
        properties = folder / "server.properties"
        properties.write_text(_SERVER.format(folder=folder) + self._mode(node))
        if self.is_kraft:
            tool = kafka_java(_STORAGE_TOOL, heap_mib=64, project=self._project)
            with (folder / "output.log").open("ab", buffering=0) as output:
                subprocess.run(
                    [*tool, "format", "-t", _KRAFT_ID, "-c", str(properties)],
                    stdout=output,
                    stderr=output,
                    check=True,
                    timeout=START_SECONDS,
                )

    def _start(self, node: int) -> None:
        folder = self._folder / str(node)
        with (folder / "output.log").open("ab", buffering=0) as output:
            command = kafka_java(BROKER, heap_mib=256, project=self._project)
            process = WatchedProcess(
                [*command, str(folder / "server.properties")], cwd=folder, log=output
            )
        self._processes[node] = process
        self._stack.callback(process.stop)

    def _mode(self, node: int) -> str:
        port = self._ports[node]
        if self._zookeeper is not None:
            return _ZOOKEEPER.format(node=node, host=HOST, port=port, zookeeper=self._zookeeper)
        listeners = f"PLAINTEXT://{HOST}:{port}"
        if controls := node in self._quorum:
            listeners += f",CONTROLLER://{HOST}:{self._quorum[node]}"
        return _KRAFT.format(
            node=node,
            roles="broker,controller" if controls else "broker",
            voters=",".join(f"{voter}@{HOST}:{at}" for voter, at in self._quorum.items()),
            listeners=listeners,
        )

    def _is_up(self, admin: Admin) -> bool:
        for node, process in self._processes.items():
            assert process.poll() is None, f"node {node} ended: {self._last_words(node)}"
        try:
            found = admin.describe_cluster(timeout_ms=1000).result()
        except errors.TimeoutError_:
            return False
        return set(found.brokers) == set(self._processes) and found.controller_id is not None

    def _knows(self, node: int, name: str, partitions: int) -> bool:
        leaders = [one.leader_id for one in self._partitions(node, name)]
        return len(leaders) == partitions and min(leaders) >= 0

    def _shows(self, node: int, name: str, wanted: Mapping[int, tuple[int, ...]]) -> bool:
        found = self._partitions(node, name)
        return {one.partition_index: one.replica_nodes for one in found} == wanted

    def _partitions(self, node: int, name: str) -> list[MetadataResponsePartition]:
        request = MetadataRequest(topics=(MetadataRequestTopic(name=name),))
        answer = ask(self._ports[node], request, 9)
        assert isinstance(answer, MetadataResponse)
        return [one for topic in answer.topics for one in topic.partitions]

    def _last_words(self, node: int) -> str:
        return (self._folder / str(node) / "output.log").read_text()[-2000:]


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody has now; a quorum must be told its own beforehand."""
    with ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [int(server.getsockname()[1]) for server in servers]
