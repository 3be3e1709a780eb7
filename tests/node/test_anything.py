"""Whatever is asked, whoever dies, whatever is lost: invariants after every step, and an end."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import pytest
import slow
from core.clusters import read_partition, read_topic
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from modes import CLUSTER_WIDE, MODES
from node_world import ENDPOINT, accept, in_office

from klamm.controller.core.events import (
    AlterPartition,
    AlterReassignment,
    CreateTopic,
    ElectPreferred,
    ShutDownBroker,
)
from klamm.controller.core.ibp import by_name
from klamm.controller.core.model import NO_LEADER, TopicPartition
from klamm.controller.core.ops import ANY_VERSION, Delete, SetData
from klamm.controller.core.results import IsrAltered
from klamm.controller.core.rules import KIP_455, PROFILES
from klamm.controller.node import NodeConfig
from klamm.controller.node.effects import Resign, Send
from klamm.controller.node.rebalance import REBALANCE_TIMER
from klamm.controller.node.turns import Turns
from klamm.controller.znodes import paths
from klamm.protocol.generated.leader_and_isr_request import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.message import Message

IDS = (1, 2, 3, 4, 5)
BROKERS = st.sampled_from(IDS)
LISTS = st.lists(BROKERS, unique=True, min_size=1, max_size=3).map(tuple)
#: Kafka creates topics on brokers that nobody knows, like 6, which never comes.
WITH_UNKNOWN = (*IDS, 6)
ANY_LISTS = st.lists(st.sampled_from(WITH_UNKNOWN), unique=True, min_size=1, max_size=3).map(tuple)
#: All but the last are there from the beginning.
NAMES = (
    *(TopicPartition(topic, number) for topic in "abc" for number in (0, 1)),
    TopicPartition("d", 0),
)

TOPIC_IDS = {topic: UUID(int=number) for number, topic in enumerate("abcd", start=1)}


class Brokers:
    """What brokers made of what they were told: roles, logs, and the versions leaders write at."""

    def __init__(self) -> None:
        self.roles: dict[tuple[int, TopicPartition], LeaderAndIsrPartitionState] = {}
        self.versions: dict[tuple[int, TopicPartition], int] = {}
        self.logs: set[tuple[int, TopicPartition]] = set()

    def restart(self, broker: int) -> None:
        self.roles = {key: role for key, role in self.roles.items() if key[0] != broker}

    def take(self, broker: int, message: Message) -> None:
        match message:
            case LeaderAndIsrRequest():
                for of_topic in message.topic_states:
                    for told in of_topic.partition_states:
                        key = (broker, TopicPartition(of_topic.topic_name, told.partition_index))
                        known = self.roles.get(key)
                        self.logs.add(key)
                        # An epoch that a broker has is no news to it.
                        if known is None or told.leader_epoch > known.leader_epoch:
                            self.roles[key] = told
                            self.versions[key] = told.partition_epoch
            case StopReplicaRequest():
                for name in deletes(message):
                    self.logs.discard((broker, name))
                    self.roles.pop((broker, name), None)


def deletes(message: StopReplicaRequest) -> Iterator[TopicPartition]:
    """The partitions whose logs are to be deleted, in every version."""
    for topic in message.topics:
        if message.delete_partitions:
            yield from (TopicPartition(topic.name, number) for number in topic.partition_indexes)
    for told in message.topic_states:
        for part in told.partition_states:
            if part.delete_partition:
                yield TopicPartition(told.topic_name, part.partition_index)


class AnyWorld(RuleBasedStateMachine):
    """Five brokers, up to seven partitions, and everything that can happen to them."""

    @initialize(
        profile=st.sampled_from(sorted(PROFILES)),
        lists=st.tuples(*[ANY_LISTS] * 3),
        down=st.sets(BROKERS, max_size=3),
        ibp=st.sampled_from(["2.4-IV0", "2.7-IV2", "3.9"]),
        handovers=st.sampled_from([1, 100]),
        mode=st.sampled_from(MODES),
    )
    def start(
        self,
        profile: str,
        lists: Sequence[tuple[int, ...]],
        down: set[int],
        ibp: str,
        handovers: int,
        mode: str,
    ) -> None:
        """Create topics on brokers of which some have never been up."""
        config = NodeConfig(
            900,
            (ENDPOINT,),
            rules=PROFILES[profile],
            protocol=by_name(ibp),
            leader_moves_in_flight=handovers,
            cluster_wide=CLUSTER_WIDE[mode],
        )
        self.world = in_office([id_ for id_ in IDS if id_ not in down], config)
        self.brokers = Brokers()
        self.world.answers = self.answer
        self.world.on_send = self.look_at
        self.broken: set[int] = set()
        self.asked: list[int] = []
        #: Requests of leaders for another ISR: who asked, and of which role.
        self.wishes: dict[int, tuple[int, TopicPartition, LeaderAndIsrPartitionState]] = {}
        self.epochs: dict[TopicPartition, int] = {}
        self.leaders: dict[tuple[TopicPartition, int], int] = {}
        self.rogue = False
        #: The present office, and the brokers that it began with.
        self.office: Turns | None = None
        self.found: dict[int, int] = {}
        for topic, replicas in zip("abc", lists, strict=True):
            second = tuple(id_ % len(WITH_UNKNOWN) + 1 for id_ in replicas)
            both = {0: replicas, 1: second}
            event = CreateTopic(topic, -1, -1, both, {}, 0, 0, topic_id=TOPIC_IDS[topic])
            self.asked.append(self.world.request(event))
        self.world.settle()

    def answer(self, send: Send) -> Message | None:
        if send.broker.id in self.broken:
            self.broken.discard(send.broker.id)
            return None
        self.brokers.take(send.broker.id, send.message)
        return accept(send.message)

    def look_at(self, send: Send) -> None:
        """No replica is told to delete while it is one (idea 4 of the design)."""
        message, state = send.message, self.world.node.state
        assert state is not None
        assert self.world.node.connected
        if isinstance(message, StopReplicaRequest):
            for name in deletes(message):
                part = state.partition(name)
                assert part is None or send.broker.id not in part.assignment.replicas

    @property
    def online(self) -> list[int]:
        children = self.world.zookeeper.tree.nodes[paths.BROKER_IDS].children
        return sorted(int(name) for name in children)

    def names(self) -> list[TopicPartition]:
        return [name for name in NAMES if self.world.exists(paths.topic(name.topic))]

    # --- requests ----------------------------------------------------------------------------

    @rule(replicas=ANY_LISTS)
    def create(self, replicas: tuple[int, ...]) -> None:
        event = CreateTopic("d", -1, -1, {0: replicas}, {}, 0, 0, topic_id=TOPIC_IDS["d"])
        self.asked.append(self.world.request(event))

    @rule(wanted=st.dictionaries(st.sampled_from(NAMES), LISTS, min_size=1), rest=st.booleans())
    def alter(self, wanted: dict[TopicPartition, tuple[int, ...]], rest: bool) -> None:
        events = (AlterReassignment(name, replicas) for name, replicas in wanted.items())
        self.asked.append(self.world.request(*events))
        if rest:
            self.world.settle()

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    def cancel(self, names: list[TopicPartition]) -> None:
        self.asked.append(self.world.request(*(AlterReassignment(name, None) for name in names)))

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    def prefer(self, names: list[TopicPartition]) -> None:
        self.asked.append(self.world.request(*map(ElectPreferred, names)))

    @rule()
    def rebalance(self) -> None:
        if REBALANCE_TIMER in self.world.timers:
            self.world.run_timer(REBALANCE_TIMER)

    # --- brokers -----------------------------------------------------------------------------

    def epoch_of(self, broker: int) -> int:
        return self.world.zookeeper.tree.nodes[paths.broker(broker)].czxid

    @rule(broker=BROKERS)
    def leave(self, broker: int) -> None:
        """A broker asks to be relieved, before it stops or does not."""
        if broker in self.online:
            event = ShutDownBroker(broker, self.epoch_of(broker))
            self.asked.append(self.world.request(event))

    def ask_for_isr(self, name: TopicPartition, isr: Sequence[int], leader: int) -> None:
        """Let a leader ask for an ISR, from IBP 2.7-IV2 on; it waits for one answer at a time."""
        self.hear_answers()
        role = self.brokers.roles[leader, name]
        if any(wish[:2] == (leader, name) for wish in self.wishes.values()):
            return
        event = AlterPartition(
            name,
            leader,
            self.epoch_of(leader),
            role.leader_epoch,
            self.brokers.versions[leader, name],
            tuple(isr),
        )
        request = self.world.request(event)
        self.asked.append(request)
        self.wishes[request] = (leader, name, role)

    def hear_answers(self) -> None:
        """Let leaders hear what became of their wishes; one that leads anew asks anew."""
        for request, (leader, name, role) in list(self.wishes.items()):
            if self.brokers.roles.get((leader, name)) is not role:
                del self.wishes[request]
            elif request in self.world.replies:
                ((result,),) = self.world.replies[request]
                del self.wishes[request]
                if isinstance(result, IsrAltered):
                    assert result.leadership.leader == leader
                    assert result.leadership.leader_epoch == role.leader_epoch
                    self.brokers.versions[leader, name] = result.leadership.version

    def write_isr(self, name: TopicPartition, isr: Sequence[int], leader: int) -> None:
        """Let a leader set the ISR at the version that it knows, if it has changed.

        To write what is there already would be news, at which the controller looks again.
        """
        if self.world.node.config.protocol.alter_partition:
            self.ask_for_isr(name, isr, leader)
            return
        path = paths.state(*name)
        known = self.brokers.versions[leader, name]
        if self.world.zookeeper.tree.nodes[path].version != known:
            return
        if self.world.data(path)["isr"] != isr:
            self.world.leader_writes_isr(name, isr)
            self.brokers.versions[leader, name] += 1

    def leads(self, name: TopicPartition) -> LeaderAndIsrPartitionState | None:
        """What the partition's leader knows, if it is alive and knows that it leads."""
        path = paths.state(*name)
        if not self.world.exists(path):
            return None
        state = self.world.data(path)
        leader = state["leader"]
        assert isinstance(leader, int)
        role = self.brokers.roles.get((leader, name))
        if leader not in self.online or role is None or role.leader != leader:
            return None
        return role if role.leader_epoch == state["leader_epoch"] else None

    @rule(name=st.sampled_from(NAMES), out=st.sets(BROKERS, max_size=2), rest=st.booleans())
    def change_isr(self, name: TopicPartition, out: set[int], rest: bool) -> None:
        role = self.leads(name)
        if role is not None:
            alive = {id_ for id_ in self.online if (id_, name) in self.brokers.logs}
            in_sync = (alive - out) | {role.leader}
            self.write_isr(name, [id_ for id_ in role.replicas if id_ in in_sync], role.leader)
        if rest:
            self.world.settle()

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=2, unique=True))
    def catch_up(self, names: list[TopicPartition]) -> None:
        for name in names:
            self.change_isr(name, set(), rest=False)

    @rule(broker=BROKERS)
    def stop_broker(self, broker: int) -> None:
        if broker in self.online:
            self.world.unregister(broker)
            self.brokers.restart(broker)

    @rule(broker=BROKERS)
    def start_broker(self, broker: int) -> None:
        if broker not in self.online:
            self.world.register(broker)

    @rule(broker=BROKERS)
    def restart_broker(self, broker: int) -> None:
        self.stop_broker(broker)
        self.start_broker(broker)

    @rule(broker=BROKERS, rounds=st.integers(0, 5))
    def restart_between_readings(self, broker: int, rounds: int) -> None:
        """It is gone for so many rounds of the node's reads and writes."""
        self.stop_broker(broker)
        for _ in range(rounds):
            self.world.zookeeper.run()
            self.world.feed()
        self.start_broker(broker)

    @rule(broker=BROKERS)
    def break_link(self, broker: int) -> None:
        self.broken.add(broker)

    @rule(silent=st.sets(BROKERS, max_size=2))
    def silence(self, silent: set[int]) -> None:
        self.world.silent = silent

    # --- ZooKeeper ---------------------------------------------------------------------------

    @rule(late=st.booleans(), served=st.integers(0, 3), after=st.integers(0, 3))
    def lose_connection(self, late: bool, served: int, after: int) -> None:
        store, zookeeper = self.world.store, self.world.zookeeper
        if not store.connected:
            return
        self.world.feed()
        for _ in range(min(served, len(store.outgoing))):
            zookeeper.serve(store)
        left = len(store.outgoing) if late else 0
        zookeeper.disconnect(store, late=late)
        for _ in range(min(after, left)):
            zookeeper.serve_late(store)

    @rule(back=st.booleans())
    def wait_for_the_session_timer(self, back: bool) -> None:
        """It runs out; the connection may come `back` in the moment between that and its turn."""
        world = self.world
        if "session" not in world.timers:
            return
        world.run_timer("session")
        if back:
            world.zookeeper.run()
        world.feed()

    @rule(what=st.sampled_from(["session", "epoch", paths.CONTROLLER, paths.klamm_node(900)]))
    def disaster(self, what: str) -> None:
        """The session ends, or somebody takes away or over what we hold."""
        world = self.world
        if what == "session":
            if world.store.connected:
                world.zookeeper.expire(world.store)
        elif what == "epoch":
            data = world.zookeeper.tree.nodes[paths.CONTROLLER_EPOCH].data
            assert data is not None
            world.write(SetData(paths.CONTROLLER_EPOCH, b"%d" % (int(data) + 1), ANY_VERSION))
        elif world.exists(what):
            world.write(Delete(what, ANY_VERSION))

    @rule(name=st.sampled_from(NAMES), what=st.sampled_from(["topic", "state"]))
    def rogue_write(self, name: TopicPartition, what: str) -> None:
        path = paths.topic(name.topic) if what == "topic" else paths.state(*name)
        if self.world.exists(path):
            data = self.world.zookeeper.tree.nodes[path].data
            self.world.write(SetData(path, data, ANY_VERSION))
            self.rogue = True

    @rule(steps=st.integers(1, 4))
    def steps(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step()

    @rule()
    def rest(self) -> None:
        self.world.settle()
        assert all(len(self.world.replies[request]) == 1 for request in self.asked)

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def every_request_has_at_most_one_reply(self) -> None:
        assert all(len(replies) == 1 for replies in self.world.replies.values())

    @invariant()
    def znodes_make_sense(self) -> None:
        for name in self.names():
            part = read_partition(self.world.zookeeper.tree, name)
            assignment, leadership = part.assignment, part.leadership
            assert set(assignment.replicas) == set(assignment.origin) | set(assignment.target)
            assert not set(assignment.adding) & set(assignment.removing)
            if leadership is None:
                assert name not in self.epochs
                continue
            assert leadership.isr
            assert leadership.leader == NO_LEADER or leadership.leader in leadership.isr
            assert leadership.leader_epoch >= self.epochs.get(name, 0)
            self.epochs[name] = leadership.leader_epoch
            leader = self.leaders.setdefault((name, leadership.leader_epoch), leadership.leader)
            assert leader == leadership.leader, "two leaders of one epoch"

    @invariant()
    def memory_is_zookeeper(self) -> None:
        """At rest; in between a Commit may be on its way, or a leader's write unread."""
        state, world = self.world.node.state, self.world
        turns = world.node.turns
        if state is None or turns is None or turns.busy or turns.stale or not world.idle:
            return
        world.replay.assert_is(state)
        assert sorted(state.brokers) == self.online
        assert state.topics.keys() == world.zookeeper.tree.nodes[paths.TOPICS].children
        for topic in state.topics.values():
            znode = read_topic(world.zookeeper.tree, topic.name)
            for number, part in topic.partitions.items():
                name = TopicPartition(topic.name, number)
                held = read_partition(world.zookeeper.tree, name, znode)
                assert part.assignment == held.assignment  # List = ZooKeeper
                mine, there = part.leadership, held.leadership
                if mine is not None and there is not None:
                    assert (mine.leader, mine.leader_epoch) == (there.leader, there.leader_epoch)

    @invariant()
    def who_is_in_sync_was_so_when_it_was_written(self) -> None:
        """At rest: a broker that was registered after the last write of a state has restarted.

        An office takes those that it first finds for those of the states that it finds.
        """
        turns, world = self.world.node.turns, self.world
        at_rest = turns is not None and world.idle and not (turns.busy or turns.stale)
        if turns is None or not at_rest or any(True for _ in turns.open):
            return
        if turns is not self.office:
            self.office = turns
            self.found = {id_: each.epoch for id_, each in turns.state.brokers.items()}
        nodes = world.zookeeper.tree.nodes
        for name in self.names():
            part, state = read_partition(world.zookeeper.tree, name), nodes.get(paths.state(*name))
            if part.leadership is None or part.leader == NO_LEADER or state is None:
                continue  # Without a leader the ISR says who has the data, alive or not.
            for broker in {*part.leadership.isr, part.leader} & set(self.online):
                epoch = self.epoch_of(broker)
                assert epoch < state.mzxid or epoch == self.found.get(broker), (broker, name)

    # --- the end -----------------------------------------------------------------------------

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.heal()
            self.memory_is_zookeeper()
            self.every_request_has_at_most_one_reply()

    def heal(self) -> None:
        """Everybody is up and in touch: every move ends, every request is answered."""
        world = self.world
        world.silent, self.broken = set(), set()
        for broker in IDS:
            self.start_broker(broker)
        world.settle()
        assert world.node.state is not None
        for broker in sorted(world.node.state.shutting_down):
            self.restart_broker(broker)
        world.settle()
        if self.rogue:
            # A leader whose version somebody raised writes no more until it is told anew.
            for broker in IDS:
                self.restart_broker(broker)
            world.settle()
        for _ in range(20):
            for _ in range(10):
                for timer in list(world.timers):
                    world.run_timer(timer)
                world.settle()
            for name in self.names():
                role = self.leads(name)
                if role is not None:
                    alive = [id_ for id_ in role.replicas if id_ in self.online]
                    self.write_isr(name, alive, role.leader)
            world.settle()
            self.hear_answers()
        assert world.node.active
        state = world.node.state
        assert state is not None
        for name, part in state.partitions():
            if not self.is_lost(name):
                assert not part.assignment.moving, name
                assert part.leader != NO_LEADER, name
        assert all(len(world.replies[request]) == 1 for request in self.asked)
        # Deletes that are owed are forgotten with the office, until they are kept in ZooKeeper.
        if not any(line.kind == "resigned" for line in world.journal):
            for broker, name in self.brokers.logs:
                found = state.partition(name)
                assert found is not None
                # Where nobody can lead any more, no leader answers, and the last log is kept.
                stays = broker in found.assignment.replicas or self.is_lost(name)
                assert stays, f"a stray log of {name} on {broker}"
        resigned = [effect for effect in world.effects if isinstance(effect, Resign)]
        assert len(world.resigned) == len(resigned)

    def is_lost(self, name: TopicPartition) -> bool:
        """Tell whether nobody can lead: who could never came, or has lost the data.

        By KIP-455 a request may leave nobody in sync; only an unclean election would help.
        """
        part = read_partition(self.world.zookeeper.tree, name)
        if part.leadership is None and set(part.assignment.replicas).isdisjoint(IDS):
            return True
        if self.world.node.config.rules is not KIP_455 or part.leadership is None:
            return False
        return set(part.assignment.replicas).isdisjoint(part.leadership.isr)


#: In both modes of moves, as it falls.
TestAnyWorld = pytest.mark.req("R435-61")(AnyWorld.TestCase)
TestAnyWorld.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@pytest.mark.slow
def test_any_world_for_longer() -> None:
    slow.run_for_longer(AnyWorld)
