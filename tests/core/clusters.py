"""Clusters as values, and a ledger that carries Plans out on a ZooKeeper tree as a node would."""

from collections.abc import Iterable, Mapping, Sequence

from klamm.controller.core.apply import apply
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, Event
from klamm.controller.core.model import (
    Assignment,
    Broker,
    ClusterState,
    Endpoint,
    Leadership,
    Partition,
    Topic,
    TopicPartition,
)
from klamm.controller.core.ops import Create
from klamm.controller.core.plan import Commit, Entry, Message, Plan
from klamm.controller.core.results import Result
from klamm.controller.core.settings import Settings
from klamm.controller.core.slots import Slots
from klamm.controller.core.writes import encode_leadership, topic_write
from klamm.controller.store.memory_tree import Applied, Tree
from klamm.controller.znodes import paths
from klamm.controller.znodes.klamm import (
    CommitZnode,
    decode_broker_lists,
    decode_reassignment_steps,
    encode_broker_lists,
    encode_commit,
    encode_reassignment_steps,
)
from klamm.controller.znodes.state import decode_state
from klamm.controller.znodes.topic import TopicZnode, decode_topic

CONTROLLER = 900
EPOCH = 5
T = TopicPartition("t", 0)


def broker(id_: int, epoch: int | None = None, rack: str | None = None) -> Broker:
    """A broker whose epoch is, unless given, its id + 100."""
    endpoint = Endpoint("PLAINTEXT", "PLAINTEXT", f"host{id_}", 9092)
    return Broker(id_, id_ + 100 if epoch is None else epoch, (endpoint,), rack)


def brokers(*ids: int) -> dict[int, Broker]:
    return {id_: broker(id_) for id_ in ids}


def partition(
    replicas: Sequence[int],
    adding: Sequence[int] = (),
    removing: Sequence[int] = (),
    leader: int | None = None,
    isr: Sequence[int] | None = None,
    leader_epoch: int = 3,
    version: int = 7,
) -> Partition:
    """A partition whose origin is in sync and led by its first replica, unless said otherwise."""
    assignment = Assignment(tuple(replicas), tuple(adding), tuple(removing))
    in_sync = assignment.origin if isr is None else tuple(isr)
    first = in_sync[0] if leader is None else leader
    return Partition(assignment, Leadership(first, leader_epoch, in_sync, EPOCH - 1, version))


def topic(name: str, partitions: Mapping[int, Partition], version: int = 2) -> Topic:
    """A topic whose partition directories all exist."""
    bare = frozenset(number for number, part in partitions.items() if part.leadership is None)
    return Topic(name, version, dict(partitions), bare=bare)


def cluster(online: Iterable[int], *topics: Topic) -> ClusterState:
    """A cluster in which these brokers are online."""
    return ClusterState(
        CONTROLLER,
        EPOCH,
        fence_version=EPOCH,
        brokers=brokers(*online),
        topics={each.name: each for each in topics},
    )


def one(online: Iterable[int], part: Partition) -> ClusterState:
    """A cluster whose only partition is T."""
    return cluster(online, topic("t", {0: part}))


class Ledger:
    """State and ZooKeeper side by side: every Commit is applied to both, and both must agree."""

    def __init__(self, state: ClusterState, settings: Settings | None = None) -> None:
        self.state = state
        self.settings = settings or Settings()
        self.tree = _tree_of(state, self.settings)
        self.results: dict[int, list[Result]] = {}
        self.messages: list[Message] = []
        self.entries: list[Entry] = []
        self._causes = 0

    def plan(self, *events: Event) -> Plan:
        """Decide without carrying out."""
        causes = [Cause(self._causes + n, event) for n, event in enumerate(events, start=1)]
        self._causes += len(events)
        return decide(self.state, causes, self.settings)

    def turn(self, *events: Event) -> tuple[Event, ...]:
        """Decide and carry out; return the events of the next turn."""
        following: list[Event] = []
        self.messages, self.entries = [], []
        for commit in self.plan(*events):
            self.carry_out(commit)
            following.extend(commit.follow_ups)
        return tuple(following)

    def settle(self, *events: Event) -> list[Message]:
        """Take turns until nothing follows; return all messages."""
        messages: list[Message] = []
        due: tuple[Event, ...] = events
        for _ in range(20):
            if not due:
                return messages
            due = self.turn(*due)
            messages.extend(self.messages)
        raise AssertionError(f"no rest after 20 turns: {due}")

    def ask(self, event: Event) -> Result:
        """Decide one request and return what it comes to."""
        self.turn(event)
        (result,) = self.results[self._causes]
        return result

    def carry_out(self, commit: Commit) -> None:
        if commit.ops:
            applied = self.tree.apply(commit.ops, session=0)
            assert isinstance(applied, Applied), (applied, commit.ops)
        self.state = apply(self.state, commit.changes)
        self.messages.extend(commit.messages)
        self.entries.extend(commit.entries)
        for cause, result in commit.results:
            self.results.setdefault(cause, []).append(result)
        assert_same(self.tree, self.state)

    @property
    def t(self) -> Partition:
        """The partition T."""
        found = self.state.partition(T)
        assert found is not None
        return found

    def writes(self, name: str) -> int:
        """The dataVersion of a topic's znode."""
        return self.tree.nodes[paths.topic(name)].version


