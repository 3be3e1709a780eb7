"""A survey: reading what may have changed, mostly in three rounds, and telling it as facts.

Lists first, then the data of what they name, then partition states. Taking office is a survey of
everything; a watch event or a conflict makes one of the few things it names. What cannot be read
as it should be is a fault of its own and never stops the rest (behaviour: N2). Only without the
lists of brokers and topics nothing can be said: every broker would be taken for dead.

States are what a large cluster has by the hundred thousand, so each is taken as soon as it is
there, by its place among the reads.
"""

from collections.abc import Collection, Iterable, Iterator

from klamm.controller.core.events import (
    AdminElectionRead,
    AdminReassignmentsRead,
    BrokersRead,
    CounterRead,
    DebtsRead,
    DeletionsRead,
    Fact,
    FaultFound,
    LogDirEventsRead,
    NodesRead,
    NotificationsRead,
)
from klamm.controller.core.model import Broker, CommitCounter, TopicPartition
from klamm.controller.node.config_readings import ConfigReadings
from klamm.controller.node.first_round import first_round, topic_reads
from klamm.controller.node.hint_readings import HintReadings
from klamm.controller.node.orders import election_of, reassignments_of
from klamm.controller.node.places import (
    MAX_NAME,
    Location,
    Place,
    locate,
    partition_number,
)
from klamm.controller.node.stale import Stale
from klamm.controller.node.status_readings import StatusReadings
from klamm.controller.node.subtrees import Subtrees
from klamm.controller.node.topic_readings import TopicReadings, not_shown
from klamm.controller.store.port import (
    Children,
    Missing,
    Read,
    ReadData,
    ReadResult,
    Unreadable,
    Znode,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.admin import decode_log_dir_event, decode_partitions
from klamm.controller.znodes.brokers import BrokerZnode, decode_broker
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import (
    KlammNodeZnode,
    decode_broker_lists,
    decode_commit,
    decode_klamm_node,
)
from klamm.controller.znodes.topic import decode_topic


class Survey:
    """One survey: ask `reads`, give all their results to `feed`, until `reads` is empty.

    `known` are the topics in the state: of the listed ones, only others are read. `configs` takes
    what is read of configs.
    """

    def __init__(
        self, stale: Stale, known: Collection[str], configs: ConfigReadings | None = None
    ) -> None:
        self.reads: tuple[Read, ...] = ()
        self.faults: list[ZnodeError] = []
        #: What was read and does not count, for the journal.
        self.remarks: list[str] = []
        #: Which list could not be read, and why; then nothing may be decided on what was.
        self.blind = ""
        self._known = known
        #: Of the present round: the partitions whose states are its last reads, what was read of
        #: the others, how much in all, and which states are faulty.
        self._names: tuple[TopicPartition, ...] = ()
        self._results: list[ReadResult] = []
        self._read = 0
        self._faulty: dict[TopicPartition, ZnodeError] = {}
        self._brokers: dict[int, Broker] | None = None
        self._nodes: dict[int, Broker] | None = None
        self._notifications: tuple[str, ...] = ()
        self._deletions: frozenset[str] | None = None
        self._orders: list[AdminReassignmentsRead | AdminElectionRead] = []
        self._topics = TopicReadings()
        self._subtrees = Subtrees(stale.subtrees)
        self.configs = configs or ConfigReadings(stale)
        self._ledgers: dict[str, DebtsRead] = {}
        self.hints = HintReadings()
        self._status = StatusReadings()
        self._log_dir_events: tuple[str, ...] = ()
        self._failing: set[int] = set()
        self._counter: CommitCounter | None = None
        reads, states = first_round(stale)
        self._begin_round((*reads, *self._subtrees.first_reads()), states)

    def feed(self, results: tuple[ReadResult, ...]) -> None:
        """Take results of the present reads, in their order; the last ones begin the next round."""
        others = len(self.reads) - len(self._names)
        start, self._read = self._read, self._read + len(results)
        left = max(0, others - start)
        self._results.extend(results[:left])
        states = results[left:]
        first = max(0, start - others)
        for name, result in zip(self._names[first : first + len(states)], states, strict=True):
            self._faulty.pop(name, None)
            try:
                self._topics.take_state(name, result)
            except ZnodeError as fault:
                self._faulty[name] = fault
        if self._read >= len(self.reads):
            self._end_round()

    def restart(self) -> None:
        """Drop results of the present round: the connection was lost before the last of them.

        States that were taken are taken again.
        """
        self._results, self._read = [], 0

    def _begin_round(self, others: Iterable[Read], names: Iterable[TopicPartition]) -> None:
        self._names = tuple(dict.fromkeys(names))
        states = (ReadData(paths.state(*name)) for name in self._names)
        self.reads = (*dict.fromkeys(others), *states)
        self.restart()

    def _end_round(self) -> None:
        self.faults.extend(self._faulty.values())
        self._faulty = {}
        reads: list[Read] = []
        names: list[TopicPartition] = []
        for result in self._results:
            try:
                for following in self._take(result):
                    if isinstance(following, TopicPartition):
                        names.append(following)
                    else:
                        reads.append(following)
            except ZnodeError as fault:
                self.faults.append(fault)
        self._begin_round(reads, names)

    def facts(self) -> list[Fact]:
        """What was found; only once `reads` is empty."""
        found: list[Fact] = []
        if self._counter is not None:
            found.append(CounterRead(self._counter))
        if self._nodes is not None:
            found.append(NodesRead(self._nodes))
        if self._brokers is not None:
            found.append(BrokersRead(self._brokers))
        found.extend(self.configs.facts())
        found.extend(self._subtrees.facts())
        found.extend(self.hints.facts())
        found.extend(self._topics.topics())
        found.extend(self._topics.lone_states())
        for fault in self.faults:
            location = locate(fault.path)
            if location.place in (Place.TOPIC, Place.PARTITIONS):
                found.append(FaultFound(paths.topic(location.topic), str(fault)))
            elif location.place is Place.STATE or self._is_hidden(location):
                found.append(FaultFound(fault.path, str(fault)))
        # After what is wrong with topics: of those nobody may be told to delete.
        found.extend(self._ledgers.values())
        if self._log_dir_events:
            found.append(LogDirEventsRead(self._log_dir_events, frozenset(self._failing)))
        if self._deletions is not None:
            found.append(DeletionsRead(self._deletions))
        found.extend(self._orders)
        found.extend(self._status.facts())
        if self._notifications:
            found.append(NotificationsRead(self._notifications))
        return found

    def _is_hidden(self, location: Location) -> bool:
        """Tell whether these are a topic's debts, of which not even the version is known."""
        return location.place is Place.LEDGER and location.topic not in self._ledgers

    def _take(self, result: ReadResult) -> Iterable[Read | TopicPartition]:
        """Fold one result in; return what must be read because of it, states by partition."""
        deeper = self._subtrees.take(result)
        if self._subtrees.is_inner(result.path):
            return deeper
        return [*deeper, *self._take_known(result)]

    def _take_known(self, result: ReadResult) -> Iterable[Read | TopicPartition]:
        location = locate(result.path)
        match location.place, result:
            case Place.BROKERS, Children(path=path, names=names):
                self._brokers = {}
                return [ReadData(f"{path}/{name}") for name in names]
            case Place.NODES, Children(path=path, names=names):
                self._nodes = {}
                return [ReadData(f"{path}/{name}") for name in names]
            case Place.TOPICS, Children(path=path, names=names):
                self._topics.znodes.update(dict.fromkeys(sorted(set(self._known) - set(names))))
                new = [name for name in self._named(path, names) if name not in self._known]
                return [read for name in new for read in topic_reads(name)]
            case Place.NOTIFICATIONS, Children(path=path, names=names):
                self._notifications = tuple(f"{path}/{name}" for name in names)
                return [ReadData(notification) for notification in self._notifications]
            case Place.DELETIONS, Children(names=names):
                self._deletions = frozenset(names)
            case Place.DELETIONS, Missing():
                self._deletions = frozenset()
            case Place.REASSIGNMENTS, Missing() | Znode():
                self._orders.append(reassignments_of(result))
            case ((Place.STATUS | Place.STATUS_HEADER | Place.STATUS_CHUNK), _):
                return self._status.take(result)
            case Place.ELECTION, Missing() | Znode():
                self._orders.append(election_of(result))
            case Place.PARTITIONS, Children(names=names):
                found = map(partition_number, names)
                numbers = frozenset(number for number in found if number is not None)
                self._topics.directories[location.topic] = numbers
                topic = location.topic
                return [TopicPartition(topic, number) for number in sorted(numbers)]
            case Place.PARTITIONS, Missing():
                self._topics.directories[location.topic] = None
            case Place.TOPIC, Missing():
                self._topics.znodes[location.topic] = None
            case Place.COUNTER, Missing():
                self._counter = CommitCounter()
            case Place.LOG_DIR_EVENTS, Children(path=path, names=names):
                self._log_dir_events = tuple(f"{path}/{name}" for name in names)
                return [ReadData(event) for event in self._log_dir_events]
            case Place.LEDGERS, Children(path=path, names=names):
                return [ReadData(f"{path}/{name}") for name in self._named(path, names)]
            case Place.LEDGER, Missing():
                self._ledgers[location.topic] = DebtsRead(location.topic, None, {})
            case ((Place.HINTS_LIST | Place.HINTS), _):
                return self.hints.take(result)
            case ((Place.CLUSTER_CONFIG | Place.TOPIC_CONFIGS | Place.TOPIC_CONFIG), _):
                return self.configs.take(result)
            case _, Znode():
                return self._take_data(result)
            case _, Unreadable():
                raise self._set_aside(result)
        return []

    def _named(self, parent: str, names: Iterable[str]) -> Iterator[str]:
        """The names that a topic can have; nobody can be told of one that is too long."""
        for name in names:
            if len(name) <= MAX_NAME:
                yield name
            else:
                text = f"{parent}/{name[:40]}... does not count: a name of {len(name):,} characters"
                self.remarks.append(f"{text} cannot be told to any broker; delete it")

    def _set_aside(self, unreadable: Unreadable) -> ZnodeError:
        """Leave what cannot be known without this znode as it was; return the fault."""
        location = locate(unreadable.path)
        fault = not_shown(unreadable)
        if location.place in (Place.BROKERS, Place.TOPICS):
            self.blind = str(fault)
        if location.place is Place.LEDGER:
            way_out = "Let the controller read it, and set it once more; or delete it, to remit all"
            return ZnodeError(unreadable.path, f"{fault.reason}. {way_out}")
        if location.place is Place.PARTITIONS:
            # Without its partitions' states a topic would look new, and be led anew.
            self._topics.znodes.pop(location.topic, None)
        return fault

    def _take_data(self, znode: Znode) -> Iterable[TopicPartition]:
        location = locate(znode.path)
        match location.place:
            case Place.BROKER if self._brokers is not None:
                broker = decode_broker(znode.data, znode.path)
                self._brokers[broker.id] = _peer(znode, broker)
            case Place.NODE if self._nodes is not None:
                node = decode_klamm_node(znode.data, znode.path)
                self._nodes[node.id] = _peer(znode, node)
            case Place.TOPIC:
                topic = decode_topic(znode.data, znode.path)
                self._topics.znodes[location.topic] = (znode, topic)
                self.remarks.extend(
                    f"{znode.path}: {key} {value!r} does not count: it contradicts the rest"
                    for key, value in topic.ignored.items()
                )
            case Place.NOTIFICATION:
                return decode_partitions(znode.data, znode.path).entries
            case Place.COUNTER:
                # Even if its content is none: a counter that cannot be set would block deletions.
                self._counter = CommitCounter(0, znode.version)
                self._counter = CommitCounter(decode_commit(znode.data).counter, znode.version)
            case Place.LOG_DIR_EVENT:
                self._failing.add(decode_log_dir_event(znode.data, znode.path).broker)
            case Place.LEDGER:
                self._take_ledger(location.topic, znode)
        return []

    def _take_ledger(self, topic: str, znode: Znode) -> None:
        """Take who owes deletes; even if it cannot be read, or the znode could not be set."""
        self._ledgers[topic] = DebtsRead(topic, znode.version, None)
        lists = decode_broker_lists(znode.data, znode.path)
        owed = {number: frozenset(lists[number]) for number in sorted(lists) if lists[number]}
        self._ledgers[topic] = DebtsRead(topic, znode.version, owed)


def _peer(znode: Znode, registration: BrokerZnode | KlammNodeZnode) -> Broker:
    if not registration.endpoints:
        raise ZnodeError(znode.path, "a registration without an endpoint to reach it by")
    return Broker(registration.id, znode.czxid, registration.endpoints, registration.rack)
