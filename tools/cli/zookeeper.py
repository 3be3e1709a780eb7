"""`klamm zookeeper`: the embedded ZooKeeper alone, for what is started elsewhere."""

import signal
from pathlib import Path

import click

from klamm.tools.embedded.errors import EmbeddedError
from klamm.tools.embedded.zookeeper import EmbeddedZookeeper


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=2181,
    show_default=True,
    help="Port on 127.0.0.1; 0 takes a free one.",
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the data in this folder. Without it the data goes when the server stops.",
)
@click.option(
    "--jute-maxbuffer",
    type=click.IntRange(min=1),
    help="Largest request in bytes (ZooKeeper's default: 1048575). Never lower it on kept data.",
)
@click.option(
    "--heap-mib",
    type=click.IntRange(min=32),
    default=1024,
    show_default=True,
    help="Most memory that the server's heap may take, in MiB.",
)
def command(port: int, data_dir: Path | None, jute_maxbuffer: int | None, heap_mib: int) -> None:
    """Start only the embedded ZooKeeper until Ctrl-C."""
    server = EmbeddedZookeeper(
        port=port, data_dir=data_dir, jute_maxbuffer=jute_maxbuffer, heap_mib=heap_mib
    )
    try:
        with server:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            fate = "kept" if data_dir else "removed at the end; --data-dir DIR keeps it"
            click.echo(f"ZooKeeper serves on {server.connect_string} (process {server.pid})")
            click.echo(f"  data      {server.data_dir}, {fate}")
            click.echo(f"  brokers   zookeeper.connect={server.connect_string}")
            click.echo("  stop      Ctrl-C")
            server.wait()
    except KeyboardInterrupt:
        click.echo("ZooKeeper stopped")
    except EmbeddedError as error:
        raise click.ClickException(str(error)) from error
