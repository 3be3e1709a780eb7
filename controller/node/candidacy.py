"""Steps outside office: who is controller, standing for it, and leaving it."""

from klamm.controller.core.model import ClusterState
from klamm.controller.core.ops import Delete
from klamm.controller.core.pace import MinIsr
from klamm.controller.core.results import NOT_CONTROLLER
from klamm.controller.node import doorway
from klamm.controller.node.copies import Copies
from klamm.controller.node.data import NodeData, Phase
from klamm.controller.node.effects import Reply, Resign, SetTimer, Severity
from klamm.controller.node.inauguration import Inauguration
from klamm.controller.node.inputs import ControllerHeard, Request
from klamm.controller.node.office import Held, HeldBy, Vacant
from klamm.controller.node.recorder import answered
from klamm.controller.node.stale import everything
from klamm.controller.node.turns import Turns
from klamm.controller.node.watches import arm
from klamm.controller.store.port import (
    CommitDone,
    Committed,
    Conflict,
    Fenced,
    ReadDone,
    Refused,
    Unknown,
    UpdateDone,
    WatchDone,
    Watched,
    WatchKind,
)
from klamm.controller.znodes import paths
from klamm.controller.znodes.errors import ZnodeError

STAND_TIMER = "stand"
LONGEST_PAUSE_SECONDS = 60.0


def on_election_read(node: NodeData, event: ReadDone) -> None:
    """Learn who is controller, or stand; the registration's reads come here too."""
    node.do(*node.outlook.answered(event))
    if isinstance(event.outcome, Unknown):
        return  # asked again once the connection is back
    if event.request not in (node.office.inspection, node.office.question):
        return
    if isinstance(event.outcome, Refused):
        node.note(Severity.ERROR, "refused", f"reading for the election: {event.outcome.error}")
        if node.doubtful:
            withdraw(node, "ZooKeeper does not say whether the office is still ours")
        else:
            _ask_later(node)
        return
    if event.request == node.office.inspection:
        node.do(*node.office.taken(event.outcome))
    else:
        _believe(node)
        try:
            _found(node, node.office.found(event.outcome, node.now.wall_ms))
        except ZnodeError as fault:
            # Somebody else's controller znode that we cannot read is still somebody else's. Of the
            # epoch's znode nobody tells us when it is mended.
            node.note(Severity.ERROR, "unreadable", str(fault))
            _ask_later(node)


def _believe(node: NodeData) -> None:
    """An answer that was asked for after we woke proves that the session lives."""
    if node.doubtful:
        node.connected = True


def _found(node: NodeData, found: Held | HeldBy | Vacant | Delete) -> None:
    match found:
        case Held(epoch) if node.turns is not None and epoch == node.turns.state.epoch:
            pass
        case Held(epoch) if node.turns is None and epoch == node.office.candidate_epoch:
            _take_office(node, found)  # the answer to our election was lost
        case Held(epoch):
            # Only a new session gives up `/controller`, and only an election a new epoch.
            give_up_session(node, f"/controller is ours, but its epoch {epoch} is not")
        case HeldBy(controller_id, epoch):
            abandon(node, f"{controller_id} is controller")
            node.phase = Phase.STANDBY
            node.controller_id = controller_id
            node.do(*node.outlook.behold(controller_id, epoch))
        case Vacant():
            abandon(node, "/controller was deleted")
            node.controller_id = -1
            if node.office.waits or node.office.id_taken:
                node.phase = Phase.STANDBY
            else:
                node.phase = Phase.ELECTING
                node.do(node.office.stand(found))
        case Delete():
            node.do(node.office.remove(found), node.office.ask())


def on_election_done(node: NodeData, event: CommitDone) -> None:
    """Take office if the election's multi was applied; otherwise look who was faster."""
    if event.request != node.office.election:
        return
    match event.outcome:
        case Committed() as outcome:
            _take_office(node, node.office.won(outcome))
        case Conflict() | Fenced():
            node.do(node.office.ask())
        case Refused(error):
            node.note(Severity.ERROR, "election refused", error)
            _ask_later(node)
        case Unknown():
            pass  # asked again once the connection is back


