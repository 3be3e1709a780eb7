"""The option by which a cluster is taken for one of another release of Kafka."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from klamm.controller.handlers.releases import DEFAULT, RELEASES

F = TypeVar("F", bound=Callable[..., Any])

#: The property of a node that says the same.
PROPERTY = "klamm.advertised.release"


def as_version_option(command: F) -> F:
    """Add --as-version, None if it is not given."""
    return click.option(
        "--as-version",
        "release",
        type=click.Choice(RELEASES),
        metavar="RELEASE",
        help=f"Advertise to clients what this release of Kafka does, {RELEASES[0]} to"
        f" {RELEASES[-1]}; {DEFAULT} if not given.",
    )(command)


def as_property(release: str | None) -> Mapping[str, str]:
    """Return the property that the option stands for, if it is given."""
    return {} if release is None else {PROPERTY: release}
