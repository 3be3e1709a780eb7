"""Requests to a controller node, answered by the handlers from its state or through its driver."""

import logging
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from uuid import UUID, uuid4

from klamm.controller.brokers.metadata import refreshed
from klamm.controller.core.model import Broker, ClusterState, TopicPartition
from klamm.controller.core.rules import APACHE_3_9, Rules
from klamm.controller.handlers import k3_metadata, k46_list_partition_reassignments
from klamm.controller.handlers.api import (
    Answer,
    Context,
    Timeout,
)
from klamm.controller.handlers.copies import NO_COPIES, Copies
from klamm.controller.handlers.from_controllers import denied
from klamm.controller.handlers.table import HANDLERS
from klamm.controller.runtime.audit import Note, audit
from klamm.controller.runtime.exchange import Exchange
from klamm.controller.runtime.forwarding import NEEDED_FOR, Forwardable, Forwarder, destination
from klamm.controller.runtime.looks import HasState
from klamm.controller.runtime.remembered import Remembered
from klamm.controller.runtime.replies import CallOff, Late, Submitter, Transactor, carry_out
from klamm.controller.runtime.standby import Standby
from klamm.controller.security.acls import Operation
from klamm.controller.security.authorizer import ALLOW_ALL, Authorizer
from klamm.controller.security.principals import ANONYMOUS, Client
from klamm.controller.znodes.text import encode_uuid
from klamm.protocol.generated.leader_and_isr_request import LeaderAndIsrRequest
from klamm.protocol.generated.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from klamm.protocol.generated.replica_status_request import ReplicaStatusRequest
from klamm.protocol.generated.stop_replica_request import StopReplicaRequest
from klamm.protocol.generated.update_metadata_request import UpdateMetadataRequest
from klamm.protocol.message import Message

LOG = logging.getLogger("klamm.server")

#: Tells the node of a controller that has spoken to it.
Hear = Callable[[int], None]

#: Has brokers polled about partitions, and a function called when that is done.
Look = Callable[[Iterable[TopicPartition], Callable[[], None]], None]

#: Has a function called after some seconds.
Later = Callable[[float, Callable[[], None]], CallOff]

#: What every client asks for again and again, and what depends on nothing but the context.
REMEMBERED = frozenset({k3_metadata.API_KEY, k46_list_partition_reassignments.API_KEY})

#: For so many clients the context of their last request is kept.
MOST_CLIENTS = 256


