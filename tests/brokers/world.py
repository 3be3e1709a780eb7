"""Simulated brokers on a ZooKeeper in memory, and the requests of a hand-made controller."""

import math
from collections import deque
from collections.abc import Iterable
from uuid import UUID

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Create, SetData
from klamm.controller.node.effects import ArmWatch, Commit, ReadZnodes, Update
from klamm.controller.store.memory import MemoryZookeeper
from klamm.controller.store.memory_client import MemoryStore
from klamm.controller.store.memory_tree import Applied
from klamm.controller.store.port import Children, ReadChildren, ReadData, StoreEvent, Znode
from klamm.controller.znodes import (
    ConfigZnode,
    Endpoint,
    StateZnode,
    decode_partitions,
    decode_state,
    encode_config,
    encode_config_change,
    encode_state,
    paths,
)
from klamm.controller.znodes.config import parse_entity_path
from klamm.protocol.generated.alter_partition_response import (
    AlterPartitionResponse,
    PartitionData,
    TopicData,
)
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from klamm.protocol.generated.leader_and_isr_response import LeaderAndIsrResponse
from klamm.protocol.generated.stop_replica_request import (
    StopReplicaPartitionState,
    StopReplicaRequest,
    StopReplicaTopicState,
)
from klamm.protocol.generated.stop_replica_response import StopReplicaResponse
from klamm.protocol.generated.update_metadata_request import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from klamm.protocol.message import Message
from klamm.protocol.primitives import ZERO_UUID
from klamm.tools.brokers.asks import Answered, Ask, AskAlterPartition
from klamm.tools.brokers.calls import Call
from klamm.tools.brokers.cluster import Cluster, Effects
from klamm.tools.brokers.control import ControlRequest, ControlResponse
from klamm.tools.brokers.model import BrokerModel
from klamm.tools.brokers.replica import IsrChange
from klamm.tools.brokers.settings import KAFKA_TIMES, BrokerSettings, Times

CLUSTER_ID = "lM2LEGQkRSGz-DKtckyj3Q"
T = TopicPartition("t", 0)
U = TopicPartition("t", 1)
STATE = paths.state(*T)
SIZE = 1000


def settings(
    broker: int,
    *,
    log_dirs: tuple[str, ...] = ("/data",),
    partition_bytes: int = SIZE,
    times: Times = KAFKA_TIMES,
    rack: str | None = None,
    protocol: InterBrokerProtocol = DEFAULT,
    report_seconds: float = math.inf,
) -> BrokerSettings:
    return BrokerSettings(
        broker,
        Endpoint("PLAINTEXT", "PLAINTEXT", "127.0.0.1", 9000 + broker),
        CLUSTER_ID,
        rack,
        partition_bytes,
        log_dirs,
        protocol,
        times=times,
        timestamp_ms=1_795_260_081_097,
        report_seconds=report_seconds,
    )


def order(
    leader: int,
    leader_epoch: int,
    isr: Iterable[int],
    replicas: Iterable[int],
    *,
    partition: int = 0,
    partition_epoch: int = 0,
    controller_epoch: int = 1,
    adding: tuple[int, ...] = (),
    removing: tuple[int, ...] = (),
    is_new: bool = False,
) -> LeaderAndIsrPartitionState:
    return LeaderAndIsrPartitionState(
        partition_index=partition,
        controller_epoch=controller_epoch,
        leader=leader,
        leader_epoch=leader_epoch,
        isr=tuple(isr),
        partition_epoch=partition_epoch,
        replicas=tuple(replicas),
        adding_replicas=adding,
        removing_replicas=removing,
        is_new=is_new,
    )


def leader_and_isr(
    *orders: LeaderAndIsrPartitionState,
    topic: str = "t",
    topic_id: UUID = ZERO_UUID,
    controller_epoch: int = 1,
    broker_epoch: int = -1,
) -> LeaderAndIsrRequest:
    return LeaderAndIsrRequest(
        controller_id=900,
        controller_epoch=controller_epoch,
        broker_epoch=broker_epoch,
        topic_states=(LeaderAndIsrTopicState(topic, topic_id, orders),),
    )


def stop_replica(
    *stops: tuple[int, int, bool],
    topic: str = "t",
    controller_epoch: int = 1,
    broker_epoch: int = -1,
) -> StopReplicaRequest:
    """Stop partitions, each as (number, leader epoch, delete)."""
    states = tuple(StopReplicaPartitionState(*stop) for stop in stops)
    return StopReplicaRequest(
        controller_id=900,
        controller_epoch=controller_epoch,
        broker_epoch=broker_epoch,
        topic_states=(StopReplicaTopicState(topic, states),),
    )


