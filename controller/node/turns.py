"""Turns: queue in, Commits out. The part of a node that is busy while it is in office.

A turn takes all queued causes, decides them over the state, and carries the Plan out Commit by
Commit. While a Commit or a survey is under way, causes only queue. After a conflict the paths of
that Commit are read again and its open causes decided anew, by the rule of `store.settle`: from
its second conflict on a batch is halved, so that one bad path cannot hold up the others, and a
cause that keeps failing alone is given up: with UNKNOWN_SERVER_ERROR if somebody waits, else
until the next try. What ZooKeeper refuses is halved at once, and so is what cannot be decided.
"""

import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from klamm.controller.configs.cluster_wide import NOT_SET, ClusterWide
from klamm.controller.core.apply import apply
from klamm.controller.core.cluster_configs import CONFIGS_READ, is_known
from klamm.controller.core.decide import decide
from klamm.controller.core.events import (
    Cause,
    Event,
    Fact,
    FollowUp,
    RemoveZnode,
    StateRead,
    TopicRead,
)
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import ClusterState, Topic, TopicPartition
from klamm.controller.core.ops import Check, Delete, Op
from klamm.controller.core.origins import Origin
from klamm.controller.core.plan import Commit as PlannedCommit
from klamm.controller.core.plan import Plan
from klamm.controller.core.results import Fault, Refusal
from klamm.controller.core.settings import Settings
from klamm.controller.node.config_readings import TOPIC_WATCH, ConfigReadings
from klamm.controller.node.effects import (
    ArmWatch,
    Commit,
    Effect,
    Journal,
    ReadZnodes,
    SetTimer,
    Severity,
)
from klamm.controller.node.in_flight import InFlightCommit, states_in_question, states_set
from klamm.controller.node.sources import Sources
from klamm.controller.node.stale import Stale
from klamm.controller.node.subtrees import root_of
from klamm.controller.node.survey import Survey
from klamm.controller.store.port import ReadResult, Unknown
from klamm.controller.store.settle import Batch, after_conflict, after_refusal
from klamm.controller.store.witness import Inquiry, Verdict, inquire
from klamm.controller.znodes import paths

Decide = Callable[[ClusterState, Iterable[Cause], Settings], Plan]

RETRY_TIMER = "retry"
RETRY_SECONDS = 1.0


