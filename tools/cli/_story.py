"""The story that `klamm demo` tells, scene by scene, on a cluster that runs."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self, TypeVar

from klamm.controller.core.model import TopicPartition
from klamm.controller.znodes import paths
from klamm.tools.cli._cluster import LocalCluster
from klamm.tools.cli._moves import BROKERS, NAMES, NEW, SIZES, TOUR, targets, topics
from klamm.tools.cli._sizes import format_bytes
from klamm.tools.cli._stage import MovesView, Stage, order_after_cancel
from klamm.tools.reassign.copies import Copy, Progress, Snapshot

T = TypeVar("T")
Targets = Mapping[TopicPartition, tuple[int, ...]]

FROZEN = NEW[-1]

_POLL_SECONDS = 0.05
_LIST_SECONDS = 0.3
_WAIT_SECONDS = 60.0
_BOOTSTRAP_MS = 3000
_FREEZE_AT, _CANCEL_AFTER, _KILL_AT = 0.2, 2.0, 0.6


class DemoError(Exception):
    """The demo saw something else than it promised."""


class Story:
    """Tells everything on a cluster with the topics of `topics(partitions)`."""

    def __init__(self, stage: Stage, local: LocalCluster, partitions: int) -> None:
        self._stage = stage
        self._local = local
        self._created = topics(partitions)
        self._targets = targets(self._created)
        self._cancelled: set[TopicPartition] = set()

    def tell(self) -> None:
        """Tell it; raises DemoError when something does not come true."""
        cluster = self._local.cluster
        place = f"ZooKeeper on {cluster.zookeeper}" if cluster.zookeeper else "ZooKeeper in memory"
        nodes = " and ".join(f"{node.id} on {node.address}" for node in cluster.nodes)
        self._stage.say(f"{place}, controller {nodes}")
        self._stage.say(
            f"brokers 0 to 3 hold {len(self._targets)} partitions of {len(NAMES)} topics, three"
            " replicas each; brokers 4 and 5 are new and empty"
        )
        self._one()
        before = self._replicas()
        begun = time.monotonic()
        copied = self._many()
        self._end(before, copied, time.monotonic() - begun)

    # --- scenes ---------------------------------------------------------------------------------

    def _one(self) -> None:
        self._stage.step(
            f"one move, to see what a move is: {TOUR} from 0, 1, 2 [bold]to[/] 4, 2, 1"
        )
        self._show_znode()
        self._stage.say(f"to 4 and 9, which is no broker: [bold]{self._alter({TOUR: (4, 9)})}[/]")
        refused = self._alter({TOUR: (4, 2, 1)})
        if refused is not None:
            raise DemoError(f"the move of {TOUR} was refused: {refused}")
        listed = self._ask(lambda admin: admin.list_partition_reassignments())
        for found in listed.values():
            self._stage.say(
                f"list-reassignments: replicas [bold]{found['replicas']}[/],"
                f" adding [green]{found['adding_replicas']}[/],"
                f" removing [red]{found['removing_replicas']}[/]"
            )
        if listed:
            self._show_znode()
        self._await(lambda: not self._in_flight(), f"the end of the move of {TOUR}")
        self._await(lambda: self._place_of(TOUR) == ([4, 2, 1], 4), f"{TOUR} in Metadata")
        self._show_znode()
        logs = self._local.cluster.brokers.logs
        self._await(lambda: TOUR not in self._local.call(logs, 0), "broker 0 to delete its replica")
        self._stage.say("Metadata names 4 as the leader, and broker 0 has deleted its replica")

    def _many(self) -> int:
        """Move everything else, with two mishaps on the way; return the bytes copied."""
        moves = self._targets
        self._stage.step(f"one replica of {len(moves)} partitions to the new brokers, at once")
        begun = time.monotonic()
        refused = self._alter(moves)
        if refused is not None:
            raise DemoError(f"a move was refused: {refused}")
        took = time.monotonic() - begun
        self._stage.say(f"kafka-python asked for all in one request, durable after {took:.2f} s")
        adding = [Copy(name, self._new(name), 0, SIZES[name.topic]) for name in moves]
        progress = Progress(adding)
        with MovesView(self._stage.console) as view, _Follow(self, progress, view) as follow:
            follow.until(lambda now: now.share >= _FREEZE_AT)
            self._freeze(follow)
            follow.until(lambda now: now.share >= _KILL_AT)
            self._kill()
            last = follow.until(lambda now: now.partitions_done == now.partitions)
        return last.done

    def _freeze(self, follow: "_Follow") -> None:
        brokers = self._local.cluster.brokers
        self._stage.step(f"broker {FROZEN} hangs: alive, but it copies nothing any more")
        self._local.call(brokers.freeze, FROZEN)
        since = time.monotonic()
        follow.until(lambda _: time.monotonic() > since + _CANCEL_AFTER)
        stuck = [name for name in self._targets if self._new(name) == FROZEN]
        open_ = self._in_flight()
        some = [name for name in stuck if name in open_][: max(1, len(stuck) // 4)]
        refused = self._alter(dict.fromkeys(some)) if some else None
        if refused is not None:
            raise DemoError(f"a cancel was refused: {refused}")
        self._cancelled.update(some)
        follow.drop(set(some))
        self._stage.say(
            f"{len(open_)} moves are still listed, none is lost or forced;"
            f" kafka-python cancels [bold]{len(some)}[/] of those that hang"
        )
        self._local.call(brokers.thaw, FROZEN)
        self._stage.say(f"broker {FROZEN} comes to itself, and the others go on where they were")

    def _kill(self) -> None:
        nodes = self._local.cluster.nodes
        if len({node.pid for node in nodes}) < 2:
            return
        active = self._ask(lambda admin: admin.describe_cluster()["controller_id"])
        [victim] = [node for node in nodes if node.id == active]
        self._stage.step(f"controller {active} is killed in the middle of it")
        os.kill(victim.pid, signal.SIGKILL)
        self._stage.say(
            "brokers go on copying; when its ZooKeeper session ends, the other one takes over,"
            " and knows all"
        )

    def _end(self, before: Mapping[int, int], copied: int, seconds: float) -> None:
        self._stage.step("the end, as kafka-python sees it")
        wrong, returned = 0, {}
        for topic in self._ask(lambda admin: admin.describe_topics(list(NAMES))):
            for found in topic["partitions"]:
                name = TopicPartition(topic["name"], found["partition_index"])
                replicas = tuple(found["replica_nodes"])
                if name in self._cancelled:
                    first = self._created[name.topic].assignments[name.partition]
                    wrong += set(replicas) != set(first)
                    returned[name] = (first, replicas)
                else:
                    wrong += replicas != self._targets[name]
                wrong += set(found["isr_nodes"]) != set(replicas)
        if wrong:
            raise DemoError(f"{wrong} partitions are not where they should be, or not in sync")
        moved = len(self._targets) - len(self._cancelled)
        self._stage.say(
            f"[bold]{moved}[/] moved and in sync, [bold]{len(self._cancelled)}[/] cancelled and"
            f" back where they were, none listed; {format_bytes(copied)} in {seconds:.0f} s"
        )
        self._stage.say(order_after_cancel(returned))
        self._stage.bars("replicas", before, self._replicas())

    # --- asking ---------------------------------------------------------------------------------

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """Open a client; one that outlives its controller keeps asking for that one."""
        from kafka import KafkaAdminClient

        brokers = self._local.cluster.brokers.brokers.values()
        # A broker answers for everybody while a controller is away.
        also = [f"127.0.0.1:{broker.port}" for broker in brokers][:2]
        servers = [*self._local.bootstrap.split(","), *also]
        admin = KafkaAdminClient(bootstrap_servers=servers, bootstrap_timeout_ms=_BOOTSTRAP_MS)
        try:
            yield admin
        finally:
            admin.close()

    def _ask(self, question: Callable[[Any], T]) -> T:
        with self._client() as admin:
            return question(admin)

    def _alter(self, moves: Mapping[TopicPartition, tuple[int, ...] | None]) -> str | None:
        """Ask for moves or cancels; return the name of the first refusal, None if there is none."""
        from kafka import TopicPartition as KafkaPartition

        asked = {
            KafkaPartition(*name): None if target is None else list(target)
            for name, target in moves.items()
        }
        errors = self._ask(lambda admin: admin.alter_partition_reassignments(asked))
        return next((error.__name__ for error in errors.values() if error is not None), None)

    def _in_flight(self) -> frozenset[TopicPartition]:
        """Return what the client lists as moving."""
        listed = self._ask(lambda admin: admin.list_partition_reassignments())
        return frozenset(TopicPartition(name.topic, name.partition) for name in listed)

    def _place_of(self, name: TopicPartition) -> tuple[list[int], int]:
        """Return the replicas and the leader."""
        [topic] = self._ask(lambda admin: admin.describe_topics([name.topic]))
        return next(
            (list(found["replica_nodes"]), int(found["leader_id"]))
            for found in topic["partitions"]
            if found["partition_index"] == name.partition
        )

    def _replicas(self) -> dict[int, int]:
        """Count the replicas of every broker."""
        count = Counter[int]()
        for topic in self._ask(lambda admin: admin.describe_topics(list(NAMES))):
            for found in topic["partitions"]:
                count.update(found["replica_nodes"])
        return {broker: count[broker] for broker in BROKERS}

    def _show_znode(self) -> None:
        path = paths.topic(TOUR.topic)
        self._stage.znode(path, self._local.read(path) or b"{}")

    def _new(self, name: TopicPartition) -> int:
        return next(broker for broker in self._targets[name] if broker in NEW)

    def copies(self) -> list[Copy]:
        """Look at the disks of the brokers for what has been copied."""
        found = self._local.call(self._local.cluster.brokers.status)
        return [
            Copy(TopicPartition(each.topic, each.partition), broker.id, each.done, each.total)
            for broker in found
            for each in broker.adding
        ]

    def in_flight(self) -> frozenset[TopicPartition] | None:
        """Return what the client lists as moving, None while there is no controller to ask."""
        from kafka.errors import KafkaError

        try:
            return self._in_flight()
        except KafkaError:
            return None

    def _await(self, ask: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + _WAIT_SECONDS
        while not ask():
            if time.monotonic() > end:
                raise DemoError(f"waited {_WAIT_SECONDS:g} s in vain for {what}")
            time.sleep(_POLL_SECONDS)


class _Follow:
    """Watches moves until something holds; lists them on a thread, so that the view never waits."""

    def __init__(self, story: Story, progress: Progress, view: MovesView) -> None:
        self._story, self._progress, self._view = story, progress, view
        self._in_flight = story.in_flight() or frozenset()
        self._asker = ThreadPoolExecutor(1)
        self._asked = self._asker.submit(story.in_flight)
        self._asked_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._asker.shutdown(wait=False, cancel_futures=True)

    def drop(self, names: set[TopicPartition]) -> None:
        """Look no more at moves that were cancelled."""
        self._progress.drop(names)

    def until(self, test: Callable[[Snapshot], bool]) -> Snapshot:
        """Show how the moves come on until the test holds; raises DemoError after a minute."""
        end = time.monotonic() + _WAIT_SECONDS
        while True:
            now = time.monotonic()
            if self._asked.done() and now >= self._asked_at + _LIST_SECONDS:
                listed = self._asked.result()
                self._in_flight = self._in_flight if listed is None else listed
                self._asked = self._asker.submit(self._story.in_flight)
                self._asked_at = now
            snapshot = self._progress.update(now, self._story.copies(), self._in_flight)
            self._view.show(snapshot)
            if test(snapshot):
                return snapshot
            if now > end:
                raise DemoError(
                    f"after {_WAIT_SECONDS:g} s only {snapshot.partitions_done} of"
                    f" {snapshot.partitions} moves were done"
                )
            time.sleep(_POLL_SECONDS)
