"""Brokers that fetch now and then: bursts of fetching with a pause before each."""

import math
from dataclasses import dataclass, replace

#: How long a burst lasts, in seconds.
BURST = 1.0


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float
    pausing: bool
    until: float


class Pauses:
    """The brokers that pause between bursts of fetching, and where each of them is in that."""

    def __init__(self) -> None:
        self._pauses: dict[int, _Pause] = {}

    def begin(self, now: float, broker: int, seconds: float) -> None:
        """Let a broker pause for so long before each burst, the first time from now on."""
        if not 0 < seconds < math.inf:
            raise ValueError(f"a pause is {seconds} s: it must be a positive number of seconds")
        self._pauses[broker] = _Pause(seconds, True, now + seconds)

    def end(self, broker: int) -> None:
        """Let a broker fetch without pauses again."""
        self._pauses.pop(broker, None)

    def pausing(self, broker: int) -> bool:
        """Tell whether a broker pauses at this moment."""
        pause = self._pauses.get(broker)
        return pause is not None and pause.pausing

    def seconds(self, broker: int) -> float | None:
        """Return how long a broker pauses before each burst; None if it does not."""
        pause = self._pauses.get(broker)
        return pause.seconds if pause else None

    @property
    def deadline(self) -> float:
        """When the next pause begins or ends."""
        return min((pause.until for pause in self._pauses.values()), default=math.inf)

    def advance(self, now: float) -> bool:
        """Begin and end what is due, each once; tell whether anything was."""
        due = {broker: pause for broker, pause in self._pauses.items() if pause.until <= now}
        for broker, pause in due.items():
            length = BURST if pause.pausing else pause.seconds
            self._pauses[broker] = replace(
                pause, pausing=not pause.pausing, until=pause.until + length
            )
        return bool(due)
