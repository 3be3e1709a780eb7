"""A node world whose brokers copy: what each hosts, which logs it keeps, and who is in sync."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from node.moving import TOPIC_ID
from node_world import World, in_office

from klamm.controller.configs.cluster_wide import (
    LEADER_MOVEMENTS,
    MIN_ISR,
    PARTITION_MOVEMENTS,
    REPLICA_MOVEMENTS,
)
from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CreateTopic,
    RequestEvent,
)
from klamm.controller.core.model import Partition, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, Op, SetData
from klamm.controller.core.results import Done, TopicCreated
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Send
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest

T = TopicPartition("t", 0)
NAMES = {
    "replicas": REPLICA_MOVEMENTS,
    "partitions": PARTITION_MOVEMENTS,
    "leaders": LEADER_MOVEMENTS,
}


@dataclass
class Replica:
    """A broker's replica: what it was told last, if it runs, and how often its log was begun."""

    told: LeaderAndIsrPartitionState | None
    runs: bool = True


@dataclass
class Brokers:
    """What brokers make of what they are told; `held` ones never catch up."""

    replicas: dict[tuple[int, TopicPartition], Replica] = field(default_factory=dict)
    held: set[int] = field(default_factory=set)
    #: In order: who was stopped, and whether it was to delete.
    stopped: list[tuple[int, TopicPartition, bool]] = field(default_factory=list)
    #: In order: who was told to begin.
    begun: list[tuple[int, TopicPartition]] = field(default_factory=list)

    def hear(self, send: Send) -> None:
        broker = send.broker.id
        match send.message:
            case LeaderAndIsrRequest():
                for topic in send.message.topic_states:
                    for told in topic.partition_states:
                        name = TopicPartition(topic.topic_name, told.partition_index)
                        self._lead(broker, name, told)
            case StopReplicaRequest():
                for stop in send.message.topics:
                    for number in stop.partition_indexes:
                        name = TopicPartition(stop.name, number)
                        self._stop(broker, name, send.message.delete_partitions)
                for of_topic in send.message.topic_states:
                    for part in of_topic.partition_states:
                        name = TopicPartition(of_topic.topic_name, part.partition_index)
                        self._stop(broker, name, part.delete_partition)

    def _lead(self, broker: int, name: TopicPartition, told: LeaderAndIsrPartitionState) -> None:
        assert broker in told.replicas, "only those that host it are told"
        known = self.replicas.get((broker, name))
        if told.is_new and (known is None or not known.runs):
            self.begun.append((broker, name))
        self.replicas[broker, name] = Replica(told)

    def _stop(self, broker: int, name: TopicPartition, delete: bool) -> None:
        self.stopped.append((broker, name, delete))
        known = self.replicas.get((broker, name))
        if delete:
            self.replicas.pop((broker, name), None)
        elif known is not None:
            known.runs = False

    def crash(self, broker: int) -> None:
        """Its process ends: its logs stay."""
        for (id_, _), replica in self.replicas.items():
            if id_ == broker:
                replica.runs, replica.told = False, None

    def logs(self, name: TopicPartition) -> set[int]:
        return {broker for broker, of in self.replicas if of == name}

    def running(self, name: TopicPartition) -> set[int]:
        return {b for (b, of), replica in self.replicas.items() if of == name and replica.runs}

    def caught_up(self, world: World) -> dict[TopicPartition, tuple[int, ...]]:
        """The ISRs that leaders will publish, where they are not published yet."""
        found = {}
        for (broker, name), replica in self.replicas.items():
            told = replica.told
            if told is None or not replica.runs or told.leader != broker:
                continue
            if not world.exists(paths.state(*name)):
                continue
            held = world.data(paths.state(*name))
            if (held["leader"], held["leader_epoch"]) != (broker, told.leader_epoch):
                continue
            isr: list[int] = list(held["isr"])  # type: ignore[call-overload]
            isr += [
                other
                for other in told.replicas
                if other not in isr and self._follows(world, other, name, told)
            ]
            if isr != held["isr"]:
                found[name] = tuple(isr)
        return found

    def _follows(
        self, world: World, other: int, name: TopicPartition, told: LeaderAndIsrPartitionState
    ) -> bool:
        replica = self.replicas.get((other, name))
        return (
            replica is not None
            and replica.runs
            and replica.told is not None
            and replica.told.leader_epoch == told.leader_epoch
            and other not in self.held
            and world.exists(paths.broker(other))
        )


