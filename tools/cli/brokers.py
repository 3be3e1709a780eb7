"""`klamm brokers`: simulated brokers in a process of their own, until a signal."""

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click
import trio

from klamm.controller.core.ibp import DEFAULT, InterBrokerProtocol, by_name
from klamm.controller.handlers.releases import DEFAULT as RELEASE
from klamm.controller.runtime.controller import ListenError
from klamm.controller.runtime.entry import PATIENCE_SECONDS
from klamm.tools.brokers.access import OPEN, Access
from klamm.tools.brokers.calls import StoreRefusedError
from klamm.tools.brokers.peer import HOST
from klamm.tools.brokers.registration import BrokerIdInUseError
from klamm.tools.brokers.server import SimulatedBrokers
from klamm.tools.brokers.settings import shared
from klamm.tools.cli._as_version import as_version_option
from klamm.tools.cli._broker_options import broker_options, log_directories, log_dirs_option
from klamm.tools.cli._ids import read_ids
from klamm.tools.cli._properties import merged
from klamm.tools.cli._running import (
    ReadyFileError,
    announced,
    plain_faults,
    ready_file_option,
    set_up_logging,
    until_signal,
)

_FAULTS = (BrokerIdInUseError, ListenError, ReadyFileError, StoreRefusedError, OSError)

LOG = logging.getLogger("klamm.brokers")


def _read_protocol(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> InterBrokerProtocol:
    try:
        return by_name(value) if value is not None else DEFAULT
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@click.command()
@click.option(
    "--zookeeper",
    required=True,
    metavar="HOST:PORT",
    help="The cluster's ZooKeeper, with a chroot if it has one; of klamm or of Kafka.",
)
@click.option(
    "--ids",
    metavar="IDS",
    callback=read_ids,
    default="0-4",
    show_default=True,
    help="Ids of the brokers: 3 or 1,2 or 0-4; not those of klamm nodes.",
)
@broker_options(bandwidth="10MiB")
@click.option(
    "--ibp",
    "protocol",
    metavar="VERSION",
    callback=_read_protocol,
    help="inter.broker.protocol.version; 2.4-IV0 if not given.",
)
@log_dirs_option
@as_version_option
@click.option(
    "--control-port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port for `klamm broker` on 127.0.0.1; without it a free one is taken.",
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A server.properties file, for the security of the listener between brokers, and for"
    " what brokers have in common with klamm nodes.",
)
@ready_file_option
def command(
    zookeeper: str,
    ids: tuple[int, ...],
    racks: int | None,
    frozen: tuple[int, ...],
    partition_bytes: int,
    produce_rate: int,
    bandwidth: int,
    protocol: InterBrokerProtocol,
    log_dirs: int | None,
    release: str | None,
    control_port: int,
    config: Path | None,
    ready_file: Path | None,
) -> None:
    """Run simulated brokers that join a ZooKeeper, until Ctrl-C.

    \b
    The controller may be klamm's or Kafka's. Data flow between the brokers of one such command
    only: a partition's replicas should all be on them. Orders: klamm broker --help.
    """
    if not ids:
        raise click.UsageError("--ids names no broker")
    absent = set(frozen) - set(ids)
    if absent:
        raise click.UsageError(f"--frozen: broker {min(absent)} is not among --ids")
    set_up_logging()
    try:
        brokers = SimulatedBrokers(
            zookeeper,
            ids,
            racks={id_: f"r{place % racks}" for place, id_ in enumerate(ids)} if racks else None,
            partition_bytes=partition_bytes,
            produce_rate=float(produce_rate),
            bandwidth=float(bandwidth),
            frozen=frozen,
            log_dirs=log_directories(log_dirs or 1),
            protocol=protocol,
            control_port=control_port,
            release=release or RELEASE,
            access=Access.of(merged(config, {})) if config is not None else OPEN,
            shared=shared(merged(config, {})),
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    try:
        with plain_faults(*_FAULTS):
            trio.run(_run, brokers, zookeeper, ready_file)
    except _FAULTS as error:
        raise click.ClickException(str(error)) from error
    click.echo("klamm brokers stopped")


async def _run(brokers: SimulatedBrokers, zookeeper: str, ready_file: Path | None) -> None:
    async def work() -> None:
        count = len(brokers.brokers)
        who = "1 broker is" if count == 1 else f"{count} brokers are"
        click.echo(f"{who} joining ZooKeeper {zookeeper} ...")
        async with _entered(brokers, zookeeper):
            description = _description(brokers, zookeeper)
            with announced(ready_file, description):
                for broker in brokers.brokers.values():
                    rack = f", rack {broker.rack}" if broker.rack else ""
                    click.echo(f"  broker {broker.id} on {HOST}:{broker.port}{rack}")
                control = description["control"]
                click.echo(f"orders: klamm broker status --control {control}")
                await trio.sleep_forever()

    await until_signal(work)


@asynccontextmanager
async def _entered(brokers: SimulatedBrokers, zookeeper: str) -> AsyncIterator[None]:
    """Let brokers join and run while the block runs; say so when ZooKeeper is away."""
    joining = trio.CancelScope()

    async def complain() -> None:
        with joining:
            await trio.sleep(PATIENCE_SECONDS)
            if not any(broker.session_seconds for broker in brokers.brokers.values()):
                LOG.warning("ZooKeeper on %s does not answer; still trying", zookeeper)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(complain)
        async with brokers:
            joining.cancel()
            yield


def _description(brokers: SimulatedBrokers, zookeeper: str) -> dict[str, object]:
    """Return what a ready file says, in the form of `klamm up`."""
    found = [
        {"id": broker.id, "host": HOST, "port": broker.port, "rack": broker.rack}
        for broker in brokers.brokers.values()
    ]
    return {
        "bootstrap": ",".join(f"{HOST}:{broker['port']}" for broker in found),
        "zookeeper": zookeeper,
        "nodes": [],
        "brokers": found,
        "control": f"{HOST}:{brokers.control_port}",
        "pid": os.getpid(),
    }
