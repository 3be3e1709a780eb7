"""`klamm lab list`: what the lab has by name."""

from textwrap import fill

import click

from klamm.tools.lab import registry
from klamm.tools.lab.apache import VARIANT as APACHE
from klamm.tools.lab.explore.scopes import SMALL
from klamm.tools.lab.faults import FAULTS
from klamm.tools.lab.invariants import INVARIANTS, rule
from klamm.tools.lab.liveness import strays
from klamm.tools.lab.rogue import RECIPES
from klamm.tools.lab.scopes import SCOPES
from klamm.tools.lab.studies import STUDIES
from klamm.tools.lab.variant import OWN_SCRIPT

_WIDTH = 100
_INDENT = " " * 6


@click.command("list", short_help="Name what there is.")
def list_() -> None:
    """List scopes, faults, tools, invariants, exhibits and variants."""
    try:
        exhibits = [registry.exhibit(id_) for id_ in registry.exhibit_ids()]
        variants = [registry.variant(id_) for id_ in (*registry.variant_ids(), APACHE.id)]
    except registry.BrokenModuleError as error:
        raise click.ClickException(str(error)) from error
    for title, scopes in (
        ("Scopes: `klamm lab run` takes these in turn", SCOPES),
        ("Scopes about one kind of trouble: `klamm lab run --scope NAME`", STUDIES),
        ("Scopes of which all runs are tried: `klamm lab explore --scope NAME`", SMALL),
    ):
        _table(title, {scope.name: scope.story for scope in scopes.values()})
    _table(
        "Faults, of which each scope has some", {fault.id: fault.story for fault in FAULTS.values()}
    )
    tools = {each.id: f"{each.name}: {each.story}" for each in RECIPES.values()}
    _table("Rogue tools, where a scope has the fault `tool`", tools)
    invariants = {id_: rule(id_) for id_ in INVARIANTS}
    _table("Invariants, after each step", invariants)
    _table("At rest, when all has healed", {"I10": _first_line(strays.__doc__)})
    _table("Exhibits: `klamm lab exhibit ID`", {each.id: each.title for each in exhibits})
    click.secho("Variants: `klamm lab matrix ID`, or `klamm lab run --variant ID`", bold=True)
    for each in variants:
        where = "its own script" if each.exposed_by == OWN_SCRIPT else each.exposed_by
        click.echo(f"  {each.id}, seen in {where}; {each.reference}")
        click.echo(fill(each.story, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT))


def _first_line(text: str | None) -> str:
    line = (text or "").strip().partition("\n")[0]
    return line.partition(": ")[2] or line


def _table(title: str, rows: dict[str, str]) -> None:
    click.secho(title, bold=True)
    width = max(map(len, rows), default=0)
    for id_, story in rows.items():
        click.echo(f"  {id_:{width}}  {story}".rstrip())
    click.echo("")