def _take_office(node: NodeData, held: Held) -> None:
    node.controller_id = node.config.node_id
    config = node.config
    static = config.cluster_wide
    state = ClusterState(
        config.node_id,
        held.epoch,
        held.fence_version,
        limits=static.limits,
        min_isr=MinIsr(static.min_isr),
        status_retention_ms=static.status_retention_ms,
    )
    node.turns = Turns(
        state,
        config.settings,
        config.protocol,
        node.decide_over,
        static,
        stale=everything(status=config.keeps_status),
    )
    node.phase = Phase.LOADING
    node.outlook.heard(held.epoch)
    node.inauguration = Inauguration(node.now.monotonic)
    node.note(Severity.INFO, "elected", f"controller epoch {held.epoch}")
    arm(node)
    node.do(*node.turns.begin_survey("to take office"))


def abandon(node: NodeData, reason: str) -> None:
    """Leave the office, if held: every pending request is answered 41, links are closed."""
    if node.turns is None:
        return
    node.note(Severity.WARNING, "resigned", reason)
    for cause in node.turns.open:
        if node.requests.waits_for(cause.id):
            node.do(answered("refuse", cause, NOT_CONTROLLER))
    node.turns = None
    node.copies = Copies()
    node.inauguration = None
    node.office.candidate_epoch = 0
    node.do(*node.requests.refuse_all(), *node.links.close())


def leave(node: NodeData, reason: str) -> None:
    """Leave the office but keep the session, and look who is controller now."""
    abandon(node, reason)
    node.phase = Phase.ELECTING
    node.do(node.office.ask())


def give_up_session(node: NodeData, reason: str) -> None:
    """End the session and whatever office it held; what still comes from it is ignored."""
    abandon(node, reason)
    node.note(Severity.WARNING, "session-given-up", reason)
    doorway.on_lost(node, reason)
    node.office.end()
    node.outlook.disconnected()
    node.connected = False
    node.phase = Phase.STANDBY
    node.controller_id = -1
    node.do(Resign(reason))


def withdraw(node: NodeData, reason: str) -> None:
    """Give up an office that we cannot hold; let others stand, and stand again after a pause."""
    give_up_session(node, reason)
    node.office.waits = True
    _ask_later(node)


def _ask_later(node: NodeData) -> None:
    """Ask who is controller after a pause; it doubles with every setback since the last office."""
    seconds = min(2.0 ** min(node.office.setbacks, 10), LONGEST_PAUSE_SECONDS)
    node.office.setbacks += 1
    node.do(SetTimer(STAND_TIMER, seconds))


def stand_again(node: NodeData) -> None:
    """End the pause; while there is no connection, the next one asks who is controller."""
    node.office.waits = False
    if node.connected and node.turns is None:
        node.phase = Phase.ELECTING
        node.do(node.office.ask())


def on_watched_outside(node: NodeData, event: Watched) -> None:
    """Look again when `/controller` comes, changes or goes."""
    if event.path == paths.CONTROLLER:
        node.phase = Phase.ELECTING
        node.do(node.office.ask())
    else:
        restore_registration(node, event)
        node.do(*node.outlook.touched(event.path))


def on_controller_heard(node: NodeData, event: ControllerHeard) -> None:
    """Look on no more at what we are told of."""
    node.outlook.heard(event.epoch)


def restore_registration(node: NodeData, event: Watched) -> None:
    """Register again if the registration is gone: another session's, which stood in our way."""
    if event.path == node.office.registration_path and event.kind is WatchKind.DELETED:
        node.do(node.office.register())


def on_request_elsewhere(node: NodeData, event: Request) -> None:
    """Only the controller decides."""
    node.do(Reply(event.id, (NOT_CONTROLLER,) * max(1, len(event.events))))


def on_update(node: NodeData, event: UpdateDone) -> None:
    """A path that exists already is what we wanted; a registration that exists is not."""
    match event.outcome:
        case Committed(results) if event.request == node.office.registration:
            node.do(*node.office.registered(results[0].czxid or 0))
        case Conflict() if event.request == node.office.registration:
            node.do(node.office.inspect())
        case Refused(error):
            node.note(Severity.ERROR, "refused", error)
        case _:
            pass


def on_watch_done(node: NodeData, event: WatchDone) -> None:
    """A watch that ZooKeeper refuses leaves us blind; a lost one is armed again.

    No office can be held like that: brokers would come and go, and leaders change their ISRs, and
    the controller would not see it.
    """
    if isinstance(event.failure, Refused):
        node.note(Severity.ERROR, "watch refused", event.failure.error)
        if node.turns is not None:
            withdraw(node, f"a watch was refused: {event.failure.error}")
