"""How a broker leaves in good order: ControlledShutdown to the controller, a few times.

Source: Kafka 3.9, KafkaServer.controlledShutdown: controlled.shutdown.max.retries,
controlled.shutdown.retry.backoff.ms.
"""

import math

from klamm.protocol.error_codes import ErrorCode
from klamm.protocol.generated.controlled_shutdown_response import ControlledShutdownResponse
from klamm.tools.brokers.asks import Answered, AskControlledShutdown
from klamm.tools.brokers.calls import Calls
from klamm.tools.brokers.registration import Registration

TRIES = 3
BACKOFF = 5.0


class Departure:
    """One broker's leaving. `granted` is None until it is over: leave was given, or it was not."""

    def __init__(self, calls: Calls, registration: Registration, broker: int, version: int) -> None:
        self._calls = calls
        self._registration = registration
        self._broker = broker
        self._version = version
        self._tries = 0
        self._number = 0
        self._again_at = math.inf
        self.granted: bool | None = None

    @property
    def deadline(self) -> float:
        """When `advance` has something to do."""
        return self._again_at

    def begin(self) -> None:
        """Ask for leave, unless that was done before; one that never registered just goes.

        Source: Kafka 3.9, KafkaServer.controlledShutdown, only in state RUNNING or later.
        """
        if self._registration.epoch < 0:
            self.granted = False
        elif not self._tries:
            self._try()

    def advance(self, now: float) -> None:
        """Ask again when it is time."""
        if now >= self._again_at:
            self._again_at = math.inf
            self._try()

    def answered(self, now: float, answered: Answered) -> None:
        """Take the controller's answer, or that there was none."""
        if answered.number != self._number:
            return
        response = answered.response
        if (
            isinstance(response, ControlledShutdownResponse)
            and response.error_code == ErrorCode.NONE
            and not response.remaining_partitions
        ):
            self.granted = True
        elif self._tries == TRIES:
            self.granted = False
        else:
            self._again_at = now + BACKOFF

    def _try(self) -> None:
        self._tries += 1
        epoch = self._registration.epoch
        self._number = self._calls.ask(
            lambda number: AskControlledShutdown(number, self._broker, epoch, self._version)
        )
