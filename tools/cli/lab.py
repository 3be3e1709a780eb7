"""`klamm lab`: the real controller in a world where everything fails, and every failure repeats."""

import click

from klamm.tools.cli._crash_points import crash_points
from klamm.tools.cli._exhibits import exhibits
from klamm.tools.cli._explore import explore
from klamm.tools.cli._lists import list_
from klamm.tools.cli._matrix import matrix
from klamm.tools.cli._scripts import replay, shrink_
from klamm.tools.cli._seeds import run_


@click.group()
def command() -> None:
    """Break controllers on purpose, and repeat, shrink and read what happened.

    \b
      klamm lab exhibit E1                  one of fourteen failover stories, told
      klamm lab run --seconds 60            try seeds, stop at the first one that fails
      klamm lab replay 17                   show what happened in a run
      klamm lab shrink 17 --to found.txt    leave out what it does not need
      klamm lab list                        scopes, faults, invariants, exhibits, variants
    """


for each in (run_, replay, shrink_, list_, exhibits, matrix, explore, crash_points):
    command.add_command(each)
