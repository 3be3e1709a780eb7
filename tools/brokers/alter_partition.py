"""How a leader publishes a changed ISR from inter.broker.protocol.version 2.7-IV2 on.

All changes that wait go to the controller in one AlterPartition, one request at a time. Sources:
Kafka 3.9, DefaultAlterPartitionManager, Partition.handleAlterPartitionError. What Kafka's broker
repeats at once is repeated here after a moment, so that no fault of a controller makes a storm.
"""

import math
from collections.abc import Mapping

from klamm.controller.core.ibp import InterBrokerProtocol
from klamm.controller.core.model import TopicPartition
from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.alter_partition_response import AlterPartitionResponse, PartitionData
from klamm.tools.brokers.asks import Answered, AskAlterPartition
from klamm.tools.brokers.calls import Calls, Done
from klamm.tools.brokers.publisher import Accepted, Rejected, Verdict
from klamm.tools.brokers.registration import Registration
from klamm.tools.brokers.replica import IsrChange

#: Seconds until a request is sent again after an error, and after no answer or NOT_CONTROLLER.
AGAIN_AFTER_ERROR = 0.05
AGAIN_ELSEWHERE = 0.1

#: The leader has to wait for the controller's next order: its change stays pending.
_FINAL = frozenset(
    {
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)

#: Some member may not join now: the leader goes back to the ISR it had.
_REFUSED = frozenset({ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED})


class AlterPartitionPublisher:
    """One broker's changes that the controller has not settled yet, the newest per partition."""

    def __init__(
        self,
        calls: Calls,
        registration: Registration,
        broker: int,
        protocol: InterBrokerProtocol,
    ) -> None:
        self._calls = calls
        self._registration = registration
        self._broker = broker
        self._protocol = protocol
        self._open: dict[TopicPartition, IsrChange] = {}
        self._sent: AskAlterPartition | None = None
        self._again_at = math.inf

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return self._again_at

    def submit(self, change: IsrChange) -> None:
        """Publish a change, with the next request; it replaces an older one of its partition."""
        self._open[change.name] = change
        if self._sent is None and self._again_at == math.inf:
            self._send()

    def advance(self, now: float) -> None:
        """Send again what is due to be."""
        if now >= self._again_at:
            self._again_at = math.inf
            self._send()

    def stored(self, now: float, done: Done) -> tuple[Verdict, ...]:
        """Take ZooKeeper's answers, none of which concern this way of publishing."""
        return ()

    def answered(self, now: float, answered: Answered) -> tuple[Verdict, ...]:
        """Take the controller's answer, and return what it says of the changes it settles."""
        sent = self._sent
        if sent is None or sent.number != answered.number:
            return ()
        self._sent = None
        response = answered.response
        if not isinstance(response, AlterPartitionResponse):
            self._again_at = now + AGAIN_ELSEWHERE
            return ()
        answers = sent.answers(response, answered.version)
        codes = {response.error_code, *(answer.error_code for answer in answers.values())}
        if ErrorCode.NOT_CONTROLLER in codes:
            self._again_at = now + AGAIN_ELSEWHERE
            return ()
        if response.error_code:
            self._again_at = now + AGAIN_AFTER_ERROR
            return ()
        verdicts = self._settled(sent, answers)
        # A change that came meanwhile goes at once; one that was not settled, after a moment.
        if any(self._open.get(change.name) is change for change in sent.changes):
            self._again_at = now + AGAIN_AFTER_ERROR
        else:
            self._send()
        return verdicts

    def _settled(
        self, sent: AskAlterPartition, answers: Mapping[TopicPartition, PartitionData]
    ) -> tuple[Verdict, ...]:
        verdicts: list[Verdict] = []
        for change in sent.changes:
            answer = answers.get(change.name)
            if answer is None or self._open.get(change.name) is not change:
                continue
            if answer.error_code == ErrorCode.NONE:
                verdicts.append(Accepted(change, answer.partition_epoch))
            elif answer.error_code in _REFUSED:
                verdicts.append(Rejected(change))
            elif answer.error_code not in _FINAL:
                continue
            del self._open[change.name]
        return tuple(verdicts)

    def _send(self) -> None:
        if self._open:
            changes = tuple(self._open.values())
            self._calls.ask(lambda number: self._remember(number, changes))

    def _remember(self, number: int, changes: tuple[IsrChange, ...]) -> AskAlterPartition:
        self._sent = AskAlterPartition(
            number, self._broker, self._registration.epoch, changes, self._protocol.topic_ids
        )
        return self._sent
