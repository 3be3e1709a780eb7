"""What commands that run until Ctrl-C have in common: signals, log lines, ready files, faults."""

import contextlib
import fcntl
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

import click
import trio


def set_up_logging() -> None:
    """Let klamm's log lines say where they come from, for a process that is a command.

    kazoo warns at each try to reach a ZooKeeper that is away, through the store's logger too;
    klamm says that once, by itself.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    for name in ("kazoo", "klamm.controller.store.zookeeper"):
        logging.getLogger(name).setLevel(logging.ERROR)


async def until_signal(work: Callable[[], Awaitable[None]]) -> None:
    """Run until a signal comes; whatever signals follow cannot cut the end short."""
    endings = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as it is under nohup
        endings.append(signal.SIGHUP)
    with trio.open_signal_receiver(*endings) as signals:
        async with trio.open_nursery() as nursery:
            running = trio.CancelScope()
            nursery.start_soon(_cancel_on_signals, signals, running)
            with running:
                await work()
            nursery.cancel_scope.cancel()


async def _cancel_on_signals(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()


def find_fault(
    fault: BaseException, kinds: tuple[type[BaseException], ...]
) -> BaseException | None:
    """Return the first fault of these kinds in a group of groups."""
    if isinstance(fault, kinds):
        return fault
    if isinstance(fault, BaseExceptionGroup):
        found = (find_fault(inner, kinds) for inner in fault.exceptions)
        return next((inner for inner in found if inner is not None), None)
    return None


@contextlib.contextmanager
def plain_faults(*kinds: type[BaseException]) -> Iterator[None]:
    """Raise a fault of these kinds as it is, out of the groups that nurseries make."""
    try:
        yield
    except BaseExceptionGroup as group:
        cause = find_fault(group, kinds)
        if cause is None:
            raise
        # What else broke, broke because of it, and stays as its context.
        raise cause from cause.__cause__


class ReadyFileError(Exception):
    """The ready file belongs to somebody else; the text says to whom, and the way out."""


def _check_ready_file(
    ctx: click.Context, param: click.Parameter, value: Path | None
) -> Path | None:
    """Refuse a ready file that cannot come to be, before anything is started."""
    if value is not None:
        folder = value.absolute().parent
        if not folder.is_dir():
            raise click.BadParameter(f"there is no folder {folder}", ctx, param)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise click.BadParameter(f"the folder {folder} cannot be written to", ctx, param)
        try:
            _remove_stale(value)
        except ReadyFileError as error:
            raise click.BadParameter(str(error), ctx, param) from error
    return value


ready_file_option = click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_check_ready_file,
    help="Write addresses as JSON here once all is up; removed at the end.",
)


@contextlib.contextmanager
def announced(ready_file: Path | None, description: Mapping[str, object]) -> Iterator[None]:
    """Keep the ready file there while the block runs; it appears whole or not at all.

    It is locked as long as its writer lives, so that a later one can tell whether it is stale.
    Raises ReadyFileError if there is one that is not, or if it cannot be written. Whatever else is
    there by that name at the end stays.
    """
    if ready_file is None:
        yield
        return
    draft = ready_file.with_name(f".{ready_file.name}.{os.getpid()}")
    with draft.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(description, indent=2) + "\n")
            file.flush()
            _remove_stale(ready_file)
            ready_file.hardlink_to(draft)  # unlike a rename it fails if the name is taken
        except OSError as error:
            raise ReadyFileError(f"{ready_file} cannot be written: {error.strerror}") from error
        finally:
            draft.unlink(missing_ok=True)
        try:
            yield
        finally:
            _unlink_own(ready_file, file)


def _remove_stale(ready_file: Path) -> None:
    """Remove a ready file that outlived its writer; raises ReadyFileError if that is not so."""
    try:
        file = ready_file.open()
    except FileNotFoundError:
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ReadyFileError(
                f"{ready_file} belongs to a klamm that runs; end that one, or name another file"
            ) from error
        try:
            text = file.read()
            stale = not text or "bootstrap" in json.loads(text)  # empty as by mktemp
        except (ValueError, TypeError):
            stale = False
        if not stale:
            raise ReadyFileError(f"{ready_file} is there and no ready file; name another one")
        _unlink_own(ready_file, file)


def _unlink_own(path: Path, file: TextIO) -> None:
    """Remove a path if it still leads to this open file."""
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(path.stat(), os.fstat(file.fileno())):
            path.unlink()
