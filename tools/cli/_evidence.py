"""`klamm lab evidence`: what ways to carry a plan out cost, measured on the real controller."""

import json
import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

from klamm.controller.core.pace import UNLIMITED, Limits
from klamm.tools.admin import TopicPartition
from klamm.tools.lab.evidence.incidents import Incident
from klamm.tools.lab.evidence.policies import BATCH, LIMITS, Policy, policies
from klamm.tools.lab.evidence.port import Begun, Port
from klamm.tools.lab.evidence.reading import sentences
from klamm.tools.lab.evidence.runs import BrokenError, Run, carry_out
from klamm.tools.lab.evidence.site import Site, Targets
from klamm.tools.lab.evidence.table import (
    MEANINGS,
    as_json,
    by_incident,
    cells,
    headings,
    lines,
    story,
)
from klamm.tools.reassign.pacing import Order, PacedRunError, Pacing, arranged, submit_paced
from klamm.tools.reassign.state import PartitionState

#: How an incident is called on the command line.
_INCIDENTS = {incident.name.lower(): incident for incident in Incident}
#: What takes less than a minute together.
_USUAL = (Incident.NONE, Incident.NEW, Incident.CANCEL)


def submit(targets: Targets, policy: Policy, port: Port, begun: Begun) -> None:
    """Carry a plan out as `klamm reassign --execute` does, by its own pacing, on another clock."""
    pacing = Pacing(policy.batch, policy.incremental)

    def read(group: Targets) -> dict[TopicPartition, PartitionState]:
        return {
            name: PartitionState(name, group[name], look.replicas, look.isr, look.moving)
            for name, look in port.look(group).items()
        }

    try:
        submit_paced(
            arranged(targets, Order.SORTED),
            pacing,
            submit=port.submit,
            read=read,
            patience=pacing.patience(port),
            in_flight=begun.in_flight,
            complete=begun.complete,
        )
    except PacedRunError as ended:
        assert ended.__cause__ is not None, "a run ends early for a reason"
        raise ended.__cause__ from None


def _limits(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> tuple[Limits, ...]:
    return tuple(_limits_of(ctx, param, value) for value in values) or LIMITS


def _limits_of(ctx: click.Context, param: click.Parameter, value: str) -> Limits:
    parts = [UNLIMITED if part.upper() == "INF" else part for part in value.split("/")]
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or not all(1 <= number <= UNLIMITED for number in numbers):
        text = f"{value!r} is not three numbers from 1 on, or INF, such as 1/10/5"
        raise click.BadParameter(text, ctx, param)
    limits = Limits(*numbers)
    if limits.none:
        raise click.BadParameter(f"{value!r} limits nothing: that is all at once", ctx, param)
    return limits


@click.command("evidence", short_help="Measure ways to carry a plan out.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which topics are busy.")
@click.option(
    "--incident",
    "names",
    type=click.Choice([*_INCIDENTS]),
    multiple=True,
    help="What happens in the middle; may be given again. Without it all but old.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=BATCH,
    show_default=True,
    help="--reassignment-batch-size of the tool.",
)
@click.option(
    "--limits",
    metavar="R/P/L",
    multiple=True,
    callback=_limits,
    help="Limits of replicas, partitions and leaders, in place of klamm's three; may be given"
    " again.",
)
@click.option("--json", "as_object", is_flag=True, help="Print one object, with all numbers.")
def evidence(
    seed: int, names: tuple[str, ...], batch: int, limits: tuple[Limits, ...], as_object: bool
) -> None:
    """Measure what it costs a cluster to carry out one plan in several ways.

    All replicas of 96 partitions move to new brokers: all at once, in portions by the tool
    (KIP-1335), and in steps by the controller (KIP-435). Controller, tool and brokers are the real
    ones of the lab, on a clock of its own, with bandwidth that replication and copies share. The
    same seed gives the same table. In the middle nothing happens, or one of the new brokers (old:
    of the old ones) is away for three minutes, or an operator cancels everything and goes on a
    minute later.
    """
    site, ways = Site(seed), policies(batch, limits)
    incidents = [_INCIDENTS[name] for name in dict.fromkeys(names)] or [*_USUAL]
    todo = [(incident, policy) for incident in incidents for policy in ways]
    runs: list[Run] = []
    for number, (incident, policy) in enumerate(todo, 1):
        click.echo(f"{number} of {len(todo)}: {incident.value}, {policy.name}", err=True)
        try:
            runs.append(carry_out(site, policy, incident, submit))
        except BrokenError as error:
            raise click.ClickException(f"{incident.value}, {policy.name}: {error}") from error
    read = sentences(runs)
    if as_object:
        click.echo(json.dumps(as_json(site, runs, read), indent=2))
    else:
        _show(site, ways, runs, read)


def _show(site: Site, ways: Sequence[Policy], runs: Sequence[Run], read: Sequence[str]) -> None:
    if sys.stdout.isatty():
        console = Console()
        console.print(story(site, ways), "\n", highlight=False)
        for incident, group in by_incident(runs).items():
            console.print(_table(incident, group))
        for line in (*MEANINGS, "", *read):
            console.print(line, highlight=False)
        return
    click.echo(f"{story(site, ways)}\n")
    for line in (*lines(runs), *MEANINGS, "", *read):
        click.echo(line)


def _table(incident: Incident, runs: Sequence[Run]) -> Table:
    table = Table(title=incident.value, title_justify="left", box=None)
    for at, heading in enumerate(headings()):
        table.add_column(heading, justify="left" if not at else "right", no_wrap=True)
    for run in runs:
        table.add_row(*cells(run))
    return table