class Service:
    """Dispatches the requests of one node.

    `itself` is how clients find the node before it knows the cluster; `submit` hands events to
    the driver, `transact` transactions. `hear` is told the epoch of a controller that has sent
    UpdateMetadata. `look_up` is called before each request: whoever has stood still must know it
    before it answers. `authorizer` says who may do what, as of now; `note` takes the audit's lines
    for the journal. `copies` are what the node knows of them; `look` has brokers polled for more.
    """

    def __init__(
        self,
        node: HasState,
        submit: Submitter,
        transact: Transactor,
        itself: Broker,
        *,
        cluster_id: str,
        listener: str,
        table: Mapping[int, range],
        rules: Rules = APACHE_3_9,
        properties: Mapping[str, str] | None = None,
        later: Later | None = None,
        honours_timeouts: bool = False,
        forwarder: Forwarder | None = None,
        hear: Hear = lambda _: None,
        look_up: Callable[[], None] = lambda: None,
        authorizer: Callable[[], Authorizer] = lambda: ALLOW_ALL,
        note: Note | None = None,
        copies: Copies = NO_COPIES,
        look: Look | None = None,
    ) -> None:
        self._look = look
        self._hear = hear
        self._look_up = look_up
        self._authorizer = authorizer
        self._note = note
        self._node = node
        self._submit = submit
        self._transact = transact
        self._later = later
        self._forwarder = forwarder
        self._remembered: dict[str, Remembered] = defaultdict(Remembered)
        self._by_client: dict[Client, Context] = {}
        self._of_clients: Context | None = None
        self._last: Context | None = None
        self._anybody: dict[str, Client] = {}
        self._itself = itself
        self._standby = Standby(cluster_id, itself)
        self._state: ClusterState | None = None
        self._context = Context(
            itself.id,
            listener,
            table,
            self._standby.metadata,
            controllers={itself.id: itself},
            draw=secrets.randbelow,
            draw_topic_id=draw_topic_id,
            rules=rules,
            properties=properties or {},
            honours_timeouts=honours_timeouts,
            authorizer=authorizer(),
            copies=copies,
        )

    def dispatch(self, exchange: Exchange) -> None:
        """Serve one request; `klamm.controller.runtime.server` calls it."""
        self._look_up()
        header, body = exchange.request.header, exchange.request.body
        key, version = header.request_api_key, header.request_api_version
        context = self.context(self._asker(key, exchange.client))
        audit(exchange, self._note)
        refused = denied(context, body)
        if refused is not None:
            exchange.respond(refused)
            return
        if isinstance(body, UpdateMetadataRequest):
            self._take(exchange, body)
            return
        if isinstance(body, LeaderAndIsrRequest | StopReplicaRequest):
            exchange.respond(self._standby.refuse(body, self._node.office_epoch))
            return
        if context.state is None and self._passes_on(exchange):
            return
        if context.state is not None and self._waits(exchange):
            return
        if key in REMEMBERED:
            remembered = self._remembered[context.listener]
            known = remembered.get(context, version, body)
            if known is not None:
                exchange.respond(known)
                return
        outcome = HANDLERS[key].handle(context, body, version)
        if key in REMEMBERED and isinstance(outcome, Answer):
            size = exchange.request.size
            exchange.respond(remembered.put(version, body, outcome.response, size))
            return
        expire_later = self._expire_later if self._later else None
        carry_out(exchange, outcome, self._submit, self._transact, expire_later)

    def _take(self, exchange: Exchange, body: UpdateMetadataRequest) -> None:
        """Believe what a controller says of the cluster, or refuse it."""
        answer = self._standby.take(body, self._node.office_epoch, self._node.registration_epoch)
        if not answer.error_code:
            self._hear(body.controller_epoch)
        exchange.respond(answer)

    def _waits(self, exchange: Exchange) -> bool:
        """Have an answer from the node's state wait until the state is good enough for it.

        A list of moves waits while it is uncertain whether the node is still controller, and the
        status of replicas until brokers have been polled. What is to be decided waits in the node
        itself.
        """
        body = exchange.request.body
        if isinstance(body, ReplicaStatusRequest) and self._look is not None:
            if not self.context(exchange.client).allows_cluster(Operation.DESCRIBE):
                return False
            named = [TopicPartition(key.topic, key.partition) for key in body.replicas]
            self._look(named, self._answer_later(exchange))
            return True
        if isinstance(body, ListPartitionReassignmentsRequest) and self._node.doubtful:
            self._answer_later(exchange)()
            return True
        return False

    def _answer_later(self, exchange: Exchange) -> Callable[[], None]:
        """Return what answers after all that the node was handed before; call it once."""
        header, body = exchange.request.header, exchange.request.body
        late = Late(exchange)

        def answer() -> Message:
            handler = HANDLERS[header.request_api_key]
            context = self.context(exchange.client)
            outcome = handler.handle(context, body, header.request_api_version)
            assert isinstance(outcome, Answer)
            return outcome.response

        return lambda: self._submit((), lambda _: late.answer(answer), exchange.origin)

    def _passes_on(self, exchange: Exchange) -> bool:
        """Have the controller answer, if that is wanted and there is one."""
        request, context = exchange.request, self.context(exchange.client)
        if self._forwarder is None or not isinstance(request.body, Forwardable):
            return False
        if type(request.body) not in self._forwarder.kinds:
            return False
        if not context.allows_cluster(NEEDED_FOR[type(request.body)]):
            return False  # the controller would take our word for the client's
        to = destination(request, context.metadata, context.node_id, self._context.listener)
        if to is None:
            return False
        late = Late(exchange)
        self._forwarder.forward(
            to,
            request.header.client_id,
            request.body,
            lambda response: late.answer(lambda: response),
            request.header.request_api_version,
        )
        return True

    def _expire_later(
        self, timeout: Timeout, answer: Callable[[Callable[[], Message]], None]
    ) -> CallOff:
        if self._later is None:
            raise RuntimeError("nobody calls later")
        seconds = max(0.0, timeout.seconds)  # clients may ask for less than no time
        return self._later(seconds, lambda: answer(lambda: timeout.response(self.context())))

    def _asker(self, key: int, client: Client) -> Client:
        """Return for whom a request is answered: of all who may do everything the same.

        So that an answer which is remembered serves everybody who comes by the listener.
        """
        if key not in REMEMBERED or self._context.authorizer is not ALLOW_ALL:
            return client
        anybody = self._anybody.get(client.listener)
        if anybody is None:
            anybody = self._anybody[client.listener] = Client(ANONYMOUS, "", client.listener)
        return anybody

    def context(self, client: Client | None = None) -> Context:
        """Return what handlers may know at this moment, of a request of this client."""
        context = self._common_context()
        if client is None:
            return context
        if context is not self._of_clients or len(self._by_client) == MOST_CLIENTS:
            self._of_clients, self._by_client = context, {}
            self._last = None
        if self._last is not None and self._last.client is client:
            return self._last
        found = self._by_client.get(client)
        if found is None:
            found = replace(context, client=client, listener=client.listener or context.listener)
            self._by_client[client] = found
        self._last = found
        return found

    def _common_context(self) -> Context:
        """Return what is the same for all clients."""
        context, authorizer = self._context_of_state(), self._authorizer()
        if context.authorizer is not authorizer:
            self._context = context = replace(context, authorizer=authorizer)
        return context

    def _context_of_state(self) -> Context:
        state = self._node.state
        if state is None:
            return self._out_of_office()
        if state is not self._state:
            metadata = refreshed(self._context.metadata, self._state, state)
            nodes = {self._itself.id: self._itself, **state.nodes}
            changed = replace(self._context, metadata=metadata, state=state, controllers=nodes)
            self._context, self._state = changed, state
        return self._context

    def _out_of_office(self) -> Context:
        if self._state is not None:
            self._standby.leave_office(self._context.metadata, self._state.epoch)
            self._state = None
        self._standby.look(self._node.view)
        if self._context.metadata is not self._standby.metadata:
            itself = {self._itself.id: self._itself}
            self._context = replace(
                self._context, metadata=self._standby.metadata, state=None, controllers=itself
            )
        return self._context


def draw_topic_id() -> UUID:
    """Draw an id as Kafka does (Uuid.randomUuid): none whose text begins like an option, by "-"."""
    while encode_uuid(drawn := uuid4()).startswith("-"):
        pass
    return drawn
