"""What the controller has yet to tell its brokers, and what their answers mean."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from uuid import UUID

from klamm.controller.brokers.messages import NO_TOPIC_ID
from klamm.controller.brokers.outbox import InFlight, Kind, Outbox
from klamm.controller.core.events import LeaderAcknowledged
from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import Broker, ClusterState, TopicPartition
from klamm.controller.core.plan import (
    Announce,
    Forget,
    Lead,
    Message,
    Publish,
    Refill,
    Stop,
)
from klamm.controller.node.effects import CloseLink, Effect, Journal, Send, SetTimer, Severity
from klamm.controller.node.inputs import BrokerAnswer
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.leader_and_isr_response import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrResponse,
)
from klamm.protocol.generated.stop_replica_response import (
    StopReplicaPartitionError,
    StopReplicaResponse,
)
from klamm.protocol.generated.update_metadata_response import UpdateMetadataResponse

#: A leader that answers 11 for a partition has the epoch that it was told, or a newer one.
HAS_THE_EPOCH = (ErrorCode.NONE, ErrorCode.STALE_CONTROLLER_EPOCH)

#: Answers to a whole request that end its life: it was taken, or whoever sent it, or to whom, is
#: out of date, and a new office or a new registration begins with everything.
FINAL = (ErrorCode.NONE, ErrorCode.STALE_CONTROLLER_EPOCH, ErrorCode.STALE_BROKER_EPOCH)

RESEND_TIMER = "resend"
#: Kafka drops what a broker refuses until something else changes; a move would wait for ever.
RESEND_SECONDS = 5.0


class Heard(NamedTuple):
    """What an answer means.

    `acknowledged` are leaders that have their epoch; `notes` what an operator should know;
    `stale_epoch` says that the broker has heard of a controller after us.
    """

    acknowledged: tuple[LeaderAcknowledged, ...] = ()
    notes: tuple[Effect, ...] = ()
    stale_epoch: bool = False


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
            case Lead(name, brokers, is_new):
                for broker in brokers:
                    if broker in self.outboxes:
                        self.outboxes[broker].lead(name, broker in is_new)
            case Publish(name):
                for outbox in self.outboxes.values():
                    outbox.publish(name)
            case Stop(name, broker, delete):
                if broker in self.outboxes:
                    self.outboxes[broker].stop(name, delete)
            case Announce():
                for outbox in self.outboxes.values():
                    outbox.announce = True
            case Refill(broker, restarted) if broker in state.brokers:
                self.outboxes[broker] = Outbox(state.brokers[broker], listener=self.listener)
                self.outboxes[broker].refill(state, restarted)
            case Refill():
                pass  # the broker was read twice in one turn, and is gone again
            case Forget(broker):
                if self.outboxes.pop(broker, None):
                    yield CloseLink(broker)

    def send_due(self, state: ClusterState) -> Iterator[Send]:
        """Hand out the next request of every broker that has none in flight."""
        for outbox in self.outboxes.values():
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
            outbox.put_back()
            return Heard()
        outbox.in_flight = None
        code, partitions = _codes(answer, sent, state)
        acknowledged = [
            LeaderAcknowledged(name, answer.broker, epoch)
            for name, epoch in sent.epochs.items()
            if code == ErrorCode.NONE and partitions.get(name, ErrorCode.NONE) in HAS_THE_EPOCH
        ]
        notes = (
            *_notes(answer.broker, sent.kind, code, partitions),
            *self._tell_later(outbox.broker, sent, code, partitions),
        )
        return Heard(tuple(acknowledged), notes, code == ErrorCode.STALE_CONTROLLER_EPOCH)

    def _tell_later(
        self, broker: Broker, sent: InFlight, code: int, partitions: dict[TopicPartition, int]
    ) -> Iterator[SetTimer]:
        """Keep what was refused: the whole request, or those of its Leads."""
        if code not in FINAL:
            left = sent
        elif code == ErrorCode.NONE and sent.kind is Kind.LEADER_AND_ISR:
            flags = {
                name: is_new
                for name, is_new in sent.flags.items()
                if partitions.get(name, ErrorCode.NONE) not in HAS_THE_EPOCH
            }
            if not flags:
                return
            left = replace(sent, flags=flags)
        else:
            return
        if not self.refused:
            yield SetTimer(RESEND_TIMER, RESEND_SECONDS)
        self.refused.append((broker, left))

    def resend(self, state: ClusterState) -> None:
        """Put what was refused back, as far as it is still true and nothing newer came since."""
        refused, self.refused = self.refused, []
        for broker, sent in refused:
            outbox = self.outboxes.get(broker.id)
            if outbox is None or outbox.broker.epoch != broker.epoch:
                continue
            match sent.kind:
                case Kind.UPDATE_METADATA:
                    outbox.announce = outbox.announce or not sent.flags
                    for name in sent.flags:
                        outbox.publish(name)
                case Kind.LEADER_AND_ISR:
                    for name, is_new in sent.flags.items():
                        if state.is_replica(name, broker.id) and name not in outbox.stops:
                            outbox.lead(name, is_new)
                case Kind.STOP_REPLICA:
                    for name, delete in sent.flags.items():
                        if name not in outbox.leads and not _must_wait(state, name, broker.id):
                            outbox.stop(name, delete)


def _must_wait(state: ClusterState, name: TopicPartition, broker: int) -> bool:
    """Tell whether a later life of the replica has ended, but the leader does not know yet."""
    awaiting = state.awaiting.get(name)
    return awaiting is not None and broker in awaiting.deletes


def _codes(
    answer: BrokerAnswer, sent: InFlight, state: ClusterState
) -> tuple[int, dict[TopicPartition, int]]:
    """Return the top-level code and those of partitions that the answer names."""
    match answer.response:
        case LeaderAndIsrResponse() as response:
            codes = _named(response.partition_errors)
            # From version 5 on topics have ids instead of names.
            names = _names_by_id(sent, state) if response.topics else {}
            for topic in response.topics:
                for error in topic.partition_errors:
                    for topic_name in names.get(topic.topic_id, ()):
                        name = TopicPartition(topic_name, error.partition_index)
                        codes[name] = codes.get(name) or error.error_code
            return response.error_code, codes
        case StopReplicaResponse() as response:
            return response.error_code, _named(response.partition_errors)
        case UpdateMetadataResponse() as response:
            return response.error_code, {}
        case other:
            raise TypeError(f"broker {answer.broker} was answered for with {type(other).__name__}")


def _named(
    errors: Iterable[LeaderAndIsrPartitionError | StopReplicaPartitionError],
) -> dict[TopicPartition, int]:
    return {TopicPartition(e.topic_name, e.partition_index): e.error_code for e in errors}


def _names_by_id(sent: InFlight, state: ClusterState) -> dict[UUID, list[str]]:
    """The topics of a request by id; those without one share the id of all zeros.

    What is said of that one counts for all of them: better a delete too late than one too early.
    """
    names = defaultdict(list)
    for topic_name in dict.fromkeys(name.topic for name in sent.flags):
        if topic_name in state.topics:
            names[state.topics[topic_name].topic_id or NO_TOPIC_ID].append(topic_name)
    return names


def _notes(
    broker: int, kind: Kind, code: int, partitions: dict[TopicPartition, int]
) -> Iterator[Effect]:
    """Report refusals, a line for each code; a partition's 11 is none, see HAS_THE_EPOCH."""
    request = kind.name
    if code != ErrorCode.NONE:
        text = f"broker {broker} answered {request} with {_name(code)}"
        yield Journal(Severity.WARNING, "refused", text)
    refused = defaultdict(list)
    for name, partition_code in partitions.items():
        if partition_code not in HAS_THE_EPOCH:
            refused[partition_code].append(name)
    for partition_code, (name, *others) in refused.items():
        what = f"{name} and {len(others)} more" if others else f"{name}"
        text = f"broker {broker} answered {request} of {what} with {_name(partition_code)}"
        yield Journal(Severity.WARNING, "refused", text)


def _name(code: int) -> str:
    """Return the code's name, or its number if it is newer than we are."""
    known = code in ErrorCode._value2member_map_
    return ErrorCode(code).name if known else f"error code {code}"
