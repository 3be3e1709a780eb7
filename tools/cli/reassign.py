"""`klamm reassign`, `klamm reassign-partitions`: kafka-reassign-partitions, option for option."""

import sys

import click

from klamm.tools.reassign.run import main


class RawCommand(click.Command):
    """Leaves every word of its command line as it is: they are read as Kafka's tool reads them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words for the command itself, `--help` and `--` too."""
        ctx.args = [*args]
        return []


@click.command(cls=RawCommand, add_help_option=False)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Move partitions: kafka-reassign-partitions with more to it."""
    ctx.exit(main(ctx.args, sys.stdout, sys.stderr))
