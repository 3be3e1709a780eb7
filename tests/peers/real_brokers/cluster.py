"""Three brokers of Kafka 3.9.1 in ZooKeeper mode, with klamm as their controller.

Every process ends with this one, even if this one is killed; all files are in one folder.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kafka import KafkaAdminClient
from kazoo.client import KazooClient
from peers.kafka_jars import BROKER, kafka_java
from peers.real_brokers.logs import Logs
from processes import wait_until
from wire import ask

from klamm.protocol.generated.metadata_request import MetadataRequest, MetadataRequestTopic
from klamm.protocol.generated.metadata_response import MetadataResponse
from klamm.tools.embedded.process import WatchedProcess
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper

CONTROLLER = 100
BROKERS = (0, 1, 2)

SESSION_MS = 6000
START_SECONDS = 90.0

_SERVER = """\
broker.id={broker}
listeners=PLAINTEXT://127.0.0.1:0
zookeeper.connect={zookeeper}
zookeeper.session.timeout.ms={session_ms}
inter.broker.protocol.version={protocol}
log.dirs={folder}/data
auto.create.topics.enable=false
delete.topic.enable=true
controlled.shutdown.retry.backoff.ms=500
log.segment.bytes=1048576
log.index.size.max.bytes=65536
log.cleaner.enable=false
num.network.threads=1
num.io.threads=2
num.recovery.threads.per.data.dir=1
background.threads=2
replica.fetch.max.bytes=65536
offsets.topic.replication.factor=1
offsets.topic.num.partitions=8
"""

_LOG4J = """\
log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={log}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=%d{{HH:mm:ss,SSS}} %p %m (%c)%n
"""


class RealBroker:
    """One broker process after the other, on the same folder: its log, its data."""

    def __init__(self, broker: int, folder: Path, zookeeper: str, protocol: str) -> None:
        self.id = broker
        self.log = folder / "server.log"
        self.data = folder / "data"
        self._folder = folder
        self._process: WatchedProcess | None = None
        folder.mkdir()
        self._properties = folder / "server.properties"
        self._properties.write_text(
            _SERVER.format(
                broker=broker,
                folder=folder,
                zookeeper=zookeeper,
                session_ms=SESSION_MS,
                protocol=protocol,
            )
        )
        self._log4j = folder / "log4j.properties"
        self._log4j.write_text(_LOG4J.format(log=self.log))

    def start(self) -> None:
        """Start it, without waiting."""
        command = kafka_java(BROKER, heap_mib=256, log4j=self._log4j)
        with (self._folder / "output.log").open("ab", buffering=0) as output:
            self._process = WatchedProcess(
                [*command, str(self._properties)], cwd=self._folder, log=output
            )

    def kill(self) -> None:
        """Let it die at once, without a word to anybody."""
        self._end(signal.SIGKILL)

    def shut_down(self) -> None:
        """Ask it to leave in good order, and wait until it has."""
        self._end(signal.SIGTERM)

    def stop(self) -> None:
        """End it, if it runs."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def pause(self) -> None:
        """Let it stand still: alive for its session's time, and silent."""
        os.kill(self._running().pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self._running().pid, signal.SIGCONT)

    def replicas(self) -> set[str]:
        """Return the names of its log directories, e.g. t-0; a deleted one is renamed at once."""
        return {entry.name for entry in self.data.iterdir() if entry.is_dir()}

    def last_words(self) -> str:
        """Return the end of what it wrote."""
        output = self._folder / "output.log"
        return "".join(path.read_text()[-2000:] for path in (output, self.log) if path.exists())

    def _running(self) -> WatchedProcess:
        assert self._process is not None, f"broker {self.id} does not run"
        return self._process

    def _end(self, how: signal.Signals) -> None:
        process = self._running()
        os.kill(process.pid, how)
        process.wait(START_SECONDS)
        self.stop()


