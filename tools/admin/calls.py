"""Calls in the background: each is a task on one trio thread and settles futures."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import trio

from klamm.protocol.error_codes import ErrorCode
from klamm.tools.admin.errors import AdminError, ClosedError, error_of
from klamm.tools.admin.results import Results
from klamm.tools.admin.routing import Router, Session
from klamm.tools.threads import TrioThread

K = TypeVar("K")
V = TypeVar("V")

#: Does a call, or a part of one.
Operation = Callable[[Session], Awaitable[V]]
#: What a part of a call is about, and what gives the outcome of each.
Part = tuple[Collection[K], Operation[Mapping[K, V | AdminError]]]


class Calls:
    """Runs calls until it is closed; then those without an outcome fail with ClosedError.

    Timeouts are in milliseconds, None for the one of the client's options.
    """

    def __init__(self, router: Router, api_timeout_ms: int, request_timeout_ms: int) -> None:
        self._router = router
        self._api_timeout_ms = api_timeout_ms
        self._request_timeout_ms = request_timeout_ms
        self._lock = threading.Lock()
        self._is_open = True
        self._unsettled: set[Future[Any]] = set()
        # A program that forgets to close its client ends all the same, as with Kafka's own.
        self._thread = TrioThread("klamm-admin", self._main, daemon=True)
        self._thread.__enter__()
        atexit.register(self.close)

    def one(self, operation: Operation[V], timeout_ms: int | None) -> Future[V]:
        """Start a call with one outcome; raises ClosedError."""
        future: Future[V] = Future()

        async def call() -> None:
            try:
                value = await operation(self._session(timeout_ms))
            except Exception as error:  # whatever it is, it belongs to who waits
                future.set_exception(error)
            else:
                future.set_result(value)

        self._start([future], call)
        return future

    def each(
        self, keys: Iterable[K], parts: Iterable[Part[K, V]], timeout_ms: int | None
    ) -> Results[K, V]:
        """Start a call with an outcome for each key, in parts that go on side by side.

        Raises ClosedError. Each key belongs to one part; for none nothing is sent.
        """
        futures: dict[K, Future[V]] = {key: Future() for key in keys}
        for part, operation in parts:
            if settled := {key: futures[key] for key in part}:
                self._start(settled.values(), self._settling(settled, operation, timeout_ms))
        return Results(futures)

    def close(self) -> None:
        """End all that goes on; returns when the thread and its connections are gone.

        Raises RuntimeError in a callback of a future, which runs on that very thread.
        """
        if self._thread.is_current:
            raise RuntimeError(
                "a callback of a future cannot close its client; let another thread do it"
            )
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
        atexit.unregister(self.close)
        try:
            self._thread.__exit__(None, None, None)
        finally:
            for future in tuple(self._unsettled):
                future.set_exception(
                    ClosedError("the client was closed before there was an answer")
                )

    def _settling(
        self,
        futures: Mapping[K, Future[V]],
        operation: Operation[Mapping[K, V | AdminError]],
        timeout_ms: int | None,
    ) -> Callable[[], Awaitable[None]]:
        async def call() -> None:
            try:
                outcomes = await operation(self._session(timeout_ms))
            except Exception as error:  # whatever it is, it belongs to who waits
                for future in futures.values():
                    future.set_exception(error)
                return
            for key, future in futures.items():
                if key not in outcomes:
                    text = f"the response says nothing of {key}"
                    future.set_exception(error_of(ErrorCode.UNKNOWN_SERVER_ERROR, text))
                elif isinstance(outcome := outcomes[key], AdminError):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome)

        return call

    def _start(self, futures: Collection[Future[V]], call: Callable[[], Awaitable[None]]) -> None:
        with self._lock:
            if not self._is_open:
                raise ClosedError("the client is closed")
            for future in futures:
                future.set_running_or_notify_cancel()
                self._unsettled.add(future)
                future.add_done_callback(self._unsettled.discard)
            # Soon, not now: a callback of a future may start a call from the very thread.
            self._token.run_sync_soon(self._nursery.start_soon, call)

    def _session(self, timeout_ms: int | None) -> Session:
        milliseconds = self._api_timeout_ms if timeout_ms is None else timeout_ms
        return Session(self._router, milliseconds, self._request_timeout_ms)

    async def _main(self, ready: Callable[[], None]) -> None:
        self._token = trio.lowlevel.current_trio_token()
        try:
            async with trio.open_nursery() as self._nursery:
                ready()
                await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await self._router.close()
