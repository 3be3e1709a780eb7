"""Turns: queue in, Commits out. The part of a node that is busy while it is in office.

A turn takes all queued causes, decides them over the state, and carries the Plan out Commit by
Commit. While a Commit or a survey is under way, causes only queue. After a conflict the paths of
that Commit are read again and its open causes are decided anew; a second conflict halves how many
causes are taken at once, so that one bad path cannot hold up the others; a cause that keeps
failing alone is given up: with UNKNOWN_SERVER_ERROR if somebody waits, else until the next try.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from klamm.controller.core.apply import apply
from klamm.controller.core.decide import decide
from klamm.controller.core.events import Cause, Event, Fact, StateRead
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import ClusterState, TopicPartition
from klamm.controller.core.ops import Check, SetData
from klamm.controller.core.plan import Commit as PlannedCommit
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.rules import Rules
from klamm.controller.node.effects import (
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    SetTimer,
    Severity,
)
from klamm.controller.node.places import Place, locate
from klamm.controller.node.survey import Stale, Survey
from klamm.controller.store.port import Conflict, ReadResult
from klamm.controller.znodes import paths

ATTEMPTS = 5
RETRY_TIMER = "retry"
RETRY_SECONDS = 1.0


@dataclass(slots=True)
class InFlightCommit:
    """The Commit that the store works on, and the number of the request."""

    request: int
    commit: PlannedCommit


@dataclass(slots=True)
class Turns:
    """State of the present turn and of everything queued for the next."""

    state: ClusterState
    rules: Rules
    protocol: InterBrokerProtocol
    stale: Stale = field(default_factory=Stale)
    queue: list[Cause] = field(default_factory=list)
    taken: dict[int, Cause] = field(default_factory=dict)
    plan: deque[PlannedCommit] = field(default_factory=deque)
    in_flight: InFlightCommit | None = None
    survey: Survey | None = None
    survey_request: int = 0
    #: Partitions whose state znode was read in this turn, so that its version can be relied on.
    fresh: set[TopicPartition] = field(default_factory=set)
    failures: Counter[int] = field(default_factory=Counter)
    given_up: list[Cause] = field(default_factory=list)
    #: How many causes besides facts a turn may take; None is no limit.
    width: int | None = None
    #: Watch events that the Commit in flight will cause itself; they tell nothing new.
    echoes: Counter[str] = field(default_factory=Counter)
    next_cause: int = 0
    next_request: int = 0

    @property
    def busy(self) -> bool:
        """Tell whether the store still owes an answer that the turn waits for."""
        return self.in_flight is not None or self.survey is not None

    def add(self, events: Iterable[Event]) -> tuple[Cause, ...]:
        """Queue events, each as a cause with a number of its own."""
        causes = []
        for event in events:
            self.next_cause += 1
            causes.append(Cause(self.next_cause, event))
        self.queue.extend(causes)
        return tuple(causes)

    def touched(self, path: str) -> None:
        """Note a watch event: what it names is stale, unless our own write caused it."""
        if self.echoes[path] > 0:
            self.echoes[path] -= 1
        else:
            self.stale.add(path)

    # --- surveys ---------------------------------------------------------------------------

    def begin_survey(self) -> Iterator[Effect]:
        """Read what is stale."""
        self.survey = Survey(self.stale, self.state.topics.keys())
        self.stale = Stale()
        yield from self.ask()

    def ask(self) -> Iterator[Effect]:
        """Ask for the survey's present round, or take its facts if there is none left."""
        if self.survey is None:
            return
        if self.survey.reads:
            self.next_request += 1
            self.survey_request = self.next_request
            yield ReadZnodes(self.survey_request, self.survey.reads)
            return
        survey, self.survey = self.survey, None
        for fault in survey.faults:
            yield Journal(Severity.ERROR, "unreadable", str(fault))
        facts = survey.facts()
        self.fresh.update(fact.partition for fact in facts if isinstance(fact, StateRead))
        self.add(facts)

    def survey_read(self, results: tuple[ReadResult, ...], last: bool) -> Iterator[Effect]:
        """Take a part of the answer to the survey's round."""
        if self.survey is not None:
            self.survey.feed(results)
            if last:
                yield from self.ask()

    # --- deciding --------------------------------------------------------------------------

    def decide(self) -> Iterator[Effect]:
        """Decide over the queue; where brokers write states behind our back, read those first.

        Below IBP 2.7-IV2 a leader sets its state znode itself, so every state that the Plan
        writes is read before, differences are folded in, and the same causes decided again.
        """
        causes = self._take()
        plan = decide(self.state, causes, self.rules, self.protocol.topic_znode_version)
        unread = set() if self.protocol.alter_partition else _states_set(plan) - self.fresh
        if unread:
            self.queue[:0] = causes
            self.stale.states |= unread
            self.fresh |= unread
            yield from self.begin_survey()
            return
        self.fresh.clear()
        self.width = None
        self.taken = {cause.id: cause for cause in causes}
        self.plan = deque(plan)

    def _take(self) -> list[Cause]:
        """Take the queue, or after repeated conflicts the facts and only the first other causes."""
        if self.width is None:
            taken, self.queue = self.queue, []
            return taken
        facts = [cause for cause in self.queue if isinstance(cause.event, Fact)]
        others = [cause for cause in self.queue if not isinstance(cause.event, Fact)]
        self.queue = others[self.width :]
        return facts + others[: self.width]

    def send(self, commit: PlannedCommit) -> Commit:
        """Hand a Commit to the store, fenced by the epoch znode's version."""
        self.next_request += 1
        self.in_flight = InFlightCommit(self.next_request, commit)
        self.echoes = Counter(op.path for op in commit.ops)
        fence = Check(paths.CONTROLLER_EPOCH, self.state.fence_version)
        return Commit(self.next_request, commit.ops, fence)

    def apply(self, commit: PlannedCommit) -> None:
        """Make a Commit true in memory, and queue what it wants looked at next."""
        self.state = apply(self.state, commit.changes)
        for cause in commit.causes:
            self.taken.pop(cause, None)
            self.failures.pop(cause, None)
        self.add(commit.follow_ups)

    # --- outcomes --------------------------------------------------------------------------

    def conflicted(self, commit: PlannedCommit, conflict: Conflict) -> Iterator[Effect]:
        """Read the Commit's paths again and decide its causes, and those after it, once more."""
        path = commit.ops[conflict.index].path
        text = f"{path}: {conflict.error.name}; reading {len(commit.ops)} paths again"
        yield Journal(Severity.INFO, "conflict", text)
        self.plan.clear()
        for op in commit.ops:
            self.stale.add(op.path)
        again = max((self.failures[cause] for cause in commit.causes), default=0) > 0
        if again:
            self.width = max(1, len(commit.causes) // 2)
        self.failures.update(commit.causes)
        lost = [id_ for id_ in commit.causes if self.failures[id_] >= ATTEMPTS]
        if len(commit.causes) == 1 and lost:
            yield from self.give_up(commit, "it conflicted again and again")
        self._requeue()

    def refused(self, commit: PlannedCommit, error: str) -> Iterator[Effect]:
        """Give up a Commit that ZooKeeper would refuse again; the causes after it go on."""
        text = f"{commit.ops[0].path} and {len(commit.ops) - 1} more writes: {error}"
        yield Journal(Severity.ERROR, "refused", text)
        self.plan.clear()
        yield from self.give_up(commit, error)
        self._requeue()

    def give_up(self, commit: PlannedCommit, why: str) -> Iterator[Effect]:
        """Set a Commit's causes aside: the node answers those with a reply, and retries others."""
        for id_ in commit.causes:
            cause = self.taken.pop(id_, None)
            self.failures.pop(id_, None)
            if cause is not None:
                self.given_up.append(cause)
        yield Journal(Severity.ERROR, "given up", f"{len(commit.causes)} causes: {why}")
        yield SetTimer(RETRY_TIMER, RETRY_SECONDS)

    def _requeue(self) -> None:
        """Put open causes back, in order, before what came in meanwhile."""
        self.queue[:0] = self.taken.values()
        self.taken = {}


SERVER_ERROR = Refusal(
    Fault.UNKNOWN_SERVER_ERROR,
    "The server experienced an unexpected error when processing the request.",
)


def _states_set(plan: Iterable[PlannedCommit]) -> set[TopicPartition]:
    """The partitions whose existing state znode the Plan writes."""
    return {
        location.partition
        for commit in plan
        for op in commit.ops
        if isinstance(op, SetData)
        and (location := locate(op.path)).place is Place.STATE
        and location.partition is not None
    }
