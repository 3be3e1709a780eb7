"""The logs of a real controller, Kafka 3.9.1 in ZooKeeper mode, made anew and taken in."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from kafka import KafkaProducer
from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from peers.java_tools.tools import JavaTools
from peers.kafka_jars import LOG_DIRS, REASSIGN_PARTITIONS, TOPICS
from peers.real_brokers.cluster import START_SECONDS, RealBroker
from processes import wait_until

from klamm.controller.znodes.paths import REASSIGN_PARTITIONS as ORDERS
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper
from klamm.tools.pipeline.formats import Bad, Good, Source, read

pytestmark = pytest.mark.slow

BROKERS = (0, 1, 2)
#: Spark with little to do.
SMALL = ["--conf", "spark.driver.memory=512m", "--conf", "spark.sql.shuffle.partitions=2"]

Moves = dict[tuple[str, int], list[int]]
#: Paths of logs, and what tools said, by name.
Played = tuple[list[Path], dict[str, str]]

#: Two of the appenders of Kafka's own config/log4j.properties, as they are there.
LOG4J = """\
log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={folder}/server.log
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d] %p %m (%c)%n

log4j.appender.stateChangeAppender=org.apache.log4j.DailyRollingFileAppender
log4j.appender.stateChangeAppender.DatePattern='.'yyyy-MM-dd-HH
log4j.appender.stateChangeAppender.File={folder}/state-change.log
log4j.appender.stateChangeAppender.layout=org.apache.log4j.PatternLayout
log4j.appender.stateChangeAppender.layout.ConversionPattern=[%d] %p %m (%c)%n

log4j.appender.controllerAppender=org.apache.log4j.DailyRollingFileAppender
log4j.appender.controllerAppender.DatePattern='.'yyyy-MM-dd-HH
log4j.appender.controllerAppender.File={folder}/controller.log
log4j.appender.controllerAppender.layout=org.apache.log4j.PatternLayout
log4j.appender.controllerAppender.layout.ConversionPattern=[%d] %p %m (%c)%n

