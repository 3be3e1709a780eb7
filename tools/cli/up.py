"""`klamm up`: a cluster of one's own on this machine until Ctrl-C."""

import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import click
import trio

from klamm.controller.runtime.controller import ListenError
from klamm.tools.cli._cluster import Cluster, ClusterOptions, running_cluster
from klamm.tools.embedded.errors import EmbeddedError

_MIB = 1024 * 1024


@click.command()
@click.option(
    "--brokers",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="How many simulated brokers; their ids are 0, 1, ...",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port of the controller on 127.0.0.1; without it a free one is taken.",
)
@click.option(
    "--partition-mib",
    type=click.FloatRange(0),
    default=10.0,
    show_default=True,
    help="How much data each partition holds, in MiB.",
)
@click.option(
    "--bandwidth-mib",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="How much data a broker copies, in MiB per second.",
)
@click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write addresses as JSON here once all is up; removed at the end.",
)
def command(
    brokers: int, port: int, partition_mib: float, bandwidth_mib: float, ready_file: Path | None
) -> None:
    """Start ZooKeeper, a controller and simulated brokers until Ctrl-C."""
    options = ClusterOptions(
        range(brokers), port, None, round(partition_mib * _MIB), bandwidth_mib * _MIB
    )
    try:
        trio.run(_up, options, ready_file)
    except* (EmbeddedError, ListenError) as group:
        raise click.ClickException(str(_first(group))) from group
    click.echo("klamm stopped")


async def _up(options: ClusterOptions, ready_file: Path | None) -> None:
    """Run until a signal comes; whatever signals follow cannot cut the end short."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            running = trio.CancelScope()
            nursery.start_soon(_cancel_on_signals, signals, running)
            with running:
                click.echo("starting ZooKeeper, a controller and brokers ...")
                async with running_cluster(options) as cluster:
                    with _announced(cluster, ready_file):
                        click.echo(_welcome(cluster))
                        await trio.sleep_forever()
            nursery.cancel_scope.cancel()


async def _cancel_on_signals(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()


@contextlib.contextmanager
def _announced(cluster: Cluster, ready_file: Path | None) -> Iterator[None]:
    """Keep the ready file there while the cluster is; it appears whole or not at all."""
    if ready_file is None:
        yield
        return
    draft = ready_file.with_name(f".{ready_file.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps(cluster.description(), indent=2) + "\n")
        draft.replace(ready_file)
        yield
    finally:
        draft.unlink(missing_ok=True)
        ready_file.unlink(missing_ok=True)


def _welcome(cluster: Cluster) -> str:
    """Tell where everything is and what to try first."""
    brokers = cluster.brokers.brokers
    ids = f"{min(brokers)}-{max(brokers)}" if len(brokers) > 1 else "0"
    ports = ", ".join(str(broker.port) for broker in brokers.values())
    admin = f"kafka-python admin -b {cluster.bootstrap}"
    lines = [
        "",
        f"  bootstrap  {cluster.bootstrap}   the controller, node {cluster.node.config.node_id}",
        f"  zookeeper  {cluster.zookeeper}   a real one",
        f"  brokers    {ids} on ports {ports}   simulated",
        "",
        "Try, in another terminal (pip install kafka-python):",
        "",
        f"  {admin} topics create -t orders --num-partitions 3 --replication-factor 3",
        f"  {admin} topics describe -t orders",
        f"  {admin} partitions alter-reassignments -r orders:0=4,3,2",
        f"  {admin} partitions list-reassignments",
        f"  {admin} partitions alter-reassignments -r orders:0=cancel",
        "",
        "or from Python:",
        "",
        "  from kafka import KafkaAdminClient, TopicPartition",
        f'  admin = KafkaAdminClient(bootstrap_servers="{cluster.bootstrap}")',
        '  admin.alter_partition_reassignments({TopicPartition("orders", 1): [2, 3, 4]})',
        "  admin.list_partition_reassignments()",
        "",
        "Ctrl-C stops it all and leaves nothing behind.",
    ]
    return "\n".join(lines)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first fault of a group of groups."""
    fault: BaseException = group
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return fault
