"""`klamm up`: a cluster of one's own on this machine until Ctrl-C."""

from collections.abc import Mapping
from pathlib import Path

import click
import trio

from klamm.controller.runtime.keys import ConfigError, config_from, unknown_keys
from klamm.tools.cli._as_version import as_property, as_version_option
from klamm.tools.cli._broker_options import broker_options, log_directories, log_dirs_option
from klamm.tools.cli._cluster import FAULTS, ClusterOptions, running_cluster
from klamm.tools.cli._options import NODE_ID, ONE_LOG_DIR
from klamm.tools.cli._properties import override_option
from klamm.tools.cli._recipe import welcome
from klamm.tools.cli._running import (
    ReadyFileError,
    announced,
    plain_faults,
    ready_file_option,
    set_up_logging,
    until_signal,
)
from klamm.tools.cli._security_options import security_options, wish
from klamm.tools.cli._sizes import counted
from klamm.tools.cli._topics import NewTopic, parse_topics, read_assignments, unique
from klamm.tools.cli._zookeepers import MEMORY

#: What the cluster decides by itself, with the option that it is asked for by.
_DECIDED = {
    "node.id": "nodes are 900, 901, ...: --nodes",
    "listeners": "nodes listen on 127.0.0.1: --port",
    "advertised.listeners": "nodes listen on 127.0.0.1: --port",
    "inter.broker.listener.name": "nodes have one listener: --tls, --sasl",
    "security.inter.broker.protocol": "nodes have one listener: --tls, --sasl",
    "listener.security.protocol.map": "nodes have one listener: --tls, --sasl",
    "zookeeper.connect": "the cluster has a ZooKeeper of its own; to join one: klamm serve",
    "broker.rack": "racks are dealt out in turn: --racks",
    "klamm.journal.file": "each node has a journal of its own: --journal",
}


_FAULTS = (*FAULTS, ReadyFileError)

#: A third of Kafka's default: a node that is killed keeps the office so long, and a broker its
#: registration.
_SESSION_TIMEOUT = "zookeeper.session.timeout.ms"

#: Here klamm's own tools may ask for all that the controller knows.
_DESCRIBE = "klamm.describe.reassignments.enable"


def _check_properties(overrides: Mapping[str, str], ibp: str | None) -> dict[str, str]:
    """Return the properties of every node; raises UsageError before anything is started."""
    properties = {_SESSION_TIMEOUT: "6000", _DESCRIBE: "true", **overrides}
    for key in overrides:
        if key in _DECIDED:
            raise click.UsageError(f"--override {key}: {_DECIDED[key]}")
    if ibp is not None:
        properties["inter.broker.protocol.version"] = ibp
    try:
        config_from({**properties, "node.id": "0", "zookeeper.connect": MEMORY})
    except ConfigError as error:
        raise click.UsageError("\n  ".join(error.faults)) from error
    for key in unknown_keys(properties):
        raise click.UsageError(f"--override {key}: neither klamm nor Kafka 3.9 knows it")
    return properties


def _check_topics(
    topics: tuple[NewTopic, ...], more: tuple[NewTopic, ...], brokers: range
) -> Mapping[str, NewTopic]:
    try:
        found = unique((*topics, *more))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    for topic in found.values():
        absent = {id_ for replicas in topic.assignments for id_ in replicas} - set(brokers)
        if absent:
            raise click.UsageError(
                f"topic {topic.name} has a replica on broker {min(absent)}; there are only"
                f" {len(brokers)} brokers: --brokers"
            )
        if topic.replication_factor > len(brokers):
            raise click.UsageError(
                f"topic {topic.name} is to have {topic.replication_factor} replicas; there are"
                f" only {len(brokers)} brokers: --brokers"
            )
    return found


@click.command()
@click.option(
    "--memory",
    is_flag=True,
    help="Everything in one process, ZooKeeper too; needs no Java, ready within a second.",
)
@click.option(
    "--brokers",
    type=click.IntRange(1, NODE_ID),
    default=5,
    show_default=True,
    help="How many simulated brokers; their ids are 0, 1, ...",
)
@click.option(
    "--nodes",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="How many controller nodes, each a process; their ids are 900, 901, ...",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="NAME:PARTITIONS:RF",
    callback=parse_topics,
    help="A topic to create, with its number of partitions and replicas; repeatable.",
)
@click.option(
    "--topics-file",
    "assigned",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    callback=read_assignments,
    help="Topics to create with these replicas: JSON as for kafka-reassign-partitions.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port of the first node on 127.0.0.1; without it a free one is taken.",
)
@security_options
@broker_options(bandwidth="1MiB")
@log_dirs_option
@click.option(
    "--ibp", metavar="VERSION", help="inter.broker.protocol.version of nodes and brokers."
)
@as_version_option
@override_option
@click.option(
    "--journal",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="A folder in which each node writes its journal, node-ID.jsonl; what is there already"
    " is gone on with.",
)
@ready_file_option
def command(
    memory: bool,
    brokers: int,
    nodes: int,
    racks: int | None,
    frozen: tuple[int, ...],
    topics: tuple[NewTopic, ...],
    assigned: tuple[NewTopic, ...],
    port: int,
    partition_bytes: int,
    produce_rate: int,
    bandwidth: int,
    log_dirs: int | None,
    ibp: str | None,
    release: str | None,
    overrides: Mapping[str, str],
    journal: Path | None,
    ready_file: Path | None,
    tls: bool,
    client_certificates: bool,
    sasl: str | None,
    authorizer: bool,
) -> None:
    """Start ZooKeeper, controller nodes and simulated brokers until Ctrl-C."""
    ids = range(brokers)
    absent = set(frozen) - set(ids)
    if absent:
        raise click.UsageError(f"--frozen: there is no broker {min(absent)} among 0-{ids[-1]}")
    options = ClusterOptions(
        ids,
        port,
        MEMORY if memory else None,
        partition_bytes,
        bandwidth,
        produce_rate,
        nodes=nodes,
        processes=True,
        racks=racks or 0,
        frozen=frozen,
        topics=_check_topics(topics, assigned, ids),
        log_dirs=log_directories(log_dirs) if log_dirs else ONE_LOG_DIR,
        properties=_check_properties({**overrides, **as_property(release)}, ibp),
        journals=journal.absolute() if journal else None,
        security=wish(tls, client_certificates, sasl, authorizer),
    )
    set_up_logging()
    try:
        with plain_faults(*_FAULTS):
            trio.run(_up, options, ready_file)
    except _FAULTS as error:
        raise click.ClickException(str(error)) from error
    click.echo("klamm stopped")


async def _up(options: ClusterOptions, ready_file: Path | None) -> None:
    async def work() -> None:
        earlier = {file for file in options.journal_files if file.exists()}
        what = "a controller" if options.nodes == 1 else f"{options.nodes} controllers"
        place = "ZooKeeper in memory" if options.in_memory else "ZooKeeper"
        brokers = counted(len(options.brokers), "broker")
        click.echo(f"starting {place}, {what} and {brokers} ...")
        async with running_cluster(options) as cluster:
            with announced(ready_file, cluster.description()):
                click.echo(welcome(cluster, ready_file, options.journal_files, earlier))
                await trio.sleep_forever()

    await until_signal(work)