class Paced:
    """A world in office with limits, and the steps that its moves make."""

    def __init__(
        self,
        topics: Mapping[str, Mapping[int, tuple[int, ...]]],
        brokers: Iterable[int] = range(10),
        config: NodeConfig | None = None,
        **limits: int,
    ) -> None:
        self.world = in_office(tuple(brokers), config)
        self.brokers = Brokers()
        self.world.on_send = self.brokers.hear
        for name, assignment in topics.items():
            event = CreateTopic(name, -1, -1, dict(assignment), {}, 0, 0, topic_id=TOPIC_ID)
            (created,) = self.world.ask(event)
            assert isinstance(created, TopicCreated)
        if limits:
            self.limit(**limits)
        self.world.sent.clear()
        self.world.effects.clear()
        self.brokers.begun.clear()

    # --- what others do ---------------------------------------------------------------------

    def limit(self, **limits: int) -> None:
        """Set the limits of the cluster; those left out are none."""
        config = {NAMES[name]: str(limit) for name, limit in limits.items()}
        self.put(paths.CLUSTER_CONFIG, {"version": 1, "config": config})
        self.world.settle()

    def min_isr(self, topic: str, count: int) -> None:
        config = {MIN_ISR: str(count)}
        self.put(f"{paths.CONFIG}/topics/{topic}", {"version": 1, "config": config})
        self.world.settle()

    def put(self, path: str, content: object) -> None:
        data = json.dumps(content).encode()
        there = self.world.exists(path)
        op: Op = SetData(path, data, ANY_VERSION) if there else Create(path, data)
        self.world.write(op)

    def ask(self, *events: RequestEvent) -> None:
        results = self.world.ask(*events)
        assert all(isinstance(result, Done) for result in results), results

    def move(self, target: tuple[int, ...] | None, name: TopicPartition = T) -> None:
        self.ask(AlterReassignment(name, target))

    def lose(self, broker: int) -> None:
        self.brokers.crash(broker)
        self.world.unregister(broker)
        self.world.settle()

    def restore(self, broker: int) -> None:
        self.world.register(broker)
        self.world.settle()

    # --- copying ----------------------------------------------------------------------------

    def catch_up_once(self) -> bool:
        """Let every running replica come in sync, and all that follows of it settle."""
        found = self.brokers.caught_up(self.world)
        for name, isr in found.items():
            self.publish(name, isr)
        self.world.settle()
        return bool(found)

    def publish(self, name: TopicPartition, isr: tuple[int, ...]) -> None:
        """Let a leader set its ISR, or ask for it, as the release of the brokers has it."""
        if not self.world.config.protocol.alter_partition:
            self.world.leader_writes_isr(name, isr)
            return
        state, held = self.world.node.state, self.partition(name).leadership
        assert state is not None
        if held is not None and held.leader in state.brokers:
            epoch = state.brokers[held.leader].epoch
            self.world.request(
                AlterPartition(name, held.leader, epoch, held.leader_epoch, held.version, isr)
            )

    def catch_up(self) -> None:
        for _ in range(60):
            if not self.catch_up_once():
                return
        raise AssertionError("copying never ends")

    # --- what is to be seen -----------------------------------------------------------------

    def partition(self, name: TopicPartition = T) -> Partition:
        state = self.world.node.state
        assert state is not None
        found = state.partition(name)
        assert found is not None
        return found

    def lists(self, name: TopicPartition = T) -> tuple[list[int], list[int], list[int]]:
        znode = self.world.data(paths.topic(name.topic))
        number = str(name.partition)
        return tuple(znode[key].get(number, []) for key in KEYS)  # type: ignore[attr-defined]

    def hint(self, name: TopicPartition = T) -> dict[str, object] | None:
        path = paths.reassignment_steps(name.topic)
        if not self.world.exists(path):
            return None
        found: dict[str, dict[str, object]] = self.world.data(path)["partitions"]  # type: ignore[assignment]
        return found.get(str(name.partition))

    def running(self) -> dict[TopicPartition, tuple[str, tuple[int, ...]]]:
        """The steps that run: their kinds, and what they add."""
        state = self.world.node.state
        assert state is not None
        return {
            name: (each.pace.running.kind, each.pace.running.adding)
            for name, each in state.moving()
            if each.pace and each.pace.running
        }

    def steps(self, kind: str = "step-end") -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """What each step of the journal, in order, added and dropped."""
        return [
            (each.step.added, each.step.dropped)
            for each in self.world.replay.lines
            if each.kind == kind and each.step is not None
        ]


KEYS = ("partitions", "adding_replicas", "removing_replicas")
