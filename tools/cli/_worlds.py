"""What the lab's commands have in common: which world is meant, what was found, files to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from klamm.tools.lab import registry
from klamm.tools.lab.run import Finished, Opening
from klamm.tools.lab.studies import ALL_SCOPES

#: The exit code after Ctrl-C, as shells have it.
INTERRUPTED = 130

F = TypeVar("F", bound=Callable[..., Any])

variant_option = click.option(
    "--variant", metavar="ID", default="", help="Put a historical bug in, such as F33."
)


def scope_option(text: str) -> Callable[[F], F]:
    """Return the option that names a scope; `text` is its help, without where the names are."""
    names = click.Choice(list(ALL_SCOPES))
    help_ = f"{text} `klamm lab list` has their names."
    return click.option("--scope", type=names, metavar="NAME", help=help_)


def file_option(name: str, text: str) -> Callable[[F], F]:
    """Return an option that names a file to write; it is refused at once if it has no folder."""
    kind = click.Path(dir_okay=False, writable=True, path_type=Path)
    return click.option(name, type=kind, callback=_in_a_folder, help=text)


def _in_a_folder(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and not path.absolute().parent.is_dir():
        text = f"there is no folder {path.absolute().parent} to write {path.name} to"
        raise click.BadParameter(text, ctx, param)
    return path


def known(variant: str, hint: str = "--variant") -> str:
    """Return a variant's id as it is written; "" is the product. Refuse one that is not there."""
    if not variant:
        return ""
    try:
        return registry.variant(variant).id
    except registry.UnknownNameError as error:
        raise click.BadParameter(str(error), param_hint=hint) from error
    except registry.BrokenModuleError as error:
        raise click.ClickException(str(error)) from error


#: One world per process and kind, opened when the first seed needs it.
_OPENINGS: dict[tuple[str, str], Opening] = {}


def opening(scope: str, variant: str) -> Opening:
    """Return the world of a scope in its beginning."""
    found = _OPENINGS.get((scope, variant))
    if found is None:
        chosen = registry.variant(variant) if variant else None
        found = _OPENINGS[scope, variant] = Opening(ALL_SCOPES[scope], chosen)
    return found


def options(scope: str, variant: str) -> str:
    """Return the options that name a world, with a space before each."""
    return f" --scope {scope}" + (f" --variant {variant}" if variant else "")


def said(finished: Finished) -> str:
    """Return what was wrong in a run in one line, "" if nothing was."""
    violation = finished.violation
    if violation is None:
        return ""
    return f"{violation.invariant} at step {violation.step}: {violation.text}"
