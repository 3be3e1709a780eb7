"""An async function on a trio thread of its own, for callers that block."""

import contextlib
import threading
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

import trio

T = TypeVar("T")


class TrioThread:
    """A context manager that runs `main` on another thread, and cancels it at the end.

    `main` is given what it must call once it is ready; the block is entered then. What ends it
    before is raised by entering, what ends it later by leaving. The interpreter does not wait for
    the end of a `daemon`: whoever has one must leave it before.
    """

    def __init__(
        self,
        name: str,
        main: Callable[[Callable[[], None]], Awaitable[None]],
        *,
        daemon: bool = False,
    ) -> None:
        self._main = main
        self._thread = threading.Thread(target=self._run, name=name, daemon=daemon)
        self._entered = threading.Event()
        self._ready_or_ended = threading.Event()
        self._is_ready = False
        self._fault: BaseException | None = None
        self._scope = trio.CancelScope()

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._ready_or_ended.wait()
        except BaseException:  # Ctrl-C while it starts
            self._stop()
            raise
        if not self._is_ready:
            self._thread.join()
            assert self._fault is not None
            raise self._fault
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()
        if self._fault is not None:
            raise self._fault from error

    @property
    def ended(self) -> bool:
        """Tell whether it has ended by itself."""
        return not self._thread.is_alive()

    @property
    def is_current(self) -> bool:
        """Tell whether it is the thread that asks, which cannot wait for its own end."""
        return self._thread is threading.current_thread()

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """Run a function on the thread and return its result."""
        return trio.from_thread.run_sync(function, *arguments, trio_token=self._token)

    def run(self, function: Callable[..., Awaitable[T]], *arguments: object) -> T:
        """Run an async function on the thread and return its result."""
        return trio.from_thread.run(function, *arguments, trio_token=self._token)

    def _run(self) -> None:
        try:
            trio.run(self._cancellable)
        except BaseException as fault:  # carried over to the caller's thread
            self._fault = fault
        finally:
            self._ready_or_ended.set()

    async def _cancellable(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._entered.set()
        with self._scope:
            await self._main(self._ready)

    def _ready(self) -> None:
        self._is_ready = True
        self._ready_or_ended.set()

    def _stop(self) -> None:
        if self.ended:  # by itself; or this is a fork of the process that it was started in
            return
        self._entered.wait()
        with contextlib.suppress(trio.RunFinishedError):  # it has ended by itself
            self.call(self._scope.cancel)
        self._thread.join()
