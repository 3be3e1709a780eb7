"""`klamm broker`: orders to simulated brokers that run in another process."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from klamm.tools.brokers.control_client import Control, ControlError, control_address
from klamm.tools.brokers.control_server import ACTIONS
from klamm.tools.cli._ids import parse_ids
from klamm.tools.cli._sizes import format_bytes, parse_bytes

#: Columns enough for the table when there is no terminal to fit it into.
_WIDE = 200


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


@click.command(epilog="Actions: " + ", ".join(ACTIONS) + ".")
@click.argument("action", type=click.Choice(list(ACTIONS)))
@click.argument("brokers", nargs=-1, metavar="[ID...]", callback=_read_brokers)
@click.option("--control", metavar="HOST:PORT", help="Where the brokers take orders.")
@click.option(
    "--ready-file",
    type=click.Path(path_type=Path),
    help="The ready file of `klamm up` or `klamm brokers`, instead of --control.",
)
@click.option("--rate", metavar="SIZE", callback=_read_rate, help="lag, produce: bytes per second.")
@click.option("--seconds", type=float, help="lag: the pause before each second of fetching.")
@click.option("--directory", help="fail-dir: the log directory to break.")
@click.option("--topic", help="produce: the partition's topic.")
@click.option("--partition", type=int, help="produce: the partition.")
@click.option(
    "--end-session", is_flag=True, default=None, help="kill: the registration goes at once too."
)
def command(
    action: str,
    brokers: tuple[int, ...],
    control: str | None,
    ready_file: Path | None,
    **fields: object,
) -> None:
    """Freeze, slow, kill, stop, return simulated brokers, or see how they are.

    \b
    klamm broker status --ready-file ready.json
    klamm broker freeze 3 --control 127.0.0.1:4711
    klamm broker lag 1-2 --rate 100KiB --control 127.0.0.1:4711
    """
    takes_brokers = "broker" in ACTIONS[action].__struct_fields__
    if takes_brokers and not brokers:
        raise click.UsageError(f"{action} needs the ids of brokers")
    if brokers and action == "produce":
        raise click.UsageError("produce takes no brokers: every partition has its leader")
    if (control is None) == (ready_file is None):
        raise click.UsageError("give either --control or --ready-file")
    try:
        address = control_address(ready_file) if ready_file is not None else control or ""
        with Control(address) as connection:
            if takes_brokers:
                _order_each(connection, action, brokers, fields)
            else:
                answer = connection.order(action, **fields)
                if action == "status":
                    _show(answer["brokers"], brokers)
    except ControlError as error:
        raise click.ClickException(str(error)) from error


def _order_each(
    connection: Control, action: str, brokers: Sequence[int], fields: Mapping[str, object]
) -> None:
    for broker in brokers:
        answer = connection.order(action, broker=broker, **fields)
        if answer.get("controlled") is False:
            click.echo(f"broker {broker} has ended without the controller's leave")
        else:
            click.echo(f"broker {broker}: {action} done")


def _show(found: Sequence[Mapping[str, Any]], wanted: Sequence[int]) -> None:
    """Print a table of brokers, and one of the replicas that are being added to them."""
    shown = [broker for broker in found if not wanted or broker["id"] in wanted]
    table = Table(box=None, pad_edge=False)
    for title in ("broker", "state", "leads", "in sync", "out", "data", "fetches/s"):
        table.add_column(title, justify="left" if title == "state" else "right")
    for title in ("serves/s", "leader throttle", "follower throttle"):
        table.add_column(title, justify="right")
    for broker in shown:
        roles, throttles = broker["roles"], broker["throttles"]
        table.add_row(
            str(broker["id"]),
            _state(broker),
            *(str(roles[role]) for role in ("leads", "in_sync", "out_of_sync")),
            format_bytes(broker["bytes"]),
            format_bytes(broker["fetch_rate"]),
            format_bytes(broker["serve_rate"]),
            _throttle(throttles["leader_rate"], throttles["leader_partitions"]),
            _throttle(throttles["follower_rate"], throttles["follower_partitions"]),
        )
    console = Console()
    if not console.is_terminal:
        console.width = _WIDE  # no line of a pipe is too long
    console.print(table)
    copies = [(broker["id"], copying) for broker in shown for copying in broker["adding"]]
    for id_, copying in copies:
        done, total = copying["done"], copying["total"]
        percent = 100 * done / total if total else 100.0
        console.print(
            f"  broker {id_} copies {copying['topic']}-{copying['partition']} from"
            f" {copying['leader']}: {format_bytes(done)} of {format_bytes(total)}"
            f" ({percent:.0f} %)",
            highlight=False,
        )


def _state(broker: Mapping[str, Any]) -> str:
    if not broker["running"]:
        return "down"
    states = ["frozen"] if broker["frozen"] else []
    if broker["fetch_limit"] is not None:
        states.append(f"lags at {format_bytes(broker['fetch_limit'])}/s")
    if broker["pause"] is not None:
        states.append(f"pauses {broker['pause']:g} s")
    broken = sorted(name for name, works in broker["log_dirs"].items() if not works)
    if broken:
        states.append(f"lost {', '.join(broken)}")
    return "; ".join(states) or "up"


def _throttle(rate: float | None, partitions: int) -> str:
    if rate is None and not partitions:
        return "-"
    limit = "no rate" if rate is None else f"{format_bytes(rate)}/s"
    return f"{limit} on {partitions}"
