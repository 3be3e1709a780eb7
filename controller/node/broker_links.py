"""What the controller has yet to tell its brokers, and what their answers mean."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from klamm.controller.brokers.outbox import InFlight, Kind, Outbox
from klamm.controller.core.debts import may_be_told
from klamm.controller.core.events import (
    LeaderAcknowledged,
    ReplicasDeleted,
    ReplicasFound,
    WithdrawalsHeard,
)
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import Broker, ClusterState, TopicPartition
from klamm.controller.core.plan import (
    Announce,
    Forget,
    Lead,
    Message,
    Publish,
    Refill,
    Relead,
    Stop,
)
from klamm.controller.node import answers, refusals
from klamm.controller.node.effects import CloseLink, Effect, Send, SetTimer
from klamm.controller.node.inputs import BrokerAnswer
from klamm.controller.node.refusals import HAS_THE_EPOCH
from klamm.protocol.error_codes import ErrorCode

#: Answers to a whole request that end its life: it was taken, or whoever sent it, or to whom, is
#: out of date, and a new office or a new registration begins with everything.
FINAL = (ErrorCode.NONE, ErrorCode.STALE_CONTROLLER_EPOCH, ErrorCode.STALE_BROKER_EPOCH)

RESEND_TIMER = "resend"
#: Kafka drops what a broker refuses until something else changes; a move would wait for ever.
RESEND_SECONDS = 5.0


class Heard(NamedTuple):
    """What an answer means.

    `acknowledged` are leaders that have their epoch, `found` replicas whose log directory has
    failed or works again, `deleted` those that are gone as they were to be, of topics being deleted
    or of brokers that owed it; `withdrawn` what of topics being deleted it has taken back; `notes`
    what an operator should know; `stale_epoch` says that the broker has heard of a controller
    after us.
    """

    acknowledged: tuple[LeaderAcknowledged, ...] = ()
    notes: tuple[Effect, ...] = ()
    stale_epoch: bool = False
    deleted: tuple[ReplicasDeleted, ...] = ()
    found: tuple[ReplicasFound, ...] = ()
    withdrawn: tuple[WithdrawalsHeard, ...] = ()


@dataclass(slots=True)
class BrokerLinks:
    """The outboxes of all brokers; pure, and empty outside office."""

    protocol: InterBrokerProtocol
    listener: str = "PLAINTEXT"
    outboxes: dict[int, Outbox] = field(default_factory=dict)
    sends: int = 0
    #: What was refused, by whom: told again when the timer, which is set while any is, runs out.
    refused: list[tuple[Broker, InFlight]] = field(default_factory=list)

    def put(self, message: Message, state: ClusterState) -> Iterator[Effect]:
        """Take what a Commit wants brokers to know; `state` has that Commit applied."""
        match message:
            case Lead(name) if state.vanishing(name.topic):
                pass  # decided before its deletion began; its replicas are told to delete
            case Lead(name, brokers, is_new):
                for broker in brokers:
                    if broker in self.outboxes:
                        self.outboxes[broker].lead(name, broker in is_new)
            case Publish(name):
                gone = state.vanishing(name.topic) or state.partition(name) is None
                for outbox in self.outboxes.values():
                    if gone:
                        outbox.withdraw(name)
                    else:
                        outbox.publish(name)
            case Stop(name, broker, delete):
                # Whoever is offline and owes a delete hears of it when it is back.
                if broker in self.outboxes:
                    self.outboxes[broker].stop(name, delete)
            case Announce():
                for id_, outbox in self.outboxes.items():
                    peer = state.peer(id_)
                    if peer is not None and peer.epoch == outbox.broker.epoch:
                        outbox.broker = peer  # its endpoints may be others than before
                    outbox.announce = True
            case Refill(broker, restarted) if peer := state.peer(broker):
                self.outboxes[broker] = Outbox(peer, listener=self.listener)
                self.outboxes[broker].refill(state, restarted)
                for name in _vanishing(state):
                    self.outboxes[broker].withdraw(name)
                for name in may_be_told(state, broker):
                    self.outboxes[broker].stop(name, delete=True)
            case Relead(broker):
                if broker in self.outboxes:
                    self.outboxes[broker].relead(state)
            case Refill():
                pass  # the broker was read twice in one turn, and is gone again
            case Forget(broker):
                if self.outboxes.pop(broker, None) is not None:
                    yield CloseLink(broker)

    def send_due(self, state: ClusterState) -> Iterator[Send]:
        """Hand out the next request of every broker that has none in flight."""
        for outbox in self.outboxes.values():
            if outbox.in_flight is not None:
                continue
            due = outbox.next_request(state, self.protocol, self.sends + 1)
            if due:
                self.sends += 1
                message, version = due
                yield Send(self.sends, outbox.broker, message, version)

    def close(self) -> Iterator[CloseLink]:
        """Drop everything, as at the end of an office."""
        for broker in self.outboxes:
            yield CloseLink(broker)
        self.outboxes.clear()
        self.refused.clear()

    def answered(self, answer: BrokerAnswer, state: ClusterState) -> Heard:
        """Read an answer. A request without one is put back; one to an earlier one is ignored."""
        outbox = self.outboxes.get(answer.broker)
        if outbox is None or outbox.broker.epoch != answer.broker_epoch:
            return Heard()
        sent = outbox.in_flight
        if sent is None or sent.number != answer.send:
            return Heard()
        if answer.response is None:
            outbox.in_flight = None
            outbox.put_back(sent, state)
            return Heard()
        outbox.in_flight = None
        code, partitions = answers.codes(answer, sent, state)
        acknowledged = [
            LeaderAcknowledged(name, answer.broker, epoch)
            for name, epoch in sent.epochs.items()
            if code == ErrorCode.NONE and partitions.get(name, ErrorCode.NONE) in HAS_THE_EPOCH
        ]
        notes = (
            *refusals.notes(outbox, sent.kind, code, partitions),
            *self._tell_later(outbox.broker, sent, code, partitions, state),
        )
        return Heard(
            tuple(acknowledged),
            notes,
            stale_epoch=code == ErrorCode.STALE_CONTROLLER_EPOCH,
            deleted=tuple(answers.deleted(answer.broker, sent, code, partitions, state)),
            found=tuple(answers.found(outbox.broker, sent, code, partitions, state)),
            withdrawn=tuple(answers.withdrawn(answer.broker, sent, code, state)),
        )

    def _tell_later(
        self,
        broker: Broker,
        sent: InFlight,
        code: int,
        partitions: dict[TopicPartition, int],
        state: ClusterState,
    ) -> Iterator[SetTimer]:
        """Keep what was refused, the whole request or some of its partitions, to tell it again.

        A delete that no repetition helps waits until the broker comes back, or for the next
        office: it stays owed. Not so one of a topic that is being deleted, which waits for it, and
        for the word that it is gone. Nor does it help to repeat to lead on a failed directory:
        others do, until its broker restarts.
        """
        stops = sent.kind is Kind.STOP_REPLICA
        done = (ErrorCode.NONE,) if stops else (*HAS_THE_EPOCH, ErrorCode.KAFKA_STORAGE_ERROR)
        flags = {
            name: flag
            for name, flag in sent.flags.items()
            if partitions.get(name, ErrorCode.NONE) not in done
        }
        left = sent
        if code in FINAL:
            if not flags and code == ErrorCode.NONE:
                return
            left = replace(sent, flags=flags)
        if code == ErrorCode.NONE and stops:
            useless = {
                name
                for name in flags
                if partitions[name] == ErrorCode.KAFKA_STORAGE_ERROR
                and not state.vanishing(name.topic)
            }
            left = replace(sent, flags={n: flag for n, flag in flags.items() if n not in useless})
        elif code == ErrorCode.STALE_CONTROLLER_EPOCH and sent.kind is not Kind.LEADER_AND_ISR:
            # If there is another controller we are about to hear of it. If not, the broker errs.
            flags = {name: flag for name, flag in sent.flags.items() if state.vanishing(name.topic)}
            left = replace(sent, flags=flags)
        elif code in FINAL and code != ErrorCode.NONE:
            return
        if code in FINAL and not left.flags:
            return
        if not self.refused:
            yield SetTimer(RESEND_TIMER, RESEND_SECONDS)
        self.refused.append((broker, left))

    def resend(self, state: ClusterState) -> None:
        """Put back what was refused, to those that have not been registered anew since."""
        refused, self.refused = self.refused, []
        for broker, sent in refused:
            outbox = self.outboxes.get(broker.id)
            if outbox is not None and outbox.broker.epoch == broker.epoch:
                outbox.put_back(sent, state)


def _vanishing(state: ClusterState) -> Iterator[TopicPartition]:
    """The partitions of topics that are being deleted: whoever is new has to say it knows so."""
    for name, deletion in state.deleting.items():
        if deletion.started and name in state.topics:
            for number in state.topics[name].partitions:
                yield TopicPartition(name, number)
