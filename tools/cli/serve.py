"""`klamm serve`: a controller node that joins the ZooKeeper of a cluster, until a signal."""

import gc
import logging
import os
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from pathlib import Path

import click
import trio

from klamm.controller.runtime.authentication import SecurityError
from klamm.controller.runtime.config import ControllerConfig
from klamm.controller.runtime.controller import ListenError, Running, run_controller
from klamm.controller.runtime.entry import NodeIdTakenError, UnreachableError
from klamm.controller.runtime.journal_file import JournalError
from klamm.controller.runtime.keys import ConfigError, config_from
from klamm.controller.runtime.sessions import StoreError
from klamm.controller.runtime.tls import TlsError
from klamm.controller.znodes.errors import ZnodeError
from klamm.tools.cli._as_version import as_property, as_version_option
from klamm.tools.cli._properties import merged, override_option, warn_of_unknown
from klamm.tools.cli._running import (
    ReadyFileError,
    announced,
    plain_faults,
    ready_file_option,
    set_up_logging,
    until_signal,
)

_FAULTS = (
    JournalError,
    ListenError,
    NodeIdTakenError,
    ReadyFileError,
    SecurityError,
    StoreError,
    TlsError,
    UnreachableError,
    ZnodeError,
)

#: For a state of many objects that live long and have no cycles. Python's own, 700, spends a third
#: of the work on 10,000 partitions on looking through them; 20,000 spends a tenth.
_GC_THRESHOLDS = (200_000, 10, 10)


@click.command()
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A server.properties file, with Kafka's own names.",
)
@override_option
@as_version_option
@ready_file_option
@click.option("--quiet", is_flag=True, help="Say nothing but warnings and errors.")
def command(
    config: Path | None,
    overrides: Mapping[str, str],
    release: str | None,
    ready_file: Path | None,
    quiet: bool,
) -> None:
    """Join a ZooKeeper as a controller node until Ctrl-C.

    \b
    Needed are an id that no broker has, and a ZooKeeper; everything else has Kafka's defaults:
      klamm serve --override node.id=900 --override zookeeper.connect=localhost:2181

    Kafka's default for listeners is PLAINTEXT://:9092, which is every interface of the machine.
    Without authorizer.class.name whoever reaches a node may do anything. To keep it to this
    machine:
    --override listeners=PLAINTEXT://127.0.0.1:9092
    """
    set_up_logging()
    if not quiet:
        logging.getLogger("klamm.node").setLevel(logging.INFO)  # elections, and what they found
    properties = {**merged(config, overrides), **as_property(release)}
    try:
        settings = config_from(properties)
    except ConfigError as error:
        raise click.ClickException(
            "\n  ".join(["no node can run by this:", *error.faults])
        ) from error
    if settings.authorizer is not None and not quiet:
        logging.getLogger("klamm.audit").setLevel(logging.INFO)  # who alters what
    warn_of_unknown(properties)
    gc.set_threshold(*_GC_THRESHOLDS)
    try:
        with plain_faults(*_FAULTS):
            trio.run(_serve, settings, ready_file, quiet)
    except _FAULTS as error:
        raise click.ClickException(str(error)) from error
    if not quiet:
        click.echo(f"klamm node {settings.node_id} stopped")


async def _serve(config: ControllerConfig, ready_file: Path | None, quiet: bool) -> None:
    async def work() -> None:
        async with trio.open_nursery() as nursery:
            running: Running = await nursery.start(run_controller, config)
            with announced(ready_file, _description(config, running)):
                if not quiet:
                    for line in _welcome(config, running):
                        click.echo(line)
                await trio.sleep_forever()

    await until_signal(work)


def _welcome(config: ControllerConfig, running: Running) -> Iterator[str]:
    """Say where the node is, as others are told, and what it listens on if that is more."""
    places = running.endpoints
    where = ", ".join(
        f"{each.host}:{each.port}{'' if len(places) == 1 else f' ({each.listener})'}"
        for each in places
    )
    yield f"klamm node {config.node_id} serves on {where}, ZooKeeper {config.zookeeper}"
    for listener in config.listeners:
        known = listener.uses_tls or listener.uses_sasl or config.authorizer is not None
        if not known and not _is_loopback(listener.host):
            interfaces = listener.host or "all interfaces"
            port = listener.port or next(
                each.port for each in places if each.listener == listener.name
            )
            near = f"{listener.name}://127.0.0.1:{port}"
            yield (
                f"  it listens on {interfaces}, and whoever reaches it may do anything; to keep it"
                f" to this machine: --override listeners={near}"
            )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _description(config: ControllerConfig, running: Running) -> dict[str, object]:
    """Return what a ready file says, in the form of `klamm up`."""
    endpoint = running.endpoint
    node = {"id": config.node_id, "host": endpoint.host, "port": endpoint.port, "pid": os.getpid()}
    return {
        "bootstrap": f"{endpoint.host}:{endpoint.port}",
        "zookeeper": config.zookeeper,
        "nodes": [node],
        "brokers": [],
        "control": None,
    }
