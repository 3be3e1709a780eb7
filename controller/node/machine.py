"""The node: everything that happens comes in here, everything it wants done goes out.

Pure: no clock, no waiting, no randomness. Which input does what in which phase is the table at
the end; an input without a row there is ignored in that phase, and the tests name every such pair.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from klamm.controller.core.apply import changed_partitions
from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol
from klamm.controller.core.model import ClusterState, Endpoint
from klamm.controller.core.ops import Delete
from klamm.controller.core.plan import Commit as PlannedCommit
from klamm.controller.core.results import NOT_CONTROLLER
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.node.broker_links import BrokerLinks
from klamm.controller.node.effects import (
    ArmWatch,
    Effect,
    Journal,
    ReadZnodes,
    Reply,
    Resign,
    SetTimer,
    Severity,
)
from klamm.controller.node.inputs import BrokerAnswer, Input, Request, Timer, Turn
from klamm.controller.node.office import Held, HeldBy, Office, Vacant
from klamm.controller.node.places import Place, locate
from klamm.controller.node.requests import Requests
from klamm.controller.node.survey import everything
from klamm.controller.node.turns import RETRY_TIMER, SERVER_ERROR, Turns
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    Fenced,
    ReadDone,
    Refused,
    SessionEvent,
    SessionState,
    Unknown,
    UpdateDone,
    Watch,
    WatchDone,
    Watched,
)
from klamm.controller.store.witness import Verdict
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError
from klamm.controller.znodes.klamm import KlammNodeZnode

SESSION_TIMER = "session"


class Now(NamedTuple):
    """Both clocks: seconds that never go back, and milliseconds since the epoch."""

    monotonic: float
    wall_ms: int


class Phase(Enum):
    """Where a node stands. Only an active one decides; loading is taking office."""

    STANDBY = "standby"
    ELECTING = "electing"
    LOADING = "loading"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """What a node is and by which rules it decides."""

    node_id: int
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None
    rules: Rules = APACHE_3_9
    protocol: InterBrokerProtocol = DEFAULT


class Node:
    """One klamm node. Feed every input to `handle` in order, and `Turn` when none is at hand."""

    def __init__(self, config: NodeConfig) -> None:
        self.config = config
        self.phase = Phase.STANDBY
        self.connected = False
        self.controller_id = -1
        self.requests = Requests()
        self.links = BrokerLinks(config.protocol)
        self.office = Office(KlammNodeZnode(config.node_id, config.endpoints, config.rack))
        self.turns: Turns | None = None
        self._watched: set[str] = set()
        self._now = Now(0.0, 0)
        self._out: list[Effect] = []

    @property
    def active(self) -> bool:
        """Tell whether this node is controller and has read what it must know."""
        return self.phase is Phase.ACTIVE

    @property
    def state(self) -> ClusterState | None:
        """The cluster after the last applied Commit; None unless active."""
        return self.turns.state if self.turns and self.active else None

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; return what is to be done, in this order.

        Store events of a session that is over are dropped: they say nothing about this one.
        """
        self._now, self._out = now, []
        session = getattr(event, "session", self.office.session)
        if session == self.office.session or isinstance(event, SessionEvent):
            step = TRANSITIONS.get((self.phase, type(event)))
            if step is not None:
                step(self, event)
        return tuple(self._out)

    def _do(self, *effects: Effect) -> None:
        self._out.extend(effects)

    def _note(self, severity: Severity, kind: str, text: str) -> None:
        self._do(Journal(severity, kind, text))

    # --- sessions --------------------------------------------------------------------------

    def on_session(self, event: SessionEvent) -> None:
        """Stop acting while disconnected; give up when the session is over."""
        match event.state:
            case SessionState.CONNECTED if event.session != self.office.session:
                self.connected = True
                self._watched.clear()
                self.phase = Phase.ELECTING
                self._do(*self.office.begin(event.session))
            case SessionState.CONNECTED:
                self.connected = True
                self._watched.clear()
                self._reconnected()
            case SessionState.SUSPENDED:
                self.connected = False
                # ZooKeeper says LOST only once it is reached again, which may be much later.
                self._do(SetTimer(SESSION_TIMER, event.timeout_ms / 1000))
            case SessionState.LOST:
                self.connected = False
                self._give_up_session(event.reason or "ZooKeeper ended the session")

    def _reconnected(self) -> None:
        """Watches ended with the connection and answers may be lost: arm and ask again."""
        self._do(ArmWatch(self.office.next_request(), (Watch(paths.CONTROLLER),)))
        if self.turns is None:
            self.phase = Phase.ELECTING
            self._do(self.office.ask())
        else:
            self._arm_again(self.turns)

    def _arm_again(self, turns: Turns) -> None:
        """Arm every watch of the office, then read all that may have changed meanwhile."""
        self._arm_lists()
        moving = [name for name, _ in turns.state.moving()]
        self._arm_states(paths.state(*name) for name in moving)
        turns.stale = everything()
        turns.stale.states.update(moving)
        if turns.survey is not None:
            turns.survey.restart()
            self._do(*turns.ask())
        self._do(*turns.begin_inquiry(self.office.session))

    def _give_up_session(self, reason: str) -> None:
        self._abandon(reason)
        self.phase = Phase.STANDBY
        self.controller_id = -1
        self._do(Resign(reason))

    # --- office ----------------------------------------------------------------------------

    def on_election_read(self, event: ReadDone) -> None:
        """Learn who is controller, or stand; the registration's reads come here too."""
        if isinstance(event.outcome, Unknown):
            return
        if isinstance(event.outcome, Refused):
            self._note(
                Severity.ERROR, "refused", f"reading for the election: {event.outcome.error}"
            )
            return
        if event.request == self.office.inspection:
            self._do(*self.office.taken(event.outcome))
        elif event.request == self.office.question:
            try:
                self._found(self.office.found(event.outcome, self._now.wall_ms))
            except ZnodeError as fault:
                # Somebody else's controller znode that we cannot read is still somebody else's.
                self._note(Severity.ERROR, "unreadable", str(fault))

    def _found(self, found: Held | HeldBy | Vacant | Delete) -> None:
        match found:
            case Held() if self.turns is None:
                self._take_office(found)
            case Held(epoch) if self.turns and self.turns.state.epoch == epoch:
                pass
            case HeldBy(controller_id):
                if self.turns is not None:
                    self._abandon(f"{controller_id} is controller")
                self.phase = Phase.STANDBY
                self.controller_id = controller_id
            case Vacant():
                if self.turns is not None:
                    self._abandon("/controller was deleted")
                self.phase = Phase.ELECTING
                self._do(self.office.stand(found))
            case Held():
                self._leave("the controller epoch is not the one we were elected with")
            case Delete():
                self._do(self.office.remove(found), self.office.ask())

    def on_election_done(self, event: CommitDone) -> None:
        """Take office if the election's multi was applied; otherwise look who was faster."""
        if event.request != self.office.election:
            return
        match event.outcome:
            case Committed() as outcome:
                self._take_office(self.office.won(outcome))
            case Conflict() | Fenced():
                self._do(self.office.ask())
            case Refused(error):
                self._note(Severity.ERROR, "election refused", error)
            case Unknown():
                pass  # asked again once the connection is back

    def _take_office(self, held: Held) -> None:
        self.controller_id = self.config.node_id
        state = ClusterState(self.config.node_id, held.epoch, held.fence_version)
        self.turns = Turns(state, self.config.rules, self.config.protocol, stale=everything())
        self.phase = Phase.LOADING
        self._note(Severity.INFO, "elected", f"controller epoch {held.epoch}")
        self._arm_lists()
        self._do(*self.turns.begin_survey())

    def _abandon(self, reason: str) -> None:
        """Leave the office, if held: every pending request is answered 41, links are closed."""
        if self.turns is not None:
            self._note(Severity.WARNING, "resigned", reason)
        self.turns = None
        self._do(*self.requests.refuse_all(), *self.links.close())

    def _leave(self, reason: str) -> None:
        """Leave the office but keep the session, and look who is controller now."""
        self._abandon(reason)
        self.phase = Phase.ELECTING
        self._do(self.office.ask())

    def on_watched_outside(self, event: Watched) -> None:
        """Look again when `/controller` comes, changes or goes."""
        if locate(event.path).place is Place.CONTROLLER:
            self.phase = Phase.ELECTING
            self._do(self.office.ask())

    # --- in office -------------------------------------------------------------------------

    def on_watched(self, event: Watched) -> None:
        """Note what must be read again; ask about the office if it is about that."""
        if locate(event.path).place is Place.CONTROLLER:
            self._do(self.office.ask())
        elif self.turns is not None:
            self.turns.touched(event.path)

    def on_read(self, event: ReadDone) -> None:
        """Feed a survey; its last answer ends loading, and begins a turn while it is fresh."""
        turns = self.turns
        if turns is not None and event.request == turns.inquiry_request:
            self._heard_witnesses(turns, event)
            return
        if turns is None or event.request != turns.survey_request:
            self.on_election_read(event)
            return
        match event.outcome:
            case Unknown():
                return  # asked again once the connection is back
            case Refused(error):
                self._leave(f"a read was refused: {error}")
                return
            case results:
                self._do(*turns.survey_read(results, event.last))
        if turns.survey is None:
            self.phase = Phase.ACTIVE
            self.on_turn(Turn())

    def _heard_witnesses(self, turns: Turns, event: ReadDone) -> None:
        """Settle a Commit whose answer was lost, by what its witnesses say."""
        if isinstance(event.outcome, Unknown) or turns.in_flight is None:
            return  # asked again once the connection is back
        if isinstance(event.outcome, Refused):
            self._leave(f"a read was refused: {event.outcome.error}")
            return
        commit = turns.in_flight.commit
        match turns.heard(event.outcome):
            case Verdict.APPLIED:
                self._settle(turns, commit, Committed(()))
            case Verdict.NOT_APPLIED:
                turns.in_flight = None
                self._do(*turns.conflicted(commit, "a commit was lost with its connection"))
                self._answer_given_up()
            case Verdict.UNDECIDABLE:
                self._leave("nothing tells whether the last commit was applied")
            case ReadZnodes() as question:
                self._do(question)
            case None:
                pass

    def on_commit_done(self, event: CommitDone) -> None:
        """Apply what was committed; after anything else, decide again or resign."""
        turns = self.turns
        if turns is None or turns.in_flight is None or event.request != turns.in_flight.request:
            return
        if isinstance(event.outcome, Unknown):
            # Still in flight: the connection is lost, and `_arm_again` asks once it is back.
            turns.in_flight.unknown = event.outcome
            return
        self._settle(turns, turns.in_flight.commit, event.outcome)

    def _settle(
        self, turns: Turns, commit: PlannedCommit, outcome: Committed | Conflict | Refused | Fenced
    ) -> None:
        turns.in_flight = None
        turns.echoes.clear()
        match outcome:
            case Committed():
                self._apply(commit)
                self._advance()
            case Conflict(index, error):
                what = f"{commit.ops[index].path}: {error.name}"
                self._do(*turns.conflicted(commit, what))
                self._answer_given_up()
            case Refused(text):
                self._do(*turns.refused(commit, text))
                self._answer_given_up()
            case Fenced():
                self._leave("another controller has raised the controller epoch")

    def _answer_given_up(self) -> None:
        """Whoever waits for a cause that was given up hears so; the others stay for the timer."""
        if self.turns is None:
            return
        waited = [c for c in self.turns.given_up if self.requests.waits_for(c.id)]
        self.turns.given_up = [c for c in self.turns.given_up if c not in waited]
        self._do(*self.requests.settle((cause.id, SERVER_ERROR) for cause in waited))

    def on_turn(self, _: Turn) -> None:
        """Read what is stale, then decide over what is queued, until nothing is left to do."""
        turns = self.turns
        while turns is not None and self.connected and not turns.busy:
            if turns.plan:
                self._advance()
            elif turns.stale:
                self._do(*turns.begin_survey())
            elif turns.queue or turns.retries:
                self._do(*turns.decide())
            else:
                break
        self._send_due()

    def _advance(self) -> None:
        """Carry the Plan out up to its next write, which the store must answer first."""
        turns = self.turns
        while turns is not None and turns.plan and not turns.busy and self.connected:
            commit = turns.plan.popleft()
            if commit.ops:
                self._do(turns.send(commit))
            else:
                self._apply(commit)
        self._send_due()

    def _apply(self, commit: PlannedCommit) -> None:
        """Make a Commit true: memory first, then replies, then what brokers must know."""
        turns = self.turns
        if turns is None:
            return
        turns.apply(commit)
        self._do(*self.requests.settle(commit.results))
        for message in commit.messages:
            self._do(*self.links.put(message, turns.state))
        for entry in commit.entries:
            self._note(Severity.INFO, entry.kind, entry.text)
        if not self.config.protocol.alter_partition:
            self._watch_moves(commit)

    def _send_due(self) -> None:
        if self.turns is not None and self.connected and self.active:
            self._do(*self.links.send_due(self.turns.state))

    def on_request(self, event: Request) -> None:
        """Queue a request's events; the reply comes when the last of them is durable."""
        if self.turns is None:
            self.on_request_elsewhere(event)
        elif event.events:
            self.requests.add(event.id, self.turns.add(event.events))
        else:
            self._do(Reply(event.id, ()))

    def on_request_elsewhere(self, event: Request) -> None:
        """Only the controller decides."""
        self._do(Reply(event.id, (NOT_CONTROLLER,) * max(1, len(event.events))))

    def on_broker_answer(self, event: BrokerAnswer) -> None:
        """Take an answer as facts, and send that broker the next request."""
        if self.turns is None:
            return
        acknowledged, notes = self.links.answered(event, self.turns.state)
        self._do(*notes)
        awaiting = self.turns.state.awaiting
        self.turns.add(fact for fact in acknowledged if fact.partition in awaiting)
        self._send_due()

    # --- small things ----------------------------------------------------------------------

    def on_update(self, event: UpdateDone) -> None:
        """A path that exists already is what we wanted; a registration that exists is not."""
        match event.outcome:
            case Conflict() if event.request == self.office.registration:
                self._do(self.office.inspect())
            case Refused(error):
                self._note(Severity.ERROR, "refused", error)
            case _:
                pass

    def on_watch_done(self, event: WatchDone) -> None:
        """A watch that ZooKeeper refuses would leave us blind; a lost one is armed again."""
        if isinstance(event.failure, Refused):
            self._note(Severity.ERROR, "watch refused", event.failure.error)

    def on_timer(self, event: Timer) -> None:
        """Give up a session that nobody has heard of for its whole timeout; retry causes."""
        if event.name == SESSION_TIMER and not self.connected and self.office.session:
            self._give_up_session("no connection to ZooKeeper for the session timeout")
        elif event.name == RETRY_TIMER and self.turns is not None:
            self.turns.queue.extend(self.turns.given_up)
            self.turns.given_up = []

    # --- watches ---------------------------------------------------------------------------

    def _arm_lists(self) -> None:
        """Watch registrations, the list of topics, and notifications of ISR changes."""
        self._do(
            ArmWatch(
                self.office.next_request(),
                (
                    Watch(paths.BROKER_IDS, recursive=True),
                    Watch(paths.KLAMM_NODES, recursive=True),
                    Watch(paths.TOPICS),
                    Watch(paths.ISR_CHANGES),
                ),
            )
        )

    def _watch_moves(self, commit: PlannedCommit) -> None:
        """Watch the states of partitions that began to move, then read them once."""
        if self.turns is None:
            return
        moving = [
            name
            for change in commit.changes
            for name, partition in changed_partitions(change)
            if partition.assignment.moving and paths.state(*name) not in self._watched
        ]
        self._arm_states(paths.state(*name) for name in moving)
        self.turns.stale.states.update(moving)

    def _arm_states(self, state_paths: Iterable[str]) -> None:
        new = tuple(path for path in state_paths if path not in self._watched)
        if new:
            self._watched.update(new)
            self._do(ArmWatch(self.office.next_request(), tuple(Watch(path) for path in new)))


