"""Steps in office: reading, deciding, committing, applying, answering, sending."""

from klamm.controller.core.model import ClusterState
from klamm.controller.core.origins import FromBroker
from klamm.controller.core.plan import Commit as PlannedCommit
from klamm.controller.node.candidacy import (
    leave,
    on_election_read,
    on_request_elsewhere,
    restore_registration,
    withdraw,
)
from klamm.controller.node.data import NodeData, Phase
from klamm.controller.node.effects import ReadZnodes, Reply, Severity
from klamm.controller.node.inputs import BrokerAnswer, Input, Request, Turn
from klamm.controller.node.rebalance import on_office_taken
from klamm.controller.node.recorder import Recorder, answered, snapshot
from klamm.controller.node.status import keep_status
from klamm.controller.node.tidying import tidy_later
from klamm.controller.node.turns import SERVER_ERROR, Turns
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    Fenced,
    ReadDone,
    Refused,
    Unknown,
    Watched,
)
from klamm.controller.store.witness import Verdict
from klamm.controller.znodes import paths

# --- in ----------------------------------------------------------------------------------------


def on_request(node: NodeData, event: Request) -> None:
    """Queue a request's events; the reply comes when the last of them is durable."""
    if node.turns is None:
        on_request_elsewhere(node, event)
    elif event.events:
        node.requests.add(event.id, node.turns.add(event.events, event.origin))
    elif node.doubtful:
        node.requests.wait(event.id)
    else:
        node.do(Reply(event.id, ()))


def on_watched(node: NodeData, event: Watched) -> None:
    """Note what must be read again; ask about the office if it is about that."""
    if event.path == paths.CONTROLLER:
        node.do(node.office.ask())
    elif node.turns is not None:
        restore_registration(node, event)
        node.turns.touched(event.path)


def on_broker_answer(node: NodeData, event: BrokerAnswer) -> None:
    """Take an answer as facts, and send that broker the next request."""
    if node.turns is None:
        return
    heard = node.links.answered(event, node.turns.state)
    node.do(*heard.notes)
    if heard.stale_epoch:
        node.do(node.office.ask())
    awaiting = node.turns.state.awaiting
    node.turns.add(
        (
            *(fact for fact in heard.acknowledged if fact.partition in awaiting),
            *heard.found,
            *heard.deleted,
            *heard.withdrawn,
        ),
        FromBroker(event.broker, event.send),
    )
    _send_due(node)


def on_read(node: NodeData, event: ReadDone) -> None:
    """Feed a survey; its last answer ends loading, and begins a turn while it is fresh."""
    turns = node.turns
    if turns is not None and event.request == turns.inquiry_request:
        _heard_witnesses(node, turns, event)
        return
    if turns is None or event.request != turns.survey_request:
        on_election_read(node, event)
        return
    match event.outcome:
        case Unknown():
            return  # asked again once the connection is back
        case Refused(error):
            withdraw(node, f"a read was refused: {error}")
            return
        case results:
            survey = turns.survey
            node.do(*turns.survey_read(results, event.last))
    if survey is not None and survey.blind:
        withdraw(node, survey.blind)
    elif turns.survey is None:
        if node.phase is Phase.LOADING:
            begun, turns.loaded = snapshot(turns.queue)
            node.do(*begun)
            on_office_taken(node)
            if node.inauguration is not None:
                node.inauguration.read_at = node.now.monotonic
            node.phase = Phase.ACTIVE
            node.office.setbacks = 0
            _take_in(node, turns)
        else:
            on_turn(node, Turn())


def _take_in(node: NodeData, turns: Turns) -> None:
    """Make what was read the state; whoever asks now can be answered.

    What follows from it, telling brokers too, is for the next turn: it may take as long again.
    """
    if node.connected:
        node.do(*turns.decide(node.now.wall_ms))
        _advance(node, turns)


# --- the turn ----------------------------------------------------------------------------------


def on_turn(node: NodeData, event: Turn) -> None:
    """Read what is stale, then decide over what is queued, until nothing is left to do.

    What was read is decided on before anything is read again, or a cluster in which something
    always changes would never come to decide.
    """
    turns = node.turns
    begun = node.inauguration
    if turns is not None and begun is not None:
        node.do(*begun.entered(turns.state, node.now.monotonic))
    while turns is not None and node.connected and not turns.busy:
        if turns.plan:
            _advance(node, turns)
            if not turns.plan and not turns.busy:
                catch_up(node, event)
        elif turns.stale and not turns.surveyed:
            node.do(*turns.begin_survey())
        elif turns.queue or turns.retries:
            node.do(*turns.decide(node.now.wall_ms))
            _answer_given_up(node, turns)
        elif turns.surveyed:
            turns.surveyed = False
        else:
            if begun is not None and begun.told:
                node.do(begun.rested(turns.state, node.now.monotonic))
                node.inauguration = None
            break
    if turns is not None and turns.survey is None and not node.doubtful:
        node.do(*node.requests.release())
    _send_due(node)
    if turns is not None and not turns.busy:
        node.do(*node.clearing.look(turns.state))