log4j.logger.kafka.controller=TRACE, controllerAppender
log4j.additivity.kafka.controller=false
log4j.logger.state.change.logger=INFO, stateChangeAppender
log4j.additivity.state.change.logger=false
"""


class StockController:
    """Three brokers of Kafka 3.9.1, the first of which to come is the controller."""

    def __init__(self, folder: Path, protocol: str) -> None:
        self.folder = folder
        self._protocol = protocol
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            server = stack.enter_context(EmbeddedZookeeper())
            self.zookeeper = KazooClient(server.connect_string)
            self.zookeeper.start()
            stack.callback(self.zookeeper.close)
            stack.callback(self.zookeeper.stop)
            self.brokers = {}
            for id_ in BROKERS:
                home = self.folder / f"broker{id_}"
                broker = RealBroker(id_, home, server.connect_string, self._protocol)
                (home / "log4j.properties").write_text(LOG4J.format(folder=home))
                stack.callback(broker.stop)
                self.brokers[id_] = broker
            self._stack = stack.pop_all()
        try:
            for id_ in BROKERS:
                self.start(id_)
        except BaseException:
            self._stack.close()
            raise
        self._runner = self._stack.enter_context(JavaTools())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def start(self, id_: int) -> None:
        """Start a broker, and wait until it is registered."""
        broker = self.brokers[id_]
        broker.start()
        self.until(lambda: id_ in self.registered() or not broker.runs, f"broker {id_}")
        assert broker.runs, broker.last_words()

    def until(self, condition: Callable[[], bool], what: str) -> None:
        wait_until(condition, what, START_SECONDS)

    def registered(self) -> set[int]:
        """Return the brokers that have a session."""
        try:
            return {int(name) for name in self.zookeeper.get_children("/brokers/ids")}
        except NoNodeError:
            return set()

    def json(self, path: str) -> dict[str, Any]:
        """Return a znode's content; nothing if there is none."""
        try:
            found: dict[str, Any] = json.loads(self.zookeeper.get(path)[0])
        except NoNodeError:
            return {}
        return found

    @property
    def controller(self) -> int | None:
        found: int | None = self.json("/controller").get("brokerid")
        return found

    def is_led(self, topic: str) -> bool:
        """Tell whether the first partition of a topic has had a leader."""
        return bool(self.isr(topic))

    def isr(self, topic: str, partition: int = 0) -> set[int]:
        found = self.json(f"/brokers/topics/{topic}/partitions/{partition}/state")
        return set(found.get("isr", ()))

    def adding(self, topic: str) -> dict[str, Any]:
        """Return the replicas that are added, by partition."""
        found: dict[str, Any] = self.json(f"/brokers/topics/{topic}").get("adding_replicas", {})
        return found

    def replicas(self, topic: str, partition: int) -> list[int]:
        """Return a partition's replicas."""
        found: list[int] = self.json(f"/brokers/topics/{topic}")["partitions"][str(partition)]
        return found

    @property
    def bootstrap(self) -> str:
        ports = [self.json(f"/brokers/ids/{id_}")["port"] for id_ in sorted(self.registered())]
        return ",".join(f"127.0.0.1:{port}" for port in ports)

    def tool(self, main: str, *arguments: str) -> str:
        """Run a tool of Kafka; return what it wrote."""
        run = self._runner.run(main, "--bootstrap-server", self.bootstrap, *arguments)
        assert run.status == 0, run
        return run.out

    def plan(self, name: str, moves: Moves) -> str:
        """Write a plan's file; return its path."""
        path = self.folder / f"{name}.json"
        entries = [{"topic": t, "partition": p, "replicas": to} for (t, p), to in moves.items()]
        path.write_text(json.dumps({"version": 1, "partitions": entries}))
        return str(path)

    def reassign(self, action: str, plan: str, *options: str) -> str:
        """Run kafka-reassign-partitions with a plan."""
        return self.tool(REASSIGN_PARTITIONS, action, "--reassignment-json-file", plan, *options)

    def move(self, name: str, moves: Moves, rate: int) -> str:
        """Begin moves at so many bytes per second."""
        throttled = ("--throttle", str(rate), "--additional")
        return self.reassign("--execute", self.plan(name, moves), *throttled)

    @property
    def logs(self) -> list[Path]:
        return sorted(self.folder.glob("broker*/controller.log")) + sorted(
            self.folder.glob("broker*/state-change.log")
        )


def fill(stage: StockController) -> None:
    """Make topics, and records that take a while to copy."""
    for topic, lists in (("orders", "0:1,1:2,2:0"), ("payments", "0:1:2"), ("old", "0:1")):
        stage.tool(TOPICS, "--create", "--topic", topic, "--replica-assignment", lists)
        stage.until(partial(stage.is_led, topic), f"the leaders of {topic}")
    producer = KafkaProducer(bootstrap_servers=stage.bootstrap, acks="all", linger_ms=20)
    for number in range(180):
        producer.send("orders", b"x" * 20_000, partition=number % 3)
    producer.flush()
    producer.close()


def play(stage: StockController) -> dict[str, str]:
    """Let a real controller do what a history is made of; return what tools said meanwhile."""
    said: dict[str, str] = {}
    done = stage.plan("done", {("orders", 0): [2, 1]})
    stage.reassign("--execute", done)
    stage.until(lambda: stage.isr("orders") == {1, 2}, "orders-0 to have moved")
    said["verify-done"] = stage.reassign("--verify", done)

    held: Moves = {("orders", 1): [2, 0], ("orders", 2): [1, 0]}
    said["execute"] = stage.move("held", held, 1)
    stage.until(lambda: len(stage.adding("orders")) == 2, "two moves")
    said["list"] = stage.tool(REASSIGN_PARTITIONS, "--list")
    running = stage.plan("running", held)
    said["verify-running"] = stage.reassign("--verify", running, "--preserve-throttles")
    said["describe"] = stage.tool(TOPICS, "--describe")
    said["log-dirs"] = stage.tool(LOG_DIRS, "--describe")
    stage.move("other", {("orders", 1): [0, 1]}, 1)
    stage.until(lambda: stage.replicas("orders", 1) == [0, 1, 2], "another target")
    stage.reassign("--cancel", stage.plan("back", {("orders", 1): [0, 1]}), "--preserve-throttles")
    fail_over(stage)
    said["verify-end"] = stage.reassign("--verify", running)
    return said


