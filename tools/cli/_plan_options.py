"""What every command of `klamm plan` is asked: the cluster, files, and how batches are cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from klamm.tools.cli._sizes import byte_count
from klamm.tools.planner.snapshot import Snapshot, SnapshotError, read

Command = TypeVar("Command", bound=Callable[..., Any])

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_NEW_FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Wish:
    """The options by their names in Python."""

    snapshot: Path | None
    bootstrap_server: str | None
    command_config: Path | None
    to: Path
    rollback_file: Path | None
    batch: int | None
    batch_bytes: int | None
    seed: int
    effort: float
    disable_rack_aware: bool
    force: bool
    as_json: bool
    report: Path | None

    def read_cluster(self) -> Snapshot:
        """Read the file, or ask the cluster; exit code 2 for what cannot be read."""
        if (self.snapshot is None) == (self.bootstrap_server is None):
            raise click.UsageError("Give either --snapshot FILE or --bootstrap-server HOST:PORT.")
        if self.snapshot is None:
            assert self.bootstrap_server is not None, "one of the two is given"
            return _taken(self.bootstrap_server, self.command_config)
        try:
            return read(self.snapshot)
        except (SnapshotError, OSError) as error:
            raise click.BadParameter(str(error), param_hint="--snapshot") from error


_OPTIONS = (
    click.option("--snapshot", type=_FILE, help="The cluster, as `klamm snapshot` wrote it."),
    click.option("--bootstrap-server", metavar="HOST:PORT", help="The cluster itself."),
    click.option("--command-config", type=_FILE, help="How to log in there."),
    click.option(
        "--to",
        type=_NEW_FILE,
        default="plan.json",
        show_default=True,
        help="Where the plan goes; its rollback and batches go beside it.",
    ),
    click.option("--rollback-file", type=_NEW_FILE, help="Where the way back goes instead."),
    click.option(
        "--batch",
        type=click.IntRange(1),
        metavar="N",
        help="Cut batches: at most N replicas to a broker, and from a leader, in each.",
    ),
    click.option(
        "--batch-bytes",
        metavar="AMOUNT",
        callback=lambda ctx, param, value: value and byte_count(1)(ctx, param, value),
        help="Cut batches: at most so much to a broker, and from a leader, in each.",
    ),
    click.option("--seed", type=int, default=0, help="Another seed, another plan as good."),
    click.option(
        "--effort",
        type=click.FloatRange(min=0.01),
        default=0.5,
        show_default=True,
        help="How long a group is solved: about so many seconds, the same work anywhere.",
    ),
    click.option("--disable-rack-aware", is_flag=True, help="Take no heed of racks."),
    click.option("--force", is_flag=True, help="Write over files that are there."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead."),
    click.option("--report", type=_NEW_FILE, help="Write a page about it: one HTML file."),
)


def plan_options(command: Command) -> Command:
    """Give a command `wish`, made of all these options."""

    @wraps(command)
    def with_wish(**given: Any) -> Any:  # noqa: ANN401 - whatever the command has
        wish = Wish(**{field.name: given.pop(field.name) for field in fields(Wish)})
        return command(wish=wish, **given)

    wrapped: Callable[..., Any] = with_wish
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]  # the same command, for click


def _taken(bootstrap: str, config: Path | None) -> Snapshot:
    """Ask a cluster, and say what it does not tell; exit code 1 if it cannot be asked."""
    from klamm.tools.rehearsal import capture

    try:
        found = capture.captured(bootstrap, config)
    except capture.CaptureError as error:
        raise click.ClickException(str(error)) from error
    for each in found.missing:
        click.echo(each, err=True)
    return found.snapshot
