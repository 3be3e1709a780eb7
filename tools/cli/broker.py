"""`klamm broker`: orders to simulated brokers that run in another process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from klamm.tools.brokers.control_client import Control, ControlError, control_address
from klamm.tools.cli._ids import parse_ids
from klamm.tools.cli._sizes import format_bytes, parse_bytes
from klamm.tools.cli._table import COLUMNS, lines

Command = TypeVar("Command", bound=Callable[..., None])


def _read_brokers(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[int, ...]:
    try:
        return parse_ids(",".join(value))
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _read_rate(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    try:
        return None if value is None else float(parse_bytes(value))
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _addressed(command: Command) -> Command:
    """Let a command say where the brokers are."""
    file = click.option(
        "--ready-file",
        type=click.Path(path_type=Path),
        help="The ready file of `klamm up` or `klamm brokers`, instead of --control.",
    )
    return click.option("--control", metavar="HOST:PORT", help="Where the brokers take orders.")(
        file(command)
    )


def _ids(command: Command) -> Command:
    """Let a command name the brokers that it is for."""
    return click.argument(
        "brokers", nargs=-1, required=True, metavar="ID...", callback=_read_brokers
    )(command)


@contextmanager
def _orders(control: str | None, ready_file: Path | None) -> Iterator[Control]:
    if (control is None) == (ready_file is None):
        raise click.UsageError("give either --control or --ready-file")
    try:
        address = control_address(ready_file) if ready_file is not None else control or ""
        with Control(address) as connection:
            yield connection
    except ControlError as error:
        raise click.ClickException(str(error)) from error


@click.group()
def command() -> None:
    """Freeze, slow, kill, stop, return simulated brokers, or see how they are.

    \b
    klamm broker status --ready-file ready.json
    klamm broker freeze 3 --control 127.0.0.1:4711
    klamm broker lag 1-2 --rate 100KiB --ready-file ready.json
    """


@command.command(
    short_help="[ID...]: show what they hold and copy, and what keeps them from it.",
    epilog="\b\nColumns\n" + "\n".join(f"  {name:<11}{text}" for name, text in COLUMNS.items()),
)
@click.argument("brokers", nargs=-1, metavar="[ID...]", callback=_read_brokers)
@_addressed
def status(brokers: tuple[int, ...], control: str | None, ready_file: Path | None) -> None:
    """Show what brokers hold, lead and copy, and what keeps them from it.

    Below the table is a line for each throttle, for each replica that a move adds, and for each
    other one that is out of sync.
    """
    with _orders(control, ready_file) as connection:
        found: list[dict[str, Any]] = connection.order("status")["brokers"]
    known = {broker["id"] for broker in found}
    if not known.issuperset(brokers):
        strangers = ", ".join(map(str, sorted({*brokers} - known)))
        raise click.ClickException(
            f"there is no broker {strangers} here; there are: {', '.join(map(str, sorted(known)))}"
        )
    shown = [broker for broker in found if not brokers or broker["id"] in brokers]
    for line in lines(shown):
        click.echo(line)


@command.command(short_help="ID...: live and lead, but copy nothing any more. Undo: thaw.")
@_ids
@_addressed
def freeze(brokers: tuple[int, ...], control: str | None, ready_file: Path | None) -> None:
    """Let brokers hang: they live, answer and lead, but copy nothing, until `thaw`."""
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            connection.order("freeze", broker=broker)
            click.echo(f"broker {broker}: freeze done")


@command.command(short_help="ID...: copy at full speed again, after freeze or lag.")
@_ids
@_addressed
def thaw(brokers: tuple[int, ...], control: str | None, ready_file: Path | None) -> None:
    """Let brokers copy at full speed again, after `freeze` or `lag`."""
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            connection.order("thaw", broker=broker)
            click.echo(f"broker {broker}: thaw done")


@command.command(short_help="ID... --rate SIZE | --seconds N: copy slowly. Undo: thaw.")
@_ids
@click.option("--rate", metavar="SIZE", callback=_read_rate, help="Copy so much per second.")
@click.option("--seconds", type=float, help="Pause so long before each second of copying.")
@_addressed
def lag(
    brokers: tuple[int, ...],
    rate: float | None,
    seconds: float | None,
    control: str | None,
    ready_file: Path | None,
) -> None:
    """Let brokers copy slowly: at a rate, or in bursts with pauses. `thaw` undoes it."""
    if (rate is None) == (seconds is None):
        raise click.UsageError("lag needs either --rate or --seconds")
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            connection.order("lag", broker=broker, rate=rate, seconds=seconds)
            click.echo(f"broker {broker}: lag done")


@command.command(short_help="ID...: end like kill -9, registered for a while. Undo: return.")
@_ids
@click.option("--end-session", is_flag=True, help="End the ZooKeeper session too, at once.")
@_addressed
def kill(
    brokers: tuple[int, ...], end_session: bool, control: str | None, ready_file: Path | None
) -> None:
    """End brokers at once, as kill -9 does; `return` starts them again.

    The controller learns of it when the ZooKeeper session ends. `stop` is the orderly way.
    """
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            answer = connection.order("kill", broker=broker, end_session=end_session)
            seconds = answer.get("session_seconds")
            stays = (
                "; its registration is gone"
                if seconds is None
                else "; its registration stays until its session ends,"
                f" {seconds:g} s (--end-session: at once)"
            )
            click.echo(f"broker {broker}: kill done{stays}")


@command.command(short_help="ID...: shut down in good order, leaders move first. Undo: return.")
@_ids
@_addressed
def stop(brokers: tuple[int, ...], control: str | None, ready_file: Path | None) -> None:
    """Shut brokers down in good order; `return` starts them again.

    They ask the controller first, which gives what they lead to others; without its leave they end
    after three tries. `kill` asks nobody.
    """
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            if connection.order("stop", broker=broker)["controlled"]:
                click.echo(f"broker {broker}: stop done")
            else:
                click.echo(f"broker {broker} has ended without the controller's leave")


@command.command("return", short_help="ID... [--new-disks]: start again, after kill or stop.")
@_ids
@click.option(
    "--new-disks", is_flag=True, help="Put new, empty disks in the place of those that failed."
)
@_addressed
def return_(
    brokers: tuple[int, ...], new_disks: bool, control: str | None, ready_file: Path | None
) -> None:
    """Start brokers again that were killed or stopped, on their old ports and disks.

    Returns when they are registered, which for a broker that was killed means when its former
    session has ended.
    """
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            connection.order("return", broker=broker, new_disks=new_disks)
            click.echo(f"broker {broker}: return done")


@command.command(short_help="ID... --directory D: lose a disk. Undo: kill, return --new-disks.")
@_ids
@click.option("--directory", required=True, help="The log directory to break, such as /data0.")
@_addressed
def fail_dir(
    brokers: tuple[int, ...], directory: str, control: str | None, ready_file: Path | None
) -> None:
    """Break a log directory of brokers: what is in it is gone for good.

    They go on without it; new replicas go to their other directories, if they have any. The way
    back is `kill` and then `return --new-disks`; without that option it is broken still.
    """
    with _orders(control, ready_file) as connection:
        for broker in brokers:
            connection.order("fail-dir", broker=broker, directory=directory)
            click.echo(
                f"broker {broker}: fail-dir done; back with a new disk:"
                f" kill {broker}, then return {broker} --new-disks"
            )


@command.command(short_help="--rate SIZE [--topic T --partition N]: write. Undo: --rate 0.")
@click.option(
    "--rate", required=True, metavar="SIZE", callback=_read_rate, help="Bytes per second; 0: none."
)
@click.option("--topic", help="The partition's topic.")
@click.option("--partition", type=click.IntRange(0), help="The partition.")
@_addressed
def produce(
    rate: float,
    topic: str | None,
    partition: int | None,
    control: str | None,
    ready_file: Path | None,
) -> None:
    """Let producers write to a partition, or to each that has no rate of its own.

    --rate 0 ends it.
    """
    if (topic is None) != (partition is None):
        raise click.UsageError("produce needs both --topic and --partition, or neither")
    with _orders(control, ready_file) as connection:
        connection.order("produce", rate=rate, topic=topic, partition=partition)
    where = "each partition without a rate of its own" if topic is None else f"{topic}-{partition}"
    click.echo(f"producers write {format_bytes(rate)}/s to {where}")