def update_metadata(
    live: Iterable[int],
    *partitions: UpdateMetadataPartitionState,
    controller_epoch: int = 1,
    broker_epoch: int = -1,
) -> UpdateMetadataRequest:
    brokers = tuple(
        UpdateMetadataBroker(
            id_, endpoints=(UpdateMetadataEndpoint(9000 + id_, "127.0.0.1", "PLAINTEXT", 0),)
        )
        for id_ in live
    )
    return UpdateMetadataRequest(
        controller_id=900,
        controller_epoch=controller_epoch,
        broker_epoch=broker_epoch,
        topic_states=(UpdateMetadataTopicState("t", partition_states=partitions),),
        live_brokers=brokers,
    )


def codes(response: ControlResponse) -> list[tuple[str, int, int]]:
    """Return what a response of a version without topic ids says of each partition."""
    assert isinstance(response, LeaderAndIsrResponse | StopReplicaResponse)
    return [
        (error.topic_name, error.partition_index, error.error_code)
        for error in response.partition_errors
    ]


def children(zookeeper: MemoryZookeeper, path: str) -> tuple[str, ...]:
    found = zookeeper.tree.read(ReadChildren(path))
    assert isinstance(found, Children), f"{path} is missing"
    return found.names


class World:
    """Running brokers that know each other, and the partition `T` as a controller would keep it."""

    def __init__(
        self,
        *ids: int,
        bandwidth: float = SIZE,
        produce_rate: float = 0.0,
        log_dirs: tuple[str, ...] = ("/data",),
        times: Times = KAFKA_TIMES,
        protocol: InterBrokerProtocol = DEFAULT,
        report_seconds: float = math.inf,
    ) -> None:
        self.now = 0.0
        self.zookeeper = MemoryZookeeper()
        self.cluster = Cluster(bandwidth, produce_rate)
        self.stores: dict[int, MemoryStore] = {}
        self.effects: list[tuple[int, Call]] = []
        self.asks: deque[tuple[int, Ask]] = deque()
        self.grants = False
        self.answers: list[ControlResponse] = []
        self.events: deque[tuple[int, StoreEvent]] = deque()
        self._log_dirs = log_dirs
        self._times = times
        self._protocol = protocol
        self._report_seconds = report_seconds
        for id_ in ids:
            self.start(id_)
        self.tell(*ids)

    def start(self, broker: int, told: BrokerSettings | None = None) -> None:
        told = told or settings(
            broker,
            log_dirs=self._log_dirs,
            times=self._times,
            protocol=self._protocol,
            report_seconds=self._report_seconds,
        )
        self.carry_out(self.cluster.start(self.now, told))
        self.open_session(broker)
        self.settle()

    def open_session(self, broker: int) -> MemoryStore:
        def post(event: StoreEvent) -> None:
            self.events.append((broker, event))

        store = self.stores[broker] = self.zookeeper.open(post)
        return store

    def kill(self, broker: int) -> None:
        self.carry_out(self.cluster.kill(self.now, broker))
        self.stores.pop(broker).close()
        self.settle()

    def ask(self, broker: int, request: ControlRequest, version: int = 3) -> ControlResponse:
        response, effects = self.cluster.request(self.now, broker, request, version)
        self.carry_out(effects)
        self.settle()
        self.answers.append(response)
        return response

    def tell(self, *live: int) -> None:
        for broker in self.cluster.brokers:
            self.ask(broker, update_metadata(live), 5)

    def advance(self, seconds: float) -> None:
        """Let time pass, every deadline on its own, ZooKeeper answering at once."""
        end = self.now + seconds
        steps = 0
        while (due := self.cluster.deadline) <= end:
            self.now = due
            self.carry_out(self.cluster.advance(due))
            self.settle()
            steps += 1
            assert steps < 10_000, f"time stands still at {due}"
        self.now = end
        self.carry_out(self.cluster.advance(end))
        self.settle()

    def settle(self) -> None:
        """Let ZooKeeper and the brokers answer each other until all is quiet."""
        self.zookeeper.run()
        while self.events:
            broker, event = self.events.popleft()
            if broker in self.cluster.brokers:
                self.carry_out(self.cluster.store(self.now, broker, event))
            self.zookeeper.run()
        while self.grants and self.asks:
            self.grant(*self.asks.popleft())

    def grant(self, broker: int, ask: Ask) -> None:
        """Do what a controller does that agrees with everything: write, and say so."""
        assert isinstance(ask, AskAlterPartition)
        answers = tuple(
            PartitionData(change.name.partition, partition_epoch=self.publish(change))
            for change in ask.changes
        )
        response = AlterPartitionResponse(topics=(TopicData("t", partitions=answers),))
        self.answer(broker, ask.number, 1, response)

    def carry_out(self, effects: Effects) -> None:
        for broker, call in effects:
            self.effects.append((broker, call))
            if isinstance(call, Ask):
                self.asks.append((broker, call))
                continue
            store = self.stores[broker]
            match call:
                case Commit(request, ops, fence):
                    store.commit(request, ops, fence)
                case Update(request, op):
                    store.update(request, op)
                case ReadZnodes(request, reads, sync):
                    store.read(request, reads, sync)
                case ArmWatch(request, watches):
                    store.watch(request, watches)

    def answer(self, broker: int, number: int, version: int, response: Message | None) -> None:
        """Give a broker what came of its ask; None stands for a lost connection."""
        answered = Answered(number, version, response)
        self.carry_out(self.cluster.answered(self.now, broker, answered))
        self.settle()

    def configure(self, entity: str, **config: str) -> None:
        """Write the configs of an entity such as topics/t, and give notice; _ stands for a dot."""
        named = {key.replace("_", "."): value for key, value in config.items()}
        path = f"{paths.CONFIG}/{entity}"
        data = encode_config(ConfigZnode(named))
        if isinstance(self.zookeeper.tree.read(ReadData(path)), Znode):
            self.zookeeper.write((SetData(path, data, ANY_VERSION),))
        else:
            self.zookeeper.write((Create(path, data),))
        found = parse_entity_path(entity)
        assert found is not None
        notice = encode_config_change(found)
        self.zookeeper.write((Create(paths.CONFIG_CHANGE_PREFIX, notice, sequential=True),))
        self.settle()

    # --- the controller ------------------------------------------------------------------------

    def create(self, replicas: tuple[int, ...], isr: tuple[int, ...] = (), number: int = 0) -> None:
        """Create partition `number` of t, led by the first of `isr`, by default all of them."""
        isr = isr or replicas
        state = StateZnode(isr[0], 0, isr, 1)
        path = paths.state("t", number)
        parents = (
            "/brokers/topics/t",
            "/brokers/topics/t/partitions",
            paths.partition("t", number),
        )
        for parent in parents:
            self.zookeeper.write((Create(parent, None),))
        assert isinstance(self.zookeeper.write((Create(path, encode_state(state)),)), Applied)
        new = order(isr[0], 0, isr, replicas, partition=number, is_new=True)
        for broker in isr:
            assert codes(self.ask(broker, leader_and_isr(new))) == [("t", number, 0)]

    def reorder(
        self,
        replicas: tuple[int, ...],
        *,
        leader: int | None = None,
        isr: tuple[int, ...] | None = None,
        adding: tuple[int, ...] = (),
        removing: tuple[int, ...] = (),
        to: Iterable[int] | None = None,
    ) -> LeaderAndIsrRequest:
        """Raise T's leader epoch, in its state znode and by LeaderAndIsr to its replicas."""
        was, version = self.state()
        leader = was.leader if leader is None else leader
        isr = was.isr if isr is None else isr
        epoch = was.leader_epoch + 1
        written = encode_state(StateZnode(leader, epoch, isr, 1))
        assert isinstance(self.zookeeper.write((SetData(STATE, written, version),)), Applied)
        request = leader_and_isr()
        for broker in replicas if to is None else to:
            state = order(
                leader,
                epoch,
                isr,
                replicas,
                partition_epoch=version + 1,
                adding=adding,
                removing=removing,
                is_new=broker in adding,
            )
            request = leader_and_isr(state)
            self.ask(broker, request)
        return request

    def state(self, number: int = 0) -> tuple[StateZnode, int]:
        """Return the partition's state znode and its dataVersion."""
        znode = self.znode(paths.state("t", number))
        return decode_state(znode.data, znode.path), znode.version

    def publish(self, change: IsrChange) -> int:
        """Write a change into the state znode, as a controller does; return the new epoch."""
        state = StateZnode(change.leader, change.leader_epoch, change.isr, change.controller_epoch)
        write = SetData(paths.state(*change.name), encode_state(state), change.partition_epoch)
        assert isinstance(self.zookeeper.write((write,)), Applied)
        return change.partition_epoch + 1

    def interfere(self) -> None:
        """Write T's state znode behind everybody's back."""
        data = self.znode(STATE).data
        self.zookeeper.write((SetData(STATE, data, ANY_VERSION),))

    def znode(self, path: str) -> Znode:
        found = self.zookeeper.tree.read(ReadData(path))
        assert isinstance(found, Znode), f"{path} is missing"
        return found

    def children(self, path: str) -> tuple[str, ...]:
        return children(self.zookeeper, path)

    def notices(self) -> list[tuple[TopicPartition, ...]]:
        """Return what the brokers have told of changed ISRs, in order."""
        told = []
        for name in self.children(paths.ISR_CHANGES):
            path = f"{paths.ISR_CHANGES}/{name}"
            entries = decode_partitions(self.znode(path).data, path).entries
            told.append(tuple(TopicPartition(*entry) for entry in entries))
        return told


def moving(
    bandwidth: float = SIZE,
    times: Times = KAFKA_TIMES,
    protocol: InterBrokerProtocol = DEFAULT,
    report_seconds: float = math.inf,
) -> World:
    """Brokers 1, 2, 3 with T on 1 and 2; 3 has just been added and copies for one second."""
    world = World(
        1,
        2,
        3,
        bandwidth=bandwidth,
        times=times,
        protocol=protocol,
        report_seconds=report_seconds,
    )
    world.create((1, 2))
    world.reorder((1, 2, 3), adding=(3,))
    return world


def leader(world: World) -> BrokerModel:
    return world.cluster.brokers[1]
