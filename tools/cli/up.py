"""`klamm up`: a cluster of one's own on this machine until Ctrl-C."""

import contextlib
import json
import math
import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import click
import trio

from klamm.controller.runtime.controller import ListenError
from klamm.tools.cli._cluster import Cluster, ClusterOptions, running_cluster, set_up_logging
from klamm.tools.embedded.errors import EmbeddedError

_MIB = 1024 * 1024


def _check_finite(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse infinity, and NaN, which a range lets pass because it compares with nothing."""
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a finite number", ctx, param)
    return value


def _check_folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """Refuse a ready file that cannot come to be, before anything is started."""
    if value is not None:
        folder = value.absolute().parent
        if not folder.is_dir():
            raise click.BadParameter(f"there is no folder {folder}", ctx, param)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise click.BadParameter(f"the folder {folder} cannot be written to", ctx, param)
    return value


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
    callback=_check_finite,
    default=10.0,
    show_default=True,
    help="How much data each partition holds, in MiB.",
)
@click.option(
    "--bandwidth-mib",
    type=click.FloatRange(0, min_open=True),
    callback=_check_finite,
    default=1.0,
    show_default=True,
    help="How much data a broker copies, in MiB per second.",
)
@click.option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_check_folder,
    help="Write addresses as JSON here once all is up; removed at the end.",
)
def command(
    brokers: int, port: int, partition_mib: float, bandwidth_mib: float, ready_file: Path | None
) -> None:
    """Start ZooKeeper, a controller and simulated brokers until Ctrl-C."""
    options = ClusterOptions(
        range(brokers), port, None, round(partition_mib * _MIB), bandwidth_mib * _MIB
    )
    set_up_logging()
    try:
        trio.run(_up, options, ready_file)
    except* (EmbeddedError, ListenError) as group:
        raise click.ClickException(str(_first(group))) from group
    click.echo("klamm stopped")


async def _up(options: ClusterOptions, ready_file: Path | None) -> None:
    """Run until a signal comes; whatever signals follow cannot cut the end short."""
    endings = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as it is under nohup
        endings.append(signal.SIGHUP)
    with trio.open_signal_receiver(*endings) as signals:
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
    lines = [
        "",
        f"  bootstrap  {cluster.bootstrap}   the controller, node {cluster.node.config.node_id}",
        f"  zookeeper  {cluster.zookeeper}   a real one",
        f"  brokers    {ids} on ports {ports}   simulated",
        "",
        *_recipe(cluster.bootstrap, list(brokers)),
        "Ctrl-C stops it all and leaves nothing behind.",
    ]
    return "\n".join(lines)


def _recipe(bootstrap: str, brokers: list[int]) -> list[str]:
    """Tell what to paste. The topic is created on named replicas, so that its move is a move.

    kafka-python's command line lets the controller choose replicas; its library can name them.
    """
    # At most three replicas, and the last broker without one, if there is more than one broker.
    count = max(1, min(3, len(brokers) - 1))
    first, target = brokers[:count], brokers[-count:][::-1]
    admin = f"kafka-python admin -b {bootstrap}"
    lines = [
        "Try, in another terminal with Python (pip install kafka-python):",
        "",
        "  from kafka import KafkaAdminClient, TopicPartition",
        f'  admin = KafkaAdminClient(bootstrap_servers="{bootstrap}")',
        f'  admin.create_topics({{"orders": {{"assignments": {{0: {first}, 1: {first}}}}}}})',
    ]
    if len(brokers) == 1:
        look = [f"  {admin} topics describe -t orders", ""]
        alone = "A move needs two brokers or more: --brokers 2, or leave it out for five."
        return [*lines, "", "or from the shell:", "", *look, alone, ""]
    return [
        *lines,
        f'  admin.alter_partition_reassignments({{TopicPartition("orders", 1): {target}}})',
        "  admin.list_partition_reassignments()",
        "",
        "and then from the shell, where a move of orders-0 can be watched or cancelled:",
        "",
        f"  {admin} topics describe -t orders",
        f"  {admin} partitions alter-reassignments -r orders:0={','.join(map(str, target))}",
        f"  {admin} partitions list-reassignments",
        f"  {admin} partitions alter-reassignments -r orders:0=cancel",
        "",
    ]


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first fault of a group of groups."""
    fault: BaseException = group
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return fault
