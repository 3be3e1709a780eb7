"""The node: everything that happens comes in here, everything it wants done goes out.

Pure: no clock, no waiting, no randomness. Which input does what in which phase is the table
below; an input without a row there is ignored in that phase, and the tests name every such pair.

    data         what a node is and knows
    candidacy    steps outside office: who is controller, standing for it, leaving it
    incumbency   steps in office: read, decide, commit, apply, answer, send
    sessions     steps of the session with ZooKeeper
    progress     steps of hearing, and of being asked, how far followers have come
    doorway      steps of the door, whose answers find it by their number in every phase
    recorder     what the journal says of a Commit; `lines` has the form in which it does
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from klamm.controller.node import candidacy, doorway, incumbency, progress, sessions
from klamm.controller.node.data import NodeData, Now, Phase
from klamm.controller.node.door import Door
from klamm.controller.node.effects import Effect
from klamm.controller.node.inputs import (
    Audited,
    BrokerAnswer,
    ControllerHeard,
    CopiesWanted,
    Input,
    ProgressHeard,
    Request,
    Timer,
    Transactions,
    Turn,
    Woke,
)
from klamm.controller.node.permissions import Permissions
from klamm.controller.store.port import (
    CommitDone,
    ReadDone,
    SessionEvent,
    UpdateDone,
    WatchDone,
    Watched,
)

Step = Callable[[NodeData, Any], None]
#: What answers requests of a number, which may be the door's.
ANSWERS = (ReadDone, CommitDone)
OUTSIDE = (Phase.STANDBY, Phase.ELECTING)
INSIDE = (Phase.LOADING, Phase.ACTIVE)

#: (phase, kind of input) -> what it does. Pairs without a row are ignored: answers of brokers and
#: of commits outside office are about an office that is over, and a turn there has no queue.
TRANSITIONS: dict[tuple[Phase, type], Step] = {
    **{(phase, SessionEvent): sessions.on_session for phase in Phase},
    **{(phase, Timer): sessions.on_timer for phase in Phase},
    **{(phase, Woke): sessions.on_woke for phase in Phase},
    **{(phase, ControllerHeard): candidacy.on_controller_heard for phase in Phase},
    **{(phase, Audited): doorway.on_audited for phase in Phase},
    **{(phase, UpdateDone): candidacy.on_update for phase in Phase},
    **{(phase, Transactions): doorway.on_transactions for phase in Phase},
    **{(phase, WatchDone): candidacy.on_watch_done for phase in Phase},
    **{(phase, Request): candidacy.on_request_elsewhere for phase in OUTSIDE},
    **{(phase, ReadDone): candidacy.on_election_read for phase in OUTSIDE},
    **{(phase, Watched): candidacy.on_watched_outside for phase in OUTSIDE},
    (Phase.ELECTING, CommitDone): candidacy.on_election_done,
    **{(phase, Request): incumbency.on_request for phase in INSIDE},
    **{(phase, ReadDone): incumbency.on_read for phase in INSIDE},
    **{(phase, Watched): incumbency.on_watched for phase in INSIDE},
    (Phase.ACTIVE, CommitDone): incumbency.on_commit_done,
    (Phase.ACTIVE, BrokerAnswer): incumbency.on_broker_answer,
    (Phase.ACTIVE, ProgressHeard): progress.on_progress_heard,
    (Phase.ACTIVE, CopiesWanted): progress.on_copies_wanted,
    (Phase.ACTIVE, Turn): incumbency.on_turn,
}


class Node(NodeData):
    """One klamm node. Feed every input to `handle` in order, and `Turn` when none is at hand."""

    #: As `TRANSITIONS`; a study of failures can put another table in its place.
    transitions: ClassVar[Mapping[tuple[Phase, type], Step]] = TRANSITIONS

    def handle(self, now: Now, event: Input) -> tuple[Effect, ...]:
        """Take one input; return what is to be done, in this order.

        Store events of a session that is over are dropped: they say nothing about this one.
        """
        self.now, self.out = now, []
        incumbency.catch_up(self, event)
        session = getattr(event, "session", self.office.session)
        if session == self.office.session or isinstance(event, SessionEvent):
            step = self.transitions.get((self.phase, type(event)))
            if isinstance(event, ANSWERS) and Door.owns(event.request):
                doorway.on_answer(self, event)
            elif isinstance(event, ReadDone | WatchDone) and Permissions.owns(event.request):
                doorway.on_permissions(self, event)
            elif step is not None:
                step(self, event)
            if isinstance(event, Watched):
                doorway.on_list_changed(self, event.path)
        return tuple(self.out)
