"""Who may write which znodes: each is one holder's at a time, the others wait for their turn."""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Locks(Generic[T]):
    """Holders by path, and those who wait: each with one path that it wants and another holds.

    Whoever waits holds nothing, so nobody waits for ever. A release looks at those alone who wait
    for what is released.
    """

    _holders: dict[str, T] = field(default_factory=dict)
    _waiting: dict[str, deque[tuple[T, Collection[str]]]] = field(default_factory=dict)

    def holds(self, who: T, paths: Collection[str]) -> bool:
        """Tell whether somebody holds all of these paths."""
        return all(self._holders.get(path) is who for path in paths)

    def take(self, who: T, paths: Collection[str]) -> bool:
        """Give somebody who holds nothing all of these paths, or let it wait for them."""
        taken = min((path for path in paths if path in self._holders), default=None)
        if taken is None:
            self._holders.update(dict.fromkeys(paths, who))
        else:
            self._waiting.setdefault(taken, deque()).append((who, paths))
        return taken is None

    def release(self, who: T, paths: Collection[str]) -> Iterator[T]:
        """Take from somebody what it holds of these paths; give those who hold theirs from now on.

        Among those who wait for a path the first goes on.
        """
        held = sorted(path for path in paths if self._holders.get(path) is who)
        for path in held:
            del self._holders[path]
        for path in held:
            while path not in self._holders and path in self._waiting:
                waiting = self._waiting[path]
                other, wanted = waiting.popleft()
                if not waiting:
                    del self._waiting[path]
                if self.take(other, wanted):
                    yield other

    def send_away(self) -> list[T]:
        """Forget those who wait, and return them."""
        waiting = [who for queue in self._waiting.values() for who, _ in queue]
        self._waiting.clear()
        return waiting
