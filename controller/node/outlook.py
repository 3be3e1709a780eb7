"""What a node out of office sees of the cluster in ZooKeeper, where no klamm controller tells it.

A controller of klamm sends UpdateMetadata to the other nodes as to brokers. One of Kafka's own
knows nothing of /klamm/nodes and never speaks to them. Clients of a node are to have true answers
all the same, above all who is controller, or they never find it.

Rules
1. A controller is klamm's if it is registered in /klamm/nodes. Under any other, brokers, nodes,
   topics and states are watched and read: once in full, then what has changed, as one reading for
   all that changes within `LOOK_SECONDS`.
2. Under one of klamm's, a node that knows nothing yet reads once, and watches nothing: it will be
   told. A node that was told before, or was in office, goes on from that.
3. The first UpdateMetadata of a controller, or its own office, ends the looking of a node, until a
   later controller is elected. Epochs say who is later.
4. Without a connection a node keeps what it has seen. The next one begins with rule 1 again.
5. What ZooKeeper does not show, who is controller or a list, is asked for again from time to time.
   Until then the node keeps what it has seen: half a cluster would be a lie.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from klamm.controller.core.apply import apply
from klamm.controller.core.changes import Change, SetBrokers, SetNodes, SetPartition, SetTopic
from klamm.controller.core.events import BrokersRead, Fact, NodesRead, StateRead, TopicRead
from klamm.controller.core.model import ClusterState
from klamm.controller.node.effects import (
    ArmWatch,
    Effect,
    Journal,
    ReadZnodes,
    SetTimer,
    Severity,
)
from klamm.controller.node.office import Office
from klamm.controller.node.stale import Stale
from klamm.controller.node.survey import Survey
from klamm.controller.store.port import ReadData, ReadDone, Refused, Unknown, Watch, Znode
from klamm.controller.znodes import paths

LOOK_TIMER = "look"
#: How long a change may wait for others, to be read with them.
LOOK_SECONDS = 0.2
#: How long what ZooKeeper refused to show is left alone.
REFUSED_SECONDS = 5.0

WATCHES = (
    Watch(paths.BROKER_IDS, recursive=True),
    Watch(paths.KLAMM_NODES, recursive=True),
    Watch(paths.TOPICS, recursive=True),
)


@dataclass(frozen=True, slots=True)
class View:
    """Who is controller by what ZooKeeper says (-1: nobody was yet), and in which epoch.

    `cluster` is what was read; None if nobody has to look there for it.
    """

    controller_id: int = -1
    epoch: int = 0
    cluster: ClusterState | None = None


@dataclass(slots=True)
class Outlook:
    """What one node sees. Its requests to the store have numbers of `office`."""

    office: Office
    view: View = field(default_factory=View)
    #: The newest epoch of a controller that has told us of the cluster, us included.
    told: int = 0
    #: Whether the controller is one of klamm is to be asked again, for ZooKeeper did not say.
    undecided: bool = False
    #: All that changes is read again.
    follows: bool = False
    armed: bool = False
    #: Whether a timer is set, after which to read what is stale.
    waits: bool = False
    stale: Stale = field(default_factory=Stale)
    survey: Survey | None = None
    #: What the last reading could not read, which the journal has been told.
    faults: frozenset[str] = frozenset()
    #: Numbers of the newest requests; answers to earlier ones are out of date.
    question: int = 0
    reading: int = 0

    def behold(self, controller_id: int, epoch: int) -> Iterator[Effect]:
        """Note who is controller, and find out whether that one will tell us of the cluster."""
        if (controller_id, epoch) != (self.view.controller_id, self.view.epoch):
            self.view = replace(self.view, controller_id=controller_id, epoch=epoch)
            self._rest()
        if self.told < epoch and not self.armed and self.survey is None:
            yield self._ask_whose()

    def heard(self, epoch: int) -> None:
        """The controller of this epoch has told us of the cluster, or we are it."""
        self.told = max(self.told, epoch)
        if self.told >= self.view.epoch:
            self._rest()
            self.view = replace(self.view, cluster=None)

    def disconnected(self) -> None:
        """Keep what was seen. Watches and answers are lost with their connection."""
        self._rest()

    def touched(self, path: str) -> Iterator[Effect]:
        """Note a watch event; what it names is read soon."""
        if self.follows:
            self.stale.add(path)
            yield from self._look_later(LOOK_SECONDS)

    def look(self) -> Iterator[Effect]:
        """Read what is stale, now that its time has come."""
        self.waits = False
        if self.undecided:
            yield self._ask_whose()
        elif self.survey is None:
            yield from self._look()

    def answered(self, event: ReadDone) -> Iterator[Effect]:
        """Take an answer of the store; those that are not for us do nothing."""
        if isinstance(event.outcome, Unknown):
            return  # begun anew once the connection is back
        if event.request == self.question and self.question:
            self.question = 0
            if isinstance(event.outcome, Refused):
                self.undecided = True
                yield from self._tell({f"who is controller: {event.outcome.error}"}, "refused")
                yield from self._look_later(REFUSED_SECONDS)
            else:
                yield from self._judge(isinstance(event.outcome[0], Znode))
        elif event.request == self.reading and self.survey is not None:
            if isinstance(event.outcome, Refused):
                yield from self._tell({f"looking on: {event.outcome.error}"}, "refused")
                yield from self._look_at_all_later()
                return
            self.survey.feed(event.outcome)
            if event.last:
                yield from self._ask()

    def _ask_whose(self) -> ReadZnodes:
        """Ask whether the controller is a node of klamm; answered by `_judge`."""
        self.undecided = False
        self.question = self.office.next_request()
        registration = ReadData(paths.klamm_node(self.view.controller_id))
        return ReadZnodes(self.question, (registration,))

    def _judge(self, is_klamm: bool) -> Iterator[Effect]:
        """Follow a controller that will not tell us anything; wait for the word of another."""
        if is_klamm and (self.told or self.view.cluster is not None):
            return
        if not is_klamm:
            self.follows = self.armed = True
            yield ArmWatch(self.office.next_request(), WATCHES)
        self.stale = self._everything()
        yield from self._look()

    def _everything(self) -> Stale:
        known = self.view.cluster.topics if self.view.cluster else ()
        return Stale(brokers=True, nodes=True, topic_list=True, topics=set(known))

    def _look(self) -> Iterator[Effect]:
        if self.stale:
            known = self.view.cluster.topics if self.view.cluster else ()
            self.survey, self.stale = Survey(self.stale, frozenset(known)), Stale()
            yield from self._ask()

    def _ask(self) -> Iterator[Effect]:
        """Ask for the survey's next round, or take in what it has found."""
        survey = self.survey
        if survey is None:
            return
        if survey.reads:
            self.reading = self.office.next_request()
            yield ReadZnodes(self.reading, survey.reads)
            return
        yield from self._tell(set(map(str, survey.faults)), "unreadable")
        if survey.blind:
            yield from self._look_at_all_later()
            return
        self.survey = None
        before = self.view.cluster or ClusterState(self.view.controller_id, self.view.epoch, -1)
        self.view = replace(self.view, cluster=folded(before, survey.facts()))
        if self.stale:
            yield from self._look_later(LOOK_SECONDS)

    def _tell(self, faults: set[str], kind: str) -> Iterator[Effect]:
        """Write what is wrong into the journal, unless the reading before met the same."""
        for fault in sorted(faults - self.faults):
            yield Journal(Severity.ERROR, kind, fault)
        self.faults = frozenset(faults)

    def _look_at_all_later(self) -> Iterator[Effect]:
        """Give up this reading; the next one is a full one, in some time."""
        self.survey, self.stale = None, self._everything()
        yield from self._look_later(REFUSED_SECONDS)

    def _look_later(self, seconds: float) -> Iterator[Effect]:
        if self.survey is None and not self.waits:
            self.waits = True
            yield SetTimer(LOOK_TIMER, seconds)

    def _rest(self) -> None:
        """Look no more; events of watches that are still armed do nothing."""
        self.follows = self.armed = self.waits = False
        self.stale, self.survey, self.question = Stale(), None, 0
        self.undecided, self.faults = False, frozenset()


def folded(cluster: ClusterState, facts: Iterable[Fact]) -> ClusterState:
    """Return the cluster with what was read of it; nothing comes of that."""
    changes: list[Change] = []
    for fact in facts:
        match fact:
            case BrokersRead(brokers):
                changes.append(SetBrokers(brokers))
            case NodesRead(nodes):
                changes.append(SetNodes(nodes))
            case TopicRead(name, topic):
                changes.append(SetTopic(name, topic))
            case StateRead(name, leadership):
                partition = cluster.partition(name)
                if partition is not None:
                    changes.append(SetPartition(name, replace(partition, leadership=leadership)))
            case _:
                pass
    return apply(cluster, changes)
