"""Steps of the session with ZooKeeper: it begins, falters, comes back, and ends."""

from klamm.controller.node import doorway
from klamm.controller.node.broker_links import RESEND_TIMER
from klamm.controller.node.candidacy import STAND_TIMER, give_up_session, stand_again
from klamm.controller.node.clearing import CLEAR_TIMER
from klamm.controller.node.counters import COUNTERS_TIMER, count
from klamm.controller.node.data import NodeData, Phase
from klamm.controller.node.effects import Journal, SetTimer, Severity
from klamm.controller.node.inputs import Timer, Woke
from klamm.controller.node.notices import NOTICES_TIMER
from klamm.controller.node.outlook import LOOK_TIMER
from klamm.controller.node.permissions import PERMISSIONS_TIMER
from klamm.controller.node.rebalance import REBALANCE_TIMER, on_rebalance
from klamm.controller.node.status import STATUS_TIMER, SWEEP_TIMER, on_status_due, on_sweep_due
from klamm.controller.node.tidying import TIDY_TIMER, on_tidy
from klamm.controller.node.turns import RETRY_TIMER
from klamm.controller.node.watches import arm_again
from klamm.controller.store.port import SessionEvent, SessionState

SESSION_TIMER = "session"


def on_session(node: NodeData, event: SessionEvent) -> None:
    """Stop acting while disconnected; give up when the session is over.

    What a session says that we have given up already is no news, not even that it is back.
    """
    if event.session in node.office.former_sessions:
        return
    ours = event.session == node.office.session
    match event.state:
        case SessionState.CONNECTED if ours:
            _reconnected(node)
        case SessionState.CONNECTED if not node.office.session:
            node.connected = True
            node.phase = Phase.ELECTING
            node.do(*node.office.begin(event.session))
            doorway.on_connected(node)
        case SessionState.SUSPENDED if ours:
            node.connected = False
            doorway.on_disconnected(node)
            node.outlook.disconnected()
            # ZooKeeper says LOST only once it is reached again, which may be much later.
            node.do(SetTimer(SESSION_TIMER, event.timeout_ms / 1000))
        case SessionState.LOST if ours:
            give_up_session(node, event.reason or "ZooKeeper ended the session")
        case _:
            pass


def _reconnected(node: NodeData) -> None:
    """Watches ended with the connection and answers may be lost: arm and ask again."""
    node.connected = True
    node.do(*node.office.arrive())
    doorway.on_connected(node)
    turns = node.turns
    if turns is None:
        node.phase = Phase.ELECTING
        return
    arm_again(node, turns)
    node.do(*turns.ask_again(), *turns.begin_inquiry(node.office.session))


def on_woke(node: NodeData, event: Woke) -> None:
    """Do nothing in office before ZooKeeper has said, once more, that it is ours.

    Who is stopped for longer than its session lasts has lost it, and another one may be in office
    since. The connection tells that only when it is used. Commits would be refused by the fence;
    but brokers would be sent what is long out of date, and clients be told of it.
    """
    if node.connected and node.turns is not None:
        text = f"after {event.seconds:.1f} s of standstill: is the session still there?"
        node.note(Severity.WARNING, "stood still", text)
        node.connected = False
        node.do(node.office.ask(sync=True))


def on_timer(node: NodeData, event: Timer) -> None:
    """Give up a session that nobody has heard of for its whole timeout; or try something again.

    What brokers refused goes out with the turn that follows.
    """
    if event.name == COUNTERS_TIMER and node.active:
        node.do(Journal(Severity.INFO, "counters", "", counters=count(node.state)))
    elif event.name == SESSION_TIMER and not node.connected and node.office.session:
        give_up_session(node, "no connection to ZooKeeper for the session timeout")
    elif event.name == STAND_TIMER:
        stand_again(node)
    elif event.name == LOOK_TIMER:
        node.do(*node.outlook.look())
    elif event.name == REBALANCE_TIMER:
        on_rebalance(node)
    elif event.name == TIDY_TIMER:
        on_tidy(node)
    elif event.name == STATUS_TIMER:
        on_status_due(node)
    elif event.name == SWEEP_TIMER:
        on_sweep_due(node)
    elif event.name == NOTICES_TIMER:
        doorway.look_for_old_notices(node)
    elif event.name == PERMISSIONS_TIMER:
        doorway.read_permissions_again(node)
    elif event.name == RETRY_TIMER and node.turns is not None:
        node.turns.retry_given_up()
    elif event.name == CLEAR_TIMER:
        node.clearing.due(node.turns)
    elif event.name == RESEND_TIMER and node.turns is not None:
        node.links.resend(node.turns.state)
