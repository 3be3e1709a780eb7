"""What an invariant says when it does not hold, and what it may look at."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from klamm.tools.lab.observe import Observed
from klamm.tools.lab.seen import Seen
from klamm.tools.lab.written import Digest


class Wrong(NamedTuple):
    """What is wrong, in a sentence, and what shows it."""

    text: str
    evidence: tuple[str, ...] = ()


#: Looks at one step of a world, given all that was seen before it.
Check = Callable[[Seen, Observed, Digest], Iterator[Wrong]]