Step = Callable[[Node, Any], None]
_OUTSIDE = (Phase.STANDBY, Phase.ELECTING)
_INSIDE = (Phase.LOADING, Phase.ACTIVE)

#: (phase, kind of input) -> what it does. Pairs without a row are ignored: answers of brokers and
#: of commits outside office are about an office that is over, and a turn there has no queue.
TRANSITIONS: dict[tuple[Phase, type], Step] = {
    **{(phase, SessionEvent): Node.on_session for phase in Phase},
    **{(phase, UpdateDone): Node.on_update for phase in Phase},
    **{(phase, WatchDone): Node.on_watch_done for phase in Phase},
    **{(phase, Timer): Node.on_timer for phase in Phase},
    **{(phase, Request): Node.on_request_elsewhere for phase in _OUTSIDE},
    **{(phase, ReadDone): Node.on_election_read for phase in _OUTSIDE},
    **{(phase, Watched): Node.on_watched_outside for phase in _OUTSIDE},
    (Phase.ELECTING, CommitDone): Node.on_election_done,
    **{(phase, Request): Node.on_request for phase in _INSIDE},
    **{(phase, ReadDone): Node.on_read for phase in _INSIDE},
    **{(phase, Watched): Node.on_watched for phase in _INSIDE},
    (Phase.ACTIVE, CommitDone): Node.on_commit_done,
    (Phase.ACTIVE, BrokerAnswer): Node.on_broker_answer,
    (Phase.ACTIVE, Turn): Node.on_turn,
}