def fail_over(stage: StockController) -> None:
    """Kill the controller while a move is under way, and let its successor end it."""
    first = stage.controller
    assert first is not None
    stage.brokers[first].kill()
    stage.until(lambda: stage.controller not in (None, first), "another controller")
    stage.start(first)
    stage.until(lambda: stage.isr("payments") == set(BROKERS), "all in sync again")
    stage.move("again", {("orders", 2): [1, 0]}, 100_000_000)
    stage.until(lambda: not stage.adding("orders"), "the end of the move")


def finish(stage: StockController) -> None:
    """Order a move as tools of before 2.4 do, delete a topic, and let the controller leave."""
    entry = {"topic": "payments", "partition": 0, "replicas": [2, 1]}
    order = json.dumps({"version": 1, "partitions": [entry]}).encode()
    stage.zookeeper.create(ORDERS, order)
    stage.until(lambda: not stage.zookeeper.exists(ORDERS), "the entry's end")
    second = stage.controller
    assert second is not None
    stage.tool(TOPICS, "--delete", "--topic", "old")
    stage.until(lambda: not stage.zookeeper.exists("/brokers/topics/old"), "the deletion")
    stage.brokers[second].shut_down()
    stage.until(lambda: stage.controller not in (None, second), "a third controller")


@pytest.fixture(scope="module", params=["3.9-IV0", "2.4-IV0"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The logs of a cluster that is over, and what tools said of it."""
    folder = tmp_path_factory.mktemp("stock")
    with StockController(folder, request.param) as stage:
        fill(stage)
        said = play(stage)
        finish(stage)
        return stage.logs, said


def test_every_line_is_understood(played: Played) -> None:
    logs, said = played
    assert len(logs) == 2 * len(BROKERS)
    texts = {**{str(path): path.read_text() for path in logs}, **said}
    for name, text in texts.items():
        found = list(read(enumerate(text.splitlines(), 1), Source(name, "stock", 0)))
        assert [each for each in found if isinstance(each, Bad)] == [], name
        # A broker that has never been controller says nothing of note in its controller.log.
        assert name.endswith("controller.log") or any(isinstance(each, Good) for each in found)


def test_moves_are_told_and_rules_are_kept(played: Played, tmp_path: Path) -> None:
    told_of(played, tmp_path, "--plain")


@pytest.mark.parametrize("played", ["3.9-IV0"], indirect=True)
def test_spark_says_the_same(played: Played, tmp_path: Path) -> None:
    told_of(played, tmp_path, "--master", "local[2]", *SMALL)


def told_of(played: Played, folder: Path, *engine: str) -> None:
    """Take the logs in, and look at what jobs say of them."""
    logs, _ = played
    lake = str(folder / "lake")
    ingested = pipeline("ingest", *map(str, logs), "--to", lake, "--cluster", "stock", *engine)
    assert ingested["quarantined"] == 0
    moves = pipeline("moves", lake, *engine)
    results = {each["result"]: each["moves"] for each in moves["results"]}
    assert results == {"cancelled": 1, "done": 3, "superseded": 1}
    verdicts = pipeline("check", lake, *engine)
    assert verdicts["broken"] == []
    kept = [each for each in verdicts["counts"] if each["subject"] == "partition"]
    assert [(each["verdict"], each["count"]) for each in kept] == [("kept", 5)]


def pipeline(job: str, *words: str) -> dict[str, Any]:
    """Run a job of `klamm pipeline`, which must end well; return its answer."""
    command = [sys.executable, "-P", "-c", "from klamm.tools.cli.main import main; main()"]
    run = subprocess.run(
        [*command, "pipeline", job, *words, "--json"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer
