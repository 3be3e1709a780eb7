"""What the exit codes of the tool mean: one table.

The stock actions know 0 and 1 only, as Kafka's: a usage error is 1 there too.
"""

from enum import IntEnum, unique


@unique
class Exit(IntEnum):
    """How a command ended."""

    DONE = 0
    """All that was asked for is done, or shown."""
    FAILED = 1
    """Something was refused or went wrong; in the stock actions also: wrong usage."""
    USAGE = 2
    """The command line of one of our own commands is wrong; nothing was done."""
    NOT_FINISHED = 3
    """Some moves go on: the deadline has passed, or nobody watches any more."""
    STUCK = 4
    """Moves wait for something that will not come by itself; `klamm explain` says for what."""
