"""What commands that run until Ctrl-C have in common: signals, log lines, ready files, faults."""

import contextlib
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path

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


def check_folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """Refuse a ready file that cannot come to be, before anything is started."""
    if value is not None:
        folder = value.absolute().parent
        if not folder.is_dir():
            raise click.BadParameter(f"there is no folder {folder}", ctx, param)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise click.BadParameter(f"the folder {folder} cannot be written to", ctx, param)
    return value


ready_file_option = click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_folder,
    help="Write addresses as JSON here once all is up; removed at the end.",
)


@contextlib.contextmanager
def announced(ready_file: Path | None, description: Mapping[str, object]) -> Iterator[None]:
    """Keep the ready file there while the block runs; it appears whole or not at all."""
    if ready_file is None:
        yield
        return
    draft = ready_file.with_name(f".{ready_file.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps(description, indent=2) + "\n")
        draft.replace(ready_file)
        yield
    finally:
        draft.unlink(missing_ok=True)
        ready_file.unlink(missing_ok=True)
