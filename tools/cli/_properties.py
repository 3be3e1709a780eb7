"""The options by which a command takes a node's properties."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from klamm.controller.runtime.keys import unknown_keys
from klamm.controller.runtime.properties import PropertiesError, read_properties


def _read_overrides(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Split key=value at the first sign, as Kafka's own --override does."""
    found: dict[str, str] = {}
    for text in values:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise click.BadParameter(f"{text!r} is not KEY=VALUE", ctx, param)
        found[key.strip()] = value.strip()
    return found


override_option = click.option(
    "--override",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_read_overrides,
    help="A property of the node, as in server.properties; may be given again and again.",
)


def warn_of_unknown(properties: Mapping[str, str]) -> None:
    """Warn in one line of keys that may be mistyped; what else Kafka knows needs no word."""
    unknown = unknown_keys(properties)
    if unknown:
        click.echo(
            f"Warning: neither klamm nor Kafka 3.9 knows {', '.join(unknown)}; ignored", err=True
        )


def merged(config: Path | None, overrides: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a file with what replaces them; raises click's exceptions."""
    if config is None:
        return dict(overrides)
    try:
        return {**read_properties(config), **overrides}
    except PropertiesError as error:
        raise click.ClickException(f"{config} is no properties file: {error}") from error
    except OSError as error:
        raise click.ClickException(f"{config} cannot be read: {error.strerror}") from error