class RealCluster:
    """ZooKeeper, klamm and the brokers; a context manager that has all of them running.

    `properties` are klamm's, beside those that it needs.
    """

    def __init__(
        self, protocol: str, folder: Path, properties: Mapping[str, str] | None = None
    ) -> None:
        self.protocol = protocol
        self._folder = folder
        self._properties = properties or {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = self._folder
            server = stack.enter_context(EmbeddedZookeeper())
            self.zookeeper = KazooClient(server.connect_string)
            self.zookeeper.start()
            stack.callback(self.zookeeper.close)
            stack.callback(self.zookeeper.stop)
            self.klamm_log = folder / "klamm.log"
            self.klamm = self._start_klamm(folder, server.connect_string)
            stack.callback(self.klamm.stop)
            self.brokers = {
                broker: RealBroker(
                    broker, folder / f"broker{broker}", server.connect_string, self.protocol
                )
                for broker in BROKERS
            }
            for broker in self.brokers.values():
                stack.callback(broker.stop)
            files = {f"broker {broker.id}": broker.log for broker in self.brokers.values()}
            self.logs = Logs({"klamm": self.klamm_log, **files})
            ready = folder / "ready.json"
            wait_until(
                lambda: ready.exists() or self.klamm.poll() is not None,
                "klamm serve to be ready",
                START_SECONDS,
            )
            assert ready.exists(), self.klamm_log.read_text()
            self.bootstrap = json.loads(ready.read_text())["bootstrap"]
            self.start(*BROKERS)
            self.admin = KafkaAdminClient(bootstrap_servers=self.addresses())
            stack.callback(self.admin.close)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def start(self, *brokers: int) -> None:
        """Start brokers side by side; return when each knows all that run, and the controller."""
        for broker in brokers:
            self.brokers[broker].start()
        for broker in brokers:
            self._await_ready(broker)

    def registered(self) -> set[int]:
        """Return the brokers that have a session."""
        return {int(name) for name in self.zookeeper.get_children("/brokers/ids")}

    def port(self, broker: int) -> int:
        """Return where a registered broker listens; another port after each start."""
        data, _ = self.zookeeper.get(f"/brokers/ids/{broker}")
        port = json.loads(data)["port"]
        assert isinstance(port, int)
        return port

    def addresses(self) -> list[str]:
        """Return bootstrap servers: the real brokers, without klamm."""
        return [f"127.0.0.1:{self.port(broker)}" for broker in sorted(self.registered())]

    def state(self, topic: str, partition: int = 0) -> dict[str, Any]:
        """Return a partition's state znode: leader, isr, epochs."""
        return self._json(f"/brokers/topics/{topic}/partitions/{partition}/state")

    def topic(self, topic: str) -> dict[str, Any]:
        """Return a topic's znode."""
        return self._json(f"/brokers/topics/{topic}")

    def _json(self, path: str) -> dict[str, Any]:
        data, _ = self.zookeeper.get(path)
        found = json.loads(data)
        assert isinstance(found, dict)
        return found

    def metadata(self, port: int, *topics: str) -> MetadataResponse:
        """Ask one node, by its port, for the cluster and some topics."""
        request = MetadataRequest(topics=tuple(MetadataRequestTopic(name=name) for name in topics))
        response = ask(port, request, 9)
        assert isinstance(response, MetadataResponse)
        return response

    def _await_ready(self, broker: int) -> None:
        what = f"broker {broker} to know the cluster"
        wait_until(lambda: self._is_ready(broker), what, START_SECONDS)

    def _is_ready(self, broker: int) -> bool:
        running = {number for number, other in self.brokers.items() if other.runs}
        assert self.klamm.poll() is None, f"klamm ended: {self.klamm_log.read_text()}"
        assert broker in running, f"broker {broker} ended: {self.brokers[broker].last_words()}"
        if broker not in self.registered():
            return False
        try:
            known = self.metadata(self.port(broker))
        except OSError:
            return False  # registered a moment before it listens
        listed = {found.node_id for found in known.brokers}
        return listed == running | {CONTROLLER} and known.controller_id == CONTROLLER

    def _start_klamm(self, folder: Path, zookeeper: str) -> WatchedProcess:
        overrides = {
            "node.id": CONTROLLER,
            "listeners": "PLAINTEXT://127.0.0.1:0",
            "zookeeper.connect": zookeeper,
            "inter.broker.protocol.version": self.protocol,
            "klamm.journal.file": folder / "journal.jsonl",
            **self._properties,
        }
        command = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]
        command += ["serve", "--ready-file", str(folder / "ready.json")]
        for key, value in overrides.items():
            command += ["--override", f"{key}={value}"]
        with self.klamm_log.open("ab", buffering=0) as log:
            return WatchedProcess(command, cwd=folder, log=log, grace=20.0)
