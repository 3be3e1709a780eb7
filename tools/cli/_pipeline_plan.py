"""`klamm pipeline plan`: the plans of `klamm plan`, with their groups solved on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from klamm.tools.cli._pipeline_options import Engine, spark_options
from klamm.tools.cli._plan_commands import add_to
from klamm.tools.planner.runner import Local, Runner


@click.group()
def command() -> None:
    """Make large plans: groups of topics are solved on Spark's executors, then joined here.

    The plan is the same as that of `klamm plan`, wherever it is made.
    """


@contextmanager
def _opened(others: dict[str, Any]) -> Iterator[Runner]:
    engine: Engine = others["engine"]
    if engine.plain:
        yield Local()
        return
    from klamm.tools.pipeline.spark_runner import SparkRunner

    with engine.session() as spark:
        yield SparkRunner(spark)


add_to(command, _opened, spark_options)
