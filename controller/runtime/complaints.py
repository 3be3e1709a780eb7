"""What peers do wrong goes to the log, but a peer that does much wrong does not fill it."""

import logging

import trio

LINES = 20
SECONDS = 10.0
LENGTH = 500


class Complaints:
    """Writes at most `LINES` lines in `SECONDS`, each of at most `LENGTH` characters.

    What was left out is counted, and told with the first line of a later time.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._since = 0.0
        self._written = 0
        self._left_out = 0

    def __call__(self, level: int, text: str, *arguments: object) -> None:
        """Write a line, or count it."""
        if not self._log.isEnabledFor(level):
            return
        now = trio.current_time()
        if not self._written or now - self._since >= SECONDS:
            self._since, self._written = now, 0
        if self._written == LINES:
            self._left_out += 1
            return
        self._written += 1
        if self._left_out:
            self._log.warning("%d lines about peers were left out", self._left_out)
            self._left_out = 0
        line = text % arguments
        self._log.log(level, "%s", line if len(line) <= LENGTH else f"{line[:LENGTH]}...")