def read_topic(tree: Tree, name: str) -> TopicZnode:
    path = paths.topic(name)
    return decode_topic(tree.nodes[path].data, path)


def read_partition(tree: Tree, name: TopicPartition, znode: TopicZnode | None = None) -> Partition:
    """A partition as ZooKeeper holds it; `znode` is its topic's, if that has been read."""
    znode = znode or read_topic(tree, name.topic)
    number = name.partition
    assignment = Assignment(
        znode.partitions[number], znode.adding.get(number, ()), znode.removing.get(number, ())
    )
    node = tree.nodes.get(path := paths.state(*name))
    if node is None:
        return Partition(assignment)
    state = decode_state(node.data, path)
    leadership = Leadership(
        state.leader,
        state.leader_epoch,
        state.isr,
        state.controller_epoch,
        node.version,
        state.leader_recovery_state,
        state.extra,
    )
    return Partition(assignment, leadership)


def assert_same(tree: Tree, state: ClusterState) -> None:
    """Memory equals ZooKeeper, with all versions (invariant I9)."""
    for known in state.topics.values():
        assert tree.nodes[paths.topic(known.name)].version == known.version
        znode = read_topic(tree, known.name)
        assert set(znode.partitions) == set(known.partitions)
        assert (znode.topic_id, znode.extra) == (known.topic_id, known.extra)
        for number, held in known.partitions.items():
            assert read_partition(tree, TopicPartition(known.name, number), znode) == held
        parent = tree.nodes.get(paths.partitions(known.name))
        assert (parent is None) == (known.bare is None)
        if parent is not None:
            bare = frozenset(
                int(name)
                for name in parent.children
                if paths.state(known.name, int(name)) not in tree.nodes
            )
            assert bare == known.bare
    owing = {name: known for name, known in state.ledgers.items() if known.version is not None}
    assert tree.nodes[paths.REPLICA_DELETIONS].children == owing.keys()
    for name, debts in owing.items():
        node = tree.nodes[path := paths.replica_deletions(name)]
        assert node.version == debts.version
        lists = decode_broker_lists(node.data, path)
        assert {number: frozenset(ids) for number, ids in lists.items()} == debts.owed
    steps = tree.nodes.get(paths.REASSIGNMENT_STEPS)
    assert (steps is not None) == state.has_hints
    hinted = {name: known for name, known in state.hints.items() if known.version is not None}
    assert (steps.children if steps else set()) == hinted.keys()
    for name, hints in hinted.items():
        node = tree.nodes[path := paths.reassignment_steps(name)]
        assert node.version == hints.version
        assert decode_reassignment_steps(node.data, path) == hints.steps
    paces = ((name, part.pace) for name, part in state.moving() if part.pace)
    indexed = Slots.of(paces)
    for kind in ("leaders", "others", "waiting", "running"):
        assert list(getattr(state.slots, kind)) == list(getattr(indexed, kind)), kind
    assert state.slots.running_leaders == indexed.running_leaders
    counter = tree.nodes.get(paths.KLAMM_COMMIT)
    assert state.commits.version == (None if counter is None else counter.version)


def _tree_of(state: ClusterState, settings: Settings) -> Tree:
    tree = Tree()

    def put(path: str, data: bytes | None, version: int = 0) -> None:
        assert isinstance(tree.apply((Create(path, data),), session=0), Applied)
        tree.nodes[path].version = version

    for path in (*paths.PERSISTENT_PATHS, *paths.KLAMM_PATHS):
        put(path, None)
    if state.commits.version is not None:
        znode = CommitZnode(state.epoch, state.commits.count)
        put(paths.KLAMM_COMMIT, encode_commit(znode), state.commits.version)
    for known in state.topics.values():
        write = topic_write(known, settings)
        put(write.path, write.data, known.version)
        led = {n: p.leadership for n, p in known.partitions.items() if p.leadership is not None}
        if known.bare is not None:
            put(paths.partitions(known.name), None)
            for number in sorted(known.bare | led.keys()):
                put(paths.partition(known.name, number), None)
        for number, leadership in led.items():
            path = paths.state(known.name, number)
            put(path, encode_leadership(leadership), leadership.version)
    for name, debts in state.ledgers.items():
        lists = {number: tuple(sorted(ids)) for number, ids in debts.owed.items()}
        put(paths.replica_deletions(name), encode_broker_lists(lists), debts.version or 0)
    if state.has_hints:
        put(paths.REASSIGNMENT_STEPS, None)
    for name, hints in state.hints.items():
        data = encode_reassignment_steps(hints.steps)
        put(paths.reassignment_steps(name), data, hints.version or 0)
    return tree
