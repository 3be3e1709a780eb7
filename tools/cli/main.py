"""The `klamm` command: a group whose commands are imported only when they run.

`klamm --version` and `klamm --help` stay fast because of that; each command's module exposes
one click command named `command`, and its first docstring line is the help shown here.
"""

import gc
from importlib import import_module
from importlib.metadata import version

import click

COMMANDS = {
    "broker": "Freeze, slow, kill, stop, return simulated brokers, or see how they are.",
    "brokers": "Run simulated brokers that join a ZooKeeper, until Ctrl-C.",
    "chaos": "Break a cluster of processes at random, and judge what it has done.",
    "demo": "Show klamm at work: hundreds of moves, live, and what may go wrong.",
    "explain": "Tell why moves have not ended, and what to do.",
    "lab": "Break controllers on purpose; repeat, shrink and read what happened.",
    "pipeline": "Work through histories and simulations on Spark.",
    "plan": "Make plans with as few moves as racks, sizes and leaders allow.",
    "reassign": "Move partitions: kafka-reassign-partitions with more to it.",
    "reassign-partitions": "The same by its long name.",
    "rehearse": "Carry out a plan on a snapshot of a cluster, in the lab.",
    "serve": "Join a ZooKeeper as a controller node until Ctrl-C.",
    "snapshot": "Take a snapshot of a cluster: brokers, partitions, sizes.",
    "topics": "List, describe, create, grow and delete topics, as kafka-topics does.",
    "up": "Start ZooKeeper, controller nodes and simulated brokers until Ctrl-C.",
    "users": "Set, delete and list what users log in with by SCRAM, in ZooKeeper.",
    "zookeeper": "Start only the embedded ZooKeeper until Ctrl-C.",
}

#: Commands by other names, and whose module they have.
ALIASES = {"reassign-partitions": "reassign"}


class LazyGroup(click.Group):
    """Lists commands from the table above and imports `klamm.tools.cli.<name>` on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command, without importing one."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of this name; None makes click say that there is none."""
        if cmd_name not in COMMANDS:
            return None
        # What is imported stays: collecting while it comes in, and looking at it ever after, is
        # time for nothing.
        module = ALIASES.get(cmd_name, cmd_name)
        gc.disable()
        command: click.Command = import_module(f"klamm.tools.cli.{module}").command
        gc.freeze()
        gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the commands with the texts of the table."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Read the installed version only when it is asked for."""
    if wanted:
        click.echo(f"klamm {version('klamm')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """A Kafka controller for replica reassignment that stock admin clients can be pointed at."""
