"""Requests in hand: which results are still missing, and one reply for each, exactly once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from klamm.controller.core.events import Cause
from klamm.controller.core.results import NOT_CONTROLLER, Result
from klamm.controller.node.effects import Reply


@dataclass(slots=True)
class _Pending:
    causes: tuple[int, ...]
    results: dict[int, Result] = field(default_factory=dict)


@dataclass(slots=True)
class Requests:
    """The requests whose reply is owed, by id, and the request of each open cause."""

    _pending: dict[int, _Pending] = field(default_factory=dict)
    _request_of: dict[int, int] = field(default_factory=dict)
    #: Requests without causes, which wait until it is certain again who is controller.
    _waiting: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._pending) + len(self._waiting)

    def add(self, request: int, causes: Iterable[Cause]) -> None:
        """Owe a reply made of the results of these causes, in their order."""
        ids = tuple(cause.id for cause in causes)
        self._pending[request] = _Pending(ids)
        self._request_of.update(dict.fromkeys(ids, request))

    def wait(self, request: int) -> None:
        """Owe a reply of no results, until `release`."""
        self._waiting.append(request)

    def release(self) -> Iterator[Reply]:
        """Reply to those that have waited for nothing but certainty."""
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            yield Reply(request, ())

    def settle(self, results: Iterable[tuple[int, Result]]) -> Iterator[Reply]:
        """Note results that are durable; yield the reply of each request that is complete."""
        for cause, result in results:
            request = self._request_of.pop(cause, None)
            if request is None:
                continue
            pending = self._pending[request]
            pending.results[cause] = result
            if len(pending.results) == len(pending.causes):
                del self._pending[request]
                yield Reply(request, tuple(pending.results[id_] for id_ in pending.causes))

    def waits_for(self, cause: int) -> bool:
        """Tell whether somebody waits for the result of this cause."""
        return cause in self._request_of

    def refuse_all(self) -> Iterator[Reply]:
        """Answer everything with NOT_CONTROLLER: whoever asks again finds the next controller."""
        for request, pending in self._pending.items():
            yield Reply(request, (NOT_CONTROLLER,) * len(pending.causes))
        for request in self._waiting:
            yield Reply(request, (NOT_CONTROLLER,))
        self._waiting.clear()
        self._pending.clear()
        self._request_of.clear()
