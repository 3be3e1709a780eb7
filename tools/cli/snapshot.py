"""`klamm snapshot`: a cluster as it is now, in one file that plans and rehearsals are made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from klamm.tools.cli._sizes import counted, format_bytes
from klamm.tools.planner.snapshot import Snapshot, encode
from klamm.tools.rehearsal.capture import Captured, CaptureError, captured
from klamm.tools.rehearsal.rows import TableRow, snapshot_of

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MS = 1000


@click.command()
@click.option("--bootstrap-server", metavar="HOST:PORT,...", help="Any brokers of the cluster.")
@click.option("--command-config", type=_FILE, help="Properties of Kafka clients: TLS, SASL.")
@click.option(
    "--watch",
    type=click.FloatRange(0),
    default=0.0,
    metavar="SECONDS",
    help="Look at logs twice, so far apart: what they grow by is what producers write.",
)
@click.option(
    "--from",
    "files",
    type=_FILE,
    multiple=True,
    metavar="FILE",
    help="Instead of a cluster, what tools have written; may be given again. Later files go before"
    " earlier ones.",
)
@click.option("--cluster", help="How the cluster is called, of --from.  [default: files]")
@click.option(
    "--to", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where it goes."
)
def command(
    bootstrap_server: str | None,
    command_config: Path | None,
    watch: float,
    files: tuple[Path, ...],
    cluster: str | None,
    to: Path,
) -> None:
    """Write a cluster's brokers, partitions, sizes and rates of production into one file.

    Works with every Kafka from 2.4 on, with ZooKeeper or KRaft, and with klamm; nothing is changed.
    What may not be seen is left out and told. Or it is made --from files: the outputs of
    kafka-topics --describe and kafka-log-dirs, dumps of ZooKeeper or of __cluster_metadata, and
    whatever else `klamm pipeline ingest` reads.

    \b
      klamm snapshot --bootstrap-server HOST:PORT --watch 30 --to now.json
      klamm snapshot --from topics.txt --from log-dirs.json --to now.json
    """
    if bool(files) == (bootstrap_server is not None):
        raise click.UsageError("Give either --bootstrap-server HOST:PORT or --from FILE.")
    if files and (watch or command_config):
        raise click.UsageError("--watch and --command-config are of --bootstrap-server.")
    if cluster is not None and not files:
        raise click.UsageError("--cluster is of --from: a cluster that runs says its own id.")
    if bootstrap_server is not None:
        try:
            taken = captured(bootstrap_server, command_config, watch)
        except CaptureError as error:
            raise click.ClickException(str(error)) from error
    else:
        taken = _of_files(files, cluster or "files")
    try:
        to.write_text(encode(taken.snapshot), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{to} cannot be written: {error.strerror}") from error
    for missing in taken.missing:
        click.echo(missing, err=True)
    click.echo(f"{to}: {_told(taken.snapshot)}")


def _of_files(files: Sequence[Path], cluster: str) -> Captured:
    """Read what tools have written; exit code 2 for what is no such thing."""
    # Files have no time of their own that all of them would share: that of the last one counts.
    taken_ms = max(int(file.stat().st_mtime * _MS) for file in files)
    try:
        return snapshot_of(_rows(files, cluster, taken_ms), cluster, taken_ms)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--from") from error


def _rows(files: Sequence[Path], cluster: str, taken_ms: int) -> Iterator[TableRow]:
    try:
        from klamm.tools.pipeline import formats
    except ImportError as error:
        raise click.ClickException(
            f"--from needs the pipeline ({error}): pip install 'klamm[spark]'"
        ) from error
    for file in files:
        source = formats.Source(str(file), cluster, taken_ms)
        with file.open(encoding="utf-8", errors="replace") as text:
            lines = ((number, line.rstrip("\n")) for number, line in enumerate(text, 1))
            try:
                for produced in formats.read(lines, source):
                    if isinstance(produced, formats.Good):
                        yield produced.table, produced.row
                    elif isinstance(produced, formats.Bad):
                        click.echo(f"{file}:{produced.line}: {produced.reason}", err=True)
            except formats.AmbiguousError as error:
                raise click.BadParameter(f"{file}: {error}", param_hint="--from") from error


def _told(snapshot: Snapshot) -> str:
    """Say what a snapshot has."""
    dead = [str(each.id) for each in snapshot.brokers if not each.alive]
    size = sum(each.size_bytes * len(each.replicas) for each in snapshot.partitions)
    rate = sum(each.bytes_in_per_s for each in snapshot.partitions)
    moving = sum(each.moving for each in snapshot.partitions)
    return "".join(
        (
            f"{counted(len(snapshot.brokers), 'broker')}",
            f" ({', '.join(dead)} dead)" if dead else "",
            f", {counted(len(snapshot.partitions), 'partition')}, {format_bytes(size)} on disks",
            f", {format_bytes(rate)}/s written" if rate else "",
            f", {counted(moving, 'move')} under way" if moving else "",
        )
    )
