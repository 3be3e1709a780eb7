"""Options that the jobs of `klamm pipeline` share: where to run, and where tables are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from klamm.tools.pipeline.lake import Lake

LOCAL = "local[*]"

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Engine:
    """Where a job runs: in this process if `plain`, else on Spark."""

    plain: bool = False
    master: str = LOCAL
    conf: Mapping[str, str] | None = None
    archive: Path | None = None
    ui: bool = False

    @contextmanager
    def session(self) -> Iterator[SparkSession]:
        """Open the session that was asked for; it is stopped at the end.

        One that cannot be had, for want of Spark, Java or an archive that fits, ends the command.
        """
        from klamm.tools.pipeline.pack import PackError
        from klamm.tools.pipeline.session import SparkMissingError, opened

        try:
            with opened(
                self.master, self.conf, archive=self.archive, ui=self.ui, progress=True
            ) as spark:
                yield spark
        except (PackError, SparkMissingError) as error:
            raise click.UsageError(str(error)) from error


def _settings(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    settings = {}
    for value in values:
        key, equals, setting = value.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{value!r} is no KEY=VALUE", context, parameter)
        settings[key.strip()] = setting
    return settings


def spark_options(command: _Command) -> _Command:
    """Give a command `engine`, by the options that say where it runs."""

    @click.option("--master", help=f"Spark's master URL.  [default: {LOCAL}]")
    @click.option(
        "--conf", multiple=True, metavar="KEY=VALUE", callback=_settings, help="A Spark setting."
    )
    @click.option("--plain", is_flag=True, help="Run in this process, without Spark or Java.")
    @click.option(
        "--archive",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="What executors run, made by `klamm pipeline pack`.",
    )
    @click.option("--ui", is_flag=True, help="Show Spark's own pages while it runs, also locally.")
    @wraps(command)
    def with_engine(
        *args: Any,  # noqa: ANN401 - whatever the command takes
        master: str | None,
        conf: dict[str, str],
        plain: bool,
        archive: Path | None,
        ui: bool,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        if plain and (master or conf or archive or ui):
            raise click.UsageError(
                "--plain needs no Spark: leave --master, --conf, --archive and --ui out"
            )
        engine = Engine(plain, master or LOCAL, conf, archive, ui)
        return command(*args, engine=engine, **others)

    return with_engine  # type: ignore[return-value]  # the same command, for click


def as_lake(context: click.Context, parameter: click.Parameter, value: Path | None) -> Lake | None:
    """Turn a folder that was named into the lake that is kept there."""
    from klamm.tools.pipeline.lake import Lake, LakeError

    try:
        return None if value is None else Lake(value)
    except LakeError as error:
        raise click.BadParameter(str(error), context, parameter) from error


_FOLDER = click.Path(file_okay=False, path_type=Path)

#: Give a command `lake`: the tables that it reads and writes.
lake_argument = click.argument("lake", type=_FOLDER, callback=as_lake)


def require_events(lake: Lake) -> None:
    """Raise UsageError if the lake has no events to work on."""
    from klamm.tools.pipeline.tables import EVENTS

    if not lake.files(EVENTS):
        raise click.UsageError(f"{lake.root} holds no events; `klamm pipeline ingest` reads them")


#: Give a command `lake` by an option that must be there: where tables are to go.
lake_option = click.option(
    "--to", "lake", type=_FOLDER, callback=as_lake, required=True, help="The folder of tables."
)
report_option = click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page about it: one HTML file.",
)
json_option = click.option(
    "--json", "json_wanted", is_flag=True, help="Print one JSON object instead."
)
