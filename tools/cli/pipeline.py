"""`klamm pipeline`: a group whose jobs are imported only when they run."""

from importlib import import_module

import click

JOBS = {
    "ingest": "Take in journals, logs, dumps and texts, as canonical tables.",
    "moves": "Tell of each move its phases, causes and what went wrong.",
    "check": "Judge a history: one verdict per partition, with the evidence.",
    "montecarlo": "Carry out plans under faults, by many seeds.",
    "sweep": "Look for bugs over scopes, variants and seeds.",
    "drift": "Tell how a cluster grows, and when it will need a move.",
    "compare": "Tell where two histories, or two sets of runs, differ.",
    "plan": "Solve a large plan in groups.",
    "replay": "Rebuild every topic znode from journals.",
    "samples": "Write snapshots, loads and histories with known faults.",
    "pack": "Make the archive that executors need.",
}


class _Jobs(click.Group):
    """Lists jobs from the table above and imports `klamm.tools.cli._pipeline_<name>` on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every job, without importing one."""
        return list(JOBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the job of this name; None makes click say that there is none."""
        if cmd_name not in JOBS:
            return None
        command: click.Command = import_module(f"klamm.tools.cli._pipeline_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the jobs with the texts of the table."""
        with formatter.section("Jobs"):
            formatter.write_dl(list(JOBS.items()))


@click.group(cls=_Jobs)
def command() -> None:
    """Work through histories and simulations on Spark, from a laptop to a cluster.

    Exit code 0 if all was well, 1 if something is wrong, 2 for what cannot be asked for.
    """