@dataclass(slots=True)
class Turns:
    """State of the present turn and of everything queued for the next."""

    state: ClusterState
    settings: Settings
    protocol: InterBrokerProtocol
    #: Called with the state, the causes of a turn, and the settings.
    decide_over: Decide = decide
    #: What holds of the whole cluster's configs where nothing is stored.
    static: ClusterWide = NOT_SET
    stale: Stale = field(default_factory=Stale)
    queue: list[Cause] = field(default_factory=list)
    taken: dict[int, Cause] = field(default_factory=dict)
    plan: deque[PlannedCommit] = field(default_factory=deque)
    in_flight: InFlightCommit | None = None
    #: Commits that are applied, but neither journal nor brokers have heard of; each with the state
    #: before it.
    untold: deque[tuple[PlannedCommit, ClusterState]] = field(default_factory=deque)
    survey: Survey | None = None
    #: A survey has ended, and what it found is not decided on yet.
    surveyed: bool = False
    survey_request: int = 0
    inquiry_request: int = 0
    #: Partitions whose state znode was read in this turn, so that its version can be relied on.
    fresh: set[TopicPartition] = field(default_factory=set)
    #: Causes whose Commit met a conflict: each batch is decided in a turn of its own.
    retries: deque[Batch[Cause]] = field(default_factory=deque)
    #: How often the causes of the present turn have met one before.
    conflicts: int = 0
    given_up: list[Cause] = field(default_factory=list)
    #: What those who wait for them are answered, by cause, where there is more to say than usual.
    refusals: dict[int, Refusal] = field(default_factory=dict)
    #: Why follow-ups were given up, as the journal has it; until they succeed.
    told: dict[FollowUp, str] = field(default_factory=dict)
    #: What is to be read again when the retry timer runs out.
    stale_later: Stale = field(default_factory=Stale)
    #: Watch events that the Commit in flight will cause itself; they tell nothing new.
    echoes: Counter[str] = field(default_factory=Counter)
    #: For the journal: watch events since the last survey began, and what made that one.
    seen: set[str] = field(default_factory=set)
    sources: Sources = field(default_factory=Sources)
    #: Topics whose content the snapshot has told, until they are part of the state.
    loaded: dict[str, Topic] = field(default_factory=dict)
    #: The configs of topics count, and are read when they change.
    follows_topics: bool = False
    #: The timer that takes finished entries out of /admin/reassign_partitions is set.
    tidying: bool = False
    #: So are those that write what replicas have come to, and remove what is old of that.
    writes_status: bool = False
    sweeps_status: bool = False
    next_cause: int = 0
    next_request: int = 0

    @property
    def busy(self) -> bool:
        """Tell whether the store still owes an answer that the turn waits for."""
        return self.in_flight is not None or self.survey is not None

    @property
    def open(self) -> Iterator[Cause]:
        """Every cause that nothing has come of yet."""
        yield from self.queue
        yield from self.taken.values()
        for batch in self.retries:
            yield from batch.causes
        yield from self.given_up

    def add(self, events: Iterable[Event], origin: Origin | None = None) -> tuple[Cause, ...]:
        """Queue events, each as a cause with a number of its own, all from one `origin`."""
        causes = []
        for event in events:
            self.next_cause += 1
            causes.append(Cause(self.next_cause, event, origin))
        self.queue.extend(causes)
        return tuple(causes)

    def touched(self, path: str) -> None:
        """Note a watch event: what it names is stale, unless our own write caused it."""
        of_topic_config = path.startswith(paths.TOPIC_CONFIGS)
        if of_topic_config and not self.follows_topics:
            return
        # What a new topic is created with is read back, where it counts at all.
        if self.echoes[path] > 0 and not of_topic_config:
            self.echoes[path] -= 1
        else:
            self.stale.add(path)
            self.seen.add(path)

    # --- surveys ---------------------------------------------------------------------------

    def begin_survey(self, why: str = "to see what has changed") -> Iterator[Effect]:
        """Read what is stale; `why` is for the journal."""
        self.sources, self.seen = Sources(why, self.seen), set()
        configs = ConfigReadings(self.stale, self.static, self.state.limits)
        self.survey = Survey(self.stale, frozenset(self.state.topics), configs)
        self.stale = Stale()
        yield from self.ask()

    def ask(self) -> Iterator[Effect]:
        """Ask for the survey's present round, or take its facts if there is none left."""
        if self.survey is None:
            return
        configs = self.survey.configs
        if configs.of_all_topics and not self.follows_topics:
            self.follows_topics = True
            self.next_request += 1
            yield ArmWatch(self.next_request, (TOPIC_WATCH,))
        if self.survey.reads:
            self.next_request += 1
            self.survey_request = self.next_request
            yield ReadZnodes(self.survey_request, self.survey.reads)
            return
        survey, self.survey = self.survey, None
        self.surveyed = True
        self.follows_topics &= not configs.unlimited
        for fault in (*survey.faults, *configs.faults):
            yield Journal(Severity.ERROR, "unreadable", str(fault))
        for remark in (*survey.remarks, *configs.remarks, *survey.hints.remarks):
            yield Journal(Severity.WARNING, "ignored", remark)
        facts = survey.facts()
        self.fresh.update(fact.partition for fact in facts if isinstance(fact, StateRead))
        # What an earlier reading found is not part of the state yet: then nothing is known.
        pending = any(isinstance(cause.event, TopicRead | StateRead) for cause in self.queue)
        configured = any(isinstance(cause.event, CONFIGS_READ) for cause in self.queue)
        for fact in facts:
            if isinstance(fact, CONFIGS_READ):
                known = not configured and is_known(self.state, fact)
            else:
                known = not pending and self._is_known(fact)
            if not known:
                self.add((fact,), self.sources.origin(fact))

    def _is_known(self, fact: Fact) -> bool:
        """Tell whether it is a partition's state, and as we have it: most of what is read is."""
        if not isinstance(fact, StateRead) or self.state.unreadable:
            return False
        partition = self.state.partition(fact.partition)
        return partition is not None and partition.leadership == fact.leadership

    def ask_again(self) -> Iterator[Effect]:
        """Repeat the survey's present round: its answer was lost with the connection."""
        if self.survey is not None:
            self.survey.restart()
            yield from self.ask()

    def survey_read(self, results: tuple[ReadResult, ...], last: bool) -> Iterator[Effect]:
        """Take a part of the answer to the survey's round."""
        if self.survey is not None:
            self.survey.feed(results)
            if last:
                yield from self.ask()

    # --- deciding --------------------------------------------------------------------------

    def decide(self, now_ms: int = 0) -> Iterator[Effect]:
        """Decide over the queue at this time; where others write states, read those first.

        Below IBP 2.7-IV2 a leader sets its state znode itself, so every state that the Plan
        writes is read before and differences are folded in: at once where the causes name it,
        else after a first decision, and the same causes are decided again.
        """
        self.settings = replace(self.settings, now_ms=now_ms)
        causes, conflicts = self._take()
        plan: Plan = ()
        unread: set[TopicPartition] = set()
        if not self.protocol.alter_partition:
            unread = states_in_question(causes, self.state) - self.fresh
        if not unread:
            try:
                plan = self.decide_over(self.state, causes, self.settings)
            except Exception:
                yield from self._undecided(causes, conflicts)
                return
            if not self.protocol.alter_partition:
                unread = states_set(plan) - self.fresh
        if unread:
            self.stale.states |= unread
            self.fresh |= unread
            self._put_back(causes, conflicts)
            yield from self.begin_survey("before writing it")
            return
        self.fresh.clear()
        self.surveyed = False
        self.conflicts = conflicts
        self.taken = {cause.id: cause for cause in causes}
        self.plan = deque(plan)

    def _take(self) -> tuple[list[Cause], int]:
        """Take the whole queue; or, while there are batches to retry, one and the facts."""
        if not self.retries:
            taken, self.queue = self.queue, []
            return taken, 0
        batch = self.retries.popleft()
        facts = [cause for cause in self.queue if isinstance(cause.event, Fact)]
        self.queue = [cause for cause in self.queue if not isinstance(cause.event, Fact)]
        return [*facts, *batch.causes], batch.conflicts

    def _undecided(self, causes: list[Cause], conflicts: int) -> Iterator[Effect]:
        """Part causes that cannot be decided, for a fault of ours; give up a single one.

        To be called where the fault was caught, which an ERROR of the journal tells with its
        traceback. `decide` is a function of values that has changed nothing, so all other causes
        can go on. Not so if the facts alone raise it: what we know would be wrong, and so would
        be all that is decided on it. That fault is raised, and ends the node.
        """
        trace = traceback.format_exc()
        facts = [cause for cause in causes if isinstance(cause.event, Fact)]
        others = tuple(cause for cause in causes if not isinstance(cause.event, Fact))
        self.decide_over(self.state, facts, self.settings)
        self.queue[:0] = facts
        following = after_refusal(Batch(others, conflicts))
        self.retries.extendleft(reversed(following.batches))
        if following.given_up:
            yield Journal(Severity.ERROR, "fault", f"{others[0].event}: {trace}")
            yield from self._give_up(following.given_up, "a fault of the controller")

    def _put_back(self, causes: list[Cause], conflicts: int) -> None:
        """Undo `_take`; a fact never joins a batch, or it would come after newer ones."""
        if conflicts:
            batch = tuple(cause for cause in causes if not isinstance(cause.event, Fact))
            self.retries.appendleft(Batch(batch, conflicts))
            causes = [cause for cause in causes if isinstance(cause.event, Fact)]
        self.queue[:0] = causes

    def send(self, commit: PlannedCommit) -> Commit:
        """Hand a Commit to the store, fenced by the epoch znode's version."""
        self.next_request += 1
        fence = Check(paths.CONTROLLER_EPOCH, self.state.fence_version)
        self.in_flight = InFlightCommit(self.next_request, commit, fence)
        self.echoes = Counter(op.path for op in commit.ops)
        return Commit(self.next_request, commit.ops, fence)

    def apply(self, commit: PlannedCommit) -> None:
        """Make a Commit true in memory; `conclude` has the rest."""
        self.untold.append((commit, self.state))
        if commit.changes:
            self.state = apply(self.state, commit.changes)

    def conclude(self, commit: PlannedCommit, origins: Mapping[FollowUp, Origin]) -> None:
        """Close the causes of an applied Commit, and queue what it wants looked at next.

        `origins` are those of the Commit's follow-ups.
        """
        self.loaded = {}
        for id_ in commit.causes:
            cause = self.taken.pop(id_, None)
            if cause is not None and self.told and isinstance(cause.event, FollowUp):
                self.told.pop(cause.event, None)
        # What keeps failing is not asked for anew by the readings that its failures bring about.
        retried = [*self.given_up, *(cause for batch in self.retries for cause in batch.causes)]
        waiting = {cause.event for cause in retried if isinstance(cause.event, FollowUp)}
        for check in commit.follow_ups:
            if check not in waiting:
                self.add((check,), origins.get(check))

    def answered(self) -> None:
        """The store has answered: nothing is in flight, and nothing echoes any more."""
        self.in_flight = None
        self.echoes.clear()

    # --- lost answers ----------------------------------------------------------------------

    def lost_answer(self, unknown: Unknown) -> None:
        """Note that nobody knows what became of the Commit in flight; its watches are gone."""
        if self.in_flight is not None:
            self.in_flight.unknown = unknown
        self.echoes.clear()

    def begin_inquiry(self, session: int) -> Iterator[Effect]:
        """Find out what became of the Commit in flight, once the session is connected again."""
        lost = self.in_flight
        if lost is not None and lost.unknown is not None:
            lost.inquiry = inquire(session, lost.unknown, lost.commit.ops, lost.fence)
            yield self._ask_witnesses(lost.inquiry)

    def heard(self, results: tuple[ReadResult, ...]) -> Verdict | ReadZnodes | None:
        """Take what the witnesses say; return the verdict, or what to read next."""
        lost = self.in_flight
        if lost is None or lost.inquiry is None:
            return None
        answer = lost.inquiry.answer(results)
        if isinstance(answer, Verdict):
            return answer
        lost.inquiry = answer
        return self._ask_witnesses(answer)

    def _ask_witnesses(self, inquiry: Inquiry) -> ReadZnodes:
        self.next_request += 1
        self.inquiry_request = self.next_request
        return ReadZnodes(self.inquiry_request, inquiry.reads(), sync=True)

    # --- outcomes --------------------------------------------------------------------------

    def conflicted(
        self, commit: PlannedCommit, what: str, failed: Op | None = None
    ) -> Iterator[Effect]:
        """Read the Commit's paths again and decide its causes, and those after it, once more.

        If it `failed` at a deletion, there is more or less to delete than we know of.
        """
        text = f"{what}; reading {len(commit.ops)} paths again"
        yield Journal(Severity.INFO, "conflict", text)
        for op in commit.ops:
            self.stale.add(op.path)
        if isinstance(failed, Delete):
            for root in {root_of(op.path) for op in commit.ops if isinstance(op, Delete)}:
                self.stale.subtrees.add(root)
                self.stale.add(root)
        if any(isinstance(op, Delete) for op in commit.ops):
            # Somebody else deletes them too. Reading them again will tell, and is no hurry.
            self.stale.notifications, self.stale_later.notifications = False, True
            yield SetTimer(RETRY_TIMER, RETRY_SECONDS)
        causes = self._take_back(commit)
        if causes:
            following = after_conflict(Batch(causes, self.conflicts))
            self.retries.extend(following.batches)
            if following.given_up:
                yield from self._give_up(following.given_up, what)
        self._requeue()

    def refused(self, commit: PlannedCommit, error: str) -> Iterator[Effect]:
        """Part the causes of a Commit that ZooKeeper would refuse again, and give up a single one.

        What a fact alone brought about is read again later. What is to be removed is not: it was
        read and acted on, and only its removal is tried again.
        """
        what = f"{commit.ops[0].path} and {len(commit.ops) - 1} more writes: {error}"
        following = after_refusal(Batch(self._take_back(commit), self.conflicts))
        self.retries.extend(following.batches)
        if not following.batches:
            events = [cause.event for cause in following.given_up]
            removed = {event.path for event in events if isinstance(event, RemoveZnode)}
            for op in commit.ops:
                if op.path not in removed:
                    self.stale_later.add(op.path)
            refusal = Refusal(Fault.UNKNOWN_SERVER_ERROR, f"{_REFUSED}: {error}. {_WAY_OUT}")
            self.refusals.update(
                (cause.id, refusal)
                for cause in following.given_up
                if not isinstance(cause.event, FollowUp)
            )
            yield from self._give_up(following.given_up, f"{what}. {_WAY_OUT}")
        self._requeue()

    def retry_given_up(self) -> None:
        """Try once more what was given up, some time ago, and nobody waits for."""
        self.queue.extend(self.given_up)
        self.given_up = []
        self.stale |= self.stale_later
        self.stale_later = Stale()

    def _take_back(self, commit: PlannedCommit) -> tuple[Cause, ...]:
        """Take the causes of a Commit that failed; facts are not decided again but read again."""
        ids = (*commit.parts, *commit.causes)
        causes = [self.taken.pop(id_) for id_ in ids if id_ in self.taken]
        return tuple(cause for cause in causes if not isinstance(cause.event, Fact))

    def _give_up(self, causes: tuple[Cause, ...], why: str) -> Iterator[Effect]:
        """Set causes aside: the node answers those with a reply, and retries others later.

        The journal is told once of what is retried, however often it fails for the same reason.
        """
        self.given_up.extend(causes)
        retried = {cause.event for cause in causes if isinstance(cause.event, FollowUp)}
        if not retried or any(self.told.get(event) != why for event in retried):
            yield Journal(Severity.ERROR, "given up", f"{len(causes)} causes: {why}")
        self.told.update(dict.fromkeys(retried, why))
        yield SetTimer(RETRY_TIMER, RETRY_SECONDS)

    def _requeue(self) -> None:
        """Drop the rest of the Plan; its causes go back, before what came in meanwhile."""
        self.plan.clear()
        self.queue[:0] = self.taken.values()
        self.taken = {}


_REFUSED = "ZooKeeper refuses what must be written for it"
_WAY_OUT = "Let the controller write there: see the ACL, quotas, and jute.maxbuffer."
SERVER_ERROR = Refusal(
    Fault.UNKNOWN_SERVER_ERROR,
    "The server experienced an unexpected error when processing the request.",
)
