"""Whatever a controller says and whatever fails: what holds for the brokers at every moment."""

from collections.abc import Iterable
from unittest.mock import patch

from brokers.world import SIZE, T, World, codes, leader_and_isr, order, stop_replica
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from klamm.controller.core.model import TopicPartition
from klamm.controller.core.ops import SetData
from klamm.controller.znodes import StateZnode, encode_state, paths
from klamm.tools.brokers.replica import IsrChange, Replica

IDS = (1, 2, 3, 4)
BROKERS = st.sampled_from(IDS)
EPOCHS = st.integers(0, 6)
SOME = st.lists(BROKERS, unique=True, min_size=1).map(tuple)


class BrokersUnderAnyController(RuleBasedStateMachine):
    """Four brokers and T; orders come in any order, late, twice, or contradict each other."""

    def __init__(self) -> None:
        super().__init__()
        propose = Replica.propose

        def watched(replica: Replica, isr: tuple[int, ...]) -> IsrChange:
            """No broker that is frozen at this moment joins; one that freezes later may."""
            assert not ({*isr} - {*replica.isr}) & self.frozen
            return propose(replica, isr)

        self.watch = patch.object(Replica, "propose", watched)
        self.watch.start()

    def teardown(self) -> None:
        self.watch.stop()

    @initialize()
    def start(self) -> None:
        self.world = World(*IDS)
        self.frozen: set[int] = set()
        self.world.create((1, 2, 3))
        self.epochs: dict[tuple[int, TopicPartition], int] = {}

    @property
    def running(self) -> set[int]:
        return set(self.world.cluster.brokers)

    # --- what happens ------------------------------------------------------------------------

    @rule(to=BROKERS, leader=BROKERS, epoch=EPOCHS, replicas=SOME, isr=SOME, version=EPOCHS)
    def any_order(
        self,
        to: int,
        leader: int,
        epoch: int,
        replicas: tuple[int, ...],
        isr: tuple[int, ...],
        version: int,
    ) -> None:
        members = tuple(member for member in isr if member in replicas) or replicas[:1]
        self.order((to,), leader, epoch, members, replicas, version)

    @rule(to=SOME, replicas=SOME, data=st.data())
    def lawful_order(
        self, to: tuple[int, ...], replicas: tuple[int, ...], data: st.DataObject
    ) -> None:
        isr = data.draw(st.lists(st.sampled_from(replicas), unique=True, min_size=1))
        self.raise_epoch(to, data.draw(st.sampled_from(isr)), tuple(isr), replicas)

    @rule(to=BROKERS, epoch=st.integers(-2, 6), delete=st.booleans(), number=st.integers(0, 1))
    def stop(self, to: int, epoch: int, delete: bool, number: int) -> None:
        if to not in self.running:
            return
        answer = codes(
            self.world.ask(to, stop_replica((number, epoch, delete), (7, epoch, delete)))
        )
        assert [(name, partition) for name, partition, _ in answer] == [("t", number), ("t", 7)]
        if T not in self.world.cluster.brokers[to].replicas:
            self.epochs.pop((to, T), None)

    @rule(live=SOME)
    def tell(self, live: tuple[int, ...]) -> None:
        self.world.tell(*live)

    @rule(broker=BROKERS)
    def freeze(self, broker: int) -> None:
        self.frozen.add(broker)
        self.world.carry_out(self.world.cluster.freeze(self.world.now, broker))
        self.world.settle()

    @rule(broker=BROKERS)
    def thaw(self, broker: int) -> None:
        self.frozen.discard(broker)
        self.world.carry_out(self.world.cluster.thaw(self.world.now, broker))
        self.world.settle()

    @rule(rate=st.sampled_from([0.0, 1.0, 50.0, 1500.0]))
    def produce(self, rate: float) -> None:
        self.world.carry_out(self.world.cluster.produce(self.world.now, rate))
        self.world.settle()

    @rule(broker=BROKERS, rate=st.sampled_from([1.0, 60.0]))
    def slow_down(self, broker: int, rate: float) -> None:
        self.world.carry_out(self.world.cluster.slow_down(self.world.now, broker, rate))
        self.world.settle()

    @rule(broker=BROKERS, seconds=st.sampled_from([2.0, 40.0]))
    def pause(self, broker: int, seconds: float) -> None:
        self.world.carry_out(self.world.cluster.pause(self.world.now, broker, seconds))
        self.world.settle()

    @rule(lists=st.sampled_from(["", "*", "0:1,0:2"]), rate=st.sampled_from(["0", "30", "9999"]))
    def throttle(self, lists: str, rate: str) -> None:
        keys = ("leader_replication_throttled_", "follower_replication_throttled_")
        self.world.configure("topics/t", **{f"{key}replicas": lists for key in keys})
        self.world.configure("brokers/<default>", **{f"{key}rate": rate for key in keys})

    @rule(broker=BROKERS)
    def kill_or_start(self, broker: int) -> None:
        self.epochs.pop((broker, T), None)
        if broker in self.running:
            # Otherwise its session would live on, and no broker of that id could start.
            self.world.zookeeper.heal(self.world.stores[broker])
            self.world.settle()
            self.world.kill(broker)
        else:
            self.world.start(broker)

    @rule(broker=BROKERS)
    def cut_or_heal(self, broker: int) -> None:
        store = self.world.stores.get(broker)
        if store is None:
            return
        if store.connected:
            self.world.zookeeper.cut(store)
        else:
            self.world.zookeeper.heal(store)
        self.world.settle()

    @rule()
    def interfere(self) -> None:
        self.world.interfere()

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 7.0, 40.0]))
    def wait(self, seconds: float) -> None:
        self.world.advance(seconds)

    @precondition(lambda self: len(self.running) == len(IDS))
    @rule(seconds=st.just(100.0))
    def calm(self, seconds: float) -> None:
        """When all is well for a while, an order to all brings all into the ISR."""
        for broker in IDS:
            self.thaw(broker)
            self.world.zookeeper.heal(self.world.stores[broker])
        self.world.settle()
        self.world.carry_out(self.world.cluster.produce(self.world.now, 1.0))
        self.world.configure("brokers/<default>")
        self.world.tell(*IDS)
        while self.world.state()[1] < self.newest_version():
            self.world.interfere()
        self.raise_epoch(IDS, 1, (1,), IDS)
        # Three followers copy two partitions from one leader, whatever has been written to them.
        logs = self.world.cluster.logs(1).values()
        self.world.advance(seconds + 3 * sum(log.end for log in logs) / SIZE)
        state, _ = self.world.state()
        assert set(state.isr) == set(IDS)
        ends = {self.world.cluster.logs(broker)[T].end for broker in IDS}
        assert len(ends) == 1

    # --- how ---------------------------------------------------------------------------------

    def raise_epoch(
        self, to: Iterable[int], leader: int, isr: tuple[int, ...], replicas: tuple[int, ...]
    ) -> None:
        state, version = self.world.state()
        known = [state.leader_epoch, *self.epochs.values()]
        epoch = max(known) + 1
        written = encode_state(StateZnode(leader, epoch, isr, 1))
        self.world.zookeeper.write((SetData(paths.state(*T), written, version),))
        self.order(to, leader, epoch, isr, replicas, version + 1)

    def newest_version(self) -> int:
        """Return the highest partition epoch that nonsense has made a broker believe in."""
        models = self.world.cluster.brokers.values()
        return max((m.replicas[T].partition_epoch for m in models if T in m.replicas), default=0)

    def order(
        self,
        to: Iterable[int],
        leader: int,
        epoch: int,
        isr: tuple[int, ...],
        replicas: tuple[int, ...],
        version: int,
    ) -> None:
        orders = [
            order(leader, epoch, isr, replicas, partition=number, partition_epoch=version)
            for number in (0, 9, 0)
        ]
        for broker in to:
            if broker in self.running:
                answer = codes(self.world.ask(broker, leader_and_isr(*orders)))
                assert [(name, number) for name, number, _ in answer] == [("t", 0), ("t", 9)]

    # --- what holds --------------------------------------------------------------------------

    @invariant()
    def leader_epochs_never_go_back(self) -> None:
        for broker, model in self.world.cluster.brokers.items():
            if T in model.replicas:
                epoch = model.replicas[T].leader_epoch
                assert epoch >= self.epochs.get((broker, T), -1)
                self.epochs[broker, T] = epoch

    @invariant()
    def the_isr_lies_within_the_replicas(self) -> None:
        for model in self.world.cluster.brokers.values():
            for replica in model.replicas.values():
                assert set(replica.isr) <= set(replica.replicas)
                if replica.pending:
                    assert set(replica.pending.isr) <= set(replica.replicas)

    @invariant()
    def high_watermarks_lie_within_logs(self) -> None:
        for broker in IDS:
            for log in self.world.cluster.logs(broker).values():
                assert 0 <= log.high_watermark <= log.end

    @invariant()
    def sessions_and_models_agree(self) -> None:
        for broker, model in self.world.cluster.brokers.items():
            if self.world.stores[broker].connected:
                assert model.epoch == self.world.znode(paths.broker(broker)).czxid


BrokersUnderAnyController.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None
)
TestBrokersUnderAnyController = BrokersUnderAnyController.TestCase
