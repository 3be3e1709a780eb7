"""The options of simulated brokers, for every command that starts some."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from klamm.tools.cli._ids import read_ids
from klamm.tools.cli._sizes import byte_count

F = TypeVar("F", bound=Callable[..., Any])


def broker_options(bandwidth: str) -> Callable[[F], F]:
    """Add --racks, --frozen and what brokers hold and copy; `bandwidth` is the default of that."""
    options = (
        click.option(
            "--racks",
            type=click.IntRange(1, 1000),
            metavar="NUMBER",
            help="Deal brokers, and nodes if there are any, out to so many racks: r0, r1, ...",
        ),
        click.option(
            "--frozen",
            default="",
            metavar="IDS",
            callback=read_ids,
            help="Brokers that live but never catch up: 3 or 1,2 or 0-4.",
        ),
        click.option(
            "--partition-bytes",
            metavar="SIZE",
            callback=byte_count(),
            default="10MiB",
            show_default=True,
            help="How much data each new partition holds.",
        ),
        click.option(
            "--produce-rate",
            metavar="SIZE",
            callback=byte_count(),
            default="0",
            show_default=True,
            help="How much data producers add to each partition per second.",
        ),
        click.option(
            "--bandwidth",
            metavar="SIZE",
            callback=byte_count(least=1),
            default=bandwidth,
            show_default=True,
            help="How much data a broker can fetch, and serve, per second.",
        ),
    )

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def log_directories(count: int) -> tuple[str, ...]:
    """Name so many log directories."""
    return tuple(f"/data{number}" for number in range(count))


log_dirs_option = click.option(
    "--log-dirs",
    type=click.IntRange(1, 100),
    help="How many log directories each broker has: /data0, /data1, ...",
)
