"""A node's front desk: requests of clients, brokers and controllers, and their answers.

What the service of `klamm.controller.runtime` does in production, with the same handlers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from klamm.controller.brokers.metadata import MetadataCache, refreshed
from klamm.controller.core.fact_events import ReplicaProgress
from klamm.controller.core.model import TopicPartition
from klamm.controller.handlers.api import Answer, Context, Disconnect, Outcome, Submit, Transact
from klamm.controller.handlers.copies import NO_COPIES, ReplicaStatus
from klamm.controller.handlers.k46_list_partition_reassignments import API_KEY as LIST_KEY
from klamm.controller.handlers.k17905_report_fetch_progress import API_KEY as REPORT_KEY
from klamm.controller.node import Node
from klamm.controller.node.inputs import ControllerHeard, ProgressHeard, Request, Transactions
from klamm.controller.runtime.standby import Standby
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
)
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message
from klamm.tools.lab.clients import Asked
from klamm.tools.lab.network import AskOnTheWay

if TYPE_CHECKING:
    from klamm.tools.lab.nodes import NodeHost

CLUSTER_ID = "lab-cluster-0000000000"

#: Keys whose handlers look at the state and not at the clients' view: 45, 46, 56 and the like.
_STATE_IS_ENOUGH = frozenset({7, 37, 45, 46, 56, REPORT_KEY})


class TellingDesk:
    """What a desk does with reports of copies: it hands them on. Nobody asks it for any."""

    def __init__(self, host: NodeHost) -> None:
        self._host = host

    def status(self, name: TopicPartition, broker: int) -> ReplicaStatus | None:
        """Somebody else has to be asked."""
        return None

    def take(self, reports: tuple[ReplicaProgress, ...]) -> None:
        """Have the node told, with what else has come."""
        self._host.inbox.append(ProgressHeard(reports, self._host.now.wall_ms))


class Desk:
    """The desk of one process. Draws are counted, not random."""

    def __init__(self, host: NodeHost) -> None:
        self._host = host
        self._standby = Standby(CLUSTER_ID, host.itself)
        self._requests: dict[int, Asked | AskOnTheWay] = {}
        #: What the handler of each request knew when it came; None: what it knows at the end.
        self._contexts: dict[int, Context | None] = {}
        #: When clients that ask for an answer in some time get one, whatever has come of it.
        self.deadlines: dict[int, float] = {}
        self._expired: set[int] = set()
        self._draws = host.lives << 16

    @property
    def _node(self) -> Node:
        node = self._host.node
        assert node is not None, f"no process of {self._host.name} runs"
        return node

    def close(self) -> None:
        """End all connections: who has no answer yet gets none."""
        for asked in self._requests.values():
            if isinstance(asked, Asked):
                asked.lost |= asked.open
            else:
                asked.lost |= asked.response is None

    def answer(self, request: Message) -> Message:
        """Answer a controller, to whom a node is a broker without replicas."""
        if not isinstance(request, UpdateMetadataRequest):
            assert isinstance(request, LeaderAndIsrRequest | StopReplicaRequest)
            return self._standby.refuse(request, self._node.office_epoch)
        node = self._node
        answer = self._standby.take(request, node.office_epoch, node.registration_epoch)
        if not answer.error_code:
            self._host.inbox.append(ControllerHeard(request.controller_epoch))
        return answer

    def ask(self, asked: Asked) -> None:
        """Take a client's request in."""
        self._take(asked)

    def take(self, ask: AskOnTheWay) -> None:
        """Take a broker's request in."""
        ask.taken = True
        self._take(ask)

    def _take(self, asked: Asked | AskOnTheWay) -> None:
        host, (key, body, version) = self._host, _asks(asked)
        number = host.world.next_request()
        self._requests[number] = asked
        if key == LIST_KEY and self._node.doubtful:
            # The node may be controller no more; it answers once it knows.
            self._contexts[number] = None
            host.inbox.append(Request(number, ()))
            return
        context = self._contexts[number] = self._context(key)
        outcome = host.handlers[key].handle(context, body, version)
        match outcome:
            case Answer(response):
                self._respond(asked, response)
            case Submit(events, timeout=timeout):
                if timeout is not None:
                    self.deadlines[number] = host.world.now + max(0.0, timeout.seconds)
                host.inbox.append(Request(number, events))
            case Transact(transactions):
                host.inbox.append(Transactions(number, transactions))
            case Disconnect():
                asked.lost = True

    def list_moves(self) -> ListPartitionReassignmentsResponse | None:
        """Return what a client is answered now that asks for all moves; None if that has to wait.

        Nobody notices: a list is read from the state.
        """
        handler = self._host.handlers[LIST_KEY]
        body = ListPartitionReassignmentsRequest()
        outcome = handler.handle(self._context(LIST_KEY), body, handler.versions[-1])
        if isinstance(outcome, Answer):
            response = outcome.response
            return response if isinstance(response, ListPartitionReassignmentsResponse) else None
        return None

    def reply(self, number: int, results: tuple[Any, ...]) -> None:
        """Answer a request; how is asked of its handler again, for worlds hold no closures."""
        if number in self._expired:
            return
        self.deadlines.pop(number, None)
        asked = self._requests[number]
        outcome = self._outcome(number)
        if isinstance(outcome, Submit | Transact):
            response = outcome.respond(results)
            assert not isinstance(response, Transact), "nobody here asks for all users"
            self._respond(asked, response)
        else:
            assert isinstance(outcome, Answer), f"{asked} has no answer"
            self._respond(asked, outcome.response)

    def expire(self, now: float) -> None:
        """Answer those whose time is up; what they asked for goes on, and is not answered again."""
        for number in [number for number, at in self.deadlines.items() if at <= now]:
            del self.deadlines[number]
            self._expired.add(number)
            asked, outcome = self._requests[number], self._outcome(number)
            assert isinstance(outcome, Submit) and outcome.timeout is not None
            context = self._context(_asks(asked)[0])
            self._respond(asked, outcome.timeout.response(context))

    def _outcome(self, number: int) -> Outcome:
        """Let a handler say once more what is to be done for a request."""
        key, body, version = _asks(self._requests[number])
        context = self._contexts[number] or self._context(key)
        return self._host.handlers[key].handle(context, body, version)

    def _respond(self, asked: Asked | AskOnTheWay, response: Message) -> None:
        if isinstance(asked, Asked):
            asked.responses.append(response)
            self._host.world.happened.replied.append(asked)
        else:
            asked.response = response

    def _context(self, key: int) -> Context:
        """What handlers may know; the clients' view of the cluster only where it matters."""
        host, state = self._host, self._node.state
        if state is None:
            self._standby.look(self._node.view)
            metadata = self._standby.metadata
        elif key in _STATE_IS_ENOUGH:
            metadata = MetadataCache(CLUSTER_ID)
        else:
            metadata = refreshed(MetadataCache(CLUSTER_ID), None, state)
        return Context(
            host.id,
            "PLAINTEXT",
            {},
            metadata,
            state,
            {host.id: host.itself, **(state.nodes if state else {})},
            draw=self._draw,
            draw_topic_id=self._draw_topic_id,
            rules=host.config.rules,
            copies=TellingDesk(host) if key == REPORT_KEY else NO_COPIES,
        )

    def _draw(self, bound: int) -> int:
        self._draws += 1
        return self._draws % bound

    def _draw_topic_id(self) -> UUID:
        self._draws += 1
        return UUID(int=(self._host.id << 64) + self._draws)


def _asks(asked: Asked | AskOnTheWay) -> tuple[int, Message, int]:
    """Return the key, body and version of a request."""
    if isinstance(asked, Asked):
        return asked.what.key, asked.what.body, asked.what.version
    return asked.request.api_key, asked.request, asked.version
