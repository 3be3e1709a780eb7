"""`klamm demo`: a cluster grows by two brokers, and unmodified kafka-python moves replicas there.

Everything told was asked for over the wire or read from ZooKeeper; the only look behind the
scenes is at the simulated brokers' disks, for the bytes of the progress view.
"""

import logging
import signal
import sys
import time
from importlib.util import find_spec

import click
from rich.console import Console

from klamm.tools.cli._cluster import FAULTS, ClusterOptions, LocalCluster
from klamm.tools.cli._moves import BROKERS, topics
from klamm.tools.cli._running import set_up_logging
from klamm.tools.cli._sizes import MIB
from klamm.tools.cli._stage import Stage
from klamm.tools.cli._story import DemoError, Story
from klamm.tools.cli._zookeepers import MEMORY

#: Bytes per second that a broker copies: two new ones take about 15 s for 300 partitions.
_BANDWIDTH = 40.0 * MIB


@click.command()
@click.option(
    "--memory",
    is_flag=True,
    help="Everything in one process: no Java, and no controller to kill.",
)
@click.option(
    "--partitions",
    type=click.IntRange(20, 5000),
    default=300,
    show_default=True,
    help="How many partitions are moved.",
)
def command(memory: bool, partitions: int) -> None:
    """Show klamm at work: hundreds of moves, live, and what may go wrong."""
    if find_spec("kafka") is None:
        raise click.ClickException(
            "the demo drives klamm with kafka-python, which is not installed: "
            "pip install kafka-python"
        )
    set_up_logging()
    # What its client meets reaches the story as an exception; the log would only tell it again.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    # The story says itself who leaves office.
    logging.getLogger("klamm").setLevel(logging.ERROR)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(highlight=False)
    stage = Stage(console)
    options = ClusterOptions(
        BROKERS,
        zookeeper=MEMORY if memory else None,
        bandwidth=_BANDWIDTH,
        nodes=1 if memory else 2,
        processes=True,
        racks=3,
        topics=topics(partitions),
        properties={"zookeeper.session.timeout.ms": "3000"},
    )
    started = time.monotonic()
    try:
        what = "a cluster in memory" if memory else "ZooKeeper, two controllers and six brokers"
        console.print(f"[dim]starting {what} ...[/]")
        with LocalCluster(options, stage.note) as local:
            ready = time.monotonic()
            Story(stage, local, partitions).tell()
            told = time.monotonic()
    except (DemoError, *FAULTS) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        console.print("stopped; nothing is left behind")
        raise click.exceptions.Exit(130) from None
    console.print(
        f"\n{told - ready:.1f} s of demo, after {ready - started:.1f} s to start it all. All of"
        " it is gone.\n"
        "A cluster of your own, until Ctrl-C: [bold]python3 tools/dev.py up[/]"
        " (or [bold]klamm up[/] where klamm is installed)",
        soft_wrap=True,
    )
