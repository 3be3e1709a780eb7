"""`klamm lab`: the real controller in a world where everything fails, and every failure repeats."""

from typing import Any

import click

from klamm.tools.cli import _worlds
from klamm.tools.cli._crash_points import crash_points
from klamm.tools.cli._evidence import evidence
from klamm.tools.cli._exhibits import exhibits
from klamm.tools.cli._explore import explore
from klamm.tools.cli._lab_journal import journal
from klamm.tools.cli._lists import list_
from klamm.tools.cli._matrix import matrix
from klamm.tools.cli._scripts import replay, shrink_
from klamm.tools.cli._seeds import run_


class _Group(click.Group):
    """Commands of which each ends with the same exit code on Ctrl-C, whatever it was doing."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Carry out a command; one that has nothing to tell of what it has done ends here."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("stopped by Ctrl-C before there was a result", err=True)
            raise SystemExit(_worlds.INTERRUPTED) from None


@click.group(cls=_Group)
def command() -> None:
    """Break controllers on purpose, and repeat, shrink and read what happened.

    Exit code 0 if all was well, 1 if something is wrong, 2 for what cannot be asked for, and 130
    after Ctrl-C, with what was done until then; `explore` has 3 as well.

    \b
      klamm lab exhibit E1                  one of sixteen failover stories, told
      klamm lab run --seconds 60            try seeds, stop at the first one that fails
      klamm lab replay 17                   show what happened in a run
      klamm lab shrink 17 --to found.txt    leave out what it does not need
      klamm lab evidence                    measure ways to carry a plan out
      klamm lab journal 17 --to DIR         write what a run leaves behind, for `klamm pipeline`
      klamm lab list                        scopes, faults, invariants, exhibits, variants
    """


for each in (
    run_, replay, shrink_, list_, exhibits, matrix, explore, crash_points, evidence, journal,
):  # fmt: skip
    command.add_command(each)