def _advance(node: NodeData, turns: Turns) -> None:
    """Carry the Plan out up to its next write, which the store must answer first."""
    while turns.plan and not turns.busy and node.connected:
        commit = turns.plan.popleft()
        if commit.ops:
            node.do(turns.send(commit))
        else:
            _apply(node, turns, commit)


def _apply(node: NodeData, turns: Turns, commit: PlannedCommit) -> None:
    """Make a Commit true: memory first, then replies; `catch_up` has the rest."""
    turns.apply(commit)
    node.do(*node.requests.settle(commit.results))
    tidy_later(node)
    keep_status(node)


def catch_up(node: NodeData, event: Input) -> None:
    """Before an input is taken: tell what was applied before it, unless that can wait.

    Journal and brokers come after those who wait: for a reply, or for the rest of the Plan. While
    it is being written they are told of a Commit when the write under way is no smaller, which
    takes ZooKeeper as long. A node that ends meanwhile leaves what it leaves whenever it ends
    before the journal's thread and the links have run: ZooKeeper is ahead of both, and the next
    office begins with a snapshot and tells brokers everything.
    """
    turns = node.turns
    if turns is None or not turns.untold:
        return
    under_way = 0
    if turns.in_flight is not None and not turns.in_flight.unknown:
        goes_well = isinstance(event, CommitDone) and isinstance(event.outcome, Committed)
        if goes_well or isinstance(event, Watched | Request):
            return
        if isinstance(event, Turn):
            under_way = len(turns.in_flight.commit.ops)
    while turns.untold and (not under_way or len(turns.untold[0][0].ops) <= under_way):
        _tell(node, turns, *turns.untold.popleft())


def _tell(node: NodeData, turns: Turns, commit: PlannedCommit, before: ClusterState) -> None:
    """Note in the journal what was applied to the state `before`, and what brokers must know."""
    recorder = Recorder(before, commit, turns.taken, node.sequence, turns.loaded)
    entries = recorder.record()
    node.sequence = recorder.sequence
    turns.conclude(commit, recorder.origins())
    for message in commit.messages:
        node.do(*node.links.put(message, turns.state))
    node.do(*entries)


def _send_due(node: NodeData) -> None:
    if node.turns is not None and node.connected and node.active:
        node.do(*node.links.send_due(node.turns.state))


# --- outcomes ----------------------------------------------------------------------------------


def on_commit_done(node: NodeData, event: CommitDone) -> None:
    """Apply what was committed; after anything else, decide again or resign."""
    turns = node.turns
    if turns is None or turns.in_flight is None or event.request != turns.in_flight.request:
        return
    if isinstance(event.outcome, Unknown):
        # Still in flight: the connection is lost, and its return begins the inquiry.
        turns.lost_answer(event.outcome)
        return
    _settle(node, turns, turns.in_flight.commit, event.outcome)


def _settle(
    node: NodeData,
    turns: Turns,
    commit: PlannedCommit,
    outcome: Committed | Conflict | Refused | Fenced,
) -> None:
    turns.answered()
    match outcome:
        case Committed():
            _apply(node, turns, commit)
            _advance(node, turns)
        case Conflict(index, error):
            what = f"{commit.ops[index].path}: {error.name}"
            node.do(*turns.conflicted(commit, what, commit.ops[index]))
            _answer_given_up(node, turns)
        case Refused(text):
            node.do(*turns.refused(commit, text))
            _answer_given_up(node, turns)
        case Fenced():
            node.note(Severity.WARNING, "fenced", "the check of the controller epoch failed")
            leave(node, "another controller has raised the controller epoch")


def _heard_witnesses(node: NodeData, turns: Turns, event: ReadDone) -> None:
    """Settle a Commit whose answer was lost, by what its witnesses say."""
    if isinstance(event.outcome, Unknown) or turns.in_flight is None:
        return  # asked again once the connection is back
    if isinstance(event.outcome, Refused):
        withdraw(node, f"a read was refused: {event.outcome.error}")
        return
    commit = turns.in_flight.commit
    match turns.heard(event.outcome):
        case Verdict.APPLIED:
            _settle(node, turns, commit, Committed(()))
        case Verdict.NOT_APPLIED:
            turns.answered()
            node.do(*turns.conflicted(commit, "a commit was lost with its connection"))
            _answer_given_up(node, turns)
        case Verdict.UNDECIDABLE:
            leave(node, "nothing tells whether the last commit was applied")
        case ReadZnodes() as question:
            node.do(question)
        case None:
            pass


def _answer_given_up(node: NodeData, turns: Turns) -> None:
    """Whoever waits for a cause that was given up hears so; the others stay for the timer."""
    refusals, turns.refusals = turns.refusals, {}
    waited = {
        cause.id: refusals.get(cause.id, SERVER_ERROR)
        for cause in turns.given_up
        if node.requests.waits_for(cause.id)
    }
    for cause in turns.given_up:
        if cause.id in waited:
            node.do(answered("refuse", cause, waited[cause.id]))
    turns.given_up = [cause for cause in turns.given_up if cause.id not in waited]
    node.do(*node.requests.settle(waited.items()))
