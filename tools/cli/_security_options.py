"""The options by which `klamm up` is told how clients, nodes and brokers trust each other."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from klamm.controller.security.sasl import MECHANISMS
from klamm.tools.cli._security import Wish

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--tls",
        is_flag=True,
        help="Encrypt all connections; keys and certificates are made for this cluster.",
    ),
    click.option(
        "--client-certificates",
        is_flag=True,
        help="With --tls: clients need a certificate, which names them.",
    ),
    click.option(
        "--sasl",
        type=click.Choice(MECHANISMS, case_sensitive=False),
        help="Clients, nodes and brokers log in by this mechanism.",
    ),
    click.option(
        "--authorizer",
        is_flag=True,
        help="With --sasl: access control lists count; admin is a super user, guest is none.",
    ),
)


def security_options(command: F) -> F:
    """Add --tls, --client-certificates, --sasl and --authorizer."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wish(tls: bool, client_certificates: bool, sasl: str | None, authorizer: bool) -> Wish:
    """Return what the options ask for; raises UsageError if that cannot be."""
    if client_certificates and not tls:
        raise click.UsageError("--client-certificates needs --tls")
    if authorizer and sasl is None:
        raise click.UsageError("--authorizer needs --sasl: without a login everybody is the same")
    return Wish(tls, client_certificates, sasl, authorizer)
