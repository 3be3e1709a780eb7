"""`klamm demo`: unmodified kafka-python moves and cancels replicas through klamm.

Everything printed was asked for over the wire or read from ZooKeeper; the only look behind the
scenes is the number of bytes on the simulated disks, for the progress line.
"""

import json
import logging
import signal
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from klamm.controller.core.model import TopicPartition
from klamm.controller.znodes import paths
from klamm.tools.cli._cluster import ClusterOptions, LocalCluster, set_up_logging
from klamm.tools.embedded.errors import EmbeddedError

T = TypeVar("T")

MIB = 1024 * 1024
TOPIC = "orders"
FIRST = TopicPartition(TOPIC, 0)
SECOND = TopicPartition(TOPIC, 1)
NEW_BROKER = 4

_POLL_SECONDS = 0.05
_WAIT_SECONDS = 30.0


class DemoError(Exception):
    """The demo saw something else than it promised."""


@click.command()
def command() -> None:
    """Show klamm at work: real ZooKeeper, brokers, moves with progress."""
    if find_spec("kafka") is None:
        raise click.ClickException(
            "the demo drives klamm with kafka-python, which is not installed: "
            "pip install kafka-python"
        )
    set_up_logging()
    # What its client meets reaches the story as an exception; the log would only tell it again.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(highlight=False)
    started = time.monotonic()
    options = ClusterOptions(partition_bytes=24 * MIB, bandwidth=8.0 * MIB)
    try:
        console.print("[dim]starting ZooKeeper, a controller and five brokers ...[/]")
        with LocalCluster(options) as local:
            ready = time.monotonic()
            Demo(console, local).run()
            shown = time.monotonic()
    except (DemoError, EmbeddedError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        console.print("stopped; nothing is left behind")
        raise click.exceptions.Exit(130) from None
    console.print(
        f"\n{shown - ready:.1f} s of demo, after {ready - started:.1f} s for a real ZooKeeper, a"
        " controller and brokers to start. All of it is gone.\n"
        "A cluster of your own, until Ctrl-C: [bold]python3 tools/dev.py up[/]"
        " (or [bold]klamm up[/] where klamm is installed)",
        soft_wrap=True,
    )


class Demo:
    """The story, step by step, on a cluster that runs."""

    def __init__(self, console: Console, local: LocalCluster) -> None:
        self._console = console
        self._local = local

    def run(self) -> None:
        """Tell it; raises DemoError when something does not come true."""
        from kafka import KafkaAdminClient
        from kazoo.client import KazooClient

        cluster = self._local.cluster
        self._zookeeper = KazooClient(cluster.zookeeper)
        self._zookeeper.start()
        try:
            self._say(
                f"ZooKeeper on {cluster.zookeeper}, controller node {cluster.node.config.node_id}"
                f" on {cluster.bootstrap}, brokers {', '.join(map(str, cluster.brokers.brokers))}"
            )
            self._admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
            try:
                self._create()
                self._refuse()
                self._move()
                self._cancel()
            finally:
                self._admin.close()
        finally:
            self._zookeeper.stop()
            self._zookeeper.close()

    def _create(self) -> None:
        self._step(f"kafka-python creates [bold]{TOPIC}[/], two partitions on brokers 1, 2 and 3")
        self._admin.create_topics({TOPIC: {"assignments": {0: [1, 2, 3], 1: [1, 2, 3]}}})
        self._await_metadata(FIRST, "replicas", lambda found: found["replica_nodes"] == [1, 2, 3])
        self._show_znode()

    def _refuse(self) -> None:
        self._step(f"a target that cannot be: {FIRST} to brokers 4 and 9")
        self._say(f"refused: [bold]{self._alter(FIRST, [4, 9])}[/]; nothing has changed")

    def _move(self) -> None:
        self._step(f"move {FIRST}: brokers 1, 2, 3  [bold]to[/]  4, 3, 2")
        refusal = self._alter(FIRST, [4, 3, 2])
        if refusal is not None:
            raise DemoError(f"the move of {FIRST} was refused: {refusal}")
        self._show_listed(FIRST)
        self._show_znode()
        seconds = self._follow(FIRST)
        found = self._await_metadata(
            FIRST, "the end of the move", lambda found: found["replica_nodes"] == [4, 3, 2]
        )
        self._say(
            f"Metadata after {seconds:.1f} s: replicas [bold]{found['replica_nodes']}[/],"
            f" leader {found['leader_id']}, in sync {sorted(found['isr_nodes'])}"
        )
        self._show_znode()
        self._await(lambda: self._bytes(1, FIRST) is None, "broker 1 to delete its replica")
        self._say("broker 1 has deleted its replica")

    def _cancel(self) -> None:
        self._step(f"start another, and think better of it: {SECOND} to 3, 4, 2")
        self._alter(SECOND, [3, 4, 2])
        self._show_listed(SECOND)
        self._follow(SECOND, until=self._local.cluster.partition_bytes // 2)
        self._say(f"cancel: [bold]{self._alter(SECOND, None) or 'accepted'}[/]")
        if self._admin.list_partition_reassignments():
            raise DemoError(f"{SECOND} is still listed after its cancel")
        self._show_znode()
        self._await(
            lambda: self._bytes(NEW_BROKER, SECOND) is None, "broker 4 to delete what it copied"
        )
        self._say("nothing is moving; broker 4 has deleted what it had copied; as with Kafka, a")
        self._say("cancel gives the old replicas back, but not their old order")
        self._say(f"a second cancel: [bold]{self._alter(SECOND, None)}[/]")

    def _alter(self, partition: TopicPartition, target: list[int] | None) -> str | None:
        """Ask for a move or a cancel; return the name of the refusal, None if there is none."""
        from kafka import TopicPartition as KafkaPartition

        name = KafkaPartition(*partition)
        error = self._admin.alter_partition_reassignments({name: target})[name]
        return None if error is None else error.__name__

    def _show_listed(self, partition: TopicPartition) -> None:
        listed = self._admin.list_partition_reassignments()
        if not listed:
            raise DemoError(f"{partition} is not listed as moving")
        [found] = listed.values()
        self._say(
            f"list-reassignments: replicas [bold]{found['replicas']}[/],"
            f" adding [green]{found['adding_replicas']}[/],"
            f" removing [red]{found['removing_replicas']}[/]"
        )

    def _show_znode(self) -> None:
        """Print the topic znode as it stands in ZooKeeper, its keys in an order for people."""
        data, _ = self._zookeeper.get(paths.topic(TOPIC))
        fields = json.loads(data)
        order = ("version", "partitions", "adding_replicas", "removing_replicas")
        fields = {key: fields[key] for key in order if key in fields} | fields
        text = json.dumps(fields, separators=(",", ":"))
        self._console.print(f"  [dim]{paths.topic(TOPIC)}[/]", end=" ", soft_wrap=True)
        self._console.print(text, style="cyan", markup=False, soft_wrap=True)

    def _follow(self, partition: TopicPartition, until: int | None = None) -> float:
        """Show bytes arriving until the move ends, or until so many; return the seconds."""
        started = time.monotonic()
        total = self._local.cluster.partition_bytes
        with _Bar(self._console, f"{partition} to broker {NEW_BROKER}", total) as bar:
            while self._admin.list_partition_reassignments():
                done = self._bytes(NEW_BROKER, partition) or 0
                bar.update(done)
                if until is not None and done >= until:
                    break
                self._check_time(started, f"the move of {partition}")
                time.sleep(_POLL_SECONDS)
            else:
                bar.update(self._bytes(NEW_BROKER, partition) or 0)
        return time.monotonic() - started

    def _bytes(self, broker: int, partition: TopicPartition) -> int | None:
        """Return the size of a replica on a broker's disks, None if there is none."""
        log = self._local.call(self._local.cluster.brokers.logs, broker).get(partition)
        return log.end if log else None

    def _await_metadata(
        self, partition: TopicPartition, what: str, test: Callable[[dict[str, Any]], bool]
    ) -> dict[str, Any]:
        """Ask for Metadata until the partition is as wanted, and return it."""

        def wanted() -> dict[str, Any] | None:
            for topic in self._admin.describe_topics([TOPIC]):
                for found in topic["partitions"]:
                    if found["partition_index"] == partition.partition and test(found):
                        return dict(found)
            return None

        return self._await(wanted, f"{what} of {partition} in Metadata")

    def _await(self, ask: Callable[[], T | None], what: str) -> T:
        """Ask until the answer is more than None, False or nothing, and return it."""
        started = time.monotonic()
        while not (found := ask()):
            self._check_time(started, what)
            time.sleep(_POLL_SECONDS)
        return found

    def _check_time(self, started: float, what: str) -> None:
        if time.monotonic() - started > _WAIT_SECONDS:
            raise DemoError(f"waited {_WAIT_SECONDS:g} s in vain for {what}")

    def _step(self, text: str) -> None:
        self._console.print(f"\n[bold yellow]*[/] {text}")

    def _say(self, text: str) -> None:
        self._console.print(f"  {text}", soft_wrap=True)


class _Bar:
    """A progress bar on a terminal, a line per quarter elsewhere."""

    def __init__(self, console: Console, label: str, total: int) -> None:
        self._console, self._label, self._total = console, label, total
        self._printed = -1
        self._progress = Progress(
            TextColumn("  {task.description}"), BarColumn(), DownloadColumn(True), console=console
        )
        self._task = self._progress.add_task(label, total=total)

    def __enter__(self) -> "_Bar":
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._progress.stop()

    def update(self, done: int) -> None:
        """Show how many bytes are there."""
        quarter = 4 * done // self._total
        if self._console.is_terminal:
            self._progress.update(self._task, completed=done)
        elif quarter > self._printed:
            self._printed = quarter
            text = f"  {self._label}  {done / MIB:5.1f} of {self._total / MIB:.1f} MiB"
            self._console.print(text, markup=False)
